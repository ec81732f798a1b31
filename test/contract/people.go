package contract

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Users checks a ports.UserStore.
func Users(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a user": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			assertEqual(t, result(w.Users.User(t.Context(), u.ID))(t), u)
			assertEqual(t, result(w.Users.UserByEmail(t.Context(), u.Email))(t), u)
			assertEqual(t, result(w.Users.UserByEmail(t.Context(), strings.ToLower(u.Email)))(t), u)
			platform := core.User{Email: uuid.NewString() + "@example.org", SuperAdmin: true, MustChangePassword: true, CreatedAt: at(1), UpdatedAt: at(1)}
			requireNoError(t, w.Users.Insert(t.Context(), &platform))
			assertEqual(t, result(w.Users.User(t.Context(), platform.ID))(t), platform)
		},
		"reads users by their ids": func(t *testing.T, w *fixture) {
			ada, bea, _ := w.newUser(t), w.newUser(t), w.newUser(t)
			assertEqual(t, result(w.Users.UsersByIDs(t.Context(), []int64{bea.ID, unknown, ada.ID}))(t), []core.User{ada, bea})
			if none := result(w.Users.UsersByIDs(t.Context(), nil))(t); len(none) != 0 {
				t.Errorf("%d users without an id", len(none))
			}
		},
		"updates": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			u.Name, u.Email, u.PasswordHash = "Ada Łovelace", uuid.NewString()+"@example.org", "$other$"
			u.Active, u.SuperAdmin, u.MustChangePassword, u.UpdatedAt = false, true, true, at(7)
			u.Settings = core.Settings{Language: "de", TimeZone: "Europe/Zürich", Theme: "dark"}
			requireNoError(t, w.Users.Update(t.Context(), u))
			assertEqual(t, result(w.Users.User(t.Context(), u.ID))(t), u)
		},
		"keeps e-mail addresses unique": func(t *testing.T, w *fixture) {
			ada, bea := w.newUser(t), w.newUser(t)
			again := core.User{Email: ada.Email, TenantID: w.tenant.ID, CreatedAt: at(1), UpdatedAt: at(1)}
			requireError(t, w.Users.Insert(t.Context(), &again), core.ErrConflict)
			bea.Email = ada.Email
			requireError(t, w.Users.Update(t.Context(), bea), core.ErrConflict)
			requireNoError(t, w.Users.Update(t.Context(), ada))
		},
		"lists who may be given a role in a tenant": func(t *testing.T, w *fixture) {
			own, inactive, elsewhere := w.newUser(t), w.newUser(t), w.newTenant(t).ID
			inactive.Active = false
			requireNoError(t, w.Users.Update(t.Context(), inactive))
			want := []int64{own.ID}
			for _, g := range []core.Grant{w.grant(core.RoleTenantAdmin), w.grant(core.RoleDepartmentAdmin), w.grant(core.RoleViewer), {Role: core.RoleTenantAdmin, TenantID: elsewhere}} {
				guest := w.newUser(t)
				guest.TenantID = elsewhere
				requireNoError(t, w.Users.Update(t.Context(), guest))
				g.UserID = guest.ID
				requireNoError(t, w.Grants.Set(t.Context(), g))
				if g.TenantID == w.tenant.ID {
					want = append(want, guest.ID)
				}
			}
			assertEqual(t, ids(result(w.Users.Candidates(t.Context(), w.tenant.ID))(t), func(u core.User) int64 { return u.ID }), want)
			assertEqual(t, result(w.Users.Candidates(t.Context(), unknown))(t), []core.User{})
		},
		"lists a tenant's users in pages": func(t *testing.T, w *fixture) {
			var want []core.User
			for range 5 {
				want = append(want, w.newUser(t))
			}
			for _, page := range []struct {
				offset, limit int64
				want          []core.User
			}{
				{0, 2, want[:3]}, {2, 2, want[2:5]}, {3, 2, want[3:]}, {0, 5, want}, {0, 100, want}, {5, 5, nil}, {50, 5, nil},
			} {
				assertEqual(t, result(w.Users.Users(t.Context(), w.tenant.ID, page.offset, page.limit))(t), page.want)
			}
			all := result(w.Users.Users(t.Context(), 0, 0, 10000))(t)
			if !slices.IsSortedFunc(all, func(a, b core.User) int { return int(a.ID - b.ID) }) || len(all) < 5 {
				t.Errorf("users are not listed by id: %d", len(all))
			}
		},
		"returns ErrNotFound for unknown ids": func(t *testing.T, w *fixture) {
			_, err := w.Users.User(t.Context(), unknown)
			requireError(t, err, core.ErrNotFound)
			_, err = w.Users.UserByEmail(t.Context(), "unknown@example.org")
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.Users.Update(t.Context(), core.User{ID: unknown, Email: uuid.NewString()}), core.ErrNotFound)
		},
	})
}

