// Serves the built recipe of api/examples/next, and reads it as readers and an editor of the demo's blog do.
// Arguments: folder of the recipe, file with the facts of the demo.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const [folder, factsFile] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(factsFile, "utf8"));
const { id: projectId, uuid } = facts.projects.blog;
const cms = facts.baseUrl;

/** Waits until a condition holds, at most two minutes. */
async function until(what, holds) {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `not in time: ${what}`);
    await new Promise((later) => setTimeout(later, 50));
  }
}

const signedIn = { "Content-Type": "application/json", Origin: cms };
const login = await fetch(`${cms}/api/session`, { method: "POST", headers: signedIn, body: JSON.stringify(facts.users.superAdmin) });
assert.ok(login.ok, `sign in: ${login.status}`);
signedIn.Cookie = login.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
async function admin(method, path, body) {
  const response = await fetch(`${cms}/api/projects/${projectId}${path}`, { method, headers: signedIn, body: body === undefined ? null : JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const site = `http://127.0.0.1:${port}`;
const hook = await admin("POST", "/webhooks", { name: "Recipe", url: `${site}/hooks/imprimatur`, events: ["entry.*", "media.*"] });
const server = spawn(process.execPath, ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", `${port}`], {
  cwd: folder,
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", CMS_URL: cms, CMS_PROJECT: uuid, CMS_TOKEN: facts.tokens.blog.readOnly, CMS_WEBHOOK_SECRET: hook.secret },
});
let printed = "";
for (const stream of [server.stdout, server.stderr]) stream.on("data", (part) => (printed += part));
process.on("exit", () => server.kill());

async function get(path, headers = {}) {
  const response = await fetch(site + path, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
const shows = async (path, text) => (await get(path)).text.includes(text);
/** Whether Next says that there is no such page: by the status, or, once it streams, by the document. */
const isMissing = async (path) => {
  const { status, text } = await get(path);
  return status === 404 || text.includes('name="robots" content="noindex"');
};
await until("the site", () => get("/").then(({ status }) => status === 200, () => assert.equal(server.exitCode, null, printed)));

// A page is kept until a message names what it shows.
const { data: [post] } = await (await fetch(`${cms}/public/v2/projects/${uuid}/collections/posts/entries?limit=1`, { headers: { Authorization: `Bearer ${facts.tokens.blog.readOnly}` } })).json();
const address = `/posts/${post.slug}`;
const content = `/collections/${facts.collections.posts}/content`;
assert.ok((await shows("/", post.title)) && (await shows(address, post.title)));
await admin("PATCH", `/webhooks/${hook.id}`, { active: false });
await admin("PATCH", `${content}/${post.id}`, { fields: { title: "Written while nothing was said" } });
assert.ok((await shows("/", post.title)) && (await shows(address, post.title)), "pages are kept");
await admin("PATCH", `/webhooks/${hook.id}`, { active: true });
await admin("PATCH", `${content}/${post.id}`, { fields: { title: "Said by a webhook" } });
const published = Date.now();
await until("the new title", () => shows(address, "Said by a webhook"));
const took = Date.now() - published;
await until("the new title in the list", () => shows("/", "Said by a webhook"));

// An address that no page had shows the post that gets it.
assert.ok(await isMissing("/posts/told-by-a-webhook"));
await admin("PATCH", `${content}/${post.id}`, { fields: { slug: "told-by-a-webhook" } });
await until("the new address", () => shows("/posts/told-by-a-webhook", "Said by a webhook"));
await until("the end of the old one", () => isMissing(address));
assert.equal((await fetch(`${site}/hooks/imprimatur`, { method: "POST", body: "{}" })).status, 400, "a message that nobody signed");

// An editor sees a draft; nobody else does.
const words = "A draft that only its editor sees";
const draft = await admin("POST", content, { fields: { title: words, slug: "a-draft" }, published: false });
const { token } = await admin("POST", `${content}/${draft.id}/preview`, { of: "draft", others: "published" });
const preview = `/preview/posts/${draft.id}`;
const exchange = (offered, origin = site) => fetch(`${site}/preview/session`, { method: "POST", body: JSON.stringify({ token: offered }), headers: { "Content-Type": "application/json", Origin: origin } });
assert.equal((await exchange(token, "https://elsewhere.example")).status, 403);
for (const bad of ["imv_", `${token}\n<script>`, "imp_" + token.slice(4), 7, null]) assert.equal((await exchange(bad)).status, 400, `${bad}`);
const session = await exchange(token);
assert.equal(session.status, 204);
const cookies = session.headers.getSetCookie();
assert.equal(cookies.length, 2, `${cookies}`);
for (const cookie of cookies) for (const part of ["HttpOnly", "Secure", "SameSite=none", "Partitioned"]) assert.ok(cookie.toLowerCase().includes(part.toLowerCase()), cookie);
const Cookie = cookies.map((one) => one.split(";")[0]).join("; ");
const shown = await get(preview, { Cookie });
assert.ok(shown.text.includes(words) && shown.text.includes(`data-imprimatur="${draft.id}:title"`), shown.text);
assert.match(shown.headers.get("cache-control"), /no-store/);
for (const path of [preview, "/", "/posts/a-draft"]) assert.ok(!(await shows(path, words)), `${path} shows a draft`);
assert.ok(!(await get("/posts/a-draft", { Cookie })).text.includes(words), "the public page shows a draft");

console.log(`the publication was on the site after ${took} ms`);
server.kill();
