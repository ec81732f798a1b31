package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core/account"
	"imprimatur/core/event"
)

type identityProviders struct{ scoped }

func (s identityProviders) Providers(ctx context.Context, tenantID int64) ([]account.IdentityProvider, error) {
	return rowsOf[account.IdentityProvider](ctx, s.store, tenantID)
}

func (s identityProviders) Provider(ctx context.Context, tenantID, id int64) (account.IdentityProvider, error) {
	return get[account.IdentityProvider](ctx, s.store, in{tenantID, id})
}

func (s identityProviders) ProviderByID(ctx context.Context, id int64) (account.IdentityProvider, error) {
	return get[account.IdentityProvider](ctx, s.store, id)
}

func (s identityProviders) AnyOn(ctx context.Context) (bool, error) {
	return exists(ctx, s.store, func(p account.IdentityProvider) bool { return p.State == account.ProviderOn })
}

func (s identityProviders) Insert(ctx context.Context, p *account.IdentityProvider) error {
	return s.insert(ctx, p)
}

func (s identityProviders) Update(ctx context.Context, p account.IdentityProvider) error {
	return update(ctx, s.store, in{p.TenantID, p.ID}, event.IdentityProviderUpdated, func(old *account.IdentityProvider) {
		p.CreatedBy, p.CreatedAt = old.CreatedBy, old.CreatedAt
		*old = p
	})
}

type domainClaims struct{ store }

func (s domainClaims) Claims(ctx context.Context, tenantID int64) ([]account.DomainClaim, error) {
	return rowsOf[account.DomainClaim](ctx, s.store, tenantID)
}

func (s domainClaims) Claim(ctx context.Context, domain string) (account.DomainClaim, error) {
	return get[account.DomainClaim](ctx, s.store, domain)
}

func (s domainClaims) Insert(ctx context.Context, c account.DomainClaim) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.providers.in(c.TenantID, c.ProviderID); err != nil {
			return err
		}
		st.domains.add(c.Domain, c)
		st.record(account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID))
		return nil
	})
}

func (s domainClaims) Due(ctx context.Context, before time.Time, limit int64) ([]account.DomainClaim, error) {
	due, err := where(ctx, s.store, func(c account.DomainClaim) bool {
		return c.Means == account.ClaimByRecord && c.LastCheck().Before(before)
	})
	sort(due, func(a, b account.DomainClaim) int { return a.LastCheck().Compare(b.LastCheck()) })
	return first(due, limit), err
}

func (s domainClaims) Checked(ctx context.Context, c account.DomainClaim) error {
	return edit(ctx, s.store, c.Domain, func(_ *state, stored *account.DomainClaim) error {
		stored.CheckedAt, stored.MissingSince = c.CheckedAt, c.MissingSince
		return s.same(stored.ProviderID, c.ProviderID)
	})
}

func (s domainClaims) Remove(ctx context.Context, c account.DomainClaim) error {
	return s.change(ctx, func(st *state) error {
		stored, err := st.domains.one(c.Domain)
		if err := cmp.Or(err, s.same(stored.ProviderID, c.ProviderID)); err != nil {
			return err
		}
		st.domains.remove(c.Domain)
		st.record(account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID))
		return nil
	})
}

type userIdentities struct{ store }

func (s userIdentities) Identity(ctx context.Context, providerID int64, subject string) (account.UserIdentity, error) {
	return get[account.UserIdentity](ctx, s.store, personKey{providerID, subject})
}

func (s userIdentities) UserIdentities(ctx context.Context, userID int64) ([]account.UserIdentity, error) {
	return s.IdentitiesOf(ctx, []int64{userID})
}

func (s userIdentities) IdentitiesOf(ctx context.Context, userIDs []int64) ([]account.UserIdentity, error) {
	return where(ctx, s.store, func(i account.UserIdentity) bool { return slices.Contains(userIDs, i.UserID) })
}

func (s userIdentities) AnyOf(ctx context.Context, providerID int64) (bool, error) {
	return exists(ctx, s.store, func(i account.UserIdentity) bool { return i.ProviderID == providerID })
}

func (s userIdentities) Insert(ctx context.Context, i account.UserIdentity) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.providers.in(i.TenantID, i.ProviderID); err != nil {
			return err
		}
		st.identities.add(personKey{i.ProviderID, i.Subject}, i)
		st.record(i.Event(event.UserLinked))
		return nil
	})
}

func (s userIdentities) SetGiven(ctx context.Context, i account.UserIdentity) error {
	return edit(ctx, s.store, personKey{i.ProviderID, i.Subject}, func(_ *state, stored *account.UserIdentity) error {
		stored.Given = i.Given
		return s.same(stored.UserID, i.UserID)
	})
}

func (s userIdentities) Remove(ctx context.Context, i account.UserIdentity) error {
	return s.change(ctx, func(st *state) error {
		key := personKey{i.ProviderID, i.Subject}
		stored, err := st.identities.one(key)
		if err := cmp.Or(err, s.same(stored.UserID, i.UserID)); err != nil {
			return err
		}
		st.identities.remove(key)
		st.record(i.Event(event.UserUnlinked))
		return nil
	})
}
