package reading_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
)

// bordering adds n countries that all border each other, and returns them.
func (l *readerFixture) bordering(t testing.TB, n int) (countries []*core.Entry) {
	t.Helper()
	groups := make([]int64, n)
	for i := range n {
		countries = append(countries, l.add(t, l.countries, fmt.Sprintf(`{"name":"C%d"}`, i)))
		groups[i] = countries[i].Group
	}
	borders, err := json.Marshal(groups)
	require.NoError(t, err)
	for _, e := range countries {
		e.Published = core.Document(fmt.Sprintf(`{"borders":%s,"name":%q}`, borders, e.Published.Value("name")))
		l.update(t, l.countries, e)
	}
	return countries
}

// update stores the changes of an entry.
func (l *readerFixture) update(t testing.TB, c *core.Collection, e *core.Entry) {
	t.Helper()
	e.Version++
	require.NoError(t, l.stores.Entries.Update(context.Background(), l.schema(t, c), e))
}

// keys describes the members of an entry: {id locale country{id locale name}}.
func keys(t *testing.T, raw []byte) string {
	t.Helper()
	var entry map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &entry))
	var names []string
	for _, name := range slices.Sorted(maps.Keys(entry)) {
		switch value := entry[name]; value[0] {
		case '{':
			name += keys(t, value)
		case '[':
			var list []json.RawMessage
			require.NoError(t, json.Unmarshal(value, &list))
			for _, element := range list {
				if element[0] == '{' {
					name += keys(t, element)
				}
			}
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, " ") + "}"
}