// Grants checks a ports.GrantStore.
func Grants(t *testing.T, open Factory) {
	inTenant := func(w *fixture, u core.User) core.Grant {
		return core.Grant{UserID: u.ID, Role: core.RoleTenantAdmin, TenantID: w.tenant.ID}
	}
	inDepartment := func(w *fixture, u core.User) core.Grant {
		return core.Grant{UserID: u.ID, Role: core.RoleDepartmentAdmin, TenantID: w.tenant.ID, DepartmentID: w.department.ID}
	}
	inProject := func(w *fixture, u core.User, role core.Role) core.Grant {
		return core.Grant{UserID: u.ID, Role: role, TenantID: w.tenant.ID, DepartmentID: w.project.DepartmentID, ProjectID: w.project.ID}
	}
	grantsOf := func(t *testing.T, w *fixture, u core.User) []core.Grant {
		t.Helper()
		list, _, err := w.Grants.UserGrants(t.Context(), u.ID)
		requireNoError(t, err)
		slices.SortFunc(list, func(a, b core.Grant) int { return strings.Compare(string(a.Role), string(b.Role)) })
		return list
	}
	run(t, open, cases{
		"fills in the ids of department and tenant": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			want := []core.Grant{inDepartment(w, u), inProject(w, u, core.RoleEditor), inTenant(w, u)}
			for _, g := range want {
				g := core.Grant{UserID: g.UserID, Role: g.Role, ProjectID: g.ProjectID, DepartmentID: g.DepartmentID, TenantID: g.TenantID}
				if g.ProjectID != 0 {
					g.DepartmentID, g.TenantID = 0, 0
				}
				requireNoError(t, w.Grants.Set(t.Context(), g))
			}
			assertEqual(t, grantsOf(t, w, u), want)
		},
		"follows a project to another department": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			requireNoError(t, w.Grants.Set(t.Context(), inProject(w, u, core.RoleViewer)))
			w.project.DepartmentID = 0
			requireNoError(t, w.Projects.Update(t.Context(), w.project))
			assertEqual(t, grantsOf(t, w, u), []core.Grant{inProject(w, u, core.RoleViewer)})
		},
		"stores one role per scope": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			for _, role := range []core.Role{core.RoleViewer, core.RoleAdmin, core.RoleEditor, core.RoleEditor} {
				requireNoError(t, w.Grants.Set(t.Context(), inProject(w, u, role)))
			}
			assertEqual(t, grantsOf(t, w, u), []core.Grant{inProject(w, u, core.RoleEditor)})
		},
		"lists the members of one scope": func(t *testing.T, w *fixture) {
			ada, bea := w.newUser(t), w.newUser(t)
			for _, g := range []core.Grant{
				inTenant(w, bea), inTenant(w, ada), inDepartment(w, bea), inProject(w, bea, core.RoleViewer), inProject(w, ada, core.RoleAdmin),
			} {
				requireNoError(t, w.Grants.Set(t.Context(), g))
			}
			assertEqual(t, result(w.Grants.TenantMembers(t.Context(), w.tenant.ID))(t), []core.Grant{inTenant(w, ada), inTenant(w, bea)})
			assertEqual(t, result(w.Grants.DepartmentMembers(t.Context(), w.department.ID))(t), []core.Grant{inDepartment(w, bea)})
			assertEqual(t, result(w.Grants.ProjectMembers(t.Context(), w.project.ID))(t),
				[]core.Grant{inProject(w, ada, core.RoleAdmin), inProject(w, bea, core.RoleViewer)})
			assertEqual(t, result(w.Grants.ProjectMembers(t.Context(), w.otherProject(t).project.ID))(t), []core.Grant{})
		},
		"removes by scope, whatever the role": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			tenant, department, project := inTenant(w, u), inDepartment(w, u), inProject(w, u, core.RoleViewer)
			for _, g := range []core.Grant{tenant, department, project} {
				requireNoError(t, w.Grants.Set(t.Context(), g))
			}
			requireNoError(t, w.Grants.Remove(t.Context(), core.Grant{UserID: u.ID, ProjectID: w.project.ID}))
			assertEqual(t, grantsOf(t, w, u), []core.Grant{department, tenant})
			requireError(t, w.Grants.Remove(t.Context(), project), core.ErrNotFound)
			requireNoError(t, w.Grants.Remove(t.Context(), department))
			assertEqual(t, grantsOf(t, w, u), []core.Grant{tenant})
			requireNoError(t, w.Grants.Remove(t.Context(), core.Grant{UserID: u.ID, TenantID: w.tenant.ID}))
			requireError(t, w.Grants.Remove(t.Context(), tenant), core.ErrNotFound)
			assertEqual(t, grantsOf(t, w, u), []core.Grant{})
		},
		"returns the custom roles of a user": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			var want []core.CustomRole
			for n := range 2 {
				role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: fmt.Sprint("role ", n), CreatedAt: at(1)}
				requireNoError(t, w.CustomRoles.Insert(t.Context(), &role))
				requireNoError(t, w.CustomRoles.Assign(t.Context(), role.ID, u.ID))
				want = append(want, role)
			}
			_, roles, err := w.Grants.UserGrants(t.Context(), u.ID)
			requireNoError(t, err)
			assertEqual(t, roles, want)
		},
		"lists the roles of users with their places": func(t *testing.T, w *fixture) {
			ada, bea, idle := w.newUser(t), w.newUser(t), w.newUser(t)
			role := w.newCustomRole(t, w.department.ID, "Legal")
			requireNoError(t, w.CustomRoles.Assign(t.Context(), role.ID, ada.ID))
			for _, g := range []core.Grant{inProject(w, ada, core.RoleEditor), inDepartment(w, ada), inTenant(w, ada), inProject(w, bea, core.RoleViewer)} {
				requireNoError(t, w.Grants.Set(t.Context(), g))
			}
			custom := account.HeldRole{
				Grant:      core.Grant{UserID: ada.ID, TenantID: w.tenant.ID, DepartmentID: w.department.ID},
				CustomRole: core.CustomRole{ID: role.ID, Name: role.Name}, Place: w.department.Name,
			}
			assertEqual(t, result(w.Grants.Roles(t.Context(), []int64{bea.ID, ada.ID, idle.ID, unknown}))(t), []account.HeldRole{
				{Grant: inTenant(w, ada), Place: w.tenant.Name}, {Grant: inDepartment(w, ada), Place: w.department.Name},
				{Grant: inProject(w, ada, core.RoleEditor), Place: w.project.Name}, custom,
				{Grant: inProject(w, bea, core.RoleViewer), Place: w.project.Name},
			})
			assertEqual(t, result(w.Grants.Roles(t.Context(), []int64{idle.ID}))(t), []account.HeldRole{})
			assertEqual(t, result(w.Grants.Roles(t.Context(), nil))(t), []account.HeldRole{})
		},
		"finds the users who may act on steps": func(t *testing.T, w *fixture) {
			super, tenant, department, admin, editor, legal, idle := w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t)
			super.SuperAdmin, idle.Active = true, false
			for _, u := range []*core.User{&super, &tenant, &department, &admin, &editor, &legal} {
				u.Active = true
				requireNoError(t, w.Users.Update(t.Context(), *u))
			}
			requireNoError(t, w.Users.Update(t.Context(), idle))
			role := w.newCustomRole(t, w.department.ID, "Legal")
			for _, g := range []core.Grant{
				inTenant(w, tenant), inDepartment(w, department), inProject(w, admin, core.RoleAdmin), inProject(w, editor, core.RoleEditor),
				inTenant(w, idle), inDepartment(w, idle), inProject(w, idle, core.RoleAdmin), inDepartment(w, legal),
			} {
				requireNoError(t, w.Grants.Set(t.Context(), g))
			}
			for _, u := range []core.User{legal, idle} {
				requireNoError(t, w.CustomRoles.Assign(t.Context(), role.ID, u.ID))
			}
			check := func(tenantID, departmentID, projectID int64, want ...review.Reviewer) {
				t.Helper()
				var own []review.Reviewer // super admins of other cases are included, too
				for _, v := range result(w.Grants.Reviewers(t.Context(), tenantID, departmentID, projectID))(t) {
					if v.Role != core.RoleSuperAdmin || v.UserID == super.ID {
						own = append(own, v)
					}
				}
				slices.SortFunc(own, func(a, b review.Reviewer) int {
					return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.CustomRoleID, b.CustomRoleID))
				})
				assertEqual(t, own, want)
			}
			above := []review.Reviewer{{UserID: super.ID, Role: core.RoleSuperAdmin}, {UserID: tenant.ID, Role: core.RoleTenantAdmin}}
			inside := append(slices.Clone(above), review.Reviewer{UserID: department.ID, Role: core.RoleDepartmentAdmin})
			holder := []review.Reviewer{{UserID: legal.ID, Role: core.RoleDepartmentAdmin}, {UserID: legal.ID, CustomRoleID: role.ID}}
			check(w.tenant.ID, w.department.ID, w.project.ID, slices.Concat(inside, []review.Reviewer{{UserID: admin.ID, Role: core.RoleAdmin}}, holder)...)
			check(w.tenant.ID, w.department.ID, 0, slices.Concat(inside, holder)...)
			check(w.tenant.ID, 0, 0, above...)
			check(unknown, unknown, unknown, above[:1]...)
		},
	})
}

