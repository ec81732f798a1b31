package sqlstore_test

import (
	"regexp"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/query"
)

// TestPagesAfterAPositionSeek checks in the plans of the engines that a page after a position starts
// its index range there, so that it skips no rows.
func TestPagesAfterAPositionSeek(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		articles := insertArticles(t, db, schema, 2000)
		last, views := articles[1000], schema.Collection.Field("views")
		byID := []query.SortKey{{Field: core.SystemID, Desc: true}}
		byViews := append([]query.SortKey{{Field: views, Desc: true}}, byID...)
		byTwo := []query.SortKey{{Field: views, Desc: true}, {Field: core.SystemCreatedAt}, {Field: core.SystemID}}
		common := []query.Predicate{{Field: schema.Collection.Field("category"), Values: []core.Value{{Text: "common"}}}}
		seen, created := &core.Value{Num: float64(last.views)}, &core.Value{Num: float64(someTime.UnixMilli())}
		for name, c := range map[string]struct {
			sort   []query.SortKey
			values []*core.Value
			where  []query.Predicate
			locale string
			seek   string // the range in the plans of SQLite and of Postgres
		}{
			"by id":                  {byID, nil, nil, "en", `PRIMARY KEY \(project_id=\? AND scope=\? AND entry_id<\?\)|Index Cond: .*\(entry_id < `},
			"by id, with a category": {byID, nil, common, "en", `t2=\? AND entry_id<\?\)|Index Cond: .*\(entry_id < `},
			"by a field":             {byViews, []*core.Value{seen}, nil, "en", `\(n1,entry_id\)<\(\?,\?\)|Index Cond: .*ROW\(n1, entry_id\) < `},
			"by a field, in German":  {byViews, []*core.Value{seen}, nil, "de", `\(n1,entry_id\)<\(\?,\?\)|Index Cond: .*ROW\(n1, entry_id\) < `},
			"by two fields":          {byTwo, []*core.Value{seen, created}, nil, "en", `n1<\?\)|Index Cond: .*\(n1 <= `},
		} {
			sel := newest(schema, c.locale)
			sel.Sort, sel.Where, sel.Limit, sel.After = c.sort, c.where, 20, &query.Position{Values: c.values, ID: last.id}
			explained, err := db.Explain(t.Context(), sel)
			ok(t, err)
			for _, e := range explained[:len(explained)-1] { // the last one is the total
				if !regexp.MustCompile(c.seek).MatchString(e.Engine) {
					t.Errorf("%s: no range in\n%s\n%s", name, e.Plan, e.Engine)
				}
			}
		}
	})
}
