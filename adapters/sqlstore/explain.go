package sqlstore

import (
	"context"
	"strings"

	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/query"
)

// Explained is the plan of one statement of a read.
type Explained struct {
	Title     string // First, Page or Total
	Plan      string // the tree of nodes
	Statement entryquery.Statement
	Engine    string // the plan of the engine; Postgres runs the statement for it
}

// Explain returns the plans of the page and of the total of sel.
func (db *DB) Explain(ctx context.Context, sel query.Selection) ([]Explained, error) {
	var explained []Explained
	if plan := entryquery.Plan(sel, false); plan != nil {
		for i, fetch := range []*entryquery.Fetch{plan.First, plan.Page()} {
			if fetch != nil {
				title := []string{"First", "Page"}[i]
				explained = append(explained, Explained{title, fetch.String(), entryquery.Page(db.Dialect, sel.Schema.Collection, fetch, ", "+releasesPublished), ""})
			}
		}
	}
	if plan := entryquery.Total(sel); plan != nil {
		explained = append(explained, Explained{"Total", plan.String(), entryquery.Counted(db.Dialect, sel.Schema.Collection, plan, ", "+releasesPublished), ""})
	}
	for i := range explained {
		e := &explained[i]
		e.Statement.Text, e.Statement.Args = db.Numbered(e.Statement.Text, e.Statement.Args)
		if err := db.Pools.Hot.Query(ctx, db.Dialect.Explain(e.Statement.Text), e.Statement.Args, func(rows sqldb.Rows) (err error) {
			e.Engine, err = readPlan(rows, db.Dialect.PlanColumn())
			return err
		}); err != nil {
			return nil, db.Fault(err, "plan")
		}
	}
	return explained, nil
}

// readPlan joins the lines of an engine's plan. column is the index of the column with the text.
func readPlan(rows sqldb.Rows, column int) (string, error) {
	var lines []string
	for rows.Next() {
		into := make([]any, column+1)
		var line string
		for i := range column {
			into[i] = new(int64)
		}
		into[column] = &line
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), rows.Err()
}
