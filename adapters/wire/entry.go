package wire

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/library"
	"imprimatur/core/reading"
	"imprimatur/core/review"
)

// Entry documents the entry of the content API, which package reading writes. The fields of the
// collection follow the system members, in the order of the collection.
type Entry struct {
	_           struct{} `additionalProperties:"true"`
	ID          int64    `json:"id" example:"42"`
	Locale      string   `json:"locale" doc:"The locale of this entry, which can be a fallback of the requested one." example:"en"`
	PublishedAt *string  `json:"publishedAt,omitempty" nullable:"true" format:"date-time" doc:"null means a draft. Left out if fields does not select it." example:"2026-01-02T15:04:05.000Z"`
	CreatedAt   string   `json:"createdAt,omitempty" format:"date-time" doc:"Only with timestamps=true, or if fields names it." example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string   `json:"updatedAt,omitempty" format:"date-time" doc:"Only with timestamps=true, or if fields names it." example:"2026-01-02T15:04:05.000Z"`
}

// EntryWrite is the body of a write of an entry: what the document says of a core.EntryWrite. It is a type of its own because core
// has no examples and limits of documents, and because a body has no fields that are checked and no options of an import.
type EntryWrite struct {
	Locale        *string                    `json:"locale,omitempty" doc:"One of the locales of the Project. Default in a new entry: the default locale." example:"en"`
	TranslationOf *int64                     `json:"translationOf,omitempty" doc:"The id of an entry of the same collection that this one translates." example:"41"`
	Published     *bool                      `json:"published,omitempty" example:"true"`
	KeepPublished bool                       `json:"keepPublished,omitempty" doc:"true changes only the draft: what readers see stays as it is. Excludes published." example:"false"`
	PublishAt     *time.Time                 `json:"publishAt,omitempty" doc:"With published true: the time of publication." example:"2026-01-02T15:04:05.000Z"`
	UnpublishAt   Optional[time.Time]        `json:"unpublishAt,omitzero" example:"2026-04-03T06:00:00.000Z"`
	PublishedAt   *time.Time                 `json:"publishedAt,omitempty" example:"2019-05-04T09:00:00.000Z"`
	CreatedAt     *time.Time                 `json:"createdAt,omitempty" example:"2019-05-04T08:30:00.000Z"`
	Note          *string                    `json:"note,omitempty" maxLength:"200" doc:"What the change is about. It closes the revision that the write belongs to." example:"Figures checked with the ministry"`
	Comment       string                     `json:"comment,omitempty" maxLength:"4000" example:"The figures are those of March."`
	Emergency     string                     `json:"emergency,omitempty" maxLength:"500" over:"-" example:"A court order."`
	Fields        map[string]json.RawMessage `json:"fields,omitempty" over:"-" doc:"Values by field name; null clears." example:"{\"title\":\"Hello\"}"`
	Drop          map[string][]string        `json:"drop,omitempty" over:"-" example:"{\"body\":[\"k3f9x2mq7abc\"]}"`
}

// Write returns the write that in describes. Emergency is no part of it.
func (in EntryWrite) Write() core.EntryWrite {
	w := core.EntryWrite{Fields: core.WrittenFields{Raw: in.Fields, Drop: in.Drop}}
	over(in, &w)
	return w
}

const aboutEnd = " of the publication, later than publishAt and now. null removes the end. Omitted keeps an end that is still to " +
	"come: that of the scheduled publication that this one replaces or, without one, the present end. If that of the " +
	"scheduled publication is not later than publishAt, the status is 422."

const aboutComment = "If a workflow governs the Project: a word to the reviewers, which the record of the request keeps with the action that opens or withdraws it. " +
	"It has no effect if no request is opened or withdrawn."

const aboutEmergency = "cannot wait for the review that the workflow of the Project asks for. Only for admins of the Project: the status is 403 for others and for tokens. " +
	"The event and the notice of the admins have it."

// TransformSchema implements huma.SchemaTransformer.
func (EntryWrite) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"published": "The requested publication state: true publishes the draft, false withdraws a pending request or schedule or, when nothing is pending, " +
			"unpublishes, omitted keeps the state. Then, in a published entry that no workflow governs and that has no scheduled publication, the " +
			"fields that the body names become public, with a slug that is derived from them, and nothing else of the draft.",
		"publishedAt": "What readers see as publishedAt, for content that was published elsewhere before. It does not change the times of publications. " +
			"Only for admins of the Project: the status is 403 for others and for tokens, and 422 if a workflow governs the Project.",
		"createdAt": "When the entry was created, for content from elsewhere; not in the future. Readers and lists see it at once. " +
			"Only for admins of the Project: the status is 403 for others and for tokens. If a workflow governs the Project and the entry is published, the status is 422.",
		"comment":   aboutComment,
		"drop":      "Keys of withheld items to remove, by field. Others stay when the field is written; null as its value removes all.",
		"emergency": "With published false, which unpublishes: why it " + aboutEmergency,
		"unpublishAt": "With published true: the end" + aboutEnd +
			" If a workflow governs the Project, a new end is part of the request, also for an entry whose content does not change.",
	})
}

// PublishInput is the requested period of publication of an entry.
type PublishInput struct {
	PublishAt   *time.Time          `json:"publishAt,omitempty" doc:"Omitted or in the past means immediately." example:"2026-01-02T15:04:05.000Z"`
	UnpublishAt Optional[time.Time] `json:"unpublishAt,omitzero" example:"2026-04-03T06:00:00.000Z"`
	Comment     string              `json:"comment,omitempty" maxLength:"4000" example:"The figures are those of March."`
}

// UnpublishInput is the body of unpublishing an entry.
type UnpublishInput struct {
	Reason    string `json:"reason,omitempty" maxLength:"500" doc:"Why readers no longer see the entry." example:"The figures were wrong."`
	Emergency string `json:"emergency,omitempty" maxLength:"500" example:"A court order."`
}

// TransformSchema implements huma.SchemaTransformer.
func (UnpublishInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"emergency": "Why it " + aboutEmergency + " It takes the place of reason."})
}

// TransformSchema implements huma.SchemaTransformer.
func (PublishInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"unpublishAt": "The end" + aboutEnd, "comment": aboutComment})
}

// ManagedEntry is an entry as the dashboard API shows it: the draft.
type ManagedEntry struct {
	ID                    int64                `json:"id" example:"42"`
	CollectionID          int64                `json:"collectionId" example:"1"`
	Locale                string               `json:"locale" example:"en"`
	TranslationGroup      int64                `json:"translationGroup" doc:"The same for all translations of an entry." example:"41"`
	State                 string               `json:"state" enum:"draft,published" example:"published"`
	HasUnpublishedChanges bool                 `json:"hasUnpublishedChanges" example:"false"`
	Status                entrystatus.Status   `json:"status" enum:"draft,published,changed,in_review,scheduled,sent_back,rejected,failed,trashed" example:"published"`
	Version               int64                `json:"version" doc:"Counts the changes of the entry." example:"7"`
	ETag                  string               `json:"etag,omitempty" example:"7-9f86d081884c" doc:"The ETag without quotes, while parts are withheld."`
	PublishedAt           *string              `json:"publishedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ScheduledPublishAt    *string              `json:"scheduledPublishAt" format:"date-time" doc:"The time of the scheduled publication: set directly without a workflow, or approved. null means none." example:"2026-03-03T06:00:00.000Z"`
	ScheduledPublishFault *string              `json:"scheduledPublishFault" doc:"The error of the last scheduled attempt. The publication is retried." example:"some values are not valid; fields.title is required"`
	ScheduledUnpublishAt  *string              `json:"scheduledUnpublishAt" format:"date-time" doc:"The time at which the entry is unpublished: set directly without a workflow, or approved. null means never." example:"2026-04-03T06:00:00.000Z"`
	CreatedAt             string               `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt             string               `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	TrashedAt             *string              `json:"trashedAt" format:"date-time" doc:"null means not in the trash." example:"2026-01-02T15:04:05.000Z"`
	Fields                Encoded[EntryFields] `json:"fields" doc:"The draft. Relations and media are ids. Without passwords; hidden fields only for editors."`
	Approval              *ApprovalNote        `json:"approval" doc:"The open or latest approval request, or null."`
	Release               *ReleaseNote         `json:"release" doc:"The submitted release that has the entry, or else the latest open one, or else the latest; null means none."`
	Withheld              []Withheld           `json:"withheld,omitempty" doc:"What the draft keeps in items that the definition does not admit now. Lists leave it out."`
	Faults                []DraftFault         `json:"faults,omitzero" example:"[]" doc:"What prevents the publication of the draft; empty if nothing does. Lists leave it out."`
	Derived               []string             `json:"derived,omitempty" nullable:"false" example:"[\"slug\"]" doc:"The slugs that are made from the present values of their sources. Left out if none, and in lists."`
	Dropped               []string             `json:"dropped,omitzero" nullable:"false" example:"[]" doc:"Only in the response to restoring a revision: the names of its fields that no longer exist."`
	Warnings              []StepWarning        `json:"warnings,omitempty" nullable:"false" doc:"After a write that opened an approval request: the steps that no user can approve now, with the reasons."`
	Cleaned               []Cleaned            `json:"cleaned,omitzero" nullable:"false" example:"[]" doc:"Only in the response to a write that removed or repaired markup of rich text: what it changed."`
}

