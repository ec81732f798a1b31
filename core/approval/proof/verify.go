package proof

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// Summary describes a proof that Verify accepted.
type Summary struct {
	// SignedBy is the fingerprint of the key that signed the proof, empty for a proof without a
	// signature (format 1). Anyone can make a key or a proof without one: only a Trusted proof was
	// made by the installation.
	SignedBy string
	SignedAt string // empty: no signature
	Trusted  bool   // the given keys have the key that signed

	EntryID, Number int64
	ContentHash     string
	PublishedAt     string
	UnpublishedAt   string // empty: the proof was made while readers saw the version
	ReleaseNumber   string // empty: no approval request
	Steps, Actions  int    // of the approval request
	Confirmed       int    // of the steps: those whose reviewer proved again who they are
}

// Fault is the first thing that is wrong with a proof. Location is a member, such as
// "request.actions[2].previousHash", or empty for the whole text.
type Fault struct{ Location, Message string }

func (f *Fault) Error() string {
	if f.Location == "" {
		return f.Message
	}
	return f.Location + " " + f.Message
}

// Verify checks a proof as api/proof.md describes. With trusted, which may be nil, it also checks
// that one of these keys signed the proof; a proof without a signature stays not Trusted. An error
// is a *Fault.
func Verify(text []byte, trusted *Keys) (Summary, error) {
	raw, err := canonical.Transform(text)
	if err != nil {
		return Summary{}, &Fault{"", err.Error()}
	}
	v := verifier{doc: value{raw: raw}}
	v.verify()
	if trusted != nil && v.fault == nil && v.summary.SignedBy != "" {
		v.trust(trusted)
	}
	if v.fault != nil {
		return Summary{}, v.fault
	}
	return v.summary, nil
}

// verifier checks one proof. Its methods do nothing after the first fault.
type verifier struct {
	doc     value
	summary Summary
	fault   *Fault
}

// value is a canonical JSON value. Its location in the proof is owner and name.
type value struct {
	owner, name string
	raw         []byte
	members     []member // of an object that opened returned
}

type member struct{ name, raw []byte }

// at returns the location of o.
func (o value) at() string {
	if o.owner == "" {
		return o.name
	}
	return o.owner + "." + o.name
}

// opened returns o, which must be an object, with faster access to its members.
func (o value) opened() value {
	all := make([]member, 0, 16)
	core.Document(o.raw).Each(func(name, raw []byte) { all = append(all, member{name, raw}) })
	return value{name: o.at(), raw: o.raw, members: all}
}

// member returns a member of an object; its raw is nil when the object does not have it.
func (o value) member(name string) value {
	if o.members == nil {
		return value{owner: o.at(), name: name, raw: core.Document(o.raw).Value(name)}
	}
	for i := range o.members {
		if string(o.members[i].name) == name {
			return value{owner: o.name, name: name, raw: o.members[i].raw}
		}
	}
	return value{owner: o.name, name: name}
}

func (o value) is(text string) bool { return string(o.raw) == text }

func (v *verifier) require(ok bool, at value, format string, args ...any) {
	if !ok && v.fault == nil {
		v.fault = &Fault{at.at(), fmt.Sprintf(format, args...)}
	}
}

// object requires an object with these members and no others, unless more is true. It returns the
// opened object.
func (v *verifier) object(o value, more bool, names ...string) value {
	v.require(len(o.raw) > 0 && o.raw[0] == '{', o, "must be an object")
	if v.fault != nil {
		return o
	}
	o = o.opened()
	for _, m := range o.members {
		v.require(more || slices.Contains(names, string(m.name)), value{owner: o.name, name: string(m.name)}, "is an unknown member")
	}
	for _, name := range names {
		m := o.member(name)
		v.require(m.raw != nil, m, "is missing")
	}
	return o
}

func (v *verifier) text(o value) string {
	text, ok := canonical.Text(o.raw)
	v.require(ok, o, "must be a string")
	return text
}

// maxID is the largest integer that a double holds exactly.
const maxID = 1<<53 - 1

func (v *verifier) integer(o value, least int64) int64 {
	n, err := strconv.ParseInt(string(o.raw), 10, 64)
	v.require(err == nil && n >= least && n <= maxID, o, "must be an integer of at least %d", least)
	return n
}

func (v *verifier) time(o value) string {
	text := v.text(o)
	at, err := time.Parse(time.RFC3339, text)
	v.require(err == nil && core.FormatTime(at) == text, o, "must be a time in the form 2006-01-02T15:04:05.000Z")
	return text
}

