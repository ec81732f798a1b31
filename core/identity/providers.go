package identity

import (
	"context"
	"encoding/base32"
	"errors"
	"slices"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Limits of identity providers.
const (
	maxProviders = 20 // of a Tenant
	maxDomains   = 50
	maxScopes    = 20
	maxMappings  = 500
)

// recordPrefix begins the TXT record by which a domain is claimed.
const recordPrefix = "imprimatur-verify="

// Providers manages the identity providers of Tenants. Only one that was tried can be on.
type Providers struct {
	stores  ports.Stores
	tx      ports.Tx
	policy  Policy
	clock   ports.Clock
	key     secret.Key
	outside ports.IdentityProviders
}

// NewProviders returns Providers. key encrypts the secrets of providers.
func NewProviders(stores ports.Stores, tx ports.Tx, policy Policy, clock ports.Clock, key secret.Key, outside ports.IdentityProviders) *Providers {
	return &Providers{stores, tx, policy, clock, key, outside}
}

// ProviderChange changes the members of an identity provider that are not nil. It is a type of its own because mappings, the
// account that keeps its password and the state are checked when they are given, also if they are the present ones: what they
// name, and what the actor may give, can have changed meanwhile.
type ProviderChange struct {
	Name        *string
	Issuer      *string
	ClientID    *string
	Secret      *string // of ClientID
	Domains     *[]string
	Scopes      *[]string
	GroupsClaim *string
	CreateUsers *bool
	Passwords   *account.PasswordRule

	PasswordUserID *int64 // 0: none

	SecondFactor *account.FactorRule
	Mappings     *[]account.GroupMapping
	State        *account.ProviderState

	checked bool // Issuer was looked up
}

// ShownProvider is an identity provider with the state of its domains, in the order of Domains.
type ShownProvider struct {
	account.IdentityProvider
	Claims []DomainState
}

// DomainState says whether a domain of an identity provider is claimed, and how it can be.
type DomainState struct {
	Domain string
	Record string               // the TXT record of the domain that claims it
	Claim  *account.DomainClaim // nil: not claimed for this provider
}

// List returns the identity providers of a Tenant, by id.
func (p *Providers) List(ctx context.Context, tenantID int64) ([]ShownProvider, error) {
	found, err := p.stores.Providers.Providers(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	claims, err := p.stores.Domains.Claims(ctx, tenantID)
	shown := make([]ShownProvider, len(found))
	for i := range found {
		shown[i] = p.shown(found[i], claims)
	}
	return shown, err
}

// Provider returns an identity provider of a Tenant.
func (p *Providers) Provider(ctx context.Context, tenantID, id int64) (ShownProvider, error) {
	return p.read(ctx, p.stores, tenantID, id)
}

func (p *Providers) read(ctx context.Context, stores ports.Stores, tenantID, id int64) (ShownProvider, error) {
	found, err := stores.Providers.Provider(ctx, tenantID, id)
	if err != nil {
		return ShownProvider{}, err
	}
	claims, err := stores.Domains.Claims(ctx, tenantID)
	return p.shown(found, claims), err
}

func (p *Providers) shown(provider account.IdentityProvider, claims []account.DomainClaim) ShownProvider {
	shown := ShownProvider{IdentityProvider: provider}
	for _, domain := range provider.Domains {
		state := DomainState{Domain: domain, Record: p.record(provider.TenantID, domain)}
		if i := slices.IndexFunc(claims, func(c account.DomainClaim) bool { return c.Domain == domain && c.ProviderID == provider.ID }); i >= 0 {
			state.Claim = &claims[i]
		}
		shown.Claims = append(shown.Claims, state)
	}
	return shown
}

// record returns the TXT record by which a Tenant claims a domain. That of another Tenant is different.
func (p *Providers) record(tenantID int64, domain string) string {
	mac := p.key.MAC(secret.DomainClaims, strconv.AppendInt(nil, tenantID, 10), []byte(domain))
	return recordPrefix + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mac[:20])
}

// Create adds an identity provider to a Tenant, as a draft. It returns core.KindForbidden for a mapping to a role
// that the actor may not give, and core.KindConflict with the code too_many_providers for a Tenant with 20.
func (p *Providers) Create(ctx context.Context, actor core.Actor, tenantID int64, in ProviderChange) (made ShownProvider, err error) {
	now := p.clock.Now()
	added := account.IdentityProvider{
		TenantID: tenantID, Domains: []string{}, Scopes: []string{"profile", "email"}, Mappings: []account.GroupMapping{}, Passwords: account.PasswordsAllowed,
		SecondFactor: account.FactorOurs, State: account.ProviderDraft, CreatedBy: actor.UserID(), CreatedAt: now, UpdatedAt: now,
	}
	for _, required := range []**string{&in.Name, &in.Issuer, &in.ClientID, &in.Secret} {
		if *required == nil {
			*required = new(string)
		}
	}
	if _, err := p.apply(ctx, actor, in, &added); err != nil {
		return ShownProvider{}, err
	}
	err = p.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := p.mayMap(ctx, stores, actor, tenantID, in.Mappings); err != nil {
			return err
		}
		if err := checkPasswordUser(ctx, stores, &added); err != nil {
			return err
		}
		present, err := stores.Providers.Providers(ctx, tenantID)
		if err != nil {
			return err
		}
		if len(present) >= maxProviders {
			return core.Conflict("too_many_providers", "a tenant has at most %d identity providers", maxProviders)
		}
		if err := stores.Providers.Insert(ctx, &added); err != nil {
			return err
		}
		made, err = p.read(ctx, stores, tenantID, added.ID)
		return err
	})
	return made, err
}

