package sqlite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"
)

func TestStatementsWorkWhetherPreparedOrNot(t *testing.T) {
	t.Parallel()
	db, err := pool(t.TempDir()+"/any.db", 1, smallCache, maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	const texts = maxStatements + 20
	for range 2 {
		for n := range texts {
			expectNumber(t, db, fmt.Sprintf("SELECT %d + $1", n), n+1)
		}
	}
	const long = 100_000
	for n := range 3 * maxBytes / long {
		expectNumber(t, db, fmt.Sprintf("SELECT %d + $1 --%s", n, strings.Repeat("x", long)), n+1)
	}
	if err := (reads{db}).Query(t.Context(), "SELECT nothing", nil, nil); err == nil {
		t.Error("an invalid statement was accepted")
	}
	expectNumber(t, db, "SELECT 1 + $1 --"+strings.Repeat("x", maxBytes), 2) // does not stay prepared
	inSession(t, db, func(s sqldb.Session) error {
		kept := s.(*conn).statements //nolint:errcheck,forcetypeassert // the pool has a connector
		sum := 0
		for text := range kept.kept {
			sum += len(text)
		}
		if sum > maxBytes || sum < maxBytes/2 || sum != kept.bytes || len(kept.kept) > maxStatements {
			t.Errorf("%d texts of %d bytes are kept, counted as %d", len(kept.kept), sum, kept.bytes)
		}
		return nil
	})
}

// expectNumber runs a text that adds 1 to a number.
func expectNumber(t *testing.T, db *sql.DB, text string, want int) {
	t.Helper()
	var n int
	err := reads{db}.Query(t.Context(), text, []any{1}, func(rows sqldb.Rows) error {
		rows.Next()
		return rows.Scan(&n)
	})
	if err != nil || n != want {
		t.Errorf("%.20s: %d, %v, want %d", text, n, err, want)
	}
}
