package access

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/letter"
	"imprimatur/ports"
)

// UserChange changes the members of an account that are not nil. Users may change their own
// name. The other members are for actors that manage the account; SuperAdmin is for super
// admins. It is a type of its own because a member that is given again needs the permission, too, and because a repeated
// deactivation can end tokens.
type UserChange struct {
	Email      *string
	Name       *string
	Active     *bool
	SuperAdmin *bool
	Tokens     *string
}

// Update changes an account. Deactivation ends its sessions and revokes tokens. It returns
// core.KindConflict for a change that would leave no active super admin.
func (u *Users) Update(ctx context.Context, actor core.Actor, id int64, change UserChange) (updated UpdatedUser, err error) {
	err = u.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Users.Lock(ctx, id); err != nil {
			return err
		}
		before, err := seenUser(ctx, stores.Users, actor, id)
		if err != nil {
			return err
		}
		if err := change.permit(ctx, stores.Grants, actor, before); err != nil {
			return err
		}
		user, err := change.apply(before)
		if err != nil {
			return err
		}
		if err := keepSuperAdmin(ctx, stores.Users, before, user); err != nil {
			return err
		}
		if before.Active && !user.Active {
			if err := keepPasswordUser(ctx, stores, before); err != nil {
				return err
			}
		}
		if user.SuperAdmin && !before.SuperAdmin {
			if err := mustNotBeLinked(ctx, stores, id, 0); err != nil {
				return err
			}
		}
		if !user.Active {
			if err := endAccess(ctx, stores, before); err != nil {
				return err
			}
		}
		now := u.clock.Now()
		if change.Active != nil && !*change.Active {
			which := ""
			if !before.Active { // a repeated deactivation revokes nothing by default: tokens may have been kept before
				which = tokensKeep
			}
			core.Assign(&which, change.Tokens)
			if err := endAssistants(ctx, stores, id, now); err != nil {
				return err
			}
			if updated.Tokens, err = endTokens(ctx, stores, actor, id, which, now); err != nil {
				return err
			}
		}
		if user != before {
			user.UpdatedAt = now
			if err = emailTaken(stores.Users.Update(ctx, user)); err == nil && user.Email != before.Email {
				err = u.moved(ctx, stores, before, user)
			}
		}
		updated.User = user
		return err
	})
	if err != nil {
		return UpdatedUser{}, err
	}
	return updated, nil
}

// keepPasswordUser returns core.KindConflict with the code last_way_in for the account that keeps its password where an
// identity provider forbids them.
func keepPasswordUser(ctx context.Context, stores ports.Stores, user core.User) error {
	tenants := []int64{user.TenantID}
	grants, _, err := stores.Grants.UserGrants(ctx, user.ID)
	if err != nil {
		return err
	}
	for _, g := range grants {
		tenants = append(tenants, g.TenantID)
	}
	slices.Sort(tenants)
	for _, id := range slices.Compact(tenants) {
		providers, err := stores.Providers.Providers(ctx, id)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(providers, func(p account.IdentityProvider) bool {
			return p.State == account.ProviderOn && p.Passwords == account.PasswordsForbidden && p.PasswordUserID == user.ID
		}) {
			return core.Conflict("last_way_in", "the account keeps its password where an identity provider forbids them; name another one there first")
		}
	}
	return nil
}

// endAccess ends the sessions of an account and the links that were sent to it: none works again after it is
// activated.
func endAccess(ctx context.Context, stores ports.Stores, user core.User) error {
	if err := stores.Sessions.DeleteByUser(ctx, user.ID); err != nil {
		return err
	}
	for _, kind := range []account.MailLinkKind{account.LinkReset, account.LinkProvider} {
		if err := stores.Links.Forget(ctx, kind, user.Email, 0); err != nil {
			return err
		}
	}
	return stores.Links.Forget(ctx, account.LinkAddress, "", user.ID)
}

// moved tells the former address of an account, and ends the links that were sent to it.
func (u *Users) moved(ctx context.Context, stores ports.Stores, before, after core.User) error {
	for _, kind := range []account.MailLinkKind{account.LinkReset, account.LinkProvider} {
		if err := stores.Links.Forget(ctx, kind, before.Email, 0); err != nil {
			return err
		}
	}
	if err := stores.Links.Forget(ctx, account.LinkAddress, after.Email, after.ID); err != nil {
		return err
	}
	return u.post.Put(ctx, stores.Mails, letter.Moved(before, after))
}

// permit returns core.KindForbidden when the actor may not make the change.
func (c UserChange) permit(ctx context.Context, grants ports.GrantStore, actor core.Actor, user core.User) error {
	if c.SuperAdmin != nil && RoleIn(actor, Place{}) != core.RoleSuperAdmin {
		return core.Forbidden("only a super admin may change superAdmin")
	}
	if c.Email == nil && c.Active == nil && c.Tokens == nil && actor.UserID() == user.ID {
		return nil
	}
	return mustManage(ctx, grants, actor, user)
}

// apply returns user with the change made, and an error if a value is invalid.
func (c UserChange) apply(user core.User) (core.User, error) {
	var wrong faults
	if c.Email != nil {
		user.Email = wrong.email(*c.Email)
	}
	if c.Name != nil {
		wrong.name(*c.Name)
		user.Name = *c.Name
	}
	switch {
	case c.Tokens == nil:
	case *c.Tokens != tokensKeep && *c.Tokens != tokensRevoke:
		wrong.Add("tokens", *c.Tokens, "must be keep or revoke")
	case c.Active == nil || *c.Active:
		wrong.Add("tokens", *c.Tokens, `goes with "active": false`)
	}
	core.Assign(&user.Active, c.Active)
	core.Assign(&user.SuperAdmin, c.SuperAdmin)
	return user, wrong.Err()
}

// keepSuperAdmin returns core.KindConflict for a change that would leave no active super admin.
func keepSuperAdmin(ctx context.Context, userStore ports.UserStore, before, after core.User) error {
	if !actsAsSuperAdmin(before) || actsAsSuperAdmin(after) {
		return nil
	}
	others, err := findUsers(ctx, userStore, 0, 0, 1, func(u core.User) bool { return u.ID != before.ID && actsAsSuperAdmin(u) })
	if err == nil && len(others) == 0 {
		return core.Conflict("last_way_in", "the last active super admin must stay active and super admin")
	}
	return err
}

// actsAsSuperAdmin reports whether the account is an active super admin.
func actsAsSuperAdmin(user core.User) bool { return user.SuperAdmin && user.Active }
