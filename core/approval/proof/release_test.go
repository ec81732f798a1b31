package proof_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/approval/proof"
)

type list = []any

// member is a member of a release that is published.
func member(entry int, hash string) object {
	return object{"entry": entry, "collection": "articles", "locale": "en", "action": "publish", "hash": hash}
}

// rule is a step of format 3 with these members beside those of every step.
func rule(id, order int, more object) object {
	step := object{
		"stepId": id, "stepOrder": order, "requiredRoleKind": "admin", "requiredCustomRoleId": nil, "stepLabel": nil,
		"allowRevision": true, "allowRejection": true, "approvals": 1, "delegable": false, "applies": true,
	}
	maps.Copy(step, more)
	return step
}

// approving is an approval of a step, on behalf of another user unless behalf is 0.
type approving struct{ step, by, behalf int }

func (a approving) json() object {
	given := object{"stepId": a.step, "person": a.by}
	if a.behalf != 0 {
		given["for"] = a.behalf
	}
	return given
}

func user(id int) object { return object{"kind": "user", "id": id, "name": "User"} }

// released makes the proof of one member of a release out of another proof: user 1 submits it, user 2
// contributed, the approvals follow in their order, and the last one publishes.
func released(t testing.TB, text []byte, steps list, approvals ...approving) object {
	t.Helper()
	var p object
	require.NoError(t, json.Unmarshal(text, &p))
	own := member(int(part(p, "publication")["entryId"].(float64)), p["contentHash"].(string))
	away := object{
		"entry": own["entry"].(int) + 9, "collection": "notices", "locale": "de", "action": "unpublish",
		"base": object{"number": 3, "hash": strings.Repeat("b", 64)},
	}
	beside := member(own["entry"].(int)+4, strings.Repeat("a", 64))
	beside["base"] = object{"number": 1, "hash": strings.Repeat("c", 64)}
	terms := part(p, "request", "terms")
	maps.Copy(terms, object{
		"format": 3, "kind": "release", "collectionId": nil, "entryId": nil, "locale": nil, "allowSelfApproval": false, "steps": steps,
		"submittedBy": user(1), "contributors": list{user(1), user(2)},
		"release": object{"id": 7, "name": "Spring <launch>", "members": list{own, beside, away}},
	})
	given := list{}
	outcome := func(version int, status string) object {
		return object{"status": status, "approvals": slices.Clone(given), "version": version}
	}
	line := func(kind string, by object, more object) object {
		a := object{
			"id": len(given) + 1, "type": kind, "stepOrder": nil, "actor": by, "comment": nil, "draftHash": nil, "createdAt": terms["submittedAt"],
			"outcome": outcome(len(given)+1, "pending"),
		}
		maps.Copy(a, more)
		return a
	}
	actions := list{line("submit", user(1), nil)}
	for i, a := range approvals {
		given = append(given, a.json())
		more := object{"stepId": a.step, "stepOrder": nil}
		if a.step >= 1 && a.step <= len(steps) {
			more["stepOrder"] = steps[a.step-1].(object)["stepOrder"]
		}
		if a.behalf != 0 {
			more["onBehalfOf"] = user(a.behalf)
		}
		if i == len(approvals)-1 {
			more["outcome"] = outcome(i+2, "published")
			more["outcome"].(object)["publishedAt"] = terms["submittedAt"]
		}
		actions = append(actions, line("approve", user(a.by), more))
	}
	last := actions[len(actions)-1].(object)
	publish := line("publish", last["actor"].(object), object{"outcome": last["outcome"]})
	part(p, "request")["actions"], part(p, "request")["state"] = append(actions, publish), last["outcome"]
	maps.Copy(part(p, "publication"), object{"by": publish["actor"], "publishedAt": terms["submittedAt"]})
	p["format"] = 3
	normal := normalised(t, p)
	regroup(normal)
	return normal
}

// normalised returns an object as it is after decoding.
func normalised(t testing.TB, o object) (normal object) {
	t.Helper()
	raw, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &normal))
	return normal
}

// regroup computes the hash of the release and all that follow from it, as someone who can write to the
// database could.
func regroup(p object) {
	release := part(p, "request", "terms", "release")
	hash := digest(object{"release": object{"id": release["id"], "name": release["name"]}, "members": release["members"]})
	part(p, "request", "terms")["contentHash"] = hash
	for _, a := range part(p, "request")["actions"].([]any) {
		a.(object)["contentHash"] = hash
	}
	relink(p)
}

