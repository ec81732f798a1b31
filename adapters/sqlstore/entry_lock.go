package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// keptEntries is kept of the table entries.
var keptEntries = kept("entries")

// wholeGroup selects an entry with its translations, ordered by id. All transactions lock them
// in this order, which prevents deadlocks.
var wholeGroup = "SELECT " + entryColumns + " FROM entries WHERE project_id = @project AND group_id =" +
	" (SELECT o.group_id FROM entries o WHERE o.project_id = @project AND o.id = ?)" + keptEntries + " ORDER BY id"

// lockedIn returns the entries that the transaction of c has locked and not changed since.
func lockedIn(c sqldb.Conn) lockedEntries {
	p := pendingOf(c)
	if p.locked == nil {
		p.locked = lockedEntries{}
	}
	return p.locked
}

func (s entryStore) Lock(ctx context.Context, projectID, id int64) (core.Entry, error) {
	if !s.Inside() {
		return s.Entry(ctx, projectID, id)
	}
	group, err := sqldb.Collect(ctx, s.Conn, scanEntry, wholeGroup+s.ForUpdate(), projectID, id)
	if err != nil {
		return core.Entry{}, err
	}
	for _, e := range group {
		lockedIn(s.Conn)[e.ID] = e
	}
	return memberOf(group, id)
}

func (s entryStore) LockGroups(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	if !s.Inside() || len(groups) == 0 {
		return s.Translations(ctx, projectID, groups...)
	}
	locked, err := sqldb.Collect(ctx, s.Conn, scanEntry,
		"SELECT "+entryColumns+" FROM entries WHERE project_id = @project AND group_id ?"+keptEntries+" ORDER BY id"+s.ForUpdate(), projectID, sqldb.AmongIDs(groups))
	for _, e := range locked {
		lockedIn(s.Conn)[e.ID] = e
	}
	return locked, err
}

// LockAll locks all rows before it reads the documents of the entries among ids: those of their
// translations are not needed.
func (s entryStore) LockAll(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	if s.Inside() && s.Locks() {
		locked := lockedEntries{}
		if err := s.lockGroupsOf(ctx, locked, projectID, ids); err != nil {
			return nil, err
		}
		maps.Copy(lockedIn(s.Conn), locked)
	}
	var entries []core.Entry
	for some := range slices.Chunk(ids, lockedAtOnce) {
		found, err := s.Entries(ctx, projectID, some)
		if err != nil {
			return nil, err
		}
		entries = append(entries, found...)
	}
	slices.SortFunc(entries, func(a, b core.Entry) int { return cmp.Compare(a.ID, b.ID) })
	if s.Inside() {
		for i := range entries {
			lockedIn(s.Conn)[entries[i].ID] = entries[i]
		}
	}
	return entries, nil
}

func (s entryStore) TryLock(ctx context.Context, projectID, id int64) (core.Entry, bool, error) {
	if !s.Locks() {
		e, err := s.Entry(ctx, projectID, id)
		return e, err == nil, err
	}
	group, err := sqldb.Collect(ctx, s.Conn, scanEntry, wholeGroup, projectID, id)
	if err != nil {
		return core.Entry{}, false, err
	}
	if _, err := memberOf(group, id); err != nil {
		return core.Entry{}, false, err
	}
	// A transaction that adds to the group locks its members, which are then missing here.
	locked, err := sqldb.Collect(ctx, s.Conn, scanEntry, wholeGroup+s.ForUpdate()+" SKIP LOCKED", projectID, id)
	if err != nil || len(locked) < len(group) {
		return core.Entry{}, false, err
	}
	e, err := memberOf(locked, id)
	return e, err == nil, err
}

func memberOf(group []core.Entry, id int64) (core.Entry, error) {
	i := slices.IndexFunc(group, func(e core.Entry) bool { return e.ID == id })
	if i < 0 {
		return core.Entry{}, core.NotFound("entry")
	}
	return group[i], nil
}

// lockedEntries are stored entries by id. They may lack their documents.
type lockedEntries map[int64]core.Entry

// lock locks the translation groups of the entries, and further groups, until the transaction
// ends. Other transactions that add to these groups, or change the locales that their members
// serve, wait. lock returns the entries. It does not read again what Lock has read.
func (s entryStore) lock(ctx context.Context, schema core.Schema, entries, groups []int64) (lockedEntries, error) {
	locked := lockedEntries{}
	var others []int64
	for _, id := range entries {
		if e, known := lockedIn(s.Conn)[id]; known && e.ProjectID == schema.Project.ID {
			locked[id] = e
			delete(lockedIn(s.Conn), id) // the caller changes it
		} else {
			others = append(others, id)
		}
	}
	if err := s.lockGroupsOf(ctx, locked, schema.Project.ID, others); err != nil || !s.Locks() {
		return locked, err
	}
	return locked, s.lockMembers(ctx, locked, schema.Project.ID, groups, "group_id ?")
}

// lockGroupsOf locks the entries with their translations and adds all of them to locked.
func (s entryStore) lockGroupsOf(ctx context.Context, locked lockedEntries, projectID int64, ids []int64) error {
	return s.lockMembers(ctx, locked, projectID, ids, s.DB.Dialect.AmongRows("group_id",
		"SELECT o.group_id FROM entries o"+s.DB.Dialect.By(entryquery.PrimaryKey)+" WHERE o.project_id = @project AND o.id ?"))
}

// lockedAtOnce bounds the ids in one statement.
const lockedAtOnce = 1000

// lockMembers locks the entries that match ids and adds them to locked. condition is the
// condition on an entry, in which ? stands for "is one of ids".
func (s entryStore) lockMembers(ctx context.Context, locked lockedEntries, projectID int64, ids []int64, condition string) error {
	for some := range slices.Chunk(ids, lockedAtOnce) {
		members, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(e *core.Entry) []any {
			return []any{
				&e.ID, &e.ProjectID, &e.CollectionID, &e.Locale, &e.Group, &e.Version, (*sqldb.Instant)(&e.CreatedAt), &e.CreatedBy,
				&e.PublishedHash, (*sqldb.Instant)(&e.PublishedAt), (*sqldb.Instant)(&e.UpdatedAt), (*sqldb.Instant)(&e.ReleasedAt), (*sqldb.Instant)(&e.TrashedAt),
			}
		}), "SELECT id, project_id, collection_id, locale, group_id, version, created_at, created_by,"+
			" published_hash, published_at, updated_at, released_at, trashed_at FROM entries"+
			" WHERE project_id = @project AND "+condition+" ORDER BY id"+s.ForUpdate(), projectID, sqldb.AmongIDs(some))
		if err != nil {
			return err
		}
		for _, e := range members {
			locked[e.ID] = e
		}
	}
	return nil
}

// successor returns e with the immutable values of the stored entry. It returns a conflict if
// the stored entry is not at the version before e.
func (l lockedEntries) successor(schema core.Schema, e *core.Entry) (*core.Entry, error) {
	old, ok := l[e.ID]
	switch {
	case !ok || old.CollectionID != schema.Collection.ID:
		return nil, core.NotFound("entry")
	case old.Version != e.Version-1:
		return nil, core.Conflict("changed_meanwhile", "the entry was changed meanwhile")
	}
	next := *e
	next.ProjectID, next.CollectionID, next.Locale, next.Group = old.ProjectID, old.CollectionID, old.Locale, old.Group
	next.CreatedBy = old.CreatedBy
	return &next, nil
}
