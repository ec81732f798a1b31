package flat

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// database is a direct connection to a database of the program.
type database struct {
	engine engine
	url    string
	pool   *sql.DB
	conn   *sql.Conn // the only connection
}

// engine is the engine-specific part of the benchmark.
type engine interface {
	// create creates an empty database and returns its URL.
	create(ctx context.Context) (url string, err error)
	// clone copies a database without connections and returns the copy's URL.
	clone(ctx context.Context, url string) (string, error)
	// drop removes a database.
	drop(ctx context.Context, url string) error
	// open opens the database at url; prepare are statements for every connection.
	open(url string) (pool *sql.DB, prepare []string, err error)
	// columns is a SELECT of the columns of a table.
	columns(table string) string
	// indexes is a SELECT of the names and definitions of the indexes of entry tables that
	// are not needed for uniqueness.
	indexes() string
	// keepIDs is a statement that advances the id sequence beyond the copied entries.
	keepIDs() string
	// date is an expression of the day in document form, from an expression in milliseconds.
	date(milliseconds string) string
	// readWords returns statements that prepare the copying of words, on the connection that copies.
	readWords() []string
	// words returns the table into which rows of entry_words are inserted, and the join and the
	// expression of their words, which begin with l.becomes in place of l.was unless these are NULL.
	words() (into, joined, words string)
	// explain runs a read of the program up to runs times after a warm-up, and returns its
	// plan and cost; the time is the median.
	explain(ctx context.Context, conn *sql.Conn, runs int, text string, args []any) (effort, error)
	// processes returns the ids of the engine's server processes.
	processes() []int
	// sizes is a SELECT of the name of each entry table, and the bytes of its rows and its
	// indexes.
	sizes() string
	// hold returns statements that disable automatic maintenance; empty if the engine has
	// none.
	hold() []string
	// settle returns the maintenance statements that would have run in production.
	settle() []string
}

// effort is the cost of a statement.
type effort struct {
	milliseconds float64
	pages        int // page accesses
	rows         int // rows read or filtered; 0 if unknown
	plan         string
}

func connect(ctx context.Context, e engine, url string) (*database, error) {
	pool, prepare, err := e.open(url)
	if err != nil {
		return nil, err
	}
	d := &database{engine: e, url: url, pool: pool}
	if d.conn, err = pool.Conn(ctx); err != nil {
		return nil, err
	}
	for _, statement := range prepare {
		if err := d.exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *database) close() error { return errors.Join(d.conn.Close(), d.pool.Close()) }

func (d *database) exec(ctx context.Context, statement string) error {
	_, err := d.conn.ExecContext(ctx, statement)
	return err
}

// transaction runs statements in one transaction.
func (d *database) transaction(ctx context.Context, statements []string) error {
	tx, err := d.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // no effect after Commit
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (d *database) columns(ctx context.Context, table string) ([]string, error) {
	return collect(ctx, d.conn, d.engine.columns(table), func(rows *sql.Rows) (column string, err error) {
		return column, rows.Scan(&column)
	})
}

// withoutIndexes drops the indexes of entry tables that are not needed for uniqueness, runs
// do, and creates them again, which is faster.
func (d *database) withoutIndexes(ctx context.Context, s *site, do func() error) error {
	type index struct{ name, definition string }
	indexes, err := collect(ctx, d.conn, d.engine.indexes(), func(rows *sql.Rows) (i index, err error) {
		return i, rows.Scan(&i.name, &i.definition)
	})
	if err != nil {
		return err
	}
	indexes = slices.DeleteFunc(indexes, func(i index) bool { return !s.fills(i.name) })
	for _, i := range indexes {
		if err := d.exec(ctx, "DROP INDEX "+i.name); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return err
	}
	for _, i := range indexes {
		if err := d.exec(ctx, i.definition); err != nil {
			return err
		}
	}
	return nil
}

// size is the size of an entry table in bytes.
type size struct {
	table         string
	rows, indexes int64
}

func (d *database) sizes(ctx context.Context) ([]size, error) {
	return collect(ctx, d.conn, d.engine.sizes(), func(rows *sql.Rows) (s size, err error) {
		return s, rows.Scan(&s.table, &s.rows, &s.indexes)
	})
}

func (d *database) settle(ctx context.Context) error {
	for _, statement := range d.engine.settle() {
		if err := d.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func collect[T any](ctx context.Context, conn *sql.Conn, query string, scan func(*sql.Rows) (T, error)) (all []T, err error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is checked
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
