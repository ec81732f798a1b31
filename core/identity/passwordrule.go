package identity

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/ports"
)

// ByProviderAlone reports whether a user signs in by an identity provider alone: one that is on and forbids passwords speaks
// for the domain of the address. Super admins, and the account that the provider names, keep their passwords and passkeys.
func ByProviderAlone(ctx context.Context, stores ports.Stores, user *core.User) (bool, error) {
	return newPasswordRule(stores).forbids(ctx, user)
}

// passwordRule finds out who may sign in with a password or a passkey of this installation.
type passwordRule struct {
	domains   ports.DomainClaimStore
	providers ports.IdentityProviderReader
}

func newPasswordRule(stores ports.Stores) passwordRule {
	return passwordRule{stores.Domains, stores.Providers}
}

// forbids is ByProviderAlone. A user without an id is one that does not exist yet.
func (r passwordRule) forbids(ctx context.Context, user *core.User) (bool, error) {
	if user.SuperAdmin {
		return false, nil
	}
	provider, err := r.providerOf(ctx, user.Email)
	return provider != nil && provider.Passwords == account.PasswordsForbidden && (user.ID == 0 || provider.PasswordUserID != user.ID), err
}

// mustNotForbid returns core.KindForbidden with the code provider_required for a user that signs in by a provider alone.
func (r passwordRule) mustNotForbid(ctx context.Context, user *core.User) error {
	forbidden, err := r.forbids(ctx, user)
	if err == nil && forbidden {
		err = &core.Error{Kind: core.KindForbidden, Code: "provider_required", Message: "accounts of this domain sign in by the identity provider of their organisation"}
	}
	return err
}

// providerOf returns the identity provider that is on and speaks for an address, or nil.
func (r passwordRule) providerOf(ctx context.Context, email string) (*account.IdentityProvider, error) {
	if !address.Email(email) {
		return nil, nil
	}
	claim, err := r.domains.Claim(ctx, address.DomainOf(email))
	if err != nil {
		return nil, unlessMissing(err)
	}
	provider, err := r.providers.ProviderByID(ctx, claim.ProviderID)
	if err != nil || provider.State != account.ProviderOn || !slices.Contains(provider.Domains, claim.Domain) {
		return nil, unlessMissing(err)
	}
	return &provider, nil
}

// checkPasswordUser returns core.KindInvalid unless the account that a provider names is an active one of the Tenant.
func checkPasswordUser(ctx context.Context, stores ports.Stores, provider *account.IdentityProvider) error {
	if provider.PasswordUserID == 0 {
		return nil
	}
	is, _, err := passwordUser(ctx, stores, provider)
	if err == nil && !is {
		err = core.Invalid(core.FieldError{Location: "passwordUserId", Message: "must be an active account of the tenant"})
	}
	return err
}

// mustKeepWayIn returns core.KindConflict with the code last_way_in for a provider that is on and forbids passwords, unless it
// names an active account of the Tenant that has a password or a passkey.
func mustKeepWayIn(ctx context.Context, stores ports.Stores, provider *account.IdentityProvider) error {
	if provider.State != account.ProviderOn || provider.Passwords != account.PasswordsForbidden {
		return nil
	}
	_, enters, err := passwordUser(ctx, stores, provider)
	if err == nil && !enters {
		err = core.Conflict("last_way_in", "passwords cannot be forbidden while no account of the tenant keeps its own: name one as passwordUserId that has a password or a passkey")
	}
	return err
}

// passwordUser reports whether the account that a provider names is an active one of the Tenant, and whether it also has a
// password or a passkey.
func passwordUser(ctx context.Context, stores ports.Stores, provider *account.IdentityProvider) (is, enters bool, err error) {
	if provider.PasswordUserID == 0 {
		return false, false, nil
	}
	user, err := stores.Users.User(ctx, provider.PasswordUserID)
	if err != nil {
		return false, false, unlessMissing(err)
	}
	is = user.Active && user.TenantID == provider.TenantID
	if user.Active && !is {
		grants, _, err := stores.Grants.UserGrants(ctx, user.ID)
		if err != nil {
			return false, false, err
		}
		is = slices.ContainsFunc(grants, func(g core.Grant) bool { return g.TenantID == provider.TenantID })
	}
	return is, is && (user.PasswordHash != "" || user.Passkeys > 0), nil
}