// Update changes an identity provider. A domain that it no longer has is no longer claimed. The secret must be given
// again with another issuer, which otherwise would get the present one. Only a draft can have another issuer, because
// a person is known by the issuer. The errors are those of Create, and core.KindConflict with the code not_tested for
// a provider that is to be on and was not tried by the actor since its last change of address, client or scopes, and with
// the code last_way_in for one that is to be on and forbids passwords without an account that keeps its own.
func (p *Providers) Update(ctx context.Context, actor core.Actor, tenantID, id int64, in ProviderChange) (updated ShownProvider, err error) {
	// The issuer is looked up before the transaction, which would else wait for it.
	if before, err := p.stores.Providers.Provider(ctx, tenantID, id); err != nil {
		return ShownProvider{}, err
	} else if _, err := p.apply(ctx, actor, in, &before); err != nil {
		return ShownProvider{}, err
	}
	in.checked = true
	err = p.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Providers.Lock(ctx, tenantID, id); err != nil {
			return err
		}
		provider, err := stores.Providers.Provider(ctx, tenantID, id)
		if err != nil {
			return err
		}
		if err := p.mayMap(ctx, stores, actor, tenantID, in.Mappings); err != nil {
			return err
		}
		issuer := provider.Issuer
		changed, err := p.apply(ctx, actor, in, &provider)
		if err == nil && provider.Issuer != issuer {
			err = mustKnowNobody(ctx, stores, id)
		}
		if err == nil && in.PasswordUserID != nil {
			err = checkPasswordUser(ctx, stores, &provider)
		}
		if err == nil && (in.State != nil || in.Passwords != nil || in.PasswordUserID != nil) {
			err = mustKeepWayIn(ctx, stores, &provider)
		}
		if err != nil {
			return err
		}
		if changed {
			if err := stores.Providers.Update(ctx, provider); err != nil {
				return err
			}
			if err := release(ctx, stores, provider); err != nil {
				return err
			}
		}
		updated, err = p.read(ctx, stores, tenantID, id)
		return err
	})
	return updated, err
}

// mustKnowNobody returns core.KindInvalid for a provider to which accounts are linked. A person is known by issuer and
// subject: the same subject is another person at another issuer.
func mustKnowNobody(ctx context.Context, stores ports.Stores, id int64) error {
	linked, err := stores.Identities.AnyOf(ctx, id)
	if err == nil && linked {
		err = core.Invalid(core.FieldError{Location: "issuer", Message: "cannot change, because accounts are linked; add another identity provider"})
	}
	return err
}

