package reading

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// Reader reads published content, and drafts for callers that may see them. It is safe for
// concurrent use.
type Reader struct {
	entries ports.EntryReader
	schemas ports.Schemas
	media   ports.MediaReader
	files   core.FileBase
	cache   ports.ReadCache // nil: none
	// mediaIDs shows ids in media fields of versions without sealed media, instead of the media.
	mediaIDs bool
}

// NewReader returns a Reader.
func NewReader(entries ports.EntryReader, schemas ports.Schemas, media ports.MediaReader, files core.FileBase, options ...ReaderOption) *Reader {
	r := &Reader{entries: entries, schemas: schemas, media: media, files: files}
	for _, option := range options {
		option(r)
	}
	return r
}

// Collections returns the Project's collections, ordered by slug. The caller must not change
// them, and must leave out secret fields when it shows them.
func (r *Reader) Collections(ctx context.Context, project *core.Project) ([]*core.Collection, error) {
	return r.schemas.Collections(ctx, project.ID)
}

// Collection returns the Project's collection of that slug, or core.ErrNotFound.
func (r *Reader) Collection(ctx context.Context, project *core.Project, slug string) (*core.Collection, error) {
	from, err := r.source(ctx, project, slug)
	if err != nil {
		return nil, err
	}
	return from.Collection, nil
}

// Prepare checks q without reading entries. drafts reports whether the caller may see drafts:
// if not, any state but published is core.KindForbidden. An unknown collection is
// core.ErrNotFound. All other faults of q are one core.KindBadRequest that names each of them.
func (r *Reader) Prepare(ctx context.Context, project *core.Project, drafts bool, q core.Query) (*Listing, error) {
	from, err := r.source(ctx, project, q.Collection)
	if err != nil {
		return nil, err
	}
	sel, shown, err := check(from.Schema, drafts, q)
	if err != nil {
		return nil, err
	}
	sel.Without = core.RowGroup
	if !shown.showsDates() && (!q.Cursor || !sortsByDates(sel.Sort)) {
		sel.Without |= core.RowDates
	}
	return &Listing{reader: r, from: from, sel: sel, shape: shown, counted: q.Total && sel.Whole(), cursor: q.Cursor}, nil
}

// Entry returns the published version of one entry, or core.ErrNotFound when the collection, or a
// published entry with that id in it, does not exist, and core.KindBadRequest for an invalid shape.
// Relations of every level are resolved in the entry's locale.
func (r *Reader) Entry(ctx context.Context, project *core.Project, slug string, id int64, s core.Shape) (*Shaped, error) {
	from, shown, err := r.shaped(ctx, project, slug, s)
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (*Shaped, error) { return r.entry(ctx, from.Schema, id, shown) }
	if from.epoch == 0 {
		return read(ctx)
	}
	return remember(ctx, r, from, entryKey(from.Collection.ID, id, shown), read)
}

// StoredEntry is Entry without the cache. A cached result may be a second old.
func (r *Reader) StoredEntry(ctx context.Context, project *core.Project, slug string, id int64, s core.Shape) (*Shaped, error) {
	from, shown, err := r.shaped(ctx, project, slug, s)
	if err != nil {
		return nil, err
	}
	return r.entry(ctx, from.Schema, id, shown)
}

// shaped returns the definitions that a read of the collection needs, and the checked shape.
func (r *Reader) shaped(ctx context.Context, project *core.Project, slug string, s core.Shape) (source, shape, error) {
	from, err := r.source(ctx, project, slug)
	if err != nil {
		return source{}, shape{}, err
	}
	c := checker{schema: from.Schema}
	shown := c.shape(s)
	return from, shown, c.err()
}

func (r *Reader) entry(ctx context.Context, schema core.Schema, id int64, shown shape) (*Shaped, error) {
	row, err := r.entries.Published(ctx, schema.Project.ID, schema.Collection.ID, id)
	if err != nil {
		return nil, named(err, "entry")
	}
	return r.shapeOne(ctx, schema, row, shown)
}

// shapeOne returns a published version as JSON.
func (r *Reader) shapeOne(ctx context.Context, schema core.Schema, row core.Row, shown shape) (*Shaped, error) {
	seen := view{state: core.StatePublished, locale: row.Locale, shape: shown}
	shaped, _, err := r.shape(ctx, schema, seen, []core.Row{row})
	if err != nil {
		return nil, err
	}
	return &shaped[0], nil
}

// source returns the definitions that a read of the collection needs. With a cache it reads the
// project again: the caller's may belong to an earlier epoch.
func (r *Reader) source(ctx context.Context, project *core.Project, slug string) (from source, err error) {
	if r.cache != nil {
		from.epoch = r.cache.Epoch(project.ID)
	}
	if from.epoch != 0 {
		if project, err = r.schemas.Project(ctx, project.ID); err != nil {
			return source{}, named(err, "project")
		}
	}
	collections, err := r.schemas.Collections(ctx, project.ID)
	if err != nil {
		return source{}, err
	}
	from.Schema = core.Schema{Project: project, Collections: collections}
	from.Schema, err = from.Of(from.BySlug(slug))
	return from, err
}

// named names the validation.Missing thing when err is core.ErrNotFound.
func named(err error, thing string) error {
	if errors.Is(err, core.ErrNotFound) {
		return core.NotFound(thing)
	}
	return err
}
