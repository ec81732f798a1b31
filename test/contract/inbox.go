package contract

import (
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/review"
)

// Inboxes checks the inbox methods of a ports.RequestReader.
func Inboxes(t *testing.T, open Factory) {
	run(t, open, cases{
		"lists requests for the role levels that a role includes": inboxByRole,
		"lists requests for a custom role to its holders only":    inboxByCustomRole,
		"excludes submitters and earlier approvers":               inboxWithoutParticipants,
		"follows the current step":                                inboxByStep,
		"lists a request for each of its open steps":              inboxOfOpenSteps,
		"lists what the user may decide on behalf of others":      inboxOfDelegates,
		"lists requests that are escalated to the user":           inboxOfEscalated,
		"lists what is overdue, and by deadline":                  inboxByDeadline,
		"returns pages, oldest or newest first":                   inboxInPages,
		"lists what the user submitted and may see":               inboxSubmitted,
		"lists what came back to the user":                        inboxReturned,
		"lists approved requests with a time":                     inboxScheduled,
		"lists what the user decided and may see":                 inboxDecided,
		"finds by release number what the user may see":           inboxNumbered,
		"summarizes":             inboxSummary,
		"is empty without roles": inboxWithoutRoles,
	})
}

// waiting submits a request whose only step requires the role, or the custom role.
func (w *fixture) waiting(t reporter, entryID int64, role core.Role, customRoleID int64) review.Request {
	t.Helper()
	r := w.newRequest(entryID)
	r.Steps[0].RoleKind, r.Steps[0].CustomRoleID = role, customRoleID
	w.submit(t, &r)
	return r
}

func (w *fixture) newCustomRole(t reporter, departmentID int64, name string) core.CustomRole {
	t.Helper()
	role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: departmentID, Name: name, CreatedAt: at(1)}
	requireNoError(t, w.CustomRoles.Insert(t.Context(), &role))
	return role
}

// waitingIDs returns the ids in the inbox of reach, and checks that the count agrees unless
// other cases can add to it.
func (w *fixture) waitingIDs(t reporter, reach review.Reach, projectID int64) []int64 {
	t.Helper()
	q := review.InboxQuery{Reach: reach, ProjectID: projectID, Limit: 500}
	found := ids(result(w.Requests.Inbox(t.Context(), q))(t), requestID)
	if !reach.SuperAdmin || projectID != 0 {
		assertEqual(t, result(w.Requests.InboxCount(t.Context(), q))(t), int64(len(found)))
	}
	return found
}

func (w *fixture) grant(role core.Role) core.Grant {
	g := core.Grant{Role: role, TenantID: w.tenant.ID}
	switch role {
	case core.RoleTenantAdmin:
	case core.RoleDepartmentAdmin:
		g.DepartmentID = w.department.ID
	default:
		g.DepartmentID, g.ProjectID = w.department.ID, w.project.ID
	}
	return g
}

func inboxNumbered(t *testing.T, w *fixture) {
	legal := w.newCustomRole(t, w.department.ID, "Legal")
	first, second := w.waiting(t, 1, core.RoleAdmin, 0), w.waiting(t, 2, core.RoleAdmin, legal.ID)
	sibling := w.otherProject(t)
	third := sibling.waiting(t, 1, core.RoleAdmin, 0)
	stranger := newFixture(t, w.Stores, w.tx)
	strangers := stranger.waiting(t, 1, core.RoleAdmin, 0)
	find := func(r review.Request, reach review.Reach) []int64 {
		q := review.InboxQuery{List: review.InboxNumbered, Reach: reach, Number: review.ReleaseNumber{Year: r.ReleaseYear, Count: r.ReleaseCount}, Limit: 5}
		assertEqual(t, result(w.Requests.InboxCount(t.Context(), q))(t), int64(len(result(w.Requests.Inbox(t.Context(), q))(t))))
		return ids(result(w.Requests.Inbox(t.Context(), q))(t), requestID)
	}
	viewer, tenant := review.Reach{Grants: []core.Grant{w.grant(core.RoleViewer)}}, review.Reach{Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}
	holder := review.Reach{CustomRoles: []int64{legal.ID}}
	assertEqual(t, find(first, viewer), []int64{first.ID})
	assertEqual(t, find(third, viewer), []int64{})
	assertEqual(t, find(third, tenant), []int64{third.ID})
	assertEqual(t, find(second, holder), []int64{second.ID})
	assertEqual(t, find(first, holder), []int64{})
	assertEqual(t, find(first, review.Reach{UserID: first.SubmittedBy.ID}), []int64{})
	both := review.Reach{Grants: []core.Grant{w.grant(core.RoleTenantAdmin), stranger.grant(core.RoleTenantAdmin)}}
	assertEqual(t, find(strangers, both), []int64{first.ID, strangers.ID}) // each tenant counts from 1
	assertEqual(t, find(review.Request{ReleaseYear: first.ReleaseYear, ReleaseCount: 999}, tenant), []int64{})
}

