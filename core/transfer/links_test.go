package transfer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition"
	"imprimatur/core/fileurl"
	"imprimatur/core/transfer"
)

// linked creates collections whose texts link to each other.
func (d *fixture) linked(t *testing.T) (pages, articles *core.Collection) {
	t.Helper()
	pages = d.collection(t, "pages", definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true})
	articles = d.collection(t, "articles", definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
		definition.FieldInput{Name: "body", Type: core.TypeRichText}, definition.FieldInput{Name: "parts", Type: core.TypeRichText, Multiple: true})
	return pages, articles
}

func quoted(format string, args ...any) string {
	return string(canonical.Quote(fmt.Sprintf(format, args...)))
}

func TestLinksAreExportedAndImported(t *testing.T) {
	t.Parallel()
	d := setup(t)
	pages, articles := d.linked(t)
	picture, address := d.medium(t, "abc", "a.png"), d.medium(t, "def", "b.png")
	address.Full = d.project.UUID + "/" + strings.Repeat("0d", 32) + ".png"
	require.NoError(t, d.stores.Media.Update(t.Context(), &address))
	about := d.create(t, pages, `{"code":"about"}`)
	first := d.create(t, articles, `{"code":"first"}`)
	second := d.create(t, articles, `{"code":"second"}`)
	gone := d.create(t, articles, `{"code":"gone"}`)
	body := quoted(`<img data-media="%d"><a data-entry="%d">about</a><a data-entry="%d">second</a><a data-entry="%d">gone</a>`, picture.ID, about.ID, second.ID, gone.ID)
	d.update(t, first, `{"body":`+body+`,"parts":["<p>x</p>",`+quoted(`<a data-media="%d">y</a>`, picture.ID)+`]}`)
	public := true
	d.update(t, second, `{"body":`+quoted(`<a data-entry="%d">first</a>`, first.ID)+`}`, func(w *core.EntryWrite) { w.Published = &public })
	d.update(t, second, `{"body":`+quoted(`<img data-media="%d">`, picture.ID)+`}`, func(w *core.EntryWrite) { w.KeepPublished = true })
	old := core.Document(`{"body":` + quoted(`<img src="%s">`, fileurl.URL("https://old.example", address.Full, "b.png")) + `,"code":"third","parts":[]}`)
	third := d.create(t, articles, `{"code":"third"}`)
	e := d.entry(t, third.ID)
	e.Draft, e.Version = old, e.Version+1
	require.NoError(t, d.stores.Entries.Update(t.Context(), core.Schema{Project: d.project, Collection: articles, Collections: []*core.Collection{articles, pages}}, &e))
	trash(t, d, gone)
	exported := d.export(t, articles)
	require.Contains(t, exported, fmt.Sprintf(`"links":{"entries":{"%d":{"collection":"pages","group":"%s/%d","key":"about"},"%d":{"collection":"articles","group":"%s/%d","key":"second"}},"media":{"%d":{"hash":"abc","fileName":"a.png"}}}`,
		about.ID, d.project.UUID, about.ID, second.ID, d.project.UUID, second.ID, picture.ID))

	other := setup(t)
	otherPages, otherArticles := other.linked(t)
	for range 5 { // so that ids differ
		other.create(t, otherPages, `{}`)
		other.medium(t, "other", "other.png")
	}
	copied, copiedAddress := other.medium(t, "abc", "a.png"), other.medium(t, "def", "b.png")
	require.Empty(t, other.load(t, otherPages, strings.NewReader(d.export(t, pages)), transfer.ImportOptions{}).Failed)
	report := other.load(t, otherArticles, strings.NewReader(exported), transfer.ImportOptions{})
	require.Empty(t, report.Failed)
	entries := other.everything(t, otherArticles)
	require.Len(t, entries, 3)
	copiedAbout := other.everything(t, otherPages)[5]
	text := func(doc core.Document, name string) string { return string(doc.Value(name)) }
	require.Equal(t, quoted(`<img data-media="%d"><a data-entry="%d">about</a><a data-entry="%d">second</a><a>gone</a>`, copied.ID, copiedAbout.Group, entries[1].Group),
		text(entries[0].Draft, "body"))
	require.Equal(t, `["<p>x</p>",`+quoted(`<a data-media="%d">y</a>`, copied.ID)+`]`, text(entries[0].Draft, "parts"))
	require.Equal(t, quoted(`<a data-entry="%d">first</a>`, entries[0].Group), text(entries[1].Published, "body"))
	require.Equal(t, quoted(`<img data-media="%d">`, copied.ID), text(entries[1].Draft, "body"))
	require.Equal(t, quoted(`<img data-media="%d">`, copiedAddress.ID), text(entries[2].Draft, "body"))
}

