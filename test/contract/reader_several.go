package contract

import (
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/query"
)

// followsSeveral filters by relations to several collections and by fields of their targets, whose
// values each collection stores in its own way.
func followsSeveral(t *testing.T, w *fixture) {
	people := newTestCollection(t, w, "people", titleField(),
		&core.Field{Name: "area", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "boss", Type: core.TypeRelation, Collection: "people"})
	places := newTestCollection(t, w, "places",
		&core.Field{Name: "area", Type: core.TypeNumber},
		&core.Field{Name: "extra", Type: core.TypeJSON},
		&core.Field{Name: "title", Type: core.TypeText, Multiple: true},
		&core.Field{Name: "boss", Type: core.TypeRelation, Collections: []string{"places", "people"}, Multiple: true})
	strangers := newTestCollection(t, w, "strangers", titleField(), &core.Field{Name: "area", Type: core.TypeNumber})
	ada := people.add(t, publicOf("en", fields{"title": "Ada", "area": 1}))
	french := people.add(t, inGroup(ada.Group, publicOf("fr", fields{"title": "Adélaïde"})))
	bob := people.add(t, publicOf("en", fields{"title": "Bob", "area": 9, "boss": ada.Group}))
	bonn := places.add(t, publicOf("en", fields{"title": []string{"Bonn", "Ada"}, "area": 5, "boss": []int64{ada.Group}}))
	blank := places.add(t, publicOf("en", fields{}))
	secret := places.add(t, draftOf("en", fields{"title": []string{"Ada"}, "area": 1}))
	stranger := strangers.add(t, publicOf("en", fields{"title": "Ada", "area": 1}))

	admitted := []string{"people", "places"}
	holders := newTestCollection(t, w, "holders", titleField(),
		&core.Field{Name: "one", Type: core.TypeRelation, Collections: admitted},
		&core.Field{Name: "many", Type: core.TypeRelation, Collections: admitted, Multiple: true})
	rows := []int64{}
	for _, groups := range [][]int64{{ada.Group}, {bonn.Group, bob.Group}, {blank.Group}, {secret.Group}, {stranger.Group, bob.Group}, {}} {
		content := fields{"many": groups}
		if len(groups) > 0 {
			content["one"] = groups[0]
		}
		rows = append(rows, holders.add(t, publicOf("en", content)).ID)
	}
	ids := func(of ...core.Entry) (values []core.Value) {
		for _, e := range of {
			values = append(values, num(e.ID))
		}
		return values
	}
	for _, c := range []struct {
		relation, field string
		op              query.Op
		values          []core.Value
		want            []int
	}{
		{"one", "", query.OpEqual, ids(ada), []int{0}},
		{"one", "", query.OpEqual, ids(french), []int{0}},
		{"one", "", query.OpIn, ids(ada, bonn, secret, stranger), []int{0, 1}},
		{"one", "", query.OpNotIn, ids(ada, bonn), []int{2, 3, 4, 5}},
		{"one", "", query.OpEqual, ids(stranger), nil},
		{"many", "", query.OpEqual, ids(bob), []int{1, 4}},
		{"many", "", query.OpNot, ids(bob), []int{0, 2, 3, 5}},
		{"many", "", query.OpIn, ids(bonn, blank), []int{1, 2}},
		{"one", "id", query.OpNull, nil, []int{3, 4, 5}},
		{"one", "id", query.OpNotNull, nil, []int{0, 1, 2}},
		{"many", "id", query.OpNotNull, nil, []int{0, 1, 2, 4}},
		{"one", "id", query.OpEqual, ids(bonn), []int{1}},
		{"one", "locale", query.OpEqual, []core.Value{text("en")}, []int{0, 1, 2}},
		{"one", "publishedAt", query.OpNull, nil, []int{3, 4, 5}},
		{"one", "title", query.OpEqual, []core.Value{text("Ada")}, []int{0, 1}},
		{"one", "title", query.OpNot, []core.Value{text("Ada")}, []int{2, 3, 4, 5}},
		{"one", "title", query.OpIn, []core.Value{text("Bonn"), text("Bob")}, []int{1}},
		{"one", "title", query.OpLike, []core.Value{text("b")}, []int{1}},
		{"one", "title", query.OpNull, nil, []int{2, 3, 4, 5}},
		{"one", "area", query.OpGreater, []core.Value{num(0)}, []int{0, 1}},
		{"one", "area", query.OpNotBetween, []core.Value{num(0), num(4)}, []int{1}},
		{"many", "title", query.OpEqual, []core.Value{text("Bob")}, []int{1, 4}},
		{"many", "title", query.OpNotIn, []core.Value{text("Bob"), text("Bonn")}, []int{0, 2, 3, 5}},
		{"many", "area", query.OpBetween, []core.Value{num(9), num(9)}, []int{1, 4}},
		{"many", "area", query.OpNotBetween, []core.Value{num(9), num(9)}, []int{0}},
		{"many", "area", query.OpNull, nil, []int{2, 3, 5}},
		{"many", "boss", query.OpEqual, ids(ada), []int{1, 4}},
		{"many", "boss", query.OpNotNull, nil, []int{1, 4}},
		{"one", "boss", query.OpNull, nil, []int{0, 2, 3, 4, 5}},
	} {
		condition := clause(holders, c.relation, c.op, c.values...)
		if c.field != "" {
			condition = related(holders, c.relation, c.field, c.op, c.values...)
		}
		want := elementsAt(rows, c.want)
		if got := holders.list(t, holders.all(condition)); !slices.Equal(got, want) {
			t.Errorf("%s.%s %q %v found %v, want %v", c.relation, c.field, c.op, c.values, got, want)
		}
		if n := result(w.Entries.Count(t.Context(), holders.all(condition)))(t); n != int64(len(want)) {
			t.Errorf("%s.%s %q %v counted %d, want %d", c.relation, c.field, c.op, c.values, n, len(want))
		}
	}
	// The target must serve the locale of the query, or of the row if the query has all locales.
	holding := holders.add(t, inGroup(rows[0], publicOf("fr", fields{"one": ada.Group}))).ID
	for _, c := range []struct {
		locale, title string
		want          []int64
	}{
		{"fr", "Adélaïde", []int64{holding}}, {query.AllLocales, "Adélaïde", []int64{holding}}, {query.AllLocales, "Ada", []int64{rows[0], rows[1]}}, {"en", "Adélaïde", nil},
	} {
		sel := holders.all(related(holders, "one", "title", query.OpEqual, text(c.title)))
		sel.Locale = c.locale
		assertEqual(t, holders.list(t, sel), c.want)
	}
	// A target counts only in states that include it.
	sel := holders.all(related(holders, "one", "title", query.OpEqual, text("Ada")))
	sel.State = core.StateWithDraft
	assertEqual(t, holders.list(t, sel), []int64{rows[0], rows[1], rows[3]})
}