func inboxByRole(t *testing.T, w *fixture) {
	admin := w.waiting(t, 1, core.RoleAdmin, 0)
	department := w.waiting(t, 2, core.RoleDepartmentAdmin, 0)
	tenant := w.waiting(t, 3, core.RoleTenantAdmin, 0)
	sibling := w.otherProject(t)
	besideIt := sibling.waiting(t, 1, core.RoleAdmin, 0)
	outside := *w
	outside.project = w.newProject(t, w.tenant.ID, 0)
	homeless := outside.waiting(t, 1, core.RoleDepartmentAdmin, 0)
	stranger := newFixture(t, w.Stores, w.tx)
	strangers := stranger.waiting(t, 1, core.RoleAdmin, 0)

	for name, tt := range map[string]struct {
		grants []core.Grant
		want   []int64
	}{
		"a viewer":            {[]core.Grant{w.grant(core.RoleViewer)}, nil},
		"an editor":           {[]core.Grant{w.grant(core.RoleEditor)}, nil},
		"a project admin":     {[]core.Grant{w.grant(core.RoleAdmin)}, []int64{admin.ID}},
		"a department admin":  {[]core.Grant{w.grant(core.RoleDepartmentAdmin)}, []int64{admin.ID, department.ID, besideIt.ID}},
		"a tenant admin":      {[]core.Grant{w.grant(core.RoleTenantAdmin)}, []int64{admin.ID, department.ID, tenant.ID, besideIt.ID, homeless.ID}},
		"an admin of several": {[]core.Grant{w.grant(core.RoleAdmin), sibling.grant(core.RoleAdmin), stranger.grant(core.RoleViewer)}, []int64{admin.ID, besideIt.ID}},
		"an admin in every way": {
			[]core.Grant{w.grant(core.RoleViewer), w.grant(core.RoleDepartmentAdmin), w.grant(core.RoleTenantAdmin), stranger.grant(core.RoleTenantAdmin)},
			[]int64{admin.ID, department.ID, tenant.ID, besideIt.ID, homeless.ID, strangers.ID},
		},
	} {
		if got := w.waitingIDs(t, review.Reach{UserID: 99, Grants: tt.grants}, 0); !slices.Equal(got, tt.want) {
			t.Errorf("inbox of %s: %v, want %v", name, got, tt.want)
		}
	}
	everything := review.Reach{UserID: 99, SuperAdmin: true}
	assertEqual(t, w.waitingIDs(t, everything, w.project.ID), []int64{admin.ID, department.ID, tenant.ID})
	for _, id := range []int64{besideIt.ID, homeless.ID, strangers.ID} {
		if !slices.Contains(w.waitingIDs(t, everything, 0), id) {
			t.Errorf("the inbox of a super admin lacks %d", id)
		}
	}
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}, sibling.project.ID), []int64{besideIt.ID})
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}, stranger.project.ID), []int64{})
}

func inboxByCustomRole(t *testing.T, w *fixture) {
	legal, brand := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.department.ID, "Brand")
	forLegal, forBrand := w.waiting(t, 1, core.RoleAdmin, legal.ID), w.waiting(t, 2, core.RoleAdmin, brand.ID)
	besideIt := w.otherProject(t).waiting(t, 1, core.RoleTenantAdmin, legal.ID)
	elsewhere := *w
	elsewhere.department = w.newDepartment(t, w.tenant.ID)
	elsewhere.project = w.newProject(t, w.tenant.ID, elsewhere.department.ID)
	elsewhere.waiting(t, 1, core.RoleAdmin, legal.ID) // a role of another department

	everything := []core.Grant{w.grant(core.RoleTenantAdmin)}
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, Grants: everything}, 0), []int64{})
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, SuperAdmin: true}, w.project.ID), []int64{})
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, CustomRoles: []int64{legal.ID}}, 0), []int64{forLegal.ID, besideIt.ID})
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, CustomRoles: []int64{brand.ID, legal.ID}, Grants: everything}, 0),
		[]int64{forLegal.ID, forBrand.ID, besideIt.ID})
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, CustomRoles: []int64{unknown}}, 0), []int64{})

	// No user can act on the step after the project moved or the role was deleted.
	w.move(t, elsewhere.department.ID)
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, CustomRoles: []int64{legal.ID}}, 0), []int64{besideIt.ID})
	w.move(t, w.department.ID)
	requireNoError(t, w.CustomRoles.Delete(t.Context(), legal.ID))
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99, CustomRoles: []int64{legal.ID}}, 0), []int64{})
}

