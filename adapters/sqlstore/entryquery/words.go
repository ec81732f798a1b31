package entryquery

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// WordsPart is a part of the results of a search.
type WordsPart uint8

// The parts.
const (
	AllWords   WordsPart = iota // all texts have all terms
	TitleWords                  // the title has all terms
	OtherWords                  // AllWords without TitleWords
)

// WordsQuery is a search among the lexemes of one scope.
type WordsQuery struct {
	Lexemes entryindex.Lexemes
	Search  *words.Search
	Part    WordsPart
}

// WordsTerm are adjacent lexemes. If Prefix is set, the last is the beginning of one.
type WordsTerm struct {
	Lexemes []string
	Prefix  bool
}

// Terms returns the terms of the search as lexemes of the title, or of all texts: the alternatives of each, one
// of which a row must have. Beginnings of words with up to edge characters are lexemes.
func (q WordsQuery) Terms(title bool, edge int) [][]WordsTerm {
	terms := make([][]WordsTerm, len(q.Search.Terms))
	for i := range q.Search.Terms {
		for term := &q.Search.Terms[i]; term != nil; term = term.Joined {
			terms[i] = append(terms[i], q.term(term, title, edge))
		}
	}
	return terms
}

func (q WordsQuery) term(term *words.Term, title bool, edge int) WordsTerm {
	begins := term.Edge
	if term.Prefix && len(term.Tokens) == 1 && utf8.RuneCountInString(term.Tokens[0]) <= edge {
		begins = term.Tokens[0]
	}
	if begins != "" {
		return WordsTerm{Lexemes: []string{q.Lexemes.Edge(begins, title)}}
	}
	shown := WordsTerm{Prefix: term.Prefix}
	for _, token := range term.Tokens {
		shown.Lexemes = append(shown.Lexemes, q.Lexemes.Word(token, title))
	}
	return shown
}

// maxWordsSample is the largest number of entries that a search reads and sorts. For more, it reads
// entries in the order of the page until the page is full.
const maxWordsSample = 4000

// maxAmong is the largest number of entries with a value whose words a search checks.
const maxAmong = 2500

// wordsKey identifies the argument of a part of a search in a scope.
type wordsKey struct {
	scope int64
	part  WordsPart
}

// wordsIn returns the argument of a part of the search in rows.
func (p *planner) wordsIn(rows Rows, part WordsPart) *Arg {
	c := p.sel.Schema.Collection
	scope := entryindex.Scope(c.ID, rows.Shelf, rows.Locale)
	return p.arg(wordsKey{scope, part}, useWhole, WordsQuery{entryindex.LexemesOf(scope, c.WordsEpoch), p.sel.Search, part})
}

// searched returns the condition that r, a row of a branch, has the words of the search.
func (p *planner) searched(r row) Cond {
	if p.sel.Search == nil || r.searched {
		return always
	}
	rows := Rows{Shelf: r.shelf, Locale: r.locales[0]}
	return HasWords{ID: r.id(), Rows: rows, Words: p.wordsIn(rows, AllWords), AtOnce: r.fewSearched || p.sel.Search.EndsOpen(entryindex.MaxEdge)}
}

// ranked plans a page in the order of the search: from all entries that meet a condition of the selection
// if they are few, else from the index of words.
func (p *planner) ranked() Window {
	if p.sel.Member != 0 {
		return p.rankedParts(func(branch) Set { return p.memberSet() })
	}
	nothing := func(branch) Set { return nil }
	all := p.fallingBack(p.rankedParts(nothing), func() Window {
		return p.rankedParts(func(b branch) Set {
			if b.rows.Serving == 0 {
				return nil
			}
			return ServingSet{b.rows}
		})
	})
	sampled, _ := p.clauseToSample()
	if sampled == nil {
		return all
	}
	return Sample{Of: p.sampleSet(sampled), Most: maxAmong, All: p.rankedParts(func(branch) Set { return SampleSet{} }), Else: all}
}

// rankedParts plans the entries whose title has all terms, then the others. among returns the entries of a
// branch whose words are checked; nil: all.
func (p *planner) rankedParts(among func(b branch) Set) Window {
	if !p.sel.Schema.Collection.SearchesTitles() {
		return p.rankedPart(AllWords, 0, among)
	}
	parts := Parts{Limit: p.rowsNeeded()}
	if at := p.valueAt(query.RankField); at == nil || at.Num > 0 {
		parts.Parts = append(parts.Parts, p.rankedPart(TitleWords, 1, among))
	}
	parts.Parts = append(parts.Parts, p.rankedPart(OtherWords, 0, among))
	return parts
}

