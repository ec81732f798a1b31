package sqlstore

import (
	"math/bits"
	"strconv"
	"strings"

	"imprimatur/core"
)

// compiler turns one selection into the text of a statement and its arguments. The
// text depends on the selection's shape alone and never on a value in it, so that
// few texts serve all queries. What stands in it literally are numbers of our own
// (states, locales, fields, masks), the size of a page, and the names of slots.
//
// A selection is one branch per locale that may answer: each branch reads one index
// in its order and stops at the end of the window; their rows are merged.
type compiler struct {
	dialect Dialect
	hints   *hints
	sel     core.Selection
	args    []any
	bound   map[bindKey]string
	// walking is set where the sample was not all there is: there, conditions are put
	// to one row after the other.
	walking bool
	// counting says that all rows are wanted, and not the first of them.
	counting bool
	// drawn is the clause that a sample was drawn by, if one was.
	drawn *core.Clause
	// known is what every row of the page has, so that the statement need not say it.
	known core.Row
	// total is where the total goes that each row of the page carries in a last column;
	// nil when none does.
	total *int64

	// thorough says that the page must be right by itself. Otherwise short cuts may be
	// taken that mostly are enough, and settles tells whether they were.
	thorough bool
	// leading says that only rows with a value of the first sort key are read.
	leading bool
	// trusted are clauses of which only the signature is asked.
	trusted []*core.Clause
}

// bindKey names an argument, so that every branch uses the same one.
type bindKey struct {
	of  any // a *core.Value of the selection, or a name
	use byte
}

// The uses of a value.
const (
	useWhole byte = iota
	useCut
	useRounded
	useList
	usePattern
	useSearch
	useSignature
	useBucket
	useFirstBucket
	useLastBucket
	useLowest
	useLowestEnd
	useHighest
	useHighestBeginning
)

// projectArg and collectionArg are the first two arguments of every statement.
const (
	projectArg    = "$1"
	collectionArg = "$2"
)

func newCompiler(dialect Dialect, hints *hints, sel core.Selection) *compiler {
	return &compiler{
		dialect: dialect, hints: hints, sel: sel, bound: map[bindKey]string{},
		args: []any{sel.Schema.Project.ID, sel.Schema.Collection.ID},
	}
}

// bind adds an argument, once per key, and returns its place in the text.
func (q *compiler) bind(of any, use byte, value any) string {
	key := bindKey{of, use}
	if place, ok := q.bound[key]; ok {
		return place
	}
	q.args = append(q.args, value)
	place := "$" + strconv.Itoa(len(q.args))
	q.bound[key] = place
	return place
}

// row is an entry_index row as conditions speak of it.
type row struct {
	alias      string
	collection string // argument
	state      core.State
	locale     int // number; -1: any, or one of among
	among      []int
	served     uint64 // the locale looked at, as a mask; 0: any
	away       bool   // the row is a relation's target
	along      string // the slot whose index is to be read, if that is not for the planner to say
}

// column compiles a column of r. Where rows are read along the index of one slot, numbers
// in others are written as no index has them, or the planner might prefer that of such a one.
func (r row) column(name string) string {
	column := r.alias + "." + name
	if r.along != "" && r.along != name && slotPlace(name) >= textSlots {
		return "(" + column + " + 0)"
	}
	return column
}

// document is the column of entries, as alias e, that holds the row's version.
func (r row) document() string {
	if versionOf(r.state) == inPublished {
		return "e.published"
	}
	return "e.draft"
}

// here says that a row of another table is of an entry in r's locale.
func (r row) here(alias string) string {
	switch {
	case r.locale >= 0:
		return alias + ".locale = " + number(int64(r.locale))
	case len(r.among) > 0:
		return alias + ".locale IN (" + join(r.among, func(n int) string { return number(int64(n)) }) + ")"
	default:
		return always
	}
}

// branch is the part of a selection that one locale answers.
type branch struct {
	row
	scope string // which rows these are
	// masked says that not all rows of the locale are, but those that serve the one
	// looked at.
	masked bool
}

// branches returns the selection's branches, best locale first; none when the locale
// is not one of the Project's.
func (q *compiler) branches() []branch {
	project := q.sel.Schema.Project
	served, one := q.served()
	locales := project.Locales
	if one {
		if served == 0 {
			return nil
		}
		locales = project.FallbackChain(q.sel.Locale)
	}
	var branches []branch
	for i, locale := range locales {
		number := project.LocaleNumber(locale)
		r := row{alias: "i", collection: collectionArg, state: q.sel.State, locale: number, served: served}
		if !one {
			r.served = 1 << number
		}
		// A row always serves its own locale, so the first branch need not ask.
		masked := one && i > 0
		branches = append(branches, branch{r, q.scope(r, masked), masked})
	}
	return branches
}

