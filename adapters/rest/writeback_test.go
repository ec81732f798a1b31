package rest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
)

// What is read can be written back, by both APIs, field by field and whole, and changes nothing.
func TestWhatIsReadCanBeWrittenBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &mirror{world: setup(t)} // few collections, which each request reads
		item := core.MediaItem{
			ProjectID: m.project.ID, Hash: strings.Repeat("ab", 32), FileName: "a.jpg", Kind: core.MediaImage, Alt: "A",
			CreatedAt: m.project.CreatedAt, UpdatedAt: m.project.CreatedAt,
		}
		require.NoError(rt, m.stores.Media.Insert(t.Context(), &item))
		m.medium = item.ID
		m.check(rt)
	})
}

// mirror writes entries of random collections back as they were read.
type mirror struct {
	*world
	medium int64
	number int // of the names
}

// model is a field of a random collection, with the fields of each component that it admits.
type model struct {
	field      map[string]any
	components map[string][]model
}

func (m *mirror) check(rt *rapid.T) {
	fields := m.fields(rt, rapid.SampledFrom([]int{0, 1, 2, core.MaxItemDepth}).Draw(rt, "depth"))
	slug := m.name("c")
	collection := m.must(rt, "POST", "/api/projects/"+itoa(m.project.ID)+"/collections", map[string]any{"slug": slug, "name": slug, "fields": definitions(fields)})
	managed := fmt.Sprintf("/api/projects/%d/collections/%v/content", m.project.ID, collection["id"])
	public := m.public("/collections/" + slug + "/entries")
	made := m.must(rt, "POST", managed, map[string]any{"published": true, "fields": m.values(rt, fields)})
	id, _ := made["id"].(float64)
	before, err := m.stores.Entries.Entry(m.t.Context(), m.project.ID, int64(id))
	require.NoError(rt, err)
	for all, member := range map[string]string{managed: "fields", public: ""} {
		one := all + "/" + itoa(before.ID)
		shown := m.must(rt, "GET", one, nil)
		if member != "" {
			shown, _ = shown[member].(map[string]any)
		}
		given := map[string]any{}
		for _, f := range fields {
			value, there := shown[f.name()]
			require.True(rt, there, "%s shows %s", one, f.name())
			given[f.name()] = value
			m.must(rt, "PATCH", one, map[string]any{"fields": map[string]any{f.name(): value}})
		}
		m.must(rt, "PATCH", one, map[string]any{"fields": given})
		after, err := m.stores.Entries.Entry(m.t.Context(), m.project.ID, before.ID)
		require.NoError(rt, err)
		require.Equal(rt, string(before.Draft), string(after.Draft), one)
		require.Equal(rt, before.Version, after.Version, "%s: what is written back is no change", one)
		m.must(rt, "POST", all, map[string]any{"fields": given})
	}
}

func (m *mirror) name(prefix string) string {
	m.number++
	return fmt.Sprintf("%s%d", prefix, m.number)
}

// must sends a request that succeeds and returns its body.
func (m *mirror) must(rt *rapid.T, method, target string, body map[string]any) map[string]any {
	text := ""
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(rt, err)
		text = string(raw)
	}
	by := m.as("projectAdmin")
	if strings.HasPrefix(target, "/public") {
		by = m.bearer("measure") // has no rate limit
	}
	got := m.send(method, target, text, by)
	require.Less(rt, got.StatusCode, 300, "%s %s %s: %s", method, target, text, got.body)
	var shown map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(got.body)))
	require.NoError(rt, decoder.Decode(&shown))
	return shown
}

func (f model) name() string {
	name, _ := f.field["name"].(string)
	return name
}

func definitions(fields []model) (list []map[string]any) {
	for _, f := range fields {
		list = append(list, f.field)
	}
	return list
}

// fields draws fields with up to that many levels of items.
func (m *mirror) fields(rt *rapid.T, depth int) []model {
	kinds := []string{"text", "longtext", "richtext", "url", "email", "number", "boolean", "date", "time", "datetime", "enumeration", "color", "json", "media", "relation", "several"}
	var fields []model
	for range rapid.IntRange(1, 4).Draw(rt, "fields") {
		fields = append(fields, m.plain(rt, rapid.SampledFrom(kinds).Draw(rt, "type")))
	}
	if depth > 0 {
		f := model{map[string]any{"name": m.name("f"), "type": "group", "multiple": rapid.Bool().Draw(rt, "several")}, map[string][]model{}}
		inner := []string{m.component(rt, f.components, depth)}
		if f.field["component"] = inner[0]; rapid.Bool().Draw(rt, "blocks") {
			inner = append(inner, m.component(rt, f.components, rapid.IntRange(1, depth).Draw(rt, "depth")))
			delete(f.field, "component")
			f.field["type"], f.field["components"] = "blocks", inner
			delete(f.field, "multiple")
		}
		fields = append(fields, f)
	}
	return fields
}

