package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

func TestPublicChangesOfAProject(t *testing.T) {
	t.Parallel()
	type project struct {
		locales   []string
		standard  string // the default locale
		fallbacks map[string][]string
	}
	before := project{[]string{"en", "de", "fr", "fr-CA"}, "en", map[string][]string{"de": {"fr"}}}
	more := func(locales ...string) []string { return append([]string{"en", "de", "fr", "fr-CA"}, locales...) }
	for name, row := range map[string]struct {
		before, after project
		want          []string // locations
	}{
		"nothing":                      {before, before, nil},
		"the default locale":           {before, project{before.locales, "de", before.fallbacks}, []string{"defaultLocale", "locales.en", "locales.de", "locales.fr", "locales.fr-CA"}},
		"a fallback less":              {before, project{before.locales, "en", nil}, []string{"locales.de"}},
		"a fallback more":              {before, project{before.locales, "en", map[string][]string{"de": {"fr", "fr-CA"}}}, []string{"locales.de"}},
		"another order of fallbacks":   {before, project{before.locales, "en", map[string][]string{"de": {"en", "fr"}}}, []string{"locales.de"}},
		"a fallback without effect":    {before, project{before.locales, "en", map[string][]string{"de": {"fr", "en"}}}, nil},
		"the same as by subtags":       {before, project{before.locales, "en", map[string][]string{"de": {"fr"}, "fr-CA": {"fr"}}}, nil},
		"none in place of subtags":     {before, project{before.locales, "en", map[string][]string{"de": {"fr"}, "fr-CA": {}}}, []string{"locales.fr-CA"}},
		"a locale that was unknown":    {before, project{more("ja"), "en", before.fallbacks}, nil},
		"a locale below one":           {before, project{more("fr-CH"), "en", before.fallbacks}, nil},
		"a locale below with a chain":  {before, project{more("fr-CH"), "en", map[string][]string{"de": {"fr"}, "fr-CH": {"de"}}}, []string{"locales.fr-CH"}},
		"a locale below a fallback's":  {before, project{more("de-AT"), "en", before.fallbacks}, []string{"locales.de-AT"}},
		"a fallback to a new locale":   {before, project{more("ja"), "en", map[string][]string{"de": {"ja", "fr"}}}, nil},
		"a new default locale":         {before, project{more("ja"), "ja", before.fallbacks}, []string{"defaultLocale", "locales.de", "locales.fr", "locales.fr-CA"}},
		"the first locale's successor": {project{[]string{"en"}, "en", nil}, project{[]string{"en", "de"}, "de", nil}, []string{"defaultLocale"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := func(p project) core.Schema {
				return core.Schema{Project: &core.Project{Locales: p.locales, DefaultLocale: p.standard, Fallbacks: p.fallbacks}}
			}
			require.Equal(t, row.want, locations(core.PublicChanges(schema(row.before), schema(row.after))))
		})
	}
}

func TestPublicChangesOfASingleton(t *testing.T) {
	t.Parallel()
	schema := func(singleton bool) core.Schema {
		return core.Schema{Project: &core.Project{}, Collection: &core.Collection{Singleton: singleton}}
	}
	require.Equal(t, []string{"singleton"}, locations(core.PublicChanges(schema(true), schema(false))))
	require.Empty(t, core.PublicChanges(schema(false), schema(true)))
}

