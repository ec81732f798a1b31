// Verifies proofs of publications as specified in api/proof.md, independently of the program.
// Arguments: [--key file] files. A file has the response of …/publications/{number}/proof, and the
// file of --key the trusted document of keys. Prints one line per file: valid, consistent, or the
// first thing that is wrong. The exit code is 1 if one of them is wrong, else 2 if one of them is
// only consistent.
import { createHash, createPublicKey, verify as verifySignature } from "node:crypto";
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
const same = (a, b) => canonical(a) === canonical(b); // also both left out

class Fault extends Error {}

function expect(holds, message) {
  if (!holds) {
    throw new Fault(message);
  }
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isTime = (value) =>
  typeof value === "string" && value.length === 24 && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;

function members(object, at, names, optional = []) {
  expect(isObject(object), `${at} is no object`);
  for (const name of names) {
    expect(Object.hasOwn(object, name), `${at}.${name} is missing`);
  }
  for (const name of Object.keys(object)) {
    expect(names.includes(name) || optional.includes(name), `${at}.${name} is unknown`);
  }
}

// present checks that an object has members; it can have others.
function present(object, at, names) {
  expect(isObject(object), `${at} is no object`);
  for (const name of names) {
    expect(Object.hasOwn(object, name), `${at}.${name} is missing`);
  }
}

const isInteger = (value, least) => Number.isSafeInteger(value) && value >= least;

function checkActor(actor, at) {
  present(actor, at, ["kind", "id", "name"]);
  expect(["user", "token", "assistant", "system"].includes(actor.kind) && isInteger(actor.id, 0) && typeof actor.name === "string", `${at} has a wrong member`);
}

const maxDepth = 100;

// parse reads JSON that has a canonical form: no object has two members of one name, no number is
// too large, no surrogate is unpaired and nothing is nested too deep.
function parse(text) {
  const value = JSON.parse(text);
  let count = 0;
  (function walk(v, depth) {
    expect(depth <= maxDepth, "nested too deep");
    expect(typeof v !== "number" || Number.isFinite(v), "a number is too large");
    expect(typeof v !== "string" || v.isWellFormed(), "unpaired surrogate");
    if (v !== null && typeof v === "object") {
      const names = Array.isArray(v) ? [] : Object.keys(v);
      expect(names.every((name) => name.isWellFormed()), "unpaired surrogate");
      count += names.length;
      Object.values(v).forEach((inner) => walk(inner, depth + 1));
    }
  })(value, 0);
  let colons = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|:/gs)) {
    colons += token === ":" ? 1 : 0;
  }
  expect(colons === count, "an object has two members of one name");
  return value;
}

function verifyDocument(proof) {
  expect(isObject(proof) && [1, 2, 3].includes(proof.format), "format is not 1, 2 or 3");
  const signed = proof.format > 1 ? ["installation", "key", "signedAt", "signature"] : [];
  const needed = proof.format === 3 ? ["request"] : [];
  members(proof, "proof", ["format", "content", "contentHash", "publication", "hash", ...signed, ...needed], ["request"]);
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
  checkActor(p.by, "publication.by");
  return content;
}

function checkTerms(terms, proof, content) {
  present(terms, "terms", [
    "format", "tenantId", "projectId", "collectionId", "entryId", "requestId", "locale", "releaseNumber", "steps",
    "allowSelfApproval", "contentHash", "submittedBy", "submittedAt",
  ]);
  expect((proof.format === 3 ? [3] : [1, 2]).includes(terms.format), "terms.format");
  expect(isInteger(terms.tenantId, 1) && isInteger(terms.requestId, 1) && typeof terms.releaseNumber === "string", "terms has a wrong member");
  expect(typeof terms.allowSelfApproval === "boolean" && isTime(terms.submittedAt), "terms has a wrong member");
  expect(terms.projectId === proof.publication.projectId, "terms.projectId");
  checkActor(terms.submittedBy, "terms.submittedBy");
  if (terms.format > 1) {
    expect(Array.isArray(terms.contributors), "terms.contributors");
    terms.contributors.forEach((by) => checkActor(by, "terms.contributors"));
  }
  if (terms.format === 3) {
    expect(terms.kind === "entry" || terms.kind === "release", "terms.kind");
  }
  if (terms.format === 3 && terms.kind === "release") {
    checkRelease(terms, proof, content);
  } else {
    expect(terms.format < 3 || !Object.hasOwn(terms, "release"), "terms.release");
    for (const name of ["collectionId", "entryId"]) {
      expect(terms[name] === proof.publication[name], `terms.${name}`);
    }
    expect(terms.locale === content.locale, "terms.locale");
    expect(terms.contentHash === proof.contentHash, "terms.contentHash");
  }
  checkSteps(terms);
  checkSkipped(terms, content);
}

