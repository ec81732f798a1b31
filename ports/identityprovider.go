package ports

import (
	"context"

	"imprimatur/core"
)

// IdentityProviderStore stores the identity providers of Tenants.
type IdentityProviderStore interface {
	// Providers returns those of a Tenant, by id.
	Providers(ctx context.Context, tenantID int64) ([]core.IdentityProvider, error)
	Provider(ctx context.Context, tenantID, id int64) (core.IdentityProvider, error)
	// Lock locks the provider until the transaction ends, as UserStore.Lock locks an account.
	Lock(ctx context.Context, tenantID, id int64) error
	// Insert adds p and sets its ID. It returns core.ErrNotFound if the Tenant does not exist. It records
	// core.EventIdentityProviderCreated.
	Insert(ctx context.Context, p *core.IdentityProvider) error
	// Update replaces all members but ID, TenantID, CreatedBy and CreatedAt. It records
	// core.EventIdentityProviderUpdated.
	Update(ctx context.Context, p core.IdentityProvider) error
	// Delete also removes the claims of the provider. It records core.EventIdentityProviderDeleted.
	Delete(ctx context.Context, tenantID, id int64) error
}

// DomainClaimStore stores which domains belong to which identity providers. Its changes record
// core.EventIdentityProviderUpdated of the provider.
type DomainClaimStore interface {
	// Claims returns those of a Tenant, by domain.
	Claims(ctx context.Context, tenantID int64) ([]core.DomainClaim, error)
	Claim(ctx context.Context, domain string) (core.DomainClaim, error)
	// Insert returns core.ErrConflict if the domain has a claim, and core.ErrNotFound if the provider does not
	// exist.
	Insert(ctx context.Context, c core.DomainClaim) error
	// Remove removes the claim of a domain. It returns core.ErrNotFound if the provider has no such claim.
	Remove(ctx context.Context, c core.DomainClaim) error
}

// IdentityProviders reaches OpenID providers and what speaks for domains.
type IdentityProviders interface {
	// Fault returns why no request may be sent to an issuer, in words for users; empty: it may.
	Fault(ctx context.Context, issuer string) string
	// Records returns the TXT records of a domain. A domain without any has none; an error means that the records
	// cannot be read at present.
	Records(ctx context.Context, domain string) ([]string, error)
}
