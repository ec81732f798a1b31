package reading_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// readerFixture is a project with two collections, on the memory stores.
type readerFixture struct {
	stores    ports.Stores
	project   *core.Project
	countries *core.Collection
	articles  *core.Collection
	calls     *countingEntries
	reader    *reading.Reader
	drafts    *reading.Drafts
	schemas   contenttest.Schemas
}

var day = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)

func setupReader(t testing.TB) *readerFixture {
	t.Helper()
	ctx := context.Background()
	stores := memory.New().Stores()
	tenant := &core.Tenant{Name: "Meridian", CreatedAt: day, UpdatedAt: day}
	require.NoError(t, stores.Tenants.Insert(ctx, tenant))
	l := &readerFixture{stores: stores, schemas: contenttest.Schemas{Stores: stores}}
	l.project = &core.Project{
		UUID: "5b6b1a0e-3a6c-4a43-8d2a-0a6f7f0f9c11", TenantID: tenant.ID, Name: "World Desk",
		DefaultLocale: "en", Locales: []string{"en", "fr", "de", "fr-CA"}, CreatedAt: day, UpdatedAt: day,
	}
	require.NoError(t, stores.Projects.Insert(ctx, l.project))
	l.countries = l.collection(t, "countries",
		&core.Field{Name: "name", Type: core.TypeText},
		&core.Field{Name: "flag", Type: core.TypeMedia},
		&core.Field{Name: "borders", Type: core.TypeRelation, Collection: "countries", Multiple: true},
		&core.Field{Name: "code", Type: core.TypeText, Hidden: true},
	)
	l.articles = l.collection(t, "articles",
		&core.Field{Name: "title", Type: core.TypeText},
		&core.Field{Name: "body", Type: core.TypeRichText},
		&core.Field{Name: "views", Type: core.TypeNumber},
		&core.Field{Name: "featured", Type: core.TypeBoolean},
		&core.Field{Name: "on", Type: core.TypeDate},
		&core.Field{Name: "at", Type: core.TypeDateTime},
		&core.Field{Name: "opens", Type: core.TypeTime},
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true},
		&core.Field{Name: "country", Type: core.TypeRelation, Collection: "countries"},
		&core.Field{Name: "related", Type: core.TypeRelation, Collection: "articles", Multiple: true},
		&core.Field{Name: "lost", Type: core.TypeRelation, Collection: "nowhere"},
		&core.Field{Name: "cover", Type: core.TypeMedia},
		&core.Field{Name: "gallery", Type: core.TypeMedia, Multiple: true},
		&core.Field{Name: "meta", Type: core.TypeJSON},
		&core.Field{Name: "secretNote", Type: core.TypeText, Hidden: true},
		&core.Field{Name: "secretLink", Type: core.TypeRelation, Collection: "countries", Hidden: true},
		&core.Field{Name: "pin", Type: core.TypePassword},
	)
	l.calls = &countingEntries{EntryReader: stores.Entries, media: stores.Media}
	l.reader = reading.NewReader(l.calls, l.schemas, l.calls, "")
	l.drafts = reading.NewDrafts(stores, l.reader)
	return l
}

func (l *readerFixture) collection(t testing.TB, slug string, fields ...*core.Field) *core.Collection {
	t.Helper()
	for i, f := range fields {
		f.ID = i + 1
	}
	c := &core.Collection{CreatedAt: day, UpdatedAt: day, ProjectID: l.project.ID, Slug: slug, Name: slug, Fields: fields, NextFieldID: len(fields) + 1, Version: 1}
	require.NoError(t, l.stores.Collections.Insert(context.Background(), c))
	return c
}

// add stores an entry, published unless change modifies it.
func (l *readerFixture) add(t testing.TB, c *core.Collection, document string, change ...func(*core.Entry)) *core.Entry {
	t.Helper()
	e := &core.Entry{
		ProjectID: l.project.ID, CollectionID: c.ID, Locale: "en", Version: 1,
		Draft: core.Document(document), Published: core.Document(document),
		PublishedAt: day, CreatedAt: day.Add(-time.Hour), UpdatedAt: day.Add(2 * time.Hour), ReleasedAt: day.Add(time.Hour),
	}
	for _, c := range change {
		c(e)
	}
	require.NoError(t, l.stores.Entries.Insert(context.Background(), l.schema(t, c), e))
	return e
}