// judged is a proof and a part of the fault that both verifiers find; empty: none.
type judged struct {
	name  string
	proof object
	want  string
}

// judge gives proofs, signed by signer, to both verifiers.
func judge(t testing.TB, signer *testSigner, all ...judged) {
	t.Helper()
	document, keys := trusted(t, signer.key)
	texts := make([][]byte, len(all))
	for i, j := range all {
		text, err := json.Marshal(sign(j.proof, signer, signer.key.Fingerprint, base64.StdEncoding.EncodeToString(signer.key.Public)))
		require.NoError(t, err)
		texts[i] = text
		s, err := proof.Verify(text, keys)
		require.Equal(t, j.want == "", s.Trusted, "%s: %v", j.name, err)
		if j.want != "" {
			require.ErrorContains(t, err, j.want, j.name)
		}
	}
	for i, line := range byNode(t, document, texts) {
		require.Equal(t, all[i].want == "", line == "valid", "%s: %s", all[i].name, line)
	}
}

func (f *fixture) signer(t testing.TB) *testSigner {
	t.Helper()
	keys, err := f.keys.Keys(t.Context())
	require.NoError(t, err)
	return newSigner(keys[0].Installation, keys[0].From, f.clock.now)
}

// TestApprovalsOfFormat3 has requests with each kind of step. want is empty if both verifiers accept the proof.
func TestApprovalsOfFormat3(t *testing.T) {
	t.Parallel()
	f := setup(t)
	text := f.reviewed(t)
	signer := f.signer(t)
	var all []judged
	quorum := list{rule(1, 1, object{"approvals": 2}), rule(2, 2, nil)}
	parallel := list{rule(1, 1, nil), rule(2, 5, nil), rule(3, 5, object{"approvals": 2}), rule(4, 9, nil)}
	// unless returns the members of a step that does not apply because of a condition.
	unless := func(when object) object { return object{"applies": false, "when": when} }
	other := unless(object{"collections": list{"pages"}})
	skipped := list{rule(1, 1, other), rule(2, 1, nil), rule(3, 2, other)}
	skip := func(when object) list { return list{rule(1, 1, nil), rule(2, 2, unless(when))} }
	lent := list{rule(1, 1, object{"delegable": true, "approvals": 2}), rule(2, 2, object{"delegable": true})}
	for name, row := range map[string]struct {
		steps     list
		approvals []approving
		self      bool
		want      string
	}{
		"one step":                         {list{rule(1, 4, nil)}, []approving{{1, 5, 0}}, false, ""},
		"a quorum":                         {quorum, []approving{{1, 5, 0}, {1, 6, 0}, {2, 7, 0}}, false, ""},
		"a quorum of one":                  {quorum, []approving{{1, 5, 0}, {2, 7, 0}}, false, "actions[2].stepId is not a step that the request waits at"},
		"a quorum too many":                {quorum, []approving{{1, 5, 0}, {1, 6, 0}, {1, 8, 0}, {2, 7, 0}}, false, "actions[3].stepId is not a step"},
		"a quorum of one person":           {quorum, []approving{{1, 5, 0}, {1, 5, 0}, {2, 7, 0}}, false, "actions[2].actor must not have approved a step of this order"},
		"a quorum of one person, self":     {quorum, []approving{{1, 5, 0}, {1, 5, 0}, {2, 7, 0}}, true, "actions[2].actor must not have approved a step of this order"},
		"the last approval is missing":     {quorum, []approving{{1, 5, 0}, {1, 6, 0}}, false, "actions[2].outcome.status does not follow"},
		"two steps by one person":          {quorum, []approving{{1, 5, 0}, {1, 6, 0}, {2, 6, 0}}, false, "actions[3].actor must not be the submitter"},
		"two steps by one person, self":    {quorum, []approving{{1, 5, 0}, {1, 6, 0}, {2, 6, 0}}, true, ""},
		"the submitter":                    {list{rule(1, 1, nil)}, []approving{{1, 1, 0}}, false, "actions[1].actor must not be the submitter"},
		"the submitter, self":              {list{rule(1, 1, nil)}, []approving{{1, 1, 0}}, true, ""},
		"a contributor":                    {list{rule(1, 1, nil)}, []approving{{1, 2, 0}}, false, "actions[1].actor must not be the submitter"},
		"parallel steps":                   {parallel, []approving{{1, 5, 0}, {3, 6, 0}, {2, 7, 0}, {3, 8, 0}, {4, 9, 0}}, false, ""},
		"parallel steps before the first":  {parallel, []approving{{3, 6, 0}, {1, 5, 0}, {2, 7, 0}, {3, 8, 0}, {4, 9, 0}}, false, "actions[1].stepId is not a step"},
		"after a part of parallel steps":   {parallel, []approving{{1, 5, 0}, {2, 7, 0}, {4, 9, 0}}, false, "actions[3].stepId is not a step"},
		"one person in parallel steps":     {parallel, []approving{{1, 5, 0}, {2, 6, 0}, {3, 6, 0}, {3, 8, 0}, {4, 9, 0}}, true, "actions[3].actor must not have approved a step of this order"},
		"steps that do not apply":          {skipped, []approving{{2, 5, 0}}, false, ""},
		"an approval that does not apply":  {skipped, []approving{{1, 6, 0}, {2, 5, 0}}, false, "actions[1].stepId is not a step"},
		"no step that applies":             {list{rule(1, 1, other)}, []approving{{1, 5, 0}}, false, "terms.steps must have one that applies"},
		"skipped without a condition":      {list{rule(1, 1, nil), rule(2, 2, object{"applies": false})}, []approving{{1, 5, 0}}, false, "steps[1].applies must be true"},
		"skipped with another condition":   {list{rule(1, 1, nil), rule(2, 2, object{"applies": false, "when": "no"})}, []approving{{1, 5, 0}}, false, "steps[1].when must be an object"},
		"skipped, of its collection":       {skip(object{"collections": list{"pages", "articles"}}), []approving{{1, 5, 0}}, false, "steps[1].when is met"},
		"skipped, of another locale":       {skip(object{"collections": list{"articles"}, "locales": list{"de"}}), []approving{{1, 5, 0}}, false, ""},
		"skipped, of another member":       {skip(object{"locales": list{"de"}}), []approving{{1, 5, 0}}, false, "steps[1].when is met"},
		"skipped, a first publication":     {skip(object{"actions": list{"first"}}), []approving{{1, 5, 0}}, false, "steps[1].when is met"},
		"skipped, no first publication":    {skip(object{"actions": list{"first"}, "locales": list{"de"}}), []approving{{1, 5, 0}}, false, ""},
		"skipped, what goes offline":       {skip(object{"actions": list{"unpublish"}, "collections": list{"notices"}}), []approving{{1, 5, 0}}, false, "steps[1].when is met"},
		"skipped, for fields":              {skip(object{"collections": list{"articles"}, "fields": list{"title"}}), []approving{{1, 5, 0}}, false, ""},
		"a condition that is met":          {list{rule(1, 1, object{"when": object{"collections": list{"articles"}}})}, []approving{{1, 5, 0}}, false, ""},
		"a step that is not there":         {skipped, []approving{{4, 5, 0}}, false, "actions[1].stepId is not a step"},
		"on behalf":                        {lent, []approving{{1, 5, 6}, {1, 7, 0}, {2, 8, 9}}, false, ""},
		"on behalf of one twice":           {lent, []approving{{1, 5, 6}, {1, 7, 6}, {2, 8, 9}}, true, "actions[2].onBehalfOf must not have approved"},
		"as oneself and on behalf":         {lent, []approving{{1, 5, 0}, {1, 5, 6}, {2, 8, 9}}, true, "actions[2].actor must not have approved"},
		"for who approved":                 {lent, []approving{{1, 5, 0}, {1, 6, 5}, {2, 8, 9}}, true, "actions[2].onBehalfOf must not have approved"},
		"who was stood for":                {lent, []approving{{1, 5, 6}, {1, 6, 0}, {2, 8, 9}}, true, "actions[2].actor must not have approved"},
		"for who approved before":          {lent, []approving{{1, 5, 6}, {1, 7, 0}, {2, 8, 6}}, false, "actions[3].onBehalfOf must not be the submitter"},
		"the submitter's delegate":         {lent, []approving{{1, 5, 1}, {1, 7, 0}, {2, 8, 9}}, false, "actions[1].onBehalfOf must not be the submitter"},
		"for oneself":                      {lent, []approving{{1, 5, 5}, {1, 7, 0}, {2, 8, 9}}, false, "actions[1].onBehalfOf must be another user"},
		"on behalf where it is not lent":   {quorum, []approving{{1, 5, 6}, {1, 7, 0}, {2, 8, 0}}, false, "actions[1].onBehalfOf must be left out"},
		"a step with a signature":          {list{rule(1, 1, object{"signature": object{"meanings": list{"Fine"}}})}, []approving{{1, 5, 0}}, false, "actions[1].signature must be an object"},
		"a signature that does not apply":  {list{rule(1, 1, object{"signature": object{"meanings": list{"Fine"}}, "applies": false, "when": object{"locales": list{"fr"}}}), rule(2, 1, nil)}, []approving{{2, 5, 0}}, false, ""},
		"steps in another order":           {list{rule(1, 2, nil), rule(2, 1, nil)}, []approving{{1, 5, 0}, {2, 6, 0}}, false, "steps[1].stepOrder must be an integer of at least 2"},
		"a step with another id":           {list{rule(2, 1, nil)}, []approving{{1, 5, 0}}, false, "steps[0].stepId must be the place of the step: 1"},
		"a step that needs no approval":    {list{rule(1, 1, object{"approvals": 0}), rule(2, 2, nil)}, []approving{{2, 5, 0}}, false, "steps[0].approvals must be"},
		"a step whether or not it applies": {list{rule(1, 1, object{"applies": nil})}, []approving{{1, 5, 0}}, false, "steps[0].applies must be true or false"},
		"a step that asks who it is":       {list{rule(1, 1, object{"reauthenticate": true})}, []approving{{1, 5, 0}}, false, "actions[1].verified must be password"},
	} {
		p := released(t, text, row.steps, row.approvals...)
		part(p, "request", "terms")["allowSelfApproval"] = row.self
		relink(p)
		all = append(all, judged{name, p, row.want})
	}
	judge(t, signer, all...)
}

