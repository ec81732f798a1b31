package core

import "time"

// Entry is one piece of content in one locale, in both of its versions: the draft
// that editors change and the published one that readers see.
type Entry struct {
	ID           int64
	ProjectID    int64
	CollectionID int64
	Locale       string
	// Group is the translation group: the id of the entry that founded it. The
	// entries of a group belong to one collection and have a locale each.
	Group int64
	// Version counts the writes; it is the entry's ETag on management routes.
	Version int64

	Draft     Document
	Published Document // nil: the entry's state is Draft
	// PublishedAt is the start of the present uninterrupted publication.
	PublishedAt time.Time

	CreatedAt time.Time
	UpdatedAt time.Time // of the draft
	// ReleasedAt is the last change of the published version. Readers see it as updatedAt.
	ReleasedAt time.Time
	TrashedAt  time.Time // zero: not in the trash
	CreatedBy  int64     // user id, 0 for a token or a command
	UpdatedBy  int64
}

// HasUnpublishedChanges reports whether the draft has other content than the published
// version, as an entry of c.
func (e *Entry) HasUnpublishedChanges(c *Collection) bool {
	return e.Published != nil && !c.SameContent(e.Draft, e.Published)
}

// HasTwoDocuments reports whether the draft and the published version are different documents,
// values of removed fields included.
func (e *Entry) HasTwoDocuments() bool {
	return e.Published != nil && string(e.Draft) != string(e.Published)
}

// State selects the entries that a read sees, and the version of each.
type State uint8

// The states of a query.
const (
	StatePublished State = iota // entries with a published version: that version
	StateOnlyDraft              // entries without a published version: the draft
	StateWithDraft              // every entry: the draft
)

// States maps the API's names of states.
var States = map[string]State{
	"published": StatePublished, "only_draft": StateOnlyDraft, "with_draft": StateWithDraft,
}

// Related is the state in which the targets of relations are seen from state s.
func (s State) Related() State {
	if s == StateOnlyDraft {
		return StateWithDraft
	}
	return s
}

// Admits returns the version of e that state s sees, or nil. The trash is never seen.
func (s State) Admits(e *Entry) Document {
	switch {
	case !e.TrashedAt.IsZero():
		return nil
	case s == StatePublished:
		return e.Published
	case s == StateOnlyDraft && e.Published != nil:
		return nil
	default:
		return e.Draft
	}
}

// Row is one version of an entry as a read sees it.
type Row struct {
	ID           int64
	CollectionID int64
	Group        int64
	Locale       string
	Serves       uint64    // the locales that this row serves in its state
	PublishedAt  time.Time // zero: not published
	CreatedAt    time.Time
	UpdatedAt    time.Time // of this version
	Document     Document
}

// Row returns e as state s sees it, without Serves, which the store sets. s must admit e.
func (e *Entry) Row(s State) Row {
	r := Row{
		ID: e.ID, CollectionID: e.CollectionID, Group: e.Group, Locale: e.Locale,
		PublishedAt: e.PublishedAt, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, Document: e.Draft,
	}
	if s == StatePublished {
		r.UpdatedAt, r.Document = e.ReleasedAt, e.Published
	}
	return r
}

// ApprovalSummary is what an entry shows of its approval request.
type ApprovalSummary struct {
	ID            int64  `json:"id"`
	Status        string `json:"status"`
	ReleaseNumber string `json:"releaseNumber"`
}

// UniqueValue is a value of a unique field.
type UniqueValue struct {
	Field string // its name
	Value Value
}

// Holder is an entry that holds a unique value, in its draft or its published version.
type Holder struct {
	UniqueValue
	Locale string
	Entry  int64 // id
}

// Origin is the reference by which a translation group was imported: text of up to 200
// bytes that names the group wherever it is imported to.
type Origin struct {
	ProjectID    int64
	Reference    string
	CollectionID int64
	Group        int64
}
