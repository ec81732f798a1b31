package content

import (
	"context"
	"encoding/json"

	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Collections manages the definitions of collections. The caller has authorized the actor. Its
// methods report all faults of a definition as one core.ErrInvalid, by location: "slug",
// "fields[2].pattern", or just "pattern" for a single field. A missing collection or field is
// core.ErrNotFound. Where a workflow governs the Project, a change that readers of published
// entries see requires acknowledged; otherwise it is core.KindConflict of code governed.
type Collections struct {
	tx          ports.Tx
	collections ports.CollectionStore
	projects    ports.ProjectStore
	tenants     ports.TenantStore
	gate        ports.PublishGate
	clock       ports.Clock
	fills       fills
}

// NewCollections returns Collections with these dependencies.
func NewCollections(stores ports.Stores, tx ports.Tx, gate ports.PublishGate, clock ports.Clock) *Collections {
	return &Collections{
		collections: stores.Collections, projects: stores.Projects, tenants: stores.Tenants, tx: tx, gate: gate, clock: clock,
	}
}

// FieldInput defines a field; core.Field documents the members. Label defaults to the name.
type FieldInput struct {
	Name       string          `json:"name"`
	Label      string          `json:"label,omitempty"`
	Type       core.FieldType  `json:"type"`
	Required   bool            `json:"required,omitempty"`
	Unique     bool            `json:"unique,omitempty"`
	Multiple   bool            `json:"multiple,omitempty"`
	Hidden     bool            `json:"hidden,omitempty"`
	Min        *float64        `json:"min,omitempty"`
	Max        *float64        `json:"max,omitempty"`
	Pattern    string          `json:"pattern,omitempty"`
	Choices    []string        `json:"choices,omitempty"`
	Source     string          `json:"source,omitempty"`
	Collection string          `json:"collection,omitempty"`
	Default    json.RawMessage `json:"default,omitempty"`
	Indexed    *bool           `json:"indexed,omitempty"`
	Searchable bool            `json:"searchable,omitempty"`
}

// CollectionInput defines a collection.
type CollectionInput struct {
	Slug        string       `json:"slug"`
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Fields      []FieldInput `json:"fields,omitempty"`
}

// CollectionChange changes the members of a collection that are not nil.
type CollectionChange struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
	// Order is the names of all fields in their new order.
	Order []string `json:"order,omitempty"`
}

// List returns the Project's collections, ordered by slug.
func (c *Collections) List(ctx context.Context, project *core.Project) ([]*core.Collection, error) {
	return c.collections.Collections(ctx, project.ID)
}

// Collection returns one of them, or core.ErrNotFound.
func (c *Collections) Collection(ctx context.Context, project *core.Project, id int64) (*core.Collection, error) {
	return c.collections.Collection(ctx, project.ID, id)
}

// change runs do on one definition in a transaction, and stores the result if the gate allows
// it; acknowledged is for ports.PublishGate.Redefine.
func (c *Collections) change(
	ctx context.Context, actor core.Actor, project *core.Project, id int64, acknowledged bool,
	do func(ctx context.Context, stores ports.Stores, d *definition) error,
) (*core.Collection, error) {
	var changed *core.Collection
	err := retry(ctx, func() error {
		return c.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
			schema, err := lockedSchema(ctx, stores.Collections, stores.Projects, project.ID, id)
			if err != nil {
				return err
			}
			changed = schema.Collection
			before := *changed
			before.Fields = slices.Clone(changed.Fields)
			if err := do(ctx, stores, &definition{Collection: changed, others: schema.Collections}); err != nil {
				return err
			}
			if err := c.gate.Redefine(ctx, stores, core.Schema{Project: schema.Project, Collection: &before}, schema, acknowledged); err != nil {
				return err
			}
			changed.Version++
			changed.UpdatedAt = c.clock.Now()
			if err := stores.Collections.Update(ctx, changed); err != nil {
				return core.ChangedMeanwhile(err)
			}
			return claimUnique(ctx, stores.Entries, schema, before)
		})
	})
	if err != nil {
		return nil, err
	}
	c.fills.add(changed)
	return changed, nil
}

// empty reports whether no entry of the collection exists, the trash included.
func empty(ctx context.Context, entryStore ports.EntryStore, d *definition) (bool, error) {
	if d.ID == 0 {
		return true, nil
	}
	entries, err := entryStore.Walk(ctx, d.ProjectID, d.ID, 0, 1)
	return len(entries) == 0, err
}
