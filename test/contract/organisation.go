package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/ports"
)

// unknown is an id that nothing has.
const unknown = 1 << 52

// Tenants checks a ports.TenantStore.
func Tenants(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps and lists tenants by id": func(t *testing.T, w *world) {
			second := w.newTenant(t)
			same(t, value(w.Tenants.Tenant(t.Context(), second.ID))(t), second)
			var own []core.Tenant
			all := value(w.Tenants.Tenants(t.Context()))(t)
			for _, tenant := range all {
				if tenant.ID == w.tenant.ID || tenant.ID == second.ID {
					own = append(own, tenant)
				}
			}
			same(t, own, []core.Tenant{w.tenant, second})
			if !slices.IsSorted(ids(all, func(t core.Tenant) int64 { return t.ID })) {
				t.Error("tenants are not ordered by id")
			}
		},
		"updates": func(t *testing.T, w *world) {
			w.tenant.Name, w.tenant.UpdatedAt = "Meridian Média 🜁", at(9)
			succeed(t, w.Tenants.Update(t.Context(), w.tenant))
			same(t, value(w.Tenants.Tenant(t.Context(), w.tenant.ID))(t), w.tenant)
		},
		"deletes only an empty tenant": func(t *testing.T, w *world) {
			refused(t, w.Tenants.Delete(t.Context(), w.tenant.ID), core.ErrConflict)
			succeed(t, w.Projects.Delete(t.Context(), w.project.ID))
			refused(t, w.Tenants.Delete(t.Context(), w.tenant.ID), core.ErrConflict)
			succeed(t, w.Departments.Delete(t.Context(), w.department.ID))
			succeed(t, w.Tenants.Delete(t.Context(), w.tenant.ID))
			_, err := w.Tenants.Tenant(t.Context(), w.tenant.ID)
			refused(t, err, core.ErrNotFound)
		},
		"keeps a tenant that looks after users": func(t *testing.T, w *world) {
			tenant := w.newTenant(t)
			w.tenant = tenant
			w.newUser(t)
			refused(t, w.Tenants.Delete(t.Context(), tenant.ID), core.ErrConflict)
		},
		"takes the grants of a deleted tenant away": func(t *testing.T, w *world) {
			user, tenant := w.newUser(t), w.newTenant(t)
			succeed(t, w.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleTenantAdmin, TenantID: tenant.ID}))
			succeed(t, w.Tenants.Delete(t.Context(), tenant.ID))
			left, _, err := w.Grants.UserGrants(t.Context(), user.ID)
			succeed(t, err)
			same(t, left, []core.Grant{})
		},
		"never gives an id again": func(t *testing.T, w *world) {
			gone := w.newTenant(t)
			succeed(t, w.Tenants.Delete(t.Context(), gone.ID))
			if next := w.newTenant(t); next.ID == gone.ID {
				t.Errorf("id %d was given twice", gone.ID)
			}
		},
		"does not find what does not exist": func(t *testing.T, w *world) {
			_, err := w.Tenants.Tenant(t.Context(), unknown)
			refused(t, err, core.ErrNotFound)
			refused(t, w.Tenants.Update(t.Context(), core.Tenant{ID: unknown, Name: "x"}), core.ErrNotFound)
			refused(t, w.Tenants.Delete(t.Context(), unknown), core.ErrNotFound)
		},
	})
}

// Departments checks a ports.DepartmentStore.
func Departments(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps and lists departments by id": func(t *testing.T, w *world) {
			second := w.newDepartment(t, w.tenant.ID)
			w.newDepartment(t, w.newTenant(t).ID)
			same(t, value(w.Departments.Department(t.Context(), second.ID))(t), second)
			same(t, value(w.Departments.Departments(t.Context(), w.tenant.ID))(t), []core.Department{w.department, second})
		},
		"updates the name only": func(t *testing.T, w *world) {
			changed := w.department
			changed.Name, changed.UpdatedAt, changed.TenantID = "Desk", at(9), w.newTenant(t).ID
			succeed(t, w.Departments.Update(t.Context(), changed))
			changed.TenantID = w.tenant.ID
			same(t, value(w.Departments.Department(t.Context(), changed.ID))(t), changed)
		},
		"deletes with grants and custom roles, without projects": func(t *testing.T, w *world) {
			user := w.newUser(t)
			role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: "Legal", CreatedAt: at(1)}
			succeed(t, w.CustomRoles.Insert(t.Context(), &role))
			succeed(t, w.CustomRoles.Give(t.Context(), role.ID, user.ID))
			succeed(t, w.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleDepartmentAdmin, DepartmentID: w.department.ID, TenantID: w.tenant.ID}))
			refused(t, w.Departments.Delete(t.Context(), w.department.ID), core.ErrConflict)
			succeed(t, w.Projects.Delete(t.Context(), w.project.ID))
			succeed(t, w.Departments.Delete(t.Context(), w.department.ID))
			_, err := w.CustomRoles.CustomRole(t.Context(), role.ID)
			refused(t, err, core.ErrNotFound)
			grants, roles, err := w.Grants.UserGrants(t.Context(), user.ID)
			succeed(t, err)
			same(t, grants, []core.Grant{})
			same(t, roles, []core.CustomRole{})
		},
		"does not find what does not exist": func(t *testing.T, w *world) {
			_, err := w.Departments.Department(t.Context(), unknown)
			refused(t, err, core.ErrNotFound)
			refused(t, w.Departments.Update(t.Context(), core.Department{ID: unknown, Name: "x"}), core.ErrNotFound)
			refused(t, w.Departments.Delete(t.Context(), unknown), core.ErrNotFound)
			same(t, value(w.Departments.Departments(t.Context(), unknown))(t), []core.Department{})
		},
	})
}

