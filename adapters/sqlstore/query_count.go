package sqlstore

import (
	"slices"
	"strings"

	"imprimatur/core"
)

// count compiles the total. Without conditions it is kept in counters.
func (q *compiler) count() string {
	if q.sel.Whole() {
		return q.countAll()
	}
	branches := q.branches()
	if len(branches) == 0 {
		return ""
	}
	q.counting = true
	selects := make([]string, len(branches))
	for i, b := range branches {
		selects[i] = q.countBranch(b)
	}
	return "SELECT CAST(sum(n) AS bigint) FROM (" + unionAll(selects) + ") m"
}

func (q *compiler) countAll() string {
	text := "SELECT CAST(coalesce(sum(c.entries), 0) AS bigint) FROM entry_counters c WHERE c.project_id = " + projectArg +
		" AND c.collection_id = " + collectionArg + " AND c.state = " + number(int64(q.sel.State))
	mask, one := q.served()
	switch {
	case !one:
		return text
	case mask == 0:
		return ""
	default:
		return text + " AND " + meets("c.serves", mask)
	}
}

// countBranch counts what the selection leaves of a branch, by tallies as far as they have it.
func (q *compiler) countBranch(b branch) string {
	switch {
	case q.sel.State != core.StatePublished || len(q.sel.Or) > 0:
		return q.countRows(b)
	case len(q.sel.Where) > 1:
		return q.countSeveral(b)
	}
	c := &q.sel.Where[0]
	switch place := slotPlace(c.Field.Slot); {
	case inOrder(c):
		return q.countRange(b, c)
	case c.Relation != nil || place < 0 || !c.Field.SlotReady:
		return q.countRows(b)
	case c.Op == core.OpNotNull:
		return "SELECT " + q.sum(b, place) + " AS n"
	case c.Op == core.OpNull:
		return "SELECT " + q.sum(b, placeID) + " - " + q.sum(b, place) + " AS n"
	case signedPlace(c.Field) < 0 || !allShort(c.Values):
		return q.countRows(b)
	case c.Op == core.OpEqual || c.Op == core.OpIn:
		return "SELECT coalesce((" + q.equalTally(b, c) + "), (" + q.countRows(b) + ")) AS n"
	case c.Op == core.OpNot || c.Op == core.OpNotIn:
		return "SELECT coalesce(" + q.sum(b, placeID) + " - (" + q.equalTally(b, c) + "), (" + q.countRows(b) + ")) AS n"
	default:
		return q.countRows(b)
	}
}

// mostExcluded is of how many conditions that few rows fail those are counted that do.
const mostExcluded = 2

// countSeveral counts what several conditions leave. Where one of them excludes values,
// nearly all rows meet it, and those that have the values are counted and taken away.
func (q *compiler) countSeveral(b branch) string {
	where, excluding, at := q.sel.Where, 0, -1
	for i := range where {
		switch c := &where[i]; {
		case excludes(c):
			excluding, at = excluding+1, i
		case !inOrder(c) && (!signable(c) || !allShort(c.Values)):
			return q.countRows(b)
		}
	}
	if at < 0 || excluding > mostExcluded {
		return q.countRows(b)
	}
	defer func() { q.sel.Where = where }()
	q.sel.Where = slices.Concat(where[:at], where[at+1:])
	all := q.countBranch(b)
	having := where[at]
	having.Op = core.OpIn
	q.sel.Where = append(q.sel.Where, having)
	return "SELECT (" + all + ") - (" + q.countBranch(b) + ") AS n"
}

// excludes reports whether c is met by all rows but those that have some values in a slot.
func excludes(c *core.Clause) bool {
	having := *c
	having.Op = core.OpIn
	return (c.Op == core.OpNot || c.Op == core.OpNotIn) && signable(&having) && allShort(c.Values)
}

// countRows counts row by row: along the index of a slot where a value of it is looked for,
// else from the tables of values and of texts where one of these is asked. Where nothing
// else is, it knows all there is to know.
func (q *compiler) countRows(b branch) string {
	equals, first := q.equals(), q.listedFirst()
	switch {
	case len(equals) > 0:
		return q.countAlongFewest(b, equals)
	case first == nil:
		return q.countFrom("") + and(b.scope, q.everything(b.row))
	}
	field, find := first.Field, q.holding
	switch {
	case first.Op == core.OpLike:
		find = q.finding
	case first.Relation != nil:
		field, find = first.Relation, q.pointing
	}
	holders := find(b.row, first)
	if q.single() && !b.masked && q.sel.State != core.StateOnlyDraft {
		counted := "*"
		if field.Multiple && (first.Op == core.OpLike || first.Relation != nil || len(first.Values) > 1) {
			counted = "DISTINCT h.entry_id" // it may hold several of them
		}
		return "SELECT count(" + counted + ") AS n FROM (" + holders + ") h"
	}
	return "SELECT count(*) AS n FROM entry_index i WHERE " + and(b.scope, "i.entry_id IN ("+holders+")", q.where(b.row, first))
}

