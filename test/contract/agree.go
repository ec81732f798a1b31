package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Agree runs random histories of writes on random collections, whose definitions change
// between and during the writes, and compares the results of random selections of all
// engines. The engine "memory" is the reference. After each round, the index check of every
// engine must find no difference.
func Agree(t *testing.T, engines map[string]Factory) {
	all := openAll(t, engines, 5)
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{rt: rt, engines: all, written: written{}}
		for _, e := range all {
			e.fixture, e.entries = newFixture(rt, e.Stores, e.tx), nil
		}
		h.define()
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			h.write()
			h.redefine()
			for _, e := range h.engines {
				e.check(rt)
			}
			for range rapid.IntRange(4, 12).Draw(rt, "selections") {
				h.compare()
			}
		}
	})
}

// openAll opens an engine from each factory, in the order of their names. Their fills index portion entries per step.
func openAll(t *testing.T, factories map[string]Factory, portion int) []*engine {
	t.Helper()
	var all []*engine
	for _, name := range slices.Sorted(maps.Keys(factories)) {
		stores, tx := factories[name](t)
		all = append(all, &engine{name: name, fixture: newFixture(t, stores, tx), portion: portion})
	}
	return all
}

// history is the state of one random check of all engines.
type history struct {
	rt      *rapid.T
	engines []*engine
	slugs   []string
	entries []entryState // by number
	written written
}

// entryState is the expected state of an entry, equal on all engines.
type entryState struct {
	slug, locale string
	founder      ref // first entry of its group
	public       bool
	trashed      bool
	destroyed    bool
}

// engine is one engine with the ids that it assigned.
type engine struct {
	*fixture
	name        string
	collections map[string]*testCollection
	entries     []core.Entry // by number
	media       []int64      // ids of pictures
	portion     int          // entries that one step of a fill indexes
}

// define draws locales and collections and creates them.
func (h *history) define() {
	layout := rapid.SampledFrom([]core.Project{
		{Locales: []string{"en"}},
		{Locales: []string{"en", "fr", "fr-CA"}},
		{Locales: []string{"fr-CA", "de", "en", "fr"}, Fallbacks: map[string][]string{"de": {"fr"}, "fr": {"fr-CA"}}},
	}).Draw(h.rt, "locales")
	for n := range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(h.rt, "collections") {
		h.slugs = append(h.slugs, fmt.Sprint("c", n))
	}
	components := drawComponents(h.rt, h.slugs)
	names := slices.Sorted(maps.Keys(components))
	defined := map[string][]*core.Field{}
	for _, slug := range h.slugs {
		defined[slug] = append(drawFields(h.rt, h.slugs), drawStructured(h.rt, names)...)
	}
	for _, e := range h.engines {
		e.project.Locales, e.project.Fallbacks = layout.Locales, layout.Fallbacks
		requireNoError(h.rt, e.Projects.Update(h.rt.Context(), e.project))
		e.collections = map[string]*testCollection{}
		for _, name := range names {
			e.newComponent(h.rt, name, copies(components[name])...)
		}
		for _, slug := range h.slugs {
			e.collections[slug] = newTestCollection(h.rt, e.fixture, slug, copies(defined[slug])...)
			e.collections[slug].redefine(h.rt, addLeaves)
		}
		e.media = []int64{newMedia(h.rt, e.fixture).ID, newMedia(h.rt, e.fixture).ID, newMedia(h.rt, e.fixture).ID}
		requireNoError(h.rt, e.Media.Delete(h.rt.Context(), e.project.ID, e.media[2]))
		for _, s := range e.collections {
			s.reload(h.rt)
		}
	}
}

// copies returns copies of the fields: each engine binds its own.
func copies(list []*core.Field) []*core.Field {
	own := make([]*core.Field, len(list))
	for i, f := range list {
		own[i] = new(*f)
	}
	return own
}

// operation is one write, without ids. It changes or adds the entry of that number.
type operation struct {
	kind    string
	number  ref
	state   entryState // afterwards
	content content
	moment  int
}

