package reading_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
)

// TestAlternates checks which translations entries name, and that they cost one store call.
func TestAlternates(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	pages := l.collection(t, "pages", &core.Field{Name: "hidden", Type: core.TypeSlug, Hidden: true}, &core.Field{Name: "slug", Type: core.TypeSlug}, &core.Field{Name: "country", Type: core.TypeRelation, Collection: "countries"})
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	german := l.add(t, pages, fmt.Sprintf(`{"country":%d,"hidden":"canary","slug":"hafen"}`, peru.ID), inLocale("de"))
	english := l.add(t, pages, `{"hidden":"canary","slug":"harbour"}`, translated(german, "en"), drafted(`{"hidden":"canary","slug":"draft"}`))
	draft := l.add(t, pages, `{"slug":"port"}`, translated(german, "fr"), unpublished)
	l.add(t, pages, `{"slug":"port"}`, translated(german, "fr-CA"), trashed)
	lone := l.add(t, pages, `{}`)
	alternates := fmt.Sprintf(`"_alternates":[{"id":%d,"locale":"en","slug":"harbour"},{"id":%d,"locale":"de","slug":"hafen"}]`, english.ID, german.ID)

	calls := l.calls.made.Load()
	page := l.page(t, query.Query{Collection: "pages", Locale: "de", Sort: "id", Shape: query.Shape{Alternates: true}})
	assert.EqualValues(t, 3, l.calls.made.Load()-calls, "rows, relations, alternates")
	require.Len(t, page.Entries, 2)
	assert.Contains(t, string(page.Entries[0].JSON), `"country":{"id":`)
	assert.Contains(t, string(page.Entries[0].JSON), `,`+alternates+`}`)
	assert.Contains(t, string(page.Entries[1].JSON), fmt.Sprintf(`,"_alternates":[{"id":%d,"locale":"en"}]}`, lone.ID))
	for _, q := range []query.Query{
		{Collection: "pages", State: "with_draft", Where: []query.Filter{{Field: "id", Operand: query.Operand{Items: []any{fmt.Sprint(draft.ID)}}}}, Locale: "*", Shape: query.Shape{Alternates: true, Fields: "slug"}},
		{Collection: "pages", Where: []query.Filter{{Field: "_group", Operand: query.Operand{Items: []any{fmt.Sprint(german.ID)}}}}, Shape: query.Shape{Alternates: true, Bare: true}},
	} {
		shown := bodies(l.page(t, q))
		require.Len(t, shown, 1)
		assert.Contains(t, shown[0], alternates)
	}

	none := l.page(t, query.Query{Collection: "pages"})
	assert.NotContains(t, string(none.JSON), "_alternates")
	shaped, err := l.reader.Entry(t.Context(), l.project, "pages", english.ID, query.Shape{Alternates: true})
	require.NoError(t, err)
	assert.Contains(t, string(shaped.JSON), alternates)
}

