// Verifies proofs of publications as specified in api/proof.md, independently of the program.
// Arguments: files with the response of …/publications/{number}/proof. Prints one line per file:
// valid, or the first thing that is wrong. The exit code is 1 if one of them is not valid.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

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

const hashOfText = (text) => createHash("sha256").update(text, "utf8").digest("hex");
const hash = (value) => hashOfText(canonical(value));
const same = (a, b) => canonical(a ?? null) === canonical(b ?? null);

class Fault extends Error {}

function expect(holds, message) {
  if (!holds) {
    throw new Fault(message);
  }
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isTime = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;

function members(object, at, names, optional = []) {
  expect(isObject(object), `${at} is no object`);
  for (const name of names) {
    expect(Object.hasOwn(object, name), `${at}.${name} is missing`);
  }
  for (const name of Object.keys(object)) {
    expect(names.includes(name) || optional.includes(name), `${at}.${name} is unknown`);
  }
}

// parse reads JSON in which no object has two members of one name.
function parse(text) {
  const value = JSON.parse(text);
  let count = 0;
  (function walk(v) {
    if (v !== null && typeof v === "object") {
      count += Array.isArray(v) ? 0 : Object.keys(v).length;
      Object.values(v).forEach(walk);
    }
  })(value);
  let colons = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|:/gs)) {
    colons += token === ":" ? 1 : 0;
  }
  expect(colons === count, "an object has two members of one name");
  return value;
}

function verifyDocument(proof) {
  expect(isObject(proof) && proof.format === 1, "format is not 1");
  members(proof, "proof", ["format", "content", "contentHash", "publication", "hash"], ["request"]);
  const content = parse(proof.content);
  expect(canonical(content) === proof.content, "content is not canonical");
  members(content, "content", ["collection", "fields", "locale"], ["media"]);
  expect(isObject(content.fields) && typeof content.collection === "string" && typeof content.locale === "string", "content has a wrong member");
  expect(content.media === undefined || isObject(content.media), "content.media is no object");
  expect(hashOfText(proof.content) === proof.contentHash, "contentHash");
  const p = proof.publication;
  members(p, "publication", ["projectId", "collectionId", "entryId", "number", "publishedAt", "unpublishedAt", "by"]);
  for (const name of ["projectId", "collectionId", "entryId", "number"]) {
    expect(Number.isSafeInteger(p[name]) && p[name] >= 1, `publication.${name}`);
  }
  expect(isTime(p.publishedAt), "publication.publishedAt");
  expect(p.unpublishedAt === null || (isTime(p.unpublishedAt) && p.unpublishedAt >= p.publishedAt), "publication.unpublishedAt");
  expect(["user", "token", "system"].includes(p.by?.kind) && Number.isSafeInteger(p.by.id) && typeof p.by.name === "string", "publication.by");
  return content;
}

function verifyRequest(proof, content) {
  const { terms, actions, chainHash, state } = proof.request;
  members(proof.request, "request", ["terms", "actions", "chainHash", "state"]);
  expect([1, 2].includes(terms.format), "terms.format");
  expect(terms.format === 1 || Array.isArray(terms.contributors), "terms.contributors");
  for (const name of ["projectId", "collectionId", "entryId"]) {
    expect(terms[name] === proof.publication[name], `terms.${name}`);
  }
  expect(terms.locale === content.locale, "terms.locale");
  expect(terms.contentHash === proof.contentHash, "terms.contentHash");
  const orders = terms.steps.map((step) => step.stepOrder);
  expect(orders.length > 0 && orders.every((order, i) => order > (i === 0 ? 0 : orders[i - 1])), "terms.steps");
  expect(actions.length > 0, "actions");
  const now = { status: "pending", stepIndex: 0, approvers: [], version: 0 };
  let previous = hash(terms);
  actions.forEach((action, n) => {
    const at = `actions[${n}]`;
    const { id, hash: own, ...line } = action;
    expect(hash(line) === own, `${at}.hash`);
    expect(action.previousHash === previous, `${at}.previousHash`);
    expect(action.contentHash === proof.contentHash, `${at}.contentHash`);
    previous = own;
    apply(now, action, n, terms, at, n === actions.length - 1);
  });
  expect(chainHash === previous, "chainHash");
  const last = actions.at(-1);
  expect(same(state, last.outcome), "state");
  expect(now.status === "published" && last.type === "publish", "the last action does not publish");
  expect(last.createdAt === proof.publication.publishedAt, "publication.publishedAt");
  expect(same(last.actor, proof.publication.by), "publication.by");
}

