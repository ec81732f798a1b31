package entryquery

import (
	"fmt"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core/query"
)

// printer prints a plan, one node per line. The children of a node are indented below it.
type printer struct {
	text   strings.Builder
	indent int
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.text, strings.Repeat("  ", p.indent)+format+"\n", args...)
}

func (p *printer) below(n Node) {
	p.indent++
	n.print(p)
	p.indent--
}

func printed(n Node) string {
	var p printer
	n.print(&p)
	return p.text.String()
}

func (n *Read) String() string      { return printed(n) }
func (n Fetch) String() string      { return printed(n) }
func (n CountAll) String() string   { return printed(n) }
func (n CountScan) String() string  { return printed(n) }
func (n CountSet) String() string   { return printed(n) }
func (n Sum) String() string        { return printed(n) }
func (n Difference) String() string { return printed(n) }
func (n Fewest) String() string     { return printed(n) }

func (n *Read) print(p *printer) {
	if n.First != nil {
		n.First.print(p)
		p.line("if that does not fill the page")
	}
	n.Page().print(p)
}

func (n Fetch) print(p *printer) {
	p.line("Fetch %d entries at offset %d, one by one%s", n.Limit+1, n.Offset, confirmed(n.Confirm))
	p.below(n.Window)
	if n.Total != nil {
		p.below(n.Total)
	}
}

func confirmed(clauses []*query.Predicate) string {
	if len(clauses) == 0 {
		return ""
	}
	return ", confirm " + joined(clauses, ", ", func(c *query.Predicate) string { return c.Field.Name })
}

func joined[T any](items []T, by string, text func(T) string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = text(item)
	}
	return strings.Join(texts, by)
}

var shelfNames = map[entryindex.Shelf]string{
	entryindex.Published: "published", entryindex.Draft: "drafts", entryindex.Changes: "changes",
}

func (r Rows) String() string {
	text := fmt.Sprintf("%s, locale %d", shelfNames[r.Shelf], r.Locale)
	switch r.Serving {
	case 0:
		return text
	case anyLocale:
		return text + ", " + r.Mask
	default:
		return fmt.Sprintf("%s, %s %#x", text, r.Mask, r.Serving)
	}
}

func (n IndexScan) print(p *printer) {
	p.line("IndexScan %s of %s%s", n.Index, n.Rows, orderText(n.Keys))
	p.conditions("range", n.Range)
	p.conditions("filter", n.Filter)
}

func orderText(keys []Key) string {
	if len(keys) == 0 {
		return ""
	}
	return " by " + joined(keys, ", ", func(k Key) string {
		name := k.Field.Name
		if k.Desc {
			name += " desc"
		}
		if k.Nullable {
			name += " nulls last"
		}
		return name
	})
}

func (p *printer) conditions(label string, c Cond) {
	if c != Cond(always) {
		p.line("  %s: %s", label, describe(c))
	}
}

func (n Merge) print(p *printer) {
	p.line("Merge up to %d rows", n.Limit)
	for _, scan := range n.Scans {
		p.below(scan)
	}
}

func (n Parts) print(p *printer) {
	p.line("Parts, one after the other, up to %d rows", n.Limit)
	for _, part := range n.Parts {
		p.below(part)
	}
}

func (n Probe) print(p *printer) {
	p.line("Probe the first %d rows for %d", n.Rows, n.Limit)
	p.below(n.Scan)
}

func (n Deep) print(p *printer) {
	p.line("Deep page of %d rows at offset %d, by the buckets of %s", n.Limit, n.Offset, entryindex.BucketPlaces[n.Place])
	p.below(n.First)
	p.line("else")
	p.below(n.Else)
}

func (n Fallback) print(p *printer) {
	p.line("Fallback: if up to %d entries of the locales %#x serve %#x", n.Most, n.Others, n.Served)
	p.below(n.Few)
	p.line("else")
	p.below(n.Else)
}

func (n Sample) print(p *printer) {
	p.line("Sample up to %d of %s", n.Most, n.Of.describe())
	p.line("if the sample is complete")
	p.below(n.All)
	p.line("else")
	p.below(n.Else)
}

func (n CountAll) print(p *printer) {
	p.line("CountAll from counters, serving %#x", n.Serving)
}

func (n CountScan) print(p *printer) {
	p.line("Count")
	p.below(n.Scan)
}

func (n CountSet) print(p *printer) {
	distinct := ""
	if n.Distinct {
		distinct = "distinct "
	}
	p.line("Count %s%s", distinct, n.Set.describe())
}

