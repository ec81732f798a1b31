package ports

import (
	"context"

	"imprimatur/core"
)

// CollectionStore keeps the definitions of collections.
type CollectionStore interface {
	Definitions
	Collection(ctx context.Context, projectID, id int64) (*core.Collection, error)
	// Related returns a collection and, after it, those that its relations point to.
	Related(ctx context.Context, projectID, id int64) ([]*core.Collection, error)
	// Hold returns the Project and what Related returns: all that a write to the collection
	// needs. It holds the Project as ProjectStore.Hold does.
	Hold(ctx context.Context, projectID, id int64) (core.Schema, error)
	// Insert adds c and sets its ID; core.ErrConflict when the slug is taken.
	Insert(ctx context.Context, c *core.Collection) error
	// Update replaces the definition whose Version is c.Version-1; core.ErrConflict
	// when another write has changed it.
	Update(ctx context.Context, c *core.Collection) error
	// Delete removes the collection, its entries in both versions and in the trash,
	// and all that is kept about them.
	Delete(ctx context.Context, projectID, id int64) error
}

// EntryReader reads both versions of entries. Results never contain entries in the trash.
// Each method is one SQL statement, seldom two.
type EntryReader interface {
	// List returns the window of sel, in its order. It returns sel.Limit+1 rows when more rows
	// follow the window.
	List(ctx context.Context, sel core.Selection) ([]core.Row, error)
	// Count returns how many rows sel matches in all; it ignores Offset and Limit.
	Count(ctx context.Context, sel core.Selection) (int64, error)
	// ListAndCount is List and Count in one call. For a selection without conditions it costs
	// little more than List alone.
	ListAndCount(ctx context.Context, sel core.Selection) ([]core.Row, int64, error)
	// Published returns the published version of an entry of the collection.
	Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error)
	// Serving returns the rows of the given groups that serve any of the locales in
	// mask (bit n is project.Locales[n]) in state, whatever their collection, in no
	// promised order. With documents false, Row.Document is nil.
	Serving(ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool) ([]core.Row, error)
}

// EntryStore stores entries and all data derived from them: the typed index, the value table,
// the folded texts, the unique values, the masks of served locales and the counters. All of
// it changes in the transaction of the write.
type EntryStore interface {
	EntryReader
	// Entry returns one entry, in the trash or not.
	Entry(ctx context.Context, projectID, id int64) (core.Entry, error)
	// Lock returns one entry. Inside a transaction, no other transaction changes the entry or
	// its translations until the transaction ends. A transaction that changes an entry, its
	// request or its schedule takes this lock before any other lock.
	Lock(ctx context.Context, projectID, id int64) (core.Entry, error)
	// TryLock is Lock without waiting: ok is false when another transaction has the lock.
	TryLock(ctx context.Context, projectID, id int64) (e core.Entry, ok bool, err error)
	// Entries returns those of the entries that exist, in no promised order, the
	// trash included.
	Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error)
	// Translations returns the entries of the groups, ordered by id, the trash included.
	Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error)
	// Trash returns the collection's entries in the trash, newest in it first, one
	// more than limit when there are more.
	Trash(ctx context.Context, projectID, collectionID int64, offset, limit int64) ([]core.Entry, error)
	// Walk returns up to limit entries of the collection with an id over after, in
	// the order of ids, the trash included: for exports and back-fills.
	Walk(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Entry, error)

	// Holders returns the entries of the collection that hold one of values in one of locales,
	// without the trash. Their order is unspecified.
	Holders(ctx context.Context, schema core.Schema, locales []string, values []core.UniqueValue) ([]core.Holder, error)

	// Insert adds e and sets its ID, and its Group when that is 0. It returns
	// core.ErrConflict when the group has an entry in that locale already, and
	// core.ErrInvalid naming the fields ("fields.<name>") when a unique value is taken. After an
	// error of Insert, Update or Save the caller must roll the transaction back.
	Insert(ctx context.Context, schema core.Schema, e *core.Entry) error
	// Update replaces the stored entry whose Version is e.Version-1;
	// core.ErrConflict when it has moved on. Locale, Group and CollectionID do not
	// change. Otherwise as Insert.
	Update(ctx context.Context, schema core.Schema, e *core.Entry) error
	// NewIDs returns n ids that no entry ever had, in ascending order.
	NewIDs(ctx context.Context, n int) ([]int64, error)
	// Save does what Insert does for each of inserted, whose ID is one of NewIDs and
	// whose Group is the ID of its founder, and what Update does for each of updated, in
	// a few statements. No entry is among them twice. A unique value that one of updated gives
	// up may go to another entry. It returns the error of any entry that is refused.
	Save(ctx context.Context, schema core.Schema, inserted, updated []*core.Entry) error
	// Destroy removes the entry for good.
	Destroy(ctx context.Context, schema core.Schema, id int64) error

	// Reindex rebuilds the index of up to limit entries with an id greater than after from
	// their documents, for the present schema. It returns the last id that it processed, or
	// 0 when no entry was left.
	Reindex(ctx context.Context, schema core.Schema, after int64, limit int) (last int64, err error)
}

// Schemas finds Projects and their collections for reads. A result may be up to one second
// behind the changes of another replica, but never behind those of this process. The
// caller must not change what it returns.
type Schemas interface {
	// ProjectByUUID returns core.ErrNotFound for a uuid in any form but the stored one.
	ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error)
	Project(ctx context.Context, id int64) (*core.Project, error)
	Definitions
}

// Definitions finds the collections of a Project. Schemas and CollectionStore implement it.
type Definitions interface {
	// Collections returns the Project's collections, ordered by slug.
	Collections(ctx context.Context, projectID int64) ([]*core.Collection, error)
}
