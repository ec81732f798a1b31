package core

import "slices"

// The lowest roles that may set the workflows that govern a Project: RoleSetsWorkflow or, in a Project without
// Department, RoleSetsUnattached.
const (
	RoleSetsWorkflow   = RoleTenantAdmin
	RoleSetsUnattached = RoleSuperAdmin
)

// MaySetWorkflow reports whether a may set the workflow that governs p.
func (a Actor) MaySetWorkflow(p *Project) bool {
	if p.DepartmentID == 0 {
		return a.RoleInProject(p).Includes(RoleSetsUnattached)
	}
	return a.RoleInProject(p).Includes(RoleSetsWorkflow)
}

// Governs reports whether entries of the collection with that slug need an approved request to become public.
func (w *Workflow) Governs(collection string) bool { return !slices.Contains(w.Exempt, collection) }

// GovernsAny is Governs for the collections of the ids together. A collection that is none of those of the Project,
// because it was deleted, counts as governed.
func (w *Workflow) GovernsAny(collections []*Collection, ids []int64) bool {
	schema := Schema{Collections: collections}
	return slices.ContainsFunc(ids, func(id int64) bool {
		c := schema.ByID(id)
		return c == nil || w.Governs(c.Slug)
	})
}

// Renames returns what w names, a slug of a collection or the place of a field in one, that a definition begins to
// have, or has no longer, when it changes from before to after; empty: nothing. before is nil for a new collection.
func (w *Workflow) Renames(before, after *Collection) string {
	if before == nil || before.Slug != after.Slug {
		for _, c := range []*Collection{before, after} {
			if c != nil && w.names(c.Slug) {
				return c.Slug
			}
		}
		return ""
	}
	for _, step := range w.Steps {
		if step.When == nil || !slices.Contains(step.When.Collections, after.Slug) {
			continue
		}
		for _, place := range step.When.Fields {
			if place != MediaMember && before.shows(place) != after.shows(place) {
				return after.Slug + "." + place
			}
		}
	}
	return ""
}

// names reports whether w names the slug of a collection.
func (w *Workflow) names(collection string) bool {
	return !w.Governs(collection) || slices.ContainsFunc(w.Steps, func(s Step) bool {
		return s.When != nil && slices.Contains(s.When.Collections, collection)
	})
}
