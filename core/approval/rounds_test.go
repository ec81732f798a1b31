package approval_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/canonical"
	"imprimatur/core/delegation"
	"imprimatur/core/installation"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// roundStep is a step of the model of a round.
type roundStep struct {
	order, approvals int
	kind             string // of holders
	escalates        string // to holders of this kind, after escalateAfter; "": to none
	delegable        bool
	when             string // a locale; "": every change. The entry has en
}

const escalateAfter = 48 * time.Hour

func (s roundStep) skipped() bool { return s.when == "de" }

// holders are the persons that hold each kind of role. The editor submits, and is an admin too.
var holders = map[string][]string{
	"admin":            {"editor", "admin", "viewer", "department", "tenant", "super"},
	"department_admin": {"department", "tenant", "super"},
	"tenant_admin":     {"tenant", "super"},
	"legal":            {"legal"},
}

// roundPeople are those of the model. The brand reads, and decides for others only; the outsider does not even read.
var roundPeople = []string{"editor", "admin", "viewer", "department", "tenant", "super", "legal", "brand", "outsider"}

// approved is an approval in the model.
type approved struct{ person, behalf string }

func (a approved) has(person string) bool {
	return person != "" && (a.person == person || a.behalf == person)
}

// round is an independent model of the decisions about one request, written from the contract.
type round struct {
	steps  []roundStep
	self   bool
	given  map[int][]approved // who approved each step, by its id
	status review.RequestStatus
	lends  [][2]string   // from and to, oldest first
	waited time.Duration // since the open steps opened
	late   bool          // the last decision was by escalation
}

// open returns the ids of the steps that wait: of the least order that lacks approvals.
func (m *round) open() (ids []int) {
	order := 0
	for i, s := range m.steps {
		if m.status == review.RequestPending && !s.skipped() && len(m.given[i+1]) < s.approvals && (order == 0 || s.order == order) {
			ids, order = append(ids, i+1), s.order
		}
	}
	return ids
}

// approved reports whether person is on an approval of a step of an order for which match is true.
func (m *round) approved(person string, match func(order int) bool) bool {
	for i, s := range m.steps {
		if match(s.order) && slices.ContainsFunc(m.given[i+1], func(a approved) bool { return a.has(person) }) {
			return true
		}
	}
	return false
}

// holds reports whether person has the role of an open step, and whether only because it is escalated.
func (m *round) holds(person string, id int) (may, late bool) {
	s := m.steps[id-1]
	if slices.Contains(holders[s.kind], person) {
		return true, false
	}
	late = m.waited >= escalateAfter && slices.Contains(holders[s.escalates], person)
	return late, late
}

// barred reports whether four eyes keeps person from the open steps.
func (m *round) barred(person string) bool {
	order := m.steps[m.open()[0]-1].order
	return !m.self && (person == "editor" || m.approved(person, func(of int) bool { return of < order }))
}

// seated reports whether person is on an approval of a step of the present order.
func (m *round) seated(person string) bool {
	return m.approved(person, func(order int) bool { return order == m.steps[m.open()[0]-1].order })
}

func (m *round) excluded(person string) bool { return m.seated(person) || m.barred(person) }

// own returns the open steps that person may decide in the own name.
func (m *round) own(person string) (ids []int) {
	for _, id := range m.open() {
		if may, _ := m.holds(person, id); may && !m.excluded(person) {
			ids = append(ids, id)
		}
	}
	return ids
}

// lenders returns on whose behalf person may decide an open step, and on whose it could if none were excluded.
func (m *round) lenders(person string, id int) (may, could []string) {
	for _, l := range m.lends {
		if holds, _ := m.holds(l[0], id); l[1] == person && holds && m.steps[id-1].delegable {
			if could = append(could, l[0]); !m.excluded(person) && !m.excluded(l[0]) {
				may = append(may, l[0])
			}
		}
	}
	return may, could
}

