package proof

import (
	"regexp"
	"slices"
	"strconv"
	"time"
)

// This file has what the steps of terms require of approvals: how a step is read, and the checks of an approval against it.

// step is a step of terms. Before format 3 every step applies, and one approval passes it.
type step struct {
	order     int64
	approvals int  // how many pass it
	applies   bool // whether the request passes it
	verified  bool // whether it asks for a proof of who the reviewer is
	delegable bool
	signed    bool     // whether it asks for a signature
	meanings  []string // what a signature can mean: canonical JSON
	escalates int64    // hours after which others may decide as well; 0: never
	when      value
}

// steps returns the steps of terms, and the index of the last that applies.
func (v *verifier) steps(o value, format int) (all []step, last int) {
	least, last := int64(1), -1
	for _, s := range v.elements(o) {
		s = v.object(s, true, "stepOrder", "requiredRoleKind", "requiredCustomRoleId", "stepLabel", "allowRevision", "allowRejection")
		next := step{order: v.integer(s.member("stepOrder"), least), approvals: 1, applies: true}
		least = next.order + 1
		asks := string(s.member("reauthenticate").raw)
		v.require(asks == "" || asks == "true", s.member("reauthenticate"), "must be true, or left out")
		next.verified = asks != ""
		if format > 2 {
			least = next.order // steps of one order are open together
			v.rule(s, len(all)+1, &next)
		}
		if next.applies {
			last = len(all)
		}
		all = append(all, next)
	}
	v.require(len(all) > 0, o, "must not be empty")
	v.require(last >= 0, o, "must have one that applies")
	return all, last
}

// rule reads the members that a step has from format 3 on.
func (v *verifier) rule(s value, id int, next *step) {
	v.require(s.member("stepId").is(strconv.Itoa(id)), s.member("stepId"), "must be the place of the step: %d", id)
	next.approvals = int(v.integer(s.member("approvals"), 1))
	next.delegable, next.applies = v.boolean(s.member("delegable")), v.boolean(s.member("applies"))
	if next.when = s.member("when"); next.when.raw != nil {
		v.object(next.when, true)
	}
	v.require(next.applies || next.when.raw != nil, s.member("applies"), "must be true, because the step has no condition")
	if to := s.member("escalate"); to.raw != nil {
		v.object(to, true, "after")
		next.escalates = v.integer(to.member("after"), 1)
	}
	if signature := s.member("signature"); signature.raw != nil {
		for _, meaning := range v.elements(v.object(signature, false, "meanings").member("meanings")) {
			v.text(meaning)
			next.meanings = append(next.meanings, string(meaning.raw))
		}
		next.signed = true
	}
}

// ways are the values of verified.
var ways = []string{`"password"`, `"totp"`, `"passkey"`, `"provider"`}

// commentsHash matches the JSON of a hash.
var commentsHash = regexp.MustCompile(`^"[0-9a-f]{64}"$`)

// given returns the approval a of the step with that index, which must be as the step asks.
func (r *replay) given(a value, step int) given {
	rule := r.terms.steps[step]
	r.proven(a, rule)
	if said := a.member("commentsHash"); said.raw != nil {
		r.require(commentsHash.Match(said.raw), said, "must be 64 lower-case hexadecimal digits")
	}
	g := given{step: step, by: r.approver(a.member("actor"))}
	if r.terms.format > 2 {
		g.behalf = r.behalf(a, rule, g.by)
		r.escalated(a, rule)
		r.signed(a, rule)
	}
	return g
}

// proven checks how the user of an approval proved who they are.
func (r *replay) proven(a value, rule step) {
	way := a.member("verified")
	if rule.verified && !rule.signed {
		r.require(slices.Contains(ways, string(way.raw)), way, "must be password, totp, passkey or provider, because the step asks for it")
	} else {
		r.require(string(way.raw) == "", way, "must be left out, because the step does not ask for it")
	}
}

// escalated checks an approval by a user that the step was escalated to.
func (r *replay) escalated(a value, rule step) {
	by := a.member("by")
	if by.raw == nil {
		return
	}
	r.require(by.is(`"escalation"`), by, "must be escalation, or left out")
	r.require(rule.escalates > 0, by, "must be left out, because the step is not escalated")
	r.require(!timeOf(a).Before(r.opened.Add(time.Duration(rule.escalates)*time.Hour)), by, "comes before the step is escalated")
}

// behalf returns the id of the user on whose behalf by approves; empty: none.
func (r *replay) behalf(a value, rule step, by string) string {
	other := a.member("onBehalfOf")
	if other.raw == nil {
		return ""
	}
	r.require(rule.delegable, other, "must be left out, because the step is not delegable")
	r.actor(other)
	id := r.approver(other)
	r.require(id != by, other, "must be another user")
	return id
}
