package access

import (
	"context"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// grantable has the roles that can be given in a place of each scope, highest first.
var grantable = map[Scope][]core.Role{
	ScopeTenant:     {core.RoleTenantAdmin},
	ScopeDepartment: {core.RoleDepartmentAdmin},
	ScopeProject:    {core.RoleAdmin, core.RoleEditor, core.RoleViewer},
}

// managing has the action of callers that give roles in a place of each scope.
var managing = map[Scope]Action{
	ScopeTenant: ManageTenantMembers, ScopeDepartment: ManageDepartmentMembers, ScopeProject: ManageProjectMembers,
}

// mayGive returns an error unless a caller that may manage the members of a place may give the role
// there. No other code makes this decision.
func mayGive(actor core.Actor, scope Scope, place Place, role core.Role) error {
	if !slices.Contains(grantable[scope], role) {
		return core.Invalid(core.FieldError{
			Location: "role", Message: "is not a role that is given in a " + scope.String(), Value: role,
		})
	}
	if !RoleIn(actor, place).Includes(role) {
		return core.Forbidden("cannot give a role above your own")
	}
	return nil
}

// MayGive returns the roles with the names of their places if the actor may give each of them. It
// asks what Members.Set and Organisation.GiveRole ask: the action of the place, then mayGive. Each
// grant has the id of its place only. The error is core.KindNotFound for a place that the actor may
// not see.
func (s Standing) MayGive(ctx context.Context, stores ports.Stores, actor core.Actor, grants []core.Grant, customRoles []int64) ([]account.HeldRole, error) {
	var held []account.HeldRole
	for i, g := range grants {
		role, scope, place, err := s.place(ctx, stores, g)
		if err == nil {
			err = managing[scope].decide(actor, place)
		}
		if err == nil {
			err = mayGive(actor, scope, place, g.Role)
		}
		if err != nil {
			return nil, core.Within(fmt.Sprintf("roles[%d].", i), notFoundIn(err, scope))
		}
		held = append(held, role)
	}
	for _, id := range customRoles {
		role, department, err := s.customRole(ctx, stores, id)
		if err == nil {
			err = ManageCustomRoles.decide(actor, PlaceIn(department))
		}
		if err != nil {
			return nil, err
		}
		held = append(held, role)
	}
	return held, nil
}

// Offered returns roles with the names of their places. The Place of one that no longer exists is "".
func (s Standing) Offered(ctx context.Context, stores ports.Stores, grants []core.Grant, customRoles []int64) ([]account.HeldRole, error) {
	var held []account.HeldRole
	for _, g := range grants {
		role, _, _, err := s.place(ctx, stores, g)
		if err != nil && core.KindOf(err) != core.KindNotFound {
			return nil, err
		}
		held = append(held, role)
	}
	for _, id := range customRoles {
		role, _, err := s.customRole(ctx, stores, id)
		if err != nil && core.KindOf(err) != core.KindNotFound {
			return nil, err
		}
		held = append(held, role)
	}
	return held, nil
}

// place returns a grant with all ids of its place. A place that does not exist is core.KindNotFound.
func (Standing) place(ctx context.Context, stores ports.Stores, g core.Grant) (account.HeldRole, Scope, Place, error) {
	held := account.HeldRole{Grant: g}
	switch {
	case g.ProjectID != 0:
		project, err := stores.Projects.Project(ctx, g.ProjectID)
		if err != nil {
			return held, ScopeProject, Place{}, err
		}
		held.TenantID, held.DepartmentID, held.Place = project.TenantID, project.DepartmentID, project.Name
		return held, ScopeProject, PlaceOf(project), nil
	case g.DepartmentID != 0:
		department, err := stores.Departments.Department(ctx, g.DepartmentID)
		held.TenantID, held.Place = department.TenantID, department.Name
		return held, ScopeDepartment, PlaceIn(department), err
	default:
		tenant, err := stores.Tenants.Tenant(ctx, g.TenantID)
		held.Place = tenant.Name
		return held, ScopeTenant, Place{Tenant: tenant}, err
	}
}

// customRole returns a custom role as it is held, with its department.
func (Standing) customRole(ctx context.Context, stores ports.Stores, id int64) (account.HeldRole, core.Department, error) {
	held := account.HeldRole{CustomRole: core.CustomRole{ID: id}}
	role, err := stores.CustomRoles.CustomRole(ctx, id)
	if err != nil {
		return held, core.Department{}, err
	}
	department, err := stores.Departments.Department(ctx, role.DepartmentID)
	held.TenantID, held.DepartmentID, held.Place, held.CustomRole.Name = role.TenantID, role.DepartmentID, department.Name, role.Name
	return held, department, err
}
