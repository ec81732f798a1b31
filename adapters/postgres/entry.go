package postgres

import (
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"
)

func (dialect) NewEntryIDs() string {
	return "SELECT id, id FROM (SELECT nextval('entry_ids') AS id FROM generate_series(1, @count)) AS ids"
}

// Values uses one array per column, so that the text does not depend on the number of rows. types
// must be the list of a table: texts are cached by its address.
func (dialect) Values(first int, types []string, rows [][]any) (text string, args []any) {
	if len(rows) == 1 {
		return valuesText(valuesKey{first, &types[0], true}, types), rows[0]
	}
	args = make([]any, len(types))
	for i := range types {
		args[i] = columnOf{rows, i}
	}
	return valuesText(valuesKey{first, &types[0], false}, types), args
}

// valuesKey identifies a text of Values.
type valuesKey struct {
	first int
	types *string // address of the first type, which identifies the list
	one   bool    // a single row
}

// valuesTexts caches the text of each valuesKey. Building the texts for a draft took 4 % of the
// time of the program.
var valuesTexts sync.Map

func valuesText(key valuesKey, types []string) string {
	if text, known := valuesTexts.Load(key); known {
		return text.(string) //nolint:errcheck,forcetypeassert // stored below
	}
	values, names := make([]string, len(types)), make([]string, len(types))
	for i, kind := range types {
		values[i], names[i] = fmt.Sprintf("$%d::%s", key.first+i, kind), fmt.Sprintf("column%d", i+1)
		if key.one {
			values[i] += " AS " + names[i]
		} else {
			values[i] += "[]"
		}
	}
	text := "SELECT " + strings.Join(values, ", ")
	if !key.one {
		text = "SELECT * FROM unnest(" + strings.Join(values, ", ") + ") AS v (" + strings.Join(names, ", ") + ")"
	}
	valuesTexts.Store(key, text)
	return text
}

// columnOf is a column of rows as an array argument.
type columnOf struct {
	rows  [][]any
	index int
}

var _ pgtype.ArrayGetter = columnOf{}

func (c columnOf) Dimensions() []pgtype.ArrayDimension {
	return []pgtype.ArrayDimension{{Length: int32(len(c.rows)), LowerBound: 1}}
}

func (c columnOf) Index(i int) any { return c.rows[i][c.index] }

// IndexType returns nil: each element has its own type.
func (c columnOf) IndexType() any { return nil }

// Among uses one array, so that the text does not depend on the number of values.
func (d dialect) Among(first int, values []any) (text string, args []any) {
	return fmt.Sprintf("= ANY($%d)", first), d.AmongArgs(values)
}

func (dialect) AmongSize(int) uint8 { return 0 }

func (dialect) AmongArgs(values []any) []any {
	switch values[0].(type) {
	case string:
		return []any{typed[string](values)}
	case int64:
		return []any{typed[int64](values)}
	default:
		return []any{typed[float64](values)}
	}
}

func typed[T any](values []any) []T {
	list := make([]T, len(values))
	for i, v := range values {
		list[i] = v.(T) //nolint:errcheck,forcetypeassert // all values have one type, see Syntax.Among
	}
	return list
}

func (dialect) Integers(place int, values []any) (text string, arg any) {
	return fmt.Sprintf("unnest(CAST($%d AS bigint[])) s (value)", place), typed[int64](values)
}

// AmongRows uses an array of the ids, because the planner assumes that arrays are short.
func (dialect) AmongRows(column, ids string) string {
	return column + " = ANY (ARRAY(" + ids + "))"
}

// LimitWhen keeps the limit a number, which the planner needs. Postgres evaluates a condition
// without columns once.
func (dialect) LimitWhen(condition, limit string) (where, limited string) {
	return condition, limit
}

// OneByOne keeps the planner from turning EXISTS into a join. After an import, while a table has
// no statistics, such a join may compare every row with every other.
func (dialect) OneByOne() string { return " LIMIT 1 OFFSET 0" }

// By returns no hint: the planner has statistics.
func (dialect) By(string) string { return "" }

// LimitScans returns true, so that the planner expects few rows of each SELECT.
func (dialect) LimitScans() bool { return true }

// OtherFields compares the values as they are stored. They are canonical, so that equal values have
// equal texts.
func (dialect) OtherFields(removed string) string {
	return "EXISTS (SELECT FROM json_each(e.draft::json) d FULL JOIN json_each(e.published::json) p ON p.key = d.key" +
		" WHERE coalesce(d.key, p.key) <> ALL (string_to_array(" + removed + ", ',')) AND d.value::text IS DISTINCT FROM p.value::text)"
}

// Reworded compares tags as jsonb, because the media table stores them in another form of JSON. Sealed
// media have no empty alt text and no focal point that is null.
func (dialect) Reworded(sealed, id, item string) string {
	s := "(" + sealed + "::json -> " + id + "::text)"
	return "CASE WHEN " + item + ".id IS NULL OR " + s + " IS NULL THEN " + item + ".id IS NOT NULL OR " + s + " IS NOT NULL" +
		" ELSE (" + s + " ->> 'hash', " + s + " ->> 'fileName', " + s + " ->> 'caption', (" + s + " -> 'tags')::jsonb, " +
		"coalesce(" + s + " ->> 'alt', ''), coalesce(" + s + " ->> 'focalPoint', 'null'))" +
		" IS DISTINCT FROM (" + item + ".hash, " + item + ".file_name, " + item + ".caption, coalesce(nullif(" + item + ".tags, 'null'), '[]')::jsonb, " +
		item + ".alt, " + item + ".focal_point) END"
}

func (dialect) Contains(text, part string) string {
	return "strpos(" + text + ", " + part + ") > 0"
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

func (dialect) SearchPattern(text string) string { return "%" + likeEscapes.Replace(text) + "%" }

// MediaSearch uses LIKE, which the trigram index supports.
func (d dialect) MediaSearch(text string) (condition string, argument any) {
	return "m.search LIKE ?", d.SearchPattern(text)
}

// Search returns the texts with the part in their caseless form.
func (dialect) Search(ofProject, pattern string) string {
	return searched(ofProject, "t.text LIKE "+pattern)
}

func (d dialect) TitlePattern(text string) string { return d.SearchPattern(text) }

// Titles has a condition on folded that the index of it implies. folded is null where it equals text.
func (dialect) Titles(ofProject, pattern string) string {
	return searched(ofProject, "(t.text LIKE "+pattern+" OR t.folded IS NOT NULL AND t.folded LIKE "+pattern+")")
}

// searched uses OFFSET 0 to keep other conditions out of the subquery. Otherwise the planner may
// expect few rows in a collection and read all of them instead of the trigram indexes.
func searched(ofProject, condition string) string {
	return "(SELECT t.* FROM entry_texts t WHERE t.project_id " + ofProject + " AND t.searchable AND " + condition + " OFFSET 0) t"
}

// NewestTexts returns no order: it would read all texts that match.
func (dialect) NewestTexts() string { return "" }
