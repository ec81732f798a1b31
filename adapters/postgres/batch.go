package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"imprimatur/adapters/sqlstore"
)

// Run sends all statements in one pipeline and reads the results afterwards; large inserts use
// COPY. The creation of an entry takes 6 or 7 statements, none of which needs an earlier result.
// Sent one by one, their round trips cost more processor time than the writes: a draft took
// 2.27 ms in the program and 1.79 ms in the server, in a pipeline 1.70 and 1.51 ms
// (go run ./test/bench write -engines postgres).
func (d dialect) Run(ctx context.Context, tx *sql.Tx, statements []sqlstore.Statement) ([]int64, error) {
	b := batch{prepare: !d.pooled, statements: statements, affected: make([]int64, len(statements))}
	_, err := tx.ExecContext(ctx, "", &b)
	return b.affected, err
}

// Commit is Run with a COMMIT after the last statement. If the pipeline succeeds, Commit returns
// nil even if ctx ends before tx.Commit.
func (d dialect) Commit(ctx context.Context, tx *sql.Tx, statements []sqlstore.Statement) error {
	b := batch{prepare: !d.pooled, commits: true, statements: statements, affected: make([]int64, len(statements))}
	if _, err := tx.ExecContext(ctx, "", &b); err != nil {
		return err
	}
	_ = tx.Commit() // returns the connection to the pool
	return nil
}

// batch is a list of statements for one connection. database/sql passes it to conn.ExecContext as
// the only argument of an empty statement.
type batch struct {
	prepare    bool // keep the statements prepared
	commits    bool // commit after the last statement
	statements []sqlstore.Statement
	affected   []int64 // number of rows, by statement
}

// fewestCopied is the smallest number of rows for which COPY is used instead of INSERT. COPY takes
// two round trips, but less time for each row in the program and in the server.
const fewestCopied = 50

// run runs all statements. It sends those between two COPY operations in one pipeline.
func (b *batch) run(ctx context.Context, on *pgx.Conn) error {
	send := b.send
	if !b.prepare {
		send = b.sendOneByOne
	}
	first := 0
	for i, statement := range b.statements {
		copied := statement.Inserted
		if copied == nil || len(copied.Rows) < fewestCopied {
			continue
		}
		if err := send(ctx, on, first, i); err != nil {
			return err
		}
		n, err := on.CopyFrom(ctx, pgx.Identifier{copied.Table}, copied.Columns, pgx.CopyFromRows(copied.Rows))
		if err != nil {
			return err
		}
		b.affected[i], first = n, i+1
	}
	return send(ctx, on, first, len(b.statements))
}

// send runs statements[first:end] in one pipeline.
func (b *batch) send(ctx context.Context, on *pgx.Conn, first, end int) error {
	if first == end {
		return nil
	}
	var queue pgx.Batch
	for _, statement := range b.statements[first:end] {
		if _, err := on.Prepare(ctx, statement.Text, statement.Text); err != nil { // once per connection
			return err
		}
		queue.Queue(statement.Text, statement.Args...)
	}
	results := on.SendBatch(ctx, &queue)
	for i := first; i < end; i++ {
		if err := b.read(i, results); err != nil {
			return errors.Join(err, results.Close())
		}
	}
	return results.Close()
}

// sendOneByOne is send for connections without prepared statements. Without them, a pipeline does
// not know the types of the arguments.
func (b *batch) sendOneByOne(ctx context.Context, on *pgx.Conn, first, end int) error {
	for i, statement := range b.statements[first:end] {
		rows, err := on.Query(ctx, statement.Text, append([]any{pgx.QueryExecModeCacheDescribe}, statement.Args...)...)
		if err != nil {
			return err
		}
		if statement.Rows != nil {
			err = statement.Rows(hotRows{rows})
		}
		rows.Close()
		if err := errors.Join(err, rows.Err()); err != nil {
			return err
		}
		if err := b.done(first+i, rows.CommandTag()); err != nil {
			return err
		}
	}
	return nil
}

// read reads the result of the statement i.
func (b *batch) read(i int, results pgx.BatchResults) error {
	if read := b.statements[i].Rows; read != nil {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		defer rows.Close()
		return read(hotRows{rows})
	}
	tag, err := results.Exec()
	return errors.Join(err, b.done(i, tag))
}

// done records the result of the statement i.
func (b *batch) done(i int, tag pgconn.CommandTag) error {
	if tag.String() == "ROLLBACK" { // the response to a COMMIT after a failed statement
		return pgx.ErrTxCommitRollback
	}
	b.affected[i] = tag.RowsAffected()
	return nil
}
