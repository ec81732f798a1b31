package core

import (
	"cmp"
	"time"
)

// Entry is one piece of content in one locale. It has two versions: the draft, which editors
// change, and the published version, which readers see.
type Entry struct {
	ID           int64
	ProjectID    int64
	CollectionID int64
	Locale       string
	// Group is the translation group: the id of its first entry. The entries of a group
	// belong to one collection and have different locales.
	Group int64
	// Version counts the writes. It is the ETag of the entry on management routes.
	Version int64

	Draft     Document
	Published Document // nil: the entry's state is Draft
	// PublishedHash is the content hash of the published version; see Collection.Snapshot.
	// Empty: not published.
	PublishedHash string
	// PublishedMedia is the sealed media that readers of the published version get instead of the
	// current words of the library (see SealedItem). nil: they see the library, because no
	// workflow governed the publication or the version names no media.
	PublishedMedia Document
	// Revision is the newest revision of the draft, an encoded RevisionRecord.
	Revision Document
	// PublishedAt is the time that readers see as publishedAt: since when the entry has been
	// published without interruption, or the time that an import or an admin gave instead.
	PublishedAt time.Time

	CreatedAt time.Time
	UpdatedAt time.Time // of the draft
	// ReleasedAt is the begin of the present publication. Readers see it as updatedAt.
	ReleasedAt time.Time
	TrashedAt  time.Time // zero: not in the trash
	CreatedBy  int64     // user id, 0 for a token or a command
	UpdatedBy  int64
	// Publishing describes the new publication of a write that changes the published version. Reads
	// return nil.
	Publishing *Publishing
	// Move says more about a write that begins or ends a publication. Stores do not keep it.
	Move Move
	// Reason says why the write unpublishes or trashes the entry, for its event. Stores do not keep it.
	Reason string
}

// Shows reports whether readers of e, an entry of c, see the content of doc. PublishedMedia, if
// any, must also equal the sealed media of doc; library has the current items of doc.
func (e *Entry) Shows(c *Collection, doc Document, library []MediaItem) bool {
	if e.Published == nil || !c.SameContent(doc, e.Published) {
		return false
	}
	return e.PublishedMedia == nil || c.sameWords(doc, e.PublishedMedia, c.Seal(doc, library))
}

// HasTwoDocuments reports whether the draft and the published version are different documents,
// values of removed fields included.
func (e *Entry) HasTwoDocuments() bool {
	return e.Published != nil && string(e.Draft) != string(e.Published)
}

// Trashed reports whether the entry is in the trash.
func (e *Entry) Trashed() bool { return !e.TrashedAt.IsZero() }

// InGroup reports whether e is of that translation group.
func (e *Entry) InGroup(group int64) bool { return e.Group == group }

// State selects the entries that a read returns, and their version.
type State uint8

// The states of a query.
const (
	StatePublished State = iota // entries with a published version: that version
	StateOnlyDraft              // entries without a published version: the draft
	StateWithDraft              // every entry: the draft
)

// States maps the names of the states in the APIs.
var States = map[string]State{
	"published": StatePublished, "only_draft": StateOnlyDraft, "with_draft": StateWithDraft,
}

// Related returns the state for the targets of relations in a read with state s.
func (s State) Related() State {
	if s == StateOnlyDraft {
		return StateWithDraft
	}
	return s
}

// Admits returns the version of e that a read with state s returns, or nil. Reads never return
// entries in the trash.
func (s State) Admits(e *Entry) Document {
	switch {
	case e.Trashed():
		return nil
	case s == StatePublished:
		return e.Published
	case s == StateOnlyDraft && e.Published != nil:
		return nil
	default:
		return e.Draft
	}
}

// Row is one version of an entry, as reads return it.
type Row struct {
	ID           int64
	CollectionID int64
	Group        int64
	Locale       string
	Serves       uint64    // set of locales that the row serves in its state; see Project.LocaleMask
	PublishedAt  time.Time // zero: not published
	CreatedAt    time.Time
	UpdatedAt    time.Time // of this version
	Document     Document
	Media        Document // Entry.PublishedMedia; nil in the states that show drafts
}

// PublicVersion is the published version of an entry. Serves of its Row is empty.
type PublicVersion struct {
	Row

	ContentHash string // Entry.PublishedHash
	Size        int    // of the document and the sealed media, in bytes
}

// PublicPlace is the position of a published entry among those of its Project: by collection, locale and id.
type PublicPlace struct {
	CollectionID int64
	Locale       int // index in Project.Locales
	ID           int64
}

// Compare returns -1, 0 or 1 as p precedes, equals or follows other.
func (p PublicPlace) Compare(other PublicPlace) int {
	return cmp.Or(cmp.Compare(p.CollectionID, other.CollectionID), cmp.Compare(p.Locale, other.Locale), cmp.Compare(p.ID, other.ID))
}

// Row returns the row of e in state s, without Serves, which the store sets. s must admit e.
func (e *Entry) Row(s State) Row {
	r := Row{
		ID: e.ID, CollectionID: e.CollectionID, Group: e.Group, Locale: e.Locale,
		PublishedAt: e.PublishedAt, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, Document: e.Draft,
	}
	if s == StatePublished {
		r.UpdatedAt, r.Document, r.Media = e.ReleasedAt, e.Published, e.PublishedMedia
	}
	return r
}

// Referrer is an entry that refers to a translation group.
type Referrer struct{ Group, EntryID int64 }

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

// Origin is the reference with which a translation group was imported. A reference is a text of
// up to 200 bytes that identifies the group in every import.
type Origin struct {
	ProjectID    int64
	Reference    string
	CollectionID int64
	Group        int64
}

// PublicSlug returns the value of f, the slug field of a collection, in the public version of e; empty
// if readers do not see e, or see no slug.
func (e *Entry) PublicSlug(f *Field) string {
	if e == nil || e.Published == nil || !e.TrashedAt.IsZero() {
		return ""
	}
	value, _ := DecodeValue(f.Type, e.Published.Value(f.Name))
	return value.Text
}