// TestEntryInALocale checks which translation a single read with a locale returns.
func TestEntryInALocale(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	perou := l.add(t, l.countries, `{"name":"Pérou"}`, translated(peru, "fr"))
	english := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"A"}`, peru.ID))
	german := l.add(t, l.articles, `{"title":"Ä"}`, translated(english, "de"))
	draft := l.add(t, l.articles, `{"title":"canary"}`, translated(english, "fr-CA"), unpublished)
	alone := l.add(t, l.articles, `{"title":"nur deutsch"}`, inLocale("de"))
	read := func(id int64, locale string) (string, error) {
		shaped, err := l.reader.EntryIn(t.Context(), l.project, "articles", id, locale, query.Shape{Fields: "title,country.name"})
		if err != nil {
			return "", err
		}
		return string(shaped.JSON), nil
	}
	for _, id := range []int64{english.ID, german.ID} {
		for locale, want := range map[string]string{
			"en":    fmt.Sprintf(`{"id":%d,"locale":"en","title":"A","country":{"id":%d,"locale":"en","name":"Peru"}}`, english.ID, peru.ID),
			"DE":    fmt.Sprintf(`{"id":%d,"locale":"de","title":"Ä","country":null}`, german.ID),
			"fr-CA": fmt.Sprintf(`{"id":%d,"locale":"en","title":"A","country":{"id":%d,"locale":"fr","name":"Pérou"}}`, english.ID, perou.ID),
		} {
			calls := l.calls.made.Load()
			got, err := read(id, locale)
			require.NoError(t, err)
			assert.Equal(t, want, got)
			if id == english.ID && locale == "en" {
				assert.EqualValues(t, 2, l.calls.made.Load()-calls, "one more only for another translation")
			}
		}
	}
	for _, id := range []int64{draft.ID, peru.ID, 999} {
		_, err := read(id, "en")
		assert.ErrorIs(t, err, core.ErrNotFound)
	}
	_, err := read(alone.ID, "fr")
	require.ErrorIs(t, err, core.ErrNotFound, "a list in French has no such entry")
	for _, locale := range []string{"*", "xx", "e n"} {
		_, err := read(english.ID, locale)
		assert.Equal(t, core.KindBadRequest, core.KindOf(err), locale)
	}
}

const onlyInWhere = `"_group" is only a condition of where`

// TestTranslationsOfAnEntry checks the condition _group.
func TestTranslationsOfAnEntry(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	english := l.add(t, l.articles, `{"title":"A"}`)
	german := l.add(t, l.articles, `{"title":"Ä"}`, translated(english, "de"))
	draft := l.add(t, l.articles, `{"title":"canary"}`, translated(english, "fr"), unpublished)
	l.add(t, l.articles, `{"title":"other"}`)
	peru := l.add(t, l.countries, `{}`)
	group := func(value any, op string) query.Filter {
		return query.Filter{Field: "_group", Op: op, Location: "where[_group]", Operand: query.Operand{Items: []any{value}}}
	}
	ids := func(q query.Query) (ids []int64) {
		q.Collection = "articles"
		for _, e := range l.page(t, q).Entries {
			ids = append(ids, e.ID)
		}
		return ids
	}
	for _, id := range []int64{english.ID, german.ID} {
		where := []query.Filter{group(fmt.Sprint(id), "")}
		assert.Equal(t, []int64{english.ID}, ids(query.Query{Where: where}))
		assert.Equal(t, []int64{german.ID}, ids(query.Query{Where: where, Locale: "de"}))
		assert.Equal(t, []int64{german.ID, english.ID}, ids(query.Query{Where: where, Locale: "*"}))
		assert.Equal(t, []int64{draft.ID, german.ID, english.ID}, ids(query.Query{Where: where, Locale: "*", State: "with_draft"}))
	}
	for _, id := range []any{fmt.Sprint(draft.ID), fmt.Sprint(peru.ID), "999", "0", "-1", "1.5", "9e99"} {
		assert.Empty(t, ids(query.Query{Where: []query.Filter{group(id, "")}, Locale: "*"}), id)
	}
	assert.NotEmpty(t, ids(query.Query{Where: []query.Filter{group(fmt.Sprint(draft.ID), "")}, Locale: "*", State: "with_draft"}))
	for name, refused := range map[string]struct {
		q    query.Query
		want string
	}{
		"another operator":        {query.Query{Where: []query.Filter{group("1", "in")}}, `"_group" takes only equality, with the id of an entry`},
		"an unknown operator":     {query.Query{Where: []query.Filter{group("1", "is")}}, `"_group" takes only equality, with the id of an entry`},
		"a text":                  {query.Query{Where: []query.Filter{group("x", "")}}, `the field "_group" takes a number`},
		"twice":                   {query.Query{Where: []query.Filter{group("1", ""), group("2", "")}}, `"_group" must not be repeated`},
		"in or":                   {query.Query{Or: [][]query.Filter{{group("1", "")}}}, onlyInWhere},
		"as a sort key":           {query.Query{Sort: "_group"}, onlyInWhere},
		"counted by":              {query.Query{By: "_group"}, onlyInWhere},
		"as a field":              {query.Query{Shape: query.Shape{Fields: "_group"}}, `unknown field "_group"`},
		"alternates as a field":   {query.Query{Shape: query.Shape{Fields: "_alternates"}}, `unknown field "_alternates"`},
		"through a relation":      {query.Query{Where: []query.Filter{{Field: "country._group", Operand: query.Operand{Items: []any{"1"}}}}}, `unknown field "country._group"`},
		"alternates as condition": {query.Query{Where: []query.Filter{{Field: "_alternates", Operand: query.Operand{Items: []any{"1"}}}}}, `unknown field "_alternates"`},
	} {
		q := refused.q
		q.Collection = "articles"
		_, err := l.reader.Prepare(t.Context(), l.project, true, q)
		if q.By != "" {
			_, err = l.reader.Counts(t.Context(), l.project, true, q)
		}
		var fault *core.Error
		require.ErrorAs(t, err, &fault, name)
		assert.Equal(t, core.KindBadRequest, fault.Kind, name)
		require.Len(t, fault.Fields, 1, "%s: %v", name, fault.Fields)
		assert.Equal(t, refused.want, fault.Fields[0].Message, name)
	}
}
