package ports

import (
	"context"
	"time"
)

// Budget allows Limit operations per Window. A Limit of 0, or a Limit of more than one per
// nanosecond, allows nothing.
type Budget struct {
	Limit  int
	Window time.Duration
}

// Spending is the result of Take: the decision and the rest of the budget.
type Spending struct {
	Allowed    bool
	Remaining  int           // how many more operations would be allowed now
	ResetAfter time.Duration // until the budget is full again
	RetryAfter time.Duration // when not Allowed: until the next operation is allowed
}

// RateLimiter limits operations by key with the generic cell rate algorithm (GCRA): a budget
// starts full, may be spent in one burst and refills evenly over its window.
type RateLimiter interface {
	// Take spends cost from the budget of the key if the rest is at least cost, and nothing
	// otherwise. A cost of 0 spends nothing; Allowed then reports whether a cost of 1 would be
	// allowed.
	Take(ctx context.Context, key string, budget Budget, cost int) (Spending, error)
}
