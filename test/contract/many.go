package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"imprimatur/core"
)

// manyEntries is more than any engine takes for few.
const manyEntries = 1500

// AgreeOnMany compares what all engines answer to random selections on one large
// collection, where an engine may go another way than on a small one, while locales and
// what is ready in the index change.
func AgreeOnMany(t *testing.T, engines map[string]Factory) {
	h := &history{engines: openAll(t, engines), slugs: []string{"articles"}, written: written{}}
	acts := manyActs()
	for _, a := range acts {
		h.entries = append(h.entries, a.fate)
		h.written.add(a.fate.slug, a.content)
	}
	for _, e := range h.engines {
		e.shelves = map[string]*shelf{"articles": newShelf(t, e.world, "articles", manyFields()...)}
		for part := range slices.Chunk(acts, 500) {
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

// redefineMany draws the locales' order of preference and which fields wait to be filled,
// whatever earlier checks drew.
func (h *history) redefineMany() {
	locale := rapid.SampledFrom(h.engines[0].project.Locales)
	standard := locale.Draw(h.rt, "default locale")
	fallbacks := rapid.MapOfN(locale, rapid.SliceOfN(locale, 0, 2), 0, 2).Draw(h.rt, "fallbacks")
	waiting := rapid.SliceOfN(rapid.IntRange(0, 3), len(manyFields()), len(manyFields())).Draw(h.rt, "waiting")
	for _, e := range h.engines {
		succeed(h.rt, e.redefine(h.rt.Context(), redefinition{project: func(p *core.Project) {
			p.DefaultLocale, p.Fallbacks = standard, fallbacks
		}}))
		succeed(h.rt, e.redefine(h.rt.Context(), redefinition{slug: "articles", collection: func(c *core.Collection) {
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

// manyActs inserts entries whose values are shared by few, by many, and by as many
// as may make an engine change its mind.
func manyActs() []act {
	acts := make([]act, manyEntries)
	for n := range acts {
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
		if n < 40 { // by what the first texts are like, much to read
			c["body"] = "the needle" + strings.Repeat(" ~", 1000)
		}
		if n%5 != 0 {
			c["views"] = float64(n % 97)
		}
		if n%11 == 0 {
			c["note"] = fmt.Sprint("note ", n)
		}
		a := act{kind: "insert", number: ref(n), content: c, moment: n%20 + 1}
		a.fate = fate{slug: "articles", locale: "en", founder: a.number, public: n%10 != 9}
		if n%4 == 3 {
			a.fate.founder, a.fate.locale = acts[n-1].fate.founder, "fr"
		}
		acts[n] = a
	}
	return acts
}
