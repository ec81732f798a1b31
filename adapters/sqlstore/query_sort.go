package sqlstore

import (
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
)

// sortKey is one key of the order, as the branches know it.
type sortKey struct {
	field *core.Field
	desc  bool
	// expr is the key's expression in a branch.
	expr func(branch) string
	// constant says that it is the same throughout a branch.
	constant bool
	// splits says that rows without a value are read apart, by another index.
	splits bool
}

// sortKeys returns the keys that tell rows apart, the id last.
func (q *compiler) sortKeys() []sortKey {
	var keys []sortKey
	for _, key := range q.sel.Sort {
		k := sortKey{field: key.Field, desc: key.Desc}
		switch f := key.Field; {
		case f == core.SystemID:
			k.expr = func(b branch) string { return b.column("entry_id") }
			return append(keys, k) // what follows the id decides nothing
		case f == core.SystemLocale:
			k.constant = true
			k.expr = func(b branch) string { return strconv.Itoa(q.localeRank(b.locale)) }
		case f == core.SystemPublishedAt && q.sel.State == core.StateOnlyDraft:
			continue // nothing is published
		case f.System():
			k.splits = f == core.SystemPublishedAt && q.sel.State == core.StateWithDraft
			k.expr = func(b branch) string { return b.column(systemColumns[f]) }
		case f.Slot != "" && f.SlotReady:
			k.splits = true
			k.expr = func(b branch) string { return b.column(f.Slot) }
		default:
			k.expr = func(b branch) string { return q.documentKey(b.row, f) }
		}
		keys = append(keys, k)
	}
	return keys
}

// documentKey reads the key of a field without a slot from the entry's document.
func (q *compiler) documentKey(r row, f *core.Field) string {
	value := q.documentValue(r, f)
	if storedAs(f) == asText {
		value = "sort_prefix(" + value + ")"
	}
	return "(SELECT " + value + " FROM entries e WHERE e.project_id = " + projectArg + " AND e.id = " + r.column("entry_id") + ")"
}

// localeRank returns the place of the locale of that number in the order of tags.
func (q *compiler) localeRank(number int) int {
	locales := q.sel.Schema.Project.Locales
	sorted := slices.Sorted(slices.Values(locales))
	return slices.Index(sorted, locales[number])
}

// neverNull reports whether the selection's conditions leave no row without a value
// of f.
func (q *compiler) neverNull(f *core.Field) bool {
	return slices.ContainsFunc(q.sel.Where, func(c core.Clause) bool {
		return c.Relation == nil && c.Field == f && c.Op != core.OpNull && c.Op != core.OpNot && c.Op != core.OpNotIn
	})
}

// branchOrder is the order within a branch by keys, of which the first has a value
// in every row. It is written as the indexes have it.
func branchOrder(b branch, keys []sortKey) string {
	var order []string
	for i, key := range keys {
		if key.constant {
			continue
		}
		term := key.expr(b) + direction(key)
		if i > 0 || !key.splits && !key.field.System() {
			term += " NULLS LAST"
		}
		if key.field == core.SystemID {
			term = key.expr(b) + direction(key)
		}
		order = append(order, term)
	}
	return strings.Join(order, ", ")
}

// pageOrder is the order of the rows of all branches together.
func pageOrder(keys []sortKey) string {
	order := make([]string, len(keys))
	for i, key := range keys {
		order[i] = "k" + strconv.Itoa(i+1) + direction(key) + " NULLS LAST"
	}
	return strings.Join(order, ", ")
}

func direction(key sortKey) string {
	if key.desc {
		return " DESC"
	}
	return ""
}
