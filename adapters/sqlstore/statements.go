package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
)

// Hot runs reads outside a transaction as prepared statements. It expects a small number of
// texts, each of which it prepares once per connection.
type Hot interface {
	// Query runs text with args as $1, $2 ….
	Query(ctx context.Context, text string, args ...any) (Rows, error)
	Ping(ctx context.Context) error
	Close() error
}

// Rows is the result of a read. It works like sql.Rows.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close() error
}

// maxStatements bounds the prepared statements. Texts differ by the shape of a query and not by
// its values, so that fewer are in use. maxBytes bounds the sum of their texts: SQLite takes about
// 25 times the length of a text for the statement, on each connection.
const maxStatements, maxBytes = 512, 2 << 20

// statements is a Hot for a pool whose driver does not cache prepared statements.
type statements struct {
	pool *sql.DB

	mu       sync.RWMutex
	prepared map[string]*statement
	bytes    int // of the texts
}

// statement is a cached prepared statement.
type statement struct {
	*sql.Stmt
	users  atomic.Int64 // queries that are starting
	recent atomic.Bool  // used since evict last looked at it
}

// Prepare returns a Hot that prepares statements on pool. Closing it does not close pool.
func Prepare(pool *sql.DB) Hot { return &statements{pool: pool} }

func (s *statements) Ping(ctx context.Context) error { return s.pool.PingContext(ctx) }

func (s *statements) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	stmt, err := s.acquire(ctx, text)
	if err != nil {
		return nil, err
	}
	defer stmt.users.Add(-1)
	return stmt.QueryContext(ctx, args...) //nolint:rowserrcheck // the caller checks rows.Err
}

// acquire returns the prepared statement of text and adds one to its users, so that evict does
// not close it.
func (s *statements) acquire(ctx context.Context, text string) (*statement, error) {
	s.mu.RLock()
	stmt := s.prepared[text]
	if stmt != nil {
		stmt.use()
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
		first.use()
		_ = fresh.Close() //nolint:sqlclosecheck // another goroutine has prepared the text meanwhile
		return first, nil
	}
	if s.prepared == nil {
		s.prepared = map[string]*statement{}
	}
	stmt = &statement{Stmt: fresh}
	stmt.use()
	s.prepared[text] = stmt
	s.bytes += len(text)
	s.evict()
	return stmt, nil
}

func (s *statement) use() {
	s.users.Add(1)
	s.recent.Store(true)
}

// evict closes statements that were not used recently, while the cache exceeds maxStatements or
// maxBytes. Statements with users stay, so that the cache may be slightly larger.
func (s *statements) evict() {
	const rounds = 2 // the first round may find all statements recent
	for range rounds {
		for text, stmt := range s.prepared {
			if len(s.prepared) <= maxStatements && s.bytes <= maxBytes {
				return
			}
			if !stmt.recent.Swap(false) && stmt.users.Load() == 0 {
				delete(s.prepared, text)
				s.bytes -= len(text)
				_ = stmt.Close() // the next use prepares the text again
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
	s.bytes = 0
	return errors.Join(errs...)
}