func (v *verifier) actor(o value) {
	o = v.object(o, true, "kind", "id", "name")
	kind := v.text(o.member("kind"))
	v.require(kind == "user" || kind == "token" || kind == "system", o.member("kind"), "must be user, token or system")
	v.integer(o.member("id"), 0)
	v.text(o.member("name"))
}

// elements returns the elements of an array.
func (v *verifier) elements(o value) (all []value) {
	v.require(len(o.raw) > 0 && o.raw[0] == '[', o, "must be an array")
	if v.fault != nil {
		return nil
	}
	canonical.Elements(o.raw, func(element []byte) {
		all = append(all, value{name: o.at() + "[" + strconv.Itoa(len(all)) + "]", raw: element})
	})
	return all
}

func (v *verifier) verify() {
	v.object(v.doc, true, "format")
	format := v.doc.member("format")
	v.require(format.is("1") || format.is("2"), format, "must be 1 or 2")
	request, names := v.doc.member("request"), []string{"format", "content", "contentHash", "publication", "hash"}
	if request.raw != nil {
		names = append(names, "request")
	}
	if signed := format.is("2"); signed {
		names = append(names, "installation", "key", "signedAt", "signature")
	}
	v.doc = v.object(v.doc, false, names...)
	v.content()
	v.publication()
	if request.raw != nil {
		v.request(request)
	}
	hash := v.doc.member("hash")
	v.require(v.fault != nil || v.text(hash) == canonical.Hash(without(v.doc.raw, "hash", "signature")), hash, "is not the hash of the other members")
	if format.is("2") {
		v.signature()
	}
}

// without returns a canonical object without some members.
func without(object []byte, names ...string) []byte {
	rest := append(make([]byte, 0, len(object)), '{')
	core.Document(object).Each(func(name, raw []byte) {
		if slices.Contains(names, string(name)) {
			return
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(append(rest, '"'), name...), `":`...), raw...)
	})
	return append(rest, '}')
}

// content checks that content is canonical and has its hash.
func (v *verifier) content() {
	at := v.doc.member("content")
	text := []byte(v.text(at))
	plain, err := canonical.Transform(text)
	var syntax *canonical.SyntaxError
	if errors.As(err, &syntax) {
		v.require(false, at, "is not JSON: byte %d: %s", syntax.Offset, syntax.Message)
	} else if !bytes.Equal(plain, text) {
		n := 0
		for n < len(plain) && n < len(text) && plain[n] == text[n] {
			n++
		}
		v.require(false, at, "is not in its canonical form: byte %d", n)
	}
	names := []string{"collection", "fields", "locale"}
	if core.Document(plain).Value("media") != nil {
		names = append(names, "media")
	}
	content := v.object(value{name: at.name, raw: plain}, false, names...)
	if len(names) > 3 {
		v.object(content.member("media"), true)
	}
	v.object(content.member("fields"), true)
	v.text(content.member("collection"))
	v.text(content.member("locale"))
	hash := v.doc.member("contentHash")
	v.summary.ContentHash = v.text(hash)
	v.require(v.summary.ContentHash == canonical.Hash(text), hash, "is not the hash of content")
}

func (v *verifier) publication() {
	p := v.object(v.doc.member("publication"), false, "projectId", "collectionId", "entryId", "number", "publishedAt", "unpublishedAt", "by")
	v.integer(p.member("projectId"), 1)
	v.integer(p.member("collectionId"), 1)
	v.summary.EntryID = v.integer(p.member("entryId"), 1)
	v.summary.Number = v.integer(p.member("number"), 1)
	v.summary.PublishedAt = v.time(p.member("publishedAt"))
	if end := p.member("unpublishedAt"); !end.is("null") {
		v.summary.UnpublishedAt = v.time(end)
		v.require(v.summary.UnpublishedAt >= v.summary.PublishedAt, end, "is before publishedAt")
	}
	v.actor(p.member("by"))
}

// request checks the record of the approval request, and that it led to this publication.
func (v *verifier) request(request value) {
	request = v.object(request, false, "terms", "actions", "chainHash", "state")
	terms := v.terms(request.member("terms"))
	actions := v.elements(request.member("actions"))
	v.require(len(actions) > 0, request.member("actions"), "must not be empty")
	r := replay{verifier: v, terms: terms, status: "pending", approvers: []string{}}
	previous := ""
	if v.fault == nil {
		previous = canonical.Hash(terms.raw)
	}
	for i, a := range actions {
		if v.fault != nil {
			return
		}
		a = v.object(a, true, "id", "type", "stepOrder", "actor", "comment", "contentHash", "draftHash", "createdAt", "previousHash", "outcome", "hash")
		previous = v.link(a, i == 0, previous)
		r.apply(a, i, i == len(actions)-1)
	}
	if v.fault != nil {
		return
	}
	v.require(v.text(request.member("chainHash")) == previous, request.member("chainHash"), "is not the hash of the last action")
	last := actions[len(actions)-1]
	v.require(request.member("state").is(string(last.member("outcome").raw)), request.member("state"), "is not the outcome of the last action")
	v.require(r.status == "published" && last.member("type").is(`"publish"`), last, "does not publish the content")
	publication := v.doc.member("publication")
	v.require(last.member("createdAt").is(string(publication.member("publishedAt").raw)), publication.member("publishedAt"), "is not the time of the last action")
	v.require(last.member("actor").is(string(publication.member("by").raw)), publication.member("by"), "is not the actor of the last action")
	v.summary.Steps, v.summary.Actions = len(r.terms.steps), len(actions)
	for _, asks := range r.terms.verified {
		if asks { // every approval of such a step has a proof
			v.summary.Confirmed++
		}
	}
}

