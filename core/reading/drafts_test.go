package reading_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// reviewed is a store with a request for one entry.
type reviewed struct {
	ports.RequestStore
	entry int64
}

func (g reviewed) Summaries(context.Context, int64, []int64) (map[int64]review.ApprovalSummary, error) {
	return map[int64]review.ApprovalSummary{g.entry: {ID: 9, Status: "pending", ReleaseNumber: "CR-2026-0001"}}, nil
}

func TestManagedEntryIsTheDraft(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	photo := l.medium(t, "a")
	e := l.add(t, l.countries, `{"name":"Peru"}`, drafted(fmt.Sprintf(`{"code":"PE","flag":%d,"name":"Perú"}`, photo.ID)))
	plain := l.add(t, l.countries, `{"name":"Chile"}`, unpublished)

	stores := l.stores
	stores.Requests = reviewed{stores.Requests, e.ID}
	drafts := reading.NewDrafts(stores, l.reader)
	for id, want := range map[int64]string{
		e.ID: fmt.Sprintf(`{"id":%d,"collectionId":%d,"locale":"en","translationGroup":%d,"state":"published","hasUnpublishedChanges":true,"status":"in_review",`+
			`"version":1,"publishedAt":"2026-01-02T03:04:05.006Z","scheduledPublishAt":null,"scheduledPublishFault":null,"scheduledUnpublishAt":null,"createdAt":"2026-01-02T02:04:05.006Z","updatedAt":"2026-01-02T05:04:05.006Z",`+
			`"trashedAt":null,"fields":{"name":"Perú","flag":%d,"borders":[]},"approval":{"id":9,"status":"pending","releaseNumber":"CR-2026-0001"},"release":null,"faults":[]}`,
			e.ID, l.countries.ID, e.Group, photo.ID),
		plain.ID: fmt.Sprintf(`{"id":%d,"collectionId":%d,"locale":"en","translationGroup":%d,"state":"draft","hasUnpublishedChanges":false,"status":"draft",`+
			`"version":1,"publishedAt":null,"scheduledPublishAt":null,"scheduledPublishFault":null,"scheduledUnpublishAt":null,"createdAt":"2026-01-02T02:04:05.006Z","updatedAt":"2026-01-02T05:04:05.006Z",`+
			`"trashedAt":null,"fields":{"name":"Chile","flag":null,"borders":[]},"approval":null,"release":null,"faults":[]}`,
			plain.ID, l.countries.ID, plain.Group),
	} {
		managed, err := drafts.Entry(context.Background(), review.EntryRef{Project: l.project, CollectionID: l.countries.ID, ID: id})
		require.NoError(t, err)
		body, err := json.Marshal(wire.ManagedEntryOf(*managed))
		require.NoError(t, err)
		require.Equal(t, want, string(body))
	}
}

