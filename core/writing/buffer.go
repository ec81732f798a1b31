package writing

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// buffer is the EntryStore of a batch. It buffers writes until flush and caches reads, so that a
// batch takes only a few statements. It passes all other reads to the store.
type buffer struct {
	ports.EntryStore
	schema core.Schema

	entries map[int64]core.Entry // known entries by id, after all writes so far
	groups  map[int64][]int64    // the ids of the members of known groups, in ascending order
	holders map[holding]int64    // entry ids by unique value, as far as known; 0: no entry

	promised map[int64]bool // the ids of entries that a later write creates

	founder           int64   // the id of the next new entry; 0: one of ids
	ids               []int64 // for new entries
	expected          int     // the approximate number of new entries to come
	inserted, updated []*core.Entry
	unsaved           map[int64]bool // the ids of inserted and updated
}

// holding is a unique value in one locale.
type holding struct {
	core.UniqueValue
	locale string
}

func newBuffer(store ports.EntryStore) *buffer {
	b := &buffer{EntryStore: store, unsaved: map[int64]bool{}, promised: map[int64]bool{}}
	b.forget()
	return b
}

// forget discards all data that b has read.
func (b *buffer) forget() {
	b.entries, b.groups, b.holders = map[int64]core.Entry{}, map[int64][]int64{}, map[holding]int64{}
}

// Insert implements ports.EntryStore.
func (b *buffer) Insert(ctx context.Context, _ core.Schema, e *core.Entry) error {
	if err := b.identify(ctx, e); err != nil {
		return err
	}
	if e.Group == 0 {
		e.Group = e.ID
		b.groups[e.Group] = nil
	}
	if members, known := b.groups[e.Group]; known {
		b.groups[e.Group] = append(members, e.ID)
	}
	inserted := *e
	b.inserted = append(b.inserted, &inserted)
	b.keep(inserted)
	return nil
}

// identify sets the id of a new entry.
func (b *buffer) identify(ctx context.Context, e *core.Entry) error {
	if b.founder != 0 {
		e.ID, b.founder = b.founder, 0
		return nil
	}
	if len(b.ids) == 0 {
		ids, err := b.NewIDs(ctx, max(b.expected, 1))
		if err != nil {
			return err
		}
		b.ids, b.expected = ids, 0
	}
	e.ID, b.ids = b.ids[0], b.ids[1:]
	return nil
}

// Update implements ports.EntryStore.
func (b *buffer) Update(ctx context.Context, _ core.Schema, e *core.Entry) error {
	if b.unsaved[e.ID] {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	updated := *e
	b.updated = append(b.updated, &updated)
	b.keep(updated)
	return nil
}

// SetRevision implements ports.EntryStore. It compares no versions, so the entry is locked first. It returns
// core.ErrChangedMeanwhile if the entry is not the one that b has read without a lock.
func (b *buffer) SetRevision(ctx context.Context, projectID, id int64, revision core.Document) error {
	stored, err := b.Lock(ctx, projectID, id)
	if err != nil {
		return err
	}
	if e, known := b.entries[id]; known {
		if e.Version != stored.Version || string(e.Revision) != string(stored.Revision) {
			return core.ErrChangedMeanwhile
		}
		e.Revision = revision
		b.entries[id] = e
	}
	return b.EntryStore.SetRevision(ctx, projectID, id, revision)
}

// keep records e as the present state of the entry.
func (b *buffer) keep(e core.Entry) {
	for _, h := range b.holdings(b.entries[e.ID]) {
		if b.holders[h] == e.ID {
			b.holders[h] = 0
		}
	}
	for _, h := range b.holdings(e) {
		b.holders[h] = e.ID
	}
	e.Publishing, e.Move = nil, core.Move{} // a later write of the entry is no new publication
	b.entries[e.ID], b.unsaved[e.ID] = e, true
}

// holdings returns the unique values that e holds in either version.
func (b *buffer) holdings(e core.Entry) []holding {
	var held []holding
	if e.ID == 0 || !e.TrashedAt.IsZero() {
		return nil
	}
	for _, doc := range []core.Document{e.Draft, e.Published} {
		for _, v := range b.schema.Collection.UniqueValues(doc) {
			held = append(held, holding{v, e.Locale})
		}
	}
	return held
}

// flush stores the buffered writes. It returns core.ErrChangedMeanwhile when another
// transaction has changed one of the entries or taken a unique value.
func (b *buffer) flush(ctx context.Context) error {
	if len(b.unsaved) == 0 {
		return nil
	}
	err := b.Save(ctx, b.schema, b.inserted, b.updated)
	b.inserted, b.updated = nil, nil
	clear(b.unsaved)
	if core.KindOf(err) == core.KindInvalid {
		return core.ErrChangedMeanwhile
	}
	return core.ChangedMeanwhile(err)
}

// Lock implements ports.EntryStore. It flushes first, because requests need the stored entry.
func (b *buffer) Lock(ctx context.Context, projectID, id int64) (core.Entry, error) {
	if err := b.flush(ctx); err != nil {
		return core.Entry{}, err
	}
	return b.EntryStore.Lock(ctx, projectID, id)
}

// LockGroups implements ports.EntryStore. Reads after it are of the entries as they are locked.
func (b *buffer) LockGroups(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	if err := b.flush(ctx); err != nil {
		return nil, err
	}
	b.forget()
	locked, err := b.EntryStore.LockGroups(ctx, projectID, groups...)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		b.groups[group] = nil
	}
	for _, e := range locked {
		b.entries[e.ID] = e
		b.groups[e.Group] = append(b.groups[e.Group], e.ID)
	}
	return locked, nil
}

