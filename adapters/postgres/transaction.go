package postgres

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"imprimatur/adapters/sqlstore"
)

// connector opens connections of the type conn.
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
	return &conn{Conn: plain}, nil
}

// conn is a connection that runs batches. A transaction begins when its first statement is sent.
// In a batch, BEGIN and COMMIT are sent with the statements and need no round trips of their own.
type conn struct {
	*stdlib.Conn
	begins bool // BEGIN must be sent before the next statement
	open   bool // BEGIN was sent, and no COMMIT or ROLLBACK
}

var (
	begin  = sqlstore.Statement{Text: "begin"}
	commit = sqlstore.Statement{Text: "commit"}
)

// BeginTx sends nothing yet.
func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if options != (driver.TxOptions{}) {
		return nil, errors.New("postgres: a transaction with options")
	}
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	c.begins = true
	return transaction{c, ctx}, nil
}

// begin sends BEGIN if it must be sent before the next statement.
func (c *conn) begin(ctx context.Context) error {
	if !c.begins {
		return nil
	}
	c.begins, c.open = false, true
	_, err := c.Conn.ExecContext(ctx, begin.Text, nil)
	return err
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 1 {
		if b, ok := args[0].Value.(*batch); ok {
			return driver.ResultNoRows, c.run(ctx, b)
		}
	}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	return c.Conn.ExecContext(ctx, query, args)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	return c.Conn.QueryContext(ctx, query, args)
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	return c.Conn.PrepareContext(ctx, query)
}

// run runs a batch. It adds BEGIN if c.begins, and COMMIT if b.commits.
func (c *conn) run(ctx context.Context, b *batch) error {
	if !c.open && len(b.statements) == 0 {
		c.begins = false
		return nil
	}
	all := batch{prepare: b.prepare}
	if c.begins {
		all.statements = append(all.statements, begin)
	}
	first := len(all.statements)
	all.statements = append(all.statements, b.statements...)
	if b.commits {
		all.statements = append(all.statements, commit)
	}
	all.affected = make([]int64, len(all.statements))
	c.begins, c.open = false, true
	if err := all.run(ctx, c.Conn.Conn()); err != nil {
		if pgconn.SafeToRetry(err) && ctx.Err() == nil {
			return driver.ErrBadConn
		}
		return err
	}
	c.open = !b.commits
	copy(b.affected, all.affected[first:])
	return nil
}

// transaction is the transaction of a connection.
type transaction struct {
	conn *conn
	ctx  context.Context //nolint:containedctx // that of BeginTx, as the methods have none
}

// Commit does nothing after a batch that has committed.
func (t transaction) Commit() error { return t.conn.run(t.ctx, &batch{prepare: false, commits: true}) }

// Rollback does nothing after a batch that has committed.
func (t transaction) Rollback() error {
	t.conn.begins = false
	if !t.conn.open {
		return nil
	}
	t.conn.open = false
	on := t.conn.Conn.Conn()
	if _, err := on.Exec(t.ctx, "rollback"); err != nil {
		return errors.Join(err, on.Close(t.ctx)) // its state is unknown
	}
	return nil
}
