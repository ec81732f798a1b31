package approval_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/delegation"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// lent returns a fixture with delegable steps, and whether users may approve what they submitted.
func lent(t testing.TB, self bool, steps ...approval.StepInput) *fixture {
	t.Helper()
	r := setup(t)
	_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: steps, AllowSelfApproval: &self})
	require.NoError(t, err)
	return r
}

// forUser returns a decision on behalf of a user.
func (r *fixture) forUser(name string) approval.Decision {
	id := r.IDs[name]
	return approval.Decision{For: &id}
}

// decides returns the code of the error of a decision.
func (r *fixture) decides(what decide, person string, id int64, in approval.Decision) string {
	_, err := what(r.Reviews, r, person, id, in)
	return code(err)
}

func TestDecisionsOnBehalf(t *testing.T) {
	t.Parallel()
	r := lent(t, false, newsroom.DelegableStep(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin))
	id := r.submit("A")
	require.Equal(t, "forbidden", r.decides(approve, "viewer", id, approval.Decision{}))
	r.Lend("admin", "viewer")
	require.Equal(t, "forbidden", r.decides(approve, "viewer", id, r.forUser("department")), "no delegation")
	require.Equal(t, "forbidden", r.decides(approve, "admin", id, r.forUser("viewer")))
	require.Equal(t, "", r.decides(approve, "viewer", id, approval.Decision{}), "there is no other way")
	v := r.Request(id)
	require.Equal(t, []review.Approval{{StepID: 1, Person: r.IDs["viewer"], For: r.IDs["admin"]}}, v.Request.Approvals)
	last := v.Actions[len(v.Actions)-1]
	require.Equal(t, core.ActorRef{Kind: "user", ID: r.IDs["admin"], Name: "admin"}, last.OnBehalfOf)
	require.Equal(t, "viewer", last.Actor.Name)
	require.Equal(t, 3, v.Request.RecordFormat)
	require.Empty(t, v.Former, "the role is that of the user on whose behalf")
	r.Lend("department", "viewer")
	require.Equal(t, "forbidden", r.decides(approve, "viewer", id, approval.Decision{}), "the step is not delegable")
	require.Equal(t, "forbidden", r.decides(approve, "admin", id, approval.Decision{}))
	require.Equal(t, "", r.decides(approve, "department", id, approval.Decision{}))
	rapid.Check(t, func(rt *rapid.T) { r.checkRecord(rt, id) })
}

func TestTheOwnNameComesFirst(t *testing.T) {
	t.Parallel()
	r := lent(t, true, newsroom.DelegableStep(1, core.RoleAdmin))
	r.Lend("admin", "department")
	id := r.submit("A")
	require.Equal(t, "", r.decides(approve, "department", id, approval.Decision{}))
	require.Equal(t, []review.Approval{{StepID: 1, Person: r.IDs["department"]}}, r.Request(id).Request.Approvals)
	id = r.submit("B")
	require.Equal(t, "", r.decides(approve, "department", id, r.forUser("admin")))
	require.Equal(t, []review.Approval{{StepID: 1, Person: r.IDs["department"], For: r.IDs["admin"]}}, r.Request(id).Request.Approvals)
}

// A delegate of two users is one person, and so is a user with the delegate.
func TestDelegatesFillOneSeat(t *testing.T) {
	t.Parallel()
	two := newsroom.DelegableStep(1, core.RoleAdmin)
	two.Approvals = new(2)
	r := lent(t, true, two)
	r.Grant("outsider", core.RoleAdmin)
	r.Lend("admin", "viewer")
	r.Lend("outsider", "viewer")
	id := r.submit("A")
	require.Equal(t, "", r.decides(approve, "viewer", id, r.forUser("outsider")))
	require.Equal(t, "already_approved", r.decides(approve, "viewer", id, r.forUser("admin")))
	require.Equal(t, "already_approved", r.decides(approve, "viewer", id, approval.Decision{}))
	require.Equal(t, "already_approved", r.decides(approve, "outsider", id, approval.Decision{}))
	require.Equal(t, "", r.decides(approve, "admin", id, approval.Decision{}))
	require.Equal(t, review.RequestPublished, r.Request(id).Request.Status)
	rapid.Check(t, func(rt *rapid.T) { r.checkRecord(rt, id) })

	id = r.submit("B")
	require.Equal(t, "", r.decides(approve, "admin", id, approval.Decision{}))
	require.Equal(t, "already_approved", r.decides(approve, "viewer", id, r.forUser("admin")))
	require.Equal(t, "", r.decides(approve, "viewer", id, approval.Decision{}), "on behalf of the other one")
}

