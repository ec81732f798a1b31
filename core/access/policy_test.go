package access_test

import (
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/access"
)

// The policy of users. A cell is the outcome for the caller in its column:
//
//	yes    allowed
//	403    the place is visible, the action is not allowed
//	-      the place is not visible, as if it did not exist
const (
	callers = "super tenant department project editor viewer | archivist blogger legal outsider neighbour"

	// Higher roles include lower ones.
	forSuperAdmins      = "yes 403 403 403 403 403 | "
	forTenantAdmins     = "yes yes 403 403 403 403 | "
	forDepartmentAdmins = "yes yes yes 403 403 403 | "
	forProjectAdmins    = "yes yes yes yes 403 403 | "
	forEditors          = "yes yes yes yes yes 403 | "
	forViewers          = "yes yes yes yes yes yes | "

	// A role in a project makes its tenant visible, but not other departments.
	inOtherProjects   = "403 403"
	seenFromProjects  = "yes yes"
	unseenByOthers    = " - - -" // a custom role alone shows nothing
	unseenFromOutside = "- - - - -"
	approversToo      = "- - yes - -" // the use case checks the rest
)

var userPolicy = []struct {
	action access.Action
	place  string
	cells  string
}{
	{access.SignedIn, "platform", "yes yes yes yes yes yes | yes yes yes yes yes"},
	{access.SignOut, "platform", "yes yes yes yes yes yes | yes yes yes yes yes"},
	{access.SetPassword, "platform", "yes yes yes yes yes yes | yes yes yes yes yes"},
	{access.SetFactors, "platform", "yes yes yes yes yes yes | yes yes yes yes yes"},
	{access.CreateTenant, "platform", "yes 403 403 403 403 403 | 403 403 403 403 403"},
	{access.ListUsers, "platform", "yes 403 403 403 403 403 | 403 403 403 403 403"},
	{access.CreateUser, "platform", "yes 403 403 403 403 403 | 403 403 403 403 403"},

	{access.ViewTenant, "Meridian", forViewers + seenFromProjects + unseenByOthers},
	{access.UpdateTenant, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.DeleteTenant, "Meridian", forSuperAdmins + inOtherProjects + unseenByOthers},
	{access.ViewTenantMembers, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.ManageTenantMembers, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.ManageProviders, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.ViewTenantEvents, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.ListUsers, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.CreateUser, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.CreateDepartment, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},
	{access.CreateProject, "Meridian", forTenantAdmins + inOtherProjects + unseenByOthers},

	{access.ViewDepartment, "Newsroom", forViewers + unseenFromOutside},
	{access.UpdateDepartment, "Newsroom", forTenantAdmins + unseenFromOutside},
	{access.DeleteDepartment, "Newsroom", forTenantAdmins + unseenFromOutside},
	{access.ViewDepartmentMembers, "Newsroom", forDepartmentAdmins + unseenFromOutside},
	{access.ManageDepartmentMembers, "Newsroom", forDepartmentAdmins + unseenFromOutside},
	{access.ViewCustomRoles, "Newsroom", forViewers + unseenFromOutside},
	{access.ManageCustomRoles, "Newsroom", forDepartmentAdmins + unseenFromOutside},

	{access.ViewProject, "World Desk", forViewers + unseenFromOutside},
	{access.UpdateProject, "World Desk", forProjectAdmins + unseenFromOutside},
	{access.DeleteProject, "World Desk", forTenantAdmins + unseenFromOutside},
	{access.ViewProjectMembers, "World Desk", forViewers + unseenFromOutside},
	{access.ManageProjectMembers, "World Desk", forProjectAdmins + unseenFromOutside},
	{access.ManageTokens, "World Desk", forProjectAdmins + unseenFromOutside},
	{access.ManageWebhooks, "World Desk", forProjectAdmins + unseenFromOutside},
	{access.ViewProjectEvents, "World Desk", forProjectAdmins + unseenFromOutside},
	{access.ViewCollections, "World Desk", forViewers + unseenFromOutside},
	{access.ManageCollections, "World Desk", forProjectAdmins + unseenFromOutside},
	{access.ReadContent, "World Desk", forViewers + unseenFromOutside},
	{access.WriteContent, "World Desk", forEditors + unseenFromOutside},
	{access.ReadDrafts, "World Desk", forViewers + unseenFromOutside},
	{access.DraftContent, "World Desk", forEditors + unseenFromOutside},
	{access.ProposeReleases, "World Desk", forEditors + unseenFromOutside},
	{access.DestroyContent, "World Desk", forProjectAdmins + unseenFromOutside},
	{access.ViewReleases, "World Desk", forViewers + approversToo},
	{access.WriteReleases, "World Desk", forEditors + unseenFromOutside},
	{access.ViewMedia, "World Desk", forViewers + unseenFromOutside},
	{access.WriteMedia, "World Desk", forEditors + unseenFromOutside},
	{access.DeleteMedia, "World Desk", forEditors + unseenFromOutside},

	{access.ViewDepartmentWorkflow, "Newsroom", forDepartmentAdmins + unseenFromOutside},
	{access.SetDepartmentWorkflow, "Newsroom", forTenantAdmins + unseenFromOutside},
	{access.ViewProjectWorkflow, "World Desk", forViewers + unseenFromOutside},
	{access.SetProjectWorkflow, "World Desk", forTenantAdmins + unseenFromOutside},
	{access.ViewApproval, "World Desk", forViewers + approversToo},
	{access.CommentApproval, "World Desk", forViewers + approversToo},
	{access.DecideApproval, "World Desk", forViewers + approversToo},
	// In a project without a department only a super admin sees a workflow, and no custom
	// role gives access to requests. Custom roles of another department do not, either.
	{access.ViewProjectWorkflow, "Archive", "yes 403 - - - - | 403 - - - -"},
	{access.SetProjectWorkflow, "Archive", "yes 403 - - - - | 403 - - - -"},
	{access.ViewApproval, "Archive", "yes yes - - - - | yes - - - -"},
	{access.DecideApproval, "Archive", "yes yes - - - - | yes - - - -"},
	{access.ViewApproval, "Blog", "yes yes - - - - | - yes - - -"},
	{access.DecideApproval, "Blog", "yes yes - - - - | - yes - - -"},
	{access.ViewProjectWorkflow, "Blog", "yes yes - - - - | - yes - - -"},

	// Roles apply to objects below them only.
	{access.ViewDepartment, "Marketing", "yes yes - - - - | - yes - - -"},
	{access.ReadContent, "Blog", "yes yes - - - - | - yes - - -"},
	{access.DestroyContent, "Blog", "yes yes - - - - | - yes - - -"},
	{access.DeleteProject, "Blog", "yes yes - - - - | - 403 - - -"},
	{access.ReadContent, "Archive", "yes yes - - - - | yes - - - -"},
	{access.ViewTenant, "Elsewhere", "yes - - - - - | - - - - yes"},
	{access.UpdateTenant, "Elsewhere", "yes - - - - - | - - - - yes"},
	{access.DeleteTenant, "Elsewhere", "yes - - - - - | - - - - 403"},
	{access.DeleteDepartment, "Studio", "yes - - - - - | - - - - yes"},
	{access.ReadContent, "Film", "yes - - - - - | - - - - yes"},

	// A missing place is not found for every caller.
	{access.ViewTenant, "no tenant", "- - - - - - | - - - - -"},
	{access.ViewDepartment, "no department", "- - - - - - | - - - - -"},
	{access.ViewProject, "no project", "- - - - - - | - - - - -"},
	{access.ViewTenant, "platform", "- - - - - - | - - - - -"},
}

