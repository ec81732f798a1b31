package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"
)

// connector opens connections of type conn.
type connector struct {
	driver.Connector
	longest int // see statements
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := opened.(plainConn)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: unexpected type of connection"), opened.Close())
	}
	return &conn{plainConn: plain, statements: statements{longest: c.longest, kept: map[string]*statement{}}}, nil
}

// plainConn has the methods of the driver's connections.
type plainConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// conn is a connection of the driver that waits for other processes. It implements
// sqlstore.Session; see session.go.
type conn struct {
	plainConn
	statements statements
	tx         driver.Tx // of the Session; nil outside its transactions
}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	return patiently(ctx, func() (driver.Tx, error) { return c.plainConn.BeginTx(ctx, options) })
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return patiently(ctx, func() (driver.Result, error) { return c.plainConn.ExecContext(ctx, query, args) })
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return patiently(ctx, func() (driver.Rows, error) { return c.plainConn.QueryContext(ctx, query, args) })
}

// patiently calls run again while another process has the lock of the file, for up to busyTimeout.
// Within a transaction that writes, no other process has it.
func patiently[T any](ctx context.Context, run func() (T, error)) (T, error) {
	result, err := run()
	for began := time.Now(); err != nil && busy(err) && ctx.Err() == nil && time.Since(began) < busyTimeout; {
		result, err = run()
	}
	return result, err
}

// Close closes the prepared statements, then the connection.
func (c *conn) Close() error {
	return errors.Join(c.statements.close(), c.plainConn.Close())
}
