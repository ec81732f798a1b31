package contract

import (
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/review"
)

// Delegations checks a ports.DelegationStore.
func Delegations(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a delegation": keepsDelegations,
		"selects delegations":                selectsDelegations,
		"ends a delegation once":             endsDelegations,
		"keeps on whose behalf actions are":  keepsBehalf,
	})
}

// newDelegation returns a delegation between new users, which is not stored.
func (w *fixture) newDelegation(t reporter) core.Delegation {
	t.Helper()
	from, to := w.newUser(t), w.newUser(t)
	ref := func(u core.User) core.ActorRef { return core.ActorRef{Kind: "user", ID: u.ID, Name: u.Name} }
	return core.Delegation{From: ref(from), To: ref(to), SetBy: ref(from), TenantID: w.tenant.ID, Since: at(1), Until: at(9), CreatedAt: at(1), ProjectIDs: []int64{}, DepartmentIDs: []int64{}}
}

func keepsDelegations(t *testing.T, w *fixture) {
	plain, whole := w.newDelegation(t), w.newDelegation(t)
	admin := w.newUser(t)
	whole.SetBy = core.ActorRef{Kind: "user", ID: admin.ID, Name: admin.Name}
	whole.ProjectIDs, whole.DepartmentIDs = []int64{3, 1 << 40}, []int64{2}
	whole.Within, whole.Ceiling, whole.TenantID, whole.Note = w.department.ID, core.RoleDepartmentAdmin, w.tenant.ID, "é\n'\""
	for _, d := range []*core.Delegation{&plain, &whole} {
		requireNoError(t, w.Stores.Delegations.Insert(t.Context(), d))
		assertEqual(t, result(w.Stores.Delegations.Delegation(t.Context(), d.ID))(t), *d)
		assertEqual(t, result(w.Stores.Delegations.Hold(t.Context(), d.ID))(t), *d)
	}
	requireError(t, errorOf(w.Stores.Delegations.Delegation(t.Context(), unknown)), core.ErrNotFound)
	requireError(t, errorOf(w.Stores.Delegations.Hold(t.Context(), unknown)), core.ErrNotFound)
	lost := plain
	lost.To.ID = unknown
	requireError(t, w.Stores.Delegations.Insert(t.Context(), &lost), core.ErrNotFound)
}

