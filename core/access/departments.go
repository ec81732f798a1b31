package access

import (
	"context"

	"imprimatur/core"
)

// DepartmentInput describes a new department.
type DepartmentInput struct {
	Name string
}

// DepartmentChange changes the members of a department that are not nil.
type DepartmentChange struct {
	Name *string
}

// Departments returns the tenant's departments that actor may see, ordered by id.
func (o *Organisation) Departments(ctx context.Context, actor core.Actor, tenantID int64) ([]core.Department, error) {
	return nil, nil
}

// CreateDepartment adds a department to the tenant.
func (o *Organisation) CreateDepartment(ctx context.Context, tenantID int64, in DepartmentInput) (core.Department, error) {
	return core.Department{}, nil
}

// UpdateDepartment changes a department.
func (o *Organisation) UpdateDepartment(ctx context.Context, id int64, change DepartmentChange) (core.Department, error) {
	return core.Department{}, nil
}

// DeleteDepartment removes a department with its members' roles and its custom
// roles; core.KindConflict while it has Projects.
func (o *Organisation) DeleteDepartment(ctx context.Context, id int64) error { return nil }
