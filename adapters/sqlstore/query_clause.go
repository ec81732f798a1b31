package sqlstore

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
)

// Conditions that need no row to be decided.
const (
	always = "TRUE"
	never  = "FALSE"
)

// where returns the selection's conditions on r, but the one given.
func (q *compiler) where(r row, without *core.Clause) string {
	return and(q.all(r, q.sel.Where, without), q.groups(r))
}

func (q *compiler) everything(r row) string { return q.where(r, nil) }

// groups says that r meets one of the groups, when there are any.
func (q *compiler) groups(r row) string {
	if len(q.sel.Or) == 0 {
		return always
	}
	groups := make([]string, len(q.sel.Or))
	for i, group := range q.sel.Or {
		groups[i] = q.all(r, group, nil)
	}
	return or(groups...)
}

func (q *compiler) all(r row, clauses []core.Clause, without *core.Clause) string {
	conditions := make([]string, 0, len(clauses))
	for i := range clauses {
		if c := &clauses[i]; c != without {
			conditions = append(conditions, q.clause(r, c))
		}
	}
	return and(conditions...)
}

// A test is what a positive operator asks of one value.
type test struct {
	op     core.Op // OpIn for equality; OpNotNull for "is there"
	values []core.Value
}

// clause returns c as a condition on r. Negative operators are the absence of a
// value that passes the positive test.
func (q *compiler) clause(r row, c *core.Clause) string {
	some := func(op core.Op) string { return q.someOf(r, c, test{op, c.Values}) }
	switch c.Op {
	case core.OpEqual, core.OpIn:
		return some(core.OpIn)
	case core.OpNot, core.OpNotIn:
		return not(some(core.OpIn))
	case core.OpNull:
		return not(some(core.OpNotNull))
	case core.OpNotBetween:
		return and(some(core.OpNotNull), not(some(core.OpBetween)))
	default:
		return some(c.Op)
	}
}

// someOf says that a value that c looks at passes t, one relation away if c is.
func (q *compiler) someOf(r row, c *core.Clause, t test) string {
	if c.Relation == nil {
		return q.some(r, c.Field, t)
	}
	if c.Target == nil {
		return never
	}
	target := row{
		alias: "r", collection: q.bind(c.Target, 0, c.Target.ID),
		state: q.sel.State.Related(), locale: -1, served: r.served, away: true,
	}
	links := and("l.entry_id = "+r.column("entry_id"), q.values("l", r, c.Relation))
	shown := and(q.scope(target, true), "r.group_id = l.ref", q.some(target, c.Field, t))
	oneByOne := q.dialect.OneByOne()
	if oneByOne == "" {
		return "EXISTS (SELECT 1 FROM entry_values l CROSS JOIN entry_index r" + q.dialect.ByGroup() + " WHERE " + and(links, shown) + ")"
	}
	return "EXISTS (SELECT 1 FROM entry_values l WHERE " + and(links, "EXISTS (SELECT 1 FROM entry_index r"+q.dialect.ByGroup()+" WHERE "+shown+oneByOne+")") + oneByOne + ")"
}

// some says that a value of f in r passes t.
func (q *compiler) some(r row, f *core.Field, t test) string {
	switch {
	case f == core.SystemLocale:
		return q.locales(r, t)
	case t.op == core.OpLike:
		return q.like(r, f, &t.values[0])
	case f.System():
		return q.passes(operandOf(f, r.column(systemColumns[f])), t)
	case f.Listed():
		return q.listed(r, f, t)
	case f.Slot != "" && f.SlotReady:
		x := operandOf(f, r.column(f.Slot))
		x.whole = func(wanted string) string {
			return q.inDocument(r, q.documentValue(r, f)+" = "+wanted)
		}
		return q.passes(x, t)
	case f.Kind() == core.ValueOpaque:
		return q.inDocument(r, "document_has("+r.document()+", "+q.name(f)+", "+strings.ToUpper(boolean(f.Multiple))+")")
	default:
		x := operandOf(f, q.documentValue(r, f))
		x.uncut = true
		return q.inDocument(r, q.passes(x, t))
	}
}

