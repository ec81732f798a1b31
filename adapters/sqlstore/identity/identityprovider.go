package identity

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// identityProviderStore implements ports.IdentityProviderStore.
type identityProviderStore struct{ sqldb.Conn }

// IdentityProviders is the table of identity providers.
var IdentityProviders = sqldb.NewTableOf("identity_providers", "identity provider", func(p *account.IdentityProvider) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &p.ID, Fixed: true},
		{Name: "tenant_id", Kind: "bigint", Of: &p.TenantID, Fixed: true},
		{Name: "name", Kind: "text", Of: &p.Name},
		{Name: "issuer", Kind: "text", Of: &p.Issuer},
		{Name: "client_id", Kind: "text", Of: &p.ClientID},
		{Name: "client_secret", Kind: "bytea", Of: &p.Secret},
		{Name: "domains", Kind: "text", Of: sqldb.ListInJSON(&p.Domains)},
		{Name: "scopes", Kind: "text", Of: sqldb.ListInJSON(&p.Scopes)},
		{Name: "groups_claim", Kind: "text", Of: &p.GroupsClaim},
		{Name: "create_users", Kind: "boolean", Of: &p.CreateUsers},
		{Name: "passwords", Kind: "text", Of: &p.Passwords},
		{Name: "second_factor", Kind: "text", Of: &p.SecondFactor},
		{Name: "mappings", Kind: "text", Of: sqldb.AsJSON(
			func() []mappedGroup {
				return sqldb.Mapped(p.Mappings, func(m account.GroupMapping) mappedGroup { return mappedGroup{m.Group, toScope(m.Grant), m.CustomRole} })
			},
			func(stored []mappedGroup) {
				p.Mappings = sqldb.Mapped(stored, func(m mappedGroup) account.GroupMapping {
					return account.GroupMapping{Group: m.Group, CustomRole: m.CustomRole, Grant: m.grant()}
				})
			},
		)},
		{Name: "state", Kind: "text", Of: &p.State},
		{Name: "tried_by", Kind: "bigint", Of: sqldb.NullIfZero(&p.TriedBy)},
		{Name: "tried_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.TriedAt)},
		{Name: "created_by", Kind: "bigint", Of: sqldb.NullIfZero(&p.CreatedBy), Fixed: true},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.UpdatedAt)},
		{Name: "password_user_id", Kind: "bigint", Of: sqldb.NullIfZero(&p.PasswordUserID)},
	}
})

// mappedGroup is a mapping of a group, as it is stored.
type mappedGroup struct {
	Group string `json:"group"`
	invitedTo
	CustomRole int64 `json:"customRole,omitempty"`
}

const ofProvider = "tenant_id = ? AND id = ?"

func (s identityProviderStore) Providers(ctx context.Context, tenantID int64) ([]account.IdentityProvider, error) {
	return IdentityProviders.All(ctx, s.Conn, " WHERE tenant_id = ? ORDER BY id", tenantID)
}

func (s identityProviderStore) Provider(ctx context.Context, tenantID, id int64) (account.IdentityProvider, error) {
	return IdentityProviders.One(ctx, s.Conn, " WHERE "+ofProvider, tenantID, id)
}

func (s identityProviderStore) ProviderByID(ctx context.Context, id int64) (account.IdentityProvider, error) {
	return IdentityProviders.One(ctx, s.Conn, " WHERE id = ?", id)
}

func (s identityProviderStore) AnyOn(ctx context.Context) (bool, error) {
	return sqldb.Value[bool](ctx, s.Conn, "SELECT EXISTS (SELECT 1 FROM identity_providers WHERE state = ?)", account.ProviderOn)
}

func (s identityProviderStore) Lock(ctx context.Context, tenantID, id int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM identity_providers WHERE "+ofProvider+s.ForUpdate(), tenantID, id)
}

func (s identityProviderStore) Insert(ctx context.Context, p *account.IdentityProvider) error {
	return IdentityProviders.Add(ctx, s.Conn, p, &p.ID, func() event.Event {
		return account.IdentityProviderEvent(event.IdentityProviderCreated, p.TenantID, p.ID)
	})
}

func (s identityProviderStore) Update(ctx context.Context, p account.IdentityProvider) error {
	return IdentityProviders.Put(ctx, s.Conn, &p, account.IdentityProviderEvent(event.IdentityProviderUpdated, p.TenantID, p.ID), ofProvider, p.TenantID, p.ID)
}

func (s identityProviderStore) Delete(ctx context.Context, tenantID, id int64) error {
	return IdentityProviders.Drop(ctx, s.Conn, account.IdentityProviderEvent(event.IdentityProviderDeleted, tenantID, id), ofProvider, tenantID, id)
}

// domainClaimStore implements ports.DomainClaimStore.
type domainClaimStore struct{ sqldb.Conn }

