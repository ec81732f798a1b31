package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"imprimatur/core"
)

// manyEntries exceeds the size up to which any engine uses its plans for small collections.
const manyEntries = 1500

// AgreeOnMany compares the results of all engines on one large collection, where plans
// differ from those on a small one, while locales and the readiness of index slots change.
func AgreeOnMany(t *testing.T, engines map[string]Factory) {
	h := &history{engines: openAll(t, engines, 100), slugs: []string{"articles"}, written: written{}}
	ops := manyOperations()
	for _, a := range ops {
		h.entries = append(h.entries, a.state)
		h.written.add(a.state.slug, a.content)
	}
	for _, e := range h.engines {
		e.collections = map[string]*testCollection{"articles": newTestCollection(t, e.fixture, "articles", manyFields()...)}
		for part := range slices.Chunk(ops, 500) {
			if outcome := e.perform(t, part, true); outcome != "" {
				t.Fatalf("%s: %s", e.name, outcome)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		h.rt = rt
		h.redefineMany()
		for range 3 {
			h.compare()
		}
	})
	for _, e := range h.engines {
		e.check(t)
	}
}

// redefineMany draws the locale fallbacks and the fields whose index is not ready,
// independent of earlier checks.
func (h *history) redefineMany() {
	locale := rapid.SampledFrom(h.engines[0].project.Locales)
	standard := locale.Draw(h.rt, "default locale")
	fallbacks := rapid.MapOfN(locale, rapid.SliceOfN(locale, 0, 2), 0, 2).Draw(h.rt, "fallbacks")
	waiting := rapid.SliceOfN(rapid.IntRange(0, 3), len(manyFields()), len(manyFields())).Draw(h.rt, "waiting")
	for _, e := range h.engines {
		requireNoError(h.rt, e.redefine(h.rt.Context(), redefinition{project: func(p *core.Project) {
			p.DefaultLocale, p.Fallbacks = standard, fallbacks
		}}))
		requireNoError(h.rt, e.redefine(h.rt.Context(), redefinition{slug: "articles", collection: func(c *core.Collection) {
			for i, f := range c.Fields {
				f.SlotReady, f.SearchReady = f.Slot != "" && waiting[i] > 0, f.Searchable && waiting[i] > 0
			}
		}}))
		e.reload(h.rt)
	}
}

func manyFields() []*core.Field {
	return []*core.Field{
		{Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true, Searchable: true},
		{Name: "kind", Type: core.TypeText, Slot: "t2", SlotReady: true},
		{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		{Name: "featured", Type: core.TypeBoolean, Slot: "n2", SlotReady: true},
		{Name: "day", Type: core.TypeDate, Slot: "d1", SlotReady: true},
		{Name: "body", Type: core.TypeLongText, Searchable: true},
		{Name: "tags", Type: core.TypeText, Multiple: true},
		{Name: "note", Type: core.TypeText},
	}
}

// manyOperations inserts entries whose values are rare, frequent, and near the limits at
// which engines change plans.
func manyOperations() []operation {
	ops := make([]operation, manyEntries)
	for n := range ops {
		c := content{
			"title": fmt.Sprintf("Entry %d of all", n%40), "kind": "rest", "featured": n%3 == 0, "body": "plain", "tags": []any{fmt.Sprint("tag ", n%7)},
			"day": fmt.Sprintf("2024-%02d-%02d", n%12+1, n%28+1),
		}
		switch {
		case n < 200:
			c["kind"] = "two hundred"
		case n < 401:
			c["kind"] = "one more"
		case n < 404:
			c["kind"] = "three"
		}
		if n < 1001 {
			c["body"] = "the needle in a thousand and one"
		}
		if n < 40 { // a sample of the first texts suggests that all are long
			c["body"] = "the needle" + strings.Repeat(" ~", 1000)
		}
		if n%5 != 0 {
			c["views"] = float64(n % 97)
		}
		if n%11 == 0 {
			c["note"] = fmt.Sprint("note ", n)
		}
		a := operation{kind: "insert", number: ref(n), content: c, moment: n%20 + 1}
		a.state = entryState{slug: "articles", locale: "en", founder: a.number, public: n%10 != 9}
		if n%4 == 3 {
			a.state.founder, a.state.locale = ops[n-1].state.founder, "fr"
		}
		ops[n] = a
	}
	return ops
}
