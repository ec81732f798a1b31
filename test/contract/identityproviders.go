package contract

import (
	"context"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
)

// IdentityProviders checks a ports.IdentityProviderStore.
func IdentityProviders(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of an identity provider": keepsProviders,
		"keeps the identity providers of tenants":    separatesProviders,
		"changes an identity provider":               changesProvider,
		"removes an identity provider":               removesProvider,
		"ends with its tenant":                       providersOfTenants,
	})
}

// DomainClaims checks a ports.DomainClaimStore.
func DomainClaims(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores claims of domains":  keepsClaims,
		"claims a domain once":      claimsOnce,
		"removes claims of domains": removesClaims,
	})
}

// newProvider returns an identity provider of the tenant, which is not stored.
func (w *fixture) newProvider() core.IdentityProvider {
	return core.IdentityProvider{
		TenantID: w.tenant.ID, Name: "Staff", Issuer: "https://login.example.org", ClientID: "imprimatur", Secret: []byte{0, 1, 255}, Domains: []string{},
		Scopes: []string{}, Mappings: []core.GroupMapping{}, Passwords: core.PasswordsAllowed, SecondFactor: core.FactorOurs, State: core.ProviderDraft,
		CreatedAt: at(1), UpdatedAt: at(1),
	}
}

// insertProvider stores an identity provider of the tenant.
func (w *fixture) insertProvider(t reporter) core.IdentityProvider {
	t.Helper()
	p := w.newProvider()
	requireNoError(t, w.Stores.Providers.Insert(t.Context(), &p))
	return p
}

func fullProvider(p core.IdentityProvider) core.IdentityProvider {
	p.Name, p.Issuer, p.ClientID, p.Secret = "é\n'\"", "https://a.example/b", "x", []byte("y")
	p.Domains, p.Scopes, p.GroupsClaim = []string{"b.example", "a.example"}, []string{"groups"}, "groups"
	p.CreateUsers, p.Passwords, p.SecondFactor, p.State, p.CreatedBy = true, core.PasswordsForbidden, core.FactorTheirs, core.ProviderOn, 1<<40
	p.Mappings = []core.GroupMapping{
		{Group: "é'\"", Grant: core.Grant{Role: core.RoleTenantAdmin, TenantID: 1 << 40}}, {Group: "b", Grant: core.Grant{Role: core.RoleDepartmentAdmin, DepartmentID: 2}},
		{Group: "c", Grant: core.Grant{Role: core.RoleViewer, ProjectID: 3}}, {Group: "d", CustomRole: 1 << 40},
	}
	p.CreatedAt, p.UpdatedAt = at(2), at(3)
	return p
}

func keepsProviders(t *testing.T, w *fixture) {
	plain, full := w.newProvider(), fullProvider(w.newProvider())
	for _, p := range []*core.IdentityProvider{&plain, &full} {
		requireNoError(t, w.Stores.Providers.Insert(t.Context(), p))
		assertEqual(t, result(w.Stores.Providers.Provider(t.Context(), w.tenant.ID, p.ID))(t), *p)
	}
	assertEqual(t, result(w.Stores.Providers.Providers(t.Context(), w.tenant.ID))(t), []core.IdentityProvider{plain, full})
	lost := w.newProvider()
	lost.TenantID = unknown
	requireError(t, w.Stores.Providers.Insert(t.Context(), &lost), core.ErrNotFound)
}

func separatesProviders(t *testing.T, w *fixture) {
	p := w.insertProvider(t)
	other := w.newTenant(t)
	assertEqual(t, len(result(w.Stores.Providers.Providers(t.Context(), other.ID))(t)), 0)
	requireError(t, errorOf(w.Stores.Providers.Provider(t.Context(), other.ID, p.ID)), core.ErrNotFound)
	requireError(t, errorOf(w.Stores.Providers.Provider(t.Context(), w.tenant.ID, unknown)), core.ErrNotFound)
	requireError(t, w.Stores.Providers.Delete(t.Context(), other.ID, p.ID), core.ErrNotFound)
	moved := p
	moved.TenantID = other.ID
	requireError(t, w.Stores.Providers.Update(t.Context(), moved), core.ErrNotFound)
	assertEqual(t, result(w.Stores.Providers.Provider(t.Context(), w.tenant.ID, p.ID))(t), p)
}

func changesProvider(t *testing.T, w *fixture) {
	p := w.insertProvider(t)
	changed := fullProvider(p)
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		if err := s.Providers.Lock(ctx, w.tenant.ID, p.ID); err != nil {
			return err
		}
		return s.Providers.Update(ctx, changed)
	}))
	changed.CreatedBy, changed.CreatedAt = p.CreatedBy, p.CreatedAt
	assertEqual(t, result(w.Stores.Providers.Provider(t.Context(), w.tenant.ID, p.ID))(t), changed)
}

