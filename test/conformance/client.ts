// Reads the demo's World Desk with the client of api/client. Arguments: base URL, UUID of the project, its token, and
// one with all abilities.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, createClient, type Kept } from "@imprimatur/client";
import { richText, type Node } from "@imprimatur/client/rich-text";
import { verify, WebhookError } from "@imprimatur/client/webhooks";
import type { Change, Schema } from "./world-desk.js";

const [url, project, token, fullToken] = process.argv.slice(2) as [string, string, string, string];

// What the client asks, and how it is answered.
const asked: { address: string; status: number; ifNoneMatch: string | null }[] = [];
const recorded: typeof fetch = async (address, init) => {
  const response = await fetch(address, init);
  asked.push({ address: decodeURIComponent(`${address}`), status: response.status, ifNoneMatch: new Headers(init?.headers).get("If-None-Match") });
  return response;
};
const client = createClient<Schema>({ url: `${url}/`, project, token, fetch: recorded });

// Lists, conditions, orders, fields.
const big = await client.entries("countries", { where: { area: { gt: 5_000_000 }, region: { in: ["Americas", "Asia"] } }, sort: ["area:desc", "name"], fields: ["name", "area"], limit: 3, count: true });
assert.deepEqual(big.data.map((country) => country.name), ["Canada", "China", "United States"]);
assert.deepEqual(Object.keys(big.data[0]!), ["id", "locale", "name", "area"]);
assert.ok(big.meta.total! >= 3);
const either = await client.entries("countries", { or: [{ name: "Malta" }, { name: "Peru" }], sort: "name", fields: ["name", "borders.name"] });
assert.deepEqual(either.data.map((country) => country.name), ["Malta", "Peru"]);
assert.deepEqual(either.data[0]!.borders, []);
assert.equal((await client.entries("countries", { where: { name: { like: "a,b" } } })).data.length, 0);
assert.equal((await client.entries("countries", { where: { landlocked: true, area: { lt: 1000 }, "borders.name": "Austria" }, fields: ["name"] })).data[0]?.name, "Liechtenstein");
assert.equal((await client.entries("countries", { where: { name: { null: true } } })).data.length, 0);

// Locales: of the call, of the client, of neither.
const german = createClient<Schema>({ url, project, token, locale: "de" });
const named = async (from: typeof client, locale?: "fr") => (await from.entries("countries", { where: { code: "DEU" }, fields: ["name"], ...(locale && { locale }) })).data[0]?.name;
assert.deepEqual([await named(client), await named(german), await named(german, "fr")], ["Germany", "Deutschland", "Allemagne"]);

// All entries of a list, from several pages, each once.
const names = new Set<string | null>();
for await (const country of client.all("countries", { limit: 60, sort: "name", fields: ["name"] })) names.add(country.name);
assert.equal(names.size, (await client.entries("countries", { count: true, limit: 1 })).meta.total);

// Single entries with their translations and what refers to them.
const first = (await client.entries("articles", { where: { country: { not_null: true } } })).data[0]!;
const country = first.country && !("collection" in first.country) ? first.country : null;
assert.ok(country?.name);
const read = await client.entry("countries", country.id, { alternates: true, referrers: ["articles.country:1"], fields: ["name"] });
assert.ok(read._alternates.length > 1 && read._referrers["articles.country"].total > 0);
assert.ok((await client.counts("articles", "category")).length > 1);
assert.equal((await client.search("fishermen")).data[0]?.collection, "articles");
assert.deepEqual((await client.project()).locales, ["en", "de", "fr", "ja", "pt"]);

// A response is kept with its ETag, and asked for again with it.
asked.length = 0;
const article = await client.entry("articles", first.id);
article.title = "changed by the caller";
assert.equal((await client.entry("articles", first.id)).title, first.title);
assert.deepEqual(asked.map(({ status, ifNoneMatch }) => [status, ifNoneMatch !== null]), [[200, false], [304, true]]);
const kept = new Map<string, Kept>();
for (const cache of [kept, kept, false as const]) await createClient<Schema>({ url, project, token, cache, fetch: recorded }).entry("articles", first.id);
assert.deepEqual(asked.slice(2).map(({ status }) => status), [200, 304, 200]);