// served returns the locale that the selection is served in, as a mask: 0 when it is
// none of the Project's, and false when each row is served in its own.
func (q *compiler) served() (mask uint64, one bool) {
	if q.sel.Locale == core.AllLocales {
		return 0, false
	}
	if n := q.sel.Schema.Project.LocaleNumber(q.sel.Locale); n >= 0 {
		mask = 1 << n
	}
	return mask, true
}

// scope says which rows of entry_index are r's.
func (q *compiler) scope(r row, masked bool) string {
	scope := r.column("project_id") + " = " + projectArg
	if r.locale >= 0 {
		scope += " AND " + r.column("scope") + " = " + r.scopeIn(r.locale)
	} else {
		scope += " AND " + r.column("collection_id") + " = " + r.collection + " AND " + r.column("state") + " = " + number(int64(r.state))
	}
	if masked {
		scope += " AND " + meets(r.column("serves"), r.served)
	}
	return scope
}

// scopeIn is the scope of r's collection and state in the locale of that number.
func (r row) scopeIn(locale int) string {
	return r.collection + " * " + number(scopesPerCollection) + " + " + number(indexScope(0, r.state, locale))
}

// page compiles the window: the ids of its rows from the index alone, and for those
// the entries, after their columns whether a sample was not all there is, if one was
// drawn. It returns "" when no row can be in it.
func (q *compiler) page() string {
	branches := q.branches()
	if len(branches) == 0 {
		return ""
	}
	keys := q.sortKeys(branches)
	q.leading = !q.thorough && keys[0].splits && !q.neverNull(keys[0].field) && !q.hints.short.has(listingOf(q.sel, keys[0].field))
	with, window, notAll := q.window(branches, keys)
	entry := "e.project_id = " + projectArg + " AND e.id = p.entry_id"
	q.known.CollectionID = q.sel.Schema.Collection.ID
	if len(branches) == 1 {
		q.known.Locale = q.sel.Schema.Project.Locales[branches[0].locale]
	}
	columns := rowColumns("p.serves", q.sel.State, q.known, q.sel.Without)
	if q.drawn != nil {
		columns += ", " + notAll
	}
	if q.total != nil {
		columns += ", (" + q.count() + ")"
	}
	return with + "SELECT " + columns +
		// One after the other, in the window's order: whole documents are not sorted.
		" FROM " + q.dialect.ForEach(window, "entries", "e", entry)
}

// window compiles the rows of the page, as p: whose they are, and their keys. With goes
// before the whole statement, and notAll says whether a sample, if one was drawn, was not
// all there is.
func (q *compiler) window(branches []branch, keys []sortKey) (with, window, notAll string) {
	// The planner has to know how few rows are wanted, and the text must not differ
	// from page to page: so pages further down are cut twice, first at powers of two.
	most, passed := q.sel.Limit+1, int64(0)
	if q.sel.Offset > 0 {
		most = 1 << bits.Len64(uint64(q.sel.Offset+q.sel.Limit))
	}
	all := gate{where: always, limit: number(most)}
	parts := q.partsByValue(branches, keys)
	if with, window, ok := q.marked(branches, keys, parts); ok {
		return with + ", p AS MATERIALIZED (" + window + ") ", "p", ""
	}
	open, exact := always, ""
	if keys[0].indexed() && q.sel.Offset+q.sel.Limit > maxSigned {
		exact = q.exact(branches, keys[0].field)
	}
	var selects []string
	if few := q.few(keys); few != nil {
		with, notAll, q.drawn = q.sample(few, branches), few.notAll(), few.clause
		selects = append(selects, q.merged(branches, q.fewPart(few, keys, branches, all.limit), keys, q.gate(few.all(), all.limit)))
		q.walking, open = true, notAll
	}
	if len(selects)+len(parts) == 1 && len(branches) == 1 && exact == "" {
		passed = roughly(q.sel.Offset)
		all.limit = number(most-passed) + " OFFSET " + number(passed)
	}
	for i, p := range parts {
		when := open
		switch {
		case p.when != "":
			when = and(open, p.when)
		case i > 0:
			when = and(open, q.someWithout(branches, keys[0]))
		case exact != "":
			told := p
			told.where = func(r row) string { return q.told(r, keys[0].field) }
			selects = append(selects, q.merged(branches, told, keys, q.gate(and(open, exact), all.limit)))
			when = and(open, not(exact))
		}
		selects = append(selects, q.merged(branches, p, keys, q.gate(when, all.limit)))
	}
	window = unionAll(selects)
	switch {
	case q.sel.Offset > 0:
		window = "SELECT * FROM (" + window + ") m LIMIT " + q.bind("limit", 0, q.sel.Limit+1) + " OFFSET " + q.bind("offset", 0, q.sel.Offset-passed)
	case len(selects) > 1:
		window += " LIMIT " + number(most)
	}
	if passed > 0 {
		// Of a mere subquery, Postgres would drop the columns that nobody asks for.
		return "WITH p AS MATERIALIZED (" + window + ") ", "p", notAll
	}
	return with, "(" + window + ") p", notAll
}

