package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
)

// Hot runs reads outside a transaction as prepared statements. Their texts do not depend on
// values.
type Hot interface {
	// Query returns what text, with args as $1, $2 …, selects.
	Query(ctx context.Context, text string, args ...any) (Rows, error)
	Ping(ctx context.Context) error
	Close() error
}

// Rows are what a read selects, one row after the other, as database/sql has it.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close() error
}

// maxStatements bounds the statements that stay prepared. Texts differ by the shape of a query,
// not by its values, so that fewer are in daily use.
const maxStatements = 512

// statements is the Hot of a pool whose driver does not keep statements prepared.
type statements struct {
	pool *sql.DB

	mu       sync.RWMutex
	prepared map[string]*statement
}

// statement is a prepared statement.
type statement struct {
	*sql.Stmt
	asked  atomic.Int64 // queries that are about to run it
	recent atomic.Bool  // used since shrink last looked at it
}

// Prepare returns the Hot that prepares statements on pool, which stays open when it
// is closed.
func Prepare(pool *sql.DB) Hot { return &statements{pool: pool} }

func (s *statements) Ping(ctx context.Context) error { return s.pool.PingContext(ctx) }

func (s *statements) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	stmt, err := s.take(ctx, text)
	if err != nil {
		return nil, err
	}
	defer stmt.asked.Add(-1)
	return stmt.QueryContext(ctx, args...) //nolint:rowserrcheck // the reader of the rows asks
}

// take returns the prepared statement of text, which is not closed while it is in use.
func (s *statements) take(ctx context.Context, text string) (*statement, error) {
	s.mu.RLock()
	stmt := s.prepared[text]
	if stmt != nil {
		stmt.ask()
	}
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	fresh, err := s.pool.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.prepared[text]; first != nil {
		first.ask()
		_ = fresh.Close() //nolint:sqlclosecheck // the other one is kept
		return first, nil
	}
	if s.prepared == nil {
		s.prepared = map[string]*statement{}
	}
	stmt = &statement{Stmt: fresh}
	stmt.ask()
	s.prepared[text] = stmt
	s.shrink()
	return stmt, nil
}

func (s *statement) ask() {
	s.asked.Add(1)
	s.recent.Store(true)
}

// shrink closes a statement that was not used recently when there are too many. Statements in
// use stay, so that there may be a few more.
func (s *statements) shrink() {
	const rounds = 2 // in the first, all may have been used recently
	for range rounds {
		for text, stmt := range s.prepared {
			if len(s.prepared) <= maxStatements {
				return
			}
			if !stmt.recent.Swap(false) && stmt.asked.Load() == 0 {
				delete(s.prepared, text)
				_ = stmt.Close() // the next query prepares it again
				return
			}
		}
	}
}

func (s *statements) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	clear(s.prepared)
	return errors.Join(errs...)
}
