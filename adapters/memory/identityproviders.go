package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
)

type identityProviders struct{ conn }

func copyProvider(p core.IdentityProvider) core.IdentityProvider {
	p.Secret, p.Domains, p.Scopes, p.Mappings = slices.Clone(p.Secret), slices.Clone(p.Domains), slices.Clone(p.Scopes), slices.Clone(p.Mappings)
	return p
}

func (st *state) provider(tenantID, id int64) (core.IdentityProvider, error) {
	p, ok := st.providers.get(id)
	return found(copyProvider(p), ok && p.TenantID == tenantID, "identity provider")
}

func (s identityProviders) Providers(ctx context.Context, tenantID int64) ([]core.IdentityProvider, error) {
	return view(ctx, s.conn, func(st *state) ([]core.IdentityProvider, error) {
		return byID(&st.providers, func(p core.IdentityProvider) bool { return p.TenantID == tenantID }, copyProvider), nil
	})
}

func (s identityProviders) Provider(ctx context.Context, tenantID, id int64) (core.IdentityProvider, error) {
	return view(ctx, s.conn, func(st *state) (core.IdentityProvider, error) { return st.provider(tenantID, id) })
}

func (s identityProviders) ProviderByID(ctx context.Context, id int64) (core.IdentityProvider, error) {
	return view(ctx, s.conn, func(st *state) (core.IdentityProvider, error) {
		p, ok := st.providers.get(id)
		return found(copyProvider(p), ok, "identity provider")
	})
}

func (s identityProviders) AnyOn(ctx context.Context) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		_, is := st.providers.find(func(p core.IdentityProvider) bool { return p.State == core.ProviderOn })
		return is, nil
	})
}

// Lock does nothing: transactions run one after another.
func (s identityProviders) Lock(context.Context, int64, int64) error { return nil }

func (s identityProviders) Insert(ctx context.Context, p *core.IdentityProvider) error {
	return s.change(ctx, func(st *state) error {
		if !st.tenants.has(p.TenantID) {
			return core.NotFound("tenant")
		}
		p.ID = st.providers.next()
		st.providers.put(p.ID, copyProvider(*p))
		st.record(core.IdentityProviderEvent(core.EventIdentityProviderCreated, p.TenantID, p.ID))
		return nil
	})
}

func (s identityProviders) Update(ctx context.Context, p core.IdentityProvider) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.provider(p.TenantID, p.ID)
		if err != nil {
			return err
		}
		p = copyProvider(p)
		p.CreatedBy, p.CreatedAt = old.CreatedBy, old.CreatedAt
		st.providers.put(p.ID, p)
		st.record(core.IdentityProviderEvent(core.EventIdentityProviderUpdated, p.TenantID, p.ID))
		return nil
	})
}

func (s identityProviders) Delete(ctx context.Context, tenantID, id int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.provider(tenantID, id); err != nil {
			return err
		}
		st.providers.remove(id)
		st.domains.removeIf(func(_ string, c core.DomainClaim) bool { return c.ProviderID == id })
		st.identities.removeIf(func(k personKey, _ core.UserIdentity) bool { return k.providerID == id })
		st.record(core.IdentityProviderEvent(core.EventIdentityProviderDeleted, tenantID, id))
		return nil
	})
}

type domainClaims struct{ conn }

func (s domainClaims) Claims(ctx context.Context, tenantID int64) ([]core.DomainClaim, error) {
	return view(ctx, s.conn, func(st *state) ([]core.DomainClaim, error) {
		return st.domains.sorted(func(c core.DomainClaim) bool { return c.TenantID == tenantID },
			func(a, b core.DomainClaim) int { return cmp.Compare(a.Domain, b.Domain) }, unshared), nil
	})
}

func (s domainClaims) Claim(ctx context.Context, domain string) (core.DomainClaim, error) {
	return view(ctx, s.conn, func(st *state) (core.DomainClaim, error) {
		c, ok := st.domains.get(domain)
		return found(c, ok, "claim of the domain")
	})
}

