package reading

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
)

// Single returns the published entry of a singleton that serves the locale; empty: the Project's default
// locale. It returns core.ErrNotFound when nothing of the entry is public and for a collection that is
// no singleton, and core.KindBadRequest for an unknown locale, for "*", and for an invalid shape.
func (r *Reader) Single(ctx context.Context, project *core.Project, slug, locale string, s query.Shape) (shaped *Shaped, err error) {
	err = r.Whole(ctx, project, func(r *Reader) error {
		shaped, err = r.singleEntry(ctx, project, slug, locale, s)
		return err
	})
	return shaped, err
}

func (r *Reader) singleEntry(ctx context.Context, project *core.Project, slug, locale string, s query.Shape) (*Shaped, error) {
	one := int64(1)
	listing, err := r.single(ctx, project, slug, query.Query{Locale: locale, Limit: &one, Shape: s})
	if err != nil {
		return nil, err
	}
	rows, _, _, err := listing.rows(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, core.NotFound("entry")
	}
	return r.shapeOne(ctx, listing.sel.Schema, rows[0], listing.sel.Locale, listing.shape)
}

// single prepares the query of a singleton.
func (r *Reader) single(ctx context.Context, project *core.Project, slug string, q query.Query) (*Listing, error) {
	schema, err := r.schema(ctx, project, slug)
	switch {
	case err != nil:
		return nil, err
	case !schema.Collection.Singleton:
		none := core.NotFound("entry")
		none.Message = "the collection holds several entries, not a single one: list its entries or read one by its id"
		return nil, none
	case q.Locale == query.AllLocales:
		return nil, core.BadParameter("locale", q.Locale, "must be one locale")
	}
	q.Collection = slug
	return r.Prepare(ctx, project, false, q)
}

// Single returns what readers saw of the entry of a singleton in a locale at that time, of its
// translation group of today, with the present fallbacks. Its errors are those of Entry and
// Reader.Single.
func (p *History) Single(ctx context.Context, project *core.Project, slug, locale string, s query.Shape, at time.Time) (shaped *Shaped, err error) {
	err = p.whole.severally(ctx, project.ID, func() error {
		shaped, err = p.single(ctx, project, slug, locale, s, at)
		return err
	})
	return shaped, err
}

func (p *History) single(ctx context.Context, project *core.Project, slug, locale string, s query.Shape, at time.Time) (*Shaped, error) {
	if err := p.past(ctx, at); err != nil {
		return nil, err
	}
	past := &pastEntries{p.stores.Entries, p.stores.Publications, project, at}
	reader := p.reader(past)
	one := int64(1)
	listing, err := reader.single(ctx, project, slug, query.Query{Locale: locale, Limit: &one, Shape: s})
	if err != nil {
		return nil, err
	}
	sel := listing.sel
	all := sel
	all.State, all.Locale, all.Without = core.StateWithDraft, query.AllLocales, query.RowDates|query.RowDocument
	members, _, err := p.stores.Entries.List(ctx, all, false)
	if err != nil {
		return nil, err
	}
	served := project.LocaleMask(sel.Locale)
	for _, m := range members[:min(1, len(members))] {
		rows, err := past.Serving(ctx, project.ID, core.StatePublished, []int64{m.Group}, served, true)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Serves&served != 0 && row.CollectionID == sel.Schema.Collection.ID {
				return reader.shapeOne(ctx, sel.Schema, row, row.Locale, listing.shape)
			}
		}
	}
	return nil, core.NotFound("publication of the entry at that time")
}
