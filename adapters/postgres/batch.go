package postgres

import (
	"context"
	"errors"
	"reflect"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// batch is a run of statements on a connection.
type batch struct {
	on         *pgx.Conn
	pooled     bool // no statement stays prepared
	statements []sqldb.Statement
	affected   []int64 // number of rows, by statement
}

// fewestCopied is the smallest number of rows for which COPY is used instead of INSERT. COPY takes
// two round trips, but less time for each row in the program and in the server.
const fewestCopied = 50

// rendered returns a statement with a text, unless it is an Insert that COPY runs. COPY takes given ids as they are. Words arrive as a text,
// which the statement converts.
func rendered(s sqldb.Statement) sqldb.Statement {
	in := s.Insert
	if in != nil && in.Table.Name == "entry_words" {
		values, args := dialect{}.Values(1, in.Table.Types, in.Rows)
		return sqldb.Statement{Text: in.Into() + wordsColumns + "FROM (" + values + ") AS v", Args: args}
	}
	if in == nil || in.Given || in.OnConflict == "" && len(in.Rows) >= fewestCopied {
		return s
	}
	values, args := dialect{}.Values(1, in.Table.Types, in.Rows)
	return sqldb.Statement{Text: in.Into() + values + in.OnConflict, Args: args}
}

// wordsColumns selects the columns of entry_words from the columns of Values.
const wordsColumns = "SELECT column1, column2, column3, column4, column5, column6, column7::tsvector "

// run runs all statements. It sends those between two COPY operations in a pipeline.
func (b *batch) run(ctx context.Context) error {
	send := b.send
	if b.pooled {
		send = b.sendOneByOne
	}
	first := 0
	for i, statement := range b.statements {
		in := statement.Insert
		if in == nil {
			continue
		}
		if err := send(ctx, first, i); err != nil {
			return err
		}
		n, err := b.on.CopyFrom(ctx, pgx.Identifier{in.Table.Name}, in.Table.Columns, pgx.CopyFromRows(in.Rows))
		if err != nil {
			return err
		}
		b.affected[i], first = n, i+1
	}
	return send(ctx, first, len(b.statements))
}

// longestPipeline is the size of the arguments of a pipeline of several statements, in bytes. The server reads a
// statement after it has run those before, and a connection that takes nothing for long is given up.
const longestPipeline = 256 << 10

// send runs statements[first:end], in one pipeline if they are small.
func (b *batch) send(ctx context.Context, first, end int) error {
	for first < end {
		last, size := first, 0
		for ; last < end; last++ {
			if size += sizeOf(b.statements[last].Args); size > longestPipeline && last > first {
				break
			}
		}
		if err := b.pipe(ctx, first, last); err != nil {
			return err
		}
		first = last
	}
	return nil
}

// sizeOf returns the size of texts among args in bytes.
func sizeOf(args []any) (size int) {
	for _, arg := range args {
		if column, ok := arg.(columnOf); ok {
			for i := range column.rows {
				size += textSize(column.Index(i))
			}
		} else {
			size += textSize(arg)
		}
	}
	return size
}

func textSize(arg any) int {
	if v := reflect.ValueOf(arg); v.Kind() == reflect.String || v.Kind() == reflect.Slice {
		return v.Len()
	}
	return 0
}

// pipe runs statements[first:end] in one pipeline.
func (b *batch) pipe(ctx context.Context, first, end int) error {
	var queue pgx.Batch
	for _, statement := range b.statements[first:end] {
		if _, err := b.on.Prepare(ctx, statement.Text, statement.Text); err != nil { // once per connection
			return err
		}
		queue.Queue(statement.Text, statement.Args...)
	}
	results := b.on.SendBatch(ctx, &queue)
	for i := first; i < end; i++ {
		if err := b.read(i, results); err != nil {
			return errors.Join(err, results.Close())
		}
	}
	return results.Close()
}

// sendOneByOne is send for connections without prepared statements. Without them, a pipeline does
// not know the types of the arguments.
func (b *batch) sendOneByOne(ctx context.Context, first, end int) error {
	for i, statement := range b.statements[first:end] {
		rows, err := b.on.Query(ctx, statement.Text, append([]any{pgx.QueryExecModeCacheDescribe}, statement.Args...)...)
		if err != nil {
			return err
		}
		if err := readAll(rows, statement.Read); err != nil {
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
	if read := b.statements[i].Read; read != nil {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		return readAll(rows, read)
	}
	tag, err := results.Exec()
	return errors.Join(err, b.done(i, tag))
}

// readAll calls read, unless nil, and closes rows.
func readAll(rows pgx.Rows, read func(sqldb.Rows) error) error {
	defer rows.Close()
	if read != nil {
		if err := read(rows); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// done records the result of the statement i.
func (b *batch) done(i int, tag pgconn.CommandTag) error {
	if tag.String() == "ROLLBACK" { // the response to a COMMIT after a failed statement
		return pgx.ErrTxCommitRollback
	}
	b.affected[i] = tag.RowsAffected()
	return nil
}
