package core

import (
	"encoding/json"
	"time"
)

// WrittenFields has the fields that a write names. Until they are checked it has only Raw and Drop; the transaction of
// the write checks what is not checked against the present definition.
type WrittenFields struct {
	// Raw is raw JSON by field name, null for a field to clear.
	Raw map[string]json.RawMessage
	// Drop has the keys of withheld items to remove, by field with items. Other withheld items stay when
	// Raw has a list for their field; null removes all.
	Drop map[string][]string
	// Version is the version of the collection's definition against which each field was checked alone; 0: not checked.
	Version int64
	// Values are the canonical values of Raw by field name, nil for a field to clear. A relation
	// is the id of any entry of its translation group, not yet the id of the group.
	Values map[string]json.RawMessage
	Faults []FieldError
	// Cleaned has what is in Raw and not in Values.
	Cleaned []Cleaned
}

// EntryWrite is a write of an entry, alone or in a batch. Absent members change nothing.
type EntryWrite struct {
	// Locale is a locale of the Project, case-insensitive. On create the default is the
	// Project's default locale. On update it must be the entry's locale.
	Locale *string
	// TranslationOf is the id of an entry of the same collection. The new entry joins its
	// translation group. On update it must be an entry of the same group.
	TranslationOf *int64
	// Published is the requested publication state. true publishes the draft. false withdraws
	// a pending request or schedule or, when nothing is pending, unpublishes the entry. nil
	// keeps the state. The fields that the write names, and slugs that it generates, then become
	// public too, and nothing else of the draft, if the entry is published, no workflow governs
	// the Project and no publication is scheduled.
	Published *bool
	// KeepPublished changes only the draft, even if no workflow governs the Project. It
	// requires that Published is nil.
	KeepPublished bool
	// PublishAt is the time of publication. It needs Published true.
	PublishAt *time.Time
	// UnpublishAt is the end of the publication, later than PublishAt and now. It needs
	// Published true. null removes the end. If absent, a future end stays: that of the scheduled
	// publication that this one replaces or, without one, the present end. It must then also be
	// later than PublishAt.
	UnpublishAt Optional[time.Time]
	// PublishedAt is what readers see as publishedAt, for content that was published elsewhere
	// before; zero: the time of the publication. It does not change the times of publications. It is
	// for admins of the Project (KindForbidden), where no workflow governs the Project, and for
	// a write that publishes the entry or changes a published one.
	PublishedAt time.Time
	// CreatedAt is when the entry was created, for content from elsewhere; zero: a new entry gets the
	// time of the write, another one keeps its own. It is for admins of the Project
	// (KindForbidden). Where a workflow governs the Project, it is not for a published entry.
	CreatedAt time.Time
	// Note describes the write, in at most 200 characters. It closes the revision that
	// the write belongs to.
	Note *string
	// Comment goes into the record of the request that the write opens or withdraws, if any. It has at
	// most 4,000 characters.
	Comment string
	Fields  WrittenFields
	// AllowIncomplete accepts a draft that does not meet the options required, min and pattern
	// of its fields. It has no effect on a version that becomes public without another check.
	AllowIncomplete bool

	// What follows is for batches.

	// Version is the published version if it differs from the draft, and nil otherwise. It needs
	// Published true, and becomes public instead of the draft. With a future PublishAt it is
	// public until the draft is published. With a past PublishAt the draft is published and
	// Version is not used. Where a workflow governs the Project, Version is submitted, without
	// PublishAt.
	Version *WrittenFields
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
