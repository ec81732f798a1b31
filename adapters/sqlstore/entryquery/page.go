package entryquery

import (
	"math/bits"
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// Plan returns how the page of sel is read and, with withTotal set, its total beside it. It
// returns nil when no row can be in it.
func Plan(sel core.Selection, withTotal bool) *Read {
	p := newPlanner(sel)
	branches := p.branches()
	if len(branches) == 0 {
		return nil
	}
	read := &Read{planner: p, branches: branches, withTotal: withTotal}
	for _, key := range sel.Sort {
		if cutInOrder(key.Field) {
			read.cut = append(read.cut, key.Field)
		}
	}
	if !withTotal && !read.onlyWhole() {
		read.First = p.probe(branches)
	}
	return read
}

// Page plans the page. It returns nil where only Whole gives the page in order.
func (r *Read) Page() *Fetch {
	if r.onlyWhole() {
		return nil
	}
	return r.planner.page(r.branches, r.withTotal)
}

// Whole plans the page ordered by whole texts. It returns nil where no text can be cut.
func (r *Read) Whole() *Fetch {
	if len(r.cut) == 0 {
		return nil
	}
	p := *r.planner
	p.whole = true
	return p.page(r.branches, r.withTotal)
}

// onlyWhole reports whether the rows lack the documents that show whether texts are long.
func (r *Read) onlyWhole() bool {
	return len(r.cut) > 0 && r.planner.sel.Without&core.RowDocument != 0
}

// InOrder reports whether rows, as First or Page has read them, are in order. They are where
// no two texts beside each other are cut to the same, whether in the page or at its ends.
func (r *Read) InOrder(rows []core.Row) bool {
	for _, f := range r.cut {
		before, last := "", int(r.planner.sel.Limit)
		for i := range rows {
			value, _ := core.DecodeValue(f.Type, rows[i].Document.Value(f.Name))
			if len(value.Text) < cutFrom {
				before = ""
				continue
			}
			prefix := core.SortPrefix(value.Text)
			if prefix == before || i == 0 && r.planner.sel.Offset > 0 || i == last {
				return false
			}
			before = prefix
		}
	}
	return true
}

func (p *planner) page(branches []branch, withTotal bool) *Fetch {
	f := p.fetch(branches, p.window(branches))
	if withTotal {
		f.Total = p.countBranches(branches, p.sel.Where)
	}
	return f
}

func (p *planner) fetch(branches []branch, window Window) *Fetch {
	f := &Fetch{Window: window, Limit: p.sel.Limit, Offset: p.sel.Offset, State: p.sel.State, Without: p.sel.Without}
	f.Known.CollectionID = p.sel.Schema.Collection.ID
	if oneLocale(branches) {
		f.Known.Locale = p.sel.Schema.Project.Locales[branches[0].rows.Locale]
	}
	return f
}

// probe plans a page from the first rows in the order, of which only the signature is asked
// where it says something: the documents, which are read anyway, tell the rest. That fills
// the page where many rows meet the conditions. It returns nil where it cannot be so.
func (p *planner) probe(branches []branch) *Fetch {
	sampled := p.sampled()
	if sampled == nil || !signable(sampled.clause) || sampled.clause.Field.Unique || len(branches) > 1 || p.sel.Offset > 0 || p.sel.Without&core.RowDocument != 0 {
		return nil
	}
	b := branches[0]
	b.row.each, b.row.walks = true, true
	scan := p.scan(b, p.keys(b, true), nil, true)
	if slices.ContainsFunc(scan.Selected, func(k Key) bool { return indexOf(k) == "" }) {
		return nil // a key is not in entry_index
	}
	f := p.fetch(branches, Probe{Scan: scan, Rows: probedRows, Limit: p.sel.Limit + 1})
	for i := range p.sel.Where {
		if c := &p.sel.Where[i]; signable(c) {
			f.Confirm = append(f.Confirm, c)
		}
	}
	return f
}

// Settles reports whether the rows that f has read are the page.
func (f *Fetch) Settles(rows []core.Row) bool {
	if int64(len(rows)) <= f.Limit {
		return false
	}
	for i := range rows {
		for _, c := range f.Confirm {
			if !holds(rows[i].Document, c) {
				return false
			}
		}
	}
	return true
}

// holds reports whether a document has one of the values that c, an equality, looks for.
func holds(doc core.Document, c *core.Clause) bool {
	value, ok := core.DecodeValue(c.Field.Type, doc.Value(c.Field.Name))
	return ok && slices.Contains(c.Values, value)
}

func oneLocale(branches []branch) bool {
	return branches[0].rows.Locale == branches[len(branches)-1].rows.Locale
}

// window plans the rows of the page. A condition that few rows meet is best answered by its
// own index, and one that many rows meet by scanning in the order until the page is full.
// Which it is depends on the value, and the statement has to be the same for every value: so
// it finds out itself, by a sample of the rows that meet one condition.
func (p *planner) window(branches []branch) Window {
	sampled := p.sampled()
	if sampled == nil {
		return p.ordered(branches, false)
	}
	return Sample{
		Of: p.set(sampled.clause, branches), Most: sampled.most,
		All: p.fromSample(sampled.clause, branches), Else: p.ordered(branches, true),
	}
}

// reach returns how many rows of the order a page needs. Statements are prepared, and their
// texts must not differ from page to page: so a page further down is cut twice, first at
// powers of two.
func (p *planner) reach() int64 {
	if p.sel.Offset == 0 {
		return p.sel.Limit + 1
	}
	return 1 << bits.Len64(uint64(p.sel.Offset+p.sel.Limit))
}

// ordered plans the page along the index that orders it. Rows without a value of the first
// key come last, by the next key, and are read only when those before them do not fill the
// page: they are in no index by that key. walks says that texts are looked at row by row.
func (p *planner) ordered(branches []branch, walks bool) Window {
	stretches := p.stretches(branches, walks, nil)
	parts := Parts{Limit: p.reach()}
	for i := range stretches {
		stretches[i].Limit = parts.Limit
		parts.Parts = append(parts.Parts, stretches[i])
	}
	whole := Window(parts)
	if len(stretches) == 1 {
		whole = stretches[0]
	}
	if place := p.bucketPlace(stretches[0]); place >= 0 {
		return p.deep(stretches[0], place, whole)
	}
	return whole
}

// farDown is from which offset on a page is found by buckets.
const farDown = 1 << 10

// bucketPlace returns the place of the buckets that tell where the page begins, or -1: they
// are of all published rows, in the order of an id or a time and after it of the id.
func (p *planner) bucketPlace(m Merge) int {
	keys := m.Scans[0].Selected
	if !p.sel.Whole() || p.sel.State != core.StatePublished || p.sel.Offset < farDown || keys[min(1, len(keys)-1)].Field != core.SystemID {
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
		scan.Range = and(scan.Range, Compare{scan.Selected[0].Of, beyond, Mark{}})
		d.First.Scans = append(d.First.Scans, scan)
	}
	return d
}

// stretches returns the parts of the order, each along one index: rows with a value of the
// first key, and then those without, which without has the fields of.
func (p *planner) stretches(branches []branch, walks bool, without []*core.Field) []Merge {
	var valued Merge
	var head Key
	for _, b := range branches {
		b.row.each, b.row.walks = true, walks
		keys := p.keys(b, oneLocale(branches))
		head = rest(keys, without)[0]
		valued.Scans = append(valued.Scans, p.scan(b, keys, without, false))
	}
	if !head.Nullable || indexOf(head) == "" || p.neverNull(head.Field) {
		return []Merge{valued}
	}
	return append([]Merge{valued}, p.stretches(branches, walks, append(without[:len(without):len(without)], head.Field))...)
}

// rest returns the keys that are of none of the fields that without has.
func rest(keys []Key, without []*core.Field) []Key {
	for len(keys) > 0 && slices.Contains(without, keys[0].Field) {
		keys = keys[1:]
	}
	return keys
}

// scan plans one branch of a stretch. trusts says that signatures are not re-checked.
func (p *planner) scan(b branch, selected []Key, without []*core.Field, trusts bool) IndexScan {
	keys := rest(selected, without)
	scan := IndexScan{Rows: b.rows, Index: "entry_id", Keys: keys, Selected: selected, Range: always}
	head := keys[0].Field
	if index := indexOf(keys[0]); index != "" {
		scan.Index = index
		if keys[0].Nullable || index == "released_at" {
			scan.Range = NotNull{keys[0].Of}
			scan.Keys = slices.Clone(keys)
			scan.Keys[0].Nullable = false
		}
	}
	if driver := p.driver(); head == core.SystemID && driver != nil {
		scan.Index, head = driver.Field.Slot, driver.Field
	}
	var absent []Cond
	filtered := b.row
	filtered.filter = true
	for _, f := range without {
		absent = append(absent, not(NotNull{filtered.column(p.columnOf(f))}))
	}
	told, asked := p.split(b, head, trusts)
	scan.Range, scan.Filter = and(scan.Range, told), and(and(absent...), asked)
	return scan
}

func (p *planner) columnOf(f *core.Field) string {
	if f.System() {
		return systemColumn(f, p.sel.State)
	}
	return f.Slot
}

// driver returns the clause whose index is scanned in the order of ids: one that looks for
// one value in a slot, whose rows are in that order.
func (p *planner) driver() *core.Clause {
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		if equality(c) && len(c.Values) == 1 && c.Relation == nil && entryindex.Slotted(c.Field) && allShort(c.Values) {
			return c
		}
	}
	return nil
}

