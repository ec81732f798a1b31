package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
)

// maxStatements bounds the statements that a connection keeps prepared. Texts differ by the shape
// of a query and not by its values, so that fewer are in use. maxBytes bounds the sum of their
// texts: SQLite takes about 25 times the length of a text for the statement.
const maxStatements, maxBytes = 512, 2 << 20

// statements are the prepared statements of one connection, by text. Preparing takes a tenth of the
// time of a write.
type statements struct {
	longest int // longer texts do not stay prepared
	kept    map[string]*statement
	bytes   int // of the texts
}

// statement is a prepared statement.
type statement struct {
	driverStmt
	kept   bool
	recent bool // used since evict last looked at it
}

// driverStmt has the methods of the driver's statements.
type driverStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// prepared returns the statement of text, prepared on c. The caller must call used after its use.
func (s *statements) prepared(ctx context.Context, c *conn, text string) (*statement, error) {
	if known := s.kept[text]; known != nil {
		known.recent = true
		return known, nil
	}
	fresh, err := patiently(ctx, func() (driver.Stmt, error) { return c.PrepareContext(ctx, text) })
	if err != nil {
		return nil, err
	}
	stmt, ok := fresh.(driverStmt)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: unexpected type of statement"), fresh.Close())
	}
	made := &statement{driverStmt: stmt, kept: len(text) <= s.longest, recent: true}
	if made.kept {
		s.evict(len(text))
		s.kept[text] = made
		s.bytes += len(text)
	}
	return made, nil
}

// used closes a statement that does not stay prepared.
func (s *statements) used(stmt *statement) {
	if !stmt.kept {
		_ = stmt.Close() // it is of no more use
	}
}

// evict closes statements that were not used recently, until there is space for one more text with
// so many bytes.
func (s *statements) evict(bytes int) {
	const rounds = 2 // the first round may find all statements recent
	for range rounds {
		for text, stmt := range s.kept {
			if len(s.kept) < maxStatements && s.bytes+bytes <= maxBytes {
				return
			}
			if stmt.recent {
				stmt.recent = false
				continue
			}
			delete(s.kept, text)
			s.bytes -= len(text)
			_ = stmt.Close() // the next use prepares the text again
		}
	}
}

func (s *statements) close() error {
	var errs []error
	for _, stmt := range s.kept {
		errs = append(errs, stmt.Close())
	}
	clear(s.kept)
	return errors.Join(errs...)
}