func (l *readerFixture) schema(t testing.TB, c *core.Collection) core.Schema {
	t.Helper()
	all, err := l.stores.Collections.Collections(context.Background(), l.project.ID)
	require.NoError(t, err)
	return core.Schema{Project: l.project, Collection: c, Collections: all}
}

func unpublished(e *core.Entry) {
	e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{}
}
func trashed(e *core.Entry) { e.TrashedAt = day }

func drafted(document string) func(*core.Entry) {
	return func(e *core.Entry) { e.Draft = core.Document(document) }
}

// translated makes the entry a translation of another.
func translated(of *core.Entry, locale string) func(*core.Entry) {
	return func(e *core.Entry) { e.Group, e.Locale = of.Group, locale }
}

func inLocale(locale string) func(*core.Entry) {
	return func(e *core.Entry) { e.Locale = locale }
}

func (l *readerFixture) medium(t testing.TB, name string) core.MediaItem {
	t.Helper()
	item := core.MediaItem{
		UpdatedAt: day, ProjectID: l.project.ID, FileName: name, Full: "u/andes.txt", MimeType: "text/plain", Size: 7, CreatedAt: day,
	}
	require.NoError(t, l.stores.Media.Insert(context.Background(), &item))
	return item
}

// page lists entries with permission to read drafts.
func (l *readerFixture) page(t testing.TB, q query.Query) *reading.Page {
	t.Helper()
	listing, err := l.reader.Prepare(context.Background(), l.project, true, q)
	require.NoError(t, err)
	page, err := listing.Page(context.Background())
	require.NoError(t, err)
	return page
}

// bodies returns the page's entries as text.
func bodies(p *reading.Page) []string {
	out := make([]string, len(p.Entries))
	for i, e := range p.Entries {
		out[i] = string(e.JSON)
	}
	return out
}

// countingEntries counts the store calls of reads, and can fail one of them.
type countingEntries struct {
	ports.EntryReader
	media ports.MediaReader
	made  atomic.Int64
	fail  int64
}

var errUnavailable = &core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "the database is unavailable"}

func (c *countingEntries) call() error {
	if c.made.Add(1) == c.fail {
		return errUnavailable
	}
	return nil
}

// Seeing implements ports.EntryReader. It notes nothing.
func (c *countingEntries) Seeing(*release.Seen) ports.EntryReader { return c }

func (c *countingEntries) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	if err := c.call(); err != nil {
		return nil, 0, err
	}
	return c.EntryReader.List(ctx, sel, counted)
}

func (c *countingEntries) Count(ctx context.Context, sel query.Selection) (int64, error) {
	if err := c.call(); err != nil {
		return 0, err
	}
	return c.EntryReader.Count(ctx, sel)
}

func (c *countingEntries) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	if err := c.call(); err != nil {
		return core.Row{}, err
	}
	return c.EntryReader.Published(ctx, projectID, collectionID, id)
}

func (c *countingEntries) Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error) {
	if err := c.call(); err != nil {
		return nil, err
	}
	return c.EntryReader.Referrers(ctx, project, q)
}

func (c *countingEntries) Tally(ctx context.Context, sel query.Selection, t query.Tally) ([]query.Tallied, error) {
	if err := c.call(); err != nil {
		return nil, err
	}
	return c.EntryReader.Tally(ctx, sel, t)
}

func (c *countingEntries) Serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool,
) ([]core.Row, error) {
	if err := c.call(); err != nil {
		return nil, err
	}
	return c.EntryReader.Serving(ctx, projectID, state, groups, mask, documents)
}

func (c *countingEntries) Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error) {
	if err := c.call(); err != nil {
		return nil, err
	}
	return c.EntryReader.Alternates(ctx, project, groups, slug)
}

func (c *countingEntries) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if err := c.call(); err != nil {
		return nil, err
	}
	return c.media.MediaByIDs(ctx, projectID, ids)
}