func (w *fixture) targets() map[string]access.Target {
	return map[string]access.Target{
		"platform":      {},
		"Meridian":      {TenantID: w.meridian.ID},
		"Elsewhere":     {TenantID: w.elsewhere.ID},
		"Newsroom":      {DepartmentID: w.newsroom.ID},
		"Marketing":     {DepartmentID: w.marketing.ID},
		"Studio":        {DepartmentID: w.studio.ID},
		"World Desk":    {ProjectID: w.worldDesk.ID},
		"Blog":          {ProjectID: w.blog.ID},
		"Archive":       {ProjectID: w.archive.ID},
		"Film":          {ProjectID: w.film.ID},
		"no tenant":     {TenantID: 1 << 40},
		"no department": {DepartmentID: 1 << 40},
		"no project":    {ProjectID: 1 << 40},
	}
}

var outcomes = map[string]core.Kind{"yes": core.KindInternal, "403": core.KindForbidden, "-": core.KindNotFound}

func TestPolicyOfUsers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	names := strings.Fields(callers)
	for _, row := range userPolicy {
		t.Run(row.action.Name+" in "+row.place, func(t *testing.T) {
			target := w.targets()[row.place]
			cells := strings.Fields(row.cells)
			if len(cells) != len(names) {
				t.Fatalf("%d cells for %d callers", len(cells), len(names))
			}
			for i, name := range names {
				if name == "|" {
					continue
				}
				_, err := w.authorizer.Authorize(t.Context(), w.actor(t, name), row.action, target)
				if want := outcomes[cells[i]]; err == nil != (cells[i] == "yes") || err != nil && core.KindOf(err) != want {
					t.Errorf("%s: %v, want %s", name, err, cells[i])
				}
			}
		})
	}
}

