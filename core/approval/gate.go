package approval

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Gate implements ports.PublishGate.
type Gate struct {
	clock ports.Clock
	wake  func()
}

var _ ports.PublishGate = (*Gate)(nil)

// NewGate returns a Gate. wake, when not nil, is called when something was
// scheduled.
func NewGate(clock ports.Clock, wake func()) *Gate { return &Gate{clock: clock, wake: wake} }

func (g *Gate) Governs(ctx context.Context, stores ports.Stores, project *core.Project, entryID int64) (bool, error) {
	panic("")
}

func (g *Gate) Submit(ctx context.Context, stores ports.Stores, actor core.Actor, schema core.Schema, e *core.Entry, at time.Time) error {
	panic("")
}

func (g *Gate) Schedule(ctx context.Context, stores ports.Stores, actor core.Actor, e *core.Entry, at time.Time) error {
	panic("")
}

func (g *Gate) Withdraw(ctx context.Context, stores ports.Stores, actor core.Actor, e *core.Entry) error {
	panic("")
}

func (g *Gate) Approvals(ctx context.Context, stores ports.Stores, projectID int64, entryIDs []int64) (map[int64]core.ApprovalSummary, error) {
	panic("")
}
