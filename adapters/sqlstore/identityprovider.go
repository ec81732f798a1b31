package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// identityProviderStore implements ports.IdentityProviderStore.
type identityProviderStore struct{ conn }

type identityProviderRow struct {
	bun.BaseModel `bun:"table:identity_providers,alias:ip"`

	ID           int64 `bun:",pk,autoincrement"`
	TenantID     int64
	Name         string
	Issuer       string
	ClientID     string
	ClientSecret []byte
	Domains      encoded[[]string]
	Scopes       encoded[[]string]
	GroupsClaim  string
	CreateUsers  bool
	Passwords    account.PasswordRule
	SecondFactor account.FactorRule
	Mappings     encoded[[]mappedGroup]
	State        account.ProviderState
	TriedBy      int64 `bun:",nullzero"`

	PasswordUserID int64 `bun:",nullzero"`

	TriedAt   instant
	CreatedBy int64 `bun:",nullzero"`
	CreatedAt instant
	UpdatedAt instant
}

// mappedGroup is a mapping of a group, as it is stored.
type mappedGroup struct {
	Group string `json:"group"`
	invitedTo
	CustomRole int64 `json:"customRole,omitempty"`
}

func newIdentityProviderRow(p account.IdentityProvider) *identityProviderRow {
	return &identityProviderRow{
		ID: p.ID, TenantID: p.TenantID, Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID, ClientSecret: p.Secret,
		Domains: encoded[[]string]{append([]string{}, p.Domains...)}, Scopes: encoded[[]string]{append([]string{}, p.Scopes...)},
		GroupsClaim: p.GroupsClaim, CreateUsers: p.CreateUsers, Passwords: p.Passwords, SecondFactor: p.SecondFactor,
		Mappings: encoded[[]mappedGroup]{mapped(p.Mappings, func(m account.GroupMapping) mappedGroup {
			return mappedGroup{m.Group, invitedTo{m.Grant.Role, m.Grant.TenantID, m.Grant.DepartmentID, m.Grant.ProjectID}, m.CustomRole}
		})},
		State: p.State, PasswordUserID: p.PasswordUserID, TriedBy: p.TriedBy, TriedAt: instant(p.TriedAt), CreatedBy: p.CreatedBy, CreatedAt: instant(p.CreatedAt), UpdatedAt: instant(p.UpdatedAt),
	}
}

