package definition

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// Rename gives collections other slugs, by their ids. It is for Collections of Within, and the caller has checked the
// slugs. Relations, releases and webhooks follow, and entries keep everything. A workflow that names a slug is not
// changed, unless it is that of the Project itself: it takes the right to set the workflow to give a collection such a slug,
// or another one in its place.
func (c *Collections) Rename(ctx context.Context, actor core.Actor, project *core.Project, slugs map[int64]string) error {
	return c.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		w, err := c.Components().hold(ctx, stores, project.ID)
		if err != nil {
			return err
		}
		r := renaming{Collections: c, stores: stores, actor: actor, workspace: &w, names: map[string]string{}}
		for _, collection := range w.collections {
			if slug := slugs[collection.ID]; slug != "" && slug != collection.Slug {
				r.names[collection.Slug] = slug
			}
		}
		if len(r.names) == 0 {
			return nil
		}
		return r.do(ctx)
	})
}

// renaming is a call of Collections.Rename.
type renaming struct {
	*Collections
	stores    ports.Stores
	actor     core.Actor
	workspace *workspace
	names     map[string]string // new slugs by the former ones
}

func (r *renaming) do(ctx context.Context) error {
	components := copies(r.workspace.components)
	var changed []*core.Component
	for i, c := range components {
		if r.replace(c.Fields, c.Removed) {
			c.Version++
			c.UpdatedAt = r.clock.Now()
			changed = append(changed, components[i])
		}
	}
	bound := core.ComponentsBySlug(components)
	var collections, renamed []*core.Collection
	for _, before := range r.workspace.collections {
		next := *before
		next.Fields, next.Removed, next.Leaves = copiesOf(before.Fields), copiesOf(before.Removed), copiesOf(before.Leaves)
		moved := r.replace(next.Fields, next.Removed, next.Leaves)
		bound.Bind(&next)
		if slug := r.names[before.Slug]; slug != "" {
			next.Slug, next.OwnKey = slug, before.Key()
			if next.OwnKey == slug {
				next.OwnKey = ""
			}
			renamed = append(renamed, &next)
			moved = true
			was := next
			was.Slug = before.Slug
			schema := core.Schema{Project: r.workspace.project, Collection: &next, Collections: r.workspace.collections}
			if err := publishing.Redefine(ctx, r.stores, core.Schema{Project: r.workspace.project, Collection: &was}, schema, true); err != nil {
				return err
			}
		}
		if !moved && !slices.ContainsFunc(changed, func(c *core.Component) bool { return before.Holds(c.Slug) }) {
			continue
		}
		if err := publishing.Rename(ctx, r.stores, r.actor, r.workspace.project, before, &next); err != nil {
			return err
		}
		next.Version++
		next.UpdatedAt = r.clock.Now()
		collections = append(collections, &next)
	}
	if err := r.stores.Collections.Rename(ctx, r.workspace.project.ID, renamed); err != nil {
		return err
	}
	for _, c := range collections {
		if err := r.stores.Collections.Update(ctx, c); err != nil {
			return core.ChangedMeanwhile(err)
		}
	}
	for _, c := range changed {
		if err := r.stores.Components.Update(ctx, c); err != nil {
			return core.ChangedMeanwhile(err)
		}
	}
	if err := r.workflow(ctx); err != nil {
		return err
	}
	return r.webhooks(ctx)
}

// workflow makes the workflow of the Project itself follow.
func (r *renaming) workflow(ctx context.Context) error {
	w, err := r.stores.Workflows.ProjectWorkflow(ctx, r.workspace.project.ID)
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	some := false
	w.Exempt, some = r.replaced(w.Exempt)
	w.Steps = slices.Clone(w.Steps)
	for i, step := range w.Steps {
		if step.When == nil {
			continue
		}
		when, found := *step.When, false
		when.Collections, found = r.replaced(when.Collections)
		w.Steps[i].When, some = &when, some || found
	}
	if !some {
		return nil
	}
	w.UpdatedAt = r.clock.Now()
	return r.stores.Workflows.Put(ctx, w)
}

// replace replaces the slugs of collections in relations. It reports whether there was one.
func (r *renaming) replace(lists ...[]*core.Field) (replaced bool) {
	for _, f := range slices.Concat(lists...) {
		if f.Type != core.TypeRelation {
			continue
		}
		if slug := r.names[f.Collection]; slug != "" {
			f.Collection, replaced = slug, true
		}
		for _, list := range []*[]string{&f.Collections, &f.Former} {
			next, found := r.replaced(*list)
			*list, replaced = next, replaced || found
		}
	}
	return replaced
}

func (r *renaming) replaced(slugs []string) (next []string, found bool) {
	next = slices.Clone(slugs)
	for i, old := range next {
		if slug := r.names[old]; slug != "" {
			next[i], found = slug, true
		}
	}
	return next, found
}

// webhooks makes those for renamed collections follow.
func (r *renaming) webhooks(ctx context.Context) error {
	found, err := r.stores.Webhooks.Webhooks(ctx, r.workspace.project.ID)
	if err != nil {
		return err
	}
	for _, hook := range found {
		next, some := r.replaced(hook.Collections)
		if !some {
			continue
		}
		if err := r.stores.Webhooks.Lock(ctx, hook.ProjectID, hook.ID); err != nil {
			return err
		}
		if hook, err = r.stores.Webhooks.Webhook(ctx, hook.ProjectID, hook.ID); err != nil {
			return err
		}
		hook.Collections = next
		if err := r.stores.Webhooks.Update(ctx, hook); err != nil {
			return err
		}
	}
	return nil
}
