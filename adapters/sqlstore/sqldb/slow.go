package sqldb

import (
	"context"
	"fmt"
	"time"
)

// slowReads reports reads that take longer than after.
type slowReads struct {
	after  time.Duration // 0: report none
	report func(ctx context.Context, took time.Duration, plan string)
}

// ReportSlow calls report for each page and total that takes longer than after, with the context of the
// read. Call ReportSlow before the first read.
func (db *DB) ReportSlow(after time.Duration, report func(ctx context.Context, took time.Duration, plan string)) {
	db.Slow = slowReads{after, report}
}

// Measure starts the measurement of a read. The returned function ends it.
func (s slowReads) Measure(ctx context.Context, plan fmt.Stringer) (end func()) {
	if s.after == 0 {
		return func() {}
	}
	began := time.Now()
	return func() {
		if took := time.Since(began); took > s.after {
			s.report(ctx, took, plan.String())
		}
	}
}
