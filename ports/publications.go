package ports

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
)

// PublicationStore stores the publications of entries. Every EntryStore method that changes what
// readers see of an entry also adds and ends publications, according to
// Collection.PublicationChange. A publication that ends without a successor ends at the time of
// the database's clock, but not before it began. The publications of a destroyed entry or
// collection stay; they are deleted with the Project or by DeleteExpired.
type PublicationStore interface {
	PublicationReader
	PastReader
	FormerSlugs

	// AddFormerSlugs adds slugs that entries of the Project had before they were imported, as values of the field. They
	// count as older than all others. It leaves out those that their entry has already, those of missing entries, and
	// the last of those with which an entry would have more than query.MaxFormerSlugs. It returns how many it added.
	AddFormerSlugs(ctx context.Context, projectID int64, field *core.Field, slugs []query.EntrySlug) (int, error)
	// NamesMedia reports whether a publication of the Project names the media item.
	NamesMedia(ctx context.Context, projectID, mediaID int64) (bool, error)
	// DeleteExpired deletes up to limit publications that ended more than Project.PublicationDays
	// before now, and before the time ended. It keeps the publications of open requests and those that open releases name, and the
	// newest publication of each existing entry, so that no number is used twice. It returns how
	// many it deleted.
	DeleteExpired(ctx context.Context, now, ended time.Time, limit int) (int, error)
}

// PublicationReader reads publications by their keys.
type PublicationReader interface {
	// Publications returns a page of the publications of an entry of the collection, without
	// Content, newest first. It returns limit+1 publications when more follow the page.
	Publications(ctx context.Context, projectID, collectionID, entryID, offset, limit int64) ([]core.Publication, error)
	// PublicationCount returns how many publications the entry of the collection has.
	PublicationCount(ctx context.Context, projectID, collectionID, entryID int64) (int64, error)
	// Publication returns one publication, with Content.
	Publication(ctx context.Context, projectID, collectionID, entryID, number int64) (core.Publication, error)
	// Contents returns the publications with these keys that exist, with Content, in unspecified order. One SQL
	// statement.
	Contents(ctx context.Context, projectID int64, keys []core.PublicationKey) ([]core.Publication, error)
	// Current returns the publications that readers see of the entries now, by entry id: only their keys and
	// ContentHash. One SQL statement.
	Current(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.Publication, error)
	// Latest returns the newest publication of each of the entries, by entry id: only their keys, ContentHash and
	// times. One SQL statement.
	Latest(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.Publication, error)
	// Walk returns up to limit publications of the Project, with Content, ordered by entry and number,
	// after that number of that entry.
	Walk(ctx context.Context, projectID, entryID, number int64, limit int) ([]core.Publication, error)
}

// PastReader reads what readers saw.
type PastReader interface {
	// PublicAt returns the publication, with Content, that readers saw of the entry at that time,
	// or core.ErrNotFound. The entry may have been destroyed since.
	PublicAt(ctx context.Context, projectID, entryID int64, at time.Time) (core.Publication, error)
	// GroupsPublicAt returns the publications, with Content, that readers saw of the entries of the
	// translation groups at that time: at most one per entry, in unspecified order.
	GroupsPublicAt(ctx context.Context, projectID int64, groups []int64, at time.Time) ([]core.Publication, error)
}

// FormerSlugs reads the slugs that entries had. Whenever an EntryStore method replaces or ends the public version of an
// entry, it keeps the value of Collection.SlugField in it if the next version has another one, or none; of
// each entry the latest query.MaxFormerSlugs. They end with the entry.
type FormerSlugs interface {
	// FormerSlugs returns up to q.Limit former slugs of the collection, in the order of locale and slug, by code point. Of
	// the holders of a slug in a locale it returns the latest one that is public and whose public version has
	// another slug. It does not consider whether another entry has the slug now. One SQL statement.
	FormerSlugs(ctx context.Context, q query.FormerQuery) ([]query.FormerSlug, error)
}
