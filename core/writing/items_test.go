package writing_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/test/contenttest"
)

// component adds a component.
func component(t *testing.T, d *contenttest.Fixture, slug string, fields ...definition.FieldInput) *core.Component {
	t.Helper()
	c, err := d.Collections.Components().Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
	require.NoError(t, err)
	return c
}

// pages returns a collection with a group, a list of groups and blocks that can nest.
func pages(t *testing.T, d *contenttest.Fixture) *core.Collection {
	t.Helper()
	articles := d.Articles(t)
	component(t, d, "link", definition.FieldInput{Name: "label", Type: core.TypeText, Required: true}, definition.FieldInput{Name: "url", Type: core.TypeURL})
	component(t, d, "hero",
		definition.FieldInput{Name: "title", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "anchor", Type: core.TypeSlug, Source: "title"},
		definition.FieldInput{Name: "tone", Type: core.TypeEnumeration, Choices: []string{"light", "dark"}, Default: json.RawMessage(`"light"`)},
		definition.FieldInput{Name: "image", Type: core.TypeMedia},
		definition.FieldInput{Name: "related", Type: core.TypeRelation, Collection: articles.Slug, Multiple: true},
		definition.FieldInput{Name: "links", Type: core.TypeGroup, Component: "link", Multiple: true},
	)
	component(t, d, "text", definition.FieldInput{Name: "body", Type: core.TypeRichText})
	component(t, d, "columns")
	columns, err := d.Collections.Components().List(t.Context(), d.Project)
	require.NoError(t, err)
	_, err = d.Collections.Components().AddField(t.Context(), definition.ComponentChange{Actor: core.SystemActor, Project: d.Project, ComponentID: core.ComponentsBySlug(columns)["columns"].ID},
		definition.FieldInput{Name: "items", Type: core.TypeBlocks, Components: []string{"columns", "text"}})
	require.NoError(t, err)
	return d.Collection(t, "pages",
		definition.FieldInput{Name: "title", Type: core.TypeText},
		definition.FieldInput{Name: "cta", Type: core.TypeGroup, Component: "link"},
		definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"hero", "text", "columns"}},
	)
}

func TestItemsAreStoredAndShown(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := pages(t, d)
	article := d.Create(t, core.Schema{Collections: collectionsOf(t, d)}.BySlug("articles"), `{"title":"Alpha"}`)
	m := d.Create(t, c, `{"title":"Home","cta":{"label":"Read","url":"https://example.org/"},"body":[
		{"_type":"hero","_key":"h","title":"Привет, мир","related":[`+string(core.FormatID(article.ID))+`],"links":[{"label":"One"},{"label":"Two","_key":"two"}]},
		{"_type":"text","body":"<p>a<script>x</script></p>"},
		{"_type":"columns","items":[{"_type":"text","body":"<p>deep</p>"}]}]}`)
	var shown struct {
		CTA  json.RawMessage   `json:"cta"`
		Body []json.RawMessage `json:"body"`
	}
	require.NoError(t, json.Unmarshal(m.Fields, &shown))
	require.JSONEq(t, `{"label":"Read","url":"https://example.org/"}`, string(shown.CTA))
	require.Len(t, shown.Body, 3)
	require.Regexp(t, `^\{"_type":"hero","_key":"h","title":"Привет, мир","anchor":"privet-mir","tone":"light","image":null,"related":\[\d+\],`+
		`"links":\[\{"_key":"[a-z0-9]{12}","label":"One","url":null\},\{"_key":"two","label":"Two","url":null\}\]\}$`, string(shown.Body[0]))
	require.Regexp(t, `^\{"_type":"text","_key":"[a-z0-9]{12}","body":"<p>a</p>"\}$`, string(shown.Body[1]))
	require.Regexp(t, `^\{"_type":"columns","_key":"[a-z0-9]{12}","items":\[\{"_type":"text","_key":"[a-z0-9]{12}","body":"<p>deep</p>"\}\]\}$`, string(shown.Body[2]))

	same := d.Update(t, m, string(m.Fields))
	require.Equal(t, string(m.Fields), string(same.Fields), "what was read can be written back")
	same = d.Update(t, same, `{"body":[
		{"_type":"hero","title":"Привет, мир","related":[`+string(core.FormatID(article.ID))+`],"links":[{"label":"One"},{"label":"Two"}]},
		{"_type":"text","body":"<p>a</p>"},{"_type":"columns","items":[{"_type":"text","body":"<p>deep</p>"}]}]}`)
	require.Equal(t, string(m.Fields), string(same.Fields), "items without keys keep the stored ones")

	moved := d.Update(t, same, `{"body":[`+string(shown.Body[1])+`,{"_type":"text","body":"<p>new</p>"},`+string(shown.Body[0])+`]}`)
	require.NoError(t, json.Unmarshal(moved.Fields, &shown))
	require.Contains(t, string(shown.Body[2]), `"_key":"h"`)
	require.NotContains(t, string(shown.Body[1]), `"_key":"h"`, "a key that another item has is not taken")
}

func collectionsOf(t *testing.T, d *contenttest.Fixture) []*core.Collection {
	t.Helper()
	all, err := d.Stores.Collections.Collections(t.Context(), d.Project.ID)
	require.NoError(t, err)
	return all
}

