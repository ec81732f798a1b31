package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// Hot runs reads outside a transaction whose text is one of a few: prepared, once
// per connection.
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

// maxStatements bounds how many texts are kept prepared. Texts differ by the shape
// of a query, not by its values, so those in daily use come first and stay.
const maxStatements = 512

// statements is the Hot of a pool whose driver keeps no prepared statements by itself.
type statements struct {
	pool *sql.DB

	mu       sync.RWMutex
	prepared map[string]*sql.Stmt
}

// Prepare returns the Hot that prepares statements on pool, which stays open when it
// is closed.
func Prepare(pool *sql.DB) Hot { return &statements{pool: pool} }

func (s *statements) Ping(ctx context.Context) error { return s.pool.PingContext(ctx) }

func (s *statements) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	stmt, err := s.statement(ctx, text) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return s.pool.QueryContext(ctx, text, args...) //nolint:rowserrcheck // whoever reads the rows asks
	}
	return stmt.QueryContext(ctx, args...) //nolint:rowserrcheck // the same
}

// statement returns the prepared text, or nil when there are too many already.
func (s *statements) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt, full := s.prepared[text], len(s.prepared) >= maxStatements
	s.mu.RUnlock()
	if stmt != nil || full {
		return stmt, nil
	}
	stmt, err := s.pool.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.prepared[text]; first != nil {
		return first, stmt.Close() //nolint:sqlclosecheck // only here it is one too many
	}
	if s.prepared == nil {
		s.prepared = map[string]*sql.Stmt{}
	}
	s.prepared[text] = stmt
	return stmt, nil
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
