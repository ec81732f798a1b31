// Package changefeed tells caches what was changed: Local those of one process, Relay
// those of all that share a Bus, Poll that something was where no more can be known.
package changefeed

import (
	"context"
	"slices"
	"sync"

	"imprimatur/ports"
)

// Local is the ports.Changes of a single process.
type Local struct {
	mu   sync.RWMutex
	told []*subscriber
}

type subscriber struct{ told func(ports.Change) }

// NewLocal returns a feed without subscribers.
func NewLocal() *Local { return &Local{} }

// Announce tells every subscriber before it returns; see ports.Changes.
func (l *Local) Announce(_ context.Context, changes ...ports.Change) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, change := range changes {
		for _, subscribed := range l.told {
			subscribed.told(change)
		}
	}
}

// Subscribe is described at ports.Changes. Once stop has returned, told is not
// called any more.
func (l *Local) Subscribe(told func(ports.Change)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	added := &subscriber{told}
	l.told = append(l.told, added)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.told = slices.DeleteFunc(l.told, func(s *subscriber) bool { return s == added })
	}
}

// Live is false: what other processes change is not told.
func (*Local) Live() bool { return false }
