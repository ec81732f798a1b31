// Package changefeed tells caches what was changed: Local those of one process, Relay
// those of all that share a Bus.
package changefeed

import (
	"context"
	"sync"

	"imprimatur/ports"
)

// Local is the ports.Changes of a single process.
type Local struct {
	mu   sync.RWMutex
	next int
	told map[int]func(ports.Change)
}

// NewLocal returns a feed without subscribers.
func NewLocal() *Local { return &Local{told: map[int]func(ports.Change){}} }

// Announce tells every subscriber before it returns; see ports.Changes.
func (l *Local) Announce(_ context.Context, changes ...ports.Change) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, change := range changes {
		for _, told := range l.told {
			told(change)
		}
	}
}

// Subscribe is described at ports.Changes. Once stop has returned, told is not
// called any more.
func (l *Local) Subscribe(told func(ports.Change)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.next
	l.next++
	l.told[id] = told
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.told, id)
	}
}

// Live is false: what other processes change is not told.
func (*Local) Live() bool { return false }
