// Reads the same entries with three GraphQL clients, compares the results and validates the
// schema.
// Arguments: endpoint, token.
import assert from "node:assert/strict";
import { ApolloClient, gql as apolloQuery, HttpLink, InMemoryCache } from "@apollo/client";
import { Client, fetchExchange, gql as urqlQuery } from "@urql/core";
import { buildClientSchema, getIntrospectionQuery, validateSchema } from "graphql";
import { GraphQLClient, gql } from "graphql-request";

const [url, token] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };

const text = `
  query Countries($where: [WhereClauseInput!], $limit: Int) {
    entries(collection: "countries", where: $where, sort: "area:desc", locale: "fr", limit: $limit) {
      totalCount
      items { id locale publishedAt createdAt data }
    }
  }`;
const variables = { where: [{ field: "region", value: "Africa" }, { field: "area", op: "gt", value: 1000000 }], limit: 3 };

const request = new GraphQLClient(url, { headers });
const reference = await request.request(gql`${text}`, variables);
assert.equal(reference.entries.items.length, 3);
assert.equal(reference.entries.items[0].data.name, "Algérie");
assert.equal(reference.entries.items[0].createdAt, null);
assert.ok(reference.entries.totalCount > 3);

const urql = new Client({ url, exchanges: [fetchExchange], fetchOptions: { headers }, preferGetMethod: false });
const fromUrql = await urql.query(urqlQuery(text), variables).toPromise();
assert.equal(fromUrql.error, undefined);
assert.deepEqual(JSON.parse(JSON.stringify(fromUrql.data)), JSON.parse(JSON.stringify(reference)));

const urqlGet = new Client({ url, exchanges: [fetchExchange], fetchOptions: { headers }, preferGetMethod: "force" });
const fromGet = await urqlGet.query(urqlQuery(text), variables).toPromise();
assert.equal(fromGet.error, undefined);
assert.deepEqual(JSON.parse(JSON.stringify(fromGet.data)), JSON.parse(JSON.stringify(reference)));

const apollo = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache: new InMemoryCache() });
const fromApollo = await apollo.query({ query: apolloQuery(text), variables });
assert.equal(fromApollo.data.entries.totalCount, reference.entries.totalCount);
assert.deepEqual(fromApollo.data.entries.items.map((item) => item.data), reference.entries.items.map((item) => item.data));

await assert.rejects(
  new GraphQLClient(url).request(gql`{ collections { slug } }`),
  (error) => error.response.status === 401 && error.response.errors[0].extensions.code === "UNAUTHENTICATED",
);

const introspection = await request.request(getIntrospectionQuery());
const schema = buildClientSchema(introspection);
assert.deepEqual(validateSchema(schema), []);
assert.deepEqual(Object.keys(schema.getQueryType().getFields()).sort(), ["collection", "collections", "entries", "entry", "media"]);
console.log("three clients agree, the schema is valid");
