package entryquery

import (
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/query"
)

// probedRows is the number of rows that Probe reads: enough to fill a page of 20 if one row in
// 20 matches. If fewer rows match, Probe is wasted work: with 1,000 rows such a read was 1.4
// times as expensive as with 500, and a read that Probe fills was no cheaper
// (test/bench/read, Q2).
const probedRows = 500

// The largest samples. For larger sets, a scan in the order is faster, which checks texts,
// targets of a relation or signatures row by row.
const (
	maxTextSample     = 4000
	maxRelationSample = 2500
	maxValueSample    = 200
	maxEditedSample   = 2000
)

// clauseToSample returns the clause to sample and the largest sample of the ids that meet it. The
// clause is nil if only the index that orders helps.
func (p *planner) clauseToSample() (sampled *query.Predicate, most int64) {
	sortField := p.sel.Sort[0].Field
	var driving, byRange *query.Predicate
	if sortField == core.SystemID {
		driving = p.drivingClause()
	}
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		slotted := entryindex.Slotted(c.Field)
		switch {
		case c.Field.System() || c == driving:
		case c.Relation == nil && c.Op == query.OpLike && usesTrigramIndex(c.Field, &c.Values[0]):
			return c, maxTextSample
		case sampled != nil:
		case equality(c) && c.Relation != nil:
			if allSlotted(c) {
				sampled, most = c, maxRelationSample
			}
		case equality(c) && (c.Field.Listed() || slotted && c.Field != sortField):
			sampled, most = c, maxValueSample
		case slotted && c.Field != sortField && inRanges(c):
			byRange = c
		}
	}
	if sampled == nil {
		return byRange, maxValueSample
	}
	return sampled, most
}

// sampleSet returns the ids of the entries in the locales of the branches that meet c.
func (p *planner) sampleSet(c *query.Predicate) Set {
	r := p.branches[0].row
	r.locales = nil
	for _, b := range p.branches {
		if !slices.Contains(r.locales, b.rows.Locale) {
			r.locales = append(r.locales, b.rows.Locale)
		}
	}
	r.served, _ = p.servedLocale()
	if set := p.clauseSet(r, c); set != nil {
		return set
	}
	set := SlotSet{Index: c.Field.Slot, Field: c.Field, Where: p.clause(r, c)}
	for _, b := range p.branches {
		set.Locales = append(set.Locales, b.rows)
	}
	return set
}

// clauseSet returns the ids of the entries in r's locales that meet c, from the tables of
// values and of texts. It returns nil if these tables do not have the values of c.
func (p *planner) clauseSet(r row, c *query.Predicate) Set {
	switch {
	case c.Relation != nil:
		return p.targetSet(r, c)
	case c.Op == query.OpLike:
		return p.textSet(r, c.Field, &c.Values[0])
	case c.Field.Listed():
		return p.valueSet(r, c)
	default:
		return nil
	}
}

// valueSet returns the entries in r's locales that have one of the values of c.
func (p *planner) valueSet(r row, c *query.Predicate) ValueSet {
	r.alias = "v"
	return ValueSet{c.Field, and(fieldRows("v", r, c.Field), r.inLocales("v"), p.passesListed(r, c.Field, test{query.OpIn, c.Values}))}
}

// allSlotted reports whether the relation of c leads to collections, and the fields of c have slots in
// all of them.
func allSlotted(c *query.Predicate) bool {
	return c.Target != nil && entryindex.Slotted(c.Field) && !slices.ContainsFunc(c.Others, func(h query.Hop) bool { return !entryindex.Slotted(h.Field) })
}

// targetSet returns the entries in r's locales whose relation points to a target that meets
// c. The target must serve the requested locale, if the selection has one.
func (p *planner) targetSet(r row, c *query.Predicate) Set {
	equality := test{query.OpIn, c.Values}
	if c.Second != nil {
		target, second := p.target("r", r.served, c.Target), p.target("r", r.served, c.SecondTarget)
		found := p.targetSetOf(target, c.Second, second, p.anyValue(second, c.Field, equality))
		return p.targetSetOf(r, c.Relation, target, In{Of: target.id(), Set: found})
	}
	var union Union
	for _, hop := range c.Hops() {
		target := p.target("r", r.served, hop.Target)
		union = append(union, p.targetSetOf(r, c.Relation, target, p.anyValue(target, hop.Field, equality)))
	}
	if len(union) == 1 {
		return union[0]
	}
	return union
}

// targetSetOf returns the entries in r's locales whose relation points to a target that passes.
func (p *planner) targetSetOf(r row, relation *core.Field, target row, passes Cond) TargetSet {
	var shelves []Cond
	for _, view := range entryindex.Views(target.state) {
		for n := range p.sel.Schema.Project.Locales {
			shelves = append(shelves, equals("r", "scope", ScopeOf{target.collection, entryindex.Scope(0, view.Shelf, n)}))
		}
	}
	return TargetSet{
		Relation: relation,
		Where:    and(inProject("r"), or(shelves...), passes, target.serves()),
		Links:    and(fieldRows("v", r, relation), r.inLocales("v"), equals("v", "ref", column("g", "group_id"))),
	}
}

// fromSample plans the page from a complete sample of c. If the sample is the whole selection
// and the page is ordered by id, it looks up only as many ids as the page needs.
func (p *planner) fromSample(c *query.Predicate) Window {
	ids := SampleSet{}
	if p.sel.Sort[0].Field == core.SystemID && p.sel.After == nil && p.isWholeSelection(c) {
		ids = SampleSet{Limit: p.rowsNeeded(), Desc: p.sel.Sort[0].Desc}
	}
	satisfied := c
	if _, one := p.servedLocale(); !one && (c.Relation != nil || c.Field.Type == core.TypeRelation) {
		satisfied = nil // the sample does not check the locale that the target serves
	}
	if len(entryindex.Views(p.sel.State)) > 1 {
		satisfied = nil // the sample does not check the version
	}
	return p.lookedUp(satisfied, func(b *branch) Cond { return In{Of: b.row.id(), Set: ids, Small: true} })
}

// lookedUp plans the page from rows that are looked up by id and sorted. ids returns the
// condition on the ids of a branch. The rows meet the clause satisfied.
func (p *planner) lookedUp(satisfied *query.Predicate, ids func(b *branch) Cond) Merge {
	merge := Merge{Limit: p.rowsNeeded(), Sorts: true}
	for _, b := range p.branches {
		// The sort keys are computed, too: otherwise SQLite reads all rows in the order to avoid
		// a sort.
		b.row.lookup, b.row.computed = rowTextLookups, true
		scan := IndexScan{Rows: b.rows, Index: "entry_id", Keys: p.keys(b), Range: ids(&b)}
		scan.Selected = scan.Keys
		scan.Filter = and(p.later(scan.Keys, b.rows.Locale), p.conditions(b.row, satisfied))
		merge.Scans = append(merge.Scans, scan)
	}
	return merge
}

// isWholeSelection reports whether the entries that meet c are exactly the selection.
func (p *planner) isWholeSelection(c *query.Predicate) bool {
	_, one := p.servedLocale()
	return one && p.oneClause() && c == &p.sel.Where[0] && len(p.branches) == 1 && p.sel.State != core.StateOnlyDraft
}

// oneClause reports whether the selection has one clause and no other condition.
func (p *planner) oneClause() bool {
	return len(p.sel.Where) == 1 && len(p.sel.Or) == 0 && p.sel.Search == nil && !p.sel.OfEntry()
}