// DomainClaims is the table of claims of domains.
var DomainClaims = sqldb.NewTableOf("domain_claims", "claim of the domain", func(c *account.DomainClaim) []sqldb.Column {
	return []sqldb.Column{
		{Name: "domain", Kind: "text", Of: &c.Domain},
		{Name: "tenant_id", Kind: "bigint", Of: &c.TenantID},
		{Name: "provider_id", Kind: "bigint", Of: &c.ProviderID},
		{Name: "means", Kind: "text", Of: &c.Means},
		{Name: "claimed_by", Kind: "bigint", Of: &c.ClaimedBy},
		{Name: "claimed_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.ClaimedAt)},
		{Name: "checked_at", Kind: "bigint", Of: (*sqldb.Instant)(&c.CheckedAt)},
		{Name: "missing_since", Kind: "bigint", Of: (*sqldb.Instant)(&c.MissingSince)},
	}
})

func (s domainClaimStore) Claims(ctx context.Context, tenantID int64) ([]account.DomainClaim, error) {
	return DomainClaims.All(ctx, s.Conn, " WHERE tenant_id = ? ORDER BY domain", tenantID)
}

func (s domainClaimStore) Claim(ctx context.Context, domain string) (account.DomainClaim, error) {
	if !sqldb.Storable(domain) {
		return account.DomainClaim{}, core.NotFound(DomainClaims.Thing)
	}
	return DomainClaims.One(ctx, s.Conn, " WHERE domain = ?", domain)
}

func (s domainClaimStore) Insert(ctx context.Context, c account.DomainClaim) error {
	text, args := DomainClaims.Insert(&c)
	return s.Note(ctx, DomainClaims.Thing, account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID), text, args...)
}

func (s domainClaimStore) Due(ctx context.Context, before time.Time, limit int64) ([]account.DomainClaim, error) {
	return DomainClaims.All(ctx, s.Conn, " WHERE means = ? AND coalesce(checked_at, claimed_at) < ? ORDER BY coalesce(checked_at, claimed_at), domain LIMIT ?",
		account.ClaimByRecord, sqldb.Instant(before), limit)
}

func (s domainClaimStore) Checked(ctx context.Context, c account.DomainClaim) error {
	return s.Must(ctx, DomainClaims.Thing, "UPDATE domain_claims SET checked_at = ?, missing_since = ? WHERE domain = ? AND provider_id = ?",
		sqldb.Instant(c.CheckedAt), sqldb.Instant(c.MissingSince), c.Domain, c.ProviderID)
}

func (s domainClaimStore) Remove(ctx context.Context, c account.DomainClaim) error {
	event := account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID)
	return DomainClaims.Drop(ctx, s.Conn, event, "domain = ? AND provider_id = ?", c.Domain, c.ProviderID)
}

// userIdentityStore implements ports.UserIdentityStore.
type userIdentityStore struct{ sqldb.Conn }

// UserIdentities is the table of the links of users to identity providers.
var UserIdentities = sqldb.NewTableOf("user_identities", "link to an identity provider", func(i *account.UserIdentity) []sqldb.Column {
	return []sqldb.Column{
		{Name: "provider_id", Kind: "bigint", Of: &i.ProviderID},
		{Name: "subject", Kind: "text", Of: &i.Subject},
		{Name: "tenant_id", Kind: "bigint", Of: &i.TenantID},
		{Name: "user_id", Kind: "bigint", Of: &i.UserID},
		{Name: "linked_at", Kind: "bigint", Of: (*sqldb.Instant)(&i.LinkedAt)},
		{Name: "given", Kind: "text", Of: sqldb.AsJSON(
			func() []givenRole {
				return sqldb.Mapped(i.Given, func(r account.GroupRole) givenRole { return givenRole{toScope(r.Grant), r.CustomRole, r.Over, r.Kept} })
			},
			func(stored []givenRole) {
				for _, g := range stored {
					i.Given = append(i.Given, account.GroupRole{Grant: g.grant(), CustomRole: g.CustomRole, Over: g.Over, Kept: g.Kept})
				}
			},
		)},
	}
})

// givenRole is a role that a group has given, as it is stored.
type givenRole struct {
	invitedTo
	CustomRole int64     `json:"customRole,omitempty"`
	Over       core.Role `json:"over,omitempty"`
	Kept       bool      `json:"kept,omitempty"`
}

func (s userIdentityStore) Identity(ctx context.Context, providerID int64, subject string) (account.UserIdentity, error) {
	if !sqldb.Storable(subject) {
		return account.UserIdentity{}, core.NotFound(UserIdentities.Thing)
	}
	return UserIdentities.One(ctx, s.Conn, " WHERE provider_id = ? AND subject = ?", providerID, subject)
}

func (s userIdentityStore) UserIdentities(ctx context.Context, userID int64) ([]account.UserIdentity, error) {
	return UserIdentities.All(ctx, s.Conn, " WHERE user_id = ? ORDER BY provider_id", userID)
}

func (s userIdentityStore) IdentitiesOf(ctx context.Context, userIDs []int64) ([]account.UserIdentity, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	return UserIdentities.All(ctx, s.Conn, " WHERE user_id ? ORDER BY user_id, provider_id", sqldb.AmongIDs(userIDs))
}

func (s userIdentityStore) AnyOf(ctx context.Context, providerID int64) (bool, error) {
	return sqldb.Value[bool](ctx, s.Conn, "SELECT EXISTS (SELECT 1 FROM user_identities WHERE provider_id = ?)", providerID)
}

func (s userIdentityStore) Insert(ctx context.Context, i account.UserIdentity) error {
	text, args := UserIdentities.Insert(&i)
	return s.Note(ctx, UserIdentities.Thing, i.Event(event.UserLinked), text, args...)
}

const ofLink = "provider_id = ? AND subject = ? AND user_id = ?"

func (s userIdentityStore) SetGiven(ctx context.Context, i account.UserIdentity) error {
	text, args := UserIdentities.Set(&i, "given").Update(UserIdentities.Name)
	return s.Must(ctx, UserIdentities.Thing, text+" WHERE "+ofLink, append(args, i.ProviderID, i.Subject, i.UserID)...)
}

func (s userIdentityStore) Remove(ctx context.Context, i account.UserIdentity) error {
	return UserIdentities.Drop(ctx, s.Conn, i.Event(event.UserUnlinked), ofLink, i.ProviderID, i.Subject, i.UserID)
}
