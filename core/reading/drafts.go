package reading

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/library"
	"imprimatur/core/overview"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Drafts reads content for the dashboard: drafts, trash and both versions.
type Drafts struct {
	presenter

	reader *Reader
}

// NewDrafts returns a Drafts with these dependencies. own are the base URLs of the files of this
// installation.
func NewDrafts(stores ports.Stores, reader *Reader, own ...fileurl.Base) *Drafts {
	return &Drafts{presenter{stores: stores, files: reader.files, own: own}, reader}
}

// WithHidden returns a copy of d that also shows the values of hidden fields.
func (d *Drafts) WithHidden() *Drafts {
	shown := *d
	shown.hidden = true
	return &shown
}

// ManagedPage is one window of managed entries.
type ManagedPage struct {
	Entries       []Managed
	Offset, Limit int64
	HasMore       bool
	Total         *int64 // nil unless query.Query.Total is set
}

// Versions are the two versions of an entry, in the form of Managed.Fields.
type Versions struct {
	Draft     json.RawMessage
	Published json.RawMessage // null: not published
}

// stateWithDraft is the query.Query.State of core.StateWithDraft.
const stateWithDraft = "with_draft"

// List lists the entries that q selects; q.Collection is ignored and an empty
// q.State is with_draft. Fields of the types group and blocks are shown if q.Fields names them. Errors are
// those of Reader.Prepare.
func (d *Drafts) List(ctx context.Context, project *core.Project, collectionID int64, q query.Query) (page *ManagedPage, err error) {
	err = d.reader.whole.severally(ctx, project.ID, func() error {
		page, err = d.list(ctx, project, collectionID, q)
		return err
	})
	return page, err
}

func (d *Drafts) list(ctx context.Context, project *core.Project, collectionID int64, q query.Query) (*ManagedPage, error) {
	schema, err := d.schema(ctx, project, collectionID)
	if err != nil {
		return nil, err
	}
	if q.State == "" {
		q.State = stateWithDraft
	}
	shown, err := d.listed(schema, q.Fields)
	if err != nil {
		return nil, err
	}
	q.Shape = query.Shape{}
	sel, _, err := check(schema, true, q)
	if err != nil {
		return nil, err
	}
	sel.Without = query.RowDates | query.RowGroup | query.RowDocument // the entries themselves are read by id
	listing := &Listing{reader: d.reader, sel: sel, counted: q.Total && sel.Whole()}
	page := &ManagedPage{Offset: sel.Offset, Limit: sel.Limit}
	rows, more, total, err := listing.rows(ctx)
	if err != nil {
		return nil, err
	}
	page.HasMore = more
	if page.Entries, err = d.manageRows(ctx, schema, rows, shown); err != nil || !q.Total {
		return page, err
	}
	n, err := listing.totalOf(ctx, total, len(page.Entries), more)
	page.Total = &n
	return page, err
}

// manageRows returns the entries of rows, in the order of rows. It leaves out entries that were
// destroyed meanwhile.
func (d *Drafts) manageRows(ctx context.Context, schema core.Schema, rows []core.Row, shown *projection) ([]Managed, error) {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	found, err := d.stores.Entries.Entries(ctx, schema.Project.ID, ids)
	if err != nil {
		return nil, err
	}
	read := core.EntriesByID(found)
	entries := make([]core.Entry, 0, len(rows))
	for _, id := range ids {
		if e := read[id]; e != nil {
			entries = append(entries, *e)
		}
	}
	return d.all(ctx, schema, entries, shown)
}

// listed returns what a list shows of each entry: the fields that paths names, see query.Shape.Fields, or those
// without items.
func (d *Drafts) listed(schema core.Schema, paths string) (*projection, error) {
	c := checker{schema: schema, hidden: d.hidden, ids: true}
	shown := c.listed(paths)
	return shown, c.err()
}

// Entry returns an entry of the collection that is not in the trash, or
// core.ErrNotFound.
func (d *Drafts) Entry(ctx context.Context, ref review.EntryRef) (*Managed, error) {
	schema, e, err := d.entry(ctx, ref)
	if err != nil {
		return nil, err
	}
	return d.one(ctx, schema, e)
}

