package entryquery

// edited returns the condition that the editor of the selection, if it has one, made the last change
// of the entry of r.
func (p *planner) edited(r row) Cond {
	if p.sel.EditedBy == 0 || r.edited {
		return always
	}
	return Exists{
		From:     Table{Name: "entries", Alias: "w", By: PrimaryKey},
		Where:    And{inProject("w"), equals("w", "id", r.id()), equals("w", "updated_by", p.editor())},
		OneByOne: r.lookup > anyLookup,
	}
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