// systemColumns are the columns of entry_index that hold the system fields.
var systemColumns = map[*core.Field]string{
	core.SystemID:          "entry_id",
	core.SystemPublishedAt: "published_at",
	core.SystemCreatedAt:   "created_at",
	core.SystemUpdatedAt:   "updated_at",
}

// listed asks the rows of entry_values.
func (q *compiler) listed(r row, f *core.Field, t test) string {
	own := "v.entry_id = " + r.column("entry_id")
	return "EXISTS (SELECT 1 FROM entry_values v WHERE " + and(own, q.values("v", r, f), q.passesListed(r, f, t)) + q.oneByOne() + ")"
}

// passesListed puts t to the row v of entry_values. A media item that was deleted is like
// none.
func (q *compiler) passesListed(r row, f *core.Field, t test) string {
	passes := q.passesValue(r, f, t)
	if f.Type == core.TypeMedia {
		return and(passes, "EXISTS (SELECT 1 FROM media m WHERE m.project_id = "+projectArg+" AND m.id = v.ref)")
	}
	return passes
}

func (q *compiler) passesValue(r row, f *core.Field, t test) string {
	switch {
	case t.op == core.OpNotNull && f.Type == core.TypeRelation && r.away:
		return q.shows(r, f)
	case t.op == core.OpNotNull:
		return always
	case f.Type == core.TypeRelation:
		return q.related(f, t.values)
	case f.Kind() == core.ValueReference:
		return q.passes(operand{expr: "v.ref", stored: asInteger}, t)
	case f.Kind() != core.ValueText:
		return q.passes(operand{expr: "v.num", stored: asDouble}, t)
	}
	whole := func(wanted string) string {
		return q.inDocument(r, guarded(r, "document_lists("+r.document()+", "+q.name(f)+", "+wanted+")"))
	}
	return q.passes(operand{expr: "v.text", stored: asText, whole: whole}, t)
}

// values says which rows of entry_values are of r's collection and version, and of
// field f.
func (q *compiler) values(alias string, r row, f *core.Field) string {
	return alias + ".project_id = " + projectArg + " AND " + alias + ".collection_id = " + r.collection +
		" AND " + alias + ".field_id = " + number(int64(f.ID)) + " AND " + meets(alias+".versions", uint64(versionOf(r.state)))
}

// related says that v points to the translation group of one of the entries named.
// Only those that the reader may see count: to name a draft finds nothing.
func (q *compiler) related(f *core.Field, ids []core.Value) string {
	target := q.sel.Schema.Target(f)
	if target == nil {
		return never
	}
	shown := row{
		alias: "s", collection: q.bind(target, 0, target.ID),
		state: q.sel.State.Related(), locale: -1,
	}
	return "v.ref IN (SELECT g.group_id FROM entries g JOIN entry_index s" + q.dialect.ByGroup() + " ON " + q.scope(shown, false) +
		" AND s.group_id = g.group_id AND s.entry_id = g.id WHERE g.project_id = " + projectArg +
		" AND " + q.among("g.id", asInteger, ids, anyText) + ")"
}

// shows says that v points to something that the reader may see: a target in hiding
// is like none.
func (q *compiler) shows(r row, f *core.Field) string {
	target := q.sel.Schema.Target(f)
	if target == nil {
		return never
	}
	shown := row{
		alias: "s", collection: q.bind(target, 0, target.ID),
		state: q.sel.State.Related(), locale: -1, served: r.served,
	}
	return "EXISTS (SELECT 1 FROM entry_index s" + q.dialect.ByGroup() + " WHERE " + and(q.scope(shown, true), "s.group_id = v.ref") + ")"
}

