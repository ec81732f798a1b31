package reading

import (
	"context"
	"encoding/json"
	"time"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// History reads what readers saw at earlier times, from the publications of entries. It is safe for
// concurrent use.
type History struct {
	stores  ports.Stores
	schemas ports.Schemas
	files   fileurl.Base
	whole   *wholeness
}

// NewHistory returns a History with these dependencies.
func NewHistory(stores ports.Stores, schemas ports.Schemas, files fileurl.Base) *History {
	return &History{stores, schemas, files, &wholeness{entries: stores.Entries}}
}

// Entry returns what readers saw of one entry at that time, as Reader.Entry would have returned it
// with the present definitions. Sealed media have the words of that time.
// Media fields of versions without sealed media show only ids; their rich text has the present
// addresses of its files. Relations show, in the locale of the entry, the entries that were public
// then, and entries may have been destroyed since. It returns core.ErrNotFound when the entry was not
// public, and core.KindBadRequest when the time is in the future by the database's clock or the shape
// is invalid.
func (p *History) Entry(ctx context.Context, project *core.Project, slug string, id int64, s query.Shape, at time.Time) (shaped *Shaped, err error) {
	err = p.whole.severally(ctx, project.ID, func() error {
		shaped, err = p.entry(ctx, project, slug, id, s, at)
		return err
	})
	return shaped, err
}

func (p *History) entry(ctx context.Context, project *core.Project, slug string, id int64, s query.Shape, at time.Time) (*Shaped, error) {
	if err := p.past(ctx, at); err != nil {
		return nil, err
	}
	entries := &pastEntries{p.stores.Entries, p.stores.Publications, project, at}
	reader := p.reader(entries)
	schema, shown, err := reader.shaped(ctx, project, slug, s)
	if err != nil {
		return nil, err
	}
	then, err := p.stores.Publications.PublicAt(ctx, project.ID, id, at)
	if err == nil && then.CollectionID != schema.Collection.ID {
		err = core.ErrNotFound
	}
	if err != nil {
		return nil, named(err, "publication of the entry at that time")
	}
	row := pastRow(&then)
	return reader.shapeOne(ctx, schema, row, row.Locale, shown)
}

// past returns core.KindBadRequest for a time in the future by the database's clock.
func (p *History) past(ctx context.Context, at time.Time) error {
	now, err := p.stores.Clock.Now(ctx)
	if err == nil && at.After(now) {
		err = core.BadParameter("asOf", nil, "must not be in the future")
	}
	return err
}

// Fields returns fields, which are of the publication then, with what links in rich text showed of
// their targets at the time of the publication. It makes no store call without such links.
func (p *History) Fields(ctx context.Context, project *core.Project, then *core.Publication, fields core.Document) (core.Document, error) {
	collections, err := p.schemas.Collections(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	schema := core.Schema{Project: project, Collections: collections}
	if schema, err = schema.Of(schema.ByID(then.CollectionID)); err != nil {
		return nil, err
	}
	reader := p.reader(&pastEntries{p.stores.Entries, p.stores.Publications, project, then.PublishedAt})
	row := pastRow(then)
	row.Document = fields
	e := newEncoder(schema, view{state: core.StatePublished, locale: query.AllLocales})
	laid := e.layOut([]core.Row{row}, nil)
	if gather(laid); !laid[0].linked {
		return fields, nil
	}
	if err := e.load(ctx, reader, laid); err != nil {
		return nil, err
	}
	edit := func(f *core.Field, _ string, value json.RawMessage) json.RawMessage {
		if !f.HasIDs(value) {
			return value
		}
		return f.EditLinks(value, func(_ string, l *core.Link) { e.levels[0].link(&laid[0], l) })
	}
	return fields.Edit(func(name string, value json.RawMessage) json.RawMessage {
		if f := schema.Collection.Field(name); f != nil && !f.Secret() {
			return f.EditValues(value, edit)
		}
		return value
	}), nil
}

// reader returns a Reader of past entries. It shows the ids in media fields of versions that are not
// sealed, because readers saw the words of the library of that time.
func (p *History) reader(entries *pastEntries) *Reader {
	r := NewReader(entries, p.schemas, pastMedia{p.stores.Media}, p.files)
	r.mediaIDs = true
	return r
}

// pastMedia reads media that may have left the library since.
type pastMedia struct{ ports.ShownMedia }

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

// pastRow returns what readers saw of an entry in a publication.
func pastRow(p *core.Publication) core.Row {
	content := core.Document(p.Content)
	media := core.Document(content.Value("media"))
	if media == nil && p.RequestID != 0 {
		media = core.NewDocument(nil) // sealed without media: with nil the row would show their ids
	}
	return core.Row{
		ID: p.EntryID, CollectionID: p.CollectionID, Group: p.Group, Locale: p.Locale(),
		PublishedAt: p.Since, CreatedAt: p.CreatedAt, UpdatedAt: p.PublishedAt,
		Document: content.Value("fields"), Media: media,
	}
}

// Serving implements ports.EntryReader for the time p.at.
func (p *pastEntries) Serving(
	ctx context.Context, projectID int64, _ core.State, groups []int64, locales uint64, _ bool,
) ([]core.Row, error) {
	public, err := p.publications.GroupsPublicAt(ctx, projectID, groups, p.at)
	if err != nil {
		return nil, err
	}
	rows := make([]core.Row, len(public))
	byGroup := map[int64][]int{} // indexes of rows
	for i := range public {
		rows[i] = pastRow(&public[i])
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