// AllowedActions and Authorize decide the same for every caller, place and action.
func TestAllowedActions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	targets := w.targets()
	for _, row := range []struct {
		target string
		scope  access.Scope
		place  access.Place
	}{
		{"platform", access.ScopePlatform, access.Place{}},
		{"Meridian", access.ScopeTenant, inTenant(w.meridian)},
		{"Elsewhere", access.ScopeTenant, inTenant(w.elsewhere)},
		{"Newsroom", access.ScopeDepartment, inDepartment(w.newsroom)},
		{"Marketing", access.ScopeDepartment, inDepartment(w.marketing)},
		{"World Desk", access.ScopeProject, inProject(w.worldDesk)},
		{"Archive", access.ScopeProject, inProject(w.archive)},
		{"Film", access.ScopeProject, inProject(w.film)},
	} {
		for name := range w.people {
			actor := w.actor(t, name)
			var want []string
			for _, action := range row.scope.Actions() {
				if _, err := w.authorizer.Authorize(t.Context(), actor, action, targets[row.target]); err == nil {
					want = append(want, action.Name)
				}
			}
			if got := access.AllowedActions(actor, row.place); !slices.Equal(got, want) {
				t.Errorf("%s in %s: %q, Authorize allows %q", name, row.target, got, want)
			}
		}
	}
}

// Each action is allowed for one kind of caller: users or tokens.
func TestEachActionAllowsOneKindOfCaller(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.worldDesk, core.AbilityRead, core.AbilityCreate, core.AbilityUpdate, core.AbilityDelete)
	token.Token.AllowSchema = core.SchemaChange
	inactive := w.actor(t, "super")
	retired := *inactive.User
	retired.Active, inactive.User = false, &retired
	everywhere := access.Target{
		TenantID: w.meridian.ID, DepartmentID: w.newsroom.ID, ProjectID: w.worldDesk.ID, ProjectUUID: w.worldDesk.UUID,
	}
	for _, action := range access.Actions() {
		forTokens := action.Ability != ""
		for _, caller := range []struct {
			name  string
			actor core.Actor
			takes bool
		}{
			{"an anonymous caller", core.Actor{}, false},
			{"an inactive user", inactive, false},
			{"a super admin", w.actor(t, "super"), !forTokens},
			{"a token", token, forTokens},
			{"the system", system, true},
		} {
			want := core.KindUnauthenticated
			if caller.takes {
				want = core.KindInternal
			}
			t.Run(action.Name+" by "+caller.name, func(t *testing.T) {
				_, err := w.authorizer.Authorize(t.Context(), caller.actor, action, everywhere)
				wantKind(t, err, want)
			})
		}
	}
}

