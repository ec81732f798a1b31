package entryquery

import (
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// Total plans the number of rows of sel, without its limit and offset. It returns nil if the
// selection cannot have rows.
func Total(sel query.Selection) Count {
	p := &planner{sel: sel}
	if sel.Whole() {
		return p.countAll()
	}
	p.branches = p.selected()
	if len(p.branches) == 0 {
		return nil
	}
	return p.countWhere(sel.Where)
}

// countAll plans a total from the counters. It returns nil if the Project does not have the
// locale.
func (p *planner) countAll() Count {
	mask, one := p.servedLocale()
	if one && mask == 0 {
		return nil
	}
	return CountAll{State: p.sel.State, Serving: mask}
}

// countWhere counts the rows of all branches that meet the clauses and the selection's
// groups. Nearly all rows meet a clause that excludes values, so it counts the rows with the
// excluded values and subtracts them.
func (p *planner) countWhere(where []query.Predicate) Count {
	if len(where) == 0 && len(p.sel.Or) == 0 && p.sel.Search == nil && !p.sel.OfEntry() {
		return p.countAll()
	}
	if p.sel.EditedBy != 0 {
		if count := p.countEdited(where); count != nil {
			return count
		}
	}
	if i := p.excludingClause(where); i >= 0 && p.sel.Search == nil {
		rest := slices.Concat(where[:i], where[i+1:])
		having := slices.Concat(rest, []query.Predicate{positive(where[i])})
		return Difference{p.countWhere(rest), p.countWhere(having)}
	}
	part := *p
	part.sel.Where = where
	sum := make(Sum, len(p.branches))
	for i, b := range p.branches {
		sum[i] = part.countStatus(b)
	}
	if len(sum) == 1 {
		return sum[0]
	}
	return sum
}

// maxExcluding bounds the excluding clauses that are counted by a difference: each doubles
// the number of counts.
const maxExcluding = 2

// excludingClause returns the index of a clause that excludes values of a slot, if all other
// clauses can use an index. Otherwise it returns -1.
func (p *planner) excludingClause(where []query.Predicate) int {
	at, several := -1, 0
	for i := range where {
		c := &where[i]
		opposite := positive(*c)
		switch {
		case c.Relation != nil || !entryindex.Slotted(c.Field):
			return -1
		case c.Op == query.OpNull && len(where) == 1:
			return i
		case (c.Op == query.OpNot || c.Op == query.OpNotIn) && hasSignature(&opposite):
			at, several = i, several+1
		case !c.Op.Indexable():
			return -1
		}
	}
	if several > maxExcluding || len(p.sel.Or) > 0 {
		return -1
	}
	return at
}

// positive returns the negation of c, an excluding clause.
func positive(c query.Predicate) query.Predicate {
	if c.Op = query.OpIn; c.Values == nil {
		c.Op = query.OpNotNull
	}
	return c
}

// countRows counts the rows of one branch. It uses the first that applies: the index of an
// equality, the tables of values and texts, the index of a range, the primary key.
func (p *planner) countRows(b branch) Count {
	if p.sel.Search != nil {
		return p.countWords(b)
	}
	equalities := p.equalityClauses()
	inSet := p.setClause()
	switch {
	case len(equalities) > 0:
		return p.countByEquality(b, equalities)
	case inSet != nil:
		return p.countFromSet(b, inSet)
	}
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		indexed := entryindex.Slotted(c.Field) || c.Field.System() && c.Field != core.SystemLocale
		if indexed && (!equality(c) || c.Field.System()) && inRanges(c) {
			return CountScan{p.scanBy(b, c)}
		}
	}
	indexRange, filter := p.split(b, core.SystemID, byProof)
	scan := IndexScan{Rows: b.rows, Index: "entry_id", Range: indexRange, Filter: filter}
	if len(p.sel.Where) == 0 && len(p.sel.Or) == 0 {
		scan.Index = "created_at" // its rows are narrow, and all entries have one
	}
	return CountScan{scan}
}

// maxCompared bounds the rows of each scan that Fewest compares. Comparing up to this bound
// may double the cost of a count.
const maxCompared = 1 << 16

// maxEqualities bounds the clauses that Fewest compares.
const maxEqualities = 3

// countByEquality counts along the index of the equality with the fewest rows.
func (p *planner) countByEquality(b branch, equalities []*query.Predicate) Count {
	scans := make([]CountScan, len(equalities))
	for i, c := range equalities {
		scans[i] = CountScan{p.scanBy(b, c)}
	}
	var way Count = scans[len(scans)-1]
	for i := len(scans) - 2; i >= 0; i-- {
		way = Fewest{First: scans[i], Others: scans[i+1:], Most: maxCompared, Else: way}
	}
	return way
}

// scanBy plans a scan of the index of c's column.
func (p *planner) scanBy(b branch, c *query.Predicate) IndexScan {
	indexRange, filter := p.split(b, c.Field, byProof)
	return IndexScan{Rows: b.rows, Index: p.columnOf(c.Field), Range: indexRange, Filter: filter}
}

// equalityClauses returns the equalities on slots, texts before numbers: a field with numbers
// may have only two distinct values. It returns none if all clauses are booleans and one range:
// the index of the range answers them alone.
func (p *planner) equalityClauses() []*query.Predicate {
	var texts, numbers []*query.Predicate
	ranges, others := 0, len(p.sel.Or)
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		switch {
		case hasSignature(c) && c.Field.Kind() == fieldtype.Text:
			texts = append(texts, c)
		case hasSignature(c):
			numbers = append(numbers, c)
			if c.Field.Type != core.TypeBoolean {
				others++
			}
		case c.Relation == nil && entryindex.Slotted(c.Field) && c.Op.Indexable():
			ranges++
		default:
			others++
		}
	}
	if len(texts) == 0 && ranges == 1 && others == 0 {
		return nil
	}
	texts = append(texts, numbers...)
	return texts[:min(len(texts), maxEqualities)]
}

// setClause returns a clause that the table of values answers, otherwise a clause that the
// trigram index answers, otherwise nil.
func (p *planner) setClause() *query.Predicate {
	var searched *query.Predicate
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		switch {
		case c.Relation == nil && c.Op == query.OpLike && usesTrigramIndex(c.Field, &c.Values[0]):
			searched = c
		case !equality(c) || c.Field.System():
		case c.Relation == nil && c.Field.Listed(), c.Relation != nil && allSlotted(c):
			return c
		}
	}
	return searched
}

// countFromSet counts the rows among the ids that c finds. If c is the only condition and the
// branch has all rows of its locale, the count is the number of ids.
func (p *planner) countFromSet(b branch, c *query.Predicate) Count {
	set := p.clauseSet(b.row, c)
	if p.oneClause() && b.rows.Serving == 0 && p.sel.State == core.StatePublished {
		field := c.Field
		if c.Relation != nil {
			field = c.Relation
		}
		several := c.Op == query.OpLike || c.Relation != nil || len(c.Values) > 1
		return CountSet{Set: set, Distinct: field.Multiple && several}
	}
	return p.countAmong(b, set, c)
}

// countAmong counts the rows among the ids of a set. All ids meet the clause met; it may be nil.
func (p *planner) countAmong(b branch, set Set, met *query.Predicate) Count {
	b.row.computed = true
	return CountScan{IndexScan{
		Rows: b.rows, Index: "entry_id", Range: In{Of: b.row.id(), Set: set}, Filter: p.conditions(b.row, met),
	}}
}