// checkSkipped checks that a step does not apply only if nothing that the request does meets its condition, as far as
// the terms say.
function checkSkipped(terms, content) {
  const published = { collection: content.collection, locale: content.locale, actions: ["publish"] };
  const changes = (terms.release?.members ?? []).map((member) => ({
    ...member,
    actions: member.action === "publish" && !Object.hasOwn(member, "base") ? ["publish", "first"] : [member.action],
  }));
  const names = (list, values) => list === undefined || list.some((name) => values.includes(name));
  for (const { applies, when } of terms.format === 3 ? terms.steps : []) {
    if (!applies && when.fields === undefined) {
      for (const change of terms.kind === "release" ? changes : [published]) {
        expect(!(names(when.collections, [change.collection]) && names(when.locales, [change.locale]) && names(when.actions, change.actions)), "step.when");
      }
    }
  }
}

function checkSteps(terms) {
  expect(Array.isArray(terms.steps) && terms.steps.length > 0, "terms.steps");
  let least = 1;
  terms.steps.forEach((step, n) => {
    present(step, "step", ["stepOrder", "requiredRoleKind", "requiredCustomRoleId", "stepLabel", "allowRevision", "allowRejection"]);
    expect(isInteger(step.stepOrder, least), "terms.steps");
    least = terms.format === 3 ? step.stepOrder : step.stepOrder + 1;
    expect(!Object.hasOwn(step, "reauthenticate") || step.reauthenticate === true, "step.reauthenticate");
    if (terms.format === 3) {
      present(step, "step", ["stepId", "approvals", "delegable", "applies"]);
      expect(step.stepId === n + 1 && isInteger(step.approvals, 1), "step.stepId or step.approvals");
      expect(typeof step.delegable === "boolean" && typeof step.applies === "boolean", "step.delegable or step.applies");
      expect(!Object.hasOwn(step, "when") || isObject(step.when), "step.when");
      expect(step.applies || Object.hasOwn(step, "when"), "step.applies");
      if (Object.hasOwn(step, "signature")) {
        members(step.signature, "step.signature", ["meanings"]);
        expect(Array.isArray(step.signature.meanings) && step.signature.meanings.every((meaning) => typeof meaning === "string"), "step.signature");
      }
      expect(!Object.hasOwn(step, "escalate") || (isObject(step.escalate) && isInteger(step.escalate.after, 1)), "step.escalate");
    }
  });
  expect(terms.format < 3 || terms.steps.some((step) => step.applies), "no step applies");
}

