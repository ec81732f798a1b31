package proof

import (
	"strconv"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
)

// request checks the record of the approval request, and that it led to this publication.
func (v *verifier) request(request value, format int) {
	request = v.object(request, false, "terms", "actions", "chainHash", "state")
	terms := v.terms(request.member("terms"), format)
	actions := v.elements(request.member("actions"))
	v.require(len(actions) > 0, request.member("actions"), "must not be empty")
	r := newReplay(v, terms)
	previous := ""
	if v.fault == nil {
		previous = canonical.Hash(terms.raw)
	}
	for i, a := range actions {
		if v.fault != nil {
			return
		}
		a = v.object(a, true, "id", "type", "stepOrder", "actor", "comment", "contentHash", "draftHash", "createdAt", "previousHash", "outcome", "hash")
		previous = v.link(a, terms, i == 0, previous)
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
	v.summary.Actions = len(actions)
	for _, s := range terms.steps {
		if !s.applies {
			continue
		}
		v.summary.Steps++
		if s.verified && !s.signed { // every approval of such a step has a proof
			v.summary.Confirmed++
		}
	}
}

// terms are the terms of a request.
type terms struct {
	value
	format int
	steps  []step
	last   int  // the index of the last step that applies
	self   bool // allowSelfApproval
	// barred are the ids of the submitter and of the contributors, or of the creators of these
	// tokens.
	barred []string
}

func (v *verifier) terms(o value, format int) terms {
	o = v.object(o, true, "format", "tenantId", "projectId", "collectionId", "entryId", "requestId", "locale", "releaseNumber", "steps",
		"allowSelfApproval", "contentHash", "submittedBy", "submittedAt")
	if format == formatOfThree {
		format = v.format(o, 3, 3)
	} else {
		format = v.format(o, 1, 2)
	}
	publication := v.doc.member("publication")
	v.require(o.member("projectId").is(string(publication.member("projectId").raw)), o.member("projectId"), "is not that of the publication")
	v.integer(o.member("tenantId"), 1)
	v.integer(o.member("requestId"), 1)
	v.subject(o, format)
	v.summary.ReleaseNumber = v.text(o.member("releaseNumber"))
	v.time(o.member("submittedAt"))
	v.actor(o.member("submittedBy"))
	t := terms{value: o, format: format, self: o.member("allowSelfApproval").is("true"), barred: []string{person(o.member("submittedBy"))}}
	if format > 1 {
		for _, by := range v.elements(o.member("contributors")) {
			v.actor(by)
			t.barred = append(t.barred, person(by))
		}
	}
	v.require(t.self || o.member("allowSelfApproval").is("false"), o.member("allowSelfApproval"), "must be true or false")
	t.steps, t.last = v.steps(o.member("steps"), format)
	v.skipped(o, t.steps)
	return t
}

// subject checks that the terms are about the content of the publication.
func (v *verifier) subject(o value, format int) {
	if v.fault != nil {
		return
	}
	kind := approval.KindEntry
	if format > 2 {
		kind = approval.Kind(v.text(o.member("kind")))
	}
	switch kind {
	case approval.KindEntry:
		v.require(format < 3 || o.member("release").raw == nil, o.member("release"), "must be left out, because the request publishes an entry")
		v.entry(o)
	case approval.KindRelease:
		v.release(o)
	default:
		v.require(false, o.member("kind"), "must be entry or release")
	}
}

// entry checks terms of kind entry.
func (v *verifier) entry(o value) {
	publication := v.doc.member("publication")
	for _, name := range []string{"collectionId", "entryId"} {
		v.require(o.member(name).is(string(publication.member(name).raw)), o.member(name), "is not that of the publication")
	}
	v.require(o.member("contentHash").is(string(v.doc.member("contentHash").raw)), o.member("contentHash"), "is not that of the content")
	v.require(o.member("locale").is(string(v.contentMember("locale"))), o.member("locale"), "is not that of the content")
}

// contentMember returns a member of the content.
func (v *verifier) contentMember(name string) []byte {
	content, _ := canonical.Text(v.doc.member("content").raw)
	return core.Document(content).Value(name)
}

// release checks terms of kind release: the hash of the release covers its members, and the content is that
// of a member.
func (v *verifier) release(o value) {
	for _, name := range []string{"collectionId", "entryId", "locale"} {
		v.require(o.member(name).is("null"), o.member(name), "must be null, because the request publishes a release")
	}
	release := v.object(o.member("release"), false, "id", "name", "members")
	v.integer(release.member("id"), 1)
	v.summary.ReleaseName = v.text(release.member("name"))
	members := v.elements(release.member("members"))
	v.summary.Members = len(members)
	entry, found := int64(0), false
	for _, m := range members {
		entry = v.member(m, entry+1)
		found = found || v.fault == nil && v.shows(m)
	}
	if v.fault != nil {
		return
	}
	hashed := append([]byte(`{"members":`), release.member("members").raw...)
	hashed = append(append(append(hashed, `,"release":`...), without(release.raw, "members")...), '}')
	v.require(o.member("contentHash").is(strconv.Quote(canonical.Hash(hashed))), o.member("contentHash"), "is not the hash of the release")
	v.require(found, release.member("members"), "have no such entry with this content")
}

// member checks a member of a release and returns its entry, which is at least least.
func (v *verifier) member(m value, least int64) int64 {
	m = v.object(m, true)
	if v.fault != nil {
		return least
	}
	names := []string{"entry", "collection", "locale", "action"}
	base := m.member("base")
	if base.raw != nil {
		names = append(names, "base")
	}
	publishes := m.member("action").is(`"publish"`)
	if publishes {
		names = append(names, "hash")
	}
	m = v.object(m, false, names...)
	entry := v.integer(m.member("entry"), least)
	v.text(m.member("collection"))
	v.text(m.member("locale"))
	v.require(publishes || m.member("action").is(`"unpublish"`) && base.raw != nil, m.member("action"), "must be publish, or unpublish with a base")
	if publishes {
		v.text(m.member("hash"))
	}
	if base.raw != nil {
		b := v.object(base, false, "number", "hash")
		v.integer(b.member("number"), 1)
		v.text(b.member("hash"))
	}
	return entry
}

// shows reports whether a member is the entry of the publication and publishes the content.
func (v *verifier) shows(m value) bool {
	return m.member("entry").is(string(v.doc.member("publication").member("entryId").raw)) &&
		m.member("hash").is(string(v.doc.member("contentHash").raw)) &&
		m.member("collection").is(string(v.contentMember("collection"))) && m.member("locale").is(string(v.contentMember("locale")))
}

func (v *verifier) boolean(o value) bool {
	v.require(o.is("true") || o.is("false"), o, "must be true or false")
	return o.is("true")
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
func (v *verifier) link(a value, t terms, first bool, previous string) string {
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
	v.require(a.member("contentHash").is(string(t.member("contentHash").raw)), a.member("contentHash"), "is not that of the terms")
	v.time(a.member("createdAt"))
	v.actor(a.member("actor"))
	return hash
}
