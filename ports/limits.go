package ports

import (
	"context"
	"time"
)

// Budget is how often something may happen: Limit times per Window. One without a
// limit, or with less than a nanosecond for each time, allows nothing.
type Budget struct {
	Limit  int
	Window time.Duration
}

// Spending is what is left of a budget.
type Spending struct {
	Allowed    bool
	Remaining  int           // how many more would be allowed now
	ResetAfter time.Duration // until the budget is whole again
	RetryAfter time.Duration // when not Allowed: until one would be
}

// RateLimiter keeps budgets by key, by the generic cell rate algorithm: a budget
// starts whole, may be spent in one burst and comes back evenly over its window.
type RateLimiter interface {
	// Take spends cost of key's budget when that much is left, else nothing. A cost
	// of 0 only looks: Allowed then says whether a cost of 1 would be.
	Take(ctx context.Context, key string, budget Budget, cost int) (Spending, error)
}
