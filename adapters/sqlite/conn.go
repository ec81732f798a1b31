package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// connector opens connections that know each.
type connector struct {
	driver.Connector
	others func() bool // whether others have the database open; nil when the log is never to grow
}

func newConnector(name string) (connector, error) {
	plain, err := sqlite.NewConnector(name)
	return connector{Connector: plain}, err
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := opened.(plainConn)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: a connection of another driver"), opened.Close())
	}
	return &conn{plainConn: plain, others: c.others, checkpoint: smallCheckpoint, prepared: map[string]statement{}}, nil
}

// plainConn is what the driver's connections can do.
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

type conn struct {
	plainConn
	others     func() bool
	checkpoint int                  // after so many pages in the log
	prepared   map[string]statement // their texts are few
}

// BeginTx has the log grow, or not, by who has the database open now: a service that finds
// a long one would bring it into the file with each of its writes.
func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if c.others != nil {
		if err := c.limitLog(ctx); err != nil {
			return nil, err
		}
	}
	return c.plainConn.BeginTx(ctx, options)
}

func (c *conn) limitLog(ctx context.Context) error {
	pages := bulkCheckpoint
	if c.others() {
		pages = smallCheckpoint
	}
	if pages == c.checkpoint {
		return nil
	}
	c.checkpoint = pages
	_, err := c.plainConn.ExecContext(ctx, fmt.Sprintf("PRAGMA wal_autocheckpoint(%d)", pages), nil)
	return err
}

// Close closes the statements first.
func (c *conn) Close() error {
	var errs []error
	for _, statement := range c.prepared {
		if closer, ok := statement.(driver.Stmt); ok {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(append(errs, c.plainConn.Close())...)
}
