package ports

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
)

// IdentityProviderStore stores the identity providers of Tenants.
type IdentityProviderStore interface {
	IdentityProviderReader
	// Lock locks the provider until the transaction ends, as UserStore.Lock locks an account.
	Lock(ctx context.Context, tenantID, id int64) error
	// Insert adds p and sets its ID. It returns core.ErrNotFound if the Tenant does not exist. It records
	// event.IdentityProviderCreated.
	Insert(ctx context.Context, p *account.IdentityProvider) error
	// Update replaces all members but ID, TenantID, CreatedBy and CreatedAt. It records
	// event.IdentityProviderUpdated.
	Update(ctx context.Context, p account.IdentityProvider) error
	// Delete also removes the claims of the provider and its links to accounts. It records event.IdentityProviderDeleted.
	Delete(ctx context.Context, tenantID, id int64) error
}

// IdentityProviderReader finds identity providers.
type IdentityProviderReader interface {
	// Providers returns those of a Tenant, by id.
	Providers(ctx context.Context, tenantID int64) ([]account.IdentityProvider, error)
	Provider(ctx context.Context, tenantID, id int64) (account.IdentityProvider, error)
	// ProviderByID returns that of any Tenant.
	ProviderByID(ctx context.Context, id int64) (account.IdentityProvider, error)
	// AnyOn reports whether one is on, of any Tenant.
	AnyOn(ctx context.Context) (bool, error)
}

// DomainClaimStore stores which domains belong to which identity providers. Its changes record
// event.IdentityProviderUpdated of the provider.
type DomainClaimStore interface {
	DomainCheckStore
	// Claims returns those of a Tenant, by domain.
	Claims(ctx context.Context, tenantID int64) ([]account.DomainClaim, error)
	Claim(ctx context.Context, domain string) (account.DomainClaim, error)
	// Insert returns core.ErrConflict if the domain has a claim, and core.ErrNotFound if the provider does not
	// exist.
	Insert(ctx context.Context, c account.DomainClaim) error
	// Remove removes the claim of a domain. It returns core.ErrNotFound if the provider has no such claim.
	Remove(ctx context.Context, c account.DomainClaim) error
}

// UserIdentityStore stores which persons at identity providers are which accounts.
type UserIdentityStore interface {
	// Identity returns that of a person.
	Identity(ctx context.Context, providerID int64, subject string) (account.UserIdentity, error)
	// UserIdentities returns those of an account, by provider.
	UserIdentities(ctx context.Context, userID int64) ([]account.UserIdentity, error)
	// IdentitiesOf returns those of several accounts, by account and provider.
	IdentitiesOf(ctx context.Context, userIDs []int64) ([]account.UserIdentity, error)
	// AnyOf reports whether an account is linked to a person of a provider.
	AnyOf(ctx context.Context, providerID int64) (bool, error)
	// Insert returns core.ErrConflict if the person has an account, or the account a person of the provider, and
	// core.ErrNotFound if the provider or the account does not exist. It records event.UserLinked.
	Insert(ctx context.Context, i account.UserIdentity) error
	// SetGiven replaces UserIdentity.Given. It returns core.ErrNotFound if the account has no such link. It records no
	// event: those of the roles say what has changed.
	SetGiven(ctx context.Context, i account.UserIdentity) error
	// Remove returns core.ErrNotFound if the account has no such link. It records event.UserUnlinked.
	Remove(ctx context.Context, i account.UserIdentity) error
}

// GiveByHand notes that the role of a user in the place of g, or the custom role, was set or taken by hand: it is none of a
// group any more. The transaction has locked the account, or changes its role anyway.
func GiveByHand(ctx context.Context, identities UserIdentityStore, g core.Grant, customRole int64) error {
	linked, err := identities.UserIdentities(ctx, g.UserID)
	if err != nil {
		return err
	}
	for _, i := range linked {
		if at := i.GivenAt(g, customRole); at >= 0 {
			i.Given = slices.Delete(i.Given, at, at+1)
			if err := identities.SetGiven(ctx, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// DomainCheckStore keeps when the records of claimed domains were asked for.
type DomainCheckStore interface {
	// Due returns at most limit claims by account.ClaimByRecord of all Tenants whose LastCheck is before a time, the earliest
	// first.
	Due(ctx context.Context, before time.Time, limit int64) ([]account.DomainClaim, error)
	// Checked sets CheckedAt and MissingSince of the claim that the provider has of the domain. It returns
	// core.ErrNotFound if it has none. It records no event: nothing that a user has set changes.
	Checked(ctx context.Context, c account.DomainClaim) error
}

// IdentityProviders reaches OpenID providers and what speaks for domains.
type IdentityProviders interface {
	// Fault returns why no request may be sent to an issuer, in words for users; empty: it may.
	Fault(ctx context.Context, issuer string) string
	// Records returns the TXT records of a domain. A domain without any has none; an error means that the records
	// cannot be read at present.
	Records(ctx context.Context, domain string) ([]string, error)
	// SignInAddress returns the address at a provider where a person signs in. It returns core.KindUnavailable with the
	// code provider_unavailable for a provider that does not say how.
	SignInAddress(ctx context.Context, p ProviderClient, r ProviderRequest) (string, error)
	// Redeem returns what a provider says about the person that has signed in there. It returns
	// core.KindUnauthenticated with the code provider_refused for an answer that is not to be believed, and
	// core.KindUnavailable with the code provider_unavailable for a provider that does not answer as it should.
	Redeem(ctx context.Context, p ProviderClient, a ProviderAnswer) (account.ProviderClaims, error)
	// SignOutAddress returns the address at a provider where a person signs out there, and back, the URL to which it then
	// sends the browser (OpenID Connect RP-Initiated Logout 1.0). It is empty for a provider without one. It needs Issuer and
	// ClientID of p only. The errors are those of SignInAddress.
	SignOutAddress(ctx context.Context, p ProviderClient, back string) (string, error)
	// LoggedOut returns whom a logout token is about (OpenID Connect Back-Channel Logout 1.0). It does not remember
	// tokens. It needs Issuer and ClientID of p only. It returns the errors of Redeem; a token with
	// neither a subject nor a session is not to be believed.
	LoggedOut(ctx context.Context, p ProviderClient, token string) (account.ProviderLogout, error)
}

// ProviderClient is this installation as a client of a provider.
type ProviderClient struct {
	Issuer   string
	ClientID string
	Secret   string
	Redirect string   // the URL to which the provider sends browsers back
	Scopes   []string // beside openid
}

// ProviderRequest is a request that a person signs in at a provider.
type ProviderRequest struct {
	State     string // returned with the answer
	Nonce     string // returned in the ID token
	Verifier  string // of PKCE (RFC 7636): 43 to 128 characters; its hash is sent
	LoginHint string // an address, or empty
	Fresh     bool   // also a person that is signed in there
}

// ProviderAnswer is the answer of a provider, with what the request had.
type ProviderAnswer struct {
	Code     string
	Issuer   string // the parameter iss (RFC 9207), or empty
	Nonce    string
	Verifier string
}
