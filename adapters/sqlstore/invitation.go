package sqlstore

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// invitationStore implements ports.InvitationStore.
type invitationStore struct{ conn }

var invitations = rowsOf("invitations", "invitation", func(i *account.Invitation) []member {
	return []member{
		{name: "id", kind: "bigint", of: &i.ID, fixed: true},
		{name: "hash", kind: "bytea", of: octets{i.Hash[:]}},
		{name: "email", kind: "text", of: &i.Email, fixed: true},
		{name: "name", kind: "text", of: &i.Name, fixed: true},
		{name: "language", kind: "text", of: &i.Language, fixed: true},
		{name: "tenant_id", kind: "bigint", of: &i.TenantID, fixed: true},
		{name: "grants", kind: "text", fixed: true, of: asJSON[[]invitedTo]{
			func() []invitedTo { return mapped(i.Grants, toScope) }, func(stored []invitedTo) { i.Grants = mapped(stored, invitedTo.grant) },
		}},
		{name: "custom_roles", kind: "text", of: ListInJSON(&i.CustomRoles), fixed: true},
		{name: "invited_by", kind: "bigint", of: &i.InvitedBy},
		{name: "created_at", kind: "bigint", of: (*instant)(&i.CreatedAt), fixed: true},
		{name: "expires_at", kind: "bigint", of: (*instant)(&i.ExpiresAt)},
		{name: "accepted_at", kind: "bigint", of: (*instant)(&i.AcceptedAt)},
		{name: "accepted_by", kind: "bigint", of: nullIfZero[int64]{&i.AcceptedBy}},
		{name: "revoked_at", kind: "bigint", of: (*instant)(&i.RevokedAt)},
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
			end, args = end+" OR tenant_id ?", append(args, amongIDs(q.TenantIDs))
		}
		end += ")"
	}
	if q.BeforeID != 0 {
		end, args = end+" AND id < ?", append(args, q.BeforeID)
	}
	return invitations.all(ctx, s.conn, end+" ORDER BY id DESC LIMIT ?", append(args, q.Limit)...)
}

func (s invitationStore) Invitation(ctx context.Context, id int64) (account.Invitation, error) {
	return invitations.one(ctx, s.conn, " WHERE id = ?", id)
}

func (s invitationStore) InvitationByHash(ctx context.Context, hash [32]byte) (account.Invitation, error) {
	return invitations.one(ctx, s.conn, " WHERE hash = ?", hash[:])
}

func (s invitationStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM invitations WHERE id = ?"+s.forUpdate(), id)
}

// isOpen is the condition of open invitations at a time.
const isOpen = "accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?"

func (s invitationStore) Open(ctx context.Context, invitedBy int64, now time.Time) (int64, error) {
	return value[int64](ctx, s.conn, "SELECT count(*) FROM invitations WHERE invited_by = ? AND "+isOpen, invitedBy, instant(now))
}

func (s invitationStore) OpenTo(ctx context.Context, email string, now time.Time) ([]account.Invitation, error) {
	return invitations.all(ctx, s.conn, " WHERE email = ? AND "+isOpen+" ORDER BY id", email, instant(now))
}

func (s invitationStore) Insert(ctx context.Context, i *account.Invitation) error {
	return invitations.add(ctx, s.conn, i, &i.ID, func() event.Event {
		return event.Event{Type: event.InvitationCreated, TenantID: i.TenantID, SubjectID: i.ID}
	})
}

func (s invitationStore) Update(ctx context.Context, i account.Invitation) error {
	return s.inTenant(ctx, i.Change(), i.ID, tenantOfInvitation, func(ctx context.Context, c conn, event event.Event) error {
		return invitations.put(ctx, c, &i, event, "id = ?", i.ID)
	})
}

func tenantOfInvitation(ctx context.Context, c conn, id int64) (tenantID int64, err error) {
	i, err := invitationStore{c}.Invitation(ctx, id)
	return i.TenantID, err
}

// linkStore implements ports.LinkStore.
type linkStore struct{ conn }

var links = rowsOf("links", "link", func(l *account.MailLink) []member {
	return []member{
		{name: "hash", of: octets{l.Hash[:]}}, {name: "kind", of: &l.Kind}, {name: "email", of: &l.Email}, {name: "user_id", of: nullIfZero[int64]{&l.UserID}},
		{name: "created_at", of: (*instant)(&l.CreatedAt)}, {name: "expires_at", of: (*instant)(&l.ExpiresAt)},
	}
})

func (s linkStore) Link(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	return links.one(ctx, s.conn, " WHERE hash = ?", hash[:])
}

// Take is one statement, so that one of several callers gets the row.
func (s linkStore) Take(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	taken, err := links.changed(ctx, s.conn, "DELETE FROM links WHERE hash = ?", hash[:])
	if err == nil && len(taken) == 0 {
		err = core.NotFound("link")
	}
	if err != nil {
		return account.MailLink{}, err
	}
	return taken[0], nil
}

func (s linkStore) Insert(ctx context.Context, l account.MailLink) error {
	text, args := links.insert(&l)
	_, err := s.do(ctx, links.thing, text, args...)
	return err
}

func (s linkStore) Forget(ctx context.Context, kind account.MailLinkKind, email string, userID int64) error {
	_, err := s.do(ctx, links.thing, "DELETE FROM links WHERE kind = ? AND (email = ? OR user_id = ?)", kind, email, userID)
	return err
}
