package content

import (
	"context"
	"encoding/json"

	"imprimatur/core"
	"imprimatur/ports"
)

// Collections keeps the definitions of collections. Its methods report every fault
// of a definition at once as core.ErrInvalid, by location: "slug", "fields[2].pattern",
// or for a single field just "pattern".
type Collections struct {
	tx      ports.Tx
	stores  ports.Stores
	clock   ports.Clock
	changes ports.Changes
}

// NewCollections returns Collections over these parts.
func NewCollections(tx ports.Tx, stores ports.Stores, clock ports.Clock, changes ports.Changes) *Collections {
	return &Collections{tx: tx, stores: stores, clock: clock, changes: changes}
}

// FieldInput is a field as its author defines it; core.Field says what each member
// means. Label defaults to the name.
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

// CollectionInput is a collection as its author defines it.
type CollectionInput struct {
	Slug        string       `json:"slug"`
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Fields      []FieldInput `json:"fields,omitempty"`
}

// CollectionChange names what to change of a collection; nil leaves it.
type CollectionChange struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
	// Order is the names of all fields in their new order.
	Order []string `json:"order,omitempty"`
}

// List returns the Project's collections, ordered by slug.
func (c *Collections) List(ctx context.Context, project *core.Project) ([]*core.Collection, error) {
	return c.stores.Collections.Collections(ctx, project.ID)
}

// Collection returns one of them, or core.ErrNotFound.
func (c *Collections) Collection(ctx context.Context, project *core.Project, id int64) (*core.Collection, error) {
	return c.stores.Collections.Collection(ctx, project.ID, id)
}
