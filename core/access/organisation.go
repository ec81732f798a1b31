package access

import (
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Organisation manages tenants, departments, custom roles and Projects. Callers must authorize the
// actor for the place first.
type Organisation struct {
	tenants     ports.TenantStore
	departments ports.DepartmentStore
	customRoles ports.CustomRoleStore
	identities  ports.UserIdentityStore
	projects    ports.ProjectStore
	tx          ports.Tx
	clock       ports.Clock
}

// NewOrganisation returns an Organisation.
func NewOrganisation(stores ports.Stores, tx ports.Tx, clock ports.Clock) *Organisation {
	return &Organisation{
		tenants: stores.Tenants, departments: stores.Departments, customRoles: stores.CustomRoles, identities: stores.Identities, projects: stores.Projects, tx: tx, clock: clock,
	}
}

// Tenants returns the tenants that actor may see, ordered by id.
func (o *Organisation) Tenants(ctx context.Context, actor core.Actor) ([]core.Tenant, error) {
	if RoleIn(actor, Place{}) == core.RoleSuperAdmin {
		return o.tenants.Tenants(ctx)
	}
	var ids []int64
	for _, g := range actor.Grants {
		ids = append(ids, g.TenantID)
	}
	slices.Sort(ids)
	var seen []core.Tenant
	for _, id := range slices.Compact(ids) {
		tenant, err := o.tenants.Tenant(ctx, id)
		if errors.Is(err, core.ErrNotFound) {
			continue // removed since the grants were read
		}
		if err != nil {
			return nil, err
		}
		seen = append(seen, tenant)
	}
	return seen, nil
}

// CreateTenant adds a tenant.
func (o *Organisation) CreateTenant(ctx context.Context, actor core.Actor, name string) (core.Tenant, error) {
	if err := checkName(name); err != nil {
		return core.Tenant{}, err
	}
	now := o.clock.Now()
	tenant := core.Tenant{Name: name, CreatedAt: now, UpdatedAt: now}
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Tenants.Insert(ctx, &tenant) })
	return tenant, err
}

// TenantChange changes the members of a tenant that are not nil. It is a type of its own because core.Tenant has no place for a
// wrong MailContent, which is reported together with a wrong name.
type TenantChange struct {
	Name        *string
	MailContent *string // MailFull or MailNone
	// SecondFactorFrom is that of core.Tenant; null: no second factor is needed.
	SecondFactorFrom core.Optional[time.Time]
	Assistants       *bool
}

// What mails to the users of a tenant have.
const (
	MailFull = "full" // what they are about
	MailNone = "none" // only that something happened; see core.Tenant.NeutralMail
)

// UpdateTenant changes a tenant.
func (o *Organisation) UpdateTenant(ctx context.Context, actor core.Actor, id int64, change TenantChange) (tenant core.Tenant, err error) {
	err = o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if tenant, err = stores.Tenants.Tenant(ctx, id); err != nil {
			return err
		}
		before := tenant
		if err := change.apply(&tenant); err != nil || tenant == before {
			return err
		}
		tenant.UpdatedAt = o.clock.Now()
		return stores.Tenants.Update(ctx, tenant)
	})
	return tenant, err
}

// apply changes t, or returns all faults of c.
func (c TenantChange) apply(t *core.Tenant) error {
	var wrong faults
	if c.Name != nil && *c.Name != t.Name {
		wrong.name(*c.Name)
		t.Name = *c.Name
	}
	if c.MailContent != nil {
		if *c.MailContent != MailFull && *c.MailContent != MailNone {
			wrong.Addf("mailContent", core.Clip(*c.MailContent), "must be %s or %s", MailFull, MailNone)
		}
		t.NeutralMail = *c.MailContent == MailNone
	}
	core.Assign(&t.Assistants, c.Assistants)
	if c.SecondFactorFrom.Given {
		t.SecondFactorFrom = time.Time{}
		if from := c.SecondFactorFrom.Value; from != nil {
			t.SecondFactorFrom = from.UTC().Truncate(time.Millisecond)
		}
	}
	return wrong.Err()
}

// DeleteTenant removes an empty tenant. It returns core.KindConflict while the tenant has
// departments, projects or users.
func (o *Organisation) DeleteTenant(ctx context.Context, actor core.Actor, id int64) error {
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Tenants.Delete(ctx, id) })
	return conflictAs(err, "not_empty", "the tenant still has departments, projects or users")
}

// Departments returns the tenant's departments that actor may see, ordered by id.
func (o *Organisation) Departments(ctx context.Context, actor core.Actor, tenantID int64) ([]core.Department, error) {
	departments, err := o.departments.Departments(ctx, tenantID)
	return slices.DeleteFunc(slices.Clone(departments), func(d core.Department) bool {
		return !Sees(actor, PlaceIn(d))
	}), err
}

// CreateDepartment adds a department to the tenant.
func (o *Organisation) CreateDepartment(ctx context.Context, actor core.Actor, tenantID int64, name string) (core.Department, error) {
	if err := checkName(name); err != nil {
		return core.Department{}, err
	}
	now := o.clock.Now()
	department := core.Department{TenantID: tenantID, Name: name, CreatedAt: now, UpdatedAt: now}
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		return stores.Departments.Insert(ctx, &department)
	})
	return department, err
}

// UpdateDepartment changes the name of a department, unless name is nil.
func (o *Organisation) UpdateDepartment(ctx context.Context, actor core.Actor, id int64, name *string) (department core.Department, err error) {
	err = o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if department, err = stores.Departments.Department(ctx, id); err != nil {
			return err
		}
		if renamed, err := rename(&department.Name, name); err != nil || !renamed {
			return err
		}
		department.UpdatedAt = o.clock.Now()
		return stores.Departments.Update(ctx, department)
	})
	return department, err
}

// DeleteDepartment removes a department with its members' roles and its custom roles. It returns
// core.KindConflict while the department has Projects.
func (o *Organisation) DeleteDepartment(ctx context.Context, actor core.Actor, id int64) error {
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Departments.Delete(ctx, id) })
	return conflictAs(err, "not_empty", "the department still has projects")
}

// rename checks the new name, nil: the present one, and sets it. renamed reports whether it is another.
func rename(name, to *string) (renamed bool, err error) {
	if to == nil || *to == *name {
		return false, nil
	}
	*name = *to
	return true, checkName(*to)
}
