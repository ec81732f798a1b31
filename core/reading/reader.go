package reading

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// Reader reads published content, and drafts for callers that may see them. It is safe for
// concurrent use.
type Reader struct {
	entries ports.EntryReader
	schemas ports.Schemas
	media   ports.MediaReader
	files   fileurl.Base
	whole   *wholeness
	inside  bool // of Whole
	// drafts shows drafts to every caller, and by default. It is that of a preview.
	drafts bool
	// mediaIDs shows ids in media fields of versions without sealed media, instead of the media.
	mediaIDs bool
}

// NewReader returns a Reader.
func NewReader(entries ports.EntryReader, schemas ports.Schemas, media ports.MediaReader, files fileurl.Base) *Reader {
	return &Reader{entries: entries, schemas: schemas, media: media, files: files, whole: &wholeness{entries: entries}}
}

// Collections returns the Project's collections, ordered by slug. The caller must not change
// them, and must leave out secret fields when it shows them.
func (r *Reader) Collections(ctx context.Context, project *core.Project) ([]*core.Collection, error) {
	return r.schemas.Collections(ctx, project.ID)
}

// Collection returns the Project's collection of that slug, or core.ErrNotFound.
func (r *Reader) Collection(ctx context.Context, project *core.Project, slug string) (*core.Collection, error) {
	schema, err := r.schema(ctx, project, slug)
	if err != nil {
		return nil, err
	}
	return schema.Collection, nil
}

// Prepare checks q without reading entries. drafts reports whether the caller may see drafts:
// if not, any state but published is core.KindForbidden. An unknown collection is
// core.ErrNotFound. All other faults of q are one core.KindBadRequest that names each of them.
func (r *Reader) Prepare(ctx context.Context, project *core.Project, drafts bool, q query.Query) (*Listing, error) {
	schema, err := r.schema(ctx, project, q.Collection)
	if err != nil {
		return nil, err
	}
	sel, shown, err := r.check(schema, drafts, q)
	if err != nil {
		return nil, err
	}
	sel.Without = query.RowGroup
	if shown.depends = shown.dependsOn(&sel); shown.depends != nil || shown.alternates || len(shown.referrers) > 0 {
		sel.Without = 0
	}
	if !shown.showsDates() && (!q.Cursor || !sortsByDates(sel.Sort)) {
		sel.Without |= query.RowDates
	}
	return &Listing{reader: r, sel: sel, shape: shown, counted: q.Total && sel.Whole(), cursor: q.Cursor}, nil
}

// check is check with the default state of r.
func (r *Reader) check(schema core.Schema, drafts bool, q query.Query) (query.Selection, shape, error) {
	if r.drafts && q.State == "" {
		q.State = stateWithDraft
	}
	return check(schema, drafts || r.drafts, q)
}

// Entry returns the published version of one entry, or core.ErrNotFound when the collection, or a
// published entry with that id in it, does not exist, and core.KindBadRequest for an invalid shape.
// Relations of every level are resolved in the entry's locale.
func (r *Reader) Entry(ctx context.Context, project *core.Project, slug string, id int64, s query.Shape) (shaped *Shaped, err error) {
	err = r.Whole(ctx, project, func(r *Reader) error {
		shaped, err = r.entry(ctx, project, slug, id, s)
		return err
	})
	return shaped, err
}

func (r *Reader) entry(ctx context.Context, project *core.Project, slug string, id int64, s query.Shape) (*Shaped, error) {
	schema, shown, err := r.shaped(ctx, project, slug, s)
	if err != nil {
		return nil, err
	}
	row, err := r.entries.Published(ctx, project.ID, schema.Collection.ID, id)
	if err != nil {
		return nil, named(err, "entry")
	}
	return r.shapeOne(ctx, schema, row, row.Locale, shown)
}

// EntryIn returns, of the translations of a public entry, the one that a list in the locale has. Its
// relations are resolved in the locale. Its errors are those of Entry, also when no translation serves the
// locale, and core.KindBadRequest for an unknown locale and for "*".
func (r *Reader) EntryIn(ctx context.Context, project *core.Project, slug string, id int64, locale string, s query.Shape) (shaped *Shaped, err error) {
	err = r.Whole(ctx, project, func(r *Reader) error {
		shaped, err = r.entryIn(ctx, project, slug, id, locale, s)
		return err
	})
	return shaped, err
}

// entryIn makes a second store call only if the entry itself does not serve the locale.
func (r *Reader) entryIn(ctx context.Context, project *core.Project, slug string, id int64, locale string, s query.Shape) (*Shaped, error) {
	schema, err := r.schema(ctx, project, slug)
	if err != nil {
		return nil, err
	}
	c := checker{schema: schema}
	if locale == query.AllLocales {
		c.fault("locale", locale, "must be one locale")
	} else {
		locale = c.locale(locale)
	}
	shown := c.shape(s)
	if err := c.err(); err != nil {
		return nil, err
	}
	row, err := r.entries.Published(ctx, project.ID, schema.Collection.ID, id)
	if err != nil {
		return nil, named(err, "entry")
	}
	if served := project.LocaleMask(locale); row.Serves&served == 0 {
		rows, err := r.entries.Serving(ctx, project.ID, core.StatePublished, []int64{row.Group}, served, true)
		if err != nil {
			return nil, err
		}
		if rows = slices.DeleteFunc(rows, func(row core.Row) bool { return row.CollectionID != schema.Collection.ID }); len(rows) == 0 {
			return nil, core.NotFound("entry")
		}
		row = rows[0]
	}
	return r.shapeOne(ctx, schema, row, locale, shown)
}

// shaped returns the definitions that a read of the collection needs, and the checked shape.
func (r *Reader) shaped(ctx context.Context, project *core.Project, slug string, s query.Shape) (core.Schema, shape, error) {
	schema, err := r.schema(ctx, project, slug)
	if err != nil {
		return core.Schema{}, shape{}, err
	}
	c := checker{schema: schema}
	shown := c.shape(s)
	return schema, shown, c.err()
}

// shapeOne returns a published version as JSON, with its relations in the locale. Without a given depth it shortens relations rather than
// exceed a limit.
func (r *Reader) shapeOne(ctx context.Context, schema core.Schema, row core.Row, locale string, shown shape) (*Shaped, error) {
	shown.depends.Of(schema.Collection.Slug)
	seen := view{state: core.StatePublished, locale: locale, shape: shown}
	shaped, _, err := r.shape(ctx, schema, seen, []core.Row{row})
	shortened := exceeds(err) && shown.shortens
	if shortened {
		seen.depth = 0
		shaped, _, err = r.shape(ctx, schema, seen, []core.Row{row})
	}
	if err != nil {
		return nil, err
	}
	shaped[0].Shortened = shortened
	return &shaped[0], nil
}

// schema returns the definitions that a read of the collection needs.
func (r *Reader) schema(ctx context.Context, project *core.Project, slug string) (core.Schema, error) {
	collections, err := r.schemas.Collections(ctx, project.ID)
	if err != nil {
		return core.Schema{}, err
	}
	schema := core.Schema{Project: project, Collections: collections}
	return schema.Of(schema.BySlug(slug))
}

// named names the missing thing when err is core.ErrNotFound.
func named(err error, thing string) error {
	if errors.Is(err, core.ErrNotFound) {
		return core.NotFound(thing)
	}
	return err
}
