package writing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition"
	"imprimatur/core/fileurl"
	"imprimatur/core/publishing"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/test/contenttest"
)

// linkedText is a project with a collection with rich text, a media item and an entry.
type linkedText struct {
	*contenttest.Fixture
	articles *core.Collection
	item     core.MediaItem
	target   *reading.Managed
}

func setupLinks(t *testing.T) *linkedText {
	t.Helper()
	d := &linkedText{Fixture: contenttest.New(t)}
	d.articles = d.Collection(t, "articles",
		definition.FieldInput{Name: "title", Type: core.TypeText}, definition.FieldInput{Name: "body", Type: core.TypeRichText},
		definition.FieldInput{Name: "parts", Type: core.TypeRichText, Multiple: true}, definition.FieldInput{Name: "hidden", Type: core.TypeRichText, Hidden: true})
	d.item = d.file(t, d.Project, 1, "a b.png")
	d.target = d.Create(t, d.articles, `{"title":"target"}`)
	return d
}

// file adds a picture with the names of real blobs.
func (d *linkedText) file(t *testing.T, p *core.Project, n int, name string) core.MediaItem {
	t.Helper()
	blob := func(rendition int, extension string) string {
		return fmt.Sprintf("3b241101-e2bb-4255-8caf-4136c566a96%d/%064x%s", p.ID%10, n*10+rendition, extension)
	}
	item := core.MediaItem{
		CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day, ProjectID: p.ID, FileName: name, Kind: core.MediaImage, Width: 640, Height: 480,
		Full: blob(1, ".png"), Thumb: blob(2, ".png"), ThumbWebP: blob(3, ".webp"), FullWebP: blob(4, ".webp"),
	}
	require.NoError(t, d.Stores.Media.Insert(t.Context(), &item))
	return item
}

// body creates an entry with a body and returns the stored body.
func (d *linkedText) body(t *testing.T, body string) string {
	t.Helper()
	m := d.Create(t, d.articles, `{"body":`+string(canonical.Quote(body))+`}`)
	text, _ := canonical.Text(d.Entry(t, m.ID).Draft.Value("body"))
	return text
}

func TestWritesTurnAddressesIntoReferences(t *testing.T) {
	t.Parallel()
	d := setupLinks(t)
	publisher := publishing.New(d.Clock, nil, "https://media.example", "https://cms.example")
	d.Writer = writing.NewWriter(d.Stores, d.Store, d.Stores.Collections, d.Approval, publisher, contenttest.Hasher{})
	want := fmt.Sprintf(`<p><img data-media="%d" alt="x"></p>`, d.item.ID)
	for _, blob := range d.item.Blobs() {
		for _, base := range []fileurl.Base{"", "https://media.example", "http://CMS.example", "//cms.example"} {
			address := fileurl.URL(base, blob, d.item.FileName)
			require.Equal(t, want, d.body(t, `<p><img src="`+address+`" alt="x"></p>`))
			require.Equal(t, want, d.body(t, `<p><img src="`+address+`" width="640" height="480" alt="x"></p>`))
		}
	}
	address := fileurl.URL("https://media.example", d.item.Full, d.item.FileName)
	require.Equal(t, fmt.Sprintf(`<p><img data-media="%d" width="320" alt="x"></p>`, d.item.ID), d.body(t, `<p><img src="`+address+`" width="320" alt="x"></p>`))
	require.Equal(t, fmt.Sprintf(`<a data-media="%d" href="#page=3">x</a>`, d.item.ID), d.body(t, `<a href="`+address+`#page=3">x</a>`))
	require.Equal(t, fmt.Sprintf(`<a data-media="%d">x</a>`, d.item.ID), d.body(t, `<a data-media="`+fmt.Sprint(d.item.ID)+`" href="`+address+`">x</a>`))

	for _, kept := range []string{
		`<img src="` + fileurl.URL("https://other.example", d.item.Full, "a.png") + `">`,
		`<img src="` + fileurl.URL("", strings.Replace(d.item.Full, "b.png", "9.png", 1), "a.png") + `">`,
		`<a href="https://cms.example/files/about.html">x</a>`,
	} {
		require.Equal(t, kept, d.body(t, kept))
	}

	twin := d.item
	twin.ID, twin.FileName = 0, "twin.png"
	require.NoError(t, d.Stores.Media.Insert(t.Context(), &twin))
	require.Equal(t, fmt.Sprintf(`<img data-media="%d">`, twin.ID), d.body(t, `<img src="`+fileurl.URL("", twin.Full, "twin.png")+`">`))
	require.Equal(t, fmt.Sprintf(`<img data-media="%d">`, d.item.ID), d.body(t, `<img src="`+fileurl.URL("", twin.Full, "another.png")+`">`))
}

