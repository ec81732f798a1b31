package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"imprimatur/adapters/sqlstore/sqldb"
)

// freezing is held while a copy is made and read: SQLite has one folder for temporary files in a process.
var freezing sync.Mutex

// bounded opens a connection that maps nothing, and sorts in files of the folder: in memory, the sorted indexes of a
// million entries take gigabytes.
func bounded(path, folder string, options ...string) (*sql.DB, error) {
	db, err := pool(path, 1, smallCache, maxBytes, append(options, "_pragma", "temp_store(FILE)", "_pragma", "mmap_size(0)")...)
	if err == nil {
		err = temporaryIn(db, folder)
	}
	return db, err
}

// Freeze reads a copy of the database: a snapshot that is open for long would keep the log from being
// written back, and the log would grow. Its memory does not depend on the size of the database.
func (dialect) Freeze(ctx context.Context, pools sqldb.Pools, scratch string) (*sql.Tx, func() error, error) {
	folder, err := os.MkdirTemp(scratch, "imprimatur-backup-") // mode 0700
	if err != nil {
		return nil, nil, err
	}
	freezing.Lock()
	end := func() error {
		err := temporaryIn(pools.Write, "")
		freezing.Unlock()
		return errors.Join(err, os.RemoveAll(folder))
	}
	path := filepath.Join(folder, "copy.db")
	if err := copyInto(ctx, pools.Write, path, folder); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	copied, err := bounded(path, folder, "_pragma", "query_only(1)")
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	tx, err := copied.BeginTx(ctx, nil)
	if err != nil {
		return nil, nil, errors.Join(err, copied.Close(), end())
	}
	return tx, func() error { return errors.Join(tx.Rollback(), copied.Close(), end()) }, nil
}

// copyInto writes a copy of the database to path, with temporary files in folder, on a connection of its own.
func copyInto(ctx context.Context, db *sql.DB, path, folder string) error {
	var source string
	if err := db.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&source); err != nil {
		return err
	}
	own, err := bounded(source, folder)
	if err != nil {
		return err
	}
	_, err = own.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(err, own.Close())
}

// temporaryIn sets the folder of SQLite's temporary files. Empty: that of the system.
func temporaryIn(db *sql.DB, folder string) error {
	_, err := db.ExecContext(context.Background(), "PRAGMA temp_store_directory = '"+strings.ReplaceAll(folder, "'", "''")+"'")
	return err
}

func (dialect) LastID(of string) string {
	if of == "entry_ids" {
		return "SELECT last FROM entry_ids"
	}
	return "SELECT seq FROM sqlite_sequence WHERE name = '" + of + "'"
}

func (dialect) SetLastID(of string, last int64) []sqldb.Statement {
	if of == "entry_ids" {
		return []sqldb.Statement{{Text: "UPDATE entry_ids SET last = $1", Args: []any{last}}}
	}
	return []sqldb.Statement{
		{Text: "DELETE FROM sqlite_sequence WHERE name = $1", Args: []any{of}},
		{Text: "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", Args: []any{of, last}},
	}
}

// PastTransactions has nothing to do: the numbers are the ids of events.
func (dialect) PastTransactions() []string { return nil }

// MaxID is what entry_words takes.
func (dialect) MaxID() int64 { return math.MaxInt32 }

func (dialect) Truncate(tables []string) (statements []sqldb.Statement) {
	for _, table := range tables {
		statements = append(statements, sqldb.Statement{Text: "DELETE FROM " + table})
	}
	return statements
}