func inboxWithoutParticipants(t *testing.T, w *fixture) {
	admins := []core.Grant{w.grant(core.RoleAdmin)}
	strict, lenient, byToken, approved := w.newRequest(1), w.newRequest(2), w.newRequest(3), w.newRequest(4)
	lenient.AllowSelfApproval = true
	byToken.SubmittedBy.Kind, byToken.SubmittedBy.MadeBy = "token", 77
	byToken.Contributors = []core.ActorRef{{Kind: "user", ID: 51}, {Kind: "token", ID: 52, MadeBy: 53}, {Kind: "user", ID: 4}}
	lenient.Contributors = byToken.Contributors
	for i := range 2 {
		approved.Steps = append(approved.Steps, review.Step{Order: i + 2, RoleKind: core.RoleAdmin})
	}
	for _, r := range []*review.Request{&strict, &lenient, &byToken, &approved} {
		w.submit(t, r)
	}
	approved.Approvals, approved.Current, approved.Version = []review.Approval{{StepID: 1, Person: 41}, {StepID: 2, Person: 44}}, 2, 2
	requireNoError(t, w.Requests.Update(t.Context(), &approved, nil))
	for user, want := range map[int64][]int64{
		4:  {lenient.ID}, // the submitter, and a contributor
		51: {strict.ID, lenient.ID, approved.ID},
		52: {strict.ID, lenient.ID, byToken.ID, approved.ID}, // the id of a token
		53: {strict.ID, lenient.ID, approved.ID},             // the creator of a contributing token
		44: {strict.ID, lenient.ID, byToken.ID},
		41: {strict.ID, lenient.ID, byToken.ID},
		1:  {strict.ID, lenient.ID, byToken.ID, approved.ID},
		77: {strict.ID, lenient.ID, approved.ID}, // the creator of the submitting token
		99: {strict.ID, lenient.ID, byToken.ID, approved.ID},
	} {
		if got := w.waitingIDs(t, review.Reach{UserID: user, Grants: admins}, 0); !slices.Equal(got, want) {
			t.Errorf("inbox of user %d: %v, want %v", user, got, want)
		}
	}
}

func inboxByStep(t *testing.T, w *fixture) {
	r := w.newRequest(1)
	r.Steps = []review.Step{{Order: 1, RoleKind: core.RoleAdmin}, {Order: 2, RoleKind: core.RoleTenantAdmin}}
	w.submit(t, &r)
	admin := review.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleAdmin)}}
	tenant := review.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}
	assertEqual(t, w.waitingIDs(t, admin, 0), []int64{r.ID})
	r.Current = 1
	w.decide(t, &r, review.RequestPending)
	assertEqual(t, w.waitingIDs(t, admin, 0), []int64{})
	assertEqual(t, w.waitingIDs(t, tenant, 0), []int64{r.ID})
	for _, status := range []review.RequestStatus{review.RequestApproved, review.RequestRejected, review.RequestRevision, review.RequestPublished, review.RequestWithdrawn} {
		w.decide(t, &r, status)
		assertEqual(t, w.waitingIDs(t, tenant, 0), []int64{})
	}
}

