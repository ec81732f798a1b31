package migrate

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"imprimatur/core"
)

// reader is a pool or a transaction.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// record is a row of the table migrations.
type record struct {
	name, checksum string
	at             int64 // milliseconds since 1970
}

// status compares what from records with the program's migrations.
func (m *Migrator) status(ctx context.Context, from reader) ([]Migration, error) {
	known, err := m.scripts()
	if err != nil {
		return nil, err
	}
	applied, err := m.applied(ctx, from)
	if err != nil {
		return nil, err
	}
	if err := compare(known, applied); err != nil {
		return nil, err
	}
	status := make([]Migration, len(known))
	for i, s := range known {
		status[i] = Migration{Name: s.name}
		if i < len(applied) {
			status[i].Applied, status[i].AppliedAt = true, time.UnixMilli(applied[i].at).UTC()
		}
	}
	return status, nil
}

// compare returns an error that names the first record which is not that of known's migration at its
// place. Both are in order.
func compare(known []script, applied []record) error {
	for i, r := range applied {
		switch at := slices.IndexFunc(known, func(s script) bool { return s.name == r.name }); {
		case at < 0 && len(known) > 0 && r.name > known[len(known)-1].name:
			return core.Conflict("newer_schema", "the database has the migration %s, which this version does not know: a newer version migrated it; run that version or a later one", r.name)
		case at < 0:
			return core.Conflict("unknown_migration", "the database has the migration %s, which no version of this program has", r.name)
		case at > i:
			return core.Conflict("missing_migration", "the database has the migration %s, but not %s, which precedes it", r.name, known[i].name)
		case known[at].checksum != r.checksum:
			return core.Conflict("changed_migration", "the migration %s was applied to the database with another text than this version has: another build made the database", r.name)
		}
	}
	return nil
}

// applied returns the rows of the table migrations, in order. They are empty if the database is.
func (m *Migrator) applied(ctx context.Context, from reader) ([]record, error) {
	columns, err := texts(ctx, from, m.Engine.Columns(), "migrations")
	if err != nil {
		return nil, err
	}
	has := func(names ...string) bool {
		return len(columns) == len(names) && !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(columns, name) })
	}
	switch {
	case has("name", "checksum", "applied_at"):
		return records(ctx, from)
	case has("name", "applied_at"):
		return nil, core.Conflict("old_schema", "a version before 1.0.0 made the database, and it cannot be upgraded: export its entries with that version and import them into a new database")
	}
	tables, err := texts(ctx, from, m.Engine.Tables())
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	return nil, core.Conflict("foreign_schema", "the database has tables of another program, such as %s: use a database of its own", tables[0])
}

func records(ctx context.Context, from reader) ([]record, error) {
	rows, err := from.QueryContext(ctx, "SELECT name, checksum, applied_at FROM migrations ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	var all []record
	for rows.Next() {
		var r record
		if err := rows.Scan(&r.name, &r.checksum, &r.at); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// texts returns the rows of a query with one column.
func texts(ctx context.Context, from reader, query string, args ...any) ([]string, error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
