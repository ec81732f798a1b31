package archive

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"imprimatur/ports"
)

var _ ports.ArchiveSource = (*Archive)(nil)

// Snapshot implements ports.ArchiveSource.
func (a *Archive) Snapshot(ctx context.Context, scratch string, do func(ports.ArchiveSnapshot) error) (err error) {
	tx, end, err := a.db.Dialect.Freeze(ctx, a.db.Pools, scratch)
	if err != nil {
		return a.db.Fault(err, "database")
	}
	defer func() {
		if ended := end(); err == nil {
			err = a.db.Fault(ended, "database")
		}
	}()
	return do(snapshot{a, tx})
}

// snapshot implements ports.ArchiveSnapshot.
type snapshot struct {
	*Archive
	tx *sql.Tx
}

func (s snapshot) State(ctx context.Context) (state ports.ArchiveState, err error) {
	state.LastIDs = map[string]int64{}
	var now int64
	if err := s.tx.QueryRowContext(ctx, "SELECT "+s.db.Dialect.Now()).Scan(&now); err != nil {
		return state, s.db.Fault(err, "database")
	}
	state.At = time.UnixMilli(now).UTC()
	if err := s.tx.QueryRowContext(ctx, "SELECT epoch FROM installation").Scan(&state.Epoch); err != nil {
		return state, s.db.Fault(err, "installation")
	}
	for _, t := range s.parts.Tables {
		if t.IDs == NoIDs {
			continue
		}
		err := each(ctx, s.tx, s.db.Dialect.LastID(t.idsOf()), func(rows *sql.Rows) error {
			var last int64
			err := rows.Scan(&last)
			state.LastIDs[t.Name] = last
			return err
		})
		if err != nil {
			return state, s.db.Fault(err, t.Name)
		}
	}
	return state, nil
}

// each calls fn for each row of a query.
func each(ctx context.Context, tx *sql.Tx, query string, fn func(*sql.Rows) error) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Rows implements ports.ArchiveSnapshot.
func (s snapshot) Rows(ctx context.Context, table string, fn func(row []byte) error) error {
	t := s.parts.Tables.named(table)
	values := make([]any, len(t.Columns))
	for i, kind := range t.Types {
		values[i] = scanned(kind)
	}
	var line []byte
	err := each(ctx, s.tx, "SELECT "+strings.Join(t.Columns, ", ")+" FROM "+t.Name+" ORDER BY "+t.Key, func(rows *sql.Rows) error {
		err := rows.Scan(values...)
		if err == nil {
			line, err = appendRow(line[:0], t.Columns, values)
		}
		if err == nil {
			err = fn(line)
		}
		return err
	})
	return s.db.Fault(err, table)
}

// scanned returns a place for values of a type of Postgres.
func scanned(kind string) any {
	switch kind {
	case "text":
		return new(sql.NullString)
	case "boolean":
		return new(sql.NullBool)
	case "bytea":
		return new(sql.Null[[]byte])
	default:
		return new(sql.NullInt64)
	}
}

// appendRow appends a JSON object of the values that are not null.
func appendRow(to []byte, columns []string, values []any) (_ []byte, err error) {
	to = append(to, '{')
	for i, name := range columns {
		begin := len(to)
		if begin > 1 {
			to = append(to, ',')
		}
		to = append(append(append(to, '"'), name...), '"', ':')
		var written bool
		if to, written, err = appendValue(to, values[i]); err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		if !written {
			to = to[:begin]
		}
	}
	return append(to, '}'), nil
}

// appendValue appends a value of scanned, and reports false for null.
func appendValue(to []byte, value any) (_ []byte, written bool, err error) {
	switch v := value.(type) {
	case *sql.NullString:
		if !v.Valid {
			return to, false, nil
		}
		to, err = jsontext.AppendQuote(to, v.String)
		return to, true, err
	case *sql.NullBool:
		return strconv.AppendBool(to, v.Bool), v.Valid, nil
	case *sql.Null[[]byte]:
		to = append(to, '"')
		to = base64.StdEncoding.AppendEncode(to, v.V)
		return append(to, '"'), v.Valid, nil
	case *sql.NullInt64:
		return strconv.AppendInt(to, v.Int64, 10), v.Valid, nil
	}
	return nil, false, fmt.Errorf("a value of type %T", value)
}

// Blobs implements ports.ArchiveSnapshot. A name has the 36 bytes of a UUID, a slash and the hash.
func (s snapshot) Blobs(ctx context.Context, fn func(name string) error) error {
	err := each(ctx, s.tx, "SELECT DISTINCT substr(name, 38, 64) AS hash, name FROM ("+s.parts.HeldNames+") AS m ORDER BY 1, 2", func(rows *sql.Rows) error {
		var hash, name string
		if err := rows.Scan(&hash, &name); err != nil {
			return err
		}
		return fn(name)
	})
	return s.db.Fault(err, "file")
}
