package identity

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// tokenStore implements ports.TokenStore.
type tokenStore struct{ sqldb.Conn }

// Tokens is the table of tokens.
var Tokens = sqldb.NewTableOf("tokens", "token", func(t *core.Token) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &t.ID, Fixed: true},
		{Name: "project_id", Kind: "bigint", Of: &t.ProjectID, Fixed: true},
		{Name: "name", Kind: "text", Of: &t.Name},
		{Name: "hash", Kind: "bytea", Of: sqldb.Octets(t.Hash[:]), Fixed: true},
		{Name: "hint", Kind: "text", Of: &t.Hint, Fixed: true},
		{Name: "abilities", Kind: "text", Of: sqldb.InJSON(&t.Abilities)},
		{Name: "allow_drafts", Kind: "boolean", Of: &t.AllowDrafts},
		{Name: "allow_history", Kind: "boolean", Of: &t.AllowHistory},
		{Name: "allow_schema", Kind: "text", Of: &t.AllowSchema, Fixed: true},
		{Name: "rate_limit", Kind: "bigint", Of: &t.RateLimit},
		{Name: "expires_at", Kind: "bigint", Of: (*sqldb.Instant)(&t.ExpiresAt)},
		{Name: "last_used_at", Kind: "bigint", Of: (*sqldb.Instant)(&t.LastUsedAt), Fixed: true},
		{Name: "revoked_at", Kind: "bigint", Of: (*sqldb.Instant)(&t.RevokedAt)},
		{Name: "off", Kind: "boolean", Of: &t.Off},
		{Name: "created_by", Kind: "bigint", Of: sqldb.NullIfZero(&t.CreatedBy), Fixed: true},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&t.CreatedAt), Fixed: true},
	}
})

func (s tokenStore) Tokens(ctx context.Context, projectID int64) ([]core.Token, error) {
	return Tokens.All(ctx, s.Conn, " WHERE project_id = ? ORDER BY id", projectID)
}

func (s tokenStore) Token(ctx context.Context, projectID, id int64) (core.Token, error) {
	return Tokens.One(ctx, s.Conn, " WHERE project_id = ? AND id = ?", projectID, id)
}

func (s tokenStore) TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error) {
	return Tokens.One(ctx, s.Conn, " WHERE hash = ?", hash[:])
}

func (s tokenStore) TokensOf(ctx context.Context, userID int64) ([]core.Token, error) {
	return Tokens.All(ctx, s.Conn, " WHERE created_by = ? AND revoked_at IS NULL ORDER BY project_id, id", userID)
}

func (s tokenStore) Lock(ctx context.Context, projectID, id int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM tokens WHERE project_id = @project AND id = ?"+s.ForUpdate(), projectID, id)
}

func (s tokenStore) Insert(ctx context.Context, t *core.Token) error {
	return Tokens.Add(ctx, s.Conn, t, &t.ID, func() event.Event {
		return event.Event{Type: event.TokenCreated, ProjectID: t.ProjectID, SubjectID: t.ID}
	})
}

func (s tokenStore) Update(ctx context.Context, t core.Token) error {
	return Tokens.Put(ctx, s.Conn, &t, event.OfToken(t), "project_id = ? AND id = ?", t.ProjectID, t.ID)
}

// usedTokens are the uses of tokens that Touch adds.
var usedTokens = sqldb.NewTable("", "id bigint", "reads bigint", "writes bigint")

// Touch always runs in a transaction, which is retried after a deadlock: another replica may update the
// same tokens in another order.
func (s tokenStore) Touch(ctx context.Context, day time.Time, uses []core.TokenUse) error {
	if len(uses) == 0 {
		return nil
	}
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		err := c.Touch(ctx, "tokens", "last_used_at", sqldb.Mapped(uses, func(use core.TokenUse) []any { return []any{use.TokenID, use.UsedAt.UnixMilli()} }))
		added := sqldb.Mapped(uses, func(use core.TokenUse) []any { return []any{use.TokenID, use.Reads, use.Writes} })
		for some := range sqldb.Chunks(added, len(usedTokens.Columns)) {
			if err == nil {
				_, err = c.Exec(ctx, "INSERT INTO token_usage AS u (project_id, token_id, day, reads, writes)"+
					" SELECT t.project_id, t.id, CAST(? AS bigint), v.column2, v.column3 FROM (?) AS v JOIN tokens t ON t.id = v.column1 WHERE v.column2 + v.column3 > 0"+
					" ON CONFLICT (project_id, token_id, day) DO UPDATE SET reads = u.reads + EXCLUDED.reads, writes = u.writes + EXCLUDED.writes",
					day.UnixMilli(), sqldb.RowList{Types: usedTokens.Types, Rows: some})
			}
		}
		return c.DB.Fault(err, Tokens.Thing)
	})
}

func (s tokenStore) Usage(ctx context.Context, projectID, id int64, from time.Time) ([]core.TokenUsage, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(u *core.TokenUsage) []any { return []any{(*sqldb.Instant)(&u.Day), &u.Reads, &u.Writes} }),
		"SELECT day, reads, writes FROM token_usage WHERE project_id = ? AND token_id = ? AND day >= ? ORDER BY day", projectID, id, from.UnixMilli())
}
