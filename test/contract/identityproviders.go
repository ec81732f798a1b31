package contract

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/account"
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
		"keeps checks of domains":   checksClaims,
	})
}

// newProvider returns an identity provider of the tenant, which is not stored.
func (w *fixture) newProvider() account.IdentityProvider {
	return account.IdentityProvider{
		TenantID: w.tenant.ID, Name: "Staff", Issuer: "https://login.example.org", ClientID: "imprimatur", Secret: []byte{0, 1, 255}, Domains: []string{},
		Scopes: []string{}, Mappings: []account.GroupMapping{}, Passwords: account.PasswordsAllowed, SecondFactor: account.FactorOurs, State: account.ProviderDraft,
		CreatedAt: at(1), UpdatedAt: at(1),
	}
}

// insertProvider stores an identity provider of the tenant.
func (w *fixture) insertProvider(t reporter) account.IdentityProvider {
	t.Helper()
	p := w.newProvider()
	requireNoError(t, w.Stores.Providers.Insert(t.Context(), &p))
	return p
}

func fullProvider(p account.IdentityProvider) account.IdentityProvider {
	p.Name, p.Issuer, p.ClientID, p.Secret = "é\n'\"", "https://a.example/b", "x", []byte("y")
	p.Domains, p.Scopes, p.GroupsClaim = []string{"b.example", "a.example"}, []string{"groups"}, "groups"
	p.CreateUsers, p.Passwords, p.SecondFactor, p.State, p.CreatedBy = true, account.PasswordsForbidden, account.FactorTheirs, account.ProviderOn, 1<<40
	p.TriedBy, p.TriedAt, p.PasswordUserID = 1<<41, at(5), 1<<42
	p.Mappings = []account.GroupMapping{
		{Group: "é'\"", Grant: core.Grant{Role: core.RoleTenantAdmin, TenantID: 1 << 40}}, {Group: "b", Grant: core.Grant{Role: core.RoleDepartmentAdmin, DepartmentID: 2}},
		{Group: "c", Grant: core.Grant{Role: core.RoleViewer, ProjectID: 3}}, {Group: "d", CustomRole: 1 << 40},
	}
	p.CreatedAt, p.UpdatedAt = at(2), at(3)
	return p
}

func keepsProviders(t *testing.T, w *fixture) {
	plain, full := w.newProvider(), fullProvider(w.newProvider())
	for _, p := range []*account.IdentityProvider{&plain, &full} {
		requireNoError(t, w.Stores.Providers.Insert(t.Context(), p))
		assertEqual(t, result(w.Stores.Providers.Provider(t.Context(), w.tenant.ID, p.ID))(t), *p)
		assertEqual(t, result(w.Stores.Providers.ProviderByID(t.Context(), p.ID))(t), *p)
	}
	assertEqual(t, result(w.Stores.Providers.Providers(t.Context(), w.tenant.ID))(t), []account.IdentityProvider{plain, full})
	assertEqual(t, result(w.Stores.Providers.AnyOn(t.Context()))(t), true)
	requireError(t, errorOf(w.Stores.Providers.ProviderByID(t.Context(), unknown)), core.ErrNotFound)
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
	linked, other := identityOf(p, "a", w.newUser(t).ID), identityOf(kept, "a", w.newUser(t).ID)
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), linked))
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), other))
	requireNoError(t, w.Stores.Providers.Delete(t.Context(), w.tenant.ID, p.ID))
	assertEqual(t, len(result(w.Stores.Identities.UserIdentities(t.Context(), linked.UserID))(t)), 0)
	assertEqual(t, result(w.Stores.Identities.UserIdentities(t.Context(), other.UserID))(t), []account.UserIdentity{other})
	requireError(t, w.Stores.Providers.Delete(t.Context(), w.tenant.ID, p.ID), core.ErrNotFound)
	assertEqual(t, result(w.Stores.Providers.Providers(t.Context(), w.tenant.ID))(t), []account.IdentityProvider{kept})
	assertEqual(t, result(w.Stores.Domains.Claims(t.Context(), w.tenant.ID))(t), []account.DomainClaim{claimOf(kept, "kept.example")})
}

func providersOfTenants(t *testing.T, w *fixture) {
	tenant := w.newTenant(t)
	p := w.newProvider()
	p.TenantID = tenant.ID
	requireNoError(t, w.Stores.Providers.Insert(t.Context(), &p))
	requireNoError(t, w.Stores.Domains.Insert(t.Context(), claimOf(p, "tenant.example")))
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), identityOf(p, "a", w.newUser(t).ID)))
	requireNoError(t, w.Stores.Tenants.Delete(t.Context(), tenant.ID))
	requireError(t, errorOf(w.Stores.Identities.Identity(t.Context(), p.ID, "a")), core.ErrNotFound)
	requireError(t, errorOf(w.Stores.Providers.Provider(t.Context(), tenant.ID, p.ID)), core.ErrNotFound)
	requireError(t, errorOf(w.Stores.Domains.Claim(t.Context(), "tenant.example")), core.ErrNotFound)
}

