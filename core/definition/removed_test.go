package definition_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/test/contenttest"
)

// replaceField removes a field and adds one with its name.
func replaceField(t *testing.T, d *contenttest.Fixture, c *core.Collection, in definition.FieldInput) error {
	t.Helper()
	if stored(t, d, c).Field(in.Name) != nil {
		_, err := d.Collections.RemoveField(t.Context(), d.Change(c.ID), in.Name)
		require.NoError(t, err)
	}
	_, err := d.Collections.AddField(t.Context(), d.Change(c.ID), in)
	return err
}

func TestNamesOfRemovedFieldsAreFreeWithoutValues(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	summary := func(kind core.FieldType) definition.FieldInput {
		return definition.FieldInput{Name: "summary", Type: kind}
	}
	for _, kind := range []core.FieldType{core.TypeText, core.TypeLongText, core.TypeNumber} {
		require.NoError(t, replaceField(t, d, c, summary(kind)), "no entry exists")
	}
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
	require.NoError(t, replaceField(t, d, c, summary(core.TypeText)), "the entry has no value")
	old := stored(t, d, c).Field("summary")

	d.Clock.Time = d.Clock.Time.Add(time.Hour)
	d.Update(t, m, `{"summary":"S"}`)
	message := "is that of a removed field whose values entries or their history still have: it comes back only as text"
	require.Equal(t, map[string]string{"name": message}, contenttest.FaultsOf(t, replaceField(t, d, c, summary(core.TypeLongText))))
	require.NoError(t, replaceField(t, d, c, summary(core.TypeText)))
	require.Equal(t, old.ID, stored(t, d, c).Field("summary").ID)

	d.Clock.Time = d.Clock.Time.Add(time.Hour)
	d.Update(t, m, `{"summary":null}`)
	require.Equal(t, map[string]string{"name": message}, contenttest.FaultsOf(t, replaceField(t, d, c, summary(core.TypeLongText))), "a past revision has a value")

	tags := definition.FieldInput{Name: "tags", Type: core.TypeText}
	d.Update(t, m, `{"tags":["a"]}`)
	require.Equal(t, map[string]string{"name": message + ", multiple"}, contenttest.FaultsOf(t, replaceField(t, d, c, tags)))
}

// Reviews of the past would show the values of a field that is no longer hidden.
func TestNamesOfHiddenFieldsAreFreeForHiddenOnes(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	note := definition.FieldInput{Name: "note", Type: core.TypeNumber}
	require.Contains(t, contenttest.FaultsOf(t, replaceField(t, d, c, note)), "name")
	note.Hidden = true
	require.NoError(t, replaceField(t, d, c, note))
}

func TestNamesOfRemovedFieldsOfComponentsAreFreeWithoutValues(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	components := d.Collections.Components()
	text := definition.FieldInput{Name: "text", Type: core.TypeText}
	hero, quote := newComponent(t, d, "hero", text), newComponent(t, d, "quote", text)
	c := d.Collection(t, "pages", definition.FieldInput{Name: "text", Type: core.TypeText},
		definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"hero", "quote"}})
	d.Create(t, c, `{"text":"A","body":[{"_type":"hero","text":"B"},{"_type":"quote"}]}`)
	replace := func(component *core.Component) error {
		_, err := components.RemoveField(t.Context(), changeOf(d, component), "text")
		require.NoError(t, err)
		_, err = components.AddField(t.Context(), changeOf(d, component), definition.FieldInput{Name: "text", Type: core.TypeRichText})
		return err
	}
	require.Equal(t, "is that of a removed field whose values entries or their history still have: it comes back only as text",
		contenttest.FaultsOf(t, replace(hero))["name"])
	require.NoError(t, replace(quote))

	inner := newComponent(t, d, "inner", text)
	newComponent(t, d, "outer", definition.FieldInput{Name: "deep", Type: core.TypeGroup, Component: "inner"})
	other := d.Collection(t, "notes", definition.FieldInput{Name: "about", Type: core.TypeGroup, Component: "outer"})
	d.Create(t, other, `{"about":{"deep":{"text":"C"}}}`)
	require.Contains(t, contenttest.FaultsOf(t, replace(inner)), "name")
}