// CustomRoles checks a ports.CustomRoleStore.
func CustomRoles(t *testing.T, open Factory) {
	newRole := func(t *testing.T, w *world, name string) core.CustomRole {
		t.Helper()
		role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: name, CreatedAt: at(1)}
		succeed(t, w.CustomRoles.Insert(t.Context(), &role))
		return role
	}
	run(t, open, cases{
		"keeps and lists roles by id": func(t *testing.T, w *world) {
			legal, brand := newRole(t, w, "Legal"), newRole(t, w, "Brand")
			same(t, value(w.CustomRoles.CustomRole(t.Context(), brand.ID))(t), brand)
			same(t, value(w.CustomRoles.CustomRoles(t.Context(), w.department.ID))(t), []core.CustomRole{legal, brand})
		},
		"gives a name once in a department": func(t *testing.T, w *world) {
			legal, brand := newRole(t, w, "Legal"), newRole(t, w, "Brand")
			again := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: legal.Name, CreatedAt: at(1)}
			refused(t, w.CustomRoles.Insert(t.Context(), &again), core.ErrConflict)
			brand.Name = legal.Name
			refused(t, w.CustomRoles.Update(t.Context(), brand), core.ErrConflict)
			again.DepartmentID = w.newDepartment(t, w.tenant.ID).ID
			succeed(t, w.CustomRoles.Insert(t.Context(), &again))
		},
		"renames": func(t *testing.T, w *world) {
			role := newRole(t, w, "Legal")
			succeed(t, w.CustomRoles.Update(t.Context(), role))
			role.Name = "Counsel"
			succeed(t, w.CustomRoles.Update(t.Context(), role))
			same(t, value(w.CustomRoles.CustomRole(t.Context(), role.ID))(t), role)
		},
		"gives, shows and takes": func(t *testing.T, w *world) {
			role, ada, bea := newRole(t, w, "Legal"), w.newUser(t), w.newUser(t)
			for _, user := range []core.User{bea, ada, bea} {
				succeed(t, w.CustomRoles.Give(t.Context(), role.ID, user.ID))
			}
			same(t, value(w.CustomRoles.Holders(t.Context(), role.ID))(t), []core.User{ada, bea})
			succeed(t, w.CustomRoles.Take(t.Context(), role.ID, ada.ID))
			refused(t, w.CustomRoles.Take(t.Context(), role.ID, ada.ID), core.ErrNotFound)
			same(t, value(w.CustomRoles.Holders(t.Context(), role.ID))(t), []core.User{bea})
		},
		"keeps a role that a transaction has read from being removed": func(t *testing.T, w *world) {
			role := newRole(t, w, "Legal")
			read, removed := make(chan struct{}), make(chan error, 1)
			first := true
			succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				same(t, value(s.CustomRoles.CustomRole(ctx, role.ID))(t), role)
				if first {
					first = false
					go func() {
						close(read)
						removed <- w.do(t, func(ctx context.Context, s ports.Stores) error {
							if err := s.CustomRoles.Lock(ctx, role.ID); err != nil {
								return err
							}
							return s.CustomRoles.Delete(ctx, role.ID)
						})
					}()
				}
				<-read
				time.Sleep(20 * time.Millisecond) // time in which the other could slip through
				same(t, value(s.CustomRoles.CustomRole(ctx, role.ID))(t), role)
				return nil
			}))
			succeed(t, <-removed)
			refused(t, failure(w.CustomRoles.CustomRole(t.Context(), role.ID)), core.ErrNotFound)
			succeed(t, w.CustomRoles.Lock(t.Context(), role.ID))
		},
		"takes a deleted role from its holders": func(t *testing.T, w *world) {
			role, user := newRole(t, w, "Legal"), w.newUser(t)
			succeed(t, w.CustomRoles.Give(t.Context(), role.ID, user.ID))
			succeed(t, w.CustomRoles.Delete(t.Context(), role.ID))
			_, roles, err := w.Grants.UserGrants(t.Context(), user.ID)
			succeed(t, err)
			same(t, roles, []core.CustomRole{})
		},
		"does not find what does not exist": func(t *testing.T, w *world) {
			_, err := w.CustomRoles.CustomRole(t.Context(), unknown)
			refused(t, err, core.ErrNotFound)
			refused(t, w.CustomRoles.Update(t.Context(), core.CustomRole{ID: unknown, Name: "x"}), core.ErrNotFound)
			refused(t, w.CustomRoles.Delete(t.Context(), unknown), core.ErrNotFound)
			refused(t, w.CustomRoles.Take(t.Context(), unknown, unknown), core.ErrNotFound)
		},
	})
}