func equality(c *core.Clause) bool { return c.Op == core.OpEqual || c.Op == core.OpIn }

// split returns the selection's conditions on the rows of b when they are read along the
// index by head: those that the index's own key decides, and all others. What the index does
// not hold is asked of the row, which is looked up once its signature does not rule it out,
// unless trusts says that the signature is enough.
func (p *planner) split(b branch, head *core.Field, trusts bool) (told, asked Cond) {
	r, own := b.row, b.row
	r.filter, own.filter, own.alias = true, true, "c"
	var ranges, filters, others []Cond
	lists := 0
	for i := range p.sel.Where {
		c := &p.sel.Where[i]
		switch {
		case c.Relation == nil && c.Field == head && allShort(c.Values) && core.Operators[c.Op].Indexable && (lists == 0 || len(c.Values) < 2):
			// Of two lists, an index would be looked up for each value of the one with each of the other.
			if c.Op == core.OpIn {
				lists++
			}
			ranges = append(ranges, p.clause(b.row, c))
			continue
		case held(c, head):
			filters = append(filters, p.clause(r, c))
			continue
		case signable(c):
			filters = append(filters, p.signed(r, c))
			if c.Field.Type == core.TypeBoolean || trusts {
				continue
			}
			if len(c.Values) == 1 && allShort(c.Values) {
				filters = append(filters, p.ofIndex(b, c))
				continue
			}
		case c.Relation != nil || c.Op == core.OpLike || !c.Field.System() && !entryindex.Slotted(c.Field):
			filters = append(filters, p.clause(r, c)) // asks other tables by the id
			continue
		}
		others = append(others, p.clause(own, c))
	}
	if remaining := and(append(others, p.groups(own))...); remaining != Cond(always) {
		filters = append(filters, p.ofRow(b, remaining))
	}
	return and(ranges...), and(filters...)
}

