package entryquery

import (
	"slices"
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

// renderer renders one statement. Its methods append to text.
type renderer struct {
	syntax  Syntax
	text    []byte
	args    []any
	places  map[any]int      // numbers of arguments, by *Arg, *List or the name of a number
	lists   map[*List]string // the text of lists with several values
	with    []string
	samples int    // number of samples in with
	few     string // the name of the sample that SampleSet reads
}

func newRenderer(syntax Syntax, c *core.Collection) *renderer {
	const usual = 2 << 10 // bytes of a statement
	r := &renderer{syntax: syntax, text: make([]byte, 0, usual), args: make([]any, 0, 8)}
	r.args = append(r.args, c.ProjectID, c.ID)
	return r
}

// render returns the statement that do renders.
func render(syntax Syntax, c *core.Collection, do func(r *renderer)) Statement {
	r := newRenderer(syntax, c)
	do(r)
	text := string(r.text)
	if len(r.with) > 0 {
		text = "WITH " + strings.Join(r.with, ", ") + " " + text
	}
	return Statement{text, r.args}
}

// Page renders a page. Each row has the columns of RowColumns, followed by the total if the
// plan has one, and then by more columns, each with ", " before it, in which $1 is the Project.
func Page(syntax Syntax, c *core.Collection, f *Fetch, more ...string) Statement {
	return render(syntax, c, func(r *renderer) {
		r.write("SELECT ")
		r.rowColumns("p."+entryindex.MaskOf(f.State), f.State, f.Known, f.Without)
		if f.Total != nil {
			r.write(", CAST(")
			r.count(f.Total)
			r.write(" AS bigint)")
		}
		r.write(more...)
		r.write(" FROM (")
		r.page(f)
		r.write(") p", r.syntax.ForEach("entries", "e", "e.project_id = $1 AND e.id = p.entry_id"))
	})
}

// Counted renders a total, followed by more as in Page.
func Counted(syntax Syntax, c *core.Collection, n Count, more ...string) Statement {
	return render(syntax, c, func(r *renderer) {
		r.write("SELECT CAST(")
		r.count(n)
		r.write(" AS bigint)")
		r.write(more...)
	})
}

func (r *renderer) write(texts ...string) {
	for _, text := range texts {
		r.text = append(r.text, text...)
	}
}

func (r *renderer) number(n int64) { r.text = strconv.AppendInt(r.text, n, 10) }

// part returns what do renders, instead of appending it.
func (r *renderer) part(do func()) string {
	start := len(r.text)
	do()
	text := string(r.text[start:])
	r.text = r.text[:start]
	return text
}

// page renders a SELECT of the rows of the page.
func (r *renderer) page(f *Fetch) {
	if deep, ok := f.Window.(Deep); ok {
		r.deep(deep)
		return
	}
	selects := r.selects(nil, f.Window, "")
	if f.Offset > 0 {
		r.write("SELECT * FROM (")
		r.unionAll(selects)
		r.write(") m LIMIT ")
		r.bind("limit", f.Limit+1)
		r.write(" OFFSET ")
		r.bind("offset", f.Offset)
		return
	}
	r.unionAll(selects)
	if len(selects) > 1 {
		r.write(" LIMIT ")
		r.number(f.Limit + 1)
	}
}

// deep renders a SELECT of the rows of a deep page.
func (r *renderer) deep(d Deep) {
	limit, skip := strconv.FormatInt(d.Limit, 10), "(SELECT skip FROM mark)"
	r.with = append(r.with, "mark AS MATERIALIZED ("+r.part(func() { r.mark(d) })+")")
	first := r.part(func() { r.merge(d.First, "", skip+" + "+limit) })
	r.with = append(r.with, "reached AS MATERIALIZED (SELECT * FROM ("+first+") m LIMIT "+limit+" OFFSET "+skip+")")
	where, limited := r.syntax.LimitWhen("(SELECT count(*) FROM reached) >= "+limit, limit)
	columns := "entry_id, " + d.First.Scans[0].Rows.Mask
	otherwise := r.selects(nil, d.Else, "(SELECT count(*) FROM reached) < "+limit)
	r.write("SELECT * FROM (SELECT ", columns, " FROM reached WHERE ", where, " LIMIT ", limited, ") u0 UNION ALL ",
		"SELECT * FROM (SELECT ", columns, " FROM (")
	r.unionAll(otherwise)
	r.write(") m LIMIT ", limit, " OFFSET ")
	r.bind("offset", d.Offset)
	r.write(") u1")
}

// mark renders a SELECT of the start of a deep page. bound is the boundary of the bucket in
// which the page begins, and skip the number of rows of that bucket before the page. If the
// offset is beyond the last row, bound is null and the page has no rows.
func (r *renderer) mark(d Deep) {
	bound, order := "max(m.bucket) + 1", "m.bucket DESC"
	if !d.Desc {
		bound, order = "min(m.bucket)", "m.bucket"
	}
	r.write("SELECT (", bound, ") * ", strconv.Itoa(1<<entryindex.BucketBits(d.Place)), " AS bound, coalesce(")
	r.bind("offset", d.Offset)
	r.write(" - CAST(min(m.upto - m.entries) AS bigint), 0) AS skip FROM (",
		"SELECT m.bucket, sum(m.entries) AS entries, sum(sum(m.entries)) OVER (ORDER BY ", order, ") AS upto FROM (")
	for i, scan := range d.First.Scans {
		if i > 0 {
			r.write(" UNION ALL ")
		}
		r.write("SELECT y.bucket, y.entries FROM entry_buckets y WHERE ")
		r.rows("y", scan.Rows)
		r.write(" AND y.place = ", strconv.Itoa(d.Place))
	}
	r.write(") m GROUP BY m.bucket) m WHERE m.upto > ")
	r.bind("offset", d.Offset)
}

// windowSelect is a Merge or a Probe, which is one SELECT. It reads no rows unless when is
// true. when is a condition without columns; "" is true.
type windowSelect struct {
	window Window
	when   string
	few    string // the name of the sample that window uses
}

// selects appends the SELECTs of w. The rows of w are their rows, one SELECT after the other.
func (r *renderer) selects(to []windowSelect, w Window, when string) []windowSelect {
	switch w := w.(type) {
	case Parts:
		for _, part := range w.Parts {
			to = r.selects(to, part, when)
		}
		return to
	case Fallback:
		r.with = append(r.with, "counted AS MATERIALIZED ("+r.part(func() {
			r.write("SELECT coalesce(sum(c.entries), 0) <= ", strconv.FormatInt(w.Most, 10), " AS few FROM entry_counters c",
				" WHERE c.project_id = $1 AND c.collection_id = $2 AND c.state = ", strconv.Itoa(int(core.StatePublished)), " AND ")
			r.cond(Overlap{column("c", "serves"), w.Served})
			r.write(" AND ")
			r.cond(Overlap{column("c", "serves"), w.Others})
		})+")")
		to = r.selects(to, w.Few, joinAnd(when, "(SELECT few FROM counted)"))
		return r.selects(to, w.Else, joinAnd(when, "NOT (SELECT few FROM counted)"))
	case Sample:
		most := strconv.FormatInt(w.Most, 10)
		few := "few"
		if r.samples > 0 {
			few += strconv.Itoa(r.samples)
		}
		r.samples++
		// The extra id shows whether the set is larger than the sample.
		r.with = append(r.with, few+" AS MATERIALIZED ("+r.setText(w.Of)+" LIMIT "+strconv.FormatInt(w.Most+1, 10)+")")
		first := len(to)
		to = r.selects(to, w.All, joinAnd(when, "(SELECT count(*) FROM "+few+") <= "+most))
		for i := range to[first:] {
			to[first+i].few = few
		}
		return r.selects(to, w.Else, joinAnd(when, "(SELECT count(*) FROM "+few+") > "+most))
	default:
		return append(to, windowSelect{window: w, when: when})
	}
}

func joinAnd(condition, other string) string {
	if condition == "" {
		return other
	}
	return condition + " AND " + other
}

// unionAll renders SELECTs joined by UNION ALL.
func (r *renderer) unionAll(selects []windowSelect) {
	for i, s := range selects {
		if i > 0 {
			r.write(" UNION ALL ")
		}
		if len(selects) > 1 {
			r.write("SELECT * FROM (")
		}
		r.few = s.few
		switch w := s.window.(type) {
		case Merge:
			r.merge(w, s.when, strconv.FormatInt(w.Limit, 10))
		case Ranked:
			r.ranked(w, s.when)
		case Probe:
			r.probe(w)
		case Tally:
			r.tally(w, s.when)
		default:
			panic("entryquery: an unknown window")
		}
		if len(selects) > 1 {
			r.write(") u", strconv.Itoa(i))
		}
	}
}

// probe renders a SELECT that reads the first rows of a scan and then filters them.
func (r *renderer) probe(p Probe) {
	r.write("SELECT ")
	r.columns(p.Scan)
	r.write(" FROM (SELECT i.entry_id, i.serves, i.serves_draft, i.signature")
	for _, name := range probedColumns(p.Scan) {
		r.write(", i.", name)
	}
	first := p.Scan
	first.Filter = always
	r.from(first, "")
	r.orderBy(first.Keys, true)
	r.write(" LIMIT ")
	r.number(p.Rows)
	r.write(") i WHERE ")
	r.cond(p.Scan.Filter)
	r.write(" LIMIT ")
	r.number(p.Limit)
}

// probedColumns returns the columns of the index of a scan that its keys and filter may use.
func probedColumns(scan IndexScan) []string {
	included := entryindex.Included(scan.Index)
	columns := append(make([]string, 0, len(included)+len(scan.Selected)+1), included...)
	add := func(name string) {
		if name != "entry_id" && !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	for _, key := range scan.Selected {
		add(indexOf(key)) // Probe scans by columns
	}
	add(scan.Index)
	return columns
}

// merge renders a SELECT of the first limit rows of several scans. It reads no rows unless
// when is true.
func (r *renderer) merge(m Merge, when, limit string) {
	where := ""
	if when != "" {
		where, limit = r.syntax.LimitWhen(when, limit)
	}
	several := len(m.Scans) > 1
	limitEach := several && (m.Sorts || r.syntax.LimitScans())
	for i, scan := range m.Scans {
		if i > 0 {
			r.write(" UNION ALL ")
		}
		if limitEach {
			r.write("SELECT * FROM (")
		}
		r.write("SELECT ")
		r.columns(scan)
		r.from(scan, where)
		if limitEach {
			r.orderBy(scan.Keys, true)
			r.write(" LIMIT ", limit, ") u", strconv.Itoa(i))
		}
	}
	r.orderBy(m.Scans[0].Keys, !several)
	r.write(" LIMIT ", limit)
}

// columns renders the SELECT list of a window.
func (r *renderer) columns(scan IndexScan) {
	r.write("i.entry_id, i.", scan.Rows.Mask)
	for _, key := range scan.Selected {
		if key.Field != core.SystemID {
			r.write(", ")
			r.expr(key.Of)
			r.write(" AS ", key.Name)
		}
	}
}

// from renders the part of a scan after its SELECT list.
func (r *renderer) from(scan IndexScan, when string) {
	r.write(" FROM entry_index i", r.byIndex(scan.Index), " WHERE ")
	if when != "" {
		r.write(when, " AND ")
	}
	r.rows("i", scan.Rows)
	for _, c := range [...]Cond{scan.Range, scan.Filter} {
		if c != Cond(always) {
			r.write(" AND ")
			r.cond(c)
		}
	}
}

func (r *renderer) byIndex(column string) string {
	if column == "entry_id" {
		return r.syntax.By(PrimaryKey)
	}
	return r.syntax.By("entry_index_" + column)
}

// rows renders the condition that selects rows of entry_index.
func (r *renderer) rows(alias string, rows Rows) {
	r.write(alias, ".project_id = $1 AND ", alias, ".scope = ")
	r.expr(scopeOf(rows))
	if rows.Serving != 0 {
		r.write(" AND ")
		r.cond(Overlap{column(alias, rows.Mask), rows.Serving})
	}
}

// orderBy renders the ORDER BY clause of keys. ofScan writes them as the expressions of the
// index; otherwise they are names of selected columns.
func (r *renderer) orderBy(keys []Key, ofScan bool) {
	before := " ORDER BY "
	for _, key := range keys {
		if ofScan && key.Constant {
			continue
		}
		r.write(before)
		before = ", "
		if ofScan {
			r.expr(key.Of)
		} else {
			r.write(key.Name)
		}
		if key.Desc {
			r.write(" DESC")
		}
		if key.Nullable {
			r.write(" NULLS LAST")
		}
	}
}

func (r *renderer) setText(s Set) string { return r.part(func() { r.set(s) }) }

// set renders a SELECT of the ids of a set.
func (r *renderer) set(s Set) {
	switch s := s.(type) {
	case SlotSet:
		scopes := make([]Cond, len(s.Locales))
		for i, rows := range s.Locales {
			scopes[i] = equals("i", "scope", scopeOf(rows))
		}
		r.write("SELECT i.entry_id FROM entry_index i", r.byIndex(s.Index), " WHERE i.project_id = $1 AND ")
		r.cond(and(or(scopes...), s.Where))
	case ValueSet:
		r.write("SELECT v.entry_id FROM entry_values v WHERE ")
		r.cond(s.Where)
	case TargetSet:
		r.write("SELECT v.entry_id FROM (SELECT r.group_id FROM entry_index r WHERE ")
		r.cond(s.Where)
		r.write(") g", r.syntax.ForEach("entry_values", "v", r.condText(s.Links)))
	case TextSet:
		r.textSet(s)
	case EntryGroups:
		r.write("SELECT g.group_id FROM entries g JOIN entry_index s", r.syntax.By("entry_index_group"), " ON ")
		r.cond(s.Join)
		r.write(" WHERE ")
		r.cond(s.Where)
	case RequestSet:
		r.write("SELECT q.entry_id FROM request_items q", r.syntax.By(statusIndex), " WHERE ")
		r.cond(s.Where)
	case ScheduleSet:
		r.write("SELECT s.entry_id FROM schedules s", r.syntax.By(s.Index), " WHERE ")
		r.cond(s.Where)
	case MemberSet:
		r.write("SELECT i.entry_id FROM entry_index i", r.syntax.By("entry_index_group"), " WHERE i.project_id = $1 AND i.group_id IN (")
		r.set(s.Groups)
		r.write(")")
	case EditedSet:
		r.write("SELECT e.id AS entry_id FROM entries e", r.syntax.By("entries_edited"),
			" WHERE e.project_id = $1 AND e.collection_id = $2 AND e.updated_by <> 0 AND e.trashed_at IS NULL AND e.updated_by = ")
		r.expr(s.By)
		if s.Locale != nil {
			r.write(" AND e.locale = ")
			r.expr(s.Locale)
		}
	case RewordedSet:
		r.rewordedSet(s)
	case WordsSet:
		for i, scan := range s {
			if i > 0 {
				r.write(" UNION ALL ")
			}
			r.write("SELECT f.entry_id FROM (", r.syntax.WordsFound(r.exprText(scopeOf(scan.Rows)), r.exprText(scan.Words)), ") f")
		}
	case Union:
		for i, one := range s {
			if i > 0 {
				r.write(" UNION ALL ")
			}
			r.set(one)
		}
	case SampleSet:
		r.sampleSet(s)
	case ServingSet:
		r.write("SELECT i.entry_id")
		r.from(IndexScan{Rows: s.Rows, Index: "serves", Range: ServesOthers{column("i", s.Rows.Mask)}, Filter: always}, "")
	default:
		panic("entryquery: an unknown set")
	}
}

func (r *renderer) rewordedSet(s RewordedSet) {
	r.write("SELECT e.id FROM entries e", r.syntax.By("entries_sealed"), " WHERE e.project_id = $1 AND e.collection_id = $2 AND e.published_media IS NOT NULL",
		" AND EXISTS (SELECT 1 FROM entry_values v LEFT JOIN media m ON m.project_id = v.project_id AND m.id = v.ref AND m.removed_at IS NULL",
		" WHERE v.project_id = $1 AND v.collection_id = $2 AND v.entry_id = e.id AND v.ref IS NOT NULL AND (v.versions & ", strconv.Itoa(int(entryindex.InDraft)), ") <> 0 AND ")
	r.cond(s.Fields)
	r.write(" AND ", r.syntax.Reworded("e.published_media", "v.ref", "m"), ")")
}

func (r *renderer) sampleSet(s SampleSet) {
	if s.Limit == 0 {
		r.write("SELECT entry_id FROM ", r.few)
		return
	}
	r.write("SELECT DISTINCT entry_id FROM ", r.few, " ORDER BY entry_id")
	if s.Desc {
		r.write(" DESC")
	}
	r.write(" LIMIT ")
	r.number(s.Limit)
}

// The size up to which the texts of a collection are read without the trigram index. The
// statement estimates the size from the number of entries and the average length of a few
// texts at both ends of an index.
const (
	maxTextBytes = 1 << 20
	bytesPerText = 256 // cost of reading a row, in bytes of text
	sampledTexts = 8   // at each end
)

// textSet renders a SELECT of the entries whose texts contain a pattern.
func (r *renderer) textSet(s TextSet) {
	texts, own := r.condText(s.Texts), r.condText(s.Own)
	contains := r.syntax.Contains("t.text", r.exprText(s.Pattern))
	r.write("WITH reading AS MATERIALIZED (SELECT (SELECT coalesce(sum(entries), 0) FROM entry_counters WHERE project_id = $1 AND collection_id = ")
	r.expr(s.Collection)
	r.write(" AND state = ", strconv.Itoa(int(core.StateWithDraft)), ") * coalesce(sum(bytes), 0) <= ", strconv.Itoa(maxTextBytes),
		" * count(DISTINCT entry_id) AS little FROM (")
	for i, direction := range [...]string{"", " DESC"} {
		if i > 0 {
			r.write(" UNION ALL ")
		}
		r.write("SELECT * FROM (SELECT entry_id, octet_length(text) + ", strconv.Itoa(bytesPerText), " AS bytes FROM entry_texts t WHERE ", own,
			" ORDER BY field_id", direction, ", locale", direction, " LIMIT ", strconv.Itoa(sampledTexts), ") u", strconv.Itoa(i))
	}
	r.write(") s) SELECT t.entry_id FROM (SELECT 1 FROM reading WHERE little) g",
		r.syntax.ForEach("entry_texts", "t", texts+" AND "+own+" AND "+contains),
		" UNION ALL SELECT t.entry_id FROM (SELECT 1 FROM reading WHERE NOT little) g CROSS JOIN ",
		r.syntax.Search("= $1", r.exprText(s.Search)), " WHERE ", texts)
}

// count renders a count as an expression.
func (r *renderer) count(n Count) {
	r.write("(")
	switch n := n.(type) {
	case CountAll:
		r.write("SELECT coalesce(sum(c.entries), 0) FROM entry_counters c WHERE c.project_id = $1 AND c.collection_id = $2 AND c.state = ", strconv.Itoa(int(n.State)))
		if n.Serving != 0 {
			r.write(" AND ")
			r.cond(Overlap{column("c", "serves"), n.Serving})
		}
	case CountScan:
		r.write("SELECT count(*)")
		r.from(n.Scan, "")
	case CountSet:
		counted := "*"
		if n.Distinct {
			counted = "DISTINCT h.entry_id"
		}
		r.write("SELECT count(", counted, ") FROM (")
		r.set(n.Set)
		r.write(") h")
	case Sum:
		for i, one := range n {
			if i > 0 {
				r.write(" + ")
			}
			r.count(one)
		}
	case Difference:
		r.count(n.All)
		r.write(" - ")
		r.count(n.Without)
	case Fewest:
		r.fewest(n)
	default:
		panic("entryquery: an unknown count")
	}
	r.write(")")
}

func (r *renderer) fewest(n Fewest) {
	first := r.part(func() { r.scannedRows(n.First.Scan, n.Most) })
	before := "CASE WHEN "
	for _, other := range n.Others {
		r.write(before, first, " <= ")
		r.scannedRows(other.Scan, n.Most)
		before = " AND "
	}
	r.write(" THEN ")
	r.count(n.First)
	r.write(" ELSE ")
	r.count(n.Else)
	r.write(" END")
}

// scannedRows renders an expression: the number of rows that a scan reads, up to most.
func (r *renderer) scannedRows(scan IndexScan, most int64) {
	scan.Filter = always
	r.write("(SELECT count(*) FROM (SELECT 1")
	r.from(scan, "")
	r.write(" LIMIT ")
	r.number(most)
	r.write(") x)")
}

// bind adds an argument, once per key, and renders its placeholder.
func (r *renderer) bind(key, value any) {
	place, ok := r.places[key]
	if !ok {
		r.args = append(r.args, value)
		place = len(r.args)
		if r.places == nil {
			r.places = map[any]int{}
		}
		r.places[key] = place
	}
	r.write("$")
	r.number(int64(place))
}
