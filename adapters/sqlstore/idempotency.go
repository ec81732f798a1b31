package sqlstore

import (
	"context"
	"errors"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/ports"
)

// idempotencyStore implements ports.IdempotencyStore.
type idempotencyStore struct{ sqldb.Conn }

// scanKept scans the fingerprint, the status, whether the claim has expired, the header and the body of a request. The status is
// NULL of one in progress, and 0 of one that took effect and has no response yet.
func scanKept(from sqldb.Rows) (kept ports.IdempotentRequest, err error) {
	var status *int
	var expired bool
	var header sqldb.Encoded[map[string]string]
	var body []byte
	err = from.Scan(sqldb.Octets(kept.Fingerprint[:]), &status, &expired, &header, &body)
	if status != nil && *status != 0 {
		kept.Response = ports.StoredResponse{Status: *status, Header: header.V, Body: body}
	}
	kept.Lost = status != nil && *status == 0 && expired
	return kept, err
}

const (
	ofKey   = "caller = @caller AND key = @key"
	ofClaim = ofKey + " AND claimed_at = @claimed"

	idempotencyKey = "idempotency key"
)

func (s idempotencyStore) Begin(
	ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration,
) (claim *core.IdempotencyClaim, kept ports.IdempotentRequest, err error) {
	for {
		claim, err = s.claim(ctx, key, fingerprint, expiry)
		if claim != nil || err != nil {
			return claim, kept, err
		}
		kept, err = sqldb.Single(ctx, s.Conn, idempotencyKey, scanKept,
			"SELECT fingerprint, status, claimed_at < "+s.DB.Dialect.Now()+" - @expiry, header, body FROM idempotency_keys WHERE "+ofKey,
			sqldb.As("caller", key.Caller), sqldb.As("key", []byte(key.Key)), sqldb.As("expiry", expiry.Milliseconds()))
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
	now := s.DB.Dialect.Now()
	at, err := sqldb.Returned(ctx, s.Conn, idempotencyKey, sqldb.ScanValue[sqldb.Instant],
		"INSERT INTO idempotency_keys AS k (caller, key, fingerprint, claimed_at, header) VALUES (?, ?, ?, "+now+", '{}')"+
			" ON CONFLICT (caller, key) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, claimed_at = EXCLUDED.claimed_at"+
			" WHERE k.status IS NULL AND k.claimed_at < "+now+" - ? RETURNING claimed_at",
		key.Caller, []byte(key.Key), fingerprint[:], expiry.Milliseconds())
	if err != nil || len(at) == 0 {
		return nil, err
	}
	return &core.IdempotencyClaim{Key: key, At: time.Time(at[0])}, nil
}

func (s idempotencyStore) TakeEffect(ctx context.Context, claim core.IdempotencyClaim) error {
	err := s.update(ctx, claim, "status = 0", " AND coalesce(status, 0) = 0")
	if errors.Is(err, core.ErrNotFound) {
		return core.Conflict("idempotency_key_taken", "another request has claimed this idempotency key")
	}
	return err
}

func (s idempotencyStore) Finish(ctx context.Context, claim core.IdempotencyClaim, answer ports.StoredResponse) error {
	return s.update(ctx, claim, "status = ?, header = ?, body = ?", "", answer.Status, sqldb.Encode(answer.Header), answer.Body)
}

// update changes the row of a claim. It returns not found if the claim has been replaced.
func (s idempotencyStore) update(ctx context.Context, claim core.IdempotencyClaim, set, condition string, args ...any) error {
	return s.Must(ctx, idempotencyKey, "UPDATE idempotency_keys SET "+set+" WHERE "+ofClaim+condition, append(args, ofClaimed(claim)...)...)
}

// ofClaimed returns the arguments of ofClaim.
func ofClaimed(claim core.IdempotencyClaim) []any {
	return []any{sqldb.As("caller", claim.Key.Caller), sqldb.As("key", []byte(claim.Key.Key)), sqldb.As("claimed", sqldb.Instant(claim.At))}
}

func (s idempotencyStore) Abandon(ctx context.Context, claim core.IdempotencyClaim) error {
	_, err := s.Do(ctx, idempotencyKey, "DELETE FROM idempotency_keys WHERE "+ofClaim+" AND status IS NULL", ofClaimed(claim)...)
	return err
}
