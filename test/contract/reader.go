package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/ports"
)

// Reader checks the ports.EntryReader part of a ports.EntryStore.
func Reader(t *testing.T, open Factory) {
	run(t, open, cases{
		"compares every type by every operator":  comparesTypes,
		"compares lists by every operator":       comparesLists,
		"finds substrings in any case":           findsParts,
		"finds the text of rich text":            findsRichText,
		"compares opaque fields with null":       comparesOpaqueNull,
		"compares references by group":           comparesReferences,
		"compares system fields":                 comparesSystem,
		"follows one relation":                   followsRelations,
		"reveals nothing over two relations":     hidesFarTargets,
		"combines conditions":                    combinesConditions,
		"sorts every type, nulls last":           sortsTypes,
		"sorts by several keys":                  sortsKeys,
		"orders long texts with a common prefix": ordersLongTexts,
		"sorts text by code point":               sortsText,
		"falls back between locales":             fallsBack,
		"selects by state":                       selectsStates,
		"returns all members of rows":            returnsRows,
		"pages":                                  pages,
		"returns one published entry":            returnsPublished,
		"returns the members that serve a group": returnsServing,
		"reads the last write":                   readsLastWrite,
		"reads only its own collection":          readsOwnCollection,
	})
}

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
	addTexts(core.TypeLongText, "", strings.Repeat("a", 5000), strings.Repeat("b", 5000), strings.Repeat("c", 5000))
	addTexts(core.TypeRichText, "", "<p>a</p>", "<p>b</p>", "<p>b</p><p>c</p>")
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
	op     core.Op
	values []int
	want   []int
}

var comparisons = []comparison{
	{core.OpEqual, []int{1}, []int{1}},
	{core.OpNot, []int{1}, []int{0, 2, 3}},
	{core.OpIn, []int{2, 0}, []int{0, 2}},
	{core.OpIn, []int{1}, []int{1}},
	{core.OpIn, []int{1, 1}, []int{1}},
	{core.OpNotIn, []int{0, 2}, []int{1, 3}},
	{core.OpLess, []int{0}, nil},
	{core.OpLess, []int{1}, []int{0}},
	{core.OpLess, []int{2}, []int{0, 1}},
	{core.OpLessEq, []int{1}, []int{0, 1}},
	{core.OpGreater, []int{1}, []int{2}},
	{core.OpGreater, []int{2}, nil},
	{core.OpGreaterEq, []int{1}, []int{1, 2}},
	{core.OpBetween, []int{0, 1}, []int{0, 1}},
	{core.OpBetween, []int{1, 1}, []int{1}},
	{core.OpBetween, []int{2, 0}, nil},
	{core.OpNotBetween, []int{0, 1}, []int{2}},
	{core.OpNotBetween, []int{2, 0}, []int{0, 1, 2}},
	{core.OpNull, nil, []int{3}},
	{core.OpNotNull, nil, []int{0, 1, 2}},
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
		}
	}
	for _, slot := range []string{"n1", ""} {
		coll := newTestCollection(t, w, "boolean"+slot, &core.Field{Name: "value", Type: core.TypeBoolean, Slot: slot, SlotReady: slot != ""})
		yes, no := coll.add(t, publicOf("en", fields{"value": true})).ID, coll.add(t, publicOf("en", fields{"value": false})).ID
		null := coll.add(t, publicOf("en", fields{})).ID
		for _, c := range []struct {
			op     core.Op
			values []core.Value
			want   []int64
		}{
			{core.OpEqual, []core.Value{num(1)}, []int64{yes}}, {core.OpEqual, []core.Value{num(0)}, []int64{no}},
			{core.OpNot, []core.Value{num(1)}, []int64{no, null}}, {core.OpIn, []core.Value{num(0), num(1)}, []int64{yes, no}},
			{core.OpNotIn, []core.Value{num(0)}, []int64{yes, null}}, {core.OpNull, nil, []int64{null}}, {core.OpNotNull, nil, []int64{yes, no}},
		} {
			assertEqual(t, coll.list(t, coll.all(clause(coll, "value", c.op, c.values...))), c.want)
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
			{core.OpEqual, []int{1}, []int{0, 2}},
			{core.OpNot, []int{1}, []int{1, 3, 4}},
			{core.OpIn, []int{0, 2}, []int{0, 1, 2}},
			{core.OpNotIn, []int{0, 1}, []int{1, 3, 4}},
			{core.OpLess, []int{1}, []int{0}},
			{core.OpLessEq, []int{1}, []int{0, 2}},
			{core.OpGreater, []int{1}, []int{1, 2}},
			{core.OpGreaterEq, []int{2}, []int{1, 2}},
			{core.OpBetween, []int{0, 1}, []int{0, 2}},
			{core.OpNotBetween, []int{0, 1}, []int{1}},
			{core.OpNull, nil, []int{3, 4}},
			{core.OpNotNull, nil, []int{0, 1, 2}},
		} {
			got := coll.list(t, coll.all(clause(coll, "value", c.op, elementsAt(s.values[:], c.values)...)))
			if want := elementsAt(entries, c.want); !slices.Equal(got, want) {
				t.Errorf("lists of %s %.40q: %q %v found %v, want %v", s.kind, fmt.Sprint(s.stored), c.op, c.values, got, want)
			}
		}
	}
}

