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
)

// Users checks a ports.UserStore.
func Users(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps an account whole": func(t *testing.T, w *world) {
			u := w.newUser(t)
			same(t, value(w.Users.User(t.Context(), u.ID))(t), u)
			same(t, value(w.Users.UserByEmail(t.Context(), u.Email))(t), u)
			same(t, value(w.Users.UserByEmail(t.Context(), strings.ToLower(u.Email)))(t), u)
			platform := core.User{Email: uuid.NewString() + "@example.org", SuperAdmin: true, CreatedAt: at(1), UpdatedAt: at(1)}
			succeed(t, w.Users.Insert(t.Context(), &platform))
			same(t, value(w.Users.User(t.Context(), platform.ID))(t), platform)
		},
		"updates": func(t *testing.T, w *world) {
			u := w.newUser(t)
			u.Name, u.Email, u.PasswordHash = "Ada Łovelace", uuid.NewString()+"@example.org", "$other$"
			u.Active, u.SuperAdmin, u.UpdatedAt = false, true, at(7)
			succeed(t, w.Users.Update(t.Context(), u))
			same(t, value(w.Users.User(t.Context(), u.ID))(t), u)
		},
		"gives an address once": func(t *testing.T, w *world) {
			ada, bea := w.newUser(t), w.newUser(t)
			again := core.User{Email: ada.Email, TenantID: w.tenant.ID, CreatedAt: at(1), UpdatedAt: at(1)}
			refused(t, w.Users.Insert(t.Context(), &again), core.ErrConflict)
			bea.Email = ada.Email
			refused(t, w.Users.Update(t.Context(), bea), core.ErrConflict)
			succeed(t, w.Users.Update(t.Context(), ada))
		},
		"lists a tenant's accounts in pages": func(t *testing.T, w *world) {
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
				same(t, value(w.Users.Users(t.Context(), w.tenant.ID, page.offset, page.limit))(t), page.want)
			}
			everybody := value(w.Users.Users(t.Context(), 0, 0, 10000))(t)
			if !slices.IsSortedFunc(everybody, func(a, b core.User) int { return int(a.ID - b.ID) }) || len(everybody) < 5 {
				t.Errorf("all accounts are not listed in the order of ids: %d", len(everybody))
			}
		},
		"does not find what does not exist": func(t *testing.T, w *world) {
			_, err := w.Users.User(t.Context(), unknown)
			refused(t, err, core.ErrNotFound)
			_, err = w.Users.UserByEmail(t.Context(), "nobody@example.org")
			refused(t, err, core.ErrNotFound)
			refused(t, w.Users.Update(t.Context(), core.User{ID: unknown, Email: uuid.NewString()}), core.ErrNotFound)
		},
	})
}