// Four eyes holds for both names.
func TestDelegatesAreNoWayAroundFourEyes(t *testing.T) {
	t.Parallel()
	r := lent(t, false, newsroom.DelegableStep(1, core.RoleAdmin), newsroom.DelegableStep(2, core.RoleAdmin))
	r.Grant("editor", core.RoleAdmin)
	r.Lend("editor", "viewer")
	r.Lend("admin", "editor")
	id := r.submit("A")
	require.Equal(t, "forbidden", r.decides(approve, "viewer", id, r.forUser("editor")), "the submitter's delegate")
	require.Equal(t, "forbidden", r.decides(approve, "editor", id, r.forUser("admin")), "the submitter as a delegate")
	r.Lend("admin", "viewer")
	require.Equal(t, "", r.decides(approve, "viewer", id, approval.Decision{}), "on behalf of another one")
	for _, person := range []string{"viewer", "admin"} {
		require.Equal(t, "forbidden", r.decides(approve, person, id, approval.Decision{}), "%s approved the earlier step", person)
	}
	require.Equal(t, "", r.decides(approve, "department", id, approval.Decision{}))
}

// What the delegator has lost, or a delegate that may not act or read, decides nothing.
func TestDelegationsNeedBothAtTheDecision(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(r *fixture, d core.Delegation)
		want   string
	}{
		"it holds":                        {func(*fixture, core.Delegation) {}, ""},
		"the delegator lost the role":     {func(r *fixture, _ core.Delegation) { r.Revoke("admin", core.RoleAdmin) }, "forbidden"},
		"the delegator is deactivated":    {func(r *fixture, _ core.Delegation) { r.SetActive("admin", false) }, "forbidden"},
		"the delegate is deactivated":     {func(r *fixture, _ core.Delegation) { r.SetActive("viewer", false) }, "unauthenticated"},
		"the delegate may not read":       {func(r *fixture, _ core.Delegation) { r.Revoke("viewer", core.RoleViewer) }, "not_found"},
		"the Project left the Department": {func(r *fixture, _ core.Delegation) { r.Move(r.Marketing.ID) }, ""},
		"it was ended": {func(r *fixture, d core.Delegation) {
			require.NoError(r.t, r.Delegations.End(r.t.Context(), r.Actor("viewer"), d.ID))
		}, "forbidden"},
		"its time is over":                 {func(r *fixture, _ core.Delegation) { r.clock.pass(24 * 3600 * 1e9) }, "forbidden"},
		"one millisecond before its end":   {func(r *fixture, _ core.Delegation) { r.clock.pass(24*3600*1e9 - 1e6) }, ""},
		"the clock was set back before it": {func(r *fixture, _ core.Delegation) { r.clock.pass(-1e6) }, "forbidden"},
		"what was lent to the delegator":   {func(r *fixture, d core.Delegation) { r.Revoke("admin", core.RoleAdmin); r.Lend("department", "admin") }, "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := lent(t, false, newsroom.DelegableStep(1, core.RoleAdmin))
			id := r.submit("A")
			d := r.Lend("admin", "viewer")
			seen := r.Actor("viewer") // as it was when the request came in
			row.change(r, d)
			_, err := r.Reviews.Approve(t.Context(), seen, r.Ref(id), approval.Decision{})
			require.Equal(t, row.want, code(err))
		})
	}
}

