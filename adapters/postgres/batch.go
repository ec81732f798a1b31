package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

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

// batch, as the only argument of an empty statement, runs statements on one connection.
type batch struct {
	prepare    bool // keep the statements prepared
	statements []sqlstore.Statement
	affected   []int64 // rows, of each statement
}

// connector opens connections that run batches.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := opened.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(errors.New("postgres: a connection of another driver"), opened.Close())
	}
	return conn{plain}, nil
}

type conn struct{ *stdlib.Conn }

func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 1 {
		if b, ok := args[0].Value.(*batch); ok {
			return driver.ResultNoRows, b.run(ctx, c.Conn.Conn())
		}
	}
	return c.Conn.ExecContext(ctx, query, args)
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
		b.affected[first+i] = rows.CommandTag().RowsAffected()
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
	b.affected[i] = tag.RowsAffected()
	return err
}
