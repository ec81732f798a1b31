package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// sample holds three values of a type in ascending order, in stored and in comparable form.
type sample struct {
	kind   core.FieldType
	slot   string
	stored [3]any
	values [3]core.Value
}

func texts(a, b, c string) ([3]any, [3]core.Value) {
	return [3]any{a, b, c}, [3]core.Value{text(a), text(b), text(c)}
}

func numbers(a, b, c float64) ([3]any, [3]core.Value) {
	return [3]any{a, b, c}, [3]core.Value{num(a), num(b), num(c)}
}

func times(kind core.FieldType, a, b, c string) ([3]any, [3]core.Value) {
	var values [3]core.Value
	for i, moment := range []string{a, b, c} {
		value, fault := fieldtype.Of(kind).Operand(moment)
		if fault != "" {
			panic(moment + " " + fault)
		}
		values[i] = value
	}
	return [3]any{a, b, c}, values
}

func samples() []sample {
	var list []sample
	add := func(kind core.FieldType, slot string, stored [3]any, values [3]core.Value) {
		list = append(list, sample{kind, slot, stored, values})
	}
	addTexts := func(kind core.FieldType, slot, a, b, c string) {
		stored, values := texts(a, b, c)
		add(kind, slot, stored, values)
	}
	addNumbers := func(a, b, c float64) {
		stored, values := numbers(a, b, c)
		add(core.TypeNumber, "n3", stored, values)
	}
	addTimes := func(kind core.FieldType, a, b, c string) {
		stored, values := times(kind, a, b, c)
		add(kind, "d2", stored, values)
	}
	addTexts(core.TypeText, "t1", "Zürich", "zurich", "zürich")
	addTexts(core.TypeText, "t2", "", " ", "\U0010ffff")
	addTexts(core.TypeText, "t3", "\ufb01", "\uffff", "😀")
	addTexts(core.TypeText, "t4", "10", "9", "a")
	addTexts(core.TypeText, "t4", "Äpfel", "apple", "Zebra")
	addTexts(core.TypeText, "t4", strings.Repeat("a", 1000), strings.Repeat("A", 999)+"b", strings.Repeat("é", 499)+"z")
	addTexts(core.TypeSlug, "t5", "a", "a-b", "ab")
	addTexts(core.TypeEmail, "t6", "a@example.org", "b@example.org", "c@example.org")
	addTexts(core.TypeEnumeration, "t7", "draft", "final", "final cut")
	addTexts(core.TypeColor, "t8", "#000000", "#00ff00", "#00ff00ff")
	addNumbers(-10, 9, 10)
	addNumbers(-1<<53, 0, 1<<53)
	addNumbers(0.1, 0.30000000000000004, 1e300)
	addNumbers(-5e-324, 0, 5e-324)
	addTimes(core.TypeDate, "0001-01-01", "1969-12-31", "9999-12-31")
	addTimes(core.TypeDate, "2024-02-28", "2024-02-29", "2024-03-01")
	addTimes(core.TypeTime, "00:00:00", "09:59:59.999", "10:00:00")
	addTimes(core.TypeDateTime, "0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z")
	addTimes(core.TypeDateTime, "2024-02-29T12:00:00.000Z", "2024-02-29T12:00:00.001Z", "2024-02-29T12:00:01.000Z")
	return list
}

// comparison is a condition on a field with the values low < mid < high, and the indexes of
// the entries it matches among low, mid, high and null (0 to 3).
type comparison struct {
	op     query.Op
	values []int
	want   []int
}

var comparisons = []comparison{
	{query.OpEqual, []int{1}, []int{1}},
	{query.OpNot, []int{1}, []int{0, 2, 3}},
	{query.OpIn, []int{2, 0}, []int{0, 2}},
	{query.OpIn, []int{1}, []int{1}},
	{query.OpIn, []int{1, 1}, []int{1}},
	{query.OpNotIn, []int{0, 2}, []int{1, 3}},
	{query.OpLess, []int{0}, nil},
	{query.OpLess, []int{1}, []int{0}},
	{query.OpLess, []int{2}, []int{0, 1}},
	{query.OpLessEq, []int{1}, []int{0, 1}},
	{query.OpGreater, []int{1}, []int{2}},
	{query.OpGreater, []int{2}, nil},
	{query.OpGreaterEq, []int{1}, []int{1, 2}},
	{query.OpBetween, []int{0, 1}, []int{0, 1}},
	{query.OpBetween, []int{1, 1}, []int{1}},
	{query.OpBetween, []int{2, 0}, nil},
	{query.OpNotBetween, []int{0, 1}, []int{2}},
	{query.OpNotBetween, []int{2, 0}, []int{0, 1, 2}},
	{query.OpNull, nil, []int{3}},
	{query.OpNotNull, nil, []int{0, 1, 2}},
}

