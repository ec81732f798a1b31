package ports

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"imprimatur/core"
)

// A write that conflicts with another one is retried after a random, growing pause
// (exponential backoff with jitter), so that many writers of one entry do not collide again.
const (
	maxAttempts  = 20
	longestPause = 100 * time.Millisecond
)

// Retry calls try, and repeats the call while it returns core.ErrChangedMeanwhile, up to
// maxAttempts calls. try must read all its data again in each call.
func Retry(ctx context.Context, try func() error) error {
	for attempt := range maxAttempts - 1 {
		err := try()
		if !errors.Is(err, core.ErrChangedMeanwhile) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(min(time.Millisecond<<attempt, longestPause))):
		}
	}
	return try()
}

// Transactor is Tx.Do or Tx.DoAlone.
type Transactor func(context.Context, core.Actor, func(context.Context, Stores) error) error

// Transact runs do in a transaction, and repeats it as Retry does.
func Transact(ctx context.Context, tx Transactor, actor core.Actor, do func(context.Context, Stores) error) error {
	return Retry(ctx, func() error { return tx(ctx, actor, do) })
}
