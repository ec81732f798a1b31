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
	"imprimatur/test/newsroom"
)

// roundStep is a step of the model of a round.
type roundStep struct {
	order, approvals int
	kind             string // of holders
	when             string // a locale; "": every change. The entry has en
}

func (s roundStep) skipped() bool { return s.when == "de" }

// holders are the persons that hold each kind of role. The editor submits, and is an admin too.
var holders = map[string][]string{
	"admin":            {"editor", "admin", "viewer", "department", "tenant", "super"},
	"department_admin": {"department", "tenant", "super"},
	"tenant_admin":     {"tenant", "super"},
	"legal":            {"legal"},
}

var roundPeople = []string{"editor", "admin", "viewer", "department", "tenant", "super", "legal"}

// round is an independent model of the decisions about one request, written from the contract.
type round struct {
	steps  []roundStep
	self   bool
	given  map[int][]string // who approved each step, by its id
	status core.RequestStatus
}

// open returns the ids of the steps that wait: of the least order that lacks approvals.
func (m *round) open() (ids []int) {
	order := 0
	for i, s := range m.steps {
		if m.status == core.RequestPending && !s.skipped() && len(m.given[i+1]) < s.approvals && (order == 0 || s.order == order) {
			ids, order = append(ids, i+1), s.order
		}
	}
	return ids
}

// approved reports whether person approved a step of an order for which match is true.
func (m *round) approved(person string, match func(order int) bool) bool {
	for i, s := range m.steps {
		if match(s.order) && slices.Contains(m.given[i+1], person) {
			return true
		}
	}
	return false
}

// ends returns the open steps at which person may end the round.
func (m *round) ends(person string) (ids []int) {
	for _, id := range m.open() {
		s := m.steps[id-1]
		barred := !m.self && (person == "editor" || m.approved(person, func(order int) bool { return order < s.order }))
		if slices.Contains(holders[s.kind], person) && !barred {
			ids = append(ids, id)
		}
	}
	return ids
}

// seated reports whether person approved a step of the present order.
func (m *round) seated(person string) bool {
	return m.approved(person, func(order int) bool { return order == m.steps[m.open()[0]-1].order })
}

// may returns the open steps that person may decide.
func (m *round) may(person string) (ids []int) {
	if ids = m.ends(person); len(ids) > 0 && m.seated(person) {
		return nil
	}
	return ids
}

// decide returns the code of the error of a decision for a step, 0 for none named, or "" after it was made.
func (m *round) decide(person string, step int, approves bool) string {
	may, open := m.may(person), m.open()
	if !approves {
		may = m.ends(person)
	}
	ever := slices.ContainsFunc(m.steps, func(s roundStep) bool { return slices.Contains(holders[s.kind], person) })
	switch {
	case !ever && person == "legal":
		return "not_found"
	case !ever:
		return "forbidden"
	case m.seated(person) && (approves || len(may) == 0):
		return "already_approved"
	case step != 0 && !slices.Contains(open, step):
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
	if !approves {
		m.status = core.RequestRejected
		return ""
	}
	m.given[step] = append(m.given[step], person)
	if len(m.open()) == 0 {
		m.status = core.RequestPublished
	}
	return ""
}

// TestRounds compares random rounds of reviews with the model: the outcome, who may decide, whose inbox has the
// request, and that the record and the proof of the publication are valid.
func TestRounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := setup(t)
		for _, name := range []string{"editor", "viewer"} {
			r.Grant(name, core.RoleAdmin)
		}
		m := &round{self: rapid.Bool().Draw(rt, "self"), given: map[int][]string{}, status: core.RequestPending}
		var steps []approval.StepInput
		order := 1
		for range rapid.IntRange(1, 4).Draw(rt, "steps") {
			s := roundStep{order: order, approvals: rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(rt, "approvals"), kind: rapid.SampledFrom([]string{"admin", "admin", "department_admin", "tenant_admin", "legal"}).Draw(rt, "kind")}
			if s.when = rapid.SampledFrom([]string{"", "", "en", "de"}).Draw(rt, "when"); len(steps) == 0 {
				s.when = ""
			}
			step := newsroom.CustomRoleStep(s.order, r.Legal)
			if s.kind != "legal" {
				step = newsroom.Step(s.order, core.Role(s.kind))
			}
			if step.Approvals = &s.approvals; s.when != "" {
				step.When = &core.Condition{Locales: []string{s.when}}
			}
			m.steps, steps = append(m.steps, s), append(steps, step)
			order += rapid.IntRange(0, 1).Draw(rt, "next")
		}
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: steps, AllowSelfApproval: &m.self})
		require.NoError(rt, err)
		id := r.submit("A")
		plain := !slices.ContainsFunc(m.steps, func(s roundStep) bool { return s.approvals > 1 || s.when != "" })
		for i := 1; i < len(m.steps); i++ {
			plain = plain && m.steps[i].order != m.steps[i-1].order
		}
		require.Equal(rt, map[bool]int{true: 2, false: 3}[plain], r.Request(id).Request.RecordFormat)
		for range 14 {
			r.compareRound(rt, m, id)
			if m.status != core.RequestPending {
				break
			}
			person, named := rapid.SampledFrom(roundPeople).Draw(rt, "person"), rapid.IntRange(0, len(m.steps)).Draw(rt, "step")
			what, approves := approve, rapid.IntRange(0, 15).Draw(rt, "what") > 0
			if !approves {
				what = reject
			}
			in := approval.Decision{}
			if named > 0 {
				in.StepID = &named
			}
			_, err := what(r.Reviews, r, person, id, in)
			require.Equal(rt, m.decide(person, named, approves), code(err), "%s at %d of %+v after %v: %v", person, named, m.steps, m.given, err)
		}
		r.checkRecord(rt, id)
	})
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
			require.Equal(rt, slices.Contains(seen.Steps, step), slices.Contains(v.Users[step], r.IDs[person]), "whether %s is a decider of step %d", person, step)
		}
	}
}

// checkRecord verifies the record of the request of an entry and, if it was published, the proof of that.
func (r *fixture) checkRecord(rt *rapid.T, id int64) {
	audit, err := r.Reviews.Audit(r.t.Context(), r.Actor("admin"), r.Ref(id))
	require.NoError(rt, err)
	require.Empty(rt, audit.Faults)
	public, err := r.Stores.Publications.Current(r.t.Context(), r.Project.ID, []int64{id})
	require.NoError(rt, err)
	if audit.Request.Status != core.RequestPublished {
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

func (s roundSigner) Sign(_ context.Context, message func(core.SigningKey, time.Time) []byte) ([]byte, error) {
	public := []byte(s.Public().(ed25519.PublicKey))
	return ed25519.Sign(s.PrivateKey, message(core.SigningKey{Fingerprint: canonical.Hash(public), Installation: "0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a", Public: public}, noon)), nil
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
		require.Equal(t, core.RequestPublished, v.Request.Status)
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
	require.Equal(t, core.RequestPublished, r.Request(id).Request.Status)
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
