package entryquery

import (
	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// Total plans how many rows sel has, whatever its window. It returns nil when there can be none.
func Total(sel core.Selection) Count {
	p := newPlanner(sel)
	if sel.Whole() {
		return p.countAll()
	}
	branches := p.branches()
	if len(branches) == 0 {
		return nil
	}
	return p.countBranches(branches, sel.Where)
}

// countAll reads the counters; nil when the locale is not one of the Project's.
func (p *planner) countAll() Count {
	mask, one := p.served()
	if one && mask == 0 {
		return nil
	}
	return CountAll{State: p.sel.State, Serving: mask}
}

// countBranches counts the rows of all branches that meet the clauses and the selection's
// groups. What excludes values, nearly all rows meet: those that have the values are counted
// and taken away.
func (p *planner) countBranches(branches []branch, where []core.Clause) Count {
	if len(where) == 0 && len(p.sel.Or) == 0 {
		return p.countAll()
	}
	if i := p.excluding(where); i >= 0 {
		rest := append(where[:i:i], where[i+1:]...)
		having := append(rest[:len(rest):len(rest)], positive(where[i]))
		return Difference{p.countBranches(branches, rest), p.countBranches(branches, having)}
	}
	part := *p
	part.sel.Where = where
	sum := make(Sum, len(branches))
	for i, b := range branches {
		sum[i] = part.countBranch(b)
	}
	if len(sum) == 1 {
		return sum[0]
	}
	return sum
}

// mostExcluded is of how many excluding clauses the opposite is counted: each doubles the
// number of counts.
const mostExcluded = 2

// excluding returns the place of a clause that excludes values of a slot, where all others
// are answered by an index, too; or -1.
func (p *planner) excluding(where []core.Clause) int {
	at, several := -1, 0
	for i := range where {
		c := &where[i]
		opposite := positive(*c)
		switch {
		case c.Relation != nil || !entryindex.Slotted(c.Field) || !allShort(c.Values):
			return -1
		case c.Op == core.OpNull && len(where) == 1:
			return i
		case (c.Op == core.OpNot || c.Op == core.OpNotIn) && signable(&opposite):
			at, several = i, several+1
		case !core.Operators[c.Op].Indexable:
			return -1
		}
	}
	if several > mostExcluded || len(p.sel.Or) > 0 {
		return -1
	}
	return at
}

// positive returns the clause that holds where c, an excluding one, does not.
func positive(c core.Clause) core.Clause {
	if c.Op = core.OpIn; c.Values == nil {
		c.Op = core.OpNotNull
	}
	return c
}

// countBranch counts one branch: along the index of a slot where a value of it is looked
// for, else from the tables of values and texts where one of these is asked, else along the
// index of a range.
func (p *planner) countBranch(b branch) Count {
	equals := p.equals()
	found := p.findable()
	switch {
	case len(equals) > 0:
		return p.countAlong(b, equals)
	case found != nil:
		return p.countFound(b, found)
	}
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		indexed := entryindex.Slotted(c.Field) || c.Field.System() && c.Field != core.SystemLocale
		if c.Relation == nil && indexed && (!equality(c) || c.Field.System()) && core.Operators[c.Op].Indexable && allShort(c.Values) {
			return CountScan{p.countedScan(b, c)}
		}
	}
	told, asked := p.split(b, core.SystemID, false)
	return CountScan{IndexScan{Rows: b.rows, Index: "entry_id", Range: told, Filter: asked}}
}

// mostProbed is up to how many rows the ways to a count are compared: a count by the longer
// way may then take twice as long.
const mostProbed = 1 << 16

// mostEquals is of how many clauses the one with the fewest rows is found.
const mostEquals = 3

// countAlong counts along the index of the clause that the fewest rows meet.
func (p *planner) countAlong(b branch, equals []*core.Clause) Count {
	scans := make([]CountScan, len(equals))
	for i, c := range equals {
		scans[i] = CountScan{p.countedScan(b, c)}
	}
	var way Count = scans[len(scans)-1]
	for i := len(scans) - 2; i >= 0; i-- {
		way = Fewest{First: scans[i], Others: scans[i+1:], Most: mostProbed, Else: way}
	}
	return way
}

// countedScan scans the index of c's column.
func (p *planner) countedScan(b branch, c *core.Clause) IndexScan {
	told, asked := p.split(b, c.Field, false)
	return IndexScan{Rows: b.rows, Index: p.columnOf(c.Field), Range: told, Filter: asked}
}

// equals returns the clauses that look for a value in a slot: those on texts before those on
// numbers, of which there may be but two. Where a range and booleans are all else that is
// asked, the index of the range tells everything.
func (p *planner) equals() []*core.Clause {
	var texts, numbers []*core.Clause
	ranges, others := 0, len(p.sel.Or)
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		switch {
		case signable(c) && !allShort(c.Values):
			others++
		case signable(c) && entryindex.StorageOf(c.Field) == entryindex.AsText:
			texts = append(texts, c)
		case signable(c):
			numbers = append(numbers, c)
			if c.Field.Type != core.TypeBoolean {
				others++
			}
		case c.Relation == nil && entryindex.Slotted(c.Field) && core.Operators[c.Op].Indexable:
			ranges++
		default:
			others++
		}
	}
	if len(texts) == 0 && ranges == 1 && others == 0 {
		return nil
	}
	texts = append(texts, numbers...)
	return texts[:min(len(texts), mostEquals)]
}

// findable returns the clause that the table of values answers, else one that the table of
// texts does, if there is one.
func (p *planner) findable() *core.Clause {
	var searched *core.Clause
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		switch {
		case c.Relation == nil && c.Op == core.OpLike && searches(c.Field, &c.Values[0]):
			searched = c
		case !equality(c) || c.Field.System():
		case c.Relation == nil && c.Field.Listed(), c.Relation != nil && c.Target != nil && entryindex.Slotted(c.Field):
			return c
		}
	}
	return searched
}

// countFound counts from the ids that c finds. Where that is all there is to ask, and all
// rows of the locale are read, it is the answer.
func (p *planner) countFound(b branch, c *core.Clause) Count {
	set := p.setOf(b.row, c)
	if len(p.sel.Where) == 1 && len(p.sel.Or) == 0 && b.rows.Serving == 0 && p.sel.State == core.StatePublished {
		field := c.Field
		if c.Relation != nil {
			field = c.Relation
		}
		several := c.Op == core.OpLike || c.Relation != nil || len(c.Values) > 1
		return CountSet{Set: set, Distinct: field.Multiple && several}
	}
	b.row.filter = true
	return CountScan{IndexScan{
		Rows: b.rows, Index: "entry_id", Range: In{Of: b.row.id(), Set: set}, Filter: p.conditions(b.row, c),
	}}
}