func (r identityProviderRow) core() account.IdentityProvider {
	return account.IdentityProvider{
		ID: r.ID, TenantID: r.TenantID, Name: r.Name, Issuer: r.Issuer, ClientID: r.ClientID, Secret: r.ClientSecret,
		Domains: r.Domains.v, Scopes: r.Scopes.v, GroupsClaim: r.GroupsClaim, CreateUsers: r.CreateUsers, Passwords: r.Passwords, SecondFactor: r.SecondFactor,
		Mappings: mapped(r.Mappings.v, func(m mappedGroup) account.GroupMapping {
			return account.GroupMapping{
				Group: m.Group, CustomRole: m.CustomRole,
				Grant: core.Grant{Role: m.Role, TenantID: m.TenantID, DepartmentID: m.DepartmentID, ProjectID: m.ProjectID},
			}
		}),
		State: r.State, PasswordUserID: r.PasswordUserID, TriedBy: r.TriedBy, TriedAt: time.Time(r.TriedAt), CreatedBy: r.CreatedBy, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

const ofProvider = "tenant_id = ? AND id = ?"

func (s identityProviderStore) Providers(ctx context.Context, tenantID int64) ([]account.IdentityProvider, error) {
	return all[identityProviderRow](ctx, s.conn, "identity provider", ordered("id", "tenant_id = ?", tenantID))
}

func (s identityProviderStore) Provider(ctx context.Context, tenantID, id int64) (account.IdentityProvider, error) {
	return one[identityProviderRow](ctx, s.conn, "identity provider", where(ofProvider, tenantID, id))
}

func (s identityProviderStore) ProviderByID(ctx context.Context, id int64) (account.IdentityProvider, error) {
	return one[identityProviderRow](ctx, s.conn, "identity provider", where("id = ?", id))
}

func (s identityProviderStore) AnyOn(ctx context.Context) (bool, error) {
	found, err := all[identityProviderRow](ctx, s.conn, "identity provider", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("state = ?", account.ProviderOn).Limit(1)
	})
	return len(found) > 0, err
}

func (s identityProviderStore) Lock(ctx context.Context, tenantID, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM identity_providers WHERE tenant_id = ? AND id = ?"+s.forUpdate(), tenantID, id)
}

func (s identityProviderStore) Insert(ctx context.Context, p *account.IdentityProvider) error {
	r := newIdentityProviderRow(*p)
	return s.insert(ctx, newRow{r, &r.ID, &p.ID}, "identity provider", func() event.Event {
		return account.IdentityProviderEvent(event.IdentityProviderCreated, r.TenantID, r.ID)
	})
}

func (s identityProviderStore) Update(ctx context.Context, p account.IdentityProvider) error {
	return s.updateBy(ctx, s.write.NewUpdate().Model(newIdentityProviderRow(p)).
		Column("name", "issuer", "client_id", "client_secret", "domains", "scopes", "groups_claim", "create_users", "passwords", "password_user_id", "second_factor", "mappings", "state", "tried_by", "tried_at", "updated_at").
		Where(ofProvider, p.TenantID, p.ID), "identity provider", account.IdentityProviderEvent(event.IdentityProviderUpdated, p.TenantID, p.ID))
}

func (s identityProviderStore) Delete(ctx context.Context, tenantID, id int64) error {
	event := account.IdentityProviderEvent(event.IdentityProviderDeleted, tenantID, id)
	return s.remove(ctx, (*identityProviderRow)(nil), "identity provider", event, ofProvider, tenantID, id)
}

// domainClaimStore implements ports.DomainClaimStore.
type domainClaimStore struct{ conn }

type domainClaimRow struct {
	bun.BaseModel `bun:"table:domain_claims,alias:dc"`

	Domain     string `bun:",pk"`
	TenantID   int64
	ProviderID int64
	Means      account.ClaimMeans
	ClaimedBy  int64
	ClaimedAt  instant

	CheckedAt    instant
	MissingSince instant
}

func (r domainClaimRow) core() account.DomainClaim {
	return account.DomainClaim{
		Domain: r.Domain, TenantID: r.TenantID, ProviderID: r.ProviderID, Means: r.Means, ClaimedBy: r.ClaimedBy, ClaimedAt: time.Time(r.ClaimedAt),
		CheckedAt: time.Time(r.CheckedAt), MissingSince: time.Time(r.MissingSince),
	}
}

func (s domainClaimStore) Claims(ctx context.Context, tenantID int64) ([]account.DomainClaim, error) {
	return all[domainClaimRow](ctx, s.conn, "claim of the domain", ordered("domain", "tenant_id = ?", tenantID))
}

func (s domainClaimStore) Claim(ctx context.Context, domain string) (account.DomainClaim, error) {
	if !storable(domain) {
		return account.DomainClaim{}, core.NotFound("claim of the domain")
	}
	return one[domainClaimRow](ctx, s.conn, "claim of the domain", where("domain = ?", domain))
}

func (s domainClaimStore) Insert(ctx context.Context, c account.DomainClaim) error {
	row := domainClaimRow{
		Domain: c.Domain, TenantID: c.TenantID, ProviderID: c.ProviderID, Means: c.Means, ClaimedBy: c.ClaimedBy, ClaimedAt: instant(c.ClaimedAt),
		CheckedAt: instant(c.CheckedAt), MissingSince: instant(c.MissingSince),
	}
	return s.change(ctx, func(ctx context.Context, in conn) error {
		if _, err := in.write.NewInsert().Model(&row).Exec(ctx); err != nil {
			return in.written(err, "claim of the domain")
		}
		in.record(account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID))
		return nil
	})
}

func (s domainClaimStore) Due(ctx context.Context, before time.Time, limit int64) ([]account.DomainClaim, error) {
	return all[domainClaimRow](ctx, s.conn, "claim of the domain", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("means = ? AND coalesce(checked_at, claimed_at) < ?", account.ClaimByRecord, instant(before)).OrderExpr("coalesce(checked_at, claimed_at), domain").Limit(limit)
	})
}

func (s domainClaimStore) Checked(ctx context.Context, c account.DomainClaim) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		done, err := in.write.NewUpdate().Table("domain_claims").Set("checked_at = ?", instant(c.CheckedAt)).Set("missing_since = ?", instant(c.MissingSince)).
			Where("domain = ? AND provider_id = ?", c.Domain, c.ProviderID).Exec(ctx)
		if err != nil {
			return in.db.fault(err, "claim of the domain")
		}
		n, err := done.RowsAffected()
		if err == nil && n == 0 {
			err = core.NotFound("claim of the domain")
		}
		return err
	})
}

