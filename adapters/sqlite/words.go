package sqlite

import (
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/core"
)

// addedWords is the view into which rows of entry_words are inserted.
const addedWords = "entry_words_added"

func (dialect) AddedWords() string { return addedWords }

// Lexemes joins the lexemes by spaces: those of all texts, in the order of their tokens, and of their
// beginnings, then the same of the title. FTS5 reads all rows of all words with a beginning before it returns
// the first, so the beginnings that people type are lexemes.
func (dialect) Lexemes(l entryindex.Lexemes, _, _ int64, w *core.Words) string {
	var text strings.Builder
	for _, title := range [...]bool{false, true} {
		bag := &w.All
		if title {
			bag = &w.Title
		}
		for _, token := range bag.Tokens {
			lexeme := entryindex.Gap
			if token != "" {
				lexeme = l.Word(token, title)
			}
			text.WriteString(lexeme + " ")
		}
		for _, edge := range slices.Concat(bag.Edges(), bag.Beginnings(entryindex.MaxEdge)) {
			text.WriteString(l.Edge(edge, title) + " ")
		}
	}
	return text.String()
}

// wordsPosition are the columns of a row of entry_words_search, see the schema.
const wordsPosition = "(s.rowid >> 1) & 2147483647 AS entry_id, (s.rowid >> 32) + 2147483648 AS moment"

// WordsPattern returns an expression of FTS5. Lexemes have no characters that FTS5 reads as syntax, and
// are in quotation marks.
func (dialect) WordsPattern(q entryquery.WordsQuery) string {
	switch q.Part {
	case entryquery.TitleWords:
		return allOf(q.Terms(true, entryindex.MaxEdge))
	case entryquery.OtherWords:
		return "(" + allOf(q.Terms(false, entryindex.MaxEdge)) + ") NOT (" + allOf(q.Terms(true, entryindex.MaxEdge)) + ")"
	default:
		return allOf(q.Terms(false, entryindex.MaxEdge))
	}
}

func allOf(terms [][]entryquery.WordsTerm) string {
	parts := make([]string, len(terms))
	for i, alternatives := range terms {
		parts[i] = lexemes(alternatives[0])
		for _, other := range alternatives[1:] {
			parts[i] = "(" + parts[i] + " OR " + lexemes(other) + ")"
		}
	}
	return strings.Join(parts, " AND ")
}

func lexemes(term entryquery.WordsTerm) string {
	text := `"` + strings.Join(term.Lexemes, " ") + `"`
	if term.Prefix {
		text += " *"
	}
	return text
}

func (dialect) WordsFound(_, pattern string) string {
	return "SELECT " + wordsPosition + " FROM entry_words_search s WHERE s.entry_words_search MATCH " + pattern
}

// WordsInOrder has a limit, because SQLite ignores the order of a subquery without one in a join.
func (d dialect) WordsInOrder(scope, pattern, moment, id string) string {
	return d.WordsFound(scope, pattern) + laterWords(moment, id) + " ORDER BY s.rowid DESC LIMIT -1"
}

// NewestPeriods is not called.
func (dialect) NewestPeriods(string) string { return "" }

// WordsNewest is not called.
func (dialect) WordsNewest(_, _ string) string { return "" }

// WordsAmong reads all rows with the words. FTS5 takes longer to look up one row of a common word than to
// read thousands.
func (d dialect) WordsAmong(ids, scope, pattern, moment, id string) string {
	return d.WordsFound(scope, pattern) + " AND (s.rowid >> 1) & 2147483647 IN (" + ids + ")" + laterWords(moment, id) + " ORDER BY s.rowid DESC LIMIT -1"
}

// wordsRowID is the id in entry_words_search of the row w of entry_words.
const wordsRowID = "(w.moment - 2147483648) * 4294967296 + w.entry_id * 2 + (w.scope / 64 % 4 = 2)"

func laterWords(moment, id string) string {
	if id == "" {
		return ""
	}
	return " AND s.rowid < (" + moment + " - 2147483648) * 4294967296 + " + id + " * 2"
}

// WordsSorted returns true: FTS5 finds rows in the order of their ids.
func (dialect) WordsSorted() bool { return true }

// HasWords reads all rows with the words once, or looks up each row.
func (d dialect) HasWords(id, scope, pattern string, atOnce bool) string {
	if atOnce {
		return id + " IN (SELECT f.entry_id FROM (" + d.WordsFound(scope, pattern) + ") f)"
	}
	return "EXISTS (SELECT 1 FROM entry_words w CROSS JOIN entry_words_search s WHERE w.project_id = $1 AND w.collection_id = $2 AND w.entry_id = " + id +
		" AND w.scope = " + scope + " AND s.rowid = " + wordsRowID + " AND s.entry_words_search MATCH " + pattern + ")"
}

// AnyWords joins the expressions.
func (d dialect) AnyWords(queries []entryquery.WordsQuery) string {
	parts := make([]string, len(queries))
	for i, q := range queries {
		parts[i] = "(" + d.WordsPattern(q) + ")"
	}
	return strings.Join(parts, " OR ")
}

// NewestWords ignores the Project, as Search does.
func (d dialect) NewestWords(_, pattern, limit string) string {
	return d.WordsFound("", pattern) + " ORDER BY s.rowid DESC LIMIT " + limit
}
