package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/fieldtype"
	"imprimatur/ports"
)

// redefinition is a change of a project or collection definition, without ids.
type redefinition struct {
	kind       string
	project    func(p *core.Project)    // nil for no change
	slug       string                   // of the collection
	collection func(c *core.Collection) // nil for no change
	fill       bool                     // reindexes and marks slots ready
}

// redefine changes definitions between writes.
func (h *history) redefine() {
	for range rapid.IntRange(0, 3).Draw(h.rt, "redefinitions") {
		r := h.drawRedefinition(false)
		for _, e := range h.engines {
			requireNoError(h.rt, e.redefine(h.rt.Context(), r))
			e.reload(h.rt)
		}
	}
}

// drawRedefinition draws a change of the current definitions. With meanwhile set, it draws
// only changes that do not affect whether concurrent writes are accepted.
func (h *history) drawRedefinition(meanwhile bool) redefinition {
	e := h.engines[0]
	slug := rapid.SampledFrom(h.slugs).Draw(h.rt, "redefined")
	schema := e.collections[slug].schema
	kinds := map[string]func(*rapid.T, core.Schema) redefinition{
		"locale": drawLocale, "default locale": drawDefaultLocale, "fallbacks": drawFallbacks,
		"add": drawAddedField, "remove": drawRemovedField(false), "remove unique": drawRemovedField(true), "return": drawReturnedField, "slot": drawSlot, "search": drawSearch, "targets": drawTargets,
		"fill": func(*rapid.T, core.Schema) redefinition { return redefinition{fill: true} },
	}
	if meanwhile {
		delete(kinds, "remove unique")
	}
	kind := rapid.SampledFrom(slices.Sorted(maps.Keys(kinds))).Draw(h.rt, "kind of redefinition")
	r := kinds[kind](h.rt, schema)
	r.kind, r.slug = kind, slug
	return r
}

// drawLocale adds the next unused locale, if any.
func drawLocale(*rapid.T, core.Schema) redefinition {
	return redefinition{project: func(p *core.Project) {
		for _, locale := range []string{"en", "fr", "de", "fr-CA", "ja", "pt"} {
			if p.LocaleNumber(locale) < 0 {
				p.Locales = append(p.Locales, locale)
				return
			}
		}
	}}
}

func drawDefaultLocale(rt *rapid.T, schema core.Schema) redefinition {
	locale := rapid.SampledFrom(schema.Project.Locales).Draw(rt, "default locale")
	return redefinition{project: func(p *core.Project) { p.DefaultLocale = locale }}
}

// drawFallbacks draws the fallbacks of one locale, possibly none.
func drawFallbacks(rt *rapid.T, schema core.Schema) redefinition {
	locales := schema.Project.Locales
	locale := rapid.SampledFrom(locales).Draw(rt, "locale")
	chain := rapid.SliceOfNDistinct(rapid.SampledFrom(locales), 0, min(3, len(locales)), rapid.ID[string]).Draw(rt, "chain")
	chain = slices.DeleteFunc(chain, func(l string) bool { return l == locale })
	named := rapid.IntRange(0, 3).Draw(rt, "named") > 0
	return redefinition{project: func(p *core.Project) {
		fallbacks := map[string][]string{}
		maps.Copy(fallbacks, p.Fallbacks)
		if fallbacks[locale] = chain; !named {
			delete(fallbacks, locale)
		}
		p.Fallbacks = fallbacks
	}}
}

func drawAddedField(rt *rapid.T, schema core.Schema) redefinition {
	c := schema.Collection
	var slugs []string
	for _, other := range schema.Collections {
		slugs = append(slugs, other.Slug)
	}
	f := newField(rt, fmt.Sprint("g", c.NextFieldID), rapid.SampledFrom(plainTypes()), slugs, indexed(c))
	f.ID, f.Label = c.NextFieldID, f.Name
	return redefinition{collection: func(c *core.Collection) {
		c.Fields = append(c.Fields, new(*f))
		c.NextFieldID++
	}}
}

