package fieldtype

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/canonical"
)

const (
	project = "3b241101-e2bb-4255-8caf-4136c566a962"
	digest  = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

func TestRichTextKeepsLinks(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`<img data-media="12">`:                  `<img data-media="12">`,
		`<img alt="x" data-media="12"/>`:         `<img alt="x" data-media="12"/>`,
		`<img data-media="012" data-media="13">`: `<img data-media="12">`,
		`<a data-media="12; x">x</a>`:            `<a>x</a>`,
		`<img data-media="" src="/x.png">`:       `<img src="/x.png">`,
		`<img data-media="12" src="https://a.example/files/x.webp" width="640" height="480" alt="x">`: `<img data-media="12" width="640" height="480" alt="x">`,
		`<a data-media="12" href="https://a.example/f.pdf">x</a>`:                                     `<a data-media="12">x</a>`,
		`<a data-media="12" href="https://a.example/f.pdf#page=3">x</a>`:                              `<a data-media="12" href="#page=3">x</a>`,
		`<a data-media="12" href="#page=3">x</a>`:                                                     `<a data-media="12" href="#page=3">x</a>`,
		`<a data-entry="5" data-collection="articles" data-slug="a">x</a>`:                            `<a data-entry="5">x</a>`,
		`<a data-entry="5" href="https://a.example/">x</a>`:                                           `<a data-entry="5" href="https://a.example/">x</a>`,
		`<img data-entry="5" src="/x.png">`:                                                           `<img src="/x.png">`,
		`<p data-media="12">x</p>`:                                                                    `<p>x</p>`,
		`<map name="m"><area data-media="12" alt="x"></map>`:                                          `<map name="m"><area data-media="12" alt="x"></map>`,
	} {
		got, fault := cleanRichText(given)
		require.Empty(t, fault, given)
		require.Equal(t, want, got, given)
		again, fault := cleanRichText(got)
		require.Empty(t, fault)
		require.Equal(t, got, again)
	}
	_, fault := cleanRichText(`<a data-media="12" data-entry="5">x</a>`)
	require.Equal(t, "must not have data-media and data-entry in one element", fault)
}

func TestReferences(t *testing.T) {
	t.Parallel()
	path := "/files/" + project + "/" + digest + "/a%20b.png"
	blob := project + "/" + digest + ".png"
	for value, want := range map[string][]Ref{
		`<p>plain /files/ data-media=</p>`:                                         nil,
		`<img data-media="12" alt="x"><a data-entry="5">x</a>`:                     {{Target: MediaItem, ID: 12}, {Target: EntryGroup, ID: 5}},
		`<img src="` + path + `"/>`:                                                {{Target: File, File: blob}},
		`<a href="https://b.example` + path + `?x=1#y">x</a>`:                      {{Target: File, File: blob}},
		`<a href="//b.example` + path + `">x</a>`:                                  {{Target: File, File: blob}},
		`<a href="https://b.example/files/x/y/z.png">x</a>`:                        nil,
		`<img src="http:\\b.example\files\` + project + `/` + digest + `\a.png"/>`: {{Target: File, File: blob}},
		`<img src="files/./` + project + `/` + digest + `/a.png"/>`:                {{Target: File, File: blob}},
		`<p>` + path + `</p>`:                                                      nil,
		`<img data-media="99999999999999999999">`:                                  {{Target: MediaItem}},
	} {
		var got []Ref
		Of("richtext").References(canonical.Quote(value), func(r Ref) { got = append(got, r) })
		require.Equal(t, want, got, value)
	}
	for name, target := range map[Name]Target{"media": MediaItem, "relation": EntryGroup} {
		var got []Ref
		Of(name).References(json.RawMessage("12"), func(r Ref) { got = append(got, r) })
		require.Equal(t, []Ref{{Target: target, ID: 12}}, got)
	}
}

func TestEditLinks(t *testing.T) {
	t.Parallel()
	edit := func(text string, do func(l *Link)) string {
		edited, _ := canonical.Text(Of("richtext").EditLinks(canonical.Quote(text), do))
		return edited
	}
	path := "/files/" + project + "/" + digest + "/a.png"
	toItem := func(l *Link) { l.PointTo(MediaItem, 7) }
	require.Equal(t, `<p>a<img alt="x" data-media="7" title="&#34;y"/></p>`, edit(`<p>a<img alt="x" src="`+path+`" title="&#34;y"/></p>`, toItem))
	require.Equal(t, `<a data-media="7" href="#page=3" rel="nofollow">x</a>`, edit(`<a href="https://a.example`+path+`#page=3" rel="nofollow">x</a>`, toItem))
	require.Equal(t, `<a data-entry="7">x</a><b>y</b>`, edit(`<a data-entry="5">x</a><b>y</b>`, func(l *Link) { l.PointTo(EntryGroup, 7) }))
	require.Equal(t, `<img alt="x" data-media="7" src="/a&amp;b" width="1" height="2" title="y">`, edit(`<img alt="x" data-media="7" title="y">`, func(l *Link) {
		l.Add("src", "/a&b")
		l.Add("width", "1")
		l.Add("height", "2")
	}))
	require.Equal(t, `<p>ab</p>`, edit(`<p>a<img alt="x" data-media="7">b</p>`, func(l *Link) { l.Drop() }))
	unchanged := `<IMG data-media=7>`
	require.Equal(t, unchanged, edit(unchanged, toItem))
}