// checkRelease checks the members of a release, and that the proven content is that of one of them.
function checkRelease(terms, proof, content) {
  for (const name of ["collectionId", "entryId", "locale"]) {
    expect(terms[name] === null, `terms.${name}`);
  }
  members(terms.release, "terms.release", ["id", "name", "members"]);
  const { members: all, ...release } = terms.release;
  expect(isInteger(release.id, 1) && typeof release.name === "string" && Array.isArray(all), "terms.release has a wrong member");
  let least = 1;
  for (const m of all) {
    expect(isObject(m), "a member is no object");
    const publishes = m.action === "publish";
    members(m, "member", ["entry", "collection", "locale", "action", publishes ? "hash" : "base"], publishes ? ["base"] : []);
    expect(publishes || m.action === "unpublish", "member.action");
    expect(isInteger(m.entry, least), "member.entry");
    least = m.entry + 1;
    expect([m.collection, m.locale, publishes ? m.hash : ""].every((text) => typeof text === "string"), "a member has a wrong member");
    if (Object.hasOwn(m, "base")) {
      members(m.base, "member.base", ["number", "hash"]);
      expect(isInteger(m.base.number, 1) && typeof m.base.hash === "string", "member.base");
    }
  }
  expect(hash({ release, members: all }) === terms.contentHash, "terms.contentHash");
  const own = { entry: proof.publication.entryId, action: "publish", hash: proof.contentHash, collection: content.collection, locale: content.locale };
  expect(all.some((m) => Object.keys(own).every((name) => m[name] === own[name])), "the content is that of no member");
}

// progressNames returns the members of an outcome that say how far the request is.
const progressNames = (format) => (format === 3 ? ["approvals"] : ["stepIndex", "approvers"]);

function checkAction(action, format, at) {
  present(action, at, [
    "id", "type", "stepOrder", "actor", "comment", "contentHash", "draftHash", "createdAt", "previousHash", "outcome", "hash",
  ]);
  present(action.outcome, `${at}.outcome`, ["status", "version", ...progressNames(format)]);
  expect(isTime(action.createdAt), `${at}.createdAt`);
  checkActor(action.actor, `${at}.actor`);
}

