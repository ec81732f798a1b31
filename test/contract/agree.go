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
	"imprimatur/ports"
)

// Agree runs random histories of writes on random collections, whose definitions change
// between and during the writes, and compares what all engines answer to random
// selections. The engine called "memory" is taken for right. After each chapter an
// index check of every engine finds nothing.
func Agree(t *testing.T, engines map[string]Factory) {
	all := openAll(t, engines)
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{rt: rt, engines: all, written: written{}}
		for _, e := range all {
			e.world, e.entries = newWorld(rt, e.Stores, e.tx), nil
		}
		h.define()
		for range rapid.IntRange(1, 4).Draw(rt, "chapters") {
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

// openAll makes an engine of each factory, in the order of their names.
func openAll(t *testing.T, factories map[string]Factory) []*engine {
	t.Helper()
	var all []*engine
	for _, name := range slices.Sorted(maps.Keys(factories)) {
		stores, tx := factories[name](t)
		all = append(all, &engine{name: name, world: newWorld(t, stores, tx)})
	}
	return all
}

// history is what one check does to all engines.
type history struct {
	rt      *rapid.T
	engines []*engine
	slugs   []string
	entries []fate // by number
	written written
}

// fate is what has become of an entry, on all engines alike.
type fate struct {
	slug, locale string
	founder      ref // of its group
	public       bool
	trashed      bool
	destroyed    bool
}

// engine is one of the engines with the ids it gave.
type engine struct {
	*world
	name    string
	shelves map[string]*shelf
	entries []core.Entry // by number
	media   []int64      // ids of pictures
}

// define draws locales and collections.
func (h *history) define() {
	layout := rapid.SampledFrom([]core.Project{
		{Locales: []string{"en"}},
		{Locales: []string{"en", "fr", "fr-CA"}},
		{Locales: []string{"fr-CA", "de", "en", "fr"}, Fallbacks: map[string][]string{"de": {"fr"}, "fr": {"fr-CA"}}},
	}).Draw(h.rt, "locales")
	for n := range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(h.rt, "collections") {
		h.slugs = append(h.slugs, fmt.Sprint("c", n))
	}
	defined := map[string][]*core.Field{}
	for _, slug := range h.slugs {
		defined[slug] = drawFields(h.rt, h.slugs)
	}
	for _, e := range h.engines {
		e.project.Locales, e.project.Fallbacks = layout.Locales, layout.Fallbacks
		succeed(h.rt, e.Projects.Update(h.rt.Context(), e.project))
		e.shelves = map[string]*shelf{}
		for _, slug := range h.slugs {
			e.shelves[slug] = newShelf(h.rt, e.world, slug, defined[slug]...)
		}
		e.media = []int64{newMedia(h.rt, e.world).ID, newMedia(h.rt, e.world).ID, newMedia(h.rt, e.world).ID}
		succeed(h.rt, e.Media.Delete(h.rt.Context(), e.project.ID, e.media[2]))
		for _, s := range e.shelves {
			s.reload(h.rt)
		}
	}
}

// act is one write, without ids. It changes entry number, or adds it.
type act struct {
	kind    string
	number  ref
	fate    fate // afterwards
	content content
	moment  int
}

// write draws some transactions and runs them on all engines.
func (h *history) write() {
	for range rapid.IntRange(1, 4).Draw(h.rt, "transactions") {
		before := slices.Clone(h.entries)
		var acts []act
		for range rapid.IntRange(5, 12).Draw(h.rt, "acts") {
			acts = append(acts, h.drawAct())
		}
		together := rapid.Bool().Draw(h.rt, "together")
		perform := func(e *engine) string { return e.perform(h.rt, acts, together) }
		if rapid.Bool().Draw(h.rt, "meanwhile") {
			r := h.drawRedefinition(true)
			perform = func(e *engine) string { return e.performBeside(h.rt, acts, together, r) }
		}
		outcomes := map[string]string{}
		for _, e := range h.engines {
			outcomes[e.name] = perform(e)
		}
		for name, outcome := range outcomes {
			if outcome != outcomes["memory"] {
				h.rt.Fatalf("%+v\n%s: %q, memory: %q", acts, name, outcome, outcomes["memory"])
			}
		}
		if outcomes["memory"] != "" {
			h.entries = before
		}
	}
}

func (h *history) drawAct() act {
	a := act{kind: "insert", moment: drawMoment(h.rt)}
	if alive := h.alive(); len(alive) > 0 && rapid.Bool().Draw(h.rt, "old") {
		a.number = rapid.SampledFrom(alive).Draw(h.rt, "entry")
		a.kind = rapid.SampledFrom([]string{
			"edit", "edit", "publish", "edit and publish", "edit and publish", "unpublish", "trash", "restore", "restore", "destroy",
		}).Draw(h.rt, "act")
		a.fate = h.entries[a.number]
	} else {
		a.number = ref(len(h.entries))
		a.fate = fate{
			slug: rapid.SampledFrom(h.slugs).Draw(h.rt, "collection"), founder: a.number,
			locale: rapid.SampledFrom(h.engines[0].project.Locales).Draw(h.rt, "locale"), public: rapid.IntRange(0, 3).Draw(h.rt, "public") > 0,
		}
		if groups := h.groupsFor(a.fate); len(groups) > 0 && rapid.Bool().Draw(h.rt, "translation") {
			a.fate.founder = rapid.SampledFrom(groups).Draw(h.rt, "of")
		}
		h.entries = append(h.entries, a.fate)
	}
	switch a.kind {
	case "insert", "edit", "edit and publish":
		a.content = drawContent(h.rt, h.engines[0].shelves[a.fate.slug].schema.Collection.Fields, len(h.entries)-1)
		h.written.add(a.fate.slug, a.content)
	case "trash":
		a.fate.trashed = true
	case "restore":
		a.fate.trashed = false
	case "destroy":
		a.fate.destroyed = true
	}
	switch a.kind {
	case "publish", "edit and publish":
		a.fate.public = true
	case "unpublish":
		a.fate.public = false
	}
	h.entries[a.number] = a.fate
	return a
}

// alive returns the entries that were not destroyed.
func (h *history) alive() []ref {
	return h.refs(func(f fate) bool { return !f.destroyed })
}

// groupsFor returns the groups that a new entry may join: those of its collection
// with nobody in its locale.
func (h *history) groupsFor(f fate) []ref {
	var groups []ref
	for _, n := range h.refs(func(o fate) bool { return o.slug == f.slug && !o.destroyed }) {
		founder := h.entries[n].founder
		if taken := h.refs(func(o fate) bool { return o.founder == founder && o.locale == f.locale && !o.destroyed }); len(taken) == 0 {
			groups = append(groups, founder)
		}
	}
	return groups
}

func (h *history) refs(match func(fate) bool) []ref {
	var list []ref
	for n, f := range h.entries {
		if match(f) {
			list = append(list, ref(n))
		}
	}
	return list
}

// perform runs acts in one transaction and says how it failed, if it did. With
// together set it saves many entries at once, and does not say which was refused.
func (e *engine) perform(t reporter, acts []act, together bool) (outcome string) {
	before := slices.Clone(e.entries)
	err := e.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		e.entries = slices.Clone(before)
		if err := e.hold(ctx, stores); err != nil {
			return err
		}
		if together {
			err := e.actTogether(ctx, stores, acts)
			if core.KindOf(err) == core.KindInvalid || core.KindOf(err) == core.KindConflict {
				outcome = "one of them is refused"
			}
			return err
		}
		for i, a := range acts {
			if err := e.act(ctx, stores, a); err != nil {
				outcome = fmt.Sprintf("act %d: %s", i, describe(err))
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

// describe puts what an error promises into words; a fault keeps its own.
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

func (e *engine) act(ctx context.Context, stores ports.Stores, a act) error {
	schema := e.shelves[a.fate.slug].schema
	switch a.kind {
	case "insert":
		entry := e.newEntry(a)
		err := stores.Entries.Insert(ctx, schema, &entry)
		e.entries = append(e.entries, entry)
		return err
	case "destroy":
		return stores.Entries.Destroy(ctx, schema, e.entries[a.number].ID)
	default:
		return stores.Entries.Update(ctx, schema, e.changed(a))
	}
}

// newEntry returns what a adds, without an id.
func (e *engine) newEntry(a act) core.Entry {
	schema := e.shelves[a.fate.slug].schema
	entry := draftOf(a.fate.locale, e.resolve(a.content))
	entry.ProjectID, entry.CollectionID = schema.Project.ID, schema.Collection.ID
	entry.CreatedAt, entry.UpdatedAt = at(a.moment), at(a.moment)
	if a.fate.public {
		release(&entry, a.moment)
	}
	if a.fate.founder != a.number {
		entry.Group = e.entries[a.fate.founder].Group
	}
	return entry
}

// changed makes of an entry what a does to it.
func (e *engine) changed(a act) *core.Entry {
	entry := e.entries[a.number]
	entry.Version++
	switch a.kind {
	case "edit", "edit and publish":
		entry.Draft, entry.UpdatedAt = doc(e.resolve(a.content)), at(a.moment)
	case "trash":
		entry.TrashedAt = at(a.moment)
	case "restore":
		entry.TrashedAt = time.Time{}
	case "unpublish":
		entry.Published, entry.PublishedAt, entry.ReleasedAt = nil, time.Time{}, time.Time{}
	}
	if a.kind == "publish" || a.kind == "edit and publish" {
		release(&entry, a.moment)
	}
	e.entries[a.number] = entry
	return &entry
}

// actTogether runs acts, saving as many at once as can be: of one collection, and
// each entry once.
func (e *engine) actTogether(ctx context.Context, stores ports.Stores, acts []act) error {
	var slug string
	var inserted, updated []*core.Entry
	touched := map[ref]bool{}
	save := func() error {
		if len(touched) == 0 {
			return nil
		}
		err := stores.Entries.Save(ctx, e.shelves[slug].schema, inserted, updated)
		inserted, updated = nil, nil
		clear(touched)
		return err
	}
	for _, a := range acts {
		if a.fate.slug != slug || touched[a.number] || a.kind == "destroy" {
			if err := save(); err != nil {
				return err
			}
		}
		slug = a.fate.slug
		switch a.kind {
		case "destroy":
			if err := e.act(ctx, stores, a); err != nil {
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

// release makes the draft public at a moment.
func release(e *core.Entry, moment int) {
	if e.Published == nil {
		e.PublishedAt = at(moment)
	}
	e.Published, e.ReleasedAt = e.Draft, at(moment)
}

// resolve puts the engine's own ids into a document.
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
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = e.resolveValue(one)
		}
		return list
	}
	return held
}

// question is a core.Selection without ids.
type question struct {
	slug, locale  string
	state         core.State
	where         []condition
	or            [][]condition
	sort          []order
	offset, limit int64
}

type order struct {
	field string
	desc  bool
}

// compare draws a selection and holds the engines' answers against memory's.
func (h *history) compare() {
	q := h.drawQuestion()
	answers := map[string]answer{}
	for _, e := range h.engines {
		answers[e.name] = e.answer(h.rt, q)
	}
	for name, a := range answers {
		if diff := cmp.Diff(answers["memory"], a); diff != "" {
			h.rt.Fatalf("%+v\nof %+v\n%s differs (-memory +%s):\n%s", q, h.engines[0].shelves[q.slug].schema.Collection.Fields, name, name, diff)
		}
	}
}

func (h *history) drawQuestion() question {
	rt := h.rt
	q := question{
		slug:   rapid.SampledFrom(h.slugs).Draw(rt, "collection"),
		locale: rapid.SampledFrom(append([]string{core.AllLocales}, h.engines[0].project.Locales...)).Draw(rt, "locale"),
		state:  rapid.SampledFrom([]core.State{core.StatePublished, core.StatePublished, core.StateWithDraft, core.StateWithDraft, core.StateOnlyDraft}).Draw(rt, "state"),
		offset: rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 0, 0, 1, 3, core.MaxOffset}).Draw(rt, "offset"),
		limit:  rapid.SampledFrom([]int64{1, 3, core.MaxLimit, core.MaxLimit, core.MaxLimit}).Draw(rt, "limit"),
	}
	schema := h.engines[0].shelves[q.slug].schema
	conditions := func(least, most int) []condition {
		list := make([]condition, rapid.IntRange(least, most).Draw(rt, "conditions"))
		for i := range list {
			list[i] = drawCondition(rt, schema.Collection, schema.BySlug, h.written, len(h.entries))
		}
		return list
	}
	q.where = conditions(0, 2)
	for range max(0, rapid.IntRange(-4, 3).Draw(rt, "groups")) {
		q.or = append(q.or, conditions(1, 2))
	}
	for range rapid.IntRange(0, 2).Draw(rt, "keys") {
		field := drawField(rt, schema.Collection, func(f *core.Field) bool {
			return !f.Multiple && f.Kind() != core.ValueOpaque && f.Kind() != core.ValueReference
		})
		q.sort = append(q.sort, order{field, rapid.Bool().Draw(rt, "descending")})
	}
	q.sort = append(q.sort, order{"id", rapid.Bool().Draw(rt, "descending")})
	return q
}

// answer is what an engine answers, without ids.
type answer struct {
	Rows  []shown
	Count int64
}

type shown struct {
	Number int
	Serves uint64
	Right  bool // all else is as it was written
}

func (e *engine) answer(rt *rapid.T, q question) answer {
	sel := e.selection(q)
	a := answer{Count: value(e.Entries.Count(rt.Context(), sel))(rt)}
	rows := value(e.Entries.List(rt.Context(), sel))(rt)
	if both, n, err := e.Entries.ListAndCount(rt.Context(), sel); err != nil || n != a.Count || !cmp.Equal(both, rows, cmpopts.EquateEmpty()) {
		rt.Fatalf("%s lists and counts otherwise at once: %d rows of %d, not %d of %d: %v", e.name, len(both), n, len(rows), a.Count, err)
	}
	for _, row := range rows {
		number := slices.IndexFunc(e.entries, func(entry core.Entry) bool { return entry.ID == row.ID })
		if number < 0 {
			rt.Fatalf("%s shows entry %d, which was never written", e.name, row.ID)
		}
		want := e.entries[number].Row(q.state)
		want.Serves = row.Serves
		a.Rows = append(a.Rows, shown{number, row.Serves, cmp.Equal(row, want)})
	}
	return a
}

func (e *engine) selection(q question) core.Selection {
	s := e.shelves[q.slug]
	sel := core.Selection{
		Schema: s.schema, Where: e.clauses(s, q.where), Locale: q.locale, State: q.state, Offset: q.offset, Limit: q.limit,
	}
	for _, group := range q.or {
		sel.Or = append(sel.Or, e.clauses(s, group))
	}
	for _, key := range q.sort {
		sel.Sort = append(sel.Sort, core.SortKey{Field: s.schema.Collection.Queryable(key.field), Desc: key.desc})
	}
	return sel
}

func (e *engine) clauses(s *shelf, conditions []condition) []core.Clause {
	var clauses []core.Clause
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
		if c.relation == "" {
			clauses = append(clauses, clause(s, c.field, c.op, values...))
		} else {
			clauses = append(clauses, away(s, c.relation, c.field, c.op, values...))
		}
	}
	return clauses
}
