package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/core"
)

// Explained is how one statement of a read goes.
type Explained struct {
	Title     string // First, Page, Page by whole texts, or Total
	Plan      string // the tree of nodes
	Statement entryquery.Statement
	Engine    string // the engine's own plan, as it ran
}

// Explain returns how the page of sel is read, and how its total is counted.
func (db *DB) Explain(ctx context.Context, sel core.Selection) ([]Explained, error) {
	var explained []Explained
	if plan := entryquery.Plan(sel, false); plan != nil {
		for title, fetch := range map[string]*entryquery.Fetch{"First": plan.First, "Page": plan.Page(), "Page by whole texts": plan.Whole()} {
			if fetch != nil {
				explained = append(explained, Explained{title, fetch.String(), entryquery.Page(db.dialect, sel.Schema.Collection, fetch), ""})
			}
		}
		slices.SortFunc(explained, func(a, b Explained) int { return strings.Compare(a.Title, b.Title) })
	}
	if plan := entryquery.Total(sel); plan != nil {
		explained = append(explained, Explained{"Total", plan.String(), entryquery.Counted(db.dialect, sel.Schema.Collection, plan), ""})
	}
	for i := range explained {
		e := &explained[i]
		rows, err := db.pools.Hot.Query(ctx, db.dialect.Explain(e.Statement.Text), e.Statement.Args...)
		if err != nil {
			return nil, db.fault(err, "plan")
		}
		if e.Engine, err = readPlan(rows, db.dialect.PlanColumn()); err != nil {
			return nil, db.fault(err, "plan")
		}
	}
	return explained, nil
}

// readPlan joins the lines of an engine's plan, whose text is the last of the columns.
func readPlan(rows Rows, column int) (string, error) {
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
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

// slowReads reports reads that take long.
type slowReads struct {
	after  time.Duration // 0: none is reported
	report func(took time.Duration, plan string)
}

// ReportSlow has report called for every page and total that takes longer than after. It is
// to be called before the first read.
func (db *DB) ReportSlow(after time.Duration, report func(took time.Duration, plan string)) {
	db.slow = slowReads{after, report}
}

// watch begins to measure a read, and returns what ends it.
func (s slowReads) watch(plan fmt.Stringer) (end func()) {
	if s.after == 0 {
		return func() {}
	}
	began := time.Now()
	return func() {
		if took := time.Since(began); took > s.after {
			s.report(took, plan.String())
		}
	}
}
