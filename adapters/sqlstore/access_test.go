package sqlstore_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/google/go-cmp/cmp"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

func TestStatementsAreCounted(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		ctx, count := sqldb.WithStatementCount(t.Context())
		err := db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			tenant := core.Tenant{Name: "Meridian", CreatedAt: someTime, UpdatedAt: someTime}
			if err := stores.Tenants.Insert(ctx, &tenant); err != nil {
				return err
			}
			return stores.Tenants.Delete(ctx, tenant.ID)
		})
		if err != nil || count.Load() != 3 {
			t.Errorf("%d statements, %v", count.Load(), err)
		}
		if _, err := db.Stores().Tenants.Tenants(ctx); err != nil || count.Load() != 4 {
			t.Errorf("%d statements, %v", count.Load(), err)
		}
	})
}

// TestIDsAreNeverReused deletes the row with the highest id and inserts another row.
func TestIDsAreNeverReused(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		gone := insertTenant(t.Context(), t, db.Stores(), "gone")
		if err := db.Stores().Tenants.Delete(t.Context(), gone.ID); err != nil {
			t.Fatal(err)
		}
		if next := insertTenant(t.Context(), t, db.Stores(), "next"); next.ID <= gone.ID {
			t.Errorf("%d after %d", next.ID, gone.ID)
		}
	})
}

func TestGrantsHaveTheIDsAboveTheirScope(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		stores := db.Stores()
		tenant := insertTenant(t.Context(), t, stores, "Meridian")
		department := core.Department{TenantID: tenant.ID, Name: "Newsroom", CreatedAt: someTime, UpdatedAt: someTime}
		ok(t, stores.Departments.Insert(t.Context(), &department))
		inDepartment := insertProject(t, stores, core.Project{TenantID: tenant.ID, DepartmentID: department.ID, UUID: "a"})
		alone := insertProject(t, stores, core.Project{TenantID: tenant.ID, UUID: "b"})
		user := insertUser(t, stores, "ada@example.org")
		for _, g := range []core.Grant{
			{Role: core.RoleTenantAdmin, TenantID: tenant.ID},
			{Role: core.RoleDepartmentAdmin, DepartmentID: department.ID},
			{Role: core.RoleEditor, ProjectID: inDepartment.ID},
			{Role: core.RoleViewer, ProjectID: alone.ID},
		} {
			g.UserID = user.ID
			ok(t, stores.Grants.Set(t.Context(), g))
		}
		want := []core.Grant{
			{UserID: user.ID, Role: core.RoleTenantAdmin, TenantID: tenant.ID},
			{UserID: user.ID, Role: core.RoleDepartmentAdmin, TenantID: tenant.ID, DepartmentID: department.ID},
			{UserID: user.ID, Role: core.RoleEditor, TenantID: tenant.ID, DepartmentID: department.ID, ProjectID: inDepartment.ID},
			{UserID: user.ID, Role: core.RoleViewer, TenantID: tenant.ID, ProjectID: alone.ID},
		}
		got, _, err := stores.Grants.UserGrants(t.Context(), user.ID)
		ok(t, err)
		slices.SortFunc(got, func(a, b core.Grant) int { return int(a.ProjectID-b.ProjectID)*2 + int(a.DepartmentID-b.DepartmentID) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTextsThatAreNotStorableAreNotFound reads by texts that one of the engines rejects.
func TestTextsThatAreNotStorableAreNotFound(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		for _, text := range []string{"", "a\x00b", "\xff", "'; --", "\\", "ß"} {
			if _, err := db.Stores().Projects.ProjectByUUID(t.Context(), text); core.KindOf(err) != core.KindNotFound {
				t.Errorf("project %q: %v", text, err)
			}
			if _, err := db.Stores().Users.UserByEmail(t.Context(), text); core.KindOf(err) != core.KindNotFound {
				t.Errorf("user %q: %v", text, err)
			}
		}
	})
}

func TestMissingReferencesAreNotFound(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		stores, user := db.Stores(), insertUser(t, db.Stores(), "ada@example.org")
		const unknown = 1 << 40
		for name, err := range map[string]error{
			"grant in no project": stores.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleViewer, ProjectID: unknown}),
			"holder of no role":   stores.CustomRoles.Assign(t.Context(), unknown, user.ID),
			"session of no user":  stores.Sessions.Insert(t.Context(), account.Session{UserID: unknown, CreatedAt: someTime, ExpiresAt: someTime}),
			"token of no project": stores.Tokens.Insert(t.Context(), &core.Token{ProjectID: unknown, CreatedAt: someTime}),
		} {
			if core.KindOf(err) != core.KindNotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestTimesKeepTheirMilliseconds(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		for _, at := range []time.Time{
			someTime, time.UnixMilli(0).UTC(), time.UnixMilli(-1).UTC(),
			time.Date(1, 1, 2, 0, 0, 0, 1e6, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC),
		} {
			user := core.User{Email: at.String(), CreatedAt: at, UpdatedAt: at}
			ok(t, db.Stores().Users.Insert(t.Context(), &user))
			got, err := db.Stores().Users.User(t.Context(), user.ID)
			if err != nil || got != user {
				t.Errorf("%v came back as %v, %v", at, got.CreatedAt, err)
			}
		}
	})
}

func insertProject(t *testing.T, stores ports.Stores, p core.Project) core.Project {
	t.Helper()
	p.Locales, p.DefaultLocale, p.CreatedAt, p.UpdatedAt = []string{"en"}, "en", someTime, someTime
	ok(t, stores.Projects.Insert(t.Context(), &p))
	return p
}

func insertUser(t *testing.T, stores ports.Stores, email string) core.User {
	t.Helper()
	u := core.User{Email: email, CreatedAt: someTime, UpdatedAt: someTime}
	ok(t, stores.Users.Insert(t.Context(), &u))
	return u
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
