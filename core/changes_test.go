package core_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// comparedPages is a collection with all kinds of values with items, and a hidden field.
func comparedPages() *core.Collection {
	link := &core.Component{Slug: "link", Fields: []*core.Field{{Name: "label", Type: core.TypeText}, {Name: "url", Type: core.TypeURL}}}
	hero := &core.Component{Slug: "hero", Fields: []*core.Field{
		{Name: "title", Type: core.TypeText},
		{Name: "cta", Type: core.TypeGroup, Component: "link"},
		{Name: "links", Type: core.TypeGroup, Component: "link", Multiple: true},
	}}
	text := &core.Component{Slug: "text", Fields: []*core.Field{{Name: "body", Type: core.TypeRichText}}}
	c := &core.Collection{Slug: "pages", Fields: []*core.Field{
		{Name: "title", Type: core.TypeText},
		{Name: "note", Type: core.TypeText, Hidden: true},
		{Name: "seo", Type: core.TypeGroup, Component: "link"},
		{Name: "body", Type: core.TypeBlocks, Components: []string{"hero", "text"}, Multiple: true},
	}}
	core.ComponentsBySlug([]*core.Component{link, hero, text}).Bind(c)
	return c
}

// summary returns changes as short lines.
func summary(list []core.Change) (lines []string) {
	index := func(at *int) string {
		if at == nil {
			return "-"
		}
		return fmt.Sprint(*at)
	}
	for _, c := range list {
		line := fmt.Sprintf("%s %s %s %s %s>%s", c.Path, c.Key, c.Type, c.Kind, index(c.From), index(c.To))
		for _, f := range c.Fields {
			line += fmt.Sprintf(" %s:%s>%s", f.Path, f.Before, f.After)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestChanges(t *testing.T) {
	t.Parallel()
	c := comparedPages()
	for name, one := range map[string]struct {
		from, to string
		want     []string
	}{
		"same":              {`{"title":"a"}`, `{"title":"a"}`, nil},
		"null is no value":  {`{"title":null}`, `{}`, nil},
		"own fields":        {`{"note":"x","old":1,"title":"a"}`, `{"note":"y","old":2,"title":"b"}`, []string{`title   changed ->- title:"a">"b"`}},
		"a single group":    {`{"seo":{"label":"a"}}`, `{"seo":{"label":"b"}}`, []string{`seo   changed ->- seo.label:"a">"b"`}},
		"a group comes":     {`{}`, `{"seo":{}}`, []string{`seo   changed ->- seo:>{}`}},
		"a list comes":      {`{}`, `{"body":[]}`, []string{`body   changed ->- body:>[]`}},
		"a list goes":       {`{"body":[{"_key":"a","_type":"text","body":"x"}]}`, `{}`, []string{`body   changed ->- body:[]>`, `body a text removed 0>- body[a].body:"x">`}},
		"inserted before":   {`{"body":[{"_key":"a","_type":"text"}]}`, `{"body":[{"_key":"b","_type":"text","body":"x"},{"_key":"a","_type":"text"}]}`, []string{`body b text added ->0 body[b].body:>"x"`}},
		"moved and edited":  {`{"body":[{"_key":"a","_type":"text"},{"_key":"b","_type":"text"},{"_key":"c","_type":"text"}]}`, `{"body":[{"_key":"c","_type":"text","body":"x"},{"_key":"a","_type":"text"},{"_key":"b","_type":"text"}]}`, []string{`body c text moved 2>0 body[c].body:>"x"`}},
		"another component": {`{"body":[{"_key":"a","_type":"text"}]}`, `{"body":[{"_key":"a","_type":"hero"}]}`, []string{`body a hero added ->0`, `body a text removed 0>-`}},
		"not admitted":      {`{"body":[{"_key":"a","_type":"gone"}]}`, `{"body":[]}`, nil},
		"nested": {
			`{"body":[{"_key":"a","_type":"hero","cta":{"label":"x"},"links":[{"_key":"p","label":"1"},{"_key":"q"}]}]}`,
			`{"body":[{"_key":"a","_type":"hero","cta":{"label":"y"},"links":[{"_key":"p","label":"2"}]}]}`,
			[]string{`body a hero changed 0>0 body[a].cta.label:"x">"y"`, `body[a].links p link changed 0>0 body[a].links[p].label:"1">"2"`, `body[a].links q link removed 1>-`},
		},
		"media": {`{"@media":{"7":{"caption":"a"}}}`, `{"@media":{"7":{"caption":"b"},"8":{"hash":"x"}}}`, []string{`@media 7  changed ->- @media[7].caption:"a">"b"`, `@media 8  added ->- @media[8].hash:>"x"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, one.want, summary(c.Changes(core.Document(one.from), core.Document(one.to))))
		})
	}
	var unknown *core.Collection
	require.Equal(t, []string{`body   changed ->- body:[]>[1]`}, summary(unknown.Changes(core.Document(`{"body":[]}`), core.Document(`{"body":[1]}`))))
}

// Places have the types of items of blocks, and no keys.
func TestPlacesOfChanges(t *testing.T) {
	t.Parallel()
	from := core.Document(`{"@media":{"7":{"caption":"a"}},"body":[{"_key":"a","_type":"hero","cta":{"label":"x"},"links":[{"_key":"p","label":"1"}]},{"_key":"b","_type":"text"}],"title":"t"}`)
	to := core.Document(`{"@media":{},"body":[{"_key":"b","_type":"text","body":"x"},{"_key":"a","_type":"hero","cta":{"label":"y"},"links":[{"_key":"p","label":"2"}]},{"_key":"c","_type":"hero"}],"seo":{},"title":"u"}`)
	var places []string
	for _, c := range comparedPages().Changes(from, to) {
		places = append(places, c.Places()...)
	}
	require.Equal(t, []string{"title", "seo", "body.text.body", "body.hero.cta.label", "body.hero.links.label", "body.hero", "@media"}, places)
}

// object is a document, or an item, as a program in another language would have it.
type object = map[string]any

// apply returns before with changes made: those of inner lists first.
func apply(changes []core.Change, before object) object {
	parse := func(raw json.RawMessage) (v any) {
		if raw != nil {
			_ = json.Unmarshal(raw, &v)
		}
		return v
	}
	set := func(in object, path string, raw json.RawMessage) {
		names := strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			in = in[name].(object)
		}
		if raw == nil {
			delete(in, names[len(names)-1])
		} else {
			in[names[len(names)-1]] = parse(raw)
		}
	}
	var lists func(prefix string, in object)
	lists = func(prefix string, in object) {
		if prefix == "" {
			list, _ := in["body"].([]any)
			for _, v := range list {
				lists("body["+v.(object)["_key"].(string)+"].", v.(object))
			}
		}
		byPath := map[string][]core.Change{}
		for _, c := range changes {
			if name, ok := strings.CutPrefix(c.Path, prefix); ok && !strings.ContainsAny(name, ".[") && c.Key != "" {
				byPath[name] = append(byPath[name], c)
			}
		}
		for name, records := range byPath {
			list, _ := in[name].([]any)
			taken := map[string]object{}
			for _, r := range records {
				if r.From != nil && r.Kind != core.ChangeEdited {
					i := slices.IndexFunc(list, func(v any) bool { return v.(object)["_key"] == r.Key })
					if r.Kind == core.ChangeMoved {
						taken[r.Key] = list[i].(object)
					}
					list = slices.Delete(list, i, i+1)
				}
			}
			slices.SortStableFunc(records, func(a, b core.Change) int {
				if a.To == nil || b.To == nil {
					return 0
				}
				return *a.To - *b.To
			})
			for _, r := range records {
				item := taken[r.Key]
				switch r.Kind {
				case core.ChangeRemoved:
					continue
				case core.ChangeAdded:
					if item = (object{"_key": r.Key}); prefix == "" {
						item["_type"] = r.Type
					}
				case core.ChangeEdited:
					item = list[slices.IndexFunc(list, func(v any) bool { return v.(object)["_key"] == r.Key })].(object)
				}
				for _, f := range r.Fields {
					set(item, strings.TrimPrefix(f.Path, r.Path+"["+r.Key+"]."), f.After)
				}
				if r.Kind != core.ChangeEdited {
					list = slices.Insert(list, *r.To, any(item))
				}
			}
			in[name] = list
		}
	}
	lists("", before)
	for _, c := range changes {
		for _, f := range c.Fields {
			if c.Key == "" {
				set(before, f.Path, f.After)
			}
		}
	}
	return before
}

// drawPage draws a version of comparedPages.
func drawPage(rt *rapid.T) object {
	text := rapid.SampledFrom([]string{"", "a", "b"})
	maybe := func(in object, name string, value func() any) {
		if rapid.Bool().Draw(rt, "has "+name) {
			in[name] = value()
		}
	}
	link := func() object {
		l := object{}
		maybe(l, "label", func() any { return text.Draw(rt, "label") })
		return l
	}
	keys := func() []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k1", "k2", "k3", "k4", "k5", "k6"}), 0, 6, rapid.ID[string]).Draw(rt, "keys")
	}
	page := object{}
	maybe(page, "title", func() any { return text.Draw(rt, "title") })
	maybe(page, "seo", func() any { return link() })
	maybe(page, "body", func() any {
		list := []any{}
		for _, key := range keys() {
			if rapid.IntRange(0, 3).Draw(rt, "type") == 0 {
				list = append(list, object{"_key": key, "_type": "text", "body": text.Draw(rt, "text")})
				continue
			}
			hero := object{"_key": key, "_type": "hero"}
			maybe(hero, "title", func() any { return text.Draw(rt, "hero") })
			maybe(hero, "cta", func() any { return link() })
			maybe(hero, "links", func() any {
				links := []any{}
				for _, key := range keys() {
					l := link()
					l["_key"] = key
					links = append(links, l)
				}
				return links
			})
			list = append(list, hero)
		}
		return list
	})
	return page
}

func documentOf(v object) core.Document { return canonical.Of(v) }

// Applying the changes from one version to another gives the other, and as few items as possible move.
func TestChangesApply(t *testing.T) {
	t.Parallel()
	c := comparedPages()
	rapid.Check(t, func(rt *rapid.T) {
		before, after := drawPage(rt), drawPage(rt)
		from, to := documentOf(before), documentOf(after)
		found := c.Changes(from, to)
		if string(from) == string(to) != (len(found) == 0) {
			rt.Fatalf("%s to %s: %q", from, to, summary(found))
		}
		var copied object
		require.NoError(rt, json.Unmarshal(from, &copied))
		if got := documentOf(apply(found, copied)); string(got) != string(to) {
			rt.Fatalf("%s to %s: %q gives %s", from, to, summary(found), got)
		}
		moved := 0
		for _, change := range found {
			if change.Path == "body" && change.Kind == core.ChangeMoved {
				moved++
			}
		}
		if want := fewestMoves(before, after); moved != want {
			rt.Fatalf("%s to %s: %d moved, want %d", from, to, moved, want)
		}
	})
}

// fewestMoves returns the number of common items of body less the longest common subsequence of them.
func fewestMoves(before, after object) int {
	names := func(page object) (all []string) {
		list, _ := page["body"].([]any)
		for _, v := range list {
			all = append(all, v.(object)["_type"].(string)+v.(object)["_key"].(string))
		}
		return all
	}
	a, b := names(before), names(after)
	common := 0
	for _, name := range a {
		if slices.Contains(b, name) {
			common++
		}
	}
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				longest[i+1][j+1] = longest[i][j] + 1
			} else {
				longest[i+1][j+1] = max(longest[i][j+1], longest[i+1][j])
			}
		}
	}
	return common - longest[len(a)][len(b)]
}

// FuzzChanges checks that no canonical objects make Changes panic, and that equal ones have none.
func FuzzChanges(f *testing.F) {
	f.Add(`{"title":"a"}`, `{"body":[{"_key":"a","_type":"text"},{"_key":"a","_type":"text"},{"_type":"hero"},7]}`)
	f.Add(`{"seo":[{}],"body":{"_type":"hero","links":{}}}`, `{"seo":7,"@media":[]}`)
	c := comparedPages()
	f.Fuzz(func(t *testing.T, a, b string) {
		from, err := canonical.Transform([]byte(a))
		if err != nil || from[0] != '{' {
			return
		}
		to, err := canonical.Transform([]byte(b))
		if err != nil || to[0] != '{' {
			return
		}
		c.Changes(from, to)
		require.Empty(t, c.Changes(from, from))
	})
}

// orders has changes of the order of items, which the dashboard's own comparison is tested with, too. An
// item is its key, of the component text or, in capitals, hero.
type orders []struct{ From, To, Want string }

// lines returns changes as "k moved 2>0".
func (orders) lines(list []core.Change) string {
	var lines []string
	for _, line := range summary(list) {
		parts := strings.Fields(line)
		lines = append(lines, strings.Join([]string{parts[1], parts[3], parts[4]}, " "))
	}
	return strings.Join(lines, ", ")
}

func (orders) list(keys string) core.Document {
	items := []string{}
	for _, key := range keys {
		component := "text"
		if unicode.IsUpper(key) {
			component = "hero"
		}
		items = append(items, fmt.Sprintf(`{"_key":"%c","_type":%q}`, unicode.ToLower(key), component))
	}
	return core.Document(`{"body":[` + strings.Join(items, ",") + `]}`)
}

func TestOrders(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/orders.json")
	require.NoError(t, err)
	var all orders
	require.NoError(t, json.Unmarshal(raw, &all))
	require.NotEmpty(t, all)
	c := comparedPages()
	for _, one := range all {
		require.Equal(t, one.Want, all.lines(c.Changes(all.list(one.From), all.list(one.To))), "%q to %q", one.From, one.To)
	}
}