// rankedPart plans the entries of one part. rank is their value of query.RankField.
func (p *planner) rankedPart(part WordsPart, rank float64, among func(b branch) Set) Ranked {
	ranked := Ranked{Limit: p.rowsNeeded(), Part: part, Most: maxWordsSample, Newest: len(p.branches) == 1 && len(p.sel.Search.Terms) == 1}
	for _, b := range p.branches {
		b.row.lookup, b.row.computed, b.row.searched = rowTextLookups, true, true
		scan := WordsScan{Among: among(b), Rows: b.rows, Words: p.wordsIn(b.rows, part), Filter: p.conditions(b.row, nil)}
		if part == OtherWords && scan.Among == nil {
			scan.All, scan.Title = p.wordsIn(b.rows, AllWords), p.wordsIn(b.rows, TitleWords)
		}
		if at := p.valueAt(query.RankField); at != nil && at.Num == rank {
			moment := p.valueAt(query.MomentField)
			scan.Moment = p.arg(moment, useRounded, roundedTo(moment.Num, true))
			scan.ID = p.arg(p.sel.After, useWhole, p.sel.After.ID)
		}
		ranked.Newest = ranked.Newest && scan.Among == nil && scan.Filter == Cond(always) && scan.Rows.Serving == 0 && scan.Rows.Shelf == entryindex.Published
		ranked.Scans = append(ranked.Scans, scan)
	}
	return ranked
}

// wordsSet returns the entries that have the words of the search on the shelf and in the locale of
// one of the branches.
func (p *planner) wordsSet(branches ...branch) WordsSet {
	set := make(WordsSet, len(branches))
	for i, b := range branches {
		set[i] = WordsScan{Rows: b.rows, Words: p.wordsIn(b.rows, AllWords)}
	}
	return set
}

// fromWords plans a page of a search in another order: from all entries that have the words if they are
// few, else from all that meet a condition of the selection, else along the index that orders the page.
func (p *planner) fromWords() Window {
	few := p.lookedUp(nil, func(b *branch) Cond {
		b.row.searched, b.row.fewSearched = len(p.branches) == 1, true
		return In{Of: b.row.id(), Set: SampleSet{}, Small: true}
	})
	otherwise := p.ordered(rowTextLookups)
	if sampled, most := p.clauseToSample(); sampled != nil {
		otherwise = Sample{Of: p.sampleSet(sampled), Most: most, All: p.fromSample(sampled), Else: otherwise}
	}
	return Sample{Of: p.wordsSet(p.branches...), Most: maxWordsSample, All: few, Else: otherwise}
}

// countWords counts the rows of b that have the words of the search. Without other conditions, that is
// the number of rows that the index of words finds.
func (p *planner) countWords(b branch) Count {
	set := p.wordsSet(b)
	if len(p.sel.Where) == 0 && len(p.sel.Or) == 0 && !p.sel.OfEntry() && b.rows.Serving == 0 {
		return CountSet{Set: set}
	}
	b.row.searched = true
	return p.countAmong(b, set, nil)
}

// ranked renders a SELECT of the rows of n. It reads no rows unless when is true.
func (r *renderer) ranked(n Ranked, when string) {
	limit := strconv.FormatInt(n.Limit, 10)
	var selects []string
	for _, scan := range n.Scans {
		scope, pattern, moment, id := r.wordsScan(scan)
		switch {
		case scan.Among != nil:
			among := "SELECT DISTINCT entry_id FROM (" + r.setText(scan.Among) + ") d"
			selects = append(selects, r.rankedRows(scan, r.syntax.WordsAmong(among, scope, pattern, moment, id), when, "", limit))
		case r.syntax.WordsSorted():
			selects = append(selects, r.rankedRows(scan, r.syntax.WordsInOrder(scope, pattern, moment, id), when, "", limit))
		default:
			selects = append(selects, r.rankedUnsorted(n, scan, when)...)
		}
	}
	if len(n.Scans) == 1 && r.syntax.WordsSorted() {
		r.write(selects[0])
		return
	}
	for i, text := range selects {
		if i > 0 {
			r.write(" UNION ALL ")
		}
		r.write("SELECT * FROM (", text, ") u", strconv.Itoa(i))
	}
	r.write(" ORDER BY k1 DESC, entry_id DESC LIMIT ", limit)
}

// wordsScan returns the expressions of a scan. Those of its position are empty if it has none.
func (r *renderer) wordsScan(scan WordsScan) (scope, pattern, moment, id string) {
	scope, pattern = r.exprText(scopeOf(scan.Rows)), r.exprText(scan.Words)
	if scan.ID != nil {
		moment, id = r.exprText(scan.Moment), r.exprText(scan.ID)
	}
	return scope, pattern, moment, id
}

