// Clicks through the example site beside the demo, as readers and an editor do.
// Arguments: address of the site, file with the facts of the demo.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [site, factsFile] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(factsFile, "utf8"));
const cms = facts.baseUrl;
const { id: projectId, uuid } = facts.projects.worldDesk;
async function signIn(name) {
  const headers = { "Content-Type": "application/json", Origin: cms };
  const session = await fetch(`${cms}/api/session`, { method: "POST", headers, body: JSON.stringify(facts.users[name]) });
  assert.ok(session.ok, `sign in as ${name}: ${session.status}`);
  headers.Cookie = session.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
  return async (method, path, body) => {
    const response = await fetch(`${cms}/api/projects/${projectId}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path} as ${name}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
}
const editor = await signIn("editor");

async function get(path, headers = {}) {
  const response = await fetch(site + path, { redirect: "manual", headers });
  return { status: response.status, to: response.headers.get("location"), text: await response.text(), headers: response.headers };
}

async function page(path, headers) {
  const { status, text, headers: got } = await get(path, headers);
  assert.equal(status, 200, path);
  return { text, headers: got };
}

/** Waits until a condition holds, at most two minutes. */
async function until(what, holds) {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `not in time: ${what}`);
    await new Promise((later) => setTimeout(later, 100));
  }
}

const hrefs = (text) => [...new Set([...text.matchAll(/ href="(\/[^"#?]*)/g)].map(([, href]) => href))];
const alternates = (text) => [...text.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g)].map(([, locale, href]) => [locale, new URL(href).pathname]);

// Every address that the pages of two languages name is a page, and none is larger than 100 kB.
const seen = new Set(["/en/", "/ja/"]);
let largest = 0;
for (const path of seen) {
  const { text } = await page(path);
  largest = Math.max(largest, Buffer.byteLength(text));
  const entry = path.split("/").length > 4;
  if (!entry) for (const href of hrefs(text)) seen.add(href);
}
assert.ok(seen.size > 100, `${seen.size} addresses`);
assert.ok(largest <= 100_000, `${largest} bytes`);

// A translated page names its translations, which name it; one that falls back says so and belongs to the original.
const japanese = await page("/ja/countries/tur/");
const named = alternates(japanese.text);
assert.ok(named.some(([locale]) => locale === "ja") && named.some(([locale]) => locale === "x-default"), `${named}`);
for (const [, path] of named) assert.deepEqual(alternates((await page(path)).text), named);
const list = await (await fetch(`${cms}/public/v2/projects/${uuid}/collections/articles/entries?limit=1&locale=en`, { headers: { Authorization: `Bearer ${facts.tokens.worldDesk.readOnly}` } })).json();
const [article] = list.data;
const address = `/en/articles/${article.slug}/`;
const german = await page(`/de/articles/${article.slug}/`);
assert.match(german.text, /noch nicht übersetzt/);
assert.ok(german.text.includes(`<link rel="canonical" href="${site}${address}"`));

// Pictures in sizes that exist, blocks, feed, sitemap, search.
const about = await page("/en/pages/about-the-world-desk/");
const sources = [...about.text.matchAll(/srcset="([^"]+)"/g)].flatMap(([, set]) => set.replaceAll("&#38;", "&").replaceAll("&amp;", "&").split(", ").map((one) => one.split(" ")[0]));
assert.ok(sources.length > 10);
for (const source of sources) {
  const picture = await fetch(source);
  assert.match(picture.headers.get("content-type"), /^image\//, source);
  await picture.arrayBuffer();
}
assert.match(about.text, /<blockquote>/);
assert.ok((await page("/en/feed.xml")).text.includes(`<link>${site}${address}</link>`));
const sitemap = (await page("/sitemap.xml")).text;
assert.ok(sitemap.includes(`<loc>${site}${address}</loc>`) && !sitemap.includes(`/de/articles/${article.slug}/`));
assert.ok(hrefs((await page(`/en/search/?q=${encodeURIComponent(article.title.split(" ")[1])}`)).text).includes(address));
assert.match((await page("/en/search/?q=xqzt")).text, /Nothing found/);
for (const missing of ["/en/articles/nothing/", "/xx/", "/en/nothing/", "/xx/feed.xml"]) assert.equal((await get(missing)).status, 404, missing);

// An editor sees the draft in a preview; nobody else does.
const content = `/collections/${facts.collections.articles}/content/${article.id}`;
const draft = "A title that was typed just now";
await editor("PATCH", content, { fields: { title: draft, slug: "typed-just-now" } });
const { token } = await editor("POST", `${content}/preview`, { of: "draft", others: "published" });
const { previewUrl } = await editor("GET", `/collections/${facts.collections.articles}`);
assert.equal(previewUrl, `${site}/preview/articles/{id}/?locale={locale}`, "the demo connects the site");
assert.deepEqual((await editor("GET", "")).previewOrigins, [site]);
const preview = previewUrl.slice(site.length).replace("{id}", article.id).replace("{locale}", "en");
assert.equal((await get(preview)).status, 404, "without a token");
const exchange = (offered, origin = site) =>
  fetch(`${site}/preview/session`, { method: "POST", body: JSON.stringify({ token: offered }), headers: { "Content-Type": "application/json", Origin: origin } });
const session = await exchange(token);
assert.equal(session.status, 204);
const cookie = session.headers.get("set-cookie");
for (const part of ["__Host-", "HttpOnly", "Secure", "SameSite=None", "Partitioned"]) assert.ok(cookie.includes(part), cookie);
const shown = await page(preview, { Cookie: cookie.split(";")[0] });
assert.ok(shown.text.includes(draft) && shown.text.includes(`data-imprimatur="${article.id}:title"`));
assert.equal(shown.headers.get("cache-control"), "no-store");
assert.ok(!(await page(address)).text.includes(draft));
for (const bad of ["imv_", token + "\n<script>", "imp_" + token.slice(4), 7, null]) {
  assert.equal((await exchange(bad)).status, 400, `${bad}`);
}

assert.equal((await exchange(token, "https://elsewhere.example")).status, 403);

// Messages that nobody signed change nothing.
assert.equal((await fetch(`${site}/hooks/imprimatur`, { method: "POST", body: "{}" })).status, 400);

// A publication shows after the server has read what changed, and the former address leads to the present one. The pages
// that were drawn before are drawn again: the list has the new title.
await editor("POST", `${content}/publish`, {});
for (const name of ["projectAdmin", "legal", "departmentAdmin"]) await (await signIn(name))("POST", `${content}/approval/approve`, {});
const published = Date.now();
await until("the new page", async () => (await get("/en/articles/typed-just-now/")).status === 200);
const took = Date.now() - published;
assert.ok((await page("/en/")).text.includes(draft));
const again = (await page("/en/")).headers.get("etag");
assert.equal((await get("/en/", { "If-None-Match": again })).status, 304);
assert.ok((await page("/en/articles/typed-just-now/")).text.includes(draft));
const old = await get(address);
assert.deepEqual([old.status, old.to], [301, "/en/articles/typed-just-now/"]);
console.log(`${seen.size} addresses, at most ${largest} bytes; the publication was on the site after ${took} ms`);
