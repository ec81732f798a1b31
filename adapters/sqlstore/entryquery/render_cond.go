package entryquery

import (
	"fmt"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
)

// PrimaryKey is the primary key as an argument of [Syntax].By.
const PrimaryKey = "primary key"

// cond returns a condition as SQL.
func (r *renderer) cond(c Cond) string {
	switch c := c.(type) {
	case Constant:
		return strings.ToUpper(strconv.FormatBool(bool(c)))
	case And:
		return r.conds(c, " AND ")
	case Or:
		if list, ok := equalNumbers(c); ok {
			return r.expr(list[0].Left) + " IN (" + r.exprs(list) + ")"
		}
		return "(" + r.conds(c, " OR ") + ")"
	case Not:
		return r.not(c.Cond)
	case Compare:
		return r.expr(c.Left) + " " + c.Op + " " + r.expr(c.Right)
	case Among:
		return r.expr(c.Of) + " " + r.among(c.Values)
	case Between:
		return r.expr(c.Of) + " BETWEEN " + r.expr(c.First) + " AND " + r.expr(c.Last)
	case NotNull:
		return r.expr(c.Of) + " IS NOT NULL"
	case Overlap:
		if c.Mask == anyLocale {
			return r.expr(c.Of) + " <> 0"
		}
		return "(" + r.expr(c.Of) + " & " + strconv.FormatInt(int64(c.Mask), 10) + ") <> 0"
	case SignatureIn:
		return "(" + r.expr(c.Of) + " & " + strconv.FormatInt(int64(c.Mask), 10) + ") " + r.among(c.Values)
	case Substring:
		return r.syntax.Contains(r.expr(c.Text), r.expr(c.Part))
	case Exists:
		end := ""
		if c.OneByOne {
			end = r.syntax.OneByOne()
		}
		return "EXISTS (SELECT 1 FROM " + r.table(c.From) + " WHERE " + r.cond(c.Where) + end + ")"
	case In:
		if c.Small {
			return r.syntax.AmongRows(r.expr(c.Of), r.set(c.Set))
		}
		return r.expr(c.Of) + " IN (" + r.set(c.Set) + ")"
	case IsTrue:
		return r.expr(c.Of)
	default:
		panic(fmt.Sprintf("entryquery: an unknown condition %T", c))
	}
}

// not returns the negation of a condition. EXISTS is negated without parentheses, so that the
// engines can turn it into an anti-join.
func (r *renderer) not(c Cond) string {
	if c, ok := c.(NotNull); ok {
		return r.expr(c.Of) + " IS NULL"
	}
	text := r.cond(c)
	if _, ok := c.(Exists); ok {
		return "NOT " + text
	}
	if c.nullable() {
		return "((" + text + ") IS NOT TRUE)"
	}
	return "NOT (" + text + ")"
}

func (r *renderer) conds(conditions []Cond, by string) string {
	texts := make([]string, len(conditions))
	for i, c := range conditions {
		texts[i] = r.cond(c)
	}
	return strings.Join(texts, by)
}

// equalNumbers returns the comparisons of a condition that compares one column with several
// numbers that are part of the SQL text.
func equalNumbers(c Or) (list []Compare, ok bool) {
	for _, one := range c {
		compare, is := one.(Compare)
		if !is || compare.Op != "=" || compare.Left != c[0].(Compare).Left {
			return nil, false
		}
		switch compare.Right.(type) {
		case Number, ScopeOf:
			list = append(list, compare)
		default:
			return nil, false
		}
	}
	return list, true
}

func (r *renderer) exprs(list []Compare) string {
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = r.expr(c.Right)
	}
	return strings.Join(texts, ", ")
}

func (r *renderer) table(t Table) string {
	name := t.Name + " " + t.Alias
	if t.By != "" {
		name += r.syntax.By(t.By)
	}
	return name
}

// among returns the part of the condition "expression is one of the values" that follows the
// expression.
func (r *renderer) among(l *List) string {
	if text, ok := r.places[l]; ok {
		return text
	}
	next := len(r.args) + 1
	text, args := "= $"+strconv.Itoa(next), l.Values
	if len(l.Values) > 1 {
		text, args = r.syntax.Among(next, l.Values)
	}
	r.args = append(r.args, args...)
	r.places[l] = text
	return text
}

// add adds a value unless the list has it.
func (l *List) add(value any) {
	for _, v := range l.Values {
		if v == value {
			return
		}
	}
	l.Values = append(l.Values, value)
}

// expr returns an expression as SQL.
func (r *renderer) expr(x Expr) string {
	switch x := x.(type) {
	case Column:
		if x.Computed && x.Name[0] == 't' && entryindex.SlotPlace(x.Name) >= 0 {
			return "(" + x.Alias + "." + x.Name + " || '')"
		}
		if x.Computed {
			return "(" + x.Alias + "." + x.Name + " + 0)"
		}
		return x.Alias + "." + x.Name
	case *Arg:
		if search, ok := x.Value.(searchText); ok {
			return r.bind(x, r.syntax.SearchPattern(string(search)))
		}
		return r.bind(x, x.Value)
	case Number:
		return strconv.FormatInt(int64(x), 10)
	case BucketBound:
		return "(SELECT bound FROM mark)"
	case Null:
		return "NULL"
	case LongText:
		return "CASE WHEN octet_length(" + r.expr(x.Slot) + ") >= " + strconv.Itoa(minCutLength) + " THEN " + r.expr(x.Whole) + " END"
	case FixedArg:
		return "$" + strconv.Itoa(int(x))
	case boolean:
		return r.cond(Constant(x))
	case ScopeOf:
		return r.expr(x.Collection) + " * 256 + " + strconv.FormatInt(x.Number, 10)
	case Call:
		texts := make([]string, len(x.Args))
		for i, arg := range x.Args {
			texts[i] = r.expr(arg)
		}
		return x.Name + "(" + strings.Join(texts, ", ") + ")"
	case OfCollection:
		return "CASE WHEN e.collection_id = " + r.expr(x.Collection) + " THEN " + r.expr(x.Value) + " END"
	case Document:
		return "(SELECT " + r.expr(x.Value) + " FROM entries e WHERE e.project_id = $1 AND e.id = " + r.expr(x.ID) + ")"
	default:
		panic(fmt.Sprintf("entryquery: an unknown expression %T", x))
	}
}