func TestFieldsSelectMembers(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	chile := l.add(t, l.countries, `{"name":"Chile"}`)
	peru := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d],"name":"Peru"}`, chile.Group))
	article := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"A"}`, peru.Group))
	related := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"related":[%d],"title":"B"}`, peru.Group, article.Group))
	const stub = "{collection id}"
	const country = "{borders" + stub + " flag id locale name publishedAt}"
	for _, c := range []struct {
		depth  int64
		fields string
		want   string
	}{
		{1, "title", "{id locale title}"},
		{1, "title,title,id,locale", "{id locale title}"},
		{1, "publishedAt,createdAt", "{createdAt id locale publishedAt}"},
		{1, "country", "{country" + country + " id locale}"},
		{1, "country.*", "{country" + country + " id locale}"},
		{1, "country.name", "{country{id locale name} id locale}"},
		{1, "country.name,country", "{country" + country + " id locale}"},
		{1, "title,country.borders", "{country{borders" + stub + " id locale} id locale title}"},
		{0, "country,title", "{country" + stub + " id locale title}"},
		{2, "country.borders", "{country{borders{borders flag id locale name publishedAt} id locale} id locale}"},
		{2, "country.borders.name", "{country{borders{id locale name} id locale} id locale}"},
		{2, "country.*,country.borders.updatedAt", "{country{borders{id locale updatedAt} flag id locale name publishedAt} id locale}"},
		{2, "country.name,related.country.name", "{country{id locale name} id locale related{country{id locale name} id locale}}"},
		// The two paths show the same country in two ways.
		{2, "related.title,related.country.flag,country.borders.name", "{country{borders{id locale name} id locale} id locale related{country{flag id locale} id locale title}}"},
	} {
		shape := query.Shape{Fields: c.fields, Depth: &c.depth}
		single, err := l.reader.Entry(t.Context(), l.project, "articles", related.ID, shape)
		require.NoError(t, err, c.fields)
		require.Equal(t, c.want, keys(t, single.JSON), c.fields)
		page := l.page(t, query.Query{Collection: "articles", Shape: shape})
		require.Equal(t, string(single.JSON), string(page.Entries[0].JSON), c.fields)
	}

	page := l.page(t, query.Query{Collection: "articles", Shape: query.Shape{Fields: "*,country.name"}})
	whole := l.page(t, query.Query{Collection: "articles"})
	require.Equal(t, strings.ReplaceAll(keys(t, whole.Entries[0].JSON), country, "{id locale name}"),
		strings.ReplaceAll(keys(t, page.Entries[0].JSON), country, "a country that is narrowed"))
	stamped := l.page(t, query.Query{Collection: "articles", Shape: query.Shape{Fields: "country.name", Timestamps: true}})
	require.Equal(t, "{country{createdAt id locale name updatedAt} createdAt id locale updatedAt}", keys(t, stamped.Entries[0].JSON))
}

func TestInvalidShapes(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	article := l.add(t, l.articles, `{"title":"A"}`)
	for _, c := range []struct {
		fields string
		depth  int64
		want   string
	}{
		{"titel", 1, `fields: unknown field "titel"`},
		{"title,", 1, `fields: unknown field ""`},
		{"Title", 1, `fields: unknown field "Title"`},
		{"secretNote", 1, `fields: unknown field "secretNote"`},
		{"pin", 1, `fields: unknown field "pin"`},
		{"secretLink.name", 1, `fields: unknown field "secretLink.name"`},
		{"country.code", 1, `fields: unknown field "country.code"`},
		{"country.nom,x", 1, `fields: unknown field "country.nom"; fields: unknown field "x"`},
		{"title.length", 1, `fields: "title" is not a relation`},
		{"title.*", 1, `fields: "title" is not a relation`},
		{"cover.url", 1, `fields: unknown member "url" of a media field: one of id, fileName, fullUrl, thumbUrl, thumbWebpUrl, fullWebpUrl, caption, tags, size, width, height, alt, focalPoint, color`},
		{"lost.name", 1, `fields: "lost" is not a relation`},
		{"*.name", 1, `fields: unknown field "*.name"`},
		{"country.name", 0, `fields: "country.name" needs a depth of 1; the depth is 0`},
		{"country.borders.name", 1, `fields: "country.borders.name" needs a depth of 2; the depth is 1`},
		{"title", 4, `depth: must be between 0 and 3`},
		{"title", -1, `depth: must be between 0 and 3`},
		{strings.Repeat("title,", 500) + "title", 1, `fields: must have at most 500 names and 4096 bytes`},
		{strings.Repeat("x", 4097), 1, `fields: must have at most 500 names and 4096 bytes`},
	} {
		shape := query.Shape{Fields: c.fields, Depth: &c.depth}
		_, err := l.reader.Entry(t.Context(), l.project, "articles", article.ID, shape)
		require.Equal(t, core.KindBadRequest, core.KindOf(err), c.fields)
		require.EqualError(t, err, "invalid_query: "+c.want)
		_, err = l.reader.Prepare(t.Context(), l.project, false, query.Query{Collection: "articles", Shape: shape})
		require.EqualError(t, err, "invalid_query: "+c.want)
	}
}

// The entry that a relation shows at a depth equals the same entry read alone with one level less.
func TestRelationsShowEntriesOfLessDepth(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	countries := l.bordering(t, 3)
	read := func(id, depth int64) string {
		t.Helper()
		e, err := l.reader.Entry(t.Context(), l.project, "countries", id, query.Shape{Depth: &depth})
		require.NoError(t, err)
		return string(e.JSON)
	}
	for depth := range int64(query.MaxDepth + 1) {
		var shown struct{ Borders []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(read(countries[0].ID, depth)), &shown))
		require.Len(t, shown.Borders, len(countries))
		for i, border := range shown.Borders {
			want := fmt.Sprintf(`{"id":%d,"collection":"countries"}`, countries[i].ID)
			if depth > 0 {
				want = read(countries[i].ID, depth-1)
			}
			require.Equal(t, want, string(border))
		}
	}
}

func TestResponsesHaveAMaximumOfEntries(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.bordering(t, 44) // 44 + 44*44 = 1,980 entries with the default depth
	tooDeep := func(depth int64, limit int64) error {
		listing, err := l.reader.Prepare(t.Context(), l.project, false, query.Query{Collection: "countries", Limit: &limit, Shape: query.Shape{Depth: &depth, Bounded: true}})
		require.NoError(t, err)
		if _, err = listing.Page(t.Context()); err == nil {
			return nil
		}
		require.Equal(t, core.KindBadRequest, core.KindOf(err))
		require.ErrorContains(t, err, "too_deep: ")
		return err
	}
	require.NoError(t, tooDeep(0, 500))
	require.NoError(t, tooDeep(1, 500))
	require.Error(t, tooDeep(2, 500))
	require.NoError(t, tooDeep(2, 1)) // 1 + 44 + 44*44 = 1,981
	require.Error(t, tooDeep(2, 2))
	require.Error(t, tooDeep(3, 1))
	l.bordering(t, 45)
	require.Error(t, tooDeep(1, 45)) // 45 + 45*45
	limit := int64(45)
	require.Len(t, l.page(t, query.Query{Collection: "countries", Limit: &limit}).Entries, 45, "without the bound")
}

// An entry that one relation shows narrowly is not read further because another relation of the
// same level shows more of its targets.
func TestFieldsReadOnlyWhatTheyShow(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	groups := make([]int64, query.MaxEntries+1)
	for i := range groups {
		groups[i] = l.add(t, l.countries, `{"name":"small"}`).Group
	}
	borders, err := json.Marshal(groups)
	require.NoError(t, err)
	big := l.add(t, l.countries, fmt.Sprintf(`{"borders":%s,"name":"big"}`, borders))
	near := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d],"name":"near"}`, groups[0]))
	home := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d],"name":"home"}`, near.Group))
	other := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"other"}`, big.Group))
	article := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"related":[%d],"title":"A"}`, home.Group, other.Group))
	e, err := l.reader.Entry(t.Context(), l.project, "articles", article.ID, query.Shape{
		Fields: "country.borders.borders.name,related.country.name", Depth: ptr(int64(3)), Bounded: true,
	})
	require.NoError(t, err)
	require.Equal(t, "{country{borders{borders{id locale name} id locale} id locale} id locale related{country{id locale name} id locale}}", keys(t, e.JSON))
}

// A response takes one store call for the rows, one for each level of relations and one for media.
func TestDepthCostsOneCallALevel(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	flag := l.medium(t, "flag.txt")
	countries := l.bordering(t, 3)
	countries[0].Published = core.Document(strings.Replace(string(countries[0].Published), `,"name"`, fmt.Sprintf(`,"flag":%d,"name"`, flag.ID), 1))
	l.update(t, l.countries, countries[0])
	for depth := range int64(query.MaxDepth + 1) {
		before := l.calls.made.Load()
		l.page(t, query.Query{Collection: "countries", Shape: query.Shape{Depth: &depth}})
		require.Equal(t, 3+depth, l.calls.made.Load()-before)
	}
	before := l.calls.made.Load()
	l.page(t, query.Query{Collection: "countries", Shape: query.Shape{Fields: "name"}})
	require.Equal(t, int64(1), l.calls.made.Load()-before, "members that are not shown are not read")
}

// A response with fields has the same values as the whole response.
func TestFieldsNarrowTheWholeResponse(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	flag := l.medium(t, "flag.txt")
	var groups []int64
	for i := range 4 {
		borders, _ := json.Marshal(groups)
		groups = append(groups, l.add(t, l.countries, fmt.Sprintf(`{"borders":%s,"flag":%d,"name":"C%d"}`, borders, flag.ID, i)).Group)
	}
	for i := range 4 {
		l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"gallery":[%d],"related":[],"tags":["a"],"title":"A%d"}`, groups[i], flag.ID, i))
	}
	paths := []string{"*", "id", "title", "tags", "cover", "gallery", "country", "country.*", "country.name", "country.flag", "country.borders", "country.borders.*", "country.borders.name", "country.borders.borders.name", "related.title", "publishedAt"}
	rapid.Check(t, func(rt *rapid.T) {
		depth := int64(query.MaxDepth)
		whole := l.page(t, query.Query{Collection: "articles", Shape: query.Shape{Depth: &depth}})
		chosen := rapid.SliceOfN(rapid.SampledFrom(paths), 1, 5).Draw(rt, "paths")
		page := l.page(t, query.Query{Collection: "articles", Shape: query.Shape{Fields: strings.Join(chosen, ","), Depth: &depth}})
		for i := range page.Entries {
			var all, some any
			require.NoError(rt, json.Unmarshal(whole.Entries[i].JSON, &all))
			require.NoError(rt, json.Unmarshal(page.Entries[i].JSON, &some))
			require.Equal(rt, narrowed(all, chosen), some)
		}
	})
}