// countAlongFewest counts along the index of the slot that has the fewest rows of what is
// looked for, as far as tallies tell.
func (q *compiler) countAlongFewest(b branch, equals []*core.Clause) string {
	if len(equals) == 1 || q.sel.State != core.StatePublished {
		return q.countAlong(b, equals[0])
	}
	return "SELECT CASE WHEN " + q.fewest([]branch{b}, equals, 0) + " THEN (" + q.countAlong(b, equals[0]) +
		") ELSE (" + q.countAlongFewest(b, equals[1:]) + ") END AS n"
}

// fewest says, of no table, that of equals that at i takes the least work, and is the first
// of those that do.
func (q *compiler) fewest(branches []branch, equals []*core.Clause, i int) string {
	work := func(c *core.Clause) string {
		works := make([]string, len(branches))
		for n, b := range branches {
			works[n] = q.work(b, c)
		}
		return strings.Join(works, " + ")
	}
	var fewest []string
	for n, other := range equals {
		switch {
		case n < i:
			fewest = append(fewest, work(equals[i])+" < "+work(other))
		case n > i:
			fewest = append(fewest, work(equals[i])+" <= "+work(other))
		}
	}
	return and(fewest...)
}

// countAlong counts along the index of the slot that equal looks at. Where an index tells
// all there is to know, by what it holds and signatures, rows are counted from that alone.
func (q *compiler) countAlong(b branch, equal *core.Clause) string {
	rows := q.countFrom(equal.Field.Slot) + and(b.scope, q.everything(b.row))
	switch {
	case q.single():
		return rows
	case q.holdsAll(equal.Field):
		rows = q.countTold(b, equal.Field)
	}
	if exact := q.exact([]branch{b}, equal.Field); exact != "" {
		return "SELECT CASE WHEN " + exact + " THEN (" + q.countTold(b, equal.Field) + ") ELSE (" + rows + ") END AS n"
	}
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		if !inOrder(c) || c.Field == core.SystemID {
			continue
		}
		if exact := q.exact([]branch{b}, c.Field); exact != "" {
			return "SELECT CASE WHEN " + and(exact, q.atMost(b, c)+" <= "+q.work(b, equal)) +
				" THEN (" + q.countTold(b, c.Field) + ") ELSE (" + rows + ") END AS n"
		}
	}
	return rows
}

func (q *compiler) countFrom(slot string) string {
	return "SELECT count(*) AS n FROM entry_index i" + q.bySlot(slot) + " WHERE "
}

// countTold counts along the index of a field's values.
func (q *compiler) countTold(b branch, f *core.Field) string {
	column, system := systemColumns[f]
	if !system {
		column = f.Slot
	}
	return q.countFrom(column) + and(b.scope, q.told(b.row, f))
}

// work compiles what it takes to count the rows of b along the index of the slot that equal
// looks at, in rows of an index: as many as there are at most, unless more than the index
// holds is asked for, so that each is fetched.
func (q *compiler) work(b branch, equal *core.Clause) string {
	const fetch = "12 * "
	rows := "(SELECT coalesce(sum(y.entries), 0) FROM " + q.tallies(b, slotPlace(equal.Field.Slot)) + " AND y.bucket " + q.buckets(equal) + ")"
	if q.holdsAll(equal.Field) {
		return rows
	}
	return fetch + rows
}

// single reports whether the selection has but one condition.
func (q *compiler) single() bool { return len(q.sel.Where) == 1 && len(q.sel.Or) == 0 }

// bySlot names the index of a slot where other conditions might mislead.
func (q *compiler) bySlot(slot string) string {
	if slot == "" || q.single() {
		return ""
	}
	return q.dialect.BySlot(slot)
}

// mostEquals is of how many conditions the one with the fewest rows is found.
const mostEquals = 3

// equals returns conditions that look for a value in a slot: those on texts before those
// on numbers, of which there may be but two.
func (q *compiler) equals() []*core.Clause {
	var texts, numbers []*core.Clause
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		switch {
		// Signed are equalities of texts and numbers. Only what the slot itself tells can
		// be read from its index alone.
		case !signable(c) || !allShort(c.Values):
		case storedAs(c.Field) == asText:
			texts = append(texts, c)
		default:
			numbers = append(numbers, c)
		}
	}
	texts = append(texts, numbers...)
	return texts[:min(len(texts), mostEquals)]
}

// listedFirst returns the condition that the table of values answers, else one that the
// table of texts does, if there is one.
func (q *compiler) listedFirst() *core.Clause {
	var searched *core.Clause
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		if c.Relation == nil && q.searches(c) {
			searched = c
		}
		if c.Op != core.OpEqual && c.Op != core.OpIn || c.Field.System() {
			continue
		}
		if c.Relation == nil && c.Field.Listed() || c.Relation != nil && c.Target != nil && c.Field.Slot != "" && c.Field.SlotReady {
			return c
		}
	}
	return searched
}
