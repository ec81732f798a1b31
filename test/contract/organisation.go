package contract

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// unknown is an id that does not exist.
const unknown = 1 << 52

// Tenants checks a ports.TenantStore.
func Tenants(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores tenants and lists them by id": func(t *testing.T, w *fixture) {
			second := w.newTenant(t)
			assertEqual(t, result(w.Tenants.Tenant(t.Context(), second.ID))(t), second)
			var own []core.Tenant
			all := result(w.Tenants.Tenants(t.Context()))(t)
			for _, tenant := range all {
				if tenant.ID == w.tenant.ID || tenant.ID == second.ID {
					own = append(own, tenant)
				}
			}
			assertEqual(t, own, []core.Tenant{w.tenant, second})
			if !slices.IsSorted(ids(all, func(t core.Tenant) int64 { return t.ID })) {
				t.Error("tenants are not ordered by id")
			}
		},
		"updates": func(t *testing.T, w *fixture) {
			w.tenant.Name, w.tenant.UpdatedAt = "Meridian Média 🜁", at(9)
			w.tenant.NeutralMail, w.tenant.SecondFactorFrom, w.tenant.Assistants = true, at(9), true
			requireNoError(t, w.Tenants.Update(t.Context(), w.tenant))
			assertEqual(t, result(w.Tenants.Tenant(t.Context(), w.tenant.ID))(t), w.tenant)
		},
		"deletes only an empty tenant": func(t *testing.T, w *fixture) {
			requireError(t, w.Tenants.Delete(t.Context(), w.tenant.ID), core.ErrConflict)
			requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
			requireError(t, w.Tenants.Delete(t.Context(), w.tenant.ID), core.ErrConflict)
			requireNoError(t, w.Departments.Delete(t.Context(), w.department.ID))
			requireNoError(t, w.Tenants.Delete(t.Context(), w.tenant.ID))
			_, err := w.Tenants.Tenant(t.Context(), w.tenant.ID)
			requireError(t, err, core.ErrNotFound)
		},
		"refuses to delete a tenant with users": func(t *testing.T, w *fixture) {
			tenant := w.newTenant(t)
			w.tenant = tenant
			w.newUser(t)
			requireError(t, w.Tenants.Delete(t.Context(), tenant.ID), core.ErrConflict)
		},
		"deletes the grants of a deleted tenant": func(t *testing.T, w *fixture) {
			user, tenant := w.newUser(t), w.newTenant(t)
			requireNoError(t, w.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleTenantAdmin, TenantID: tenant.ID}))
			requireNoError(t, w.Tenants.Delete(t.Context(), tenant.ID))
			left, _, err := w.Grants.UserGrants(t.Context(), user.ID)
			requireNoError(t, err)
			assertEqual(t, left, []core.Grant{})
		},
		"never reuses an id": func(t *testing.T, w *fixture) {
			gone := w.newTenant(t)
			requireNoError(t, w.Tenants.Delete(t.Context(), gone.ID))
			if next := w.newTenant(t); next.ID == gone.ID {
				t.Errorf("id %d was used twice", gone.ID)
			}
		},
		"returns ErrNotFound for unknown ids": func(t *testing.T, w *fixture) {
			_, err := w.Tenants.Tenant(t.Context(), unknown)
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.Tenants.Update(t.Context(), core.Tenant{ID: unknown, Name: "x"}), core.ErrNotFound)
			requireError(t, w.Tenants.Delete(t.Context(), unknown), core.ErrNotFound)
		},
	})
}