// Grants checks a ports.GrantStore.
func Grants(t *testing.T, open Factory) {
	inTenant := func(w *world, u core.User) core.Grant {
		return core.Grant{UserID: u.ID, Role: core.RoleTenantAdmin, TenantID: w.tenant.ID}
	}
	inDepartment := func(w *world, u core.User) core.Grant {
		return core.Grant{UserID: u.ID, Role: core.RoleDepartmentAdmin, TenantID: w.tenant.ID, DepartmentID: w.department.ID}
	}
	inProject := func(w *world, u core.User, role core.Role) core.Grant {
		return core.Grant{UserID: u.ID, Role: role, TenantID: w.tenant.ID, DepartmentID: w.project.DepartmentID, ProjectID: w.project.ID}
	}
	grantsOf := func(t *testing.T, w *world, u core.User) []core.Grant {
		t.Helper()
		list, _, err := w.Grants.UserGrants(t.Context(), u.ID)
		succeed(t, err)
		slices.SortFunc(list, func(a, b core.Grant) int { return strings.Compare(string(a.Role), string(b.Role)) })
		return list
	}
	run(t, open, cases{
		"fills in the ids above": func(t *testing.T, w *world) {
			u := w.newUser(t)
			want := []core.Grant{inDepartment(w, u), inProject(w, u, core.RoleEditor), inTenant(w, u)}
			for _, g := range want {
				g := core.Grant{UserID: g.UserID, Role: g.Role, ProjectID: g.ProjectID, DepartmentID: g.DepartmentID, TenantID: g.TenantID}
				if g.ProjectID != 0 {
					g.DepartmentID, g.TenantID = 0, 0
				}
				succeed(t, w.Grants.Set(t.Context(), g))
			}
			same(t, grantsOf(t, w, u), want)
		},
		"follows a project that moves": func(t *testing.T, w *world) {
			u := w.newUser(t)
			succeed(t, w.Grants.Set(t.Context(), inProject(w, u, core.RoleViewer)))
			w.project.DepartmentID = 0
			succeed(t, w.Projects.Update(t.Context(), w.project))
			same(t, grantsOf(t, w, u), []core.Grant{inProject(w, u, core.RoleViewer)})
		},
		"holds one role in a scope": func(t *testing.T, w *world) {
			u := w.newUser(t)
			for _, role := range []core.Role{core.RoleViewer, core.RoleAdmin, core.RoleEditor, core.RoleEditor} {
				succeed(t, w.Grants.Set(t.Context(), inProject(w, u, role)))
			}
			same(t, grantsOf(t, w, u), []core.Grant{inProject(w, u, core.RoleEditor)})
		},
		"lists the members of exactly one scope": func(t *testing.T, w *world) {
			ada, bea := w.newUser(t), w.newUser(t)
			for _, g := range []core.Grant{
				inTenant(w, bea), inTenant(w, ada), inDepartment(w, bea), inProject(w, bea, core.RoleViewer), inProject(w, ada, core.RoleAdmin),
			} {
				succeed(t, w.Grants.Set(t.Context(), g))
			}
			same(t, value(w.Grants.TenantMembers(t.Context(), w.tenant.ID))(t), []core.Grant{inTenant(w, ada), inTenant(w, bea)})
			same(t, value(w.Grants.DepartmentMembers(t.Context(), w.department.ID))(t), []core.Grant{inDepartment(w, bea)})
			same(t, value(w.Grants.ProjectMembers(t.Context(), w.project.ID))(t),
				[]core.Grant{inProject(w, ada, core.RoleAdmin), inProject(w, bea, core.RoleViewer)})
			same(t, value(w.Grants.ProjectMembers(t.Context(), w.beside(t).project.ID))(t), []core.Grant{})
		},
		"removes by the scope alone": func(t *testing.T, w *world) {
			u := w.newUser(t)
			tenant, department, project := inTenant(w, u), inDepartment(w, u), inProject(w, u, core.RoleViewer)
			for _, g := range []core.Grant{tenant, department, project} {
				succeed(t, w.Grants.Set(t.Context(), g))
			}
			succeed(t, w.Grants.Remove(t.Context(), core.Grant{UserID: u.ID, ProjectID: w.project.ID}))
			same(t, grantsOf(t, w, u), []core.Grant{department, tenant})
			refused(t, w.Grants.Remove(t.Context(), project), core.ErrNotFound)
			succeed(t, w.Grants.Remove(t.Context(), department))
			same(t, grantsOf(t, w, u), []core.Grant{tenant})
			succeed(t, w.Grants.Remove(t.Context(), core.Grant{UserID: u.ID, TenantID: w.tenant.ID}))
			refused(t, w.Grants.Remove(t.Context(), tenant), core.ErrNotFound)
			same(t, grantsOf(t, w, u), []core.Grant{})
		},
		"names the custom roles held": func(t *testing.T, w *world) {
			u := w.newUser(t)
			var want []core.CustomRole
			for n := range 2 {
				role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: fmt.Sprint("role ", n), CreatedAt: at(1)}
				succeed(t, w.CustomRoles.Insert(t.Context(), &role))
				succeed(t, w.CustomRoles.Give(t.Context(), role.ID, u.ID))
				want = append(want, role)
			}
			_, roles, err := w.Grants.UserGrants(t.Context(), u.ID)
			succeed(t, err)
			same(t, roles, want)
		},
		"finds users that may act on steps": func(t *testing.T, w *world) {
			super, tenant, department, admin, editor, legal, idle := w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t), w.newUser(t)
			super.SuperAdmin, idle.Active = true, false
			for _, u := range []*core.User{&super, &tenant, &department, &admin, &editor, &legal} {
				u.Active = true
				succeed(t, w.Users.Update(t.Context(), *u))
			}
			succeed(t, w.Users.Update(t.Context(), idle))
			role := w.newCustomRole(t, w.department.ID, "Legal")
			for _, g := range []core.Grant{
				inTenant(w, tenant), inDepartment(w, department), inProject(w, admin, core.RoleAdmin), inProject(w, editor, core.RoleEditor),
				inTenant(w, idle), inDepartment(w, idle), inProject(w, idle, core.RoleAdmin), inDepartment(w, legal),
			} {
				succeed(t, w.Grants.Set(t.Context(), g))
			}
			for _, u := range []core.User{legal, idle} {
				succeed(t, w.CustomRoles.Give(t.Context(), role.ID, u.ID))
			}
			check := func(tenantID, departmentID, projectID int64, want ...core.Reviewer) {
				t.Helper()
				var own []core.Reviewer // super admins of other cases are there, too
				for _, v := range value(w.Grants.Reviewers(t.Context(), tenantID, departmentID, projectID))(t) {
					if v.Role != core.RoleSuperAdmin || v.UserID == super.ID {
						own = append(own, v)
					}
				}
				slices.SortFunc(own, func(a, b core.Reviewer) int {
					return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.CustomRoleID, b.CustomRoleID))
				})
				same(t, own, want)
			}
			above := []core.Reviewer{{UserID: super.ID, Role: core.RoleSuperAdmin}, {UserID: tenant.ID, Role: core.RoleTenantAdmin}}
			inside := append(slices.Clone(above), core.Reviewer{UserID: department.ID, Role: core.RoleDepartmentAdmin})
			holder := []core.Reviewer{{UserID: legal.ID, Role: core.RoleDepartmentAdmin}, {UserID: legal.ID, CustomRoleID: role.ID}}
			check(w.tenant.ID, w.department.ID, w.project.ID, slices.Concat(inside, []core.Reviewer{{UserID: admin.ID, Role: core.RoleAdmin}}, holder)...)
			check(w.tenant.ID, w.department.ID, 0, slices.Concat(inside, holder)...)
			check(w.tenant.ID, 0, 0, above...)
			check(unknown, unknown, unknown, above[:1]...)
		},
	})
}

