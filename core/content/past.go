package content

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Past reads what readers saw at earlier times, from the publications of entries. It is safe for
// concurrent use.
type Past struct {
	stores  ports.Stores
	schemas ports.Schemas
	files   core.FileBase
	clock   ports.Clock
}

// NewPast returns a Past with these dependencies. Past.Entry refuses times after clock.Now().
func NewPast(stores ports.Stores, schemas ports.Schemas, files core.FileBase, clock ports.Clock) *Past {
	return &Past{stores, schemas, files, clock}
}

// Entry returns what readers saw of one entry at that time, as Reader.Entry would have returned it
// with the present definitions. Media have the file names, captions and tags of that time; relations
// show the entries that were public then. It returns core.ErrNotFound when the entry does not exist
// or was not public, and core.KindBadRequest when the time is in the future or the shape is invalid.
func (p *Past) Entry(ctx context.Context, project *core.Project, slug string, id int64, s core.Shape, at time.Time) (*Shaped, error) {
	if at.After(p.clock.Now()) {
		return nil, core.BadParameter("asOf", nil, "must not be in the future")
	}
	entries := &pastEntries{p.stores.Entries, p.stores.Publications, project, at}
	reader := NewReader(entries, p.schemas, pastMedia{p.stores.Media}, p.files)
	from, shown, err := reader.shaped(ctx, project, slug, s)
	if err != nil {
		return nil, err
	}
	e, err := entryOf(ctx, p.stores.Entries, project.ID, from.Collection.ID, id)
	if err != nil {
		return nil, err
	}
	rows, err := entries.rows(ctx, []core.Entry{e})
	if err == nil && len(rows) == 0 {
		err = core.NotFound("publication of the entry at that time")
	}
	if err != nil {
		return nil, err
	}
	return reader.shapeOne(ctx, from.Schema, rows[0], shown)
}

// pastMedia reads media that may have left the library since.
type pastMedia struct{ ports.MediaStore }

// MediaByIDs implements ports.MediaReader.
func (m pastMedia) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	return m.PastMedia(ctx, projectID, ids)
}

// pastEntries reads relations as they were at the time at.
type pastEntries struct {
	ports.EntryStore
	publications ports.PublicationStore
	project      *core.Project
	at           time.Time
}

// rows returns a row for each of the entries that was public at p.at.
func (p *pastEntries) rows(ctx context.Context, entries []core.Entry) ([]core.Row, error) {
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	public, err := p.publications.PublicAt(ctx, p.project.ID, ids, p.at)
	if err != nil {
		return nil, err
	}
	found := byID(public, func(p *core.Publication) int64 { return p.EntryID })
	rows := make([]core.Row, 0, len(public))
	for i := range entries {
		if then := found[entries[i].ID]; then != nil {
			content := core.Document(then.Content)
			media := core.Document(content.Value("media"))
			if media == nil {
				media = core.NewDocument(nil) // with nil the row would show the media of the library
			}
			rows = append(rows, core.Row{
				ID: then.EntryID, CollectionID: then.CollectionID, Group: entries[i].Group, Locale: entries[i].Locale,
				PublishedAt: then.Since, CreatedAt: entries[i].CreatedAt, UpdatedAt: then.PublishedAt,
				Document: content.Value("fields"), Media: media,
			})
		}
	}
	return rows, nil
}

// Serving implements ports.EntryReader for the time p.at.
func (p *pastEntries) Serving(
	ctx context.Context, projectID int64, _ core.State, groups []int64, locales uint64, _ bool,
) ([]core.Row, error) {
	members, err := p.Translations(ctx, projectID, groups...)
	if err != nil {
		return nil, err
	}
	rows, err := p.rows(ctx, members)
	if err != nil {
		return nil, err
	}
	byGroup := map[int64][]int{} // indexes of rows
	for i := range rows {
		byGroup[rows[i].Group] = append(byGroup[rows[i].Group], i)
	}
	for _, indexes := range byGroup {
		tags := make([]string, len(indexes))
		for n, i := range indexes {
			tags[n] = rows[i].Locale
		}
		for n, mask := range p.project.Serves(tags) {
			rows[indexes[n]].Serves = mask & locales
		}
	}
	return rows, nil
}
