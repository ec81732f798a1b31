package contract

import (
	"slices"
	"testing"

	"imprimatur/core"
)

// Inboxes checks what a ports.RequestReader shows to reviewers.
func Inboxes(t *testing.T, open Factory) {
	run(t, open, cases{
		"holds what waits for the tiers that a role includes":       inboxOfTiers,
		"holds what waits for a custom role, for its holders alone": inboxOfCustomRoles,
		"excludes participants of a request":                        inboxOfParts,
		"follows the current step":                                  inboxOfSteps,
		"comes in pages, oldest or newest first":                    inboxInPages,
		"is summed up":                                              inboxSummed,
		"is empty without reach":                                    inboxOfNobody,
	})
}

// waiting submits a request whose only step waits for the role, or the custom role.
func (w *world) waiting(t reporter, entryID int64, role core.Role, customRoleID int64) core.Request {
	t.Helper()
	r := w.newRequest(entryID)
	r.Steps[0].RoleKind, r.Steps[0].CustomRoleID = role, customRoleID
	w.submit(t, &r)
	return r
}

func (w *world) newCustomRole(t reporter, departmentID int64, name string) core.CustomRole {
	t.Helper()
	role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: departmentID, Name: name, CreatedAt: at(1)}
	succeed(t, w.CustomRoles.Insert(t.Context(), &role))
	return role
}

// waitingIDs returns what the inbox of reach holds, and checks that the count agrees
// where other cases do not add to it.
func (w *world) waitingIDs(t reporter, reach core.Reach, projectID int64) []int64 {
	t.Helper()
	q := core.InboxQuery{Reach: reach, ProjectID: projectID, Limit: 500}
	found := ids(value(w.Requests.Inbox(t.Context(), q))(t), requestID)
	if !reach.SuperAdmin || projectID != 0 {
		same(t, value(w.Requests.InboxCount(t.Context(), q))(t), int64(len(found)))
	}
	return found
}

func (w *world) grant(role core.Role) core.Grant {
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

func inboxOfTiers(t *testing.T, w *world) {
	admin := w.waiting(t, 1, core.RoleAdmin, 0)
	department := w.waiting(t, 2, core.RoleDepartmentAdmin, 0)
	tenant := w.waiting(t, 3, core.RoleTenantAdmin, 0)
	beside := w.beside(t)
	nextDoor := beside.waiting(t, 1, core.RoleAdmin, 0)
	outside := *w
	outside.project = w.newProject(t, w.tenant.ID, 0)
	homeless := outside.waiting(t, 1, core.RoleDepartmentAdmin, 0)
	stranger := newWorld(t, w.Stores, w.tx)
	strangers := stranger.waiting(t, 1, core.RoleAdmin, 0)

	for name, tt := range map[string]struct {
		grants []core.Grant
		want   []int64
	}{
		"a viewer":            {[]core.Grant{w.grant(core.RoleViewer)}, nil},
		"an editor":           {[]core.Grant{w.grant(core.RoleEditor)}, nil},
		"a project admin":     {[]core.Grant{w.grant(core.RoleAdmin)}, []int64{admin.ID}},
		"a department admin":  {[]core.Grant{w.grant(core.RoleDepartmentAdmin)}, []int64{admin.ID, department.ID, nextDoor.ID}},
		"a tenant admin":      {[]core.Grant{w.grant(core.RoleTenantAdmin)}, []int64{admin.ID, department.ID, tenant.ID, nextDoor.ID, homeless.ID}},
		"an admin of several": {[]core.Grant{w.grant(core.RoleAdmin), beside.grant(core.RoleAdmin), stranger.grant(core.RoleViewer)}, []int64{admin.ID, nextDoor.ID}},
		"an admin in every way": {
			[]core.Grant{w.grant(core.RoleViewer), w.grant(core.RoleDepartmentAdmin), w.grant(core.RoleTenantAdmin), stranger.grant(core.RoleTenantAdmin)},
			[]int64{admin.ID, department.ID, tenant.ID, nextDoor.ID, homeless.ID, strangers.ID},
		},
	} {
		if got := w.waitingIDs(t, core.Reach{UserID: 99, Grants: tt.grants}, 0); !slices.Equal(got, tt.want) {
			t.Errorf("%s finds %v, want %v", name, got, tt.want)
		}
	}
	everything := core.Reach{UserID: 99, SuperAdmin: true}
	same(t, w.waitingIDs(t, everything, w.project.ID), []int64{admin.ID, department.ID, tenant.ID})
	for _, id := range []int64{nextDoor.ID, homeless.ID, strangers.ID} {
		if !slices.Contains(w.waitingIDs(t, everything, 0), id) {
			t.Errorf("a super admin does not find %d", id)
		}
	}
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}, beside.project.ID), []int64{nextDoor.ID})
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}, stranger.project.ID), []int64{})
}