// person returns the id of the user that an actor is, or that made the token.
const person = (actor) => (actor.kind === "user" ? actor.id : actor.madeBy);

// isBarred reports whether a user may not decide a request after the approvals of these users.
function isBarred(terms, user, approvers) {
  const others = [terms.submittedBy, ...(terms.format === 2 ? terms.contributors : [])].map(person);
  return terms.allowSelfApproval !== true && [...others, ...approvers].includes(user);
}

function apply(now, action, n, terms, at, isLast) {
  const continues = action.type === "publish" && now.status === "published";
  if (continues) {
    expect(isLast, `${at} is not the last action`);
  } else {
    expect(["pending", "approved"].includes(now.status), `${at} follows the end`);
    now.version++;
  }
  expect((n === 0) === (action.type === "submit"), `${at}.type`);
  const publishes = action.outcome.status === "published";
  const before = now.status;
  if (terms.format === 2 && terms.allowSelfApproval !== true && (action.type === "publish_now" || (action.type === "reschedule" && now.approvers.length > 0))) {
    expect(action.actor.kind === "user" && !isBarred(terms, action.actor.id, now.approvers.slice(0, now.stepIndex)), `${at}.actor is barred`);
  }
  switch (action.type) {
    case "submit":
      expect(same(action.actor, terms.submittedBy), `${at}.actor`);
      expect(action.createdAt === terms.submittedAt, `${at}.createdAt`);
      now.scheduledPublishAt = action.scheduledPublishAt;
      now.scheduledUnpublishAt = action.scheduledUnpublishAt;
      break;
    case "approve": {
      expect(now.status === "pending", `${at} is not pending`);
      expect(action.stepOrder === terms.steps[now.stepIndex].stepOrder, `${at}.stepOrder`);
      expect(action.actor.kind === "user", `${at}.actor`);
      expect(!isBarred(terms, action.actor.id, now.approvers), `${at}.actor is barred`);
      now.approvers.push(action.actor.id);
      if (now.stepIndex + 1 < terms.steps.length) {
        now.stepIndex++;
      } else {
        now.status = publishes ? "published" : "approved";
      }
      break;
    }
    case "reschedule":
      now.scheduledPublishAt = action.scheduledPublishAt;
      now.scheduledUnpublishAt = action.scheduledUnpublishAt;
      if (publishes) {
        expect(now.status === "approved", `${at} publishes too early`);
        now.status = "published";
      }
      break;
    case "publish_now":
    case "publish":
      expect(continues || now.status === "approved", `${at} publishes too early`);
      now.status = "published";
      break;
    default:
      expect(false, `${at}.type`);
  }
  if (before !== "published" && now.status === "published") {
    now.publishedAt = action.createdAt;
  }
  for (const name of ["status", "stepIndex", "approvers", "version", "scheduledPublishAt", "scheduledUnpublishAt", "publishedAt"]) {
    expect(same(action.outcome[name], now[name]), `${at}.outcome.${name}`);
  }
}

function verify(text) {
  const proof = parse(text);
  const content = verifyDocument(proof);
  if (proof.request !== undefined) {
    verifyRequest(proof, content);
  }
  const { hash: own, ...rest } = proof;
  expect(hash(rest) === own, "hash");
}

let failed = false;
for (const file of process.argv.slice(2)) {
  try {
    verify(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)));
    console.log("valid");
  } catch (error) {
    failed = true;
    console.log(error.message.replaceAll("\n", " "));
  }
}
process.exit(failed ? 1 : 0);
