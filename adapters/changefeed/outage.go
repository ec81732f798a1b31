package changefeed

import (
	"time"

	"go.uber.org/zap"
)

// outage is a time in which a relay is not live. The log is told of it once, when it
// has lasted for a second, and again when it is over.
type outage struct {
	lost time.Duration // since when the feed is not live, after the start
	live bool
	told bool
}

const tellAfter = time.Second

func (o *outage) report(r *Relay) {
	now, live := r.uptime(), r.Live()
	if o.live && !live {
		o.lost = now
	}
	o.live = live
	switch {
	case live && o.told:
		r.log.Info("the change feed is back", zap.Duration("away", now-o.lost))
		o.told = false
	case !live && !o.told && now-o.lost >= tellAfter:
		r.mu.Lock()
		fault := r.fault
		r.mu.Unlock()
		r.log.Warn("the change feed is away: until it is back, nothing is cached for longer than half a second",
			zap.Int64("silentProcesses", r.silent.Load()), zap.Error(fault))
		o.told = true
	}
}