// Sessions checks a ports.SessionStore.
func Sessions(t *testing.T, open Factory) {
	newSession := func(t *testing.T, w *fixture, u core.User, ends time.Time) account.Session {
		t.Helper()
		s := account.Session{Hash: sha256.Sum256([]byte(uuid.NewString())), UserID: u.ID, Address: "2001:db8::1", UserAgent: "Łynx/2.9", CreatedAt: at(0), ExpiresAt: ends}
		requireNoError(t, w.Sessions.Insert(t.Context(), s))
		return s
	}
	exists := func(t *testing.T, w *fixture, s account.Session) bool {
		t.Helper()
		_, err := w.Sessions.Session(t.Context(), s.Hash)
		if err != nil {
			requireError(t, err, core.ErrNotFound)
		}
		return err == nil
	}
	run(t, open, cases{
		"stores a session": func(t *testing.T, w *fixture) {
			s := newSession(t, w, w.newUser(t), time.Date(2999, 1, 2, 3, 4, 5, 6e6, time.UTC))
			stored := result(w.Sessions.Session(t.Context(), s.Hash))(t)
			if s.ID = stored.ID; s.ID <= 0 {
				t.Errorf("the id is %d", s.ID)
			}
			assertEqual(t, stored, s)
		},
		"stores what an identity provider has said": func(t *testing.T, w *fixture) {
			u, other := w.newUser(t), w.newUser(t)
			opened := func(of core.User, n byte, origin account.SessionOrigin) account.Session {
				s := account.Session{Hash: sha256.Sum256([]byte(uuid.NewString())), UserID: of.ID, Origin: origin, CreatedAt: at(int(n)), ExpiresAt: at(1e8)}
				requireNoError(t, w.Sessions.Insert(t.Context(), s))
				assertEqual(t, result(w.Sessions.Session(t.Context(), s.Hash))(t).Origin, origin)
				return s
			}
			sid := uuid.NewString()
			here := opened(u, 1, account.SessionOrigin{})
			one, two := opened(u, 2, account.SessionOrigin{ProviderID: 7, SID: sid, Methods: "pwd mfa", Context: "é"}), opened(other, 3, account.SessionOrigin{ProviderID: 7, SID: sid})
			unsaid, beside, later := opened(u, 4, account.SessionOrigin{ProviderID: 7}), opened(u, 5, account.SessionOrigin{ProviderID: 8, SID: sid}), opened(u, 6, account.SessionOrigin{ProviderID: 7, SID: sid + "2"})
			requireNoError(t, w.Sessions.DeleteByOrigin(t.Context(), 7, sid))
			requireNoError(t, w.Sessions.DeleteByOrigin(t.Context(), 7, sid)) // none
			for i, s := range []account.Session{here, one, two, unsaid, beside, later} {
				assertEqual(t, []any{i, exists(t, w, s)}, []any{i, i != 1 && i != 2})
			}
			assertEqual(t, result(w.Users.User(t.Context(), u.ID))(t).Generation, u.Generation)
		},
		"records the last sign-in of a user": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			add := func(second int) {
				s := account.Session{Hash: sha256.Sum256([]byte(uuid.NewString())), UserID: u.ID, CreatedAt: at(second), ExpiresAt: at(1e8)}
				requireNoError(t, w.Sessions.Insert(t.Context(), s))
			}
			add(3)
			add(5)
			requireNoError(t, w.Users.Update(t.Context(), u)) // as it was read before
			u.LastSignInAt = at(5)
			assertEqual(t, result(w.Users.User(t.Context(), u.ID))(t), u)
		},
		"lists the sessions of a user": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			var want []account.Session
			for _, ends := range []time.Time{at(1e8), at(1e6), at(1e7)} {
				s := newSession(t, w, u, ends)
				newSession(t, w, w.newUser(t), ends)
				want = append(want, result(w.Sessions.Session(t.Context(), s.Hash))(t))
			}
			assertEqual(t, result(w.Sessions.Sessions(t.Context(), u.ID))(t), want)
			if want[0].ID >= want[1].ID || want[1].ID >= want[2].ID {
				t.Errorf("ids are not ascending: %d, %d, %d", want[0].ID, want[1].ID, want[2].ID)
			}
			assertEqual(t, result(w.Sessions.Sessions(t.Context(), unknown))(t), []account.Session{})
		},
		"stores the latest proof of a session": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			a, b := newSession(t, w, u, at(1e8)), newSession(t, w, u, at(1e8))
			for _, proof := range []core.Proof{{At: at(3), Way: core.WayPassword}, {At: at(9), Way: core.WayPasskey}} {
				requireNoError(t, w.Sessions.Verify(t.Context(), a.Hash, proof))
				assertEqual(t, result(w.Sessions.Session(t.Context(), a.Hash))(t).Proof, proof)
			}
			assertEqual(t, result(w.Sessions.Session(t.Context(), b.Hash))(t).Proof, core.Proof{})
			requireNoError(t, w.Sessions.Delete(t.Context(), a.Hash))
			requireError(t, w.Sessions.Verify(t.Context(), a.Hash, core.Proof{At: at(10), Way: core.WayTOTP}), core.ErrNotFound)
		},
		"stores what a session is asked to sign": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			a, b := newSession(t, w, u, at(1e8)), newSession(t, w, u, at(1e8))
			first := account.SignatureChallenge{Payload: `{"decision":"approve"}`, Version: 3, ExpiresAt: at(9)}
			second := account.SignatureChallenge{Payload: `{"decision":"reject","meaning":"é"}`, Version: 4, ExpiresAt: at(19)}
			asked := func(s account.Session) account.SignatureChallenge {
				return result(w.Sessions.Session(t.Context(), s.Hash))(t).Challenge
			}
			assertEqual(t, result(w.Sessions.Answer(t.Context(), a.Hash, account.SignatureChallenge{}))(t), false)
			for _, c := range []account.SignatureChallenge{first, second} {
				requireNoError(t, w.Sessions.Ask(t.Context(), a.Hash, c))
				assertEqual(t, asked(a), c)
			}
			assertEqual(t, asked(b), account.SignatureChallenge{})
			for _, c := range []struct {
				of    account.Session
				with  account.SignatureChallenge
				fresh bool
			}{{a, first, false}, {b, second, false}, {a, second, true}, {a, second, false}} {
				assertEqual(t, result(w.Sessions.Answer(t.Context(), c.of.Hash, c.with))(t), c.fresh)
			}
			assertEqual(t, asked(a), account.SignatureChallenge{})
			requireNoError(t, w.Sessions.Delete(t.Context(), a.Hash))
			requireError(t, w.Sessions.Ask(t.Context(), a.Hash, first), core.ErrNotFound)
		},
		"stores the last use of sessions": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			a, b := newSession(t, w, u, at(1e8)), newSession(t, w, u, at(1e8))
			id := func(s account.Session) int64 { return result(w.Sessions.Session(t.Context(), s.Hash))(t).ID }
			used := func(s account.Session) time.Time {
				return result(w.Sessions.Session(t.Context(), s.Hash))(t).LastUsedAt
			}
			assertEqual(t, used(a), time.Time{})
			requireNoError(t, w.Sessions.Touch(t.Context(), nil))
			requireNoError(t, w.Sessions.Touch(t.Context(), []account.SessionUse{{SessionID: id(a), UsedAt: at(20)}, {SessionID: unknown, UsedAt: at(20)}}))
			assertEqual(t, []time.Time{used(a), used(b)}, []time.Time{at(20), {}})
			requireNoError(t, w.Sessions.Touch(t.Context(), []account.SessionUse{{SessionID: id(a), UsedAt: at(10)}, {SessionID: id(b), UsedAt: at(30)}}))
			assertEqual(t, []time.Time{used(a), used(b)}, []time.Time{at(20), at(30)})
			assertEqual(t, result(w.Sessions.Sessions(t.Context(), u.ID))(t)[0].LastUsedAt, at(20))
		},
		"deletes a session": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			a, b := newSession(t, w, u, at(1e8)), newSession(t, w, u, at(1e8))
			for range 2 {
				requireNoError(t, w.Sessions.Delete(t.Context(), a.Hash))
			}
			assertEqual(t, []bool{exists(t, w, a), exists(t, w, b)}, []bool{false, true})
		},
		"deletes the sessions of a user": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			a, b, other := newSession(t, w, u, at(1e8)), newSession(t, w, u, at(1e8)), newSession(t, w, w.newUser(t), at(1e8))
			requireNoError(t, w.Sessions.DeleteByUser(t.Context(), u.ID))
			assertEqual(t, []bool{exists(t, w, a), exists(t, w, b), exists(t, w, other)}, []bool{false, false, true})
			generation := func(id int64) int64 { return result(w.Users.User(t.Context(), id))(t).Generation }
			requireNoError(t, w.Sessions.DeleteByUser(t.Context(), u.ID))
			requireNoError(t, w.Users.Update(t.Context(), u)) // which has an earlier one
			requireNoError(t, w.Sessions.Delete(t.Context(), other.Hash))
			assertEqual(t, []int64{generation(u.ID), generation(other.UserID)}, []int64{2, 0})
			requireNoError(t, w.Sessions.DeleteByUser(t.Context(), unknown))
		},
		"deletes expired sessions": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			past, now, future := newSession(t, w, u, at(9)), newSession(t, w, u, at(10)), newSession(t, w, u, at(11))
			result(w.Aging.Delete(t.Context(), ports.AgedSessions, at(10), 1000))(t)
			assertEqual(t, []bool{exists(t, w, past), exists(t, w, now), exists(t, w, future)}, []bool{false, true, true})
		},
	})
}