// Departments checks a ports.DepartmentStore.
func Departments(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores departments and lists them by id": func(t *testing.T, w *fixture) {
			second := w.newDepartment(t, w.tenant.ID)
			w.newDepartment(t, w.newTenant(t).ID)
			assertEqual(t, result(w.Departments.Department(t.Context(), second.ID))(t), second)
			assertEqual(t, result(w.Departments.Departments(t.Context(), w.tenant.ID))(t), []core.Department{w.department, second})
		},
		"says which departments have a workflow": func(t *testing.T, w *fixture) {
			second := w.newDepartment(t, w.tenant.ID)
			requireNoError(t, w.Workflows.Put(t.Context(), oneStep(review.Workflow{DepartmentID: second.ID})))
			requireNoError(t, w.Workflows.Put(t.Context(), oneStep(review.Workflow{ProjectID: w.project.ID})))
			second.HasWorkflow = true
			requireNoError(t, w.Departments.Update(t.Context(), second))
			assertEqual(t, result(w.Departments.Department(t.Context(), second.ID))(t), second)
			assertEqual(t, result(w.Departments.Departments(t.Context(), w.tenant.ID))(t), []core.Department{w.department, second})
			requireNoError(t, w.Workflows.Remove(t.Context(), review.Workflow{DepartmentID: second.ID}))
			second.HasWorkflow = false
			assertEqual(t, result(w.Departments.Department(t.Context(), second.ID))(t), second)
		},
		"updates the name only": func(t *testing.T, w *fixture) {
			changed := w.department
			changed.Name, changed.UpdatedAt, changed.TenantID = "Desk", at(9), w.newTenant(t).ID
			requireNoError(t, w.Departments.Update(t.Context(), changed))
			changed.TenantID = w.tenant.ID
			assertEqual(t, result(w.Departments.Department(t.Context(), changed.ID))(t), changed)
		},
		"deletes grants and custom roles with a department, not projects": func(t *testing.T, w *fixture) {
			user := w.newUser(t)
			role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: "Legal", CreatedAt: at(1)}
			requireNoError(t, w.CustomRoles.Insert(t.Context(), &role))
			requireNoError(t, w.CustomRoles.Assign(t.Context(), role.ID, user.ID))
			requireNoError(t, w.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleDepartmentAdmin, DepartmentID: w.department.ID, TenantID: w.tenant.ID}))
			requireError(t, w.Departments.Delete(t.Context(), w.department.ID), core.ErrConflict)
			requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
			requireNoError(t, w.Departments.Delete(t.Context(), w.department.ID))
			_, err := w.CustomRoles.CustomRole(t.Context(), role.ID)
			requireError(t, err, core.ErrNotFound)
			grants, roles, err := w.Grants.UserGrants(t.Context(), user.ID)
			requireNoError(t, err)
			assertEqual(t, grants, []core.Grant{})
			assertEqual(t, roles, []core.CustomRole{})
		},
		"returns ErrNotFound for unknown ids": func(t *testing.T, w *fixture) {
			_, err := w.Departments.Department(t.Context(), unknown)
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.Departments.Update(t.Context(), core.Department{ID: unknown, Name: "x"}), core.ErrNotFound)
			requireError(t, w.Departments.Delete(t.Context(), unknown), core.ErrNotFound)
			assertEqual(t, result(w.Departments.Departments(t.Context(), unknown))(t), []core.Department{})
		},
	})
}

