package sqlstore

import (
	"math"
	"slices"
	"strings"

	"imprimatur/core"
)

// tallies says which rows of entry_tallies, as y, are of b and a place.
func (q *compiler) tallies(b branch, place int) string {
	y := b.row
	y.alias = "y"
	return "entry_tallies y WHERE " + q.scope(y, b.masked) + " AND y.place = " + number(int64(place))
}

// sum compiles how many rows of b have a value at a place; all have an id.
func (q *compiler) sum(b branch, place int) string {
	return "(SELECT coalesce(sum(y.entries), 0) FROM " + q.tallies(b, place) + ")"
}

// equalTally compiles how many rows of b have one of the values that c looks for, which is
// null where one of their buckets has other values, too.
func (q *compiler) equalTally(b branch, c *core.Clause) string {
	only := "y.num"
	if storedAs(c.Field) == asText {
		only = "y.text"
	}
	return "SELECT coalesce(sum(CASE WHEN " + q.among(only, storedAs(c.Field), c.Values, anyText) + " THEN y.entries ELSE 0 END), 0) FROM " +
		q.tallies(b, slotPlace(c.Field.Slot)) + " AND y.bucket " + q.buckets(c) + " AND y.entries > 0 HAVING count(*) = count(" + only + ")"
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

// alike says that a tally, y, is of texts that have the signature of one of c's values.
func (q *compiler) alike(c *core.Clause) string {
	conditions := make([]string, len(c.Values))
	for i := range c.Values {
		first := bucketOf(slotPlace(c.Field.Slot), c.Values[i].Text) / textParts * textParts
		conditions[i] = "y.bucket BETWEEN " + q.bind(&c.Values[i], useFirstBucket, first) + " AND " + q.bind(&c.Values[i], useLastBucket, first+textParts-1)
	}
	return or(conditions...)
}

// inOrder reports whether c asks for a stretch of an order that tallies follow.
func inOrder(c *core.Clause) bool {
	switch c.Op {
	case core.OpLess, core.OpLessEq, core.OpGreater, core.OpGreaterEq, core.OpBetween:
		return c.Relation == nil && orderedPlace(c.Field) >= 0
	default:
		return false
	}
}

// orderedPlace returns the place of a field's values where buckets are stretches of their
// order, or -1.
func orderedPlace(f *core.Field) int {
	column, system := systemColumns[f]
	if !system && f.SlotReady {
		column = f.Slot
	}
	if place := slices.Index(valuedColumns, column); place >= textSlots {
		return place
	}
	return -1
}

// stretch is what a clause in order asks for: from the bucket that its lower bound lies in
// to that of the upper one.
type stretch struct {
	place           int
	lowest, highest int64
	from, to        bool // whether there are such bounds
}

func stretchOf(c *core.Clause) stretch {
	s := stretch{place: orderedPlace(c.Field)}
	bucket := func(op core.Op, v core.Value) int64 {
		if storedAs(c.Field) == asInteger {
			return bucketOf(s.place, rounded(op, v.Num))
		}
		return bucketOf(s.place, v.Num)
	}
	if s.from = c.Op != core.OpLess && c.Op != core.OpLessEq; s.from {
		s.lowest = bucket(core.OpGreaterEq, c.Values[0])
	}
	if s.to = c.Op != core.OpGreater && c.Op != core.OpGreaterEq; s.to {
		s.highest = bucket(core.OpLessEq, c.Values[len(c.Values)-1])
	}
	return s
}

// countRange counts the rows of b whose value is within the bounds of c: the buckets that
// lie within, and of those that the bounds lie in row by row.
func (q *compiler) countRange(b branch, c *core.Clause) string {
	s := stretchOf(c)
	column, within := b.column(valuedColumns[s.place]), q.tallies(b, s.place)
	rows := "(SELECT count(*) FROM entry_index i WHERE " + and(b.scope, q.clause(b.row, c))
	var edges, counted = "", int64(math.MinInt64)
	if s.from {
		counted = s.lowest + 1
		within += " AND y.bucket > " + q.bind(&c.Values[0], useLowest, s.lowest)
		edges += " + " + rows + " AND " + column + " < " + q.bind(&c.Values[0], useLowestEnd, boundOf(s.place, counted)) + ")"
	}
	if s.to {
		within += " AND y.bucket < " + q.bind(&c.Values[0], useHighest, s.highest)
		// Where both bounds lie in one bucket, its rows are counted once.
		edges += " + " + rows + " AND " + column + " >= " + q.bind(&c.Values[0], useHighestBeginning, boundOf(s.place, max(s.highest, counted))) + ")"
	}
	return "SELECT (SELECT coalesce(sum(y.entries), 0) FROM " + within + ")" + edges + " AS n"
}

// atMost compiles how many rows of b there are at most whose value is within the bounds of c.
func (q *compiler) atMost(b branch, c *core.Clause) string {
	s := stretchOf(c)
	within := q.tallies(b, s.place)
	if s.from {
		within += " AND y.bucket >= " + q.bind(&c.Values[0], useLowest, s.lowest)
	}
	if s.to {
		within += " AND y.bucket <= " + q.bind(&c.Values[0], useHighest, s.highest)
	}
	return "(SELECT coalesce(sum(y.entries), 0) FROM " + within + ")"
}

// someWithout says, of no table, that there may be rows without a value of the first key.
func (q *compiler) someWithout(branches []branch, head sortKey) string {
	place := slotPlace(head.field.Slot)
	if place < 0 || q.sel.State != core.StatePublished {
		return always
	}
	sums := make([]string, len(branches))
	for i, b := range branches {
		sums[i] = q.sum(b, place)
	}
	return strings.Join(sums, " + ") + " < (" + q.countAll() + ")"
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
	place := orderedPlace(head)
	if place < textSlots+numberSlots || keys[min(1, len(keys)-1)].field != core.SystemID {
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
		selects[i] = "SELECT y.bucket, y.entries FROM " + q.tallies(b, place)
	}
	offset := q.bind("offset", 0, q.sel.Offset)
	return "WITH mark AS MATERIALIZED (SELECT (" + bound + ") * " + number(1<<wholeBits(place)) + " AS bound," +
		" coalesce(" + offset + " - CAST(min(m.upto - m.entries) AS bigint), 0) AS skip FROM (" +
		"SELECT m.bucket, sum(m.entries) AS entries, sum(sum(m.entries)) OVER (ORDER BY " + order + ") AS upto" +
		" FROM (" + unionAll(selects) + ") m GROUP BY m.bucket) m WHERE m.upto > " + offset + ")"
}
