package entryquery

import (
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// probedRows is how many rows are read in the order before a sample is taken. They fill a page
// of 20 where one row in 20 passes. Where few rows pass, they are read in vain: 1,000 instead
// of 500 made such a read 1.4 times as expensive, and one that they do fill no cheaper
// (test/bench/read, Q2).
const probedRows = 500

// The most rows that a sample takes, where the alternative is to read text after text, to
// look target after target up, or to go by signatures.
const (
	fewFound    = 4000
	fewPointing = 2500
	fewEqual    = 200
)

// sampledClause is the clause that a sample is taken of.
type sampledClause struct {
	clause *core.Clause
	most   int64
}

// sampled returns the clause to sample, or nil when no index but the one that orders can help.
func (p *planner) sampled() *sampledClause {
	head := p.sel.Sort[0].Field
	driver := (*core.Clause)(nil)
	if head == core.SystemID {
		driver = p.driver()
	}
	var best, stretch *sampledClause
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		slotted := entryindex.Slotted(c.Field)
		switch {
		case c.Field.System() || c == driver:
		case c.Relation == nil && c.Op == core.OpLike && searches(c.Field, &c.Values[0]):
			return &sampledClause{c, fewFound}
		case best != nil:
		case equality(c) && c.Relation != nil:
			if c.Target != nil && slotted {
				best = &sampledClause{c, fewPointing}
			}
		case equality(c) && (c.Field.Listed() || slotted && c.Field != head && allShort(c.Values)):
			best = &sampledClause{c, fewEqual}
		case c.Relation == nil && slotted && c.Field != head && core.Operators[c.Op].Indexable && allShort(c.Values):
			stretch = &sampledClause{c, fewEqual}
		}
	}
	if best == nil {
		return stretch
	}
	return best
}

// set returns the ids of the entries, in the locales of branches, that meet c.
func (p *planner) set(c *core.Clause, branches []branch) Set {
	r := branches[0].row
	r.locales = nil
	for _, b := range branches {
		if !slices.Contains(r.locales, b.rows.Locale) {
			r.locales = append(r.locales, b.rows.Locale)
		}
	}
	r.served, _ = p.served()
	if set := p.setOf(r, c); set != nil {
		return set
	}
	set := SlotSet{Index: c.Field.Slot, Field: c.Field, Where: p.clause(r, c)}
	for _, b := range branches {
		set.Locales = append(set.Locales, b.rows)
	}
	return set
}

// setOf returns the ids of the entries in r's locales that meet c, from the tables of values
// and of texts; nil where these do not have them.
func (p *planner) setOf(r row, c *core.Clause) Set {
	switch {
	case c.Relation != nil:
		return p.pointing(r, c)
	case c.Op == core.OpLike:
		return p.texts(r, c.Field, &c.Values[0])
	case c.Field.Listed():
		return p.holding(r, c)
	default:
		return nil
	}
}

// holding has the entries in r's locales that hold one of the values that c looks for.
func (p *planner) holding(r row, c *core.Clause) ValueSet {
	r.alias = "v"
	return ValueSet{c.Field, and(p.values("v", r, c.Field), r.here("v"), p.passesListed(r, c.Field, test{core.OpIn, c.Values}))}
}

// pointing has the entries in r's locales whose relation points to one that c looks for, in
// the locale that r is served in or, where that may be any, in any.
func (p *planner) pointing(r row, c *core.Clause) TargetSet {
	target := row{
		alias: "r", collection: p.arg(c.Target, useWhole, c.Target.ID), state: p.sel.State.Related(), served: r.served, target: true, each: true,
	}
	var shelves []Cond
	for _, view := range entryindex.Views(target.state) {
		for n := range p.sel.Schema.Project.Locales {
			shelves = append(shelves, Compare{Column{Alias: "r", Name: "scope"}, "=", ScopeOf{target.collection, entryindex.Scope(0, view.Shelf, n)}})
		}
	}
	served := r.served
	if served == 0 {
		served = anyLocale
	}
	return TargetSet{
		Relation: c.Relation,
		Where: and(Compare{Column{Alias: "r", Name: "project_id"}, "=", projectArg}, or(shelves...),
			p.some(target, c.Field, test{core.OpIn, c.Values}), Overlap{Column{Alias: "r", Name: entryindex.MaskOf(target.state)}, served}),
		Links: and(p.values("v", r, c.Relation), r.here("v"), Compare{Column{Alias: "v", Name: "ref"}, "=", Column{Alias: "g", Name: "group_id"}}),
	}
}

// fromSample plans the whole page from a sample of c. Where the sample is the whole
// selection, and its order that of the ids, no more of them than the page reaches are looked up.
func (p *planner) fromSample(c *core.Clause, branches []branch) Window {
	limit := p.reach()
	merge := Merge{Limit: limit}
	ids := SampleSet{}
	if p.sel.Sort[0].Field == core.SystemID && p.alone(c, branches) {
		ids = SampleSet{Limit: limit, Desc: p.sel.Sort[0].Desc}
	}
	met := c
	if _, one := p.served(); c.Relation != nil && !one {
		met = nil // it still has to be asked in the locale that is served
	}
	if len(entryindex.Views(p.sel.State)) > 1 {
		met = nil // and of the version that is
	}
	for _, b := range branches {
		b.row.each, b.row.walks = true, true
		scan := IndexScan{Rows: b.rows, Index: "entry_id", Keys: p.keys(b, oneLocale(branches))}
		scan.Selected = scan.Keys
		scan.Range = In{Of: b.row.id(), Set: ids, Few: true}
		b.row.filter = true
		scan.Filter = p.conditions(b.row, met)
		merge.Scans = append(merge.Scans, scan)
	}
	return merge
}

// alone reports whether the ids that a sample of c takes are those of the selection.
func (p *planner) alone(c *core.Clause, branches []branch) bool {
	_, one := p.served()
	return one && len(p.sel.Where) == 1 && len(p.sel.Or) == 0 && c == &p.sel.Where[0] && len(branches) == 1 && p.sel.State != core.StateOnlyDraft
}
