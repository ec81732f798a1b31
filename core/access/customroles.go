package access

import (
	"context"

	"imprimatur/core"
)

// CustomRoleInput describes a new custom role.
type CustomRoleInput struct {
	Name string // unique in the department
}

// CustomRoleChange changes the members of a custom role that are not nil.
type CustomRoleChange struct {
	Name *string
}

// CustomRoles returns the department's custom roles, ordered by id.
func (o *Organisation) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return nil, nil
}

// CustomRole returns one custom role of the department.
func (o *Organisation) CustomRole(ctx context.Context, departmentID, id int64) (core.CustomRole, error) {
	return core.CustomRole{}, nil
}

// CreateCustomRole adds a custom role; core.KindConflict when the name is taken.
func (o *Organisation) CreateCustomRole(ctx context.Context, department core.Department, in CustomRoleInput) (core.CustomRole, error) {
	return core.CustomRole{}, nil
}

// UpdateCustomRole changes a custom role; core.KindConflict when the name is taken.
func (o *Organisation) UpdateCustomRole(ctx context.Context, departmentID, id int64, change CustomRoleChange) (core.CustomRole, error) {
	return core.CustomRole{}, nil
}

// DeleteCustomRole removes a custom role and takes it from its holders.
func (o *Organisation) DeleteCustomRole(ctx context.Context, departmentID, id int64) error {
	return nil
}

// Holders returns the users who hold the custom role, ordered by id.
func (o *Organisation) Holders(ctx context.Context, departmentID, id int64) ([]core.User, error) {
	return nil, nil
}

// GiveRole gives the custom role to a user whom actor may know of; no error when
// held already.
func (o *Organisation) GiveRole(ctx context.Context, actor core.Actor, department core.Department, id, userID int64) error {
	return nil
}

// TakeRole takes the custom role from a user; core.KindNotFound when not held.
func (o *Organisation) TakeRole(ctx context.Context, departmentID, id, userID int64) error {
	return nil
}
