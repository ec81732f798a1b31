package reading_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/query"
	"imprimatur/test/contenttest"
)

// pictured adds a picture with renditions.
func (l *readerFixture) pictured(t *testing.T, name string) core.MediaItem {
	t.Helper()
	item := core.MediaItem{
		UpdatedAt: day, ProjectID: l.project.ID, FileName: name, Hash: name, Full: "u/" + name, FullWebP: "u/" + name + ".webp", MimeType: "image/png", Kind: core.MediaImage,
		Width: 640, Height: 480, CreatedAt: day,
	}
	require.NoError(t, l.stores.Media.Insert(t.Context(), &item))
	return item
}

func bodyOf(t *testing.T, entry []byte) string {
	t.Helper()
	text, ok := canonical.Text(core.Document(entry).Value("body"))
	if !ok { // members are not in canonical order
		var all map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(entry, &all))
		require.NoError(t, json.Unmarshal(all["body"], &text))
	}
	return text
}

// linkedBody returns a document with a body that links to the items and groups.
func linkedBody(body string, targets ...any) string {
	return `{"body":` + string(canonical.Quote(fmt.Sprintf(body, targets...))) + `}`
}

func TestTextShowsItsTargets(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	pages := l.collection(t, "pages", &core.Field{Name: "hidden", Type: core.TypeSlug, Hidden: true}, &core.Field{Name: "slug", Type: core.TypeSlug}, &core.Field{Name: "other", Type: core.TypeSlug})
	picture, file := l.pictured(t, "a.png"), l.medium(t, "b c.txt")
	target := l.add(t, pages, `{"hidden":"no","other":"other","slug":"about-us"}`)
	german := l.add(t, pages, `{"slug":"ueber-uns"}`, translated(target, "de"))
	draft := l.add(t, pages, `{"slug":"draft"}`, unpublished)
	plain := l.add(t, l.countries, `{"name":"Peru"}`)
	body := `<p><img data-media="%d" alt="x"><img data-media="%d" width="50"><a data-media="%d" href="#page=3">f</a><a data-media="999">g</a></p>` +
		`<a data-entry="%d">e</a><a data-entry="%d">d</a><a data-entry="%d">p</a><a data-entry="998">n</a>`
	l.add(t, l.articles, linkedBody(body, picture.ID, picture.ID, file.ID, target.Group, draft.Group, plain.Group))
	want := fmt.Sprintf(`<p><img data-media="%d" src="/files/u/a.png/a.webp" width="640" height="480" alt="x"><img data-media="%d" src="/files/u/a.png/a.webp" width="50">`+
		`<a data-media="%d" href="/files/u/andes/b%%20c.txt#page=3">f</a><a data-media="999">g</a></p>`+
		`<a data-entry="%d" data-collection="pages" data-slug="about-us">e</a><a data-entry="%d" data-collection="pages">d</a><a data-entry="%d" data-collection="countries">p</a><a data-entry="998">n</a>`,
		picture.ID, picture.ID, file.ID, target.ID, draft.ID, plain.ID)
	require.Equal(t, want, bodyOf(t, l.page(t, query.Query{Collection: "articles"}).Entries[0].JSON))
	depth, offset := int64(0), int64(0)
	require.Equal(t, want, bodyOf(t, l.page(t, query.Query{Collection: "articles", Offset: &offset, Shape: query.Shape{Depth: &depth, Fields: "body"}}).Entries[0].JSON))
	require.Contains(t, bodyOf(t, l.page(t, query.Query{Collection: "articles", State: "with_draft"}).Entries[0].JSON), fmt.Sprintf(`<a data-entry="%d" data-collection="pages">d</a>`, draft.ID))

	l.add(t, l.articles, linkedBody(`<a data-entry="%d">e</a>`, target.Group), inLocale("de"))
	require.Equal(t, fmt.Sprintf(`<a data-entry="%d" data-collection="pages" data-slug="ueber-uns">e</a>`, german.ID), bodyOf(t, l.page(t, query.Query{Collection: "articles", Locale: "de"}).Entries[0].JSON))
}

func TestRelatedTextShowsItsTargets(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	picture := l.pictured(t, "a.png")
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	inner := l.add(t, l.articles, linkedBody(`<img data-media="%d"><a data-entry="%d">x</a>`, picture.ID, peru.Group))
	chile := l.add(t, l.countries, `{"name":"Chile"}`)
	l.add(t, l.articles, fmt.Sprintf(`{"body":%s,"country":%d,"related":[%d]}`, canonical.Quote(fmt.Sprintf(`<a data-entry="%d">y</a>`, inner.Group)), chile.Group, inner.Group))
	for depth, calls := range []int64{3, 4, 4, 4} { // the list, each hop, the media
		n := int64(depth)
		before := l.calls.made.Load()
		page := l.page(t, query.Query{Collection: "articles", Shape: query.Shape{Depth: &n}})
		require.Equal(t, calls, l.calls.made.Load()-before, "depth %d", depth)
		if depth > 0 {
			var related []json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(contenttest.Values(t, page.Entries[0].JSON, "related")["related"]), &related))
			require.Equal(t, fmt.Sprintf(`<img data-media="%d" src="/files/u/a.png/a.webp" width="640" height="480"><a data-entry="%d" data-collection="countries">x</a>`, picture.ID, peru.ID), bodyOf(t, related[0]))
		}
		require.Equal(t, fmt.Sprintf(`<a data-entry="%d" data-collection="articles">y</a>`, inner.ID), bodyOf(t, page.Entries[0].JSON))
	}
}

func TestSealedTextShowsSealedNames(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	picture, gone := l.pictured(t, "a.png"), l.pictured(t, "b.png")
	sealed := picture
	sealed.FileName, sealed.Alt = "sealed.png", "A <pier>"
	l.add(t, l.articles, linkedBody(`<img data-media="%d"><img data-media="%d">`, picture.ID, gone.ID), func(e *core.Entry) {
		e.PublishedMedia = core.Seal([]core.MediaItem{sealed})
	})
	require.Equal(t, fmt.Sprintf(`<img data-media="%d" src="/files/u/a.png/sealed.webp" width="640" height="480" alt="A &lt;pier&gt;"><img data-media="%d">`, picture.ID, gone.ID),
		bodyOf(t, l.page(t, query.Query{Collection: "articles"}).Entries[0].JSON))
}

// TestTextShowsTheAltOfItsPictures checks that a picture without an alt gets that of the library. An
// empty one marks a decoration.
func TestTextShowsTheAltOfItsPictures(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	picture := l.pictured(t, "a.png")
	picture.Alt = `A "pier"`
	require.NoError(t, l.stores.Media.Update(t.Context(), &picture))
	l.add(t, l.articles, linkedBody(`<img data-media="%d"><img data-media="%d" alt=""><img data-media="%d" alt="own"><a data-media="%d">f</a>`, picture.ID, picture.ID, picture.ID, picture.ID))
	shown := fmt.Sprintf(`<img data-media="%d" src="/files/u/a.png/a.webp" width="640" height="480"`, picture.ID)
	require.Equal(t, shown+` alt="A &#34;pier&#34;">`+shown+` alt="">`+shown+` alt="own">`+fmt.Sprintf(`<a data-media="%d" href="/files/u/a/a.png">f</a>`, picture.ID),
		bodyOf(t, l.page(t, query.Query{Collection: "articles"}).Entries[0].JSON))
}
