package access_test

import (
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
)

func names[T any](items []T, name func(T) string) []string {
	list := []string{}
	for _, item := range items {
		list = append(list, name(item))
	}
	return list
}

// Lists contain exactly the objects that the caller's roles make visible.
func TestListsShowVisibleObjects(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, test := range []struct {
		caller               string
		tenants, departments []string // the latter of Meridian
		projects, inMeridian []string
	}{
		{"super", []string{"Meridian", "Elsewhere"}, []string{"Newsroom", "Marketing"}, []string{"World Desk", "Blog", "Archive", "Film"}, []string{"World Desk", "Blog", "Archive"}},
		{"tenant", []string{"Meridian"}, []string{"Newsroom", "Marketing"}, []string{"World Desk", "Blog", "Archive"}, []string{"World Desk", "Blog", "Archive"}},
		{"department", []string{"Meridian"}, []string{"Newsroom"}, []string{"World Desk"}, []string{"World Desk"}},
		{"viewer", []string{"Meridian"}, []string{"Newsroom"}, []string{"World Desk"}, []string{"World Desk"}},
		{"blogger", []string{"Meridian"}, []string{"Marketing"}, []string{"Blog"}, []string{"Blog"}},
		{"archivist", []string{"Meridian"}, []string{}, []string{"Archive"}, []string{"Archive"}},
		{"legal", []string{}, []string{}, []string{}, []string{}},
		{"outsider", []string{}, []string{}, []string{}, []string{}},
		{"neighbour", []string{"Elsewhere"}, []string{}, []string{"Film"}, []string{}},
	} {
		t.Run(test.caller, func(t *testing.T) {
			actor := w.actor(t, test.caller)
			tenants := must(w.organisation.Tenants(t.Context(), actor))(t)
			departments := must(w.organisation.Departments(t.Context(), actor, w.meridian.ID))(t)
			projects := must(w.organisation.Projects(t.Context(), actor))(t)
			inMeridian := must(w.organisation.TenantProjects(t.Context(), actor, w.meridian.ID))(t)
			projectName := func(p *core.Project) string { return p.Name }
			for what, lists := range map[string][2][]string{
				"tenants":           {names(tenants, func(x core.Tenant) string { return x.Name }), test.tenants},
				"departments":       {names(departments, func(d core.Department) string { return d.Name }), test.departments},
				"projects":          {names(projects, projectName), test.projects},
				"tenant's projects": {names(inMeridian, projectName), test.inMeridian},
			} {
				if !slices.Equal(lists[0], lists[1]) {
					t.Errorf("%s: %q, want %q", what, lists[0], lists[1])
				}
			}
		})
	}
}

func TestTenants(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, err := w.organisation.CreateTenant(t.Context(), core.Actor{System: true}, "")
	wantFaults(t, err, "name")
	_, err = w.organisation.UpdateTenant(t.Context(), core.Actor{System: true}, w.meridian.ID, access.TenantChange{Name: ptr("a\nb"), MailContent: ptr("some")})
	wantFaults(t, err, "name", "mailContent")
	_, err = w.organisation.UpdateTenant(t.Context(), core.Actor{System: true}, 1<<40, access.TenantChange{Name: ptr("x")})
	wantKind(t, err, core.KindNotFound)

	w.clock.pass(1)
	changed := must(w.organisation.UpdateTenant(t.Context(), core.Actor{System: true}, w.meridian.ID, access.TenantChange{Name: ptr("Meridian Media"), MailContent: ptr("none")}))(t)
	stored := must(w.stores.Tenants.Tenant(t.Context(), w.meridian.ID))(t)
	if changed != stored || stored.Name != "Meridian Media" || !stored.NeutralMail || !stored.UpdatedAt.After(stored.CreatedAt) {
		t.Errorf("returned %+v, stored %+v", changed, stored)
	}

	wantKind(t, w.organisation.DeleteTenant(t.Context(), core.Actor{System: true}, w.meridian.ID), core.KindConflict)
	empty := must(w.organisation.CreateTenant(t.Context(), core.Actor{System: true}, "Empty"))(t)
	ok(t, w.organisation.DeleteTenant(t.Context(), core.Actor{System: true}, empty.ID))
	wantKind(t, w.organisation.DeleteTenant(t.Context(), core.Actor{System: true}, empty.ID), core.KindNotFound)
}