func findsParts(t *testing.T, w *fixture) {
	held := []string{
		"100% sure", "100 percent", "snake_case", "snakeXcase", "back\\slash", "Straße", "STRASSE", "STRA\u1e9eE", "\u0130stanbul", "istanbul",
		"\u017fnow", "Σίσυφος", "ΣΊΣΥΦΟΣ", "e\u0301t\u00e9", "\ufb01sh", "FISH", "", strings.Repeat("x", 3000) + "needle", "a'b\"c", "日本語😀テキスト", "* ? [a-z]", "ᏣᎳᎩ", "ꮳꮃꭹ",
	}
	for _, f := range []*core.Field{
		{Name: "value", Type: core.TypeText, Slot: "t1", SlotReady: true},
		{Name: "value", Type: core.TypeText, Slot: "t1", SlotReady: true, Searchable: true},
		{Name: "value", Type: core.TypeLongText, Searchable: true},
		{Name: "value", Type: core.TypeText},
		{Name: "value", Type: core.TypeText, Multiple: true},
		{Name: "value", Type: core.TypeText, Multiple: true, Searchable: true},
	} {
		findsPartsOf(t, w, f, held, "")
		if f.Type == core.TypeLongText {
			findsPartsOf(t, w, f, held, strings.Repeat("~", muchToRead))
		}
	}
}

// muchToRead is the length in bytes of a text such that about twenty of them exceed what
// any engine scans instead of using a search index.
const muchToRead = 800 * 1000

// findsPartsOf stores texts in a field, with a further text filler if not empty, and
// searches them directly and over a relation.
func findsPartsOf(t *testing.T, w *fixture, f *core.Field, held []string, filler string) {
	t.Helper()
	name := fmt.Sprintf("like-%s-%v-%v-%v-%d", f.Type, f.Slot, f.Searchable, f.Multiple, len(filler))
	coll := newTestCollection(t, w, name, f)
	pointers := newTestCollection(t, w, name+"-pointers", &core.Field{Name: "to", Type: core.TypeRelation, Collection: name})
	holding := func(v string) core.Entry {
		if f.Multiple {
			return publicOf("en", fields{"value": []string{"other", v, v + "."}})
		}
		return publicOf("en", fields{"value": v})
	}
	if filler != "" {
		coll.add(t, holding(filler))
	}
	var entries, pointing []int64
	for _, v := range held {
		e := coll.add(t, holding(v))
		entries = append(entries, e.ID)
		pointing = append(pointing, pointers.add(t, publicOf("en", fields{"to": e.Group})).ID)
	}
	coll.add(t, publicOf("en", fields{}))
	for _, c := range []struct {
		part string
		want []int
	}{
		{"%", []int{0}}, {"100%", []int{0}}, {"_", []int{2}}, {"snake_", []int{2}}, {"\\", []int{4}}, {"k\\s", []int{4}},
		{"strasse", []int{5, 6, 7}}, {"aß", []int{5, 6, 7}}, {"TRASSE", []int{5, 6, 7}},
		{"i\u0307st", []int{8}}, {"\u0130ST", []int{8}}, {"ISTANBUL", []int{9}}, {"SNOW", []int{10}}, {"σισ", nil}, {"σίσ", []int{11, 12}}, {"ΦΟΣ", []int{11, 12}},
		{"\u0301", []int{13}}, {"T\u00c9", []int{13}}, {"fish", []int{14, 15}}, {"\ufb01", []int{14, 15}}, {"NEEDLE", []int{17}}, {"'b\"", []int{18}},
		{"本", []int{19}}, {"😀", []int{19}}, {"* ?", []int{20}}, {"[A-Z]", []int{20}}, {"ᎳᎩ", []int{21, 22}}, {"Ꮃꭹ", []int{21, 22}}, {"nothing like it", nil},
	} {
		got := coll.list(t, coll.all(like(coll, "value", c.part)))
		if want := elementsAt(entries, c.want); !slices.Equal(got, want) {
			t.Errorf("%s: %q found %v, want %v", name, c.part, got, want)
		}
		got = pointers.list(t, pointers.all(related(pointers, "to", "value", core.OpLike, text(core.Fold(c.part)))))
		if want := elementsAt(pointing, c.want); !slices.Equal(got, want) {
			t.Errorf("%s over a relation: %q found %v, want %v", name, c.part, got, want)
		}
	}
	if filler == "" {
		assertEqual(t, coll.list(t, coll.all(like(coll, "value", ""))), entries)
	}
}

