package access_test

import (
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/access"
)

func TestSetMember(t *testing.T) {
	t.Parallel()
	w := setup(t) // ids are the same in every fixture
	desk, newsroom, meridian := inProject(w.worldDesk), inDepartment(w.newsroom), inTenant(w.meridian)
	for _, test := range []struct {
		name   string
		caller string
		scope  access.Scope
		place  access.Place
		user   string
		role   core.Role
		want   core.Kind
	}{
		{"a project admin adds an editor", "project", access.ScopeProject, desk, "legal", core.RoleEditor, core.KindInternal},
		{"a project admin adds another", "project", access.ScopeProject, desk, "editor", core.RoleAdmin, core.KindInternal},
		{"a department admin adds another", "department", access.ScopeDepartment, newsroom, "editor", core.RoleDepartmentAdmin, core.KindInternal},
		{"a tenant admin adds another", "tenant", access.ScopeTenant, meridian, "editor", core.RoleTenantAdmin, core.KindInternal},
		{"a super admin sees every user", "super", access.ScopeProject, desk, "outsider", core.RoleViewer, core.KindInternal},

		{"an editor cannot grant admin", "editor", access.ScopeProject, desk, "viewer", core.RoleAdmin, core.KindForbidden},
		{"a viewer cannot become editor", "viewer", access.ScopeProject, desk, "viewer", core.RoleEditor, core.KindForbidden},
		{"a project admin cannot add a department admin", "project", access.ScopeDepartment, newsroom, "project", core.RoleDepartmentAdmin, core.KindForbidden},
		{"a department admin cannot add a tenant admin", "department", access.ScopeTenant, meridian, "department", core.RoleTenantAdmin, core.KindForbidden},
		{"an admin of another project", "blogger", access.ScopeProject, desk, "blogger", core.RoleViewer, core.KindForbidden},

		{"a role of another scope", "super", access.ScopeProject, desk, "editor", core.RoleTenantAdmin, core.KindInvalid},
		{"a project's role in a department", "super", access.ScopeDepartment, newsroom, "editor", core.RoleEditor, core.KindInvalid},
		{"super admin is not a scoped role", "super", access.ScopeTenant, meridian, "editor", core.RoleSuperAdmin, core.KindInvalid},
		{"no role", "super", access.ScopeProject, desk, "editor", "", core.KindInvalid},
		{"an unknown role", "super", access.ScopeProject, desk, "editor", "owner", core.KindInvalid},
		{"the platform has no members", "super", access.ScopePlatform, access.Place{}, "editor", core.RoleViewer, core.KindInvalid},

		{"a user of another tenant", "tenant", access.ScopeProject, desk, "neighbour", core.RoleViewer, core.KindNotFound},
		{"a user of the platform", "project", access.ScopeProject, desk, "outsider", core.RoleViewer, core.KindNotFound},
		{"unknown", "super", access.ScopeProject, desk, "unknown", core.RoleViewer, core.KindNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			before := must(w.members.List(t.Context(), test.place, max(test.scope, access.ScopeTenant)))(t)
			member, err := w.members.Set(t.Context(), w.actor(t, test.caller), test.scope, test.place, w.people[test.user], test.role)
			wantKind(t, err, test.want)
			after := must(w.members.List(t.Context(), test.place, max(test.scope, access.ScopeTenant)))(t)
			if test.want != core.KindInternal {
				if len(after) != len(before) {
					t.Errorf("members: %+v", after)
				}
				return
			}
			if member.Role != test.role || member.User.ID != w.people[test.user] {
				t.Errorf("returned %+v", member)
			}
			if got := roleOf(after, w.people[test.user]); got != test.role {
				t.Errorf("the member has role %q, want %q", got, test.role)
			}
		})
	}
}

func roleOf(members []access.Member, userID int64) core.Role {
	var role core.Role
	for _, m := range members {
		if m.User.ID == userID {
			role += m.Role // two roles give an invalid name
		}
	}
	return role
}

