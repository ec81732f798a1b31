package service

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"go.uber.org/zap"

	"imprimatur/adapters/sqlstore/admission"
)

// crowd turns requests away at once, where the doors of the database let those wait that
// they have room for: while more come than can be served, and beyond so many under way
// at once, even to refuse one with care takes time from the others.
type crowd struct {
	reads, writes           *admission.Gate // of the database
	toReads, toWrites       *admission.Throttle
	inside, refused         atomic.Int64
	toldAtDoor, toldAtGates int64
}

func newCrowd(reads, writes *admission.Gate) *crowd {
	return &crowd{reads: reads, writes: writes, toReads: admission.NewThrottle(reads), toWrites: admission.NewThrottle(writes)}
}

// mostAtOnce is more than a process can be at with everybody being answered in time.
const mostAtOnce = 2000

// bound lets next answer unless too many are under way, or come in vain, and has refuse
// answer then. Of those under way, uploads are not counted, which take as long as bytes
// keep coming.
func (c *crowd) bound(next http.Handler, refuse func(http.ResponseWriter, *http.Request, error), throttle func(*http.Request) *admission.Throttle) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !throttle(r).Admit() {
			c.refused.Add(1)
			refuse(w, r, admission.Busy())
			return
		}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			next.ServeHTTP(w, r)
			return
		}
		defer c.inside.Add(-1)
		if c.inside.Add(1) > mostAtOnce {
			c.refused.Add(1)
			refuse(w, r, admission.Busy())
			return
		}
		next.ServeHTTP(w, r)
	})
}

// byMethod returns the throttle for a request of REST.
func (c *crowd) byMethod(r *http.Request) *admission.Throttle {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return c.toReads
	}
	return c.toWrites
}

// reading returns the throttle for a request that only reads.
func (c *crowd) reading(*http.Request) *admission.Throttle { return c.toReads }

// tell logs how many were turned away since it was last called, if any: one line for
// all, for a line each would cost more than to turn them away.
func (c *crowd) tell(log *zap.Logger) func(context.Context) error {
	return func(context.Context) error {
		atDoor, atGates := c.refused.Load(), c.reads.Load().Refused+c.writes.Load().Refused
		if atDoor+atGates > c.toldAtDoor+c.toldAtGates {
			log.Warn("requests turned away: more is asked than can be done",
				zap.Int64("atOnce", atDoor-c.toldAtDoor), zap.Int64("beforeTheDatabase", atGates-c.toldAtGates))
			c.toldAtDoor, c.toldAtGates = atDoor, atGates
		}
		return nil
	}
}
