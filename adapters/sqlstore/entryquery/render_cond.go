package entryquery

import (
	"fmt"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
)

// PrimaryKey is the primary key as an argument of [Syntax].By.
const PrimaryKey = "primary key"

func (r *renderer) condText(c Cond) string { return r.part(func() { r.cond(c) }) }

// cond renders a condition.
func (r *renderer) cond(c Cond) {
	switch c := c.(type) {
	case Constant:
		r.write(strings.ToUpper(strconv.FormatBool(bool(c))))
	case And:
		r.conds(c, " AND ")
	case Or:
		r.or(c)
	case Not:
		r.not(c.Cond)
	case Compare:
		r.expr(c.Left)
		r.write(" ", c.Op, " ")
		r.expr(c.Right)
	case Among:
		r.expr(c.Of)
		r.among(c.Values)
	case Between:
		r.expr(c.Of)
		r.write(" BETWEEN ")
		r.expr(c.First)
		r.write(" AND ")
		r.expr(c.Last)
	case NotNull:
		r.expr(c.Of)
		r.write(" IS NOT NULL")
	case Overlap:
		if c.Mask == anyLocale {
			r.expr(c.Of)
		} else {
			r.masked(c.Of, c.Mask)
		}
		r.write(" <> 0")
	case SignatureIn:
		r.masked(c.Of, c.Mask)
		r.among(c.Values)
	case SignatureProves:
		r.signatureProves(c)
	case Substring:
		r.write(r.syntax.Contains(r.exprText(c.Text), r.exprText(c.Part)))
	case Exists:
		r.write("EXISTS (SELECT 1 FROM ", c.From.Name, " ", c.From.Alias)
		if c.From.By != "" {
			r.write(r.syntax.By(c.From.By))
		}
		r.write(" WHERE ")
		r.cond(c.Where)
		if c.OneByOne {
			r.write(r.syntax.OneByOne())
		}
		r.write(")")
	case In:
		if c.Small {
			r.write(r.syntax.AmongRows(r.exprText(c.Of), r.setText(c.Set)))
			return
		}
		r.expr(c.Of)
		r.write(" IN (")
		r.set(c.Set)
		r.write(")")
	case ServesOthers:
		mask := r.exprText(c.Mask)
		r.write("(", mask, " & (", mask, " - 1)) <> 0")
	case HasWords:
		r.write(r.syntax.HasWords(r.exprText(c.ID), r.exprText(scopeOf(c.Rows)), r.exprText(c.Words), c.AtOnce))
	case IsTrue:
		r.expr(c.Of)
	default:
		panic(fmt.Sprintf("entryquery: an unknown condition %T", c))
	}
}

// maxProving bounds the values that signatureProves reads, each by one step along the index. If
// the index has more values, each has so few rows that lookups are cheap.
const maxProving = 16

// longScan is the number of rows from which a proof costs less than lookups.
const longScan = 1000

// signatureProves renders the condition that a scan is long and no value f of the index meets
// c.Other. It has no columns of the scan, so that the engines evaluate it once.
func (r *renderer) signatureProves(c SignatureProves) {
	rows := c.Scan.Rows
	rows.Serving = 0 // a step would read all rows of a value that do not serve the locale
	most := strconv.Itoa(maxProving)
	step := func(selected, after string) {
		r.write("(SELECT c.", selected, " FROM entry_index c", r.byIndex(c.Index), " WHERE ")
		r.rows("c", rows)
		r.write(" AND c.", c.Index, after, " ORDER BY c.", c.Index, " LIMIT 1)")
	}
	r.scannedRows(c.Scan, longScan)
	r.write(" >= ", strconv.Itoa(longScan), " AND NOT EXISTS (WITH RECURSIVE f (value, signature, place) AS (SELECT ")
	step(c.Index, " IS NOT NULL")
	r.write(", ")
	step("signature", " IS NOT NULL")
	r.write(", 1 UNION ALL SELECT ")
	step(c.Index, " > f.value")
	r.write(", ")
	step("signature", " > f.value")
	r.write(", f.place + 1 FROM f WHERE f.value IS NOT NULL AND f.place <= ", most, ") SELECT 1 FROM f WHERE f.place > ", most, " OR ")
	r.cond(c.Other)
	r.write(")")
}

// masked renders the bits of an expression under a mask.
func (r *renderer) masked(x Expr, mask uint64) {
	r.write("(")
	r.expr(x)
	r.write(" & ")
	r.number(int64(mask))
	r.write(")")
}

