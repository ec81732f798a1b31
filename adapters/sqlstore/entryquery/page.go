package entryquery

import (
	"bytes"
	"math/bits"
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// Plan plans the page of sel. If withTotal is set, which needs a selection without conditions,
// the statement also reads the total. Plan returns nil if the selection cannot have rows.
func Plan(sel query.Selection, withTotal bool) *Read {
	p := &planner{sel: sel, withTotal: withTotal}
	p.branches = p.selected()
	if len(p.branches) == 0 {
		return nil
	}
	read := &Read{planner: p}
	if sel.Offset == 0 && !sel.OfEntry() && sel.Search == nil && !p.precedes(sel.Sort[0].Field, nil) {
		read.First = p.first()
	}
	return read
}

// first plans a statement that is cheaper than Page and fills most pages. It returns nil if no
// such statement exists.
func (p *planner) first() *Fetch {
	if sampled, _ := p.clauseToSample(); sampled != nil {
		return p.probe(sampled)
	}
	return p.firstPart()
}

// Page plans the page.
func (r *Read) Page() *Fetch { return r.planner.fetch(r.planner.window()) }

func (p *planner) fetch(window Window) *Fetch {
	f := &Fetch{Window: window, Limit: p.sel.Limit, Offset: p.sel.Offset, State: p.sel.State, Without: p.sel.Without}
	f.Known.CollectionID = p.sel.Schema.Collection.ID
	if p.oneLocale() {
		f.Known.Locale = p.sel.Schema.Project.Locales[p.branches[0].rows.Locale]
	}
	if p.withTotal {
		f.Total = p.countAll()
	}
	return f
}

// probe plans a page from the first rows in the order. It filters them by signature; the
// documents, which are read anyway, confirm the matches. This fills the page if many rows
// match. probe returns nil if it is not applicable.
func (p *planner) probe(sampled *query.Predicate) *Fetch {
	if !hasSignature(sampled) || sampled.Field.Unique || len(p.branches) > 1 || p.sel.Without&query.RowDocument != 0 {
		return nil
	}
	b := p.branches[0]
	b.row.lookup = rowTextLookups
	scan := p.scan(b, p.keys(b), nil, onDocuments)
	if slices.ContainsFunc(scan.Selected, func(k Key) bool { return indexOf(k) == "" }) {
		return nil // a key is not in entry_index
	}
	f := p.fetch(Probe{Scan: scan, Rows: probedRows, Limit: p.sel.Limit + 1})
	for i := range p.sel.Where {
		if c := &p.sel.Where[i]; hasSignature(c) {
			f.Confirm = append(f.Confirm, c)
		}
	}
	return f
}

// FillsPage reports whether the rows that f has read are a full page of correct matches.
func (f *Fetch) FillsPage(rows []core.Row) bool {
	if int64(len(rows)) <= f.Limit {
		return false
	}
	for _, c := range f.Confirm {
		if !allMatch(rows, c) {
			return false
		}
	}
	return true
}

// allMatch reports whether each document has one of the values of c, an equality.
func allMatch(rows []core.Row, c *query.Predicate) bool {
	var matching []byte // the value of the row before
	for i := range rows {
		raw := rows[i].Document.Value(c.Field.Name)
		if raw != nil && bytes.Equal(raw, matching) {
			continue
		}
		value, ok := core.DecodeValue(c.Field.Type, raw)
		if !ok || !slices.Contains(c.Values, value) {
			return false
		}
		matching = raw
	}
	return true
}

// window plans the rows of the page. If few rows meet a condition, its own index is fastest.
// If many rows do, scanning in the order until the page is full is fastest. This depends on
// the value, and the statement must be the same for all values. So the statement decides, by
// a sample of the rows that meet one condition. Statuses with few entries need no decision.
func (p *planner) window() Window {
	if p.sel.Ranked() {
		return p.ranked()
	}
	if p.sel.Member != 0 {
		return p.fromMember()
	}
	if page := p.fromStatusSet(); page != nil {
		return page
	}
	if p.sel.EditedBy != 0 {
		return p.fromEdited()
	}
	if p.sel.Search != nil {
		return p.fromWords()
	}
	sampled, most := p.clauseToSample()
	if sampled == nil {
		return p.ordered(rowLookups)
	}
	return Sample{Of: p.sampleSet(sampled), Most: most, All: p.fromSample(sampled), Else: p.ordered(rowTextLookups)}
}

// rowsNeeded returns how many rows of the order a page needs. For a page with an offset it is
// rounded up to a power of two, so that few statement texts serve all offsets; the statement
// then applies the exact limit and offset to these rows.
func (p *planner) rowsNeeded() int64 {
	if p.sel.Offset == 0 {
		return p.sel.Limit + 1
	}
	return 1 << bits.Len64(uint64(p.sel.Offset+p.sel.Limit))
}

// ordered plans the page along the index that orders it. Rows without a value of the first
// key are not in that index. They come last, ordered by the next key, and are read only if
// the rows before them do not fill the page.
func (p *planner) ordered(l lookup) Window {
	all := p.orderedParts(l, false)
	if _, isDeep := all.(Deep); isDeep {
		return all
	}
	return p.fallingBack(all, func() Window { return p.orderedParts(l, true) })
}

// fallingBack returns all, or few instead if few entries stand in for missing translations: a scan of their
// locales in the order of the page would read all translated entries. While the index of locales changes, rows have
// further bits, and the index of rows with several has too many.
func (p *planner) fallingBack(all Window, few func() Window) Window {
	served, one := p.servedLocale()
	if !one || len(p.branches) == 1 || p.sel.State != core.StatePublished || !p.sel.Schema.Project.Settled() {
		return all
	}
	others := uint64(0)
	for _, b := range p.branches[1:] {
		others |= p.maskOf(b.rows.Locale)
	}
	return Fallback{Served: served, Others: others, Most: maxServing, Few: few(), Else: all}
}

// orderedParts plans the parts of the order. fewServing means that few entries of other locales serve the
// requested one.
func (p *planner) orderedParts(l lookup, fewServing bool) Window {
	limit := p.rowsNeeded()
	first, nullable := p.orderedPart(l, nil, limit, fewServing)
	parts := Parts{Limit: limit}
	for part, nullFields := first, []*core.Field(nil); ; {
		if nullable == nil {
			parts.Parts = append(parts.Parts, part)
			break
		}
		if !p.precedes(nullable, nullFields) {
			parts.Parts = append(parts.Parts, part)
		}
		nullFields = append(nullFields, nullable)
		part, nullable = p.orderedPart(l, nullFields, limit, fewServing)
	}
	all := Window(parts)
	if len(parts.Parts) == 1 {
		all = parts.Parts[0]
	}
	if place := p.bucketPlace(first); place >= 0 && !fewServing {
		return p.deep(first, place, all)
	}
	return all
}

// maxFirstPart is the largest limit of a page that firstPart plans. If the rows with a value
// do not fill the page, they are read twice.
const maxFirstPart = query.DefaultLimit

// firstPart plans a page from the rows with a value of the first key. Postgres prepares each
// scan of a statement, even one that is not read: without the scan of the other rows, a page
// of 20 takes a sixth less time in the database. firstPart returns nil if it could read more
// rows than the page has.
func (p *planner) firstPart() *Fetch {
	if !p.sel.Whole() || len(p.branches) > 1 || p.sel.Limit > maxFirstPart {
		return nil
	}
	part, nullable := p.orderedPart(rowLookups, nil, p.rowsNeeded(), false)
	if nullable == nil {
		return nil // Page reads the same rows
	}
	return p.fetch(part)
}

// deepOffset is the smallest offset at which a page is read through bucket counts.
const deepOffset = 1 << 10

// bucketPlace returns the index in entryindex.BucketPlaces of the buckets that locate the
// page, or -1. Buckets count all published rows, ordered by an id or by a time and an id.
func (p *planner) bucketPlace(m Merge) int {
	keys := m.Scans[0].Selected
	if !p.sel.Whole() || p.sel.State != core.StatePublished || p.sel.Offset < deepOffset || keys[min(1, len(keys)-1)].Field != core.SystemID {
		return -1
	}
	return slices.Index(entryindex.BucketPlaces[:], indexOf(keys[0]))
}

func (p *planner) deep(first Merge, place int, otherwise Window) Window {
	d := Deep{Place: place, Desc: first.Scans[0].Selected[0].Desc, Limit: p.sel.Limit + 1, Offset: p.sel.Offset, Else: otherwise}
	d.First.Limit = d.Limit
	beyond := ">="
	if d.Desc {
		beyond = "<"
	}
	for _, scan := range first.Scans {
		scan.Range = and(scan.Range, Compare{scan.Selected[0].Of, beyond, BucketBound{}})
		d.First.Scans = append(d.First.Scans, scan)
	}
	return d
}

// orderedPart returns one part of the order along one index: the rows without a value of
// nullFields and with a value of the next key. nullable is the field of that key if rows may
// be without a value of it; these rows are the next part.
func (p *planner) orderedPart(l lookup, nullFields []*core.Field, limit int64, fewServing bool) (part Merge, nullable *core.Field) {
	part = Merge{Scans: make([]IndexScan, len(p.branches)), Limit: limit, Sorts: fewServing}
	for i, b := range p.branches {
		b.row.lookup = max(b.row.lookup, l)
		sorted := b
		sorted.row.computed = p.inStatusSet(&b) != nil // see lookedUp
		part.Scans[i] = p.scan(b, p.keys(sorted), nullFields, byLookup)
	}
	next := remainingKeys(part.Scans[0].Selected, nullFields)[0]
	if next.Nullable && indexOf(next) != "" && !p.neverNull(next.Field) {
		nullable = next.Field
	}
	if fewServing {
		for i, b := range p.branches[1:] {
			part.Scans[1+i] = p.standingIn(b, part.Scans[0].Keys, nullFields)
		}
	}
	return part, nullable
}

// standingIn plans the lookup of the entries that stand in for missing translations, with the values and
// without those that the part of the order has.
func (p *planner) standingIn(b branch, partKeys []Key, nullFields []*core.Field) IndexScan {
	b.row.lookup, b.row.computed = rowTextLookups, true
	scan := IndexScan{Rows: b.rows, Index: "entry_id", Range: In{Of: b.row.id(), Set: ServingSet{b.rows}, Small: true}, Selected: p.keys(b)}
	scan.Keys = slices.Clone(remainingKeys(scan.Selected, nullFields))
	scan.Keys[0].Nullable = partKeys[0].Nullable
	present := Cond(always)
	if first := scan.Keys[0]; !first.Nullable && first.Field != core.SystemID && !p.neverNull(first.Field) {
		present = NotNull{first.Of}
	}
	var absent []Cond
	for _, f := range nullFields {
		absent = append(absent, not(NotNull{b.row.column(p.columnOf(f))}))
	}
	scan.Filter = and(present, and(absent...), p.later(scan.Selected, b.rows.Locale), p.conditions(b.row, nil))
	return scan
}

// maxServing is the largest number of entries in place of missing translations that a page looks up and sorts.
const maxServing = 1000

// remainingKeys returns the keys after those of nullFields.
func remainingKeys(keys []Key, nullFields []*core.Field) []Key {
	for len(keys) > 0 && slices.Contains(nullFields, keys[0].Field) {
		keys = keys[1:]
	}
	return keys
}

// scan plans a scan of one branch.
func (p *planner) scan(b branch, selected []Key, nullFields []*core.Field, how confirmation) IndexScan {
	keys := remainingKeys(selected, nullFields)
	scan := IndexScan{Rows: b.rows, Index: "entry_id", Keys: keys, Selected: selected, Range: always}
	indexField := keys[0].Field
	if index := indexOf(keys[0]); index != "" {
		scan.Index = index
		if keys[0].Nullable || index == "released_at" {
			scan.Range = NotNull{keys[0].Of}
			scan.Keys = slices.Clone(keys)
			scan.Keys[0].Nullable = false
		}
	}
	if clause := p.drivingClause(); indexField == core.SystemID && clause != nil {
		scan.Index, indexField = clause.Field.Slot, clause.Field
	}
	var absent []Cond
	computed := b.row
	computed.computed = true
	for _, f := range nullFields {
		absent = append(absent, not(NotNull{computed.column(p.columnOf(f))}))
	}
	among := p.inStatusSet(&b)
	if among != nil {
		scan.Index, indexField = "entry_id", core.SystemID
		scan.Range = and(scan.Range, among)
	}
	indexRange, filter := p.split(b, indexField, how)
	start, later := p.after(&scan, nullFields, among != nil)
	scan.Range, scan.Filter = and(scan.Range, indexRange, start), and(and(absent...), later, filter)
	return scan
}

func (p *planner) columnOf(f *core.Field) string {
	if f.System() {
		return systemColumn(f, p.sel.State)
	}
	return f.Slot
}

// drivingClause returns the clause whose index is scanned for a page ordered by id, or nil:
// an equality with one value in a slot. The index has the rows of one value in id order.
func (p *planner) drivingClause() *query.Predicate {
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		if equality(c) && len(c.Values) == 1 && entryindex.Slotted(c.Field) && inRanges(c) {
			return c
		}
	}
	return nil
}