// narrowed returns the members of an entry, or of each entry in a list, that paths select.
func narrowed(value any, paths []string) any {
	if list, ok := value.([]any); ok {
		out := make([]any, len(list))
		for i := range list {
			out[i] = narrowed(list[i], paths)
		}
		return out
	}
	entry, ok := value.(map[string]any)
	if _, isEntry := entry["locale"]; !ok || !isEntry {
		return value // null, a media item, a scalar
	}
	out := map[string]any{"id": entry["id"], "locale": entry["locale"]}
	for name, member := range entry {
		var deeper []string
		for _, path := range paths {
			switch rest, inside := strings.CutPrefix(path, name+"."); {
			case inside:
				deeper = append(deeper, rest)
			case path == name:
				deeper = append(deeper, "*")
			}
		}
		if len(deeper) == 0 && slices.Contains(paths, "*") {
			deeper = []string{"*"}
		}
		if len(deeper) > 0 {
			out[name] = narrowed(member, deeper)
		}
	}
	return out
}

// TestMediaInPart checks paths that name members of media.
func TestMediaInPart(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	require.NoError(t, l.stores.Components.Insert(t.Context(), &core.Component{
		CreatedAt: day, UpdatedAt: day, ProjectID: l.project.ID, Slug: "hero", Name: "Hero", Version: 1, NextFieldID: 2,
		Fields: []*core.Field{{ID: 1, Name: "image", Type: core.TypeMedia}},
	}))
	pages := l.collection(t, "pages", &core.Field{Name: "cover", Type: core.TypeMedia}, &core.Field{Name: "gallery", Type: core.TypeMedia, Multiple: true},
		&core.Field{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero"}}, &core.Field{Name: "article", Type: core.TypeRelation, Collection: "articles"}, &core.Field{Name: "secret", Type: core.TypeMedia, Hidden: true})
	a, b := l.medium(t, "a.txt"), l.medium(t, "b.txt")
	article := l.add(t, l.articles, fmt.Sprintf(`{"cover":%d}`, b.ID))
	l.add(t, pages, fmt.Sprintf(`{"article":%d,"body":[{"_key":"k","_type":"hero","image":%d}],"cover":%d,"gallery":[%d,999,%d],"secret":%d}`, article.ID, a.ID, a.ID, a.ID, b.ID, b.ID))
	whole := func(m core.MediaItem) string { return string(reading.MediaJSON("", m)) }
	part := func(m core.MediaItem, members string) string { return fmt.Sprintf(`{"id":%d%s}`, m.ID, members) }
	for fields, want := range map[string]string{
		"cover.fileName,cover.alt":     `"cover":` + part(a, `,"fileName":"a.txt","alt":null`),
		"cover.alt,cover.fileName":     `"cover":` + part(a, `,"fileName":"a.txt","alt":null`),
		"cover.id":                     `"cover":` + part(a, ``),
		"cover.tags,cover.size":        `"cover":` + part(a, `,"tags":[],"size":7`),
		"cover.*":                      `"cover":` + whole(a),
		"cover":                        `"cover":` + whole(a),
		"cover.alt,cover":              `"cover":` + whole(a),
		"cover.alt,cover.*":            `"cover":` + whole(a),
		"gallery.size":                 `"gallery":[` + part(a, `,"size":7`) + `,` + part(b, `,"size":7`) + `]`,
		"body.hero.image.alt":          `"body":[{"_type":"hero","_key":"k","image":` + part(a, `,"alt":null`) + `}]`,
		"article.cover.fileName":       fmt.Sprintf(`"article":{"id":%d,"locale":"en","cover":%s}`, article.ID, part(b, `,"fileName":"b.txt"`)),
		"cover.alt,article.cover.size": `"cover":` + part(a, `,"alt":null`) + fmt.Sprintf(`,"article":{"id":%d,"locale":"en","cover":%s}`, article.ID, part(b, `,"size":7`)),
	} {
		shown := bodies(l.page(t, query.Query{Collection: "pages", Shape: query.Shape{Fields: fields}}))
		assert.Equal(t, []string{`{"id":` + shown[0][len(`{"id":`):len(`{"id":`)+1] + `,"locale":"en",` + want + `}`}, shown, fields)
	}
	everything := bodies(l.page(t, query.Query{Collection: "pages", Shape: query.Shape{Fields: "*,cover.alt"}}))[0]
	assert.Contains(t, everything, `"cover":`+part(a, `,"alt":null`))
	assert.Contains(t, everything, `"gallery":[`+whole(a)+`,`+whole(b)+`]`)
	for fields, want := range map[string]string{
		"cover.name":         `unknown member "name" of a media field: one of id, fileName, fullUrl,`,
		"cover.":             `unknown member`,
		"cover.alt.x":        `unknown member "alt.x"`,
		"cover.*.x":          `unknown member`,
		"cover.focalPoint.x": `unknown member`,
		"secret.alt":         `unknown field`,
		"article.cover.x":    `unknown member`,
	} {
		_, err := l.reader.Prepare(t.Context(), l.project, true, query.Query{Collection: "pages", Shape: query.Shape{Fields: fields}})
		require.Equal(t, core.KindBadRequest, core.KindOf(err), fields)
		assert.Contains(t, err.Error(), want, fields)
	}
	_, err := l.drafts.List(t.Context(), l.project, pages.ID, query.Query{Shape: query.Shape{Fields: "cover.alt"}})
	assert.Equal(t, core.KindBadRequest, core.KindOf(err), "the dashboard's lists have ids")
}
