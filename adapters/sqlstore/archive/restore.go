package archive

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/words"
	"imprimatur/ports"
)

var _ ports.ArchiveTarget = (*Archive)(nil)

// Restoring reports whether a restore of the database did not finish.
func (a *Archive) Restoring(ctx context.Context) (bool, error) {
	return sqldb.Value[bool](ctx, a.db.Outside(), "SELECT restoring FROM installation")
}

// quitTime is how long a restore waits for services that work with the database. They see the mark within
// 250 ms, and end.
const quitTime = time.Second

// BeginRestore implements ports.ArchiveTarget.
func (a *Archive) BeginRestore(ctx context.Context) error {
	marked, err := a.mark(ctx)
	if err != nil {
		return err
	}
	if !marked {
		select {
		case <-ctx.Done():
		case <-time.After(quitTime):
		}
		if err := a.unmarkUnlessEmpty(ctx); err != nil {
			return err
		}
	}
	return a.db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		names := append(a.ArchiveTables(), a.parts.LeftOut...)
		slices.Reverse(names) // before the rows that they refer to
		_, err := c.Run(ctx, a.db.Dialect.Truncate(names))
		return err
	})
}

// mark marks an empty database, and reports whether it was marked before.
func (a *Archive) mark(ctx context.Context) (before bool, err error) {
	err = a.db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if err := c.LockBy(ctx, "LOCK TABLE installation IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		if before, err = sqldb.Value[bool](ctx, c, "SELECT restoring FROM installation"); err != nil || before {
			return err
		}
		if err := a.requireEmpty(ctx, c); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "UPDATE installation SET restoring = true")
		return err
	})
	return before, err
}

// unmarkUnlessEmpty removes the mark again if a service has written since: its rows must not be lost.
func (a *Archive) unmarkUnlessEmpty(ctx context.Context) error {
	var filled error
	err := a.db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if filled = a.requireEmpty(ctx, c); filled == nil {
			return nil
		}
		_, err := c.Exec(ctx, "UPDATE installation SET restoring = false")
		return err
	})
	if err != nil {
		return err
	}
	return filled
}

// requireEmpty returns an error that names a table with rows.
func (a *Archive) requireEmpty(ctx context.Context, c sqldb.Conn) error {
	for _, t := range a.parts.Tables {
		if t.seeded {
			continue
		}
		filled, err := sqldb.Value[bool](ctx, c, "SELECT EXISTS (SELECT 1 FROM "+t.Name+")")
		if err != nil {
			return err
		}
		if filled {
			return core.Conflict("not_empty", "the database is not empty, it has %s: restore into a new database", strings.ReplaceAll(t.Name, "_", " "))
		}
	}
	return nil
}

// InsertRows implements ports.ArchiveTarget.
func (a *Archive) InsertRows(ctx context.Context, table string, lines [][]byte) error {
	t := a.parts.Tables.named(table)
	rows := make([][]any, len(lines))
	for i, line := range lines {
		var err error
		if rows[i], err = t.row(line); err != nil {
			return &core.Error{Kind: core.KindInvalid, Code: "damaged_archive", Message: fmt.Sprintf("line %d: %v", i+1, err)}
		}
	}
	return a.db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		_, err := c.Run(ctx, []sqldb.Statement{{Insert: &sqldb.Insert{Table: t.Table, Rows: rows, Given: true}}})
		return err
	})
}

// row returns the values of the columns in a line, which may be of an earlier version.
func (t Table) row(line []byte) ([]any, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return nil, err
	}
	values := make([]any, len(t.Columns))
	for i, column := range t.Columns {
		raw, given := members[column]
		if !given {
			values[i] = t.before[column]
			continue
		}
		delete(members, column)
		var err error
		if values[i], err = parsed(t.Types[i], raw); err != nil {
			return nil, fmt.Errorf("column %s: %w", column, err)
		}
	}
	for column := range members {
		return nil, fmt.Errorf("the table %s has no column %q", t.Name, column)
	}
	return values, nil
}

// parsed is the reverse of appendValue.
func parsed(kind string, raw json.RawMessage) (any, error) {
	switch kind {
	case "text":
		return decoded[string](raw)
	case "boolean":
		return decoded[bool](raw)
	case "bytea":
		text, err := decoded[string](raw)
		if err != nil {
			return nil, err
		}
		return base64.StdEncoding.DecodeString(text)
	default:
		return decoded[int64](raw)
	}
}

func decoded[T any](raw json.RawMessage) (v T, err error) {
	err = json.Unmarshal(raw, &v)
	return v, err
}

// DeriveRows implements ports.ArchiveTarget.
func (a *Archive) DeriveRows(ctx context.Context) error {
	return a.db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if _, err := c.Exec(ctx, "INSERT INTO media_blobs (project_id, name, holders) SELECT project_id, name, count(*) FROM ("+
			a.parts.HeldNames+") AS m GROUP BY project_id, name"); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "UPDATE collections SET forms = ?, forms_ready = true", words.Version)
		return err
	})
}

// FinishRestore implements ports.ArchiveTarget.
func (a *Archive) FinishRestore(ctx context.Context, state ports.ArchiveState) error {
	return a.db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if _, err := c.Exec(ctx, "UPDATE installation SET epoch = ?, restoring = false", state.Epoch); err != nil {
			return err
		}
		return a.parts.Begin(ctx, c, state.LastIDs)
	})
}

// ContinueIDs lets ids continue so that none means two things.
func (l Tables) ContinueIDs(ctx context.Context, c sqldb.Conn, last map[string]int64) error {
	now, err := sqldb.Value[int64](ctx, c, "SELECT "+c.DB.Dialect.Now())
	if err != nil {
		return err
	}
	for _, t := range l {
		next := last[t.Name]
		switch t.IDs {
		case NoIDs:
			continue
		case PlainIDs:
		case TimedIDs:
			next = max(next, now)
		case DistantIDs:
			next += distance
			if next >= c.DB.Dialect.MaxID() && t.Name == "entries" {
				return core.Conflict("ids_exhausted", "the ids of %s are at %d, and this database has none that are %d higher", t.Name, last[t.Name], distance)
			}
		}
		if _, err := c.Run(ctx, c.DB.Dialect.SetLastID(t.idsOf(), next)); err != nil {
			return err
		}
	}
	return nil
}
