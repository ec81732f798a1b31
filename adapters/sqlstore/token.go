package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
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
	AllowSchema  core.SchemaAccess
	RateLimit    *int
	ExpiresAt    instant
	LastUsedAt   instant
	RevokedAt    instant
	Off          bool
	CreatedBy    int64 `bun:",nullzero"`
	CreatedAt    instant
}

func newTokenRow(t core.Token) *tokenRow {
	return &tokenRow{
		ID: t.ID, ProjectID: t.ProjectID, Name: t.Name, Hash: t.Hash[:], Hint: t.Hint,
		Abilities: encoded[[]core.Ability]{t.Abilities}, AllowDrafts: t.AllowDrafts, AllowHistory: t.AllowHistory, AllowSchema: t.AllowSchema, RateLimit: t.RateLimit,
		ExpiresAt: instant(t.ExpiresAt), LastUsedAt: instant(t.LastUsedAt), RevokedAt: instant(t.RevokedAt), Off: t.Off,
		CreatedBy: t.CreatedBy, CreatedAt: instant(t.CreatedAt),
	}
}

func (r tokenRow) core() core.Token {
	return core.Token{
		ID: r.ID, ProjectID: r.ProjectID, Name: r.Name, Hash: [32]byte(r.Hash), Hint: r.Hint,
		Abilities: r.Abilities.v, AllowDrafts: r.AllowDrafts, AllowHistory: r.AllowHistory, AllowSchema: r.AllowSchema, RateLimit: r.RateLimit,
		ExpiresAt: time.Time(r.ExpiresAt), LastUsedAt: time.Time(r.LastUsedAt), RevokedAt: time.Time(r.RevokedAt), Off: r.Off,
		CreatedBy: r.CreatedBy, CreatedAt: time.Time(r.CreatedAt),
	}
}

func (s tokenStore) Tokens(ctx context.Context, projectID int64) ([]core.Token, error) {
	return all[tokenRow](ctx, s.conn, "token", ordered("id", "project_id = ?", projectID))
}

func (s tokenStore) Token(ctx context.Context, projectID, id int64) (core.Token, error) {
	return one[tokenRow](ctx, s.conn, "token", where("project_id = ? AND id = ?", projectID, id))
}

func (s tokenStore) TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error) {
	return one[tokenRow](ctx, s.conn, "token", where("hash = ?", hash[:]))
}

func (s tokenStore) TokensOf(ctx context.Context, userID int64) ([]core.Token, error) {
	return all[tokenRow](ctx, s.conn, "token", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("created_by = ? AND revoked_at IS NULL", userID).Order("project_id", "id")
	})
}

func (s tokenStore) Lock(ctx context.Context, projectID, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM tokens WHERE project_id = @project AND id = ?"+s.forUpdate(), projectID, id)
}

func (s tokenStore) Insert(ctx context.Context, t *core.Token) error {
	r := newTokenRow(*t)
	return s.insert(ctx, newRow{r, &r.ID, &t.ID}, "token", func() event.Event {
		return event.Event{Type: event.TokenCreated, ProjectID: r.ProjectID, SubjectID: r.ID}
	})
}

func (s tokenStore) Update(ctx context.Context, t core.Token) error {
	return s.updateBy(ctx, s.write.NewUpdate().Model(newTokenRow(t)).
		Column("name", "abilities", "allow_drafts", "allow_history", "rate_limit", "expires_at", "revoked_at", "off").
		Where("project_id = ? AND id = ?", t.ProjectID, t.ID), "token", event.OfToken(t))
}

// useRow is the use of a token that Touch adds.
type useRow struct {
	ID     int64
	UsedAt int64
	Reads  int64
	Writes int64
}

// usageRow is the usage of a token on a day.
type usageRow struct {
	bun.BaseModel `bun:"table:token_usage,alias:u"`

	Day    instant
	Reads  int64
	Writes int64
}

func (r usageRow) core() core.TokenUsage {
	return core.TokenUsage{Day: time.Time(r.Day), Reads: r.Reads, Writes: r.Writes}
}

// Touch is two statements. They always run in a transaction, which is retried after a deadlock:
// another replica may update the same tokens in another order.
func (s tokenStore) Touch(ctx context.Context, day time.Time, uses []core.TokenUse) error {
	if len(uses) == 0 {
		return nil
	}
	rows := mapped(uses, func(use core.TokenUse) useRow {
		return useRow{ID: use.TokenID, UsedAt: use.UsedAt.UnixMilli(), Reads: use.Reads, Writes: use.Writes}
	})
	return s.change(ctx, func(ctx context.Context, c conn) error {
		used := c.write.NewValues(&rows)
		_, err := c.write.NewUpdate().With("used", used).Table("tokens").TableExpr("used").
			Set("last_used_at = used.used_at").Where("tokens.id = used.id").
			Where("coalesce(tokens.last_used_at, 0) < used.used_at").Exec(ctx)
		if err == nil {
			_, err = c.write.NewRaw("WITH used (id, used_at, reads, writes) AS (?) INSERT INTO token_usage AS u (project_id, token_id, day, reads, writes)"+
				" SELECT t.project_id, t.id, ?, used.reads, used.writes FROM used JOIN tokens t ON t.id = used.id WHERE used.reads + used.writes > 0"+
				" ON CONFLICT (project_id, token_id, day) DO UPDATE SET reads = u.reads + EXCLUDED.reads, writes = u.writes + EXCLUDED.writes",
				used, day.UnixMilli()).Exec(ctx)
		}
		return c.db.fault(err, "token")
	})
}

func (s tokenStore) Usage(ctx context.Context, projectID, id int64, from time.Time) ([]core.TokenUsage, error) {
	return all[usageRow](ctx, s.conn, "token", ordered("day", "project_id = ? AND token_id = ? AND day >= ?", projectID, id, from.UnixMilli()))
}
