package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/ports"
)

// idempotencyStore implements ports.IdempotencyStore.
type idempotencyStore struct{ conn }

type idempotencyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:k"`

	Caller      string `bun:",pk"`
	Key         []byte `bun:",pk"`
	Fingerprint []byte
	ClaimedAt   instant
	Status      *int // nil: in progress; 0: took effect, no response yet; otherwise the response status
	Header      encoded[map[string]string]
	Body        []byte
	Expired     bool `bun:",scanonly"`
}

func (r idempotencyRow) core() ports.IdempotentRequest {
	known := ports.IdempotentRequest{Fingerprint: [32]byte(r.Fingerprint)}
	if r.Status != nil {
		known.Response = ports.StoredResponse{Status: *r.Status, Header: r.Header.v, Body: r.Body}
		known.Lost = *r.Status == 0 && r.Expired
	}
	if known.Response.Status == 0 {
		known.Response = ports.StoredResponse{}
	}
	return known
}

const (
	ofKey   = "caller = ? AND key = ?"
	ofClaim = ofKey + " AND claimed_at = ?"
)

func (s idempotencyStore) Begin(
	ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration,
) (claim *core.IdempotencyClaim, kept ports.IdempotentRequest, err error) {
	for {
		claim, err = s.claim(ctx, key, fingerprint, expiry)
		if claim != nil || err != nil {
			return claim, kept, err
		}
		kept, err = one[idempotencyRow](ctx, s.conn, "idempotency key", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Column("fingerprint", "status", "header", "body").
				ColumnExpr("claimed_at < ? - ? AS expired", bun.Safe(s.db.dialect.Now()), expiry.Milliseconds()).
				Where(ofKey, key.Caller, []byte(key.Key))
		})
		if !errors.Is(err, core.ErrNotFound) { // not found: the claim was released since
			return nil, kept, err
		}
	}
}

// claim claims the key. It returns nil if another request has claimed it, unless that claim has
// expired.
func (s idempotencyStore) claim(
	ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration,
) (*core.IdempotencyClaim, error) {
	now := bun.Safe(s.db.dialect.Now())
	var at instant
	err := s.write.NewRaw("INSERT INTO idempotency_keys AS k (caller, key, fingerprint, claimed_at, header) VALUES (?, ?, ?, ?, '{}')"+
		" ON CONFLICT (caller, key) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, claimed_at = EXCLUDED.claimed_at"+
		" WHERE k.status IS NULL AND k.claimed_at < ? - ? RETURNING claimed_at",
		key.Caller, []byte(key.Key), fingerprint[:], now, now, expiry.Milliseconds()).Scan(ctx, &at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, s.db.fault(err, "idempotency key")
	}
	return &core.IdempotencyClaim{Key: key, At: time.Time(at)}, nil
}

func (s idempotencyStore) TakeEffect(ctx context.Context, claim core.IdempotencyClaim) error {
	err := s.update(ctx, claim, func(q *bun.UpdateQuery) *bun.UpdateQuery { return q.Set("status = 0").Where("coalesce(status, 0) = 0") })
	if errors.Is(err, core.ErrNotFound) {
		return core.Conflict("idempotency_key_taken", "another request has claimed this idempotency key")
	}
	return err
}

func (s idempotencyStore) Finish(ctx context.Context, claim core.IdempotencyClaim, answer ports.StoredResponse) error {
	return s.update(ctx, claim, func(q *bun.UpdateQuery) *bun.UpdateQuery {
		return q.Set("status = ?", answer.Status).Set("header = ?", encoded[map[string]string]{answer.Header}).Set("body = ?", answer.Body)
	})
}

// update changes the row of a claim. It returns not found if the claim has been replaced.
func (s idempotencyStore) update(ctx context.Context, claim core.IdempotencyClaim, change func(*bun.UpdateQuery) *bun.UpdateQuery) error {
	result, err := change(s.write.NewUpdate().Model((*idempotencyRow)(nil))).
		Where(ofClaim, claim.Key.Caller, []byte(claim.Key.Key), instant(claim.At)).Exec(ctx)
	if err != nil {
		return s.db.fault(err, "idempotency key")
	}
	return s.found(result, "idempotency key")
}

func (s idempotencyStore) Abandon(ctx context.Context, claim core.IdempotencyClaim) error {
	_, err := s.discard(ctx, (*idempotencyRow)(nil), "idempotency key",
		ofClaim+" AND status IS NULL", claim.Key.Caller, []byte(claim.Key.Key), instant(claim.At))
	return err
}