func (s domainClaimStore) Remove(ctx context.Context, c account.DomainClaim) error {
	event := account.IdentityProviderEvent(event.IdentityProviderUpdated, c.TenantID, c.ProviderID)
	return s.remove(ctx, (*domainClaimRow)(nil), "claim of the domain", event, "domain = ? AND provider_id = ?", c.Domain, c.ProviderID)
}

// userIdentityStore implements ports.UserIdentityStore.
type userIdentityStore struct{ conn }

type userIdentityRow struct {
	bun.BaseModel `bun:"table:user_identities,alias:ui"`

	ProviderID int64  `bun:",pk"`
	Subject    string `bun:",pk"`
	TenantID   int64
	UserID     int64
	LinkedAt   instant
	Given      encoded[[]givenRole]
}

// givenRole is a role that a group has given, as it is stored.
type givenRole struct {
	invitedTo
	CustomRole int64     `json:"customRole,omitempty"`
	Over       core.Role `json:"over,omitempty"`
	Kept       bool      `json:"kept,omitempty"`
}

func givenRoles(roles []account.GroupRole) encoded[[]givenRole] {
	return encoded[[]givenRole]{append([]givenRole{}, mapped(roles, func(r account.GroupRole) givenRole {
		return givenRole{invitedTo{r.Grant.Role, r.Grant.TenantID, r.Grant.DepartmentID, r.Grant.ProjectID}, r.CustomRole, r.Over, r.Kept}
	})...)}
}

func (r userIdentityRow) core() account.UserIdentity {
	i := account.UserIdentity{ProviderID: r.ProviderID, Subject: r.Subject, TenantID: r.TenantID, UserID: r.UserID, LinkedAt: time.Time(r.LinkedAt)}
	for _, g := range r.Given.v {
		i.Given = append(i.Given, account.GroupRole{
			Grant:      core.Grant{Role: g.Role, TenantID: g.TenantID, DepartmentID: g.DepartmentID, ProjectID: g.ProjectID},
			CustomRole: g.CustomRole, Over: g.Over, Kept: g.Kept,
		})
	}
	return i
}

const userIdentity = "link to an identity provider"

func (s userIdentityStore) Identity(ctx context.Context, providerID int64, subject string) (account.UserIdentity, error) {
	if !storable(subject) {
		return account.UserIdentity{}, core.NotFound(userIdentity)
	}
	return one[userIdentityRow](ctx, s.conn, userIdentity, where("provider_id = ? AND subject = ?", providerID, subject))
}

func (s userIdentityStore) UserIdentities(ctx context.Context, userID int64) ([]account.UserIdentity, error) {
	return all[userIdentityRow](ctx, s.conn, userIdentity, ordered("provider_id", "user_id = ?", userID))
}

func (s userIdentityStore) IdentitiesOf(ctx context.Context, userIDs []int64) ([]account.UserIdentity, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	return all[userIdentityRow](ctx, s.conn, userIdentity, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("user_id IN (?)", bun.List(userIDs)).Order("user_id", "provider_id")
	})
}

func (s userIdentityStore) AnyOf(ctx context.Context, providerID int64) (bool, error) {
	found, err := all[userIdentityRow](ctx, s.conn, userIdentity, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("provider_id = ?", providerID).Limit(1)
	})
	return len(found) > 0, err
}

func (s userIdentityStore) Insert(ctx context.Context, i account.UserIdentity) error {
	row := userIdentityRow{ProviderID: i.ProviderID, Subject: i.Subject, TenantID: i.TenantID, UserID: i.UserID, LinkedAt: instant(i.LinkedAt), Given: givenRoles(i.Given)}
	return s.change(ctx, func(ctx context.Context, in conn) error {
		if _, err := in.write.NewInsert().Model(&row).Exec(ctx); err != nil {
			return in.written(err, userIdentity)
		}
		in.record(i.Event(event.UserLinked))
		return nil
	})
}

const ofLink = "provider_id = ? AND subject = ? AND user_id = ?"

func (s userIdentityStore) SetGiven(ctx context.Context, i account.UserIdentity) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewUpdate().Model((*userIdentityRow)(nil)).Set("given = ?", givenRoles(i.Given)).Where(ofLink, i.ProviderID, i.Subject, i.UserID).Exec(ctx)
		if err != nil {
			return c.written(err, userIdentity)
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return c.db.fault(err, userIdentity)
		}
		return core.NotFound(userIdentity)
	})
}

func (s userIdentityStore) Remove(ctx context.Context, i account.UserIdentity) error {
	return s.remove(ctx, (*userIdentityRow)(nil), userIdentity, i.Event(event.UserUnlinked), ofLink, i.ProviderID, i.Subject, i.UserID)
}
