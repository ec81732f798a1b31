package entryquery

// outdated returns the condition that the entry of r needs a new translation into the locale of the selection, if
// it has one: that translation is missing, in the trash, or was changed before the entry. Two look-ups by key.
func (p *planner) outdated(r row) Cond {
	if p.sel.Outdated == "" {
		return always
	}
	locale := p.arg("outdated", useWhole, p.sel.Outdated)
	current := Exists{
		From: Table{Name: "entries", Alias: "t"},
		Where: And{
			inProject("t"), equals("t", "group_id", column("w", "group_id")), equals("t", "locale", locale),
			not(NotNull{Column{Alias: "t", Name: "trashed_at", Nullable: true}}), Compare{column("t", "updated_at"), ">=", column("w", "updated_at")},
		},
		OneByOne: true,
	}
	return Exists{
		From:     Table{Name: "entries", Alias: "w", By: PrimaryKey},
		Where:    And{inProject("w"), equals("w", "id", r.id()), Compare{column("w", "locale"), "<>", locale}, not(current)},
		OneByOne: r.lookup > anyLookup,
	}
}