// CustomRoles checks a ports.CustomRoleStore.
func CustomRoles(t *testing.T, open Factory) {
	newRole := func(t *testing.T, w *fixture, name string) core.CustomRole {
		t.Helper()
		role := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: name, CreatedAt: at(1)}
		requireNoError(t, w.CustomRoles.Insert(t.Context(), &role))
		return role
	}
	run(t, open, cases{
		"stores roles and lists them by id": func(t *testing.T, w *fixture) {
			legal, brand := newRole(t, w, "Legal"), newRole(t, w, "Brand")
			assertEqual(t, result(w.CustomRoles.CustomRole(t.Context(), brand.ID))(t), brand)
			assertEqual(t, result(w.CustomRoles.CustomRoles(t.Context(), w.department.ID))(t), []core.CustomRole{legal, brand})
		},
		"keeps names unique in a department": func(t *testing.T, w *fixture) {
			legal, brand := newRole(t, w, "Legal"), newRole(t, w, "Brand")
			again := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: legal.Name, CreatedAt: at(1)}
			requireError(t, w.CustomRoles.Insert(t.Context(), &again), core.ErrConflict)
			brand.Name = legal.Name
			requireError(t, w.CustomRoles.Update(t.Context(), brand), core.ErrConflict)
			again.DepartmentID = w.newDepartment(t, w.tenant.ID).ID
			requireNoError(t, w.CustomRoles.Insert(t.Context(), &again))
		},
		"renames": func(t *testing.T, w *fixture) {
			role := newRole(t, w, "Legal")
			requireNoError(t, w.CustomRoles.Update(t.Context(), role))
			role.Name = "Counsel"
			requireNoError(t, w.CustomRoles.Update(t.Context(), role))
			assertEqual(t, result(w.CustomRoles.CustomRole(t.Context(), role.ID))(t), role)
		},
		"assigns, lists and revokes": func(t *testing.T, w *fixture) {
			role, ada, bea := newRole(t, w, "Legal"), w.newUser(t), w.newUser(t)
			for _, user := range []core.User{bea, ada, bea} {
				requireNoError(t, w.CustomRoles.Assign(t.Context(), role.ID, user.ID))
			}
			assertEqual(t, result(w.CustomRoles.Holders(t.Context(), role.ID))(t), []core.User{ada, bea})
			requireNoError(t, w.CustomRoles.Unassign(t.Context(), role.ID, ada.ID))
			requireError(t, w.CustomRoles.Unassign(t.Context(), role.ID, ada.ID), core.ErrNotFound)
			assertEqual(t, result(w.CustomRoles.Holders(t.Context(), role.ID))(t), []core.User{bea})
		},
		"locks a role that a transaction has read": func(t *testing.T, w *fixture) {
			role := newRole(t, w, "Legal")
			read, removed := make(chan struct{}), make(chan error, 1)
			first := true
			requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				assertEqual(t, result(s.CustomRoles.CustomRole(ctx, role.ID))(t), role)
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
				time.Sleep(20 * time.Millisecond) // lets a missing lock show
				assertEqual(t, result(s.CustomRoles.CustomRole(ctx, role.ID))(t), role)
				return nil
			}))
			requireNoError(t, <-removed)
			requireError(t, errorOf(w.CustomRoles.CustomRole(t.Context(), role.ID)), core.ErrNotFound)
			requireNoError(t, w.CustomRoles.Lock(t.Context(), role.ID))
		},
		"revokes a deleted role": func(t *testing.T, w *fixture) {
			role, user := newRole(t, w, "Legal"), w.newUser(t)
			requireNoError(t, w.CustomRoles.Assign(t.Context(), role.ID, user.ID))
			requireNoError(t, w.CustomRoles.Delete(t.Context(), role.ID))
			_, roles, err := w.Grants.UserGrants(t.Context(), user.ID)
			requireNoError(t, err)
			assertEqual(t, roles, []core.CustomRole{})
		},
		"returns ErrNotFound for unknown ids": func(t *testing.T, w *fixture) {
			_, err := w.CustomRoles.CustomRole(t.Context(), unknown)
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.CustomRoles.Update(t.Context(), core.CustomRole{ID: unknown, Name: "x"}), core.ErrNotFound)
			requireError(t, w.CustomRoles.Delete(t.Context(), unknown), core.ErrNotFound)
			requireError(t, w.CustomRoles.Unassign(t.Context(), unknown, unknown), core.ErrNotFound)
		},
	})
}

// changeBooleans changes all booleans of a struct, so that the store of a new one is checked, too.
func changeBooleans(of any) {
	fields := reflect.ValueOf(of).Elem()
	for i := range fields.NumField() {
		if value := fields.Field(i); value.Kind() == reflect.Bool {
			value.SetBool(!value.Bool())
		}
	}
}

// changeSettings gives other values to all settings that are numbers or booleans, so that a new one is checked, too.
func changeSettings(p *core.Project) {
	changeBooleans(p)
	of := reflect.ValueOf(p).Elem()
	for i := range of.NumField() {
		if value := of.Field(i); value.Kind() == reflect.Int64 && !strings.HasSuffix(of.Type().Field(i).Name, "ID") {
			value.SetInt(value.Int() + 7)
		}
	}
}