// drawnField draws a fitting field of a list, nil if none fits.
func drawnField(rt *rapid.T, list []*core.Field, fits func(*core.Field) bool) *core.Field {
	list = slices.DeleteFunc(slices.Clone(list), func(f *core.Field) bool { return !fits(f) })
	if len(list) == 0 {
		return nil
	}
	return rapid.SampledFrom(list).Draw(rt, "redefined field")
}

// ofField is a redefinition of a field; it changes nothing if f is nil.
func ofField(f *core.Field, change func(c *core.Collection, f *core.Field)) redefinition {
	return redefinition{collection: func(c *core.Collection) {
		for _, own := range slices.Concat(c.Fields, c.Removed) {
			if f != nil && own.ID == f.ID {
				change(c, own)
			}
		}
	}}
}

func drawRemovedField(unique bool) func(rt *rapid.T, schema core.Schema) redefinition {
	return func(rt *rapid.T, schema core.Schema) redefinition {
		f := drawnField(rt, schema.Collection.Fields, func(f *core.Field) bool { return f.Unique == unique && !f.Structured() })
		return ofField(f, func(c *core.Collection, f *core.Field) {
			f.Slot, f.SlotReady, f.SearchReady = "", false, false
			c.Fields = slices.DeleteFunc(c.Fields, func(o *core.Field) bool { return o == f })
			c.Removed = append(c.Removed, f)
		})
	}
}

// drawReturnedField draws a removed field and adds it again with the values that entries
// still hold. It is no longer unique, because entries may share values.
func drawReturnedField(rt *rapid.T, schema core.Schema) redefinition {
	f := drawnField(rt, schema.Collection.Removed, func(*core.Field) bool { return true })
	return ofField(f, func(c *core.Collection, f *core.Field) {
		if f.Unique = false; slottable(f) {
			f.Slot = freeSlot(f, indexed(c))
		}
		c.Removed = slices.DeleteFunc(c.Removed, func(o *core.Field) bool { return o == f })
		c.Fields = append(c.Fields, f)
	})
}

// drawTargets draws other collections for a relation to several. Entries keep their values.
func drawTargets(rt *rapid.T, schema core.Schema) redefinition {
	f := drawnField(rt, schema.Collection.Fields, (*core.Field).ToSeveral)
	var slugs []string
	for _, c := range schema.Collections {
		slugs = append(slugs, c.Slug)
	}
	slugs = rapid.SliceOfNDistinct(rapid.SampledFrom(slugs), 1, len(slugs), rapid.ID).Draw(rt, "of several")
	return ofField(f, func(_ *core.Collection, f *core.Field) { f.Collections = slugs })
}

// drawSlot assigns a slot to a field or removes it.
func drawSlot(rt *rapid.T, schema core.Schema) redefinition {
	return ofField(drawnField(rt, schema.Collection.Fields, slottable), func(c *core.Collection, f *core.Field) {
		free := freeSlot(f, indexed(c))
		if f.SlotReady = false; f.Slot != "" {
			free = ""
		}
		f.Slot = free
	})
}

// drawSearch toggles whether a field is searchable.
func drawSearch(rt *rapid.T, schema core.Schema) redefinition {
	f := drawnField(rt, schema.Collection.Fields, func(f *core.Field) bool { return f.Kind() == fieldtype.Text })
	return ofField(f, func(_ *core.Collection, f *core.Field) { f.Searchable, f.SearchReady = !f.Searchable, false })
}

// redefine applies r in a transaction.
func (e *engine) redefine(ctx context.Context, r redefinition) error {
	if r.fill {
		return e.fill(ctx, r.slug)
	}
	return e.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, e.project.ID); err != nil {
			return err
		}
		schema, err := e.defined(ctx, stores, r.slug)
		if err != nil {
			return err
		}
		if r.project != nil {
			return redefineProject(ctx, stores, schema.Project, r.project)
		}
		schema.Collection.FormsReady = false
		r.collection(schema.Collection)
		schema.Collection.Version++
		return stores.Collections.Update(ctx, schema.Collection)
	})
}

// redefineProject changes a Project. A change of fallbacks counts after some fills.
func redefineProject(ctx context.Context, stores ports.Stores, project *core.Project, change func(*core.Project)) error {
	before := *project
	change(project)
	if !core.SameChains(&before, project) {
		if err := project.Rechain(&before); errors.Is(err, core.ErrConflict) {
			return nil // no bit is free
		}
	}
	return stores.Projects.Update(ctx, project)
}