func inboxOfCustomRoles(t *testing.T, w *world) {
	legal, brand := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.department.ID, "Brand")
	forLegal, forBrand := w.waiting(t, 1, core.RoleAdmin, legal.ID), w.waiting(t, 2, core.RoleAdmin, brand.ID)
	nextDoor := w.beside(t).waiting(t, 1, core.RoleTenantAdmin, legal.ID)
	elsewhere := *w
	elsewhere.department = w.newDepartment(t, w.tenant.ID)
	elsewhere.project = w.newProject(t, w.tenant.ID, elsewhere.department.ID)
	elsewhere.waiting(t, 1, core.RoleAdmin, legal.ID) // which is none of that department

	everything := []core.Grant{w.grant(core.RoleTenantAdmin)}
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, Grants: everything}, 0), []int64{})
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, SuperAdmin: true}, w.project.ID), []int64{})
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, CustomRoles: []int64{legal.ID}}, 0), []int64{forLegal.ID, nextDoor.ID})
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, CustomRoles: []int64{brand.ID, legal.ID}, Grants: everything}, 0),
		[]int64{forLegal.ID, forBrand.ID, nextDoor.ID})
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, CustomRoles: []int64{unknown}}, 0), []int64{})

	// In another Department the step waits for nobody, and with the role gone as well.
	w.move(t, elsewhere.department.ID)
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, CustomRoles: []int64{legal.ID}}, 0), []int64{nextDoor.ID})
	w.move(t, w.department.ID)
	succeed(t, w.CustomRoles.Delete(t.Context(), legal.ID))
	same(t, w.waitingIDs(t, core.Reach{UserID: 99, CustomRoles: []int64{legal.ID}}, 0), []int64{})
}

func inboxOfParts(t *testing.T, w *world) {
	admins := []core.Grant{w.grant(core.RoleAdmin)}
	strict, lenient, byToken, approved := w.newRequest(1), w.newRequest(2), w.newRequest(3), w.newRequest(4)
	lenient.AllowSelfApproval = true
	byToken.SubmittedBy.Kind, byToken.SubmittedBy.MadeBy = "token", 77
	for _, r := range []*core.Request{&strict, &lenient, &byToken, &approved} {
		w.submit(t, r)
	}
	approved.Approvers, approved.Version = []int64{41, 44}, 2
	succeed(t, w.Requests.Update(t.Context(), &approved, nil))
	for user, want := range map[int64][]int64{
		4:  {lenient.ID, byToken.ID}, // who submitted them
		44: {strict.ID, lenient.ID, byToken.ID},
		41: {strict.ID, lenient.ID, byToken.ID},
		1:  {strict.ID, lenient.ID, byToken.ID, approved.ID},
		77: {strict.ID, lenient.ID, approved.ID}, // who made the token that submitted one
		99: {strict.ID, lenient.ID, byToken.ID, approved.ID},
	} {
		if got := w.waitingIDs(t, core.Reach{UserID: user, Grants: admins}, 0); !slices.Equal(got, want) {
			t.Errorf("user %d finds %v, want %v", user, got, want)
		}
	}
}

func inboxOfSteps(t *testing.T, w *world) {
	r := w.newRequest(1)
	r.Steps = []core.Step{{Order: 1, RoleKind: core.RoleAdmin}, {Order: 2, RoleKind: core.RoleTenantAdmin}}
	w.submit(t, &r)
	admin := core.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleAdmin)}}
	tenant := core.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleTenantAdmin)}}
	same(t, w.waitingIDs(t, admin, 0), []int64{r.ID})
	r.Current = 1
	w.decide(t, &r, core.RequestPending)
	same(t, w.waitingIDs(t, admin, 0), []int64{})
	same(t, w.waitingIDs(t, tenant, 0), []int64{r.ID})
	for _, status := range []core.RequestStatus{core.RequestApproved, core.RequestRejected, core.RequestRevision, core.RequestPublished, core.RequestWithdrawn} {
		w.decide(t, &r, status)
		same(t, w.waitingIDs(t, tenant, 0), []int64{})
	}
}