// may returns the open steps that person may decide, in the own name or on behalf of another.
func (m *round) may(person string) (ids []int) {
	if !m.sees(person) {
		return nil
	}
	for _, id := range m.open() {
		lenders, _ := m.lenders(person, id)
		if slices.Contains(m.own(person), id) || len(lenders) > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// ends returns the open steps at which person may end the round: one who approved may still change their mind.
func (m *round) ends(person string) (ids []int) {
	if !m.seated(person) {
		return m.may(person)
	}
	for _, id := range m.open() {
		if may, _ := m.holds(person, id); may {
			ids = append(ids, id)
		}
	}
	return ids
}

// ever reports whether person has any part in the decisions, now or later.
func (m *round) ever(person string) bool {
	return slices.ContainsFunc(m.steps, func(s roundStep) bool {
		holds := func(who string) bool {
			return slices.Contains(holders[s.kind], who) || slices.Contains(holders[s.escalates], who)
		}
		return holds(person) || s.delegable && slices.ContainsFunc(m.lends, func(l [2]string) bool { return l[1] == person && holds(l[0]) })
	})
}

func (m *round) sees(person string) bool {
	legal := slices.ContainsFunc(m.steps, func(s roundStep) bool { return s.kind == "legal" || s.escalates == "legal" })
	return person != "outsider" && (person != "legal" || legal)
}

// behalf returns the open steps that person may decide on behalf of one user, and whether an approval keeps them from it.
func (m *round) behalf(person, lender string) (may []int, seated bool) {
	seated = m.seated(person)
	for _, id := range m.open() {
		allowed, could := m.lenders(person, id)
		if slices.Contains(allowed, lender) {
			may = append(may, id)
		}
		seated = seated || !m.barred(person) && slices.Contains(could, lender) && m.seated(lender)
	}
	return may, seated
}

// decide returns the code of the error of a decision for a step, 0 for none named, on behalf of a lender, "" for none
// named, or "" after it was made.
func (m *round) decide(person, lender string, step int, approves bool) string {
	var may []int
	var seated bool
	switch {
	case lender != "":
		may, seated = m.behalf(person, lender)
	case approves:
		may, seated = m.may(person), m.seated(person)
		for _, l := range m.lends {
			_, also := m.behalf(person, l[0])
			seated = seated || also
		}
	default:
		may, seated = m.ends(person), m.seated(person)
		for _, l := range m.lends {
			_, also := m.behalf(person, l[0])
			seated = seated || also
		}
	}
	switch {
	case !m.sees(person):
		return "not_found"
	case !m.ever(person):
		return "forbidden"
	case len(may) == 0 && seated:
		return "already_approved"
	case step != 0 && !slices.Contains(m.open(), step):
		return "stale_step"
	case len(may) == 0:
		return "forbidden"
	case step == 0 && len(may) > 1:
		return "invalid"
	case step == 0:
		step = may[0]
	case !slices.Contains(may, step):
		return "forbidden"
	}
	if lender == "" && !slices.Contains(m.own(person), step) && !m.seated(person) {
		lenders, _ := m.lenders(person, step)
		lender = lenders[0]
	}
	if _, m.late = m.holds(person, step); lender != "" {
		_, m.late = m.holds(lender, step)
	}
	if !approves {
		m.status = review.RequestRejected
		return ""
	}
	order := m.steps[step-1].order
	if m.given[step] = append(m.given[step], approved{person, lender}); len(m.open()) == 0 {
		m.status = review.RequestPublished
	} else if m.steps[m.open()[0]-1].order != order {
		m.waited = 0
	}
	return ""
}

// TestRounds compares random rounds of reviews with the model: the outcome, who may decide, whose inbox has the
// request, and that the record and the proof of the publication are valid.
func TestRounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := setup(t)
		for name, role := range map[string]core.Role{"editor": core.RoleAdmin, "viewer": core.RoleAdmin, "brand": core.RoleViewer} {
			r.Grant(name, role)
		}
		m := &round{self: rapid.Bool().Draw(rt, "self"), given: map[int][]approved{}, status: review.RequestPending}
		for _, l := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(roundPeople)*len(roundPeople)-1), 0, 6, rapid.ID).Draw(rt, "lends") {
			r.lendInRound(m, roundPeople[l/len(roundPeople)], roundPeople[l%len(roundPeople)])
		}
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: r.drawSteps(rt, m), AllowSelfApproval: &m.self})
		require.NoError(rt, err)
		id := r.submit("A")
		require.Equal(rt, map[bool]int{true: 2, false: 3}[m.plain()], r.Request(id).Request.RecordFormat)
		for range 20 {
			r.compareRound(rt, m, id)
			if m.status != review.RequestPending {
				break
			}
			person := rapid.SampledFrom(roundPeople).Draw(rt, "person")
			switch what := rapid.IntRange(0, 15).Draw(rt, "what"); what {
			case 0, 1:
				r.clock.pass(escalateAfter / 2)
				m.waited += escalateAfter / 2
			case 2:
				r.lendInRound(m, person, rapid.SampledFrom(roundPeople).Draw(rt, "to"))
			case 3:
				r.endInRound(m, person)
			default:
				r.decideInRound(rt, m, id, person, what > 4)
			}
		}
		r.checkRecord(rt, id)
	})
}

