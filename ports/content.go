package ports

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/overview"
	"imprimatur/core/query"
	"imprimatur/core/release"
)

// SchemaOf returns the definitions that a write to a collection needs: the collection, and those
// that its relations point to. KindNotFound names the collection.
func SchemaOf(ctx context.Context, collections CollectionStore, project *core.Project, collectionID int64) (core.Schema, error) {
	related, err := collections.Related(ctx, project.ID, collectionID)
	if errors.Is(err, core.ErrNotFound) {
		return core.Schema{}, core.NotFound("collection")
	}
	if err != nil {
		return core.Schema{}, err
	}
	return core.Schema{Project: project, Collection: related[0], Collections: related}, nil
}

// ComponentStore stores the definitions of components. Their fields are bound to the components of the
// Project, see core.ComponentsBySlug.
type ComponentStore interface {
	// Components returns the Project's components, ordered by slug.
	Components(ctx context.Context, projectID int64) ([]*core.Component, error)
	// Insert adds c and sets its ID. It returns core.ErrConflict when the slug is in use.
	Insert(ctx context.Context, c *core.Component) error
	// Update replaces the definition. It returns core.ErrConflict when the stored Version is
	// not c.Version-1.
	Update(ctx context.Context, c *core.Component) error
	// Rename is CollectionStore.Rename for components.
	Rename(ctx context.Context, projectID int64, renamed []*core.Component) error
	Delete(ctx context.Context, projectID, id int64) error
}

// CollectionStore stores the definitions of collections. The fields of results are bound to the
// components of the Project, see core.Components.Bind.
type CollectionStore interface {
	Definitions
	Collection(ctx context.Context, projectID, id int64) (*core.Collection, error)
	// Related returns a collection, followed by the collections that its relations point to.
	Related(ctx context.Context, projectID, id int64) ([]*core.Collection, error)
	// Hold returns the Project and the collections of Related, which a write to the collection
	// needs. It locks the Project as ProjectStore.Hold does.
	Hold(ctx context.Context, projectID, id int64) (core.Schema, error)
	// Insert adds c and sets its ID. It returns core.ErrConflict when the slug is in use.
	Insert(ctx context.Context, c *core.Collection) error
	// Update replaces the definition. It returns core.ErrConflict when the stored Version is
	// not c.Version-1.
	Update(ctx context.Context, c *core.Collection) error
	// Rename stores the Slug and OwnKey of collections, together: one may take the slug of another. The members of
	// releases and the groups of deleted entries follow. It is called in a transaction that then calls Update for each.
	Rename(ctx context.Context, projectID int64, renamed []*core.Collection) error
	// Delete removes the collection, its entries with both versions and those in the trash,
	// and all data derived from them.
	Delete(ctx context.Context, projectID, id int64) error
}

// EntryReader reads both versions of entries. Results never contain entries in the trash.
// Each method runs one SQL statement, rarely two.
type EntryReader interface {
	AlternateReader
	ReferrersReader
	TallyReader

	// List returns the window of sel in its order: sel.Limit+1 rows when more rows follow the
	// window. If counted is true, total is the result of Count, at little cost; this needs a
	// selection without conditions.
	List(ctx context.Context, sel query.Selection, counted bool) (rows []core.Row, total int64, err error)
	// Count returns how many rows match sel, without After, Offset and Limit.
	Count(ctx context.Context, sel query.Selection) (int64, error)
	// Published returns the published version of an entry of the collection.
	Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error)
	// Serving returns, in unspecified order, the rows of the translation groups, of any
	// collection, that serve one of the locales in mask in that state. Bit n of mask is
	// Project.Locales[n]. With documents false, only Row.ID, CollectionID, Group and Serves are set.
	Serving(ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool) ([]core.Row, error)
	// GroupCollections returns the slugs of the collections of those translation groups, by group. It
	// knows every group that has had an entry, also when its entries or the collection are deleted.
	GroupCollections(ctx context.Context, projectID int64, groups []int64) (map[int64]string, error)
	// Seeing returns a reader whose List, Count, Tally, Published, Serving, Alternates and Referrers note in seen, for each statement, how
	// many releases of the Project it sees.
	Seeing(seen *release.Seen) EntryReader
	// ReleasesPublished returns how many releases of the Projects were published. The number grows in the
	// transaction that records event.ReleasePublished.
	ReleasesPublished(ctx context.Context, projectIDs ...int64) (int64, error)
}