function verifyRequest(proof, content) {
  const { terms, actions, chainHash, state } = proof.request;
  members(proof.request, "request", ["terms", "actions", "chainHash", "state"]);
  checkTerms(terms, proof, content);
  expect(Array.isArray(actions) && actions.length > 0, "actions");
  const now = { status: "pending", ...(terms.format === 3 ? { approvals: [] } : { stepIndex: 0, approvers: [] }), version: 0, installation: proof.installation, meanings: {} };
  let previous = hash(terms);
  actions.forEach((action, n) => {
    const at = `actions[${n}]`;
    checkAction(action, terms.format, at);
    const { id, hash: own, ...line } = action;
    expect(hash(line) === own, `${at}.hash`);
    expect(action.previousHash === previous, `${at}.previousHash`);
    expect(action.contentHash === terms.contentHash, `${at}.contentHash`);
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
  const others = [terms.submittedBy, ...(terms.format > 1 ? terms.contributors : [])].map(person);
  return terms.allowSelfApproval !== true && [...others, ...approvers].includes(user);
}

// In format 3 the state has approvals. waiting returns the steps that wait.
function waiting(terms, now) {
  const lacking = terms.steps.filter((s) => s.applies && now.approvals.filter((a) => a.stepId === s.stepId).length < s.approvals);
  return lacking.filter((s) => s.stepOrder === lacking[0].stepOrder);
}

// personsBefore returns the persons of the approvals before the steps that wait or waited last.
function personsBefore(terms, now) {
  if (terms.format < 3) {
    return now.approvers.slice(0, now.stepIndex);
  }
  const [{ stepOrder }] = [...waiting(terms, now), terms.steps.findLast((s) => s.applies)];
  return persons(terms, now, (order) => order < stepOrder);
}

const persons = (terms, now, matches) =>
  now.approvals.filter((a) => matches(terms.steps[a.stepId - 1].stepOrder)).flatMap((a) => ("for" in a ? [a.person, a.for] : [a.person]));

// approveStep applies an approval in format 3 and reports whether all steps are passed.
function approveStep(now, action, terms, at) {
  const step = waiting(terms, now).find((s) => s.stepId === action.stepId);
  expect(step !== undefined, `${at}.stepId`);
  expect(action.stepOrder === step.stepOrder, `${at}.stepOrder`);
  checkVerified(action, step, at);
  if (Object.hasOwn(action, "by")) {
    expect(action.by === "escalation" && Object.hasOwn(step, "escalate"), `${at}.by`);
    expect(Date.parse(action.createdAt) >= now.opened + step.escalate.after * 3_600_000, `${at}.by comes too early`);
  }
  expect(Object.hasOwn(step, "signature") === Object.hasOwn(action, "signature"), `${at}.signature`);
  if (Object.hasOwn(step, "signature")) {
    checkSigned(now, action, step, terms, `${at}.signature`);
  }
  const approval = { stepId: step.stepId, person: action.actor.id };
  const own = [action.actor.id];
  if (Object.hasOwn(action, "onBehalfOf")) {
    expect(step.delegable, `${at}.onBehalfOf`);
    checkActor(action.onBehalfOf, `${at}.onBehalfOf`);
    expect(action.onBehalfOf.kind === "user" && action.onBehalfOf.id !== action.actor.id, `${at}.onBehalfOf`);
    approval.for = action.onBehalfOf.id;
    own.push(approval.for);
  }
  const beside = persons(terms, now, (order) => order === step.stepOrder);
  const earlier = persons(terms, now, (order) => order < step.stepOrder);
  for (const id of own) {
    expect(!beside.includes(id), `${at} stands twice`);
    expect(!isBarred(terms, id, earlier), `${at}.actor is barred`);
  }
  now.approvals.push(approval);
  const next = waiting(terms, now);
  if (next.length > 0 && next[0].stepOrder !== step.stepOrder) {
    now.opened = Date.parse(action.createdAt);
  }
  return next.length === 0;
}

// approveNext applies an approval in format 1 and 2 and reports whether all steps are passed.
function approveNext(now, action, terms, at) {
  const step = terms.steps[now.stepIndex];
  expect(action.stepOrder === step.stepOrder, `${at}.stepOrder`);
  checkVerified(action, step, at);
  expect(!isBarred(terms, action.actor.id, now.approvers), `${at}.actor is barred`);
  now.approvers.push(action.actor.id);
  if (now.stepIndex + 1 < terms.steps.length) {
    now.stepIndex++;
    return false;
  }
  return true;
}

// checkSigned checks the signature of an approval.
function checkSigned(now, action, step, terms, at) {
  const { signature } = action;
  present(signature, at, ["payload", "method"]);
  const payload = parse(signature.payload);
  expect(canonical(payload) === signature.payload, `${at}.payload is not canonical`);
  const own = ["installation", "project", "request", "releaseNumber", "stepId", "contentHash", "decision", "meaning", "commentHash", "person", "at", "nonce"];
  const behalf = Object.hasOwn(action, "onBehalfOf");
  members(payload, `${at}.payload`, behalf ? [...own, "onBehalfOf"] : own);
  const user = ({ id, name }) => ({ id, name });
  const wanted = {
    installation: now.installation,
    project: terms.projectId,
    request: terms.requestId,
    releaseNumber: terms.releaseNumber,
    stepId: action.stepId,
    contentHash: terms.contentHash,
    decision: action.type,
    commentHash: hashOfText(action.comment ?? ""),
    person: user(action.actor),
    ...(behalf && { onBehalfOf: user(action.onBehalfOf) }),
  };
  for (const [name, value] of Object.entries(wanted)) {
    expect(same(payload[name], value), `${at}.payload.${name}`);
  }
  expect(step.signature.meanings.includes(payload.meaning), `${at}.payload.meaning`);
  expect(isTime(payload.at) && payload.at <= action.createdAt, `${at}.payload.at`);
  expect(typeof payload.nonce === "string", `${at}.payload.nonce`);
  for (const { id } of [action.actor, ...(behalf ? [action.onBehalfOf] : [])]) {
    expect((now.meanings[id] ?? payload.meaning) === payload.meaning, `${at}.payload.meaning is another one than before`);
    now.meanings[id] = payload.meaning;
  }
  if (signature.method === "passkey") {
    members(signature, at, ["payload", "method", "origin", "publicKey", "assertion"]);
    checkAssertion(signature, at);
  } else {
    expect(["password", "password_totp"].includes(signature.method), `${at}.method`);
    members(signature, at, ["payload", "method"]);
  }
}

// fromURL returns the bytes of a text in base64url, of which exactly one is right.
function fromURL(text, at) {
  const raw = typeof text === "string" ? Buffer.from(text, "base64url") : Buffer.alloc(0);
  expect(raw.toString("base64url") === text, `${at} is not base64url`);
  return raw;
}

// checkAssertion checks the assertion of a passkey over the payload.
function checkAssertion({ payload, origin, publicKey, assertion }, at) {
  members(assertion, `${at}.assertion`, ["authenticatorData", "clientDataJSON", "signature"]);
  const data = fromURL(assertion.authenticatorData, `${at}.assertion.authenticatorData`);
  const client = fromURL(assertion.clientDataJSON, `${at}.assertion.clientDataJSON`);
  const page = new URL(origin);
  expect(page.origin === origin && (page.protocol === "https:" || (page.protocol === "http:" && page.hostname === "localhost")), `${at}.origin`);
  const said = parse(new TextDecoder("utf-8", { fatal: true }).decode(client));
  expect(said.type === "webauthn.get" && said.origin === origin, `${at}.assertion.clientDataJSON`);
  expect(said.challenge === createHash("sha256").update(payload, "utf8").digest("base64url"), `${at}.assertion.clientDataJSON.challenge`);
  expect(data.length >= 37 && data.subarray(0, 32).equals(createHash("sha256").update(page.hostname).digest()), `${at}.assertion: the host of origin`);
  expect((data[32] & 5) === 5, `${at}.assertion: the user was not verified`);
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  const kind = key.asymmetricKeyType;
  expect(kind === "ed25519" || kind === "rsa" || (kind === "ec" && key.asymmetricKeyDetails.namedCurve === "prime256v1"), `${at}.publicKey`);
  const message = Buffer.concat([data, createHash("sha256").update(client).digest()]);
  const signed = verifySignature(kind === "ed25519" ? null : "sha256", message, key, fromURL(assertion.signature, `${at}.assertion.signature`));
  expect(signed, `${at}.assertion.signature`);
}

function checkVerified(action, step, at) {
  const asks = step.reauthenticate === true && !Object.hasOwn(step, "signature");
  expect(!Object.hasOwn(action, "commentsHash") || /^[0-9a-f]{64}$/.test(action.commentsHash), `${at}.commentsHash`);
  expect(asks ? ["password", "totp", "passkey", "provider"].includes(action.verified) : !Object.hasOwn(action, "verified"), `${at}.verified`);
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
  const clears = action.type === "reschedule" && action.actor.kind === "system" && !Object.hasOwn(action, "scheduledPublishAt") && !Object.hasOwn(action, "scheduledUnpublishAt");
  if (!clears && terms.format > 1 && terms.allowSelfApproval !== true && (action.type === "publish_now" || (action.type === "reschedule" && (now.approvers ?? now.approvals).length > 0))) {
    expect(action.actor.kind === "user" && !isBarred(terms, action.actor.id, personsBefore(terms, now)), `${at}.actor is barred`);
  }
  switch (action.type) {
    case "submit":
      expect(same(action.actor, terms.submittedBy), `${at}.actor`);
      expect(action.createdAt === terms.submittedAt, `${at}.createdAt`);
      now.opened = Date.parse(action.createdAt);
      now.scheduledPublishAt = action.scheduledPublishAt;
      now.scheduledUnpublishAt = action.scheduledUnpublishAt;
      break;
    case "approve": {
      expect(now.status === "pending", `${at} is not pending`);
      expect(action.actor.kind === "user", `${at}.actor`);
      const passed = terms.format === 3 ? approveStep(now, action, terms, at) : approveNext(now, action, terms, at);
      if (passed) {
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
  for (const name of ["status", ...progressNames(terms.format), "version", "scheduledPublishAt", "scheduledUnpublishAt", "publishedAt"]) {
    expect(same(action.outcome[name], now[name]), `${at}.outcome.${name}`);
  }
}

// bytes returns the bytes of a text in base64, of which exactly one is right.
function bytes(text, size, at) {
  const raw = typeof text === "string" ? Buffer.from(text, "base64") : Buffer.alloc(0);
  expect(raw.length === size && raw.toString("base64") === text, `${at} is not ${size} bytes in base64`);
  return raw;
}

const fingerprint = (raw) => createHash("sha256").update(raw).digest("hex");

// readKeys reads the document of the keys of an installation.
function readKeys(text) {
  const document = parse(text);
  expect(isObject(document) && document.format === 1, "format of the keys is not 1");
  members(document, "keys", ["format", "installation", "keys"]);
  expect(typeof document.installation === "string" && Array.isArray(document.keys), "the document of keys has a wrong member");
  const keys = new Map();
  for (const key of document.keys) {
    members(key, "key", ["id", "algorithm", "publicKey", "from", "until", "revokedAt"]);
    expect(key.algorithm === "Ed25519" && isTime(key.from), "a key has a wrong member");
    expect([key.until, key.revokedAt].every((at) => at === null || isTime(at)), "a key has a wrong time");
    expect(key.id === fingerprint(bytes(key.publicKey, 32, "publicKey")) && !keys.has(key.id), "the id of a key");
    keys.set(key.id, key);
  }
  return { installation: document.installation, keys };
}

// verifySigned checks the signature by the key that the proof names.
function verifySigned(proof) {
  expect(typeof proof.installation === "string", "installation");
  expect(isObject(proof.key), "key is no object");
  members(proof.key, "key", ["id", "publicKey"]);
  const raw = bytes(proof.key.publicKey, 32, "key.publicKey");
  expect(proof.key.id === fingerprint(raw), "key.id");
  expect(isTime(proof.signedAt), "signedAt");
  const { signature, ...rest } = proof;
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") }, format: "jwk" });
  expect(verifySignature(null, Buffer.from(canonical(rest), "utf8"), key, bytes(signature, 64, "signature")), "signature");
}

// verifyTrust checks that one of the trusted keys signed, and that it might.
function verifyTrust(proof, trusted) {
  const key = trusted.keys.get(proof.key.id);
  expect(key !== undefined, "key.id is not trusted");
  expect(key.revokedAt === null, "key.id is revoked");
  expect(proof.signedAt >= key.from && (key.until === null || proof.signedAt < key.until), "signedAt is not in the time of the key");
  expect(proof.installation === trusted.installation, "installation");
}

// verify returns valid or consistent, or throws.
function verify(text, trusted) {
  const proof = parse(text);
  const content = verifyDocument(proof);
  if (proof.request !== undefined) {
    verifyRequest(proof, content);
  }
  const { hash: own, signature, ...rest } = proof;
  expect(hash(rest) === own, "hash");
  if (proof.format === 1) {
    return "consistent, unsigned";
  }
  verifySigned(proof);
  if (trusted === undefined) {
    return `consistent, signed by ${proof.key.id}`;
  }
  verifyTrust(proof, trusted);
  return "valid";
}

const read = (file) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
const printable = (text) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

// attempt returns what run returns. If run throws, it prints the first thing that is wrong.
function attempt(run) {
  try {
    return run();
  } catch (error) {
    console.log(printable(error.message));
    return undefined;
  }
}

let files = process.argv.slice(2);
let trusted;
if (files[0] === "--key") {
  trusted = attempt(() => readKeys(read(files[1])));
  if (trusted === undefined) {
    process.exit(1);
  }
  files = files.slice(2);
}
let code = 0;
for (const file of files) {
  const verdict = attempt(() => verify(read(file), trusted));
  if (verdict === undefined) {
    code = 1;
  } else {
    console.log(verdict);
    code = code === 0 && verdict !== "valid" ? 2 : code;
  }
}
process.exit(code);
