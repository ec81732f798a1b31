package reading_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
)

// TestPreviewsAreWhatPublishingShows compares, for random content, what a preview of a draft shows with what readers
// see after that draft is public: each entry by its id, and lists whose place in the order does not depend on content.
func TestPreviewsAreWhatPublishingShows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 50))
			l := setupReader(t)
			var all []*core.Entry
			collections := []*core.Collection{l.countries, l.articles}
			of := func(e *core.Entry) *core.Collection {
				if e.CollectionID == l.countries.ID {
					return l.countries
				}
				return l.articles
			}
			// reference returns a random member of a collection, or none; documents name any of a group.
			reference := func(c *core.Collection) string {
				if e := pick(random, all); e != nil && of(e) == c {
					return fmt.Sprint(e.ID)
				}
				return "null"
			}
			references := func(c *core.Collection) string {
				var ids []string
				for range random.IntN(4) {
					if id := reference(c); id != "null" {
						ids = append(ids, id)
					}
				}
				return "[" + strings.Join(ids, ",") + "]"
			}
			document := func(c *core.Collection) string {
				if c == l.countries {
					return fmt.Sprintf(`{"name":"Country %d","borders":%s,"code":"canary"}`, random.IntN(1000), references(c))
				}
				return fmt.Sprintf(`{"title":"Article %d","views":%d,"country":%s,"related":%s,"secretNote":"canary","secretLink":%s}`,
					random.IntN(1000), random.IntN(9), reference(l.countries), references(c), reference(l.countries))
			}
			for range 12 {
				var change []func(*core.Entry)
				c := collections[random.IntN(2)]
				if e := pick(random, all); e != nil && random.IntN(3) == 0 {
					if locale := l.project.Locales[1+random.IntN(3)]; !has(all, e.Group, locale) {
						c, change = of(e), append(change, translated(e, locale))
					}
				}
				if random.IntN(5) == 0 {
					change = append(change, unpublished)
				}
				if random.IntN(4) == 0 {
					change = append(change, drafted(document(c)))
				}
				all = append(all, l.add(t, c, document(c), change...))
			}
			previewed := all[random.IntN(len(all))]
			previewed.Draft = core.Document(document(of(previewed)))
			l.update(t, of(previewed), previewed)
			isPublic := previewed.Published != nil

			reads := func(reader *reading.Reader) (shown []string) {
				for _, e := range all {
					if !isPublic && e != previewed { // others do not show what was never public
						continue
					}
					for depth := range int64(3) {
						shaped, err := reader.Entry(t.Context(), l.project, of(e).Slug, e.ID, query.Shape{Depth: &depth})
						if err != nil {
							require.ErrorIs(t, err, core.ErrNotFound)
							shown = append(shown, fmt.Sprintf("%d: none", e.ID))
							continue
						}
						shown = append(shown, string(shaped.JSON))
					}
				}
				for _, c := range collections {
					for _, locale := range append([]string{"*"}, l.project.Locales...) {
						if !isPublic {
							continue
						}
						for depth := range int64(3) {
							listing, err := reader.Prepare(t.Context(), l.project, false, query.Query{Collection: c.Slug, Locale: locale, Sort: "id", Shape: query.Shape{Depth: &depth}})
							require.NoError(t, err)
							page, err := listing.Page(t.Context())
							require.NoError(t, err)
							shown = append(shown, locale+" "+strings.Join(bodies(page), "\n"))
						}
					}
				}
				return shown
			}
			preview := reads(l.reader.Previewing(l.project, l.stores.Entries, previewed.Row(core.StateWithDraft), false))
			previewed.Published = previewed.Draft
			if !isPublic {
				previewed.PublishedAt, previewed.ReleasedAt = day, day
			}
			l.update(t, of(previewed), previewed)
			public := reads(l.reader)
			if !isPublic { // it has no time yet
				for i := range public {
					public[i] = strings.Replace(public[i], `"publishedAt":"2026-01-02T03:04:05.006Z"`, `"publishedAt":null`, 1)
				}
			}
			require.Equal(t, public, preview)
			require.NotContains(t, strings.Join(preview, "\n"), "canary")
		})
	}
}

// pick returns a random entry; nil if there is none.
func pick(random *rand.Rand, all []*core.Entry) *core.Entry {
	if len(all) == 0 {
		return nil
	}
	return all[random.IntN(len(all))]
}

// has reports whether a translation group has an entry in a locale.
func has(all []*core.Entry, group int64, locale string) bool {
	for _, e := range all {
		if e.Group == group && e.Locale == locale {
			return true
		}
	}
	return false
}
