package writing_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/writing"
	"imprimatur/test/contenttest"
)

// several returns collections of articles, people and notes. Notes have relations to articles and
// people, also inside of items.
func several(t *testing.T, d *contenttest.Fixture) (articles, people, notes *core.Collection) {
	t.Helper()
	articles = d.Articles(t)
	people = d.Collection(t, "people", definition.FieldInput{Name: "name", Type: core.TypeText})
	both := definition.FieldInput{Name: "related", Type: core.TypeRelation, Collections: []string{"articles", "people"}, Multiple: true}
	component(t, d, "see", both)
	lead := both
	lead.Name, lead.Multiple, lead.Required = "lead", false, true
	return articles, people, d.Collection(t, "notes", both, lead, definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"see"}})
}

// readmit changes the collections of a field of notes.
func readmit(t *testing.T, d *contenttest.Fixture, notes *core.Collection, field string, slugs ...string) {
	t.Helper()
	_, err := d.Collections.ReviseField(t.Context(), d.Change(notes.ID), field, func(in definition.FieldInput) definition.FieldInput {
		in.Collections = slugs
		return in
	})
	require.NoError(t, err)
}

func TestRelationsToSeveralTakeEntriesOfTheirCollections(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	articles, people, notes := several(t, d)
	article, ada := d.Create(t, articles, `{"title":"A"}`, contenttest.Published(true)), d.Create(t, people, `{"name":"Ada"}`, contenttest.Published(true))
	m := d.Create(t, notes, fmt.Sprintf(`{"related":[%[2]d,%[1]d],"lead":%[2]d,"body":[{"_type":"see","_key":"k","related":[%[1]d,%[2]d]}]}`, article.ID, ada.ID))
	require.JSONEq(t, fmt.Sprintf(`{"related":[%[2]d,%[1]d],"lead":%[2]d,"body":[{"_type":"see","_key":"k","related":[%[1]d,%[2]d]}]}`, article.ID, ada.ID), string(m.Fields))
	require.Empty(t, m.Faults)
	same := d.Update(t, m, string(m.Fields))
	require.Equal(t, m.Version, same.Version, "what was read can be written back")

	_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, notes.ID, contenttest.WriteOf(t,
		fmt.Sprintf(`{"related":[%[1]d,%[2]d,%[1]d,99],"lead":%[2]d,"body":[{"_type":"see"},{"_type":"see","related":[%[1]d,%[2]d]}]}`, article.ID, m.ID)))
	const unknown = "no such entry of articles, people"
	require.Equal(t, map[string]string{
		"fields.related[1]": unknown, "fields.related[2]": "is named twice", "fields.related[3]": unknown, "fields.lead": unknown, "fields.body[1].related[1]": unknown,
	}, contenttest.FaultsOf(t, err))

	uses, err := d.Stores.Entries.Uses(t.Context(), d.Project.ID, d.Entry(t, ada.ID).Group, 10)
	require.NoError(t, err)
	require.Len(t, uses, 1)
	require.Equal(t, m.ID, uses[0].EntryID)
}

// Entries keep references to a collection that a relation no longer admits, but they do not count.
func TestRelationsToSeveralLeaveCollectionsOut(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	articles, people, notes := several(t, d)
	article, ada := d.Create(t, articles, `{"title":"A"}`, contenttest.Published(true)), d.Create(t, people, `{"name":"Ada"}`, contenttest.Published(true))
	m := d.Create(t, notes, fmt.Sprintf(`{"related":[%[2]d,%[1]d],"lead":%[2]d}`, article.ID, ada.ID), contenttest.Published(true))
	stored := d.Draft(t, m.ID)
	readmit(t, d, notes, "related", "articles")
	readmit(t, d, notes, "lead", "articles")
	shown := func() string {
		e, err := d.Drafts.Entry(t.Context(), d.Ref(m))
		require.NoError(t, err)
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(e.Fields, &fields))
		return fmt.Sprintf("%s %s %v", fields["related"], fields["lead"], shownFaults(e.Faults))
	}
	require.Equal(t, fmt.Sprintf("[%d] null map[fields.lead:is required]", article.ID), shown())
	_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
	require.Equal(t, map[string]string{"fields.lead": "is required"}, contenttest.FaultsOf(t, err))
	require.Equal(t, stored, d.Draft(t, m.ID))

	m = d.Update(t, m, `{"body":[]}`, incomplete, func(w *core.EntryWrite) { w.KeepPublished = true })
	_, err = d.Writer.RestoreRevision(t.Context(), d.Actor, d.Ref(m), 1, nil)
	require.Equal(t, map[string]string{"fields.related[0]": "no such entry of articles", "fields.lead": "no such entry of articles"}, contenttest.FaultsOf(t, err))

	readmit(t, d, notes, "related", "people", "articles")
	readmit(t, d, notes, "lead", "articles", "people")
	require.Equal(t, fmt.Sprintf("[%d,%d] %d map[]", ada.ID, article.ID, ada.ID), shown())
	restored, err := d.Writer.RestoreRevision(t.Context(), d.Actor, d.Ref(m), 1, nil)
	require.NoError(t, err)
	require.Equal(t, stored, string(restored.Draft))
}

// A list that is written keeps the references to former collections after the neighbour that they had.
func TestWrittenRelationsKeepWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	articles, people, notes := several(t, d)
	var a [4]int64
	for i := range a {
		a[i] = d.Create(t, articles, fmt.Sprintf(`{"title":"%d"}`, i), contenttest.Published(true)).ID
	}
	ada, bo := d.Create(t, people, `{"name":"Ada"}`, contenttest.Published(true)).ID, d.Create(t, people, `{"name":"Bo"}`, contenttest.Published(true)).ID
	list := func(ids ...int64) string { return string(core.ReferenceValue(&core.Field{Multiple: true}, ids)) }
	fields := func(related string) string {
		return fmt.Sprintf(`{"related":%[1]s,"lead":%[2]d,"body":[{"_type":"see","_key":"k","related":%[1]s}]}`, related, a[0])
	}
	m := d.Create(t, notes, fields(list(ada, a[0], bo, a[1])), contenttest.Published(true))
	narrow := func(slugs ...string) {
		readmit(t, d, notes, "related", slugs...)
		see := notes.Field("body").ComponentNamed("see")
		_, err := d.Collections.Components().ReviseField(t.Context(), definition.ComponentChange{Actor: d.Actor, Project: d.Project, ComponentID: see.ID}, "related",
			func(in definition.FieldInput) definition.FieldInput {
				in.Collections = slugs
				return in
			})
		require.NoError(t, err)
	}
	for _, c := range []struct{ written, want []int64 }{
		{[]int64{a[0], a[2], a[1]}, []int64{ada, a[0], bo, a[2], a[1]}},
		{[]int64{a[1], a[3]}, []int64{ada, bo, a[1], a[3]}},
		{[]int64{}, []int64{ada, bo}},
		{[]int64{a[2]}, []int64{ada, bo, a[2]}},
	} {
		narrow("articles")
		m = d.Update(t, m, fields(list(c.written...)))
		narrow("articles", "people")
		e, err := d.Drafts.Entry(t.Context(), d.Ref(m))
		require.NoError(t, err)
		require.JSONEq(t, fields(list(c.want...)), string(e.Fields))
	}
	narrow("articles")
	m = d.Update(t, m, `{"related":null}`)
	narrow("articles", "people")
	e, err := d.Drafts.Entry(t.Context(), d.Ref(m))
	require.NoError(t, err)
	require.JSONEq(t, `[]`, string(core.Document(e.Fields).Value("related")), "null clears all")
}
