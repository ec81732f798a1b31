package sqlstore

import (
	"slices"

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

// countBranch counts what the selection leaves of a branch: along the index of a slot where
// a value of it is looked for, else from the tables of values and of texts where one of
// these is asked. Where nothing else is, it knows all there is to know.
func (q *compiler) countBranch(b branch) string {
	slot, first := q.equalSlot(), q.listedFirst()
	if slot != "" || first == nil {
		return "SELECT count(*) AS n FROM entry_index i" + q.bySlot(slot) + " WHERE " + and(b.scope, q.everything(b.row))
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
		if field.Multiple && (first.Relation != nil || len(first.Values) > 1) {
			counted = "DISTINCT h.entry_id" // it may hold several of them
		}
		return "SELECT count(" + counted + ") AS n FROM (" + holders + ") h"
	}
	return "SELECT count(*) AS n FROM entry_index i WHERE " + and(b.scope, "i.entry_id IN ("+holders+")", q.where(b.row, first))
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
		if !signable(c) || slices.ContainsFunc(c.Values, func(v core.Value) bool { return !shortText(v.Text) }) {
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
