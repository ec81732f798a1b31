package identity_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/identity"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// grouped returns a counter whose provider maps groups to roles, and whose editor is linked as "ed".
func grouped(t *testing.T) *counter {
	t.Helper()
	n := openCounter(t, identity.ProviderChange{CreateUsers: new(true), GroupsClaim: new("groups")})
	n.mapGroups(t, n.everyGroup())
	begun := must(n.BeginLink(t.Context(), n.proven(t, "editor"), n.provider.ID))(t)
	n.says("ed", "editor@example.org")
	must(n.back(t, begun))(t)
	return n
}

func (n *counter) everyGroup() []account.GroupMapping {
	return []account.GroupMapping{
		{Group: "viewers", Grant: core.Grant{Role: core.RoleViewer, ProjectID: n.worldDesk.ID}}, {Group: "admins", Grant: core.Grant{Role: core.RoleAdmin, ProjectID: n.worldDesk.ID}},
		{Group: "desk", Grant: core.Grant{Role: core.RoleDepartmentAdmin, DepartmentID: n.newsroom.ID}}, {Group: "lawyers", CustomRole: n.legalRole.ID},
		{Group: "owners", Grant: core.Grant{Role: core.RoleTenantAdmin, TenantID: n.meridian.ID}},
	}
}

func (n *counter) mapGroups(t *testing.T, mappings []account.GroupMapping) {
	t.Helper()
	n.update(t, identity.ProviderChange{Mappings: &mappings})
}

// join signs the person in with groups, and returns its actor.
func (n *counter) join(t *testing.T, subject, email string, groups ...any) core.Actor {
	t.Helper()
	n.says(subject, email)
	n.outside.claims.All["groups"] = groups
	return must(n.signOn(t))(t).Actor
}

// roles returns the roles of a user with their sources, as lists of members and holders show them.
func (n *counter) roles(t *testing.T, userID int64) (held []string) {
	t.Helper()
	place := access.Place{Tenant: n.meridian, Department: n.newsroom, Project: n.worldDesk}
	for _, scope := range []access.Scope{access.ScopeTenant, access.ScopeDepartment, access.ScopeProject} {
		for _, m := range must(n.members.List(t.Context(), place, scope))(t) {
			if m.User.ID == userID {
				held = append(held, fmt.Sprintf("%s %s", m.Role, m.Source))
			}
		}
	}
	for _, h := range must(n.organisation.Holders(t.Context(), n.newsroom.ID, n.legalRole.ID))(t) {
		if h.ID == userID {
			held = append(held, fmt.Sprintf("legal %s", h.Source))
		}
	}
	var shown []string
	for _, r := range must(n.users.User(t.Context(), n.actor(t, "super"), userID))(t).Roles {
		name := string(r.Role)
		if r.CustomRole.ID != 0 {
			name = "legal"
		}
		shown = append(shown, fmt.Sprintf("%s %s", name, r.Source))
	}
	require.Equal(t, held, shown)
	return held
}

// TestGroupsBecomeRoles gives and takes roles at each sign-in, and leaves those that were given by hand.
func TestGroupsBecomeRoles(t *testing.T) {
	t.Parallel()
	n := grouped(t)
	ed := n.people["editor"]
	for _, row := range []struct {
		about  string
		groups []any
		want   []string
	}{
		{"none", nil, []string{"editor manual"}},
		{"a lower role than by hand", []any{"viewers"}, []string{"editor manual"}},
		{"a higher one", []any{"viewers", "admins"}, []string{"admin group"}},
		{"the same again", []any{"admins", "unknown", 7, nil}, []string{"admin group"}},
		{"back to the one by hand", []any{"viewers"}, []string{"editor manual"}},
		{"each kind of place", []any{"desk", "lawyers", "owners"}, []string{"tenant_admin group", "department_admin group", "editor manual", "legal group"}},
		{"some are lost", []any{"lawyers"}, []string{"editor manual", "legal group"}},
		{"all are lost", []any{}, []string{"editor manual"}},
	} {
		actor := n.join(t, "ed", "editor@example.org", row.groups...)
		require.Equal(t, row.want, n.roles(t, ed), row.about)
		require.Equal(t, slices.Contains(row.groups, any("admins")) || slices.Contains(row.groups, any("owners")), actor.RoleInProject(n.worldDesk).Includes(core.RoleAdmin), row.about)
	}
	for _, kind := range []event.Type{event.MemberUpdated, event.MemberRemoved, event.RoleGiven, event.RoleTaken} {
		require.Contains(t, n.told(t), kind)
	}

	// A text in place of a list is one group, and anything else is none.
	n.says("ed", "editor@example.org")
	n.outside.claims.All["groups"] = "lawyers"
	must(n.signOn(t))(t)
	require.Equal(t, []string{"editor manual", "legal group"}, n.roles(t, ed))
	n.outside.claims.All["groups"] = map[string]any{"lawyers": true}
	must(n.signOn(t))(t)
	require.Equal(t, []string{"editor manual"}, n.roles(t, ed))
}

