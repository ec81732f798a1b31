package sqlite

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryquery"
)

func (dialect) NewEntryIDs() string {
	return "UPDATE entry_ids SET last = last + @count RETURNING last - @count + 1, last"
}

// Values has a placeholder for each value. Only the first has a number and the others continue
// from it, because SQLite compares each numbered placeholder with all earlier ones.
func (dialect) Values(first int, types []string, rows [][]any) (text string, args []any) {
	row := "(" + strings.Repeat("?, ", len(types)-1) + "?)"
	text = "VALUES " + strings.Repeat(row+", ", len(rows)-1) + row
	return strings.Replace(text, "?", "?"+strconv.Itoa(first), 1), slices.Concat(rows...)
}

// longList is the number of values above which a list is one argument.
const longList = 32

// Among fills a short list with its last value up to a power of two, so that few statement texts
// serve lists of all lengths. A longer list is one JSON argument: a statement for many locales
// contains a list many times, and SQLite searches all names of arguments for each placeholder.
func (d dialect) Among(first int, values []any) (text string, args []any) {
	args = d.AmongArgs(values)
	if len(values) > longList {
		value := "value"
		if _, ok := values[0].(float64); ok {
			value = "CAST(value AS real)" // a large number without a fraction would be an integer that is not exactly equal
		}
		return fmt.Sprintf("IN (SELECT %s FROM json_each($%d))", value, first), args
	}
	places := make([]string, len(args))
	for i := range places {
		places[i] = "$" + strconv.Itoa(first+i)
	}
	return "IN (" + strings.Join(places, ", ") + ")", args
}

// AmongSize returns the logarithm of the number of arguments.
func (dialect) AmongSize(n int) uint8 {
	return uint8(bits.Len(uint(min(n, longList+1) - 1))) //nolint:gosec // at most 6
}

func (d dialect) AmongArgs(values []any) []any {
	if len(values) > longList {
		list, err := json.Marshal(values)
		if err != nil {
			panic(err) // texts and numbers can be encoded as JSON
		}
		return []any{string(list)}
	}
	args := make([]any, 1<<d.AmongSize(len(values)))
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return args
}

func (dialect) Integers(place int, values []any) (text string, arg any) {
	list, err := json.Marshal(values)
	if err != nil {
		panic(err) // integers can be encoded as JSON
	}
	return fmt.Sprintf("json_each($%d) s", place), string(list)
}

func (dialect) AmongRows(column, ids string) string {
	return column + " IN (" + ids + ")"
}

// LimitWhen puts the condition into the limit, which SQLite evaluates once. It would evaluate a
// condition with a SELECT for each row.
func (dialect) LimitWhen(condition, limit string) (where, limited string) {
	return "TRUE", "CASE WHEN " + condition + " THEN " + limit + " ELSE 0 END"
}

func (dialect) OneByOne() string { return "" }

// By names the index. Without statistics SQLite assumes ten rows per Project and would read all
// of them by another index. It also expects a range to match as few rows as one value.
func (dialect) By(index string) string {
	if index == entryquery.PrimaryKey {
		return " NOT INDEXED"
	}
	return " INDEXED BY " + index
}

// LimitScans returns false: SQLite merges the SELECTs row by row and stops at the limit of the
// UNION ALL. If each SELECT had its own limit, SQLite would read and sort each of them first.
func (dialect) LimitScans() bool { return false }

func (dialect) OtherFields(removed string) string {
	return "other_fields(e.draft, e.published, " + removed + ")"
}

func (dialect) Reworded(sealed, id, item string) string {
	return "reworded(" + sealed + ", " + id + ", " + item + ".hash, " + item + ".file_name, " + item + ".caption, " + item + ".tags, " +
		item + ".alt, " + item + ".focal_point)"
}

func (dialect) Contains(text, part string) string {
	return "instr(" + text + ", " + part + ") > 0"
}

// SearchPattern returns a condition on the caseless form alone.
func (d dialect) SearchPattern(text string) string { return "text : " + d.TitlePattern(text) }

// TitlePattern returns text as an FTS5 phrase: its trigrams must be consecutive.
func (dialect) TitlePattern(text string) string {
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// MediaSearch reads all media of the Project. At the size of a SQLite database, a trigram table
// costs uploads more than it saves searches.
func (dialect) MediaSearch(text string) (condition string, argument any) {
	return "instr(m.search, ?) > 0", text
}

// Search ignores the Project: the statement checks the Project of each row that FTS5 finds.
func (dialect) Search(_, pattern string) string {
	return "entry_texts_search CROSS JOIN entry_texts t ON entry_texts_search MATCH " + pattern + " AND t.id = entry_texts_search.rowid"
}

// Titles is Search: the index has both forms.
func (d dialect) Titles(ofProject, pattern string) string { return d.Search(ofProject, pattern) }

// NewestTexts is the order in which FTS5 finds texts from the end.
func (dialect) NewestTexts() string { return " ORDER BY entry_texts_search.rowid DESC" }
