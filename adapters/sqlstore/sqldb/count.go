package sqldb

import (
	"context"
	"strings"
	"sync/atomic"
)

type observerKey struct{}

// statementObserver observes the statements that run with a context.
type statementObserver struct {
	count   atomic.Int64
	observe func(text string, args []any) // may be nil
}

// WithStatementCount returns a context that counts the SQL statements that run with it, except
// BEGIN, COMMIT and ROLLBACK. Tests use it to bound the statements of a request.
func WithStatementCount(ctx context.Context) (context.Context, *atomic.Int64) {
	o := &statementObserver{}
	return context.WithValue(ctx, observerKey{}, o), &o.count
}

// WithStatementObserver returns a context that calls observe before each statement that runs
// with it. Benchmarks and tests use it to explain statements.
func WithStatementObserver(ctx context.Context, observe func(text string, args []any)) context.Context {
	return context.WithValue(ctx, observerKey{}, &statementObserver{observe: observe})
}

// countOwn counts and observes a statement.
func countOwn(ctx context.Context, text string, args []any) {
	if o, ok := ctx.Value(observerKey{}).(*statementObserver); ok {
		o.count.Add(1)
		if o.observe != nil {
			o.observe(text, args)
		}
	}
}

// text is the INSERT of one row.
func (in *Insert) text() string {
	places := make([]string, len(in.Table.Columns))
	for i := range places {
		places[i] = "$" + Number(int64(i+1))
	}
	return in.Into() + "VALUES (" + strings.Join(places, ", ") + ")" + in.OnConflict
}

func countAll(ctx context.Context, statements []Statement) {
	for _, s := range statements {
		if s.Insert != nil {
			countOwn(ctx, s.Insert.text(), s.Insert.Rows[0])
		} else {
			countOwn(ctx, s.Text, s.Args)
		}
	}
}
