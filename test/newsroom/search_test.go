package newsroom_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/test/contenttest"
	"imprimatur/test/newsroom"
)

// A search finds the searchable texts inside of components, blocks and groups, and the text of rich text.
// It finds no markup, no names of fields, components or keys, and nothing of fields that are hidden or not
// searchable.
func TestSearchesInsideOfItems(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		text := func(name string, change ...func(*definition.FieldInput)) definition.FieldInput {
			in := definition.FieldInput{Name: name, Type: core.TypeText, Searchable: true}
			for _, c := range change {
				c(&in)
			}
			return in
		}
		plain := func(in *definition.FieldInput) { in.Searchable = false }
		several := func(in *definition.FieldInput) { in.Multiple = true }
		rich := func(in *definition.FieldInput) { in.Type = core.TypeRichText }
		component := func(slug string, fields ...definition.FieldInput) {
			_, err := w.Collections.Components().Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
			w.OK(err)
		}
		component("link", text("label"), text("target", plain))
		component("hero", text("headline"), text("lines", several), text("prose", rich),
			definition.FieldInput{Name: "links", Type: core.TypeGroup, Component: "link", Multiple: true},
			definition.FieldInput{Name: "best", Type: core.TypeGroup, Component: "link"})
		c, err := w.Collections.Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: "pages", Name: "Pages", Fields: []definition.FieldInput{
			text("title"), text("story", rich),
			{Name: "body", Type: core.TypeBlocks, Components: []string{"hero", "link"}},
			{Name: "intro", Type: core.TypeGroup, Component: "hero"},
			{Name: "secret", Type: core.TypeGroup, Component: "link", Hidden: true},
		}})
		w.OK(err)
		write := func(fields string) int64 {
			var values map[string]json.RawMessage
			w.OK(json.Unmarshal([]byte(fields), &values))
			made, err := w.Writer.Create(t.Context(), w.Actor("admin"), w.Project, c.ID, core.EntryWrite{Published: new(true), Fields: core.WrittenFields{Raw: values}})
			w.OK(err)
			return made.Entry.ID
		}
		one := write(`{"title":"Atlas","story":"<p class=\"amber\">Ba<b>sa</b>lt &amp; chalk</p><p>cedar</p>",
			"body":[{"_type":"hero","_key":"kiwi","headline":"Delta","lines":["ember oak","fjord"],"prose":"<h2>Garnet</h2><p>heather</p>",
				"links":[{"_key":"lime","label":"Island","target":"canarythree"}],"best":{"label":"jasper"}},{"_type":"link","_key":"mango","label":"Kelp"}],
			"intro":{"headline":"Lagoon","links":[{"_key":"plum","label":"Marble"}]},"secret":{"label":"canaryone"}}`)
		two := write(`{"title":"Nickel","body":[{"_type":"link","_key":"kiwi","label":"Delta opal"}]}`)

		reader := reading.NewReader(w.Stores.Entries, contenttest.Schemas{Stores: w.Stores}, w.Stores.Media, "")
		found := func(search string) (ids []int64) {
			listing, err := reader.Prepare(t.Context(), w.Project, false, query.Query{Collection: "pages", Search: search})
			require.NoError(t, err, search)
			page, err := listing.Page(t.Context())
			require.NoError(t, err, search)
			for _, e := range page.Entries {
				ids = append(ids, e.ID)
			}
			slices.Sort(ids)
			return ids
		}
		for _, search := range []string{
			"basalt", "chalk", "cedar", "ember", "fjord", "garnet", "heather", "island", "jasper", "kelp", "lagoon", "marble",
			"atlas garnet marble kelp", `"ember oak"`, "basalt chal", "delta jasper",
		} {
			require.Equal(t, []int64{one}, found(search), search)
		}
		require.Equal(t, []int64{one, two}, found("delta"))
		require.Equal(t, []int64{two}, found(`"delta opal"`))
		for _, search := range []string{
			"amber", "amp", "class", "h2", "strong", "kiwi", "lime", "mango", "plum", "hero", "link", "headline", "label", "_type",
			"canaryone", "canarythree", `"oak fjord"`, "delta nickel atlas",
		} {
			require.Empty(t, found(search), search)
		}
	})
}
