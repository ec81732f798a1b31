package approval_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// escalating returns a step that is due in 24 hours and escalated after 48 to a role.
func escalating(order int, role, to core.Role) approval.StepInput {
	step := newsroom.DelegableStep(order, role)
	step.DueIn, step.Escalate = new(24), &approval.EscalationInput{After: 48, RequiredRoleKind: string(to)}
	return step
}

func TestEscalatedStepsHaveMoreDeciders(t *testing.T) {
	t.Parallel()
	r := lent(t, false, escalating(1, core.RoleDepartmentAdmin, core.RoleAdmin), newsroom.Step(2, core.RoleTenantAdmin))
	id := r.submit("A")
	r.clock.pass(48*time.Hour - time.Millisecond)
	v := r.Request(id)
	require.Equal(t, []bool{true, true}, []bool{v.Request.Overdue(), v.Request.Deadline().Equal(noon.Add(24 * time.Hour))})
	require.Equal(t, "forbidden", r.decides(approve, "admin", id, approval.Decision{}), "a moment before")
	r.clock.pass(time.Millisecond)
	require.Equal(t, "forbidden", r.decides(approve, "viewer", id, approval.Decision{}))
	require.Equal(t, "", r.decides(approve, "admin", id, approval.Decision{}))
	v = r.Request(id)
	last := v.Actions[len(v.Actions)-1]
	require.True(t, last.Escalated)
	require.Equal(t, 3, v.Request.RecordFormat)
	require.Empty(t, v.Former, "the admin has the role that the step was escalated to")
	require.False(t, v.Request.Overdue(), "the next step has no deadline")
	require.Equal(t, noon.Add(48*time.Hour), v.Request.OpenSince)
	require.Equal(t, "", r.decides(approve, "tenant", id, approval.Decision{}))
	rapid.Check(t, func(rt *rapid.T) { r.checkRecord(rt, id) })
}

// Who has approved by an escalation, and then ends the round, does so by it as well.
func TestMindsChangedAfterEscalations(t *testing.T) {
	t.Parallel()
	step := escalating(1, core.RoleDepartmentAdmin, core.RoleAdmin)
	step.Approvals = new(2)
	r := lent(t, false, step)
	for person, late := range map[string]bool{"admin": true, "department": false} {
		id := r.submit("A" + person)
		r.clock.pass(48 * time.Hour)
		require.Equal(t, "", r.decides(approve, person, id, approval.Decision{}))
		require.Equal(t, "", r.decides(reject, person, id, approval.Decision{}))
		v := r.Request(id)
		require.Equal(t, review.RequestRejected, v.Request.Status)
		require.Equal(t, late, v.Actions[2].Escalated, person)
		rapid.Check(t, func(rt *rapid.T) { r.checkRecord(rt, id) })
	}
}

// Who could decide from the start decides as before, also late.
func TestEscalationsTakeNothing(t *testing.T) {
	t.Parallel()
	r := lent(t, false, escalating(1, core.RoleAdmin, core.RoleTenantAdmin))
	for _, person := range []string{"admin", "viewer", "tenant"} { // the tenant admin has the role of the step anyway
		id := r.submit("A" + person)
		r.clock.pass(100 * time.Hour)
		r.Lend("admin", "viewer")
		require.Equal(t, "", r.decides(approve, person, id, approval.Decision{}), person)
		v := r.Request(id)
		require.False(t, v.Actions[1].Escalated, person)
	}
}

// What those who may decide by an escalation lend is lent.
func TestEscalatedStepsAreLent(t *testing.T) {
	t.Parallel()
	r := lent(t, false, escalating(1, core.RoleDepartmentAdmin, core.RoleAdmin))
	id := r.submit("A")
	r.clock.pass(47 * time.Hour)
	r.Lend("admin", "viewer")
	require.Equal(t, "forbidden", r.decides(approve, "viewer", id, approval.Decision{}))
	r.clock.pass(time.Hour)
	require.Equal(t, "", r.decides(approve, "viewer", id, approval.Decision{}))
	v := r.Request(id)
	require.Equal(t, []review.Approval{{StepID: 1, Person: r.IDs["viewer"], For: r.IDs["admin"]}}, v.Request.Approvals)
	require.True(t, v.Actions[1].Escalated)
	rapid.Check(t, func(rt *rapid.T) { r.checkRecord(rt, id) })
}