func inboxOfOpenSteps(t *testing.T, w *fixture) {
	legal, brand, sales := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.department.ID, "Brand"), w.newCustomRole(t, w.department.ID, "Sales")
	r := w.newRequest(1)
	r.Steps = []review.Step{
		{Order: 1, RoleKind: core.RoleTenantAdmin},
		{Order: 1, RoleKind: core.RoleDepartmentAdmin, Approvals: 2},
		{Order: 1, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID},
		{Order: 1, RoleKind: core.RoleAdmin, CustomRoleID: brand.ID},
		{Order: 1, RoleKind: core.RoleAdmin, CustomRoleID: sales.ID},
		{Order: 1, RoleKind: core.RoleAdmin, Skipped: true},
		{Order: 2, RoleKind: core.RoleAdmin},
	}
	r.AllowSelfApproval = true
	w.submit(t, &r)
	reach := func(user int64, roles ...core.CustomRole) review.Reach {
		return review.Reach{UserID: user, CustomRoles: ids(roles, func(c core.CustomRole) int64 { return c.ID })}
	}
	admin := review.Reach{UserID: 91, Grants: []core.Grant{w.grant(core.RoleAdmin)}}
	department := review.Reach{UserID: 92, Grants: []core.Grant{w.grant(core.RoleDepartmentAdmin)}}
	tenant := review.Reach{UserID: 93, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}
	waits := func(at string, want bool, all ...review.Reach) {
		t.Helper()
		for _, reach := range all {
			if got := len(w.waitingIDs(t, reach, 0)) == 1; got != want {
				t.Errorf("%s, the request waits for user %d: %v", at, reach.UserID, got)
			}
		}
	}
	approve := func(step int, person int64) {
		t.Helper()
		r.Approve(review.Approval{StepID: step, Person: person})
		w.decide(t, &r, review.RequestPending)
	}
	waits("at first", true, department, tenant, reach(94, legal), reach(95, brand), reach(96, sales), reach(97, sales, brand))
	waits("at first", false, admin, reach(98))
	approve(2, 92)
	waits("after one of two approvals", true, review.Reach{UserID: 99, Grants: department.Grants}, tenant, reach(94, legal), reach(95, brand), reach(96, sales))
	waits("after one of two approvals", false, department, reach(92, legal, brand, sales))
	approve(3, 94)
	approve(2, 93)
	waits("after two steps", false, department, tenant, reach(94, brand), reach(99, legal))
	waits("after two steps", true, review.Reach{UserID: 99, Grants: tenant.Grants}, reach(99, brand), reach(99, sales))
	approve(5, 96)
	approve(4, 95)
	approve(1, 99)
	waits("at the last step", true, admin, department, tenant)
	waits("at the last step", false, reach(94, legal), reach(95, brand))
}

func inboxInPages(t *testing.T, w *fixture) {
	sibling := w.otherProject(t)
	reach := review.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleAdmin), sibling.grant(core.RoleAdmin)}}
	var want []review.Request
	for n, second := range []int{5, 3, 3, 9, 1} {
		from := []*fixture{w, sibling}[n%2]
		r := from.newRequest(int64(n))
		r.SubmittedAt, r.Item().Withheld = at(second), doc(fields{"secret": 1})
		from.submit(t, &r)
		r.Item().Snapshot, r.Item().Withheld = nil, nil
		want = append(want, r)
	}
	want = []review.Request{want[4], want[1], want[2], want[0], want[3]}
	page := func(q review.InboxQuery) []review.Request {
		q.Reach = reach
		return result(w.Requests.Inbox(t.Context(), q))(t)
	}
	assertEqual(t, page(review.InboxQuery{Limit: 9}), want)
	assertEqual(t, page(review.InboxQuery{Limit: 4}), want) // the extra row shows that more follow
	assertEqual(t, page(review.InboxQuery{Limit: 2}), want[:3])
	assertEqual(t, page(review.InboxQuery{Limit: 2, Offset: 2}), want[2:5])
	assertEqual(t, page(review.InboxQuery{Limit: 2, Offset: 7}), []review.Request{})
	slices.Reverse(want)
	assertEqual(t, page(review.InboxQuery{Limit: 9, Descending: true}), want)
	assertEqual(t, page(review.InboxQuery{Limit: 1, Offset: 1, Descending: true}), want[1:3])
}

// listed returns the ids of a list of the inbox of reach, and checks that the count agrees.
func (w *fixture) listed(t reporter, q review.InboxQuery) []int64 {
	t.Helper()
	q.Limit = 500
	found := result(w.Requests.Inbox(t.Context(), q))(t)
	for _, r := range found {
		if r.Item().Snapshot != nil || r.Item().Title == "" {
			t.Errorf("request %d has the snapshot %s and the title %q", r.ID, r.Item().Snapshot, r.Item().Title)
		}
	}
	assertEqual(t, result(w.Requests.InboxCount(t.Context(), q))(t), int64(len(found)))
	return ids(found, requestID)
}

