package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/entryquery"
)

var _ sqlstore.EntryDialect = dialect{}

func (dialect) NewEntryIDs() string {
	return "UPDATE entry_ids SET last = last + $1 RETURNING last - $1 + 1, last"
}

// Values has a place for each value. Only the first has a number, the others follow
// it: SQLite looks for each number or name among all those before.
func (dialect) Values(first int, types []string, rows [][]any) (text string, args []any) {
	row := "(" + strings.Repeat("?, ", len(types)-1) + "?)"
	text = "VALUES " + strings.Repeat(row+", ", len(rows)-1) + row
	return strings.Replace(text, "?", "?"+strconv.Itoa(first), 1), slices.Concat(rows...)
}

// Rows inserts them one by one. Only what a trigger brings to the search table goes there
// together: each statement has it write out what it holds.
func (d dialect) Rows(table string, types []string, rows [][]any) (text string, args []any) {
	if table == "entry_texts" {
		return d.Values(1, types, rows)
	}
	text, _ = d.Values(1, types, rows[:1])
	return text, slices.Concat(append([][]any{{each(len(types))}}, rows...)...)
}

// Run runs statements one by one.
func (d dialect) Run(ctx context.Context, tx *sql.Tx, statements []sqlstore.Statement) ([]int64, error) {
	affected := make([]int64, len(statements))
	for i, statement := range statements {
		if statement.Rows != nil {
			if err := d.read(ctx, tx, statement); err != nil {
				return nil, err
			}
			continue
		}
		result, err := tx.ExecContext(ctx, statement.Text, d.Prepared(statement.Args)...)
		if err != nil {
			return nil, err
		}
		if affected[i], err = result.RowsAffected(); err != nil {
			return nil, err
		}
	}
	return affected, nil
}

func (d dialect) read(ctx context.Context, tx *sql.Tx, statement sqlstore.Statement) error {
	rows, err := tx.QueryContext(ctx, statement.Text, d.Prepared(statement.Args)...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Rows returns the error of the rows
	return statement.Rows(rows)
}

func (dialect) LockUpdate() string { return "" }

// longList is more values than a condition of a query may have.
const longList = 512

// Among fills the list up to a power of two with the last value, so that few texts
// serve lists of all lengths. A longer list, which is one of ids, goes as JSON.
func (dialect) Among(first int, values []any) (text string, args []any) {
	if len(values) > longList {
		list, err := json.Marshal(values)
		if err != nil {
			panic(err) // ids can be written as JSON
		}
		return fmt.Sprintf("IN (SELECT value FROM json_each($%d))", first), []any{string(list)}
	}
	size := 1 << bits.Len(uint(len(values)-1))
	places := make([]string, size)
	for i := range size {
		places[i] = "$" + strconv.Itoa(first+i)
		args = append(args, values[min(i, len(values)-1)])
	}
	return "IN (" + strings.Join(places, ", ") + ")", args
}

func (dialect) AmongRows(column, ids string) string {
	return column + " IN (" + ids + ")"
}

// LimitWhen puts the condition into the limit, which is looked at once; a condition
// with a SELECT in it would be looked at for every row.
func (dialect) LimitWhen(condition, limit string) (where, limited string) {
	return "TRUE", "CASE WHEN " + condition + " THEN " + limit + " ELSE 0 END"
}

func (dialect) OneByOne() string { return "" }

// By names the index. Without statistics the planner takes a Project for ten rows, and would
// rather read all of them by another index; of a range it expects no more rows than of a value.
func (dialect) By(index string) string {
	if index == entryquery.PrimaryKey {
		return " NOT INDEXED"
	}
	return " INDEXED BY " + index
}

// Merge leaves the SELECTs as they are: as parts of one compound they are read in step,
// and no further than the limit. With limits of their own each would be read, and sorted,
// before.
func (dialect) Merge(selects, _ []string, order, limit string) string {
	return strings.Join(selects, " UNION ALL ") + " ORDER BY " + order + " LIMIT " + limit
}

func (dialect) Contains(text, part string) string {
	return "instr(" + text + ", " + part + ") > 0"
}

// SearchPattern returns text as a phrase of FTS5, whose trigrams must follow each other.
func (dialect) SearchPattern(text string) string {
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// Search leaves the Project to others: what the search table finds is looked at one by one.
func (dialect) Search(_, pattern string) string {
	return "entry_texts_search CROSS JOIN entry_texts t ON entry_texts_search MATCH " + pattern + " AND t.id = entry_texts_search.rowid"
}
