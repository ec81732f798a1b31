package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/assistant"
	"imprimatur/core/event"
)

// assistantStore implements ports.AssistantStore.
type assistantStore struct{ conn }

type assistantRow struct {
	bun.BaseModel `bun:"table:assistants"`

	ID        int64 `bun:",pk,autoincrement"`
	UserID    int64
	TenantID  int64
	Name      string
	Hash      []byte
	Hint      string
	Projects  encoded[[]int64]
	Drafts    bool
	CreatedAt instant
	ExpiresAt instant
	RevokedAt instant
}

func (r assistantRow) core() core.Assistant {
	return core.Assistant{
		ID: r.ID, UserID: r.UserID, TenantID: r.TenantID, Name: r.Name, Hash: [32]byte(r.Hash), Hint: r.Hint, ProjectIDs: r.Projects.v, Drafts: r.Drafts,
		CreatedAt: time.Time(r.CreatedAt), ExpiresAt: time.Time(r.ExpiresAt), RevokedAt: time.Time(r.RevokedAt),
	}
}

func (s assistantStore) AssistantsOf(ctx context.Context, userID int64) ([]core.Assistant, error) {
	return all[assistantRow](ctx, s.conn, "assistant", ordered("id", "user_id = ?", userID))
}

func (s assistantStore) Assistant(ctx context.Context, id int64) (core.Assistant, error) {
	return one[assistantRow](ctx, s.conn, "assistant", where("id = ?", id))
}

func (s assistantStore) AssistantByHash(ctx context.Context, hash [32]byte) (core.Assistant, error) {
	return one[assistantRow](ctx, s.conn, "assistant", where("hash = ?", hash[:]))
}

func (s assistantStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM assistants WHERE id = ?"+s.forUpdate(), id)
}

func (s assistantStore) Insert(ctx context.Context, a *core.Assistant) error {
	row := &assistantRow{
		UserID: a.UserID, TenantID: a.TenantID, Name: a.Name, Hash: a.Hash[:], Hint: a.Hint, Projects: encoded[[]int64]{append([]int64{}, a.ProjectIDs...)}, Drafts: a.Drafts,
		CreatedAt: instant(a.CreatedAt), ExpiresAt: instant(a.ExpiresAt), RevokedAt: instant(a.RevokedAt),
	}
	return s.insert(ctx, newRow{row, &row.ID, &a.ID}, "assistant", func() event.Event {
		made := *a
		made.ID = row.ID
		return assistant.Changed(event.AssistantCreated, &made)
	})
}

func (s assistantStore) Revoke(ctx context.Context, a *core.Assistant) error {
	q := s.write.NewUpdate().Model((*assistantRow)(nil)).Set("revoked_at = ?", instant(a.RevokedAt)).Where("id = ? AND revoked_at IS NULL", a.ID)
	return s.updateBy(ctx, q, "assistant", assistant.Changed(event.AssistantRevoked, a))
}
