package ports

import (
	"context"

	"imprimatur/core"
)

// CollectionStore keeps the definitions of collections.
type CollectionStore interface {
	// Collections returns the Project's collections, ordered by slug.
	Collections(ctx context.Context, projectID int64) ([]*core.Collection, error)
	Collection(ctx context.Context, projectID, id int64) (*core.Collection, error)
	// Related returns a collection and, after it, those that its relations point to.
	Related(ctx context.Context, projectID, id int64) ([]*core.Collection, error)
	// Insert adds c and sets its ID; core.ErrConflict when the slug is taken.
	Insert(ctx context.Context, c *core.Collection) error
	// Update replaces the definition whose Version is c.Version-1; core.ErrConflict
	// when it has moved on.
	Update(ctx context.Context, c *core.Collection) error
	// Delete removes the collection, its entries in both versions and in the trash,
	// and all that is kept about them.
	Delete(ctx context.Context, projectID, id int64) error
}

// EntryReader answers reads over both versions of entries. A row in the trash is
// never part of an answer. Each method is one SQL statement, seldom two.
type EntryReader interface {
	// List returns the window of sel, in its order. It returns one row more than
	// sel.Limit when there are more, so len > Limit means that there are.
	List(ctx context.Context, sel core.Selection) ([]core.Row, error)
	// Count returns how many rows sel has, whatever its window.
	Count(ctx context.Context, sel core.Selection) (int64, error)
	// ListAndCount is List and Count at once. It is for selections without conditions,
	// where it costs little more than List alone.
	ListAndCount(ctx context.Context, sel core.Selection) ([]core.Row, int64, error)
	// Published returns the published version of an entry of the collection.
	Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error)
	// Serving returns the rows of the given groups that serve any of the locales in
	// mask (bit n is project.Locales[n]) in state, whatever their collection, in no
	// promised order. With documents false, Row.Document is nil.
	Serving(ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool) ([]core.Row, error)
}

// EntryStore keeps entries, and with them everything that finds them again: the
// typed index, the value table, the folded texts, the claims of unique values, the
// masks of served locales and the counters. All of it changes in the transaction
// of the write.
type EntryStore interface {
	EntryReader
	// Entry returns one entry, in the trash or not.
	Entry(ctx context.Context, projectID, id int64) (core.Entry, error)
	// Lock returns one entry and, inside a transaction, keeps others from changing it
	// or its translations until the transaction ends. Whatever becomes of an entry and
	// of what is kept about it elsewhere takes this lock before any other.
	Lock(ctx context.Context, projectID, id int64) (core.Entry, error)
	// TryLock is a Lock that does not wait: ok is false when others have it.
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

	// Holders returns who in the collection and one of locales holds one of values, the
	// trash aside, in no promised order.
	Holders(ctx context.Context, schema core.Schema, locales []string, values []core.UniqueValue) ([]core.Holder, error)

	// Insert adds e and sets its ID, and its Group when that is 0. It returns
	// core.ErrConflict when the group has an entry in that locale already, and
	// core.ErrInvalid naming the fields ("fields.<name>") when a unique value is taken.
	Insert(ctx context.Context, schema core.Schema, e *core.Entry) error
	// Update replaces the stored entry whose Version is e.Version-1;
	// core.ErrConflict when it has moved on. Locale, Group and CollectionID do not
	// change. Otherwise as Insert.
	Update(ctx context.Context, schema core.Schema, e *core.Entry) error
	// NewIDs returns n ids that no entry ever had, in ascending order.
	NewIDs(ctx context.Context, n int) ([]int64, error)
	// Save does what Insert does for each of inserted, whose ID is one of NewIDs and
	// whose Group is the ID of its founder, and what Update does for each of updated, in
	// a few statements. No entry is among them twice; what one of updated gives up,
	// another entry may take. It returns the error of any of them that is refused; then
	// the transaction has to be given up.
	Save(ctx context.Context, schema core.Schema, inserted, updated []*core.Entry) error
	// Destroy removes the entry for good.
	Destroy(ctx context.Context, schema core.Schema, id int64) error

	// Reindex makes the index of up to limit entries with an id over after anew from
	// their documents, as schema has it now, and returns the last id it came to, or
	// 0 when there was none left.
	Reindex(ctx context.Context, schema core.Schema, after int64, limit int) (last int64, err error)
}

// Schemas finds Projects and their collections for reads. An answer may be up to
// one second old on another replica's change, never on this process's own. The
// caller must not change what it returns.
type Schemas interface {
	// ProjectByUUID returns core.ErrNotFound for a uuid in any form but the stored one.
	ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error)
	Project(ctx context.Context, id int64) (*core.Project, error)
	// Collections returns the Project's collections, ordered by slug.
	Collections(ctx context.Context, projectID int64) ([]*core.Collection, error)
}
