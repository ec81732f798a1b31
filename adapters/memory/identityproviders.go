package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

type identityProviders struct{ conn }

func copyProvider(p account.IdentityProvider) account.IdentityProvider {
	p.Secret, p.Domains, p.Scopes, p.Mappings = slices.Clone(p.Secret), slices.Clone(p.Domains), slices.Clone(p.Scopes), slices.Clone(p.Mappings)
	return p
}

func (st *state) provider(tenantID, id int64) (account.IdentityProvider, error) {
	p, ok := st.providers.get(id)
	return found(copyProvider(p), ok && p.TenantID == tenantID, "identity provider")
}

func (s identityProviders) Providers(ctx context.Context, tenantID int64) ([]account.IdentityProvider, error) {
	return view(ctx, s.conn, func(st *state) ([]account.IdentityProvider, error) {
		return byID(&st.providers, func(p account.IdentityProvider) bool { return p.TenantID == tenantID }, copyProvider), nil
	})
}

func (s identityProviders) Provider(ctx context.Context, tenantID, id int64) (account.IdentityProvider, error) {
	return view(ctx, s.conn, func(st *state) (account.IdentityProvider, error) { return st.provider(tenantID, id) })
}

func (s identityProviders) ProviderByID(ctx context.Context, id int64) (account.IdentityProvider, error) {
	return view(ctx, s.conn, func(st *state) (account.IdentityProvider, error) {
		p, ok := st.providers.get(id)
		return found(copyProvider(p), ok, "identity provider")
	})
}

func (s identityProviders) AnyOn(ctx context.Context) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		_, is := st.providers.find(func(p account.IdentityProvider) bool { return p.State == account.ProviderOn })
		return is, nil
	})
}

// Lock does nothing: transactions run one after another.
func (s identityProviders) Lock(context.Context, int64, int64) error { return nil }

func (s identityProviders) Insert(ctx context.Context, p *account.IdentityProvider) error {
	return s.change(ctx, func(st *state) error {
		if !st.tenants.has(p.TenantID) {
			return core.NotFound("tenant")
		}
		p.ID = st.providers.next()
		st.providers.put(p.ID, copyProvider(*p))
		st.record(account.IdentityProviderEvent(event.IdentityProviderCreated, p.TenantID, p.ID))
		return nil
	})
}

func (s identityProviders) Update(ctx context.Context, p account.IdentityProvider) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.provider(p.TenantID, p.ID)
		if err != nil {
			return err
		}
		p = copyProvider(p)
		p.CreatedBy, p.CreatedAt = old.CreatedBy, old.CreatedAt
		st.providers.put(p.ID, p)
		st.record(account.IdentityProviderEvent(event.IdentityProviderUpdated, p.TenantID, p.ID))
		return nil
	})
}

func (s identityProviders) Delete(ctx context.Context, tenantID, id int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.provider(tenantID, id); err != nil {
			return err
		}
		st.providers.remove(id)
		st.domains.removeIf(func(_ string, c account.DomainClaim) bool { return c.ProviderID == id })
		st.identities.removeIf(func(k personKey, _ account.UserIdentity) bool { return k.providerID == id })
		st.record(account.IdentityProviderEvent(event.IdentityProviderDeleted, tenantID, id))
		return nil
	})
}

type domainClaims struct{ conn }

func (s domainClaims) Claims(ctx context.Context, tenantID int64) ([]account.DomainClaim, error) {
	return view(ctx, s.conn, func(st *state) ([]account.DomainClaim, error) {
		return st.domains.sorted(func(c account.DomainClaim) bool { return c.TenantID == tenantID },
			func(a, b account.DomainClaim) int { return cmp.Compare(a.Domain, b.Domain) }, unshared), nil
	})
}

func (s domainClaims) Claim(ctx context.Context, domain string) (account.DomainClaim, error) {
	return view(ctx, s.conn, func(st *state) (account.DomainClaim, error) {
		c, ok := st.domains.get(domain)
		return found(c, ok, "claim of the domain")
	})
}

func (s domainClaims) Insert(ctx context.Context, c account.DomainClaim) error {
	return s.change(ctx, func(st *state) error {
		if st.domains.has(c.Domain) {
			return core.Conflict("exists", "the domain is claimed")
		}
		if _, err := st.provider(c.TenantID, c.ProviderID); err != nil {
			return err
		}
		st.domains.put(c.Domain, c)
		st.record(account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID))
		return nil
	})
}

