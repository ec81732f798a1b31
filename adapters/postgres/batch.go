package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"imprimatur/adapters/sqlstore"
)

// Run sends all statements at once and reads all results afterwards (the pipeline of the
// protocol), except that many rows are copied. A created entry takes 6 or 7 statements that wait
// for no result. One by one, their round trips cost more processor time than the writes: a draft
// took 2.27 + 1.79 ms in the program and in the server, and 1.70 + 1.51 ms together
// (go run ./test/bench/write -engines postgres).
func (d dialect) Run(ctx context.Context, tx *sql.Tx, statements []sqlstore.Statement) ([]int64, error) {
	b := batch{prepare: !d.pooled, statements: statements, affected: make([]int64, len(statements))}
	_, err := tx.ExecContext(ctx, "", &b)
	return b.affected, err
}

// Commit is Run with a COMMIT after the last statement. Once that has succeeded, the transaction is
// committed, also when ctx ends before database/sql hears of it.
func (d dialect) Commit(ctx context.Context, tx *sql.Tx, statements []sqlstore.Statement) error {
	b := batch{prepare: !d.pooled, commits: true, statements: statements, affected: make([]int64, len(statements))}
	if _, err := tx.ExecContext(ctx, "", &b); err != nil {
		return err
	}
	_ = tx.Commit() // gives the connection back
	return nil
}

// batch, as the only argument of an empty statement, runs statements on one connection.
type batch struct {
	prepare    bool // keep the statements prepared
	commits    bool // commit after the last statement
	statements []sqlstore.Statement
	affected   []int64 // rows, of each statement
}

// fewestCopied is the number of rows from which COPY is used instead of INSERT. It takes two round
// trips, and then less time for each row, in the program and in the server.
const fewestCopied = 50

// run sends the statements between two copies together.
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

// send sends the statements from first to before end at once.
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

// sendOneByOne is send for connections without prepared statements. A batch would not know the
// types of the arguments there.
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

// done takes the result of the statement i.
func (b *batch) done(i int, tag pgconn.CommandTag) error {
	if tag.String() == "ROLLBACK" { // of the COMMIT after a statement that had failed
		return pgx.ErrTxCommitRollback
	}
	b.affected[i] = tag.RowsAffected()
	return nil
}
