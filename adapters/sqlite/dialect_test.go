package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"
)

// TestFault causes each kind of error and checks its classification.
func TestFault(t *testing.T) {
	t.Parallel()
	db := openPool(t)
	for _, c := range []struct {
		name, statement string
		want            sqldb.Fault
	}{
		{"unique", "INSERT INTO child VALUES (2, 1, 'a')", sqldb.FaultUnique},
		{"primary key", "INSERT INTO child VALUES (1, 1, 'b')", sqldb.FaultUnique},
		{"no parent", "INSERT INTO child VALUES (3, 9, 'c')", sqldb.FaultReference},
		{"parent in use", "DELETE FROM parent", sqldb.FaultReference},
		{"full", "INSERT INTO child SELECT value + 10, 1, hex(randomblob(500)) FROM generate", sqldb.FaultUnavailable},
		{"not null", "INSERT INTO child VALUES (4, 1, NULL)", sqldb.FaultOther},
		{"no table", "SELECT * FROM nothing", sqldb.FaultOther},
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
		if got := (dialect{}).Fault(err); got != sqldb.FaultOther {
			t.Errorf("%v: fault %d", err, got)
		}
	}
}

// openPool returns a small database with a size limit.
func openPool(t *testing.T) *sql.DB {
	t.Helper()
	db, err := pool(filepath.Join(t.TempDir(), "small.db"), 1, smallCache, maxBytes)
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

// TestListsOfAnyLengthAreExact compares values with lists: a value is one of the values of its
// own list and not of a list of similar values.
func TestListsOfAnyLengthAreExact(t *testing.T) {
	t.Parallel()
	db := openPool(t)
	for name, c := range map[string]struct{ values, similar []any }{
		"texts": {
			[]any{"", `a"b`, "a\\b", "\u2028<&>", "\U0001f600", "a\tb", "12"},
			[]any{"a\x00", "ab", "A", "12.0", `\u2028`, "NULL", "null"},
		},
		"integers": {[]any{int64(math.MinInt64), int64(math.MaxInt64), int64(1<<53 + 1)}, []any{int64(math.MaxInt64 - 1), int64(1 << 53), int64(0)}},
		"floats": {
			[]any{0.1, math.MaxFloat64, math.SmallestNonzeroFloat64, 4611686018427387904.0, 1e300 / 3, -2.5, 1e20},
			[]any{math.Nextafter(0.1, 1), math.Nextafter(4611686018427387904, 1), math.Nextafter(1e300/3, 1), 0.0, math.Nextafter(1e20, 1)},
		},
	} {
		for _, length := range []int{8, longList, longList + 1} {
			contains := func(list, values []any) (found int) {
				for len(list) < length {
					list = append(list, list[0])
				}
				text, args := dialect{}.Among(2, list)
				for _, v := range values {
					var is bool
					if err := db.QueryRow("SELECT $1 "+text, append([]any{v}, args...)...).Scan(&is); err != nil {
						t.Fatal(err)
					}
					if is {
						found++
					}
				}
				return found
			}
			if found := contains(c.values, c.values); found != len(c.values) {
				t.Errorf("%d of %d %s are in a list of %d", found, len(c.values), name, length)
			}
			if found := contains(c.similar, c.values); found != 0 {
				t.Errorf("%d %s are in a list of %d other values", found, name, length)
			}
		}
	}
}