func (s domainClaims) Insert(ctx context.Context, c core.DomainClaim) error {
	return s.change(ctx, func(st *state) error {
		if st.domains.has(c.Domain) {
			return core.Conflict("exists", "the domain is claimed")
		}
		if _, err := st.provider(c.TenantID, c.ProviderID); err != nil {
			return err
		}
		st.domains.put(c.Domain, c)
		st.record(core.IdentityProviderEvent(core.EventIdentityProviderUpdated, c.TenantID, c.ProviderID))
		return nil
	})
}

func (s domainClaims) Due(ctx context.Context, before time.Time, limit int64) ([]core.DomainClaim, error) {
	return view(ctx, s.conn, func(st *state) ([]core.DomainClaim, error) {
		due := st.domains.sorted(func(c core.DomainClaim) bool { return c.Means == core.ClaimByRecord && c.LastCheck().Before(before) },
			func(a, b core.DomainClaim) int {
				return cmp.Or(a.LastCheck().Compare(b.LastCheck()), cmp.Compare(a.Domain, b.Domain))
			}, unshared)
		return due[:min(int64(len(due)), limit)], nil
	})
}

func (s domainClaims) Checked(ctx context.Context, c core.DomainClaim) error {
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

func (s domainClaims) Remove(ctx context.Context, c core.DomainClaim) error {
	return s.change(ctx, func(st *state) error {
		if stored, ok := st.domains.get(c.Domain); !ok || stored.ProviderID != c.ProviderID {
			return core.NotFound("claim of the domain")
		}
		st.domains.remove(c.Domain)
		st.record(core.IdentityProviderEvent(core.EventIdentityProviderUpdated, c.TenantID, c.ProviderID))
		return nil
	})
}

type userIdentities struct{ conn }

func copyIdentity(i core.UserIdentity) core.UserIdentity {
	if i.Given = slices.Clone(i.Given); len(i.Given) == 0 {
		i.Given = nil
	}
	return i
}

func (s userIdentities) Identity(ctx context.Context, providerID int64, subject string) (core.UserIdentity, error) {
	return view(ctx, s.conn, func(st *state) (core.UserIdentity, error) {
		i, ok := st.identities.get(personKey{providerID, subject})
		return found(copyIdentity(i), ok, "link to an identity provider")
	})
}

func (s userIdentities) UserIdentities(ctx context.Context, userID int64) ([]core.UserIdentity, error) {
	return view(ctx, s.conn, func(st *state) ([]core.UserIdentity, error) {
		return st.identities.sorted(func(i core.UserIdentity) bool { return i.UserID == userID },
			func(a, b core.UserIdentity) int { return cmp.Compare(a.ProviderID, b.ProviderID) }, copyIdentity), nil
	})
}

func (s userIdentities) IdentitiesOf(ctx context.Context, userIDs []int64) ([]core.UserIdentity, error) {
	return view(ctx, s.conn, func(st *state) ([]core.UserIdentity, error) {
		return st.identities.sorted(func(i core.UserIdentity) bool { return slices.Contains(userIDs, i.UserID) },
			func(a, b core.UserIdentity) int {
				return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.ProviderID, b.ProviderID))
			}, copyIdentity), nil
	})
}

func (s userIdentities) AnyOf(ctx context.Context, providerID int64) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		_, is := st.identities.find(func(i core.UserIdentity) bool { return i.ProviderID == providerID })
		return is, nil
	})
}

func (s userIdentities) Insert(ctx context.Context, i core.UserIdentity) error {
	return s.change(ctx, func(st *state) error {
		if _, linked := st.identities.find(func(o core.UserIdentity) bool {
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
		st.record(i.Event(core.EventUserLinked))
		return nil
	})
}

func (s userIdentities) SetGiven(ctx context.Context, i core.UserIdentity) error {
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

func (s userIdentities) Remove(ctx context.Context, i core.UserIdentity) error {
	return s.change(ctx, func(st *state) error {
		if stored, ok := st.identities.get(personKey{i.ProviderID, i.Subject}); !ok || stored.UserID != i.UserID {
			return core.NotFound("link to an identity provider")
		}
		st.identities.remove(personKey{i.ProviderID, i.Subject})
		st.record(i.Event(core.EventUserUnlinked))
		return nil
	})
}