// releaseChanges change the proof of a release with two steps.
var releaseChanges = []change{
	{name: "another format", edit: func(p object) { p["format"] = 4 }, want: "format must be 1, 2 or 3"},
	{name: "the format of an entry", edit: func(p object) { p["format"] = 2 }, want: "request.terms.format must be 1 or 2"},
	{name: "no request", edit: func(p object) { delete(p, "request") }, want: "request must be an object"},
	{name: "terms of format 2", edit: func(p object) { part(p, "request", "terms")["format"] = 2; relink(p) }, want: "request.terms.format must be 3"},
	{name: "another kind", edit: func(p object) { part(p, "request", "terms")["kind"] = "page"; relink(p) }, want: "request.terms.kind must be entry or release"},
	{name: "no kind", edit: func(p object) { delete(part(p, "request", "terms"), "kind"); relink(p) }, want: "request.terms.kind must be a string"},
	{name: "the kind of an entry", edit: func(p object) { part(p, "request", "terms")["kind"] = "entry"; relink(p) }, want: "request.terms.release must be left out"},
	{name: "an entry in the terms", edit: func(p object) {
		part(p, "request", "terms")["entryId"] = part(p, "publication")["entryId"]
		relink(p)
	}, want: "request.terms.entryId must be null"},
	{name: "a locale in the terms", edit: func(p object) { part(p, "request", "terms")["locale"] = "en"; relink(p) }, want: "request.terms.locale must be null"},
	{name: "no release", edit: func(p object) { delete(part(p, "request", "terms"), "release"); relink(p) }, want: "request.terms.release must be an object"},
	{name: "the id of the release", edit: func(p object) { part(p, "request", "terms", "release")["id"] = 8; relink(p) }, want: "request.terms.contentHash is not the hash of the release"},
	{name: "the name of the release", edit: func(p object) { part(p, "request", "terms", "release")["name"] = "Autumn"; relink(p) }, want: "request.terms.contentHash is not the hash of the release"},
	{name: "a member of the release", edit: func(p object) { part(p, "request", "terms", "release")["note"] = 1; regroup(p) }, want: "request.terms.release.note is an unknown member"},
	{name: "a member less", edit: func(p object) { setMembers(p, func(m list) list { return m[:2] }); relink(p) }, want: "request.terms.contentHash is not the hash of the release"},
	{name: "an extra member", edit: func(p object) {
		setMembers(p, func(m list) list { return append(m, member(99, strings.Repeat("d", 64))) })
		relink(p)
	}, want: "request.terms.contentHash is not the hash of the release"},
	{name: "members in another order", edit: func(p object) { setMembers(p, reversed); regroup(p) }, want: "members[1].entry must be an integer of at least"},
	{name: "a member twice", edit: func(p object) { setMembers(p, func(m list) list { return append(m, m[2]) }); regroup(p) }, want: "members[3].entry must be an integer of at least"},
	{name: "without the own member", edit: func(p object) { setMembers(p, func(m list) list { return m[1:] }); regroup(p) }, want: "members have no such entry with this content"},
	{name: "no members", edit: func(p object) { setMembers(p, func(list) list { return list{} }); regroup(p) }, want: "members have no such entry with this content"},
	{name: "members that are none", edit: func(p object) { setMembers(p, func(list) list { return list{1} }); regroup(p) }, want: "members[0] must be an object"},
	{name: "the hash of another member", edit: func(p object) { memberOf(p, 0)["hash"] = memberOf(p, 1)["hash"]; regroup(p) }, want: "members have no such entry with this content"},
	{name: "hashes swapped", edit: func(p object) {
		memberOf(p, 0)["hash"], memberOf(p, 1)["hash"] = memberOf(p, 1)["hash"], memberOf(p, 0)["hash"]
		regroup(p)
	}, want: "members have no such entry with this content"},
	{name: "another entry", edit: func(p object) { part(p, "publication")["entryId"] = memberOf(p, 1)["entry"] }, want: "members have no such entry with this content"},
	{name: "an entry that goes", edit: func(p object) { part(p, "publication")["entryId"] = memberOf(p, 2)["entry"] }, want: "members have no such entry with this content"},
	{name: "another collection", edit: func(p object) { memberOf(p, 0)["collection"] = "notices"; regroup(p) }, want: "members have no such entry with this content"},
	{name: "another locale", edit: func(p object) { memberOf(p, 0)["locale"] = "de"; regroup(p) }, want: "members have no such entry with this content"},
	{name: "another content", edit: func(p object) {
		content := strings.Replace(p["content"].(string), "Ceasefire", "Slipped in", 1)
		p["content"], p["contentHash"] = content, sumOf(content)
	}, want: "members have no such entry with this content"},
	{name: "a published member that goes", edit: func(p object) { memberOf(p, 0)["action"] = "unpublish"; regroup(p) }, want: "members[0].hash is an unknown member"},
	{name: "an unknown action", edit: func(p object) { memberOf(p, 1)["action"] = "keep"; delete(memberOf(p, 1), "hash"); regroup(p) }, want: "members[1].action must be publish, or unpublish with a base"},
	{name: "no hash", edit: func(p object) { delete(memberOf(p, 1), "hash"); regroup(p) }, want: "members[1].hash is missing"},
	{name: "no base of what goes", edit: func(p object) { delete(memberOf(p, 2), "base"); regroup(p) }, want: "members[2].action must be publish, or unpublish with a base"},
	{name: "a base without a number", edit: func(p object) { delete(part(memberOf(p, 1), "base"), "number"); regroup(p) }, want: "members[1].base.number is missing"},
	{name: "content of a member", edit: func(p object) { memberOf(p, 1)["fields"] = object{}; regroup(p) }, want: "members[1].fields is an unknown member"},
	{name: "a base", edit: func(p object) { part(memberOf(p, 1), "base")["number"] = 2; relink(p) }, want: "request.terms.contentHash is not the hash of the release"},
	{name: "an action about a member", edit: func(p object) { action(p, 1)["contentHash"] = p["contentHash"]; relink(p) }, want: "request.actions[1].contentHash is not that of the terms"},
	{name: "an approval left out", edit: func(p object) {
		r := part(p, "request")
		r["actions"] = slices.Delete(r["actions"].([]any), 1, 2)
		relink(p)
	}, want: "request.actions[1].stepId is not a step that the request waits at"},
	{name: "an approval twice", edit: func(p object) {
		r := part(p, "request")
		r["actions"] = slices.Insert(r["actions"].([]any), 1, any(maps.Clone(action(p, 1))))
		relink(p)
	}, want: "request.actions[2].stepId is not a step that the request waits at"},
	{name: "approvals in another order", edit: func(p object) {
		all := part(p, "request")["actions"].([]any)
		all[1], all[2] = all[2], all[1]
		relink(p)
	}, want: "request.actions[1].stepId is not a step that the request waits at"},
	{name: "the order of another step", edit: func(p object) { action(p, 1)["stepOrder"] = 3; relink(p) }, want: "request.actions[1].stepOrder is not the step that the request waits at: 1"},
	{name: "no step", edit: func(p object) { delete(action(p, 1), "stepId"); relink(p) }, want: "request.actions[1].stepId must be an integer"},
	{name: "an approval of the outcome", edit: func(p object) {
		part(action(p, 1), "outcome")["approvals"] = list{}
		relink(p)
	}, want: "request.actions[1].outcome.approvals does not follow"},
	{name: "a person of the outcome", edit: func(p object) {
		part(action(p, 1), "outcome")["approvals"].([]any)[0].(object)["for"] = 9
		relink(p)
	}, want: "request.actions[1].outcome.approvals does not follow"},
	{name: "the outcome of format 2", edit: func(p object) {
		outcome := part(action(p, 0), "outcome")
		delete(outcome, "approvals")
		outcome["stepIndex"], outcome["approvers"] = 0, list{}
		relink(p)
	}, want: "request.actions[0].outcome.approvals is missing"},
	{name: "an approval by a token", edit: func(p object) {
		action(p, 1)["actor"] = object{"kind": "token", "id": 5, "name": "CI", "madeBy": 5}
		relink(p)
	}, want: "request.actions[1].actor must be a user"},
	{name: "on behalf of a token", edit: func(p object) {
		part(p, "request", "terms")["steps"].([]any)[0].(object)["delegable"] = true
		action(p, 1)["onBehalfOf"] = object{"kind": "token", "id": 9, "name": "CI", "madeBy": 9}
		relink(p)
	}, want: "request.actions[1].onBehalfOf must be a user"},
	{name: "on behalf of nobody", edit: func(p object) { action(p, 1)["onBehalfOf"] = nil; relink(p) }, want: "request.actions[1].onBehalfOf must be"},
	{name: "a signature that no step asks for", edit: func(p object) { action(p, 1)["signature"] = object{}; relink(p) }, want: "request.actions[1].signature must be left out"},
	{name: "the time of another publication", edit: func(p object) { part(p, "publication")["publishedAt"] = "2026-01-01T00:00:00.000Z" }, want: "publication.publishedAt is not the time of the last action"},
	{name: "a withdrawal", edit: func(p object) { action(p, 2)["type"] = "withdraw"; relink(p) }, want: "ends the request without a publication"},
}