// Projects checks a ports.ProjectStore.
func Projects(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps a project whole": func(t *testing.T, w *world) {
			same(t, value(w.Projects.Project(t.Context(), w.project.ID))(t), w.project)
			same(t, value(w.Projects.ProjectByUUID(t.Context(), w.project.UUID))(t), w.project)
			homeless := w.newProject(t, w.tenant.ID, 0)
			same(t, value(w.Projects.Project(t.Context(), homeless.ID))(t), homeless)
		},
		"lists by id": func(t *testing.T, w *world) {
			second, elsewhere := w.newProject(t, w.tenant.ID, 0), w.newProject(t, w.newTenant(t).ID, 0)
			same(t, value(w.Projects.Projects(t.Context(), w.tenant.ID))(t), []*core.Project{w.project, second})
			found := value(w.Projects.ProjectsByIDs(t.Context(), []int64{elsewhere.ID, unknown, w.project.ID}))(t)
			same(t, found, []*core.Project{w.project, elsewhere})
			same(t, value(w.Projects.ProjectsByIDs(t.Context(), nil))(t), []*core.Project{})
		},
		"updates": func(t *testing.T, w *world) {
			p := w.project
			p.Name, p.UpdatedAt, p.UploadLimit, p.DepartmentID = "Desk", at(9), 5, 0
			p.AllowedOrigins = []string{"https://www.example.com", "http://localhost:3000"}
			p.Locales = append(p.Locales, "pt-BR")
			p.Fallbacks = map[string][]string{"pt-BR": {"fr", "de"}}
			succeed(t, w.Projects.Update(t.Context(), p))
			same(t, value(w.Projects.Project(t.Context(), p.ID))(t), p)
		},
		"deletes everything in it": func(t *testing.T, w *world) {
			other := w.beside(t)
			articles, others := newShelf(t, w, "articles", titleField()), newShelf(t, other, "articles", titleField())
			e := articles.add(t, publicOf("en", fields{"title": "a"}))
			kept := others.add(t, publicOf("en", fields{"title": "a"}))
			user := w.newUser(t)
			succeed(t, w.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleEditor, ProjectID: w.project.ID}))
			token := core.Token{ProjectID: w.project.ID, Name: "t", Hash: [32]byte{1, byte(w.project.ID)}, CreatedAt: at(1)}
			succeed(t, w.Tokens.Insert(t.Context(), &token))

			succeed(t, w.do(t, inTx(func(s ports.Stores) error { return s.Projects.Delete(t.Context(), w.project.ID) })))

			for _, err := range []error{
				failure(w.Projects.Project(t.Context(), w.project.ID)),
				failure(w.Projects.ProjectByUUID(t.Context(), w.project.UUID)),
				failure(w.Entries.Entry(t.Context(), w.project.ID, e.ID)),
				failure(w.Collections.Collection(t.Context(), w.project.ID, articles.schema.Collection.ID)),
				failure(w.Tokens.TokenByHash(t.Context(), token.Hash)),
			} {
				refused(t, err, core.ErrNotFound)
			}
			left, _, err := w.Grants.UserGrants(t.Context(), user.ID)
			succeed(t, err)
			same(t, left, []core.Grant{})
			same(t, others.list(t, others.all()), []int64{kept.ID})
		},
		"does not find what does not exist": func(t *testing.T, w *world) {
			_, err := w.Projects.Project(t.Context(), unknown)
			refused(t, err, core.ErrNotFound)
			_, err = w.Projects.ProjectByUUID(t.Context(), uuid.NewString())
			refused(t, err, core.ErrNotFound)
			_, err = w.Projects.ProjectByUUID(t.Context(), "no uuid")
			refused(t, err, core.ErrNotFound)
			gone := *w.project
			gone.ID, gone.UUID = unknown, uuid.NewString()
			refused(t, w.Projects.Update(t.Context(), &gone), core.ErrNotFound)
			refused(t, w.Projects.Delete(t.Context(), unknown), core.ErrNotFound)
		},
		"does not share memory with the caller": func(t *testing.T, w *world) {
			read := value(w.Projects.Project(t.Context(), w.project.ID))(t)
			read.Locales[0], read.Fallbacks["ja"][0], w.project.Locales[1] = "xx", "xx", "yy"
			again := value(w.Projects.Project(t.Context(), w.project.ID))(t)
			same(t, again.Locales[:2], []string{"en", "fr"})
			same(t, again.Fallbacks["ja"], []string{"fr"})
		},
	})
}
