package reading

import (
	"slices"

	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/core/query"
)

// dependsOn returns the dependencies that a list of sel collects, with its collections; nil for one that
// shows drafts.
func (s *shape) dependsOn(sel *query.Selection) *cachetag.Dependencies {
	if s.depends == nil || sel.State != core.StatePublished {
		return nil
	}
	s.depends.List(sel.Schema.Collection.Slug)
	for _, clauses := range append(slices.Clone(sel.Or), sel.Where) {
		for i := range clauses {
			s.dependOnCondition(&clauses[i])
		}
	}
	return s.depends
}

// dependOnCondition adds what decides, besides the entry, whether an entry satisfies the condition: the
// collections to which its relation leads, those that a relation field has as targets, because the id of
// an entry equals nothing while the entry is not public, and media, because a deleted one is null.
func (s *shape) dependOnCondition(clause *query.Predicate) {
	fields := []*core.Field{clause.Field}
	for _, hop := range clause.Hops() {
		s.depends.List(hop.Target.Slug)
		fields = append(fields, hop.Field)
	}
	for _, f := range fields {
		switch f.Type {
		case core.TypeRelation:
			for _, slug := range f.TargetSlugs() {
				s.depends.List(slug)
			}
		case core.TypeMedia:
			s.dependOnMedia(clause.Values)
		}
	}
}

// dependOnMedia adds the media of a condition, or the library if it names none.
func (s *shape) dependOnMedia(ids []core.Value) {
	if len(ids) == 0 {
		s.depends.Library()
	}
	for i := range ids {
		s.depends.Medium(int64(ids[i].Num))
	}
}

// depend adds entries that the response answers, and the media in them that are not sealed.
func (p *encoder) depend(laid []rowLayout) {
	if p.view.depends == nil {
		return
	}
	for i := range laid {
		row := laid[i].row
		p.view.depends.Entry(row.ID, row.Group)
		if row.Media != nil || p.view.depends.Many() {
			continue
		}
		own := gather(laid[i : i+1])
		for _, id := range own.media {
			p.view.depends.Medium(id)
		}
	}
}

// dependOn adds the groups that entries name, and the collections of those that are found.
func (p *encoder) dependOn(refs *references, found *level) {
	if p.view.depends == nil {
		return
	}
	for _, id := range refs.groups {
		p.view.depends.Group(id)
	}
	for i := range found.rows {
		p.dependOf(found.rows[i].CollectionID)
	}
}

// dependOf adds the collection with that id to those that the response names.
func (p *encoder) dependOf(collectionID int64) {
	if c := p.schema.ByID(collectionID); c != nil {
		p.view.depends.Of(c.Slug)
	}
}

// dependOfTargets adds the collections to which a relation leads.
func (p *encoder) dependOfTargets(f *shownField) {
	if p.view.depends == nil {
		return
	}
	if f.Collection != "" {
		p.view.depends.Of(f.Collection)
	}
	for _, slug := range f.Collections {
		p.view.depends.Of(slug)
	}
}
