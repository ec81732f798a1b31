package sqlstore

import (
	"context"

	"github.com/uptrace/bun"

	"imprimatur/adapters/sqlstore/admission"
)

// Load is what is at the doors of a database.
type Load struct {
	Reads, Writes admission.Load
}

// Load returns what requests have in work, and how many of them wait.
func (db *DB) Load() Load { return Load{Reads: db.reads.Load(), Writes: db.writes.Load()} }

// Doors returns the gates that requests pass before they read, and before they write.
func (db *DB) Doors() (reads, writes *admission.Gate) { return db.reads, db.writes }

// WithRequest returns a context for everything that is done for one request: of these,
// no more are at the database at once than it can serve, and those that come while too
// many wait are turned away with core.ErrUnavailable. What is done on nobody's behalf
// waits for none of them.
func WithRequest(ctx context.Context) context.Context { return admission.WithVisit(ctx) }

// door has the statements that bun runs outside a transaction pass a gate.
type door struct{ *admission.Gate }

func (d door) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	if inTransaction(ctx) {
		return ctx
	}
	if err := d.Enter(ctx); err != nil {
		return turnedAway{ctx, err}
	}
	return ctx
}

func (d door) AfterQuery(ctx context.Context, _ *bun.QueryEvent) {
	if _, away := ctx.(turnedAway); !away && !inTransaction(ctx) {
		d.Leave(ctx)
	}
}

// turnedAway is a context that has ended with err: database/sql then runs nothing and
// returns it. A hook of bun has no other way to say so.
type turnedAway struct {
	context.Context //nolint:containedctx // it is one
	err             error
}

func (turnedAway) Done() <-chan struct{} { return closed }

func (c turnedAway) Err() error { return c.err }

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// insideRows are rows whose reader leaves a gate in the end.
type insideRows struct {
	Rows
	leave func()
}

func (r *insideRows) Close() error {
	if r.leave != nil {
		defer r.leave()
		r.leave = nil
	}
	return r.Rows.Close()
}

// hot runs a hot read outside a transaction, inside the gate of reads until its rows
// are closed.
func (db *DB) hot(ctx context.Context, text string, args []any) (Rows, error) {
	if inTransaction(ctx) {
		return db.pools.Hot.Query(ctx, text, args...)
	}
	if err := db.reads.Enter(ctx); err != nil {
		return nil, err
	}
	rows, err := db.pools.Hot.Query(ctx, text, args...) //nolint:rowserrcheck // whoever reads the rows asks
	if err != nil {
		db.reads.Leave(ctx)
		return nil, err
	}
	return &insideRows{rows, func() { db.reads.Leave(ctx) }}, nil
}