// write draws transactions and runs them on all engines.
func (h *history) write() {
	for range rapid.IntRange(1, 4).Draw(h.rt, "transactions") {
		before := slices.Clone(h.entries)
		var ops []operation
		for range rapid.IntRange(5, 12).Draw(h.rt, "ops") {
			ops = append(ops, h.drawOperation())
		}
		batch := rapid.Bool().Draw(h.rt, "batch")
		perform := func(e *engine) string { return e.perform(h.rt, ops, batch) }
		if rapid.Bool().Draw(h.rt, "meanwhile") {
			r := h.drawRedefinition(true)
			perform = func(e *engine) string { return e.performConcurrently(h.rt, ops, batch, r) }
		}
		outcomes := map[string]string{}
		for _, e := range h.engines {
			outcomes[e.name] = perform(e)
		}
		for name, outcome := range outcomes {
			if outcome != outcomes["memory"] {
				h.rt.Fatalf("%+v\n%s: %q, memory: %q", ops, name, outcome, outcomes["memory"])
			}
		}
		if outcomes["memory"] != "" {
			h.entries = before
		}
	}
}

func (h *history) drawOperation() operation {
	a := operation{kind: "insert", moment: drawMoment(h.rt)}
	if alive := h.alive(); len(alive) > 0 && rapid.Bool().Draw(h.rt, "old") {
		a.number = rapid.SampledFrom(alive).Draw(h.rt, "entry")
		a.kind = rapid.SampledFrom([]string{
			"edit", "edit", "publish", "edit and publish", "edit and publish", "unpublish", "trash", "restore", "restore", "destroy",
		}).Draw(h.rt, "operation")
		a.state = h.entries[a.number]
	} else {
		a.number = ref(len(h.entries))
		a.state = entryState{
			slug: rapid.SampledFrom(h.slugs).Draw(h.rt, "collection"), founder: a.number,
			locale: rapid.SampledFrom(h.engines[0].project.Locales).Draw(h.rt, "locale"), public: rapid.IntRange(0, 3).Draw(h.rt, "public") > 0,
		}
		if groups := h.groupsFor(a.state); len(groups) > 0 && rapid.Bool().Draw(h.rt, "translation") {
			a.state.founder = rapid.SampledFrom(groups).Draw(h.rt, "of")
		}
		h.entries = append(h.entries, a.state)
	}
	switch a.kind {
	case "insert", "edit", "edit and publish":
		a.content = drawContent(h.rt, h.engines[0].collections[a.state.slug].schema.Collection.Fields, len(h.entries)-1)
		h.written.add(a.state.slug, a.content)
	case "trash":
		a.state.trashed = true
	case "restore":
		a.state.trashed = false
	case "destroy":
		a.state.destroyed = true
	}
	switch a.kind {
	case "publish", "edit and publish":
		a.state.public = true
	case "unpublish":
		a.state.public = false
	}
	h.entries[a.number] = a.state
	return a
}

// alive returns the entries that are not destroyed.
func (h *history) alive() []ref {
	return h.refs(func(f entryState) bool { return !f.destroyed })
}

// groupsFor returns the groups that a new entry can join: those of its collection without
// an entry in its locale.
func (h *history) groupsFor(f entryState) []ref {
	var groups []ref
	for _, n := range h.refs(func(o entryState) bool { return o.slug == f.slug && !o.destroyed }) {
		founder := h.entries[n].founder
		if taken := h.refs(func(o entryState) bool { return o.founder == founder && o.locale == f.locale && !o.destroyed }); len(taken) == 0 {
			groups = append(groups, founder)
		}
	}
	return groups
}

func (h *history) refs(match func(entryState) bool) []ref {
	var list []ref
	for n, f := range h.entries {
		if match(f) {
			list = append(list, ref(n))
		}
	}
	return list
}

// perform runs operations in one transaction and describes the error, "" for none. With
// batch set it saves many entries per call and does not report which was refused.
func (e *engine) perform(t reporter, ops []operation, batch bool) (outcome string) {
	before := slices.Clone(e.entries)
	err := e.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		e.entries = slices.Clone(before)
		if err := e.hold(ctx, stores); err != nil {
			return err
		}
		if batch {
			err := e.applyBatch(ctx, stores, ops)
			if core.KindOf(err) == core.KindInvalid || core.KindOf(err) == core.KindConflict {
				outcome = "an entry is refused"
			}
			return err
		}
		for i, a := range ops {
			if err := e.apply(ctx, stores, a); err != nil {
				outcome = fmt.Sprintf("operation %d: %s", i, describe(err))
				return err
			}
		}
		return nil
	})
	if err == nil {
		return ""
	}
	if outcome == "" {
		outcome = "commit: " + describe(err)
	}
	e.entries = before
	return outcome
}