// findsRichText checks that "like" searches the visible text of rich text.
func findsRichText(t *testing.T, w *fixture) {
	for _, f := range []*core.Field{
		{Name: "body", Type: core.TypeRichText},
		{Name: "body", Type: core.TypeRichText, Searchable: true},
		{Name: "body", Type: core.TypeRichText, Multiple: true},
	} {
		name := fmt.Sprintf("rich-%v-%v", f.Searchable, f.Multiple)
		coll := newTestCollection(t, w, name, f)
		pointers := newTestCollection(t, w, name+"-pointers", &core.Field{Name: "to", Type: core.TypeRelation, Collection: name})
		var entries, pointing []int64
		for _, v := range []string{
			"<p>I don&#39;t know</p>", "<p>im<strong>port</strong>ant &amp; &lt;em&gt;</p>", `<ul class="amp"><li>first</li><li>second</li></ul>`, "don&amp;#39;t",
		} {
			stored := fields{"body": v}
			if f.Multiple {
				stored = fields{"body": []string{"<p>other</p>", v}}
			}
			e := coll.add(t, publicOf("en", stored))
			entries = append(entries, e.ID)
			pointing = append(pointing, pointers.add(t, publicOf("en", fields{"to": e.Group})).ID)
		}
		for _, c := range []struct {
			part string
			want []int
		}{
			{"don't", []int{0}}, {"DON'T KNOW", []int{0}}, {"don&#39;t", []int{3}}, {"#39", []int{3}}, {"important", []int{1}}, {"ant & <em>", []int{1}},
			{"strong", nil}, {"amp", nil}, {"li>", nil}, {"<p>", nil}, {"first", []int{2}}, {"firstsecond", nil}, {"tsec", nil},
		} {
			assertEqual(t, coll.list(t, coll.all(like(coll, "body", c.part))), elementsAt(entries, c.want))
			assertEqual(t, pointers.list(t, pointers.all(related(pointers, "to", "body", core.OpLike, text(core.Fold(c.part))))), elementsAt(pointing, c.want))
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
	assertEqual(t, coll.list(t, coll.all(clause(coll, "value", core.OpNotNull))), some)
	assertEqual(t, coll.list(t, coll.all(clause(coll, "value", core.OpNull))), []int64{null})

	lists := newTestCollection(t, w, "lists", &core.Field{Name: "value", Type: core.TypeJSON, Multiple: true})
	held := lists.add(t, publicOf("en", fields{"value": []any{0, []int{}}})).ID
	nested := lists.add(t, publicOf("en", fields{"value": []any{[]int{}}})).ID
	empty, absent := lists.add(t, publicOf("en", fields{"value": []any{}})).ID, lists.add(t, publicOf("en", fields{})).ID
	assertEqual(t, lists.list(t, lists.all(clause(lists, "value", core.OpNotNull))), []int64{held, nested})
	assertEqual(t, lists.list(t, lists.all(clause(lists, "value", core.OpNull))), []int64{empty, absent})
}

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
		five, six, deleted := newMedia(t, w).ID, newMedia(t, w).ID, newMedia(t, w).ID
		hasA := holder.add(t, publicOf("en", fields{"country": held(a.Group), "cover": held(five)})).ID
		hasB := holder.add(t, publicOf("en", fields{"country": held(b.Group), "cover": held(six)})).ID
		none := holder.add(t, publicOf("en", fields{})).ID
		lost := holder.add(t, publicOf("en", fields{"country": held(stranger.Group), "cover": held(deleted)})).ID
		requireNoError(t, w.Media.Delete(t.Context(), w.project.ID, deleted))
		for _, c := range []struct {
			field string
			op    core.Op
			ids   []int64
			want  []int64
		}{
			{"country", core.OpEqual, []int64{a.ID}, []int64{hasA}},
			{"country", core.OpEqual, []int64{aDraft.ID}, nil},
			{"country", core.OpNot, []int64{aDraft.ID}, []int64{hasA, hasB, none, lost}},
			{"country", core.OpIn, []int64{aDraft.ID, aTrashed.ID, b.ID}, []int64{hasB}},
			{"country", core.OpEqual, []int64{aFrench.ID}, []int64{hasA}},
			{"country", core.OpNot, []int64{aFrench.ID}, []int64{hasB, none, lost}},
			{"country", core.OpIn, []int64{aFrench.ID, b.ID}, []int64{hasA, hasB}},
			{"country", core.OpIn, []int64{aFrench.ID, unknown}, []int64{hasA}},
			{"country", core.OpNotIn, []int64{aFrench.ID, b.ID}, []int64{none, lost}},
			{"country", core.OpEqual, []int64{stranger.ID}, nil},
			{"country", core.OpNot, []int64{stranger.ID}, []int64{hasA, hasB, none, lost}},
			{"country", core.OpNotIn, []int64{unknown, stranger.ID}, []int64{hasA, hasB, none, lost}},
			{"country", core.OpEqual, []int64{unknown}, nil},
			{"country", core.OpNull, nil, []int64{none}},
			{"country", core.OpNotNull, nil, []int64{hasA, hasB, lost}},
			{"cover", core.OpEqual, []int64{five}, []int64{hasA}},
			{"cover", core.OpNot, []int64{five}, []int64{hasB, none, lost}},
			{"cover", core.OpIn, []int64{five, six, unknown}, []int64{hasA, hasB}},
			{"cover", core.OpNotIn, []int64{five}, []int64{hasB, none, lost}},
			{"cover", core.OpNull, nil, []int64{none, lost}},
			{"cover", core.OpNotNull, nil, []int64{hasA, hasB}},
			{"cover", core.OpEqual, []int64{deleted}, nil},
			{"cover", core.OpNot, []int64{deleted}, []int64{hasA, hasB, none, lost}},
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
		// An id stands for its group only in states that include the entry.
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
		op    core.Op
		value []core.Value
		want  []int
	}{
		{"id", core.StateWithDraft, core.OpGreater, []core.Value{num(rows[1])}, []int{2, 3}},
		{"id", core.StatePublished, core.OpIn, []core.Value{num(rows[0]), num(rows[3]), num(-5), num(0.5)}, []int{0}},
		{"id", core.StateWithDraft, core.OpNot, []core.Value{num(rows[0])}, []int{1, 2, 3}},
		{"id", core.StateWithDraft, core.OpNull, nil, nil},
		{"id", core.StateWithDraft, core.OpLess, []core.Value{num(1e300)}, []int{0, 1, 2, 3}},
		{"locale", core.StateWithDraft, core.OpEqual, []core.Value{text("fr")}, []int{2}},
		{"locale", core.StateWithDraft, core.OpLess, []core.Value{text("fr")}, []int{0, 1}},
		{"locale", core.StateWithDraft, core.OpLike, []core.Value{text("e")}, []int{0, 1}},
		{"locale", core.StateWithDraft, core.OpNotNull, nil, []int{0, 1, 2, 3}},
		{"createdAt", core.StateWithDraft, core.OpGreaterEq, []core.Value{moment(12)}, []int{2, 3}},
		{"updatedAt", core.StateWithDraft, core.OpLessEq, []core.Value{moment(101)}, []int{0, 1}},
		{"updatedAt", core.StatePublished, core.OpBetween, []core.Value{moment(10001), moment(10002)}, []int{1, 2}},
		{"updatedAt", core.StatePublished, core.OpEqual, []core.Value{moment(10001)}, []int{1}},
		{"publishedAt", core.StatePublished, core.OpNotBetween, []core.Value{moment(1001), moment(1002)}, []int{0}},
		{"publishedAt", core.StateWithDraft, core.OpNull, nil, []int{3}},
		{"publishedAt", core.StateWithDraft, core.OpNot, []core.Value{moment(1001)}, []int{0, 2, 3}},
		{"publishedAt", core.StateOnlyDraft, core.OpNull, nil, []int{3}},
		{"publishedAt", core.StateOnlyDraft, core.OpNotNull, nil, nil},
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
		sel.Sort = []core.SortKey{{Field: field, Desc: true}, {Field: core.SystemID, Desc: true}}
		assertEqual(t, coll.list(t, sel), []int64{rows[2], rows[1], rows[0]})
	}
	sel := coll.all()
	sel.State, sel.Sort = core.StateWithDraft, []core.SortKey{{Field: core.SystemPublishedAt}, {Field: core.SystemID}}
	assertEqual(t, coll.list(t, sel), rows)
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
		op              core.Op
		values          []core.Value
		want            []int
	}{
		{"one", "title", core.OpEqual, []core.Value{text("Small")}, []int{0}},
		{"one", "title", core.OpNot, []core.Value{text("Small")}, []int{1, 2, 3, 4, 5}},
		{"one", "title", core.OpNull, nil, []int{2, 3, 4, 5}},
		{"one", "title", core.OpNotNull, nil, []int{0, 1}},
		{"one", "title", core.OpIn, []core.Value{text("Small"), text("Secret"), text("Binned")}, []int{0}},
		{"one", "title", core.OpNotIn, []core.Value{text("Small"), text("Large")}, []int{2, 3, 4, 5}},
		{"one", "title", core.OpLike, []core.Value{text("l")}, []int{0, 1}},
		{"one", "title", core.OpEqual, []core.Value{text("Petit")}, nil},
		{"one", "area", core.OpGreater, []core.Value{num(0)}, []int{0, 1}},
		{"one", "area", core.OpNotBetween, []core.Value{num(0), num(5)}, []int{1}},
		{"one", "note", core.OpNotNull, nil, []int{0}},
		{"one", "note", core.OpNot, []core.Value{text("n")}, []int{1, 2, 3, 4, 5}},
		{"one", "tongues", core.OpEqual, []core.Value{text("y")}, []int{0, 1}},
		{"one", "tongues", core.OpNot, []core.Value{text("x")}, []int{1, 2, 3, 4, 5}},
		{"one", "tongues", core.OpNull, nil, []int{2, 3, 4, 5}},
		{"one", "extra", core.OpNotNull, nil, []int{0}},
		{"one", "extra", core.OpNull, nil, []int{1, 2, 3, 4, 5}},
		{"one", "id", core.OpEqual, []core.Value{num(large.ID)}, []int{1}},
		{"one", "id", core.OpEqual, []core.Value{num(secret.ID)}, nil},
		{"one", "locale", core.OpEqual, []core.Value{text("en")}, []int{0, 1, 2}},
		{"one", "publishedAt", core.OpNull, nil, []int{3, 4, 5}},
		{"one", "neighbour", core.OpEqual, []core.Value{num(klein.ID)}, []int{1}},
		{"one", "neighbour", core.OpNull, nil, []int{0, 2, 3, 4, 5}},
		{"many", "title", core.OpEqual, []core.Value{text("Small")}, []int{0, 1}},
		{"many", "title", core.OpNot, []core.Value{text("Large")}, []int{0, 2, 3, 5}},
		{"many", "title", core.OpNotIn, []core.Value{text("Small"), text("Secret")}, []int{2, 3, 4, 5}},
		{"many", "title", core.OpNull, nil, []int{2, 3, 5}},
		{"many", "area", core.OpLess, []core.Value{num(5)}, []int{0, 1}},
		{"many", "area", core.OpBetween, []core.Value{num(9), num(9)}, []int{1, 4}},
		{"many", "area", core.OpNotBetween, []core.Value{num(9), num(9)}, []int{0}},
		{"many", "note", core.OpNull, nil, []int{2, 3, 4, 5}},
		{"many", "tongues", core.OpNot, []core.Value{text("x")}, []int{2, 3, 4, 5}},
		{"many", "tongues", core.OpNotNull, nil, []int{0, 1, 4}},
		{"many", "neighbour", core.OpEqual, []core.Value{num(small.ID)}, []int{1, 4}},
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
		{core.AllLocales, "Petit", []int64{french, japanese}},
		{core.AllLocales, "Small", []int64{rows[0], german}},
		{"fr-CA", "Petit", []int64{french}},
		{"fr", "Petit", []int64{french}},
		{"ja", "Petit", []int64{french, japanese}},
		{"en", "Small", []int64{rows[0]}},
		{"de", "Small", []int64{rows[0], german}},
	} {
		sel := holders.all(related(holders, "one", "title", core.OpEqual, text(c.title)))
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
		sel := holders.all(related(holders, "one", "title", core.OpEqual, text("Secret")))
		sel.State = c.state
		assertEqual(t, holders.list(t, sel), c.want)
	}
	sel := holders.all(related(holders, "one", "title", core.OpEqual, text("Small")))
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
	assertEqual(t, chain.list(t, chain.all(related(chain, "next", "next", core.OpNotNull))), []int64{farPublic.ID})
	assertEqual(t, chain.list(t, chain.all(related(chain, "next", "next", core.OpNull))),
		[]int64{public.ID, toDraft.ID, toPublic.ID, farDraft.ID})
	sel := chain.all(related(chain, "next", "next", core.OpNotNull))
	sel.State = core.StateWithDraft
	assertEqual(t, chain.list(t, sel), []int64{farDraft.ID, farPublic.ID})
}

