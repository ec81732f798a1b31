package changefeed

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"imprimatur/core"
	"imprimatur/ports"
)

const (
	// interval is the time between two looks at the events of other processes.
	interval = 250 * time.Millisecond
	// lookTimeout bounds one look.
	lookTimeout = 500 * time.Millisecond
	// trust is how long after the beginning of a look nothing is missed for longer than
	// the contract allows: with interval and lookTimeout less than a second.
	trust = 750 * time.Millisecond
	// quiet is how long a feed is away before a line is logged.
	quiet = time.Second
)

// Feed is the ports.Changes of one process among any number on one database.
type Feed struct {
	local   *Local
	log     ports.EventLog
	logger  *zap.Logger
	started time.Time

	mu   sync.Mutex
	seen position

	liveUntil atomic.Int64 // after started
	stop      context.CancelFunc
	running   sync.WaitGroup
}

var _ ports.Changes = (*Feed)(nil)

// New returns a Feed of log, which it follows from Start to Stop. What this process
// commits arrives without Start.
func New(log ports.EventLog, logger *zap.Logger) *Feed {
	f := &Feed{local: NewLocal(), log: log, logger: logger, started: time.Now(), seen: position{last: -1}}
	log.OnCommit(f.committed)
	return f
}

// Start looks once and then begins to follow in the background. A database that does not
// answer is waited for there.
func (f *Feed) Start(ctx context.Context) {
	err := f.look(ctx)
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	f.running.Go(func() { f.follow(ctx, err) })
}

// Stop ends what Start began. The feed is not live from then on.
func (f *Feed) Stop() {
	if f.stop != nil {
		f.stop()
		f.running.Wait()
	}
	f.liveUntil.Store(0)
}

// Subscribe is described at ports.Changes.
func (f *Feed) Subscribe(fn func(ports.Change)) (stop func()) { return f.local.Subscribe(fn) }

// Live is described at ports.Changes.
func (f *Feed) Live() bool { return f.uptime() < time.Duration(f.liveUntil.Load()) }

func (f *Feed) uptime() time.Duration { return time.Since(f.started) }

// follow looks at every interval; err is of the last look.
func (f *Feed) follow(ctx context.Context, err error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var away outage
	for {
		away.report(f, err)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			err = f.look(ctx)
		}
	}
}

// look tells subscribers what other processes have changed since the last look. If that
// was too long ago they drop everything: meanwhile they may have kept what was outdated.
func (f *Feed) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	began := f.uptime()
	f.mu.Lock()
	after, missing := f.seen.next()
	f.mu.Unlock()
	found, err := f.log.Look(ctx, after, missing)
	if err != nil {
		return err
	}
	f.mu.Lock()
	fresh := f.seen.advance(found)
	f.mu.Unlock()
	if f.Live() {
		f.local.Tell(changesOf(fresh)...)
	} else {
		f.local.Tell(ports.Change{Kind: ports.ChangeAll})
	}
	f.liveUntil.Store(int64(began + trust))
	return nil
}

// committed tells subscribers what this process has changed. The next look passes over it.
func (f *Feed) committed(events []core.Event) {
	f.local.Committed(events)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen.own(events)
}

// outage is a time in which a feed is not live. It is logged once when it has lasted for
// quiet, and once when it is over.
type outage struct {
	since  time.Duration // after the start of the feed
	away   bool
	logged bool
}

func (o *outage) report(f *Feed, err error) {
	now, away := f.uptime(), !f.Live()
	if away && !o.away {
		o.since = now
	}
	o.away = away
	switch {
	case away && !o.logged && now-o.since >= quiet:
		o.logged = true
		f.logger.Warn("change feed away: caches are not used until the events can be read again", zap.Error(err))
	case !away && o.logged:
		o.logged = false
		f.logger.Info("change feed back", zap.Duration("away", now-o.since))
	}
}