// Sessions checks a ports.SessionStore.
func Sessions(t *testing.T, open Factory) {
	newSession := func(t *testing.T, w *world, u core.User, ends time.Time) core.Session {
		t.Helper()
		s := core.Session{Hash: sha256.Sum256([]byte(uuid.NewString())), UserID: u.ID, CreatedAt: at(0), ExpiresAt: ends}
		succeed(t, w.Sessions.Insert(t.Context(), s))
		return s
	}
	exists := func(t *testing.T, w *world, s core.Session) bool {
		t.Helper()
		_, err := w.Sessions.Session(t.Context(), s.Hash)
		if err != nil {
			refused(t, err, core.ErrNotFound)
		}
		return err == nil
	}
	run(t, open, cases{
		"keeps a session, ended or not": func(t *testing.T, w *world) {
			s := newSession(t, w, w.newUser(t), time.Date(2999, 1, 2, 3, 4, 5, 6e6, time.UTC))
			same(t, value(w.Sessions.Session(t.Context(), s.Hash))(t), s)
		},
		"ends one": func(t *testing.T, w *world) {
			u := w.newUser(t)
			a, b := newSession(t, w, u, at(1e8)), newSession(t, w, u, at(1e8))
			for range 2 {
				succeed(t, w.Sessions.Delete(t.Context(), a.Hash))
			}
			same(t, []bool{exists(t, w, a), exists(t, w, b)}, []bool{false, true})
		},
		"ends a user's": func(t *testing.T, w *world) {
			u := w.newUser(t)
			a, b, other := newSession(t, w, u, at(1e8)), newSession(t, w, u, at(1e8)), newSession(t, w, w.newUser(t), at(1e8))
			succeed(t, w.Sessions.DeleteByUser(t.Context(), u.ID))
			same(t, []bool{exists(t, w, a), exists(t, w, b), exists(t, w, other)}, []bool{false, false, true})
		},
		"clears what has ended": func(t *testing.T, w *world) {
			u := w.newUser(t)
			past, now, future := newSession(t, w, u, at(9)), newSession(t, w, u, at(10)), newSession(t, w, u, at(11))
			succeed(t, w.Sessions.DeleteExpired(t.Context(), at(10)))
			same(t, []bool{exists(t, w, past), exists(t, w, now), exists(t, w, future)}, []bool{false, true, true})
		},
	})
}