func inboxSubmitted(t *testing.T, w *fixture) {
	legal, sibling, me, other := w.newCustomRole(t, w.department.ID, "Legal"), w.otherProject(t), w.newUser(t), w.newUser(t)
	add := func(w *fixture, entryID int64, second int, change func(*review.Request)) int64 {
		r := w.newRequest(entryID)
		r.SubmittedBy, r.SubmittedAt = core.ActorRef{Kind: "user", ID: me.ID}, at(second)
		change(&r)
		w.submit(t, &r)
		return r.ID
	}
	plain := func(*review.Request) {}
	pending := add(w, 1, 5, plain)
	rejected := add(w, 2, 3, func(r *review.Request) { r.Status = review.RequestRejected })
	byLegal := add(w, 3, 4, func(r *review.Request) { r.Steps[0].CustomRoleID = legal.ID })
	besideIt := add(sibling, 1, 9, plain)
	add(w, 4, 1, func(r *review.Request) { r.SubmittedBy.ID = other.ID })
	add(w, 5, 1, func(r *review.Request) { r.SubmittedBy.Kind = "token" })

	q := review.InboxQuery{List: review.InboxSubmitted, Reach: review.Reach{UserID: me.ID, Grants: []core.Grant{w.grant(core.RoleEditor), sibling.grant(core.RoleViewer)}}}
	assertEqual(t, w.listed(t, q), []int64{rejected, byLegal, pending, besideIt})
	q.Descending = true
	assertEqual(t, w.listed(t, q), []int64{besideIt, pending, byLegal, rejected})
	q.ProjectID = sibling.project.ID
	assertEqual(t, w.listed(t, q), []int64{besideIt})
	page := review.InboxQuery{List: review.InboxSubmitted, Reach: q.Reach, Limit: 1, Offset: 1, Descending: true}
	assertEqual(t, ids(result(w.Requests.Inbox(t.Context(), page))(t), requestID), []int64{pending, byLegal})

	// Roles may have been lost since the submission.
	q = review.InboxQuery{List: review.InboxSubmitted, Reach: review.Reach{UserID: me.ID}}
	assertEqual(t, w.listed(t, q), []int64{})
	q.Reach.CustomRoles = []int64{legal.ID}
	assertEqual(t, w.listed(t, q), []int64{byLegal})
	q.Reach, q.ProjectID = review.Reach{UserID: me.ID, SuperAdmin: true}, w.project.ID
	assertEqual(t, w.listed(t, q), []int64{rejected, byLegal, pending})
}

func inboxReturned(t *testing.T, w *fixture) {
	me, other := w.newUser(t), w.newUser(t)
	coll := newTestCollection(t, w, "articles", titleField())
	entry := func() *core.Entry {
		e := coll.add(t, draftOf("en", fields{"title": "a"}))
		return &e
	}
	add := func(e *core.Entry, second int, status review.RequestStatus, by core.ActorRef) int64 {
		r := w.newRequest(e.ID)
		r.SubmittedBy, r.SubmittedAt, r.Status = by, at(second), status
		w.submit(t, &r)
		return r.ID
	}
	mine := core.ActorRef{Kind: "user", ID: me.ID}
	rejected := add(entry(), 5, review.RequestRejected, mine)
	sentBack := add(entry(), 3, review.RequestRevision, mine)
	again := entry()
	add(again, 1, review.RequestRejected, mine)
	add(again, 2, review.RequestPending, mine)
	trashed := entry()
	add(trashed, 1, review.RequestRevision, mine)
	coll.change(t, trashed, func(e *core.Entry) { e.TrashedAt = at(9) })
	add(entry(), 1, review.RequestPublished, mine)
	add(entry(), 1, review.RequestRejected, core.ActorRef{Kind: "user", ID: other.ID})
	add(entry(), 1, review.RequestRejected, core.ActorRef{Kind: "token", ID: me.ID})

	q := review.InboxQuery{List: review.InboxReturned, Reach: review.Reach{UserID: me.ID, Grants: []core.Grant{w.grant(core.RoleEditor)}}}
	assertEqual(t, w.listed(t, q), []int64{sentBack, rejected})
	q.Descending = true
	assertEqual(t, w.listed(t, q), []int64{rejected, sentBack})
	assertEqual(t, result(w.Requests.InboxSummary(t.Context(), q.Reach))(t).Returned, int64(2))
	q.Reach.Grants = nil
	assertEqual(t, w.listed(t, q), []int64{})
}

