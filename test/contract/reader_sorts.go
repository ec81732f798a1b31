package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
)

func sortsTypes(t *testing.T, w *fixture) {
	for i, s := range samples() {
		for _, slot := range slices.Compact([]string{s.slot, ""}) {
			coll := newTestCollection(t, w, fmt.Sprint("sorted-", i, slot), &core.Field{Name: "value", Type: s.kind, Slot: slot, SlotReady: slot != ""})
			var e []int64
			for _, n := range []int{3, 1, 2, 0, 3, 1} {
				content := fields{}
				if n < 3 {
					content["value"] = s.stored[n]
				}
				e = append(e, coll.add(t, publicOf("en", content)).ID)
			}
			for _, c := range []struct {
				desc, idDesc bool
				want         []int
			}{
				{false, false, []int{3, 1, 5, 2, 0, 4}},
				{false, true, []int{3, 5, 1, 2, 4, 0}},
				{true, true, []int{2, 5, 1, 3, 4, 0}},
				{true, false, []int{2, 1, 5, 3, 0, 4}},
			} {
				sel := coll.all()
				sel.Sort = []core.SortKey{{Field: coll.schema.Collection.Fields[0], Desc: c.desc}, {Field: core.SystemID, Desc: c.idDesc}}
				if got, want := coll.list(t, sel), elementsAt(e, c.want); !slices.Equal(got, want) {
					t.Errorf("%s (slot %q) %.40q, desc %v %v: got %v, want %v", s.kind, slot, fmt.Sprint(s.stored), c.desc, c.idDesc, got, want)
				}
			}
		}
	}
}

func sortsKeys(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(),
		&core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "day", Type: core.TypeDate})
	var e []int64
	for _, content := range []fields{
		{"title": "b", "views": 1, "day": "2024-01-02"}, {"title": "a", "views": 2, "day": "2024-01-01"}, {"title": "a", "day": "2024-01-03"},
		{"title": "b", "views": 1, "day": "2024-01-01"}, {"views": 3}, {"title": "a", "views": 2},
	} {
		e = append(e, coll.add(t, publicOf("en", content)).ID)
	}
	field := coll.schema.Collection.Field
	sel := coll.all()
	sel.Sort = []core.SortKey{{Field: field("title")}, {Field: field("views"), Desc: true}, {Field: field("day")}, {Field: core.SystemID}}
	assertEqual(t, coll.list(t, sel), elementsAt(e, []int{1, 5, 2, 3, 0, 4}))
	sel.Sort = []core.SortKey{{Field: field("day"), Desc: true}, {Field: field("title"), Desc: true}, {Field: core.SystemID, Desc: true}}
	assertEqual(t, coll.list(t, sel), elementsAt(e, []int{2, 0, 3, 1, 5, 4}))
	sel.Sort = []core.SortKey{{Field: core.SystemID, Desc: true}}
	assertEqual(t, coll.list(t, sel), elementsAt(e, []int{5, 4, 3, 2, 1, 0}))
}

