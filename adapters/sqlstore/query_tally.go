package sqlstore

import (
	"slices"

	"imprimatur/core"
)

// tallied compiles the number of b's rows where tallies have it: the selection asks for
// published rows, and for nothing but values of one slot. It is null where a bucket of
// them has other values, too; "" where no tally is about it.
func (q *compiler) tallied(b branch) string {
	if !q.single() || q.sel.State != core.StatePublished {
		return ""
	}
	c := &q.sel.Where[0]
	if !signable(c) || slices.ContainsFunc(c.Values, func(v core.Value) bool { return !shortText(v.Text) }) {
		return ""
	}
	named := "y.num"
	if storedAs(c.Field) == asText {
		named = "y.text"
	}
	y := b.row
	y.alias = "y"
	return "SELECT coalesce(sum(CASE WHEN " + q.among(named, storedAs(c.Field), c.Values, anyText) + " THEN y.entries ELSE 0 END), 0)" +
		" FROM entry_tallies y WHERE " + q.scope(y, b.masked) + " AND y.place = " + number(int64(slotPlace(c.Field.Slot))) +
		" AND y.bucket " + q.buckets(c) + " AND y.entries > 0 HAVING count(*) = count(" + named + ")"
}

// buckets is the list of those that c's values fall into.
func (q *compiler) buckets(c *core.Clause) string {
	key := bindKey{&c.Values[0], useBucket}
	list, ok := q.bound[key]
	if !ok {
		var buckets []any
		for _, v := range c.Values {
			if b := any(bucketOf(slotPlace(c.Field.Slot), argument(storedAs(c.Field), v))); !slices.Contains(buckets, b) {
				buckets = append(buckets, b)
			}
		}
		var args []any
		list, args = q.oneOf(buckets)
		q.args = append(q.args, args...)
		q.bound[key] = list
	}
	return list
}

// marked compiles a deep page of all published rows in the order of an id or a time. The
// tallies tell in which bucket the page begins and how many rows come before that, so that
// only those of the bucket itself are passed over, and none after the page is read. It
// reports false where there are no such tallies.
func (q *compiler) marked(branches []branch, keys []sortKey, parts []part) (with, window string, ok bool) {
	head, place := keys[0], q.placeOf(keys)
	if place < 0 || !q.sel.Whole() || q.sel.State != core.StatePublished || roughly(q.sel.Offset) == 0 || len(parts) > 1 {
		return "", "", false
	}
	beyond := " < "
	if !head.desc {
		beyond = " >= "
	}
	p := parts[0]
	conditions := p.conditions
	p.conditions = func(b branch) string { return and(conditions(b), head.expr(b)+beyond+"(SELECT bound FROM mark)") }
	limit, skip := number(q.sel.Limit+1), "(SELECT skip FROM mark)"
	if len(branches) == 1 {
		return q.mark(branches, place, head.desc), q.merged(branches, p, keys, gate{always, limit + " OFFSET " + skip}), true
	}
	window = q.merged(branches, p, keys, gate{always, skip + " + " + limit})
	return q.mark(branches, place, head.desc), "SELECT * FROM (" + window + ") m LIMIT " + limit + " OFFSET " + skip, true
}

// placeOf returns the place of what orders, where its buckets are stretches of the order
// and nothing but the id comes after it; else -1.
func (q *compiler) placeOf(keys []sortKey) int {
	head := keys[0].field
	column, system := systemColumns[head]
	if !system && head.SlotReady {
		column = head.Slot
	}
	place := slices.Index(valuedColumns, column)
	if place < 0 || bucketBits(place) == 0 || keys[min(1, len(keys)-1)].field != core.SystemID {
		return -1
	}
	return place
}

// mark compiles where the offset lies in the order of what stands at a place: bound ends
// the rows that come before the bucket, and skip says how many of the bucket do. Beyond
// all rows there is no bound, and so no row.
func (q *compiler) mark(branches []branch, place int, desc bool) string {
	bound, order := "max(m.bucket) + 1", "m.bucket DESC"
	if !desc {
		bound, order = "min(m.bucket)", "m.bucket"
	}
	selects := make([]string, len(branches))
	for i, b := range branches {
		y := b.row
		y.alias = "y"
		selects[i] = "SELECT y.bucket, y.entries FROM entry_tallies y WHERE " + q.scope(y, b.masked) + " AND y.place = " + number(int64(place))
	}
	offset := q.bind("offset", 0, q.sel.Offset)
	return "WITH mark AS MATERIALIZED (SELECT (" + bound + ") * " + number(1<<bucketBits(place)) + " AS bound," +
		" coalesce(" + offset + " - CAST(min(m.upto - m.entries) AS bigint), 0) AS skip FROM (" +
		"SELECT m.bucket, sum(m.entries) AS entries, sum(sum(m.entries)) OVER (ORDER BY " + order + ") AS upto" +
		" FROM (" + unionAll(selects) + ") m GROUP BY m.bucket) m WHERE m.upto > " + offset + ")"
}
