package identity

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// UserLinks returns the identity providers to which an account is linked, by id. The actor must see the account (Policy).
func (p *Providers) UserLinks(ctx context.Context, actor core.Actor, userID int64) ([]Link, error) {
	if _, err := p.policy.SeenUser(ctx, p.stores.Users, actor, userID); err != nil {
		return nil, err
	}
	linked, err := p.stores.Identities.UserIdentities(ctx, userID)
	if err != nil {
		return nil, err
	}
	links := []Link{}
	for _, i := range linked {
		provider, err := p.stores.Providers.ProviderByID(ctx, i.ProviderID)
		if err != nil {
			return nil, err
		}
		links = append(links, Link{Provider: provider, LinkedAt: i.LinkedAt})
	}
	return links, nil
}

// UnlinkUser removes the link of another user's account to a provider with the roles that groups there gave, and ends the
// sessions of the account. The actor must manage the account (Policy). The account need not have another way in: its user
// can be mailed a link, or get another password.
func (p *Providers) UnlinkUser(ctx context.Context, actor core.Actor, userID, providerID int64) error {
	if actor.UserID() == userID {
		return core.Forbidden("the own account is unlinked by DELETE /api/me/identity-providers/<id>, after a fresh proof")
	}
	return p.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		user, err := p.policy.SeenUser(ctx, stores.Users, actor, userID)
		if err == nil {
			err = p.policy.MustManage(ctx, stores.Grants, actor, user)
		}
		if err == nil {
			err = stores.Users.Lock(ctx, userID)
		}
		if err != nil {
			return err
		}
		linked, err := stores.Identities.UserIdentities(ctx, userID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(linked, func(i account.UserIdentity) bool { return i.ProviderID == providerID })
		if i < 0 {
			return core.NotFound("link to an identity provider")
		}
		if err := leaveGroups(ctx, stores, linked[i]); err != nil {
			return err
		}
		if err := stores.Identities.Remove(ctx, linked[i]); err != nil {
			return err
		}
		return stores.Sessions.DeleteByUser(ctx, userID)
	})
}
