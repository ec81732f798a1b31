package newsroom_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/reading"
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
			ctx, count := sqlstore.WithStatementCount(t.Context())
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
			require.NoError(t, w.Stores.Entries.Destroy(t.Context(), schema, e.ID))
		}
		_, deleted := page(many, 100)
		require.LessOrEqual(t, deleted, second)
	})
}