// release removes the claims of the domains that a provider no longer has.
func release(ctx context.Context, stores ports.Stores, provider account.IdentityProvider) error {
	claims, err := stores.Domains.Claims(ctx, provider.TenantID)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if c.ProviderID == provider.ID && !slices.Contains(provider.Domains, c.Domain) {
			if err := stores.Domains.Remove(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// Delete removes an identity provider and its claims of domains.
func (p *Providers) Delete(ctx context.Context, actor core.Actor, tenantID, id int64) error {
	return p.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		return stores.Providers.Delete(ctx, tenantID, id)
	})
}

// Claim makes a domain of an identity provider belong to it. By account.ClaimByRecord it needs the TXT record of
// DomainState, and returns core.KindConflict with the code record_missing without it. account.ClaimByAdmin is for super
// admins, others get core.KindForbidden. Claim returns core.KindConflict with the code domain_taken if the domain
// belongs to another provider, of this Tenant or another one.
func (p *Providers) Claim(ctx context.Context, actor core.Actor, tenantID, id int64, domain string, means account.ClaimMeans) (claimed ShownProvider, err error) {
	provider, err := p.stores.Providers.Provider(ctx, tenantID, id)
	if err != nil {
		return ShownProvider{}, err
	}
	if domain, err = claimable(provider, domain, means); err != nil {
		return ShownProvider{}, err
	}
	if means == account.ClaimByAdmin && actor.RoleIn(0, 0, 0) != core.RoleSuperAdmin {
		return ShownProvider{}, core.Forbidden("only a super admin may claim a domain without its record")
	}
	if means == account.ClaimByRecord {
		if err := p.mustHaveRecord(ctx, tenantID, domain); err != nil {
			return ShownProvider{}, err
		}
	}
	err = p.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Providers.Lock(ctx, tenantID, id); err != nil {
			return err
		}
		current, err := stores.Providers.Provider(ctx, tenantID, id)
		if err != nil {
			return err
		}
		if !slices.Contains(current.Domains, domain) {
			return core.ErrChangedMeanwhile
		}
		claim, err := stores.Domains.Claim(ctx, domain)
		switch {
		case errors.Is(err, core.ErrNotFound):
			claim = account.DomainClaim{Domain: domain, TenantID: tenantID, ProviderID: id, Means: means, ClaimedBy: actor.UserID(), ClaimedAt: p.clock.Now()}
			if err = stores.Domains.Insert(ctx, claim); errors.Is(err, core.ErrConflict) {
				err = domainTaken()
			}
		case err == nil && claim.ProviderID != id:
			err = domainTaken()
		}
		if err != nil {
			return err
		}
		claimed, err = p.read(ctx, stores, tenantID, id)
		return err
	})
	return claimed, err
}

func domainTaken() *core.Error {
	return core.Conflict("domain_taken", "the domain belongs to another identity provider")
}

// mustHaveRecord returns core.KindConflict with the code record_missing unless the domain has the record of the
// Tenant.
func (p *Providers) mustHaveRecord(ctx context.Context, tenantID int64, domain string) error {
	record := p.record(tenantID, domain)
	found, err := p.outside.Records(ctx, domain)
	if err != nil {
		return &core.Error{Kind: core.KindConflict, Code: "record_missing", Message: "the TXT records of " + domain + " cannot be read at present; try again later", Err: err}
	}
	if !slices.Contains(found, record) {
		return core.Conflict("record_missing", "%s has no TXT record %s; new records may take some hours to be seen", domain, record)
	}
	return nil
}

// mayMap returns an error unless the actor may give each role of mappings, and each is in a place of the Tenant.
func (p *Providers) mayMap(ctx context.Context, stores ports.Stores, actor core.Actor, tenantID int64, mappings *[]account.GroupMapping) error {
	if mappings == nil {
		return nil
	}
	var wrong core.Faults
	for i, m := range *mappings {
		at := "mappings[" + strconv.Itoa(i) + "]"
		var grants []core.Grant
		var customRoles []int64
		if m.CustomRole != 0 {
			customRoles = []int64{m.CustomRole}
		} else {
			grants = []core.Grant{m.Grant}
		}
		held, err := p.policy.MayGive(ctx, stores, actor, grants, customRoles)
		switch {
		case err == nil && held[0].TenantID == tenantID:
		case err == nil || core.KindOf(err) == core.KindNotFound:
			wrong.Add(at, nil, "must be a role in a place of the tenant")
		case core.KindOf(err) == core.KindInvalid:
			wrong.Add(at+".role", core.Clip(string(m.Grant.Role)), "is not a role that is given in this place")
		default:
			return err
		}
	}
	return wrong.Err()
}

// clientSecret returns the secret of a provider. It returns secret.ErrOther if another secret key encrypted it.
func (p *Providers) clientSecret(provider *account.IdentityProvider) (string, error) {
	plain, err := p.key.Open(secret.Providers, provider.Secret, sealedFor(provider))
	return string(plain), err
}

// sealedFor binds a secret to its Tenant and issuer: it is of no use in the row of another one.
func sealedFor(provider *account.IdentityProvider) []byte {
	return append(strconv.AppendInt(nil, provider.TenantID, 10), " "+provider.Issuer...)
}

// later returns now, or a time just after before.
func later(now, before time.Time) time.Time {
	if after := before.Add(time.Millisecond); now.Before(after) {
		return after
	}
	return now
}
