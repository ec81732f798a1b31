package changefeed

import (
	"slices"
	"sync"

	"imprimatur/core/event"
	"imprimatur/ports"
)

// Local is a ports.Changes for the changes of this process only.
type Local struct {
	mu          sync.RWMutex
	subscribers []*subscriber
}

type subscriber struct{ fn func(ports.Change) }

// NewLocal returns a Local without subscribers.
func NewLocal() *Local { return &Local{} }

// Committed publishes the changes of committed events. It is a callback for
// ports.EventLog.OnCommit.
func (l *Local) Committed(events []event.Event) { l.Publish(changesOf(ports.EventHeads(events))...) }

// Publish calls every subscriber with each change before it returns.
func (l *Local) Publish(changes ...ports.Change) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, change := range changes {
		for _, s := range l.subscribers {
			s.fn(change)
		}
	}
}

// Subscribe implements ports.Changes. No call of fn starts after stop has returned.
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

// Live returns false, because changes of other processes are not delivered.
func (*Local) Live() bool { return false }

// changesOf returns the changes that events cause, without duplicates.
func changesOf(events []ports.EventHead) []ports.Change {
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

// kindsOf returns the kinds of change that an event causes. ChangeSchema comes before
// ChangeContent, because responses of the new epoch must use the new definitions. An event
// of an unknown type, written by a newer version, may affect everything.
func kindsOf(t event.Type) []ports.ChangeKind {
	affected, known := t.Affects()
	if !known || affected&event.AffectsEverything != 0 {
		return []ports.ChangeKind{ports.ChangeAll}
	}
	var kinds []ports.ChangeKind
	for _, k := range []struct {
		affected event.Affected
		kind     ports.ChangeKind
	}{
		{event.AffectsSchema, ports.ChangeSchema}, {event.AffectsContent, ports.ChangeContent},
		{event.AffectsAccounts, ports.ChangeAccount}, {event.AffectsTokens, ports.ChangeToken},
	} {
		if affected&k.affected != 0 {
			kinds = append(kinds, k.kind)
		}
	}
	return kinds
}
