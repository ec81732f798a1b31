package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"

	"modernc.org/sqlite"
)

// connector opens connections that know each.
type connector struct{ driver.Connector }

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
	return &conn{plainConn: plain, prepared: map[string]statement{}}, nil
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
	prepared map[string]statement // their texts are few
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