// Pictures: the addresses answer, in the widths that the picture has.
const cover = (await client.entries("articles", { where: { cover: { not_null: true } } })).data[0]!.cover!;
const answer = await fetch(client.image(cover, { w: 320, ar: "1:1" }), { headers: { Accept: "image/webp" } });
assert.deepEqual([answer.status, answer.headers.get("Content-Type")], [200, "image/webp"]);
const set = client.srcset(cover, [3840, 160, 320], { ar: "16:9" }).split(", ").map((one) => one.split(" "));
assert.deepEqual(set.map(([, width]) => width), cover.width! >= 3840 ? ["160w", "320w", "3840w"] : ["160w", "320w"]);
for (const [address] of set) assert.equal((await fetch(address!)).status, 200);
assert.deepEqual((await client.media(cover.id)).fullUrl, cover.fullUrl);
assert.ok((await client.media({ type: "image", perPage: 2 })).data.length > 0);

// GraphQL.
const data = await client.graphql<{ entries: { totalCount: number } }>("query($c: String!) { entries(collection: $c, limit: 1) { totalCount } }", { c: "countries" });
assert.equal(data.entries.totalCount, names.size);

// Errors have the code and every fault.
const refused = async (call: Promise<unknown>): Promise<ApiError> => {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError, `${error}`);
    return error;
  }
  assert.fail("not refused");
};
const missing = await refused(client.entry("articles", 999_999));
assert.deepEqual([missing.status, missing.code], [404, "not_found"]);
assert.ok(missing.requestId);
const faulty = await refused(client.entries("countries", { where: { "borders.nothing": 1 } }));
assert.equal(faulty.status, 400);
assert.match(`${faulty.message} ${faulty.faults.map((fault) => fault.message).join()}`, /nothing/);
assert.equal((await refused(createClient({ url, project, token: "imp_wrong" }).entries("countries"))).status, 401);
assert.match((await refused(client.graphql("{ nothing }"))).message, /nothing/);
// A condition without a value is refused, not left out: the answer would have every entry.
const nothing = undefined as unknown as string;
for (const [where, fault] of [
  [{ code: nothing }, "where[code] is undefined"],
  [{ name: { like: nothing } }, "where[name][like] is undefined"],
  [{ code: null as unknown as string }, "where[code] is null"],
  [{ code: {} }, "where[code] has no value"],
  [{ code: { in: ["CHE", nothing] } }, "where[code][in] is undefined"],
] as const) await assert.rejects(client.entries("countries", { where }), { name: "TypeError", message: fault });
for (const [or, fault] of [[[], "or has no conditions"], [[{}], "or[0] has no conditions"]] as const) {
  await assert.rejects(client.counts("countries", "region", { or }), { name: "TypeError", message: fault });
}
assert.match((await refused(client.entries("countries", { where: { code: { in: [] } } }))).faults[0]!.message, /1 to 500 values, not 0/);
const aborted = new AbortController();
aborted.abort(new Error("no longer wanted"));
await assert.rejects(client.entries("countries", { signal: aborted.signal }), /no longer wanted/);

// Changes: a copy of everything, and then what a write changes.
const puts = new Map<number, Change>();
let cursor = "";
for await (const page of client.changes({ limit: 500 })) {
  for (const change of page.data) if (change.op === "put") puts.set(change.id, change);
  cursor = page.meta.next;
}
assert.ok(puts.size > names.size);
const alt = `A new alternative, ${Date.now()}`;
const changed = await fetch(`${url}/public/v2/projects/${project}/media/${cover.id}`, {
  method: "PATCH",
  headers: { Authorization: `Bearer ${fullToken}`, "Content-Type": "application/json" },
  body: JSON.stringify({ alt }),
});
assert.equal(changed.status, 200, await changed.text());
const stop = new AbortController();
const heard: Change[] = [];
try {
  for await (const page of client.changes({ since: cursor, follow: true, signal: stop.signal })) {
    heard.push(...page.data);
    if (heard.length > 0) stop.abort();
  }
} catch (error) {
  assert.equal(error, stop.signal.reason);
}
assert.deepEqual(heard.map((change) => change.op === "media" && [change.media.id, change.media.alt]), [[cover.id, alt]]);

