package core

import (
	"encoding/json"
	"time"
)

// CheckedFields has the fields of a write. Each field was checked alone against one version of
// the collection's definition.
type CheckedFields struct {
	// Raw is the checked input: raw JSON by field name, null for a field to clear.
	Raw map[string]json.RawMessage
	// Version is the version of the definition.
	Version int64
	// Values are the canonical values of Raw by field name, nil for a field to clear. A relation
	// is the id of any entry of its translation group, not yet the id of the group.
	Values map[string]json.RawMessage
	Faults []FieldError
	// Cleaned has what is in Raw and not in Values.
	Cleaned []Cleaned
	// Drop has the keys of withheld items to remove, by field.
	Drop map[string][]string
}

// EntryWrite is the write of one entry whose fields were checked, also in a batch. A nil member changes nothing. writing.Write
// documents the members that both types have. They are two types because Write has fields as JSON, which may not be stored
// before they are checked.
type EntryWrite struct {
	Locale        *string
	TranslationOf *int64
	Published     *bool
	PublishAt     *time.Time
	UnpublishAt   Optional[time.Time]
	Fields        CheckedFields
	// Version is the published version if it differs from the draft, and nil otherwise. It needs
	// Published true, and becomes public instead of the draft. With a future PublishAt it is
	// public until the draft is published. With a past PublishAt the draft is published and
	// Version is not used. Where a workflow governs the Project, Version is submitted, without
	// PublishAt.
	Version *CheckedFields
	// PublishedAt is what readers see as publishedAt if this write publishes the entry without
	// approval. It does not change the times of publications. zero: none.
	PublishedAt time.Time
	// CreatedAt is when the entry was created, for content from elsewhere. zero: a new entry gets the
	// time of the write, another one keeps its own.
	CreatedAt time.Time
	// AllowIncomplete is as in writing.Write.
	AllowIncomplete bool
	// Together selects translation groups that become public with this entry, as far as writes do it that come
	// after this one: its required relations may point to them. nil: none.
	Together func(group int64) bool
	// Hold keeps the published version unchanged, regardless of Published, PublishAt,
	// UnpublishAt and Version.
	Hold bool
	// Check finds the faults of the write and stores nothing.
	Check bool
	// ID is the id of a new entry that founds its group, from ports.EntryStore.NewIDs; 0: any
	// unused id.
	ID int64
}