// elementsAt returns the elements at the given indexes.
func elementsAt[T any](list []T, indexes []int) []T {
	var picked []T
	for _, i := range indexes {
		picked = append(picked, list[i])
	}
	return picked
}

func comparesTypes(t *testing.T, w *fixture) {
	for i, s := range samples() {
		for _, ready := range []string{"slot", "slot not ready", "no slot"} {
			if s.slot == "" && ready != "no slot" {
				continue
			}
			f := &core.Field{Name: "value", Type: s.kind, Slot: s.slot, SlotReady: ready == "slot"}
			if ready == "no slot" {
				f.Slot = ""
			}
			coll := newTestCollection(t, w, fmt.Sprint("c", i, "-", strings.ReplaceAll(ready, " ", "-")), f)
			var entries []int64
			for _, stored := range s.stored {
				entries = append(entries, coll.add(t, publicOf("en", fields{"value": stored})).ID)
			}
			entries = append(entries, coll.add(t, publicOf("en", fields{})).ID)
			for _, c := range comparisons {
				got := coll.list(t, coll.all(clause(coll, "value", c.op, elementsAt(s.values[:], c.values)...)))
				if want := elementsAt(entries, c.want); !slices.Equal(got, want) {
					t.Errorf("%s (%s) %.40q: %q %v found %v, want %v", s.kind, ready, fmt.Sprint(s.stored), c.op, c.values, got, want)
				}
			}
			if s.kind == core.TypeDateTime {
				comparesBetweenMilliseconds(t, coll, entries, num(s.values[1].Num+0.5))
			}
		}
	}
	for _, slot := range []string{"n1", ""} {
		coll := newTestCollection(t, w, "boolean"+slot, &core.Field{Name: "value", Type: core.TypeBoolean, Slot: slot, SlotReady: slot != ""})
		yes, no := coll.add(t, publicOf("en", fields{"value": true})).ID, coll.add(t, publicOf("en", fields{"value": false})).ID
		null := coll.add(t, publicOf("en", fields{})).ID
		for _, c := range []struct {
			op     query.Op
			values []core.Value
			want   []int64
		}{
			{query.OpEqual, []core.Value{num(1)}, []int64{yes}}, {query.OpEqual, []core.Value{num(0)}, []int64{no}},
			{query.OpNot, []core.Value{num(1)}, []int64{no, null}}, {query.OpIn, []core.Value{num(0), num(1)}, []int64{yes, no}},
			{query.OpNotIn, []core.Value{num(0)}, []int64{yes, null}}, {query.OpNull, nil, []int64{null}}, {query.OpNotNull, nil, []int64{yes, no}},
		} {
			assertEqual(t, coll.list(t, coll.all(clause(coll, "value", c.op, c.values...))), c.want)
		}
	}
}

// comparesBetweenMilliseconds compares times with one shortly after the second of entries. The
// last entry has none.
func comparesBetweenMilliseconds(t *testing.T, coll *testCollection, entries []int64, moment core.Value) {
	t.Helper()
	for op, want := range map[query.Op][]int{
		query.OpEqual: nil, query.OpIn: nil, query.OpNot: {0, 1, 2, 3}, query.OpLess: {0, 1}, query.OpLessEq: {0, 1},
		query.OpGreater: {2}, query.OpGreaterEq: {2},
	} {
		got := coll.list(t, coll.all(clause(coll, "value", op, moment)))
		if want := elementsAt(entries, want); !slices.Equal(got, want) {
			t.Errorf("%q %v found %v, want %v", op, moment, got, want)
		}
	}
}

