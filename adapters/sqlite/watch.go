package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// Watch tells when anybody else has changed the database in a file: other processes,
// and other connections of this one.
type Watch struct {
	path   string
	pool   *sql.DB
	conn   *sql.Conn // the count is one connection's own
	opened int64     // how often conn was opened
}

// NewWatch returns a Watch of the file at path, as Open takes it. The file is opened
// when it is first asked for.
func NewWatch(path string) *Watch { return &Watch{path: filePath(path)} }

// Version returns a number that is another one after each commit but those that this
// Watch's own connection makes, which makes none. It is for one caller at a time.
func (w *Watch) Version(ctx context.Context) (int64, error) {
	if w.conn == nil {
		if err := w.open(ctx); err != nil {
			return 0, err
		}
	}
	var version int64
	if err := w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		return 0, errors.Join(err, w.Close())
	}
	return w.opened<<32 | version, nil
}

func (w *Watch) open(ctx context.Context) error {
	pool, err := reading(w.path, 1, "mode", "ro")
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return errors.Join(err, pool.Close())
	}
	w.pool, w.conn = pool, conn
	w.opened++
	return nil
}

// Close lets go of the file. It may be asked again.
func (w *Watch) Close() error {
	if w.conn == nil {
		return nil
	}
	err := errors.Join(w.conn.Close(), w.pool.Close())
	w.conn, w.pool = nil, nil
	return err
}
