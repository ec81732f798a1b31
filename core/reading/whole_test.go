package reading_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// interrupted is a store that does something after each of its reads. If blind, its reads do not tell how many
// releases they see.
type interrupted struct {
	ports.EntryReader
	after *func()
	blind bool
}

func (s interrupted) Seeing(seen *release.Seen) ports.EntryReader {
	if s.blind {
		return s
	}
	return interrupted{s.EntryReader.Seeing(seen), s.after, false}
}

func (s interrupted) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	defer (*s.after)()
	return s.EntryReader.List(ctx, sel, counted)
}

func (s interrupted) Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error) {
	defer (*s.after)()
	return s.EntryReader.Referrers(ctx, project, q)
}

func (s interrupted) Tally(ctx context.Context, sel query.Selection, t query.Tally) ([]query.Tallied, error) {
	defer (*s.after)()
	return s.EntryReader.Tally(ctx, sel, t)
}

func (s interrupted) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	defer (*s.after)()
	return s.EntryReader.Published(ctx, projectID, collectionID, id)
}

func (s interrupted) Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error) {
	defer (*s.after)()
	return s.EntryReader.Alternates(ctx, project, groups, slug)
}

func (s interrupted) Serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool,
) ([]core.Row, error) {
	defer (*s.after)()
	return s.EntryReader.Serving(ctx, projectID, state, groups, mask, documents)
}

// releasing is a Project with an article and the country that it names. Both show the number of the last
// release.
type releasing struct {
	store           *memory.Store
	schema          core.Schema
	countries       *core.Collection
	article, target core.Entry
	number          int
}

func newReleasing(t *testing.T) *releasing {
	t.Helper()
	r := &releasing{store: memory.New()}
	stores, ctx := r.store.Stores(), t.Context()
	tenant := &core.Tenant{Name: "Meridian", CreatedAt: day, UpdatedAt: day}
	require.NoError(t, stores.Tenants.Insert(ctx, tenant))
	project := &core.Project{UUID: "5b6b1a0e-3a6c-4a43-8d2a-0a6f7f0f9c11", TenantID: tenant.ID, Name: "Desk",
		DefaultLocale: "en", Locales: []string{"en"}, CreatedAt: day, UpdatedAt: day}
	require.NoError(t, stores.Projects.Insert(ctx, project))
	r.countries = &core.Collection{CreatedAt: day, UpdatedAt: day, ProjectID: project.ID, Slug: "countries", Name: "Countries", NextFieldID: 2, Version: 1, Fields: []*core.Field{
		{ID: 1, Name: "name", Type: core.TypeText},
	}}
	articles := &core.Collection{CreatedAt: day, UpdatedAt: day, ProjectID: project.ID, Slug: "articles", Name: "Articles", NextFieldID: 3, Version: 1, Fields: []*core.Field{
		{ID: 1, Name: "title", Type: core.TypeText}, {ID: 2, Name: "country", Type: core.TypeRelation, Collection: "countries"},
	}}
	require.NoError(t, stores.Collections.Insert(ctx, r.countries))
	require.NoError(t, stores.Collections.Insert(ctx, articles))
	r.schema = core.Schema{Project: project, Collection: articles, Collections: []*core.Collection{articles, r.countries}}
	r.target = core.Entry{CreatedAt: day, UpdatedAt: day, ProjectID: project.ID, CollectionID: r.countries.ID, Locale: "en", Version: 1}
	r.target.Draft = core.Document(`{"name":"release 0"}`)
	r.target.Published, r.target.PublishedAt, r.target.ReleasedAt = r.target.Draft, day, day
	require.NoError(t, stores.Entries.Insert(ctx, r.of(r.countries), &r.target))
	r.article = core.Entry{CreatedAt: day, UpdatedAt: day, ProjectID: project.ID, CollectionID: articles.ID, Locale: "en", Version: 1}
	r.article.Draft = core.Document(fmt.Sprintf(`{"country":%d,"title":"release 0"}`, r.target.Group))
	r.article.Published, r.article.PublishedAt, r.article.ReleasedAt = r.article.Draft, day, day
	require.NoError(t, stores.Entries.Insert(ctx, r.schema, &r.article))
	return r
}

func (r *releasing) of(c *core.Collection) core.Schema {
	return core.Schema{Project: r.schema.Project, Collection: c, Collections: r.schema.Collections}
}

