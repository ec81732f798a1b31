package ports

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

// EventStore stores events: records of committed changes. Every other store records its changes
// here in the same transaction, so a rolled-back change leaves no event. Record is for events that
// no change of a row records.
//
// Of two changes of one thing the later one has the higher id. Ids are assigned before the commit,
// so an event may become visible after an event with a higher id. A reader that continues from the
// last id that it has seen must handle this; see EventLog.
type EventStore interface {
	// Record records e in the transaction. The transaction sets its id, time and actor.
	Record(ctx context.Context, e event.Event) error
	// Events returns the events that q selects, ascending by id, or descending if q.Newest, at most
	// q.Limit.
	Events(ctx context.Context, q EventQuery) ([]event.Event, error)
}

// EventQuery selects events. A zero member selects all values.
type EventQuery struct {
	TenantID  int64
	ProjectID int64
	Type      event.Type
	Actor     core.ActorRef // Kind and ID
	EntryID   int64
	Since     time.Time // inclusive
	Until     time.Time // exclusive
	After     int64     // id; the events that follow it in the order
	Newest    bool      // the order begins with the highest id
	Limit     int       // positive
	// Assistants selects the events by assistants.
	Assistants bool
}

// EventLog lets a process follow the events of all processes.
type EventLog interface {
	// Poll returns the visible events with an id greater than after or an id in missing,
	// ascending by id. With after < 0 it returns only the latest event or, while other
	// transactions are running, at most the latest 10,000.
	Poll(ctx context.Context, after int64, missing []int64) (EventSnapshot, error)
	// OnCommit sets fn. Each transaction of this process calls fn with its events after the
	// commit and before Do returns. Call OnCommit once, before the first transaction.
	OnCommit(fn func([]event.Event))
}

// EventSnapshot is the result of one Poll. Transactions are numbered in the order in which
// they begin. At the time of the poll, those below Oldest had ended and those from Next on
// had not begun. Next is 0, unknown, unless after < 0 or missing is not empty.
type EventSnapshot struct {
	Events       []EventHead
	Oldest, Next int64
}

// EventHead is the part of an event that determines which caches it affects.
type EventHead struct {
	ID        int64
	Type      event.Type
	ProjectID int64
}

// EventHeads returns the heads of events.
func EventHeads(events []event.Event) []EventHead {
	heads := make([]EventHead, len(events))
	for i, e := range events {
		heads[i] = EventHead{e.ID, e.Type, e.ProjectID}
	}
	return heads
}

// RequestIDKey is the key under which a context has the id of its HTTP request, a string.
type RequestIDKey struct{}

// RequestID returns the id of the HTTP request that ctx belongs to, for logs and events, or ""
// outside a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(RequestIDKey{}).(string)
	return id
}

// TraceKey is the key under which a context has the traceparent of its HTTP request, a string.
type TraceKey struct{}

// Trace returns the traceparent (W3C Trace Context) that a trusted proxy gave the HTTP request that ctx
// belongs to, or "".
func Trace(ctx context.Context) string {
	trace, _ := ctx.Value(TraceKey{}).(string)
	return trace
}

// PublicLog has the public events (event.Event.Public) in an order that readers of it can follow: between
// two marks none is missed, whatever the order of the commits.
type PublicLog interface {
	// Mark returns the present mark, and the latest time before which events were deleted.
	Mark(ctx context.Context) (now event.Mark, keptSince time.Time, err error)
	// Public returns the events that q selects, ordered by transaction and id, at most q.Limit.
	Public(ctx context.Context, q PublicQuery) ([]event.PublicEvent, error)
	// Digest returns event.Event.Digest of an event, or "" if it does not exist.
	Digest(ctx context.Context, id int64) (string, error)
}

// PublicQuery selects the public events of a Project that Until has and Since does not have.
type PublicQuery struct {
	ProjectID    int64
	Since, Until event.Mark
	// Transaction and ID are the position of the last event of the page before; zero: from the
	// beginning.
	Transaction, ID int64
	Collection      string // slug: without the entries of others; empty: all
	Locale          string // without entries in others; empty: all
	Limit           int    // positive
}
