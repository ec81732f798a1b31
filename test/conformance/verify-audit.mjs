// Verifies the audit trail of an approval request as specified in api/audit.md,
// independently of the
// program. Arguments: a file with the response of …/approval/audit and, optionally, a file
// with the
// request. Prints the location of each fault; the exit code is 1 if there are any.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [audit, request] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));

// canonical implements RFC 8785: JSON.stringify with sorted object members.
function canonical(value) {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const members = Object.keys(value).sort(); // by UTF-16 code units
    return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

const hash = (value) => createHash("sha256").update(canonical(value), "utf8").digest("hex");

const faults = [];
const expect = (holds, location) => {
  if (!holds) {
    faults.push(location);
  }
};

const { terms } = audit;
expect([1, 2, 3].includes(terms.format), "terms.format");
expect(Array.isArray(terms.contributors) === terms.format > 1, "terms.contributors");
expect(terms.format === 3 ? ["entry", "release"].includes(terms.kind) : !("kind" in terms), "terms.kind");
expect("release" in terms === (terms.kind === "release"), "terms.release");
if (terms.release) {
  const { members, ...release } = terms.release;
  expect(hash({ release, members }) === terms.contentHash, "terms.contentHash");
}
if (terms.format === 3) {
  expect(terms.steps.some((step) => step.applies), "terms.steps");
  expect(terms.steps.every((step) => step.applies || "when" in step), "terms.steps");
}
expect(audit.actions.length > 0, "actions");
let before = hash(audit.terms);
audit.actions.forEach((action, n) => {
  const { id, hash: own, ...line } = action;
  expect(own === hash(line), `actions[${n}]`);
  expect(action.previousHash === before, n === 0 ? "terms" : `actions[${n}].previousHash`);
  expect(action.contentHash === audit.terms.contentHash, `actions[${n}].contentHash`);
  const decides = ["approve", "reject", "request_revision"].includes(action.type);
  expect(!("commentsHash" in action) || (decides && /^[0-9a-f]{64}$/.test(action.commentsHash)), `actions[${n}].commentsHash`);
  if ("signature" in action) {
    const payload = JSON.parse(action.signature.payload);
    expect(decides && canonical(payload) === action.signature.payload, `actions[${n}].signature`);
    const said = { decision: action.type, request: terms.requestId, contentHash: terms.contentHash, person: { id: action.actor.id, name: action.actor.name } };
    expect(Object.keys(said).every((name) => canonical(payload[name] ?? null) === canonical(said[name])), `actions[${n}].signature`);
  }
  before = own;
});
expect(before === audit.chainHash, "chainHash");
const left = audit.actions.at(-1)?.outcome ?? {};
for (const member of new Set([...Object.keys(audit.state), ...Object.keys(left)])) {
  expect(canonical(audit.state[member] ?? null) === canonical(left[member] ?? null), `state.${member}`);
}
if (request && terms.kind !== "release") {
  expect(hash(request.snapshot) === audit.terms.contentHash, "snapshot");
}

for (const location of faults) {
  console.log(location);
}
process.exit(faults.length > 0 ? 1 : 0);
