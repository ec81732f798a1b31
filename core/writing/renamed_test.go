package writing_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/test/contenttest"
)

// Responses and writes have the present slugs of components, also where two have exchanged theirs; revisions of before
// come back.
func TestItemsOfRenamedComponents(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	component(t, d, "hero", definition.FieldInput{Name: "title", Type: core.TypeText})
	component(t, d, "quote", definition.FieldInput{Name: "text", Type: core.TypeText})
	c := d.Collection(t, "pages", definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"hero", "quote"}})
	m := d.Create(t, c, `{"body":[{"_type":"hero","_key":"a","title":"One"},{"_type":"quote","_key":"b","text":"Two"}]}`, contenttest.Published(true))
	stored := d.Draft(t, m.ID)

	planner := schema.NewPlanner(d.Collections, d.Stores, d.Store)
	file, err := planner.Pull(t.Context(), d.Project)
	require.NoError(t, err)
	next := strings.NewReplacer("key: hero\n", "key: hero\n    slug: quote\n", "key: quote\n", "key: quote\n    slug: hero\n").Replace(string(file.Text))
	_, err = planner.Apply(t.Context(), core.SystemActor, d.Project, []byte(next), schema.Options{Base: file.Base})
	require.NoError(t, err)

	require.Equal(t, stored, d.Draft(t, m.ID))
	written, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"body":[{"_type":"quote","_key":"a","title":"One"},{"_type":"hero","_key":"b","text":"Two"}]}`, string(d.Show(t, written).Fields))

	// What was read is written back without a change.
	m = d.Update(t, m, string(d.Show(t, written).Fields))
	require.Equal(t, stored, d.Draft(t, m.ID))
	m = d.Update(t, m, `{"body":[{"_type":"quote","title":"Three"}]}`)
	require.JSONEq(t, `[{"_type":"hero","_key":"a","title":"Three"}]`, string(d.Entry(t, m.ID).Published.Value("body")))
	restored, err := d.Writer.RestoreRevision(t.Context(), d.Actor, d.Ref(m), 1, nil)
	require.NoError(t, err)
	require.Equal(t, stored, string(restored.Entry.Draft))
}
