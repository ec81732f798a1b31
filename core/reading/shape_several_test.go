package reading_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
)

// notes returns a collection with relations to articles and countries, and one to countries alone.
func (l *readerFixture) notes(t testing.TB) *core.Collection {
	t.Helper()
	return l.collection(t, "notes",
		&core.Field{Name: "title", Type: core.TypeText},
		&core.Field{Name: "about", Type: core.TypeRelation, Collections: []string{"articles", "countries"}, Multiple: true},
		&core.Field{Name: "lead", Type: core.TypeRelation, Collections: []string{"countries"}},
		&core.Field{Name: "country", Type: core.TypeRelation, Collection: "countries"},
		&core.Field{Name: "place", Type: core.TypeText},
	)
}

func TestRelationsToSeveralNameTheCollection(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	notes := l.notes(t)
	peru := l.add(t, l.countries, `{"code":"PE","name":"Peru"}`)
	l.add(t, l.countries, `{"name":"Pérou"}`, translated(peru, "fr"))
	article := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"A"}`, peru.Group))
	draft := l.add(t, l.articles, `{"title":"Draft"}`, unpublished)
	other := l.add(t, notes, `{"title":"Other"}`)
	groups := fmt.Sprintf("[%d,%d,%d,%d,%d]", article.Group, peru.Group, draft.Group, other.Group, 4711)
	note := l.add(t, notes, fmt.Sprintf(`{"about":%s,"country":%[2]d,"lead":%[2]d,"title":"N"}`, groups, peru.Group))
	shown := func(locale, fields string, depth int64) map[string]string {
		shape := query.Shape{Fields: fields, Depth: &depth}
		before := l.calls.made.Load()
		single, err := l.reader.Entry(t.Context(), l.project, "notes", note.ID, shape)
		require.NoError(t, err)
		require.LessOrEqual(t, l.calls.made.Load()-before, 2+depth, "one store call for each level")
		page := l.page(t, query.Query{Collection: "notes", Locale: locale, Shape: shape, Where: []query.Filter{one("id", "", fmt.Sprint(note.ID))}})
		if locale == "en" {
			require.Equal(t, string(single.JSON), string(page.Entries[0].JSON))
		}
		values := map[string]string{}
		core.Document(page.Entries[0].JSON).Each(func(name, value []byte) { values[string(name)] = string(value) })
		return values
	}
	country := func(name string) string {
		return fmt.Sprintf(`"locale":"en","publishedAt":"2026-01-02T03:04:05.006Z","name":%q,"flag":null,"borders":[]}`, name)
	}
	whole := shown("en", "", 1)
	require.Equal(t, fmt.Sprintf(`{"_collection":"countries","id":%d,`, peru.ID)+country("Peru"), whole["lead"])
	require.Equal(t, fmt.Sprintf(`{"id":%d,`, peru.ID)+country("Peru"), whole["country"], "a relation to one collection does not name it")
	require.Contains(t, whole["about"], fmt.Sprintf(`[{"_collection":"articles","id":%d,"locale":"en",`, article.ID))
	require.Contains(t, whole["about"], fmt.Sprintf(`"country":{"id":%d,"collection":"countries"}`, peru.ID), "deeper entries are references")
	require.Contains(t, whole["about"], fmt.Sprintf(`,{"_collection":"countries","id":%d,`, peru.ID)+country("Peru")+"]", "drafts and other collections are left out")

	stubs := shown("en", "", 0)
	require.Equal(t, fmt.Sprintf(`[{"id":%d,"collection":"articles"},{"id":%d,"collection":"countries"}]`, article.ID, peru.ID), stubs["about"])
	require.Equal(t, fmt.Sprintf(`{"id":%d,"collection":"countries"}`, peru.ID), stubs["lead"])
	require.Contains(t, shown("fr", "", 1)["lead"], `"locale":"fr","publishedAt":"2026-01-02T03:04:05.006Z","name":"Pérou"`)

	ids := []any{article.ID, peru.ID}
	for fields, want := range map[string]string{
		"about.articles.title":                            `[{"_collection":"articles","id":%d,"locale":"en","title":"A"},{"_collection":"countries","id":%d,"locale":"en"}]`,
		"about.countries.name":                            `[{"_collection":"articles","id":%d,"locale":"en"},{"_collection":"countries","id":%d,"locale":"en","name":"Peru"}]`,
		"about.countries.id":                              `[{"_collection":"articles","id":%d,"locale":"en"},{"_collection":"countries","id":%d,"locale":"en"}]`,
		"about.articles.title,about.countries.name,title": `[{"_collection":"articles","id":%d,"locale":"en","title":"A"},{"_collection":"countries","id":%d,"locale":"en","name":"Peru"}]`,
		"about.countries":                                 `[{"_collection":"articles","id":%d,"locale":"en"},{"_collection":"countries","id":%d,` + country("Peru") + `]`,
		"about.countries.*,about.articles.tags":           `[{"_collection":"articles","id":%d,"locale":"en","tags":[]},{"_collection":"countries","id":%d,` + country("Peru") + `]`,
	} {
		require.Equal(t, fmt.Sprintf(want, ids...), shown("en", fields, 1)["about"], fields)
	}
	for _, fields := range []string{"about", "about.*", "about,about.articles.title", "*"} {
		require.Equal(t, whole["about"], shown("en", fields, 1)["about"], fields)
	}
	require.Contains(t, shown("en", "about.articles.country.name", 2)["about"], fmt.Sprintf(`"country":{"id":%d,"locale":"en","name":"Peru"}}`, peru.ID))
	deep := shown("en", "about,about.articles.country.name", 2)["about"]
	require.Contains(t, deep, fmt.Sprintf(`"country":{"id":%d,"locale":"en","name":"Peru"},`, peru.ID))
	require.Contains(t, deep, `"title":"A"`)
}

// An entry is shown with and without its collection in one response.
func TestEntriesOfSeveralRelationsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	notes := l.notes(t)
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	for range 3 {
		l.add(t, notes, fmt.Sprintf(`{"about":[%[1]d],"country":%[1]d,"lead":%[1]d}`, peru.Group))
	}
	page := l.page(t, query.Query{Collection: "notes", Shape: query.Shape{Fields: "about.countries.name,country.name,lead.countries.name"}})
	for _, body := range bodies(page) {
		require.Regexp(t, fmt.Sprintf(`"about":\[{"_collection":"countries","id":%[1]d,"locale":"en","name":"Peru"}\],`+
			`"lead":{"_collection":"countries","id":%[1]d,"locale":"en","name":"Peru"},"country":{"id":%[1]d,"locale":"en","name":"Peru"}}$`, peru.ID), body)
	}
}

func TestInvalidPathsThroughSeveral(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	note := l.add(t, l.notes(t), `{}`)
	for _, c := range []struct {
		fields string
		depth  int64
		want   string
	}{
		{"about.title", 1, `fields: "about" admits no entries of "title": name one of its collections first`},
		{"about.notes.title", 1, `fields: "about" admits no entries of "notes": name one of its collections first`},
		{"lead.articles.title", 1, `fields: "lead" admits no entries of "articles": name one of its collections first`},
		{"about.", 1, `fields: "about" admits no entries of "": name one of its collections first`},
		{"about.*.title", 1, `fields: "about" admits no entries of "*": name one of its collections first`},
		{"about.articles.nope", 1, `fields: unknown field "about.articles.nope"`},
		{"about.articles.secretNote", 1, `fields: unknown field "about.articles.secretNote"`},
		{"about.countries.code", 1, `fields: unknown field "about.countries.code"`},
		{"about.countries.name", 0, `fields: "about.countries.name" needs a depth of 1; the depth is 0`},
		{"about.articles.country.name", 1, `fields: "about.articles.country.name" needs a depth of 2; the depth is 1`},
	} {
		_, err := l.reader.Entry(t.Context(), l.project, "notes", note.ID, query.Shape{Fields: c.fields, Depth: &c.depth})
		require.EqualError(t, err, "invalid_query: "+c.want)
	}
}

// Items inside of components resolve relations to several collections as the entry does.
func TestItemsShowRelationsToSeveral(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	see := &core.Component{
		CreatedAt: day, UpdatedAt: day, ProjectID: l.project.ID, Slug: "see", Name: "see", NextFieldID: 2, Version: 1,
		Fields: []*core.Field{{ID: 1, Name: "related", Type: core.TypeRelation, Collections: []string{"countries", "articles"}, Multiple: true}},
	}
	require.NoError(t, l.stores.Components.Insert(t.Context(), see))
	pages := l.collection(t, "pages", &core.Field{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"see"}})
	peru, article := l.add(t, l.countries, `{"name":"Peru"}`), l.add(t, l.articles, `{"title":"A"}`)
	l.add(t, pages, fmt.Sprintf(`{"body":[{"_key":"a","_type":"see","related":[%d,%d]}]}`, article.Group, peru.Group))
	body := bodies(l.page(t, query.Query{Collection: "pages", Shape: query.Shape{Fields: "body.see.related.countries.name"}}))[0]
	require.Contains(t, body, fmt.Sprintf(`"body":[{"_type":"see","_key":"a","related":[{"_collection":"articles","id":%d,"locale":"en"},`+
		`{"_collection":"countries","id":%d,"locale":"en","name":"Peru"}]}]`, article.ID, peru.ID))
}

func TestConditionsThroughSeveral(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.collection(t, "films",
		&core.Field{Name: "title", Type: core.TypeText}, &core.Field{Name: "views", Type: core.TypeText}, &core.Field{Name: "country", Type: core.TypeRelation, Collection: "countries"})
	l.collection(t, "reviews",
		&core.Field{Name: "of", Type: core.TypeRelation, Collections: []string{"films", "articles"}},
		&core.Field{Name: "any", Type: core.TypeRelation, Collections: []string{"films", "articles", "countries"}},
		&core.Field{Name: "by", Type: core.TypeRelation, Collections: []string{"countries"}})
	queryOf := func(conditions ...query.Filter) query.Query {
		return query.Query{Collection: "reviews", Where: conditions}
	}
	for condition, want := range map[string]string{
		"of.title": "films.title articles.title", "of.country": "films.country articles.country", "of.id": "films.id articles.id", "by.name": "countries.name",
	} {
		sel, err := l.selection(queryOf(one(condition, "", "5")))
		require.NoError(t, err)
		var got []string
		for _, hop := range sel.Where[0].Hops() {
			got = append(got, hop.Target.Slug+"."+hop.Field.Name)
		}
		require.Equal(t, want, strings.Join(got, " "))
	}
	sel, err := l.selection(queryOf(one("of", "null")))
	require.NoError(t, err)
	require.Len(t, sel.Where[0].Hops(), 2, "a target that the reader does not see counts as null")
	require.Equal(t, core.SystemID, sel.Where[0].Field)

	for name, says := range map[string]string{
		"of.views":        `"of.views" is not of one type in all collections of "of": it is text, but number in articles`,
		"of.body":         `"of.body" is not in all collections of "of": films has no field "body"`,
		"of.secretNote":   `"of.secretNote" is not in all collections of "of": films has no field "secretNote"`,
		"of.films.title":  `"of.films.title" is not in all collections of "of": films has no field "films.title"`,
		"of.":             `"of." is not in all collections of "of": films has no field ""`,
		"by.code":         `"by.code" is not in all collections of "by": countries has no field "code"`,
		"of.country.name": `"of.country.name" leads through "of", a relation to several collections: a condition may name its fields, but none beyond them`,
	} {
		_, err := l.selection(queryOf(one(name, "", "x")))
		require.EqualError(t, err, "invalid_query: where[0]: "+says)
	}
	everywhere := func(field string) error {
		_, err := l.selection(query.Query{Collection: "reviews", Locale: query.AllLocales, Where: slices.Repeat([]query.Filter{one(field, "", "5")}, query.MaxConditions)})
		return err
	}
	require.NoError(t, everywhere("of.id"))
	require.EqualError(t, everywhere("any.id"),
		"invalid_query: where: a query that reads 4 locales takes at most 125 conditions, counted once for each collection that a relation leads to")
}