func combinesConditions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(),
		&core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	var rows []int64
	for n := range 6 {
		rows = append(rows, coll.add(t, publicOf("en", fields{"title": string(rune('a' + n%3)), "views": n, "tags": []string{fmt.Sprint(n % 2)}})).ID)
	}
	title := func(v string) core.Clause { return equals(coll, "title", text(v)) }
	views := func(op core.Op, n int) core.Clause { return clause(coll, "views", op, num(n)) }
	tag := func(v string) core.Clause { return equals(coll, "tags", text(v)) }
	for i, c := range []struct {
		where []core.Clause
		or    [][]core.Clause
		want  []int
	}{
		{[]core.Clause{title("a"), views(core.OpGreater, 0)}, nil, []int{3}},
		{[]core.Clause{views(core.OpGreater, 0), views(core.OpLess, 5), views(core.OpNot, 2)}, nil, []int{1, 3, 4}},
		{nil, [][]core.Clause{{title("a")}, {title("b")}}, []int{0, 1, 3, 4}},
		{nil, [][]core.Clause{{title("a"), tag("1")}, {title("b"), tag("0")}}, []int{3, 4}},
		{[]core.Clause{tag("0")}, [][]core.Clause{{title("a")}, {views(core.OpGreaterEq, 4)}}, []int{0, 4}},
		{[]core.Clause{title("a"), title("b")}, nil, nil},
		{[]core.Clause{title("a")}, [][]core.Clause{{title("b")}}, nil},
		{nil, [][]core.Clause{{title("c")}, {title("c"), tag("0")}, {title("c")}}, []int{2, 5}},
	} {
		sel := coll.all(c.where...)
		sel.Or = c.or
		if got, want := coll.list(t, sel), elementsAt(rows, c.want); !slices.Equal(got, want) {
			t.Errorf("case %d found %v, want %v", i, got, want)
		}
	}
}

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