// release publishes both entries with the next number.
func (r *releasing) release(t *testing.T) {
	t.Helper()
	before, after := fmt.Sprintf("release %d", r.number), fmt.Sprintf("release %d", r.number+1)
	r.number++
	for _, e := range []*core.Entry{&r.article, &r.target} {
		e.Version++
		e.Draft = core.Document(strings.Replace(string(e.Draft), before, after, 1))
		e.Published = e.Draft
	}
	require.NoError(t, r.store.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		require.NoError(t, stores.Entries.Update(ctx, r.schema, &r.article))
		require.NoError(t, stores.Entries.Update(ctx, r.of(r.countries), &r.target))
		return stores.Events.Record(ctx, event.Event{Type: event.ReleasePublished, ProjectID: r.schema.Project.ID})
	}))
}

// TestNoPartOfARelease publishes a release between the statements of an answer: after the first, and after each.
// An answer shows both entries as they were or as they are. Without the number of releases it shows a part.
func TestNoPartOfARelease(t *testing.T) {
	t.Parallel()
	answers := map[string]func(ctx context.Context, reader *reading.Reader, project *core.Project, id int64) (string, error){
		"entry": func(ctx context.Context, reader *reading.Reader, project *core.Project, id int64) (string, error) {
			shaped, err := reader.Entry(ctx, project, "articles", id, query.Shape{})
			if err != nil {
				return "", err
			}
			return string(shaped.JSON), nil
		},
		"list": func(ctx context.Context, reader *reading.Reader, project *core.Project, _ int64) (string, error) {
			listing, err := reader.Prepare(ctx, project, false, query.Query{Collection: "articles"})
			if err != nil {
				return "", err
			}
			page, err := listing.Page(ctx)
			if err != nil {
				return "", err
			}
			return string(page.JSON), nil
		},
		"two answers in one": func(ctx context.Context, reader *reading.Reader, project *core.Project, _ int64) (both string, err error) {
			err = reader.Whole(ctx, project, func(reader *reading.Reader) error {
				both = ""
				for _, slug := range []string{"articles", "countries"} {
					listing, err := reader.Prepare(ctx, project, false, query.Query{Collection: slug})
					require.NoError(t, err)
					page, err := listing.Page(ctx)
					require.NoError(t, err)
					both += string(page.JSON)
				}
				return nil
			})
			return both, err
		},
	}
	for name, answer := range answers {
		for _, releases := range []int{1, 3, 1000} {
			for _, blind := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %d releases, blind %v", name, releases, blind), func(t *testing.T) {
					t.Parallel()
					r := newReleasing(t)
					left, reads := releases, 0
					after := func() {
						if reads++; left > 0 {
							left--
							r.release(t)
						}
					}
					stores := r.store.Stores()
					reader := reading.NewReader(interrupted{stores.Entries, &after, blind}, contenttest.Schemas{Stores: stores}, stores.Media, "")
					json, err := answer(t.Context(), reader, r.schema.Project, r.article.ID)
					if releases == 1000 && !blind {
						require.ErrorIs(t, err, core.ErrUnavailable, "it gives up rather than show a part")
						return
					}
					require.NoError(t, err)
					shown := map[string]bool{}
					for n := range r.number + 1 {
						if text := fmt.Sprintf(`"release %d"`, n); strings.Contains(json, text) {
							shown[text] = true
						}
					}
					require.Equal(t, blind, len(shown) > 1, "%s", json)
				})
			}
		}
	}
}

// TestWholeAnswersCostNothing counts the reads of answers while no release is published, and after one.
func TestWholeAnswersCostNothing(t *testing.T) {
	t.Parallel()
	r := newReleasing(t)
	r.release(t)
	stores, reads := r.store.Stores(), 0
	after := func() { reads++ }
	reader := reading.NewReader(interrupted{stores.Entries, &after, false}, contenttest.Schemas{Stores: stores}, stores.Media, "")
	for _, want := range []int{4, 2, 2} { // the first answer learns how many releases there were
		reads = 0
		_, err := reader.Entry(t.Context(), r.schema.Project, "articles", r.article.ID, query.Shape{})
		require.NoError(t, err)
		require.Equal(t, want, reads)
	}
	r.release(t)
	for _, want := range []int{4, 2} {
		reads = 0
		_, err := reader.Entry(t.Context(), r.schema.Project, "articles", r.article.ID, query.Shape{})
		require.NoError(t, err)
		require.Equal(t, want, reads)
	}
}
