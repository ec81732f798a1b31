package core_test

import (
	"encoding/json"
	"fmt"
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
	require.Equal(t, []string{"[0].inner[0].old", "[0].old", "[1]"}, c.Fields[0].Withheld(doc.Value("body")))
	require.Equal(t, `[{"_key":"a","_type":"hero","inner":[{"_key":"b","_type":"hero","tone":null}],"title":"One","tone":null}]`,
		string(c.Fields[0].AsWritten(doc.Value("body"))))
	require.Equal(t, 2, c.Fields[0].CountItems(doc.Value("body")))
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