func (n Sum) print(p *printer) {
	p.line("Sum")
	for _, one := range n {
		p.below(one)
	}
}

func (n Difference) print(p *printer) {
	p.line("Difference")
	p.below(n.All)
	p.below(n.Without)
}

func (n Fewest) print(p *printer) {
	p.line("Fewest: count along the shorter scan, compared up to %d rows", n.Most)
	p.below(n.First)
	p.line("else")
	p.below(n.Else)
}

func (s SlotSet) describe() string { return "entries in index " + s.Index + ": " + describe(s.Where) }
func (s ValueSet) describe() string {
	return "entries with values of " + s.Field.Name + ": " + describe(s.Where)
}
func (s TargetSet) describe() string {
	return "entries whose " + s.Relation.Name + " points to: " + describe(s.Where)
}
func (s TextSet) describe() string     { return "entries with matching texts of " + s.Field.Name }
func (s EntryGroups) describe() string { return "groups of: " + describe(s.Where) }
func (s RequestSet) describe() string  { return "entries of requests: " + describe(s.Where) }
func (s ScheduleSet) describe() string { return "entries of schedules: " + describe(s.Where) }
func (RewordedSet) describe() string   { return "entries whose sealed media differ from the library" }
func (s MemberSet) describe() string   { return "entries of the " + s.Groups.describe() }
func (s EditedSet) describe() string {
	if s.Locale != nil {
		return "entries in the locale that the user edited last"
	}
	return "entries that the user edited last"
}
func (s ServingSet) describe() string { return "entries that stand in, of " + s.Rows.String() }
func (s Union) describe() string      { return joined(s, ", and ", Set.describe) }
func (s SampleSet) describe() string {
	if s.Limit > 0 {
		return fmt.Sprintf("the first %d of the sample by id", s.Limit)
	}
	return "the sample"
}

// describe prints a condition with "?" for the values of the request.
func describe(c Cond) string {
	switch c := c.(type) {
	case Constant:
		return strings.ToUpper(fmt.Sprint(bool(c)))
	case And:
		return joined(c, " AND ", describe)
	case Or:
		return "(" + joined(c, " OR ", describe) + ")"
	case Not:
		if c, ok := c.Cond.(NotNull); ok {
			return expression(c.Of) + " is null"
		}
		return "NOT " + describe(c.Cond)
	case Compare:
		return expression(c.Left) + " " + c.Op + " " + expression(c.Right)
	case Among:
		return expression(c.Of) + oneOf(c.Values)
	case Between:
		return expression(c.Of) + " between " + expression(c.First) + " and " + expression(c.Last)
	case NotNull:
		return expression(c.Of) + " is not null"
	case Overlap:
		return fmt.Sprintf("%s & %#x", expression(c.Of), c.Mask)
	case SignatureIn:
		return fmt.Sprintf("%s & %#x", expression(c.Of), c.Mask) + oneOf(c.Values)
	case SignatureProves:
		return "proved by the values in index " + c.Index
	case Substring:
		return expression(c.Text) + " contains ?"
	case Exists:
		how := "exists "
		if c.OneByOne {
			how = "exists (row by row) "
		}
		return how + c.From.Name + "(" + describe(c.Where) + ")"
	case In:
		return expression(c.Of) + " in (" + c.Set.describe() + ")"
	case ServesOthers:
		return expression(c.Mask) + " has several locales"
	case HasWords:
		how := "has the words, row by row, in "
		if c.AtOnce {
			how = "has the words in "
		}
		return how + c.Rows.String()
	case IsTrue:
		return expression(c.Of)
	default:
		return fmt.Sprintf("%T", c)
	}
}

// oneOf prints the part of a condition "expression is one of the values" after the expression.
func oneOf(l *List) string {
	if len(l.Values) == 1 {
		return " = ?"
	}
	return fmt.Sprintf(" in (%d values)", len(l.Values))
}

func expression(x Expr) string {
	switch x := x.(type) {
	case Column:
		return x.Alias + "." + x.Name
	case Number:
		return fmt.Sprint(int64(x))
	case Word:
		return "'" + string(x) + "'"
	case OtherFields:
		return "other fields"
	case ScopeOf:
		return fmt.Sprint("scope ", x.Number)
	case Pair:
		return "(" + expression(x[0]) + ", " + expression(x[1]) + ")"
	case Call:
		return x.Name
	case OfCollection:
		return expression(x.Value)
	case BucketBound:
		return "the bucket"
	case TextKey:
		return "sort key of " + expression(x.Text)
	case Document:
		return expression(x.Value) + " of the document"
	default:
		return "?"
	}
}