// TestRolesByHand keeps what was given by hand from the groups, whenever it was given.
func TestRolesByHand(t *testing.T) {
	t.Parallel()
	n := grouped(t)
	place := access.Place{Tenant: n.meridian, Department: n.newsroom, Project: n.worldDesk}
	user := n.join(t, "x", "new@example.org", "viewers", "lawyers").UserID()
	require.Equal(t, []string{"viewer group", "legal group"}, n.roles(t, user))

	// The same role by hand is no longer that of the group.
	require.Equal(t, account.SourceManual, must(n.members.Set(t.Context(), system, access.ScopeProject, place, user, core.RoleViewer))(t).Source)
	ok(t, n.organisation.GiveRole(t.Context(), system, n.newsroom, n.legalRole.ID, user))
	require.Equal(t, []string{"viewer manual", "legal manual"}, n.roles(t, user))
	n.join(t, "x", "new@example.org")
	require.Equal(t, []string{"viewer manual", "legal manual"}, n.roles(t, user))

	// What is taken by hand comes back with the group, and goes with it.
	ok(t, n.members.Remove(t.Context(), system, access.ScopeProject, place, user))
	ok(t, n.organisation.TakeRole(t.Context(), system, n.newsroom.ID, n.legalRole.ID, user))
	n.join(t, "x", "new@example.org", "admins", "lawyers")
	require.Equal(t, []string{"admin group", "legal group"}, n.roles(t, user))
	must(n.members.Set(t.Context(), system, access.ScopeProject, place, user, core.RoleEditor))(t)
	require.Equal(t, []string{"editor manual", "legal group"}, n.roles(t, user))
	n.join(t, "x", "new@example.org", "admins")
	require.Equal(t, []string{"admin group"}, n.roles(t, user))

	// An invitation gives by hand, also what a higher role of a group hides.
	text := n.invite(t, "new@example.org", n.worldDesk.ID)
	account := must(n.stores.Users.User(t.Context(), user))(t)
	grants, _, err := n.stores.Grants.UserGrants(t.Context(), user)
	ok(t, err)
	must(n.invitations.Accept(t.Context(), core.Actor{User: &account, Grants: grants}, identity.Acceptance{Secret: text}))(t)
	require.Equal(t, []string{"admin group"}, n.roles(t, user))
	n.join(t, "x", "new@example.org")
	require.Equal(t, []string{"editor manual"}, n.roles(t, user))
}

// TestNewAccountsOfGroups gives new accounts the roles of their groups, at each kind of sign-in.
func TestNewAccountsOfGroups(t *testing.T) {
	t.Parallel()
	n := grouped(t)
	require.Equal(t, []string{"department_admin group", "admin group"}, n.roles(t, n.join(t, "x", "x@example.org", "admins", "desk").UserID()))

	begun := must(n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID, Invitation: n.invite(t, "ida@example.org", n.worldDesk.ID)}))(t)
	n.says("ida", "")
	n.outside.claims.All["groups"] = []any{"viewers", "lawyers"}
	ida := must(n.back(t, begun))(t).Actor
	require.Equal(t, []string{"editor manual", "legal group"}, n.roles(t, ida.UserID()))
	require.Len(t, ida.CustomRoles, 1)

	begun = must(n.BeginLink(t.Context(), n.proven(t, "viewer"), n.provider.ID))(t)
	n.says("vi", "")
	n.outside.claims.All["groups"] = []any{"admins"}
	must(n.back(t, begun))(t)
	require.Equal(t, []string{"admin group"}, n.roles(t, n.people["viewer"]))

	// Who is no longer linked has what was given by hand.
	ok(t, n.Unlink(t.Context(), n.proven(t, "viewer"), n.provider.ID))
	require.Equal(t, []string{"viewer manual"}, n.roles(t, n.people["viewer"]))
}

