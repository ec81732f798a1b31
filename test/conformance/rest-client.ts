// Reads and writes through a client generated from the OpenAPI document. Compiling checks
// the types
// of the document, running checks the service.
// Arguments: base URL, token with all abilities, project UUID.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./openapi.js";

const [baseUrl, token, projectUuid] = process.argv.slice(2) as [string, string, string];
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

const list = await client.GET("/public/v2/projects/{projectUuid}/collections/{slug}/entries", {
  params: { path: { projectUuid, slug: "countries" }, query: { limit: 2, sort: "area:desc", count: true } },
});
assert.equal(list.error, undefined);
assert.equal(list.data!.data.length, 2);
assert.equal(list.data!.meta.total, 250);
assert.equal(list.data!.data[0]!["name"], "Russia");

const created = await client.POST("/public/v2/projects/{projectUuid}/collections/{slug}/entries", {
  params: { path: { projectUuid, slug: "articles" } },
  body: { fields: { title: "Written by a generated client" } },
});
assert.equal(created.error, undefined);
assert.equal(created.response.status, 201);
assert.equal(created.data!.state, "draft");
assert.equal(created.data!.version, 1);

const missing = await client.GET("/public/v2/projects/{projectUuid}/collections/{slug}", {
  params: { path: { projectUuid, slug: "nothing" } },
});
assert.equal(missing.response.status, 404);
assert.equal(missing.error!.code, "not_found");
console.log("the generated client reads and writes");
