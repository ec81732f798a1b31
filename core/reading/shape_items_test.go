package reading_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/review"
)

// pages returns a collection with a group and blocks that nest.
func (l *readerFixture) pages(t testing.TB) *core.Collection {
	t.Helper()
	component := func(slug string, fields ...*core.Field) {
		for i, f := range fields {
			f.ID = i + 1
		}
		c := &core.Component{CreatedAt: day, UpdatedAt: day, ProjectID: l.project.ID, Slug: slug, Name: slug, Fields: fields, NextFieldID: len(fields) + 1, Version: 1}
		require.NoError(t, l.stores.Components.Insert(context.Background(), c))
	}
	component("seo", &core.Field{Name: "title", Type: core.TypeText}, &core.Field{Name: "image", Type: core.TypeMedia})
	component("hero",
		&core.Field{Name: "title", Type: core.TypeText},
		&core.Field{Name: "image", Type: core.TypeMedia},
		&core.Field{Name: "near", Type: core.TypeRelation, Collection: "countries", Multiple: true},
		&core.Field{Name: "inner", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero", "text"}})
	component("text", &core.Field{Name: "body", Type: core.TypeRichText}, &core.Field{Name: "notes", Type: core.TypeText, Multiple: true})
	return l.collection(t, "pages",
		&core.Field{Name: "title", Type: core.TypeText},
		&core.Field{Name: "seo", Type: core.TypeGroup, Component: "seo"},
		&core.Field{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero", "text"}})
}

func TestItemsAreShown(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	pages := l.pages(t)
	photo := l.medium(t, "andes.txt")
	peru, draft := l.add(t, l.countries, `{"name":"Peru"}`), l.add(t, l.countries, `{"name":"Chile"}`, unpublished)
	l.add(t, pages, fmt.Sprintf(`{"body":[{"_key":"a","_type":"hero","gone":1,"image":%d,"inner":[{"_key":"b","_type":"text","body":"<a data-entry=\"%d\">x</a>"}],"near":[%d,%d],"title":"One"},`+
		`{"_key":"c","_type":"removed","title":"Two"},{"_key":"d","_type":"text"}],"seo":{"title":"Home"},"title":"Page"}`, photo.ID, peru.Group, draft.Group, peru.Group))
	shown := func(fields string, depth int64) string {
		body := bodies(l.page(t, query.Query{Collection: "pages", Shape: query.Shape{Fields: fields, Depth: &depth}}))[0]
		_, members, _ := strings.Cut(body, `"locale":"en",`)
		return "{" + members
	}
	require.Equal(t, `{"publishedAt":"2026-01-02T03:04:05.006Z","title":"Page","seo":{"title":"Home","image":null},"body":[`+
		`{"_type":"hero","_key":"a","title":"One","image":`+string(reading.MediaJSON("", photo))+fmt.Sprintf(`,"near":[{"id":%d,"collection":"countries"}],`, peru.ID)+
		`"inner":[{"_type":"text","_key":"b","body":"<a data-entry=\"`+fmt.Sprint(peru.ID)+`\" data-collection=\"countries\">x</a>","notes":[]}]},`+
		`{"_type":"text","_key":"d","body":null,"notes":[]}]}`, shown("", 0), "what the field does not admit, and members that are no fields, are left out")
	for fields, want := range map[string]string{
		"body":                       `{"body":[{"_type":"hero",`,
		"body.hero.title":            `{"body":[{"_type":"hero","_key":"a","title":"One"},{"_type":"text","_key":"d"}]}`,
		"body.text":                  `{"body":[{"_type":"hero","_key":"a"},{"_type":"text","_key":"d","body":null,"notes":[]}]}`,
		"body.hero.near.name":        `{"body":[{"_type":"hero","_key":"a","near":[{"id":` + fmt.Sprint(peru.ID) + `,"locale":"en","name":"Peru"}]},{"_type":"text","_key":"d"}]}`,
		"body.hero.inner.text.notes": `{"body":[{"_type":"hero","_key":"a","inner":[{"_type":"text","_key":"b","notes":[]}]},{"_type":"text","_key":"d"}]}`,
		"seo.title,title":            `{"title":"Page","seo":{"title":"Home"}}`,
		"seo.*":                      `{"seo":{"title":"Home","image":null}}`,
	} {
		require.Contains(t, shown(fields, 1), want, fields)
	}
	for fields, fault := range map[string]string{
		"body.quote.title":    `"body" admits no items of "quote"`,
		"body.hero.nothing":   `unknown field "body.hero.nothing"`,
		"seo.title.x":         `"title" is not a relation`,
		"body.hero.near.name": `needs a depth of 1`,
	} {
		_, err := l.reader.Prepare(context.Background(), l.project, true, query.Query{Collection: "pages", Shape: query.Shape{Fields: fields, Depth: new(int64(0))}})
		require.ErrorContains(t, err, fault, fields)
	}
}

// The number of store calls does not depend on the number of items.
func TestItemsCostNoStoreCalls(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	pages := l.pages(t)
	count := func(items int) int64 {
		var body []string
		for i := range items {
			photo, country := l.medium(t, fmt.Sprintf("%d.txt", i)), l.add(t, l.countries, `{"name":"Peru"}`)
			body = append(body, fmt.Sprintf(`{"_key":"k%d","_type":"hero","image":%d,"inner":[{"_key":"a","_type":"hero","near":[%d]}]}`, i, photo.ID, country.Group))
		}
		e := l.add(t, pages, `{"body":[`+strings.Join(body, ",")+`]}`)
		before := l.calls.made.Load()
		_, err := l.reader.Entry(context.Background(), l.project, "pages", e.ID, query.Shape{})
		require.NoError(t, err)
		return l.calls.made.Load() - before
	}
	require.Equal(t, count(1), count(50))
}

func TestResponsesHaveBoundedItems(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	pages := l.pages(t)
	texts := `{"_key":"k","_type":"text"}` + strings.Repeat(`,{"_key":"k","_type":"text"}`, core.MaxItems-1)
	for range 11 {
		l.add(t, pages, `{"body":[`+texts+`]}`)
	}
	read := func(limit int64) error {
		listing, err := l.reader.Prepare(context.Background(), l.project, true, query.Query{Collection: "pages", Limit: &limit})
		require.NoError(t, err)
		_, err = listing.Page(context.Background())
		return err
	}
	require.NoError(t, read(10))
	var tooLarge *core.Error
	require.ErrorAs(t, read(11), &tooLarge)
	require.Equal(t, "too_large", tooLarge.Code)
	list := func(fields string) (*reading.ManagedPage, error) {
		return l.drafts.List(context.Background(), l.project, pages.ID, query.Query{Limit: new(int64(11)), Shape: query.Shape{Fields: fields}})
	}
	_, err := list("body")
	require.ErrorAs(t, err, &tooLarge)
	page, err := list("")
	require.NoError(t, err)
	require.Equal(t, `{"title":null}`, string(page.Entries[10].Fields), "lists show items only if they are named")
	page, err = list("title,seo.title")
	require.NoError(t, err)
	require.Equal(t, `{"title":null,"seo":null}`, string(page.Entries[10].Fields))
	_, err = list("nothing")
	require.ErrorContains(t, err, `unknown field "nothing"`)
}

// The trash and the translations of an entry are lists, too.
func TestOtherListsShowItemsIfTheyAreNamed(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	pages := l.pages(t)
	l.add(t, pages, `{"seo":{"title":"gone"}}`, trashed)
	e := l.add(t, pages, `{"seo":{"title":"here"}}`)
	for fields, want := range map[string]string{"": `{"title":null}`, "seo.title": `{"seo":{"title":"gone"}}`, "*": `{"title":null,"seo":{"title":"gone","image":null},"body":[]}`} {
		page, err := l.drafts.Trash(t.Context(), l.project, pages.ID, fields, nil, nil)
		require.NoError(t, err)
		require.Equal(t, want, string(page.Entries[0].Fields))
		group, err := l.drafts.Translations(t.Context(), review.EntryRef{Project: l.project, CollectionID: pages.ID, ID: e.ID}, fields)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(want, "gone", "here"), string(group[0].Fields))
	}
}

// A single read shows relations by id rather than exceed a limit, unless the depth is given.
func TestSingleReadsShortenRelations(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	pages := l.pages(t)
	site := l.collection(t, "site", &core.Field{Name: "pages", Type: core.TypeRelation, Collection: "pages", Multiple: true})
	site.Singleton = true
	site.Version++
	require.NoError(t, l.stores.Collections.Update(t.Context(), site))
	texts := `{"_key":"k","_type":"text"}` + strings.Repeat(`,{"_key":"k","_type":"text"}`, core.MaxItems-1)
	var groups, stubs []string
	for range 11 {
		e := l.add(t, pages, `{"body":[`+texts+`]}`)
		groups, stubs = append(groups, fmt.Sprint(e.Group)), append(stubs, fmt.Sprintf(`{"id":%d,"collection":"pages"}`, e.ID))
	}
	holder := l.add(t, site, `{"pages":[`+strings.Join(groups, ",")+`]}`)
	for name, read := range map[string]func(s query.Shape) (*reading.Shaped, error){
		"entry": func(s query.Shape) (*reading.Shaped, error) {
			return l.reader.Entry(t.Context(), l.project, "site", holder.ID, s)
		},
		"single": func(s query.Shape) (*reading.Shaped, error) {
			return l.reader.Single(t.Context(), l.project, "site", "", s)
		},
	} {
		shown, err := read(query.Shape{})
		require.NoError(t, err, name)
		require.True(t, shown.Shortened)
		require.Contains(t, string(shown.JSON), `"pages":[`+strings.Join(stubs, ",")+`]`)
		var tooLarge *core.Error
		_, err = read(query.Shape{Depth: new(int64(1))})
		require.ErrorAs(t, err, &tooLarge)
		require.Equal(t, "too_large", tooLarge.Code)
		shown, err = read(query.Shape{Fields: "pages.title"})
		require.NoError(t, err)
		require.False(t, shown.Shortened, "only what is shown counts")
		shown, err = read(query.Shape{Bare: true})
		require.NoError(t, err)
		require.False(t, shown.Shortened)
	}
}
