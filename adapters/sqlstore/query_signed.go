package sqlstore

import (
	"slices"
	"strings"

	"imprimatur/core"
)

// Who walks along the index of one slot and wants to know what stands in another
// has to fetch row after row, from all over the table. The signature in the index
// tells most of them off at once; what it lets pass is looked at in the row or, where
// that is all there is to ask, in the document that is read anyway.

// maxSigned is the longest window that is read so: to look one row up by its key
// costs more than to fetch it in passing, which counts where most rows pass.
const maxSigned = 128

// walked returns the conditions on the rows of the index that orders by head.
func (q *compiler) walked(head sortKey) func(row) string {
	signed := func(c core.Clause) bool { return c.Field != head.field && signable(&c) }
	if head.indexed() && q.sel.Offset+q.sel.Limit <= maxSigned && slices.ContainsFunc(q.sel.Where, signed) {
		return func(r row) string { return q.signed(r, head.field) }
	}
	return q.everything
}

// partsByValue returns parts or, in the order of ids, the ways to go along an index of a slot
// of which one value is looked for: its rows are in that order, and it tells of other
// conditions, too. Each is the way where its value has the fewest rows. Of drafts nobody
// knows how many there are, so that the planner chooses between several.
func (q *compiler) partsByValue(branches []branch, keys []sortKey) []part {
	parts := q.parts(keys)
	if keys[0].field != core.SystemID || q.sel.Offset+q.sel.Limit > maxSigned {
		return parts
	}
	equals := slices.DeleteFunc(q.equals(), func(c *core.Clause) bool { return len(c.Values) > 1 || !q.tellsOthers(c.Field) })
	if len(equals) == 0 || len(equals) > 1 && q.sel.State != core.StatePublished {
		return parts
	}
	ways := make([]part, len(equals))
	for i, c := range equals {
		ways[i] = parts[0]
		ways[i].where = func(r row) string { return q.signed(r, c.Field) }
		ways[i].when = q.fewest(branches, equals, i)
	}
	return ways
}

// tellsOthers reports whether the index of head's values tells anything about a condition
// on something else.
func (q *compiler) tellsOthers(head *core.Field) bool {
	return slices.ContainsFunc(q.sel.Where, func(c core.Clause) bool { return c.Field != head && (held(&c, head) || signable(&c)) })
}

// signable reports whether a signature says anything about c.
func signable(c *core.Clause) bool {
	f := c.Field
	return c.Relation == nil && !f.System() && !f.Listed() && f.SlotReady && signedPlace(f) >= 0 &&
		(c.Op == core.OpEqual || c.Op == core.OpIn)
}

// signedPlace returns the place of a field's slot among those with a signature, or -1.
func signedPlace(f *core.Field) int {
	if place := slotPlace(f.Slot); place < textSlots+numberSlots {
		return place
	}
	return -1
}

// signed returns the selection's conditions on r: first what the index can tell, by
// its key, the id and the signature, then the others, which ask the row itself.
func (q *compiler) signed(r row, head *core.Field) string {
	own := r
	own.alias = "c"
	r.along = head.Slot
	var told, asked []string
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		if held(c, head) {
			told = append(told, q.clause(r, c))
			continue
		}
		if signable(c) {
			told = append(told, q.bears(r, c))
			if c.Field.Type == core.TypeBoolean || q.trust(c) {
				continue
			}
		}
		asked = append(asked, q.clause(own, c))
	}
	if rest := and(append(asked, q.groups(own))...); rest != always {
		told = append(told, "EXISTS (SELECT 1 FROM entry_index c WHERE "+q.scope(own, false)+
			" AND c.entry_id = "+r.column("entry_id")+" AND "+rest+q.dialect.OneByOne()+")")
	}
	return and(told...)
}

// told returns the selection's conditions on r as far as the index tells them that orders
// by head, or has head's values: by what it holds, and signatures.
func (q *compiler) told(r row, head *core.Field) string {
	r.along = head.Slot
	told := make([]string, len(q.sel.Where))
	for i := range q.sel.Where {
		if c := &q.sel.Where[i]; signable(c) && !held(c, head) {
			told[i] = q.bears(r, c)
		} else {
			told[i] = q.clause(r, c)
		}
	}
	return and(told...)
}

