package contract

import (
	"testing"

	"imprimatur/core"
)

// Origins checks a ports.OriginStore.
func Origins(t *testing.T, open Factory) {
	run(t, open, cases{
		"finds origins by reference and by group":     findsOrigins,
		"replaces the origin of a reference":          replacesOrigin,
		"removes origins with collection and project": removesOrigins,
	})
}

func findsOrigins(t *testing.T, w *fixture) {
	c, other := newTestCollection(t, w, "articles", titleField()).schema.Collection, w.otherProject(t)
	foreign := newTestCollection(t, other, "articles", titleField()).schema.Collection
	origin := func(reference string, group int64) core.Origin {
		return core.Origin{ProjectID: w.project.ID, Reference: reference, CollectionID: c.ID, Group: group}
	}
	a, b, alias := origin("b/1", 7), origin("ä 'x'", 8), origin("a/1", 7)
	elsewhere := core.Origin{ProjectID: other.project.ID, Reference: "b/1", CollectionID: foreign.ID, Group: 7}
	requireNoError(t, w.Origins.Save(t.Context(), nil))
	requireNoError(t, w.Origins.Save(t.Context(), []core.Origin{a, b, alias}))
	requireNoError(t, w.Origins.Save(t.Context(), []core.Origin{elsewhere}))

	assertEqual(t, result(w.Origins.Origins(t.Context(), w.project.ID, []string{"b/1", "c"}))(t), []core.Origin{a})
	assertEqual(t, result(w.Origins.Origins(t.Context(), w.project.ID, nil))(t), []core.Origin{})
	assertEqual(t, result(w.Origins.OriginsOf(t.Context(), w.project.ID, []int64{8, 7, 9}))(t), []core.Origin{alias, a, b})
	assertEqual(t, result(w.Origins.OriginsOf(t.Context(), w.project.ID, nil))(t), []core.Origin{})
	assertEqual(t, result(w.Origins.OriginsOf(t.Context(), other.project.ID, []int64{7, 8}))(t), []core.Origin{elsewhere})
	requireError(t, w.Origins.Save(t.Context(), []core.Origin{{ProjectID: w.project.ID, Reference: "x", CollectionID: unknown, Group: 1}}), core.ErrNotFound)
}

func replacesOrigin(t *testing.T, w *fixture) {
	c := newTestCollection(t, w, "articles", titleField()).schema.Collection
	o := core.Origin{ProjectID: w.project.ID, Reference: "a/1", CollectionID: c.ID, Group: 1}
	requireNoError(t, w.Origins.Save(t.Context(), []core.Origin{o}))
	o.Group = 2
	requireNoError(t, w.Origins.Save(t.Context(), []core.Origin{o}))
	assertEqual(t, result(w.Origins.Origins(t.Context(), w.project.ID, []string{"a/1"}))(t), []core.Origin{o})
	assertEqual(t, result(w.Origins.OriginsOf(t.Context(), w.project.ID, []int64{1}))(t), []core.Origin{})
}

func removesOrigins(t *testing.T, w *fixture) {
	gone, kept := newTestCollection(t, w, "articles", titleField()).schema.Collection, newTestCollection(t, w, "pages", titleField()).schema.Collection
	a := core.Origin{ProjectID: w.project.ID, Reference: "a/1", CollectionID: gone.ID, Group: 1}
	b := core.Origin{ProjectID: w.project.ID, Reference: "a/2", CollectionID: kept.ID, Group: 2}
	requireNoError(t, w.Origins.Save(t.Context(), []core.Origin{a, b}))
	requireNoError(t, w.Collections.Delete(t.Context(), w.project.ID, gone.ID))
	assertEqual(t, result(w.Origins.Origins(t.Context(), w.project.ID, []string{"a/1", "a/2"}))(t), []core.Origin{b})
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, result(w.Origins.Origins(t.Context(), w.project.ID, []string{"a/1", "a/2"}))(t), []core.Origin{})
}