func TestManagedRelationsAreIDsThatCanBeWrittenBack(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	english := l.add(t, l.countries, `{}`)
	german := l.add(t, l.countries, `{}`, translated(english, "de"), unpublished)
	inTrash := l.add(t, l.countries, `{}`, trashed)
	foreign := l.add(t, l.countries, `{}`, inLocale("de"))
	frenchTrash := l.add(t, l.countries, `{}`)
	french := l.add(t, l.countries, `{}`, translated(frenchTrash, "fr"), trashed)
	destroyed, founder := l.add(t, l.countries, `{}`), l.add(t, l.countries, `{}`)
	member := l.add(t, l.countries, `{}`, translated(founder, "de"), trashed)
	require.NoError(t, l.stores.Entries.Destroy(context.Background(), l.schema(t, l.countries), founder.ID, ""))
	require.NoError(t, l.stores.Entries.Destroy(context.Background(), l.schema(t, l.countries), destroyed.ID, ""))
	doc := fmt.Sprintf(`{"borders":[%d,%d,%d,%d,%d,%d]}`, english.Group, inTrash.Group, foreign.Group, french.Group, destroyed.Group, member.Group)

	for locale, want := range map[string][]int64{
		"en":    {english.ID, inTrash.ID, foreign.ID, frenchTrash.ID, member.ID},
		"de":    {german.ID, inTrash.ID, foreign.ID, frenchTrash.ID, member.ID},
		"fr-CA": {english.ID, inTrash.ID, foreign.ID, frenchTrash.ID, member.ID},
	} {
		holder := l.add(t, l.countries, doc, inLocale(locale))
		managed, err := l.drafts.Entry(context.Background(), review.EntryRef{Project: l.project, CollectionID: l.countries.ID, ID: holder.ID})
		require.NoError(t, err)
		var fields struct{ Borders []int64 }
		require.NoError(t, json.Unmarshal(managed.Fields, &fields))
		require.Equal(t, want, fields.Borders, locale)
	}
	lost := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"x"}`, destroyed.Group))
	managed, err := l.drafts.Entry(context.Background(), review.EntryRef{Project: l.project, CollectionID: l.articles.ID, ID: lost.ID})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"country": "null", "title": `"x"`}, contenttest.Values(t, managed.Fields, "country", "title"))
}

func TestManagedMediaOmitsDeletedItems(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := setupReader(t)
	kept, deleted := l.medium(t, "kept.png"), l.medium(t, "deleted.png")
	holder := l.add(t, l.articles, fmt.Sprintf(`{"cover":%d,"gallery":[%d,%d]}`, deleted.ID, deleted.ID, kept.ID))
	require.NoError(t, l.stores.Media.Delete(ctx, l.project.ID, deleted.ID))

	want := map[string]string{"cover": "null", "gallery": fmt.Sprintf("[%d]", kept.ID)}
	managed, err := l.drafts.Entry(ctx, review.EntryRef{Project: l.project, CollectionID: l.articles.ID, ID: holder.ID})
	require.NoError(t, err)
	require.Equal(t, want, contenttest.Values(t, managed.Fields, "cover", "gallery"))
	versions, err := l.drafts.Versions(ctx, review.EntryRef{Project: l.project, CollectionID: l.articles.ID, ID: holder.ID})
	require.NoError(t, err)
	require.Equal(t, want, contenttest.Values(t, versions.Published, "cover", "gallery"))
}

func TestDraftsAreListedByDefault(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	published := l.add(t, l.articles, `{"title":"b"}`, drafted(`{"title":"z"}`))
	draft := l.add(t, l.articles, `{"title":"c"}`, unpublished)
	l.add(t, l.articles, `{"title":"a"}`, trashed)
	l.add(t, l.countries, `{"name":"a"}`)

	for name, c := range map[string]struct {
		q     query.Query
		ids   []int64
		more  bool
		total int64
	}{
		"all":         {query.Query{}, []int64{draft.ID, published.ID}, false, 2},
		"by draft":    {query.Query{Sort: "title:desc"}, []int64{published.ID, draft.ID}, false, 2},
		"published":   {query.Query{State: "published", Where: []query.Filter{one("title", "", "b")}}, []int64{published.ID}, false, 1},
		"only drafts": {query.Query{State: "only_draft"}, []int64{draft.ID}, false, 1},
		"window":      {query.Query{Limit: ptr(int64(1))}, []int64{draft.ID}, true, 2},
		"none":        {query.Query{Offset: ptr(int64(5))}, []int64{}, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.q.Total = true
			page, err := l.drafts.List(context.Background(), l.project, l.articles.ID, c.q)
			require.NoError(t, err)
			require.Equal(t, c.ids, managedIDs(page))
			require.NotNil(t, page.Entries)
			require.Equal(t, c.more, page.HasMore)
			require.Equal(t, c.total, *page.Total)
		})
	}
	page, err := l.drafts.List(context.Background(), l.project, l.articles.ID, query.Query{})
	require.NoError(t, err)
	require.Nil(t, page.Total)
	_, err = l.drafts.List(context.Background(), l.project, l.articles.ID, query.Query{Sort: "nope"})
	require.Equal(t, core.KindBadRequest, core.KindOf(err))
	_, err = l.drafts.List(context.Background(), l.project, 424242, query.Query{})
	require.ErrorIs(t, err, core.ErrNotFound)
}

func managedIDs(page *reading.ManagedPage) []int64 {
	ids := make([]int64, len(page.Entries))
	for i, e := range page.Entries {
		ids[i] = e.ID
	}
	return ids
}

func TestTrashListsOneCollection(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	first := l.add(t, l.articles, `{}`, trashed)
	l.add(t, l.articles, `{}`)
	l.add(t, l.countries, `{}`, trashed)
	second := l.add(t, l.articles, `{}`, func(e *core.Entry) { e.TrashedAt = day.Add(time.Hour) })

	page, err := l.drafts.Trash(context.Background(), l.project, l.articles.ID, "", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []int64{second.ID, first.ID}, managedIDs(page))
	require.Equal(t, day, *page.Entries[1].TrashedAt)
	require.False(t, page.HasMore)

	page, err = l.drafts.Trash(context.Background(), l.project, l.articles.ID, "", nil, ptr(int64(1)))
	require.NoError(t, err)
	require.Equal(t, []int64{second.ID}, managedIDs(page))
	require.True(t, page.HasMore)

	_, err = l.drafts.Trash(context.Background(), l.project, l.articles.ID, "", nil, ptr(int64(501)))
	require.Equal(t, core.KindBadRequest, core.KindOf(err))
	_, err = l.drafts.Trash(context.Background(), l.project, 424242, "", nil, nil)
	require.ErrorIs(t, err, core.ErrNotFound)
}

func TestVersionsShowDraftAndPublished(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	both := l.add(t, l.countries, `{"name":"Peru"}`, drafted(`{"code":"PE","name":"Perú"}`))
	draft := l.add(t, l.countries, `{"name":"Chile"}`, unpublished)

	for id, want := range map[int64]string{
		both.ID:  `{"draft":{"name":"Perú","flag":null,"borders":[]},"published":{"name":"Peru","flag":null,"borders":[]}}`,
		draft.ID: `{"draft":{"name":"Chile","flag":null,"borders":[]},"published":null}`,
	} {
		versions, err := l.drafts.Versions(context.Background(), review.EntryRef{Project: l.project, CollectionID: l.countries.ID, ID: id})
		require.NoError(t, err)
		body, err := json.Marshal(wire.VersionsOf(versions))
		require.NoError(t, err)
		require.Equal(t, want, string(body))
	}
}

func TestDraftsAreFoundNowhereElse(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	country := l.add(t, l.countries, `{}`)
	gone := l.add(t, l.articles, `{}`, trashed)
	other := *l.project
	other.ID++
	for name, at := range map[string]struct {
		project        *core.Project
		collection, id int64
	}{
		"other collection": {l.project, l.articles.ID, country.ID},
		"in the trash":     {l.project, l.articles.ID, gone.ID},
		"other project":    {&other, l.countries.ID, country.ID},
		"no collection":    {l.project, 424242, country.ID},
		"no entry":         {l.project, l.countries.ID, 424242},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := l.drafts.Entry(context.Background(), review.EntryRef{Project: at.project, CollectionID: at.collection, ID: at.id})
			require.ErrorIs(t, err, core.ErrNotFound)
			_, err = l.drafts.Versions(context.Background(), review.EntryRef{Project: at.project, CollectionID: at.collection, ID: at.id})
			require.ErrorIs(t, err, core.ErrNotFound)
		})
	}
}
