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
	name  string // of its column among the selected ones
	desc  bool
	// expr is the key's expression in a branch.
	expr func(branch) string
	// constant says that it is the same throughout a branch.
	constant bool
	nullable bool
	// splits says that rows without a value are read apart, by another index.
	splits bool
}

// indexed reports whether an index orders by the key, and after it by the id.
func (k sortKey) indexed() bool {
	return k.splits || k.field == core.SystemCreatedAt || k.field == core.SystemUpdatedAt
}

// sortKeys returns the keys that tell rows apart, the id last.
func (q *compiler) sortKeys(branches []branch) []sortKey {
	var keys []sortKey
	for _, key := range q.sel.Sort {
		f := key.Field
		k := sortKey{field: f, name: "k" + strconv.Itoa(len(keys)+1), desc: key.Desc}
		switch {
		case f == core.SystemID:
			k.name = "entry_id"
			k.expr = func(b branch) string { return b.column("entry_id") }
			return append(keys, k) // what follows the id decides nothing
		case f == core.SystemLocale && len(branches) == 1:
			continue
		case f == core.SystemLocale:
			k.constant = true
			k.expr = func(b branch) string { return strconv.Itoa(q.localeRank(b.locale)) }
		case f == core.SystemPublishedAt && q.sel.State == core.StateOnlyDraft:
			continue // nothing is published
		case f.System():
			k.expr = func(b branch) string { return b.column(systemColumns[f]) }
			k.nullable = f == core.SystemPublishedAt
			k.splits = k.nullable
		case f.Slot != "" && f.SlotReady:
			k.expr = func(b branch) string { return b.column(f.Slot) }
			k.nullable, k.splits = true, true
		default:
			k.expr = func(b branch) string { return q.documentKey(b.row, f) }
			k.nullable = true
		}
		keys = append(keys, k)
	}
	return keys
}

// part is a stretch of the order that one index gives.
type part struct {
	where      func(row) string // the selection's conditions on a row
	conditions func(branch) string
	sort       []sortKey // what orders the rows within the part
	when       string    // when it is the whole order, where there are others that may be
}

// parts cuts the order where a leading key has no value: such rows come last, by
// the next key, and are read only when the rows before them do not fill the window.
func (q *compiler) parts(keys []sortKey) []part {
	head := keys[0]
	if !head.splits {
		return []part{{where: q.walked(head), conditions: func(branch) string { return always }, sort: keys}}
	}
	valued := slices.Clone(keys)
	valued[0].nullable = false
	parts := []part{{where: q.walked(head), conditions: func(b branch) string { return head.expr(b) + " IS NOT NULL" }, sort: valued}}
	if q.leading || q.neverNull(head.field) {
		return parts
	}
	for _, rest := range q.parts(keys[1:]) {
		parts = append(parts, part{
			where:      q.everything,
			conditions: func(b branch) string { return and(head.expr(b)+" IS NULL", rest.conditions(b)) },
			sort:       rest.sort,
		})
	}
	return parts
}

// branchOrder is the order of the part's rows in one branch, written as the indexes
// have it.
func (p part) branchOrder(b branch) string {
	return orderBy(p.sort, func(key sortKey) string {
		if key.constant {
			return ""
		}
		return key.expr(b)
	})
}

// order is the order of the part's rows of all branches.
func (p part) order() string { return pageOrder(p.sort) }

// pageOrder is the order by the keys of selected rows.
func pageOrder(keys []sortKey) string {
	return orderBy(keys, func(key sortKey) string { return key.name })
}

func orderBy(keys []sortKey, expr func(sortKey) string) string {
	var order []string
	for _, key := range keys {
		term := expr(key)
		if term == "" {
			continue
		}
		if key.desc {
			term += " DESC"
		}
		if key.nullable {
			term += " NULLS LAST"
		}
		order = append(order, term)
	}
	return strings.Join(order, ", ")
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

// neverNull reports whether the selection leaves no row without a value of f.
func (q *compiler) neverNull(f *core.Field) bool {
	if f == core.SystemPublishedAt && q.sel.State == core.StatePublished {
		return true
	}
	return slices.ContainsFunc(q.sel.Where, func(c core.Clause) bool {
		return c.Relation == nil && c.Field == f && c.Op != core.OpNull && c.Op != core.OpNot && c.Op != core.OpNotIn
	})
}