// like asks the folded texts, by the trigram index where the field has one and the
// pattern is long enough for it.
func (q *compiler) like(r row, f *core.Field, pattern *core.Value) string {
	if _, indexed := q.dialect.SearchPattern(pattern.Text); f.Searchable && indexed && !q.walking {
		return r.column("entry_id") + " IN (" + q.found(r, f, pattern) + ")"
	}
	return "EXISTS (SELECT 1 FROM entry_texts t WHERE t.entry_id = " + r.column("entry_id") + " AND " + q.texts(r, f) +
		" AND " + q.dialect.Contains("t.text", q.bind(pattern, usePattern, pattern.Text)) + q.oneByOne() + ")"
}

// oneByOne ends a condition on another table that rows are put to until the page is
// full. Who counts puts it to all of them, and may as well join.
func (q *compiler) oneByOne() string {
	if q.counting {
		return ""
	}
	return q.dialect.OneByOne()
}

// found selects the ids of entries in r's locales that a pattern is found in. The trigram
// index finds it in all collections, whoever's they are: so where there is little to read,
// the collection's own texts are read. Those from before the field became searchable
// always are.
func (q *compiler) found(r row, f *core.Field, pattern *core.Value) string {
	search, _ := q.dialect.SearchPattern(pattern.Text)
	texts := and(q.texts(r, f), r.here("t"))
	contains := q.dialect.Contains("t.text", q.bind(pattern, usePattern, pattern.Text))
	return "WITH reading AS MATERIALIZED (" + q.reading(r, f) + ") SELECT t.entry_id FROM " +
		q.dialect.ForEach("(SELECT 1 FROM reading WHERE little) g", "entry_texts", "t", and(texts, q.searchable(f), contains)) +
		" UNION ALL SELECT t.entry_id FROM (SELECT 1 FROM reading WHERE NOT little) g CROSS JOIN " +
		q.dialect.Search(projectArg, q.bind(pattern, useSearch, search)) + " WHERE " + texts +
		" UNION ALL SELECT t.entry_id FROM entry_texts t WHERE " + and("NOT t.searchable", texts, contains)
}

// What is little to read, in bytes, where each text counts for some more, for it has to
// be fetched. What they come to is told by how many entries there are and by some of the
// oldest and of the newest texts, which are found without a look at the others.
const (
	littleToRead = 1 << 20
	bytesToFetch = 256
	textsLooked  = 8 // at each end
)

// reading selects, as little, whether there is little to read in the searchable texts of
// f in r's collection.
func (q *compiler) reading(r row, f *core.Field) string {
	own := "project_id = " + projectArg + " AND collection_id = " + r.collection
	at := func(direction string) string {
		return "SELECT entry_id, octet_length(text) + " + number(bytesToFetch) + " AS bytes FROM entry_texts t WHERE " + own + " AND " + q.searchable(f) +
			" ORDER BY field_id" + direction + ", locale" + direction + " LIMIT " + number(textsLooked)
	}
	entries := "SELECT coalesce(sum(entries), 0) FROM entry_counters WHERE " + own + " AND state = " + number(int64(core.StateWithDraft))
	return "SELECT (" + entries + ") * coalesce(sum(bytes), 0) <= " + number(littleToRead) + " * count(DISTINCT entry_id) AS little" +
		" FROM (" + unionAll([]string{at(""), at(" DESC")}) + ") s"
}

// searchable says that t is a text of f in the trigram index. Of a range, though it is
// one of a single field, Postgres expects few rows, and reads them by their own index
// whatever it believes of the collection.
func (q *compiler) searchable(f *core.Field) string {
	id := q.bind(f, useWhole, int64(f.ID))
	return "t.searchable AND t.field_id BETWEEN " + id + " AND " + id
}

