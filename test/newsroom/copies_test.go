package newsroom_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// copied is content for copies: collections with entries that refer to each other and to media.
type copied struct {
	*newsroom.Fixture

	collections int
	groups      []int64
}

// add adds a number of collections with as many entries each, half of them sealed, and as many media.
func (c *copied) add(number int) {
	ctx := c.Context()
	var media []int64
	for range number {
		media = append(media, c.Picture("Harbour"))
	}
	for range number {
		c.collections++
		slug := fmt.Sprintf("c%d", c.collections)
		pages := &core.Collection{
			ProjectID: c.Project.ID, Slug: slug, Name: slug, Version: 1, NextFieldID: 5, CreatedAt: c.Clock.Now(), UpdatedAt: c.Clock.Now(),
			Fields: []*core.Field{
				{ID: 1, Name: "see", Type: core.TypeRelation, Collections: []string{"articles", slug}, Multiple: true},
				{ID: 2, Name: "body", Type: core.TypeRichText}, {ID: 3, Name: "cover", Type: core.TypeMedia},
				{ID: 4, Name: "next", Type: core.TypeRelation, Collection: slug},
			},
		}
		c.OK(c.Stores.Collections.Insert(ctx, pages))
		all, err := c.Stores.Collections.Collections(ctx, c.Project.ID)
		c.OK(err)
		schema := core.Schema{Project: c.Project, Collection: pages, Collections: all}
		for n := range 2 * number {
			near, item := int64(1), media[n%len(media)]
			if len(c.groups) > 0 {
				near = c.groups[n%len(c.groups)]
			}
			text := core.Document(fmt.Sprintf(`{"body":"<p><a data-entry=\"%d\">x</a><img data-media=\"%d\"></p>","cover":%d,"next":%d,"see":[%d,%d]}`, near, item, item, near, near, near+1))
			now := c.Clock.Now()
			e := &core.Entry{
				ProjectID: c.Project.ID, CollectionID: pages.ID, Locale: c.Project.Locales[n%2], Version: 1,
				Draft: text, Published: text, PublishedAt: now, CreatedAt: now, UpdatedAt: now, ReleasedAt: now,
			}
			if n%2 == 0 {
				e.PublishedMedia = core.Document(fmt.Sprintf(`{"%d":{"caption":"","fileName":"a.png","hash":"","tags":[]}}`, item))
			}
			c.OK(c.Stores.Entries.Insert(ctx, schema, e))
			c.groups = append(c.groups, e.Group)
		}
	}
}

// A page of changes takes the same number of statements for few and for many collections, entries, media
// and references, also when it deletes.
func TestStatementsOfChanges(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		c := &copied{Fixture: w}
		changes := reading.NewChanges(w.Stores, "")
		page := func(since string, items int) (next string, statements int64) {
			ctx, count := sqldb.WithStatementCount(t.Context())
			page, err := changes.Page(ctx, w.Project, reading.ChangesQuery{Since: since, Limit: new(int64(reading.MaxChanges))})
			require.NoError(t, err)
			require.Len(t, page.Changes, items)
			require.False(t, page.HasMore)
			return page.Next, count.Load()
		}
		empty, _ := page("", 0)
		c.add(1)
		_, first := page("", 3)
		one, second := page(empty, 3)
		c.add(12)
		_, walked := page("", 3+12*24+12)
		many, followed := page(one, 12*24+12)
		t.Logf("%d statements from the beginning, %d afterwards", first, second)
		require.Equal(t, first, walked, "from the beginning")
		require.Equal(t, second, followed, "afterwards")
		for _, group := range c.groups[:100] {
			e, err := w.Stores.Entries.Entry(t.Context(), w.Project.ID, group)
			require.NoError(t, err)
			schema, err := w.Stores.Collections.Hold(t.Context(), w.Project.ID, e.CollectionID)
			require.NoError(t, err)
			require.NoError(t, w.Stores.Entries.Destroy(t.Context(), schema, e.ID, ""))
		}
		_, deleted := page(many, 100)
		require.LessOrEqual(t, deleted, second)
	})
}

// A published entry names the collections of its targets also after these are destroyed, together with
// their collection: it depends on nothing but itself, and copies get no change of it.
func TestEntriesNameDestroyedTargets(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		admin := w.Actor("admin")
		create := func(slug string, fields ...definition.FieldInput) int64 {
			c, err := w.Collections.Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
			w.OK(err)
			return c.ID
		}
		title := definition.FieldInput{Name: "title", Type: core.TypeText}
		passing := create("passing", title)
		pages := create("pages", title, definition.FieldInput{Name: "body", Type: core.TypeRichText},
			definition.FieldInput{Name: "see", Type: core.TypeRelation, Collections: []string{"articles", "pages"}, Multiple: true})
		write := func(collection int64, published bool, fields string) int64 {
			var values map[string]json.RawMessage
			w.OK(json.Unmarshal([]byte(fields), &values))
			made, err := w.Writer.Create(t.Context(), admin, w.Project, collection, core.EntryWrite{Published: &published, Fields: core.WrittenFields{Raw: values}})
			w.OK(err)
			return made.Entry.ID
		}
		article, page := write(w.Articles.ID, true, `{"title":"A"}`), write(pages, false, `{"title":"P"}`)
		linked, gone := write(w.Articles.ID, false, `{"title":"L"}`), write(passing, true, `{"title":"G"}`)
		holder := write(pages, true, fmt.Sprintf(`{"see":[%d,%d],"body":"<p><a data-entry=\"%d\">l</a><a data-entry=\"%d\">g</a></p>"}`, article, page, linked, gone))

		changes := reading.NewChanges(w.Stores, "")
		read := func(since string) (entries map[int64]string, next string) {
			entries = map[int64]string{}
			for more := true; more; since = next {
				page, err := changes.Page(t.Context(), w.Project, reading.ChangesQuery{Since: since})
				require.NoError(t, err)
				for _, c := range page.Changes {
					entries[c.ID] = string(c.Op) + string(c.Entry)
				}
				next, more = page.Next, page.HasMore
			}
			return entries, next
		}
		before, since := read("")
		require.Contains(t, before[holder], fmt.Sprintf(`"see":[{"group":%d,"collection":"articles"},{"group":%d,"collection":"pages"}]`, article, page))
		require.Contains(t, before[holder], fmt.Sprintf(`<a data-entry=\"%d\" data-collection=\"articles\">l</a><a data-entry=\"%d\" data-collection=\"passing\">g</a>`, linked, gone))

		for id, collection := range map[int64]int64{article: w.Articles.ID, page: pages, linked: w.Articles.ID} {
			ref := review.EntryRef{Project: w.Project, CollectionID: collection, ID: id}
			_, err := w.Writer.Trash(t.Context(), admin, ref, nil, "")
			w.OK(err)
			w.OK(w.Writer.Destroy(t.Context(), admin, ref, nil, ""))
		}
		w.OK(w.Collections.Delete(t.Context(), definition.Change{Actor: admin, Project: w.Project, CollectionID: passing, Acknowledged: true}))
		afterwards, _ := read("")
		require.Equal(t, before[holder], afterwards[holder])
		followed, _ := read(since)
		require.NotContains(t, followed, holder)
		require.Equal(t, "delete", followed[article])
	})
}
