package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// Generators of random collections, contents and conditions. They refer to entries by their
// number in the history, because ids differ between engines.

// ref is the number of an entry.
type ref int

// picture is the number of a media item: 0 and 1 exist, 2 was deleted, higher ones never
// existed.
type picture int

// content holds the values of a document, with refs for relations and pictures for media.
type content map[string]any

var textValues = rapid.OneOf(
	rapid.SampledFrom(hostileTexts),
	rapid.StringOfN(rapid.SampledFrom([]rune("aAbß%_ \u0301\u0130😀")), 0, 4, -1),
)

// longTexts are longer than values that are compared. As operands they equal no value.
var longTexts = rapid.SampledFrom([]string{
	strings.Repeat("long ", 500), strings.Repeat("long ", 500) + "a", strings.Repeat("é", 1000) + "z", strings.Repeat("a", 4096), strings.Repeat("각", 400),
})

var numberValues = rapid.OneOf(
	rapid.Map(rapid.IntRange(-3, 3), func(n int) float64 { return float64(n) }),
	rapid.SampledFrom([]float64{
		0.1, 0.2, 0.30000000000000004, 0.3, -0.5, 1.5, 1e21, 1e300, -1e300, math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
		1 << 53, 1<<53 - 1, -1 << 53, 1e-7, 123456789.125, math.Pi,
	}),
)