// Entry implements ports.EntryStore.
func (b *buffer) Entry(ctx context.Context, projectID, id int64) (core.Entry, error) {
	found, err := b.Entries(ctx, projectID, []int64{id})
	if err == nil && len(found) == 0 {
		err = core.NotFound("entry")
	}
	if err != nil {
		return core.Entry{}, err
	}
	return found[0], nil
}

// Entries implements ports.EntryStore.
func (b *buffer) Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { _, known := b.entries[id]; return known })
	read, err := b.EntryStore.Entries(ctx, projectID, unknown)
	if err != nil {
		return nil, err
	}
	for _, e := range read {
		b.entries[e.ID] = e
	}
	var found []core.Entry
	for _, id := range ids {
		if e, known := b.entries[id]; known {
			found = append(found, e)
		} else if b.promised[id] {
			found = append(found, core.Entry{ID: id, ProjectID: projectID, CollectionID: b.schema.Collection.ID, Group: id})
		}
	}
	return found, nil
}

// Translations implements ports.EntryStore.
func (b *buffer) Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	unknown := slices.DeleteFunc(slices.Clone(groups), func(group int64) bool { _, known := b.groups[group]; return known })
	if len(unknown) > 0 {
		if err := b.readGroups(ctx, projectID, unknown); err != nil {
			return nil, err
		}
	}
	var members []core.Entry
	for _, group := range groups {
		for _, id := range b.groups[group] {
			members = append(members, b.entries[id])
		}
	}
	slices.SortFunc(members, func(a, b core.Entry) int { return int(a.ID - b.ID) })
	return members, nil
}

// Serving implements ports.EntryStore for ports.Targets: published entries as they will be stored. Rows have only
// CollectionID, Group and ID.
func (b *buffer) Serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool,
) ([]core.Row, error) {
	if state != core.StatePublished || documents {
		return b.EntryStore.Serving(ctx, projectID, state, groups, mask, documents)
	}
	members, err := b.Translations(ctx, projectID, groups...)
	var rows []core.Row
	for i := range members {
		if e := &members[i]; e.Published != nil && !e.Trashed() { // its times are set when it is stored
			rows = append(rows, core.Row{ID: e.ID, CollectionID: e.CollectionID, Group: e.Group})
		}
	}
	return rows, err
}

func (b *buffer) readGroups(ctx context.Context, projectID int64, groups []int64) error {
	read, err := b.EntryStore.Translations(ctx, projectID, groups...)
	if err != nil {
		return err
	}
	for _, group := range groups {
		b.groups[group] = nil
	}
	for _, e := range read {
		if !b.unsaved[e.ID] {
			b.entries[e.ID] = e
		}
		b.groups[e.Group] = append(b.groups[e.Group], e.ID)
	}
	for _, e := range b.inserted {
		if slices.Contains(groups, e.Group) {
			b.groups[e.Group] = append(b.groups[e.Group], e.ID)
		}
	}
	return nil
}

// Holders implements ports.EntryStore.
func (b *buffer) Holders(ctx context.Context, schema core.Schema, locales []string, values []core.UniqueValue) ([]core.Holder, error) {
	if schema.Collection.ID != b.schema.Collection.ID {
		return b.EntryStore.Holders(ctx, schema, locales, values)
	}
	unknown := slices.DeleteFunc(slices.Clone(values), func(v core.UniqueValue) bool {
		return !slices.ContainsFunc(locales, func(locale string) bool { _, known := b.holders[holding{v, locale}]; return !known })
	})
	if err := b.readHolders(ctx, locales, unknown); err != nil {
		return nil, err
	}
	var holders []core.Holder
	for _, v := range values {
		for _, locale := range locales {
			if id := b.holders[holding{v, locale}]; id != 0 {
				holders = append(holders, core.Holder{UniqueValue: v, Locale: locale, Entry: id})
			}
		}
	}
	return holders, nil
}

func (b *buffer) readHolders(ctx context.Context, locales []string, values []core.UniqueValue) error {
	read, err := b.EntryStore.Holders(ctx, b.schema, locales, values)
	if err != nil {
		return err
	}
	stored := map[holding]int64{}
	for _, h := range read {
		if !b.unsaved[h.Entry] { // holders already has the values of unsaved entries
			stored[holding{h.UniqueValue, h.Locale}] = h.Entry
		}
	}
	for _, v := range values {
		for _, locale := range locales {
			h := holding{v, locale}
			if _, known := b.holders[h]; !known {
				b.holders[h] = stored[h]
			}
		}
	}
	return nil
}
