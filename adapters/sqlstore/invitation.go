package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// invitationStore implements ports.InvitationStore.
type invitationStore struct{ conn }

type invitationRow struct {
	bun.BaseModel `bun:"table:invitations,alias:i"`

	ID          int64 `bun:",pk,autoincrement"`
	Hash        []byte
	Email       string
	Name        string
	Language    string
	TenantID    int64
	Grants      encoded[[]invitedTo]
	CustomRoles encoded[[]int64]
	InvitedBy   int64
	CreatedAt   instant
	ExpiresAt   instant
	AcceptedAt  instant
	AcceptedBy  int64 `bun:",nullzero"`
	RevokedAt   instant
}

// invitedTo is a role in an invitation, as it is stored.
type invitedTo struct {
	Role         core.Role `json:"role"`
	TenantID     int64     `json:"tenantId,omitempty"`
	DepartmentID int64     `json:"departmentId,omitempty"`
	ProjectID    int64     `json:"projectId,omitempty"`
}

func newInvitationRow(i account.Invitation) *invitationRow {
	return &invitationRow{
		ID: i.ID, Hash: i.Hash[:], Email: i.Email, Name: i.Name, Language: i.Language, TenantID: i.TenantID,
		Grants:      encoded[[]invitedTo]{mapped(i.Grants, func(g core.Grant) invitedTo { return invitedTo{g.Role, g.TenantID, g.DepartmentID, g.ProjectID} })},
		CustomRoles: encoded[[]int64]{append([]int64{}, i.CustomRoles...)}, InvitedBy: i.InvitedBy, CreatedAt: instant(i.CreatedAt), ExpiresAt: instant(i.ExpiresAt),
		AcceptedAt: instant(i.AcceptedAt), AcceptedBy: i.AcceptedBy, RevokedAt: instant(i.RevokedAt),
	}
}

func (r invitationRow) core() account.Invitation {
	return account.Invitation{
		ID: r.ID, Hash: [32]byte(r.Hash), Email: r.Email, Name: r.Name, Language: r.Language, TenantID: r.TenantID,
		Grants: mapped(r.Grants.v, func(g invitedTo) core.Grant {
			return core.Grant{Role: g.Role, TenantID: g.TenantID, DepartmentID: g.DepartmentID, ProjectID: g.ProjectID}
		}),
		CustomRoles: r.CustomRoles.v, InvitedBy: r.InvitedBy, CreatedAt: time.Time(r.CreatedAt), ExpiresAt: time.Time(r.ExpiresAt),
		AcceptedAt: time.Time(r.AcceptedAt), AcceptedBy: r.AcceptedBy, RevokedAt: time.Time(r.RevokedAt),
	}
}

func (s invitationStore) Invitations(ctx context.Context, q ports.InvitationQuery) ([]account.Invitation, error) {
	return all[invitationRow](ctx, s.conn, "invitation", func(sel *bun.SelectQuery) *bun.SelectQuery {
		if !q.All {
			sel = sel.WhereGroup(" AND ", func(sel *bun.SelectQuery) *bun.SelectQuery {
				sel = sel.Where("invited_by = ?", q.InvitedBy)
				if len(q.TenantIDs) > 0 {
					sel = sel.WhereOr("tenant_id IN (?)", bun.List(q.TenantIDs))
				}
				return sel
			})
		}
		if q.BeforeID != 0 {
			sel = sel.Where("id < ?", q.BeforeID)
		}
		return sel.Order("id DESC").Limit(q.Limit)
	})
}

func (s invitationStore) Invitation(ctx context.Context, id int64) (account.Invitation, error) {
	return one[invitationRow](ctx, s.conn, "invitation", where("id = ?", id))
}

func (s invitationStore) InvitationByHash(ctx context.Context, hash [32]byte) (account.Invitation, error) {
	return one[invitationRow](ctx, s.conn, "invitation", where("hash = ?", hash[:]))
}

func (s invitationStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM invitations WHERE id = ?"+s.forUpdate(), id)
}

// isOpen is the condition of open invitations at a time.
const isOpen = "accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?"

func (s invitationStore) Open(ctx context.Context, invitedBy int64, now time.Time) (int64, error) {
	n, err := s.read.NewSelect().Model((*invitationRow)(nil)).Where("invited_by = ? AND "+isOpen, invitedBy, instant(now)).Count(ctx)
	return n, s.db.fault(err, "invitation")
}

func (s invitationStore) OpenTo(ctx context.Context, email string, now time.Time) ([]account.Invitation, error) {
	return all[invitationRow](ctx, s.conn, "invitation", ordered("id", "email = ? AND "+isOpen, email, instant(now)))
}

func (s invitationStore) Insert(ctx context.Context, i *account.Invitation) error {
	added := newInvitationRow(*i)
	return s.insert(ctx, newRow{added, &added.ID, &i.ID}, "invitation", func() event.Event {
		return event.Event{Type: event.InvitationCreated, TenantID: added.TenantID, SubjectID: added.ID}
	})
}

func (s invitationStore) Update(ctx context.Context, i account.Invitation) error {
	return s.inTenant(ctx, i.Change(), i.ID, tenantOfInvitation, func(ctx context.Context, c conn, event event.Event) error {
		return c.update(ctx, newInvitationRow(i), "invitation", event, "invited_by", "hash", "expires_at", "accepted_at", "accepted_by", "revoked_at")
	})
}

func tenantOfInvitation(ctx context.Context, c conn, id int64) (tenantID int64, err error) {
	i, err := invitationStore{c}.Invitation(ctx, id)
	return i.TenantID, err
}

// linkStore implements ports.LinkStore.
type linkStore struct{ conn }

type linkRow struct {
	bun.BaseModel `bun:"table:links,alias:l"`

	Hash      []byte `bun:",pk"`
	Kind      account.MailLinkKind
	Email     string
	UserID    int64 `bun:",nullzero"`
	CreatedAt instant
	ExpiresAt instant
}

func (r linkRow) core() account.MailLink {
	return account.MailLink{Hash: [32]byte(r.Hash), Kind: r.Kind, Email: r.Email, UserID: r.UserID, CreatedAt: time.Time(r.CreatedAt), ExpiresAt: time.Time(r.ExpiresAt)}
}

func (s linkStore) Link(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	return one[linkRow](ctx, s.conn, "link", where("hash = ?", hash[:]))
}

// Take is one statement, so that one of several callers gets the row.
func (s linkStore) Take(ctx context.Context, hash [32]byte) (account.MailLink, error) {
	var taken []linkRow
	if _, err := s.write.NewDelete().Model((*linkRow)(nil)).Where("hash = ?", hash[:]).Returning("*").Exec(ctx, &taken); err != nil {
		return account.MailLink{}, s.db.fault(err, "link")
	}
	if len(taken) == 0 {
		return account.MailLink{}, core.NotFound("link")
	}
	return taken[0].core(), nil
}

func (s linkStore) Insert(ctx context.Context, l account.MailLink) error {
	row := linkRow{Hash: l.Hash[:], Kind: l.Kind, Email: l.Email, UserID: l.UserID, CreatedAt: instant(l.CreatedAt), ExpiresAt: instant(l.ExpiresAt)}
	_, err := s.write.NewInsert().Model(&row).Exec(ctx)
	return s.written(err, "link")
}

func (s linkStore) Forget(ctx context.Context, kind account.MailLinkKind, email string, userID int64) error {
	_, err := s.discard(ctx, (*linkRow)(nil), "link", "kind = ? AND (email = ? OR user_id = ?)", kind, email, userID)
	return err
}
