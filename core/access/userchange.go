package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// UserChange changes the members of an account that are not nil. Users may change
// their own name; the rest is for those who look after the account, and SuperAdmin
// for super admins.
type UserChange struct {
	Email      *string
	Name       *string
	Active     *bool
	SuperAdmin *bool
}

// Update changes an account. Deactivation ends its sessions. The last active super
// admin stays one: core.KindConflict.
func (u *Users) Update(ctx context.Context, actor core.Actor, id int64, change UserChange) (user core.User, err error) {
	err = u.tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Users.Lock(ctx, id); err != nil {
			return err
		}
		before, err := seenUser(ctx, stores, actor, id)
		if err != nil {
			return err
		}
		if err := change.permit(ctx, stores, actor, before); err != nil {
			return err
		}
		if user, err = change.apply(before); err != nil {
			return err
		}
		if err := keepSuperAdmin(ctx, stores, before, user); err != nil {
			return err
		}
		if !user.Active {
			if err := stores.Sessions.DeleteByUser(ctx, id); err != nil {
				return err
			}
		}
		user.UpdatedAt = u.clock.Now()
		return emailTaken(stores.Users.Update(ctx, user))
	})
	if err != nil {
		return core.User{}, err
	}
	return user, nil
}

// permit reports with core.KindForbidden that actor may not change that much of user.
func (c UserChange) permit(ctx context.Context, stores ports.Stores, actor core.Actor, user core.User) error {
	if c.SuperAdmin != nil && RoleIn(actor, Place{}) != core.RoleSuperAdmin {
		return core.Forbidden("only a super admin decides who is one")
	}
	if c.Email == nil && c.Active == nil && actor.UserID() == user.ID {
		return nil
	}
	return mustLookAfter(ctx, stores, actor, user)
}

func mustLookAfter(ctx context.Context, stores ports.Stores, actor core.Actor, user core.User) error {
	may, err := looksAfter(ctx, stores, actor, user)
	if err == nil && !may {
		return core.Forbidden("this is for those who look after the account and have every right that it has")
	}
	return err
}

// apply returns user with the change made, when it is valid.
func (c UserChange) apply(user core.User) (core.User, error) {
	var wrong faults
	if c.Email != nil {
		user.Email = wrong.email(*c.Email)
	}
	if c.Name != nil {
		wrong.name(*c.Name)
		user.Name = *c.Name
	}
	if c.Active != nil {
		user.Active = *c.Active
	}
	if c.SuperAdmin != nil {
		user.SuperAdmin = *c.SuperAdmin
	}
	return user, wrong.Err()
}

// keepSuperAdmin refuses a change after which nobody could manage the platform.
func keepSuperAdmin(ctx context.Context, stores ports.Stores, before, after core.User) error {
	if !rules(before) || rules(after) {
		return nil
	}
	const page = 200
	for offset := int64(0); ; offset += page {
		users, err := stores.Users.Users(ctx, 0, offset, page)
		if err != nil {
			return err
		}
		for _, other := range users {
			if other.ID != before.ID && rules(other) {
				return nil
			}
		}
		if len(users) <= page {
			return core.Conflict("last_super_admin", "the last active super admin has to stay one")
		}
	}
}

// rules reports whether the account can act as super admin.
func rules(user core.User) bool { return user.SuperAdmin && user.Active }