// fillLocales does one pass over the index for the locales and fallbacks in small steps, if it needs one,
// or ends chains that do not count any more.
func (e *engine) fillLocales(ctx context.Context) error {
	for last, version, done := int64(0), int64(0), false; !done; {
		err := e.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			project, err := stores.Projects.Hold(ctx, e.project.ID)
			if err != nil {
				return err
			}
			if done = !project.NeedsPass(); done {
				return nil
			}
			after := last
			if project.Index.Version != version {
				after = 0
			}
			next, err := stores.Entries.Serve(ctx, project, after, e.portion)
			last, version, done = next, project.Index.Version, next == 0
			return err
		})
		if err != nil {
			return err
		}
	}
	return e.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, e.project.ID); err != nil {
			return err
		}
		project, err := stores.Projects.Project(ctx, e.project.ID)
		if err != nil {
			return err
		}
		if project.NeedsPass() {
			project.Filled(at(1))
		} else {
			project.EndChains(at(1))
		}
		return stores.Projects.Update(ctx, project)
	})
}

// fill reindexes the collection in small steps, each with the current definitions, and then
// marks its slots ready.
func (e *engine) fill(ctx context.Context, slug string) error {
	if err := e.fillLocales(ctx); err != nil {
		return err
	}
	for last, done := int64(0), false; !done; {
		err := e.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			if _, err := stores.Projects.Hold(ctx, e.project.ID); err != nil {
				return err
			}
			schema, err := e.defined(ctx, stores, slug)
			if err != nil {
				return err
			}
			next, err := stores.Entries.Reindex(ctx, schema, last, e.portion)
			last, done = next, next == 0
			return err
		})
		if err != nil {
			return err
		}
	}
	return e.redefine(ctx, redefinition{slug: slug, collection: func(c *core.Collection) {
		for _, f := range c.Fields {
			f.SlotReady, f.SearchReady = f.Slot != "", f.Searchable
		}
		c.FormsReady = true
	}})
}

// defined reads the current definitions.
func (e *engine) defined(ctx context.Context, stores ports.Stores, slug string) (schema core.Schema, err error) {
	if schema.Project, err = stores.Projects.Project(ctx, e.project.ID); err != nil {
		return schema, err
	}
	schema.Collections, err = stores.Collections.Collections(ctx, e.project.ID)
	schema.Collection = schema.BySlug(slug)
	return schema, err
}

// hold locks the definitions against changes until the transaction ends, and reads them.
func (e *engine) hold(ctx context.Context, stores ports.Stores) (err error) {
	if e.project, err = stores.Projects.Hold(ctx, e.project.ID); err != nil {
		return err
	}
	for slug, s := range e.collections {
		if s.schema, err = e.defined(ctx, stores, slug); err != nil {
			return err
		}
	}
	return nil
}

// performConcurrently runs perform while another transaction changes a definition.
func (e *engine) performConcurrently(rt *rapid.T, ops []operation, batch bool, r redefinition) (outcome string) {
	other, failed := *e, make(chan error, 1)
	other.fixture = new(*e.fixture)
	go func() { failed <- other.redefine(rt.Context(), r) }()
	outcome = e.perform(rt, ops, batch)
	requireNoError(rt, <-failed)
	e.reload(rt)
	return outcome
}

// reload reads all definitions again.
func (e *engine) reload(t reporter) {
	requireNoError(t, e.tx.Do(t.Context(), core.SystemActor, e.hold))
}

// check compares indexes and counters with the documents.
func (e *engine) check(t reporter) {
	e.reload(t)
	var all []string
	report := result(definition.NewChecker(e.Stores.Collections, e.Stores.IndexChecks, e.tx).Check(t.Context(), e.project, false, func(collection string, d core.Difference) {
		all = append(all, collection+" "+d.String())
	}))(t)
	if report.Found > 0 {
		t.Fatalf("%s: %d differences:\n%s", e.name, report.Found, strings.Join(all, "\n"))
	}
}