// TestLastAdminOfGroups keeps the last admin of a tenant, and says so once.
func TestLastAdminOfGroups(t *testing.T) {
	t.Parallel()
	n := grouped(t)
	x, y := n.join(t, "x", "x@example.org", "owners").UserID(), n.join(t, "y", "y@example.org", "owners").UserID()
	ok(t, n.members.Remove(t.Context(), system, access.ScopeTenant, access.Place{Tenant: n.meridian}, n.people["tenant"]))
	n.join(t, "x", "x@example.org")
	require.Empty(t, n.roles(t, x)) // y is left
	n.join(t, "x", "x@example.org", "owners")
	must(n.users.Update(t.Context(), n.actor(t, "super"), y, access.UserChange{Active: new(false)}))(t)
	kept := func() (count int) {
		for _, e := range must(n.stores.Events.Events(t.Context(), ports.EventQuery{Limit: 10_000}))(t) {
			if e.Type == event.MemberKept {
				require.Equal(t, []int64{n.meridian.ID, x}, []int64{e.TenantID, e.SubjectID})
				require.Equal(t, notice.Account, notice.Of(&e))
				count++
			}
		}
		return count
	}
	require.Zero(t, kept())
	for range 2 {
		actor := n.join(t, "x", "x@example.org")
		require.Equal(t, core.RoleTenantAdmin, actor.RoleIn(n.meridian.ID, 0, 0))
		require.Equal(t, []string{"tenant_admin group"}, n.roles(t, x))
		require.Equal(t, 1, kept())
	}
	// With another admin, the role goes.
	must(n.members.Set(t.Context(), system, access.ScopeTenant, access.Place{Tenant: n.meridian}, n.people["tenant"], core.RoleTenantAdmin))(t)
	n.join(t, "x", "x@example.org")
	require.Empty(t, n.roles(t, x))
}

// TestTooManyGroups refuses persons of whose groups the provider names too many, or none because of their number.
func TestTooManyGroups(t *testing.T) {
	t.Parallel()
	n := grouped(t)
	many := make([]any, 501)
	for i := range many {
		many[i] = fmt.Sprintf("group %d", i)
	}
	many[0] = "lawyers"
	n.join(t, "ed", "editor@example.org", many[:500]...)
	require.Equal(t, []string{"editor manual", "legal group"}, n.roles(t, n.people["editor"]))
	overage := map[string]any{
		"_claim_names": map[string]any{"groups": "src1"}, "_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "https://graph.windows.net/x/users/y/getMemberObjects"}},
	}
	for name, claims := range map[string]map[string]any{"501": {"groups": many}, "overage": overage} {
		for subject, email := range map[string]string{"ed": "editor@example.org", "new": "new@example.org"} {
			n.says(subject, email)
			n.outside.claims.All = claims
			_, err := n.signOn(t)
			t.Log(name, subject)
			wantErrorCode(t, err, "too_many_groups")
			wantKind(t, err, core.KindForbidden)
		}
	}
	require.Empty(t, n.linked(t, "new"))
	require.Equal(t, []string{"editor manual", "legal group"}, n.roles(t, n.people["editor"]))
	trial := must(n.BeginTrial(t.Context(), n.session(t, "tenant"), n.meridian.ID, n.provider.ID))(t)
	require.Equal(t, identity.WouldRefuseGroups, must(n.back(t, trial))(t).Trial.Would)
	begun := must(n.BeginLink(t.Context(), n.proven(t, "viewer"), n.provider.ID))(t)
	n.says("vi", "")
	n.outside.claims.All = overage
	_, err := n.back(t, begun)
	wantErrorCode(t, err, "too_many_groups")
	require.Empty(t, n.linked(t, "vi"))

	// Without a claim of groups, there are none: those that groups gave are lost.
	n.update(t, identity.ProviderChange{GroupsClaim: new("")})
	n.join(t, "ed", "editor@example.org", many...)
	require.Equal(t, []string{"editor manual"}, n.roles(t, n.people["editor"]))
}

// TestRolesOfGroupsElsewhere gives no role in a place that is gone, or is not one of the tenant any more.
func TestRolesOfGroupsElsewhere(t *testing.T) {
	t.Parallel()
	n := grouped(t)
	site := must(n.organisation.CreateProject(t.Context(), system, n.meridian.ID, access.ProjectInput{Name: "Site"}))(t)
	theirs := must(n.organisation.CreateProject(t.Context(), system, n.other.ID, access.ProjectInput{Name: "Theirs"}))(t)
	n.mapGroups(t, append(n.everyGroup(), account.GroupMapping{Group: "site", Grant: core.Grant{Role: core.RoleEditor, ProjectID: site.ID}}))
	ok(t, n.stores.Projects.Delete(t.Context(), site.ID))
	stored := must(n.stores.Providers.Provider(t.Context(), n.meridian.ID, n.provider.ID))(t)
	stored.Mappings = append(stored.Mappings, account.GroupMapping{Group: "theirs", Grant: core.Grant{Role: core.RoleEditor, ProjectID: theirs.ID}})
	ok(t, n.stores.Providers.Update(t.Context(), stored))

	n.says("x", "x@example.org")
	n.outside.claims.All["groups"] = []any{"site", "theirs", "lawyers", "viewers"}
	trial := must(n.BeginTrial(t.Context(), n.session(t, "tenant"), n.meridian.ID, n.provider.ID))(t)
	shown := must(n.back(t, trial))(t).Trial
	require.Equal(t, identity.WouldCreate, shown.Would)
	require.Equal(t, []string{"World Desk", "Newsroom"}, []string{shown.Roles[0].Place, shown.Roles[1].Place})
	require.Empty(t, n.linked(t, "x"))
	actor := must(n.signOn(t))(t).Actor
	require.Equal(t, []string{"viewer group", "legal group"}, n.roles(t, actor.UserID()))
	require.Len(t, actor.Grants, 1)
}

