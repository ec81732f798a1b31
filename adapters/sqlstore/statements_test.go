package sqlstore

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // a driver without a statement cache
)

func TestStatementsWorkWhetherCachedOrNot(t *testing.T) {
	t.Parallel()
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "any.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &statements{pool: pool}
	const texts = maxStatements + 20
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for n := range texts {
				if got, err := s.number(t, fmt.Sprintf("SELECT %d + $1", n), 1); err != nil || got != n+1 {
					t.Errorf("text %d: %d, %v", n, got, err)
				}
			}
		})
	}
	group.Wait()
	if n := len(s.prepared); n < maxStatements || n > maxStatements+3 {
		t.Errorf("%d statements are cached", n)
	}
	if last := fmt.Sprintf("SELECT %d + $1", texts-1); s.prepared[last] == nil {
		t.Error("the latest statement is not cached")
	}
	if _, err := s.number(t, "SELECT nothing"); err == nil {
		t.Error("an invalid statement was accepted")
	}
	const long = 100_000
	for n := range 3 * maxBytes / long {
		text := fmt.Sprintf("SELECT %d + $1 --%s", n, strings.Repeat("x", long))
		if got, err := s.number(t, text, 1); err != nil || got != n+1 {
			t.Errorf("long text %d: %d, %v", n, got, err)
		}
	}
	sum := 0
	for text := range s.prepared {
		sum += len(text)
	}
	if sum > maxBytes || sum < maxBytes/2 || sum != s.bytes {
		t.Errorf("texts of %d bytes are cached, counted as %d", sum, s.bytes)
	}
	if err := s.Close(); err != nil || len(s.prepared) != 0 {
		t.Errorf("Close left %d statements: %v", len(s.prepared), err)
	}
}

// number returns the one number that a text selects.
func (s *statements) number(t *testing.T, text string, args ...any) (n int, err error) {
	rows, err := s.Query(t.Context(), text, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}
