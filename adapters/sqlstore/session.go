package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// sessionStore implements ports.SessionStore.
type sessionStore struct{ conn }

type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`

	Hash      []byte `bun:",pk"`
	UserID    int64
	CreatedAt instant
	ExpiresAt instant
}

func (r sessionRow) core() core.Session {
	return core.Session{
		Hash: [32]byte(r.Hash), UserID: r.UserID, CreatedAt: time.Time(r.CreatedAt), ExpiresAt: time.Time(r.ExpiresAt),
	}
}

func (s sessionStore) Insert(ctx context.Context, session core.Session) error {
	return s.insert(ctx, &sessionRow{
		Hash: session.Hash[:], UserID: session.UserID,
		CreatedAt: instant(session.CreatedAt), ExpiresAt: instant(session.ExpiresAt),
	}, "session")
}

func (s sessionStore) Session(ctx context.Context, hash [32]byte) (core.Session, error) {
	return one[sessionRow](ctx, s.conn, "session", where("hash = ?", hash[:]))
}

func (s sessionStore) Delete(ctx context.Context, hash [32]byte) error {
	return s.clear(ctx, "hash = ?", hash[:])
}

func (s sessionStore) DeleteByUser(ctx context.Context, userID int64) error {
	return s.clear(ctx, "user_id = ?", userID)
}

func (s sessionStore) DeleteExpired(ctx context.Context, now time.Time) error {
	return s.clear(ctx, "expires_at < ?", now.UnixMilli())
}

func (s sessionStore) clear(ctx context.Context, condition string, arg any) error {
	_, err := s.write.NewDelete().Model((*sessionRow)(nil)).Where(condition, arg).Exec(ctx)
	return s.db.fault(err, "session")
}
