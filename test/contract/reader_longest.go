package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// comparesLongestTexts compares texts of the maximum length that no engine can compress, and finds
// nothing by operands that are longer than any value.
func comparesLongestTexts(t *testing.T, w *fixture) {
	longest := func() string {
		random := rand.New(rand.NewPCG(7, 7))
		letters := make([]byte, fieldtype.MaxText)
		for i := range letters {
			letters[i] = byte('!' + random.IntN('~'-'!'))
		}
		return "m" + string(letters[1:])
	}()
	other := longest[:len(longest)-1] + "~"
	for name, title := range map[string]*core.Field{
		"slot":    {Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true},
		"no-slot": {Name: "title", Type: core.TypeText},
		"several": {Name: "title", Type: core.TypeText, Multiple: true},
	} {
		coll := newTestCollection(t, w, name, title,
			&core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true}, &core.Field{Name: "day", Type: core.TypeDate, Slot: "d1", SlotReady: true})
		add := func(texts ...string) int64 {
			content := fields{"views": 1, "day": "2024-02-29"}
			switch {
			case title.Multiple && len(texts) > 0:
				content["title"] = texts
			case len(texts) > 0:
				content["title"] = texts[0]
			}
			return coll.add(t, publicOf("en", content)).ID
		}
		a, b, shorter, none := add(longest), add(other), add(longest[:500]), add()
		for _, c := range []struct {
			op     query.Op
			values []core.Value
			want   []int64
		}{
			{query.OpEqual, []core.Value{text(longest)}, []int64{a}},
			{query.OpEqual, []core.Value{text(longest + "!")}, nil},
			{query.OpNot, []core.Value{text(longest + "!")}, []int64{a, b, shorter, none}},
			{query.OpIn, []core.Value{text(longest + "!"), text(other)}, []int64{b}},
			{query.OpNotIn, []core.Value{text(longest + "!"), text(other)}, []int64{a, shorter, none}},
			{query.OpLess, []core.Value{text(longest)}, []int64{shorter}},
			{query.OpLess, []core.Value{text(longest + "!")}, []int64{a, shorter}},
			{query.OpLessEq, []core.Value{text(other)}, []int64{a, b, shorter}},
			{query.OpGreater, []core.Value{text(longest)}, []int64{b}},
			{query.OpGreater, []core.Value{text(longest + strings.Repeat("!", 3000))}, []int64{b}},
			{query.OpGreaterEq, []core.Value{text(longest[:500])}, []int64{a, b, shorter}},
			{query.OpBetween, []core.Value{text(longest[:500] + "\u0001"), text(longest + "!")}, []int64{a}},
			{query.OpNotBetween, []core.Value{text(longest), text(other + "!")}, []int64{shorter}},
			{query.OpLess, []core.Value{text(strings.Repeat("각", 1300))}, []int64{a, b, shorter}},
		} {
			found := coll.all(clause(coll, "title", c.op, c.values...))
			if got := coll.list(t, found); !slices.Equal(got, c.want) {
				t.Errorf("%s: %q found %v, want %v", name, c.op, got, c.want)
			}
			found.Where = append(found.Where, equals(coll, "views", num(1)))
			if n := result(w.Entries.Count(t.Context(), found))(t); n != int64(len(c.want)) {
				t.Errorf("%s: %q counts %d, want %d", name, c.op, n, len(c.want))
			}
		}
	}
}

// comparesUnordered compares URLs, which are equal or not, and long texts, which are present or not.
func comparesUnordered(t *testing.T, w *fixture) {
	address := func(end string) string { return "https://example.org/" + strings.Repeat("p/", 980) + end }
	for _, f := range []*core.Field{
		{Name: "value", Type: core.TypeURL, Slot: "t1", SlotReady: true},
		{Name: "value", Type: core.TypeURL, Slot: "t1"},
		{Name: "value", Type: core.TypeURL},
		{Name: "value", Type: core.TypeURL, Multiple: true},
		{Name: "value", Type: core.TypeLongText},
		{Name: "value", Type: core.TypeLongText, Multiple: true},
		{Name: "value", Type: core.TypeRichText, Searchable: true},
		{Name: "value", Type: core.TypeRichText, Multiple: true},
	} {
		coll := newTestCollection(t, w, fmt.Sprint(f.Type, "-", f.Slot, f.SlotReady, f.Multiple), f)
		add := func(value string) int64 {
			if !f.Multiple {
				return coll.add(t, publicOf("en", fields{"value": value})).ID
			}
			return coll.add(t, publicOf("en", fields{"value": []string{value, "https://example.org/other"}})).ID
		}
		a, b := add(address("a")), add(address("B"))
		empty := coll.add(t, publicOf("en", fields{})).ID
		if f.Multiple {
			coll.add(t, publicOf("en", fields{"value": []string{}}))
		}
		expect := func(op query.Op, want []int64, values ...string) {
			t.Helper()
			var operands []core.Value
			for _, v := range values {
				operands = append(operands, text(v))
			}
			got := coll.list(t, coll.all(clause(coll, "value", op, operands...)))
			if f.Multiple && len(got) == len(want)+1 && op.MatchesNull() {
				got = got[:len(want)] // and the entry with an empty list
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q %.60q found %v, want %v", coll.schema.Collection.Slug, op, values, got, want)
			}
		}
		expect(query.OpNull, []int64{empty})
		expect(query.OpNotNull, []int64{a, b})
		expect(query.OpLike, []int64{b}, "/b")
		if !f.Comparable() {
			continue
		}
		expect(query.OpEqual, []int64{a}, address("a"))
		expect(query.OpEqual, nil, address("b"))
		expect(query.OpIn, []int64{a, b}, address("a"), address("B"), address("c"))
		expect(query.OpNot, []int64{b, empty}, address("a"))
		expect(query.OpNotIn, []int64{empty}, address("a"), address("B"))
	}
}