// TestRecordedClaims reads the groups of claims as providers send them.
func TestRecordedClaims(t *testing.T) {
	t.Parallel()
	const desk = "8d7c5e1f-3a52-4c0b-9a6e-0c2d4b1f7e11"
	for name, row := range map[string]struct {
		claim  string
		claims string
		want   []string // roles
		code   string   // "": signed in
	}{
		"Entra ID, ids of groups": {claim: "groups", want: []string{"viewer group"}, claims: `{"aud":"6cb04018-a3f5-46a7-b995-940c78f5aef3","iss":"https://login.microsoftonline.com/tid/v2.0",
			"groups":["` + desk + `","00000000-0000-0000-0000-000000000000"],"name":"Lena","oid":"o","preferred_username":"lena@example.org","sub":"x","tid":"tid","ver":"2.0"}`},
		"Entra ID, roles of the application": {claim: "roles", want: []string{"viewer group"}, claims: `{"roles":["` + desk + `"],"oid":"o","sub":"x","tid":"tid","ver":"2.0"}`},
		"Entra ID, no groups":                {claim: "groups", claims: `{"oid":"o","sub":"x","tid":"tid","ver":"2.0"}`},
		"Entra ID, overage": {claim: "groups", code: "too_many_groups", claims: `{"_claim_names":{"groups":"src1"},
			"_claim_sources":{"src1":{"endpoint":"https://graph.windows.net/tid/users/o/getMemberObjects"}},"oid":"o","sub":"x","tid":"tid","ver":"2.0"}`},
		"Entra ID, overage of another claim": {claim: "roles", want: []string{"viewer group"}, claims: `{"_claim_names":{"groups":"src1"},"roles":["` + desk + `"],"sub":"x"}`},
		"Okta": {claim: "groups", want: []string{"viewer group"}, claims: `{"sub":"00u1","name":"Lena","email":"lena@example.org","ver":1,"iss":"https://dev.okta.com","amr":["mfa","pwd"],
			"idp":"00o1","preferred_username":"lena@example.org","auth_time":1700000000,"at_hash":"h","groups":["Everyone","` + desk + `"]}`},
		"Okta, one group as a text":   {claim: "groups", want: []string{"viewer group"}, claims: `{"sub":"00u1","groups":"` + desk + `"}`},
		"Keycloak, without full path": {claim: "groups", want: []string{"viewer group"}, claims: `{"sub":"f3","typ":"ID","sid":"s","acr":"1","groups":["` + desk + `"]}`},
		"Keycloak, with full path":    {claim: "groups", claims: `{"sub":"f3","typ":"ID","sid":"s","acr":"1","groups":["/` + desk + `"]}`},
		"Google":                      {claim: "groups", claims: `{"iss":"https://accounts.google.com","azp":"a","sub":"110","hd":"example.org","email":"lena@example.org","email_verified":true}`},
		"numbers and nothing":         {claim: "groups", claims: `{"sub":"x","groups":[1,null,{"id":"` + desk + `"},["` + desk + `"]]}`},
		"null":                        {claim: "groups", claims: `{"sub":"x","groups":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := openCounter(t, identity.ProviderChange{CreateUsers: new(true), GroupsClaim: &row.claim})
			n.mapGroups(t, []account.GroupMapping{{Group: desk, Grant: core.Grant{Role: core.RoleViewer, ProjectID: n.worldDesk.ID}}})
			n.says("x", "lena@example.org")
			n.outside.claims.All = map[string]any{}
			ok(t, json.Unmarshal([]byte(row.claims), &n.outside.claims.All))
			arrived, err := n.signOn(t)
			if row.code != "" {
				wantErrorCode(t, err, row.code)
				return
			}
			ok(t, err)
			require.Equal(t, row.want, n.roles(t, arrived.Actor.UserID()))
		})
	}
}
