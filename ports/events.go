package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// EventStore stores the committed changes. Every other store records its changes here by
// itself, in the same transaction: a rolled-back change leaves no event. Record is for what
// changes no row.
//
// Ids ascend, and of two changes of one thing the later one has the higher id. They are
// given before the commit, so that an event may become visible after one with a higher
// id. A reader that remembers the last id it has seen has to take that into account: see
// EventLog.
type EventStore interface {
	// Record records e in the transaction. The transaction sets its id, time and actor.
	Record(ctx context.Context, e core.Event) error
	// Events returns the events that q selects, ascending by id, at most q.Limit.
	Events(ctx context.Context, q EventQuery) ([]core.Event, error)
	// DeleteBefore removes up to limit of the oldest events, those before t, and returns
	// how many there were.
	DeleteBefore(ctx context.Context, t time.Time, limit int) (int, error)
}

// EventQuery selects events. Members that are zero do not narrow the selection.
type EventQuery struct {
	TenantID  int64
	ProjectID int64
	Type      core.EventType
	Actor     core.ActorRef // Kind and ID
	EntryID   int64
	Since     time.Time // inclusive
	Until     time.Time // exclusive
	After     int64     // id
	Limit     int       // positive
}

// EventLog is how a process follows the events of all processes.
type EventLog interface {
	// Look returns the events with an id over after and those of missing that have
	// become visible, ascending by id; with after < 0 the latest ones, a few thousand
	// at most. Only ID, Type and ProjectID are set.
	Look(ctx context.Context, after int64, missing []int64) (EventSnapshot, error)
	// OnCommit calls fn with what each transaction of this process has recorded, after
	// its commit and before Do returns. It is for one function, set before the first
	// transaction.
	OnCommit(fn func([]core.Event))
}

// EventSnapshot is what one look at the events shows. Transactions are numbered in the
// order in which they begin: those below Oldest have ended, those from Next on had not
// begun.
type EventSnapshot struct {
	Events       []core.Event
	Oldest, Next int64
}
