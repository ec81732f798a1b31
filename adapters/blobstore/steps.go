package blobstore

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
)

const (
	// patience is how long a store may take to find something, or for the next piece of
	// it, before it counts as away. Clients of the S3 protocol wait for ever, and with
	// them whoever asked.
	patience = 10 * time.Second
	// slower is how many times as long it may take to put a part of a file away, or to
	// copy a file.
	slower = 4
)

var errLate = errors.New("blobstore: the storage took too long")

// steps are asked of a store one after the other, in a context that ends when one of them
// takes too long.
type steps struct {
	ctx   context.Context
	end   context.CancelCauseFunc
	clock *time.Timer
}

func newSteps(ctx context.Context) *steps {
	ctx, end := context.WithCancelCause(ctx)
	clock := time.AfterFunc(time.Hour, func() { end(errLate) })
	clock.Stop()
	return &steps{ctx, end, clock}
}

// close ends the context, after the last step.
func (s *steps) close() { s.end(nil) }

// take takes a step, which is given so much time.
func (s *steps) take(within time.Duration, step func(ctx context.Context) error) error {
	s.clock.Reset(within)
	defer s.clock.Stop()
	err := step(s.ctx)
	if err != nil && errors.Is(context.Cause(s.ctx), errLate) {
		return unavailable(errors.Join(errLate, err))
	}
	return err
}

// once takes the only step.
func once(ctx context.Context, within time.Duration, step func(ctx context.Context) error) error {
	s := newSteps(ctx)
	defer s.close()
	return fault(s.take(within, step))
}

// enter waits for a place to put a file away, where there are so many.
func (s *Store) enter(ctx context.Context) (leave func(), err error) {
	if s.places == nil {
		return func() {}, nil
	}
	impatience := time.NewTimer(s.patience)
	defer impatience.Stop()
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-impatience.C:
		return nil, &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many files are being taken in",
			RetryAfter: 5 * time.Second,
		}
	}
}