// Stored returns an entry of the Project that is not in the trash, or core.ErrNotFound.
func (d *Drafts) Stored(ctx context.Context, project *core.Project, id int64) (core.Entry, error) {
	e, err := d.stores.Entries.Entry(ctx, project.ID, id)
	if err == nil && e.Trashed() {
		err = core.NotFound("entry")
	}
	return e, err
}

// Current returns an entry of the collection as it is now, in the trash or not, or
// core.ErrNotFound.
func (d *Drafts) Current(ctx context.Context, ref review.EntryRef) (*Managed, error) {
	schema, e, err := d.stored(ctx, ref)
	if err != nil {
		return nil, err
	}
	return d.one(ctx, schema, e)
}

// Trashed returns an entry of the collection that is in the trash, or core.ErrNotFound.
func (d *Drafts) Trashed(ctx context.Context, ref review.EntryRef) (*Managed, error) {
	schema, e, err := d.stored(ctx, ref)
	if err != nil {
		return nil, err
	}
	if !e.Trashed() {
		return nil, core.NotFound("entry")
	}
	return d.one(ctx, schema, e)
}

// Version returns the present version of an entry of the collection, in the trash or not, or
// core.ErrNotFound. It bypasses the cache.
func (d *Drafts) Version(ctx context.Context, ref review.EntryRef) (int64, error) {
	e, err := entryOf(ctx, d.stores.Entries, ref)
	return e.Version, err
}

// Trash lists the entries in the trash of the collection, the last trashed first. fields, offset and limit
// are as in List.
func (d *Drafts) Trash(ctx context.Context, project *core.Project, collectionID int64, fields string, offset, limit *int64) (*ManagedPage, error) {
	schema, err := d.schema(ctx, project, collectionID)
	if err != nil {
		return nil, err
	}
	shown, err := d.listed(schema, fields)
	if err != nil {
		return nil, err
	}
	window, _, err := check(schema, true, query.Query{Offset: offset, Limit: limit})
	if err != nil {
		return nil, err
	}
	page := &ManagedPage{Offset: window.Offset, Limit: window.Limit}
	entries, err := d.stores.Entries.Trash(ctx, project.ID, collectionID, page.Offset, page.Limit)
	if err != nil {
		return nil, err
	}
	if int64(len(entries)) > page.Limit {
		entries, page.HasMore = entries[:page.Limit], true
	}
	page.Entries, err = d.all(ctx, schema, entries, shown)
	return page, err
}

// Versions returns both versions of an entry that is not in the trash, or
// core.ErrNotFound.
func (d *Drafts) Versions(ctx context.Context, ref review.EntryRef) (*Versions, error) {
	schema, e, err := d.entry(ctx, ref)
	if err != nil {
		return nil, err
	}
	rows := []core.Row{e.Row(core.StateWithDraft)}
	if e.Published != nil {
		rows = append(rows, e.Row(core.StatePublished))
	}
	fields, _, err := d.fields(ctx, schema, rows, nil)
	if err != nil {
		return nil, err
	}
	versions := &Versions{Draft: fields[0]}
	if e.Published != nil {
		versions.Published = fields[1]
	}
	return versions, nil
}

// Uses returns the first library.MaxUses entries, ordered by id, that refer to the translation group of
// an entry, in the trash or not: with a relation or in rich text, in a version that readers see or
// may see later.
func (d *Drafts) Uses(ctx context.Context, ref review.EntryRef) ([]library.Use, error) {
	e, err := entryOf(ctx, d.stores.Entries, ref)
	if err != nil {
		return nil, err
	}
	uses, err := d.stores.Entries.Uses(ctx, ref.Project.ID, e.Group, library.MaxUses)
	if err != nil {
		return nil, err
	}
	schema, err := d.schema(ctx, ref.Project, ref.CollectionID)
	if err != nil {
		return nil, err
	}
	if err := ports.RequireUses(ctx, d.stores.Entries, schema, e.Group, uses); err != nil {
		return nil, err
	}
	slices.SortStableFunc(uses, func(a, b library.Use) int { // those that readers miss something of first
		return cmp.Compare(rank(a), rank(b))
	})
	return uses, ports.TitleUses(ctx, d.stores, ref.Project.ID, uses)
}

