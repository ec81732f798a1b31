package sqldb

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
)

// NewTable returns a table with columns of the form "project_id bigint".
func NewTable(name string, columns ...string) Table {
	t := Table{Name: name}
	for _, column := range columns {
		column, kind, _ := strings.Cut(column, " ")
		t.Columns, t.Types = append(t.Columns, column), append(t.Types, kind)
	}
	return t
}

// Mapped returns the values of f for a list.
func Mapped[T, U any](list []T, f func(T) U) []U {
	values := make([]U, len(list))
	for i, v := range list {
		values[i] = f(v)
	}
	return values
}

// maxArguments bounds the arguments of one statement. SQLite takes 32,766 at most.
const maxArguments = 30_000

// Chunks divides rows, each with so many columns, into parts of at most maxArguments values.
func Chunks(rows [][]any, columns int) func(yield func([][]any) bool) {
	return slices.Chunk(rows, maxArguments/columns)
}

// Statement returns a statement of a text with places.
func (c Conn) Statement(text string, args ...any) Statement {
	text, args = c.DB.Numbered(text, args)
	return Statement{Text: text, Args: args}
}

// Reading returns a SELECT that appends its rows to all.
func Reading[T any](c Conn, all *[]T, scan func(Rows) (T, error), text string, args ...any) Statement {
	s := c.Statement(text, args...)
	s.Read = func(rows Rows) (err error) {
		*all, err = appendRows(*all, rows, scan)
		return err
	}
	return s
}

// Run runs lists of statements in order, and returns the number of rows that each list affected.
func (c Conn) Run(ctx context.Context, lists ...[]Statement) (affected []int64, err error) {
	affected = make([]int64, len(lists))
	all := slices.Concat(lists...)
	if len(all) == 0 {
		return affected, nil
	}
	countAll(ctx, all)
	counts, err := c.tx.batch(ctx, all)
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

// Added returns the statements that insert rows. onConflict is Insert.OnConflict.
func Added(t Table, rows [][]any, onConflict string) (statements []Statement) {
	for some := range Chunks(rows, len(t.Columns)) {
		statements = append(statements, Statement{Insert: &Insert{Table: t, Rows: some, OnConflict: onConflict}})
	}
	return statements
}

// Changed returns the statements that update rows of a Project. The first key values of each row
// identify the row to update, the others are its new values.
func (c Conn) Changed(t Table, project *core.Project, key int, rows [][]any) []Statement {
	var matches, sets []string
	for i, column := range t.Columns {
		value := "v.column" + Number(int64(i+1))
		if i < key {
			matches = append(matches, " AND "+t.Name+"."+column+" = "+value)
		} else {
			sets = append(sets, column+" = "+value)
		}
	}
	return c.OnRows(t, project, rows, "UPDATE "+t.Name+" SET "+strings.Join(sets, ", ")+" FROM (@rows) AS v"+
		" WHERE "+t.Name+".project_id = @project"+strings.Join(matches, ""))
}

// Removed returns the statements that delete the rows of a Project whose columns are equal to one
// of rows.
func (c Conn) Removed(t Table, project *core.Project, rows [][]any) []Statement {
	return c.OnRows(t, project, rows, "DELETE FROM "+t.Name+" WHERE project_id = @project AND ("+strings.Join(t.Columns, ", ")+") IN (@rows)")
}

// OnRows returns statements for rows. text has the places @project and @rows, a SELECT of rows. It must put no condition on the collection outside of values:
// the planner may then expect one row in the collection and read all of it.
func (c Conn) OnRows(t Table, project *core.Project, rows [][]any, text string) (statements []Statement) {
	for some := range Chunks(rows, len(t.Columns)) {
		statements = append(statements, c.Statement(text, as{"project", project.ID}, as{"rows", RowList{t.Types, some}}))
	}
	return statements
}
