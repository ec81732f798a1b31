package entryquery

import (
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// after returns the condition that the rows of a scan come after the position of the selection: a
// range of the index key, so that the scan starts at the position, and a filter for the rest of the
// comparison. The rows have no value of nullFields. among is set if the scan looks up a set of ids.
func (p *planner) after(scan *IndexScan, nullFields []*core.Field, among bool) (indexRange, filter Cond) {
	if p.sel.After == nil || slices.ContainsFunc(nullFields, func(f *core.Field) bool { return p.valueAt(f) != nil }) {
		return always, always // nulls come last
	}
	keys := scan.Keys
	for keys[0].Constant {
		if order := p.constantOrder(keys[0], scan.Rows.Locale); order != 0 {
			return Constant(order > 0), always
		}
		keys = keys[1:]
	}
	first, bound := keys[0], p.bound(keys[0])
	switch {
	case !among && first.Field == core.SystemID:
		return Compare{first.Of, first.beyond(), bound}, always
	case among || bound == nil || indexOf(first) != scan.Index:
		return always, p.later(keys, scan.Rows.Locale)
	case len(keys) == 2 && first.Desc == keys[1].Desc: // the order of the index
		return Compare{Pair{first.Of, keys[1].Of}, first.beyond(), Pair{bound, p.bound(keys[1])}}, always
	default:
		return Compare{first.Of, first.beyond() + "=", bound}, p.later(keys, scan.Rows.Locale)
	}
}

// later returns the condition that keys, which end with the id, come after the position in a row of
// the locale. The columns are computed: the engine must not choose an index for one of them.
func (p *planner) later(keys []Key, locale int) Cond {
	if p.sel.After == nil {
		return always
	}
	key := keys[0]
	if column, ok := key.Of.(Column); ok {
		column.Computed = true
		key.Of = column
	}
	bound := p.bound(key)
	if key.Field == core.SystemID {
		return Compare{key.Of, key.beyond(), bound}
	}
	rest := p.later(keys[1:], locale)
	if key.Constant {
		if order := p.constantOrder(key, locale); order != 0 {
			return Constant(order > 0)
		}
		return rest
	}
	switch {
	case bound == nil && key.Nullable:
		return unlessNever([]Cond{not(NotNull{key.Of}), rest})
	case bound == nil:
		return never
	}
	absent := Cond(never)
	if key.Nullable {
		absent = not(NotNull{key.Of})
	}
	return or(Compare{key.Of, key.beyond(), bound}, absent, unlessNever([]Cond{Compare{key.Of, "=", bound}, rest}))
}

// beyond returns the operator of a value that comes after another.
func (k Key) beyond() string {
	if k.Desc {
		return "<"
	}
	return ">"
}

// constantOrder compares the locale of a scan, its value of a constant key, with the position.
func (p *planner) constantOrder(key Key, locale int) int {
	bound := p.valueAt(key.Field)
	if bound == nil {
		return -1
	}
	order := words.Compare(p.sel.Schema.Project.Locales[locale], bound.Text)
	if key.Desc {
		return -order
	}
	return order
}

// valueAt returns the value of a sort field in the position, or nil.
func (p *planner) valueAt(f *core.Field) *core.Value {
	if p.sel.After == nil {
		return nil
	}
	at := slices.IndexFunc(p.sel.Sort, func(key query.SortKey) bool { return key.Field == f })
	return p.sel.After.Values[at]
}

// bound returns the position's value of a key as an argument, or nil.
func (p *planner) bound(key Key) Expr {
	if key.Field == core.SystemID {
		return p.arg(p.sel.After, useWhole, p.sel.After.ID)
	}
	value := p.valueAt(key.Field)
	if value == nil {
		return nil
	}
	return p.arg(value, useWhole, entryindex.Argument(entryindex.StorageOf(key.Field), *value))
}

// precedes reports whether all rows with a value of f, and without values of nullFields, come
// before the position.
func (p *planner) precedes(f *core.Field, nullFields []*core.Field) bool {
	hasValue := func(f *core.Field) bool { return f == core.SystemID || p.valueAt(f) != nil }
	return p.sel.After != nil && !hasValue(f) && !slices.ContainsFunc(nullFields, hasValue)
}
