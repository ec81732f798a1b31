package sqlstore

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
)

// holdStore implements ports.HoldStore.
type holdStore struct{ sqldb.Conn }

func (s holdStore) Keep(ctx context.Context, id string, lifetime time.Duration) error {
	return s.statement(ctx, "INSERT INTO holds (id, expires_at) VALUES (?, "+s.DB.Dialect.Now()+" + ?)"+
		" ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at", id, lifetime.Milliseconds())
}

func (s holdStore) End(ctx context.Context, id string) error {
	return s.statement(ctx, "DELETE FROM holds WHERE id = ? OR expires_at <= "+s.DB.Dialect.Now(), id)
}

func (s holdStore) statement(ctx context.Context, text string, args ...any) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		_, err := c.Exec(ctx, text, args...)
		return s.DB.Fault(err, "hold")
	})
}

func (s holdStore) Held(ctx context.Context) (bool, error) {
	return sqldb.Value[bool](ctx, s.Conn, "SELECT EXISTS (SELECT 1 FROM holds WHERE expires_at > "+s.DB.Dialect.Now()+")")
}
