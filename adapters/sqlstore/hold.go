package sqlstore

import (
	"context"
	"time"
)

// holdStore implements ports.HoldStore.
type holdStore struct{ conn }

func (s holdStore) Keep(ctx context.Context, id string, lifetime time.Duration) error {
	return s.statement(ctx, "INSERT INTO holds (id, expires_at) VALUES (?, "+s.db.dialect.Now()+" + ?)"+
		" ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at", id, lifetime.Milliseconds())
}

func (s holdStore) End(ctx context.Context, id string) error {
	return s.statement(ctx, "DELETE FROM holds WHERE id = ? OR expires_at <= "+s.db.dialect.Now(), id)
}

func (s holdStore) statement(ctx context.Context, text string, args ...any) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		_, err := c.exec(ctx, text, args...)
		return s.db.fault(err, "hold")
	})
}

func (s holdStore) Held(ctx context.Context) (bool, error) {
	return value[bool](ctx, s.conn, "SELECT EXISTS (SELECT 1 FROM holds WHERE expires_at > "+s.db.dialect.Now()+")")
}
