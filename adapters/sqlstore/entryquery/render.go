package entryquery

import (
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// Statement is a plan rendered as SQL. Its text depends on the shape of the selection and
// never on its values, so that a small number of prepared statements serves all requests.
type Statement struct {
	Text string
	Args []any
}

// renderer renders one statement.
type renderer struct {
	syntax Syntax
	args   []any
	places map[any]string // placeholders, by *Arg, *List or the name of a number
	with   []string
}

func newRenderer(syntax Syntax, c *core.Collection) *renderer {
	return &renderer{syntax: syntax, args: []any{c.ProjectID, c.ID}, places: map[any]string{}}
}

// Page renders a page. Each row has the columns of RowColumns, followed by the total if the
// plan has one.
func Page(syntax Syntax, c *core.Collection, f *Fetch) Statement {
	r := newRenderer(syntax, c)
	window := r.page(f)
	columns := RowColumns("p."+entryindex.MaskOf(f.State), f.State, f.Known, f.Without)
	if f.Total != nil {
		columns += ", CAST(" + r.number(f.Total) + " AS bigint)"
	}
	text := "SELECT " + columns + " FROM " +
		r.syntax.ForEach(window, "entries", "e", "e.project_id = $1 AND e.id = p.entry_id")
	if len(r.with) > 0 {
		text = "WITH " + strings.Join(r.with, ", ") + " " + text
	}
	return Statement{text, r.args}
}

// Counted renders a total.
func Counted(syntax Syntax, c *core.Collection, n Count) Statement {
	r := newRenderer(syntax, c)
	text := "SELECT CAST(" + r.number(n) + " AS bigint)"
	return Statement{text, r.args}
}

// page returns the rows of the page as a table expression p.
func (r *renderer) page(f *Fetch) string {
	if deep, ok := f.Window.(Deep); ok {
		return "(" + r.deep(deep) + ") p"
	}
	selects := r.window(f.Window, "")
	window := unionAll(selects)
	switch {
	case f.Offset > 0:
		window = "SELECT * FROM (" + window + ") m LIMIT " + r.bind("limit", f.Limit+1) + " OFFSET " + r.bind("offset", f.Offset)
	case len(selects) > 1:
		window += " LIMIT " + strconv.FormatInt(f.Limit+1, 10)
	}
	return "(" + window + ") p"
}

// deep returns a SELECT of the rows of a deep page.
func (r *renderer) deep(d Deep) string {
	limit, skip := strconv.FormatInt(d.Limit, 10), "(SELECT skip FROM mark)"
	r.with = append(r.with, "mark AS MATERIALIZED ("+r.mark(d)+")")
	first := r.merge(d.First, "", skip+" + "+limit)
	r.with = append(r.with, "reached AS MATERIALIZED (SELECT * FROM ("+first+") m LIMIT "+limit+" OFFSET "+skip+")")
	where, limited := r.syntax.LimitWhen("(SELECT count(*) FROM reached) >= "+limit, limit)
	columns := "entry_id, " + d.First.Scans[0].Rows.Mask
	reached := "SELECT " + columns + " FROM reached WHERE " + where + " LIMIT " + limited
	otherwise := unionAll(r.window(d.Else, "(SELECT count(*) FROM reached) < "+limit))
	return unionAll([]string{
		reached, "SELECT " + columns + " FROM (" + otherwise + ") m LIMIT " + limit + " OFFSET " + r.bind("offset", d.Offset),
	})
}

// mark returns a SELECT of the start of a deep page. bound is the boundary of the bucket in
// which the page begins, and skip the number of rows of that bucket before the page. If the
// offset is beyond the last row, bound is null and the page has no rows.
func (r *renderer) mark(d Deep) string {
	bound, order := "max(m.bucket) + 1", "m.bucket DESC"
	if !d.Desc {
		bound, order = "min(m.bucket)", "m.bucket"
	}
	selects := make([]string, len(d.First.Scans))
	for i, scan := range d.First.Scans {
		selects[i] = "SELECT y.bucket, y.entries FROM entry_buckets y WHERE " + r.rows("y", scan.Rows) + " AND y.place = " + strconv.Itoa(d.Place)
	}
	offset := r.bind("offset", d.Offset)
	return "SELECT (" + bound + ") * " + strconv.Itoa(1<<entryindex.BucketBits(d.Place)) + " AS bound," +
		" coalesce(" + offset + " - CAST(min(m.upto - m.entries) AS bigint), 0) AS skip FROM (" +
		"SELECT m.bucket, sum(m.entries) AS entries, sum(sum(m.entries)) OVER (ORDER BY " + order + ") AS upto" +
		" FROM (" + unionAll(selects) + ") m GROUP BY m.bucket) m WHERE m.upto > " + offset
}

// window returns SELECTs whose rows, one SELECT after the other, are the window. They read
// no rows unless when is true. when is a condition without columns; "" is true.
func (r *renderer) window(w Window, when string) []string {
	switch w := w.(type) {
	case Merge:
		return []string{r.merge(w, when, strconv.FormatInt(w.Limit, 10))}
	case Parts:
		var selects []string
		for _, part := range w.Parts {
			selects = append(selects, r.window(part, when)...)
		}
		return selects
	case Probe:
		return []string{r.probe(w)}
	case Sample:
		// The extra id shows whether the set is larger than the sample.
		r.with = append(r.with, "few AS MATERIALIZED ("+r.set(w.Of)+" LIMIT "+strconv.FormatInt(w.Most+1, 10)+")")
		most := strconv.FormatInt(w.Most, 10)
		return append(r.window(w.All, joinAnd(when, "(SELECT count(*) FROM few) <= "+most)),
			r.window(w.Else, joinAnd(when, "(SELECT count(*) FROM few) > "+most))...)
	default:
		panic("entryquery: an unknown window")
	}
}

func joinAnd(conditions ...string) string {
	var kept []string
	for _, c := range conditions {
		if c != "" {
			kept = append(kept, c)
		}
	}
	return strings.Join(kept, " AND ")
}

// probe returns a SELECT that reads the first rows of a scan and then filters them.
func (r *renderer) probe(p Probe) string {
	first := p.Scan
	first.Filter = Constant(true)
	columns := append([]string{"i.entry_id", "i.serves", "i.serves_draft", "i.signature"}, prefixed("i.", entryindex.Included(first.Index))...)
	for _, key := range first.Selected {
		if name := key.Of.(Column).Name; name != "entry_id" && !hasSuffix(columns, "."+name) { //nolint:errcheck // Probe scans by columns
			columns = append(columns, "i."+name)
		}
	}
	if !hasSuffix(columns, "."+first.Index) {
		columns = append(columns, "i."+first.Index)
	}
	rows := "SELECT " + strings.Join(columns, ", ") + r.from(first, "") + " ORDER BY " + r.order(first.Keys, true) + " LIMIT " + strconv.FormatInt(p.Rows, 10)
	return "SELECT " + r.columns(p.Scan) + " FROM (" + rows + ") i WHERE " + r.cond(p.Scan.Filter) + " LIMIT " + strconv.FormatInt(p.Limit, 10)
}

func prefixed(prefix string, names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = prefix + name
	}
	return all
}

