package access

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

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
		if err := rename(&department.Name, name); err != nil {
			return err
		}
		department.UpdatedAt = o.clock.Now()
		return stores.Departments.Update(ctx, department)
	})
	return department, err
}

// DeleteDepartment removes a department with its members' roles and its custom
// roles; core.KindConflict while it has Projects.
func (o *Organisation) DeleteDepartment(ctx context.Context, actor core.Actor, id int64) error {
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Departments.Delete(ctx, id) })
	return conflictAs(err, "not_empty", "the department still has projects")
}
