package sqlstore_test

import (
	"fmt"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/query"
)

// TestTheWidestSelections reads all locales and versions of a Project with the largest number of
// locales, and one locale with the largest number of clauses. SQLite from 3.54 on refuses these
// statements: it does not resolve a common table expression behind 1,000 cursors.
func TestTheWidestSelections(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		for n := len(schema.Project.Locales); n < core.MaxLocales; n++ {
			schema.Project.Locales = append(schema.Project.Locales, fmt.Sprintf("x%02d", n))
		}
		ok(t, db.Stores().Projects.Update(t.Context(), schema.Project))
		field := schema.Collection.Field
		text := func(name string, op query.Op, value string) query.Predicate {
			return query.Predicate{Field: field(name), Op: op, Values: []core.Value{{Text: value}}}
		}
		var words []query.Predicate
		var groups [][]query.Predicate
		for n := range query.MaxConditions {
			words = append(words, text("title", query.OpLike, fmt.Sprintf("word%d", n)))
			groups = append(groups, words[n:n+1])
		}
		most := query.MaxConditionsInLocales / core.MaxLocales
		like, category := text("title", query.OpLike, "word"), text("category", query.OpEqual, "a")
		one := []query.SortKey{{Field: field("views")}, {Field: core.SystemID}}
		three := []query.SortKey{{Field: field("title")}, {Field: field("views")}, {Field: field("category")}, {Field: core.SystemID}}
		schema.Collection.Fields[0].SearchReady = true
		for name, wide := range map[string]query.Selection{
			"50 words":              {Locale: "en", Or: groups},
			"one of the words":      {Locale: query.AllLocales, Or: groups[:most]},
			"all of the words":      {Locale: query.AllLocales, Where: words[:most]},
			"a word, sorted":        {Locale: query.AllLocales, Where: []query.Predicate{like}, Sort: one},
			"a category, sorted":    {Locale: query.AllLocales, Where: []query.Predicate{category}, Sort: three},
			"a word and a category": {Locale: query.AllLocales, Where: []query.Predicate{like, category}, Sort: three},
			"a category and a range": {Locale: query.AllLocales, Where: []query.Predicate{category, {Field: field("views"), Op: query.OpGreater, Values: []core.Value{{Num: 1}}}},
				Sort: three},
		} {
			for _, state := range []core.State{core.StatePublished, core.StateWithDraft} {
				wide.Schema, wide.State, wide.Limit = schema, state, 20
				if wide.Sort == nil {
					wide.Sort = []query.SortKey{{Field: core.SystemID}}
				}
				if _, _, err := db.Stores().Entries.List(t.Context(), wide, false); err != nil {
					t.Errorf("%s, state %d: %v", name, state, err)
				}
				if _, err := db.Stores().Entries.Count(t.Context(), wide); err != nil {
					t.Errorf("total of %s, state %d: %v", name, state, err)
				}
			}
		}
	})
}
