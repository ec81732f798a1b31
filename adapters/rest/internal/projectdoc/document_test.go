package projectdoc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
	"imprimatur/adapters/rest/internal/projectdoc"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

var template = sync.OnceValues(func() (*projectdoc.Template, error) {
	whole, err := openapi3.NewLoader().LoadFromData(rest.New(rest.Deps{}).OpenAPI())
	if err != nil {
		return nil, err
	}
	document, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return projectdoc.New(document, "/public/v2/projects/{projectUuid}")
})

const server = "/public/v2/projects/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"

// write returns the document of a Project with these definitions, and checks that it is valid.
func write(t *testing.T, collections []*core.Collection, components ...*core.Component) (*openapi3.T, string) {
	t.Helper()
	made, err := template()
	require.NoError(t, err)
	core.ComponentsBySlug(components).Bind(collections...)
	body, err := made.Document(projectdoc.Definitions{
		Project: &core.Project{Name: "A <Project> */", Locales: []string{"en", "pt-BR"}}, Collections: collections, Components: components,
	}, server)
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(body)
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	return document, string(body)
}

// TestDocument writes the document of a collection with a field of every type, single and multiple, and checks
// entries and writes with its schemas.
func TestDocument(t *testing.T) {
	t.Parallel()
	every := &core.Collection{Slug: "every-type", Name: "Every type"}
	for _, name := range fieldtype.Names(nil) {
		f := core.Field{Name: string(name) + "Field", Label: "A field", Type: name, Required: true}
		switch name {
		case core.TypeEnumeration:
			f.Choices = []string{"news", `a "quoted" \ choice`, "*/ <R&D>", "é\u2028"}
		case core.TypeRelation:
			f.Collection = "every-type"
		case core.TypeGroup:
			f.Component = "seo"
		case core.TypeBlocks:
			f.Components, f.Multiple = []string{"hero", "2-columns"}, true
		case core.TypeText, core.TypeNumber:
			f.Max = new(5.0)
		}
		many := f
		many.Name, many.Multiple = string(name)+"s", true
		every.Fields = append(every.Fields, &f, &many)
	}
	every.Fields = append(every.Fields,
		&core.Field{Name: "canary", Type: core.TypeText, Hidden: true},
		&core.Field{Name: "gone", Type: core.TypeRelation, Collection: "deleted"},
		&core.Field{Name: "several", Type: core.TypeRelation, Collections: []string{"every-type", "notes", "deleted"}, Multiple: true},
		&core.Field{Name: "lost", Type: core.TypeGroup, Component: "deleted"},
		&core.Field{Name: "commented", Type: core.TypeText, Label: "Of */ them", Help: "One.\nOr none."},
	)
	every.Removed = []*core.Field{{Name: "canaryRemoved", Type: core.TypeText}}
	notes := &core.Collection{Slug: "notes", Singleton: true, Fields: []*core.Field{{Name: "title", Type: core.TypeText}}}
	document, text := write(t, []*core.Collection{every, notes},
		&core.Component{Slug: "2-columns", Fields: []*core.Field{{Name: "left", Type: core.TypeBlocks, Multiple: true, Components: []string{"2-columns"}}}},
		&core.Component{Slug: "hero", Fields: []*core.Field{{Name: "title", Type: core.TypeText}, {Name: "canaryInside", Type: core.TypeText, Hidden: true}}},
		&core.Component{Slug: "seo", Fields: []*core.Field{{Name: "keywords", Type: core.TypeText, Multiple: true}}},
	)
	assert.NotContains(t, text, "canary", "a secret field")
	assert.NotContains(t, text, "passwordField")
	assert.NotContains(t, text, "{projectUuid}")
	assert.NotContains(t, text, "sessionCookie")
	assert.Equal(t, server, document.Servers[0].URL)
	assert.NotNil(t, document.Paths.Find("/collections/notes/entry"))
	assert.Nil(t, document.Paths.Find("/collections/every-type/entry"), "not a singleton")
	assert.NotNil(t, document.Paths.Find("/media"))
	for path := range document.Paths.Map() {
		assert.False(t, strings.HasPrefix(path, "/api") || strings.HasPrefix(path, "/public"), path)
	}
	where := document.Components.Parameters["EveryTypeWhereParameter"].Value
	assert.Contains(t, where.Description, "`longtextField`, `longtexts`")
	assert.Contains(t, document.Components.Parameters["EveryTypeSortParameter"].Value.Description, "`numberField`")
	values := document.Components.Schemas["EveryTypeFields"].Value.Properties
	assert.Equal(t, uint64(5), *values["textField"].Value.MaxLength)
	assert.Equal(t, uint64(5), *values["numbers"].Value.MaxItems)
	valid := func(schema, value string) error {
		var decoded any
		require.NoError(t, json.Unmarshal([]byte(value), &decoded), value)
		return document.ValidateSchemaJSON(document.Components.Schemas[schema].Value, decoded)
	}
	for schema, all := range map[string][]string{
		"EveryTypeEntry": {
			`{"id":1,"locale":"en"}`,
			`{"id":1,"locale":"en","publishedAt":null,"booleanField":null,"enumerationField":"news","jsonField":{"a":[]},"relations":[{"id":2,"locale":"en","gone":null},{"id":3,"collection":"every-type"}]}`,
			`{"id":1,"locale":"en","relationField":null,"groupField":{"keywords":["a"]},"groups":[{"_key":"k","keywords":[]}],"mediaField":{"id":4}}`,
			`{"id":1,"locale":"en","blocksField":[{"_type":"hero","_key":"a","title":null},{"_type":"2-columns","_key":"b","left":[{"_type":"2-columns","_key":"c","left":[]}]}]}`,
			`{"id":1,"locale":"en","several":[{"id":2,"locale":"en","_collection":"notes","title":"x"},{"id":3,"collection":"notes"}]}`,
			`{"id":1,"locale":"en","_alternates":[{"id":1,"locale":"en"}],"_referrers":{"notes.x":{"items":[{"id":2,"locale":"en","_collection":"notes"}],"total":1}}}`,
		},
		"EveryTypeFields":     {`{"relationField":2,"relations":[2,3],"mediaField":null,"dates":null,"blocksField":[{"_type":"hero"}],"groupField":{"keywords":null}}`},
		"EveryTypeEntryWrite": {`{"locale":"pt-BR","published":true,"fields":{"numberField":5}}`},
		"AnyEntry":            {`{"id":1,"locale":"en","_collection":"notes"}`},
	} {
		for _, value := range all {
			assert.NoError(t, valid(schema, value), value)
		}
	}
	for schema, all := range map[string][]string{
		"EveryTypeEntry": {
			`{"id":1}`, `{"id":1,"locale":"xx"}`, `{"id":1,"locale":"en","booleanField":"x"}`, `{"id":1,"locale":"en","enumerationField":"x"}`, `{"id":1,"locale":"en","dates":null}`,
			`{"id":1,"locale":"en","blocksField":[{"_type":"seo","_key":"a"}]}`, `{"id":1,"locale":"en","groups":[{"keywords":[]}]}`, `{"id":1,"locale":"en","relationField":{"id":3}}`,
			`{"id":1,"locale":"en","several":[{"id":2,"locale":"en"}]}`,
		},
		"EveryTypeFields":     {`{"relationField":"x"}`, `{"numberField":6}`, `{"textField":"longer"}`, `{"blocksField":[{}]}`},
		"EveryTypeEntryWrite": {`{"locale":"de"}`, `{"unknown":1}`},
	} {
		for _, value := range all {
			assert.Error(t, valid(schema, value), value)
		}
	}
}

