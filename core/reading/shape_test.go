package reading_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/test/contenttest"
)

// Each value of a document is written with unchanged bytes.
func TestValuesPassThroughUnchanged(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	all, err := l.stores.Collections.Collections(context.Background(), l.project.ID)
	require.NoError(t, err)
	value := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.StringOf(rapid.SampledFrom([]rune(`"\,:{}[]é `))), func(s string) any { return s }),
		rapid.Map(rapid.IntRange(-1e6, 1e6), func(n int) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.SliceOf(rapid.String()), func(s []string) any { return s }),
		rapid.Map(rapid.MapOf(rapid.String(), rapid.StringMatching(`["\\\]}]*`)), func(m map[string]string) any { return m }),
	)
	fields := []string{"at", "body", "featured", "meta", "on", "opens", "pin", "removed", "secretNote", "tags", "title", "views", "aaa", "zzz"}
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(rapid.MapOf(rapid.SampledFrom(fields), value).Draw(t, "document"))
		require.NoError(t, err)
		document, err := jcs.Transform(raw)
		require.NoError(t, err)

		row := core.Row{ID: 1, CollectionID: l.articles.ID, Group: 1, Locale: "en", Document: document}
		reader := reading.NewReader(fixedStore{rows: []core.Row{row}}, heldSchemas{collections: all}, l.stores.Media, "")
		listing, err := reader.Prepare(context.Background(), l.project, false, query.Query{Collection: "articles"})
		require.NoError(t, err)
		page, err := listing.Page(context.Background())
		require.NoError(t, err)

		require.True(t, json.Valid(page.Entries[0].JSON))
		got := core.Document(page.Entries[0].JSON).Values()
		stored := core.Document(document).Values()
		require.Len(t, got, 3+14)
		for _, f := range l.articles.Fields {
			if f.Secret() {
				require.NotContains(t, got, f.Name)
				continue
			}
			want := string(stored[f.Name])
			if want == "" {
				want = map[bool]string{true: "[]", false: "null"}[f.Multiple]
			}
			require.Equal(t, want, string(got[f.Name]), f.Name)
		}
	})
}

func TestTimesUseTheCommonFormat(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for _, at := range []time.Time{
		day, time.UnixMilli(0), time.Unix(1, 999e6), time.Date(1, 1, 1, 0, 0, 0, 1e6, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(2026, 7, 1, 12, 0, 0, 50e6, time.FixedZone("", 19800)),
	} {
		e := l.add(t, l.countries, `{}`, func(e *core.Entry) { e.PublishedAt = at })
		shaped, err := l.entry(l.project, "countries", e.ID)
		require.NoError(t, err)
		require.Equal(t, `"`+core.FormatTime(at)+`"`, contenttest.Values(t, shaped.JSON, "publishedAt")["publishedAt"])
	}
}

// TestSystemMembers checks that an entry begins with the members of wire.Entry.
func TestSystemMembers(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	e := l.add(t, l.countries, `{}`)
	listing, err := l.reader.Prepare(t.Context(), l.project, false, query.Query{Collection: "countries", Shape: query.Shape{Timestamps: true}})
	require.NoError(t, err)
	page, err := listing.Page(t.Context())
	require.NoError(t, err)
	members, err := json.Marshal(wire.Entry{
		ID: e.ID, Locale: e.Locale, PublishedAt: wire.TimeOrNull(e.PublishedAt), CreatedAt: core.FormatTime(e.CreatedAt), UpdatedAt: core.FormatTime(e.ReleasedAt),
	})
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(page.Entries[0].JSON, members[:len(members)-1]), "%s\n%s", members, page.Entries[0].JSON)
}

func TestMediaJSON(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{"id":7,"fileName":"a\"b.png","fullUrl":"https://cdn/files/u/f/a%22b.png","thumbUrl":"https://cdn/files/u/t/a%22b.png","thumbWebpUrl":"https://cdn/files/u/tw/a%22b.webp","fullWebpUrl":"https://cdn/files/u/fw/a%22b.webp",`+
		`"caption":"Äh\n","tags":["x","y"],"size":12,"width":30,"height":40,"alt":"A \"pier\"","focalPoint":{"x":0.125,"y":1},"color":"#5a7d9b"}`,
		string(reading.MediaJSON("https://cdn", core.MediaItem{
			ID: 7, FileName: `a"b.png`, Full: "u/f.png", Thumb: "u/t.png", ThumbWebP: "u/tw.webp", FullWebP: "u/fw.webp",
			Caption: "Äh\n", Tags: []string{"x", "y"}, Size: 12, Width: 30, Height: 40, Color: "#5a7d9b",
			Alt: `A "pier"`, FocalPoint: &core.FocalPoint{X: 0.125, Y: 1},
		})))
	rapid.Check(t, func(t *rapid.T) {
		caption := rapid.String().Draw(t, "caption")
		var got struct{ FileName, Caption string }
		body := reading.MediaJSON("", core.MediaItem{FileName: caption, Caption: caption})
		require.NoError(t, json.Unmarshal(body, &got))
		require.Equal(t, caption, got.FileName)
		require.Equal(t, caption, got.Caption)
		canonical, err := jcs.Transform([]byte(`[` + string(core.Document(body).Values()["fileName"]) + `]`))
		require.NoError(t, err)
		require.Equal(t, `[`+string(core.Document(body).Values()["fileName"])+`]`, string(canonical))
	})
}
