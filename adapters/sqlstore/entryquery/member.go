package entryquery

// translations returns the condition that r is a translation of the member of the selection, if it has one.
func (p *planner) translations(r row) Cond {
	if p.sel.Member == 0 || r.member {
		return always
	}
	return In{Of: r.id(), Set: p.memberSet()}
}

// memberSet returns the translations of the member of the selection. It is empty unless readers may see
// the member: the id of a draft finds nothing in published content.
func (p *planner) memberSet() MemberSet {
	id := p.arg("member", useWhole, p.sel.Member)
	member := p.visible(p.target("s", 0, p.sel.Schema.Collection))
	return MemberSet{EntryGroups{
		Join:  and(member, equals("s", "group_id", column("g", "group_id")), equals("s", "entry_id", column("g", "id"))),
		Where: and(inProject("g"), equals("g", "id", id)),
	}}
}

// fromMember plans the page for the member of the selection: it looks up the translations, which are few.
func (p *planner) fromMember() Window {
	return p.lookedUp(nil, p.ofMember)
}

// countMember counts the translations of the member of the selection in b.
func (p *planner) countMember(b branch) Count {
	b.row.member = true
	return p.countAmong(b, p.memberSet(), nil)
}

func (p *planner) ofMember(b *branch) Cond {
	b.row.member = true
	return In{Of: b.row.id(), Set: p.memberSet(), Small: true}
}