// ofRow says that a condition holds of the whole row, as c, that an index row of b belongs to.
func (p *planner) ofRow(b branch, condition Cond) Cond {
	return Exists{
		From: Table{Name: "entry_index", Alias: "c", By: "primary key"},
		Where: and(Compare{Column{Alias: "c", Name: "project_id"}, "=", projectArg},
			Compare{Column{Alias: "c", Name: "scope"}, "=", scopeOf(b.rows)},
			Compare{Column{Alias: "c", Name: "entry_id"}, "=", b.row.id()}, condition),
		OneByOne: true,
	}
}

// ofIndex says that the row, as c, that an index row of b belongs to has the value that an
// equality looks for. The index of the value tells, by one key.
func (p *planner) ofIndex(b branch, c *core.Clause) Cond {
	own := b.row
	own.alias = "c"
	exists := p.ofRow(b, p.clause(own, c)).(Exists) //nolint:errcheck,forcetypeassert // as it makes it
	exists.From.By = "entry_index_" + c.Field.Slot
	return exists
}

// scopeOf is the scope of rows of the selection's own collection.
func scopeOf(r Rows) ScopeOf { return ScopeOf{collectionArg, entryindex.Scope(0, r.Shelf, r.Locale)} }

// held reports whether the index by head holds what c asks for: its own key, the id, the
// locale and what it carries.
func held(c *core.Clause, head *core.Field) bool {
	f := c.Field
	if c.Relation != nil || c.Op == core.OpLike || !allShort(c.Values) {
		return false
	}
	if f == head || f == core.SystemID || f == core.SystemLocale {
		return true
	}
	return entryindex.Slotted(f) && slices.Contains(entryindex.Carried(head.Slot), f.Slot)
}

// signable reports whether a signature says anything about c.
func signable(c *core.Clause) bool {
	return c.Relation == nil && !c.Field.System() && entryindex.Slotted(c.Field) && entryindex.SignedPlace(c.Field) >= 0 && equality(c)
}

// signed says that r has the signature of one of c's values.
func (p *planner) signed(r row, c *core.Clause) Cond {
	place, stored := entryindex.SignedPlace(c.Field), entryindex.StorageOf(c.Field)
	key := argKey{&c.Values[0], useSignature}
	if p.list[key] == nil {
		list := &List{}
		for _, v := range c.Values {
			list.add(int64(entryindex.SignatureBits(place, entryindex.Argument(stored, entryindex.Cut(v)))))
		}
		p.list[key] = list
	}
	return Signed{Column{Alias: r.alias, Name: "signature"}, entryindex.SignatureMask(place), p.list[key]}
}
