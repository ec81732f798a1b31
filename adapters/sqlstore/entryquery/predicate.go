package entryquery

import (
	"math"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// planner plans the reads of one selection. Its only state is the arguments, so that all
// scans of a statement share them.
type planner struct {
	sel       query.Selection
	branches  []branch
	withTotal bool // the statement of a page also reads the total
	args      map[argKey]*Arg
	lists     map[argKey]*List
}

// argKey identifies an argument: a part of the selection and how it is used.
type argKey struct {
	of  any // *core.Value, *core.Collection or *core.Field
	use use
}

type use uint8

const (
	useWhole use = iota
	useKey
	useRounded
	useSearch
	useName
	useSignature
)

func (p *planner) arg(of any, u use, value any) *Arg {
	return share(&p.args, argKey{of, u}, func(a *Arg) { a.Value = value })
}

// list returns the list of a part of the selection and its use. It calls fill for a new list.
func (p *planner) list(of any, u use, fill func(*List)) *List {
	return share(&p.lists, argKey{of, u}, fill)
}

func share[T any](known *map[argKey]*T, key argKey, fill func(*T)) *T {
	value, ok := (*known)[key]
	if !ok {
		value = new(T)
		fill(value)
		if *known == nil {
			*known = map[argKey]*T{}
		}
		(*known)[key] = value
	}
	return value
}

// row describes the rows of entry_index that a condition is about.
type row struct {
	alias      string
	collection Expr
	others     []Expr // of the target of a relation to several: further collections
	state      core.State
	locales    []int            // locale numbers of the rows; nil: any
	served     uint64           // mask of the requested locale; 0: any
	target     bool             // the row is the target of a relation
	shelf      entryindex.Shelf // of a row of the selection
	// known are the facts about the entry that the range of the scan has checked.
	known entrystatus.Facts
	// edited means that the range of the scan has checked the editor of the selection.
	edited bool
	// member means that the range of the scan has checked the member of the selection.
	member bool
	// searched means that the range of the scan has checked the search of the selection.
	searched bool
	// fewSearched means that few rows have the words of the search.
	fewSearched bool
	// computed renders the columns as expressions. An index has found the rows already, and
	// the engine must not choose another index for their filter.
	computed bool
	lookup   lookup
}

// lookup is how conditions read other tables.
type lookup uint8

const (
	// anyLookup lets the engine choose: it may join.
	anyLookup lookup = iota
	// rowLookups reads the other table for each row, so that a scan stops when its page is
	// full. Texts are still found by their trigram index.
	rowLookups
	// rowTextLookups reads texts for each row, too.
	rowTextLookups
)

func (r row) column(name string) Column {
	nullable := entryindex.SlotPlace(name) >= 0 || name == "published_at"
	return Column{Alias: r.alias, Name: name, Nullable: nullable, Computed: r.computed}
}

// id returns the column of the entry id.
func (r row) id() Column { return column(r.alias, "entry_id") }

// document returns the column of the row e of entries with the version of r.
func (r row) document() Column {
	if entryindex.VersionOf(r.state) == entryindex.InPublished {
		return Column{Alias: "e", Name: "published", Nullable: true}
	}
	return column("e", "draft")
}

// inLocales returns the condition that a row of another table belongs to an entry in one of
// r's locales.
func (r row) inLocales(alias string) Cond {
	conditions := make([]Cond, len(r.locales))
	for i, n := range r.locales {
		conditions[i] = equals(alias, "locale", Number(n))
	}
	if len(conditions) == 0 {
		return always
	}
	return or(conditions...)
}

// conditions returns all conditions of the selection on r, except the clause without.
func (p *planner) conditions(r row, without *query.Predicate) Cond {
	return and(p.all(r, p.sel.Where, without), p.groups(r), p.translations(r), p.searched(r), p.edited(r), p.outdated(r), p.status(r))
}

// groups returns the condition that r meets one of the selection's groups, if it has any.
func (p *planner) groups(r row) Cond {
	if len(p.sel.Or) == 0 {
		return always
	}
	groups := make([]Cond, len(p.sel.Or))
	for i, group := range p.sel.Or {
		groups[i] = p.all(r, group, nil)
	}
	return or(groups...)
}

func (p *planner) all(r row, clauses []query.Predicate, without *query.Predicate) Cond {
	conditions := make([]Cond, 0, len(clauses))
	for i := range clauses {
		if c := &clauses[i]; c != without {
			conditions = append(conditions, p.clause(r, c))
		}
	}
	return and(conditions...)
}

// test is a positive operator with its values. It applies to one value of a field.
type test struct {
	op     query.Op // OpIn for every equality; OpNotNull passes every value
	values []core.Value
}

// clause returns c as a condition on r. A negative operator means that no value passes the
// positive test.
func (p *planner) clause(r row, c *query.Predicate) Cond {
	anyValue := func(op query.Op) Cond { return p.anyValueOf(r, c, test{op, c.Values}) }
	switch c.Op {
	case query.OpEqual, query.OpIn:
		return anyValue(query.OpIn)
	case query.OpNot, query.OpNotIn:
		return not(anyValue(query.OpIn))
	case query.OpNull:
		return not(anyValue(query.OpNotNull))
	case query.OpNotBetween:
		return and(anyValue(query.OpNotNull), not(anyValue(query.OpBetween)))
	default:
		return anyValue(c.Op)
	}
}

// anyValueOf returns the condition that a value of c's field passes t. If c has a relation,
// the field belongs to the target.
func (p *planner) anyValueOf(r row, c *query.Predicate, t test) Cond {
	if c.Relation == nil {
		return p.anyValue(r, c.Field, t)
	}
	if c.Target == nil {
		return never
	}
	target, passes := p.anyTarget(r, c, t)
	visibleTarget := and(p.visible(target), equals("r", "group_id", column("l", "ref")), passes)
	links := and(equals("l", "entry_id", r.id()), fieldRows("l", r, c.Relation),
		Exists{From: byGroup("r"), Where: visibleTarget, OneByOne: true})
	return Exists{From: Table{Name: "entry_values", Alias: "l"}, Where: links, OneByOne: true}
}

// anyTarget returns the targets of the relation of c, and the condition that a value of the field of
// their collection passes t.
func (p *planner) anyTarget(r row, c *query.Predicate, t test) (targets row, passes Cond) {
	targets = p.target("r", r.served, c.Target)
	targets.lookup = max(r.lookup, rowLookups)
	if c.Second != nil {
		return targets, p.anySecond(targets, c, t)
	}
	passes = p.anyValue(targets, c.Field, t)
	if len(c.Others) == 0 {
		return targets, passes
	}
	own := []Cond{and(equals("r", "collection_id", targets.collection), passes)}
	for _, hop := range c.Others {
		target := p.target("r", r.served, hop.Target)
		target.lookup = targets.lookup
		own = append(own, and(equals("r", "collection_id", target.collection), p.anyValue(target, hop.Field, t)))
		targets.others = append(targets.others, target.collection)
	}
	return targets, or(own...)
}

// anySecond returns the condition on targets, the targets of the relation of c, that a value of the field
// of a target of its second relation passes t.
func (p *planner) anySecond(targets row, c *query.Predicate, t test) Cond {
	second := p.target("r2", targets.served, c.SecondTarget)
	second.lookup = targets.lookup
	visible := and(p.visible(second), equals("r2", "group_id", column("l2", "ref")), p.anyValue(second, c.Field, t))
	return Exists{
		From: Table{Name: "entry_values", Alias: "l2"},
		Where: and(equals("l2", "entry_id", targets.id()), fieldRows("l2", targets, c.Second),
			Exists{From: byGroup("r2"), Where: visible, OneByOne: true}),
		OneByOne: true,
	}
}

// target returns the rows that relations to collections, at least one, point to.
func (p *planner) target(alias string, served uint64, collections ...*core.Collection) row {
	target := row{alias: alias, state: p.sel.State.Related(), served: served, target: true, lookup: rowLookups}
	for i, c := range collections {
		if id := p.arg(c, useWhole, c.ID); i == 0 {
			target.collection = id
		} else {
			target.others = append(target.others, id)
		}
	}
	return target
}

// inCollection returns the condition that r belongs to its collection, or to one of them.
func (r row) inCollection() Cond {
	own := []Cond{equals(r.alias, "collection_id", r.collection)}
	for _, other := range r.others {
		own = append(own, equals(r.alias, "collection_id", other))
	}
	return or(own...)
}

func byGroup(alias string) Table {
	return Table{Name: "entry_index", Alias: alias, By: "entry_index_group"}
}

// visible returns the condition that the entry r is visible in r's state: it serves the
// requested locale. The row itself may have any locale.
func (p *planner) visible(r row) Cond {
	conditions := []Cond{inProject(r.alias), r.inCollection(), r.serves()}
	if views := entryindex.Views(r.state); len(views) == 1 {
		conditions = append(conditions, equals(r.alias, "shelf", Number(views[0].Shelf)))
	}
	return and(conditions...)
}

// serves returns the condition that r serves the requested locale, or any.
func (r row) serves() Cond {
	served := r.served
	if served == 0 {
		served = anyLocale
	}
	return Overlap{column(r.alias, entryindex.MaskOf(r.state)), served}
}

// anyValue returns the condition that a value of f in r passes t.
func (p *planner) anyValue(r row, f *core.Field, t test) Cond {
	switch {
	case f == core.SystemLocale:
		return p.locale(r, t)
	case t.op == query.OpLike:
		return p.like(r, f, &t.values[0])
	case f.System():
		return p.passes(operand{of: r.column(systemColumn(f, r.state)), stored: entryindex.StorageOf(f)}, t)
	case f.Listed():
		return Exists{
			From:     Table{Name: "entry_values", Alias: "v"},
			Where:    and(equals("v", "entry_id", r.id()), fieldRows("v", r, f), p.passesListed(r, f, t)),
			OneByOne: r.lookup > anyLookup,
		}
	case entryindex.Slotted(f):
		return p.passes(operand{of: r.column(f.Slot), stored: entryindex.StorageOf(f)}, t)
	case !f.Comparable():
		has := Call{"document_has", []Expr{r.document(), p.arg(f, useName, f.Name), Constant(f.Multiple)}}
		return IsTrue{Document{ID: r.id(), Value: has}}
	case f.Keyed() && (t.op == query.OpIn || t.op == query.OpNotNull):
		return p.passes(operand{of: Document{ID: r.id(), Value: p.documentValue(r, f)}, stored: entryindex.AsText}, t)
	default:
		return p.passes(operand{of: p.unslotted(r, f), stored: entryindex.StorageOf(f)}, t)
	}
}

// unslotted returns the value of f, which has no slot, in the form in which a slot would hold it. A
// sort key consists of the folded text in entry_texts and of the text in the document.
func (p *planner) unslotted(r row, f *core.Field) Expr {
	value := p.documentValue(r, f)
	if !f.Keyed() {
		return Document{ID: r.id(), Value: value}
	}
	return TextKey{Texts: and(equals("t", "entry_id", r.id()), fieldRows("t", r, f)), ID: r.id(), Text: value}
}

// systemColumn returns the column of entry_index that holds a system field in state.
func systemColumn(f *core.Field, state core.State) string {
	switch {
	case f == core.SystemID:
		return "entry_id"
	case f == core.SystemPublishedAt:
		return "published_at"
	case f == core.SystemCreatedAt:
		return "created_at"
	case state == core.StatePublished:
		return "released_at"
	default:
		return "updated_at"
	}
}

// passesListed returns the condition that the row v of entry_values passes t. A media item that
// is not in the library any more counts as no value.
func (p *planner) passesListed(r row, f *core.Field, t test) Cond {
	passes := p.passesValue(r, f, t)
	if f.Type != core.TypeMedia {
		return passes
	}
	return and(passes, Exists{
		From:  Table{Name: "media", Alias: "m"},
		Where: and(inProject("m"), equals("m", "id", column("v", "ref")), not(NotNull{column("m", "removed_at")})),
	})
}

func (p *planner) passesValue(r row, f *core.Field, t test) Cond {
	ref := column("v", "ref")
	switch {
	case t.op == query.OpNotNull && f.Type == core.TypeRelation && r.target:
		return p.pointsToVisible(r, f)
	case t.op == query.OpNotNull:
		return always
	case f.Type == core.TypeRelation:
		return p.pointsTo(r, f, t.values)
	case f.Kind() == fieldtype.Reference:
		return p.passes(operand{of: ref, stored: entryindex.AsInteger}, t)
	case f.Kind() != fieldtype.Text:
		return p.passes(operand{of: column("v", "num"), stored: entryindex.AsDouble}, t)
	}
	return p.passes(operand{of: column("v", "text"), stored: entryindex.StorageOf(f)}, t)
}

// fieldRows returns the condition that a row of entry_values or entry_texts has a value of f
// in r's collection and version.
func fieldRows(alias string, r row, f *core.Field) Cond {
	return And{
		inProject(alias), equals(alias, "collection_id", r.collection),
		equals(alias, "field_id", Number(f.ID)), Overlap{column(alias, "versions"), uint64(entryindex.VersionOf(r.state))},
	}
}

// pointsTo returns the condition that the row v of entry_values points to the translation
// group of one of the entries. Hidden entries do not count: the id of a draft finds nothing
// in published content. Groups without an entry that serves the requested locale do not count
// either: the relation is null then.
func (p *planner) pointsTo(r row, f *core.Field, ids []core.Value) Cond {
	targets := p.sel.Schema.Targets(f)
	if len(targets) == 0 {
		return never
	}
	named := p.among(column("g", "id"), entryindex.AsInteger, ids)
	join := and(p.visible(p.target("s", 0, targets...)),
		equals("s", "group_id", column("g", "group_id")), equals("s", "entry_id", column("g", "id")))
	where := and(inProject("g"), named)
	if r.served != 0 {
		serving := and(p.visible(p.target("w", r.served, targets...)), equals("w", "group_id", column("g", "group_id")))
		where = and(where, Exists{From: byGroup("w"), Where: serving, OneByOne: true})
	}
	return In{Of: Column{Alias: "v", Name: "ref", Nullable: true}, Set: EntryGroups{Join: join, Where: where}}
}

// pointsToVisible returns the condition that the row v of entry_values points to a visible
// entry. A hidden target counts as no value.
func (p *planner) pointsToVisible(r row, f *core.Field) Cond {
	targets := p.sel.Schema.Targets(f)
	if len(targets) == 0 {
		return never
	}
	visibleTarget := and(p.visible(p.target("s", r.served, targets...)), equals("s", "group_id", column("v", "ref")))
	return Exists{From: byGroup("s"), Where: visibleTarget}
}

// like returns the condition that a text of f in r contains the pattern. It uses the trigram
// index unless the lookup of r reads texts row by row.
func (p *planner) like(r row, f *core.Field, pattern *core.Value) Cond {
	if usesTrigramIndex(f, pattern) && r.lookup < rowTextLookups {
		return In{Of: r.id(), Set: p.textSet(r, f, pattern)}
	}
	contains := Substring{column("t", "text"), p.arg(pattern, useWhole, pattern.Text)}
	return Exists{
		From:     Table{Name: "entry_texts", Alias: "t"},
		Where:    and(equals("t", "entry_id", r.id()), fieldRows("t", r, f), contains),
		OneByOne: r.lookup > anyLookup,
	}
}

// usesTrigramIndex reports whether the trigram index finds the pattern of a "like" on f.
func usesTrigramIndex(f *core.Field, pattern *core.Value) bool {
	return f.Searchable && f.SearchReady && words.Indexable(pattern.Text)
}

// textSet returns the entries in r's locales whose texts contain the pattern.
func (p *planner) textSet(r row, f *core.Field, pattern *core.Value) TextSet {
	// The condition on the field is a range of one id: Postgres expects few rows in a range and
	// reads them by its index, independently of the statistics of the collection.
	id := p.arg(f, useWhole, int64(f.ID))
	return TextSet{
		Field: f, Collection: r.collection,
		Texts: and(fieldRows("t", r, f), r.inLocales("t")),
		Own: and(inProject("t"), equals("t", "collection_id", r.collection),
			IsTrue{column("t", "searchable")}, Between{column("t", "field_id"), id, id}),
		Pattern: p.arg(pattern, useWhole, pattern.Text), Search: p.arg(pattern, useSearch, searchText(pattern.Text)),
	}
}

// searchText is a text in its caseless form. Syntax.SearchPattern turns it into an argument.
type searchText string

// locale applies a test of the locale to the locales of the Project while planning, and
// returns the condition that r is in a locale that passes.
func (p *planner) locale(r row, t test) Cond {
	var passing []Cond
	for n, locale := range p.sel.Schema.Project.Locales {
		if r.locales != nil && !slices.Contains(r.locales, n) {
			continue
		}
		if passesText(locale, t) {
			passing = append(passing, Compare{r.column("locale"), "=", Number(n)})
		} else if len(r.locales) == 1 {
			return never
		}
	}
	if len(r.locales) == 1 && len(passing) == 1 {
		return always
	}
	return or(passing...)
}

func passesText(text string, t test) bool {
	order := func(i int) int { return core.CompareValues(fieldtype.Text, core.Value{Text: text}, t.values[i]) }
	switch t.op {
	case query.OpIn:
		return slices.ContainsFunc(t.values, func(v core.Value) bool { return v.Text == text })
	case query.OpLike:
		return strings.Contains(words.Caseless(text), t.values[0].Text)
	case query.OpLess:
		return order(0) < 0
	case query.OpLessEq:
		return order(0) <= 0
	case query.OpGreater:
		return order(0) > 0
	case query.OpGreaterEq:
		return order(0) >= 0
	case query.OpBetween:
		return order(0) >= 0 && order(1) <= 0
	case query.OpNotNull:
		return true // every entry has a locale
	default:
		panic("entryquery: an unknown operator " + string(t.op))
	}
}

// documentValue returns the value of f in the document of the row e. Texts are as they are, no keys.
func (p *planner) documentValue(r row, f *core.Field) Expr {
	read := [...]string{
		entryindex.AsText: "document_text", entryindex.AsKey: "document_text",
		entryindex.AsDouble: "document_number", entryindex.AsInteger: "document_time",
	}[entryindex.StorageOf(f)]
	return OfCollection{r.collection, Call{read, []Expr{r.document(), p.arg(f, useName, f.Name)}}}
}

// operand is an expression that a test applies to.
type operand struct {
	of     Expr
	stored entryindex.Storage
}

// passes returns the condition that x passes t.
func (p *planner) passes(x operand, t test) Cond {
	switch t.op {
	case query.OpNotNull:
		return NotNull{x.of}
	case query.OpIn:
		return p.among(x.of, x.stored, t.values)
	case query.OpBetween:
		return and(p.compare(x, &t.values[0], ">="), p.compare(x, &t.values[1], "<="))
	case query.OpLess:
		return p.compare(x, &t.values[0], "<")
	case query.OpLessEq:
		return p.compare(x, &t.values[0], "<=")
	case query.OpGreater:
		return p.compare(x, &t.values[0], ">")
	case query.OpGreaterEq:
		return p.compare(x, &t.values[0], ">=")
	default:
		panic("entryquery: an unknown operator " + string(t.op))
	}
}

// noInteger is a value that no id and no time has.
const noInteger int64 = math.MinInt64

// greatestInteger is greater than every id and time.
const greatestInteger = 1 << 62

// among returns the condition that x is one of the values. A fraction, and a number above all ids and
// times, equals no integer: it becomes noInteger, so that the text of the statement does not depend on the values.
func (p *planner) among(x Expr, s entryindex.Storage, values []core.Value) Cond {
	return Among{x, p.list(&values[0], useOf(s), func(l *List) {
		for _, v := range values {
			if s == entryindex.AsInteger && (v.Num != math.Trunc(v.Num) || math.Abs(v.Num) >= greatestInteger) {
				l.Values = append(l.Values, noInteger)
			} else {
				l.Values = append(l.Values, entryindex.Argument(s, v))
			}
		}
	})}
}

// compare returns the condition that x compares with v as sign says: <, <=, > or >=.
func (p *planner) compare(x operand, v *core.Value, sign string) Cond {
	if x.stored == entryindex.AsInteger {
		return Compare{x.of, sign, p.arg(v, useRounded, roundedTo(v.Num, sign == "<" || sign == ">="))}
	}
	return Compare{x.of, sign, p.arg(v, useOf(x.stored), entryindex.Argument(x.stored, *v))}
}

// useOf returns the use of an argument that is compared with values stored as s.
func useOf(s entryindex.Storage) use {
	if s == entryindex.AsKey {
		return useKey
	}
	return useWhole
}

// roundedTo returns the nearest whole number at or above n if up is set, otherwise at or
// below n. Integers compare to the result as they compare to n.
func roundedTo(n float64, up bool) int64 {
	if up {
		n = math.Ceil(n)
	} else {
		n = math.Floor(n)
	}
	return int64(max(-greatestInteger, min(greatestInteger, n)))
}
