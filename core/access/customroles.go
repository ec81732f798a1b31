package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// CustomRoles returns the department's custom roles, ordered by id.
func (o *Organisation) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return o.customRoles.CustomRoles(ctx, departmentID)
}

// CustomRole returns one custom role of the department.
func (o *Organisation) CustomRole(ctx context.Context, departmentID, id int64) (core.CustomRole, error) {
	return customRole(ctx, o.customRoles, departmentID, id)
}

// CreateCustomRole adds a custom role. It returns core.KindConflict when the name is taken.
func (o *Organisation) CreateCustomRole(ctx context.Context, actor core.Actor, department core.Department, name string) (core.CustomRole, error) {
	if err := checkName(name); err != nil {
		return core.CustomRole{}, err
	}
	role := core.CustomRole{
		TenantID: department.TenantID, DepartmentID: department.ID, Name: name, CreatedAt: o.clock.Now(),
	}
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.CustomRoles.Insert(ctx, &role) })
	return role, roleNameTaken(err)
}

// UpdateCustomRole changes the name of a custom role, unless name is nil. It returns
// core.KindConflict when the name is taken.
func (o *Organisation) UpdateCustomRole(ctx context.Context, actor core.Actor, departmentID, id int64, name *string) (role core.CustomRole, err error) {
	err = o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.CustomRoles.Lock(ctx, id); err != nil {
			return err
		}
		if role, err = customRole(ctx, stores.CustomRoles, departmentID, id); err != nil {
			return err
		}
		if renamed, err := rename(&role.Name, name); err != nil || !renamed {
			return err
		}
		return roleNameTaken(stores.CustomRoles.Update(ctx, role))
	})
	return role, err
}

// DeleteCustomRole removes a custom role, also from its holders. It returns core.KindConflict with
// the code in_use while workflows or open requests name the role; Fields has their paths.
func (o *Organisation) DeleteCustomRole(ctx context.Context, actor core.Actor, departmentID, id int64) error {
	return o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.CustomRoles.Lock(ctx, id); err != nil {
			return err
		}
		if _, err := customRole(ctx, stores.CustomRoles, departmentID, id); err != nil {
			return err
		}
		if err := roleUnused(ctx, stores.Requests, stores.Workflows, id); err != nil {
			return err
		}
		return stores.CustomRoles.Delete(ctx, id)
	})
}

// Holder is a user that holds a custom role.
type Holder struct {
	core.User

	Source account.GrantSource
}

// Holders returns the users that hold the custom role, ordered by id.
func (o *Organisation) Holders(ctx context.Context, departmentID, id int64) ([]Holder, error) {
	if _, err := customRole(ctx, o.customRoles, departmentID, id); err != nil {
		return nil, err
	}
	users, err := o.customRoles.Holders(ctx, id)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(users))
	for i, user := range users {
		ids[i] = user.ID
	}
	sources, err := sourcesOf(ctx, o.identities, ids)
	holders := make([]Holder, len(users))
	for i, user := range users {
		holders[i] = Holder{user, sources.of(core.Grant{UserID: user.ID}, id)}
	}
	return holders, err
}

// GiveRole gives the custom role to a user. The actor must be allowed to give roles to that user;
// see grantee. It returns no error when the user already holds the role, and core.KindConflict with the code linked for a
// user that an identity provider of another tenant signs in.
func (o *Organisation) GiveRole(ctx context.Context, actor core.Actor, department core.Department, id, userID int64) error {
	return o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := customRole(ctx, stores.CustomRoles, department.ID, id); err != nil {
			return err
		}
		if _, err := grantee(ctx, stores.Grants, stores.Users, actor, department.TenantID, userID); err != nil {
			return err
		}
		if err := mustNotBeLinked(ctx, stores, userID, department.TenantID); err != nil {
			return err
		}
		if err := ports.GiveByHand(ctx, stores.Identities, core.Grant{UserID: userID}, id); err != nil {
			return err
		}
		return stores.CustomRoles.Assign(ctx, id, userID)
	})
}

// TakeRole removes the custom role from a user. It returns core.KindNotFound when the user does
// not hold the role.
func (o *Organisation) TakeRole(ctx context.Context, actor core.Actor, departmentID, id, userID int64) error {
	return o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := customRole(ctx, stores.CustomRoles, departmentID, id); err != nil {
			return err
		}
		if err := ports.GiveByHand(ctx, stores.Identities, core.Grant{UserID: userID}, id); err != nil {
			return err
		}
		return stores.CustomRoles.Unassign(ctx, id, userID)
	})
}

// customRole returns the role, or core.KindNotFound when it belongs to another department.
func customRole(ctx context.Context, customRoles ports.CustomRoleStore, departmentID, id int64) (core.CustomRole, error) {
	role, err := customRoles.CustomRole(ctx, id)
	if err != nil {
		return core.CustomRole{}, err
	}
	if role.DepartmentID != departmentID {
		return core.CustomRole{}, core.NotFound("custom role")
	}
	return role, nil
}

func roleNameTaken(err error) error {
	return conflictAs(err, "name_taken", "a role with this name already exists in the department")
}