func TestFaultsInItems(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := pages(t, d)
	nested := func(levels int) string {
		return strings.Repeat(`[{"_type":"columns","items":`, levels) + "[]" + strings.Repeat("}]", levels)
	}
	for name, one := range map[string]struct {
		body      string
		locations []string
	}{
		"no list":            {`{}`, []string{"fields.body"}},
		"no objects":         {`[1,null,[],"a"]`, []string{"fields.body[0]", "fields.body[1]", "fields.body[2]", "fields.body[3]"}},
		"types":              {`[{},{"_type":"link"},{"_type":"nothing"},{"_type":7}]`, []string{"fields.body[0]._type", "fields.body[1]._type", "fields.body[2]._type", "fields.body[3]._type"}},
		"unknown members":    {`[{"_type":"text","title":"a","_x":1}]`, []string{"fields.body[0]._x", "fields.body[0].title"}},
		"keys":               {`[{"_type":"text","_key":"a"},{"_type":"text","_key":"a"},{"_type":"text","_key":"ä"},{"_type":"text","_key":""},{"_type":"text","_key":"` + strings.Repeat("k", 33) + `"}]`, []string{"fields.body[1]._key", "fields.body[2]._key", "fields.body[3]._key", "fields.body[4]._key"}},
		"values":             {`[{"_type":"hero","title":7,"tone":"red","image":99,"related":[5],"links":[{"url":"x"},{"label":null,"y":1}]}]`, []string{"fields.body[0].title", "fields.body[0].tone", "fields.body[0].links[0].url", "fields.body[0].links[1].y", "fields.body[0].image", "fields.body[0].related[0]", "fields.body[0].links[0].label", "fields.body[0].links[1].label"}},
		"targets":            {`[{"_type":"hero","image":99,"related":[5]}]`, []string{"fields.body[0].image", "fields.body[0].related[0]", "fields.body[0].title"}},
		"seven levels":       {nested(7), []string{"fields.body" + strings.Repeat("[0].items", 6)}},
		"repeated members":   {`[{"_type":"text","_type":"hero"}]`, []string{"fields.body[0]"}},
		"too many items":     {`[` + strings.Repeat(`{"_type":"text"},`, core.MaxItems) + `{"_type":"text"}]`, []string{"fields.body"}},
		"too many in groups": {`[` + strings.TrimSuffix(strings.Repeat(`{"_type":"hero","links":[`+strings.TrimSuffix(strings.Repeat(`{"label":"a"},`, 1500), ",")+`]},`, 2), ",") + `]`, []string{"fields.body"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"body":`+one.body+`}`))
			require.Equal(t, one.locations, locations(t, err))
		})
	}
	deepest := d.Create(t, c, `{"body":`+nested(6)+`}`)
	same := d.Update(t, deepest, string(deepest.Fields))
	require.Equal(t, deepest.Version, same.Version, "what was read can be written back")
	write := contenttest.WriteOf(t, `{"body":[{"_type":"hero","links":[{}]}]}`, contenttest.Published(true))
	_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, write)
	require.Equal(t, []string{"fields.body[0].title", "fields.body[0].links[0].label"}, locations(t, err), "required counts inside of items, at publication")
}

// locations returns those of the faults of an invalid write.
func locations(t *testing.T, err error) (found []string) {
	t.Helper()
	var invalid *core.Error
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, core.KindInvalid, invalid.Kind)
	for _, f := range invalid.Fields {
		found = append(found, f.Location)
	}
	return found
}

// A client that writes back what it has read keeps what it was not shown.
func TestWritesKeepWhatIsWithheld(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := pages(t, d)
	m := d.Create(t, c, `{"body":[{"_type":"hero","_key":"h","title":"A"},{"_type":"text","_key":"t","body":"<p>a</p>"}]}`)
	stored := d.Draft(t, m.ID)
	admit := func(components ...string) {
		t.Helper()
		_, err := d.Collections.ReviseField(t.Context(), d.Change(c.ID), "body", func(in definition.FieldInput) definition.FieldInput {
			in.Components, in.Required, in.Min = components, true, new(1.0)
			return in
		})
		require.NoError(t, err)
	}
	admit("hero", "columns")
	m = d.Show(t, &core.Written{Entry: d.Entry(t, m.ID), Schema: schemaOf(t, d, c)})
	require.NotContains(t, string(m.Fields), `"_type":"text"`)
	again := d.Update(t, m, string(m.Fields))
	require.Equal(t, m.Version, again.Version, "nothing changed")
	require.Equal(t, stored, d.Draft(t, m.ID))

	admit("columns")
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":"B"}`, contenttest.Published(true)))
	require.Equal(t, []string{"fields.body"}, locations(t, err), "withheld items do not count for required")
}

func TestWritesKeepReferencesThatAreWithheld(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	articles, people := d.Articles(t), d.Collection(t, "people", definition.FieldInput{Name: "title", Type: core.TypeText})
	c := d.Collection(t, "notes", definition.FieldInput{Name: "about", Type: core.TypeRelation, Multiple: true, Collections: []string{"articles", "people"}})
	article, person := d.Create(t, articles, `{"title":"A"}`), d.Create(t, people, `{"title":"P"}`)
	id := func(m *reading.Managed) string { return string(core.FormatID(m.ID)) }
	m := d.Create(t, c, `{"about":[`+id(article)+`,`+id(person)+`]}`)
	stored := d.Draft(t, m.ID)
	_, err := d.Collections.ReviseField(t.Context(), d.Change(c.ID), "about", func(in definition.FieldInput) definition.FieldInput {
		in.Collections = []string{"people"}
		return in
	})
	require.NoError(t, err)
	d.Update(t, m, `{"about":[`+id(person)+`]}`)
	require.Equal(t, stored, d.Draft(t, m.ID))
	d.Update(t, m, `{"about":[]}`)
	require.NotEqual(t, stored, d.Draft(t, m.ID))
}

func schemaOf(t *testing.T, d *contenttest.Fixture, c *core.Collection) core.Schema {
	t.Helper()
	schema, err := core.Schema{Project: d.Project, Collections: collectionsOf(t, d)}.Of(core.Schema{Collections: collectionsOf(t, d)}.ByID(c.ID))
	require.NoError(t, err)
	return schema
}
