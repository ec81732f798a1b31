package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"
)

var pairs = sqldb.Table{Name: "pairs", Columns: []string{"id", "name"}, Types: []string{"bigint", "text"}}

func TestAnInsertRunsForEachRow(t *testing.T) {
	t.Parallel()
	db := pairsTable(t)
	insert := func(rows ...[]any) int64 {
		var affected []int64
		inSession(t, db, func(s sqldb.Session) (err error) {
			affected, err = s.Batch(t.Context(), []sqldb.Statement{{Insert: &sqldb.Insert{Table: pairs, Rows: rows, OnConflict: " ON CONFLICT DO NOTHING"}}})
			return err
		})
		return affected[0]
	}
	if n := insert([]any{1, "a"}, []any{2, "b"}, []any{1, "c"}, []any{3, nil}); n != 3 {
		t.Errorf("%d rows were affected, want 3", n)
	}
	if n := countPairs(t, db, "WHERE id = 1 AND name = 'a' OR id = 2 AND name = 'b' OR id = 3 AND name IS NULL"); n != 3 {
		t.Errorf("%d of the rows are as they were given, want 3", n)
	}
	// The prepared statement still works after a change of the table.
	if _, err := db.Exec("ALTER TABLE pairs ADD COLUMN more"); err != nil {
		t.Fatal(err)
	}
	insert([]any{4, "d"})
	if n := countPairs(t, db, ""); n != 4 {
		t.Errorf("there are %d rows, want 4", n)
	}
}

func TestRollbackUndoesRowsBeforeAFailure(t *testing.T) {
	t.Parallel()
	db := pairsTable(t)
	inSession(t, db, func(s sqldb.Session) error {
		if err := s.Start(t.Context(), false); err != nil {
			return err
		}
		twice := sqldb.Statement{Insert: &sqldb.Insert{Table: pairs, Rows: [][]any{{1, "a"}, {1, "b"}}}}
		if _, err := s.Batch(t.Context(), []sqldb.Statement{twice}); err == nil {
			t.Error("the same key was taken twice")
		}
		return s.Rollback(t.Context())
	})
	if n := countPairs(t, db, ""); n != 0 {
		t.Errorf("%d rows are left, want none", n)
	}
}

func TestCommitKeepsRows(t *testing.T) {
	t.Parallel()
	db := pairsTable(t)
	inSession(t, db, func(s sqldb.Session) error {
		last := []sqldb.Statement{{Text: "INSERT INTO pairs VALUES ($1, $2)", Args: []any{1, "a"}}}
		return errors.Join(s.Start(t.Context(), false), s.Commit(t.Context(), last), s.Rollback(t.Context()))
	})
	if n := countPairs(t, db, ""); n != 1 {
		t.Errorf("%d rows are left, want 1", n)
	}
}

func TestStatementsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	db := pairsTable(t)
	inSession(t, db, func(s sqldb.Session) error {
		ctx, cancel := context.WithCancel(t.Context())
		insert := func(id int64) error {
			_, err := s.Exec(ctx, "INSERT INTO pairs (id) VALUES ($1)", []any{id})
			return err
		}
		if err := insert(1); err != nil {
			t.Errorf("before it ended: %v", err)
		}
		if err := s.Query(ctx, "SELECT 1 UNION ALL SELECT 2", nil, func(rows sqldb.Rows) error {
			if !rows.Next() {
				t.Error("no first row")
			}
			cancel()
			if rows.Next() {
				t.Error("a row after the end")
			}
			return rows.Err()
		}); !errors.Is(err, context.Canceled) {
			t.Errorf("a read got %v, want context.Canceled", err)
		}
		if err := insert(2); !errors.Is(err, context.Canceled) {
			t.Errorf("a write got %v, want context.Canceled", err)
		}
		return nil
	})
}

// TestScan scans the types of columns into the types of variables that stores use.
func TestScan(t *testing.T) {
	t.Parallel()
	db := pairsTable(t)
	inSession(t, db, func(s sqldb.Session) error {
		return s.Query(t.Context(), "SELECT 7, -7, 7, 7, 1, 'seven', 'seven', x'07', 0.7, NULL, NULL, 7, NULL", nil, func(rows sqldb.Rows) error {
			type name string
			var wide int64
			var narrow int
			var short int16
			var unsigned uint8
			var yes bool
			var text name
			var raw, blob, none []byte
			var share float64
			var missing, present *int64
			var null sql.NullString
			rows.Next()
			if err := rows.Scan(&wide, &narrow, &short, &unsigned, &yes, &text, &raw, &blob, &share, &none, &missing, &present, &null); err != nil {
				return err
			}
			if wide != 7 || narrow != -7 || short != 7 || unsigned != 7 || !yes || text != "seven" || string(raw) != "seven" ||
				string(blob) != "\x07" || share != 0.7 || none != nil || missing != nil || *present != 7 || null.Valid {
				t.Error("values differ")
			}
			for _, into := range []any{&unsigned, &text, &blob} {
				all := make([]any, 13)
				for i := range all {
					all[i] = new(any)
				}
				all[1] = into
				if err := rows.Scan(all...); err == nil {
					t.Errorf("-7 was scanned into a %T", into)
				}
			}
			if rows.Scan(&wide) == nil {
				t.Error("13 columns were scanned into one value")
			}
			return nil
		})
	})
}

func pairsTable(t *testing.T) *sql.DB {
	t.Helper()
	db := bulkDatabase(t, false)
	if _, err := db.Exec("CREATE TABLE pairs (id INTEGER PRIMARY KEY, name TEXT)"); err != nil {
		t.Fatal(err)
	}
	return db
}

// inSession calls do with a connection of db.
func inSession(t *testing.T, db *sql.DB, do func(sqldb.Session) error) {
	t.Helper()
	on, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()                                                                       //nolint:errcheck // the pool is closed, too
	if err := on.Raw(func(raw any) error { return do(raw.(sqldb.Session)) }); err != nil { //nolint:errcheck // a panic fails the test
		t.Fatal(err)
	}
}

func countPairs(t *testing.T, db *sql.DB, where string) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT count(*) FROM pairs " + where).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
