package changefeed

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"imprimatur/core/event"
	"imprimatur/ports"
)

const (
	pollInterval = 250 * time.Millisecond
	pollTimeout  = 500 * time.Millisecond
	// liveTime is how long the feed is live after the start of a successful poll. It
	// allows for one interval and one timeout, and is below the second that ports.Changes
	// promises.
	liveTime = 750 * time.Millisecond
	// logDelay is the length of the shortest outage that is logged.
	logDelay = time.Second
)

// Feed is a ports.Changes for any number of processes on one database.
type Feed struct {
	local   *Local
	log     ports.EventLog
	logger  *zap.Logger
	created time.Time

	mu       sync.Mutex
	position position

	liveUntil atomic.Int64 // nanoseconds after created
	stop      context.CancelFunc
	running   sync.WaitGroup
}

var _ ports.Changes = (*Feed)(nil)

// New returns a Feed that polls log from Start to Stop. Changes of this process are
// delivered at all times.
func New(log ports.EventLog, logger *zap.Logger) *Feed {
	f := &Feed{local: NewLocal(), log: log, logger: logger, created: time.Now(), position: newPosition()}
	log.OnCommit(f.committed)
	return f
}

// Start polls once, then in the background. It does not wait for an unavailable database.
func (f *Feed) Start(ctx context.Context) {
	err := f.poll(ctx)
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	f.running.Go(func() { f.run(ctx, err) })
}

// Stop ends the polling. The feed is not live afterwards.
func (f *Feed) Stop() {
	if f.stop != nil {
		f.stop()
		f.running.Wait()
	}
	f.liveUntil.Store(0)
}

// Subscribe implements ports.Changes.
func (f *Feed) Subscribe(fn func(ports.Change)) (stop func()) { return f.local.Subscribe(fn) }

// Live implements ports.Changes.
func (f *Feed) Live() bool { return f.uptime() < time.Duration(f.liveUntil.Load()) }

func (f *Feed) uptime() time.Duration { return time.Since(f.created) }

// run polls at every interval. err is the result of the previous poll.
func (f *Feed) run(ctx context.Context, err error) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	var o outage
	for {
		o.log(f, err)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			err = f.poll(ctx)
		}
	}
}

// poll delivers the changes of other processes since the last poll. If the feed was not
// live, it delivers ChangeAll: caches may hold values from before those changes.
func (f *Feed) poll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	began := f.uptime()
	f.mu.Lock()
	after, missing := f.position.next()
	f.mu.Unlock()
	found, err := f.log.Poll(ctx, after, missing)
	if err != nil {
		return err
	}
	f.mu.Lock()
	added := f.position.advance(found)
	f.mu.Unlock()
	if f.Live() {
		f.local.Publish(changesOf(added)...)
	} else {
		f.local.Publish(ports.Change{Kind: ports.ChangeAll})
	}
	f.liveUntil.Store(int64(began + liveTime))
	return nil
}

// committed delivers the changes of this process. Polls skip these events.
func (f *Feed) committed(events []event.Event) {
	heads := ports.EventHeads(events)
	f.local.Publish(changesOf(heads)...)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.position.skip(heads)
}

// outage is a time in which the feed is not live. Its start is logged after logDelay, its
// end at once.
type outage struct {
	since  time.Duration // after the creation of the feed
	active bool
	logged bool
}

func (o *outage) log(f *Feed, err error) {
	now, active := f.uptime(), !f.Live()
	if active && !o.active {
		o.since = now
	}
	o.active = active
	switch {
	case active && !o.logged && now-o.since >= logDelay:
		o.logged = true
		f.logger.Warn("change feed lost, caches are limited until events can be read", zap.Error(err))
	case !active && o.logged:
		o.logged = false
		f.logger.Info("change feed restored", zap.Duration("outage", now-o.since))
	}
}