// A token gives access only to its own Project, with its abilities.
func TestPolicyOfTokens(t *testing.T) {
	t.Parallel()
	w := setup(t)
	abilities := map[string]core.Ability{"r": core.AbilityRead, "c": core.AbilityCreate, "u": core.AbilityUpdate, "d": core.AbilityDelete}
	places := map[string]string{
		"own": w.worldDesk.UUID, "other of the tenant": w.blog.UUID, "other tenant's": w.film.UUID,
		"unknown": "00000000-0000-4000-8000-000000000000", "malformed": "x",
	}
	actions := []access.Action{access.ReadPublic, access.CreatePublic, access.UpdatePublic, access.DeletePublic}
	for _, row := range []struct {
		token string // abilities
		place string
		cells string // read create update delete
	}{
		{"r c u d", "own", "yes yes yes yes"},
		{"r", "own", "yes 403 403 403"},
		{"c", "own", "403 yes 403 403"},
		{"c u d", "own", "403 yes yes yes"},
		{"r c u d", "other of the tenant", "- - - -"},
		{"r c u d", "other tenant's", "- - - -"},
		{"r c u d", "unknown", "- - - -"},
		{"r c u d", "malformed", "- - - -"},
	} {
		var can []core.Ability
		for _, letter := range strings.Fields(row.token) {
			can = append(can, abilities[letter])
		}
		token, _ := w.token(t, w.worldDesk, can...)
		for i, cell := range strings.Fields(row.cells) {
			t.Run(actions[i].Name+" with "+row.token+" in "+row.place, func(t *testing.T) {
				place, err := w.authorizer.Authorize(t.Context(), token, actions[i], access.Target{ProjectUUID: places[row.place]})
				wantKind(t, err, outcomes[cell])
				if cell == "yes" && place.Project.ID != w.worldDesk.ID {
					t.Errorf("the place is Project %d", place.Project.ID)
				}
			})
		}
	}
}

// Errors for invisible objects equal those for missing ones.
func TestInvisibleAndMissingLookAlike(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.worldDesk, core.AbilityRead)
	outsider := w.actor(t, "outsider")
	for _, test := range []struct {
		name            string
		actor           core.Actor
		action          access.Action
		unseen, missing access.Target
	}{
		{"tenant", outsider, access.ViewTenant, access.Target{TenantID: w.meridian.ID}, access.Target{TenantID: 1 << 40}},
		{"department", outsider, access.ViewDepartment, access.Target{DepartmentID: w.newsroom.ID}, access.Target{DepartmentID: 1 << 40}},
		{"project", outsider, access.ViewProject, access.Target{ProjectID: w.blog.ID}, access.Target{ProjectID: 1 << 40}},
		{"token's other project", token, access.ReadPublic, access.Target{ProjectUUID: w.blog.UUID}, access.Target{ProjectUUID: "x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, unseen := w.authorizer.Authorize(t.Context(), test.actor, test.action, test.unseen)
			_, missing := w.authorizer.Authorize(t.Context(), test.actor, test.action, test.missing)
			wantKind(t, unseen, core.KindNotFound)
			if unseen.Error() != missing.Error() {
				t.Errorf("unseen: %v, missing: %v", unseen, missing)
			}
		})
	}
}

