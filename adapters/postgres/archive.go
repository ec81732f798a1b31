package postgres

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"
)

// Freeze reads in one snapshot. It may be idle while the archive waits for its output.
func (dialect) Freeze(ctx context.Context, pools sqldb.Pools, _ string) (*sql.Tx, func() error, error) {
	tx, err := pools.Read.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, nil, err
	}
	if _, err := tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		return nil, nil, errors.Join(err, tx.Rollback())
	}
	return tx, tx.Rollback, nil
}

// sequenceOf returns the name of the sequence that gives the ids of a table.
func sequenceOf(of string) string {
	if of == "entry_ids" {
		return of
	}
	return of + "_id_seq"
}

func (dialect) LastID(of string) string {
	return "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM " + sequenceOf(of)
}

// SetLastID names the sequence in the text: setval takes no smaller number than 1.
func (dialect) SetLastID(of string, last int64) []sqldb.Statement {
	called := strconv.FormatBool(last > 0)
	return []sqldb.Statement{{
		Text: "SELECT setval('" + sequenceOf(of) + "', $1, " + called + ")", Args: []any{max(last, 1)},
		Read: func(rows sqldb.Rows) error {
			rows.Next()
			return rows.Err()
		},
	}}
}

// PastTransactions gives such events the lowest number.
func (dialect) PastTransactions() []string {
	return []string{"UPDATE events SET xact = 0 WHERE xact >= pg_current_xact_id()::text::bigint"}
}

// MaxID implements sqlstore.Archives.
func (dialect) MaxID() int64 { return math.MaxInt64 }

func (dialect) Truncate(tables []string) []sqldb.Statement {
	return []sqldb.Statement{{Text: "TRUNCATE " + strings.Join(tables, ", ")}}
}
