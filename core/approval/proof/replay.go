package proof

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/core/canonical"
)

// replay is the state of a request while its actions are applied.
type replay struct {
	*verifier
	terms     terms
	status    string
	approvals []given // in order
	missing   []int   // the approvals that each step lacks; 0 for a step that does not apply
	passed    int     // the number of steps up to the first that lacks an approval
	// Raw JSON; empty: none.
	scheduled, ends, published string
	version                    int64
	opened                     time.Time         // when the steps that wait opened
	meanings                   map[string]string // the JSON of what users signed, by the id of the user
}

// given is an approval of a step.
type given struct {
	step   int    // its index
	by     string // the id of the user
	behalf string // the id of the user on whose behalf; empty: none
}

// newReplay returns the state before the first action.
func newReplay(v *verifier, t terms) *replay {
	r := &replay{verifier: v, terms: t, status: "pending", missing: make([]int, len(t.steps)), meanings: map[string]string{}}
	for i, s := range t.steps {
		if s.applies {
			r.missing[i] = s.approvals
		}
	}
	r.pass()
	return r
}

// pass moves passed on over steps that lack no approval.
func (r *replay) pass() {
	for r.passed < len(r.missing) && r.missing[r.passed] == 0 {
		r.passed++
	}
}

// complete reports whether no step lacks an approval.
func (r *replay) complete() bool { return r.passed == len(r.missing) }

// waitsAt returns the index of the first step that lacks an approval. When the request is complete it is that
// of the last step that applies.
func (r *replay) waitsAt() int {
	if r.complete() {
		return r.terms.last
	}
	return r.passed
}

// open reports whether a step is open: it lacks an approval, and the steps of an earlier order do not.
func (r *replay) open(step int) bool {
	return r.missing[step] > 0 && r.terms.steps[step].order == r.terms.steps[r.waitsAt()].order
}

// persons returns the users in whose name steps were approved whose order is at least from and less than to.
func (r *replay) persons(from, to int64) (ids []string) {
	for _, g := range r.approvals {
		if order := r.terms.steps[g.step].order; order < from || order >= to {
			continue
		}
		ids = append(ids, g.by)
		if g.behalf != "" {
			ids = append(ids, g.behalf)
		}
	}
	return ids
}

// barredAt returns the users that may not decide at steps of an order.
func (r *replay) barredAt(order int64) []string {
	if r.terms.self {
		return nil
	}
	return append(slices.Clone(r.terms.barred), r.persons(0, order)...)
}

// apply checks that the state allows an action, and that its outcome is the state after it.
func (r *replay) apply(a value, n int, last bool) {
	kind, _ := canonical.Text(a.member("type").raw)
	outcome := r.object(a.member("outcome"), true, append(r.progressNames(), "status", "version")...)
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
		r.opened = timeOf(a)
		r.schedule(a)
	case "approve":
		r.approve(a, publishes)
	case "reschedule":
		if len(r.approvals) > 0 && !clears(a) {
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

// clears reports whether an action removes the times of publication, as an operator may after a restore. It
// publishes nothing.
func clears(a value) bool {
	return a.member("actor").member("kind").is(`"system"`) && a.member("scheduledPublishAt").is("") && a.member("scheduledUnpublishAt").is("")
}

func (r *replay) approve(a value, publishes bool) {
	r.require(r.status == "pending", a, "approves a request that is not pending")
	step := r.stepOf(a)
	if r.fault != nil {
		return
	}
	g := r.given(a, step)
	r.seat(a, g)
	if r.fault != nil {
		return
	}
	r.approvals = append(r.approvals, g)
	r.missing[step]--
	if r.pass(); !r.complete() {
		if r.terms.steps[r.passed].order != r.terms.steps[step].order {
			r.opened = timeOf(a)
		}
		return
	}
	r.status = "approved"
	if publishes {
		r.status = "published"
	}
}

// timeOf returns the time of an action, which was checked.
func timeOf(a value) time.Time {
	text, _ := canonical.Text(a.member("createdAt").raw)
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// stepOf returns the index of the step that a approves, which must be open.
func (r *replay) stepOf(a value) int {
	if r.fault != nil {
		return 0
	}
	step := r.waitsAt()
	if r.terms.format > 2 {
		at := a.member("stepId")
		step = int(r.integer(at, 1)) - 1
		r.require(step < len(r.terms.steps) && step >= 0 && r.open(step), at, "is not a step that the request waits at")
		if r.fault != nil {
			return 0
		}
	}
	order := strconv.FormatInt(r.terms.steps[step].order, 10)
	r.require(a.member("stepOrder").is(order), a.member("stepOrder"), "is not the step that the request waits at: %s", order)
	return step
}

// approver returns the id of an actor, which must be a user.
func (r *replay) approver(actor value) string {
	r.require(actor.member("kind").is(`"user"`), actor, "must be a user")
	return string(actor.member("id").raw)
}

// seat requires that each person of an approval fills one seat among the steps that are open together, and
// may decide.
func (r *replay) seat(a value, g given) {
	order := r.terms.steps[g.step].order
	seated, barred := r.persons(order, order+1), r.barredAt(order)
	for _, person := range []struct {
		at value
		id string
	}{{a.member("actor"), g.by}, {a.member("onBehalfOf"), g.behalf}} {
		if person.id == "" {
			continue
		}
		r.require(!slices.Contains(barred, person.id), person.at, "must not be the submitter, a contributor or the approver of an earlier step")
		r.require(!slices.Contains(seated, person.id), person.at, "must not have approved a step of this order")
	}
}

// unbarred requires that the actor of a may decide the step that the request waits at, or waited at last.
func (r *replay) unbarred(a value) {
	barred := r.barredAt(r.terms.steps[r.waitsAt()].order)
	r.require(r.terms.self || r.terms.format == 1 || a.member("actor").member("kind").is(`"user"`) && !slices.Contains(barred, string(a.member("actor").member("id").raw)),
		a.member("actor"), "must not be the submitter, a contributor or the approver of an earlier step")
}

// outcome checks that an action recorded the present state.
func (r *replay) outcome(o value) {
	want := append([]string{strconv.Quote(r.status)}, r.progress()...)
	want = append(want, strconv.FormatInt(r.version, 10), r.scheduled, r.ends, r.published)
	names := append([]string{"status"}, r.progressNames()...)
	names = append(names, "version", "scheduledPublishAt", "scheduledUnpublishAt", "publishedAt")
	for i, name := range names {
		r.require(o.member(name).is(want[i]), o.member(name), "does not follow from the actions")
	}
}

// progressNames returns the names of the members of an outcome that say how far the request is.
func (r *replay) progressNames() []string {
	if r.terms.format > 2 {
		return []string{"approvals"}
	}
	return []string{"stepIndex", "approvers"}
}

// progress returns the canonical JSON of these members.
func (r *replay) progress() []string {
	approvers, approvals := make([]string, len(r.approvals)), make([]string, len(r.approvals))
	for i, g := range r.approvals {
		behalf := ""
		if g.behalf != "" {
			behalf = `"for":` + g.behalf + ","
		}
		approvers[i], approvals[i] = g.by, "{"+behalf+`"person":`+g.by+`,"stepId":`+strconv.Itoa(g.step+1)+"}"
	}
	if r.terms.format > 2 {
		return []string{"[" + strings.Join(approvals, ",") + "]"}
	}
	return []string{strconv.Itoa(r.waitsAt()), "[" + strings.Join(approvers, ",") + "]"}
}