func equality(c *query.Predicate) bool { return c.Op == query.OpEqual || c.Op == query.OpIn }

// inRanges reports whether the rows that meet c are a few ranges of an index on its field.
func inRanges(c *query.Predicate) bool {
	return c.Relation == nil && c.Op.Indexable()
}

// confirmation is how a scan confirms that a row whose signature matches has the value.
type confirmation uint8

const (
	// onDocuments leaves it to the caller, which reads the documents of the rows.
	onDocuments confirmation = iota
	// byLookup looks up each row. A page needs few of them.
	byLookup
	// byProof looks up no row if the signature proves the value. A count needs many of them.
	byProof
)

// split divides the selection's conditions on the rows of b for a scan of the index of
// indexField: conditions on the index key, and the filter. The filter checks columns of the
// index first. For all other columns it looks up the row, after a check of the signature that
// excludes most rows. how selects the way in which a matching signature is confirmed.
func (p *planner) split(b branch, indexField *core.Field, how confirmation) (indexRange, filter Cond) {
	r, lookedUp := b.row, b.row
	r.computed, lookedUp.computed, lookedUp.alias = true, true, "c"
	var ranges, filters, others []Cond
	var signed []*query.Predicate
	lists := 0
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		switch {
		case c.Field == indexField && inRanges(c) && (lists == 0 || len(c.Values) < 2):
			// Two lists in one key would take a lookup for each pair of their values.
			if c.Op == query.OpIn {
				lists++
			}
			ranges = append(ranges, p.clause(b.row, c))
			continue
		case covered(c, indexField):
			filters = append(filters, p.clause(r, c))
			continue
		case hasSignature(c):
			filters = append(filters, p.signatureMatches(r, c))
			if c.Field.Type == core.TypeBoolean || how == onDocuments {
				continue
			}
			if len(c.Values) == 1 {
				signed = append(signed, c)
				continue
			}
		case c.Relation != nil || c.Op == query.OpLike || !c.Field.System() && !entryindex.Slotted(c.Field):
			filters = append(filters, p.clause(r, c)) // looks up other tables by id
			continue
		}
		others = append(others, p.clause(lookedUp, c))
	}
	indexRange = and(ranges...)
	for _, c := range signed {
		confirmed := p.indexLookup(b, c)
		if how == byProof && c.Field.Kind() == fieldtype.Text { // numbers have too few signatures
			confirmed = or(p.signatureProves(IndexScan{Rows: b.rows, Index: p.columnOf(indexField), Range: indexRange}, c), confirmed)
		}
		filters = append(filters, confirmed)
	}
	if remaining := and(append(others, p.groups(lookedUp))...); remaining != Cond(always) {
		filters = append(filters, rowLookup("c", b.rows, b.row.id(), remaining))
	}
	return indexRange, and(append(filters, p.translations(r), p.searched(r), p.edited(r), p.outdated(r), p.status(r))...)
}

