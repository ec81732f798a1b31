package changefeed

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"imprimatur/ports"
)

// Poll is the ports.Changes of a process whose store tells when somebody else has
// changed something, but not what. Subscribers are told of its own changes by name,
// and ChangeAll within a second of any other.
type Poll struct {
	local   *Local
	version func(context.Context) (int64, error)
	started time.Time
	lease   atomic.Int64 // until when, after started, nothing was missed
	stop    context.CancelFunc
	running sync.WaitGroup
}

// NewPoll returns a Poll that is not live before Start. version returns a number that is
// another one once somebody else has committed a change; this process's own changes may
// move it too, which costs what is cached. An error says that nothing is known.
func NewPoll(version func(context.Context) (int64, error)) *Poll {
	return &Poll{local: NewLocal(), version: version, started: time.Now()}
}

// Start begins to look, in the background.
func (p *Poll) Start(ctx context.Context) {
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.running.Go(func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		var known int64
		for ctx.Err() == nil {
			p.look(ctx, &known)
			select {
			case <-ctx.Done():
			case <-ticker.C:
			}
		}
	})
}

// Stop looks no more: the feed is not live from then on.
func (p *Poll) Stop() {
	if p.stop != nil {
		p.stop()
		p.running.Wait()
	}
	p.lease.Store(0)
}

// look renews the lease, after telling what may have been missed.
func (p *Poll) look(ctx context.Context, known *int64) {
	began := p.uptime()
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	version, err := p.version(ctx)
	if err != nil {
		return
	}
	if version != *known || !p.Live() {
		*known = version
		p.local.Announce(ctx, ports.Change{Kind: ports.ChangeAll})
	}
	p.lease.Store(int64(began + leaseTime))
}

// Announce is described at ports.Changes. Others find out by themselves.
func (p *Poll) Announce(ctx context.Context, changes ...ports.Change) {
	p.local.Announce(ctx, changes...)
}

// Subscribe is described at ports.Changes.
func (p *Poll) Subscribe(told func(ports.Change)) (stop func()) { return p.local.Subscribe(told) }

// Live is described at ports.Changes.
func (p *Poll) Live() bool { return p.uptime() < time.Duration(p.lease.Load()) }

func (p *Poll) uptime() time.Duration { return time.Since(p.started) }