// texts says which rows of entry_texts are of r's collection and version, and of field f.
func (q *compiler) texts(r row, f *core.Field) string {
	return "t.project_id = " + projectArg + " AND t.collection_id = " + r.collection +
		" AND t.field_id = " + number(int64(f.ID)) + " AND " + meets("t.versions", uint64(versionOf(r.state)))
}

// locales decides a test of the locale by itself: the Project has but a few.
func (q *compiler) locales(r row, t test) string {
	var passing []string
	for n, locale := range q.sel.Schema.Project.Locales {
		if !passesText(locale, t) {
			continue
		}
		if n == r.locale {
			return always
		}
		passing = append(passing, number(int64(n)))
	}
	if r.locale >= 0 || len(passing) == 0 {
		return never
	}
	return r.column("locale") + " IN (" + strings.Join(passing, ", ") + ")"
}

func passesText(text string, t test) bool {
	order := func(i int) int { return core.CompareValues(core.ValueText, core.Value{Text: text}, t.values[i]) }
	switch t.op {
	case core.OpIn:
		for _, v := range t.values {
			if v.Text == text {
				return true
			}
		}
		return false
	case core.OpLike:
		return strings.Contains(core.Fold(text), t.values[0].Text)
	case core.OpLess:
		return order(0) < 0
	case core.OpLessEq:
		return order(0) <= 0
	case core.OpGreater:
		return order(0) > 0
	case core.OpGreaterEq:
		return order(0) >= 0
	case core.OpBetween:
		return order(0) >= 0 && order(1) <= 0
	default:
		return true // there is one
	}
}

// inDocument says that condition holds of the row of entries, as e, that r indexes.
func (q *compiler) inDocument(r row, condition string) string {
	return "EXISTS (SELECT 1 FROM entries e WHERE e.project_id = " + projectArg + " AND e.id = " + r.column("entry_id") + " AND " + condition + ")"
}

// documentValue reads f from the document of the row e.
func (q *compiler) documentValue(r row, f *core.Field) string {
	read := map[storage]string{asText: "document_text", asDouble: "document_number", asInteger: "document_time"}[storedAs(f)]
	return guarded(r, read+"("+r.document()+", "+q.name(f)+")")
}

// guarded keeps expr from the documents of other collections, where a field of the
// same name may be of another type: engines are free in the order of conditions.
func guarded(r row, expr string) string {
	return "CASE WHEN e.collection_id = " + r.collection + " THEN " + expr + " END"
}

func (q *compiler) name(f *core.Field) string { return q.bind("name of "+f.Name, 0, f.Name) }

func boolean(b bool) string {
	if b {
		return always
	}
	return never
}

// operand is an expression that a test is put to.
type operand struct {
	expr   string
	stored storage
	// uncut says that expr is a whole text, and not what of it takes part in ordering.
	uncut bool
	// whole says that the whole text behind a cut one is wanted.
	whole func(wanted string) string
}

func operandOf(f *core.Field, expr string) operand { return operand{expr: expr, stored: storedAs(f)} }

// passes puts t to x. It may be null where x is.
func (q *compiler) passes(x operand, t test) string {
	switch t.op {
	case core.OpNotNull:
		return x.expr + " IS NOT NULL"
	case core.OpIn:
		return q.equal(x, t.values)
	case core.OpBetween:
		return and(q.compare(x, core.OpGreaterEq, &t.values[0]), q.compare(x, core.OpLessEq, &t.values[1]))
	default:
		return q.compare(x, t.op, &t.values[0])
	}
}

// equal says that x is one of values. A stored text may be cut: one that reaches
// the cut is compared as a whole, too.
func (q *compiler) equal(x operand, values []core.Value) string {
	if x.stored != asText || x.uncut {
		return q.among(x.expr, x.stored, values, anyText)
	}
	conditions := []string{q.among(x.expr, asText, values, shortText)}
	for i := range values {
		if v := &values[i]; !shortText(v.Text) {
			conditions = append(conditions, and(
				x.expr+" = "+q.bind(v, useCut, core.SortPrefix(v.Text)),
				x.whole(q.bind(v, useWhole, v.Text))))
		}
	}
	return or(conditions...)
}

