// Receives webhooks with the types of the OpenAPI document and the npm library of Standard Webhooks, and
// follows the recipes of app/docs/events.md: rebuild a site, keep a search index in step, and post to a chat.
// Arguments: base URL, e-mail and password of an admin of the project, its id and UUID, token with all abilities.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import createClient from "openapi-fetch";
import { Webhook } from "standardwebhooks";
import type { components, paths, webhooks } from "./openapi.js";

type Body<name extends keyof webhooks> = webhooks[name]["post"]["requestBody"]["content"]["application/json"];
type Message = Body<"event"> | Body<"batch"> | Body<"test">;

const [baseUrl, email, password, projectId, projectUuid, token] = process.argv.slice(2) as [string, string, string, string, string, string];
const content = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
const admin = createClient<paths>({ baseUrl, headers: { origin: baseUrl } });

// The receiver: /site, /index and /chat, each with the secret of its webhook. /room is the chat, which takes {"text"}.
const secrets: Record<string, string> = {};
const builds: Body<"batch">["data"][] = [];
const index = new Map<number, unknown>();
const applied = new Map<number, number>(); // the last event by entry
const room: string[] = [];
let tested = false;

async function receive(path: string, message: Message) {
  if (message.type === "webhook.test") {
    tested = true;
  } else if (path === "/site") {
    builds.push(message.data as Body<"batch">["data"]);
  } else if (path === "/chat") {
    await post((message as Body<"event">).data);
  } else {
    await update((message as Body<"event">).data);
  }
}

async function update({ id, entryId }: Body<"event">["data"]) {
  if (entryId === undefined || id < (applied.get(entryId) ?? 0)) return;
  applied.set(entryId, id);
  const read = await content.GET("/public/v2/projects/{projectUuid}/collections/{slug}/entries/{entryId}", { params: { path: { projectUuid, slug: "posts", entryId } } });
  if (read.response.status === 404) index.delete(entryId);
  else index.set(entryId, read.data!["title"]);
}

async function post({ collection, locale, slug }: Body<"event">["data"]) {
  await fetch(`${receiver}/room`, { method: "POST", body: JSON.stringify({ text: `Published: https://www.example.org/${locale}/${collection}/${slug}` }) });
}

const server = createServer(async (request, response) => {
  const path = request.url!;
  if (path === "/room") {
    room.push(JSON.parse(await text(request)).text);
    response.end();
    return;
  }
  const message = new Webhook(secrets[path]!).verify(await text(request), request.headers as Record<string, string>) as Message;
  await receive(path, message);
  response.writeHead(204).end();
});
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Waits until a condition holds, at most 30 s. */
async function until(what: string, holds: () => boolean) {
  const end = Date.now() + 30_000;
  while (!holds()) {
    assert.ok(Date.now() < end, `no ${what}: ${JSON.stringify({ builds, index: [...index], room })}`);
    await new Promise((later) => setTimeout(later, 50));
  }
}

const session = await admin.POST("/api/session", { body: { email, password } });
const cookie = session.response.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
const path = { projectId: Number(projectId) };
const create = async (name: string, events: components["schemas"]["WebhookInput"]["events"], coalesce: { quiet: number; most: number } | null) => {
  const made = await admin.POST("/api/projects/{projectId}/webhooks", {
    params: { path }, headers: { cookie }, body: { name, url: `${receiver}/${name}`, events, collections: ["posts"], coalesce },
  });
  assert.equal(made.response.status, 201, JSON.stringify(made.error));
  secrets[`/${name}`] = made.data!.secret!;
  return made.data!.id;
};
const site = await create("site", ["entry.*"], { quiet: 1, most: 10 });
await create("index", ["entry.*"], null);
await create("chat", ["entry.published"], null);
const test = await admin.POST("/api/projects/{projectId}/webhooks/{webhookId}/test", { params: { path: { ...path, webhookId: site } }, headers: { cookie } });
assert.equal(test.response.status, 202);
await until("test", () => tested);

const ids: number[] = [];
for (const title of ["One", "Two", "Three"]) {
  const made = await content.POST("/public/v2/projects/{projectUuid}/collections/{slug}/entries", {
    params: { path: { projectUuid, slug: "posts" } }, body: { published: true, fields: { title, body: "<p>Text</p>" } },
  });
  assert.equal(made.response.status, 201, JSON.stringify(made.error));
  ids.push(made.data!.id);
}
await content.PATCH("/public/v2/projects/{projectUuid}/collections/{slug}/entries/{entryId}", { params: { path: { projectUuid, slug: "posts", entryId: ids[1]! } }, body: { published: false } });
await until("index in step", () => index.get(ids[0]!) === "One" && index.get(ids[2]!) === "Three" && !index.has(ids[1]!) && applied.size === 3);
await until("build", () => builds.some((build) => build.events.some((event) => event.type === "entry.unpublished")));
await until("posts", () => ["one", "two", "three"].every((slug) => room.includes(`Published: https://www.example.org/en/posts/${slug}`)));
assert.ok(builds.length < 4, "changes in quick succession are one build");
assert.ok(builds.every((build) => build.count === build.events.length && !build.truncated));
assert.ok(builds.every((build) => build.events.every((event) => !("name" in event.actor))));
console.log(`${builds.length} builds for ${applied.size} entries`);
server.close();