// held reports whether the index that orders by head, or has its values, holds what c asks
// for: its own key, the id and the locale and, where it is that of a text, all numbers and
// times.
func held(c *core.Clause, head *core.Field) bool {
	f := c.Field
	return c.Relation == nil && (f == head || f == core.SystemID || f == core.SystemLocale ||
		!f.Listed() && f.SlotReady && slices.Contains(carried(head), f.Slot))
}

// carried returns which columns the index of a field's values carries along: where it is
// that of a text, those of all numbers and times. In the index of a number or a time they
// would cost more than they spare: whoever goes along it goes far, and each row takes
// half as long again to read.
func carried(head *core.Field) []string {
	if place := slotPlace(head.Slot); place < 0 || place >= textSlots {
		return nil
	}
	return slotNames[textSlots:]
}

// holdsAll reports whether the index of head's values holds all that is asked for.
func (q *compiler) holdsAll(head *core.Field) bool {
	return len(q.sel.Or) == 0 && !slices.ContainsFunc(q.sel.Where, func(c core.Clause) bool { return !held(&c, head) })
}

// mostLooked is of how many signatures, in all branches, the tallies are looked at: each
// is a condition of its own, and SQLite takes no more than so many.
const mostLooked = 64

// exact says, of no table, that told is all there is to say of the rows of branches: no other
// text has the signature of one that is looked for. It is "" where that cannot be known, or
// no signature is asked.
func (q *compiler) exact(branches []branch, head *core.Field) string {
	if q.sel.State != core.StatePublished || len(q.sel.Or) > 0 {
		return ""
	}
	var signed []*core.Clause
	looked := 0
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		switch {
		case held(c, head), signable(c) && c.Field.Type == core.TypeBoolean:
		case !signable(c) || storedAs(c.Field) != asText || !allShort(c.Values):
			return ""
		default:
			signed = append(signed, c)
			looked += len(c.Values) * len(branches)
		}
	}
	if looked > mostLooked {
		return ""
	}
	var exact []string
	for _, c := range signed {
		for _, b := range branches {
			exact = append(exact, "NOT EXISTS (SELECT 1 FROM "+q.tallies(b, slotPlace(c.Field.Slot))+" AND "+q.alike(c)+
				" AND y.entries > 0 AND "+not(q.among("y.text", asText, c.Values, anyText))+")")
		}
	}
	return strings.Join(exact, " AND ")
}

// trust reports whether the signature alone may decide c, for confirm to look at the
// documents afterwards: not where it let something else pass a short time ago, nor where
// rows are passed over, whose documents nobody reads.
func (q *compiler) trust(c *core.Clause) bool {
	v, ok := oneValue(q.sel, c)
	if !ok || q.thorough || q.sel.Offset > 0 || q.sel.Without&core.RowDocument != 0 || q.hints.shared.has(v) {
		return false
	}
	if !slices.Contains(q.trusted, c) {
		q.trusted = append(q.trusted, c)
	}
	return true
}

// confirm reports whether the documents of rows meet what was trusted. Every row that
// meets it has been let pass, so that a page that holds no other is the page.
func (q *compiler) confirm(rows []core.Row) bool {
	for i := range rows {
		for _, c := range q.trusted {
			if !holds(rows[i].Document, c) {
				if v, ok := oneValue(q.sel, c); ok {
					q.hints.shared.add(v)
				}
				return false
			}
		}
	}
	return true
}

// holds reports whether a document has the one value that c looks for.
func holds(doc core.Document, c *core.Clause) bool {
	value, ok := core.DecodeValue(c.Field.Type, doc.Value(c.Field.Name))
	return ok && value == c.Values[0]
}

// bears says that r has the signature of one of c's values.
func (q *compiler) bears(r row, c *core.Clause) string {
	place, stored := signedPlace(c.Field), storedAs(c.Field)
	key := bindKey{&c.Values[0], useSignature}
	list, ok := q.bound[key]
	if !ok {
		var bits []any
		for _, v := range c.Values {
			if b := int64(signatureBits(place, argument(stored, cut(v)))); !slices.Contains(bits, any(b)) {
				bits = append(bits, b)
			}
		}
		list, bits = q.oneOf(bits)
		q.args = append(q.args, bits...)
		q.bound[key] = list
	}
	return "(" + r.column("signature") + " & " + number(int64(signatureMask(place))) + ") " + list
}