// A request keeps the steps of its submission.
func TestDeadlinesAreOfLaterSubmissions(t *testing.T) {
	t.Parallel()
	r := lent(t, false, newsroom.Step(1, core.RoleDepartmentAdmin))
	id := r.submit("A")
	_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: []approval.StepInput{escalating(1, core.RoleDepartmentAdmin, core.RoleAdmin)}})
	require.NoError(t, err)
	r.clock.pass(1000 * time.Hour)
	require.Equal(t, "forbidden", r.decides(approve, "admin", id, approval.Decision{}))
	v := r.Request(id)
	require.Equal(t, 2, v.Request.RecordFormat)
	require.False(t, v.Request.Overdue())
	require.Equal(t, review.RequestPending, v.Request.Status, "nothing is decided by time")
}

func TestFaultsOfDeadlines(t *testing.T) {
	t.Parallel()
	r := setup(t)
	other := int64(1) << 40
	for name, row := range map[string]struct {
		change func(*approval.StepInput)
		want   string
	}{
		"no hour":        {func(s *approval.StepInput) { s.DueIn = new(0) }, "invalid steps[0].dueIn"},
		"too many hours": {func(s *approval.StepInput) { s.DueIn = new(2161) }, "invalid steps[0].dueIn"},
		"the most hours": {func(s *approval.StepInput) { s.DueIn = new(2160) }, "ok"},
		"to nobody":      {func(s *approval.StepInput) { s.Escalate = &approval.EscalationInput{After: 1} }, "invalid steps[0].escalate"},
		"to two": {func(s *approval.StepInput) {
			s.Escalate = &approval.EscalationInput{After: 1, RequiredRoleKind: "admin", RequiredCustomRoleID: &r.Legal.ID}
		}, "invalid steps[0].escalate"},
		"to a role": {func(s *approval.StepInput) {
			s.Escalate = &approval.EscalationInput{After: 2160, RequiredRoleKind: "admin"}
		}, "ok"},
		"to editors": {func(s *approval.StepInput) {
			s.Escalate = &approval.EscalationInput{After: 1, RequiredRoleKind: "editor"}
		}, "invalid steps[0].escalate.requiredRoleKind"},
		"to a custom role": {func(s *approval.StepInput) {
			s.Escalate = &approval.EscalationInput{After: 1, RequiredCustomRoleID: &r.Legal.ID}
		}, "ok"},
		"to a role of others": {func(s *approval.StepInput) {
			s.Escalate = &approval.EscalationInput{After: 1, RequiredCustomRoleID: &r.Brand.ID}
		}, "invalid steps[0].escalate.requiredCustomRoleId"},
		"to a role of nobody": {func(s *approval.StepInput) {
			s.Escalate = &approval.EscalationInput{After: 1, RequiredCustomRoleID: &other}
		}, "invalid steps[0].escalate.requiredCustomRoleId"},
		"at once": {func(s *approval.StepInput) { s.Escalate = &approval.EscalationInput{RequiredRoleKind: "admin"} }, "invalid steps[0].escalate.after"},
		"later than it can be": {func(s *approval.StepInput) {
			s.Escalate = &approval.EscalationInput{After: 2161, RequiredRoleKind: "admin"}
		}, "invalid steps[0].escalate.after"},
	} {
		step := newsroom.Step(1, core.RoleAdmin)
		row.change(&step)
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: []approval.StepInput{step}})
		require.Equal(t, row.want, outcome(err), name)
	}
}

