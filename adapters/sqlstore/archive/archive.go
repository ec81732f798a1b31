package archive

import (
	"context"
	"maps"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"
)

// Archive reads and writes all tables of a database. It implements ports.ArchiveSource and ports.ArchiveTarget.
type Archive struct {
	db    *sqldb.DB
	parts Parts
}

// Parts are what an archive knows of the stores.
type Parts struct {
	Tables Tables
	// LeftOut are the names of the tables that archives do not have. A restore empties them before it begins.
	LeftOut []string
	// HeldNames selects project_id, id and name of each blob that media items have, each once.
	HeldNames string
	// Begin begins an epoch in a restored database, whose tables gave the ids last.
	Begin func(ctx context.Context, c sqldb.Conn, last map[string]int64) error
}

// New returns what reads and writes all tables of a database.
func New(db *sqldb.DB, p Parts) *Archive { return &Archive{db, p} }

// Table is a table of archives.
type Table struct {
	sqldb.Table
	Key string // the columns by which its rows are ordered
	IDs IDs
	// seeded is set if a migration adds its only row.
	seeded bool
	// before has the columns that came after the first migration, with the value that they have in rows of archives from
	// before. A column without one is null there.
	before map[string]any
}

// IDs is how a table gives ids.
type IDs int

// The ways to give ids.
const (
	NoIDs      IDs = iota // its rows have no ids of their own
	PlainIDs              // they continue after the last one
	DistantIDs            // after a restore they leave room for those that were given after the backup
	TimedIDs              // after a restore they continue at the milliseconds since 1970
)

// distance is the room that DistantIDs leave.
const distance = 1_000_000

// NewTable returns a table with columns of the form "project_id bigint".
func NewTable(name, key string, ids IDs, columns ...string) Table {
	return Table{Table: sqldb.NewTable(name, columns...), Key: key, IDs: ids}
}

// Added returns t with the value of a column in rows of archives from before its migration.
func (t Table) Added(column string, value any) Table {
	before := map[string]any{column: value}
	maps.Copy(before, t.before)
	t.before = before
	return t
}

// NewSeededTable returns a table with one column, whose only row a migration adds.
func NewSeededTable(name, column string) Table {
	t := NewTable(name, strings.Fields(column)[0], NoIDs, column)
	t.seeded = true
	return t
}

// ArchiveTables implements ports.ArchiveTables.
func (a *Archive) ArchiveTables() []string { return a.parts.Tables.Names() }

// Tables are tables of archives in an order in which rows refer only to rows before them.
type Tables []Table

// Names returns the names of the tables.
func (l Tables) Names() []string {
	return sqldb.Mapped(l, func(t Table) string { return t.Name })
}

// named returns the table with a name.
func (l Tables) named(name string) Table {
	return l[slices.IndexFunc(l, func(t Table) bool { return t.Name == name })]
}

// LastIDs returns the ids that tables gave last.
func (l Tables) LastIDs(ctx context.Context, c sqldb.Conn) (map[string]int64, error) {
	last := map[string]int64{}
	for _, t := range l {
		if t.IDs == NoIDs {
			continue
		}
		found, err := sqldb.Collect(ctx, c, sqldb.ScanValue[int64], c.DB.Dialect.LastID(t.idsOf()))
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			last[t.Name] = id
		}
	}
	return last, nil
}

// idsOf returns the name of what gives the ids of a table.
func (t Table) idsOf() string {
	if t.Name == "entries" {
		return "entry_ids"
	}
	return t.Name
}
