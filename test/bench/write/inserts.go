package write

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	_ "imprimatur/adapters/sqlite" // the driver sqlite, with the functions of triggers
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/site"
)

// insertsPer is the number of articles in a transaction of insertRows.
const insertsPer = 1000

// rowsOf are the rows of a table, and the statement that inserts one.
type rowsOf struct {
	insert string
	rows   [][]any
}

// inserts reads the rows that the import of articles has written, and inserts them into a new database with the
// same tables and indexes. The cell has articles per second and the CPU ms of each. On SQLite the rows lack the
// index of words, whose texts are not stored.
func (o options) inserts(ctx context.Context, databaseURL string, servers []int) (cell string, err error) {
	if !o.inserted {
		return "", nil
	}
	fresh, err := o.freshDatabase(ctx, databaseURL)
	if err != nil {
		return "", err
	}
	if err := site.Migrate(ctx, fresh); err != nil {
		return "", err
	}
	tables, err := o.readTables(ctx, databaseURL)
	if err != nil {
		return "", err
	}
	processes := append([]int{os.Getpid()}, servers...)
	began, before := time.Now(), load.CPU(processes...)
	if err := o.insertRows(ctx, fresh, tables); err != nil {
		return "", err
	}
	took, count := time.Since(began), float64(o.articles)
	return fmt.Sprintf("%.0f (%.3f)", count/took.Seconds(), (load.CPU(processes...)-before)/count), nil
}

// freshDatabase returns the URL of an empty database beside another one.
func (o options) freshDatabase(ctx context.Context, databaseURL string) (string, error) {
	if !isPostgres(databaseURL) {
		return "sqlite:" + filepath.Join(o.dir, "inserts.db"), nil
	}
	db, err := connect(ctx, databaseURL)
	if err != nil {
		return "", err
	}
	defer db.Close()
	if _, err = db.ExecContext(ctx, "CREATE DATABASE inserts TEMPLATE template0"); err != nil {
		return "", err
	}
	parsed, err := url.Parse(databaseURL)
	if err != nil {
		return "", err
	}
	parsed.Path = "/inserts"
	return parsed.String(), nil
}

func isPostgres(databaseURL string) bool { return strings.HasPrefix(databaseURL, "postgres") }

// connection is a pool with its only connection.
type connection struct {
	*sql.Conn
	db *sql.DB
}

func (c connection) Close() { _ = errors.Join(c.Conn.Close(), c.db.Close()) } // what was written is committed

// connect opens one connection that checks no foreign keys, because tables are filled in any order. The triggers
// of SQLite run, which fill the full-text indexes.
func connect(ctx context.Context, databaseURL string) (c connection, err error) {
	driver, source, setup := "sqlite", "file:"+strings.TrimPrefix(databaseURL, "sqlite:")+"?_txlock=immediate", []string{
		"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA cache_size = -32768", "PRAGMA foreign_keys = OFF",
	}
	if isPostgres(databaseURL) {
		driver, source, setup = "pgx", databaseURL, []string{"SET session_replication_role = replica"}
	}
	if c.db, err = sql.Open(driver, source); err != nil {
		return c, err
	}
	if c.Conn, err = c.db.Conn(ctx); err != nil {
		return c, errors.Join(err, c.db.Close())
	}
	for _, statement := range setup {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			c.Close()
			return c, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return c, nil
}

// readTables reads the tables that have at least a row for every second article.
func (o options) readTables(ctx context.Context, databaseURL string) (tables []rowsOf, err error) {
	db, err := connect(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	list := "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'entry_words'"
	if isPostgres(databaseURL) {
		list = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	}
	names, err := texts(ctx, db, list)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t, err := readTable(ctx, db, name, isPostgres(databaseURL))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(t.rows) >= o.articles/2 {
			tables = append(tables, t)
		}
	}
	return tables, nil
}

func texts(ctx context.Context, db connection, query string) (list []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

func readTable(ctx context.Context, db connection, name string, postgres bool) (t rowsOf, err error) {
	list, overriding := "SELECT name FROM pragma_table_xinfo('"+name+"') WHERE hidden = 0", "" // not generated
	if postgres {
		list, overriding = "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND is_generated = 'NEVER' AND table_name = '"+
			name+"' ORDER BY ordinal_position", " OVERRIDING SYSTEM VALUE"
	}
	columns, err := texts(ctx, db, list)
	if err != nil {
		return t, err
	}
	rows, err := db.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+name)
	if err != nil {
		return t, err
	}
	defer rows.Close()
	places := make([]string, len(columns))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	t.insert = "INSERT INTO " + name + " (" + strings.Join(columns, ", ") + ")" + overriding + " VALUES (" + strings.Join(places, ", ") + ")"
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return t, err
		}
		t.rows = append(t.rows, row)
	}
	return t, rows.Err()
}

// insertRows inserts the rows by prepared statements. A transaction has the same share of each table.
func (o options) insertRows(ctx context.Context, databaseURL string, tables []rowsOf) error {
	db, err := connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer db.Close()
	transactions := max(1, o.articles/insertsPer)
	for n := range transactions {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for _, t := range tables {
			rows := t.rows[len(t.rows)*n/transactions : len(t.rows)*(n+1)/transactions]
			if err := insertAll(ctx, tx, t.insert, rows); err != nil {
				return errors.Join(fmt.Errorf("%s: %w", t.insert, err), tx.Rollback())
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// insertAll inserts rows by a statement that it prepares once.
func insertAll(ctx context.Context, tx *sql.Tx, text string, rows [][]any) error {
	insert, err := tx.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer insert.Close() //nolint:errcheck // each row has been written, or the transaction is rolled back
	for _, row := range rows {
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}