func fallsBack(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	put := func(group int64, locale, title string) core.Entry {
		return coll.add(t, inGroup(group, publicOf(locale, fields{"title": title})))
	}
	en := put(0, "en", "c")
	fr := put(en.Group, "fr", "a")
	frCA := put(en.Group, "fr-CA", "d")
	en2 := put(0, "en", "b")
	ja2 := put(en2.Group, "ja", "e")
	onlyFr := put(0, "fr", "f")
	onlyDe := put(0, "de", "g")
	pages := func(locale string, where ...core.Clause) []int64 {
		sel := coll.all(where...)
		sel.Locale, sel.Sort = locale, []core.SortKey{{Field: coll.schema.Collection.Field("title")}, {Field: core.SystemID}}
		return coll.list(t, sel)
	}
	assertEqual(t, pages("en"), []int64{en2.ID, en.ID})
	assertEqual(t, pages("fr"), []int64{fr.ID, en2.ID, onlyFr.ID})
	assertEqual(t, pages("fr-CA"), []int64{en2.ID, frCA.ID, onlyFr.ID})
	assertEqual(t, pages("de"), []int64{en2.ID, en.ID, onlyDe.ID})
	assertEqual(t, pages("ja"), []int64{fr.ID, ja2.ID, onlyFr.ID})
	assertEqual(t, pages(core.AllLocales), []int64{fr.ID, en2.ID, en.ID, frCA.ID, ja2.ID, onlyFr.ID, onlyDe.ID})
	// Entries that are not served are not found.
	assertEqual(t, pages("fr-CA", equals(coll, "title", text("a"))), nilIDs)
	assertEqual(t, pages("fr-CA", equals(coll, "title", text("d"))), []int64{frCA.ID})
	assertEqual(t, pages("ja", clause(coll, "locale", core.OpEqual, text("fr"))), []int64{fr.ID, onlyFr.ID})

	// The served locales follow changes of the members.
	coll.change(t, &frCA, func(e *core.Entry) { e.TrashedAt = at(9) })
	assertEqual(t, pages("fr-CA"), []int64{fr.ID, en2.ID, onlyFr.ID})
	coll.change(t, &fr, func(e *core.Entry) { e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{} })
	assertEqual(t, pages("fr-CA"), []int64{en2.ID, en.ID, onlyFr.ID})
	coll.change(t, &frCA, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	assertEqual(t, pages("fr-CA"), []int64{en2.ID, frCA.ID, onlyFr.ID})
	assertEqual(t, pages("fr"), []int64{en2.ID, en.ID, onlyFr.ID})
	coll.change(t, &fr, func(e *core.Entry) { publish(e) })
	assertEqual(t, pages("fr"), []int64{fr.ID, en2.ID, onlyFr.ID})
	requireNoError(t, coll.destroy(t, en.ID))
	assertEqual(t, pages("de"), []int64{en2.ID, onlyDe.ID})
	assertEqual(t, pages("ja"), []int64{fr.ID, ja2.ID, onlyFr.ID})
}

var nilIDs []int64

func selectsStates(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	live := coll.add(t, publicOf("en", fields{"title": "live", "tags": []string{"old"}}))
	coll.change(t, &live, func(e *core.Entry) { e.Draft = doc(fields{"title": "edited", "tags": []string{"new"}}) })
	draft := coll.add(t, draftOf("en", fields{"title": "draft"}))
	frDraft := coll.add(t, inGroup(live.Group, draftOf("fr", fields{"title": "brouillon"})))
	binned := coll.add(t, publicOf("en", fields{"title": "live", "tags": []string{"old", "new"}}))
	coll.change(t, &binned, func(e *core.Entry) { e.TrashedAt = at(9) })
	for _, c := range []struct {
		state  core.State
		locale string
		where  []core.Clause
		want   []int64
	}{
		{core.StatePublished, core.AllLocales, nil, []int64{live.ID}},
		{core.StateOnlyDraft, core.AllLocales, nil, []int64{draft.ID, frDraft.ID}},
		{core.StateWithDraft, core.AllLocales, nil, []int64{live.ID, draft.ID, frDraft.ID}},
		{core.StatePublished, "fr", nil, []int64{live.ID}},
		{core.StateOnlyDraft, "fr", nil, []int64{draft.ID, frDraft.ID}},
		{core.StateOnlyDraft, "en", nil, []int64{draft.ID}},
		{core.StateWithDraft, "fr", nil, []int64{draft.ID, frDraft.ID}},
		{core.StateWithDraft, "en", nil, []int64{live.ID, draft.ID}},
		{core.StatePublished, "en", []core.Clause{equals(coll, "title", text("live"))}, []int64{live.ID}},
		{core.StatePublished, "en", []core.Clause{equals(coll, "title", text("edited"))}, nil},
		{core.StateWithDraft, "en", []core.Clause{equals(coll, "title", text("edited"))}, []int64{live.ID}},
		{core.StateWithDraft, "en", []core.Clause{equals(coll, "title", text("live"))}, nil},
		{core.StatePublished, "en", []core.Clause{equals(coll, "tags", text("old"))}, []int64{live.ID}},
		{core.StatePublished, "en", []core.Clause{equals(coll, "tags", text("new"))}, nil},
		{core.StateWithDraft, "en", []core.Clause{equals(coll, "tags", text("new"))}, []int64{live.ID}},
		{core.StateWithDraft, "en", []core.Clause{equals(coll, "tags", text("old"))}, nil},
		{core.StateOnlyDraft, "en", []core.Clause{equals(coll, "title", text("draft"))}, []int64{draft.ID}},
		{core.StatePublished, "en", []core.Clause{like(coll, "title", "EDIT")}, nil},
		{core.StateWithDraft, "en", []core.Clause{like(coll, "title", "EDIT")}, []int64{live.ID}},
	} {
		sel := coll.all(c.where...)
		sel.State, sel.Locale = c.state, c.locale
		if got := coll.list(t, sel); !slices.Equal(got, c.want) {
			t.Errorf("state %d, locale %s, %v: got %v, want %v", c.state, c.locale, c.where, got, c.want)
		}
	}
}

func returnsRows(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	live := coll.add(t, publicOf("en", fields{"title": "live"}))
	coll.change(t, &live, func(e *core.Entry) { e.Draft, e.UpdatedAt = doc(fields{"title": "edited"}), at(77) })
	fr := coll.add(t, inGroup(live.Group, sealedWith(12, publicOf("fr", fields{"title": "vif"}))))
	draft := coll.add(t, draftOf("ja", fields{"title": "draft"}))
	bit := func(locales ...string) (mask uint64) {
		for _, l := range locales {
			mask |= 1 << w.project.LocaleNumber(l)
		}
		return mask
	}
	row := func(e core.Entry, state core.State, locales ...string) core.Row {
		r := e.Row(state)
		r.Serves = bit(locales...)
		return r
	}
	for _, c := range []struct {
		state core.State
		want  []core.Row
	}{
		{core.StatePublished, []core.Row{row(live, core.StatePublished, "en", "de"), row(fr, core.StatePublished, "fr", "fr-CA", "ja")}},
		{core.StateWithDraft, []core.Row{
			row(live, core.StateWithDraft, "en", "de"), row(fr, core.StateWithDraft, "fr", "fr-CA", "ja"), row(draft, core.StateWithDraft, "ja"),
		}},
		{core.StateOnlyDraft, []core.Row{row(draft, core.StateOnlyDraft, "ja")}},
	} {
		sel := coll.all()
		sel.State = c.state
		assertEqual(t, result(ports.Rows(t.Context(), w.Entries, sel))(t), c.want)
		for without := range (core.RowDates | core.RowGroup | core.RowDocument) + 1 {
			sel.Without = without
			want := slices.Clone(c.want)
			for i := range want {
				if without&core.RowDates != 0 {
					want[i].CreatedAt, want[i].UpdatedAt = time.Time{}, time.Time{}
				}
				if without&core.RowGroup != 0 {
					want[i].Group, want[i].Serves = 0, 0
				}
				if without&core.RowDocument != 0 {
					want[i].Document, want[i].Media = nil, nil
				}
			}
			assertEqual(t, result(ports.Rows(t.Context(), w.Entries, sel))(t), want)
		}
	}
	assertEqual(t, result(w.Entries.Published(t.Context(), w.project.ID, live.CollectionID, live.ID))(t), row(live, core.StatePublished, "en", "de"))
}

func pages(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	var all []int64
	for n := range 7 {
		all = append(all, coll.add(t, publicOf("en", fields{"title": fmt.Sprint(n % 2)})).ID)
	}
	for _, c := range []struct {
		offset, limit int64
		want          []int64
	}{
		{0, 3, all[:4]}, {3, 3, all[3:7]}, {4, 3, all[4:]}, {6, 1, all[6:]}, {7, 5, nil}, {500, 5, nil}, {core.MaxOffset, 500, nil}, {0, 7, all}, {0, 6, all}, {0, 1, all[:2]},
	} {
		for _, locale := range []string{core.AllLocales, "fr-CA", "en"} {
			sel := coll.all()
			sel.Offset, sel.Limit, sel.Locale = c.offset, c.limit, locale
			rows := result(ports.Rows(t.Context(), w.Entries, sel))(t)
			if got := ids(rows, func(r core.Row) int64 { return r.ID }); !slices.Equal(got, c.want) {
				t.Errorf("offset %d, limit %d, locale %s: got %v, want %v", c.offset, c.limit, locale, got, c.want)
			}
			assertEqual(t, result(w.Entries.Count(t.Context(), sel))(t), int64(len(all)))
			requireNoError(t, w.Entries.List(t.Context(), sel, true, func(both []core.Row, total int64) error {
				assertEqual(t, total, int64(len(all)))
				assertEqual(t, both, rows)
				return nil
			}))
		}
	}
}

func returnsPublished(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField())
	live, draft := coll.add(t, publicOf("fr", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "b"}))
	published := func(collectionID, id int64) (core.Row, error) {
		return w.Entries.Published(t.Context(), w.project.ID, collectionID, id)
	}
	here := coll.schema.Collection.ID
	assertEqual(t, string(result(published(here, live.ID))(t).Document), string(live.Published))
	requireError(t, errorOf(published(here, draft.ID)), core.ErrNotFound)
	requireError(t, errorOf(published(here, unknown)), core.ErrNotFound)
	requireError(t, errorOf(published(other.schema.Collection.ID, live.ID)), core.ErrNotFound)
	coll.change(t, &live, func(e *core.Entry) { e.TrashedAt = at(9) })
	requireError(t, errorOf(published(here, live.ID)), core.ErrNotFound)
}