func hasSuffix(all []string, suffix string) bool {
	for _, one := range all {
		if strings.HasSuffix(one, suffix) {
			return true
		}
	}
	return false
}

// merge returns a SELECT of the first limit rows of several scans. It reads no rows unless
// when is true.
func (r *renderer) merge(m Merge, when, limit string) string {
	where := ""
	if when != "" {
		where, limit = r.syntax.LimitWhen(when, limit)
	}
	selects, orders := make([]string, len(m.Scans)), make([]string, len(m.Scans))
	for i, scan := range m.Scans {
		selects[i] = "SELECT " + r.columns(scan) + r.from(scan, where)
		orders[i] = r.order(scan.Keys, true)
	}
	if len(selects) > 1 {
		return r.syntax.Merge(selects, orders, r.order(m.Scans[0].Keys, false), limit)
	}
	return selects[0] + " ORDER BY " + orders[0] + " LIMIT " + limit
}

// MergeLimited implements [Syntax].Merge by limiting each SELECT.
func MergeLimited(selects, orders []string, order, limit string) string {
	limit = " LIMIT " + limit
	limited := make([]string, len(selects))
	for i, s := range selects {
		limited[i] = s + " ORDER BY " + orders[i] + limit
	}
	return unionAll(limited) + " ORDER BY " + order + limit
}