// terms are the terms of a request.
type terms struct {
	value
	steps []string // the stepOrder of each
	// verified reports of each step whether it asks for a proof of who the reviewer is.
	verified []bool
	self     bool // allowSelfApproval
	// barred are the ids of the submitter and of the contributors, or of the creators of these
	// tokens.
	barred []string
	// timed reports that the rules for those who change the times apply: from format 2 on.
	timed bool
}

func (v *verifier) terms(o value) terms {
	o = v.object(o, true, "format", "tenantId", "projectId", "collectionId", "entryId", "requestId", "locale", "releaseNumber", "steps",
		"allowSelfApproval", "contentHash", "submittedBy", "submittedAt")
	publication := v.doc.member("publication")
	for _, name := range []string{"projectId", "collectionId", "entryId"} {
		v.require(o.member(name).is(string(publication.member(name).raw)), o.member(name), "is not that of the publication")
	}
	format := o.member("format")
	v.require(format.is("1") || format.is("2"), format, "must be 1 or 2")
	v.integer(o.member("tenantId"), 1)
	v.integer(o.member("requestId"), 1)
	v.require(o.member("contentHash").is(string(v.doc.member("contentHash").raw)), o.member("contentHash"), "is not that of the content")
	content, _ := canonical.Text(v.doc.member("content").raw)
	v.require(o.member("locale").is(string(core.Document(content).Value("locale"))), o.member("locale"), "is not that of the content")
	v.summary.ReleaseNumber = v.text(o.member("releaseNumber"))
	v.time(o.member("submittedAt"))
	v.actor(o.member("submittedBy"))
	t := terms{value: o, self: o.member("allowSelfApproval").is("true"), barred: []string{person(o.member("submittedBy"))}, timed: format.is("2")}
	if t.timed {
		for _, by := range v.elements(o.member("contributors")) {
			v.actor(by)
			t.barred = append(t.barred, person(by))
		}
	}
	v.require(t.self || o.member("allowSelfApproval").is("false"), o.member("allowSelfApproval"), "must be true or false")
	before := int64(0)
	for _, step := range v.elements(o.member("steps")) {
		step = v.object(step, true, "stepOrder", "requiredRoleKind", "requiredCustomRoleId", "stepLabel", "allowRevision", "allowRejection")
		before = v.integer(step.member("stepOrder"), before+1)
		t.steps = append(t.steps, string(step.member("stepOrder").raw))
		asks := string(step.member("reauthenticate").raw)
		v.require(asks == "" || asks == "true", step.member("reauthenticate"), "must be true, or left out")
		t.verified = append(t.verified, asks != "")
	}
	v.require(len(t.steps) > 0, o.member("steps"), "must not be empty")
	return t
}

// person returns the id of the user that an actor is or, for a token, of its creator; "" if it has
// none.
func person(actor value) string {
	if actor.member("kind").is(`"user"`) {
		return string(actor.member("id").raw)
	}
	return string(actor.member("madeBy").raw)
}

// link checks the place of an action in the chain and returns its hash.
func (v *verifier) link(a value, first bool, previous string) string {
	if v.fault != nil {
		return ""
	}
	hash := v.text(a.member("hash"))
	v.require(hash == canonical.Hash(without(a.raw, "id", "hash")), a.member("hash"), "is not the hash of the action")
	before := "the action before"
	if first {
		before = "request.terms"
	}
	v.require(v.text(a.member("previousHash")) == previous, a.member("previousHash"), "is not the hash of %s", before)
	v.require(a.member("contentHash").is(string(v.doc.member("contentHash").raw)), a.member("contentHash"), "is not that of the content")
	v.time(a.member("createdAt"))
	v.actor(a.member("actor"))
	return hash
}