func comparesLists(t *testing.T, w *fixture) {
	for i, s := range samples() {
		coll := newTestCollection(t, w, fmt.Sprint("lists-", i), &core.Field{Name: "value", Type: s.kind, Multiple: true})
		var entries []int64
		for _, held := range [][]int{{0, 1}, {2}, {1, 1, 2}, {}} {
			entries = append(entries, coll.add(t, publicOf("en", fields{"value": append([]any{}, elementsAt(s.stored[:], held)...)})).ID)
		}
		entries = append(entries, coll.add(t, publicOf("en", fields{})).ID)
		for _, c := range []comparison{
			{query.OpEqual, []int{1}, []int{0, 2}},
			{query.OpNot, []int{1}, []int{1, 3, 4}},
			{query.OpIn, []int{0, 2}, []int{0, 1, 2}},
			{query.OpNotIn, []int{0, 1}, []int{1, 3, 4}},
			{query.OpLess, []int{1}, []int{0}},
			{query.OpLessEq, []int{1}, []int{0, 2}},
			{query.OpGreater, []int{1}, []int{1, 2}},
			{query.OpGreaterEq, []int{2}, []int{1, 2}},
			{query.OpBetween, []int{0, 1}, []int{0, 2}},
			{query.OpNotBetween, []int{0, 1}, []int{1}},
			{query.OpNull, nil, []int{3, 4}},
			{query.OpNotNull, nil, []int{0, 1, 2}},
		} {
			got := coll.list(t, coll.all(clause(coll, "value", c.op, elementsAt(s.values[:], c.values)...)))
			if want := elementsAt(entries, c.want); !slices.Equal(got, want) {
				t.Errorf("lists of %s %.40q: %q %v found %v, want %v", s.kind, fmt.Sprint(s.stored), c.op, c.values, got, want)
			}
		}
	}
}

func comparesOpaqueNull(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", &core.Field{Name: "value", Type: core.TypeJSON})
	var some []int64
	for _, v := range []any{0, false, "", []int{}, fields{}, "null", []any{nil}} {
		some = append(some, coll.add(t, publicOf("en", fields{"value": v})).ID)
	}
	null := coll.add(t, publicOf("en", fields{})).ID
	assertEqual(t, coll.list(t, coll.all(clause(coll, "value", query.OpNotNull))), some)
	assertEqual(t, coll.list(t, coll.all(clause(coll, "value", query.OpNull))), []int64{null})

	lists := newTestCollection(t, w, "lists", &core.Field{Name: "value", Type: core.TypeJSON, Multiple: true})
	held := lists.add(t, publicOf("en", fields{"value": []any{0, []int{}}})).ID
	nested := lists.add(t, publicOf("en", fields{"value": []any{[]int{}}})).ID
	empty, absent := lists.add(t, publicOf("en", fields{"value": []any{}})).ID, lists.add(t, publicOf("en", fields{})).ID
	assertEqual(t, lists.list(t, lists.all(clause(lists, "value", query.OpNotNull))), []int64{held, nested})
	assertEqual(t, lists.list(t, lists.all(clause(lists, "value", query.OpNull))), []int64{empty, absent})
}