func inboxInPages(t *testing.T, w *world) {
	beside := w.beside(t)
	reach := core.Reach{UserID: 99, Grants: []core.Grant{w.grant(core.RoleAdmin), beside.grant(core.RoleAdmin)}}
	var want []core.Request
	for n, second := range []int{5, 3, 3, 9, 1} {
		from := []*world{w, beside}[n%2]
		r := from.newRequest(int64(n))
		r.SubmittedAt, r.Withheld = at(second), doc(fields{"secret": 1})
		from.submit(t, &r)
		r.Snapshot, r.Withheld = nil, nil
		want = append(want, r)
	}
	want = []core.Request{want[4], want[1], want[2], want[0], want[3]}
	page := func(q core.InboxQuery) []core.Request {
		q.Reach = reach
		return value(w.Requests.Inbox(t.Context(), q))(t)
	}
	same(t, page(core.InboxQuery{Limit: 9}), want)
	same(t, page(core.InboxQuery{Limit: 4}), want) // one more says that there is more
	same(t, page(core.InboxQuery{Limit: 2}), want[:3])
	same(t, page(core.InboxQuery{Limit: 2, Offset: 2}), want[2:5])
	same(t, page(core.InboxQuery{Limit: 2, Offset: 7}), []core.Request{})
	slices.Reverse(want)
	same(t, page(core.InboxQuery{Limit: 9, Newest: true}), want)
	same(t, page(core.InboxQuery{Limit: 1, Offset: 1, Newest: true}), want[1:3])
}

func inboxSummed(t *testing.T, w *world) {
	legal := w.newCustomRole(t, w.department.ID, "Legal")
	me, beside := w.newUser(t), w.beside(t)
	beside.project.Name = "Blog"
	succeed(t, w.Projects.Update(t.Context(), beside.project))
	mine := core.ActorRef{Kind: "user", ID: me.ID, Name: me.Name}
	add := func(w *world, entryID int64, change func(*core.Request)) {
		r := w.newRequest(entryID)
		change(&r)
		w.submit(t, &r)
		if r.Status == core.RequestApproved {
			w.decide(t, &r, core.RequestApproved)
		}
	}
	scheduled := func(r *core.Request) { r.Status, r.ScheduledAt = core.RequestApproved, at(100) }
	byLegal := func(r *core.Request) { r.Steps[0].CustomRoleID = legal.ID }
	add(w, 1, func(r *core.Request) { r.SubmittedAt = at(8) })
	add(w, 2, func(r *core.Request) { r.SubmittedAt = at(6); byLegal(r) })
	add(beside, 1, func(r *core.Request) { r.SubmittedAt = at(7) })
	add(beside, 2, func(r *core.Request) { r.SubmittedAt = at(9) })
	add(beside, 3, func(r *core.Request) { r.SubmittedBy = mine })
	add(beside, 4, func(r *core.Request) { r.SubmittedBy, r.Status = mine, core.RequestRejected })
	add(beside, 5, func(r *core.Request) { r.SubmittedBy = mine; scheduled(r) })
	add(beside, 6, func(r *core.Request) { r.SubmittedBy = mine; r.SubmittedBy.Kind = "token" })
	add(w, 7, func(r *core.Request) { scheduled(r); byLegal(r) })
	add(w, 8, func(r *core.Request) { scheduled(r); r.Steps[0].CustomRoleID = legal.ID * 10 })
	add(w, 9, func(r *core.Request) { r.Status = core.RequestApproved })

	sum := func(reach core.Reach) core.InboxSummary {
		reach.UserID = me.ID
		return value(w.Requests.InboxSummary(t.Context(), reach))(t)
	}
	same(t, sum(core.Reach{Grants: []core.Grant{w.grant(core.RoleAdmin), beside.grant(core.RoleAdmin)}}), core.InboxSummary{
		Pending: 4, OldestSubmittedAt: at(1), SubmittedByMe: 2, Scheduled: 3, ByProject: []core.InboxProject{
			{ProjectID: beside.project.ID, Name: "Blog", Pending: 3}, {ProjectID: w.project.ID, Name: w.project.Name, Pending: 1},
		},
	})
	same(t, sum(core.Reach{CustomRoles: []int64{legal.ID}}), core.InboxSummary{
		Pending: 1, OldestSubmittedAt: at(6), SubmittedByMe: 2, Scheduled: 1,
		ByProject: []core.InboxProject{{ProjectID: w.project.ID, Name: w.project.Name, Pending: 1}},
	})
	same(t, sum(core.Reach{Grants: []core.Grant{w.grant(core.RoleViewer)}}), core.InboxSummary{SubmittedByMe: 2, Scheduled: 2})
	same(t, sum(core.Reach{Grants: []core.Grant{w.grant(core.RoleAdmin), beside.grant(core.RoleViewer)}, CustomRoles: []int64{legal.ID}}), core.InboxSummary{
		Pending: 2, OldestSubmittedAt: at(6), SubmittedByMe: 2, Scheduled: 3,
		ByProject: []core.InboxProject{{ProjectID: w.project.ID, Name: w.project.Name, Pending: 2}},
	})
}

func inboxOfNobody(t *testing.T, w *world) {
	w.waiting(t, 1, core.RoleAdmin, 0)
	same(t, w.waitingIDs(t, core.Reach{UserID: 99}, 0), []int64{})
	same(t, value(w.Requests.InboxSummary(t.Context(), core.Reach{UserID: 99}))(t), core.InboxSummary{})
}
