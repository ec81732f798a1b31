package sqlstore

import (
	"context"
	"sync/atomic"

	"github.com/uptrace/bun"
)

type watchKey struct{}

// watch is what a context has done about the statements that are run under it.
type watch struct {
	count atomic.Int64
	tell  func(text string, args []any) // may be nil
}

// WithStatementCount returns a context that counts the SQL statements run under it,
// BEGIN, COMMIT and ROLLBACK aside: for tests that hold how many a request takes.
func WithStatementCount(ctx context.Context) (context.Context, *atomic.Int64) {
	w := &watch{}
	return context.WithValue(ctx, watchKey{}, w), &w.count
}

// WithStatementsTold returns a context under which tell gets to know the statements whose
// texts are the stores' own, with their arguments, before each is run: for benches and
// tests that explain them.
func WithStatementsTold(ctx context.Context, tell func(text string, args []any)) context.Context {
	return context.WithValue(ctx, watchKey{}, &watch{tell: tell})
}

func countStatement(ctx context.Context) {
	if w, ok := ctx.Value(watchKey{}).(*watch); ok {
		w.count.Add(1)
	}
}

func countOwn(ctx context.Context, text string, args []any) {
	if w, ok := ctx.Value(watchKey{}).(*watch); ok {
		w.count.Add(1)
		if w.tell != nil {
			w.tell(text, args)
		}
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