func TestPublicChangesOfACollection(t *testing.T) {
	t.Parallel()
	title := core.Field{ID: 1, Name: "title", Type: core.TypeText}
	views := core.Field{ID: 2, Name: "views", Type: core.TypeNumber}
	note := core.Field{ID: 3, Name: "note", Type: core.TypeText, Hidden: true}
	pass := core.Field{ID: 4, Name: "pass", Type: core.TypePassword}
	removed := core.Field{ID: 5, Name: "lead", Type: core.TypeText}
	changed := func(f core.Field, change func(*core.Field)) core.Field {
		change(&f)
		return f
	}
	for name, row := range map[string]struct {
		after []core.Field // nil: the collection is deleted
		want  []string
	}{
		"nothing":                {[]core.Field{title, views, note, pass}, nil},
		"the order":              {[]core.Field{pass, note, views, title}, nil},
		"a field removed":        {[]core.Field{title, note, pass}, []string{"fields.views"}},
		"secret fields removed":  {[]core.Field{title, views}, nil},
		"a field hidden":         {[]core.Field{title, changed(views, func(f *core.Field) { f.Hidden = true }), note, pass}, []string{"fields.views"}},
		"a hidden field shown":   {[]core.Field{title, views, changed(note, func(f *core.Field) { f.Hidden = false }), pass}, []string{"fields.note"}},
		"a removed field back":   {[]core.Field{title, views, note, pass, removed}, []string{"fields.lead"}},
		"a removed field hidden": {[]core.Field{title, views, note, pass, changed(removed, func(f *core.Field) { f.Hidden = true })}, nil},
		"a new field":            {[]core.Field{title, views, note, pass, {ID: 6, Name: "more", Type: core.TypeText}}, nil},
		"rules of writing": {[]core.Field{changed(title, func(f *core.Field) {
			f.Required, f.Unique, f.Max, f.Pattern, f.Label, f.Searchable = true, true, new(5.0), "a", "A", true
		}), views, note, pass}, nil},
		"the collection": {nil, []string{"collection"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := func(fields []core.Field) core.Schema {
				s := core.Schema{Project: &core.Project{Locales: []string{"en"}, DefaultLocale: "en"}}
				if fields != nil {
					s.Collection = &core.Collection{NextFieldID: 6}
				}
				for i := range fields {
					s.Collection.Fields = append(s.Collection.Fields, &fields[i])
				}
				return s
			}
			require.Equal(t, row.want, locations(core.PublicChanges(schema([]core.Field{title, views, note, pass}), schema(row.after))))
		})
	}
}

func locations(changes []core.FieldError) []string {
	var places []string
	for _, c := range changes {
		places = append(places, c.Location)
	}
	return places
}

// Readers see another value of a relation to several collections when one is left out, and when one comes
// back to which entries may still refer.
func TestPublicChangesOfARelationToSeveral(t *testing.T) {
	t.Parallel()
	of := func(hidden bool, slugs ...string) core.Schema {
		f := core.Field{ID: 1, Name: "about", Type: core.TypeRelation, Collections: slugs, Former: []string{"places"}, Hidden: hidden}
		return core.Schema{Project: &core.Project{Locales: []string{"en"}, DefaultLocale: "en"}, Collection: &core.Collection{NextFieldID: 2, Fields: []*core.Field{&f}}}
	}
	for name, row := range map[string]struct {
		hidden bool
		after  []string
		want   []string
	}{
		"nothing":        {false, []string{"articles", "people"}, nil},
		"another order":  {false, []string{"people", "articles"}, nil},
		"a new one":      {false, []string{"articles", "people", "films"}, nil},
		"one less":       {false, []string{"people"}, []string{"fields.about.collections"}},
		"a former one":   {false, []string{"articles", "people", "places"}, []string{"fields.about.collections"}},
		"both":           {false, []string{"people", "places"}, []string{"fields.about.collections", "fields.about.collections"}},
		"a hidden field": {true, []string{"places"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, row.want, locations(core.PublicChanges(of(row.hidden, "articles", "people"), of(row.hidden, row.after...))))
		})
	}
}

// TestTitleField checks which field is the title of an entry in lists.
func TestTitleField(t *testing.T) {
	t.Parallel()
	field := func(name string, kind core.FieldType, options ...func(*core.Field)) *core.Field {
		f := &core.Field{Name: name, Type: kind}
		for _, option := range options {
			option(f)
		}
		return f
	}
	hidden, multiple := func(f *core.Field) { f.Hidden = true }, func(f *core.Field) { f.Multiple = true }
	for want, fields := range map[string][]*core.Field{
		"":      {field("views", core.TypeNumber), field("title", core.TypeText, hidden), field("name", core.TypeText, multiple)},
		"code":  {field("views", core.TypeNumber), field("code", core.TypeText), field("region", core.TypeText)},
		"name":  {field("code", core.TypeText), field("name", core.TypeText), field("title", core.TypeText)},
		"title": {field("code", core.TypeText), field("name", core.TypeText, hidden), field("title", core.TypeText)},
	} {
		got := ""
		if f := (&core.Collection{Fields: fields}).TitleField(); f != nil {
			got = f.Name
		}
		if got != want {
			t.Errorf("the title is %q, want %q", got, want)
		}
	}
}