func reversed(m list) list {
	m = slices.Clone(m)
	slices.Reverse(m)
	return m
}

func setMembers(p object, change func(list) list) {
	release := part(p, "request", "terms", "release")
	release["members"] = change(release["members"].([]any))
}

func memberOf(p object, n int) object {
	return part(p, "request", "terms", "release")["members"].([]any)[n].(object)
}

// TestReleases gives the proof of a member of a release, and changed ones, to both verifiers.
func TestReleases(t *testing.T) {
	t.Parallel()
	f := setup(t)
	text := f.reviewed(t)
	signer := f.signer(t)
	steps, approvals := list{rule(1, 1, nil), rule(2, 3, nil)}, []approving{{1, 5, 0}, {2, 6, 0}}
	genuine := func() object { return released(t, text, steps, approvals...) }
	raw, err := json.Marshal(sign(genuine(), signer, signer.key.Fingerprint, base64.StdEncoding.EncodeToString(signer.key.Public)))
	require.NoError(t, err)
	s, err := proof.Verify(raw, nil)
	require.NoError(t, err)
	require.Equal(t, []any{"Spring <launch>", 3, 2, 4}, []any{s.ReleaseName, s.Members, s.Steps, s.Actions})
	all := []judged{{"unchanged", genuine(), ""}}
	for _, c := range releaseChanges {
		changed := genuine()
		c.edit(changed)
		all = append(all, judged{c.name, changed, c.want})
	}
	judge(t, signer, all...)
}