// roughly returns how many rows of a deep offset the innermost SELECT passes over
// by itself, which spares handing them on: 0 for what is not deep.
func roughly(offset int64) int64 {
	const deep = 1 << 10
	if offset < deep {
		return 0
	}
	return 1 << (bits.Len64(uint64(offset)) - 1)
}

// settles reports whether rows are the page. notAll is a column of theirs: where there
// are none, it is not known.
func (q *compiler) settles(rows []core.Row, notAll bool) bool {
	sampled := q.drawn != nil && !notAll && len(rows) > 0
	if q.leading && !sampled && int64(len(rows)) <= q.sel.Limit {
		if q.sel.Offset == 0 {
			q.hints.short.add(listingOf(q.sel, q.sel.Sort[0].Field))
		}
		return false
	}
	return q.confirm(rows)
}

// gate says when rows are read, and how many.
type gate struct{ where, limit string }

// gate lets rows through when a condition holds that speaks of no table.
func (q *compiler) gate(when, limit string) gate {
	if when == always {
		return gate{always, limit}
	}
	where, limit := q.dialect.LimitWhen(when, limit)
	return gate{where, limit}
}

// merged returns one part of the order, in order: the rows of all branches, of each
// no more than the gate lets through.
func (q *compiler) merged(branches []branch, p part, keys []sortKey, g gate) string {
	selects, orders := make([]string, len(branches)), make([]string, len(branches))
	for i, b := range branches {
		selects[i] = "SELECT " + q.windowColumns(b, keys) + " FROM entry_index i WHERE " + and(g.where, b.scope, p.where(b.row), p.conditions(b))
		orders[i] = p.branchOrder(b)
	}
	if len(selects) == 1 {
		return selects[0] + " ORDER BY " + orders[0] + " LIMIT " + g.limit
	}
	return q.dialect.Merge(selects, orders, p.order(), g.limit)
}

// windowColumns are what is known of a row in the window: its id, whom it serves, and
// its keys. Of a deep window they are the columns of the index that orders it, all and
// in their order: an index tuple is then passed over as it stands.
func (q *compiler) windowColumns(b branch, keys []sortKey) string {
	deep := roughly(q.sel.Offset) > 0
	switch head := keys[0]; {
	case deep && head.field == core.SystemID:
		return "i.project_id, i.scope, i.entry_id, i.serves"
	case deep && head.indexed() && len(keys) == 2 && keys[1].field == core.SystemID:
		columns := "i.project_id, i.scope, " + head.expr(b) + " AS " + head.name + ", i.entry_id, i.serves, i.signature"
		for _, name := range carried(head.field) {
			columns += ", i." + name
		}
		return columns
	}
	columns := "i.entry_id, i.serves"
	for _, key := range keys {
		if key.field != core.SystemID {
			columns += ", " + key.expr(b) + " AS " + key.name
		}
	}
	return columns
}

// MergeLimited merges selects as EntryDialect has it, by cutting each of them to the limit.
func MergeLimited(selects, orders []string, order, limit string) string {
	limit = " LIMIT " + limit
	limited := make([]string, len(selects))
	for i, s := range selects {
		limited[i] = s + " ORDER BY " + orders[i] + limit
	}
	return unionAll(limited) + " ORDER BY " + order + limit
}

// unionAll joins selects, each of which may have an order and a limit of its own.
func unionAll(selects []string) string {
	if len(selects) == 1 {
		return selects[0]
	}
	var text strings.Builder
	for i, s := range selects {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		text.WriteString("SELECT * FROM (" + s + ") u" + strconv.Itoa(i))
	}
	return text.String()
}

// join lists what text makes of all.
func join[T any](all []T, text func(T) string) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = text(one)
	}
	return strings.Join(texts, ", ")
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// meets says that two masks have a bit in common.
func meets(column string, mask uint64) string {
	return "(" + column + " & " + number(int64(mask)) + ") <> 0"
}
