package sqlstore

import (
	"testing"
	"time"

	"imprimatur/core"
)

// plainDialect writes the few things of a page in the plainest way.
type plainDialect struct{ Dialect }

func (plainDialect) ForEach(outer, table, alias, condition string) string {
	return outer + " CROSS JOIN LATERAL (SELECT " + alias + ".* FROM " + table + " " + alias + " WHERE " + condition + " OFFSET 0) " + alias
}

func (plainDialect) OneByOne() string { return " LIMIT 1 OFFSET 0" }

func BenchmarkCompile(b *testing.B) {
	category := &core.Field{ID: 1, Name: "category", Type: core.TypeText, Slot: "t3", SlotReady: true}
	views := &core.Field{ID: 2, Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true}
	collection := &core.Collection{ID: 7, Fields: []*core.Field{category, views}}
	sel := core.Selection{
		Schema: core.Schema{Project: &core.Project{ID: 3, Locales: []string{"en"}, DefaultLocale: "en"}, Collection: collection},
		Locale: "en", Limit: 20, Without: core.RowGroup | core.RowDates,
		Where: []core.Clause{
			{Field: category, Op: core.OpEqual, Values: []core.Value{{Text: "cat07"}}},
			{Field: views, Op: core.OpGreater, Values: []core.Value{{Num: 50000}}},
		},
		Sort: []core.SortKey{{Field: views, Desc: true}},
	}
	h := &hints{}
	h.plenty.keys = map[fieldValue]struct{}{}
	v, _ := oneValue(sel, &sel.Where[0])
	h.plenty.add(v)
	h.plenty.since = time.Now().Add(time.Hour)
	b.Log(newCompiler(plainDialect{}, h, sel).page())
	b.ReportAllocs()
	for b.Loop() {
		newCompiler(plainDialect{}, h, sel).page()
	}
}