func inboxScheduled(t *testing.T, w *fixture) {
	legal, sibling := w.newCustomRole(t, w.department.ID, "Legal"), w.otherProject(t)
	add := func(w *fixture, entryID int64, status review.RequestStatus, second int, customRoleID int64) int64 {
		r := w.newRequest(entryID)
		if second > 0 {
			r.ScheduledAt = at(second)
		}
		r.Steps[0].CustomRoleID = customRoleID
		w.submit(t, &r)
		w.decide(t, &r, status)
		return r.ID
	}
	late := add(w, 1, review.RequestApproved, 9, 0)
	byLegal := add(w, 2, review.RequestApproved, 7, legal.ID)
	besideIt := add(sibling, 1, review.RequestApproved, 8, 0)
	add(w, 3, review.RequestApproved, 0, 0)
	add(w, 4, review.RequestPending, 5, 0)
	add(w, 5, review.RequestPublished, 6, 0)

	q := review.InboxQuery{List: review.InboxScheduled, Reach: review.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleDepartmentAdmin)}}}
	assertEqual(t, w.listed(t, q), []int64{byLegal, besideIt, late})
	q.Descending = true
	assertEqual(t, w.listed(t, q), []int64{late, besideIt, byLegal})
	q.Reach.Grants = []core.Grant{w.grant(core.RoleViewer)}
	assertEqual(t, w.listed(t, q), []int64{late, byLegal})
	q.Reach = review.Reach{UserID: 99, CustomRoles: []int64{legal.ID}}
	assertEqual(t, w.listed(t, q), []int64{byLegal})
	q.Reach = review.Reach{UserID: 99}
	assertEqual(t, w.listed(t, q), []int64{})
}

func inboxDecided(t *testing.T, w *fixture) {
	legal, sibling, me, other := w.newCustomRole(t, w.department.ID, "Legal"), w.otherProject(t), w.newUser(t), w.newUser(t)
	submit := func(w *fixture, entryID int64, customRoleID int64) *review.Request {
		r := w.newRequest(entryID)
		r.Steps[0].CustomRoleID = customRoleID
		w.submit(t, &r)
		return &r
	}
	act := func(r *review.Request, kind review.ActionType, actor core.ActorRef) {
		r.Version++
		action := actionOf(r, kind)
		action.Actor = actor
		requireNoError(t, w.Requests.Update(t.Context(), r, []*review.Action{action}))
	}
	byMe := core.ActorRef{Kind: "user", ID: me.ID}
	twice, byLegal, besideIt, rejected, others := submit(w, 1, 0), submit(w, 2, legal.ID), submit(sibling, 1, 0), submit(w, 3, 0), submit(w, 4, 0)
	act(twice, review.ActionApprove, byMe)
	act(byLegal, review.ActionRequestRevision, byMe)
	act(besideIt, review.ActionApprove, byMe)
	act(rejected, review.ActionReject, byMe)
	act(twice, review.ActionApprove, byMe)
	act(byLegal, review.ActionWithdraw, byMe) // not a decision
	for kind, actor := range map[review.ActionType]core.ActorRef{
		review.ActionApprove: {Kind: "token", ID: me.ID}, review.ActionReject: {Kind: "user", ID: other.ID}, review.ActionPublishNow: byMe, review.ActionReschedule: byMe,
	} {
		act(others, kind, actor)
	}

	q := review.InboxQuery{List: review.InboxDecided, Reach: review.Reach{UserID: me.ID, Grants: []core.Grant{w.grant(core.RoleAdmin), sibling.grant(core.RoleAdmin)}}, Descending: true}
	assertEqual(t, w.listed(t, q), []int64{twice.ID, rejected.ID, besideIt.ID, byLegal.ID})
	q.ProjectID, q.Descending = w.project.ID, false
	assertEqual(t, w.listed(t, q), []int64{byLegal.ID, rejected.ID, twice.ID})
	page := review.InboxQuery{List: review.InboxDecided, Reach: q.Reach, Limit: 1, Offset: 1, Descending: true}
	assertEqual(t, ids(result(w.Requests.Inbox(t.Context(), page))(t), requestID), []int64{rejected.ID, besideIt.ID})

	// Roles may have been lost since the decision.
	q = review.InboxQuery{List: review.InboxDecided, Reach: review.Reach{UserID: me.ID}}
	assertEqual(t, w.listed(t, q), []int64{})
	q.Reach.CustomRoles = []int64{legal.ID}
	assertEqual(t, w.listed(t, q), []int64{byLegal.ID})
	q.Reach.Grants = []core.Grant{sibling.grant(core.RoleViewer)}
	assertEqual(t, w.listed(t, q), []int64{byLegal.ID, besideIt.ID})
}