// describe returns the contractual parts of an error, or its text if it is internal.
func describe(err error) string {
	var fault *core.Error
	if !errors.As(err, &fault) || fault.Kind == core.KindInternal || fault.Kind == core.KindUnavailable {
		return err.Error()
	}
	var places []string
	for _, f := range fault.Fields {
		places = append(places, f.Location)
	}
	slices.Sort(places)
	return fmt.Sprint("kind ", fault.Kind, " ", places)
}

func (e *engine) apply(ctx context.Context, stores ports.Stores, a operation) error {
	schema := e.collections[a.state.slug].schema
	switch a.kind {
	case "insert":
		entry := e.newEntry(a)
		err := stores.Entries.Insert(ctx, schema, &entry)
		e.entries = append(e.entries, entry)
		return err
	case "destroy":
		return stores.Entries.Destroy(ctx, schema, e.entries[a.number].ID, "")
	default:
		return stores.Entries.Update(ctx, schema, e.changed(a))
	}
}

// newEntry returns the entry that a adds, without an id.
func (e *engine) newEntry(a operation) core.Entry {
	schema := e.collections[a.state.slug].schema
	entry := draftOf(a.state.locale, e.resolve(a.content))
	entry.ProjectID, entry.CollectionID = schema.Project.ID, schema.Collection.ID
	entry.CreatedAt, entry.UpdatedAt, entry.UpdatedBy = at(a.moment), at(a.moment), int64(a.moment%3)
	if a.state.public {
		publishDraft(&entry, a.moment)
	}
	if a.state.founder != a.number {
		entry.Group = e.entries[a.state.founder].Group
	}
	return entry
}

// changed applies a to its entry and returns the result.
func (e *engine) changed(a operation) *core.Entry {
	entry := e.entries[a.number]
	entry.Version++
	switch a.kind {
	case "edit", "edit and publish":
		entry.Draft, entry.UpdatedAt, entry.UpdatedBy = doc(e.resolve(a.content)), at(a.moment), int64(a.moment%3)
	case "trash":
		entry.TrashedAt = at(a.moment)
	case "restore":
		entry.TrashedAt = time.Time{}
	case "unpublish":
		entry.Published, entry.PublishedAt, entry.ReleasedAt = nil, time.Time{}, time.Time{}
	}
	if a.kind == "publish" || a.kind == "edit and publish" {
		publishDraft(&entry, a.moment)
	}
	e.entries[a.number] = entry
	return &entry
}

// applyBatch runs operations with as many entries per Save as possible: of one collection,
// and each entry once.
func (e *engine) applyBatch(ctx context.Context, stores ports.Stores, ops []operation) error {
	var slug string
	var inserted, updated []*core.Entry
	touched := map[ref]bool{}
	save := func() error {
		if len(touched) == 0 {
			return nil
		}
		err := stores.Entries.Save(ctx, e.collections[slug].schema, inserted, updated)
		inserted, updated = nil, nil
		clear(touched)
		return err
	}
	for _, a := range ops {
		if a.state.slug != slug || touched[a.number] || a.kind == "destroy" {
			if err := save(); err != nil {
				return err
			}
		}
		slug = a.state.slug
		switch a.kind {
		case "destroy":
			if err := e.apply(ctx, stores, a); err != nil {
				return err
			}
			continue
		case "insert":
			entry := e.newEntry(a)
			ids, err := stores.Entries.NewIDs(ctx, 1)
			if err != nil {
				return err
			}
			entry.ID = ids[0]
			if entry.Group == 0 {
				entry.Group = entry.ID
			}
			e.entries = append(e.entries, entry)
			inserted = append(inserted, &entry)
		default:
			updated = append(updated, e.changed(a))
		}
		touched[a.number] = true
	}
	return save()
}

// release publishes the draft at a time.
func publishDraft(e *core.Entry, moment int) {
	if e.Published == nil {
		e.PublishedAt = at(moment)
	}
	e.Published, e.ReleasedAt = e.Draft, at(moment)
}

// resolve replaces references with the engine's own ids.
func (e *engine) resolve(c content) fields {
	resolved := fields{}
	for name, held := range c {
		resolved[name] = e.resolveValue(held)
	}
	return resolved
}

func (e *engine) picture(p picture) int64 {
	if int(p) >= len(e.media) {
		return unknown
	}
	return e.media[p]
}

