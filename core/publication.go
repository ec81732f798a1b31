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
	// RequestID is the approval request whose snapshot this is; 0: none. ReleaseNumber is its
	// number.
	RequestID     int64
	ReleaseNumber string
}

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

// Issue has the data that a publication records in addition to the version: the actor that
// published it, the approval request, if any, and the snapshot. Writers set it on the entry
// together with the published version.
type Issue struct {
	By        ActorRef
	RequestID int64
	Content   []byte
}

// PublicationChange describes how a write of an entry changes its publications.
type PublicationChange struct {
	EntryID int64
	IsNew   bool         // the entry is new, so Begins is its first publication
	Ends    bool         // the current publication ends
	Begins  *Publication // the new publication, still without Number; nil: none
}

// PublicationChange returns how a write that replaces before by after changes the publications of
// an entry of c. before is nil for a new entry; only its PublishedHash and times are used.
func (c *Collection) PublicationChange(before, after *Entry) PublicationChange {
	was, is := before != nil && before.isPublic(), after.isPublic()
	if was && is && before.ReleasedAt.Equal(after.ReleasedAt) && before.PublishedHash == after.PublishedHash {
		return PublicationChange{}
	}
	change := PublicationChange{EntryID: after.ID, IsNew: before == nil, Ends: was}
	if is {
		change.Begins = c.publication(after)
	}
	return change
}

// isPublic reports whether readers see e. It uses only times.
func (e *Entry) isPublic() bool { return !e.PublishedAt.IsZero() && e.TrashedAt.IsZero() }

func (c *Collection) publication(e *Entry) *Publication {
	p := &Publication{
		ProjectID: e.ProjectID, CollectionID: e.CollectionID, EntryID: e.ID, Group: e.Group,
		ContentHash: e.PublishedHash, PublishedAt: e.ReleasedAt, Since: e.PublishedAt, CreatedAt: e.CreatedAt,
	}
	if e.Issue != nil {
		p.By, p.RequestID, p.Content = e.Issue.By, e.Issue.RequestID, e.Issue.Content
		return p
	}
	p.By = SystemActor.Ref()
	p.Content, p.ContentHash, _ = c.Snapshot(e.Locale, e.Published, e.PublishedMedia)
	return p
}
