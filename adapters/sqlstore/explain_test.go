package sqlstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// filtered returns a selection whose plan has several nodes.
func filtered(schema core.Schema) query.Selection {
	sel := newest(schema, "en")
	sel.Where = []query.Predicate{{Field: schema.Collection.Field("category"), Values: []core.Value{{Text: "a"}}}}
	sel.Sort = []query.SortKey{{Field: schema.Collection.Field("views")}, {Field: core.SystemID}}
	return sel
}

func TestExplainShowsEveryStatement(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		explained, err := db.Explain(t.Context(), filtered(newArticles(t, db)))
		ok(t, err)
		var titles []string
		for _, e := range explained {
			titles = append(titles, e.Title)
			if !strings.Contains(e.Plan, "IndexScan") || !strings.Contains(e.Statement.Text, "entry_index") || !strings.Contains(e.Engine, "entry_index") {
				t.Errorf("%s: %q, %q, %q", e.Title, e.Plan, e.Statement.Text, e.Engine)
			}
		}
		if got := strings.Join(titles, ", "); got != "First, Page, Total" {
			t.Errorf("explained %s", got)
		}
	})
}

func TestSlowReadsAreReported(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		var plans []string
		sel := filtered(newArticles(t, db))
		db.ReportSlow(time.Nanosecond, func(ctx context.Context, took time.Duration, plan string) {
			if took > 0 && ports.RequestID(ctx) == "r1" {
				plans = append(plans, plan)
			}
		})
		ctx := context.WithValue(t.Context(), ports.RequestIDKey{}, "r1")
		_, _, err := db.Stores().Entries.List(ctx, sel, false)
		ok(t, err)
		_, err = db.Stores().Entries.Count(ctx, sel)
		ok(t, err)
		if len(plans) != 2 || !strings.Contains(plans[0], "Probe") || !strings.Contains(plans[1], "Count") {
			t.Errorf("reported %q", plans)
		}
	})
}