// A user with any role in the tenant can receive other roles in it.
func TestUsersWithARoleInTheTenantCanReceiveOthers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	give := func() error {
		_, err := w.members.Set(t.Context(), w.actor(t, "project"), access.ScopeProject, inProject(w.worldDesk), w.people["outsider"], core.RoleViewer)
		return err
	}
	wantKind(t, give(), core.KindNotFound)
	must(w.members.Set(t.Context(), system, access.ScopeProject, inProject(w.blog), w.people["outsider"], core.RoleViewer))(t)
	ok(t, give())
}

func TestRemoveMember(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, caller, user string
		want               core.Kind
	}{
		{"by an admin", "project", "editor", core.KindInternal},
		{"oneself", "project", "project", core.KindInternal},
		{"a user without role there", "project", "department", core.KindNotFound},
		{"a user with a higher role", "editor", "project", core.KindForbidden},
		{"unknown", "project", "unknown", core.KindNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			err := w.members.Remove(t.Context(), w.actor(t, test.caller), access.ScopeProject, inProject(w.worldDesk), w.people[test.user])
			wantKind(t, err, test.want)
			left := 3
			if test.want == core.KindInternal {
				left = 2
			}
			if members := must(w.members.List(t.Context(), inProject(w.worldDesk), access.ScopeProject))(t); len(members) != left {
				t.Errorf("%d members remain, want %d", len(members), left)
			}
		})
	}
}

// A list contains the roles granted in exactly that scope.
func TestListMembers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, test := range []struct {
		scope access.Scope
		place access.Place
		want  map[string]core.Role
	}{
		{access.ScopeTenant, inTenant(w.meridian), map[string]core.Role{"tenant": core.RoleTenantAdmin}},
		{access.ScopeDepartment, inDepartment(w.newsroom), map[string]core.Role{"department": core.RoleDepartmentAdmin}},
		{access.ScopeDepartment, inDepartment(w.marketing), map[string]core.Role{}},
		{access.ScopeProject, inProject(w.worldDesk), map[string]core.Role{"project": core.RoleAdmin, "editor": core.RoleEditor, "viewer": core.RoleViewer}},
	} {
		members := must(w.members.List(t.Context(), test.place, test.scope))(t)
		if len(members) != len(test.want) {
			t.Errorf("%s: %d members, want %d", test.scope, len(members), len(test.want))
		}
		for _, m := range members {
			if m.Role != test.want[m.User.Name] {
				t.Errorf("%s: %s is %q, want %q", test.scope, m.User.Name, m.Role, test.want[m.User.Name])
			}
		}
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	w := setup(t)
	name := "Łukasz Straße"
	must(w.users.Update(t.Context(), system, w.people["legal"], access.UserChange{Name: &name}))(t)
	no := false
	must(w.users.Update(t.Context(), system, w.people["viewer"], access.UserChange{Active: &no}))(t)
	const padded = " te"
	for search, want := range map[string][]string{
		padded: {"tenant@example.org"},
		"edit": {"editor@example.org"}, "EDITOR@example": {"editor@example.org"}, "łuk": {"legal@example.org"}, "STRASSE": {"legal@example.org"},
		"t":         {"archivist@example.org", "department@example.org", "editor@example.org", "legal@example.org", "project@example.org", "tenant@example.org"},
		"neighbour": nil, "outsider": nil, "viewer": nil, "%": nil,
	} {
		var got []string
		for _, u := range must(w.members.Candidates(t.Context(), inProject(w.worldDesk), search))(t) {
			got = append(got, u.Email)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", search, got, want)
		}
	}
	for _, search := range []string{"\x00", "\xff", strings.Repeat("a", 201)} {
		_, err := w.members.Candidates(t.Context(), inProject(w.worldDesk), search)
		wantKind(t, err, core.KindBadRequest)
	}
}