func anyText(string) bool { return true }

// shortText reports whether no other text has the same sort prefix.
func shortText(text string) bool { return len(text) <= core.MaxSortPrefix-4 }

func allShort(values []core.Value) bool {
	return !slices.ContainsFunc(values, func(v core.Value) bool { return !shortText(v.Text) })
}

// among says that x is one of those values that take passes and that x's storage
// can hold.
func (q *compiler) among(x string, s storage, values []core.Value, take func(text string) bool) string {
	key := bindKey{&values[0], useList}
	list, ok := q.bound[key]
	if !ok {
		var args []any
		if list, args = q.list(s, values, take); list == "" {
			return never
		}
		q.args = append(q.args, args...)
		q.bound[key] = list
	}
	return x + " " + list
}

// list returns "= $n", or what the engine has for several values.
func (q *compiler) list(s storage, values []core.Value, take func(text string) bool) (list string, args []any) {
	var arguments []any
	for _, v := range values {
		if s == asInteger && v.Num != math.Trunc(v.Num) || !take(v.Text) {
			continue
		}
		arguments = append(arguments, argument(s, v))
	}
	return q.oneOf(arguments)
}

// oneOf returns what says of an expression that it is one of values, which are the next
// arguments; "" when there are none.
func (q *compiler) oneOf(values []any) (list string, args []any) {
	next := len(q.args) + 1
	switch len(values) {
	case 0:
		return "", nil
	case 1:
		return "= $" + strconv.Itoa(next), values
	default:
		return q.dialect.Among(next, values)
	}
}

// compare says that x stands to v as op has it, in what takes part in ordering.
func (q *compiler) compare(x operand, op core.Op, v *core.Value) string {
	sign := map[core.Op]string{core.OpLess: " < ", core.OpLessEq: " <= ", core.OpGreater: " > ", core.OpGreaterEq: " >= "}[op]
	switch x.stored {
	case asText:
		if x.uncut {
			x.expr = "sort_prefix(" + x.expr + ")"
		}
		return x.expr + sign + q.bind(v, useCut, core.SortPrefix(v.Text))
	case asInteger:
		return x.expr + sign + q.bind(v, useRounded, rounded(op, v.Num))
	default:
		return x.expr + sign + q.bind(v, useWhole, v.Num)
	}
}

// rounded is the whole number to which whole numbers stand as op has it when they
// stand so to n.
func rounded(op core.Op, n float64) int64 {
	const limit = 1 << 62 // beyond every id and time
	if op == core.OpLess || op == core.OpGreaterEq {
		n = math.Ceil(n)
	} else {
		n = math.Floor(n)
	}
	return int64(max(-limit, min(limit, n)))
}

// and, or and not join conditions. They leave nothing out but what is always true,
// so that every argument that was bound stays in use.

func and(conditions ...string) string {
	kept := slices.DeleteFunc(slices.Clone(conditions), func(c string) bool { return c == always })
	if len(kept) == 0 {
		return always
	}
	return strings.Join(kept, " AND ")
}

func or(conditions ...string) string {
	if len(conditions) == 1 {
		return conditions[0]
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// not holds where condition does not, or is null.
func not(condition string) string {
	switch {
	case condition == always:
		return never
	case condition == never:
		return always
	case existence(condition):
		return "NOT " + condition
	default:
		return "((" + condition + ") IS NOT TRUE)"
	}
}

// existence reports whether condition is one EXISTS (…), which is never null and
// which the engines can turn into an anti-join.
func existence(condition string) bool {
	if !strings.HasPrefix(condition, "EXISTS (") {
		return false
	}
	depth := 0
	for i, c := range condition {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(condition)-1
			}
		}
	}
	return false
}