func removesProvider(t *testing.T, w *fixture) {
	p, kept := w.insertProvider(t), w.insertProvider(t)
	requireNoError(t, w.Stores.Domains.Insert(t.Context(), claimOf(p, "gone.example")))
	requireNoError(t, w.Stores.Domains.Insert(t.Context(), claimOf(kept, "kept.example")))
	requireNoError(t, w.Stores.Providers.Delete(t.Context(), w.tenant.ID, p.ID))
	requireError(t, w.Stores.Providers.Delete(t.Context(), w.tenant.ID, p.ID), core.ErrNotFound)
	assertEqual(t, result(w.Stores.Providers.Providers(t.Context(), w.tenant.ID))(t), []core.IdentityProvider{kept})
	assertEqual(t, result(w.Stores.Domains.Claims(t.Context(), w.tenant.ID))(t), []core.DomainClaim{claimOf(kept, "kept.example")})
}

func providersOfTenants(t *testing.T, w *fixture) {
	tenant := w.newTenant(t)
	p := w.newProvider()
	p.TenantID = tenant.ID
	requireNoError(t, w.Stores.Providers.Insert(t.Context(), &p))
	requireNoError(t, w.Stores.Domains.Insert(t.Context(), claimOf(p, "tenant.example")))
	requireNoError(t, w.Stores.Tenants.Delete(t.Context(), tenant.ID))
	requireError(t, errorOf(w.Stores.Providers.Provider(t.Context(), tenant.ID, p.ID)), core.ErrNotFound)
	requireError(t, errorOf(w.Stores.Domains.Claim(t.Context(), "tenant.example")), core.ErrNotFound)
}

func claimOf(p core.IdentityProvider, domain string) core.DomainClaim {
	return core.DomainClaim{Domain: domain, TenantID: p.TenantID, ProviderID: p.ID, Means: core.ClaimByRecord, ClaimedBy: 1 << 40, ClaimedAt: at(4)}
}

func keepsClaims(t *testing.T, w *fixture) {
	p := w.insertProvider(t)
	b, a := claimOf(p, "bücher.example"), claimOf(p, "a.example")
	a.Means = core.ClaimByAdmin
	for _, c := range []core.DomainClaim{b, a} {
		requireNoError(t, w.Stores.Domains.Insert(t.Context(), c))
		assertEqual(t, result(w.Stores.Domains.Claim(t.Context(), c.Domain))(t), c)
	}
	assertEqual(t, result(w.Stores.Domains.Claims(t.Context(), w.tenant.ID))(t), []core.DomainClaim{a, b})
	assertEqual(t, len(result(w.Stores.Domains.Claims(t.Context(), w.newTenant(t).ID))(t)), 0)
	for _, domain := range []string{"A.example", "example", "", "a\x00", "a\xff"} {
		requireError(t, errorOf(w.Stores.Domains.Claim(t.Context(), domain)), core.ErrNotFound)
	}
	lost := claimOf(p, "lost.example")
	lost.ProviderID = unknown
	requireError(t, w.Stores.Domains.Insert(t.Context(), lost), core.ErrNotFound)
}

func claimsOnce(t *testing.T, w *fixture) {
	p, other := w.insertProvider(t), w.insertProvider(t)
	requireNoError(t, w.Stores.Domains.Insert(t.Context(), claimOf(p, "once.example")))
	for _, c := range []core.DomainClaim{claimOf(p, "once.example"), claimOf(other, "once.example")} {
		requireError(t, w.Stores.Domains.Insert(t.Context(), c), core.ErrConflict)
	}
	assertEqual(t, result(w.Stores.Domains.Claim(t.Context(), "once.example"))(t), claimOf(p, "once.example"))
}

func removesClaims(t *testing.T, w *fixture) {
	p, other := w.insertProvider(t), w.insertProvider(t)
	requireNoError(t, w.Stores.Domains.Insert(t.Context(), claimOf(p, "free.example")))
	requireError(t, w.Stores.Domains.Remove(t.Context(), claimOf(other, "free.example")), core.ErrNotFound)
	requireNoError(t, w.Stores.Domains.Remove(t.Context(), claimOf(p, "free.example")))
	requireError(t, w.Stores.Domains.Remove(t.Context(), claimOf(p, "free.example")), core.ErrNotFound)
	requireNoError(t, w.Stores.Domains.Insert(t.Context(), claimOf(other, "free.example")))
}