// Tokens checks a ports.TokenStore.
func Tokens(t *testing.T, open Factory) {
	newToken := func(t *testing.T, w *fixture) core.Token {
		t.Helper()
		limit := 0
		token := core.Token{
			ProjectID: w.project.ID, Name: "web site", Hash: sha256.Sum256([]byte(uuid.NewString())), Hint: "x9Zq",
			Abilities: []core.Ability{core.AbilityRead, core.AbilityDelete}, AllowDrafts: true, AllowHistory: true, AllowSchema: core.SchemaDestructive, RateLimit: &limit,
			ExpiresAt: at(500), CreatedBy: w.newUser(t).ID, CreatedAt: at(1),
		}
		requireNoError(t, w.Tokens.Insert(t.Context(), &token))
		return token
	}
	run(t, open, cases{
		"stores all members of a token": func(t *testing.T, w *fixture) {
			token := newToken(t, w)
			assertEqual(t, result(w.Tokens.Token(t.Context(), w.project.ID, token.ID))(t), token)
			assertEqual(t, result(w.Tokens.TokenByHash(t.Context(), token.Hash))(t), token)
			bare := core.Token{ProjectID: w.project.ID, Name: "bare", Hash: sha256.Sum256([]byte(uuid.NewString())), CreatedAt: at(1)}
			requireNoError(t, w.Tokens.Insert(t.Context(), &bare))
			assertEqual(t, result(w.Tokens.Token(t.Context(), w.project.ID, bare.ID))(t), bare)
		},
		"lists a project's tokens including revoked ones": func(t *testing.T, w *fixture) {
			first, second := newToken(t, w), newToken(t, w)
			newToken(t, w.otherProject(t))
			first.RevokedAt = at(3)
			requireNoError(t, w.Tokens.Update(t.Context(), first))
			assertEqual(t, result(w.Tokens.Tokens(t.Context(), w.project.ID))(t), []core.Token{first, second})
		},
		"lists a user's tokens in all projects": func(t *testing.T, w *fixture) {
			sibling := w.otherProject(t)
			other, later, revoked, stranger := newToken(t, sibling), newToken(t, w), newToken(t, w), newToken(t, w)
			add := func(token core.Token) core.Token {
				token.Hash, token.CreatedBy = sha256.Sum256([]byte(uuid.NewString())), stranger.CreatedBy
				requireNoError(t, w.Tokens.Insert(t.Context(), &token))
				return token
			}
			other, later, revoked = add(other), add(later), add(revoked)
			revoked.RevokedAt = at(3)
			requireNoError(t, w.Tokens.Update(t.Context(), revoked))
			assertEqual(t, result(w.Tokens.TokensOf(t.Context(), stranger.CreatedBy))(t), []core.Token{stranger, later, other})
			assertEqual(t, result(w.Tokens.TokensOf(t.Context(), unknown))(t), []core.Token{})
		},
		"updates only mutable members": func(t *testing.T, w *fixture) {
			token := newToken(t, w)
			limit := 42
			changed := core.Token{
				ID: token.ID, ProjectID: token.ProjectID, Name: "app", Abilities: []core.Ability{core.AbilityCreate},
				RateLimit: &limit, RevokedAt: at(7),
			}
			requireNoError(t, w.Tokens.Update(t.Context(), changed))
			token.Name, token.Abilities, token.AllowDrafts, token.AllowHistory, token.RateLimit = changed.Name, changed.Abilities, false, false, &limit
			token.ExpiresAt, token.RevokedAt = time.Time{}, at(7)
			assertEqual(t, result(w.Tokens.Token(t.Context(), token.ProjectID, token.ID))(t), token)
		},
		"only moves the last use forward": func(t *testing.T, w *fixture) {
			minute := func(n int) time.Time { return at(0).Truncate(time.Minute).Add(time.Duration(n) * time.Minute) }
			a, b := newToken(t, w), newToken(t, w)
			requireNoError(t, w.Tokens.Touch(t.Context(), core.Day(at(0)), []core.TokenUse{
				{TokenID: a.ID, UsedAt: minute(5)}, {TokenID: b.ID, UsedAt: minute(1)}, {TokenID: unknown, UsedAt: minute(9), Reads: 1},
			}))
			requireNoError(t, w.Tokens.Touch(t.Context(), core.Day(at(0)), []core.TokenUse{{TokenID: a.ID, UsedAt: minute(2)}, {TokenID: b.ID, UsedAt: minute(3)}}))
			requireNoError(t, w.Tokens.Touch(t.Context(), core.Day(at(0)), []core.TokenUse{{TokenID: a.ID, Reads: 1}}))
			requireNoError(t, w.Tokens.Touch(t.Context(), core.Day(at(0)), nil))
			a.LastUsedAt, b.LastUsedAt = minute(5), minute(3)
			assertEqual(t, result(w.Tokens.Tokens(t.Context(), w.project.ID))(t), []core.Token{a, b})
		},
		"adds requests to their day": func(t *testing.T, w *fixture) {
			day := func(n int) time.Time { return core.Day(at(0)).AddDate(0, 0, n) }
			a, b := newToken(t, w), newToken(t, w)
			for _, n := range []int{3, 1, 3} {
				requireNoError(t, w.Tokens.Touch(t.Context(), day(n), []core.TokenUse{{TokenID: a.ID, Reads: 5, Writes: 2}, {TokenID: b.ID, UsedAt: at(1), Writes: 1}}))
			}
			usage := func(w *fixture, id int64, from time.Time) []core.TokenUsage {
				return result(w.Tokens.Usage(t.Context(), w.project.ID, id, from))(t)
			}
			assertEqual(t, usage(w, a.ID, day(1)), []core.TokenUsage{{Day: day(1), Reads: 5, Writes: 2}, {Day: day(3), Reads: 10, Writes: 4}})
			assertEqual(t, usage(w, b.ID, day(2)), []core.TokenUsage{{Day: day(3), Writes: 2}})
			assertEqual(t, usage(w.otherProject(t), a.ID, day(0)), []core.TokenUsage{})

			won := race(4, func(int) error {
				return w.Tokens.Touch(t.Context(), day(5), []core.TokenUse{{TokenID: b.ID, Reads: 1}, {TokenID: a.ID, Reads: 1}})
			})
			assertEqual(t, won.failures, []error{})
			assertEqual(t, usage(w, b.ID, day(4)), []core.TokenUsage{{Day: day(5), Reads: 4}})
		},
		"removes old usage": func(t *testing.T, w *fixture) {
			token := newToken(t, w)
			old := func(n int) time.Time { return time.Date(1999, 12, 30+n, 0, 0, 0, 0, time.UTC) } // before the days of other cases
			for n := range 3 {
				requireNoError(t, w.Tokens.Touch(t.Context(), old(n), []core.TokenUse{{TokenID: token.ID, Reads: int64(n + 1)}}))
			}
			result(w.Aging.Delete(t.Context(), ports.AgedUsage, old(1), 1000))(t)
			assertEqual(t, result(w.Tokens.Usage(t.Context(), w.project.ID, token.ID, old(0)))(t), []core.TokenUsage{{Day: old(1), Reads: 2}, {Day: old(2), Reads: 3}})
		},
		"returns ErrNotFound for another project": func(t *testing.T, w *fixture) {
			token := newToken(t, w)
			other := w.otherProject(t).project.ID
			_, err := w.Tokens.Token(t.Context(), other, token.ID)
			requireError(t, err, core.ErrNotFound)
			stolen := token
			stolen.ProjectID, stolen.Name = other, "stolen"
			requireError(t, w.Tokens.Update(t.Context(), stolen), core.ErrNotFound)
			assertEqual(t, result(w.Tokens.Token(t.Context(), token.ProjectID, token.ID))(t), token)
		},
		"returns ErrNotFound for unknown ids": func(t *testing.T, w *fixture) {
			_, err := w.Tokens.Token(t.Context(), w.project.ID, unknown)
			requireError(t, err, core.ErrNotFound)
			_, err = w.Tokens.TokenByHash(t.Context(), sha256.Sum256(nil))
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.Tokens.Update(t.Context(), core.Token{ID: unknown, ProjectID: w.project.ID}), core.ErrNotFound)
		},
	})
}
