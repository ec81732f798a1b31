package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"strings"

	"imprimatur/ports"
)

// Trace records a span for each statement and each batch that runs within another span. Its attributes have the texts
// that the stores build, which have no values. Call Trace before the first statement.
func (db *DB) Trace(tracer ports.Tracer) {
	s := spans{tracer: tracer, system: db.Dialect.Name()}
	db.spans = &s
	db.Pools.Hot = tracedHot{db.Pools.Hot, s}
}

// spans begins the spans of statements.
type spans struct {
	tracer ports.Tracer
	system string // the name of the engine in OpenTelemetry
}

// begin begins a span. end takes its name and attributes, and the error of the statements.
func (s spans) begin(ctx context.Context) (within context.Context, end func(name string, attributes map[string]any, err error)) {
	within, finish := s.tracer.Begin(ctx, ports.SpanStatement)
	return within, func(name string, attributes map[string]any, err error) {
		all := map[string]any{"db.system.name": s.system}
		maps.Copy(all, attributes)
		finish(ports.Span{Name: name, Attributes: all, Failed: err != nil && !errors.Is(err, sql.ErrNoRows)})
	}
}

func textOf(text string) map[string]any { return map[string]any{"db.query.text": text} }

// operation returns the first word of a statement.
func operation(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return strings.ToUpper(word)
}

// batchOf returns the attributes of a batch.
func batchOf(statements []Statement) map[string]any {
	texts := make([]string, len(statements))
	for i, s := range statements {
		if texts[i] = s.Text; s.Insert != nil {
			texts[i] = s.Insert.Into()
		}
	}
	return map[string]any{"db.operation.batch.size": len(statements), "db.query.text": strings.Join(texts, ";\n")}
}

// tracedHot is a Hot whose reads have spans.
type tracedHot struct {
	Hot
	spans spans
}

func (h tracedHot) Query(ctx context.Context, text string, args []any, read func(Rows) error) error {
	ctx, end := h.spans.begin(ctx)
	err := h.Hot.Query(ctx, text, args, read)
	end(operation(text), textOf(text), err)
	return err
}

// tracedSession is a Session whose statements have spans.
type tracedSession struct {
	Session
	spans spans
}

func (s tracedSession) Query(ctx context.Context, text string, args []any, read func(Rows) error) error {
	ctx, end := s.spans.begin(ctx)
	err := s.Session.Query(ctx, text, args, read)
	end(operation(text), textOf(text), err)
	return err
}

func (s tracedSession) Exec(ctx context.Context, text string, args []any) (affected int64, err error) {
	ctx, end := s.spans.begin(ctx)
	affected, err = s.Session.Exec(ctx, text, args)
	end(operation(text), textOf(text), err)
	return affected, err
}

func (s tracedSession) Batch(ctx context.Context, statements []Statement) (affected []int64, err error) {
	if len(statements) == 0 {
		return s.Session.Batch(ctx, statements)
	}
	ctx, end := s.spans.begin(ctx)
	affected, err = s.Session.Batch(ctx, statements)
	end("BATCH", batchOf(statements), err)
	return affected, err
}

func (s tracedSession) Commit(ctx context.Context, statements []Statement) error {
	ctx, end := s.spans.begin(ctx)
	err := s.Session.Commit(ctx, statements)
	end("COMMIT", batchOf(statements), err)
	return err
}
