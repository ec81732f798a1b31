package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/core"
)

func (dialect) AddedWords() string { return "entry_words" }

// Lexemes returns a tsvector as text. Positions begin with 1. No lexeme has a quotation mark or a backslash.
func (dialect) Lexemes(l entryindex.Lexemes, scope, moment int64, w *core.Words) string {
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
	for _, bits := range periods {
		text.WriteString("'" + period(scope, moment, bits) + "' ")
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

func allOf(terms [][]entryquery.WordsTerm) string {
	parts := make([]string, len(terms))
	for i, alternatives := range terms {
		parts[i] = lexemes(alternatives[0])
		for _, other := range alternatives[1:] {
			parts[i] = "(" + parts[i] + " | " + lexemes(other) + ")"
		}
	}
	return strings.Join(parts, " & ")
}

func lexemes(term entryquery.WordsTerm) string {
	text := "('" + strings.Join(term.Lexemes, "' <-> '") + "'"
	if term.Prefix {
		text += ":*"
	}
	return text + ")"
}

// WordsFound uses OFFSET 0 to keep other conditions out of the subquery, as Search does.
func (dialect) WordsFound(_, pattern string) string {
	return "SELECT s.entry_id, s.moment FROM entry_words s WHERE s.project_id = $1 AND s.collection_id = $2 AND s.words @@ " + pattern + "::tsquery OFFSET 0"
}

// A GIN index has no order: it returns all rows with a word, and each is fetched for its moment. A row
// therefore also has lexemes of the periods in which its moment is, so that the index finds the rows with a
// word and of the newest periods alone.

// periods are the lengths of the periods, in seconds as exponents of 2: from 8 seconds to 97 days.
var periods = [...]int{3, 7, 11, 15, 19, 23}

// maxPeriods is the number of periods of one length that a search combines.
const maxPeriods = 16

// period returns the lexeme of a period. Other lexemes do not begin with a dot.
func period(scope, moment int64, bits int) string {
	return "." + strconv.FormatInt(scope, 16) + "." + strconv.FormatInt(int64(bits), 16) + "." + strconv.FormatInt(moment>>bits, 16)
}

// periodOf is the expression of period for the period m.number of 2^m.bits seconds.
func periodOf(scope string) string {
	return "'.' || to_hex(" + scope + ") || '.' || to_hex(m.bits) || '.' || to_hex(p.number)"
}

// newestRows is the number of the newest rows of a scope in which a search looks first, roughly. They have 33
// rows with a word of 1 in 500 rows.
const newestRows = 1 << 14

// NewestPeriods estimates from the counts of entry_buckets after which id the newest rows begin, and then from
// the rows of the first ids after which moment. The estimate matters only for speed: a search finds all rows
// with the words from the beginning of a period on.
func (dialect) NewestPeriods(scope string) string {
	counts := "SELECT y.bucket, sum(y.entries) OVER (ORDER BY y.bucket DESC ROWS UNBOUNDED PRECEDING) AS upto FROM (SELECT y.bucket, y.entries FROM entry_buckets y" +
		" WHERE y.project_id = $1 AND y.scope = " + scope + " AND y.place = 0 ORDER BY y.bucket DESC LIMIT 1000) y"
	id := "SELECT b.bucket * " + strconv.Itoa(1<<entryindex.BucketBits(0)) + " FROM (" + counts + ") b" +
		" WHERE b.upto >= " + strconv.Itoa(newestRows) + " ORDER BY b.bucket DESC LIMIT 1"
	first := "SELECT min(f.moment) FROM (SELECT s.moment FROM entry_words s WHERE s.project_id = $1 AND s.collection_id = $2" +
		" AND s.entry_id >= (" + id + ") AND s.scope = " + scope + " ORDER BY s.entry_id LIMIT 20) f"
	last := "SELECT s.moment FROM entry_words s WHERE s.project_id = $1 AND s.scope = " + scope + " ORDER BY s.moment DESC, s.entry_id DESC LIMIT 1"
	lengths := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(periods)), ", "), "[]")
	bits := "SELECT min(l.bits) FROM unnest(ARRAY[" + lengths + "]) l (bits) WHERE (m.last >> l.bits) - (m.first >> l.bits) < " + strconv.Itoa(maxPeriods)
	span := "SELECT m.first, m.last, (" + bits + ") AS bits FROM (SELECT (" + first + ") AS first, (" + last + ") AS last OFFSET 0) m OFFSET 0"
	return "SELECT string_agg(quote_literal(" + periodOf(scope) + "), ' | ')::tsquery AS query FROM (" + span + ") m" +
		" CROSS JOIN generate_series(m.first >> m.bits, m.last >> m.bits) p (number)"
}

// WordsNewest has a second condition, which the index answers, too.
func (d dialect) WordsNewest(periods, pattern string) string {
	return d.WordsFound("", "("+pattern+"::tsquery && (SELECT query FROM "+periods+"))")
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
