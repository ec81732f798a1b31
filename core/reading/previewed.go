package reading

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// Previewing returns a Reader that shows version wherever its entry stands. Places in lists, conditions and totals
// are those of the stored versions. With drafts it shows the drafts of all other entries; the Projects of its calls
// are then always that of the entry. An entry that was never public is found by its id.
func (r *Reader) Previewing(project *core.Project, finder ports.EntryFinder, version core.Row, drafts bool) *Reader {
	entries := &previewedEntries{r.entries, finder, project, version, drafts}
	own := *r
	own.entries, own.whole, own.drafts, own.inside = entries, &wholeness{entries: entries}, drafts, false
	return &own
}

// previewedEntries reads entries with a version in place of what is stored of one of them.
type previewedEntries struct {
	ports.EntryReader

	finder  ports.EntryFinder
	project *core.Project
	version core.Row
	drafts  bool
}

// Seeing implements ports.EntryReader.
func (p *previewedEntries) Seeing(seen *release.Seen) ports.EntryReader {
	own := *p
	own.EntryReader = p.EntryReader.Seeing(seen)
	return &own
}

// shown replaces what is stored of the entry in rows.
func (p *previewedEntries) shown(rows []core.Row) []core.Row {
	for i := range rows {
		if rows[i].ID == p.version.ID && rows[i].Document != nil {
			rows[i].Document, rows[i].Media = p.version.Document, p.version.Media
		}
	}
	return rows
}

// List implements ports.EntryReader.
func (p *previewedEntries) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	rows, total, err := p.EntryReader.List(ctx, sel, counted)
	return p.shown(rows), total, err
}

// Serving implements ports.EntryReader.
func (p *previewedEntries) Serving(ctx context.Context, projectID int64, state core.State, groups []int64, locales uint64, documents bool) ([]core.Row, error) {
	if p.drafts {
		state = core.StateWithDraft
	}
	rows, err := p.EntryReader.Serving(ctx, projectID, state, groups, locales, documents)
	return p.shown(rows), err
}

// Published implements ports.EntryReader. It also finds drafts, with drafts, and the entry of the version.
func (p *previewedEntries) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	own := id == p.version.ID && collectionID == p.version.CollectionID
	if !p.drafts {
		row, err := p.EntryReader.Published(ctx, projectID, collectionID, id)
		switch {
		case own && errors.Is(err, core.ErrNotFound):
			return p.unpublished(ctx)
		case own && err == nil:
			row = p.shown([]core.Row{row})[0]
		}
		return row, err
	}
	row := p.version
	if !own {
		e, err := p.finder.Entry(ctx, projectID, id)
		if err == nil && (e.CollectionID != collectionID || e.Trashed()) {
			err = core.ErrNotFound
		}
		if err != nil {
			return core.Row{}, err
		}
		row = e.Row(core.StateWithDraft)
	}
	group, err := p.EntryReader.Serving(ctx, projectID, core.StateWithDraft, []int64{row.Group}, ^uint64(0), false)
	for _, member := range group {
		if member.ID == row.ID {
			row.Serves = member.Serves
		}
	}
	return row, err
}

// unpublished returns the version of an entry that is not public. It serves the locales that it would serve if it were.
func (p *previewedEntries) unpublished(ctx context.Context) (core.Row, error) {
	row := p.version
	public, err := p.EntryReader.Serving(ctx, p.project.ID, core.StatePublished, []int64{row.Group}, ^uint64(0), true)
	tags := []string{row.Locale}
	for _, member := range public {
		tags = append(tags, member.Locale)
	}
	row.Serves = p.project.Serves(tags)[0]
	return row, err
}

// Alternates implements ports.EntryReader.
func (p *previewedEntries) Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error) {
	found, err := p.EntryReader.Alternates(ctx, project, groups, slug)
	for i := range found {
		if found[i].ID == p.version.ID && slug != nil {
			found[i].Slug, _ = canonical.Text(p.version.Document.Value(slug.Name))
		}
	}
	return found, err
}
