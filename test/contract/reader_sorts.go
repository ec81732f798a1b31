package contract

import (
	"fmt"
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/query"
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
				sel.Sort = []query.SortKey{{Field: coll.schema.Collection.Fields[0], Desc: c.desc}, {Field: core.SystemID, Desc: c.idDesc}}
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
	sel.Sort = []query.SortKey{{Field: field("title")}, {Field: field("views"), Desc: true}, {Field: field("day")}, {Field: core.SystemID}}
	assertEqual(t, coll.list(t, sel), elementsAt(e, []int{1, 5, 2, 3, 0, 4}))
	sel.Sort = []query.SortKey{{Field: field("day"), Desc: true}, {Field: field("title"), Desc: true}, {Field: core.SystemID, Desc: true}}
	assertEqual(t, coll.list(t, sel), elementsAt(e, []int{2, 0, 3, 1, 5, 4}))
	sel.Sort = []query.SortKey{{Field: core.SystemID, Desc: true}}
	assertEqual(t, coll.list(t, sel), elementsAt(e, []int{5, 4, 3, 2, 1, 0}))
}

func sortsText(t *testing.T, w *fixture) {
	ordered := []string{
		"", "\u0001", " ", "\u00a0", "!", "-", "0", "10", "9", "_", "A", "a", "𝔸", "a b", "a-b", "aa", "ab", "\u00e6", "b", "e\u0301", "\u00c9", "\u00e9",
		"f", "\ufb01", "\u0130", "\u0131", "l", "\u0142", "\u1e9e", "Z", "z", "か", "が", "き", "日本", "\ue000", "\uffff", "😀", "\U0010ffff",
	}
	for _, slot := range []string{"t1", ""} {
		coll := newTestCollection(t, w, "texts"+slot, &core.Field{Name: "title", Type: core.TypeText, Slot: slot, SlotReady: slot != ""})
		want := make([]int64, len(ordered))
		for n := range ordered {
			i := (n*7 + 3) % len(ordered) // 7 and the length are coprime
			want[i] = coll.add(t, publicOf("en", fields{"title": ordered[i]})).ID
		}
		sel := coll.all()
		sel.Sort = []query.SortKey{{Field: coll.schema.Collection.Field("title")}, {Field: core.SystemID}}
		assertEqual(t, coll.list(t, sel), want)
		for i, v := range ordered {
			assertEqual(t, coll.list(t, coll.all(equals(coll, "title", text(v)))), want[i:i+1])
			less := coll.list(t, coll.all(clause(coll, "title", query.OpLess, text(v))))
			slices.Sort(less)
			assertEqual(t, less, slices.Sorted(slices.Values(want[:i])))
		}
	}
}