// AlternateReader reads what entries show of their translations.
type AlternateReader interface {
	// Alternates returns the public entries of the translation groups, ordered by group and then by the number
	// of their locale. Their Slug is the value of the field slug; nil: they have none.
	Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error)
}

// ReferrersReader reads which entries refer to others.
type ReferrersReader interface {
	// Referrers returns the published entries that refer to the groups of q, one of each translation group, in unspecified
	// order of the groups. A group without referrers may be missing.
	Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error)
}

// TallyReader counts entries by value.
type TallyReader interface {
	// Tally counts the rows that match sel, without After, Offset and Limit, by their values of t.By, in the order of
	// t.CompareTallied. A row counts once for each of its different values. The value of a relation is the entry that serves
	// the locale of the selection, or that of the row if the selection has all locales; a relation without such an
	// entry is null. If the values are more than t.Most, the result has the first t.Most of a relation or a number, and any t.Most of a text.
	// Of a time, the result has several rows for one period, each with some time in the period, in any order.
	Tally(ctx context.Context, sel query.Selection, t query.Tally) ([]query.Tallied, error)
}

// PublicEntries finds published entries by their ids, one by one as they are, without fallbacks.
type PublicEntries interface {
	// PublicPlaces returns up to limit published entries, outside the trash, of the collections with those
	// ids that follow after, in the order of core.PublicPlace. An empty locale means all. One SQL statement.
	PublicPlaces(ctx context.Context, project *core.Project, collections []int64, locale string, after core.PublicPlace, limit int) ([]core.PublicPlace, error)
	// PublicVersions returns the published versions of the entries among ids that readers see, in
	// unspecified order. With documents false, Row.Document and Row.Media are nil.
	PublicVersions(ctx context.Context, projectID int64, ids []int64, documents bool) ([]core.PublicVersion, error)
}

// EntryStore stores entries and all data derived from them: the typed index, the value table,
// the forms of texts, the unique values, the masks of served locales and the counters. All of
// it changes in the transaction of the write.
//
// A write or a Reindex of entries whose collection has Forms other than words.Version or "" clears
// Forms and FormsReady of the collection and increments its Version: its index then has texts of
// several versions.
type EntryStore interface {
	EntryReader
	PublicEntries
	EntryFinder
	TitleFinder
	EntryLocker
	EntryWriter
	EntryUpkeep
}

// EntryFinder finds whole entries, with both versions.
type EntryFinder interface {
	ReferrerFinder

	// Entry returns one entry, also from the trash.
	Entry(ctx context.Context, projectID, id int64) (core.Entry, error)
	// Entries returns the existing entries among ids, including the trash, in unspecified order.
	Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error)
	// Translations returns the entries of the groups, including the trash, ordered by id.
	Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error)
	// Trash returns a page of the collection's entries in the trash, the last trashed first.
	// It returns limit+1 entries when more entries follow the page.
	Trash(ctx context.Context, projectID, collectionID int64, offset, limit int64) ([]core.Entry, error)
	// Walk returns up to limit entries of the collection with an id greater than after,
	// including the trash, ordered by id. It is for exports and back-fills.
	Walk(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Entry, error)
	// Holders returns the entries of the collection that hold one of values in one of locales,
	// without the trash. Their order is unspecified.
	Holders(ctx context.Context, schema core.Schema, locales []string, values []core.UniqueValue) ([]core.Holder, error)
}

// ReferrerFinder finds the entries that refer to others.
type ReferrerFinder interface {
	// Uses returns up to limit entries that refer to the translation group in a version that readers
	// see or may see later, ordered by entry id: with a relation or in rich text. The versions are
	// those of MediaUses.Uses. The result is consistent: it describes one moment.
	Uses(ctx context.Context, projectID, group int64, limit int) ([]library.Use, error)
	// PublicReferrers returns the published entries that refer to one of the translation groups in fields that
	// readers see, by group and entry id.
	PublicReferrers(ctx context.Context, projectID int64, groups []int64) ([]core.Referrer, error)
}