func returnsServing(t *testing.T, w *fixture) {
	countries, people := newTestCollection(t, w, "countries", titleField()), newTestCollection(t, w, "people", titleField())
	en := countries.add(t, publicOf("en", fields{"title": "a"}))
	fr := countries.add(t, inGroup(en.Group, publicOf("fr", fields{"title": "b"})))
	germanDraft := countries.add(t, inGroup(en.Group, draftOf("de", fields{"title": "c"})))
	person := people.add(t, publicOf("en", fields{"title": "p"}))
	binned := people.add(t, publicOf("en", fields{"title": "q"}))
	people.change(t, &binned, func(e *core.Entry) { e.TrashedAt = at(9) })
	bit := func(locale string) uint64 { return 1 << w.project.LocaleNumber(locale) }
	groups := []int64{en.Group, person.Group, binned.Group, unknown}
	for _, c := range []struct {
		state  core.State
		groups []int64
		mask   uint64
		want   []core.Entry
	}{
		{core.StatePublished, groups, bit("en"), []core.Entry{en, person}},
		{core.StatePublished, groups, bit("fr-CA"), []core.Entry{fr, person}},
		{core.StatePublished, groups, bit("de"), []core.Entry{en, person}},
		{core.StateWithDraft, groups, bit("de"), []core.Entry{germanDraft, person}},
		{core.StateOnlyDraft, groups, bit("de"), []core.Entry{germanDraft}},
		{core.StatePublished, groups, bit("en") | bit("ja"), []core.Entry{en, fr, person}},
		{core.StatePublished, []int64{en.Group, en.Group}, bit("en"), []core.Entry{en}},
		{core.StatePublished, nil, bit("en"), nil},
		{core.StatePublished, groups, 0, nil},
	} {
		for _, documents := range []bool{true, false} {
			want := map[int64]core.Document{}
			for _, e := range c.want {
				want[e.ID] = e.Row(c.state).Document
				if !documents {
					want[e.ID] = nil
				}
			}
			got := map[int64]core.Document{}
			rows := result(w.Entries.Serving(t.Context(), w.project.ID, c.state, c.groups, c.mask, documents))(t)
			for _, r := range rows {
				got[r.ID] = r.Document
				if r.Serves&c.mask == 0 {
					t.Errorf("row %d serves %b, want %b", r.ID, r.Serves, c.mask)
				}
			}
			assertEqual(t, got, want)
			assertEqual(t, len(rows), len(c.want))
		}
	}
}