var timeTexts = map[core.FieldType]*rapid.Generator[string]{
	core.TypeDate: rapid.SampledFrom([]string{"0001-01-01", "1582-10-10", "1900-02-28", "1969-12-31", "1970-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "9999-12-31"}),
	core.TypeTime: rapid.SampledFrom([]string{"00:00:00", "00:00:00.001", "09:59:59", "10:00:00", "23:59:59", "23:59:59.999"}),
	core.TypeDateTime: rapid.SampledFrom([]string{
		"0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z", "2024-02-29T12:00:00.000Z", "2024-02-29T12:00:00.001Z",
		"2026-03-29T01:59:59.999Z", "9999-12-31T23:59:59.999Z",
	}),
}

// storedValue draws one value of f in its stored form.
func storedValue(rt *rapid.T, f *core.Field, entries int) any {
	switch {
	case f.Type == core.TypeJSON:
		return rapid.SampledFrom([]any{0, false, "", "x", []int{}, []int{1}, fields{}, fields{"a": []any{nil}}}).Draw(rt, "json")
	case f.Type == core.TypePassword:
		return "$argon2id$"
	case f.Type == core.TypeBoolean:
		return rapid.Bool().Draw(rt, "boolean")
	case f.Type == core.TypeRelation:
		return ref(rapid.IntRange(0, max(entries-1, 0)).Draw(rt, "target"))
	case f.Type == core.TypeMedia:
		return picture(rapid.IntRange(0, 2).Draw(rt, "media"))
	case f.Kind() == fieldtype.Number:
		return numberValues.Draw(rt, "number")
	case f.Kind() == fieldtype.Time:
		return timeTexts[f.Type].Draw(rt, "time")
	case !f.Comparable():
		return rapid.OneOf(textValues, longTexts).Draw(rt, "text")
	default:
		return textValues.Draw(rt, "text")
	}
}

// drawContent draws a document for the fields of a collection, or an item for those of a component.
func drawContent(rt *rapid.T, list []*core.Field, entries int) content {
	c := content{}
	for _, f := range list {
		if f.Structured() {
			if value, present := drawItems(rt, f, entries); present {
				c[f.Name] = value
			}
			continue
		}
		if f.Type == core.TypeRelation && entries == 0 || rapid.IntRange(0, 3).Draw(rt, "absent") == 0 {
			continue
		}
		if !f.Multiple {
			c[f.Name] = storedValue(rt, f, entries)
			continue
		}
		held := make([]any, rapid.IntRange(0, 3).Draw(rt, "values"))
		for i := range held {
			held[i] = storedValue(rt, f, entries)
		}
		c[f.Name] = held
	}
	return c
}

// drawItems draws a value of a field with items.
func drawItems(rt *rapid.T, f *core.Field, entries int) (value any, present bool) {
	most := 3
	if !f.Multiple {
		most = 1
	}
	items := []any{}
	for n := range rapid.IntRange(0, most).Draw(rt, "items") {
		slug := rapid.SampledFrom(f.ComponentSlugs()).Draw(rt, "component")
		item := drawContent(rt, f.ComponentNamed(slug).Fields, entries)
		if f.Type == core.TypeBlocks {
			item[core.ItemType] = slug
		}
		if f.Multiple {
			item[core.ItemKey] = fmt.Sprint("k", n)
		}
		items = append(items, item)
	}
	switch {
	case f.Multiple:
		return items, true
	case len(items) == 0:
		return nil, false
	default:
		return items[0], true
	}
}

// drawComponents draws the components of a Project. They have no items inside of items, which have no
// leaves.
func drawComponents(rt *rapid.T, slugs []string) map[string][]*core.Field {
	types := rapid.SampledFrom(slices.DeleteFunc(plainTypes(), func(t core.FieldType) bool { return t == core.TypePassword }))
	all := map[string][]*core.Field{}
	for n := range rapid.SampledFrom([]int{0, 1, 2, 2}).Draw(rt, "components") {
		var list []*core.Field
		for range rapid.IntRange(1, 4).Draw(rt, "fields of a component") {
			f := newField(rt, fmt.Sprint("f", len(list)), types, slugs, list)
			f.Slot, f.Unique, f.Hidden = "", false, false
			f.Filterable = f.Comparable() && rapid.IntRange(0, 3).Draw(rt, "filterable") > 0
			list = append(list, f)
		}
		all[fmt.Sprint("part", n)] = list
	}
	return all
}

// drawStructured draws the fields of a collection that have items.
func drawStructured(rt *rapid.T, components []string) (list []*core.Field) {
	if len(components) == 0 {
		return nil
	}
	if rapid.Bool().Draw(rt, "blocks") {
		list = append(list, &core.Field{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: components})
	}
	if rapid.Bool().Draw(rt, "group") {
		list = append(list, &core.Field{Name: "about", Type: core.TypeGroup, Component: components[0], Multiple: rapid.IntRange(0, 2).Draw(rt, "multiple") == 0})
	}
	return list
}

// addLeaves gives the leaves of a new collection, which has no entries, their ids and slots.
func addLeaves(c *core.Collection) {
	for _, f := range c.Filterable() {
		f.ID, f.SlotReady, f.SearchReady = c.NextFieldID, true, f.Searchable
		if c.NextFieldID++; slottable(f) {
			f.Slot = freeSlot(f, indexed(c))
		}
		c.Leaves = append(c.Leaves, f)
	}
}

// indexed returns the fields of c that can have slots.
func indexed(c *core.Collection) []*core.Field { return slices.Concat(c.Fields, c.Leaves) }

// plainTypes returns the types whose values are no items of components.
func plainTypes() []core.FieldType {
	return fieldtype.Names(func(t *fieldtype.Type) bool { return !t.Items })
}

// drawFields draws the fields of a new collection.
func drawFields(rt *rapid.T, slugs []string) []*core.Field {
	types := rapid.SampledFrom(plainTypes())
	if rapid.IntRange(0, 2).Draw(rt, "narrow") == 0 { // exhausts the slots of a kind
		types = rapid.SampledFrom([]core.FieldType{core.TypeText, core.TypeNumber, core.TypeDate})
	}
	var list []*core.Field
	for range rapid.IntRange(1, 14).Draw(rt, "fields") {
		f := newField(rt, fmt.Sprint("f", len(list)), types, slugs, list)
		f.SlotReady = f.Slot != "" && rapid.IntRange(0, 3).Draw(rt, "waiting") > 0
		f.SearchReady = f.Searchable && rapid.Bool().Draw(rt, "search ready")
		list = append(list, f)
	}
	return list
}

// newField draws a field next to others. It usually assigns a free slot, as the use case
// does; sometimes it assigns none. No slot is ready.
func newField(rt *rapid.T, name string, types *rapid.Generator[core.FieldType], slugs []string, others []*core.Field) *core.Field {
	f := &core.Field{
		Name: name, Type: types.Draw(rt, "type"),
		Multiple: rapid.IntRange(0, 3).Draw(rt, "multiple") == 0, Hidden: rapid.IntRange(0, 9).Draw(rt, "hidden") == 0,
	}
	if f.Type == core.TypePassword {
		f.Multiple = false
	}
	if f.Type == core.TypeRelation {
		if f.Collections = rapid.SliceOfNDistinct(rapid.SampledFrom(slugs), 0, len(slugs), rapid.ID).Draw(rt, "of several"); len(f.Collections) == 0 {
			f.Collections, f.Collection = nil, rapid.SampledFrom(slugs).Draw(rt, "of")
		}
	}
	if slottable(f) && rapid.IntRange(0, 3).Draw(rt, "slotless") > 0 {
		f.Slot = freeSlot(f, others)
	}
	f.Unique = slottable(f) && f.Type != core.TypeBoolean && rapid.IntRange(0, 9).Draw(rt, "unique") == 0
	f.Searchable = f.Kind() == fieldtype.Text && rapid.Bool().Draw(rt, "searchable")
	return f
}

// slottable reports whether f can have a slot.
func slottable(f *core.Field) bool {
	return f.Comparable() && !f.Multiple && f.Kind() != fieldtype.Reference
}

// slots lists the slots of each kind of value.
var slots = map[fieldtype.Kind][]string{
	fieldtype.Text:   {"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"},
	fieldtype.Number: {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"},
	fieldtype.Time:   {"d1", "d2", "d3", "d4"},
}

// freeSlot returns a slot for f that no other field has, or "".
func freeSlot(f *core.Field, others []*core.Field) string {
	for _, slot := range slots[f.Kind()] {
		if !slices.ContainsFunc(others, func(o *core.Field) bool { return o.Slot == slot }) {
			return slot
		}
	}
	return ""
}

// operand is a value of a condition. With named or pictured set, the value is the id of an entry or
// a picture.
type operand struct {
	value    core.Value
	named    bool
	entry    ref
	pictured bool
	picture  picture
}

// condition is a query.Predicate without ids.
type condition struct {
	relation, field string
	second          string // relation of the targets of relation; "": none
	op              query.Op
	operands        []operand
}

// operators returns the operators that f supports.
func operators(f *core.Field) []query.Op {
	var ops []query.Op
	for _, o := range query.Operators {
		if o.Applies(f) {
			ops = append(ops, o.Op)
		}
	}
	if f.Kind() == fieldtype.Text {
		ops = append(ops, query.OpLike, query.OpLike)
	}
	return ops
}

// written holds all written values by collection and field, so that conditions match more
// often than by chance.
type written map[[2]string][]any

func (w written) add(slug string, c content) { w.addBelow(slug, "", c) }

// addBelow is add for the fields of an item, with the names of their leaves.
func (w written) addBelow(slug, prefix string, c content) {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		list, ok := c[name].([]any)
		if !ok {
			list = []any{c[name]}
		}
		for _, value := range list {
			key := [2]string{slug, prefix + name}
			item, ok := value.(content)
			if !ok {
				w[key] = append(w[key], value)
				continue
			}
			below := key[1] + "."
			if kind, ok := item[core.ItemType].(string); ok {
				w[[2]string{slug, below + core.ItemType}] = append(w[[2]string{slug, below + core.ItemType}], kind)
				below += kind + "."
			}
			w.addBelow(slug, below, item)
		}
	}
}

// draw draws one of the values that were written to f, if any.
func (w written) draw(rt *rapid.T, slug string, f *core.Field) (core.Value, bool) {
	held := w[[2]string{slug, f.Name}]
	if len(held) == 0 || rapid.IntRange(0, 3).Draw(rt, "fresh") == 0 {
		return core.Value{}, false
	}
	raw, err := json.Marshal(rapid.SampledFrom(held).Draw(rt, "held"))
	if err != nil {
		rt.Fatalf("value is not JSON: %v", err)
	}
	return core.DecodeValue(f.Type, raw)
}

// part draws a substring of text, sometimes in another case.
func part(rt *rapid.T, text string) string {
	runes := []rune(text)
	from := rapid.IntRange(0, len(runes)).Draw(rt, "from")
	some := string(runes[from:min(from+rapid.IntRange(0, 5).Draw(rt, "length"), len(runes))])
	return rapid.SampledFrom([]func(string) string{strings.ToUpper, strings.ToLower, strings.Clone}).Draw(rt, "case")(some)
}

// drawCondition draws a condition on c, sometimes on the target of a relation.
func drawCondition(rt *rapid.T, c *core.Collection, bySlug func(string) *core.Collection, held written, entries int) condition {
	drawn := condition{field: drawField(rt, c, func(*core.Field) bool { return true })}
	f := c.Queryable(drawn.field)
	if f.Type == core.TypeRelation && rapid.Bool().Draw(rt, "away") {
		drawn.relation = f.Name
		slugs := f.TargetSlugs()
		c = bySlug(slugs[0])
		if second := drawSecond(rt, f, c); second != nil {
			drawn.second, slugs = second.Name, second.TargetSlugs()
			c = bySlug(slugs[0])
		}
		drawn.field = drawField(rt, c, func(f *core.Field) bool {
			return !slices.ContainsFunc(slugs, func(slug string) bool {
				other := bySlug(slug).Queryable(f.Name)
				return other == nil || other.Type != f.Type
			})
		})
		f = c.Queryable(drawn.field)
	}
	drawn.op = rapid.SampledFrom(operators(f)).Draw(rt, "operator")
	number := 1
	switch drawn.op {
	case query.OpNull, query.OpNotNull:
		number = 0
	case query.OpBetween, query.OpNotBetween:
		number = 2
	case query.OpIn, query.OpNotIn:
		number = rapid.IntRange(1, 4).Draw(rt, "listed")
	}
	for range number {
		o := drawOperand(rt, f, entries)
		if f.Kind() != fieldtype.Reference && !f.System() {
			if v, ok := held.draw(rt, c.Slug, f); ok {
				o.value = v
			}
		}
		if op, _ := drawn.op.Operator(); op.Caseless {
			o.value.Text = words.Caseless(part(rt, o.value.Text))
		}
		drawn.operands = append(drawn.operands, o)
	}
	return drawn
}

// drawSecond draws a relation of c, the only target of relation, that leads to one collection; nil: none.
func drawSecond(rt *rapid.T, relation *core.Field, c *core.Collection) *core.Field {
	var all []*core.Field
	for _, f := range indexed(c) {
		if f.Type == core.TypeRelation && !f.Secret() && !f.ToSeveral() {
			all = append(all, f)
		}
	}
	if relation.ToSeveral() || len(all) == 0 || rapid.IntRange(0, 2).Draw(rt, "near") == 0 {
		return nil
	}
	return rapid.SampledFrom(all).Draw(rt, "second")
}

func drawOperand(rt *rapid.T, f *core.Field, entries int) operand {
	switch {
	case f == core.SystemID || f.Type == core.TypeRelation:
		if entries == 0 || rapid.IntRange(0, 9).Draw(rt, "unknown") == 0 {
			return operand{value: core.Value{Num: unknown}}
		}
		return operand{named: true, entry: ref(rapid.IntRange(0, entries-1).Draw(rt, "entry"))}
	case f == core.SystemLocale:
		return operand{value: core.Value{Text: rapid.SampledFrom([]string{"en", "fr", "fr-CA", "f", "xx"}).Draw(rt, "locale")}}
	case f.System():
		return operand{value: core.Value{Num: float64(at(drawMoment(rt)).UnixMilli())}}
	case f.Type == core.TypeMedia:
		return operand{pictured: true, picture: picture(rapid.IntRange(0, 3).Draw(rt, "media"))}
	case f.Type == core.TypeBoolean:
		return operand{value: core.Value{Num: float64(rapid.IntRange(0, 1).Draw(rt, "boolean"))}}
	case f.Kind() == fieldtype.Number:
		return operand{value: core.Value{Num: numberValues.Draw(rt, "number")}}
	case f.Kind() == fieldtype.Time:
		value, _ := fieldtype.Of(f.Type).Operand(timeTexts[f.Type].Draw(rt, "time"))
		return operand{value: value}
	default:
		return operand{value: core.Value{Text: rapid.OneOf(textValues, textValues, longTexts).Draw(rt, "text")}}
	}
}

// drawMoment draws an argument for at.
func drawMoment(rt *rapid.T) int { return rapid.IntRange(1, 20).Draw(rt, "moment") }

// drawField draws the name of a field of c that queries may use.
func drawField(rt *rapid.T, c *core.Collection, fits func(*core.Field) bool) string {
	var names []string
	list := indexed(c)
	if len(c.Leaves) > 0 && rapid.Bool().Draw(rt, "leaf") {
		list = c.Leaves
	}
	for _, f := range list {
		if !f.Secret() && !f.Structured() && fits(f) {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 || rapid.IntRange(0, 5).Draw(rt, "system") == 0 {
		names = []string{"id", "locale", "createdAt", "updatedAt", "publishedAt"}
	}
	return rapid.SampledFrom(names).Draw(rt, "field")
}
