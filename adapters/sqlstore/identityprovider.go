package sqlstore

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// identityProviderStore implements ports.IdentityProviderStore.
type identityProviderStore struct{ conn }

var identityProviders = rowsOf("identity_providers", "identity provider", func(p *account.IdentityProvider) []member {
	return []member{
		{name: "id", kind: "bigint", of: &p.ID, fixed: true},
		{name: "tenant_id", kind: "bigint", of: &p.TenantID, fixed: true},
		{name: "name", kind: "text", of: &p.Name},
		{name: "issuer", kind: "text", of: &p.Issuer},
		{name: "client_id", kind: "text", of: &p.ClientID},
		{name: "client_secret", kind: "bytea", of: &p.Secret},
		{name: "domains", kind: "text", of: ListInJSON(&p.Domains)},
		{name: "scopes", kind: "text", of: ListInJSON(&p.Scopes)},
		{name: "groups_claim", kind: "text", of: &p.GroupsClaim},
		{name: "create_users", kind: "boolean", of: &p.CreateUsers},
		{name: "passwords", kind: "text", of: &p.Passwords},
		{name: "second_factor", kind: "text", of: &p.SecondFactor},
		{name: "mappings", kind: "text", of: asJSON[[]mappedGroup]{
			func() []mappedGroup {
				return mapped(p.Mappings, func(m account.GroupMapping) mappedGroup { return mappedGroup{m.Group, toScope(m.Grant), m.CustomRole} })
			},
			func(stored []mappedGroup) {
				p.Mappings = mapped(stored, func(m mappedGroup) account.GroupMapping {
					return account.GroupMapping{Group: m.Group, CustomRole: m.CustomRole, Grant: m.grant()}
				})
			},
		}},
		{name: "state", kind: "text", of: &p.State},
		{name: "tried_by", kind: "bigint", of: nullIfZero[int64]{&p.TriedBy}},
		{name: "tried_at", kind: "bigint", of: (*instant)(&p.TriedAt)},
		{name: "created_by", kind: "bigint", of: nullIfZero[int64]{&p.CreatedBy}, fixed: true},
		{name: "created_at", kind: "bigint", of: (*instant)(&p.CreatedAt), fixed: true},
		{name: "updated_at", kind: "bigint", of: (*instant)(&p.UpdatedAt)},
		{name: "password_user_id", kind: "bigint", of: nullIfZero[int64]{&p.PasswordUserID}},
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
	return identityProviders.all(ctx, s.conn, " WHERE tenant_id = ? ORDER BY id", tenantID)
}

func (s identityProviderStore) Provider(ctx context.Context, tenantID, id int64) (account.IdentityProvider, error) {
	return identityProviders.one(ctx, s.conn, " WHERE "+ofProvider, tenantID, id)
}

func (s identityProviderStore) ProviderByID(ctx context.Context, id int64) (account.IdentityProvider, error) {
	return identityProviders.one(ctx, s.conn, " WHERE id = ?", id)
}

func (s identityProviderStore) AnyOn(ctx context.Context) (bool, error) {
	return value[bool](ctx, s.conn, "SELECT EXISTS (SELECT 1 FROM identity_providers WHERE state = ?)", account.ProviderOn)
}

func (s identityProviderStore) Lock(ctx context.Context, tenantID, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM identity_providers WHERE "+ofProvider+s.forUpdate(), tenantID, id)
}

func (s identityProviderStore) Insert(ctx context.Context, p *account.IdentityProvider) error {
	return identityProviders.add(ctx, s.conn, p, &p.ID, func() event.Event {
		return account.IdentityProviderEvent(event.IdentityProviderCreated, p.TenantID, p.ID)
	})
}

func (s identityProviderStore) Update(ctx context.Context, p account.IdentityProvider) error {
	return identityProviders.put(ctx, s.conn, &p, account.IdentityProviderEvent(event.IdentityProviderUpdated, p.TenantID, p.ID), ofProvider, p.TenantID, p.ID)
}

func (s identityProviderStore) Delete(ctx context.Context, tenantID, id int64) error {
	return identityProviders.drop(ctx, s.conn, account.IdentityProviderEvent(event.IdentityProviderDeleted, tenantID, id), ofProvider, tenantID, id)
}

// domainClaimStore implements ports.DomainClaimStore.
type domainClaimStore struct{ conn }

var domainClaims = rowsOf("domain_claims", "claim of the domain", func(c *account.DomainClaim) []member {
	return []member{
		{name: "domain", kind: "text", of: &c.Domain},
		{name: "tenant_id", kind: "bigint", of: &c.TenantID},
		{name: "provider_id", kind: "bigint", of: &c.ProviderID},
		{name: "means", kind: "text", of: &c.Means},
		{name: "claimed_by", kind: "bigint", of: &c.ClaimedBy},
		{name: "claimed_at", kind: "bigint", of: (*instant)(&c.ClaimedAt)},
		{name: "checked_at", kind: "bigint", of: (*instant)(&c.CheckedAt)},
		{name: "missing_since", kind: "bigint", of: (*instant)(&c.MissingSince)},
	}
})

func (s domainClaimStore) Claims(ctx context.Context, tenantID int64) ([]account.DomainClaim, error) {
	return domainClaims.all(ctx, s.conn, " WHERE tenant_id = ? ORDER BY domain", tenantID)
}

func (s domainClaimStore) Claim(ctx context.Context, domain string) (account.DomainClaim, error) {
	if !storable(domain) {
		return account.DomainClaim{}, core.NotFound(domainClaims.thing)
	}
	return domainClaims.one(ctx, s.conn, " WHERE domain = ?", domain)
}

func (s domainClaimStore) Insert(ctx context.Context, c account.DomainClaim) error {
	text, args := domainClaims.insert(&c)
	return s.note(ctx, domainClaims.thing, account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID), text, args...)
}

func (s domainClaimStore) Due(ctx context.Context, before time.Time, limit int64) ([]account.DomainClaim, error) {
	return domainClaims.all(ctx, s.conn, " WHERE means = ? AND coalesce(checked_at, claimed_at) < ? ORDER BY coalesce(checked_at, claimed_at), domain LIMIT ?",
		account.ClaimByRecord, instant(before), limit)
}

func (s domainClaimStore) Checked(ctx context.Context, c account.DomainClaim) error {
	return s.must(ctx, domainClaims.thing, "UPDATE domain_claims SET checked_at = ?, missing_since = ? WHERE domain = ? AND provider_id = ?",
		instant(c.CheckedAt), instant(c.MissingSince), c.Domain, c.ProviderID)
}

func (s domainClaimStore) Remove(ctx context.Context, c account.DomainClaim) error {
	event := account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID)
	return domainClaims.drop(ctx, s.conn, event, "domain = ? AND provider_id = ?", c.Domain, c.ProviderID)
}