// Cleaned is what a write removed from a value or repaired in it.
type Cleaned struct {
	Location string   `json:"location" doc:"The field, or one of its values." example:"fields.body"`
	Removed  []string `json:"removed" nullable:"false" doc:"Elements and attributes removed or repaired, with their numbers from two on; text: words moved out of a table." example:"[\"style (3)\",\"script\"]"`
}

// TransformSchema implements huma.SchemaTransformer.
func (ManagedEntry) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"hasUnpublishedChanges": "Whether the draft differs from the published version. If a workflow governs the Project, changed words of its media count.",
		"status": "How the entry stands. What is under way takes precedence: failed, a scheduled publication that failed and is tried " +
			"again; in_review; scheduled, also by an approved request; sent_back and rejected, by the latest request, while readers " +
			"do not see the draft. Otherwise changed (unpublished changes), draft or published.",
	})
}

// ManagedEntryOf returns m for a response.
func ManagedEntryOf(m reading.Managed) ManagedEntry {
	shown := ManagedEntry{
		ID: m.ID, CollectionID: m.CollectionID, Locale: m.Locale, TranslationGroup: m.TranslationGroup, State: m.State,
		HasUnpublishedChanges: m.HasUnpublishedChanges, Status: m.Status, Version: m.Version, PublishedAt: optionalTime(m.PublishedAt),
		ScheduledPublishAt: optionalTime(m.ScheduledPublishAt), ScheduledPublishFault: m.ScheduledPublishFault, ScheduledUnpublishAt: optionalTime(m.ScheduledUnpublishAt),
		CreatedAt: core.FormatTime(m.CreatedAt), UpdatedAt: core.FormatTime(m.UpdatedAt), TrashedAt: optionalTime(m.TrashedAt),
		Fields: Encoded[EntryFields](m.Fields), Approval: (*ApprovalNote)(m.Approval), Release: releaseNoteOf(m.Release), Derived: m.Derived, Dropped: m.Dropped,
	}
	if len(m.Cleaned) > 0 {
		shown.Cleaned = Each(m.Cleaned, func(c core.Cleaned) Cleaned { return Cleaned(c) })
	}
	shown.Withheld = WithheldOf(m.Withheld)
	if m.Tag.Withheld != "" {
		shown.ETag = m.Tag.String()
	}
	if len(m.Warnings) > 0 {
		shown.Warnings = Each(m.Warnings, StepWarningOf)
	}
	if m.Faults != nil {
		shown.Faults = Each(m.Faults, func(f reading.Fault) DraftFault { return DraftFault(f) })
	}
	return shown
}

func optionalTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return TimeOrNull(*t)
}

// ManagedPageOf returns p for a response.
func ManagedPageOf(p *reading.ManagedPage) Page[ManagedEntry] {
	return Page[ManagedEntry]{Each(p.Entries, ManagedEntryOf), PageMeta{Offset: p.Offset, Limit: p.Limit, HasMore: p.HasMore, Total: p.Total}}
}

// Withheld is an item of a component that its field does not admit now, or the value of a removed field of an
// item.
type Withheld struct {
	Path string `json:"path" doc:"The list of the item, or the value. An item in it is named by its key." example:"body"`
	Key  string `json:"key,omitempty" doc:"Of an item: its _key." example:"k3f9x2mq7abc"`
	Type string `json:"type,omitempty" doc:"Of an item of blocks: its _type." example:"hero"`
}

// WithheldOf returns parts for a response.
func WithheldOf(parts []core.Withheld) []Withheld {
	return Each(parts, func(w core.Withheld) Withheld { return Withheld{w.Path, w.Key, w.Type} })
}

// DraftFault is what prevents the publication of a draft, in one field.
type DraftFault struct {
	Message  string `json:"message" example:"is required"`
	Location string `json:"location" doc:"The field, as in the problem of a refused publication." example:"fields.summary"`
}

