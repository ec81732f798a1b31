package media

import (
	"context"
	"time"
)

// Sweeper removes bytes that no item needs.
type Sweeper struct{ Deps }

// NewSweeper returns a Sweeper.
func NewSweeper(deps Deps) *Sweeper { return &Sweeper{deps} }

// SweepReport says what a sweep removed, in numbers of names.
type SweepReport struct {
	Released  int64 // the ledger knew them, and that nothing needs them
	Unknown   int64 // the ledger did not know them
	Abandoned int64 // uploads that did not come to their end
}

// Sweep removes the bytes that no item needs; those that the ledger does not know,
// and uploads, only when they are older than olderThan.
func (s *Sweeper) Sweep(ctx context.Context, olderThan time.Duration) (SweepReport, error) {
	return SweepReport{}, errUnderWay
}
