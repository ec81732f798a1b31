package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxStatements bounds how many texts are kept prepared. Texts differ by the shape
// of a query, not by its values, so those in daily use come first and stay.
const maxStatements = 512

// statements runs reads as prepared statements.
type statements struct {
	pool    *sql.DB
	prepare bool // false: the driver keeps prepared statements by text itself

	mu       sync.RWMutex
	prepared map[string]*sql.Stmt
}

func (s *statements) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if !s.prepare {
		return s.pool.QueryContext(ctx, text, args...)
	}
	stmt, err := s.statement(ctx, text) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return s.pool.QueryContext(ctx, text, args...)
	}
	return stmt.QueryContext(ctx, args...)
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

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	clear(s.prepared)
	return errors.Join(errs...)
}