// unionAll joins SELECTs with UNION ALL. Each may have an ORDER BY and a LIMIT.
func unionAll(selects []string) string {
	if len(selects) == 1 {
		return selects[0]
	}
	var text strings.Builder
	for i, s := range selects {
		if i > 0 {
			text.WriteString(" UNION ALL ")
		}
		text.WriteString("SELECT * FROM (" + s + ") u" + strconv.Itoa(i))
	}
	return text.String()
}

// columns returns the SELECT list of a window.
func (r *renderer) columns(scan IndexScan) string {
	columns := "i.entry_id, i." + scan.Rows.Mask
	for _, key := range scan.Selected {
		if key.Field != core.SystemID {
			columns += ", " + r.expr(key.Of) + " AS " + key.Name
		}
	}
	return columns
}

// from returns the part of a scan after its SELECT list.
func (r *renderer) from(scan IndexScan, when string) string {
	return " FROM entry_index i" + r.byIndex(scan.Index) + " WHERE " +
		joinAnd(when, r.rows("i", scan.Rows), omitTrue(r.cond(and(scan.Range, scan.Filter))))
}

// omitTrue returns "" for the condition TRUE.
func omitTrue(condition string) string {
	if condition == "TRUE" {
		return ""
	}
	return condition
}

func (r *renderer) byIndex(column string) string {
	switch column {
	case "":
		return ""
	case "entry_id":
		return r.syntax.By(PrimaryKey)
	default:
		return r.syntax.By("entry_index_" + column)
	}
}

// rows returns the condition that selects rows of entry_index.
func (r *renderer) rows(alias string, rows Rows) string {
	scope := alias + ".project_id = $1 AND " + alias + ".scope = " + r.expr(scopeOf(rows))
	if rows.Serving == 0 {
		return scope
	}
	return scope + " AND " + r.cond(Overlap{Column{Alias: alias, Name: rows.Mask}, rows.Serving})
}

// order returns the ORDER BY list of keys. ofScan writes them as the expressions of the
// index; otherwise they are names of selected columns.
func (r *renderer) order(keys []Key, ofScan bool) string {
	var order []string
	for _, key := range keys {
		term := key.Name
		if ofScan {
			if key.Constant {
				continue
			}
			term = r.expr(key.Of)
		}
		if key.Desc {
			term += " DESC"
		}
		if key.Nullable {
			term += " NULLS LAST"
		}
		order = append(order, term)
	}
	return strings.Join(order, ", ")
}

// set returns a SELECT of the ids of a set.
func (r *renderer) set(s Set) string {
	switch s := s.(type) {
	case SlotSet:
		scopes := make([]Cond, len(s.Locales))
		for i, rows := range s.Locales {
			scopes[i] = Compare{Column{Alias: "i", Name: "scope"}, "=", scopeOf(rows)}
		}
		return "SELECT i.entry_id FROM entry_index i" + r.byIndex(s.Index) + " WHERE i.project_id = $1 AND " + r.cond(and(or(scopes...), s.Where))
	case ValueSet:
		return "SELECT v.entry_id FROM entry_values v WHERE " + r.cond(s.Where)
	case TargetSet:
		targets := "(SELECT r.group_id FROM entry_index r WHERE " + r.cond(s.Where) + ") g"
		return "SELECT v.entry_id FROM " + r.syntax.ForEach(targets, "entry_values", "v", r.cond(s.Links))
	case TextSet:
		return r.textSet(s)
	case EntryGroups:
		return "SELECT g.group_id FROM entries g JOIN entry_index s" + r.syntax.By("entry_index_group") + " ON " + r.cond(s.Join) + " WHERE " + r.cond(s.Where)
	case SampleSet:
		if s.Limit == 0 {
			return "SELECT entry_id FROM few"
		}
		order := "entry_id"
		if s.Desc {
			order += " DESC"
		}
		return "SELECT DISTINCT entry_id FROM few ORDER BY " + order + " LIMIT " + strconv.FormatInt(s.Limit, 10)
	default:
		panic("entryquery: an unknown set")
	}
}