func (m *mirror) component(rt *rapid.T, into map[string][]model, depth int) string {
	slug, fields := m.name("k"), m.fields(rt, depth-1)
	m.must(rt, "POST", "/api/projects/"+itoa(m.project.ID)+"/components", map[string]any{"slug": slug, "name": slug, "fields": definitions(fields)})
	into[slug] = fields
	return slug
}

func (m *mirror) plain(rt *rapid.T, kind string) model {
	f := map[string]any{"name": m.name("f"), "type": kind, "multiple": rapid.Bool().Draw(rt, "multiple")}
	switch kind {
	case "json", "boolean", "richtext":
		delete(f, "multiple")
	case "enumeration":
		f["choices"] = []string{"a", "b c", "ä"}
	case "relation":
		f["collection"] = "articles"
	case "several":
		f["type"], f["collections"] = "relation", []string{"articles"}
	}
	return model{field: f}
}

// values draws an object of values for fields.
func (m *mirror) values(rt *rapid.T, fields []model) map[string]any {
	values := map[string]any{}
	for _, f := range fields {
		switch multiple := f.field["multiple"] == true || f.field["type"] == "blocks"; {
		case rapid.IntRange(0, 4).Draw(rt, "given") == 0:
		case multiple:
			list := []any{}
			for range rapid.IntRange(0, 2).Draw(rt, "values") {
				if v := m.value(rt, f); f.components != nil || !slices.Contains(list, v) {
					list = append(list, v)
				}
			}
			values[f.name()] = list
		default:
			values[f.name()] = m.value(rt, f)
		}
	}
	return values
}

// examples are valid values by type, at the limits of the types.
var examples = map[any][]any{
	"text":     {"a", "", " ä ", "line\u2028", "日本語", strings.Repeat("x", 500), "<b>&amp;</b>", "\u00e9", "e\u0301"},
	"longtext": {"a\nb", "\n\n", "\ttab", strings.Repeat("y", 9000), "\r\n"},
	"richtext": {
		"<p>a</p>", "", "<p>a<b>b</b><a href=\"#x\" id=\"x\">c</a></p>", "<table><tbody><tr><td>a<p>b</p></td></tr></tbody></table>",
		"<p dir=\"rtl\" lang=\"ar\">س</p>", "text", "<ul><li>a</li></ul><hr>", "<p>a&nbsp;&lt;b&gt;</p>", "<img data-media=\"MEDIUM\" alt=\"\">",
		"<p><a data-entry=\"GROUP\">x</a></p>", "<img data-media=\"MEDIUM\"><a data-entry=\"GROUP\" href=\"/a\">y</a>",
	},
	"url":         {"https://example.org", "https://example.org/ä?q=1#x", "http://localhost"},
	"email":       {"a@example.org", "A.B+c@Example.org"},
	"number":      {0, -1, 1.5, 1e21, 1e-7, 9007199254740991, -9007199254740991, 1.7976931348623157e308, 5e-324, 0.1},
	"boolean":     {true, false},
	"date":        {"2024-02-29", "0001-01-01", "9999-12-31"},
	"time":        {"00:00", "23:59", "23:59:59"},
	"datetime":    {"2026-01-02T15:04:05Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-01-02T15:04:05+02:00"},
	"enumeration": {"a", "b c", "ä"},
	"color":       {"#000000", "#FFFFFF", "#a1b2c3"},
	"json":        {1, "a", true, []any{}, []any{nil, 1.5}, map[string]any{"b": 1, "a": map[string]any{}}, map[string]any{"id": 3}},
}

// value draws one value of f.
func (m *mirror) value(rt *rapid.T, f model) any {
	switch kind := f.field["type"]; kind {
	case "media":
		return m.medium
	case "relation":
		return m.entry.ID
	case "group", "blocks":
		slugs := make([]string, 0, len(f.components))
		for slug := range f.components {
			slugs = append(slugs, slug)
		}
		slices.Sort(slugs)
		of := rapid.SampledFrom(slugs).Draw(rt, "component")
		item := m.values(rt, f.components[of])
		if kind == "blocks" {
			item["_type"] = of
		}
		return item
	default:
		value := rapid.SampledFrom(examples[kind]).Draw(rt, "value")
		if text, ok := value.(string); ok && kind == "richtext" {
			return strings.NewReplacer("MEDIUM", itoa(m.medium), "GROUP", itoa(m.entry.ID)).Replace(text)
		}
		return value
	}
}