func TestImportReportsLinksWithoutTargets(t *testing.T) {
	t.Parallel()
	d := setup(t)
	_, articles := d.linked(t)
	line := `{"fields":{"code":"a","body":"<img data-media=\"7\" alt=\"x\"><a data-entry=\"8\">y</a>"},"links":{"media":{"7":{"hash":"none"}},"entries":{"8":{"collection":"pages","key":"none"}}}}`
	report := d.load(t, articles, strings.NewReader(line), transfer.ImportOptions{})
	require.Len(t, report.Failed, 1)
	fault := map[string]string{}
	for _, f := range report.Failed[0].Err.Fields {
		fault[f.Location] = f.Message
	}
	require.Equal(t, map[string]string{"links.media.7": "no media item has this hash", "links.entries.8": "no entry of pages has this key"}, fault)
	report = d.load(t, articles, strings.NewReader(`{"fields":{"code":"b"},"links":{"entries":{"8":{"collection":"none","key":"x"},"x":{"collection":"pages","key":"x"}},"files":{}}}`), transfer.ImportOptions{})
	require.Len(t, report.Failed, 1)
	require.Len(t, report.Failed[0].Err.Fields, 3)
}

// A picture whose item was deleted is not exported: an import would refuse it.
func TestDeletedPicturesAreNotExported(t *testing.T) {
	t.Parallel()
	d := setup(t)
	_, articles := d.linked(t)
	picture := d.medium(t, "abc", "a.png")
	d.create(t, articles, `{"code":"a","body":`+quoted(`<p>x<img data-media="%d" alt="y"></p>`, picture.ID)+`}`)
	require.NoError(t, d.stores.Media.Delete(t.Context(), d.project.ID, picture.ID))
	exported := d.export(t, articles)
	require.Contains(t, exported, `"body":"<p>x</p>"`)
	require.Empty(t, d.load(t, articles, strings.NewReader(exported), transfer.ImportOptions{}).Failed)
}

func TestImportReportsWhatItRemoves(t *testing.T) {
	t.Parallel()
	d := setup(t)
	_, articles := d.linked(t)
	report := d.load(t, articles, strings.NewReader(strings.Join([]string{
		`{"fields":{"code":"a","body":"<p style=\"x\">y</p><script>z</script>","parts":["<p>x</p>","<p onclick=\"x\">y</p>"]},"translations":{"de":{"code":"ade"}}}`,
		`{"fields":{"code":"b","body":"<p>y</p>"},"translations":{"de":{"code":"bde","body":"<p style=x>y</p>"}}}`,
		`{"fields":{"code":"c","body":"<p style=x>y</p><img src=\"data:image/png,x\">"}}`,
		`{"fields":{"code":"d","body":"<p style=x>y</p>"},"published":true,"publishedVersion":{"fields":{"code":"d","body":"<iframe></iframe>"}}}`,
	}, "\n")), transfer.ImportOptions{})
	require.Equal(t, []transfer.LineCleaned{
		{Line: 1, Key: json.RawMessage(`"a"`), Cleaned: []core.Cleaned{{Location: "fields.body", Removed: []string{"style", "script"}}, {Location: "fields.parts[1]", Removed: []string{"onclick"}}}},
		{Line: 2, Key: json.RawMessage(`"b"`), Cleaned: []core.Cleaned{{Location: "translations.de.body", Removed: []string{"style"}}}},
		{Line: 4, Key: json.RawMessage(`"d"`), Cleaned: []core.Cleaned{{Location: "fields.body", Removed: []string{"style"}}, {Location: "publishedVersion.fields.body", Removed: []string{"iframe"}}}},
	}, report.Cleaned)
	require.Len(t, report.Failed, 1)
	require.Contains(t, report.Failed[0].Err.Fields[0].Message, "a data: source")
}
