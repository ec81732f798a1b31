package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// IdempotencyStore stores the responses of requests with an Idempotency-Key, so that a retry
// has no second effect. A request claims its key (Begin), takes effect in a transaction that
// calls TakeEffect, and stores its response (Finish). After an effect was committed the key
// is never free again, even if the process stops before Finish.
type IdempotencyStore interface {
	// Begin claims the key for a request. If another request has claimed it, claim is nil and
	// earlier describes that request. A claim that is older than expiry and has no effect is
	// replaced.
	Begin(ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration) (claim *core.IdempotencyClaim, earlier IdempotentRequest, err error)
	// TakeEffect records, in the transaction of an effect, that the claim has an effect. It
	// returns core.ErrConflict when another request has replaced the claim; the transaction
	// must then roll back. Tx.Do calls it for the claim of its actor.
	TakeEffect(ctx context.Context, claim core.IdempotencyClaim) error
	// Finish stores the response, whose Status is not 0, under the key. It returns
	// core.ErrNotFound when another request has replaced the claim.
	Finish(ctx context.Context, claim core.IdempotencyClaim, response StoredResponse) error
	// Abandon frees the key, as if it had never been used, unless the claim has an effect.
	Abandon(ctx context.Context, claim core.IdempotencyClaim) error
}

// IdempotentRequest describes a request that has claimed a key.
type IdempotentRequest struct {
	Fingerprint [32]byte       // a keyed hash of method, path and body, without passwords
	Response    StoredResponse // zero: still running, or lost
	Lost        bool           // the request took effect, but stored no response within expiry
}

// StoredResponse is an HTTP response that IdempotencyStore stores for replay.
type StoredResponse struct {
	Status int
	Header map[string]string
	Body   []byte
}