func TestRejectionsOnBehalf(t *testing.T) {
	t.Parallel()
	for what, status := range map[*decide]review.RequestStatus{&reject: review.RequestRejected, &revise: review.RequestRevision} {
		r := lent(t, false, newsroom.DelegableStep(1, core.RoleAdmin))
		r.Lend("admin", "viewer")
		id := r.submit("A")
		require.Equal(t, "", r.decides(*what, "viewer", id, approval.Decision{Comment: "no"}))
		v := r.Request(id)
		require.Equal(t, status, v.Request.Status)
		require.Equal(t, "admin", v.Actions[1].OnBehalfOf.Name)
		require.Equal(t, "admin", approval.ActionOf(&v.Actions[1]).OnBehalfOf.Name)
		audit, err := r.Reviews.Audit(t.Context(), r.Actor("admin"), r.Ref(id))
		require.NoError(t, err)
		require.Empty(t, audit.Faults)
	}
}

// Requests submitted before a step became delegable keep their steps and their format.
func TestEarlierRequestsAreNotDelegable(t *testing.T) {
	t.Parallel()
	r := lent(t, false, newsroom.Step(1, core.RoleAdmin))
	id := r.submit("A")
	r.SetWorkflow(newsroom.DelegableStep(1, core.RoleAdmin))
	r.Lend("admin", "viewer")
	require.Equal(t, "forbidden", r.decides(approve, "viewer", id, approval.Decision{}))
	require.Equal(t, 2, r.Request(id).Request.RecordFormat)
}

// A delegation that ends beside a decision: one of them comes first, and the record says what the delegation allowed.
func TestEndsBesideDecisions(t *testing.T) {
	t.Parallel()
	r := lent(t, false, newsroom.DelegableStep(1, core.RoleAdmin))
	for range 20 {
		id := r.submit("A")
		d := r.Lend("admin", "viewer")
		seen := r.Actor("viewer")
		var both sync.WaitGroup
		var decided, ended error
		both.Go(func() { _, decided = r.Reviews.Approve(t.Context(), seen, r.Ref(id), approval.Decision{}) })
		both.Go(func() { ended = r.Delegations.End(t.Context(), r.Actor("admin"), d.ID) })
		both.Wait()
		require.NoError(t, ended)
		if code(decided) == "" {
			require.Equal(t, review.RequestPublished, r.Request(id).Request.Status)
		} else {
			require.Equal(t, "forbidden", code(decided))
			require.Equal(t, review.RequestPending, r.Request(id).Request.Status)
		}
	}
}

// Lists show delegated requests, and can be limited to them.
func TestInboxOfDelegates(t *testing.T) {
	t.Parallel()
	r := lent(t, false, newsroom.DelegableStep(1, core.RoleAdmin))
	count := func(person string, delegated *bool) int64 {
		page, err := r.Inbox.List(t.Context(), r.Actor(person), approval.InboxFilter{Delegated: delegated})
		require.NoError(t, err)
		require.Len(t, page.Items, int(page.Total))
		return page.Total
	}
	r.submit("A")
	all := func(person string) []int64 {
		return []int64{count(person, nil), count(person, new(true)), count(person, new(false))}
	}
	require.Equal(t, []int64{0, 0, 0}, all("viewer"))
	d := r.Lend("admin", "viewer")
	r.Lend("admin", "department")
	r.Lend("admin", "outsider")
	require.Equal(t, []int64{1, 1, 0}, all("viewer"))
	require.Equal(t, []int64{1, 0, 1}, all("department"), "the own name comes first")
	require.Equal(t, []int64{0, 0, 0}, all("outsider"), "may not read")
	summary, err := r.Inbox.Summary(t.Context(), r.Actor("viewer"))
	require.NoError(t, err)
	require.Equal(t, int64(1), summary.Pending)
	require.NoError(t, r.Delegations.End(t.Context(), r.Actor("admin"), d.ID))
	require.Equal(t, []int64{0, 0, 0}, all("viewer"))
	_, err = r.Delegations.Give(t.Context(), r.Actor("admin"), delegation.Input{To: r.IDs["viewer"], From: r.clock.Now().Add(3600e9), Until: r.clock.Now().Add(7200e9)})
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0, 0}, all("viewer"), "it has not begun")
	r.clock.pass(3600e9)
	require.Equal(t, []int64{1, 1, 0}, all("viewer"))
}
