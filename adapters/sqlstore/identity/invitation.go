package identity

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// invitationStore implements ports.InvitationStore.
type invitationStore struct{ sqldb.Conn }

// Invitations is the table of invitations.
var Invitations = sqldb.NewTableOf("invitations", "invitation", func(i *account.Invitation) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &i.ID, Fixed: true},
		{Name: "hash", Kind: "bytea", Of: sqldb.Octets(i.Hash[:])},
		{Name: "email", Kind: "text", Of: &i.Email, Fixed: true},
		{Name: "name", Kind: "text", Of: &i.Name, Fixed: true},
		{Name: "language", Kind: "text", Of: &i.Language, Fixed: true},
		{Name: "tenant_id", Kind: "bigint", Of: &i.TenantID, Fixed: true},
		{Name: "grants", Kind: "text", Fixed: true, Of: sqldb.AsJSON(
			func() []invitedTo { return sqldb.Mapped(i.Grants, toScope) }, func(stored []invitedTo) { i.Grants = sqldb.Mapped(stored, invitedTo.grant) },
		)},
		{Name: "custom_roles", Kind: "text", Of: sqldb.ListInJSON(&i.CustomRoles), Fixed: true},
		{Name: "invited_by", Kind: "bigint", Of: &i.InvitedBy},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&i.CreatedAt), Fixed: true},
		{Name: "expires_at", Kind: "bigint", Of: (*sqldb.Instant)(&i.ExpiresAt)},
		{Name: "accepted_at", Kind: "bigint", Of: (*sqldb.Instant)(&i.AcceptedAt)},
		{Name: "accepted_by", Kind: "bigint", Of: sqldb.NullIfZero(&i.AcceptedBy)},
		{Name: "revoked_at", Kind: "bigint", Of: (*sqldb.Instant)(&i.RevokedAt)},
	}
})

// invitedTo is a role in an invitation, as it is stored.
type invitedTo struct {
	Role         core.Role `json:"role"`
	TenantID     int64     `json:"tenantId,omitempty"`
	DepartmentID int64     `json:"departmentId,omitempty"`
	ProjectID    int64     `json:"projectId,omitempty"`
}

func toScope(g core.Grant) invitedTo {
	return invitedTo{g.Role, g.TenantID, g.DepartmentID, g.ProjectID}
}

func (i invitedTo) grant() core.Grant {
	return core.Grant{Role: i.Role, TenantID: i.TenantID, DepartmentID: i.DepartmentID, ProjectID: i.ProjectID}
}

func (s invitationStore) Invitations(ctx context.Context, q ports.InvitationQuery) ([]account.Invitation, error) {
	end, args := " WHERE true", []any(nil)
	if !q.All {
		end, args = end+" AND (invited_by = ?", append(args, q.InvitedBy)
		if len(q.TenantIDs) > 0 {
			end, args = end+" OR tenant_id ?", append(args, sqldb.AmongIDs(q.TenantIDs))
		}
		end += ")"
	}
	if q.BeforeID != 0 {
		end, args = end+" AND id < ?", append(args, q.BeforeID)
	}
	return Invitations.All(ctx, s.Conn, end+" ORDER BY id DESC LIMIT ?", append(args, q.Limit)...)
}

func (s invitationStore) Invitation(ctx context.Context, id int64) (account.Invitation, error) {
	return Invitations.One(ctx, s.Conn, " WHERE id = ?", id)
}

func (s invitationStore) InvitationByHash(ctx context.Context, hash [32]byte) (account.Invitation, error) {
	return Invitations.One(ctx, s.Conn, " WHERE hash = ?", hash[:])
}

func (s invitationStore) Lock(ctx context.Context, id int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM invitations WHERE id = ?"+s.ForUpdate(), id)
}

// isOpen is the condition of open invitations at a time.
const isOpen = "accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?"

func (s invitationStore) Open(ctx context.Context, invitedBy int64, now time.Time) (int64, error) {
	return sqldb.Value[int64](ctx, s.Conn, "SELECT count(*) FROM invitations WHERE invited_by = ? AND "+isOpen, invitedBy, sqldb.Instant(now))
}

func (s invitationStore) OpenTo(ctx context.Context, email string, now time.Time) ([]account.Invitation, error) {
	return Invitations.All(ctx, s.Conn, " WHERE email = ? AND "+isOpen+" ORDER BY id", email, sqldb.Instant(now))
}

func (s invitationStore) Insert(ctx context.Context, i *account.Invitation) error {
	return Invitations.Add(ctx, s.Conn, i, &i.ID, func() event.Event {
		return event.Event{Type: event.InvitationCreated, TenantID: i.TenantID, SubjectID: i.ID}
	})
}

func (s invitationStore) Update(ctx context.Context, i account.Invitation) error {
	return s.InTenant(ctx, i.Change(), i.ID, tenantOfInvitation, func(ctx context.Context, c sqldb.Conn, event event.Event) error {
		return Invitations.Put(ctx, c, &i, event, "id = ?", i.ID)
	})
}

func tenantOfInvitation(ctx context.Context, c sqldb.Conn, id int64) (tenantID int64, err error) {
	i, err := invitationStore{c}.Invitation(ctx, id)
	return i.TenantID, err
}

// linkStore implements ports.LinkStore.
type linkStore struct{ sqldb.Conn }

var links = sqldb.NewTableOf("links", "link", func(l *account.MailLink) []sqldb.Column {
	return []sqldb.Column{
		{Name: "hash", Of: sqldb.Octets(l.Hash[:])}, {Name: "kind", Of: &l.Kind}, {Name: "email", Of: &l.Email}, {Name: "user_id", Of: sqldb.NullIfZero(&l.UserID)},
		{Name: "created_at", Of: (*sqldb.Instant)(&l.CreatedAt)}, {Name: "expires_at", Of: (*sqldb.Instant)(&l.ExpiresAt)},
	}
})

func (s linkStore) Link(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	return links.One(ctx, s.Conn, " WHERE hash = ?", hash[:])
}

// Take is one statement, so that one of several callers gets the row.
func (s linkStore) Take(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	taken, err := links.Changed(ctx, s.Conn, "DELETE FROM links WHERE hash = ?", hash[:])
	if err == nil && len(taken) == 0 {
		err = core.NotFound("link")
	}
	if err != nil {
		return account.MailLink{}, err
	}
	return taken[0], nil
}

func (s linkStore) Insert(ctx context.Context, l account.MailLink) error {
	text, args := links.Insert(&l)
	_, err := s.Do(ctx, links.Thing, text, args...)
	return err
}

func (s linkStore) Forget(ctx context.Context, kind account.MailLinkKind, email string, userID int64) error {
	_, err := s.Do(ctx, links.Thing, "DELETE FROM links WHERE kind = ? AND (email = ? OR user_id = ?)", kind, email, userID)
	return err
}
