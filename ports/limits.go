package ports

import (
	"context"
	"time"
)

// Budget allows at most Limit operations in any Window. A Limit or a Window of 0 allows nothing.
type Budget struct {
	Limit  int
	Window time.Duration
}

// Spending is the result of Take: the decision and the rest of the budget.
type Spending struct {
	Allowed    bool
	Remaining  int           // how many more operations would be allowed now
	ResetAfter time.Duration // until the budget is full again
	RetryAfter time.Duration // when not Allowed: until the cost is allowed
}

// RateLimiter limits operations by key. A budget starts full and may be spent in one burst. Each
// operation returns to the budget one window after it was allowed or, with others that were allowed
// shortly after it, up to a 30th of the window later. The memory of a key does not grow with the
// limit.
type RateLimiter interface {
	// Take spends cost from the budget of the key if the rest is at least cost, and nothing
	// otherwise. A cost of 0 spends nothing; Allowed then reports whether a cost of 1 would be
	// allowed. A cost above the limit is never allowed; RetryAfter is then the window. A budget
	// with another limit counts the same operations.
	Take(ctx context.Context, key string, budget Budget, cost int) (Spending, error)
}
