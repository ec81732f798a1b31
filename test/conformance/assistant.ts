// Connects the official TypeScript client of the Model Context Protocol as an assistant, drafts 20 translations, proposes
// them as one release, and has a person review it. Arguments: base URL, token of the assistant, e-mail and password of a
// reviewer, id of the project, token that reads.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [baseUrl, token, email, password, projectId, reads, uuid] = process.argv.slice(2) as [string, string, string, string, string, string, string];
const project = Number(projectId);

const connect = async (secret: string) => {
  const client = new Client({ name: "conformance", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", baseUrl), { requestInit: { headers: { authorization: `Bearer ${secret}` } } });
  await client.connect(transport as unknown as Parameters<Client["connect"]>[0]);
  return client;
};
const client = await connect(token);

type Result = { isError?: boolean; structuredContent?: Record<string, unknown>; content: { type: string; text: string }[] };
const call = async (name: string, args: Record<string, unknown>) => (await client.callTool({ name, arguments: args })) as unknown as Result;
const must = async (name: string, args: Record<string, unknown>) => {
  const result = await call(name, args);
  assert.ok(!result.isError, `${name}: ${result.content[0]?.text}`);
  return result.structuredContent as Record<string, any>;
};
const refused = async (name: string, args: Record<string, unknown>) => {
  const result = await call(name, args);
  assert.ok(result.isError, name);
  return JSON.parse(result.content[0]!.text) as { status: number; code: string };
};

// The tools say what they do, and the client checks every answer with the schemas.
const { tools } = await client.listTools();
assert.ok(tools.length <= 12);
for (const tool of tools) {
  assert.ok(tool.outputSchema, tool.name);
  for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const) assert.equal(typeof tool.annotations?.[hint], "boolean", tool.name);
}
const { items } = await must("list_collections", {});
assert.equal(items.length, 1);
assert.equal(items[0].id, project);
const described = await must("describe_collection", { collection: "articles" });
assert.ok(described.fields.some((field: { name: string }) => field.name === "title"));

// 20 translations of articles that have none.
const read = await must("read_entries", { collection: "articles", locale: "en", fields: ["title"], limit: 100, sort: "id:asc" });
const translations: { collection: string; id: number }[] = [];
for (const article of read.items as { id: number; title: string }[]) {
  if (translations.length === 20) break;
  const made = await call("create_draft", { collection: "articles", locale: "pt", translationOf: article.id, fields: { title: `Tradução de ${article.title}`.slice(0, 200) }, note: "Translated" });
  if (!made.isError) translations.push({ collection: "articles", id: Number(made.structuredContent!["id"]) });
}
assert.equal(translations.length, 20);
const last = translations.at(-1)!;
const draft = await must("read_entry", { ...last, version: "draft" });
const changed = await must("update_draft", { ...last, version: draft["version"], fields: { title: "Notícias do porto" } });
assert.equal((await refused("update_draft", { ...last, version: draft["version"], fields: { title: "Perdido" } })).status, 412);
assert.notEqual(changed["version"], draft["version"]);
for (const one of translations) assert.deepEqual((await must("validate_draft", one)).items, []);
const proposed = await must("submit_for_review", { name: "Portuguese", entries: translations, comment: "Twenty translations" });
assert.equal(proposed["status"], "pending");
assert.equal(proposed["count"], 20);
await must("comment", { release: proposed["release"], entry: last.id, field: "title", text: "Is this the usual word for the harbour?" });
assert.equal((await refused("read_entry", last)).status, 404); // not public yet

// The reviewer sees who wrote it, and approves. The record names both.
const signedIn = await fetch(`${baseUrl}/api/session`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ email, password }) });
const cookie = signedIn.headers.getSetCookie().map((text) => text.split(";")[0]).join("; ");
const approval = `${baseUrl}/api/projects/${project}/releases/${proposed["release"]}/approval`;
const request = (await (await fetch(approval, { headers: { cookie } })).json()) as any;
assert.equal(request.submittedBy.kind, "assistant");
assert.match(request.submittedBy.name, /^Claude \(.+\)$/);
assert.ok(request.contributors.some((one: { kind: string }) => one.kind === "assistant"));
const approved = await fetch(`${approval}/approve`, { method: "POST", headers: { cookie, origin: baseUrl, "content-type": "application/json" }, body: JSON.stringify({ comment: "Good" }) });
assert.equal(approved.status, 200, await approved.clone().text());
const record = (await (await fetch(`${approval}/audit`, { headers: { cookie } })).json()) as any;
assert.equal(record.valid, true);
const actors = record.actions.map((action: { actor: { kind: string } }) => action.actor.kind);
assert.ok(actors.includes("assistant") && actors.includes("user"), actors.join());

// Rich text is Markdown by choice, and what is read as Markdown and written back stays as it is.
const rich = (described.fields as { name: string; type: string; multiple?: boolean }[]).find((field) => field.type === "richtext" && !field.multiple)!;
const written = await must("create_draft", { collection: "articles", richText: "markdown", fields: { title: "Markdown", [rich.name]: "## Tides\n\n**High** water at ~~six~~ seven <sub>local</sub>:\n\n- Harbour\n- Quay" } });
const story = { collection: "articles", id: Number(written["id"]), version: "draft" };
const asHTML = (await must("read_entry", story))["fields"][rich.name];
assert.equal(asHTML, "<h2>Tides</h2><p><strong>High</strong> water at <s>six</s> seven <sub>local</sub>:</p><ul><li>Harbour</li><li>Quay</li></ul>");
const asMarkdown = (await must("read_entry", { ...story, richText: "markdown" }))["fields"][rich.name];
await must("update_draft", { ...story, version: written["version"], richText: "markdown", fields: { [rich.name]: asMarkdown } });
assert.equal((await must("read_entry", story))["fields"][rich.name], asHTML);
assert.equal((await refused("read_entry", { ...story, richText: "rtf" })).status, 400);

// No other door opens for the assistant, and this one opens for no other credential.
const closed = [
  ["POST", `/api/projects/${project}/releases/${proposed["release"]}/approval/approve`], ["POST", `/api/projects/${project}/releases/${proposed["release"]}/approval/withdraw`],
  ["GET", "/api/me/assistants"], ["POST", "/api/me/assistants"], ["POST", "/public/v2/graphql"], ["GET", `/api/projects/${project}/tokens`],
  ["POST", `/api/projects/${project}/tokens`], ["GET", `/api/projects/${project}/events`], ["DELETE", `/api/projects/${project}`], ["POST", `/api/projects/${project}/collections`],
  ["POST", `/public/v2/projects/${uuid}/collections/articles/entries`], ["DELETE", `/public/v2/projects/${uuid}/collections/articles/entries/${last.id}`],
] as const;
for (const [method, path] of closed) {
  const answer = await fetch(baseUrl + path, { method, headers: { authorization: `Bearer ${token}`, origin: baseUrl } });
  assert.equal(answer.status, 401, path);
}
assert.equal((await fetch(`${baseUrl}/public/v2/projects/${uuid}/collections`, { headers: { authorization: `Bearer ${reads}` } })).status, 200);
await assert.rejects(connect(reads));
await client.close();
console.log("drafted, proposed and reviewed", translations.length, "translations");
