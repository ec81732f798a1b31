package entryquery

import (
	"slices"
	"strconv"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// maxTallied is the largest number of rows with an indexed value that a tally by another field looks up one by
// one. For more, it reads all rows along the index of the field, whose signatures exclude most others.
const maxTallied = 20_000

// unlimited is more rows than an index has.
const unlimited = 1 << 40

type (
	// Tally counts rows by the values of a field.
	Tally struct {
		By    *core.Field
		Scans []TallyScan
		// Most is the largest number of values.
		Most int64
		// Periods are those of a time, an argument of Lists.Integers.
		Periods *List
	}
	// TallyScan finds the counted rows of one shelf and one locale.
	TallyScan struct {
		Scan IndexScan
		// InPeriods counts the rows of the scan in each period p by one range of its index.
		InPeriods bool
		// Value is a column of the scan, or of the rows v of entry_values that meet Values.
		Value  Expr
		Values Cond // nil: no such rows
		// Alone is the index of entry_values that has Values. The scan excludes none of them, and is not read.
		Alone string
		// Targets selects the entry w to which the group x.value leads; nil: the value is no relation.
		Targets Cond
	}
)

func (Tally) window() {}

// TallyPlan is the plan of the counts by the values of a field.
type TallyPlan struct {
	Of   Window // of nodes Tally and Sample
	Most int64
}

// PlanTally plans the counts of sel by the values of t.By. It returns nil if the selection cannot have rows.
func PlanTally(sel query.Selection, t query.Tally) *TallyPlan {
	if !t.By.Listed() { // a condition of the scans, also of those that prove signatures: the index has no nulls
		sel.Where = append(slices.Clone(sel.Where), query.Predicate{Field: t.By, Op: query.OpNotNull})
	}
	p := &planner{sel: sel}
	if p.branches = p.selected(); len(p.branches) == 0 {
		return nil
	}
	plan := &TallyPlan{Most: int64(t.Most)}
	if t.By.Kind() == fieldtype.Time {
		plan.Most = unlimited
	}
	otherwise := p.tally(t, plan.Most, func(b branch) IndexScan { return p.tallyScan(b, t.By) })
	clause := p.tallySample(t.By)
	if clause == nil {
		plan.Of = otherwise
		return plan
	}
	plan.Of = Sample{Of: p.sampleSet(clause), Most: maxTallied, Else: otherwise, All: p.tally(t, plan.Most, func(b branch) IndexScan {
		b.row.lookup = rowTextLookups
		return p.tallyAmong(b, SampleSet{}, nil)
	})}
	return plan
}

// tallySample returns the clause whose rows are looked up if they are few, or nil: one on another slot than by, if the
// index of by is scanned.
func (p *planner) tallySample(by *core.Field) *query.Predicate {
	if by.Listed() || p.tallySet(p.branches[0]) != nil {
		return nil
	}
	for _, c := range p.equalityClauses() {
		if c.Field != by {
			return c
		}
	}
	for i := range p.sel.Where {
		if c := &p.sel.Where[i]; entryindex.Slotted(c.Field) && inRanges(c) && c.Field != by {
			return c
		}
	}
	return nil
}

// tallySet plans the scan of the rows of b that a table other than entry_index finds. It returns nil if no condition
// of the selection has one.
func (p *planner) tallySet(b branch) *IndexScan {
	switch inSet := p.setClause(); {
	case p.sel.Member != 0:
		b.row.member = true
		return new(p.tallyAmong(b, p.memberSet(), nil))
	case p.sel.Search != nil:
		b.row.searched = true
		return new(p.tallyAmong(b, p.wordsSet(b), nil))
	case inSet != nil && len(p.equalityClauses()) == 0:
		return new(p.tallyAmong(b, p.clauseSet(b.row, inSet), inSet))
	}
	return nil
}

// tallyAmong plans the scan of the rows of b among the ids of a set. All ids meet the clause met; it may be nil.
func (p *planner) tallyAmong(b branch, set Set, met *query.Predicate) IndexScan {
	b.row.computed = true
	_, small := set.(SampleSet)
	return IndexScan{Rows: b.rows, Index: "entry_id", Range: In{Of: b.row.id(), Set: set, Small: small}, Filter: p.conditions(b.row, met)}
}

// tallyScan plans the scan of the rows of b: from a set, else along the index of by, which has the values in order, else
// along that of a condition.
func (p *planner) tallyScan(b branch, by *core.Field) IndexScan {
	if fromSet := p.tallySet(b); fromSet != nil {
		return *fromSet
	}
	if !by.Listed() {
		indexRange, filter := p.split(b, by, byProof)
		return IndexScan{Rows: b.rows, Index: p.columnOf(by), Range: indexRange, Filter: filter}
	}
	if equalities := p.equalityClauses(); len(equalities) > 0 {
		return p.scanBy(b, equalities[0])
	}
	for i := range p.sel.Where {
		if c := &p.sel.Where[i]; entryindex.Slotted(c.Field) && inRanges(c) {
			return p.scanBy(b, c)
		}
	}
	indexRange, filter := p.split(b, core.SystemID, byProof)
	return IndexScan{Rows: b.rows, Index: "entry_id", Range: indexRange, Filter: filter}
}

// tally plans the counts of the rows that scan finds in each branch.
func (p *planner) tally(t query.Tally, most int64, scan func(branch) IndexScan) Tally {
	tally := Tally{By: t.By, Most: most}
	if t.By.Kind() == fieldtype.Time {
		tally.Periods = p.list(t.By, useWhole, func(l *List) {
			for _, begin := range t.Periods {
				l.Values = append(l.Values, begin)
			}
		})
	}
	for _, b := range p.branches {
		one := TallyScan{Scan: scan(b)}
		if t.By.Listed() {
			p.tallyValues(&one, b, t.By)
		} else {
			p.tallyColumn(&one, b, t)
		}
		tally.Scans = append(tally.Scans, one)
	}
	return tally
}

// tallyColumn counts by a column of the scan.
func (p *planner) tallyColumn(one *TallyScan, b branch, t query.Tally) {
	by := t.By
	name := p.columnOf(by)
	along := one.Scan.Index == name
	b.row.computed = !along
	value := b.row.column(name)
	one.Value = value
	if by.Kind() != fieldtype.Time {
		return
	}
	bound := func(name string) Column { return Column{Alias: "p", Name: name, Nullable: true} }
	if one.InPeriods = along; along {
		one.Scan.Range = and(one.Scan.Range, Compare{value, ">=", bound("since")}, Compare{value, "<", bound("until")})
		return
	}
	first, end := &t.Periods[0], &t.Periods[len(t.Periods)-1]
	one.Scan.Filter = and(one.Scan.Filter, Compare{value, ">=", p.arg(first, useWhole, *first)}, Compare{value, "<", p.arg(end, useWhole, *end)})
}

// tallyValues counts by rows of entry_values.
func (p *planner) tallyValues(one *TallyScan, b branch, by *core.Field) {
	column := map[fieldtype.Kind]string{fieldtype.Text: "text", fieldtype.Reference: "ref"}[by.Kind()]
	if column == "" {
		column = "num"
	}
	value := Column{Alias: "v", Name: column, Nullable: true}
	one.Value = value
	if p.sel.Whole() && b.rows.Serving == 0 && p.sel.State == core.StatePublished {
		one.Alone = "entry_values_" + column
		one.Values = and(fieldRows("v", b.row, by), b.row.inLocales("v"), NotNull{value})
	} else {
		one.Values = and(equals("v", "entry_id", b.row.id()), fieldRows("v", b.row, by))
	}
	if by.Type != core.TypeRelation {
		return
	}
	one.Targets = never
	if targets := p.sel.Schema.Targets(by); len(targets) > 0 {
		one.Targets = and(p.visible(p.target("w", b.row.served, targets...)), equals("w", "group_id", Column{Alias: "x", Name: "value"}))
	}
}

// Tallied renders a tally. Each row has a value, the collection of the entry that it is or 0, and the number of rows
// with it, followed by more as in Page.
func Tallied(syntax Syntax, c *core.Collection, plan *TallyPlan, more ...string) Statement {
	return render(syntax, c, func(r *renderer) {
		selects := r.selects(nil, plan.Of, "")
		r.write("SELECT m.value, m.collection, CAST(sum(m.n) AS bigint)")
		r.write(more...)
		r.write(" FROM (")
		r.unionAll(selects)
		r.write(") m GROUP BY m.value, m.collection HAVING sum(m.n) > 0 ORDER BY 3 DESC, 1 LIMIT ", strconv.FormatInt(plan.Most, 10))
	})
}

// tally renders a SELECT of values, their collections and the numbers of their rows. It has no rows unless when is true.
func (r *renderer) tally(t Tally, when string) {
	where, limit := "", strconv.FormatInt(t.Most, 10)
	if t.By.Type == core.TypeRelation {
		limit = strconv.FormatInt(unlimited, 10) // some groups may lead nowhere
	}
	if when != "" {
		where, limit = r.syntax.LimitWhen(when, limit)
	}
	for i, one := range t.Scans {
		if i > 0 {
			r.write(" UNION ALL ")
		}
		r.write("SELECT ")
		counted := "(" + r.part(func() { r.tallied(t, one, where) }) + " LIMIT " + limit + ") x"
		if one.Targets == nil {
			r.write("x.value, 0 AS collection, x.n FROM ", counted)
			continue
		}
		r.write("w.entry_id AS value, w.collection_id AS collection, x.n FROM ", counted, " CROSS JOIN entry_index w", r.byIndex("group"), " WHERE ")
		r.cond(one.Targets)
	}
}

// tallied renders a SELECT of the values of one scan and their numbers.
func (r *renderer) tallied(t Tally, one TallyScan, when string) {
	value := r.exprText(one.Value)
	if one.InPeriods {
		periods := r.periods(t.Periods)
		r.write("SELECT p.since AS value, (SELECT count(*)")
		r.from(one.Scan, "")
		r.write(") AS n FROM ", periods, " p WHERE p.until IS NOT NULL")
		if when != "" {
			r.write(" AND ", when)
		}
		return
	}
	r.write("SELECT ", value, " AS value, count(*) AS n")
	switch {
	case one.Alone != "":
		r.write(" FROM entry_values v", r.syntax.By(one.Alone), " WHERE ")
		if when != "" {
			r.write(when, " AND ")
		}
		r.cond(one.Values)
	case one.Values != nil:
		r.write(" FROM (SELECT i.entry_id")
		r.from(one.Scan, when)
		r.write(") i", r.syntax.ForEach("entry_values", "v", r.condText(one.Values)))
	default:
		r.from(one.Scan, when)
	}
	r.write(" GROUP BY ", value)
}

// periods adds the periods to the statement, and returns the name of the table.
func (r *renderer) periods(list *List) string {
	text, ok := r.lists[list]
	if !ok {
		var arg any
		text, arg = r.syntax.Integers(len(r.args)+1, list.Values)
		r.args = append(r.args, arg)
		if r.lists == nil {
			r.lists = map[*List]string{}
		}
		r.lists[list] = text
	}
	return r.materialized("periods", "SELECT s.value AS since, lead(s.value) OVER (ORDER BY s.value) AS until FROM "+text)
}

func (n *TallyPlan) String() string { return printed(n) }

func (n *TallyPlan) print(p *printer) {
	if n.Most == unlimited {
		p.line("Count by value")
	} else {
		p.line("Count by value, up to %d", n.Most)
	}
	p.below(n.Of)
}

func (n Tally) print(p *printer) {
	p.line("Tally by %s", n.By.Name)
	for _, one := range n.Scans {
		p.indent++
		switch {
		case one.Alone != "":
			p.line("index %s of %s: %s", one.Alone, one.Scan.Rows, describe(one.Values))
		case one.InPeriods:
			one.Scan.print(p)
			p.line("  once for each period")
		default:
			one.Scan.print(p)
		}
		if one.Values != nil && one.Alone == "" {
			p.line("  values: %s", describe(one.Values))
		}
		if one.Targets != nil {
			p.line("  target: %s", describe(one.Targets))
		}
		p.indent--
	}
}
