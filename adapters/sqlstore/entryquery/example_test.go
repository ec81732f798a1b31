package entryquery_test

import (
	"fmt"

	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/core"
	"imprimatur/core/query"
)

// A plan is made without a database, and prints itself. The field category has the slot t1.
func ExamplePlan() {
	category := &core.Field{ID: 1, Name: "category", Type: core.TypeText, Slot: "t1", SlotReady: true}
	articles := &core.Collection{ID: 7, ProjectID: 3, Slug: "articles", Fields: []*core.Field{category}}
	fmt.Print(entryquery.Plan(query.Selection{
		Schema: core.Schema{
			Project:    &core.Project{ID: 3, DefaultLocale: "en", Locales: []string{"en"}},
			Collection: articles, Collections: []*core.Collection{articles},
		},
		Locale: "en", Limit: 20, Sort: []query.SortKey{{Field: core.SystemID, Desc: true}},
		Where: []query.Predicate{{Field: category, Op: query.OpEqual, Values: []core.Value{{Text: "news"}}}},
	}, false))
	// Output:
	// Fetch 21 entries at offset 0, one by one
	//   Merge up to 21 rows
	//     IndexScan t1 of published, locale 0 by id desc
	//       range: i.t1 = ?
}
