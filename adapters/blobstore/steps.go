package blobstore

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
)

const (
	// patience is how long the store may take to open a blob or to return the next piece
	// of it. S3 clients have no time limit of their own.
	patience = 10 * time.Second
	// slower is the factor on patience for writing a piece of a blob and for copying a
	// blob.
	slower = 4
)

var errLate = errors.New("blobstore: storage timeout")

// steps runs operations on a bucket one after another, in a context that is canceled when
// one of them takes too long.
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

// close cancels the context. Call it after the last step.
func (s *steps) close() { s.end(nil) }

// run runs step with a time limit.
func (s *steps) run(within time.Duration, step func(ctx context.Context) error) error {
	s.clock.Reset(within)
	defer s.clock.Stop()
	err := step(s.ctx)
	if err != nil && errors.Is(context.Cause(s.ctx), errLate) {
		return unavailable(errors.Join(errLate, err))
	}
	return err
}

// once runs a single step.
func once(ctx context.Context, within time.Duration, step func(ctx context.Context) error) error {
	s := newSteps(ctx)
	defer s.close()
	return fault(s.run(within, step))
}

// enter waits until the number of running uploads is below the limit.
func (s *Store) enter(ctx context.Context) (leave func(), err error) {
	if s.places == nil {
		return func() {}, nil
	}
	timeout := time.NewTimer(s.patience)
	defer timeout.Stop()
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timeout.C:
		return nil, &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many uploads, retry later",
			RetryAfter: 5 * time.Second,
		}
	}
}
