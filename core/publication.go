package core

import (
	"strconv"
	"time"

	"imprimatur/core/canonical"
)

// Publication is one version of an entry that readers saw. The publications of an entry outlive
// it; they are deleted with the Project, or at the end of Project.PublicationDays.
type Publication struct {
	ProjectID    int64
	CollectionID int64
	EntryID      int64
	Group        int64 // the translation group of the entry
	Number       int64 // from 1 in each entry, without gaps until the oldest are deleted
	// Content is the snapshot of the version, as Collection.Snapshot returns it; ContentHash is
	// its hex SHA-256. Lists leave Content out.
	Content     []byte
	ContentHash string
	// PublishedAt is the time at which this version became public: Entry.ReleasedAt.
	PublishedAt time.Time
	// UnpublishedAt is the time at which the version was replaced or unpublished; zero: readers
	// still see it.
	UnpublishedAt time.Time
	// Since is the value of Entry.PublishedAt while readers saw the version.
	Since     time.Time
	CreatedAt time.Time // of the entry
	By        ActorRef
	// RequestID is the approval request with the item whose snapshot this is; 0: none. review.ReleaseNumber
	// is its number.
	RequestID     int64
	ReleaseNumber string
	// Ended says what ended the version, unless another one followed it at once; its At is zero.
	Ended Move
}

// Move says more about a write that begins or ends a publication of an entry. The zero Move says nothing.
type Move struct {
	// At is the time of the beginning or the end. Zero: the store sets it.
	At time.Time
	// OnTime reports that the publication ends at its scheduled end.
	OnTime bool
	// ReleaseID is the release that publishes or unpublishes the entry, and RequestID its request; 0: none.
	ReleaseID, RequestID int64
}

// PublicationKey identifies a publication in a Project.
type PublicationKey struct{ EntryID, Number int64 }

// PublicAt reports whether readers saw the version at the time at.
func (p *Publication) PublicAt(at time.Time) bool {
	return !p.PublishedAt.After(at) && (p.UnpublishedAt.IsZero() || at.Before(p.UnpublishedAt))
}

// Locale returns the locale of the entry, from Content.
func (p *Publication) Locale() string {
	locale, _ := canonical.Unquote(Document(p.Content).Value("locale"))
	return locale
}

// MediaIDs returns the ids of the sealed media in Content.
func (p *Publication) MediaIDs() []int64 {
	var ids []int64
	Document(Document(p.Content).Value("media")).Each(func(name, _ []byte) {
		if id, err := strconv.ParseInt(string(name), 10, 64); err == nil {
			ids = append(ids, id)
		}
	})
	return ids
}

// Publishing describes a new publication in addition to its version: the actor that publishes it, the
// approval request, if any, and the snapshot. Writers set it on the entry together with the
// published version, and clear Entry.ReleasedAt, which the store sets.
type Publishing struct {
	By        ActorRef
	RequestID int64
	Content   []byte
}

// NextMoment returns the time of a write that begins or ends a publication: now, but later than
// last, the latest time of the publications of the entry (zero: none). Times have milliseconds.
func NextMoment(now, last time.Time) time.Time {
	if next := last.Add(time.Millisecond); !last.IsZero() && now.Before(next) {
		return next
	}
	return now
}

// Moves reports whether a write that replaces before by after may begin or end a publication, so
// that the store needs the time of the write. before is nil for a new entry; only its times are
// used.
func (e *Entry) Moves(before *Entry) bool {
	return e.Published != nil && e.ReleasedAt.IsZero() || before.IsPublic() && (e.Published == nil || !e.TrashedAt.IsZero())
}

// Date sets the times of the published version of e, which replaces before; nil: e is new. If e has
// no ReleasedAt, it gets the time at for a new publication, and otherwise the time of before. If e
// has no PublishedAt, it gets that of before or, if readers did not see before, the time at.
func (e *Entry) Date(before *Entry, at time.Time) {
	if e.Published == nil || !e.ReleasedAt.IsZero() {
		return
	}
	if e.ReleasedAt = at; e.Publishing == nil && before.IsPublic() {
		e.ReleasedAt = before.ReleasedAt
	}
	switch {
	case !e.PublishedAt.IsZero():
	case before.IsPublic():
		e.PublishedAt = before.PublishedAt
	default:
		e.PublishedAt = at
	}
}

// PublicationChange describes how a write of an entry changes its publications.
type PublicationChange struct {
	EntryID int64
	IsNew   bool         // the entry is new, so Begins is its first publication
	Ends    bool         // the current publication ends
	At      time.Time    // the time of the end; zero: now
	Begins  *Publication // the new publication, still without Number; nil: none
	Ended   Move         // Publication.Ended of the one that ends
}

// PublicationChange returns how a write at the time at that replaces before by after changes the
// publications of an entry of c. before is nil for a new entry; only its PublishedHash and times are
// used.
func (c *Collection) PublicationChange(before, after *Entry, at time.Time) PublicationChange {
	was, is := before.IsPublic(), after.IsPublic()
	if was && is && before.ReleasedAt.Equal(after.ReleasedAt) && before.PublishedHash == after.PublishedHash {
		return PublicationChange{}
	}
	change := PublicationChange{EntryID: after.ID, IsNew: before == nil, Ends: was, At: at}
	if is {
		change.Begins = c.publication(after)
		change.At = change.Begins.PublishedAt
	} else {
		change.Ended = after.Move
		change.Ended.At = time.Time{}
	}
	return change
}

// IsPublic reports whether readers see e, by its times. e may be nil.
func (e *Entry) IsPublic() bool { return e != nil && !e.PublishedAt.IsZero() && e.TrashedAt.IsZero() }

func (c *Collection) publication(e *Entry) *Publication {
	p := &Publication{
		ProjectID: e.ProjectID, CollectionID: e.CollectionID, EntryID: e.ID, Group: e.Group,
		ContentHash: e.PublishedHash, PublishedAt: e.ReleasedAt, Since: e.PublishedAt, CreatedAt: e.CreatedAt,
	}
	if e.Publishing != nil {
		p.By, p.RequestID, p.Content = e.Publishing.By, e.Publishing.RequestID, e.Publishing.Content
		return p
	}
	p.By = SystemActor.Ref()
	p.Content, p.ContentHash, _ = c.Snapshot(e.Locale, e.Published, e.PublishedMedia)
	return p
}