// Projects checks a ports.ProjectStore.
func Projects(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a project": func(t *testing.T, w *fixture) {
			assertEqual(t, result(w.Projects.Project(t.Context(), w.project.ID))(t), w.project)
			assertEqual(t, result(w.Projects.ProjectByUUID(t.Context(), w.project.UUID))(t), w.project)
			single := w.newProject(t, w.tenant.ID, 0)
			assertEqual(t, result(w.Projects.Project(t.Context(), single.ID))(t), single)
		},
		"lists by id": func(t *testing.T, w *fixture) {
			second, elsewhere := w.newProject(t, w.tenant.ID, 0), w.newProject(t, w.newTenant(t).ID, 0)
			assertEqual(t, result(w.Projects.Projects(t.Context(), w.tenant.ID))(t), []*core.Project{w.project, second})
			found := result(w.Projects.ProjectsByIDs(t.Context(), []int64{elsewhere.ID, unknown, w.project.ID}))(t)
			assertEqual(t, found, []*core.Project{w.project, elsewhere})
			assertEqual(t, result(w.Projects.ProjectsByIDs(t.Context(), nil))(t), []*core.Project{})
		},
		"updates": func(t *testing.T, w *fixture) {
			p := w.project
			changeSettings(p)
			p.Name, p.UpdatedAt, p.DepartmentID = "Desk", at(9), 0
			p.PreviewURL = "https://www.example.com/{locale}/{slug}?é={id}"
			p.PreviewOrigins = []string{"https://www.example.com", "http://[::1]:4321"}
			p.AllowedOrigins = []string{"https://www.example.com", "http://localhost:3000"}
			p.Locales = append(p.Locales, "pt-BR")
			p.Fallbacks = map[string][]string{"pt-BR": {"fr", "de"}}
			requireNoError(t, w.Projects.Update(t.Context(), p))
			assertEqual(t, result(w.Projects.Project(t.Context(), p.ID))(t), p)
		},
		"deletes everything in it": func(t *testing.T, w *fixture) {
			other := w.otherProject(t)
			articles, others := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, other, "articles", titleField())
			e := articles.add(t, publicOf("en", fields{"title": "a"}))
			kept := others.add(t, publicOf("en", fields{"title": "a"}))
			user := w.newUser(t)
			requireNoError(t, w.Grants.Set(t.Context(), core.Grant{UserID: user.ID, Role: core.RoleEditor, ProjectID: w.project.ID}))
			token := core.Token{ProjectID: w.project.ID, Name: "t", Hash: [32]byte{1, byte(w.project.ID)}, CreatedAt: at(1)}
			requireNoError(t, w.Tokens.Insert(t.Context(), &token))

			requireNoError(t, w.do(t, inTx(func(s ports.Stores) error { return s.Projects.Delete(t.Context(), w.project.ID) })))

			for _, err := range []error{
				errorOf(w.Projects.Project(t.Context(), w.project.ID)),
				errorOf(w.Projects.ProjectByUUID(t.Context(), w.project.UUID)),
				errorOf(w.Entries.Entry(t.Context(), w.project.ID, e.ID)),
				errorOf(w.Collections.Collection(t.Context(), w.project.ID, articles.schema.Collection.ID)),
				errorOf(w.Tokens.TokenByHash(t.Context(), token.Hash)),
			} {
				requireError(t, err, core.ErrNotFound)
			}
			left, _, err := w.Grants.UserGrants(t.Context(), user.ID)
			requireNoError(t, err)
			assertEqual(t, left, []core.Grant{})
			assertEqual(t, others.list(t, others.all()), []int64{kept.ID})
		},
		"returns ErrNotFound for unknown ids": func(t *testing.T, w *fixture) {
			_, err := w.Projects.Project(t.Context(), unknown)
			requireError(t, err, core.ErrNotFound)
			_, err = w.Projects.ProjectByUUID(t.Context(), uuid.NewString())
			requireError(t, err, core.ErrNotFound)
			_, err = w.Projects.ProjectByUUID(t.Context(), "no uuid")
			requireError(t, err, core.ErrNotFound)
			gone := *w.project
			gone.ID, gone.UUID = unknown, uuid.NewString()
			requireError(t, w.Projects.Update(t.Context(), &gone), core.ErrNotFound)
			requireError(t, w.Projects.Delete(t.Context(), unknown), core.ErrNotFound)
		},
		"does not share memory with the caller": func(t *testing.T, w *fixture) {
			read := result(w.Projects.Project(t.Context(), w.project.ID))(t)
			read.Locales[0], read.Fallbacks["ja"][0], w.project.Locales[1] = "xx", "xx", "yy"
			again := result(w.Projects.Project(t.Context(), w.project.ID))(t)
			assertEqual(t, again.Locales[:2], []string{"en", "fr"})
			assertEqual(t, again.Fallbacks["ja"], []string{"fr"})
		},
	})
}