// rank orders uses of an entry: those that require it come first.
func rank(u library.Use) int {
	if u.Required && !u.Trashed {
		return 0
	}
	return 1
}

// Translations returns the entries of the translation group of an entry that is not in the trash,
// including this entry but no others in the trash, ordered by id, or core.ErrNotFound. fields is as in List.
func (d *Drafts) Translations(ctx context.Context, ref review.EntryRef, fields string) (members []Managed, err error) {
	err = d.reader.whole.severally(ctx, ref.Project.ID, func() error {
		members, err = d.translations(ctx, ref, fields)
		return err
	})
	return members, err
}

func (d *Drafts) translations(ctx context.Context, ref review.EntryRef, fields string) ([]Managed, error) {
	schema, e, err := d.entry(ctx, ref)
	if err != nil {
		return nil, err
	}
	shown, err := d.listed(schema, fields)
	if err != nil {
		return nil, err
	}
	members, err := d.stores.Entries.Translations(ctx, ref.Project.ID, e.Group)
	if err != nil {
		return nil, err
	}
	members = slices.DeleteFunc(members, func(e core.Entry) bool { return e.Trashed() })
	return d.all(ctx, schema, members, shown)
}

// Overview returns the counts of the Project for the given number of days up to today, in UTC by
// the database's clock. Published has an element for every day.
func (d *Drafts) Overview(ctx context.Context, project *core.Project, days int) (overview.Overview, error) {
	now, err := d.stores.Clock.Now(ctx)
	if err != nil {
		return overview.Overview{}, err
	}
	from := core.Day(now).AddDate(0, 0, 1-days)
	o, err := d.stores.Overviews.Overview(ctx, project.ID, from)
	if err != nil {
		return overview.Overview{}, err
	}
	stored := o.Published
	o.Published = make([]overview.DayCount, days)
	for i := range o.Published {
		o.Published[i].Day = from.AddDate(0, 0, i)
		if len(stored) > 0 && stored[0].Day.Equal(o.Published[i].Day) {
			o.Published[i], stored = stored[0], stored[1:]
		}
	}
	return o, nil
}

// entry returns an entry of the collection that is not in the trash.
func (d *Drafts) entry(ctx context.Context, ref review.EntryRef) (core.Schema, core.Entry, error) {
	schema, e, err := d.stored(ctx, ref)
	if err == nil && e.Trashed() {
		err = core.NotFound("entry")
	}
	return schema, e, err
}

// stored returns an entry of the collection, in the trash or not.
func (d *Drafts) stored(ctx context.Context, ref review.EntryRef) (core.Schema, core.Entry, error) {
	schema, err := d.schema(ctx, ref.Project, ref.CollectionID)
	if err != nil {
		return core.Schema{}, core.Entry{}, err
	}
	e, err := entryOf(ctx, d.stores.Entries, ref)
	return schema, e, err
}

// entryOf returns an entry of the collection, in the trash or not.
func entryOf(ctx context.Context, entries ports.EntryStore, ref review.EntryRef) (core.Entry, error) {
	e, err := entries.Entry(ctx, ref.Project.ID, ref.ID)
	if err == nil && e.CollectionID != ref.CollectionID {
		err = core.ErrNotFound
	}
	return e, named(err, "entry")
}

func (d *Drafts) schema(ctx context.Context, project *core.Project, collectionID int64) (core.Schema, error) {
	collections, err := d.reader.schemas.Collections(ctx, project.ID)
	if err != nil {
		return core.Schema{}, err
	}
	schema := core.Schema{Project: project, Collections: collections}
	return schema.Of(schema.ByID(collectionID))
}
