package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"imprimatur/adapters/sqlstore"
)

// TestFault causes each kind of error and checks its classification.
func TestFault(t *testing.T) {
	t.Parallel()
	db := openPool(t)
	for _, c := range []struct {
		name, statement string
		want            sqlstore.Fault
	}{
		{"unique", "INSERT INTO child VALUES (2, 1, 'a')", sqlstore.FaultUnique},
		{"primary key", "INSERT INTO child VALUES (1, 1, 'b')", sqlstore.FaultUnique},
		{"no parent", "INSERT INTO child VALUES (3, 9, 'c')", sqlstore.FaultReference},
		{"parent in use", "DELETE FROM parent", sqlstore.FaultReference},
		{"full", "INSERT INTO child SELECT value + 10, 1, hex(randomblob(500)) FROM generate", sqlstore.FaultUnavailable},
		{"not null", "INSERT INTO child VALUES (4, 1, NULL)", sqlstore.FaultOther},
		{"no table", "SELECT * FROM nothing", sqlstore.FaultOther},
	} {
		_, err := db.Exec(c.statement)
		if err == nil {
			t.Errorf("%s: no error", c.name)
		}
		if got := (dialect{}).Fault(fmt.Errorf("wrapped: %w", err)); got != c.want {
			t.Errorf("%s: fault %d, want %d, of %v", c.name, got, c.want, err)
		}
	}
	for _, err := range []error{nil, errors.New("other")} {
		if got := (dialect{}).Fault(err); got != sqlstore.FaultOther {
			t.Errorf("%v: fault %d", err, got)
		}
	}
}

// openPool returns a small database with a size limit.
func openPool(t *testing.T) *sql.DB {
	t.Helper()
	db, err := pool(filepath.Join(t.TempDir(), "small.db"), 1, smallCache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	_, err = db.Exec(`
		CREATE TABLE parent (id integer PRIMARY KEY);
		CREATE TABLE child (id integer PRIMARY KEY, parent integer REFERENCES parent, name text NOT NULL UNIQUE);
		CREATE VIEW generate AS WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1000) SELECT value FROM n;
		INSERT INTO parent VALUES (1);
		INSERT INTO child VALUES (1, 1, 'a');
		PRAGMA max_page_count = 20`)
	if err != nil {
		t.Fatal(err)
	}
	return db
}
