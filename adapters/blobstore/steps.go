package blobstore

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
)

const (
	// timeout is the time limit for opening a blob and for each read. S3 clients have no
	// time limit of their own.
	timeout = 10 * time.Second
	// writeFactor multiplies timeout for each write and for copying a blob.
	writeFactor = 4
)

var errTimeout = errors.New("blobstore: storage timeout")

// steps runs operations on a bucket one after another, in a context that is canceled when
// one of them takes too long.
type steps struct {
	ctx   context.Context
	end   context.CancelCauseFunc
	clock *time.Timer
}

func newSteps(ctx context.Context) *steps {
	ctx, end := context.WithCancelCause(ctx)
	clock := time.AfterFunc(time.Hour, func() { end(errTimeout) })
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
	if err != nil && errors.Is(context.Cause(s.ctx), errTimeout) {
		return unavailable(errors.Join(errTimeout, err))
	}
	return err
}

// runStep runs a single step.
func runStep(ctx context.Context, within time.Duration, step func(ctx context.Context) error) error {
	s := newSteps(ctx)
	defer s.close()
	return fault(s.run(within, step))
}

// startUpload waits until the number of running uploads is below the limit. The caller
// must call end.
func (s *Store) startUpload(ctx context.Context) (end func(), err error) {
	if s.uploads == nil {
		return func() {}, nil
	}
	timer := time.NewTimer(s.timeout)
	defer timer.Stop()
	select {
	case s.uploads <- struct{}{}:
		return func() { <-s.uploads }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many uploads, retry later",
			RetryAfter: 5 * time.Second,
		}
	}
}
