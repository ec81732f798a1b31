package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
)

// bound returns a collection with blocks of the components hero and text, and a hidden group.
func bound() *core.Collection {
	components := core.ComponentsBySlug([]*core.Component{
		{Slug: "hero", Fields: []*core.Field{
			{Name: "title", Type: core.TypeText},
			{Name: "tone", Type: core.TypeText, Default: json.RawMessage(`"light"`)},
			{Name: "inner", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero"}},
		}, Removed: []*core.Field{{Name: "old", Type: core.TypeText}}},
		{Slug: "text", Fields: []*core.Field{{Name: "title", Type: core.TypeText}}},
	})
	c := &core.Collection{Slug: "pages", Fields: []*core.Field{
		{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero"}},
		{Name: "note", Type: core.TypeGroup, Component: "text", Hidden: true},
	}}
	components.Bind(c)
	return c
}

// A snapshot, and whatever becomes public, has neither values of removed fields of components nor items
// that their field does not admit any more.
func TestWithheldItems(t *testing.T) {
	t.Parallel()
	c := bound()
	doc := core.Document(`{"body":[{"_key":"a","_type":"hero","inner":[{"_key":"b","_type":"hero","old":"canary"}],"old":"canary","title":"One"},{"_key":"c","_type":"text","title":"canary"}],"note":{"old":"x","title":"hidden"}}`)
	shown := `{"body":[{"_key":"a","_type":"hero","inner":[{"_key":"b","_type":"hero"}],"title":"One"}]}`
	snapshot, _, withheld := c.Snapshot("en", doc, nil)
	require.Equal(t, `{"collection":"pages","fields":`+shown+`,"locale":"en"}`, string(snapshot))
	require.Equal(t, `{"note":{"title":"hidden"}}`, string(withheld))
	require.Equal(t, `{"body":`+string(core.Document(shown).Value("body"))+`,"note":{"title":"hidden"}}`, string(c.Present(doc)))
	require.True(t, c.SameContent(doc, c.Present(doc)))
	require.Equal(t, []string{"[0].inner[0].old", "[0].old", "[1]"}, c.Fields[0].WithheldPlaces(doc.Value("body")))
	require.Equal(t, []string{"body[a].inner[b].old", "body[a].old", "body[c]"}, places(c.Withheld(doc)))
	require.Equal(t, `[{"_key":"a","_type":"hero","inner":[{"_key":"b","_type":"hero","tone":null}],"title":"One","tone":null}]`,
		string(c.Fields[0].AsWritten(doc.Value("body"))))
	require.Equal(t, 2, c.Fields[0].CountItems(doc.Value("body")))
}

// Withheld items follow the item that they followed, withheld values stay in their item, and all of them go
// when they are dropped.
func TestRetain(t *testing.T) {
	t.Parallel()
	f := bound().Fields[0]
	one := func(kind, key, more string) string {
		return `{"_key":"` + key + `","_type":"` + kind + `"` + more + `}`
	}
	list := func(items ...string) json.RawMessage { return json.RawMessage("[" + strings.Join(items, ",") + "]") }
	w, x, y := one("text", "w", ""), one("text", "x", ""), one("text", "y", "")
	a, b := one("hero", "a", `,"inner":[`+w+`],"old":"1"`), one("hero", "b", "")
	bare, fresh := one("hero", "a", `,"inner":[]`), one("hero", "c", "")
	stored := list(w, a, x, y, b)
	for name, c := range map[string]struct{ value, want json.RawMessage }{
		"the same":    {f.Present(stored), stored},
		"moved":       {list(b, bare), list(w, b, a, x, y)},
		"removed":     {list(fresh, b), list(w, x, y, fresh, b)},
		"emptied":     {list(), list(w, x, y)},
		"inserted":    {list(fresh, bare, fresh, b), list(w, fresh, a, x, y, fresh, b)},
		"other type":  {list(one("text", "a", "")), list(w, x, y, one("text", "a", ""))},
		"taken key":   {list(one("hero", "x", ""), b), list(w, y, one("hero", "x", ""), b)},
		"without one": {list(one("hero", "a", "")), list(w, one("hero", "a", `,"old":"1"`), x, y)},
	} {
		require.Equal(t, string(c.want), string(f.Retain(c.value, stored, core.Retention{})), name)
	}
	var clashes []core.Withheld
	keep := func(w core.Withheld) bool { return w.Key == "x" }
	got := f.Retain(list(one("hero", "x", ""), bare), stored, core.Retention{Keep: keep, Clash: func(w core.Withheld) { clashes = append(clashes, w) }})
	require.Equal(t, string(list(one("hero", "x", ""), bare)), string(got))
	require.Equal(t, []string{"body[x]"}, places(clashes))
}

func places(parts []core.Withheld) (at []string) {
	for _, w := range parts {
		if at = append(at, w.Path); w.IsItem() {
			at[len(at)-1] += "[" + w.Key + "]"
		}
	}
	return at
}

// Each item of a list gets a key of its own, keeps one that it has, and gets the stored ones when the same
// is written without keys.
func TestKeysOfItems(t *testing.T) {
	t.Parallel()
	f, made := bound().Fields[0], 0
	newKey := func() string { made++; return fmt.Sprint("new", made) }
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(keys []string) json.RawMessage {
			list := "["
			for i, n := 0, rapid.IntRange(0, 6).Draw(rt, "items"); i < n; i++ {
				if i > 0 {
					list += ","
				}
				key := ""
				if keys != nil && i < len(keys) && rapid.Bool().Draw(rt, "keyed") {
					key = fmt.Sprintf(`"_key":%q,`, keys[i])
				}
				list += fmt.Sprintf(`{%s"_type":"hero","title":"%d"}`, key, i)
			}
			return json.RawMessage(list + "]")
		}
		keysOf := func(raw json.RawMessage) (keys []string) {
			f.EachItem(raw, func(_ *core.Component, item core.Document) { keys = append(keys, string(item.Value(core.ItemKey))) })
			return keys
		}
		stored := f.WithKeys(draw(nil), nil, newKey)
		some := rapid.Permutation([]string{"new1", "k2", "k3", "k4", "k5", "k6"}).Draw(rt, "keys")
		next := f.WithKeys(draw(some), stored, newKey)
		seen := map[string]bool{}
		for _, key := range keysOf(next) {
			if key == "" || seen[key] {
				rt.Fatalf("%s: the key %s is missing or twice", next, key)
			}
			seen[key] = true
		}
		bare := f.EditItems(next, func(_ *core.Component, _ string, item core.Document) core.Document {
			return item.Edit(func(name string, value json.RawMessage) json.RawMessage {
				if name == core.ItemKey {
					return nil
				}
				return value
			})
		})
		if again := f.WithKeys(bare, next, newKey); string(again) != string(next) {
			rt.Fatalf("%s became %s", next, again)
		}
	})
}
