package core

import (
	"encoding/json"
	"time"
)

// CheckedFields are the fields of a write, each checked by itself by one version of
// its collection's definition.
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

// EntryWrite is what a batch writes of one entry. Absent members leave things as they
// are; content.Write says what each of them means.
type EntryWrite struct {
	Locale        *string
	TranslationOf *int64
	Published     *bool
	PublishAt     *time.Time
	Fields        CheckedFields
	// Version is the published version where that is not the draft, nil otherwise. It
	// goes with Published true: it is what becomes public, and the draft does not. With
	// a PublishAt to come it is public until the draft is; with one that has come, the
	// draft is published and Version is not used. Where a workflow governs the Project,
	// Version is what is submitted, without PublishAt.
	Version *CheckedFields
	// PublishedAt is since when an entry that becomes Published by this write, without
	// approval, has been so; zero is now.
	PublishedAt time.Time
	// Hold leaves the published version as it is, whatever Published, PublishAt and
	// Version say.
	Hold bool
	// Later names fields whose values come in another write, so that they may be
	// missing in this one though they are required.
	Later []string
}
