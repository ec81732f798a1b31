package sqlstore

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
)

// table is a table that rows are written to, with the names and types of columns.
type table struct {
	name           string
	columns, types []string
}

// newTable returns a table with columns of the form "project_id bigint".
func newTable(name string, columns ...string) table {
	t := table{name: name}
	for _, column := range columns {
		column, kind, _ := strings.Cut(column, " ")
		t.columns, t.types = append(t.columns, column), append(t.types, kind)
	}
	return t
}

// maxArguments bounds the arguments of one statement. SQLite takes 32,766 at most.
const maxArguments = 30_000

// chunks parts rows of so many columns into what one statement takes.
func chunks(rows [][]any, columns int) func(yield func([][]any) bool) {
	return slices.Chunk(rows, maxArguments/columns)
}

// add inserts rows, and ends as onConflict says. Those that it leaves out are not counted.
func (s entryStore) add(ctx context.Context, t table, rows [][]any, onConflict string) (added int64, err error) {
	into := "INSERT INTO " + t.name + " (" + strings.Join(t.columns, ", ") + ") "
	for some := range chunks(rows, len(t.columns)) {
		values, args := s.db.dialect.Rows(t.name, t.types, some)
		n, err := s.exec(ctx, into+values+onConflict, args...)
		if err != nil {
			return 0, err
		}
		added += n
	}
	return added, nil
}

// set writes the rest of rows into the rows of a Project whose first columns, so many
// as key says, are the same.
func (s entryStore) set(ctx context.Context, t table, project *core.Project, key int, rows [][]any) error {
	var matches, sets []string
	for i, column := range t.columns {
		value := "v.column" + number(int64(i+1))
		if i < key {
			matches = append(matches, " AND "+t.name+"."+column+" = "+value)
		} else {
			sets = append(sets, column+" = "+value)
		}
	}
	return s.onRows(ctx, t, project, rows, func(values string) string {
		return "UPDATE " + t.name + " SET " + strings.Join(sets, ", ") + " FROM (" + values + ") AS v" +
			" WHERE " + t.name + ".project_id = $1" + strings.Join(matches, "")
	})
}

// removeRows deletes the rows of a Project whose columns are those of one of rows.
func (s entryStore) removeRows(ctx context.Context, t table, project *core.Project, rows [][]any) error {
	return s.onRows(ctx, t, project, rows, func(values string) string {
		return "DELETE FROM " + t.name + " WHERE project_id = $1 AND (" + strings.Join(t.columns, ", ") + ") IN (" + values + ")"
	})
}

// onRows runs a statement whose first argument is the Project, and of which values is
// a part. All else that tells the rows belongs there: beside a condition of its own on
// the collection, the planner may take the collection for as short to read as a row of it.
func (s entryStore) onRows(ctx context.Context, t table, project *core.Project, rows [][]any, statement func(values string) string) error {
	for some := range chunks(rows, len(t.columns)) {
		values, args := s.db.dialect.Values(2, t.types, some)
		if _, err := s.exec(ctx, statement(values), append([]any{project.ID}, args...)...); err != nil {
			return err
		}
	}
	return nil
}