// userIdentityStore implements ports.UserIdentityStore.
type userIdentityStore struct{ conn }

var userIdentities = rowsOf("user_identities", "link to an identity provider", func(i *account.UserIdentity) []member {
	return []member{
		{name: "provider_id", kind: "bigint", of: &i.ProviderID},
		{name: "subject", kind: "text", of: &i.Subject},
		{name: "tenant_id", kind: "bigint", of: &i.TenantID},
		{name: "user_id", kind: "bigint", of: &i.UserID},
		{name: "linked_at", kind: "bigint", of: (*instant)(&i.LinkedAt)},
		{name: "given", kind: "text", of: asJSON[[]givenRole]{
			func() []givenRole {
				return mapped(i.Given, func(r account.GroupRole) givenRole { return givenRole{toScope(r.Grant), r.CustomRole, r.Over, r.Kept} })
			},
			func(stored []givenRole) {
				for _, g := range stored {
					i.Given = append(i.Given, account.GroupRole{Grant: g.grant(), CustomRole: g.CustomRole, Over: g.Over, Kept: g.Kept})
				}
			},
		}},
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
	if !storable(subject) {
		return account.UserIdentity{}, core.NotFound(userIdentities.thing)
	}
	return userIdentities.one(ctx, s.conn, " WHERE provider_id = ? AND subject = ?", providerID, subject)
}

func (s userIdentityStore) UserIdentities(ctx context.Context, userID int64) ([]account.UserIdentity, error) {
	return userIdentities.all(ctx, s.conn, " WHERE user_id = ? ORDER BY provider_id", userID)
}

func (s userIdentityStore) IdentitiesOf(ctx context.Context, userIDs []int64) ([]account.UserIdentity, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	return userIdentities.all(ctx, s.conn, " WHERE user_id ? ORDER BY user_id, provider_id", amongIDs(userIDs))
}

func (s userIdentityStore) AnyOf(ctx context.Context, providerID int64) (bool, error) {
	return value[bool](ctx, s.conn, "SELECT EXISTS (SELECT 1 FROM user_identities WHERE provider_id = ?)", providerID)
}

func (s userIdentityStore) Insert(ctx context.Context, i account.UserIdentity) error {
	text, args := userIdentities.insert(&i)
	return s.note(ctx, userIdentities.thing, i.Event(event.UserLinked), text, args...)
}

const ofLink = "provider_id = ? AND subject = ? AND user_id = ?"

func (s userIdentityStore) SetGiven(ctx context.Context, i account.UserIdentity) error {
	text, args := userIdentities.set(&i, "given").update(userIdentities.Name)
	return s.must(ctx, userIdentities.thing, text+" WHERE "+ofLink, append(args, i.ProviderID, i.Subject, i.UserID)...)
}

func (s userIdentityStore) Remove(ctx context.Context, i account.UserIdentity) error {
	return userIdentities.drop(ctx, s.conn, i.Event(event.UserUnlinked), ofLink, i.ProviderID, i.Subject, i.UserID)
}