func inboxSummary(t *testing.T, w *fixture) {
	legal := w.newCustomRole(t, w.department.ID, "Legal")
	me, sibling := w.newUser(t), w.otherProject(t)
	sibling.project.Name = "Blog"
	requireNoError(t, w.Projects.Update(t.Context(), sibling.project))
	mine := core.ActorRef{Kind: "user", ID: me.ID, Name: me.Name}
	add := func(w *fixture, entryID int64, change func(*review.Request)) {
		r := w.newRequest(entryID)
		change(&r)
		w.submit(t, &r)
		if r.Status == review.RequestApproved {
			w.decide(t, &r, review.RequestApproved)
		}
	}
	scheduled := func(r *review.Request) { r.Status, r.ScheduledAt = review.RequestApproved, at(100) }
	byLegal := func(r *review.Request) { r.Steps[0].CustomRoleID = legal.ID }
	add(w, 1, func(r *review.Request) { r.SubmittedAt = at(8) })
	add(w, 2, func(r *review.Request) { r.SubmittedAt = at(6); byLegal(r) })
	add(sibling, 1, func(r *review.Request) { r.SubmittedAt = at(7) })
	add(sibling, 2, func(r *review.Request) { r.SubmittedAt = at(9) })
	add(sibling, 3, func(r *review.Request) { r.SubmittedBy = mine })
	add(sibling, 4, func(r *review.Request) { r.SubmittedBy, r.Status = mine, review.RequestRejected })
	add(sibling, 5, func(r *review.Request) { r.SubmittedBy = mine; scheduled(r) })
	add(sibling, 6, func(r *review.Request) { r.SubmittedBy = mine; r.SubmittedBy.Kind = "token" })
	add(w, 7, func(r *review.Request) { scheduled(r); byLegal(r) })
	add(w, 8, func(r *review.Request) { scheduled(r); r.Steps[0].CustomRoleID = legal.ID * 10 })
	add(w, 9, func(r *review.Request) { r.Status = review.RequestApproved })

	sum := func(reach review.Reach) review.InboxSummary {
		reach.UserID = me.ID
		return result(w.Requests.InboxSummary(t.Context(), reach))(t)
	}
	assertEqual(t, sum(review.Reach{Grants: []core.Grant{w.grant(core.RoleAdmin), sibling.grant(core.RoleAdmin)}}), review.InboxSummary{
		Pending: 4, OldestSubmittedAt: at(1), SubmittedByMe: 2, Scheduled: 3, ByProject: []review.InboxProject{
			{ProjectID: sibling.project.ID, Name: "Blog", Pending: 3}, {ProjectID: w.project.ID, Name: w.project.Name, Pending: 1},
		},
	})
	assertEqual(t, sum(review.Reach{CustomRoles: []int64{legal.ID}}), review.InboxSummary{
		Pending: 1, OldestSubmittedAt: at(6), SubmittedByMe: 2, Scheduled: 1,
		ByProject: []review.InboxProject{{ProjectID: w.project.ID, Name: w.project.Name, Pending: 1}},
	})
	assertEqual(t, sum(review.Reach{Grants: []core.Grant{w.grant(core.RoleViewer)}}), review.InboxSummary{SubmittedByMe: 2, Scheduled: 2})
	assertEqual(t, sum(review.Reach{Grants: []core.Grant{w.grant(core.RoleAdmin), sibling.grant(core.RoleViewer)}, CustomRoles: []int64{legal.ID}}), review.InboxSummary{
		Pending: 2, OldestSubmittedAt: at(6), SubmittedByMe: 2, Scheduled: 3,
		ByProject: []review.InboxProject{{ProjectID: w.project.ID, Name: w.project.Name, Pending: 2}},
	})
}

func inboxWithoutRoles(t *testing.T, w *fixture) {
	w.waiting(t, 1, core.RoleAdmin, 0)
	assertEqual(t, w.waitingIDs(t, review.Reach{UserID: 99}, 0), []int64{})
	assertEqual(t, result(w.Requests.InboxSummary(t.Context(), review.Reach{UserID: 99}))(t), review.InboxSummary{})
}