// TitleFinder finds entries of several Projects.
type TitleFinder interface {
	// Worded returns up to q.Limit entries, without the trash, whose draft has all terms of q.Search, see
	// core.Collection.Words: the latest query.Moment first, then the highest id. If very many have them, it
	// may return some others. One SQL statement for a few hundred locales of collections.
	Worded(ctx context.Context, q query.WordsQuery) ([]core.Entry, error)
	// Titled returns up to q.Limit entries, without the trash, whose draft has a title that contains
	// q.Text; if more have one, some of them. Their order is unspecified. A text that is not
	// words.Indexable finds nothing, and a field whose SearchReady is false not all entries.
	// One SQL statement.
	Titled(ctx context.Context, q query.TitleQuery) ([]core.Entry, error)
}

// EntryLocker locks entries until the transaction ends.
type EntryLocker interface {
	// Lock returns one entry. Inside a transaction, no other transaction changes the entry or
	// its translations until the transaction ends. A transaction that changes an entry, its
	// request or its schedule takes this lock before any other lock.
	Lock(ctx context.Context, projectID, id int64) (core.Entry, error)
	// LockGroups is Lock for all entries of translation groups. It locks in the order of entry
	// ids and returns the entries in this order. It ignores groups without entries.
	LockGroups(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error)
	// LockAll is Lock for many entries: it locks them with their translations in the order of ids, and returns
	// those that exist among ids, ordered by id. A few SQL statements.
	LockAll(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error)
	// TryLock is Lock without waiting: ok is false when another transaction has the lock.
	TryLock(ctx context.Context, projectID, id int64) (e core.Entry, ok bool, err error)
}

// EntryWriter changes entries.
//
// Insert, Update and Save set the times of publications. A new publication (e.Publishing is not
// nil) begins, and one that is taken back ends, at the time of the database's clock after the
// entry is locked, last before the statements of the write, but at least 1 ms after the latest
// time of the entry's publications. All writes of one Save have one time, save for that
// millisecond. If e.Move.At is not zero, it is the time. e.ReleasedAt becomes that time if it is zero, and e.PublishedAt as core.Entry.Date
// says. The caller has little left to do in the transaction: readers see the publication after
// the commit.
type EntryWriter interface {
	// Insert adds e and sets its ID. If e.Group is 0, it sets Group to the ID. It returns
	// core.ErrConflict when the group already has an entry in that locale, and
	// core.ErrInvalid with the locations of the fields ("fields.<name>") when another entry
	// holds a unique value. After an error of Insert, Update or Save the caller must roll
	// back the transaction.
	Insert(ctx context.Context, schema core.Schema, e *core.Entry) error
	// Update replaces the stored entry. It returns core.ErrConflict when the stored Version is
	// not e.Version-1, and the errors of Insert for unique values. Locale, Group,
	// CollectionID and CreatedBy must not change.
	Update(ctx context.Context, schema core.Schema, e *core.Entry) error
	// NewIDs returns n unused ids in ascending order. No later call returns them again.
	NewIDs(ctx context.Context, n int) ([]int64, error)
	// Save inserts and updates many entries in a few statements, with the effects of Insert
	// and Update. Each inserted entry has an ID from NewIDs, and as Group the ID of the entry
	// that founded the group. No entry occurs twice. An entry may take a unique value that an
	// updated entry gives up. Save returns the error of one rejected entry.
	Save(ctx context.Context, schema core.Schema, inserted, updated []*core.Entry) error
	// Moment returns the time for core.Move.At of a write that begins or ends publications of all these entries
	// together: the time of the database's clock, but at least 1 ms after the latest time of their publications.
	Moment(ctx context.Context, projectID int64, ids []int64) (time.Time, error)
	// Destroy removes the entry permanently. Its event has the reason.
	Destroy(ctx context.Context, schema core.Schema, id int64, reason string) error
}

