// Compares records of approval requests with what api/audit.md says, and proofs with api/proof.md: each object has the
// members of its table and no others, of these types, and each member of a table is in one of the records. It then
// makes the bytes of each hash as the text says, and compares. Arguments: audit.md, proof.md, and a file with
// {"records": [{"record", "comments"}], "proofs"}: a comment has the random bytes of its hash as "salt" in base64, which
// no route shows, and "text". Prints what differs; the exit code is 1 if something does.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [audit, proofText, file] = process.argv.slice(2).map((name) => readFileSync(name, "utf8"));
const { records, proofs } = JSON.parse(file);

const faults = new Set();
const expect = (holds, text) => holds || faults.add(text);

// The tables of a text by the heading that they are below: [{names, type}] for each row.
function tablesOf(text) {
  const found = {};
  let heading = "";
  let table;
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) heading = line.replace(/^#+ /, "").replaceAll("`", "");
    if (!line.startsWith("|")) {
      table = undefined;
    } else if (!table) {
      table = [];
      (found[heading] ??= []).push(table);
    } else if (!/^\|[-| ]+$/.test(line)) {
      const [, first, type] = line.split(/(?<!\\)\|/);
      table.push({ names: [...first.matchAll(/`([^`]+)`/g)].map((m) => m[1]), type: type.trim() });
    }
  }
  return found;
}

const text = tablesOf(audit);
const [terms, member, step] = text.terms;
const tables = { terms, member, step, action: text["An action"][0], signature: text.Signatures[0], payload: text.Signatures[1], comment: text.Comments[0], state: text["A state"][0] };
const document = tablesOf(proofText);
tables.proof = document["The document"][0];
tables.publication = document["The document"][1];

// What sentences say beside the tables.
const plain = (spec) => Object.entries(spec).map(([name, type]) => ({ names: [name], type }));
tables.step = [...plain({ stepOrder: "number", requiredRoleKind: "string", requiredCustomRoleId: "number or `null`", stepLabel: "string or `null`", allowRevision: "boolean", allowRejection: "boolean", reauthenticate: "boolean, left out" }), ...tables.step.map(({ names, type }) => ({ names, type: `${type}. Only in format 3` }))];
tables.actor = plain({ kind: "`user`, `token`, `assistant` or `system`", id: "number", name: "string", madeBy: "number, left out" });
tables.base = plain({ number: "number", hash: "string" });
tables.release = plain({ id: "number", name: "string", members: "array" });
tables.rule = plain({ meanings: "array" });
tables.escalate = plain({ after: "number", requiredRoleKind: "string, left out", requiredCustomRoleId: "number, left out" });
tables.when = plain({ collections: "array, left out", locales: "array, left out", fields: "array, left out", actions: "array, left out" });
tables.approval = plain({ stepId: "number", person: "number", for: "number, left out" });
tables.assertion = plain({ authenticatorData: "string", clientDataJSON: "string", signature: "string" });
tables.named = plain({ id: "number", name: "string" });
tables.key = plain({ id: "string", publicKey: "string" });

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const words = { number: ["number"], string: ["string"], boolean: ["boolean"], array: ["array"], object: ["object"], actor: ["object"], state: ["object"] };

// The kinds of values that the beginning of a type names.
function kindsOf(type) {
  const first = type.split(/[:;.(]/)[0];
  const kinds = Object.keys(words).filter((word) => new RegExp(`\\b${word}\\b`).test(first)).flatMap((word) => words[word]);
  if (kinds.length === 0 && first.startsWith("`")) kinds.push("string");
  if (/`null`/.test(type)) kinds.push("null");
  return kinds;
}

const seen = new Set();

// check compares an object with its table.
function check(table, object, at, format) {
  const known = new Map(tables[table].flatMap(({ names, type }) => names.map((name) => [name, type])));
  for (const [name, value] of Object.entries(object)) {
    const type = known.get(name);
    seen.add(`${table}.${name}`);
    if (type === undefined) {
      expect(false, `${at}.${name} is not in the text`);
      continue;
    }
    expect(kindsOf(type).includes(kindOf(value)), `${at}.${name} is ${JSON.stringify(value)}, the text says: ${type}`);
    expect(!/Only (of .* )?in format 3|which has no `stepIndex`/.test(type) || format === 3, `${at}.${name} is in format ${format}, the text says: ${type}`);
    if (kindOf(value) === "string" && type.startsWith("`")) expect(type.includes(`\`${value}\``), `${at}.${name} is ${value}, the text says: ${type}`);
  }
  for (const [name, type] of known) {
    const optional = /left out|leaves it out|Only /.test(type) || (table === "state" && ["stepIndex", "approvers"].includes(name));
    expect(optional || name in object, `${at}.${name} is missing, the text says: ${type}`);
    // "Only in format 3" alone means: in format 3 always.
    if (format === 3 && /Only in format 3/.test(type) && !/left out/.test(type)) expect(name in object, `${at}.${name} is missing in format 3`);
  }
}

// canonical writes a value as RFC 8785 says.
function canonical(value) {
  switch (kindOf(value)) {
    case "array":
      return `[${value.map(canonical).join(",")}]`;
    case "object":
      return `{${Object.keys(value)
        .sort((a, b) => (a < b ? -1 : 1)) // by UTF-16 code units
        .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
        .join(",")}}`;
    default:
      return JSON.stringify(value);
  }
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hash = (value) => sha256(canonical(value)).toString("hex");

const decisions = ["approve", "reject", "request_revision"];

function checkActor(actor, at) {
  check("actor", actor, at);
  expect(!("madeBy" in actor) || ["token", "assistant"].includes(actor.kind), `${at}.madeBy`);
}

function checkTerms(terms, at) {
  const { format } = terms;
  check("terms", terms, at, format);
  checkActor(terms.submittedBy, `${at}.submittedBy`);
  terms.contributors?.forEach((one, n) => checkActor(one, `${at}.contributors[${n}]`));
  terms.steps.forEach((one, n) => {
    const where = `${at}.steps[${n}]`;
    check("step", one, where, format);
    if (one.signature) check("rule", one.signature, `${where}.signature`);
    if (one.escalate) check("escalate", one.escalate, `${where}.escalate`);
    if (one.when) check("when", one.when, `${where}.when`);
    if (format === 3) expect(one.stepId === n + 1, `${where}.stepId`);
    expect(one.applies !== false || "when" in one, `${where}.applies`);
  });
  expect(("release" in terms) === (terms.kind === "release"), `${at}.release`);
  if (terms.release) {
    check("release", terms.release, `${at}.release`);
    terms.release.members.forEach((one, n) => {
      check("member", one, `${at}.release.members[${n}]`);
      if (one.base) check("base", one.base, `${at}.release.members[${n}].base`);
    });
    const { id, name, members } = terms.release;
    expect(hash({ release: { id, name }, members }) === terms.contentHash, `${at}.contentHash is not the hash of the release`);
  }
}

function checkState(state, at, format) {
  check("state", state, at, format);
  expect(format === 3 ? !("stepIndex" in state || "approvers" in state) : "stepIndex" in state && "approvers" in state, `${at}: stepIndex and approvers`);
  state.approvals?.forEach((one, n) => check("approval", one, `${at}.approvals[${n}]`));
}

// checkSignature makes the payload again from what the record has, and compares the bytes.
function checkSignature({ signature, ...action }, terms, at) {
  check("signature", signature, at);
  if (signature.assertion) check("assertion", signature.assertion, `${at}.assertion`);
  const payload = JSON.parse(signature.payload);
  check("payload", payload, `${at}.payload`);
  check("named", payload.person, `${at}.payload.person`);
  if (payload.onBehalfOf) check("named", payload.onBehalfOf, `${at}.payload.onBehalfOf`);
  const named = ({ id, name }) => ({ id, name });
  const made = {
    installation: payload.installation, project: terms.projectId, request: terms.requestId, releaseNumber: terms.releaseNumber, contentHash: terms.contentHash,
    stepId: payload.stepId, decision: action.type, meaning: payload.meaning, commentHash: sha256(action.comment ?? "").toString("hex"), person: named(action.actor),
    ...(action.onBehalfOf && { onBehalfOf: named(action.onBehalfOf) }), at: payload.at, nonce: payload.nonce,
  };
  expect(canonical(made) === signature.payload, `${at}.payload is ${signature.payload}, by the text it is ${canonical(made)}`);
  const step = terms.steps[payload.stepId - 1];
  expect(step.signature.meanings.includes(payload.meaning), `${at}.payload.meaning`);
  expect(payload.at <= action.createdAt, `${at}.payload.at`);
  const passkey = signature.method === "passkey";
  for (const name of ["origin", "publicKey", "assertion"]) expect(name in signature === passkey, `${at}.${name} with ${signature.method}`);
  if (passkey) {
    const client = JSON.parse(Buffer.from(signature.assertion.clientDataJSON, "base64url"));
    expect(client.challenge === sha256(signature.payload).toString("base64url") && client.origin === signature.origin, `${at}: what the passkey signed`);
  }
}

function checkRecord({ record, comments = [] }, at) {
  const { terms } = record;
  const { format } = terms;
  checkTerms(terms, `${at}.terms`);
  let before = hash(terms);
  record.actions.forEach((action, n) => {
    const where = `${at}.actions[${n}]`;
    check("action", action, where, format);
    checkActor(action.actor, `${where}.actor`);
    if (action.onBehalfOf) checkActor(action.onBehalfOf, `${where}.onBehalfOf`);
    checkState(action.outcome, `${where}.outcome`, format);
    const { id, hash: own, ...line } = action;
    expect(line.previousHash === before, `${where}.previousHash`);
    expect(hash(line) === own, `${where}.hash: by the text it is over ${canonical(line)}`);
    before = own;
    expect("stepId" in action === (action.type === "approve" && format === 3), `${where}.stepId`);
    for (const name of ["onBehalfOf", "by", "verified", "signature", "commentsHash"]) expect(!(name in action) || decisions.includes(action.type), `${where}.${name}`);
    if (action.by !== undefined) expect(action.by === "escalation", `${where}.by`);
    if (action.signature) checkSignature(action, terms, `${where}.signature`);
  });
  expect(record.chainHash === before, `${at}.chainHash`);
  checkState(record.state, `${at}.state`, format);
  expect(canonical(record.state) === canonical(record.actions.at(-1).outcome), `${at}.state`);
  comments.forEach(({ salt, text, ...comment }, n) => {
    check("comment", comment, `${at}.comments[${n}]`);
    if (comment.state !== "deleted") expect(sha256(Buffer.from(salt, "base64"), text).toString("hex") === comment.hash && Buffer.from(salt, "base64").length === 16, `${at}.comments[${n}].hash`);
    else expect(salt === null && text === "", `${at}.comments[${n}] keeps its text or random bytes`);
  });
  const decided = record.actions.findLast(({ type }) => decisions.includes(type));
  if (comments.length > 0) {
    const said = comments.map(({ id, hash: own, state }) => ({ id, hash: own, state })).sort((a, b) => a.id - b.id);
    expect(decided.commentsHash === hash(said), `${at}: the last commentsHash is ${decided.commentsHash}, by the text it is over ${canonical(said)}`);
  }
}

records.forEach((one, n) => checkRecord(one, `records[${n}]`));
proofs.forEach((proof, n) => {
  const at = `proofs[${n}]`;
  check("proof", proof, at);
  check("publication", proof.publication, `${at}.publication`);
  check("key", proof.key, `${at}.key`);
  const { signature, ...signed } = proof;
  const { hash: own, ...hashed } = signed;
  expect(hash(hashed) === own, `${at}.hash`);
  expect(sha256(proof.content).toString("hex") === proof.contentHash, `${at}.contentHash`);
  expect(canonical(JSON.parse(proof.content)) === proof.content, `${at}.content`);
});
for (const [table, rows] of Object.entries(tables)) {
  for (const { names } of rows) for (const name of names) expect(seen.has(`${table}.${name}`), `no record has the member ${name} of the table ${table}`);
}

for (const fault of faults) console.log(fault);
process.exit(faults.size > 0 ? 1 : 0);
