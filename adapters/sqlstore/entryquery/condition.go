package entryquery

import (
	"math"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// planner makes the plan of one selection. It only collects the arguments, so that every
// scan uses the same ones.
type planner struct {
	sel  core.Selection
	args map[argKey]*Arg
	list map[argKey]*List
	// whole says that long texts are ordered by all of them, beyond what their slots hold.
	whole bool
}

func newPlanner(sel core.Selection) *planner {
	return &planner{sel: sel, args: map[argKey]*Arg{}, list: map[argKey]*List{}}
}

// argKey names an argument: a part of the selection, and how it is used.
type argKey struct {
	of  any // *core.Value, *core.Collection, *core.Field
	use use
}

type use uint8

const (
	useWhole use = iota
	useCut
	useRounded
	useSearch
	useName
	useSignature
)

func (p *planner) arg(of any, u use, value any) *Arg {
	key := argKey{of, u}
	if p.args[key] == nil {
		p.args[key] = &Arg{value}
	}
	return p.args[key]
}

// row is a row of entry_index that conditions are put to.
type row struct {
	alias      string
	collection Expr
	state      core.State
	locales    []int  // the row is in one of them; nil: in any
	served     uint64 // the locale looked at, as a mask; 0: any
	target     bool   // the row is a relation's target
	filter     bool   // conditions are put to rows that an index has found already: no other one is to be chosen for them
	each       bool   // rows are put to conditions on other tables one by one, until a page is full
	walks      bool   // texts are looked at row by row, and not found by their index
}

func (r row) column(name string) Column {
	nullable := entryindex.SlotPlace(name) >= 0 || name == "published_at"
	return Column{Alias: r.alias, Name: name, Nullable: nullable, Computed: r.filter}
}

// id is what other tables are looked up by.
func (r row) id() Column { return Column{Alias: r.alias, Name: "entry_id"} }

// document is the column of entries, as e, with the version that r shows.
func (r row) document() Column {
	if entryindex.VersionOf(r.state) == entryindex.InPublished {
		return Column{Alias: "e", Name: "published", Nullable: true}
	}
	return Column{Alias: "e", Name: "draft"}
}

// here says that a row of another table is of an entry in one of r's locales.
func (r row) here(alias string) Cond {
	column := Column{Alias: alias, Name: "locale"}
	conditions := make([]Cond, len(r.locales))
	for i, n := range r.locales {
		conditions[i] = Compare{column, "=", Number(n)}
	}
	if len(conditions) == 0 {
		return always
	}
	return or(conditions...)
}

// conditions returns all conditions of the selection on r but the one given.
func (p *planner) conditions(r row, without *core.Clause) Cond {
	return and(p.all(r, p.sel.Where, without), p.groups(r))
}

// groups says that r meets one of the groups, when there are any.
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

func (p *planner) all(r row, clauses []core.Clause, without *core.Clause) Cond {
	conditions := make([]Cond, 0, len(clauses))
	for i := range clauses {
		if c := &clauses[i]; c != without {
			conditions = append(conditions, p.clause(r, c))
		}
	}
	return and(conditions...)
}

// test is what a positive operator asks of one value.
type test struct {
	op     core.Op // OpIn for equality; OpNotNull for "has a value"
	values []core.Value
}

// clause returns c as a condition on r. Negative operators are the absence of a value that
// passes the positive test.
func (p *planner) clause(r row, c *core.Clause) Cond {
	some := func(op core.Op) Cond { return p.someOf(r, c, test{op, c.Values}) }
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
func (p *planner) someOf(r row, c *core.Clause, t test) Cond {
	if c.Relation == nil {
		return p.some(r, c.Field, t)
	}
	if c.Target == nil {
		return never
	}
	target := row{
		alias: "r", collection: p.arg(c.Target, useWhole, c.Target.ID), state: p.sel.State.Related(),
		served: r.served, target: true, each: true, walks: r.walks,
	}
	shown := and(p.visible(target), Compare{Column{Alias: "r", Name: "group_id"}, "=", Column{Alias: "l", Name: "ref"}}, p.some(target, c.Field, t))
	links := and(Compare{Column{Alias: "l", Name: "entry_id"}, "=", r.id()}, p.values("l", r, c.Relation),
		Exists{From: byGroup("r"), Where: shown, OneByOne: true})
	return Exists{From: Table{Name: "entry_values", Alias: "l"}, Where: links, OneByOne: true}
}

func byGroup(alias string) Table {
	return Table{Name: "entry_index", Alias: alias, By: "entry_index_group"}
}

// visible says which rows of entry_index readers see as r, a row in any locale: those that
// serve the locale looked at.
func (p *planner) visible(r row) Cond {
	column := func(name string) Column { return Column{Alias: r.alias, Name: name} }
	served := r.served
	if served == 0 {
		served = anyLocale
	}
	conditions := []Cond{
		Compare{column("project_id"), "=", projectArg}, Compare{column("collection_id"), "=", r.collection},
		Overlap{column(entryindex.MaskOf(r.state)), served},
	}
	if views := entryindex.Views(r.state); len(views) == 1 {
		conditions = append(conditions, Compare{column("shelf"), "=", Number(views[0].Shelf)})
	}
	return and(conditions...)
}

// some says that a value of f in r passes t.
func (p *planner) some(r row, f *core.Field, t test) Cond {
	switch {
	case f == core.SystemLocale:
		return p.locale(r, t)
	case t.op == core.OpLike:
		return p.like(r, f, &t.values[0])
	case f.System():
		return p.passes(operand{of: r.column(systemColumn(f, r.state)), stored: entryindex.StorageOf(f)}, t)
	case f.Listed():
		return Exists{
			From:     Table{Name: "entry_values", Alias: "v"},
			Where:    and(Compare{Column{Alias: "v", Name: "entry_id"}, "=", r.id()}, p.values("v", r, f), p.passesListed(r, f, t)),
			OneByOne: r.each,
		}
	case entryindex.Slotted(f):
		x := operand{of: r.column(f.Slot), stored: entryindex.StorageOf(f)}
		if x.stored == entryindex.AsText && !allShort(t.values) {
			x.whole = Document{ID: r.id(), Value: p.documentValue(r, f)}
		}
		return p.passes(x, t)
	case f.Kind() == core.ValueOpaque:
		several := never
		if f.Multiple {
			several = always
		}
		has := Call{"document_has", []Expr{r.document(), p.arg(f, useName, f.Name), boolean(several)}}
		return Truth{Document{ID: r.id(), Value: has}}
	default:
		return p.passes(operand{of: Document{ID: r.id(), Value: p.documentValue(r, f)}, stored: entryindex.StorageOf(f)}, t)
	}
}

// boolean is a truth value as an expression.
type boolean Constant

func (boolean) null() bool { return false }

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

// passesListed puts t to the row v of entry_values. A media item that was deleted is like none.
func (p *planner) passesListed(r row, f *core.Field, t test) Cond {
	passes := p.passesValue(r, f, t)
	if f.Type != core.TypeMedia {
		return passes
	}
	column := func(name string) Column { return Column{Alias: "m", Name: name} }
	return and(passes, Exists{
		From:  Table{Name: "media", Alias: "m"},
		Where: and(Compare{column("project_id"), "=", projectArg}, Compare{column("id"), "=", Column{Alias: "v", Name: "ref"}}),
	})
}

func (p *planner) passesValue(r row, f *core.Field, t test) Cond {
	ref := Column{Alias: "v", Name: "ref"}
	switch {
	case t.op == core.OpNotNull && f.Type == core.TypeRelation && r.target:
		return p.shows(r, f)
	case t.op == core.OpNotNull:
		return always
	case f.Type == core.TypeRelation:
		return p.related(f, t.values)
	case f.Kind() == core.ValueReference:
		return p.passes(operand{of: ref, stored: entryindex.AsInteger}, t)
	case f.Kind() != core.ValueText:
		return p.passes(operand{of: Column{Alias: "v", Name: "num"}, stored: entryindex.AsDouble}, t)
	}
	holds := func(function string, args ...Expr) Cond {
		call := Call{function, append([]Expr{r.document(), p.arg(f, useName, f.Name)}, args...)}
		return Truth{Document{ID: r.id(), Value: OfCollection{r.collection, call}}}
	}
	return p.passes(operand{of: Column{Alias: "v", Name: "text"}, stored: entryindex.AsText, holds: holds}, t)
}

// values says which rows of entry_values are of r's collection and version, and of f.
func (p *planner) values(alias string, r row, f *core.Field) Cond {
	return ofField(alias, r, Number(f.ID))
}

// ofField says which rows of entry_values or entry_texts are of r's collection and version,
// and of a field.
func ofField(alias string, r row, field Expr) Cond {
	column := func(name string) Column { return Column{Alias: alias, Name: name} }
	return And{
		Compare{column("project_id"), "=", projectArg}, Compare{column("collection_id"), "=", r.collection},
		Compare{column("field_id"), "=", field}, Overlap{column("versions"), uint64(entryindex.VersionOf(r.state))},
	}
}

// related says that v points to the translation group of one of the entries named. Only
// those that the reader may see count: to name a draft finds nothing.
func (p *planner) related(f *core.Field, ids []core.Value) Cond {
	target := p.sel.Schema.Target(f)
	if target == nil {
		return never
	}
	named := p.among(Column{Alias: "g", Name: "id"}, entryindex.AsInteger, ids, anyText)
	if named == never {
		return never
	}
	shown := row{alias: "s", collection: p.arg(target, useWhole, target.ID), state: p.sel.State.Related()}
	join := and(p.visible(shown), Compare{Column{Alias: "s", Name: "group_id"}, "=", Column{Alias: "g", Name: "group_id"}},
		Compare{shown.id(), "=", Column{Alias: "g", Name: "id"}})
	return In{Of: Column{Alias: "v", Name: "ref", Nullable: true}, Set: EntryGroups{
		Join: join, Where: and(Compare{Column{Alias: "g", Name: "project_id"}, "=", projectArg}, named),
	}}
}

// shows says that v points to something that the reader may see: a hidden target is like none.
func (p *planner) shows(r row, f *core.Field) Cond {
	target := p.sel.Schema.Target(f)
	if target == nil {
		return never
	}
	shown := row{alias: "s", collection: p.arg(target, useWhole, target.ID), state: p.sel.State.Related(), served: r.served}
	return Exists{From: byGroup("s"), Where: and(p.visible(shown), Compare{Column{Alias: "s", Name: "group_id"}, "=", Column{Alias: "v", Name: "ref"}})}
}

// like asks the folded texts, through their index where it has them and rows are not looked
// at one by one anyway.
func (p *planner) like(r row, f *core.Field, pattern *core.Value) Cond {
	if searches(f, pattern) && !r.walks {
		return In{Of: r.id(), Set: p.texts(r, f, pattern)}
	}
	text := Column{Alias: "t", Name: "text"}
	return Exists{
		From: Table{Name: "entry_texts", Alias: "t"},
		Where: and(Compare{Column{Alias: "t", Name: "entry_id"}, "=", r.id()}, ofField("t", r, Number(f.ID)),
			Substring{text, p.arg(pattern, useWhole, pattern.Text)}),
		OneByOne: r.each,
	}
}

// searches reports whether the trigram index answers "like".
func searches(f *core.Field, pattern *core.Value) bool {
	return f.Searchable && f.SearchReady && Searchable(pattern.Text)
}

// texts returns the entries in r's locales that the trigram index finds a pattern in.
func (p *planner) texts(r row, f *core.Field, pattern *core.Value) TextSet {
	// Of a range, though it is one of a single field, Postgres expects few rows, and reads
	// them by their own index whatever it believes of the collection.
	id := p.arg(f, useWhole, int64(f.ID))
	return TextSet{
		Field: f, Collection: r.collection,
		Texts: and(ofField("t", r, Number(f.ID)), r.here("t")),
		Own: and(Compare{Column{Alias: "t", Name: "project_id"}, "=", projectArg}, Compare{Column{Alias: "t", Name: "collection_id"}, "=", r.collection},
			Truth{Column{Alias: "t", Name: "searchable"}}, Between{Column{Alias: "t", Name: "field_id"}, id, id}),
		Pattern: p.arg(pattern, useWhole, pattern.Text), Search: p.arg(pattern, useSearch, searchText(pattern.Text)),
	}
}

// searchText is a folded text that the engine's Syntax makes a pattern of.
type searchText string

// locale decides a test of the locale by itself: the Project has but a few.
func (p *planner) locale(r row, t test) Cond {
	var passing []Cond
	for n, locale := range p.sel.Schema.Project.Locales {
		if r.locales != nil && !slices.Contains(r.locales, n) {
			continue
		}
		if passesText(locale, t) {
			passing = append(passing, Compare{r.column("locale"), "=", Number(n)})
		} else if r.locales != nil && len(r.locales) == 1 {
			return never
		}
	}
	if len(r.locales) == 1 && len(passing) == 1 {
		return always
	}
	return or(passing...)
}

func passesText(text string, t test) bool {
	order := func(i int) int { return core.CompareValues(core.ValueText, core.Value{Text: text}, t.values[i]) }
	switch t.op {
	case core.OpIn:
		return slices.ContainsFunc(t.values, func(v core.Value) bool { return v.Text == text })
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
		return true // it has one
	}
}

// documentValue reads f from the document of the row e.
func (p *planner) documentValue(r row, f *core.Field) Expr {
	read := map[entryindex.Storage]string{
		entryindex.AsText: "document_text", entryindex.AsDouble: "document_number", entryindex.AsInteger: "document_time",
	}[entryindex.StorageOf(f)]
	return OfCollection{r.collection, Call{read, []Expr{r.document(), p.arg(f, useName, f.Name)}}}
}

// operand is an expression that a test is put to.
type operand struct {
	of     Expr
	stored entryindex.Storage
	// whole is the whole text where of is a text as a slot holds it, which may be cut. It is
	// set where a value may be like a cut text.
	whole Expr
	// holds calls a function of the document and the field that compares whole texts. It is
	// set where of is one of several texts.
	holds func(function string, args ...Expr) Cond
}

// cut reports whether of may be a part of its text.
func (x operand) cut() bool { return x.whole != nil || x.holds != nil }

// passes puts t to x.
func (p *planner) passes(x operand, t test) Cond {
	switch t.op {
	case core.OpNotNull:
		return NotNull{x.of}
	case core.OpIn:
		return p.equal(x, t.values)
	case core.OpBetween:
		return p.between(x, bound{&t.values[0], false}, bound{&t.values[1], false})
	case core.OpLess, core.OpLessEq:
		return p.between(x, bound{}, bound{&t.values[0], t.op == core.OpLess})
	default:
		return p.between(x, bound{&t.values[0], t.op == core.OpGreater}, bound{})
	}
}

// equal says that x is one of values. A text that reaches the cut is compared as a whole, too.
func (p *planner) equal(x operand, values []core.Value) Cond {
	if x.stored != entryindex.AsText || !x.cut() {
		return p.among(x.of, x.stored, values, anyText)
	}
	conditions := []Cond{p.among(x.of, entryindex.AsText, values, shortText)}
	for i := range values {
		v := &values[i]
		if shortText(v.Text) {
			continue
		}
		same, wanted := Cond(nil), p.arg(v, useWhole, v.Text)
		if x.holds != nil {
			same = x.holds("document_lists", wanted)
		} else {
			same = Compare{x.whole, "=", wanted}
		}
		conditions = append(conditions, and(Compare{x.of, "=", p.prefix(v)}, same))
	}
	return or(conditions...)
}

func (p *planner) prefix(v *core.Value) *Arg { return p.arg(v, useCut, core.SortPrefix(v.Text)) }

// bound is an end of a range; without a value there is none.
type bound struct {
	value  *core.Value
	strict bool // the value itself is outside
}

func (b bound) long() bool { return b.value != nil && !shortText(b.value.Text) }

// between says that x is between two bounds. Where a text that may be cut is as far as it goes
// like a long bound, the whole text decides.
func (p *planner) between(x operand, low, high bound) Cond {
	if x.stored != entryindex.AsText || !x.cut() || !low.long() && !high.long() {
		return and(p.compare(x, low, ">"), p.compare(x, high, "<"))
	}
	var within, ends []Cond
	for _, end := range []struct {
		bound
		sign string
	}{{low, ">"}, {high, "<"}} {
		if !end.long() {
			within = append(within, p.compare(x, end.bound, end.sign))
			continue
		}
		within = append(within, Compare{x.of, end.sign, p.prefix(end.value)})
		ends = append(ends, Compare{x.of, "=", p.prefix(end.value)})
	}
	whole := operand{of: x.whole, stored: entryindex.AsText}
	decided := Cond(nil)
	if x.holds != nil {
		decided = x.holds("document_between", p.end(low), boolean(low.strict), p.end(high), boolean(high.strict))
	} else {
		decided = and(p.compare(whole, low, ">"), p.compare(whole, high, "<"))
	}
	return or(and(within...), and(or(ends...), decided))
}

// end is the value of a bound as an argument of a function, which is null for none.
func (p *planner) end(b bound) Expr {
	if b.value == nil {
		return Null{}
	}
	return p.arg(b.value, useWhole, b.value.Text)
}

func anyText(string) bool { return true }

// shortText reports whether no other text has the same sort prefix.
func shortText(text string) bool { return len(text) < core.MaxSortPrefix }

func allShort(values []core.Value) bool {
	return !slices.ContainsFunc(values, func(v core.Value) bool { return !shortText(v.Text) })
}

// among says that x is one of those values that take passes and that its storage can hold.
func (p *planner) among(x Expr, s entryindex.Storage, values []core.Value, take func(text string) bool) Cond {
	key := argKey{&values[0], useWhole}
	list, ok := p.list[key]
	if !ok {
		list = &List{}
		for _, v := range values {
			if (s != entryindex.AsInteger || v.Num == math.Trunc(v.Num)) && take(v.Text) {
				list.Values = append(list.Values, entryindex.Argument(s, v))
			}
		}
		p.list[key] = list
	}
	if len(list.Values) == 0 {
		return never
	}
	return Among{x, list}
}

// compare says that x is on the side of b that sign, < or >, points to.
func (p *planner) compare(x operand, b bound, sign string) Cond {
	if b.value == nil {
		return always
	}
	rounded := roundedUp(b.value.Num, (sign == "<") == b.strict)
	if !b.strict {
		sign += "="
	}
	switch x.stored {
	case entryindex.AsText:
		return Compare{x.of, sign, p.arg(b.value, useWhole, b.value.Text)}
	case entryindex.AsInteger:
		return Compare{x.of, sign, p.arg(b.value, useRounded, rounded)}
	default:
		return Compare{x.of, sign, p.arg(b.value, useWhole, b.value.Num)}
	}
}

// roundedUp returns the whole number next to n, from n up or from n down: whole numbers stand
// to it as they do to n.
func roundedUp(n float64, up bool) int64 {
	const limit = 1 << 62 // beyond every id and time
	if up {
		n = math.Ceil(n)
	} else {
		n = math.Floor(n)
	}
	return int64(max(-limit, min(limit, n)))
}