// drawSteps adds random steps to the model, and returns them.
func (r *fixture) drawSteps(rt *rapid.T, m *round) (steps []approval.StepInput) {
	kinds := []string{"admin", "admin", "department_admin", "tenant_admin", "legal"}
	order := 1
	for range rapid.IntRange(1, 4).Draw(rt, "steps") {
		s := roundStep{order: order, approvals: rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(rt, "approvals"), kind: rapid.SampledFrom(kinds).Draw(rt, "kind"), delegable: rapid.Bool().Draw(rt, "delegable")}
		s.escalates = rapid.SampledFrom(append([]string{"", "", "", ""}, kinds...)).Draw(rt, "escalates")
		if s.when = rapid.SampledFrom([]string{"", "", "en", "de"}).Draw(rt, "when"); len(steps) == 0 {
			s.when = ""
		}
		step := newsroom.CustomRoleStep(s.order, r.Legal)
		if s.kind != "legal" {
			step = newsroom.Step(s.order, core.Role(s.kind))
		}
		step.Approvals, step.Delegable = &s.approvals, s.delegable
		switch s.escalates {
		case "":
		case "legal":
			step.Escalate = &approval.EscalationInput{After: int(escalateAfter.Hours()), RequiredCustomRoleID: &r.Legal.ID}
		default:
			step.Escalate = &approval.EscalationInput{After: int(escalateAfter.Hours()), RequiredRoleKind: s.escalates}
		}
		if s.when != "" {
			step.When = &review.Condition{Locales: []string{s.when}}
		}
		m.steps, steps = append(m.steps, s), append(steps, step)
		order += rapid.IntRange(0, 1).Draw(rt, "next")
	}
	return steps
}

// plain reports whether the steps use nothing that needs record format 3.
func (m *round) plain() bool {
	for i, s := range m.steps {
		if s.approvals > 1 || s.when != "" || s.delegable || s.escalates != "" || i > 0 && s.order == m.steps[i-1].order {
			return false
		}
	}
	return true
}

// lendInRound lets a person decide on behalf of another one. The model knows the first delegation of a pair.
func (r *fixture) lendInRound(m *round, from, to string) {
	if from == to || slices.Contains(m.lends, [2]string{from, to}) {
		return
	}
	_, err := r.Delegations.Give(r.t.Context(), r.Actor(from), delegation.Input{To: r.IDs[to], Until: r.clock.Now().AddDate(0, 0, review.MaxDelegationDays)})
	require.NoError(r.t, err)
	m.lends = append(m.lends, [2]string{from, to})
}

// endInRound ends the delegations that a person received.
func (r *fixture) endInRound(m *round, to string) {
	lists, err := r.Delegations.List(r.t.Context(), r.Actor(to))
	require.NoError(r.t, err)
	for _, d := range lists.Received {
		require.NoError(r.t, r.Delegations.End(r.t.Context(), r.Actor(to), d.ID))
	}
	m.lends = slices.DeleteFunc(m.lends, func(l [2]string) bool { return l[1] == to })
}

// decideInRound makes a random decision, and compares its error and what it records with the model.
func (r *fixture) decideInRound(rt *rapid.T, m *round, id int64, person string, approves bool) {
	named, lender := rapid.IntRange(0, len(m.steps)).Draw(rt, "step"), rapid.SampledFrom(append([]string{"", "", "", ""}, roundPeople...)).Draw(rt, "for")
	what, in := approve, approval.Decision{}
	if !approves {
		what = reject
	}
	if named > 0 {
		in.StepID = &named
	}
	if lender != "" {
		in.For = new(r.IDs[lender])
	}
	_, err := what(r.Reviews, r, person, id, in)
	want := m.decide(person, lender, named, approves)
	require.Equal(rt, want, code(err), "%s for %q at %d of %+v after %v, lent %v, waited %v: %v", person, lender, named, m.steps, m.given, m.lends, m.waited, err)
	if want == "" {
		v := r.Request(id)
		last := v.Actions[len(v.Actions)-1]
		if !last.Type.Decision() {
			last = v.Actions[len(v.Actions)-2]
		}
		require.Equal(rt, m.late, last.Escalated)
	}
}

