package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"os"
	"path/filepath"

	"imprimatur/adapters/sqlstore"
)

// Freeze reads a copy of the database: a snapshot that is open for long would keep the log from being
// written back, and the log would grow.
func (dialect) Freeze(ctx context.Context, pools sqlstore.Pools, scratch string) (*sql.Tx, func() error, error) {
	folder, err := os.MkdirTemp(scratch, "imprimatur-backup-") // mode 0700
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	path := filepath.Join(folder, "copy.db")
	if _, err := pools.Write.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	copied, err := pool(path, 1, smallCache, maxBytes, "_pragma", "query_only(1)")
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	tx, err := copied.BeginTx(ctx, nil)
	if err != nil {
		return nil, nil, errors.Join(err, copied.Close(), remove())
	}
	return tx, func() error { return errors.Join(tx.Rollback(), copied.Close(), remove()) }, nil
}

func (dialect) LastID(of string) string {
	if of == "entry_ids" {
		return "SELECT last FROM entry_ids"
	}
	return "SELECT seq FROM sqlite_sequence WHERE name = '" + of + "'"
}

func (dialect) SetLastID(of string, last int64) []sqlstore.Statement {
	if of == "entry_ids" {
		return []sqlstore.Statement{{Text: "UPDATE entry_ids SET last = $1", Args: []any{last}}}
	}
	return []sqlstore.Statement{
		{Text: "DELETE FROM sqlite_sequence WHERE name = $1", Args: []any{of}},
		{Text: "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", Args: []any{of, last}},
	}
}

// PastTransactions has nothing to do: the numbers are the ids of events.
func (dialect) PastTransactions() []string { return nil }

// MaxID is what entry_words takes.
func (dialect) MaxID() int64 { return math.MaxInt32 }

func (dialect) Truncate(tables []string) (statements []sqlstore.Statement) {
	for _, table := range tables {
		statements = append(statements, sqlstore.Statement{Text: "DELETE FROM " + table})
	}
	return statements
}