// TestEntriesOfFormat3 has a request for one entry, whose terms have its hash.
func TestEntriesOfFormat3(t *testing.T) {
	t.Parallel()
	f := setup(t)
	text := f.reviewed(t)
	signer := f.signer(t)
	entry := func() object {
		p := released(t, text, list{rule(1, 1, object{"approvals": 2})}, approving{1, 5, 0}, approving{1, 6, 0})
		terms := part(p, "request", "terms")
		delete(terms, "release")
		maps.Copy(terms, object{
			"kind": "entry", "locale": "en", "entryId": part(p, "publication")["entryId"], "collectionId": part(p, "publication")["collectionId"],
		})
		recontent(p, p["content"].(string))
		return p
	}
	all := []judged{{"unchanged", entry(), ""}}
	for name, c := range map[string]change{
		"another entry":      {edit: func(p object) { part(p, "publication")["entryId"] = 99 }, want: "request.terms.entryId is not that of the publication"},
		"another collection": {edit: func(p object) { part(p, "publication")["collectionId"] = 99 }, want: "request.terms.collectionId is not that of the publication"},
		"another content":    {edit: func(p object) { part(p, "request", "terms")["contentHash"] = strings.Repeat("0", 64); relink(p) }, want: "request.terms.contentHash is not that of the content"},
		"an approval less": {edit: func(p object) {
			r := part(p, "request")
			r["actions"] = slices.Delete(r["actions"].([]any), 1, 2)
			relink(p)
		}, want: "request.actions[1].outcome.status does not follow"},
	} {
		changed := entry()
		c.edit(changed)
		all = append(all, judged{name, changed, c.want})
	}
	judge(t, signer, all...)
}

