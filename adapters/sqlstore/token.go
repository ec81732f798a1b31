package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// tokenStore implements ports.TokenStore.
type tokenStore struct{ conn }

type tokenRow struct {
	bun.BaseModel `bun:"table:tokens,alias:t"`

	ID           int64 `bun:",pk,autoincrement"`
	ProjectID    int64
	Name         string
	Hash         []byte
	Hint         string
	Abilities    encoded[[]core.Ability]
	AllowDrafts  bool
	AllowHistory bool
	RateLimit    *int
	ExpiresAt    instant
	LastUsedAt   instant
	RevokedAt    instant
	CreatedBy    int64 `bun:",nullzero"`
	CreatedAt    instant
}

func newTokenRow(t core.Token) *tokenRow {
	return &tokenRow{
		ID: t.ID, ProjectID: t.ProjectID, Name: t.Name, Hash: t.Hash[:], Hint: t.Hint,
		Abilities: encoded[[]core.Ability]{t.Abilities}, AllowDrafts: t.AllowDrafts, AllowHistory: t.AllowHistory, RateLimit: t.RateLimit,
		ExpiresAt: instant(t.ExpiresAt), LastUsedAt: instant(t.LastUsedAt), RevokedAt: instant(t.RevokedAt),
		CreatedBy: t.CreatedBy, CreatedAt: instant(t.CreatedAt),
	}
}

func (r tokenRow) core() core.Token {
	return core.Token{
		ID: r.ID, ProjectID: r.ProjectID, Name: r.Name, Hash: [32]byte(r.Hash), Hint: r.Hint,
		Abilities: r.Abilities.v, AllowDrafts: r.AllowDrafts, AllowHistory: r.AllowHistory, RateLimit: r.RateLimit,
		ExpiresAt: time.Time(r.ExpiresAt), LastUsedAt: time.Time(r.LastUsedAt), RevokedAt: time.Time(r.RevokedAt),
		CreatedBy: r.CreatedBy, CreatedAt: time.Time(r.CreatedAt),
	}
}

func (s tokenStore) Tokens(ctx context.Context, projectID int64) ([]core.Token, error) {
	return all[tokenRow](ctx, s.conn, "token", byID("project_id = ?", projectID))
}

func (s tokenStore) Token(ctx context.Context, projectID, id int64) (core.Token, error) {
	return one[tokenRow](ctx, s.conn, "token", where("project_id = ? AND id = ?", projectID, id))
}

func (s tokenStore) TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error) {
	return one[tokenRow](ctx, s.conn, "token", where("hash = ?", hash[:]))
}

func (s tokenStore) Lock(ctx context.Context, projectID, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM tokens WHERE project_id = $1 AND id = $2"+s.db.dialect.LockUpdate(), projectID, id)
}

func (s tokenStore) Insert(ctx context.Context, t *core.Token) error {
	r := newTokenRow(*t)
	r.ID = 0
	err := s.insert(ctx, r, "token", func() core.Event {
		return core.Event{Type: core.EventTokenCreated, ProjectID: r.ProjectID, SubjectID: r.ID}
	})
	t.ID = r.ID
	return err
}

func (s tokenStore) Update(ctx context.Context, t core.Token) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewUpdate().Model(newTokenRow(t)).
			Column("name", "abilities", "allow_drafts", "allow_history", "rate_limit", "expires_at", "revoked_at").
			Where("project_id = ? AND id = ?", t.ProjectID, t.ID).Exec(ctx)
		if err != nil {
			return c.db.fault(err, "token")
		}
		return c.affected(result, "token", core.TokenEvent(t))
	})
}

// useRow is a token's last use.
type useRow struct {
	ID     int64
	UsedAt int64
}

// Touch is one statement. It always runs in a transaction, which is retried after a deadlock:
// another replica may update the same tokens in another order.
func (s tokenStore) Touch(ctx context.Context, used map[int64]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	if s.tx == nil {
		return s.change(ctx, func(ctx context.Context, c conn) error { return tokenStore{c}.Touch(ctx, used) })
	}
	rows := make([]useRow, 0, len(used))
	for id, at := range used {
		rows = append(rows, useRow{ID: id, UsedAt: at.UnixMilli()})
	}
	_, err := s.write.NewUpdate().With("used", s.write.NewValues(&rows)).Table("tokens").TableExpr("used").
		Set("last_used_at = used.used_at").Where("tokens.id = used.id").
		Where("tokens.last_used_at IS NULL OR tokens.last_used_at < used.used_at").Exec(ctx)
	return s.db.fault(err, "token")
}
