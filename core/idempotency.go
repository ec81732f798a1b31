package core

import "time"

// IdempotencyKey is a key of one caller.
type IdempotencyKey struct {
	Caller string // "user:7" or "token:3"
	Key    string // as sent, at most 255 bytes
}

// IdempotencyClaim is the claim of one request to a key.
type IdempotencyClaim struct {
	Key IdempotencyKey
	At  time.Time // when it was made, by the database's clock: unique among the claims of a key
}
