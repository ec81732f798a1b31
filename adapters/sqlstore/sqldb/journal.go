package sqldb

import "imprimatur/core/event"

// journal is the state of one transaction: the events that it writes before its commit, and what its stores keep.
type journal struct {
	events []event.Event
	kept   any
}

// Record adds events to the transaction of c, which writes them before its commit.
func (c Conn) Record(events ...event.Event) {
	for _, e := range events {
		e.Public = e.Public || e.Type.Shown()
		c.journal.events = append(c.journal.events, e)
	}
}

// Recorded returns the events of the transaction so far.
func (c Conn) Recorded() []event.Event { return c.journal.events }

// KeptOf returns what the stores keep for the transaction of c, the zero T at first. All stores use the same T.
func KeptOf[T any](c Conn) *T {
	if c.journal.kept == nil {
		c.journal.kept = new(T)
	}
	return c.journal.kept.(*T) //nolint:errcheck,forcetypeassert // see above
}
