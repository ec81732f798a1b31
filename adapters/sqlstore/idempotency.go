package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/ports"
)

// idempotencyStore implements ports.IdempotencyStore.
type idempotencyStore struct{ conn }

var _ ports.IdempotencyStore = idempotencyStore{}

type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:k"`

	Caller      string `bun:",pk"`
	Key         []byte `bun:",pk"`
	Fingerprint []byte
	ClaimedAt   instant
	Status      int `bun:",nullzero"`
	Header      encoded[map[string]string]
	Body        []byte
}

func (r idempotencyRow) core() ports.IdempotentRequest {
	return ports.IdempotentRequest{
		Fingerprint: [32]byte(r.Fingerprint),
		Answer:      ports.Answer{Status: r.Status, Header: r.Header.v, Body: r.Body},
	}
}

const ofKey = "caller = ? AND key = ?"

func (s idempotencyStore) Begin(
	ctx context.Context, key ports.IdempotencyKey, fingerprint [32]byte, expiry time.Duration,
) (claimed bool, kept ports.IdempotentRequest, err error) {
	for {
		claimed, err = s.claim(ctx, key, fingerprint, expiry)
		if claimed || err != nil {
			return claimed, kept, err
		}
		kept, err = one[idempotencyRow](ctx, s.conn, "idempotency key", where(ofKey, key.Caller, []byte(key.Key)))
		if !errors.Is(err, core.ErrNotFound) { // else it was given back in between
			return false, kept, err
		}
	}
}

// claim takes the key unless it is taken, or the one who has it let it expire.
func (s idempotencyStore) claim(ctx context.Context, key ports.IdempotencyKey, fingerprint [32]byte, expiry time.Duration) (bool, error) {
	now := bun.Safe(s.db.dialect.Now())
	result, err := s.write.NewRaw("INSERT INTO idempotency_keys AS k (caller, key, fingerprint, claimed_at, header) VALUES (?, ?, ?, ?, '{}')"+
		" ON CONFLICT (caller, key) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, claimed_at = EXCLUDED.claimed_at"+
		" WHERE k.status IS NULL AND k.claimed_at < ? - ?",
		key.Caller, []byte(key.Key), fingerprint[:], now, now, expiry.Milliseconds()).Exec(ctx)
	if err != nil {
		return false, s.db.fault(err, "idempotency key")
	}
	n, err := result.RowsAffected()
	return n > 0, s.db.fault(err, "idempotency key")
}

func (s idempotencyStore) Finish(ctx context.Context, key ports.IdempotencyKey, answer ports.Answer) error {
	result, err := s.write.NewUpdate().Model(&idempotencyRow{
		Status: answer.Status, Header: encoded[map[string]string]{answer.Header}, Body: answer.Body,
	}).Column("status", "header", "body").Where(ofKey, key.Caller, []byte(key.Key)).Exec(ctx)
	if err != nil {
		return s.db.fault(err, "idempotency key")
	}
	return s.found(result, "idempotency key")
}

func (s idempotencyStore) Abandon(ctx context.Context, key ports.IdempotencyKey) error {
	return s.clear(ctx, ofKey, key.Caller, []byte(key.Key))
}

func (s idempotencyStore) DeleteBefore(ctx context.Context, t time.Time) error {
	return s.clear(ctx, "claimed_at < ?", instant(t))
}

func (s idempotencyStore) clear(ctx context.Context, condition string, args ...any) error {
	_, err := s.write.NewDelete().Model((*idempotencyRow)(nil)).Where(condition, args...).Exec(ctx)
	return s.db.fault(err, "idempotency key")
}
