package definition

import (
	"context"
	"errors"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// Slugs are the new slugs of collections and components by the former ones.
type Slugs struct{ Collections, Components map[string]string }

// Rename gives collections and components other slugs. It is for Collections of Within, and the caller has checked the
// slugs. Fields, releases and webhooks follow, and entries keep everything. A workflow that names a slug is not
// changed, unless it is that of the Project itself: it takes the right to set the workflow to give a collection such a
// slug, or another one in its place, and to rename a component in a place that it names.
func (c *Collections) Rename(ctx context.Context, actor core.Actor, project *core.Project, slugs Slugs) error {
	if len(slugs.Collections)+len(slugs.Components) == 0 {
		return nil
	}
	return c.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		w, err := c.Components().hold(ctx, stores, project.ID)
		if err != nil {
			return err
		}
		r := renaming{Collections: c, stores: stores, actor: actor, workspace: &w, slugs: slugs}
		return r.do(ctx)
	})
}

// renaming is a call of Collections.Rename.
type renaming struct {
	*Collections
	stores    ports.Stores
	actor     core.Actor
	workspace *workspace
	slugs     Slugs
}

// newOwnKey returns OwnKey of a definition that gets another slug.
func newOwnKey(key, slug string) string {
	if key == slug {
		return ""
	}
	return key
}

func (r *renaming) do(ctx context.Context) error {
	components := copies(r.workspace.components)
	var changed, moved []*core.Component
	var former []string // the slugs before of changed
	for _, c := range components {
		replaced, before := r.replace(c.Fields, c.Removed), c.Slug
		if slug := r.slugs.Components[c.Slug]; slug != "" {
			if place := r.workspace.holding(slug); place != "" && r.workspace.bySlug()[slug] == nil {
				return core.Invalid(core.FieldError{Location: "components", Value: slug, Message: slug + " was the slug of a component whose items entries can still have in " + place})
			}
			c.Slug, c.OwnKey = slug, newOwnKey(c.Key(), slug)
			moved = append(moved, c)
			replaced = true
		}
		if replaced {
			c.Version++
			c.UpdatedAt = r.clock.Now()
			changed, former = append(changed, c), append(former, before)
		}
	}
	bound := core.ComponentsBySlug(components)
	var collections, renamed []*core.Collection
	for _, before := range r.workspace.collections {
		next := *before
		next.Fields, next.Removed, next.Leaves = copiesOf(before.Fields), copiesOf(before.Removed), copiesOf(before.Leaves)
		replaced := r.replace(next.Fields, next.Removed, next.Leaves)
		if slug := r.slugs.Collections[before.Slug]; slug != "" {
			next.Slug, next.OwnKey = slug, newOwnKey(before.Key(), slug)
			renamed = append(renamed, &next)
			replaced = true
		}
		if !replaced && !slices.ContainsFunc(former, before.Holds) {
			continue
		}
		bound.Bind(&next)
		if err := r.accept(ctx, before, &next); err != nil {
			return err
		}
		if err := r.leaves(ctx, bound, &next); err != nil {
			return err
		}
		next.Version++
		next.UpdatedAt = r.clock.Now()
		collections = append(collections, &next)
	}
	if err := r.store(ctx, renamed, collections, moved, changed); err != nil {
		return err
	}
	if err := r.workflow(ctx); err != nil {
		return err
	}
	return r.webhooks(ctx)
}

// accept returns an error unless the actor may make the change, and records that its consequences were acknowledged.
func (r *renaming) accept(ctx context.Context, before, next *core.Collection) error {
	if err := publishing.Rename(ctx, r.stores, r.actor, r.workspace.project, before, next); err != nil {
		return err
	}
	var changes []core.FieldError
	if before.Slug != next.Slug {
		changes = append(changes, core.FieldError{Location: "slug", Value: next.Slug})
	}
	for slug := range r.slugs.Components {
		if before.ShowsType(slug) {
			changes = append(changes, core.FieldError{Location: "components." + slug + ".slug", Value: r.slugs.Components[slug]})
		}
	}
	return publishing.Acknowledge(ctx, r.stores, core.Schema{Project: r.workspace.project, Collection: before}, changes, true)
}

