// Reads and writes through a client generated from the OpenAPI document of one Project. Compiling checks the
// types of the document, running checks the service.
// Arguments: address of the Project, token with all abilities.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./project.js";

const [baseUrl, token] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

const list = await client.GET("/collections/countries/entries", { params: { query: { limit: 2, sort: "area:desc", where: { region: "Africa" } } } });
assert.equal(list.error, undefined);
const first = list.data!.data[0]!;
const name: string | null | undefined = first.name;
assert.equal(name, "Algeria");
// @ts-expect-error: no such field
void first.titel;
const neighbour = first.borders![0]!;
assert.equal("collection" in neighbour ? neighbour.collection : typeof neighbour.name, "string");

// A block is told by its type alone.
function words(block: NonNullable<components["schemas"]["PagesEntry"]["body"]>[number]): string {
  switch (block._type) {
    case "hero":
      return block.title ?? "";
    case "quote":
      return block._key;
    default:
      return block._type;
  }
}
const pages = await client.GET("/collections/pages/entries", {});
assert.ok(pages.data!.data.flatMap((page) => page.body!.map(words)).length > 0);

const created = await client.POST("/collections/articles/entries", { body: { fields: { title: "By a client of the Project", rating: 4.5, country: first.id } } });
assert.equal(created.error, undefined);
assert.equal(created.data!.fields.country, first.id);
// @ts-expect-error: a number is no title
const wrong = await client.POST("/collections/articles/entries", { body: { fields: { title: 5 } } });
assert.equal(wrong.response.status, 422);

const own = await client.GET("/", {});
assert.equal(own.data!.defaultLocale, "en");
console.log("the client of the Project reads and writes");