func code(err error) string {
	if fault, ok := errors.AsType[*core.Error](err); ok {
		return fault.Code
	}
	return fmt.Sprint(map[bool]any{true: "", false: err}[err == nil])
}

// compareRound compares the request of an entry with the model.
func (r *fixture) compareRound(rt *rapid.T, m *round, id int64) {
	v := r.Request(id)
	require.Equal(rt, m.status, v.Request.Status)
	require.Equal(rt, m.open(), v.Request.OpenSteps())
	r.compareSeats(rt, m, v.Request)
	for _, person := range roundPeople {
		page, err := r.Inbox.List(r.t.Context(), r.Actor(person), approval.InboxFilter{})
		require.NoError(rt, err)
		require.Equal(rt, len(m.may(person)) > 0, len(page.Items) == 1, "the inbox of %s", person)
		seen, err := r.Reviews.Current(r.t.Context(), r.Actor(person), r.Ref(id))
		if errors.Is(err, core.ErrNotFound) {
			require.Empty(rt, m.may(person))
			continue
		}
		require.NoError(rt, err)
		require.Equal(rt, m.may(person), seen.Steps, person)
		require.Equal(rt, len(seen.Steps) == 0, seen.Reason != "")
		for _, step := range m.open() {
			require.Equal(rt, slices.Contains(m.own(person), step), slices.Contains(v.Users[step], r.IDs[person]), "whether %s is a decider of step %d", person, step)
		}
	}
}

// compareSeats compares the approvals with the model: no person, and none on whose behalf another decided, fills two
// seats of one order.
func (r *fixture) compareSeats(rt *rapid.T, m *round, request review.Request) {
	want, got, seats := map[review.Approval]int{}, map[review.Approval]int{}, map[[2]int64]bool{}
	for id, all := range m.given {
		for _, a := range all {
			want[review.Approval{StepID: id, Person: r.IDs[a.person], For: r.IDs[a.behalf]}]++
		}
	}
	for _, a := range request.Approvals {
		got[a]++
		for _, person := range []int64{a.Person, a.For} {
			seat := [2]int64{person, int64(m.steps[a.StepID-1].order)}
			require.False(rt, person != 0 && seats[seat], "a person fills two seats: %v", request.Approvals)
			seats[seat] = true
		}
	}
	require.Equal(rt, want, got)
}

// checkRecord verifies the record of the request of an entry and, if it was published, the proof of that.
func (r *fixture) checkRecord(rt *rapid.T, id int64) {
	audit, err := r.Reviews.Audit(r.t.Context(), r.Actor("admin"), r.Ref(id))
	require.NoError(rt, err)
	require.Empty(rt, audit.Faults)
	public, err := r.Stores.Publications.Current(r.t.Context(), r.Project.ID, []int64{id})
	require.NoError(rt, err)
	if audit.Request.Status != review.RequestPublished {
		require.Empty(rt, public)
		return
	}
	item := audit.Request.Item()
	p := core.Publication{
		ProjectID: r.Project.ID, CollectionID: item.CollectionID, EntryID: id, Number: public[id].Number, PublishedAt: audit.Request.PublishedAt,
		By: audit.Actions[len(audit.Actions)-1].Actor, Content: item.Snapshot, ContentHash: item.ContentHash,
	}
	made, err := proof.New(r.t.Context(), roundSigner{ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}, p, audit.Record())
	require.NoError(rt, err)
	text, err := json.Marshal(made)
	require.NoError(rt, err)
	_, err = proof.Verify(text, nil)
	require.NoError(rt, err)
}

// roundSigner is a ports.Signer with one key.
type roundSigner struct{ ed25519.PrivateKey }

func (s roundSigner) Sign(_ context.Context, message func(installation.SigningKey, time.Time) []byte) ([]byte, error) {
	public := []byte(s.Public().(ed25519.PublicKey))
	return ed25519.Sign(s.PrivateKey, message(installation.SigningKey{Fingerprint: canonical.Hash(public), Installation: "0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a", Public: public}, noon)), nil
}

