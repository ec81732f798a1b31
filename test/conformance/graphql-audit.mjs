// Runs the graphql-http audits (GraphQL over HTTP) with a token and prints each audit that
// is not ok.
// Arguments: endpoint, token.
import { auditServer } from "graphql-http";

const [url, token] = process.argv.slice(2);
const authorized = (input, init = {}) =>
  fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });

const results = await auditServer({ url, fetchFn: authorized });
for (const result of results) {
  if (result.status !== "ok") {
    console.log(`${result.status} ${result.id} ${result.name}: ${result.reason}`);
  }
}
const ok = results.filter((result) => result.status === "ok").length;
console.log(`${ok} of ${results.length} audits ok`);
process.exit(ok === results.length && ok >= 61 ? 0 : 1);
