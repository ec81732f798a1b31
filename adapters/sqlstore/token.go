package sqlstore

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

// tokenStore implements ports.TokenStore.
type tokenStore struct{ conn }

var tokens = rowsOf("tokens", "token", func(t *core.Token) []member {
	return []member{
		{name: "id", kind: "bigint", of: &t.ID, fixed: true},
		{name: "project_id", kind: "bigint", of: &t.ProjectID, fixed: true},
		{name: "name", kind: "text", of: &t.Name},
		{name: "hash", kind: "bytea", of: octets{t.Hash[:]}, fixed: true},
		{name: "hint", kind: "text", of: &t.Hint, fixed: true},
		{name: "abilities", kind: "text", of: inJSON[[]core.Ability]{&t.Abilities}},
		{name: "allow_drafts", kind: "boolean", of: &t.AllowDrafts},
		{name: "allow_history", kind: "boolean", of: &t.AllowHistory},
		{name: "allow_schema", kind: "text", of: &t.AllowSchema, fixed: true},
		{name: "rate_limit", kind: "bigint", of: &t.RateLimit},
		{name: "expires_at", kind: "bigint", of: (*instant)(&t.ExpiresAt)},
		{name: "last_used_at", kind: "bigint", of: (*instant)(&t.LastUsedAt), fixed: true},
		{name: "revoked_at", kind: "bigint", of: (*instant)(&t.RevokedAt)},
		{name: "off", kind: "boolean", of: &t.Off},
		{name: "created_by", kind: "bigint", of: nullIfZero[int64]{&t.CreatedBy}, fixed: true},
		{name: "created_at", kind: "bigint", of: (*instant)(&t.CreatedAt), fixed: true},
	}
})

func (s tokenStore) Tokens(ctx context.Context, projectID int64) ([]core.Token, error) {
	return tokens.all(ctx, s.conn, " WHERE project_id = ? ORDER BY id", projectID)
}

func (s tokenStore) Token(ctx context.Context, projectID, id int64) (core.Token, error) {
	return tokens.one(ctx, s.conn, " WHERE project_id = ? AND id = ?", projectID, id)
}

func (s tokenStore) TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error) {
	return tokens.one(ctx, s.conn, " WHERE hash = ?", hash[:])
}

func (s tokenStore) TokensOf(ctx context.Context, userID int64) ([]core.Token, error) {
	return tokens.all(ctx, s.conn, " WHERE created_by = ? AND revoked_at IS NULL ORDER BY project_id, id", userID)
}

func (s tokenStore) Lock(ctx context.Context, projectID, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM tokens WHERE project_id = @project AND id = ?"+s.forUpdate(), projectID, id)
}

func (s tokenStore) Insert(ctx context.Context, t *core.Token) error {
	return tokens.add(ctx, s.conn, t, &t.ID, func() event.Event {
		return event.Event{Type: event.TokenCreated, ProjectID: t.ProjectID, SubjectID: t.ID}
	})
}

func (s tokenStore) Update(ctx context.Context, t core.Token) error {
	return tokens.put(ctx, s.conn, &t, event.OfToken(t), "project_id = ? AND id = ?", t.ProjectID, t.ID)
}

// usedTokens are the uses of tokens that Touch adds.
var usedTokens = newTable("", "id bigint", "reads bigint", "writes bigint")

// Touch always runs in a transaction, which is retried after a deadlock: another replica may update the
// same tokens in another order.
func (s tokenStore) Touch(ctx context.Context, day time.Time, uses []core.TokenUse) error {
	if len(uses) == 0 {
		return nil
	}
	return s.change(ctx, func(ctx context.Context, c conn) error {
		err := c.touch(ctx, "tokens", "last_used_at", mapped(uses, func(use core.TokenUse) []any { return []any{use.TokenID, use.UsedAt.UnixMilli()} }))
		added := mapped(uses, func(use core.TokenUse) []any { return []any{use.TokenID, use.Reads, use.Writes} })
		for some := range chunks(added, len(usedTokens.Columns)) {
			if err == nil {
				_, err = c.exec(ctx, "INSERT INTO token_usage AS u (project_id, token_id, day, reads, writes)"+
					" SELECT t.project_id, t.id, CAST(? AS bigint), v.column2, v.column3 FROM (?) AS v JOIN tokens t ON t.id = v.column1 WHERE v.column2 + v.column3 > 0"+
					" ON CONFLICT (project_id, token_id, day) DO UPDATE SET reads = u.reads + EXCLUDED.reads, writes = u.writes + EXCLUDED.writes",
					day.UnixMilli(), rowList{usedTokens.Types, some})
			}
		}
		return c.db.fault(err, tokens.thing)
	})
}

func (s tokenStore) Usage(ctx context.Context, projectID, id int64, from time.Time) ([]core.TokenUsage, error) {
	return collect(ctx, s.conn, into(func(u *core.TokenUsage) []any { return []any{(*instant)(&u.Day), &u.Reads, &u.Writes} }),
		"SELECT day, reads, writes FROM token_usage WHERE project_id = ? AND token_id = ? AND day >= ? ORDER BY day", projectID, id, from.UnixMilli())
}
