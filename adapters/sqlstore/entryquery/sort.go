package entryquery

import (
	"slices"
	"strconv"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// branch is what one shelf and locale contributes to a selection.
type branch struct {
	rows Rows
	row  row
}

// branches returns those of the selection, best locale first; none when the locale is not
// one of the Project's.
func (p *planner) branches() (branches []branch) {
	project := p.sel.Schema.Project
	served, one := p.served()
	locales := project.Locales
	if one {
		if served == 0 {
			return nil
		}
		locales = project.FallbackChain(p.sel.Locale)
	}
	for i, locale := range locales {
		n := project.LocaleNumber(locale)
		for _, view := range entryindex.Views(p.sel.State) {
			b := branch{
				rows: Rows{Shelf: view.Shelf, Locale: n, Mask: view.Mask},
				row:  row{alias: "i", collection: collectionArg, state: p.sel.State, locales: []int{n}, served: served},
			}
			switch {
			case !one:
				b.row.served = 1 << n
				if view.Partly {
					b.rows.Serving = anyLocale
				}
			case i > 0 || view.Partly: // otherwise a row serves its own locale
				b.rows.Serving = served
			}
			branches = append(branches, b)
		}
	}
	return branches
}

// served returns the locale that the selection is served in, as a mask: 0 when it is none of
// the Project's, and false when each row is served in its own.
func (p *planner) served() (mask uint64, one bool) {
	if p.sel.Locale == core.AllLocales {
		return 0, false
	}
	if n := p.sel.Schema.Project.LocaleNumber(p.sel.Locale); n >= 0 {
		mask = 1 << n
	}
	return mask, true
}

// keys returns the keys of b that tell rows apart, the id last.
func (p *planner) keys(b branch, oneLocale bool) []Key {
	var keys []Key
	for _, key := range p.sel.Sort {
		f := key.Field
		k := Key{Field: f, Name: "k" + strconv.Itoa(len(keys)+1), Desc: key.Desc}
		switch {
		case f == core.SystemID:
			k.Name, k.Of = "entry_id", b.row.id()
			return append(keys, k) // what follows the id decides nothing
		case f == core.SystemLocale && oneLocale:
			continue
		case f == core.SystemLocale:
			k.Constant, k.Of = true, Number(p.localeRank(b.rows.Locale))
		case f == core.SystemPublishedAt && p.sel.State == core.StateOnlyDraft:
			continue // nothing is published
		case f.System():
			k.Of, k.Nullable = b.row.column(systemColumn(f, p.sel.State)), f == core.SystemPublishedAt
		case entryindex.Slotted(f):
			k.Of, k.Nullable = b.row.column(f.Slot), true
		default:
			k.Of, k.Nullable = Document{ID: b.row.id(), Value: p.documentValue(b.row, f)}, true
		}
		keys = append(keys, k)
		if p.whole && cutInOrder(f) {
			slot, document := b.row.column(f.Slot), Document{ID: b.row.id(), Value: p.documentValue(b.row, f)}
			keys = append(keys, Key{Field: f, Name: "w" + strconv.Itoa(len(keys)), Desc: key.Desc, Of: LongText{slot, document}, Nullable: true})
		}
	}
	return keys
}

// cutInOrder reports whether the index that orders by f has its texts cut.
func cutInOrder(f *core.Field) bool {
	return entryindex.Slotted(f) && entryindex.StorageOf(f) == entryindex.AsText
}

// cutFrom is the length in bytes from which on a text in a slot may be cut.
const cutFrom = core.MaxSortPrefix

// localeRank returns the place of the locale of that number in the order of tags.
func (p *planner) localeRank(number int) int {
	locales := p.sel.Schema.Project.Locales
	return slices.Index(slices.Sorted(slices.Values(locales)), locales[number])
}

// indexOf returns the column of the index that orders by the key and after it by the id, or
// "" when none does.
func indexOf(k Key) string {
	if column, ok := k.Of.(Column); ok && !k.Constant {
		return column.Name
	}
	return ""
}

// neverNull reports whether the selection leaves no row without a value of f.
func (p *planner) neverNull(f *core.Field) bool {
	if f == core.SystemPublishedAt && p.sel.State == core.StatePublished {
		return true
	}
	return slices.ContainsFunc(p.sel.Where, func(c core.Clause) bool {
		return c.Relation == nil && c.Field == f && !core.Operators[c.Op].MatchesNull
	})
}