// TestWhoDecides compares Request.StandingOf with a table of its own: for each kind of person, each step and each age.
func TestWhoDecides(t *testing.T) {
	t.Parallel()
	legal := core.CustomRole{ID: 5, DepartmentID: 2}
	project := &core.Project{ID: 3, TenantID: 1, DepartmentID: 2}
	roles := map[string]core.Actor{
		"viewer":     {Grants: []core.Grant{{Role: core.RoleViewer, ProjectID: 3, TenantID: 1}}},
		"admin":      {Grants: []core.Grant{{Role: core.RoleAdmin, ProjectID: 3, TenantID: 1}}},
		"department": {Grants: []core.Grant{{Role: core.RoleDepartmentAdmin, DepartmentID: 2, TenantID: 1}}},
		"tenant":     {Grants: []core.Grant{{Role: core.RoleTenantAdmin, TenantID: 1}}},
		"holder":     {CustomRoles: []core.CustomRole{legal}},
		"elsewhere":  {Grants: []core.Grant{{Role: core.RoleAdmin, ProjectID: 4, TenantID: 1}}, CustomRoles: []core.CustomRole{{ID: 5, DepartmentID: 9}}},
	}
	// Who has the role of a step: these persons.
	holds := map[string][]string{
		"admin": {"admin", "department", "tenant"}, "department_admin": {"department", "tenant"}, "tenant_admin": {"tenant"}, "legal": {"holder"}, "": {},
	}
	step := func(of string) (kind core.Role, custom int64) {
		if of == "legal" {
			return core.RoleAdmin, legal.ID
		}
		return core.Role(of), 0
	}
	cases := 0
	for _, first := range []string{"admin", "department_admin", "tenant_admin", "legal"} {
		for _, then := range []string{"", "admin", "department_admin", "tenant_admin", "legal"} {
			for _, late := range []bool{false, true} {
				for _, barred := range []string{"", "submitter", "contributor", "approver", "seated", "submitter, allowed"} {
					for person, actor := range roles {
						for _, lends := range []bool{false, true} {
							r := &review.Request{
								Status: review.RequestPending, OpenSince: noon, AllowSelfApproval: barred == "submitter, allowed",
								Steps:       []review.Step{{Order: 1, RoleKind: core.RoleAdmin}, {Order: 2, Delegable: true, Approvals: 2}},
								SubmittedBy: core.ActorRef{Kind: "user", ID: 40}, Current: 1, Approvals: []review.Approval{{StepID: 1, Person: 41}},
							}
							r.Steps[1].RoleKind, r.Steps[1].CustomRoleID = step(first)
							if then != "" {
								e := &review.Escalation{After: 2}
								if e.RoleKind, e.CustomRoleID = step(then); e.CustomRoleID != 0 {
									e.RoleKind = ""
								}
								r.Steps[1].Escalate = e
							}
							if r.ReadOn(noon.Add(2*time.Hour - time.Millisecond)); late {
								r.ReadOn(noon.Add(2 * time.Hour))
							}
							switch barred {
							case "submitter", "submitter, allowed":
								r.SubmittedBy.ID = 7
							case "contributor":
								r.Contributors = []core.ActorRef{{Kind: "token", ID: 9, MadeBy: 7}}
							case "approver":
								r.Approvals[0].Person = 7
							case "seated":
								r.Approvals = append(r.Approvals, review.Approval{StepID: 2, Person: 7})
							}
							who := actor
							who.User = &core.User{ID: 7}
							if lends { // user 8 acts on behalf of 7
								who = core.Actor{User: &core.User{ID: 8}, Lent: []core.Lender{{Delegation: core.Delegation{ID: 1, From: core.ActorRef{Kind: "user", ID: 7}}, Grants: actor.Grants, CustomRoles: actor.CustomRoles}}}
							}
							free := barred == "" || barred == "submitter, allowed"
							own := slices.Contains(holds[first], person)
							escalated := !own && late && slices.Contains(holds[then], person)
							want := free && (own || escalated)
							s := r.StandingOf(who, project)
							name := fmt.Sprintf("%s, then %q, late %t, %s, %s, lends %t", first, then, late, barred, person, lends)
							require.Equal(t, want, len(s.Steps) == 1, name)
							if want {
								require.Equal(t, escalated, s.Escalated(2, s.As(2)), name)
							}
							cases++
						}
					}
				}
			}
		}
	}
	require.Equal(t, 4*5*2*6*6*2, cases)
}
