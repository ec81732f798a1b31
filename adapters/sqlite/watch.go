package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Watch tells when anybody else has changed the database in a file: other processes, and
// connections of this one other than the one that writes.
type Watch struct {
	path    string
	pool    *sql.DB
	conn    *sql.Conn // sees each commit; the count is the connection's own
	commits int64     // as conn had it last

	writer  *sql.DB // sees each commit but its own
	writing any     // the connection that told others
	others  int64   // as writer had it last

	version int64
}

// writerTurn is how long a Watch waits for the connection that writes.
const writerTurn = 50 * time.Millisecond

// NewWatch returns a Watch of the file at path, as Open takes it, which that has opened as
// db. It opens the file once more when it is first asked.
func NewWatch(path string, db interface{ Writer() *sql.DB }) *Watch {
	return &Watch{path: filePath(path), writer: db.Writer()}
}

// Version returns a number that is another one after each commit but those of db. While
// the connection that writes is busy for long it is another one after those, too. It is
// for one caller at a time.
func (w *Watch) Version(ctx context.Context) (int64, error) {
	if w.conn == nil {
		if err := w.open(ctx); err != nil {
			return 0, err
		}
	}
	commits, err := dataVersion(ctx, w.conn)
	if err != nil {
		return 0, errors.Join(err, w.Close())
	}
	if commits != w.commits && !w.own(ctx) {
		w.version++
	}
	w.commits = commits
	return w.version, nil
}

// own reports whether all commits since it was last asked are those of db.
func (w *Watch) own(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, writerTurn)
	defer cancel()
	conn, err := w.writer.Conn(ctx)
	if err != nil {
		return false
	}
	defer conn.Close() // gives it back
	others, err := dataVersion(ctx, conn)
	if err != nil {
		return false
	}
	same := others == w.others
	w.others = others
	return w.same(conn) && same
}

// same reports whether conn is the connection that it was before, on which alone its
// count means the same.
func (w *Watch) same(conn *sql.Conn) (same bool) {
	_ = conn.Raw(func(connection any) error { // fails where the connection is closed
		same = connection == w.writing
		w.writing = connection
		return nil
	})
	return same
}

func dataVersion(ctx context.Context, conn *sql.Conn) (version int64, err error) {
	err = conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
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
	w.version++ // what was committed meanwhile, nobody knows
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
