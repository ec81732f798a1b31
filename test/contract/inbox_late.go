package contract

import (
	"slices"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/review"
)

// inboxOfEscalated compares the inbox with review.Request.StandingOf for steps that are escalated, and for those that will be.
func inboxOfEscalated(t *testing.T, w *fixture) {
	legal := w.newCustomRole(t, w.department.ID, "Legal")
	now := result(w.Clock.Now(t.Context()))(t)
	var requests []review.Request
	add := func(steps ...review.Step) {
		r := w.newRequest(int64(len(requests) + 1))
		r.Steps, r.SubmittedBy = steps, core.ActorRef{Kind: "user", ID: 81}
		r.OpenSince = now.Add(-10 * time.Hour)
		w.submit(t, &r)
		requests = append(requests, result(w.Requests.Request(t.Context(), r.ProjectID, r.ID))(t))
	}
	for _, after := range []int{9, 11} {
		for _, role := range []core.Role{core.RoleAdmin, core.RoleDepartmentAdmin, core.RoleTenantAdmin} {
			for _, delegable := range []bool{true, false} {
				add(review.Step{Order: 1, RoleKind: core.RoleTenantAdmin, Delegable: delegable, Escalate: &review.Escalation{After: after, RoleKind: role}})
			}
		}
		add(review.Step{Order: 1, RoleKind: core.RoleTenantAdmin, Delegable: true, Escalate: &review.Escalation{After: after, CustomRoleID: legal.ID}})
		add(review.Step{Order: 1, RoleKind: core.RoleDepartmentAdmin, CustomRoleID: legal.ID, Escalate: &review.Escalation{After: after, RoleKind: core.RoleAdmin}})
		add(
			review.Step{Order: 1, RoleKind: core.RoleTenantAdmin},
			review.Step{Order: 1, RoleKind: core.RoleTenantAdmin, Delegable: true, Escalate: &review.Escalation{After: after, RoleKind: core.RoleDepartmentAdmin}},
			review.Step{Order: 2, RoleKind: core.RoleTenantAdmin, Escalate: &review.Escalation{After: 1, RoleKind: core.RoleAdmin}},
		)
	}
	moved := requests[len(requests)-1] // its second step is escalated, but has no approval to give any more
	moved.Approve(review.Approval{StepID: 2, Person: 55})
	moved.Version++
	requireNoError(t, w.Requests.Update(t.Context(), &moved, []*review.Action{actionOf(&moved, review.ActionApprove)}))
	requests[len(requests)-1] = result(w.Requests.Request(t.Context(), moved.ProjectID, moved.ID))(t)

	lender := func(id, from int64, roles []core.CustomRole, grants ...core.Grant) core.Lender {
		return core.Lender{Delegation: core.Delegation{ID: id, From: core.ActorRef{Kind: "user", ID: from}}, Grants: grants, CustomRoles: roles}
	}
	viewer, holder := []core.Grant{w.grant(core.RoleViewer)}, []core.CustomRole{legal}
	some := 0
	for name, reach := range map[string]review.Reach{
		"a viewer":            {Grants: viewer},
		"an admin":            {Grants: []core.Grant{w.grant(core.RoleAdmin)}},
		"a department admin":  {Grants: []core.Grant{w.grant(core.RoleDepartmentAdmin)}},
		"a tenant admin":      {Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}},
		"a holder":            {CustomRoles: []int64{legal.ID}},
		"the submitter":       {UserID: 81, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}},
		"an approver":         {UserID: 55, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}},
		"an admin lends":      {Grants: viewer, Lent: []core.Lender{lender(1, 82, nil, w.grant(core.RoleAdmin))}},
		"the submitter lends": {Grants: viewer, Lent: []core.Lender{lender(1, 81, nil, w.grant(core.RoleTenantAdmin))}},
		"an admin and a holder lend": {
			Grants: viewer, Lent: []core.Lender{lender(1, 82, nil, w.grant(core.RoleDepartmentAdmin)), lender(2, 83, holder)},
		},
		"an admin to an admin": {Grants: []core.Grant{w.grant(core.RoleAdmin)}, Lent: []core.Lender{lender(1, 82, holder, w.grant(core.RoleDepartmentAdmin))}},
	} {
		if reach.UserID == 0 {
			reach.UserID = 99
		}
		actor := core.Actor{User: &core.User{ID: reach.UserID}, Grants: reach.Grants, Lent: reach.Lent}
		if len(reach.CustomRoles) > 0 {
			actor.CustomRoles = holder
		}
		want := map[string][]int64{}
		for _, r := range requests {
			standing := r.StandingOf(actor, w.project)
			if len(standing.Steps) == 0 || !r.VisibleTo(actor, w.project) {
				continue
			}
			which := "lent"
			if len(standing.Own) > 0 {
				which = "own"
			}
			want[which], want["all"] = append(want[which], r.ID), append(want["all"], r.ID)
			some++
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
	if some < 30 {
		t.Errorf("%d requests wait for anybody", some)
	}
}

func inboxByDeadline(t *testing.T, w *fixture) {
	now := result(w.Clock.Now(t.Context()))(t)
	entry := int64(0)
	add := func(dueIn int, publishAt time.Time, openSince time.Duration) int64 {
		entry++
		r := w.newRequest(entry)
		r.Steps = []review.Step{{Order: 1, RoleKind: core.RoleAdmin, DueIn: dueIn}}
		r.OpenSince, r.ScheduledAt = now.Add(-openSince), publishAt
		w.submit(t, &r)
		return r.ID
	}
	never := add(0, time.Time{}, 0)
	soon, past, long := add(5, time.Time{}, 4*time.Hour), add(5, time.Time{}, 6*time.Hour), add(2160, time.Time{}, time.Hour)
	unapproved, planned := add(0, now.Add(-time.Hour), time.Hour), add(0, now.Add(time.Hour), time.Hour)
	q := review.InboxQuery{Reach: review.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleAdmin)}}, Limit: 9, ByDeadline: true}
	listed := func(q review.InboxQuery) []int64 {
		found := result(w.Requests.Inbox(t.Context(), q))(t)
		assertEqual(t, result(w.Requests.InboxCount(t.Context(), q))(t), int64(len(found)))
		return ids(found, requestID)
	}
	assertEqual(t, listed(q), []int64{past, soon, long, never, unapproved, planned})
	q.Descending = true
	assertEqual(t, listed(q), []int64{long, soon, past, planned, unapproved, never})
	q = review.InboxQuery{Reach: q.Reach, Limit: 9, Overdue: true}
	assertEqual(t, listed(q), []int64{past, unapproved})
	for _, r := range result(w.Requests.Inbox(t.Context(), q))(t) {
		assertEqual(t, r.Overdue(), true)
	}
	q.List, q.Reach.UserID = review.InboxSubmitted, w.newRequest(1).SubmittedBy.ID
	assertEqual(t, listed(q), []int64{past, unapproved})
}
