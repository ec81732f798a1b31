package core

import "time"

// IdempotencyKey is an Idempotency-Key together with its caller.
type IdempotencyKey struct {
	Caller string // "user:7" or "token:3"
	Key    string // as passed to the store, at most 255 bytes
}

// IdempotencyClaim is the claim of one request on a key.
type IdempotencyClaim struct {
	Key IdempotencyKey
	At  time.Time // time of the claim by the database's clock; unique among the claims of a key
}
