package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// PublishGate decides what becomes of the wish to publish. Everything that can
// make content public asks it, inside the transaction of the write.
type PublishGate interface {
	// Gated reports whether a workflow governs the Project, so that content only
	// becomes public through an approved request.
	Gated(ctx context.Context, stores Stores, project *core.Project) (bool, error)
	// Submit is the wish to publish e's draft, on a gated Project only. It opens a
	// request, unless one is pending, and leaves the entry as it is.
	Submit(ctx context.Context, stores Stores, actor core.Actor, schema core.Schema, e *core.Entry, at time.Time) error
	// Withdraw ends what is pending or approved for e, if anything: the entry was
	// unpublished or trashed.
	Withdraw(ctx context.Context, stores Stores, actor core.Actor, e *core.Entry) error
	// Approvals returns the open or latest request of each of the entries that has
	// one, by entry id.
	Approvals(ctx context.Context, stores Stores, projectID int64, entryIDs []int64) (map[int64]core.ApprovalSummary, error)
}
