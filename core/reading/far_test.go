package reading_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
)

// TestConditionsTwoRelationsAway checks which entries such a condition finds, and which conditions are refused.
func TestConditionsTwoRelationsAway(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.collection(t, "desks", &core.Field{Name: "name", Type: core.TypeText}, &core.Field{Name: "lead", Type: core.TypeRelation, Collection: "people"}, &core.Field{Name: "canary", Type: core.TypeText, Hidden: true})
	l.collection(t, "people",
		&core.Field{Name: "name", Type: core.TypeText}, &core.Field{Name: "desk", Type: core.TypeRelation, Collection: "desks"},
		&core.Field{Name: "secretDesk", Type: core.TypeRelation, Collection: "desks", Hidden: true}, &core.Field{Name: "any", Type: core.TypeRelation, Collections: []string{"desks", "people"}})
	l.collection(t, "stories", &core.Field{Name: "title", Type: core.TypeText}, &core.Field{Name: "author", Type: core.TypeRelation, Collection: "people"},
		&core.Field{Name: "authors", Type: core.TypeRelation, Collection: "people", Multiple: true}, &core.Field{Name: "see", Type: core.TypeRelation, Collections: []string{"people", "desks"}})
	collections, err := l.stores.Collections.Collections(t.Context(), l.project.ID)
	require.NoError(t, err)
	of := map[string]*core.Collection{}
	for _, c := range collections {
		of[c.Slug] = c
	}
	world := l.add(t, of["desks"], `{"canary":"x","name":"World"}`)
	l.add(t, of["desks"], `{"name":"Monde"}`, translated(world, "fr"))
	hidden := l.add(t, of["desks"], `{"name":"Canary"}`, unpublished)
	ada := l.add(t, of["people"], fmt.Sprintf(`{"desk":%d,"name":"Ada","secretDesk":%d}`, world.ID, world.ID))
	bo := l.add(t, of["people"], fmt.Sprintf(`{"desk":%d,"name":"Bo"}`, hidden.ID))
	cy := l.add(t, of["people"], fmt.Sprintf(`{"desk":%d,"name":"Cy"}`, world.ID), unpublished)
	story := func(author *core.Entry) int64 {
		return l.add(t, of["stories"], fmt.Sprintf(`{"author":%d,"authors":[%d],"title":"x"}`, author.ID, author.ID)).ID
	}
	byAda, byBo, byCy := story(ada), story(bo), story(cy)
	nobody := l.add(t, of["stories"], `{"title":"x"}`).ID
	where := func(field, op string, items ...any) []query.Filter {
		return []query.Filter{{Field: field, Op: op, Location: "where[" + field + "]", Operand: query.Operand{Items: items}}}
	}
	for _, c := range []struct {
		where []query.Filter
		want  []int64
	}{
		{where("author.desk.name", "", "World"), []int64{byAda}},
		{where("authors.desk.name", "in", "World,Canary"), []int64{byAda}},
		{where("author.desk.name", "not", "World"), []int64{nobody, byCy, byBo}},
		{where("author.desk.name", "null"), []int64{nobody, byCy, byBo}},
		{where("author.desk.name", "like", "orl"), []int64{byAda}},
		{where("author.desk.id", "", fmt.Sprint(world.ID)), []int64{byAda}},
		{where("author.desk.lead", "null"), []int64{nobody, byCy, byBo, byAda}},
		{where("author.desk.name", "", "Canary"), nil},
		{where("author.desk.name", "", "Monde"), nil},
	} {
		var ids []int64
		for _, e := range l.page(t, query.Query{Collection: "stories", Where: c.where}).Entries {
			ids = append(ids, e.ID)
		}
		assert.Equal(t, c.want, ids, c.where)
	}
	assert.Len(t, l.page(t, query.Query{Collection: "stories", Locale: "fr", Where: where("author.desk.name", "", "Monde")}).Entries, 1)

	several := func(n int) (all []query.Filter) {
		for range n {
			all = append(all, where("author.desk.name", "", "x")...)
		}
		return all
	}
	_, err = l.reader.Prepare(t.Context(), l.project, true, query.Query{Collection: "stories", Where: several(2)})
	require.NoError(t, err)
	for message, q := range map[string]query.Query{
		"at most 2 conditions on fields two relations away":                        {Where: several(3)},
		"at most 2 conditions on fields two":                                       {Where: several(1), Or: [][]query.Filter{several(1), several(1)}},
		`unknown field "author.desk.canary"`:                                       {Where: where("author.desk.canary", "", "x")},
		`unknown field "author.desk.nothing"`:                                      {Where: where("author.desk.nothing", "", "x")},
		`unknown field "author.secretDesk.name"`:                                   {Where: where("author.secretDesk.name", "", "x")},
		`"author.desk.lead.name" is more than two relations away`:                  {Where: where("author.desk.lead.name", "", "x")},
		`"see.desk.name" leads through "see", a relation to several collections`:   {Where: where("see.desk.name", "", "x")},
		`"author.any.name" leads through "any", a relation to several collections`: {Where: where("author.any.name", "", "x")},
		`unknown field "author.desk.name"`:                                         {Sort: "author.desk.name"},
	} {
		q.Collection = "stories"
		_, err := l.reader.Prepare(t.Context(), l.project, true, q)
		require.Equal(t, core.KindBadRequest, core.KindOf(err), message)
		assert.Contains(t, err.Error(), message)
	}
}