func claimOf(p account.IdentityProvider, domain string) account.DomainClaim {
	return account.DomainClaim{Domain: domain, TenantID: p.TenantID, ProviderID: p.ID, Means: account.ClaimByRecord, ClaimedBy: 1 << 40, ClaimedAt: at(4)}
}

func keepsClaims(t *testing.T, w *fixture) {
	p := w.insertProvider(t)
	b, a := claimOf(p, "bücher.example"), claimOf(p, "a.example")
	a.Means = account.ClaimByAdmin
	for _, c := range []account.DomainClaim{b, a} {
		requireNoError(t, w.Stores.Domains.Insert(t.Context(), c))
		assertEqual(t, result(w.Stores.Domains.Claim(t.Context(), c.Domain))(t), c)
	}
	assertEqual(t, result(w.Stores.Domains.Claims(t.Context(), w.tenant.ID))(t), []account.DomainClaim{a, b})
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
	for _, c := range []account.DomainClaim{claimOf(p, "once.example"), claimOf(other, "once.example")} {
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

// UserIdentities checks a ports.UserIdentityStore.
func UserIdentities(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores links of accounts":             keepsIdentities,
		"links a person and an account once":   linksOnce,
		"removes links, and only those linked": removesIdentities,
		"stores what groups have given":        keepsGiven,
	})
}

func identityOf(p account.IdentityProvider, subject string, userID int64) account.UserIdentity {
	return account.UserIdentity{ProviderID: p.ID, Subject: subject, TenantID: p.TenantID, UserID: userID, LinkedAt: at(6)}
}

func keepsIdentities(t *testing.T, w *fixture) {
	first, second := w.insertProvider(t), w.insertProvider(t)
	ada, bea := w.newUser(t).ID, w.newUser(t).ID
	a, b, c := identityOf(first, "é'\"", ada), identityOf(second, "É'\"", ada), identityOf(first, "É'\"", bea)
	for _, i := range []account.UserIdentity{b, a, c} {
		requireNoError(t, w.Stores.Identities.Insert(t.Context(), i))
		assertEqual(t, result(w.Stores.Identities.Identity(t.Context(), i.ProviderID, i.Subject))(t), i)
	}
	assertEqual(t, result(w.Stores.Identities.UserIdentities(t.Context(), ada))(t), []account.UserIdentity{a, b})
	assertEqual(t, result(w.Stores.Identities.UserIdentities(t.Context(), bea))(t), []account.UserIdentity{c})
	assertEqual(t, len(result(w.Stores.Identities.UserIdentities(t.Context(), w.newUser(t).ID))(t)), 0)
	assertEqual(t, result(w.Stores.Identities.AnyOf(t.Context(), second.ID))(t), true)
	assertEqual(t, result(w.Stores.Identities.AnyOf(t.Context(), w.insertProvider(t).ID))(t), false)
	for _, subject := range []string{"", "e'\"", "é'\" ", "a\x00", "a\xff"} {
		requireError(t, errorOf(w.Stores.Identities.Identity(t.Context(), first.ID, subject)), core.ErrNotFound)
	}
	lost := identityOf(first, "lost", unknown)
	requireError(t, w.Stores.Identities.Insert(t.Context(), lost), core.ErrNotFound)
	lost.UserID, lost.ProviderID = w.newUser(t).ID, unknown
	requireError(t, w.Stores.Identities.Insert(t.Context(), lost), core.ErrNotFound)
}

func linksOnce(t *testing.T, w *fixture) {
	p, ada, bea := w.insertProvider(t), w.newUser(t).ID, w.newUser(t).ID
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), identityOf(p, "ann", ada)))
	for _, i := range []account.UserIdentity{identityOf(p, "ann", ada), identityOf(p, "ann", bea), identityOf(p, "eve", ada)} {
		requireError(t, w.Stores.Identities.Insert(t.Context(), i), core.ErrConflict)
	}
	assertEqual(t, result(w.Stores.Identities.UserIdentities(t.Context(), ada))(t), []account.UserIdentity{identityOf(p, "ann", ada)})
	assertEqual(t, len(result(w.Stores.Identities.UserIdentities(t.Context(), bea))(t)), 0)
}