// rankedRows returns a SELECT of the rows of entry_index of up to limit entries that rows, a SELECT of
// entry_id and moment, returns. It reads no rows unless when is true.
func (r *renderer) rankedRows(scan WordsScan, rows, when, order, limit string) string {
	where := ""
	if when != "" {
		where, limit = r.syntax.LimitWhen(when, limit)
		where = " WHERE " + where
	}
	index := r.part(func() {
		r.rows("i", scan.Rows)
		r.write(" AND i.entry_id = w.entry_id")
		if scan.Filter != Cond(always) {
			r.write(" AND ")
			r.cond(scan.Filter)
		}
	})
	return "SELECT i.entry_id, i." + scan.Rows.Mask + ", w.moment AS k1 FROM (SELECT * FROM (" + rows + ") w" + where + order + ") w" +
		r.syntax.ForEach("entry_index", "i", index) + " LIMIT " + limit
}

// rankedUnsorted returns the SELECTs of a scan of an index of words without order, of which one has rows:
// the newest entries with the words, if they fill the page; else all entries with the words, if they are few;
// else the entries in order, each of which is checked.
func (r *renderer) rankedUnsorted(n Ranked, scan WordsScan, when string) []string {
	scope, pattern, moment, id := r.wordsScan(scan)
	later, sorted := "", " ORDER BY moment DESC, entry_id DESC OFFSET 0"
	if scan.ID != nil {
		later = " WHERE (moment, entry_id) < (" + moment + ", " + id + ")"
	}
	limit, most := strconv.FormatInt(n.Limit, 10), strconv.FormatInt(n.Most, 10)
	inOrder, checked := r.syntax.WordsInOrder(scope, pattern, moment, id), scan
	if scan.Title != nil {
		// A GIN index does not answer a negation while another transaction moves its pending words: it
		// may have found one word of a row before, and another after. Each row is checked instead.
		pattern = r.exprText(scan.All)
		scan.Filter = and(scan.Filter, not(HasWords{ID: column("i", "entry_id"), Rows: scan.Rows, Words: scan.Title}))
	}
	if scan.Filter == Cond(always) && scan.Rows.Serving == 0 {
		sorted = " ORDER BY moment DESC, entry_id DESC LIMIT " + limit + " OFFSET 0"
	}
	var selects []string
	if n.Newest {
		periods := r.materialized("periods", r.syntax.NewestPeriods(scope))
		rows := "SELECT entry_id, moment FROM (" + r.syntax.WordsNewest(periods, pattern) + ") f" + later
		newest := r.materialized("newest", r.rankedRows(scan, rows, "", sorted, limit))
		count := "(SELECT count(*) FROM " + newest + ")"
		selects = append(selects, "SELECT * FROM "+newest+" WHERE "+joinAnd(when, count+" = "+limit))
		when = joinAnd(when, count+" < "+limit)
	}
	found := r.materialized("found", "SELECT * FROM ("+r.syntax.WordsFound(scope, pattern)+") f LIMIT "+strconv.FormatInt(n.Most+1, 10))
	count := "(SELECT count(*) FROM " + found + ")"
	return append(selects,
		r.rankedRows(scan, "SELECT entry_id, moment FROM "+found+later, joinAnd(when, count+" <= "+most), sorted, limit),
		r.rankedRows(checked, inOrder, joinAnd(when, count+" > "+most), " OFFSET 0", limit))
}

// materialized adds a subquery that is read at most once, unless the statement has it already, and returns its
// name.
func (r *renderer) materialized(name, text string) string {
	text = " AS MATERIALIZED (" + text + ")"
	for _, with := range r.with {
		if known, is := strings.CutSuffix(with, text); is {
			return known
		}
	}
	name += strconv.Itoa(len(r.with))
	r.with = append(r.with, name+text)
	return name
}

var partNames = [...]string{AllWords: "all texts", TitleWords: "the title", OtherWords: "all texts, not in the title"}

func (n Ranked) print(p *printer) {
	p.line("Words in %s, up to %d rows by moment desc, id desc", partNames[n.Part], n.Limit)
	for _, scan := range n.Scans {
		p.line("  WordsScan of %s%s", scan.Rows, afterText(scan))
		if scan.Among != nil {
			p.line("    among %s", scan.Among.describe())
		}
		p.indent++
		p.conditions("filter", scan.Filter)
		p.indent--
	}
	first := ""
	if n.Newest {
		first = "read the newest rows, else "
	}
	p.line("  an index of words without order: %ssort up to %d rows, else scan in the order", first, n.Most)
}

func afterText(scan WordsScan) string {
	if scan.ID == nil {
		return ""
	}
	return " after a position"
}

func (s WordsSet) describe() string {
	parts := slices.Collect(func(yield func(string) bool) {
		for _, scan := range s {
			if !yield(scan.Rows.String()) {
				return
			}
		}
	})
	return fmt.Sprintf("entries with the words in %s", joined(parts, ", and ", func(s string) string { return s }))
}
