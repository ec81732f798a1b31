package approval

import (
	"context"
	"time"
)

// Worker publishes what is due.
type Worker struct{ Deps }

// NewWorker returns a Worker over these parts.
func NewWorker(deps Deps) *Worker { return &Worker{deps} }

// PublishDue publishes everything that is due by the database's clock and that no
// other worker is at.
func (w *Worker) PublishDue(ctx context.Context) (published, failed int, err error) { panic("") }

// Wait returns how long to wait before the next PublishDue.
func (w *Worker) Wait(ctx context.Context) time.Duration { panic("") }
