package sqlstore

import (
	"context"
	"sync/atomic"

	"github.com/uptrace/bun"
)

type countKey struct{}

// WithStatementCount returns a context that counts the SQL statements run under it,
// BEGIN, COMMIT and ROLLBACK aside: for tests that hold how many a request takes.
func WithStatementCount(ctx context.Context) (context.Context, *atomic.Int64) {
	count := new(atomic.Int64)
	return context.WithValue(ctx, countKey{}, count), count
}

func countStatement(ctx context.Context) {
	if count, ok := ctx.Value(countKey{}).(*atomic.Int64); ok {
		count.Add(1)
	}
}

// statementCounter counts what bun runs.
type statementCounter struct{}

func (statementCounter) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	switch event.Query {
	case "BEGIN", "COMMIT", "ROLLBACK":
	default:
		countStatement(ctx)
	}
	return ctx
}

func (statementCounter) AfterQuery(context.Context, *bun.QueryEvent) {}
