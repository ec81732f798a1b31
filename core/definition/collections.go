package definition

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/slug"
	"imprimatur/ports"
)

// Collections manages the definitions of collections. The caller has authorized the actor. Its
// methods report all faults of a definition as one core.ErrInvalid, by location: "slug",
// "fields[2].pattern", or just "pattern" for a single field. A missing collection or field is
// core.ErrNotFound. What the workflow of the Project names is core.KindForbidden for those who may not set it. Where a workflow governs the Project, a change that readers of published
// entries see requires acknowledged; otherwise it is core.KindConflict of code governed.
type Collections struct {
	tx          ports.Tx
	collections ports.CollectionStore
	components  ports.ComponentStore
	projects    ports.ProjectStore
	tenants     ports.TenantStore
	approval    ports.Approval
	clock       ports.Clock
	localeFills ports.LocaleFillStore
	deletions   ports.DeletionStore
	fills       fills
}

// NewCollections returns Collections with these dependencies.
func NewCollections(stores ports.Stores, tx ports.Tx, approval ports.Approval, clock ports.Clock) *Collections {
	return &Collections{
		collections: stores.Collections, components: stores.Components, projects: stores.Projects, tenants: stores.Tenants, localeFills: stores.LocaleFills, deletions: stores.Deletions,
		tx: tx, approval: approval, clock: clock,
	}
}

// FieldInput defines a field; core.Field documents the members. Label defaults to the name.
type FieldInput struct {
	Name           string
	Label          string
	Help           string
	Type           core.FieldType
	Required       bool
	Unique         bool
	Multiple       bool
	Hidden         bool
	Min            *float64
	Max            *float64
	Pattern        string
	PatternMessage string
	Choices        []string
	Source         string
	Style          slug.Style
	Path           bool
	Collection     string
	Collections    []string
	Component      string
	Components     []string
	Default        json.RawMessage
	Filterable     bool
	Indexed        *bool
	Searchable     bool
}

// CollectionInput defines a collection.
type CollectionInput struct {
	Slug        string
	Key         string // as core.Collection.Key; empty: Slug, if that is no other collection's key
	Name        string
	Description string
	Icon        core.Icon // empty: core.DefaultIcon
	PreviewURL  string    // as in core.Collection
	Singleton   bool      // as in core.Collection
	Fields      []FieldInput
}

// List returns the Project's collections, ordered by slug.
func (c *Collections) List(ctx context.Context, project *core.Project) ([]*core.Collection, error) {
	return c.collections.Collections(ctx, project.ID)
}

// Collection returns the Project's collection with that id, or core.ErrNotFound.
func (c *Collections) Collection(ctx context.Context, project *core.Project, id int64) (*core.Collection, error) {
	return c.collections.Collection(ctx, project.ID, id)
}

// Create adds a collection to the Project.
func (c *Collections) Create(ctx context.Context, actor core.Actor, project *core.Project, in CollectionInput) (*core.Collection, error) {
	var created *core.Collection
	err := c.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		current, err := stores.Projects.Project(ctx, project.ID)
		if err != nil {
			return err
		}
		others, err := stores.Collections.Collections(ctx, project.ID)
		if err != nil {
			return err
		}
		components, err := stores.Components.Components(ctx, project.ID)
		if err != nil {
			return err
		}
		if created, err = define(current, others, core.ComponentsBySlug(components), in); err != nil {
			return err
		}
		created.CreatedAt = c.clock.Now()
		created.UpdatedAt = created.CreatedAt
		if err := publishing.Rename(ctx, stores, actor, project, nil, created); err != nil {
			return err
		}
		return stores.Collections.Insert(ctx, created)
	})
	if err != nil {
		return nil, err
	}
	c.fills.add(created)
	return created, nil
}

// Change says who changes the definition of which collection. Acknowledged is for
// publishing.Redefine.
type Change struct {
	Actor        core.Actor
	Project      *core.Project
	CollectionID int64
	Acknowledged bool
}