func TestAuthorizeReturnsThePlace(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tenantAdmin := w.actor(t, "tenant")
	place := must(w.authorizer.Authorize(t.Context(), tenantAdmin, access.ViewTenant, access.Target{TenantID: w.meridian.ID}))(t)
	if place.Tenant != w.meridian || place.Department.ID != 0 || place.Project != nil {
		t.Errorf("of a tenant: %+v", place)
	}
	place = must(w.authorizer.Authorize(t.Context(), tenantAdmin, access.ViewDepartment, access.Target{DepartmentID: w.newsroom.ID}))(t)
	if place.Tenant.ID != w.meridian.ID || place.Department != w.newsroom || place.Project != nil {
		t.Errorf("of a department: %+v", place)
	}
	place = must(w.authorizer.Authorize(t.Context(), tenantAdmin, access.ViewProject, access.Target{ProjectUUID: w.worldDesk.UUID}))(t)
	if place.Tenant.ID != w.meridian.ID || place.Department.ID != w.newsroom.ID || place.Project.ID != w.worldDesk.ID {
		t.Errorf("of a project: %+v", place)
	}
}

func TestRoleInIsTheHighestThatReaches(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ok(t, func() error {
		_, err := w.members.Set(t.Context(), system, access.ScopeDepartment, inDepartment(w.newsroom), w.people["viewer"], core.RoleDepartmentAdmin)
		return err
	}())
	for _, test := range []struct {
		caller string
		place  access.Place
		want   core.Role
	}{
		{"super", access.Place{}, core.RoleSuperAdmin},
		{"tenant", access.Place{}, ""},
		{"tenant", inTenant(w.meridian), core.RoleTenantAdmin},
		{"tenant", inDepartment(w.newsroom), core.RoleTenantAdmin},
		{"tenant", inProject(w.archive), core.RoleTenantAdmin},
		{"tenant", inProject(w.film), ""},
		{"department", inTenant(w.meridian), ""},
		{"department", inProject(w.worldDesk), core.RoleDepartmentAdmin},
		{"department", inProject(w.archive), ""},
		{"editor", inProject(w.worldDesk), core.RoleEditor},
		{"editor", inDepartment(w.newsroom), ""},
		{"viewer", inProject(w.worldDesk), core.RoleDepartmentAdmin}, // also a viewer of it
		{"outsider", inProject(w.worldDesk), ""},
	} {
		if got := access.RoleIn(w.actor(t, test.caller), test.place); got != test.want {
			t.Errorf("%s in %+v: %q, want %q", test.caller, test.place, got, test.want)
		}
	}
	if got := access.RoleIn(system, inProject(w.film)); got != core.RoleSuperAdmin {
		t.Errorf("the system: %q", got)
	}
}

func TestEveryActionIsListedOnceAndHasARow(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{"public.read": true, "public.read_only": true, "public.create": true, "public.update": true, "public.delete": true, "public.schema": true}
	for _, row := range userPolicy {
		covered[row.action.Name] = true
	}
	var names []string
	for _, action := range access.Actions() {
		if !covered[action.Name] {
			t.Errorf("the policy has no row for %s", action.Name)
		}
		names = append(names, action.Name)
	}
	slices.Sort(names)
	if distinct := slices.Compact(slices.Clone(names)); len(distinct) != len(names) || len(names) != len(covered) {
		t.Errorf("%d actions with %d names, %d in the policy", len(names), len(distinct), len(covered))
	}
}

func TestActionDescriptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		action access.Action
		want   string
	}{
		{access.SignedIn, "any signed-in user"},
		{access.CreateTenant, "a super admin"},
		{access.ViewDepartment, "anyone with a role in the department, above it or below it"},
		{access.ManageTokens, "an admin of the project, or a role above it"},
		{access.ListUsers, "an admin of the tenant, or a super admin"},
		{access.ReadPublic, "a token of the project with the ability read"},
		{access.SetProjectWorkflow, "an admin of the tenant, or a role above it; in a project without department a super admin"},
		{access.ViewApproval, "a viewer of the project, or a role above it; or a holder of a custom role of its department that the request names"},
		{access.DecideApproval, "a reviewer of the current step of the request, which names a role in the project or above it, or a custom role of the department"},
	} {
		if got := test.action.AllowedCallers(); got != test.want {
			t.Errorf("%s: %q, want %q", test.action.Name, got, test.want)
		}
	}
}