// EntryUpkeep keeps derived data up to date. It changes no version that editors or readers see.
type EntryUpkeep interface {
	// Unsealed returns the ids of the published entries of the Project, outside the trash,
	// whose published version names media and that have no PublishedMedia, in ascending order.
	Unsealed(ctx context.Context, projectID int64) ([]int64, error)
	// SetRevision replaces the Revision of the entry and nothing else, not even its Version.
	SetRevision(ctx context.Context, projectID, id int64, revision core.Document) error
	// SetRevisions is SetRevision for several existing entries of the Project, by id, in one SQL statement.
	SetRevisions(ctx context.Context, project *core.Project, revisions map[int64]core.Document) error
	// Reindex rebuilds the index of up to limit entries with an id greater than after from
	// their documents, for the present schema. It returns the last id that it processed, or
	// 0 when no entry was left.
	Reindex(ctx context.Context, schema core.Schema, after int64, limit int) (last int64, err error)
	// Serve updates the locales that entries serve, by the chains of project.Index: those of the
	// translation groups after the group after, in their order, until they have limit rows of the
	// index; the last group is done whole. It returns the last group, or 0 when no more are left.
	// project is the result of ProjectLocker.Hold in the transaction, or is stored by it.
	Serve(ctx context.Context, project *core.Project, after int64, limit int) (last int64, err error)
	// FewRows reports whether the index of the Project has at most so many rows.
	FewRows(ctx context.Context, projectID int64, most int) (bool, error)
}

// Schemas returns Projects and their collections for reads. A result may be up to one second
// behind the changes of another replica, but never behind those of this process. The
// caller must not change the result.
type Schemas interface {
	// ProjectByUUID returns core.ErrNotFound for a UUID that is not in its stored, lower-case
	// form.
	ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error)
	Project(ctx context.Context, id int64) (*core.Project, error)
	Definitions
}

// Definitions returns the collections of a Project. Schemas and CollectionStore implement it.
type Definitions interface {
	// Collections returns the Project's collections, ordered by slug.
	Collections(ctx context.Context, projectID int64) ([]*core.Collection, error)
}

// OriginStore stores the references with which translation groups were imported. They are
// deleted with their collection or Project, but not with the entries of the group.
type OriginStore interface {
	// Origins returns the Project's origins with these references, in unspecified order.
	Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error)
	// OriginsOf returns the references of the groups, ordered by group and reference.
	OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error)
	// Save stores origins, and replaces those with the same reference. No reference occurs
	// twice. It returns core.ErrNotFound when the Project does not have the collection.
	Save(ctx context.Context, origins []core.Origin) error
}

// RevisionStore stores the past revisions of entries. The newest revision of an entry is
// core.Entry.Revision. Revisions are deleted with their entry, collection or Project.
type RevisionStore interface {
	// Save adds the revisions, or replaces those with the same entry and number. The store may
	// delay the statement until the entry is written, another method is called or the
	// transaction ends.
	Save(ctx context.Context, revisions ...core.Revision) error
	// Delete removes these revisions of entries of the Project, together.
	Delete(ctx context.Context, projectID int64, revisions ...core.RevisionKey) error
	// Revisions returns what q selects.
	Revisions(ctx context.Context, q core.RevisionQuery) ([]core.Revision, error)
	// Count returns the number of past revisions of the entry.
	Count(ctx context.Context, projectID, entryID int64) (int64, error)
	// Prunable returns the past revisions that core.PruneRevisions needs, ordered by entry and number.
	// through names each entry once. Of each it returns those from the predecessor of the first
	// revision that is numbered at most through and not kept, to the successor of through, both
	// included; none when no revision of the entry can be removed.
	Prunable(ctx context.Context, projectID int64, through ...core.RevisionKey) ([]core.Revision, error)
}

// OverviewStore computes the counts of a Project.
type OverviewStore interface {
	// Overview returns the counts of the Project. Published, the medians and Tokens cover the days
	// since from; Published covers at most 366 days. Waiting is ordered by Order and Label,
	// Collections by slug, and Tokens by Reads, most first, and then by id. Tokens has all tokens
	// that are not revoked, and revoked ones with Reads. The number of SQL statements is fixed.
	Overview(ctx context.Context, projectID int64, from time.Time) (overview.Overview, error)
}
