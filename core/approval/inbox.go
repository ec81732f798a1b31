package approval

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Inbox lists what waits for a person, over every Project they can reach.
type Inbox struct{ stores ports.Stores }

// NewInbox returns an Inbox over these stores.
func NewInbox(stores ports.Stores) *Inbox { return &Inbox{stores} }

// InboxFilter asks for a page of an inbox.
type InboxFilter struct {
	Page, PerPage int64  // from 1
	ProjectID     int64  // 0: every Project
	Sort          string // "submittedAt:asc" (the default) or "submittedAt:desc"
}

// InboxPage is a page of requests, without their snapshots and actions.
type InboxPage struct {
	Requests      []View
	Page, PerPage int64
	Total         int64
	HasMore       bool
}

// Pending returns the requests whose current step waits for actor.
func (i *Inbox) Pending(ctx context.Context, actor core.Actor, f InboxFilter) (*InboxPage, error) {
	panic("")
}

// Summary counts what waits for actor.
func (i *Inbox) Summary(ctx context.Context, actor core.Actor) (core.InboxSummary, error) {
	panic("")
}

// Failed returns what could not be published when its time came, in the Projects
// that actor is an admin of.
func (i *Inbox) Failed(ctx context.Context, actor core.Actor) ([]core.Publication, error) {
	panic("")
}
