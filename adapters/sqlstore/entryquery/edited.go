package entryquery

import (
	"imprimatur/core"
	"imprimatur/core/query"
)

// edited returns the condition that the editor of the selection, if it has one, made the last change
// of the entry of r. The index of editors answers it: the rows of entries have the documents, and a page
// may have to look up most of a collection.
func (p *planner) edited(r row) Cond {
	if p.sel.EditedBy == 0 || r.edited {
		return always
	}
	return Exists{
		From: Table{Name: "entries", Alias: "w", By: "entries_edited"},
		Where: And{
			inProject("w"), equals("w", "collection_id", collectionArg), Compare{column("w", "updated_by"), "<>", Number(0)},
			equals("w", "updated_by", p.editor()), equals("w", "id", r.id()),
		},
		OneByOne: r.lookup > anyLookup,
	}
}

// countEdited plans the number of rows of a selection of all entries outside the trash that the editor edited
// last, which each are a row in their locale. It returns nil for a selection with other conditions, and for a
// locale that others stand in for.
func (p *planner) countEdited(where []query.Predicate) Count {
	set := EditedSet{By: p.editor()}
	switch {
	case p.sel.State != core.StateWithDraft || p.sel.Status != "" || p.sel.Member != 0 || p.sel.Outdated != "" || p.sel.Search != nil || len(where)+len(p.sel.Or) > 0:
		return nil
	case p.sel.Locale == query.AllLocales:
	case len(p.sel.Schema.Project.FallbackChain(p.sel.Locale)) > 1:
		return nil
	default:
		set.Locale = p.arg("locale", useWhole, p.sel.Locale)
	}
	return CountSet{Set: set}
}

// editedSet returns the entries of the collection whose last change the editor of the selection made.
func (p *planner) editedSet() Set { return EditedSet{By: p.editor()} }

func (p *planner) editor() *Arg { return p.arg("editedBy", useWhole, p.sel.EditedBy) }

// fromEdited plans the page for the editor of the selection: from the entries that the editor edited
// last if they are few, else along the index that orders the page.
func (p *planner) fromEdited() Window {
	few := p.lookedUp(nil, func(b *branch) Cond {
		b.row.edited = true
		return In{Of: b.row.id(), Set: SampleSet{}, Small: true}
	})
	return Sample{Of: p.editedSet(), Most: maxEditedSample, All: few, Else: p.ordered(rowTextLookups)}
}
