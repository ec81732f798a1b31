package sqlstore

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
)

// table is a database table with some of its columns and their types.
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

// mapped returns the values of f for a list.
func mapped[T, U any](list []T, f func(T) U) []U {
	values := make([]U, len(list))
	for i, v := range list {
		values[i] = f(v)
	}
	return values
}

// maxArguments bounds the arguments of one statement. SQLite takes 32,766 at most.
const maxArguments = 30_000

// chunks divides rows, each with so many columns, into parts of at most maxArguments values.
func chunks(rows [][]any, columns int) func(yield func([][]any) bool) {
	return slices.Chunk(rows, maxArguments/columns)
}

// Statement is one statement in a transaction. Its text does not depend on values, so that it
// stays prepared.
type Statement struct {
	Text string
	Args []any
	// Rows reads what a SELECT returns; nil for other statements.
	Rows func(Rows) error
	// Inserted are the rows that the statement adds without any condition. An engine may copy them
	// instead of running Text. It is nil for other statements.
	Inserted *Inserted
}

// Inserted are rows of a table.
type Inserted struct {
	Table   string
	Columns []string
	Rows    [][]any
}

// reading returns a SELECT that appends its rows to all.
func reading[T any](all *[]T, scan func(Rows) (T, error), text string, args ...any) Statement {
	return Statement{Text: text, Args: args, Rows: func(rows Rows) (err error) {
		*all, err = appendRows(*all, rows, scan)
		return err
	}}
}

// run runs lists of statements in order, and returns the number of rows that each list affected.
func (c conn) run(ctx context.Context, lists ...[]Statement) (affected []int64, err error) {
	affected = make([]int64, len(lists))
	all := slices.Concat(lists...)
	if len(all) == 0 {
		return affected, nil
	}
	countAll(ctx, all)
	counts, err := c.db.dialect.Run(ctx, c.tx, all)
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		for _, n := range counts[:len(list)] {
			affected[i] += n
		}
		counts = counts[len(list):]
	}
	return affected, nil
}

// added returns the statements that insert rows. onConflict is the ON CONFLICT clause, or empty.
// Rows that it skips do not count as affected.
func (s entryStore) added(t table, rows [][]any, onConflict string) (statements []Statement) {
	into := "INSERT INTO " + t.name + " (" + strings.Join(t.columns, ", ") + ") "
	for some := range chunks(rows, len(t.columns)) {
		values, args := s.db.dialect.Rows(t.name, t.types, some)
		statement := Statement{Text: into + values + onConflict, Args: args}
		if onConflict == "" {
			statement.Inserted = &Inserted{t.name, t.columns, some}
		}
		statements = append(statements, statement)
	}
	return statements
}

// changed returns the statements that update rows of a Project. The first key values of each row
// identify the row to update, the others are its new values.
func (s entryStore) changed(t table, project *core.Project, key int, rows [][]any) []Statement {
	var matches, sets []string
	for i, column := range t.columns {
		value := "v.column" + number(int64(i+1))
		if i < key {
			matches = append(matches, " AND "+t.name+"."+column+" = "+value)
		} else {
			sets = append(sets, column+" = "+value)
		}
	}
	return s.onRows(t, project, rows, func(values string) string {
		return "UPDATE " + t.name + " SET " + strings.Join(sets, ", ") + " FROM (" + values + ") AS v" +
			" WHERE " + t.name + ".project_id = $1" + strings.Join(matches, "")
	})
}

// removed returns the statements that delete the rows of a Project whose columns are equal to one
// of rows.
func (s entryStore) removed(t table, project *core.Project, rows [][]any) []Statement {
	return s.onRows(t, project, rows, func(values string) string {
		return "DELETE FROM " + t.name + " WHERE project_id = $1 AND (" + strings.Join(t.columns, ", ") + ") IN (" + values + ")"
	})
}

// onRows returns statements for rows. text builds a statement from values, a SELECT of rows; its
// first argument is the Project. It must put no condition on the collection outside of values:
// the planner may then expect one row in the collection and read all of it.
func (s entryStore) onRows(t table, project *core.Project, rows [][]any, text func(values string) string) (statements []Statement) {
	for some := range chunks(rows, len(t.columns)) {
		values, args := s.db.dialect.Values(2, t.types, some)
		statements = append(statements, Statement{Text: text(values), Args: append([]any{project.ID}, args...)})
	}
	return statements
}