// leaves gives the leaves of a collection the names that its fields ask for. Those of types of items have other values
// then, so they are made again.
func (r *renaming) leaves(ctx context.Context, bound core.Components, next *core.Collection) error {
	if len(r.slugs.Components) == 0 || len(next.Leaves) == 0 {
		return nil
	}
	next.Leaves = slices.DeleteFunc(next.Leaves, func(f *core.Field) bool {
		field, typed := strings.CutSuffix(f.Name, "."+core.ItemType)
		of := next.Field(field)
		return typed && of != nil && slices.ContainsFunc(of.Components, func(slug string) bool {
			for _, renamed := range r.slugs.Components {
				if renamed == slug {
					return true
				}
			}
			return false
		})
	})
	for _, f := range next.Leaves {
		parts := strings.Split(f.Name, ".")
		if of := next.Field(parts[0]); len(parts) == 3 && of != nil && of.Type == core.TypeBlocks {
			if slug := r.slugs.Components[parts[1]]; slug != "" {
				f.Name = parts[0] + "." + slug + "." + parts[2]
			}
		}
	}
	bound.Bind(next)
	return settleLeaves(ctx, r.stores, &definition{Collection: next, project: r.workspace.project, others: r.workspace.collections, components: bound})
}

// store stores the definitions.
func (r *renaming) store(ctx context.Context, renamed, collections []*core.Collection, moved, components []*core.Component) error {
	if err := r.stores.Collections.Rename(ctx, r.workspace.project.ID, renamed); err != nil {
		return err
	}
	if err := r.stores.Components.Rename(ctx, r.workspace.project.ID, moved); err != nil {
		return err
	}
	for _, c := range collections {
		if err := r.stores.Collections.Update(ctx, c); err != nil {
			return core.ChangedMeanwhile(err)
		}
	}
	for _, c := range components {
		if err := r.stores.Components.Update(ctx, c); err != nil {
			return core.ChangedMeanwhile(err)
		}
	}
	return nil
}

// forgotten begins the name of a deleted component in fields whose values have its items. Its key follows.
const forgotten = "~"

// forget gives the fields that had items of a component that is deleted its key in place of a slug that it does not
// have in items, so that no other component of that slug counts as it.
func (c *Components) forget(ctx context.Context, stores ports.Stores, w *workspace, component *core.Component, actor core.Actor) error {
	if component.OwnKey == "" {
		return nil
	}
	r := renaming{Collections: c.of, stores: stores, actor: actor, workspace: w, slugs: Slugs{Components: map[string]string{component.Slug: forgotten + component.OwnKey}}}
	var collections []*core.Collection
	var components []*core.Component
	for _, collection := range w.collections {
		if r.replace(collection.Fields, collection.Removed) {
			collection.Version++
			collections = append(collections, collection)
		}
	}
	for _, other := range w.components {
		if r.replace(other.Fields, other.Removed) && other.ID != component.ID {
			other.Version++
			components = append(components, other)
		}
	}
	return r.store(ctx, nil, collections, nil, components)
}

// replace replaces the slugs in fields. It reports whether there was one.
func (r *renaming) replace(lists ...[]*core.Field) (replaced bool) {
	for _, f := range slices.Concat(lists...) {
		var names map[string]string
		switch {
		case f.Type == core.TypeRelation:
			names = r.slugs.Collections
		case f.Structured():
			names = r.slugs.Components
		default:
			continue
		}
		for _, one := range []*string{&f.Collection, &f.Component} {
			if slug := names[*one]; slug != "" {
				*one, replaced = slug, true
			}
		}
		for _, list := range []*[]string{&f.Collections, &f.Components, &f.Former} {
			next, found := renamedIn(names, *list)
			*list, replaced = next, replaced || found
		}
	}
	return replaced
}

func renamedIn(names map[string]string, slugs []string) (next []string, found bool) {
	next = slices.Clone(slugs)
	for i, old := range next {
		if slug := names[old]; slug != "" {
			next[i], found = slug, true
		}
	}
	return next, found
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
	exempt, some := renamedIn(r.slugs.Collections, w.Exempt)
	w.Exempt = exempt
	w.Steps = slices.Clone(w.Steps)
	for i, step := range w.Steps {
		if step.When == nil {
			continue
		}
		collections, found := renamedIn(r.slugs.Collections, step.When.Collections)
		when := *step.When
		when.Collections = collections
		w.Steps[i].When, some = &when, some || found
	}
	if !some {
		return nil
	}
	w.UpdatedAt = r.clock.Now()
	return r.stores.Workflows.Put(ctx, w)
}

// webhooks makes those for renamed collections follow.
func (r *renaming) webhooks(ctx context.Context) error {
	found, err := r.stores.Webhooks.Webhooks(ctx, r.workspace.project.ID)
	if err != nil {
		return err
	}
	for _, hook := range found {
		next, some := renamedIn(r.slugs.Collections, hook.Collections)
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
