package service

import (
	"context"
	"time"

	"go.uber.org/zap"
)

const (
	// loopPause is the time from the end of one look to the next, so that many small writes do not cause
	// a look each.
	loopPause = 20 * time.Millisecond
	// loopFailingPause is the time after a look that failed: a database that stops has enough to do.
	loopFailingPause = 2 * time.Second
)

// loop looks for work of this and other processes again and again.
type loop struct {
	do       func(ctx context.Context) (more bool, err error) // more: call it again at once
	interval time.Duration                                    // between two looks without a poke
	name     string
	fault    string // logged when do begins to fail
	jobs     *jobs
	wake     chan struct{}
}

func newLoop(jobs *jobs, name, fault string, interval time.Duration, do func(ctx context.Context) (more bool, err error)) *loop {
	jobs.known(name)
	return &loop{do: do, interval: interval, name: name, fault: fault, jobs: jobs, wake: make(chan struct{}, 1)}
}

// poke ends the wait of run.
func (l *loop) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run works until ctx ends. It logs failures and continues.
func (l *loop) run(ctx context.Context) {
	ticker := time.NewTicker(l.interval)
	defer ticker.Stop()
	failing := false
	for {
		more, err := l.do(ctx)
		if err != nil && ctx.Err() == nil {
			l.jobs.count(l.name)
			if !failing {
				l.jobs.log.Error(l.fault, zap.Error(err))
			}
		}
		failing = err != nil
		if more && err == nil {
			continue
		}
		after := loopPause
		if failing {
			after = loopFailingPause
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-l.wake:
		}
		if !pause(ctx, after) {
			return
		}
	}
}

// pause waits, and reports false if ctx ends before.
func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}