func (e *engine) resolveValue(held any) any {
	switch v := held.(type) {
	case ref:
		if int(v) >= len(e.entries) {
			return unknown
		}
		return e.entries[v].Group
	case picture:
		return e.picture(v)
	case content:
		return e.resolve(v)
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = e.resolveValue(one)
		}
		return list
	}
	return held
}

// query is a query.Selection without ids.
type criteria struct {
	slug, locale  string
	state         core.State
	status        entrystatus.Status
	editedBy      int64
	outdated      string
	where         []condition
	or            [][]condition
	member        *ref // the translations of this entry
	search        string
	sort          []order // empty: the order of a search
	offset, limit int64
	after         *ref   // the page begins after this entry
	by            string // a field by whose values the entries are counted; "": none
}

// sorted returns the field of the first sort key, "" without one.
func (q criteria) sorted() string {
	if len(q.sort) == 0 {
		return ""
	}
	return q.sort[0].field
}

type order struct {
	field string
	desc  bool
}

// compare draws a selection and compares the engines' results with those of memory.
func (h *history) compare() {
	q := h.drawQuery()
	if q.search != "" {
		for _, e := range h.engines {
			requireNoError(h.rt, e.fill(h.rt.Context(), q.slug))
			e.reload(h.rt)
			e.check(h.rt)
		}
	}
	h.drawAfter(&q)
	results := map[string]queryResult{}
	for _, e := range h.engines {
		results[e.name] = e.run(h.rt, q)
	}
	for name, a := range results {
		if diff := cmp.Diff(results["memory"], a); diff != "" {
			h.rt.Fatalf("%+v\nof %+v\n%s differs (-memory +%s):\n%s", q, h.engines[0].collections[q.slug].schema.Collection.Fields, name, name, diff)
		}
	}
}