// Tokens checks a ports.TokenStore.
func Tokens(t *testing.T, open Factory) {
	newToken := func(t *testing.T, w *world) core.Token {
		t.Helper()
		limit := 0
		token := core.Token{
			ProjectID: w.project.ID, Name: "web site", Hash: sha256.Sum256([]byte(uuid.NewString())), Hint: "x9Zq",
			Abilities: []core.Ability{core.AbilityRead, core.AbilityDelete}, AllowDrafts: true, RateLimit: &limit,
			ExpiresAt: at(500), CreatedBy: w.newUser(t).ID, CreatedAt: at(1),
		}
		succeed(t, w.Tokens.Insert(t.Context(), &token))
		return token
	}
	run(t, open, cases{
		"keeps a token whole": func(t *testing.T, w *world) {
			token := newToken(t, w)
			same(t, value(w.Tokens.Token(t.Context(), w.project.ID, token.ID))(t), token)
			same(t, value(w.Tokens.TokenByHash(t.Context(), token.Hash))(t), token)
			bare := core.Token{ProjectID: w.project.ID, Name: "bare", Hash: sha256.Sum256([]byte(uuid.NewString())), CreatedAt: at(1)}
			succeed(t, w.Tokens.Insert(t.Context(), &bare))
			same(t, value(w.Tokens.Token(t.Context(), w.project.ID, bare.ID))(t), bare)
		},
		"lists a project's tokens, revoked ones too": func(t *testing.T, w *world) {
			first, second := newToken(t, w), newToken(t, w)
			newToken(t, w.beside(t))
			first.RevokedAt = at(3)
			succeed(t, w.Tokens.Update(t.Context(), first))
			same(t, value(w.Tokens.Tokens(t.Context(), w.project.ID))(t), []core.Token{first, second})
		},
		"updates what may change": func(t *testing.T, w *world) {
			token := newToken(t, w)
			limit := 42
			changed := core.Token{
				ID: token.ID, ProjectID: token.ProjectID, Name: "app", Abilities: []core.Ability{core.AbilityCreate},
				RateLimit: &limit, RevokedAt: at(7),
			}
			succeed(t, w.Tokens.Update(t.Context(), changed))
			token.Name, token.Abilities, token.AllowDrafts, token.RateLimit = changed.Name, changed.Abilities, false, &limit
			token.ExpiresAt, token.RevokedAt = time.Time{}, at(7)
			same(t, value(w.Tokens.Token(t.Context(), token.ProjectID, token.ID))(t), token)
		},
		"touches forward only": func(t *testing.T, w *world) {
			minute := func(n int) time.Time { return at(0).Truncate(time.Minute).Add(time.Duration(n) * time.Minute) }
			a, b := newToken(t, w), newToken(t, w)
			succeed(t, w.Tokens.Touch(t.Context(), map[int64]time.Time{a.ID: minute(5), b.ID: minute(1), unknown: minute(9)}))
			succeed(t, w.Tokens.Touch(t.Context(), map[int64]time.Time{a.ID: minute(2), b.ID: minute(3)}))
			succeed(t, w.Tokens.Touch(t.Context(), nil))
			a.LastUsedAt, b.LastUsedAt = minute(5), minute(3)
			same(t, value(w.Tokens.Tokens(t.Context(), w.project.ID))(t), []core.Token{a, b})
		},
		"does not find another project's": func(t *testing.T, w *world) {
			token := newToken(t, w)
			other := w.beside(t).project.ID
			_, err := w.Tokens.Token(t.Context(), other, token.ID)
			refused(t, err, core.ErrNotFound)
			stolen := token
			stolen.ProjectID, stolen.Name = other, "stolen"
			refused(t, w.Tokens.Update(t.Context(), stolen), core.ErrNotFound)
			same(t, value(w.Tokens.Token(t.Context(), token.ProjectID, token.ID))(t), token)
		},
		"does not find what does not exist": func(t *testing.T, w *world) {
			_, err := w.Tokens.Token(t.Context(), w.project.ID, unknown)
			refused(t, err, core.ErrNotFound)
			_, err = w.Tokens.TokenByHash(t.Context(), sha256.Sum256(nil))
			refused(t, err, core.ErrNotFound)
			refused(t, w.Tokens.Update(t.Context(), core.Token{ID: unknown, ProjectID: w.project.ID}), core.ErrNotFound)
		},
	})
}