// Of many approvals at once as many count as the step asks for, each of another person, and the others are refused.
func TestApprovalsAtOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	step, three := newsroom.Step(1, core.RoleAdmin), 3
	step.Approvals = &three
	r.SetWorkflow(step)
	people := []string{"admin", "viewer", "outsider", "brand", "legal", "department", "tenant", "super"}
	for _, name := range people[1:5] {
		r.Grant(name, core.RoleAdmin)
	}
	for round := range 5 {
		id := r.submit(fmt.Sprint("A", round))
		codes := make([]string, 20)
		var all sync.WaitGroup
		for i := range codes {
			all.Go(func() {
				_, err := r.Reviews.Approve(t.Context(), r.Actor(people[i%len(people)]), r.Ref(id), approval.Decision{})
				codes[i] = code(err)
			})
		}
		all.Wait()
		v := r.Request(id)
		require.Equal(t, review.RequestPublished, v.Request.Status)
		require.Len(t, v.Request.Approvals, 3)
		require.Equal(t, "A"+fmt.Sprint(round), r.Public(id))
		persons := map[int64]bool{}
		for _, given := range v.Request.Approvals {
			persons[given.Person] = true
		}
		require.Len(t, persons, 3, "different persons")
		counts := map[string]int{}
		for _, c := range codes {
			counts[c]++
		}
		require.Equal(t, 3, counts[""], "%v", counts)
		require.Equal(t, 17, counts["already_approved"]+counts["not_pending"]+counts["changed_meanwhile"], "%v", counts)
	}
}

// An approval counts also after its person lost the role or was deactivated, and the view marks it.
func TestApprovalsOfFormerReviewersCount(t *testing.T) {
	t.Parallel()
	r := setup(t)
	step, three := newsroom.Step(1, core.RoleAdmin), 3
	step.Approvals = &three
	r.SetWorkflow(step)
	r.Grant("viewer", core.RoleAdmin)
	id := r.submit("A")
	r.approveAll(id, "admin", "viewer")
	require.Empty(t, r.Request(id).Former)
	r.Revoke("viewer", core.RoleAdmin)
	r.SetActive("admin", false)
	v := r.Request(id)
	require.Equal(t, []int64{v.Actions[1].ID, v.Actions[2].ID}, v.Former)
	r.approveAll(id, "tenant")
	require.Equal(t, review.RequestPublished, r.Request(id).Request.Status)
	require.Empty(t, r.Request(id).Former)
}

// A step is unreachable if its approvals, and those of the steps that are open with it, need more persons than there are.
func TestUnreachableCountsSeats(t *testing.T) {
	t.Parallel()
	r := setup(t)
	step := func(order, approvals int, role core.Role) approval.StepInput {
		s := newsroom.Step(order, role)
		s.Approvals = &approvals
		return s
	}
	self, once := true, false
	legal := newsroom.CustomRoleStep(1, r.Legal)
	for name, row := range map[string]struct {
		self  *bool
		steps []approval.StepInput
		want  map[int]string
	}{
		"enough persons":               {&self, []approval.StepInput{step(1, 3, core.RoleDepartmentAdmin)}, map[int]string{}},
		"one person too few":           {&self, []approval.StepInput{step(1, 4, core.RoleDepartmentAdmin)}, map[int]string{1: "the step needs the approvals of 4 more users, and 3 can give one"}},
		"in two steps after the other": {&self, []approval.StepInput{step(1, 3, core.RoleDepartmentAdmin), step(2, 3, core.RoleDepartmentAdmin)}, map[int]string{}},
		"in two steps at once": {&self, []approval.StepInput{step(1, 2, core.RoleDepartmentAdmin), step(1, 2, core.RoleDepartmentAdmin)}, map[int]string{
			1: "a step that is open at the same time cannot be approved", 2: "a user may approve only one step, and the other steps need all users that are left",
		}},
		"without self-approval": {&once, []approval.StepInput{step(1, 3, core.RoleDepartmentAdmin), step(2, 1, core.RoleTenantAdmin)}, map[int]string{
			2: "a user may approve only one step, and the other steps need all users that are left",
		}},
		"with one that nobody holds": {&self, []approval.StepInput{step(1, 1, core.RoleAdmin), {StepOrder: 1, RequiredRoleKind: "admin", RequiredCustomRoleID: legal.RequiredCustomRoleID, Approvals: new(2)}}, map[int]string{
			1: "a step that is open at the same time cannot be approved", 2: "the step needs the approvals of 2 more users, and 1 can give one",
		}},
	} {
		w, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: row.steps, AllowSelfApproval: row.self})
		require.NoError(t, err, name)
		got := map[int]string{}
		for _, warning := range w.Warnings(w.Steps) {
			got[warning.ID] = warning.Reasons[len(warning.Reasons)-1]
		}
		require.Equal(t, row.want, got, name)
	}
}