// TestForgerOfReleases changes each member of the proof of a release in turn, computes all hashes again that a
// forger can compute, and signs with another key. No forgery passes with the trusted key, and both verifiers
// judge alike.
func TestForgerOfReleases(t *testing.T) {
	t.Parallel()
	f := setup(t)
	signer := f.signer(t)
	forger := newSigner(signer.key.Installation, signer.key.From, signer.at)
	public := base64.StdEncoding.EncodeToString(forger.key.Public)
	steps := list{rule(1, 1, object{"delegable": true, "approvals": 2}), rule(2, 3, nil)}
	genuine := released(t, f.reviewed(t), steps, approving{1, 5, 9}, approving{1, 7, 0}, approving{2, 6, 0})
	judge(t, signer, judged{"unchanged", genuine, ""})
	document, keys := trusted(t, signer.key)
	var texts [][]byte
	var places []string
	accepted := map[string]bool{}
	mutations(genuine, "proof", func(place string, changed any) {
		p, ok := changed.(object)
		if !ok {
			return
		}
		for _, rehashed := range []bool{false, true} {
			own := normalised(t, p)
			if rehashed {
				reform(own)
			}
			if digest(own) == digest(genuine) {
				continue // a changed hash was computed again
			}
			raw, err := json.Marshal(sign(own, forger, forger.key.Fingerprint, public))
			require.NoError(t, err)
			_, err = proof.Verify(raw, keys)
			require.Error(t, err, "%s passes", place)
			if _, err = proof.Verify(raw, nil); err == nil {
				accepted[place] = true
			}
			texts, places = append(texts, raw), append(places, place)
		}
	})
	require.Greater(t, len(texts), 700)
	for i, line := range byNode(t, document, texts) {
		_, err := proof.Verify(texts[i], nil)
		require.NotEqual(t, "valid", line, places[i])
		// The verifier in JavaScript trusts the keys: it finds nothing else wrong than the key.
		require.Equal(t, err == nil, line == "key.id is not trusted", "%s: %v, but %s", places[i], err, line)
	}
	require.NotEmpty(t, accepted) // such as the comment of an action
	for place := range accepted {
		require.NotContains(t, place, "members[0].hash")
		require.NotContains(t, place, "stepId")
		require.NotContains(t, place, "approvals")
	}
}

// reform is rehash for the proof of a release: the content gets its hash in its member.
func reform(p object) {
	defer func() { _ = recover() }() // a part that is needed was changed
	p["contentHash"] = sumOf(p["content"].(string))
	for _, m := range part(p, "request", "terms", "release")["members"].([]any) {
		if m := m.(object); m["entry"] == part(p, "publication")["entryId"] && m["action"] == "publish" {
			m["hash"] = p["contentHash"]
		}
	}
	regroup(p)
}
