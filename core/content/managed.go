package content

import (
	"context"
	"encoding/json"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// The states of a Managed entry.
const (
	StateDraft     = "draft"
	StatePublished = "published"
)

// Managed is an entry as those who write it see it: the draft, whatever readers
// see. Its times are written as core.FormatTime does.
type Managed struct {
	ID                    int64      `json:"id"`
	CollectionID          int64      `json:"collectionId"`
	Locale                string     `json:"locale"`
	TranslationGroup      int64      `json:"translationGroup"`
	State                 string     `json:"state"` // StateDraft or StatePublished
	HasUnpublishedChanges bool       `json:"hasUnpublishedChanges"`
	Version               int64      `json:"version"` // the entry's ETag
	PublishedAt           *time.Time `json:"publishedAt"`
	CreatedAt             time.Time  `json:"createdAt"`
	UpdatedAt             time.Time  `json:"updatedAt"`
	TrashedAt             *time.Time `json:"trashedAt"`
	// Fields is the draft in the collection's order, null for what is absent and
	// without secret fields. A relation is the id of the entry that the holder's own
	// locale falls back to, draft or not, a medium its id.
	Fields   json.RawMessage       `json:"fields"`
	Approval *core.ApprovalSummary `json:"approval"`
}

// manage returns entries of schema's collection as Managed, in the same order.
func manage(ctx context.Context, stores ports.Stores, gate ports.PublishGate, schema core.Schema, entries []core.Entry) ([]Managed, error) {
	return nil, nil
}