// rowLookup returns the condition that the row of an entry in rows meets condition, which refers
// to the row by alias. The engine finds the row by primary key.
func rowLookup(alias string, rows Rows, id Column, condition Cond) Exists {
	return Exists{
		From:     Table{Name: "entry_index", Alias: alias, By: PrimaryKey},
		Where:    and(inProject(alias), equals(alias, "scope", scopeOf(rows)), equals(alias, "entry_id", id), condition),
		OneByOne: true,
	}
}

// signatureProves returns the condition that rows of scan need no lookup for c, an equality: if
// their signature matches, they have its value.
func (p *planner) signatureProves(scan IndexScan, c *query.Predicate) Cond {
	other := row{alias: "f"}
	return SignatureProves{
		Scan: scan, Index: c.Field.Slot,
		Other: and(p.signatureMatches(other, c), not(p.among(other.column("value"), entryindex.StorageOf(c.Field), c.Values))),
	}
}

// indexLookup returns the condition that the row of b has the value of c, an equality. The
// engine finds it in the index of c's slot: value and id are one key there.
func (p *planner) indexLookup(b branch, c *query.Predicate) Cond {
	lookedUp := b.row
	lookedUp.alias = "c"
	exists := rowLookup("c", b.rows, b.row.id(), p.clause(lookedUp, c))
	exists.From.By = "entry_index_" + c.Field.Slot
	return exists
}

