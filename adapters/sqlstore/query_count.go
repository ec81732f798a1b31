package sqlstore

import "imprimatur/core"

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
	if !q.single() || q.sel.State != core.StatePublished {
		return q.countRows(b)
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

// countRows counts row by row: along the index of a slot where a value of it is looked for,
// else from the tables of values and of texts where one of these is asked. Where nothing
// else is, it knows all there is to know.
func (q *compiler) countRows(b branch) string {
	slot, first := q.equalSlot(), q.listedFirst()
	if slot != "" || first == nil {
		return q.countAlong(b, slot)
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

// countAlong counts along the index of a slot, if one is given. Where an index tells all
// there is to know, by its key and signatures, rows are counted from that alone.
func (q *compiler) countAlong(b branch, slot string) string {
	rows := q.countFrom(slot) + and(b.scope, q.everything(b.row))
	if slot == "" || q.single() {
		return rows
	}
	equal := q.slotted(slot)
	if exact := q.exact([]branch{b}, equal); exact != "" {
		return "SELECT CASE WHEN " + exact + " THEN (" + q.countTold(b, equal) + ") ELSE (" + rows + ") END AS n"
	}
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		if !inOrder(c) || c.Field == core.SystemID {
			continue
		}
		if exact := q.exact([]branch{b}, c.Field); exact != "" {
			return "SELECT CASE WHEN " + exact + " AND " + q.shorter(b, c, equal) + " THEN (" + q.countTold(b, c.Field) + ") ELSE (" + rows + ") END AS n"
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

// indexOnly is how many rows are counted from an index alone while one is fetched.
const indexOnly = 12

// shorter says, of no table, that it takes less to count along the values in the range that
// c asks for than along those that are equal to what is looked for in another field, of
// which each row is fetched.
func (q *compiler) shorter(b branch, c *core.Clause, equal *core.Field) string {
	for i := range q.sel.Where {
		if e := &q.sel.Where[i]; e.Field == equal && signable(e) {
			return q.atMost(b, c) + " <= " + number(indexOnly) + " * (" + q.equalTally(b, e) + ")"
		}
	}
	return never
}

// slotted returns the field of that slot.
func (q *compiler) slotted(slot string) *core.Field {
	for _, f := range q.sel.Schema.Collection.Fields {
		if f.Slot == slot {
			return f
		}
	}
	return nil
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

// equalSlot returns the slot of which a value is looked for, if there is one: one of texts
// rather than of numbers, of which there may be but two.
func (q *compiler) equalSlot() string {
	slot := ""
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		// Signed are equalities of texts and numbers. Only what the slot itself tells can
		// be read from its index alone.
		if !signable(c) || !allShort(c.Values) {
			continue
		}
		if slot == "" || slot[0] != 't' && c.Field.Slot[0] == 't' {
			slot = c.Field.Slot
		}
	}
	return slot
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