func TestDepartments(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, err := w.organisation.CreateDepartment(t.Context(), core.Actor{System: true}, w.meridian.ID, " ")
	wantFaults(t, err, "name")
	changed := must(w.organisation.UpdateDepartment(t.Context(), core.Actor{System: true}, w.newsroom.ID, ptr("News")))(t)
	if changed.Name != "News" || changed.TenantID != w.meridian.ID {
		t.Errorf("returned %+v", changed)
	}

	wantKind(t, w.organisation.DeleteDepartment(t.Context(), core.Actor{System: true}, w.newsroom.ID), core.KindConflict)
	id := w.signIn(t, "department")
	must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t)
	ok(t, w.organisation.DeleteProject(t.Context(), core.Actor{System: true}, w.worldDesk))
	ok(t, w.organisation.DeleteDepartment(t.Context(), core.Actor{System: true}, w.newsroom.ID))
	if actor := must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t); len(actor.Grants) != 0 {
		t.Errorf("roles in a deleted department: %+v", actor.Grants)
	}
}

func TestCustomRoles(t *testing.T) {
	t.Parallel()
	w := setup(t)
	o, ctx := w.organisation, t.Context()
	holders := func() []string {
		return names(must(o.Holders(ctx, w.newsroom.ID, w.legalRole.ID))(t), func(h access.Holder) string { return h.Name })
	}

	_, err := o.CreateCustomRole(ctx, core.Actor{System: true}, w.newsroom, "")
	wantFaults(t, err, "name")
	_, err = o.CreateCustomRole(ctx, core.Actor{System: true}, w.newsroom, "Legal")
	wantKind(t, err, core.KindConflict)
	other := must(o.CreateCustomRole(ctx, core.Actor{System: true}, w.newsroom, "Science"))(t)
	_, err = o.UpdateCustomRole(ctx, core.Actor{System: true}, w.newsroom.ID, other.ID, ptr("Legal"))
	wantKind(t, err, core.KindConflict)
	renamed := must(o.UpdateCustomRole(ctx, core.Actor{System: true}, w.newsroom.ID, other.ID, ptr("Fact check")))(t)
	if renamed.Name != "Fact check" || renamed.TenantID != w.meridian.ID {
		t.Errorf("renamed: %+v", renamed)
	}
	if got := names(must(o.CustomRoles(ctx, w.newsroom.ID))(t), func(r core.CustomRole) string { return r.Name }); !slices.Equal(got, []string{"Legal", "Fact check"}) {
		t.Errorf("listed: %q", got)
	}

	ok(t, o.GiveRole(ctx, w.actor(t, "department"), w.newsroom, w.legalRole.ID, w.people["editor"]))
	ok(t, o.GiveRole(ctx, w.actor(t, "department"), w.newsroom, w.legalRole.ID, w.people["editor"]))
	if got := holders(); !slices.Equal(got, []string{"editor", "legal"}) {
		t.Errorf("holders: %q", got)
	}
	ok(t, o.TakeRole(ctx, core.Actor{System: true}, w.newsroom.ID, w.legalRole.ID, w.people["legal"]))
	wantKind(t, o.TakeRole(ctx, core.Actor{System: true}, w.newsroom.ID, w.legalRole.ID, w.people["legal"]), core.KindNotFound)
	if got := holders(); !slices.Equal(got, []string{"editor"}) {
		t.Errorf("holders: %q", got)
	}
	wantKind(t, o.GiveRole(ctx, w.actor(t, "department"), w.newsroom, w.legalRole.ID, w.people["neighbour"]), core.KindNotFound)
}

func TestCustomRolesOfAnotherDepartmentDoNotExist(t *testing.T) {
	t.Parallel()
	w := setup(t)
	o, ctx, id := w.organisation, t.Context(), w.legalRole.ID
	_, err := o.CustomRole(ctx, w.marketing.ID, id)
	wantKind(t, err, core.KindNotFound)
	_, err = o.UpdateCustomRole(ctx, core.Actor{System: true}, w.marketing.ID, id, ptr("x"))
	wantKind(t, err, core.KindNotFound)
	_, err = o.Holders(ctx, w.marketing.ID, id)
	wantKind(t, err, core.KindNotFound)
	wantKind(t, o.GiveRole(ctx, system, w.marketing, id, w.people["editor"]), core.KindNotFound)
	wantKind(t, o.TakeRole(ctx, core.Actor{System: true}, w.marketing.ID, id, w.people["legal"]), core.KindNotFound)
	wantKind(t, o.DeleteCustomRole(ctx, core.Actor{System: true}, w.marketing.ID, id), core.KindNotFound)
	if role := must(o.CustomRole(ctx, w.newsroom.ID, id))(t); role.Name != "Legal" {
		t.Errorf("stored: %+v", role)
	}
}
