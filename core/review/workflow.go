package review

import (
	"slices"

	"imprimatur/core"
)

// Unpublishing is who may take published entries that a workflow governs offline, ahead of the end that was approved
// with a publication.
type Unpublishing string

// The values.
const (
	UnpublishFree     Unpublishing = ""         // who may write the entry; in responses "free"
	UnpublishAdmins   Unpublishing = "admins"   // admins of the Project
	UnpublishReviewed Unpublishing = "reviewed" // a release whose review has approved it, and admins in an emergency
)

// MayHide returns an error unless a may take a published entry of the collection with that slug offline at once. w
// governs p; nil: none does. Every way to do so calls it. emergency reports that a gives a reason why it cannot wait:
// core.KindForbidden, also for tokens, unless a is an admin of p. Without one it is core.KindConflict with
// the code "unpublish_reviewed" where a review decides it.
func (w *Workflow) MayHide(a core.Actor, p *core.Project, collection string, emergency bool) error {
	admin := a.RoleInProject(p).Includes(core.RoleAdmin)
	switch {
	case emergency && !admin:
		return core.Forbidden("an emergency is only for admins of the project")
	case w == nil || !w.Governs(collection):
		return nil
	case w.Unpublishing == UnpublishAdmins && !admin:
		return core.Forbidden("the workflow of the project lets only admins of the project take published entries offline")
	case w.Unpublishing == UnpublishReviewed && !emergency:
		return core.Conflict("unpublish_reviewed", "the workflow of the project reviews what goes offline: submit a release that unpublishes the entry, or let an admin of the project give an emergency")
	default:
		return nil
	}
}

// MayHideIn is MayHide for a release that unpublishes entries of the collection, for the user that submits it.
func (w *Workflow) MayHideIn(a core.Actor, p *core.Project, collection string) error {
	if w == nil || w.Unpublishing != UnpublishAdmins { // its review decides
		return nil
	}
	return w.MayHide(a, p, collection, false)
}

// MayHideAll is MayHide for the deletion of a collection with published entries: where a review decides what goes
// offline, it takes a tenant admin.
func (w *Workflow) MayHideAll(a core.Actor, p *core.Project, collection string) error {
	if w != nil && w.Governs(collection) && w.Unpublishing == UnpublishReviewed && !a.RoleInProject(p).Includes(core.RoleTenantAdmin) {
		return core.Forbidden("the workflow of the project reviews what goes offline: only an admin of the tenant may delete a collection with published entries")
	}
	return nil
}

// Governs reports whether entries of the collection with that slug need an approved request to become public.
func (w *Workflow) Governs(collection string) bool { return !slices.Contains(w.Exempt, collection) }

// GovernsAny is Governs for the collections of the ids together. A collection that is none of those of the Project,
// because it was deleted, counts as governed.
func (w *Workflow) GovernsAny(collections []*core.Collection, ids []int64) bool {
	schema := core.Schema{Collections: collections}
	return slices.ContainsFunc(ids, func(id int64) bool {
		c := schema.ByID(id)
		return c == nil || w.Governs(c.Slug)
	})
}

// Renames returns what w names, a slug of a collection or the place of a field in one, that a definition begins to
// have, or has no longer, when it changes from before to after; empty: nothing. before is nil for a new collection.
func (w *Workflow) Renames(before, after *core.Collection) string {
	if before == nil || before.Slug != after.Slug {
		for _, c := range []*core.Collection{before, after} {
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
			if place != core.MediaMember && before.HasPlace(place) != after.HasPlace(place) {
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