func selectsDelegations(t *testing.T, w *fixture) {
	own, set, over, later := w.newDelegation(t), w.newDelegation(t), w.newDelegation(t), w.newDelegation(t)
	set.From, set.Within, set.SetBy = own.From, w.department.ID, w.newDelegation(t).From
	over.To, over.Until = own.To, at(5)
	later.To, later.Since, later.Until = own.To, at(7), at(20)
	for _, d := range []*core.Delegation{&own, &set, &over, &later} {
		requireNoError(t, w.Stores.Delegations.Insert(t.Context(), d))
	}
	for name, row := range map[string]struct {
		q    review.DelegationQuery
		want []int64
	}{
		"received":             {review.DelegationQuery{To: own.To.ID, After: at(3)}, []int64{own.ID, over.ID, later.ID}},
		"received, later":      {review.DelegationQuery{To: own.To.ID, After: at(5)}, []int64{own.ID, later.ID}},
		"received, much later": {review.DelegationQuery{To: own.To.ID, After: at(20)}, nil},
		"given":                {review.DelegationQuery{From: []int64{own.From.ID}, After: at(3)}, []int64{own.ID, set.ID}},
		"given by several":     {review.DelegationQuery{From: []int64{own.From.ID, over.From.ID, unknown}, After: at(3)}, []int64{own.ID, set.ID, over.ID}},
		"set for others":       {review.DelegationQuery{SetBy: set.SetBy.ID, After: at(3)}, []int64{set.ID}},
		"of the own user":      {review.DelegationQuery{SetBy: own.From.ID, After: at(3)}, nil},
		"of a Department":      {review.DelegationQuery{Within: w.department.ID, After: at(3)}, []int64{set.ID}},
		"with any part":        {review.DelegationQuery{Involved: own.From.ID, After: at(3)}, []int64{own.ID, set.ID}},
		"with the part of one": {review.DelegationQuery{Involved: set.SetBy.ID, After: at(3)}, []int64{set.ID}},
	} {
		found := result(w.Stores.Delegations.Delegations(t.Context(), row.q))(t)
		if got := ids(found, func(d core.Delegation) int64 { return d.ID }); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

func endsDelegations(t *testing.T, w *fixture) {
	d := w.newDelegation(t)
	requireNoError(t, w.Stores.Delegations.Insert(t.Context(), &d))
	d.EndedAt = at(3)
	requireNoError(t, w.Stores.Delegations.End(t.Context(), &d))
	assertEqual(t, result(w.Stores.Delegations.Delegation(t.Context(), d.ID))(t), d)
	assertEqual(t, len(result(w.Stores.Delegations.Delegations(t.Context(), review.DelegationQuery{To: d.To.ID}))(t)), 0)
	requireError(t, w.Stores.Delegations.End(t.Context(), &d), core.ErrNotFound)
	lost := d
	lost.ID = unknown
	requireError(t, w.Stores.Delegations.End(t.Context(), &lost), core.ErrNotFound)
}

func keepsBehalf(t *testing.T, w *fixture) {
	r := w.newRequest(1)
	w.submit(t, &r)
	given := actionOf(&r, review.ActionApprove)
	given.OnBehalfOf = core.ActorRef{Kind: "user", ID: 12, Name: "Ada é"}
	r.Version++
	requireNoError(t, w.Requests.Update(t.Context(), &r, []*review.Action{given}))
	actions := result(w.Requests.Actions(t.Context(), r.ProjectID, r.ID))(t)
	assertEqual(t, actions[0].OnBehalfOf, core.ActorRef{})
	assertEqual(t, actions[1].OnBehalfOf, given.OnBehalfOf)
}

// inboxOfDelegates compares the inbox with review.Request.StandingOf for lenders of all kinds.
func inboxOfDelegates(t *testing.T, w *fixture) {
	legal := w.newCustomRole(t, w.department.ID, "Legal")
	sibling := w.otherProject(t)
	add := func(w *fixture, entryID int64, change func(*review.Request)) review.Request {
		r := w.newRequest(entryID)
		r.Steps = []review.Step{{Order: 1, RoleKind: core.RoleAdmin, Delegable: true}}
		change(&r)
		w.submit(t, &r)
		return r
	}
	requests := []review.Request{
		add(w, 1, func(*review.Request) {}),
		add(w, 2, func(r *review.Request) { r.Steps[0].Delegable = false }),
		add(w, 3, func(r *review.Request) { r.Steps[0].RoleKind = core.RoleDepartmentAdmin }),
		add(w, 4, func(r *review.Request) { r.Steps[0].CustomRoleID = legal.ID }),
		add(w, 5, func(r *review.Request) {
			r.Steps = []review.Step{{Order: 1, RoleKind: core.RoleTenantAdmin, Delegable: true}, {Order: 1, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID, Delegable: true}, {Order: 1, RoleKind: core.RoleAdmin}}
		}),
		add(w, 6, func(r *review.Request) { r.SubmittedBy = core.ActorRef{Kind: "user", ID: 81} }),
		add(w, 7, func(r *review.Request) { r.Contributors = []core.ActorRef{{Kind: "user", ID: 99}} }),
		add(w, 8, func(r *review.Request) { r.Steps = append(r.Steps, review.Step{Order: 2, RoleKind: core.RoleAdmin}) }),
		add(sibling, 1, func(*review.Request) {}),
	}
	late := requests[7]
	late.Approve(review.Approval{StepID: 1, Person: 55}) // the next step is not delegable
	late.Version++
	requireNoError(t, w.Requests.Update(t.Context(), &late, nil))
	requests[7] = late

	lender := func(id, from int64, limit func(*core.Delegation), roles []core.CustomRole, grants ...core.Grant) core.Lender {
		l := core.Lender{Delegation: core.Delegation{ID: id, From: core.ActorRef{Kind: "user", ID: from}}, Grants: grants, CustomRoles: roles}
		if limit != nil {
			limit(&l.Delegation)
		}
		return l
	}
	within := func(d *core.Delegation) { d.Within = w.department.ID }
	elsewhere := func(d *core.Delegation) { d.ProjectIDs = []int64{sibling.project.ID} }
	here := func(d *core.Delegation) { d.DepartmentIDs = []int64{w.department.ID} }
	away := func(d *core.Delegation) { d.Within, d.ProjectIDs = w.department.ID+1<<30, []int64{w.project.ID} }
	holder := []core.CustomRole{legal}
	viewer := []core.Grant{w.grant(core.RoleViewer), sibling.grant(core.RoleViewer)}
	for name, reach := range map[string]review.Reach{
		"an admin lends":            {Grants: viewer, Lent: []core.Lender{lender(1, 82, nil, nil, w.grant(core.RoleAdmin))}},
		"a department admin":        {Grants: viewer, Lent: []core.Lender{lender(1, 82, nil, nil, w.grant(core.RoleDepartmentAdmin))}},
		"a tenant admin":            {Grants: viewer, Lent: []core.Lender{lender(1, 82, nil, nil, w.grant(core.RoleTenantAdmin))}},
		"the submitter":             {Grants: viewer, Lent: []core.Lender{lender(1, 81, nil, nil, w.grant(core.RoleAdmin))}},
		"the submitter and another": {Grants: viewer, Lent: []core.Lender{lender(1, 81, nil, nil, w.grant(core.RoleAdmin)), lender(2, 82, nil, nil, w.grant(core.RoleAdmin))}},
		"a holder":                  {Grants: viewer, Lent: []core.Lender{lender(1, 82, nil, holder)}},
		"an editor":                 {Grants: viewer, Lent: []core.Lender{lender(1, 82, nil, nil, w.grant(core.RoleEditor))}},
		"in another Project":        {Grants: viewer, Lent: []core.Lender{lender(1, 82, elsewhere, holder, w.grant(core.RoleDepartmentAdmin))}},
		"in the Department":         {Grants: viewer, Lent: []core.Lender{lender(1, 82, within, holder, w.grant(core.RoleTenantAdmin))}},
		"in this Department":        {Grants: viewer, Lent: []core.Lender{lender(1, 82, here, nil, w.grant(core.RoleTenantAdmin))}},
		"in another Department":     {Grants: viewer, Lent: []core.Lender{lender(1, 82, away, holder, w.grant(core.RoleTenantAdmin))}},
		"to one who sees nothing":   {Lent: []core.Lender{lender(1, 82, nil, holder, w.grant(core.RoleTenantAdmin))}},
		"to a holder":               {CustomRoles: []int64{legal.ID}, Lent: []core.Lender{lender(1, 82, nil, nil, w.grant(core.RoleTenantAdmin))}},
		"to an admin":               {Grants: []core.Grant{w.grant(core.RoleAdmin)}, Lent: []core.Lender{lender(1, 82, nil, holder, w.grant(core.RoleDepartmentAdmin))}},
		"by nobody":                 {Grants: []core.Grant{w.grant(core.RoleAdmin)}},
	} {
		reach.UserID = 99
		actor := core.Actor{User: &core.User{ID: 99}, Grants: reach.Grants, Lent: reach.Lent}
		if len(reach.CustomRoles) > 0 {
			actor.CustomRoles = holder
		}
		want := map[string][]int64{}
		for _, r := range requests {
			p := w.project
			if r.ProjectID == sibling.project.ID {
				p = sibling.project
			}
			standing := r.StandingOf(actor, p)
			switch {
			case len(standing.Steps) == 0 || !r.VisibleTo(actor, p):
				continue
			case len(standing.Own) > 0:
				want["own"] = append(want["own"], r.ID)
			default:
				want["lent"] = append(want["lent"], r.ID)
			}
			want["all"] = append(want["all"], r.ID)
		}
		for which, delegated := range map[string]*bool{"all": nil, "lent": new(true), "own": new(false)} {
			q := review.InboxQuery{Reach: reach, Delegated: delegated, Limit: 50}
			found := ids(result(w.Requests.Inbox(t.Context(), q))(t), requestID)
			if slices.Sort(found); !slices.Equal(found, want[which]) {
				t.Errorf("%s, %s: %v, want %v", name, which, found, want[which])
			}
			assertEqual(t, result(w.Requests.InboxCount(t.Context(), q))(t), int64(len(found)))
		}
		assertEqual(t, result(w.Requests.InboxSummary(t.Context(), reach))(t).Pending, int64(len(want["all"])))
	}
}