// replay is the state of a request while its actions are applied.
type replay struct {
	*verifier
	terms     terms
	status    string
	step      int // index of the step that the request waits at
	approvers []string
	// Raw JSON; empty: none.
	scheduled, ends, published string
	version                    int64
}

// apply checks that the state allows an action, and that its outcome is the state after it.
func (r *replay) apply(a value, n int, last bool) {
	kind, _ := canonical.Text(a.member("type").raw)
	outcome := r.object(a.member("outcome"), true, "status", "stepIndex", "approvers", "version")
	continues := kind == "publish" && r.status == "published" // the second action of one change
	if !continues {
		r.version++
		r.require(r.status == "pending" || r.status == "approved", a, "follows the end of the request")
	}
	r.require((n == 0) == (kind == "submit"), a.member("type"), "must be submit in the first action and in no other")
	published, _ := canonical.Text(outcome.member("status").raw)
	publishes := published == "published"
	switch kind {
	case "submit":
		r.require(a.member("actor").is(string(r.terms.member("submittedBy").raw)), a.member("actor"), "is not request.terms.submittedBy")
		r.require(a.member("createdAt").is(string(r.terms.member("submittedAt").raw)), a.member("createdAt"), "is not request.terms.submittedAt")
		r.schedule(a)
	case "approve":
		r.approve(a, publishes)
	case "reschedule":
		if len(r.approvers) > 0 {
			r.unbarred(a)
		}
		r.schedule(a)
		if publishes {
			r.require(r.status == "approved", a, "publishes before every step has approved")
			r.status = "published"
		}
	case "publish_now", "publish":
		r.require(continues || r.status == "approved", a, "publishes before every step has approved")
		if kind == "publish_now" {
			r.unbarred(a)
		}
		r.status = "published"
	case "reject", "request_revision", "withdraw":
		r.require(false, a, "ends the request without a publication")
	default:
		r.require(false, a.member("type"), "is unknown")
	}
	if r.status == "published" && r.published == "" {
		r.published = string(a.member("createdAt").raw)
	}
	if continues {
		r.require(last, a, "must be the last action")
	}
	r.outcome(outcome)
}

// schedule takes the times of publication from an action.
func (r *replay) schedule(a value) {
	r.scheduled, r.ends = string(a.member("scheduledPublishAt").raw), string(a.member("scheduledUnpublishAt").raw)
}

// ways are the values of verified.
var ways = []string{`"password"`, `"totp"`, `"passkey"`}

func (r *replay) approve(a value, publishes bool) {
	r.require(r.status == "pending", a, "approves a request that is not pending")
	if r.fault != nil {
		return
	}
	r.require(a.member("stepOrder").is(r.terms.steps[r.step]), a.member("stepOrder"), "is not the step that the request waits at: %s", r.terms.steps[r.step])
	way := string(a.member("verified").raw)
	if r.terms.verified[r.step] {
		r.require(slices.Contains(ways, way), a.member("verified"), "must be password, totp or passkey, because the step asks for it")
	} else {
		r.require(way == "", a.member("verified"), "must be left out, because the step does not ask for it")
	}
	by := string(a.member("actor").member("id").raw)
	r.require(a.member("actor").member("kind").is(`"user"`), a.member("actor"), "must be a user")
	r.require(r.terms.self || !slices.Contains(r.terms.barred, by) && !slices.Contains(r.approvers, by), a.member("actor"),
		"must not be the submitter, a contributor or the approver of an earlier step")
	r.approvers = append(r.approvers, by)
	switch {
	case r.step+1 < len(r.terms.steps):
		r.step++
	case publishes:
		r.status = "published"
	default:
		r.status = "approved"
	}
}

// unbarred requires that the actor of a may decide the last step.
func (r *replay) unbarred(a value) {
	by, earlier := string(a.member("actor").member("id").raw), r.approvers[:min(r.step, len(r.approvers))]
	r.require(r.terms.self || !r.terms.timed || a.member("actor").member("kind").is(`"user"`) && !slices.Contains(r.terms.barred, by) && !slices.Contains(earlier, by),
		a.member("actor"), "must not be the submitter, a contributor or the approver of an earlier step")
}

// outcome checks that an action recorded the present state.
func (r *replay) outcome(o value) {
	for _, m := range []struct{ name, want string }{
		{"status", strconv.Quote(r.status)}, {"stepIndex", strconv.Itoa(r.step)}, {"approvers", "[" + strings.Join(r.approvers, ",") + "]"},
		{"version", strconv.FormatInt(r.version, 10)}, {"scheduledPublishAt", r.scheduled}, {"scheduledUnpublishAt", r.ends}, {"publishedAt", r.published},
	} {
		member := o.member(m.name)
		r.require(member.is(m.want), member, "does not follow from the actions")
	}
}
