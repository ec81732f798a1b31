package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"time"
)

// connector opens connections of type conn.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := opened.(plainConn)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: unexpected type of connection"), opened.Close())
	}
	return &conn{plainConn: plain, prepared: map[string]statement{}}, nil
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

// conn is a connection that keeps statements prepared and runs statements with [each].
type conn struct {
	plainConn
	prepared map[string]statement // by text
}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	return patiently(ctx, func() (driver.Tx, error) { return c.plainConn.BeginTx(ctx, options) })
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
	var errs []error
	for _, statement := range c.prepared {
		if closer, ok := statement.(driver.Stmt); ok {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(append(errs, c.plainConn.Close())...)
}
