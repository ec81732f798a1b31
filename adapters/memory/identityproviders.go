package memory

import (
	"cmp"
	"context"
	"slices"

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
