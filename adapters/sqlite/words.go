package sqlite

import (
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/core"
)

// addedWords is the view into which rows of entry_words are inserted.
const addedWords = "entry_words_added"

func (dialect) AddedWords() string { return addedWords }

// Lexemes joins the lexemes by spaces, in the order of their tokens: first those of all texts, then those
// of the title, then the edges.
func (dialect) Lexemes(l entryindex.Lexemes, w *core.Words) string {
	var text strings.Builder
	add := func(lexeme string) {
		text.WriteString(lexeme)
		text.WriteByte(' ')
	}
	for _, title := range [...]bool{false, true} {
		bag := &w.All
		if title {
			bag = &w.Title
		}
		for _, token := range bag.Tokens {
			if token == "" {
				add(entryindex.Gap)
			} else {
				add(l.Word(token, title))
			}
		}
		add(entryindex.Gap)
	}
	for _, edge := range w.All.Edges() {
		add(l.Edge(edge, false))
	}
	for _, edge := range w.Title.Edges() {
		add(l.Edge(edge, true))
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
		return allOf(q.Terms(true))
	case entryquery.OtherWords:
		return "(" + allOf(q.Terms(false)) + ") NOT (" + allOf(q.Terms(true)) + ")"
	default:
		return allOf(q.Terms(false))
	}
}

func allOf(terms []entryquery.WordsTerm) string {
	parts := make([]string, len(terms))
	for i, term := range terms {
		parts[i] = `"` + strings.Join(term.Lexemes, " ") + `"`
		if term.Prefix {
			parts[i] += " *"
		}
	}
	return strings.Join(parts, " AND ")
}

func (dialect) WordsFound(_, pattern string) string {
	return "SELECT " + wordsPosition + " FROM entry_words_search s WHERE s.entry_words_search MATCH " + pattern
}

// WordsInOrder has a limit, because SQLite ignores the order of a subquery without one in a join.
func (d dialect) WordsInOrder(scope, pattern, moment, id string) string {
	text := d.WordsFound(scope, pattern)
	if id != "" {
		text += " AND s.rowid < (" + moment + " - 2147483648) * 4294967296 + " + id + " * 2"
	}
	return text + " ORDER BY s.rowid DESC LIMIT -1"
}

// WordsSorted returns true: FTS5 finds rows in the order of their ids.
func (dialect) WordsSorted() bool { return true }

// HasWords reads all rows with the words once. FTS5 takes longer to look up one row than to read many.
func (d dialect) HasWords(id, scope, pattern string) string {
	return id + " IN (SELECT f.entry_id FROM (" + d.WordsFound(scope, pattern) + ") f)"
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