// Update calls change with the present name, description, icon, preview URL and Singleton, and stores what differs. order
// has the names of all fields in their new order; nil: it stays. Update returns core.ErrConflict when a collection that
// becomes a singleton has several translation groups, the trash included.
func (c *Collections) Update(ctx context.Context, by Change, change func(*CollectionInput), order []string) (*core.Collection, error) {
	return c.change(ctx, by, func(ctx context.Context, stores ports.Stores, d *definition) error {
		in := d.input()
		change(&in)
		if err := d.set(ctx, stores.Entries, in); err != nil {
			return err
		}
		if in.PreviewURL != d.PreviewURL {
			d.preview(in.PreviewURL)
		}
		if order != nil {
			d.order(order)
		}
		return d.faults.Err()
	})
}

// Delete removes the collection with its entries and withdraws their open requests and schedules.
// It returns core.ErrConflict while a field of another collection points to it. It requires
// the acknowledgement while an entry of the collection is published, and the right of review.Workflow.MayHideAll.
func (c *Collections) Delete(ctx context.Context, by Change) error {
	return ports.Transact(ctx, c.tx.DoAlone, by.Actor, func(ctx context.Context, stores ports.Stores) error {
		schema, err := lockedSchema(ctx, stores, by.Project.ID, by.CollectionID)
		if err != nil {
			return err
		}
		for _, other := range schema.Collections {
			if other.ID != by.CollectionID && slices.Contains(other.Targets(), schema.Collection.Slug) {
				return core.Conflict("collection_in_use", "%s points to the collection", relationTo(other, schema.Collection.Slug))
			}
		}
		if err := notInComponents(ctx, stores, by.Project.ID, schema.Collection.Slug); err != nil {
			return err
		}
		if err := publishing.MayHideAll(ctx, stores, by.Actor, schema); err != nil {
			return err
		}
		if err := publishing.Redefine(ctx, stores, schema, core.Schema{Project: schema.Project}, by.Acknowledged); err != nil {
			return err
		}
		if err := stores.Collections.Delete(ctx, by.Project.ID, by.CollectionID); err != nil {
			return err
		}
		// After the deletion no transaction can submit an entry of the collection.
		if err := c.approval.Close(ctx, stores, by.Actor, schema.Project, by.CollectionID); err != nil {
			return err
		}
		return stores.Releases.RemoveCollection(ctx, by.Project.ID, by.CollectionID)
	})
}

// change runs do on one definition in a transaction, and stores the result if publishing.Redefine allows it.
func (c *Collections) change(
	ctx context.Context, by Change, do func(ctx context.Context, stores ports.Stores, d *definition) error,
) (*core.Collection, error) {
	var changed *core.Collection
	err := ports.Transact(ctx, c.tx.DoAlone, by.Actor, func(ctx context.Context, stores ports.Stores) error {
		schema, err := lockedSchema(ctx, stores, by.Project.ID, by.CollectionID)
		if err != nil {
			return err
		}
		components, err := stores.Components.Components(ctx, by.Project.ID)
		if err != nil {
			return err
		}
		changed = schema.Collection
		before := *changed
		before.Fields = slices.Clone(changed.Fields)
		searched := searchedTexts(changed)
		d := &definition{Collection: changed, project: schema.Project, others: schema.Collections, components: core.ComponentsBySlug(components)}
		if err := do(ctx, stores, d); err != nil {
			return err
		}
		changed.FormsReady = changed.FormsReady && !hidesItems(changed.Fields, before.Fields)
		d.searches(searched)
		if err := settleLeaves(ctx, stores, d); err != nil {
			return err
		}
		for _, f := range changed.Fields { // another field may be the title now
			f.SearchReady = f.SearchReady && changed.SearchIndexed(f)
		}
		if same, err := sameDefinition(&before, changed); err != nil || same {
			return err
		}
		if err := publishing.Rename(ctx, stores, by.Actor, schema.Project, &before, changed); err != nil {
			return err
		}
		if err := publishing.Redefine(ctx, stores, core.Schema{Project: schema.Project, Collection: &before}, schema, by.Acknowledged); err != nil {
			return err
		}
		changed.Version++
		changed.UpdatedAt = c.clock.Now()
		if err := stores.Collections.Update(ctx, changed); err != nil {
			return core.ChangedMeanwhile(err)
		}
		if err := claimUnique(ctx, stores.Entries, schema, before); err != nil {
			return err
		}
		if !showsOldMedia(changed, &before) {
			return nil
		}
		if changed.Structured() {
			if err := reindex(ctx, stores.Entries, schema); err != nil {
				return err
			}
		}
		return publishing.Seal(ctx, stores, schema.Project.ID)
	})
	if err != nil {
		return nil, err
	}
	c.fills.add(changed)
	return changed, nil
}