func TestWritesCheckReferencesInText(t *testing.T) {
	t.Parallel()
	d := setupLinks(t)
	other := d.NewProject(t, d.Project.TenantID, "en")
	foreign := d.file(t, other, 2, "foreign.png")
	strange := core.Entry{CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day, ProjectID: other.ID, CollectionID: 1, Locale: "en", Version: 1, Draft: core.Document("{}")}
	c := &core.Collection{CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day, ProjectID: other.ID, Slug: "others", Version: 1, NextFieldID: 1}
	require.NoError(t, d.Stores.Collections.Insert(t.Context(), c))
	strange.CollectionID = c.ID
	require.NoError(t, d.Stores.Entries.Insert(t.Context(), core.Schema{Project: other, Collection: c, Collections: []*core.Collection{c}}, &strange))
	translation := d.Create(t, d.articles, `{"title":"ziel"}`, func(w *core.EntryWrite) {
		locale := "de"
		w.Locale, w.TranslationOf = &locale, &d.target.ID
	})
	require.Equal(t, fmt.Sprintf(`<a data-entry="%d">x</a>`, d.target.ID), d.body(t, fmt.Sprintf(`<a data-entry="%d">x</a>`, translation.ID)))

	fields := fmt.Sprintf(`{"body":"<img data-media=\"%d\"><a data-media=\"999\">x</a>","parts":["<p>x</p>","<a data-entry=\"%d\">x</a><a data-entry=\"99999999999999999999\">x</a>"],"hidden":"<img data-media=\"998\">"}`,
		foreign.ID, strange.ID)
	_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, d.articles.ID, contenttest.WriteOf(t, fields))
	require.Equal(t, map[string]string{"fields.body": "no such media item", "fields.parts[1]": "no such entry", "fields.hidden": "no such media item"}, contenttest.FaultsOf(t, err))
}

func TestTextKeepsLinksToWhatWasDeleted(t *testing.T) {
	t.Parallel()
	d := setupLinks(t)
	body := fmt.Sprintf(`<img data-media="%d" alt="x"><a data-entry="%d">y</a>`, d.item.ID, d.target.ID)
	m := d.Create(t, d.articles, `{"body":`+string(canonical.Quote(body))+`}`)
	require.NoError(t, d.Stores.Media.Delete(t.Context(), d.Project.ID, d.item.ID))
	require.NoError(t, d.Stores.Entries.Destroy(t.Context(), core.Schema{Project: d.Project, Collection: d.articles}, d.target.ID, ""))
	m = d.Update(t, m, `{"body":`+string(canonical.Quote(body+"<p>more</p>"))+`}`)
	text, _ := canonical.Text(d.Entry(t, m.ID).Draft.Value("body"))
	require.Equal(t, body+"<p>more</p>", text)
	_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, d.articles.ID, contenttest.WriteOf(t, `{"body":`+string(canonical.Quote(body))+`}`))
	require.Equal(t, map[string]string{"fields.body": "no such entry"}, contenttest.FaultsOf(t, err)) // the last of two
}

func TestRestoredRevisionKeepsLinks(t *testing.T) {
	t.Parallel()
	d := setupLinks(t)
	locale := "de"
	d.Create(t, d.articles, `{"title":"ziel"}`, func(w *core.EntryWrite) { w.Locale, w.TranslationOf = &locale, &d.target.ID })
	body := fmt.Sprintf(`<img data-media="%d"><a data-entry="%d">y</a>`, d.item.ID, d.target.ID)
	note := "first"
	m := d.Create(t, d.articles, `{"body":`+string(canonical.Quote(body))+`}`, func(w *core.EntryWrite) { w.Note = &note })
	d.Update(t, m, `{"body":"<p>other</p>"}`)
	require.NoError(t, d.Stores.Entries.Destroy(context.Background(), core.Schema{Project: d.Project, Collection: d.articles}, d.target.ID, ""))
	_, err := d.Writer.RestoreRevision(t.Context(), d.Actor, review.EntryRef{Project: d.Project, CollectionID: d.articles.ID, ID: m.ID}, 1, nil)
	require.NoError(t, err)
	text, _ := canonical.Text(d.Entry(t, m.ID).Draft.Value("body"))
	require.Equal(t, body, text)
}