func (h *history) drawQuery() criteria {
	rt := h.rt
	q := criteria{
		slug:     rapid.SampledFrom(h.slugs).Draw(rt, "collection"),
		locale:   rapid.SampledFrom(append([]string{query.AllLocales}, h.engines[0].project.Locales...)).Draw(rt, "locale"),
		state:    rapid.SampledFrom([]core.State{core.StatePublished, core.StatePublished, core.StateWithDraft, core.StateWithDraft, core.StateOnlyDraft}).Draw(rt, "state"),
		status:   rapid.SampledFrom([]entrystatus.Status{"", "", "", entrystatus.Draft, entrystatus.Changed, entrystatus.Published}).Draw(rt, "status"),
		editedBy: rapid.SampledFrom([]int64{0, 0, 0, 1, 2}).Draw(rt, "editor"),
		outdated: rapid.SampledFrom(append([]string{"", "", "", ""}, h.engines[0].project.Locales...)).Draw(rt, "outdated"),
		offset:   rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 0, 0, 1, 3, query.MaxOffset}).Draw(rt, "offset"),
		limit:    rapid.SampledFrom([]int64{1, 3, query.MaxLimit, query.MaxLimit, query.MaxLimit}).Draw(rt, "limit"),
	}
	schema := h.engines[0].collections[q.slug].schema
	conditions := func(least, most int) []condition {
		list := make([]condition, rapid.IntRange(least, most).Draw(rt, "conditions"))
		for i := range list {
			list[i] = drawCondition(rt, schema.Collection, schema.BySlug, h.written, len(h.entries))
		}
		return list
	}
	if len(h.entries) > 0 && rapid.IntRange(0, 3).Draw(rt, "translations") == 0 {
		q.member = new(ref(rapid.IntRange(0, len(h.entries)-1).Draw(rt, "member")))
	}
	q.where = conditions(0, 2)
	q.by = drawTallied(rt, schema.Collection)
	for range max(0, rapid.IntRange(-4, 3).Draw(rt, "groups")) {
		q.or = append(q.or, conditions(1, 2))
	}
	if rapid.IntRange(0, 2).Draw(rt, "searches") == 0 {
		text := drawSearchText(rt, h.written, q.slug)
		if _, fault := words.ParseSearch(text); fault == "" {
			q.search = text
			if rapid.Bool().Draw(rt, "ranked") {
				return q
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(rt, "keys") {
		field := drawField(rt, schema.Collection, (*core.Field).Sortable)
		q.sort = append(q.sort, order{field, rapid.Bool().Draw(rt, "descending")})
	}
	q.sort = append(q.sort, order{"id", rapid.Bool().Draw(rt, "descending")})
	return q
}

// drawAfter draws whether the page begins after one of the rows, and which.
func (h *history) drawAfter(q *criteria) {
	if q.offset > 0 || rapid.IntRange(0, 2).Draw(h.rt, "from the start") > 0 {
		return
	}
	first := slices.IndexFunc(q.sort, func(o order) bool { return o.field == "id" })
	q.sort = q.sort[:first+1] // a position has values only of the keys before an id; a search without keys stays as it is
	whole, memory := *q, h.engines[0]
	whole.limit = query.MaxLimit
	if rows := memory.run(h.rt, whole).Rows; len(rows) > 0 {
		q.after = new(ref(rapid.SampledFrom(rows).Draw(h.rt, "after").Number))
	}
}

// queryResult is the result of a query, without ids.
type queryResult struct {
	Rows       []resultRow
	Count      int64
	Alternates []alternate
	Tally      map[string]int64
	Referrers  []string
}

// alternate is a query.Alternate of an entry.
type alternate struct {
	Number int
	Locale string
	Slug   string
}

type resultRow struct {
	Number int
	Serves uint64
	Right  bool // all other members equal the written ones
}

func (e *engine) run(rt *rapid.T, q criteria) queryResult {
	sel := e.selection(q)
	a := queryResult{Count: result(e.Entries.Count(rt.Context(), sel))(rt)}
	rows := listed(rt, e.Entries, sel)
	if sel.Whole() {
		both, n, err := e.Entries.List(rt.Context(), sel, true)
		requireNoError(rt, err)
		if n != a.Count || !cmp.Equal(both, rows, cmpopts.EquateEmpty()) {
			rt.Fatalf("%s: List returned %d rows with a total of %d, but %d rows without it, and Count %d", e.name, len(both), n, len(rows), a.Count)
		}
	}
	a.Tally = e.tally(rt, q.by, sel)
	a.Referrers = e.referrers(rt, rows, q, sel)
	a.Alternates = e.alternates(rt, rows, e.collections[q.slug].schema.Collection.Queryable(q.sorted()))
	for _, row := range rows {
		number := slices.IndexFunc(e.entries, func(entry core.Entry) bool { return entry.ID == row.ID })
		if number < 0 {
			rt.Fatalf("%s returned entry %d, which was never written", e.name, row.ID)
		}
		want := e.entries[number].Row(q.state)
		want.Serves = row.Serves
		a.Rows = append(a.Rows, resultRow{number, row.Serves & e.project.SettledBits(), cmp.Equal(row, want)}) // a back-fill changes the others
	}
	return a
}

// drawTallied draws a field by whose values entries can be counted, and "" now and then.
func drawTallied(rt *rapid.T, c *core.Collection) string {
	names := []string{"", core.SystemPublishedAt.Name, core.SystemCreatedAt.Name, core.SystemUpdatedAt.Name}
	for _, f := range slices.Concat(c.Fields, c.Leaves) {
		if f.Tallied() && !f.Secret() {
			names = append(names, f.Name)
		}
	}
	return rapid.SampledFrom(names).Draw(rt, "by")
}

// tallyPeriods are periods of the moments of entries, and of their dates and times.
var tallyPeriods = []int64{-1 << 45, 0, at(2).UnixMilli(), at(5).UnixMilli(), 1 << 45}

// tally counts the entries of a selection by the values of a field: by the number of an entry, of a relation.
func (e *engine) tally(rt *rapid.T, name string, sel query.Selection) map[string]int64 {
	if name == "" {
		return nil
	}
	t := query.Tally{By: sel.Schema.Collection.Queryable(name), Most: query.MaxLimit}
	if t.By.Kind() == fieldtype.Time {
		t.Periods = tallyPeriods
	}
	found, err := e.Entries.Tally(rt.Context(), sel, t)
	requireNoError(rt, err)
	counts := map[string]int64{}
	for _, one := range found {
		value := fmt.Sprint(one.Value.Text, one.Value.Num)
		switch {
		case t.By.Type == core.TypeRelation:
			number := slices.IndexFunc(e.entries, func(entry core.Entry) bool { return float64(entry.ID) == one.Value.Num })
			if number < 0 || e.entries[number].CollectionID != one.CollectionID {
				rt.Fatalf("%s: the value %+v is no entry of that collection", e.name, one)
			}
			value = fmt.Sprint(number)
		case t.By.Kind() == fieldtype.Time:
			period, _ := slices.BinarySearch(t.Periods, int64(one.Value.Num)+1)
			value = fmt.Sprint(period)
		}
		counts[value] += one.Count
	}
	return counts
}

// referrers returns the entries that refer to rows, in every field, by their numbers.
func (e *engine) referrers(rt *rapid.T, rows []core.Row, q criteria, sel query.Selection) (all []string) {
	asked := query.ReferrersQuery{Limit: int(q.limit), Counts: true}
	for _, slug := range slices.Sorted(maps.Keys(e.collections)) {
		c := sel.Schema.BySlug(slug)
		for _, f := range slices.Concat(c.Fields, c.Leaves) {
			if sel.Schema.Refers(f, sel.Schema.Collection.ID) {
				asked.Fields = append(asked.Fields, query.FieldOf{Collection: c, Field: f})
			}
		}
	}
	for _, row := range rows {
		for n := range e.project.Locales {
			if to := (query.GroupIn{Group: row.Group, Locale: e.project.LocaleBit(e.project.Locales[n])}); to.Locale >= 0 && !slices.Contains(asked.To, to) {
				asked.To = append(asked.To, to)
			}
		}
	}
	found, err := e.Entries.Referrers(rt.Context(), e.project, asked)
	requireNoError(rt, err)
	number := func(match func(core.Entry) bool) int { return slices.IndexFunc(e.entries, match) }
	for _, of := range found {
		if of.Total == 0 {
			continue
		}
		text := fmt.Sprintf("%d in %d: %d of", number(func(entry core.Entry) bool { return entry.Group == of.To.Group }), of.To.Locale, of.Total)
		for _, one := range of.Entries {
			text += fmt.Sprintf(" %d", number(func(entry core.Entry) bool { return entry.ID == one.ID && entry.Group == one.Group }))
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// alternates returns the public translations of rows, whose slug is in a field of text.
func (e *engine) alternates(rt *rapid.T, rows []core.Row, slug *core.Field) (all []alternate) {
	groups := make([]int64, len(rows))
	for i, row := range rows {
		groups[i] = row.Group
	}
	if slug != nil && (slug.System() || slug.Type != core.TypeText || slug.Multiple) {
		slug = nil
	}
	found, err := e.Entries.Alternates(rt.Context(), e.project, core.Distinct(groups), slug)
	requireNoError(rt, err)
	for _, one := range found {
		number := slices.IndexFunc(e.entries, func(entry core.Entry) bool { return entry.ID == one.ID })
		if number < 0 || e.entries[number].Group != one.Group {
			rt.Fatalf("%s: the alternate %+v has another group", e.name, one)
		}
		all = append(all, alternate{number, one.Locale, one.Slug})
	}
	return all
}

func (e *engine) selection(q criteria) query.Selection {
	s := e.collections[q.slug]
	sel := query.Selection{
		Schema: s.schema, Where: e.clauses(s, q.where), Locale: q.locale, State: q.state, Status: q.status, EditedBy: q.editedBy, Outdated: q.outdated, Offset: q.offset, Limit: q.limit,
	}
	for _, group := range q.or {
		sel.Or = append(sel.Or, e.clauses(s, group))
	}
	if q.member != nil {
		sel.Member = e.entries[*q.member].ID
	}
	if q.search != "" {
		sel.Search, _ = words.ParseSearch(q.search)
	}
	if len(q.sort) == 0 {
		sel.Sort = rankedSort
	}
	for _, key := range q.sort {
		sel.Sort = append(sel.Sort, query.SortKey{Field: s.schema.Collection.Queryable(key.field), Desc: key.desc})
	}
	if q.after != nil {
		sel.After = positionOf(sel, e.entries[*q.after].Row(q.state))
	}
	return sel
}

func (e *engine) clauses(s *testCollection, conditions []condition) []query.Predicate {
	var clauses []query.Predicate
	for _, c := range conditions {
		var values []core.Value
		for _, o := range c.operands {
			if o.named {
				o.value = num(e.entries[o.entry].ID)
			}
			if o.pictured {
				o.value = num(e.picture(o.picture))
			}
			values = append(values, o.value)
		}
		switch {
		case c.second != "":
			clauses = append(clauses, beyond(s, c.relation, c.second, c.field, c.op, values...))
		case c.relation == "":
			clauses = append(clauses, clause(s, c.field, c.op, values...))
		default:
			clauses = append(clauses, related(s, c.relation, c.field, c.op, values...))
		}
	}
	return clauses
}
