package ports

import (
	"context"
	"time"
)

// IdempotencyStore keeps the answers of requests that carried an Idempotency-Key,
// so that a retry has no second effect. A request claims its key, takes effect in
// a transaction that says so, and is answered; whatever breaks in between, the key
// is not free again once the effect is there.
type IdempotencyStore interface {
	// Begin claims the key for a request. When it is claimed already, claim is nil and
	// kept is what is known of it. A claim that is older than expiry is given away
	// again, unless something took effect under it.
	Begin(ctx context.Context, key IdempotencyKey, fingerprint [32]byte, expiry time.Duration) (claim *IdempotencyClaim, kept IdempotentRequest, err error)
	// TakeEffect notes in the transaction of an effect that there is one. It returns
	// core.ErrConflict when the key has been given to another request meanwhile, whose
	// effect it then is to have. A Tx calls it by itself: see WithClaim.
	TakeEffect(ctx context.Context, claim IdempotencyClaim) error
	// Finish keeps the answer, whose Status is not 0, under the key; core.ErrNotFound
	// when the claim holds no longer.
	Finish(ctx context.Context, claim IdempotencyClaim, answer Answer) error
	// Abandon gives the key back, as if it had never been used, unless something took
	// effect under the claim.
	Abandon(ctx context.Context, claim IdempotencyClaim) error
	// DeleteBefore removes keys that were claimed before t.
	DeleteBefore(ctx context.Context, t time.Time) error
}

// IdempotencyKey is a key in the hands of one caller.
type IdempotencyKey struct {
	Caller string // "user:7" or "token:3"
	Key    string // as sent, at most 255 bytes
}

// IdempotencyClaim is a key in the hands of one request.
type IdempotencyClaim struct {
	Key IdempotencyKey
	At  time.Time // when it was given, by the database's clock: no two claims of a key have the same
}

// IdempotentRequest is what is known of a request with a key.
type IdempotentRequest struct {
	Fingerprint [32]byte // of method, path and body
	Answer      Answer   // zero: under way, or lost
	Lost        bool     // it took effect, and has not been answered for longer than expiry
}

// Answer is a response to be given again.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

type claimKey struct{}

// WithClaim returns a context for what is done under the claim: every transaction that
// a Tx commits under it takes effect under the claim, or does not take place.
func WithClaim(ctx context.Context, claim IdempotencyClaim) context.Context {
	return context.WithValue(ctx, claimKey{}, claim)
}

// ClaimOf returns the claim under which something is done, if any.
func ClaimOf(ctx context.Context) (claim IdempotencyClaim, ok bool) {
	claim, ok = ctx.Value(claimKey{}).(IdempotencyClaim)
	return claim, ok
}