// sameDefinition reports whether two states of a collection or component are stored in the same way.
func sameDefinition[T core.Collection | core.Component](a, b *T) (bool, error) {
	before, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	after, err := json.Marshal(b)
	return bytes.Equal(before, after), err
}

// showsOldMedia reports whether published versions may show media again, because a removed field
// was added again, or items are admitted again.
func showsOldMedia(after, before *core.Collection) bool {
	return slices.ContainsFunc(after.Fields, func(f *core.Field) bool {
		old := before.Field(f.Name)
		back := f.ID < before.NextFieldID && old == nil
		return f.CanShowMedia() && (back || old != nil && !subset(old.Former, f.Former))
	})
}

// hidesItems reports whether fields have items that those of the next state do not show: their field was
// removed, or does not admit them any more. A back-fill then removes their references from the index.
func hidesItems(next, fields []*core.Field) bool {
	return slices.ContainsFunc(fields, func(old *core.Field) bool {
		at := slices.IndexFunc(next, func(f *core.Field) bool { return f.Name == old.Name })
		return old.Structured() && (at < 0 || !subset(next[at].Former, old.Former))
	})
}

// subset reports whether each of some is in all.
func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
}

// lockedSchema returns the collection with all others of its Project, which a change of the
// collection needs. It locks the Project, so that no other transaction changes a definition
// or writes an entry until this one ends.
func lockedSchema(ctx context.Context, stores ports.Stores, projectID, collectionID int64) (core.Schema, error) {
	if err := stores.Projects.Lock(ctx, projectID); err != nil {
		return core.Schema{}, err
	}
	project, err := stores.Projects.Project(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	collections, err := stores.Collections.Collections(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	schema := core.Schema{Project: project, Collections: collections}
	return schema.Of(schema.ByID(collectionID))
}

// empty reports whether no entry of the collection exists, the trash included.
func empty(ctx context.Context, entries ports.EntryFinder, d *definition) (bool, error) {
	some, err := entries.Walk(ctx, d.ProjectID, d.ID, 0, 1)
	return len(some) == 0, err
}

// groupPage is the number of entries that single reads at once.
const groupPage = 100

// single sets whether the collection is a singleton; nil leaves it unchanged.
func (d *definition) single(ctx context.Context, entries ports.EntryFinder, singleton bool) error {
	if singleton == d.Singleton {
		return nil
	}
	d.Singleton = singleton
	if !d.Singleton {
		return nil
	}
	var after, group int64
	for {
		page, err := entries.Walk(ctx, d.ProjectID, d.ID, after, groupPage)
		if err != nil {
			return err
		}
		for _, e := range page {
			if group != 0 && e.Group != group {
				return core.Conflict("singleton", "the collection has several entries, those in the trash included: it cannot hold a single one")
			}
			group, after = e.Group, e.ID
		}
		if len(page) < groupPage {
			return nil
		}
	}
}
