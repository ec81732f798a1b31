package graphql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// Only what is selected counts for the limits of a response, and a single entry shows relations by id rather
// than exceed one.
func TestBigEntriesCanBeRead(t *testing.T) {
	t.Parallel()
	s := setup(t)
	ctx := context.Background()
	require.NoError(t, s.stores.Components.Insert(ctx, &core.Component{
		CreatedAt: day, UpdatedAt: day, ProjectID: s.project.ID, Slug: "text", Name: "Text", NextFieldID: 2, Version: 1,
		Fields: []*core.Field{{ID: 1, Name: "words", Type: core.TypeText}},
	}))
	pages := &core.Collection{CreatedAt: day, UpdatedAt: day, ProjectID: s.project.ID, Slug: "pages", Name: "Pages", NextFieldID: 3, Version: 1, Fields: []*core.Field{
		{ID: 1, Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"text"}},
		{ID: 2, Name: "near", Type: core.TypeRelation, Multiple: true, Collection: "pages"},
	}}
	require.NoError(t, s.stores.Collections.Insert(ctx, pages))
	all, err := s.stores.Collections.Collections(ctx, s.project.ID)
	require.NoError(t, err)
	schema := core.Schema{Project: s.project, Collection: pages, Collections: all}
	add := func(document string) *core.Entry {
		e := &core.Entry{
			ProjectID: s.project.ID, CollectionID: pages.ID, Locale: "en", Version: 1, Draft: core.Document(document), Published: core.Document(document),
			PublishedAt: day, CreatedAt: day, UpdatedAt: day, ReleasedAt: day,
		}
		require.NoError(t, s.stores.Entries.Insert(ctx, schema, e))
		return e
	}
	texts := `{"_key":"k","_type":"text"}` + strings.Repeat(`,{"_key":"k","_type":"text"}`, core.MaxItems-1)
	var groups []string
	for range 11 {
		groups = append(groups, fmt.Sprint(add(`{"body":[`+texts+`],"near":[]}`).Group))
	}
	holder := add(`{"body":[],"near":[` + strings.Join(groups, ",") + `]}`)

	require.Contains(t, s.post(t, `{entries(collection:"pages"){items{id locale}}}`).body, `"items":[{`)
	require.Contains(t, s.post(t, `{entries(collection:"pages"){items{id ...E}}} fragment E on Entry{data}`).body, `items of components`)
	one := s.post(t, fmt.Sprintf(`{entry(collection:"pages",id:%d){data}}`, holder.ID)).body
	require.Contains(t, one, fmt.Sprintf(`"near":[{"id":%s,"collection":"pages"}`, groups[0]))
	require.True(t, strings.HasSuffix(one, `,"extensions":{"shortened":"relations"}}`), "%.300s", one)
	require.NotContains(t, s.post(t, fmt.Sprintf(`{entry(collection:"pages",id:%d){id}}`, holder.ID)).body, "extensions")
}
