package changefeed

import (
	"time"

	"go.uber.org/zap"
)

// reporter tells the log of each outage once, when it has lasted for a second.
type reporter struct {
	lost time.Duration // since when the feed is not live, after the start
	live bool
	told bool
}

const tellAfter = time.Second

func (s *reporter) report(r *Relay) {
	now, live := r.uptime(), r.Live()
	if s.live && !live {
		s.lost = now
	}
	s.live = live
	switch {
	case live && s.told:
		r.log.Info("the change feed is back", zap.Duration("away", now-s.lost))
		s.told = false
	case !live && !s.told && now-s.lost >= tellAfter:
		r.mu.Lock()
		fault := r.fault
		r.mu.Unlock()
		r.log.Warn("the change feed is away: until it is back, nothing is cached for longer than half a second",
			zap.Int64("silent processes", r.silent.Load()), zap.Error(fault))
		s.told = true
	}
}
