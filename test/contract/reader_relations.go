package contract

import (
	"fmt"
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/query"
)

func comparesReferences(t *testing.T, w *fixture) {
	countries := newTestCollection(t, w, "countries", titleField())
	strangers := newTestCollection(t, w, "strangers", titleField())
	a := countries.add(t, publicOf("en", fields{"title": "a"}))
	aFrench := countries.add(t, inGroup(a.Group, publicOf("fr", fields{"title": "a"})))
	aDraft := countries.add(t, inGroup(a.Group, draftOf("de", fields{"title": "a"})))
	aTrashed := countries.add(t, inGroup(a.Group, publicOf("ja", fields{"title": "a"})))
	countries.change(t, &aTrashed, func(e *core.Entry) { e.TrashedAt = at(9) })
	b := countries.add(t, publicOf("en", fields{"title": "b"}))
	stranger := strangers.add(t, publicOf("en", fields{"title": "x"}))
	for _, multiple := range []bool{false, true} {
		holder := newTestCollection(t, w, fmt.Sprint("holders-", multiple),
			&core.Field{Name: "country", Type: core.TypeRelation, Collection: "countries", Multiple: multiple},
			&core.Field{Name: "cover", Type: core.TypeMedia, Multiple: multiple})
		held := func(ids ...int64) any {
			if multiple {
				return ids
			}
			return ids[0]
		}
		five, six, deleted, kept := newMedia(t, w).ID, newMedia(t, w).ID, newMedia(t, w).ID, newMedia(t, w).ID
		hasA := holder.add(t, publicOf("en", fields{"country": held(a.Group), "cover": held(five)})).ID
		hasB := holder.add(t, publicOf("en", fields{"country": held(b.Group), "cover": held(six)})).ID
		none := holder.add(t, publicOf("en", fields{})).ID
		lost := holder.add(t, publicOf("en", fields{"country": held(stranger.Group), "cover": held(deleted)})).ID
		left := holder.add(t, publicOf("en", fields{"cover": held(kept)})).ID
		requireNoError(t, w.Media.Delete(t.Context(), w.project.ID, deleted))
		requireNoError(t, w.Media.Keep(t.Context(), w.project.ID, kept))
		for _, c := range []struct {
			field string
			op    query.Op
			ids   []int64
			want  []int64
		}{
			{"country", query.OpEqual, []int64{a.ID}, []int64{hasA}},
			{"country", query.OpEqual, []int64{aDraft.ID}, nil},
			{"country", query.OpNot, []int64{aDraft.ID}, []int64{hasA, hasB, none, lost, left}},
			{"country", query.OpIn, []int64{aDraft.ID, aTrashed.ID, b.ID}, []int64{hasB}},
			{"country", query.OpEqual, []int64{aFrench.ID}, []int64{hasA}},
			{"country", query.OpNot, []int64{aFrench.ID}, []int64{hasB, none, lost, left}},
			{"country", query.OpIn, []int64{aFrench.ID, b.ID}, []int64{hasA, hasB}},
			{"country", query.OpIn, []int64{aFrench.ID, unknown}, []int64{hasA}},
			{"country", query.OpNotIn, []int64{aFrench.ID, b.ID}, []int64{none, lost, left}},
			{"country", query.OpEqual, []int64{stranger.ID}, nil},
			{"country", query.OpNot, []int64{stranger.ID}, []int64{hasA, hasB, none, lost, left}},
			{"country", query.OpNotIn, []int64{unknown, stranger.ID}, []int64{hasA, hasB, none, lost, left}},
			{"country", query.OpEqual, []int64{unknown}, nil},
			{"country", query.OpNull, nil, []int64{none, left}},
			{"country", query.OpNotNull, nil, []int64{hasA, hasB, lost}},
			{"cover", query.OpEqual, []int64{five}, []int64{hasA}},
			{"cover", query.OpNot, []int64{five}, []int64{hasB, none, lost, left}},
			{"cover", query.OpIn, []int64{five, six, unknown}, []int64{hasA, hasB}},
			{"cover", query.OpNotIn, []int64{five}, []int64{hasB, none, lost, left}},
			{"cover", query.OpNull, nil, []int64{none, lost, left}},
			{"cover", query.OpNotNull, nil, []int64{hasA, hasB}},
			{"cover", query.OpEqual, []int64{deleted}, nil},
			{"cover", query.OpNot, []int64{deleted}, []int64{hasA, hasB, none, lost, left}},
			{"cover", query.OpEqual, []int64{kept}, nil},
			{"cover", query.OpNotIn, []int64{kept, five}, []int64{hasB, none, lost, left}},
		} {
			var values []core.Value
			for _, id := range c.ids {
				values = append(values, num(id))
			}
			got := holder.list(t, holder.all(clause(holder, c.field, c.op, values...)))
			if !slices.Equal(got, c.want) {
				t.Errorf("%s (multiple %v): %q %v found %v, want %v", c.field, multiple, c.op, c.ids, got, c.want)
			}
		}
		// A relation is null in locales that no entry of its group serves.
		french := countries.add(t, publicOf("fr", fields{"title": "f"}))
		unserved := holder.add(t, publicOf("en", fields{"country": held(french.Group)})).ID
		for locale, want := range map[string][]int64{"en": nil, query.AllLocales: nil, "fr": {unserved}} {
			sel := holder.all(equals(holder, "country", num(french.ID)))
			sel.Locale = locale
			assertEqual(t, holder.list(t, sel), want)
		}
		// An id matches its group only in states that include the entry.
		drafting := holder.add(t, draftOf("en", fields{"country": held(a.Group)})).ID
		for id, want := range map[int64][]int64{aDraft.ID: {hasA, drafting}, aTrashed.ID: nil} {
			sel := holder.all(equals(holder, "country", num(id)))
			sel.State = core.StateWithDraft
			assertEqual(t, holder.list(t, sel), want)
		}
		sel := holder.all(equals(holder, "country", num(aDraft.ID)))
		sel.State = core.StateOnlyDraft
		assertEqual(t, holder.list(t, sel), []int64{drafting})
	}
}