// Live: what changes, as it changes.
const listening = new AbortController();
const told: unknown[] = [];
for await (const message of client.live({ signal: AbortSignal.any([listening.signal, AbortSignal.timeout(60_000)]) })) {
  if (message.event === "hello") {
    const again = await fetch(`${url}/public/v2/projects/${project}/media/${cover.id}`, {
      method: "PATCH",
      headers: { Authorization: `Bearer ${fullToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ alt: `${alt}, again` }),
    });
    assert.equal(again.status, 200, await again.text());
    continue;
  }
  assert.ok(message.cursor);
  told.push(message.event, message.items);
  listening.abort();
}
assert.deepEqual(told, ["changes", [{ op: "media", id: cover.id }]]);

// A service that is busy: 503 and 429 are tried again after Retry-After, up to a bound.
const answers: [number, Record<string, string>][] = [];
const busy = createServer((_, response) => {
  const [status, headers] = answers.shift() ?? [200, {}];
  response.writeHead(status, headers).end(status === 200 ? '{"data":[],"meta":{"offset":0,"limit":25,"hasMore":false}}' : "<p>busy</p>");
});
await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
const slow = createClient({ url: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`, project, token, maxWait: 2 });
answers.push([503, { "Retry-After": "0" }], [429, { "Retry-After": "1" }]);
const before = performance.now();
assert.deepEqual((await slow.entries("x")).data, []);
assert.ok(performance.now() - before > 900); // timers are not exact
answers.push([503, { "Retry-After": "60" }]);
assert.deepEqual([(await refused(slow.entries("x"))).retryAfter, answers.length], [60, 0]);
answers.push([502, {}]);
assert.deepEqual([(await refused(slow.entries("x"))).status, answers.length], [502, 0]);
answers.push(...Array.from({ length: 4 }, () => [503, { "Retry-After": "0" }] as [number, Record<string, string>]));
assert.deepEqual([(await refused(slow.entries("x"))).status, answers.length], [503, 0]);
busy.close();

// Messages of webhooks.
const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const body = JSON.stringify({ type: "entry.published", timestamp: "2026-01-02T15:04:05.000Z", data: { id: 1, slug: "zürich" } });
const now = 1_770_000_000_000;
const sign = (text: string, at = Math.floor(now / 1000)) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": `${at}`,
  "webhook-signature": `v2,xyz v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`msg_1.${at}.${text}`).digest("base64")}`,
});
assert.equal((await verify(body, sign(body), secret, { now })).data.slug, "zürich");
assert.equal((await verify(Buffer.from(body), new Headers(sign(body)), ["whsec_AAAA", secret], { now })).type, "entry.published");
const wrongs: [string, Record<string, string>, string][] = [
  [body, sign(`${body} `), secret],
  [body, sign(body), "whsec_AAAA"],
  [body, sign(body, Math.floor(now / 1000) - 301), secret],
  [body, sign(body, Math.floor(now / 1000) + 301), secret],
  [body, {}, secret],
  [body, { ...sign(body), "webhook-signature": "v1,not base64" }, secret],
];
for (const wrong of wrongs) await assert.rejects(verify(...wrong, { now }), WebhookError);

// Rich text.
const tree = richText<{ component: string; of: number; children?: unknown }>(
  '<p lang="en">A &lt;b&gt; &amp; <strong>bold<br>B</strong> <a data-entry="5" data-collection="articles" data-slug="x">link <em>it</em></a></p><img data-media="7" src="/a?x=1&amp;y=2" alt="&#34;q&#34;" width="640"><img src="https://e.example/p.png">',
  { picture: ({ media, src, alt, width }) => ({ component: `${src} ${alt} ${width}`, of: media }), entry: ({ entry, slug, children }) => ({ component: `${slug}`, of: entry, children }) },
);
assert.deepEqual(tree, [
  {
    tag: "p",
    attributes: { lang: "en" },
    children: [
      "A <b> & ",
      { tag: "strong", attributes: {}, children: ["bold", { tag: "br", attributes: {}, children: [] }, "B"] },
      " ",
      { component: "x", of: 5, children: ["link ", { tag: "em", attributes: {}, children: ["it"] }] },
    ],
  },
  { component: '/a?x=1&y=2 "q" 640', of: 7 },
  { tag: "img", attributes: { src: "https://e.example/p.png" }, children: [] },
]);
// Written back, every text of the demo is what it was.
const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("'", "&#39;").replaceAll('"', "&#34;");
const write = (nodes: Node[]): string =>
  nodes
    .map((node) => {
      if (typeof node === "string") return escape(node);
      const start = `<${node.tag}${Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escape(value)}"`).join("")}`;
      return ["br", "hr", "img"].includes(node.tag) ? `${start}/>` : `${start}>${write(node.children)}</${node.tag}>`;
    })
    .join("");
let texts = 0;
for await (const { body } of client.all("articles", { locale: "*", fields: ["body"] })) {
  if (body === null) continue;
  texts++;
  assert.equal(write(richText(body)), body);
}
assert.ok(texts > 20);
console.log(`${names.size} countries, ${puts.size} entries in the copy, ${texts} texts`);
