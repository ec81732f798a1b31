package postgres

import (
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/core"
)

func (dialect) AddedWords() string { return "entry_words" }

// Lexemes returns a tsvector as text. Positions begin with 1. No lexeme has a quotation mark or a backslash.
func (dialect) Lexemes(l entryindex.Lexemes, w *core.Words) string {
	var text strings.Builder
	for _, title := range [...]bool{false, true} {
		bag := &w.All
		if title {
			bag = &w.Title
		}
		for i, token := range bag.Tokens {
			if token != "" {
				text.WriteString("'" + l.Word(token, title) + "':")
				text.WriteString(strconv.Itoa(i + 1))
				text.WriteByte(' ')
			}
		}
	}
	for _, edge := range w.All.Edges() {
		text.WriteString("'" + l.Edge(edge, false) + "' ")
	}
	for _, edge := range w.Title.Edges() {
		text.WriteString("'" + l.Edge(edge, true) + "' ")
	}
	return text.String()
}

// WordsPattern returns a tsquery as text.
func (dialect) WordsPattern(q entryquery.WordsQuery) string {
	switch q.Part {
	case entryquery.TitleWords:
		return allOf(q.Terms(true, 0))
	case entryquery.OtherWords:
		return allOf(q.Terms(false, 0)) + " & !(" + allOf(q.Terms(true, 0)) + ")"
	default:
		return allOf(q.Terms(false, 0))
	}
}

func allOf(terms []entryquery.WordsTerm) string {
	parts := make([]string, len(terms))
	for i, term := range terms {
		parts[i] = "('" + strings.Join(term.Lexemes, "' <-> '") + "'"
		if term.Prefix {
			parts[i] += ":*"
		}
		parts[i] += ")"
	}
	return strings.Join(parts, " & ")
}

// WordsFound uses OFFSET 0 to keep other conditions out of the subquery, as Search does.
func (dialect) WordsFound(_, pattern string) string {
	return "SELECT s.entry_id, s.moment FROM entry_words s WHERE s.project_id = $1 AND s.collection_id = $2 AND s.words @@ " + pattern + "::tsquery OFFSET 0"
}

// WordsInOrder compares the result of the search, so that the planner does not use the index of words.
func (dialect) WordsInOrder(scope, pattern, moment, id string) string {
	return "SELECT s.entry_id, s.moment FROM entry_words s WHERE s.project_id = $1 AND s.scope = " + scope +
		" AND (s.words @@ " + pattern + "::tsquery) IS TRUE" + laterWords(moment, id) + inOrder
}

// WordsAmong looks up each row by its primary key.
func (d dialect) WordsAmong(ids, scope, pattern, moment, id string) string {
	return "SELECT s.entry_id, s.moment FROM (" + ids + ") f" + d.ForEach("entry_words", "s", "s.project_id = $1 AND s.collection_id = $2"+
		" AND s.entry_id = f.entry_id AND s.scope = "+scope+" AND (s.words @@ "+pattern+"::tsquery) IS TRUE"+laterWords(moment, id)) + inOrder
}

const inOrder = " ORDER BY s.moment DESC, s.entry_id DESC OFFSET 0"

func laterWords(moment, id string) string {
	if id == "" {
		return ""
	}
	return " AND (s.moment, s.entry_id) < (" + moment + ", " + id + ")"
}

// WordsSorted returns false: a GIN index has no order.
func (dialect) WordsSorted() bool { return false }

// HasWords looks up each row by its primary key.
func (dialect) HasWords(id, scope, pattern string, _ bool) string {
	return "EXISTS (SELECT 1 FROM entry_words s WHERE s.project_id = $1 AND s.collection_id = $2 AND s.entry_id = " + id +
		" AND s.scope = " + scope + " AND (s.words @@ " + pattern + "::tsquery) IS TRUE LIMIT 1 OFFSET 0)"
}

// AnyWords joins the expressions.
func (d dialect) AnyWords(queries []entryquery.WordsQuery) string {
	parts := make([]string, len(queries))
	for i, q := range queries {
		parts[i] = "(" + d.WordsPattern(q) + ")"
	}
	return strings.Join(parts, " | ")
}

// NewestWords sorts up to 4000 of the rows that the index finds.
func (dialect) NewestWords(ofProject, pattern, limit string) string {
	return "SELECT n.entry_id FROM (SELECT s.entry_id, s.moment FROM entry_words s WHERE s.project_id " + ofProject + " AND s.words @@ " + pattern + "::tsquery LIMIT 4000) n" +
		" ORDER BY n.moment DESC, n.entry_id DESC LIMIT " + limit
}
