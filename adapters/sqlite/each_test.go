package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
)

func TestAStatementRunsForEachRow(t *testing.T) {
	t.Parallel()
	db := eachTable(t)
	result, err := db.Exec("INSERT INTO each (id, name) VALUES (?1, ?) ON CONFLICT DO NOTHING", each(2), 1, "a", 2, "b", 1, "c", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 3 {
		t.Errorf("%d rows were affected, %v, want 3", n, err)
	}
	if n := countEach(t, db, "WHERE id = 1 AND name = 'a' OR id = 2 AND name = 'b' OR id = 3 AND name IS NULL"); n != 3 {
		t.Errorf("%d of the rows are as they were given, want 3", n)
	}
	// The prepared statement still works after a change of the table.
	if _, err := db.Exec("ALTER TABLE each ADD COLUMN more"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO each (id, name) VALUES (?1, ?) ON CONFLICT DO NOTHING", each(2), 4, "d"); err != nil {
		t.Fatal(err)
	}
	if n := countEach(t, db, ""); n != 4 {
		t.Errorf("there are %d rows, want 4", n)
	}
}

func TestTheTransactionUndoesRowsBeforeAFailure(t *testing.T) {
	t.Parallel()
	db := eachTable(t)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO each (id, name) VALUES (?1, ?)", each(2), 1, "a", 1, "b"); err == nil {
		t.Error("the same key was taken twice")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if n := countEach(t, db, ""); n != 0 {
		t.Errorf("%d rows are left, want none", n)
	}
}

func TestForEachEndsWithItsContext(t *testing.T) {
	t.Parallel()
	db := eachTable(t)
	ctx, cancel := context.WithCancel(t.Context())
	driverConn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer driverConn.Close() //nolint:errcheck // the pool is closed, too
	err = driverConn.Raw(func(raw any) error {
		insert := func(id int64) error {
			_, err := raw.(*conn).forEach(ctx, "INSERT INTO each (id) VALUES (?1)", 1, []driver.NamedValue{{Value: id}})
			return err
		}
		if err := insert(1); err != nil {
			t.Errorf("before it ended: %v", err)
		}
		cancel()
		return insert(2)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func eachTable(t *testing.T) *sql.DB {
	t.Helper()
	db := bulkDatabase(t, false)
	if _, err := db.Exec("CREATE TABLE each (id INTEGER PRIMARY KEY, name TEXT)"); err != nil {
		t.Fatal(err)
	}
	return db
}

func countEach(t *testing.T, db *sql.DB, where string) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT count(*) FROM each " + where).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