// ApprovalNote is the approval request of an entry.
type ApprovalNote struct {
	ID            int64                `json:"id"`
	Status        review.RequestStatus `json:"status"`
	ReleaseNumber string               `json:"releaseNumber"`
}

// Schema implements huma.SchemaProvider. The schema is an object or null.
func (ApprovalNote) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{
			Type: huma.TypeObject, Required: []string{"id", "status", "releaseNumber"},
			Properties: map[string]*huma.Schema{
				"id":            {Type: huma.TypeInteger, Format: "int64", Examples: []any{9}},
				"status":        {Type: huma.TypeString, Examples: []any{"pending"}},
				"releaseNumber": {Type: huma.TypeString, Examples: []any{"CR-2026-0001"}},
			},
		},
		{Type: "null"},
	}}
}

// Versions are both versions of an entry.
type Versions struct {
	Draft     Encoded[EntryFields]  `json:"draft" doc:"The version that editors change."`
	Published Encoded[FieldsOrNull] `json:"published" doc:"The version that readers see; null means not published."`
}

// VersionsOf returns v for a response.
func VersionsOf(v *reading.Versions) Versions {
	return Versions{Encoded[EntryFields](v.Draft), Encoded[FieldsOrNull](v.Published)}
}

// ContentUse is an entry with a version that refers to another entry.
type ContentUse struct {
	EntryID      int64   `json:"entryId" example:"42"`
	CollectionID int64   `json:"collectionId" example:"1"`
	Locale       string  `json:"locale" example:"en"`
	Title        *string `json:"title" doc:"The first 200 characters of its draft in the field that names entries. null means none." example:"Harbour to close for repairs"`
	Draft        bool    `json:"draft" doc:"Whether the draft refers to the entry." example:"true"`
	Published    bool    `json:"published" doc:"Whether the published version refers to the entry." example:"true"`
	Requested    bool    `json:"requested" doc:"Whether a pending or approved request would publish a version that refers to the entry." example:"false"`
	Trashed      bool    `json:"trashed" doc:"Whether the referring entry is in the trash." example:"false"`
	Required     bool    `json:"required" doc:"Whether the published version, or else the draft, lacks a required value without the entry." example:"false"`
}

// ContentUseOf returns u, a use of an entry.
func ContentUseOf(u library.Use) ContentUse {
	return ContentUse{u.EntryID, u.CollectionID, u.Locale, core.NullIfZero(u.Title), u.Draft, u.Published, u.Requested, u.Trashed, u.Required}
}