// The size up to which the texts of a collection are read without the trigram index. The
// statement estimates the size from the number of entries and the average length of a few
// texts at both ends of an index.
const (
	maxTextBytes = 1 << 20
	bytesPerText = 256 // cost of reading a row, in bytes of text
	sampledTexts = 8   // at each end
)

// textSet returns a SELECT of the entries whose texts contain a pattern.
func (r *renderer) textSet(s TextSet) string {
	texts, own := r.cond(s.Texts), r.cond(s.Own)
	contains := r.syntax.Contains("t.text", r.expr(s.Pattern))
	at := func(direction string) string {
		return "SELECT entry_id, octet_length(text) + " + strconv.Itoa(bytesPerText) + " AS bytes FROM entry_texts t WHERE " + own +
			" ORDER BY field_id" + direction + ", locale" + direction + " LIMIT " + strconv.Itoa(sampledTexts)
	}
	entries := "SELECT coalesce(sum(entries), 0) FROM entry_counters WHERE project_id = $1 AND collection_id = " + r.expr(s.Collection) +
		" AND state = " + strconv.Itoa(int(core.StateWithDraft))
	reading := "SELECT (" + entries + ") * coalesce(sum(bytes), 0) <= " + strconv.Itoa(maxTextBytes) + " * count(DISTINCT entry_id) AS little" +
		" FROM (" + unionAll([]string{at(""), at(" DESC")}) + ") s"
	return "WITH reading AS MATERIALIZED (" + reading + ") SELECT t.entry_id FROM " +
		r.syntax.ForEach("(SELECT 1 FROM reading WHERE little) g", "entry_texts", "t", joinAnd(texts, own, contains)) +
		" UNION ALL SELECT t.entry_id FROM (SELECT 1 FROM reading WHERE NOT little) g CROSS JOIN " +
		r.syntax.Search("$1", r.expr(s.Search)) + " WHERE " + texts
}

// number returns a count as an expression.
func (r *renderer) number(n Count) string {
	switch n := n.(type) {
	case CountAll:
		text := "SELECT coalesce(sum(c.entries), 0) FROM entry_counters c WHERE c.project_id = $1 AND c.collection_id = $2 AND c.state = " + strconv.Itoa(int(n.State))
		if n.Serving != 0 {
			text += " AND " + r.cond(Overlap{Column{Alias: "c", Name: "serves"}, n.Serving})
		}
		return "(" + text + ")"
	case CountScan:
		return "(SELECT count(*)" + r.from(n.Scan, "") + ")"
	case CountSet:
		counted := "*"
		if n.Distinct {
			counted = "DISTINCT h.entry_id"
		}
		return "(SELECT count(" + counted + ") FROM (" + r.set(n.Set) + ") h)"
	case Sum:
		terms := make([]string, len(n))
		for i, one := range n {
			terms[i] = r.number(one)
		}
		return "(" + strings.Join(terms, " + ") + ")"
	case Difference:
		return "(" + r.number(n.All) + " - " + r.number(n.Without) + ")"
	case Fewest:
		first := r.scannedRows(n.First.Scan, n.Most)
		fewer := make([]string, len(n.Others))
		for i, other := range n.Others {
			fewer[i] = first + " <= " + r.scannedRows(other.Scan, n.Most)
		}
		return "(CASE WHEN " + strings.Join(fewer, " AND ") + " THEN " + r.number(n.First) + " ELSE " + r.number(n.Else) + " END)"
	default:
		panic("entryquery: an unknown count")
	}
}

// scannedRows returns an expression: the number of rows that a scan reads, up to most.
func (r *renderer) scannedRows(scan IndexScan, most int64) string {
	scan.Filter = always
	return "(SELECT count(*) FROM (SELECT 1" + r.from(scan, "") + " LIMIT " + strconv.FormatInt(most, 10) + ") x)"
}

// bind adds an argument, once per key, and returns its placeholder.
func (r *renderer) bind(key, value any) string {
	place, ok := r.places[key]
	if !ok {
		r.args = append(r.args, value)
		place = "$" + strconv.Itoa(len(r.args))
		r.places[key] = place
	}
	return place
}