// ordersLongTexts compares texts with a common prefix longer than an index stores.
func ordersLongTexts(t *testing.T, w *fixture) {
	long := strings.Repeat("é", core.MaxSortPrefix/2)
	odd := "x" + strings.Repeat("é", core.MaxSortPrefix/2-1) // one byte short, so that the next rune is cut off
	for name, title := range map[string]*core.Field{
		"slot":    {Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true},
		"no-slot": {Name: "title", Type: core.TypeText},
		"several": {Name: "title", Type: core.TypeText, Multiple: true},
	} {
		coll := newTestCollection(t, w, name, title, &core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true})
		add := func(text string) int64 {
			var value any = text
			if title.Multiple {
				value = []string{text}
			}
			return coll.add(t, publicOf("en", fields{"title": value, "views": 1})).ID
		}
		b, a, bare, z, cut := add(long+"b"), add(long+"a"), add(long), add(odd+"zz"), add(odd+"ée")
		none := coll.add(t, publicOf("en", fields{"views": 1})).ID
		for _, c := range []struct {
			op     core.Op
			values []core.Value
			want   []int64
		}{
			{core.OpLess, []core.Value{text(long + "z")}, []int64{b, a, bare, z, cut}},
			{core.OpLess, []core.Value{text(long + "b")}, []int64{a, bare, z, cut}},
			{core.OpLessEq, []core.Value{text(long + "a")}, []int64{a, bare, z, cut}},
			{core.OpLessEq, []core.Value{text(long)}, []int64{bare, z, cut}},
			{core.OpGreaterEq, []core.Value{text(long + "b")}, []int64{b}},
			{core.OpGreaterEq, []core.Value{text(long + "zzz")}, nil},
			{core.OpGreater, []core.Value{text(long)}, []int64{b, a}},
			{core.OpGreater, []core.Value{text(odd)}, []int64{b, a, bare, z, cut}},
			{core.OpGreater, []core.Value{text(odd + "zz")}, []int64{b, a, bare, cut}},
			{core.OpBetween, []core.Value{text(long + "a"), text(long + "aa")}, []int64{a}},
			{core.OpBetween, []core.Value{text(odd), text(long)}, []int64{bare, z, cut}},
			{core.OpNotBetween, []core.Value{text(long + "a"), text(long + "z")}, []int64{bare, z, cut}},
			{core.OpEqual, []core.Value{text(long + "a")}, []int64{a}},
			{core.OpEqual, []core.Value{text(long)}, []int64{bare}},
			{core.OpNot, []core.Value{text(long)}, []int64{b, a, z, cut, none}},
			{core.OpIn, []core.Value{text(long), text(long + "b")}, []int64{b, bare}},
			{core.OpNotIn, []core.Value{text(long), text(long + "b")}, []int64{a, z, cut, none}},
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
		if title.Multiple {
			continue
		}
		for desc, want := range map[bool][]int64{false: {z, cut, bare, a, b, none}, true: {b, a, bare, cut, z, none}} {
			sel := coll.all()
			sel.Sort = []core.SortKey{{Field: coll.schema.Collection.Field("title"), Desc: desc}, {Field: core.SystemID}}
			assertEqual(t, coll.list(t, sel), want)
			sel.Where = []core.Clause{equals(coll, "views", num(1))}
			assertEqual(t, coll.list(t, sel), want)
			sel.Offset, sel.Limit = 2, 2
			assertEqual(t, coll.list(t, sel), want[2:5])
			sel.Without = core.RowDocument
			assertEqual(t, coll.list(t, sel), want[2:5])
		}
	}
}

func sortsText(t *testing.T, w *fixture) {
	ordered := []string{
		"", "\u0001", " ", "!", "-", "0", "10", "9", "A", "Z", "_", "a", "a b", "a-b", "aa", "ab", "b", "e\u0301", "f", "z",
		"\u00a0", "\u00c9", "\u00e9", "\u0130", "\u0131", "\u1e9e", "日本", "\ue000", "\ufb01", "\uffff", "𝔸", "😀", "\U0010ffff",
	}
	for _, slot := range []string{"t1", ""} {
		coll := newTestCollection(t, w, "texts"+slot, &core.Field{Name: "title", Type: core.TypeText, Slot: slot, SlotReady: slot != ""})
		want := make([]int64, len(ordered))
		for n := range ordered {
			i := (n*7 + 3) % len(ordered) // 7 and the length are coprime
			want[i] = coll.add(t, publicOf("en", fields{"title": ordered[i]})).ID
		}
		sel := coll.all()
		sel.Sort = []core.SortKey{{Field: coll.schema.Collection.Field("title")}, {Field: core.SystemID}}
		assertEqual(t, coll.list(t, sel), want)
		for i, v := range ordered {
			assertEqual(t, coll.list(t, coll.all(equals(coll, "title", text(v)))), want[i:i+1])
			less := coll.list(t, coll.all(clause(coll, "title", core.OpLess, text(v))))
			slices.Sort(less)
			assertEqual(t, less, slices.Sorted(slices.Values(want[:i])))
		}
	}
}