func followsRelations(t *testing.T, w *fixture) {
	countries := newTestCollection(t, w, "countries", titleField(),
		&core.Field{Name: "area", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "tongues", Type: core.TypeText, Multiple: true},
		&core.Field{Name: "extra", Type: core.TypeJSON},
		&core.Field{Name: "note", Type: core.TypeText},
		&core.Field{Name: "neighbour", Type: core.TypeRelation, Collection: "countries"})
	small := countries.add(t, publicOf("en", fields{"title": "Small", "area": 1, "tongues": []string{"x", "y"}, "extra": fields{}, "note": "n"}))
	klein := countries.add(t, inGroup(small.Group, publicOf("fr", fields{"title": "Petit", "area": 1})))
	large := countries.add(t, publicOf("en", fields{"title": "Large", "area": 9, "tongues": []string{"y"}, "neighbour": small.Group}))
	blank := countries.add(t, publicOf("en", fields{}))
	secret := countries.add(t, draftOf("en", fields{"title": "Secret", "area": 5}))
	binned := countries.add(t, publicOf("en", fields{"title": "Binned", "area": 5}))
	countries.change(t, &binned, func(e *core.Entry) { e.TrashedAt = at(9) })

	holders := newTestCollection(t, w, "holders", titleField(),
		&core.Field{Name: "one", Type: core.TypeRelation, Collection: "countries"},
		&core.Field{Name: "many", Type: core.TypeRelation, Collection: "countries", Multiple: true})
	rows := []int64{}
	for _, groups := range [][]int64{{small.Group}, {large.Group, small.Group}, {blank.Group}, {secret.Group}, {binned.Group, large.Group}, {}} {
		content := fields{"many": groups}
		if len(groups) > 0 {
			content["one"] = groups[0]
		}
		rows = append(rows, holders.add(t, publicOf("en", content)).ID)
	}
	for _, c := range []struct {
		relation, field string
		op              query.Op
		values          []core.Value
		want            []int
	}{
		{"one", "title", query.OpEqual, []core.Value{text("Small")}, []int{0}},
		{"one", "title", query.OpNot, []core.Value{text("Small")}, []int{1, 2, 3, 4, 5}},
		{"one", "title", query.OpNull, nil, []int{2, 3, 4, 5}},
		{"one", "title", query.OpNotNull, nil, []int{0, 1}},
		{"one", "title", query.OpIn, []core.Value{text("Small"), text("Secret"), text("Binned")}, []int{0}},
		{"one", "title", query.OpNotIn, []core.Value{text("Small"), text("Large")}, []int{2, 3, 4, 5}},
		{"one", "title", query.OpLike, []core.Value{text("l")}, []int{0, 1}},
		{"one", "title", query.OpEqual, []core.Value{text("Petit")}, nil},
		{"one", "area", query.OpGreater, []core.Value{num(0)}, []int{0, 1}},
		{"one", "area", query.OpNotBetween, []core.Value{num(0), num(5)}, []int{1}},
		{"one", "note", query.OpNotNull, nil, []int{0}},
		{"one", "note", query.OpNot, []core.Value{text("n")}, []int{1, 2, 3, 4, 5}},
		{"one", "tongues", query.OpEqual, []core.Value{text("y")}, []int{0, 1}},
		{"one", "tongues", query.OpNot, []core.Value{text("x")}, []int{1, 2, 3, 4, 5}},
		{"one", "tongues", query.OpNull, nil, []int{2, 3, 4, 5}},
		{"one", "extra", query.OpNotNull, nil, []int{0}},
		{"one", "extra", query.OpNull, nil, []int{1, 2, 3, 4, 5}},
		{"one", "id", query.OpEqual, []core.Value{num(large.ID)}, []int{1}},
		{"one", "id", query.OpEqual, []core.Value{num(secret.ID)}, nil},
		{"one", "locale", query.OpEqual, []core.Value{text("en")}, []int{0, 1, 2}},
		{"one", "publishedAt", query.OpNull, nil, []int{3, 4, 5}},
		{"one", "neighbour", query.OpEqual, []core.Value{num(klein.ID)}, []int{1}},
		{"one", "neighbour", query.OpNull, nil, []int{0, 2, 3, 4, 5}},
		{"many", "title", query.OpEqual, []core.Value{text("Small")}, []int{0, 1}},
		{"many", "title", query.OpNot, []core.Value{text("Large")}, []int{0, 2, 3, 5}},
		{"many", "title", query.OpNotIn, []core.Value{text("Small"), text("Secret")}, []int{2, 3, 4, 5}},
		{"many", "title", query.OpNull, nil, []int{2, 3, 5}},
		{"many", "area", query.OpLess, []core.Value{num(5)}, []int{0, 1}},
		{"many", "area", query.OpBetween, []core.Value{num(9), num(9)}, []int{1, 4}},
		{"many", "area", query.OpNotBetween, []core.Value{num(9), num(9)}, []int{0}},
		{"many", "note", query.OpNull, nil, []int{2, 3, 4, 5}},
		{"many", "tongues", query.OpNot, []core.Value{text("x")}, []int{2, 3, 4, 5}},
		{"many", "tongues", query.OpNotNull, nil, []int{0, 1, 4}},
		{"many", "neighbour", query.OpEqual, []core.Value{num(small.ID)}, []int{1, 4}},
	} {
		got := holders.list(t, holders.all(related(holders, c.relation, c.field, c.op, c.values...)))
		if want := elementsAt(rows, c.want); !slices.Equal(got, want) {
			t.Errorf("%s.%s %q %v found %v, want %v", c.relation, c.field, c.op, c.values, got, want)
		}
	}

	// Targets are resolved in the locale of the query, or of the row if the query has all
	// locales.
	french := holders.add(t, inGroup(rows[0], publicOf("fr", fields{"one": small.Group}))).ID
	japanese := holders.add(t, publicOf("ja", fields{"one": small.Group})).ID
	german := holders.add(t, publicOf("de", fields{"one": small.Group})).ID
	for _, c := range []struct {
		locale, title string
		want          []int64
	}{
		{query.AllLocales, "Petit", []int64{french, japanese}},
		{query.AllLocales, "Small", []int64{rows[0], german}},
		{"fr-CA", "Petit", []int64{french}},
		{"fr", "Petit", []int64{french}},
		{"ja", "Petit", []int64{french, japanese}},
		{"en", "Small", []int64{rows[0]}},
		{"de", "Small", []int64{rows[0], german}},
	} {
		sel := holders.all(related(holders, "one", "title", query.OpEqual, text(c.title)))
		sel.Locale = c.locale
		if got := holders.list(t, sel); !slices.Equal(got, c.want) {
			t.Errorf("one.title = %s in %s found %v, want %v", c.title, c.locale, got, c.want)
		}
	}

	// With drafts, targets include drafts.
	waiting := holders.add(t, draftOf("en", fields{"one": secret.Group})).ID
	for _, c := range []struct {
		state core.State
		want  []int64
	}{{core.StateWithDraft, []int64{rows[3], waiting}}, {core.StateOnlyDraft, []int64{waiting}}, {core.StatePublished, nil}} {
		sel := holders.all(related(holders, "one", "title", query.OpEqual, text("Secret")))
		sel.State = c.state
		assertEqual(t, holders.list(t, sel), c.want)
	}
	sel := holders.all(related(holders, "one", "title", query.OpEqual, text("Small")))
	sel.State = core.StateOnlyDraft
	holders.add(t, draftOf("fr-CA", fields{"one": small.Group}))
	onSmall := holders.add(t, draftOf("en", fields{"one": small.Group})).ID
	assertEqual(t, holders.list(t, sel), []int64{onSmall})
}