// scopeOf returns the scope of rows of the selection's collection.
func scopeOf(r Rows) ScopeOf { return ScopeOf{collectionArg, entryindex.Scope(0, r.Shelf, r.Locale)} }

// covered reports whether the index of indexField has the column of c: its key, the id, the
// locale or an included slot.
func covered(c *query.Predicate, indexField *core.Field) bool {
	f := c.Field
	if c.Relation != nil || c.Op == query.OpLike {
		return false
	}
	if f == indexField || f == core.SystemID || f == core.SystemLocale {
		return true
	}
	return entryindex.Slotted(f) && slices.Contains(entryindex.Included(indexField.Slot), f.Slot)
}

// hasSignature reports whether a signature can exclude rows that do not meet c.
func hasSignature(c *query.Predicate) bool {
	return c.Relation == nil && entryindex.Slotted(c.Field) && entryindex.SignedPlace(c.Field) >= 0 && equality(c)
}

// signatureMatches returns the condition that r has the signature of one of c's values.
func (p *planner) signatureMatches(r row, c *query.Predicate) Cond {
	place, stored := entryindex.SignedPlace(c.Field), entryindex.StorageOf(c.Field)
	list := p.list(&c.Values[0], useSignature, func(l *List) {
		for _, v := range c.Values {
			signature := int64(entryindex.SignatureBits(place, entryindex.Argument(stored, v)))
			if !slices.Contains(l.Values, any(signature)) {
				l.Values = append(l.Values, signature)
			}
		}
	})
	return SignatureIn{column(r.alias, "signature"), entryindex.SignatureMask(place), list}
}
