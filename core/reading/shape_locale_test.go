package reading_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
)

// Everything below an entry is in the locale being served: a single read serves the locale of the
// entry, so it equals the element of a list in that locale, also at an earlier time.
func TestRelationsHaveTheLocaleOfTheReadEntry(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := setupReader(t)
		locales := []string{"de", "en", "fr", "fr-CA"}
		const groups = 5 // their ids are those of their first entries
		var members [groups][]string
		for i := range members {
			members[i] = rapid.SliceOfNDistinct(rapid.SampledFrom(locales), 1, 3, rapid.ID[string]).Draw(rt, "locales")
		}
		firsts := make([]int64, groups)
		for i, next := 0, int64(1); i < groups; i++ {
			firsts[i], next = next, next+int64(len(members[i]))
		}
		var all []*core.Entry
		for i := range members {
			for n, locale := range members[i] {
				borders := rapid.SliceOfNDistinct(rapid.SampledFrom(firsts), 0, 2, rapid.ID[int64]).Draw(rt, "borders")
				slices.Sort(borders)
				document := fmt.Sprintf(`{"borders":%s,"name":"%d %s"}`, strings.ReplaceAll(fmt.Sprint(borders), " ", ","), i, locale)
				all = append(all, l.add(t, l.countries, document, inLocale(locale), func(e *core.Entry) {
					if n > 0 {
						e.Group = firsts[i]
					}
				}))
			}
		}
		past := reading.NewHistory(l.stores, l.schemas, "")
		for depth := range int64(query.MaxDepth + 1) {
			shape := query.Shape{Depth: &depth}
			if depth > 0 && rapid.Bool().Draw(rt, "fields") {
				shape.Fields = "borders" + strings.Repeat(".borders", int(depth)-1) + ".name"
			}
			for _, e := range all {
				single, err := l.reader.Entry(t.Context(), l.project, "countries", e.ID, shape)
				require.NoError(rt, err)
				page := l.page(t, query.Query{Collection: "countries", Locale: e.Locale, Shape: shape})
				at := slices.IndexFunc(page.Entries, func(shown reading.Shaped) bool { return shown.ID == e.ID })
				require.Equal(rt, string(page.Entries[at].JSON), string(single.JSON), "depth %d, fields %q", depth, shape.Fields)
				then, err := past.Entry(t.Context(), l.project, "countries", e.ID, shape, day.Add(time.Hour))
				require.NoError(rt, err)
				require.Equal(rt, string(single.JSON), string(then.JSON))
			}
		}
	})
}
