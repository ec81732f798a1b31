package typescript_test

import (
	_ "embed"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/typescript"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

//go:embed testdata/module.ts
var golden string

// TestModule compares the module of collections with a field of every type, as a single and as a
// multiple value, and with slugs and choices that need care.
func TestModule(t *testing.T) {
	t.Parallel()
	every := &core.Collection{Slug: "every-type"}
	for _, name := range fieldtype.Names(nil) {
		f := core.Field{Name: string(name) + "Field", Type: name, Required: true}
		switch name {
		case core.TypeEnumeration:
			f.Choices = []string{"news", `a "quoted" \ choice`, "*/ <R&D>", "é\u2028"}
		case core.TypeRelation:
			f.Collection = "every-type"
		case core.TypeGroup:
			f.Component = "seo"
		case core.TypeBlocks:
			f.Components, f.Multiple = []string{"hero", "2-columns"}, true
		}
		many := f
		many.Name, many.Multiple = string(name)+"s", true
		every.Fields = append(every.Fields, &f, &many)
	}
	every.Fields = append(every.Fields,
		&core.Field{Name: "secret", Type: core.TypeText, Hidden: true},
		&core.Field{Name: "gone", Type: core.TypeRelation, Collection: "deleted"},
		&core.Field{Name: "related", Type: core.TypeRelation, Collections: []string{"every-type", "a1-b"}, Multiple: true},
		&core.Field{Name: "about", Type: core.TypeRelation, Collections: []string{"a-1-b"}},
		&core.Field{Name: "class", Type: core.TypeEnumeration, Choices: []string{"one"}, Multiple: true, Help: "One of */ them.\nOr none."},
	)
	collections := []*core.Collection{{Slug: "2026-plans", Singleton: true}, {Slug: "a-1-b"}, {Slug: "a1-b"}, {Slug: "a1-b-2"}, {Slug: "collections"}, every}
	project := wire.PublicProject{Locales: []string{"en", "pt-BR"}}
	components := []*core.Component{
		{Slug: "2-columns", Fields: []*core.Field{{Name: "left", Type: core.TypeBlocks, Multiple: true, Components: []string{"2-columns"}}}},
		{Slug: "hero", Fields: []*core.Field{{Name: "title", Type: core.TypeText, Help: "As short as a headline."}, {Name: "image", Type: core.TypeMedia}}},
		{Slug: "seo", Fields: []*core.Field{{Name: "keywords", Type: core.TypeText, Multiple: true}}},
	}
	require.Equal(t, golden, string(typescript.Module(project, wire.Each(collections, wire.PublicCollectionOf), wire.Each(components, wire.PublicComponentOf))))
}

// TestEntry checks that each entry has the members of wire.Entry, in their order.
func TestEntry(t *testing.T) {
	t.Parallel()
	module := string(typescript.Module(wire.PublicProject{Locales: []string{"en"}}, []wire.PublicCollection{{Slug: "articles"}}, nil))
	_, members, _ := strings.Cut(module, "export interface Articles {\n")
	members, _, _ = strings.Cut(members, "}")
	var got, want []string
	for line := range strings.Lines(members) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		got = append(got, strings.TrimSuffix(name, "?"))
	}
	for i := range reflect.TypeFor[wire.Entry]().NumField() {
		if name, _, _ := strings.Cut(reflect.TypeFor[wire.Entry]().Field(i).Tag.Get("json"), ","); name != "" {
			want = append(want, name)
		}
	}
	require.Equal(t, want, got)
}
