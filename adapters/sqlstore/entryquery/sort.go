package entryquery

import (
	"slices"
	"strconv"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// branch is one shelf and one locale of a selection.
type branch struct {
	rows Rows
	row  row
}

// selected returns the branches of the selection, in the order of the fallback chain. It
// returns none if the Project does not have the locale, and omits shelves whose entries cannot
// have the status.
func (p *planner) selected() (branches []branch) {
	project := p.sel.Schema.Project
	served, one := p.servedLocale()
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
				row:  row{alias: "i", collection: collectionArg, state: p.sel.State, locales: []int{n}, served: served, shelf: view.Shelf},
			}
			if p.status(b.row) == Cond(never) {
				continue
			}
			switch {
			case !one:
				b.row.served = p.maskOf(n)
				if view.Partly {
					b.rows.Serving = anyLocale
				}
			case i > 0 || view.Partly: // all other rows serve their own locale
				b.rows.Serving = served
			}
			branches = append(branches, b)
		}
	}
	if p.searches()*len(branches) > maxSearches {
		for i := range branches {
			branches[i].row.lookup = rowTextLookups
		}
	}
	return branches
}

// maxSearches bounds the searches of the trigram index in one statement. A search takes
// milliseconds even if it finds nothing: 50 words in each of 60 locales took half a minute.
const maxSearches = 100

// searches returns the number of clauses that the trigram index can answer.
func (p *planner) searches() int {
	n := searchesOf(p.sel.Where)
	for _, group := range p.sel.Or {
		n += searchesOf(group)
	}
	return n
}

func searchesOf(clauses []query.Predicate) (n int) {
	for i := range clauses {
		if c := &clauses[i]; c.Op == query.OpLike && usesTrigramIndex(c.Field, &c.Values[0]) {
			n++
		}
	}
	return n
}

// servedLocale returns the requested locale as a mask, 0 if the Project does not have it. If
// the selection has all locales, it returns false.
func (p *planner) servedLocale() (mask uint64, one bool) {
	if p.sel.Locale == query.AllLocales {
		return 0, false
	}
	return p.sel.Schema.Project.LocaleMask(p.sel.Locale), true
}

// maskOf returns the mask of the locale with that number.
func (p *planner) maskOf(number int) uint64 {
	project := p.sel.Schema.Project
	return project.LocaleMask(project.Locales[number])
}

// oneLocale reports whether all rows have the same locale.
func (p *planner) oneLocale() bool {
	return p.branches[0].rows.Locale == p.branches[len(p.branches)-1].rows.Locale
}

// keys returns the sort keys of b up to the id, without keys that are equal in all rows.
func (p *planner) keys(b branch) []Key {
	var keys []Key
	for _, key := range p.sel.Sort {
		f := key.Field
		k := Key{Field: f, Name: "k" + strconv.Itoa(len(keys)+1), Desc: key.Desc}
		switch {
		case f == core.SystemID:
			k.Name, k.Of = "entry_id", b.row.id()
			return append(keys, k) // the id is unique: later keys have no effect
		case f == core.SystemLocale && p.oneLocale():
			continue
		case f == core.SystemLocale:
			k.Constant, k.Of = true, Number(p.localeRank(b.rows.Locale))
		case f == core.SystemPublishedAt && p.sel.State == core.StateOnlyDraft:
			continue // drafts have no publication time
		case f.System():
			k.Of, k.Nullable = b.row.column(systemColumn(f, p.sel.State)), f == core.SystemPublishedAt
		case entryindex.Slotted(f):
			k.Of, k.Nullable = b.row.column(f.Slot), true
		default:
			k.Of, k.Nullable = p.unslotted(b.row, f), true
		}
		keys = append(keys, k)
	}
	return keys
}

// localeRank returns the rank of the locale with the number in the order of texts.
func (p *planner) localeRank(number int) int {
	locales := p.sel.Schema.Project.Locales
	return slices.Index(slices.SortedFunc(slices.Values(locales), words.Compare), locales[number])
}

// indexOf returns the column of the index that orders by the key and then by the id, or "" if
// no index does.
func indexOf(k Key) string {
	if column, ok := k.Of.(Column); ok && !k.Constant {
		return column.Name
	}
	return ""
}

// neverNull reports whether all rows of the selection have a value of f.
func (p *planner) neverNull(f *core.Field) bool {
	if f == core.SystemPublishedAt && p.sel.State == core.StatePublished {
		return true
	}
	return slices.ContainsFunc(p.sel.Where, func(c query.Predicate) bool {
		return c.Relation == nil && c.Field == f && !c.Op.MatchesNull()
	})
}