func readsLastWrite(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true}, &core.Field{Name: "body", Type: core.TypeLongText, Searchable: true})
	e := coll.add(t, publicOf("en", fields{"title": "0", "tags": []string{"0"}, "body": "word0"}))
	find := func(v string) []bool {
		var found []bool
		for _, c := range []core.Clause{equals(coll, "title", text(v)), equals(coll, "tags", text(v)), like(coll, "body", "WORD"+v)} {
			found = append(found, len(coll.list(t, coll.all(c))) == 1)
		}
		return found
	}
	for n := range 3 {
		assertEqual(t, find(fmt.Sprint(n)), []bool{true, true, true})
		assertEqual(t, find(fmt.Sprint(n+1)), []bool{false, false, false})
		coll.change(t, &e, func(e *core.Entry) {
			next := fmt.Sprint(n + 1)
			e.Draft = doc(fields{"title": next, "tags": []string{next}, "body": "word" + next})
			publish(e)
		})
		assertEqual(t, find(fmt.Sprint(n)), []bool{false, false, false})
	}
	coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{}); publish(e) })
	assertEqual(t, find("3"), []bool{false, false, false})
	assertEqual(t, coll.list(t, coll.all(clause(coll, "title", core.OpNull), clause(coll, "tags", core.OpNull), clause(coll, "body", core.OpNull))), []int64{e.ID})
}

func readsOwnCollection(t *testing.T, w *fixture) {
	other := w.otherProject(t)
	here, next, there := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField()), newTestCollection(t, other, "articles", titleField())
	mine := here.add(t, publicOf("en", fields{"title": "a"})).ID
	next.add(t, publicOf("en", fields{"title": "a"}))
	there.add(t, publicOf("en", fields{"title": "a"}))
	for _, locale := range []string{core.AllLocales, "en", "fr-CA"} {
		for _, where := range [][]core.Clause{nil, {equals(here, "title", text("a"))}, {clause(here, "title", core.OpNot, text("b"))}, {like(here, "title", "A")}} {
			sel := here.all(where...)
			sel.Locale = locale
			assertEqual(t, here.list(t, sel), []int64{mine})
		}
	}
}
