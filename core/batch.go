package core

import (
	"encoding/json"
	"time"
)

// CheckedFields are the fields of a write, each checked alone against one version of the
// collection's definition.
type CheckedFields struct {
	// Raw is what was checked: raw JSON by field name, null for a field to clear.
	Raw map[string]json.RawMessage
	// Version is that of the definition.
	Version int64
	// Values are the canonical values of Raw by field name, nil for a field to clear. A
	// relation is still the id of any entry of its translation group.
	Values map[string]json.RawMessage
	Faults []FieldError
}

// EntryWrite is the write of one entry in a batch. Absent members change nothing. content.Write
// documents the members that both have.
type EntryWrite struct {
	Locale        *string
	TranslationOf *int64
	Published     *bool
	PublishAt     *time.Time
	Fields        CheckedFields
	// Version is the published version if it differs from the draft, and nil otherwise. It
	// needs Published true, and becomes public in place of the draft. With a future PublishAt
	// it is public until the draft is published. With a past one the draft is published and
	// Version is not used. Where a workflow governs the Project, Version is submitted,
	// without PublishAt.
	Version *CheckedFields
	// PublishedAt is the PublishedAt of an entry that this write publishes without approval;
	// zero: now.
	PublishedAt time.Time
	// AllowIncomplete is as in content.Write.
	AllowIncomplete bool
	// Hold keeps the published version unchanged, regardless of Published, PublishAt and
	// Version.
	Hold bool
	// Later names fields whose values another write sets later. They may be missing in this
	// write even if they are required.
	Later []string
}