func comparesSystem(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	var rows []int64
	for n, locale := range []string{"de", "en", "fr"} {
		e := publicOf(locale, fields{"title": "a"})
		e.CreatedAt, e.UpdatedAt, e.PublishedAt, e.ReleasedAt = at(10+n), at(100+n), at(1000+n), at(10000+n)
		rows = append(rows, coll.add(t, e).ID)
	}
	never := draftOf("ja", fields{"title": "a"})
	never.CreatedAt, never.UpdatedAt = at(50), at(150)
	rows = append(rows, coll.add(t, never).ID)
	moment := func(n int) core.Value { return num(at(n).UnixMilli()) }
	for _, c := range []struct {
		field string
		state core.State
		op    query.Op
		value []core.Value
		want  []int
	}{
		{"id", core.StateWithDraft, query.OpGreater, []core.Value{num(rows[1])}, []int{2, 3}},
		{"id", core.StatePublished, query.OpIn, []core.Value{num(rows[0]), num(rows[3]), num(-5), num(0.5)}, []int{0}},
		{"id", core.StateWithDraft, query.OpNot, []core.Value{num(rows[0])}, []int{1, 2, 3}},
		{"id", core.StateWithDraft, query.OpNull, nil, nil},
		{"id", core.StateWithDraft, query.OpLess, []core.Value{num(1e300)}, []int{0, 1, 2, 3}},
		{"locale", core.StateWithDraft, query.OpEqual, []core.Value{text("fr")}, []int{2}},
		{"locale", core.StateWithDraft, query.OpLess, []core.Value{text("fr")}, []int{0, 1}},
		{"locale", core.StateWithDraft, query.OpLike, []core.Value{text("e")}, []int{0, 1}},
		{"locale", core.StateWithDraft, query.OpNotNull, nil, []int{0, 1, 2, 3}},
		{"createdAt", core.StateWithDraft, query.OpGreaterEq, []core.Value{moment(12)}, []int{2, 3}},
		{"updatedAt", core.StateWithDraft, query.OpLessEq, []core.Value{moment(101)}, []int{0, 1}},
		{"updatedAt", core.StatePublished, query.OpBetween, []core.Value{moment(10001), moment(10002)}, []int{1, 2}},
		{"updatedAt", core.StatePublished, query.OpEqual, []core.Value{moment(10001)}, []int{1}},
		{"publishedAt", core.StatePublished, query.OpNotBetween, []core.Value{moment(1001), moment(1002)}, []int{0}},
		{"publishedAt", core.StateWithDraft, query.OpNull, nil, []int{3}},
		{"publishedAt", core.StateWithDraft, query.OpNot, []core.Value{moment(1001)}, []int{0, 2, 3}},
		{"publishedAt", core.StateOnlyDraft, query.OpNull, nil, []int{3}},
		{"publishedAt", core.StateOnlyDraft, query.OpNotNull, nil, nil},
	} {
		sel := coll.all(clause(coll, c.field, c.op, c.value...))
		sel.State = c.state
		got := coll.list(t, sel)
		if want := elementsAt(rows, c.want); !slices.Equal(got, want) {
			t.Errorf("%s %q %v in state %d found %v, want %v", c.field, c.op, c.value, c.state, got, want)
		}
	}
	for _, field := range []*core.Field{core.SystemLocale, core.SystemCreatedAt, core.SystemUpdatedAt, core.SystemPublishedAt, core.SystemID} {
		sel := coll.all()
		sel.Sort = []query.SortKey{{Field: field, Desc: true}, {Field: core.SystemID, Desc: true}}
		assertEqual(t, coll.list(t, sel), []int64{rows[2], rows[1], rows[0]})
	}
	sel := coll.all()
	sel.State, sel.Sort = core.StateWithDraft, []query.SortKey{{Field: core.SystemPublishedAt}, {Field: core.SystemID}}
	assertEqual(t, coll.list(t, sel), rows)
}

func combinesConditions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(),
		&core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	var rows []int64
	for n := range 6 {
		rows = append(rows, coll.add(t, publicOf("en", fields{"title": string(rune('a' + n%3)), "views": n, "tags": []string{fmt.Sprint(n % 2)}})).ID)
	}
	title := func(v string) query.Predicate { return equals(coll, "title", text(v)) }
	views := func(op query.Op, n int) query.Predicate { return clause(coll, "views", op, num(n)) }
	tag := func(v string) query.Predicate { return equals(coll, "tags", text(v)) }
	for i, c := range []struct {
		where []query.Predicate
		or    [][]query.Predicate
		want  []int
	}{
		{[]query.Predicate{title("a"), views(query.OpGreater, 0)}, nil, []int{3}},
		{[]query.Predicate{views(query.OpGreater, 0), views(query.OpLess, 5), views(query.OpNot, 2)}, nil, []int{1, 3, 4}},
		{nil, [][]query.Predicate{{title("a")}, {title("b")}}, []int{0, 1, 3, 4}},
		{nil, [][]query.Predicate{{title("a"), tag("1")}, {title("b"), tag("0")}}, []int{3, 4}},
		{[]query.Predicate{tag("0")}, [][]query.Predicate{{title("a")}, {views(query.OpGreaterEq, 4)}}, []int{0, 4}},
		{[]query.Predicate{title("a"), title("b")}, nil, nil},
		{[]query.Predicate{title("a")}, [][]query.Predicate{{title("b")}}, nil},
		{nil, [][]query.Predicate{{title("c")}, {title("c"), tag("0")}, {title("c")}}, []int{2, 5}},
	} {
		sel := coll.all(c.where...)
		sel.Or = c.or
		if got, want := coll.list(t, sel), elementsAt(rows, c.want); !slices.Equal(got, want) {
			t.Errorf("case %d found %v, want %v", i, got, want)
		}
	}
}