func (s domainClaims) Due(ctx context.Context, before time.Time, limit int64) ([]account.DomainClaim, error) {
	return view(ctx, s.conn, func(st *state) ([]account.DomainClaim, error) {
		due := st.domains.sorted(func(c account.DomainClaim) bool {
			return c.Means == account.ClaimByRecord && c.LastCheck().Before(before)
		},
			func(a, b account.DomainClaim) int {
				return cmp.Or(a.LastCheck().Compare(b.LastCheck()), cmp.Compare(a.Domain, b.Domain))
			}, unshared)
		return due[:min(int64(len(due)), limit)], nil
	})
}

func (s domainClaims) Checked(ctx context.Context, c account.DomainClaim) error {
	return s.change(ctx, func(st *state) error {
		stored, ok := st.domains.get(c.Domain)
		if !ok || stored.ProviderID != c.ProviderID {
			return core.NotFound("claim of the domain")
		}
		stored.CheckedAt, stored.MissingSince = c.CheckedAt, c.MissingSince
		st.domains.put(c.Domain, stored)
		return nil
	})
}

func (s domainClaims) Remove(ctx context.Context, c account.DomainClaim) error {
	return s.change(ctx, func(st *state) error {
		if stored, ok := st.domains.get(c.Domain); !ok || stored.ProviderID != c.ProviderID {
			return core.NotFound("claim of the domain")
		}
		st.domains.remove(c.Domain)
		st.record(account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID))
		return nil
	})
}

type userIdentities struct{ conn }

func copyIdentity(i account.UserIdentity) account.UserIdentity {
	if i.Given = slices.Clone(i.Given); len(i.Given) == 0 {
		i.Given = nil
	}
	return i
}

func (s userIdentities) Identity(ctx context.Context, providerID int64, subject string) (account.UserIdentity, error) {
	return view(ctx, s.conn, func(st *state) (account.UserIdentity, error) {
		i, ok := st.identities.get(personKey{providerID, subject})
		return found(copyIdentity(i), ok, "link to an identity provider")
	})
}

func (s userIdentities) UserIdentities(ctx context.Context, userID int64) ([]account.UserIdentity, error) {
	return view(ctx, s.conn, func(st *state) ([]account.UserIdentity, error) {
		return st.identities.sorted(func(i account.UserIdentity) bool { return i.UserID == userID },
			func(a, b account.UserIdentity) int { return cmp.Compare(a.ProviderID, b.ProviderID) }, copyIdentity), nil
	})
}

func (s userIdentities) IdentitiesOf(ctx context.Context, userIDs []int64) ([]account.UserIdentity, error) {
	return view(ctx, s.conn, func(st *state) ([]account.UserIdentity, error) {
		return st.identities.sorted(func(i account.UserIdentity) bool { return slices.Contains(userIDs, i.UserID) },
			func(a, b account.UserIdentity) int {
				return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.ProviderID, b.ProviderID))
			}, copyIdentity), nil
	})
}

func (s userIdentities) AnyOf(ctx context.Context, providerID int64) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		_, is := st.identities.find(func(i account.UserIdentity) bool { return i.ProviderID == providerID })
		return is, nil
	})
}

func (s userIdentities) Insert(ctx context.Context, i account.UserIdentity) error {
	return s.change(ctx, func(st *state) error {
		if _, linked := st.identities.find(func(o account.UserIdentity) bool {
			return o.ProviderID == i.ProviderID && (o.Subject == i.Subject || o.UserID == i.UserID)
		}); linked {
			return core.Conflict("exists", "the person or the account is linked")
		}
		if _, err := st.provider(i.TenantID, i.ProviderID); err != nil {
			return err
		}
		if !st.users.has(i.UserID) {
			return core.NotFound("user")
		}
		st.identities.put(personKey{i.ProviderID, i.Subject}, copyIdentity(i))
		st.record(i.Event(event.UserLinked))
		return nil
	})
}

func (s userIdentities) SetGiven(ctx context.Context, i account.UserIdentity) error {
	return s.change(ctx, func(st *state) error {
		stored, ok := st.identities.get(personKey{i.ProviderID, i.Subject})
		if !ok || stored.UserID != i.UserID {
			return core.NotFound("link to an identity provider")
		}
		stored.Given = i.Given
		st.identities.put(personKey{i.ProviderID, i.Subject}, copyIdentity(stored))
		return nil
	})
}

func (s userIdentities) Remove(ctx context.Context, i account.UserIdentity) error {
	return s.change(ctx, func(st *state) error {
		if stored, ok := st.identities.get(personKey{i.ProviderID, i.Subject}); !ok || stored.UserID != i.UserID {
			return core.NotFound("link to an identity provider")
		}
		st.identities.remove(personKey{i.ProviderID, i.Subject})
		st.record(i.Event(event.UserUnlinked))
		return nil
	})
}