func TestManagedTextCanBeWrittenBack(t *testing.T) {
	t.Parallel()
	d := setupLinks(t)
	drafts := reading.NewDrafts(d.Stores, reading.NewReader(d.Stores.Entries, contenttest.Schemas{Stores: d.Stores}, d.Stores.Media, "https://media.example"))
	locale := "de"
	german := d.Create(t, d.articles, `{"title":"ziel"}`, func(w *core.EntryWrite) { w.Locale, w.TranslationOf = &locale, &d.target.ID })
	text := fmt.Sprintf(`<img data-media="%d" alt="x"><a data-entry="%d">e</a><img data-media="%d" width="10">`, d.item.ID, d.target.ID, d.item.ID)
	m := d.Create(t, d.articles, `{"body":`+string(canonical.Quote(text))+`}`, func(w *core.EntryWrite) { w.Locale = &locale })
	read, err := drafts.Entry(t.Context(), review.EntryRef{Project: d.Project, CollectionID: d.articles.ID, ID: m.ID})
	require.NoError(t, err)
	address := fileurl.URL("https://media.example", d.item.FullWebP, d.item.FileName)
	var body string
	require.NoError(t, json.Unmarshal([]byte(contenttest.Values(t, read.Fields, "body")["body"]), &body))
	require.Equal(t, fmt.Sprintf(`<img data-media="%d" src="%s" width="640" height="480" alt="x"><a data-entry="%d" data-collection="articles">e</a><img data-media="%d" src="%s" width="10">`,
		d.item.ID, address, german.ID, d.item.ID, address), body)
	before := d.Entry(t, m.ID)
	d.Clock.Time = d.Clock.Time.Add(time.Hour)
	d.Update(t, m, `{"body":`+string(canonical.Quote(body))+`}`)
	require.Equal(t, before, d.Entry(t, m.ID))
}

func TestWritesSayWhatTheyRemove(t *testing.T) {
	t.Parallel()
	d := setupLinks(t)
	fields := `{"body":"<p style=\"x\">y</p><p style><script>z</script>","parts":["<p>x</p>","<p id=\"a\" onclick=\"x\">y</p>"]}`
	m := d.Create(t, d.articles, fields)
	want := []core.Cleaned{{Location: "fields.body", Removed: []string{"style (2)", "script"}}, {Location: "fields.parts[1]", Removed: []string{"onclick"}}}
	require.Equal(t, want, m.Cleaned)
	require.Equal(t, want, d.Update(t, m, fields).Cleaned)
	require.Empty(t, d.Update(t, m, `{"body":"<p>don't</p>"}`).Cleaned)
	shown, err := d.Drafts.Entry(t.Context(), d.Ref(m))
	require.NoError(t, err)
	require.Empty(t, shown.Cleaned)
}

// TestWritesLeaveOutTheAltOfTheLibrary writes what responses show back. Another alt is the author's.
func TestWritesLeaveOutTheAltOfTheLibrary(t *testing.T) {
	t.Parallel()
	d := setupLinks(t)
	d.item.Alt = "A pier"
	require.NoError(t, d.Stores.Media.Update(t.Context(), &d.item))
	picture := fmt.Sprintf(`<img data-media="%d"`, d.item.ID)
	for written, want := range map[string]string{
		picture + ` alt="A pier">`: picture + `>`,
		`<img src="` + fileurl.URL("", d.item.FullWebP, "a.webp") + `" alt="A pier" title="x">`: picture + ` title="x">`,
		picture + ` alt="">`:    picture + ` alt="">`,
		picture + ` alt="own">`: picture + ` alt="own">`,
	} {
		require.Equal(t, want, d.body(t, written))
	}
}
