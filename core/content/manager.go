package content

import (
	"context"
	"encoding/json"

	"imprimatur/core"
	"imprimatur/ports"
)

// Manager reads content for the dashboard: drafts, trash and both versions.
type Manager struct {
	stores ports.Stores
	gate   ports.PublishGate
	reader *Reader
}

// NewManager returns a Manager over these parts.
func NewManager(stores ports.Stores, gate ports.PublishGate, reader *Reader) *Manager {
	return &Manager{stores: stores, gate: gate, reader: reader}
}

// ManagedPage is one window of managed entries.
type ManagedPage struct {
	Entries       []Managed
	Offset, Limit int64
	HasMore       bool
	Total         *int64 // nil unless asked for
}

// Versions are the two versions of an entry, shaped as Managed.Fields is.
type Versions struct {
	Draft     json.RawMessage `json:"draft"`
	Published json.RawMessage `json:"published"` // null: not published
}

// List lists the entries that q selects; q.Collection is ignored and an empty
// q.State is with_draft. Errors as Reader.Prepare's. With total it counts them too.
func (m *Manager) List(ctx context.Context, project *core.Project, collectionID int64, q core.Query, total bool) (*ManagedPage, error) {
	return nil, nil
}

// Entry returns an entry of the collection that is not in the trash, or
// core.ErrNotFound.
func (m *Manager) Entry(ctx context.Context, project *core.Project, collectionID, id int64) (*Managed, error) {
	return nil, nil
}

// Trash lists what is in the trash of the collection, newest in it first. offset
// and limit are as in a core.Query.
func (m *Manager) Trash(ctx context.Context, project *core.Project, collectionID int64, offset, limit *int64) (*ManagedPage, error) {
	return nil, nil
}

// Versions returns both versions of an entry that is not in the trash, or
// core.ErrNotFound.
func (m *Manager) Versions(ctx context.Context, project *core.Project, collectionID, id int64) (*Versions, error) {
	return nil, nil
}