// hidesFarTargets filters by a relation of a target: a target whose own relation refers to
// an unpublished entry must look like one without a relation.
func hidesFarTargets(t *testing.T, w *fixture) {
	chain := newTestCollection(t, w, "chain", titleField(), &core.Field{Name: "next", Type: core.TypeRelation, Collection: "chain"})
	draft := chain.add(t, draftOf("en", fields{"title": "draft"}))
	public := chain.add(t, publicOf("en", fields{"title": "public"}))
	toDraft := chain.add(t, publicOf("en", fields{"title": "to draft", "next": draft.Group}))
	toPublic := chain.add(t, publicOf("en", fields{"title": "to public", "next": public.Group}))
	farDraft := chain.add(t, publicOf("en", fields{"title": "far draft", "next": toDraft.Group}))
	farPublic := chain.add(t, publicOf("en", fields{"title": "far public", "next": toPublic.Group}))
	assertEqual(t, chain.list(t, chain.all(related(chain, "next", "next", query.OpNotNull))), []int64{farPublic.ID})
	assertEqual(t, chain.list(t, chain.all(related(chain, "next", "next", query.OpNull))),
		[]int64{public.ID, toDraft.ID, toPublic.ID, farDraft.ID})
	sel := chain.all(related(chain, "next", "next", query.OpNotNull))
	sel.State = core.StateWithDraft
	assertEqual(t, chain.list(t, sel), []int64{farDraft.ID, farPublic.ID})
}