// not renders the negation of a condition. EXISTS is negated without parentheses, so that the
// engines can turn it into an anti-join.
func (r *renderer) not(c Cond) {
	if c, ok := c.(NotNull); ok {
		r.expr(c.Of)
		r.write(" IS NULL")
		return
	}
	before, after := "NOT (", ")"
	if _, ok := c.(Exists); ok {
		before, after = "NOT ", ""
	} else if c.nullable() {
		before, after = "((", ") IS NOT TRUE)"
	}
	r.write(before)
	r.cond(c)
	r.write(after)
}

func (r *renderer) conds(conditions []Cond, by string) {
	for i, c := range conditions {
		if i > 0 {
			r.write(by)
		}
		r.cond(c)
	}
}

// or renders the comparisons of one column with several numbers as a list.
func (r *renderer) or(c Or) {
	if !equalNumbers(c) {
		r.write("(")
		r.conds(c, " OR ")
		r.write(")")
		return
	}
	for i, one := range c {
		compare := one.(Compare) //nolint:errcheck,forcetypeassert // see equalNumbers
		if i == 0 {
			r.expr(compare.Left)
			r.write(" IN (")
		} else {
			r.write(", ")
		}
		r.expr(compare.Right)
	}
	r.write(")")
}

// equalNumbers reports whether a condition compares one column with several numbers that are
// part of the SQL text.
func equalNumbers(c Or) bool {
	for _, one := range c {
		compare, is := one.(Compare)
		if !is || compare.Op != "=" || compare.Left != c[0].(Compare).Left {
			return false
		}
		switch compare.Right.(type) {
		case Number, ScopeOf:
		default:
			return false
		}
	}
	return true
}

// among renders the part of the condition "expression is one of the values" that follows the
// expression.
func (r *renderer) among(l *List) {
	if len(l.Values) == 1 {
		r.write(" = ")
		r.bind(l, l.Values[0])
		return
	}
	text, ok := r.lists[l]
	if !ok {
		var args []any
		text, args = r.syntax.Among(len(r.args)+1, l.Values)
		r.args = append(r.args, args...)
		if r.lists == nil {
			r.lists = map[*List]string{}
		}
		r.lists[l] = text
	}
	r.write(" ", text)
}

func (r *renderer) exprText(x Expr) string { return r.part(func() { r.expr(x) }) }

// expr renders an expression.
func (r *renderer) expr(x Expr) {
	switch x := x.(type) {
	case Column:
		r.column(x)
	case *Arg:
		if search, ok := x.Value.(searchText); ok {
			r.bind(x, r.syntax.SearchPattern(string(search)))
			return
		}
		if query, ok := x.Value.(WordsQuery); ok {
			r.bind(x, r.syntax.WordsPattern(query))
			return
		}
		r.bind(x, x.Value)
	case Number:
		r.number(int64(x))
	case Word:
		r.write("'", string(x), "'")
	case OtherFields:
		r.write(r.syntax.OtherFields(r.exprText(x.Removed)))
	case BucketBound:
		r.write("(SELECT bound FROM mark)")
	case FixedArg:
		r.write("$")
		r.number(int64(x))
	case Constant:
		r.cond(x)
	case ScopeOf:
		r.expr(x.Collection)
		r.write(" * 256 + ")
		r.number(x.Number)
	case Pair:
		r.write("(")
		r.expr(x[0])
		r.write(", ")
		r.expr(x[1])
		r.write(")")
	case Call:
		r.write(x.Name, "(")
		for i, arg := range x.Args {
			if i > 0 {
				r.write(", ")
			}
			r.expr(arg)
		}
		r.write(")")
	case OfCollection:
		r.write("CASE WHEN e.collection_id = ")
		r.expr(x.Collection)
		r.write(" THEN ")
		r.expr(x.Value)
		r.write(" END")
	case TextKey:
		r.write("(SELECT text_key(coalesce(t.folded, t.text), ")
		r.expr(x.Text)
		r.write(") FROM entry_texts t, entries e WHERE ")
		r.cond(x.Texts)
		r.write(" AND e.project_id = $1 AND e.id = ")
		r.expr(x.ID)
		r.write(")")
	case Document:
		r.write("(SELECT ")
		r.expr(x.Value)
		r.write(" FROM entries e WHERE e.project_id = $1 AND e.id = ")
		r.expr(x.ID)
		r.write(")")
	default:
		panic(fmt.Sprintf("entryquery: an unknown expression %T", x))
	}
}

func (r *renderer) column(c Column) {
	if !c.Computed {
		r.write(c.Alias, ".", c.Name)
		return
	}
	unchanged := " + 0)"
	if c.Name[0] == 't' && entryindex.SlotPlace(c.Name) >= 0 {
		unchanged = " || '')"
	}
	r.write("(", c.Alias, ".", c.Name, unchanged)
}