func removesIdentities(t *testing.T, w *fixture) {
	p, ada, bea := w.insertProvider(t), w.newUser(t).ID, w.newUser(t).ID
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), identityOf(p, "ann", ada)))
	for _, i := range []account.UserIdentity{identityOf(p, "ann", bea), identityOf(p, "eve", ada), identityOf(w.insertProvider(t), "ann", ada)} {
		requireError(t, w.Stores.Identities.Remove(t.Context(), i), core.ErrNotFound)
	}
	requireNoError(t, w.Stores.Identities.Remove(t.Context(), identityOf(p, "ann", ada)))
	requireError(t, w.Stores.Identities.Remove(t.Context(), identityOf(p, "ann", ada)), core.ErrNotFound)
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), identityOf(p, "ann", bea)))
}

func keepsGiven(t *testing.T, w *fixture) {
	p, ada, bea := w.insertProvider(t), w.newUser(t).ID, w.newUser(t).ID
	ann, bob := identityOf(p, "ann", ada), identityOf(p, "bob", bea)
	bob.Given = []account.GroupRole{{CustomRole: 7}}
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), ann))
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), bob))
	ann.Given = []account.GroupRole{
		{Grant: core.Grant{Role: core.RoleTenantAdmin, TenantID: 1 << 40}, Kept: true}, {Grant: core.Grant{Role: core.RoleDepartmentAdmin, DepartmentID: 2}},
		{Grant: core.Grant{Role: core.RoleEditor, ProjectID: 3}, Over: core.RoleViewer}, {CustomRole: 1 << 41},
	}
	changed := ann
	changed.TenantID, changed.LinkedAt = unknown, at(99)
	requireNoError(t, w.Stores.Identities.SetGiven(t.Context(), changed)) // nothing else changes
	assertEqual(t, result(w.Stores.Identities.Identity(t.Context(), p.ID, "ann"))(t), ann)
	assertEqual(t, result(w.Stores.Identities.UserIdentities(t.Context(), ada))(t), []account.UserIdentity{ann})
	other := identityOf(w.insertProvider(t), "x", ada)
	requireNoError(t, w.Stores.Identities.Insert(t.Context(), other))
	assertEqual(t, result(w.Stores.Identities.IdentitiesOf(t.Context(), []int64{bea, unknown, ada}))(t), []account.UserIdentity{ann, other, bob})
	assertEqual(t, len(result(w.Stores.Identities.IdentitiesOf(t.Context(), nil))(t)), 0)
	ann.Given = nil
	requireNoError(t, w.Stores.Identities.SetGiven(t.Context(), ann))
	assertEqual(t, result(w.Stores.Identities.Identity(t.Context(), p.ID, "ann"))(t), ann)
	for _, i := range []account.UserIdentity{identityOf(p, "ann", bea), identityOf(p, "eve", ada), identityOf(account.IdentityProvider{ID: other.ProviderID}, "ann", ada)} {
		requireError(t, w.Stores.Identities.SetGiven(t.Context(), i), core.ErrNotFound)
	}
}

func checksClaims(t *testing.T, w *fixture) {
	p, other := w.insertProvider(t), w.insertProvider(t)
	// Other tests share the engine, so that only the domains of this test are looked at.
	name := func(letter string) string { return letter + uuid.NewString() + ".example" }
	first, second, byAdmin := claimOf(p, name("b")), claimOf(p, name("a")), claimOf(p, name("c"))
	second.CheckedAt, byAdmin.Means = at(5), account.ClaimByAdmin
	for _, c := range []account.DomainClaim{second, first, byAdmin} {
		requireNoError(t, w.Domains.Insert(t.Context(), c))
	}
	due := func(before int) (of []account.DomainClaim) {
		for _, c := range result(w.Domains.Due(t.Context(), at(before), 10_000))(t) {
			if c.ProviderID == p.ID {
				of = append(of, c)
			}
		}
		return of
	}
	assertEqual(t, due(6), []account.DomainClaim{first, second})
	assertEqual(t, due(5), []account.DomainClaim{first})
	assertEqual(t, len(due(4)), 0)
	assertEqual(t, len(result(w.Domains.Due(t.Context(), at(6), 1))(t)), 1)
	first.CheckedAt, first.MissingSince = at(7), at(6)
	requireNoError(t, w.Domains.Checked(t.Context(), first))
	assertEqual(t, due(8), []account.DomainClaim{second, first})
	first.MissingSince = time.Time{}
	requireNoError(t, w.Domains.Checked(t.Context(), first))
	assertEqual(t, result(w.Domains.Claim(t.Context(), first.Domain))(t), first)
	requireError(t, w.Domains.Checked(t.Context(), claimOf(other, first.Domain)), core.ErrNotFound)
	requireError(t, w.Domains.Checked(t.Context(), claimOf(p, name("d"))), core.ErrNotFound)
}
