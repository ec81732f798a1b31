// Package changefeed tells the caches of a process what was changed. Every transaction
// records its changes as rows of the events table. Feed follows that table: what this
// process commits arrives at once, what other processes commit at the next look, four
// times a second. Processes need not know of each other. See app/docs/events.md.
package changefeed

import (
	"slices"
	"strings"
	"sync"

	"imprimatur/core"
	"imprimatur/ports"
)

// Local is the ports.Changes of a process that follows no other.
type Local struct {
	mu          sync.RWMutex
	subscribers []*subscriber
}

type subscriber struct{ fn func(ports.Change) }

// NewLocal returns a Local without subscribers.
func NewLocal() *Local { return &Local{} }

// Committed tells subscribers what events are about. It can be passed to
// ports.EventLog.OnCommit.
func (l *Local) Committed(events []core.Event) { l.Tell(changesOf(events)...) }

// Tell calls every subscriber with each change before it returns.
func (l *Local) Tell(changes ...ports.Change) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, change := range changes {
		for _, s := range l.subscribers {
			s.fn(change)
		}
	}
}

// Subscribe is described at ports.Changes. Once stop has returned, fn is not called any
// more.
func (l *Local) Subscribe(fn func(ports.Change)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	added := &subscriber{fn}
	l.subscribers = append(l.subscribers, added)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.subscribers = slices.DeleteFunc(l.subscribers, func(s *subscriber) bool { return s == added })
	}
}

// Live is false: changes of other processes do not arrive.
func (*Local) Live() bool { return false }

// changesOf returns what events mean to caches, each change once.
func changesOf(events []core.Event) []ports.Change {
	var changes []ports.Change
	for _, e := range events {
		for _, kind := range kindsOf(e.Type) {
			change := ports.Change{Kind: kind}
			if kind == ports.ChangeContent || kind == ports.ChangeSchema {
				change.ID = e.ProjectID
			}
			if !slices.Contains(changes, change) {
				changes = append(changes, change)
			}
		}
	}
	return changes
}

// kindsOf returns what may be outdated after an event. Definitions come before content:
// once the epoch of a Project's content has moved, its definitions are read again. An
// event of a type that this version does not know may outdate anything.
func kindsOf(t core.EventType) []ports.ChangeKind {
	subject, _, _ := strings.Cut(string(t), ".")
	switch subject {
	case "entry", "media":
		return []ports.ChangeKind{ports.ChangeContent}
	case "collection":
		return []ports.ChangeKind{ports.ChangeSchema, ports.ChangeContent}
	case "project":
		return []ports.ChangeKind{ports.ChangeSchema, ports.ChangeContent, ports.ChangeAccount, ports.ChangeToken}
	case "token":
		return []ports.ChangeKind{ports.ChangeToken}
	case "session":
		if t == core.EventSessionCreated {
			return nil
		}
		return []ports.ChangeKind{ports.ChangeAccount}
	case "tenant", "department", "role", "user", "member":
		return []ports.ChangeKind{ports.ChangeAccount}
	case "request", "publication", "workflow": // what they publish is an event of its own
		return nil
	default:
		return []ports.ChangeKind{ports.ChangeAll}
	}
}