// TestNames checks that no two names are the same to a generator that ignores case and marks.
func TestNames(t *testing.T) {
	t.Parallel()
	var collections []*core.Collection
	for _, slug := range []string{"2026-plans", "a-1-b", "a1-b", "any", "articles", "articles-managed", "entry", "fields", "list", "managed", "media", "n2026-plans", "problem"} {
		collections = append(collections, &core.Collection{Slug: slug, Fields: []*core.Field{
			{Name: "blocks", Type: core.TypeBlocks, Multiple: true, Components: []string{"articles", "articles-entry"}},
			{Name: "fooBar", Type: core.TypeText}, {Name: "foo_bar", Type: core.TypeText}, {Name: "foobar", Type: core.TypeText},
		}})
	}
	document, _ := write(t, collections, &core.Component{Slug: "articles"}, &core.Component{Slug: "articles-entry"})
	names := map[string]string{}
	count := func(name string) {
		key := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
		assert.Empty(t, names[key], name)
		names[key] = name
	}
	for _, all := range [][]string{
		slices.Collect(maps.Keys(document.Components.Schemas)), slices.Collect(maps.Keys(document.Components.Parameters)), slices.Collect(maps.Keys(document.Components.Responses)),
	} {
		for _, name := range all {
			count(name)
		}
	}
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			count(operation.OperationID)
		}
	}
	members := map[string]bool{}
	for name, member := range document.Components.Schemas["ListFields"].Value.Properties {
		goName, _ := member.Value.Extensions["x-go-name"].(string)
		if goName == "" {
			goName = name
		}
		assert.False(t, members[strings.ToLower(goName)], goName)
		members[strings.ToLower(goName)] = true
	}
}

// A Project with too many fields has no document, and its limit is the size alone.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	made, err := template()
	require.NoError(t, err)
	fields := []*core.Field{{Name: "title", Type: core.TypeText, Help: strings.Repeat("x", 300)}}
	var collections []*core.Collection
	for i := range 1000 {
		collections = append(collections, &core.Collection{Slug: fmt.Sprintf("c%d", i), Fields: fields})
	}
	document := func(n int) ([]byte, error) {
		return made.Document(projectdoc.Definitions{Project: &core.Project{Name: "P", Locales: []string{"en"}}, Collections: collections[:n]}, server)
	}
	body, err := document(100)
	require.NoError(t, err)
	assert.Less(t, len(body), 4<<20)
	_, err = document(1000)
	wrong, _ := errors.AsType[*core.Error](err)
	require.NotNil(t, wrong)
	assert.Equal(t, "too_large", wrong.Code)
	assert.Equal(t, core.KindBadRequest, core.KindOf(err))
	_, err = document(0)
	require.NoError(t, err)
}
