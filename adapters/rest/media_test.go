package rest_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/core/reading"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

// fakeImager is an imager that accepts only PNG. Its renditions are texts.
type fakeImager struct{}

func (fakeImager) Decodes(mimeType string) bool { return mimeType == "image/png" }

func (fakeImager) Measures(mimeType string) bool { return mimeType == "image/png" }

func (fakeImager) Clean(source io.Reader, _ string) io.Reader { return source }

func (fakeImager) Renditions(_ context.Context, source io.ReadSeeker, _ string) (ports.Renditions, error) {
	config, _, err := image.DecodeConfig(source)
	if err != nil {
		return ports.Renditions{}, core.Invalid(core.FieldError{Location: "file", Message: "is broken"})
	}
	return ports.Renditions{
		Width: config.Width, Height: config.Height,
		Thumb:     rendition.File{Format: rendition.PNG, Bytes: []byte("thumb")},
		ThumbWebP: rendition.File{Format: rendition.WebP, Bytes: []byte("thumb webp")},
		FullWebP:  rendition.File{Format: rendition.WebP, Bytes: []byte("full webp")},
	}, nil
}

func (fakeImager) Render(context.Context, io.ReadSeeker, string, rendition.Rendition) ([]byte, error) {
	return nil, core.NotFound("file")
}

// fakeFetcher is a fetcher of one text.
type fakeFetcher struct{}

func (fakeFetcher) Fetch(_ context.Context, address string) (string, io.ReadCloser, error) {
	if !strings.HasPrefix(address, "https://") {
		return "", nil, core.Invalid(core.FieldError{Location: "url", Message: "must be an https address", Value: address})
	}
	return "copied.txt", io.NopCloser(strings.NewReader("copied")), nil
}

// picture returns a PNG image of that size.
func picture(t testing.TB, width, height int) string {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, width, height))))
	return b.String()
}

// form builds a multipart form.
type form struct{ body strings.Builder }

const boundary = "--a-boundary--"

func newForm() *form { return &form{} }

func (f *form) part(disposition, content string) *form {
	fmt.Fprintf(&f.body, "--%s\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n", boundary, disposition, content)
	return f
}

func (f *form) file(name, content string) *form {
	return f.part(`name="file"; filename="`+name+`"`, content)
}

func (f *form) text(name, value string) *form { return f.part(`name="`+name+`"`, value) }

// String returns the complete form.
func (f *form) String() string { return f.body.String() + "--" + boundary + "--\r\n" }

// isForm sets the Content-Type of a form.
func isForm(r *http.Request) {
	r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
}

// keep adds a file to the media library of a Project.
func (w *world) keep(project *core.Project, name, bytes, caption string) core.MediaItem {
	w.t.Helper()
	ctx := context.Background()
	received, err := w.library.Receive(ctx, project, name, strings.NewReader(bytes))
	require.NoError(w.t, err)
	item, err := w.library.Keep(ctx, core.Actor{System: true}, project, received, media.Change{Caption: &caption})
	require.NoError(w.t, err)
	return item
}

func (w *world) dashboard(path string) string {
	return "/api/projects/" + itoa(w.project.ID) + path
}

// names returns the names of all stored blobs.
func (w *world) names() (names []string) {
	require.NoError(w.t, w.blobs.Walk(context.Background(), "", func(info ports.BlobInfo) error {
		names = append(names, info.Name)
		return nil
	}))
	return names
}

func TestUploadThroughBothAPIs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	body := newForm().text("caption", "Zürich <&> 山").file(`C:\pictures\über %22uns%22.png`, picture(t, 30, 20)).String()
	made := w.send("POST", w.public("/media/upload"), body, isForm, w.bearer("create"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	v := made.json(t)
	id := itoa(int64(v["id"].(float64)))
	assert.Equal(t, w.public("/media/"+id), made.Header.Get("Location"))
	assert.Equal(t, "Zürich <&> 山", v["caption"])
	assert.Equal(t, `über "uns".png`, v["fileName"])
	assert.Equal(t, "image/png", v["mimeType"])
	assert.EqualValues(t, 30, v["width"])
	assert.EqualValues(t, 20, v["height"])
	assert.Equal(t, []any{}, v["tags"])
	for _, name := range []string{"fullUrl", "thumbUrl", "thumbWebpUrl", "fullWebpUrl"} {
		assert.True(t, strings.HasPrefix(v[name].(string), files+"/files/"+w.project.UUID+"/"), v[name])
	}

	tagged := w.send("POST", w.dashboard("/media/upload"),
		newForm().text("tags", "a").text("tags", "b, c").file("x.txt", "text").text("caption", "").String(), isForm, w.as("editor"))
	require.Equal(t, 201, tagged.StatusCode, string(tagged.body))
	v = tagged.json(t)
	assert.Equal(t, []any{"a", "b, c"}, v["tags"])
	assert.Equal(t, w.dashboard("/media/"+itoa(int64(v["id"].(float64)))), tagged.Header.Get("Location"))
	for _, name := range []string{"caption", "thumbUrl", "thumbWebpUrl", "fullWebpUrl", "width", "height"} {
		assert.Nil(t, v[name], name)
	}

	for name, read := range map[string]answer{
		"public":    w.send("GET", w.public("/media/"+id), "", w.bearer("read")),
		"dashboard": w.send("GET", w.dashboard("/media/"+id), "", w.as("viewer")),
	} {
		assert.Equal(t, string(made.body), string(read.body), name)
	}
}

// TestMediaWords sets the alt text and the focal point through both APIs.
func TestMediaWords(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, api := range []struct {
		base           string
		upload, change func(*http.Request)
	}{{w.public(""), w.bearer("create"), w.bearer("full")}, {w.dashboard(""), w.as("editor"), w.as("editor")}} {
		form := newForm().text("alt", "A pier").text("focalPoint", ` {"y":0.4,"x":2e-1} `).file("a.txt", "a").String()
		made := w.send("POST", api.base+"/media/upload", form, isForm, api.upload)
		require.Equal(t, 201, made.StatusCode, string(made.body))
		require.Contains(t, string(made.body), `"height":null,"alt":"A pier","focalPoint":{"x":0.2,"y":0.4},"color":null,"mimeType":`)
		at := api.base + "/media/" + itoa(int64(made.json(t)["id"].(float64)))
		for _, step := range []struct{ body, want string }{
			{`{"alt":"A bridge"}`, `"alt":"A bridge","focalPoint":{"x":0.2,"y":0.4}`},
			{`{"focalPoint":{"x":0,"y":1}}`, `"alt":"A bridge","focalPoint":{"x":0,"y":1}`},
			{`{"focalPoint":null,"caption":"c"}`, `"alt":"A bridge","focalPoint":null`},
			{`{"alt":null}`, `"alt":null,"focalPoint":null`},
		} {
			changed := w.send("PATCH", at, step.body, api.change)
			require.Equal(t, 200, changed.StatusCode, string(changed.body))
			require.Contains(t, string(changed.body), step.want)
		}
		for body, locations := range map[string]string{
			`{"alt":"` + strings.Repeat("x", 501) + `"}`: "alt",
			`{"alt":"a\u0000"}`:                          "alt",
			`{"alt":7}`:                                  "alt",
			`{"focalPoint":{"x":1.1,"y":-0.1}}`:          "focalPoint.x focalPoint.y",
			`{"focalPoint":{"x":"0.1","y":0}}`:           "focalPoint.x",
			`{"focalPoint":{"x":0.1}}`:                   "focalPoint.y",
			`{"focalPoint":{"x":0.1,"y":null}}`:          "focalPoint.y",
			`{"focalPoint":{"x":0.1,"y":0,"z":1}}`:       "focalPoint.z",
			`{"focalPoint":"centre"}`:                    "focalPoint",
			`{"focalPoint":[0.1,0.2]}`:                   "focalPoint",
			`{"focalPoint":{}}`:                          "focalPoint.x focalPoint.y",
		} {
			p := w.problem(422, "invalid", "PATCH", at, strings.Replace(body, "{", `{"caption":"half",`, 1), api.change)
			var found []string
			for _, fault := range p["errors"].([]any) {
				found = append(found, fault.(map[string]any)["location"].(string))
			}
			require.Equal(t, locations, strings.Join(found, " "), body)
		}
		require.Contains(t, string(w.send("GET", at, "", api.change).body), `"caption":"c"`)
	}
}

// TestMediaFolders puts items in folders through both APIs, and moves several.
func TestMediaFolders(t *testing.T) {
	t.Parallel()
	w := setup(t)
	upload := func(target, name, folder string, credential func(*http.Request)) string {
		made := w.send("POST", target, newForm().text("folder", folder).file(name, "a").String(), isForm, credential)
		require.Equal(t, 201, made.StatusCode, string(made.body))
		return itoa(int64(made.json(t)["id"].(float64)))
	}
	a, b := upload(w.public("/media/upload"), "a.txt", "Press/2026", w.bearer("create")), upload(w.dashboard("/media/upload"), "b.txt", "", w.as("editor"))
	names := func(query string) (found []string) {
		t.Helper()
		for base, credential := range map[string]func(*http.Request){w.public(""): w.bearer("read"), w.dashboard(""): w.as("viewer")} {
			found = nil
			for _, item := range w.send("GET", base+"/media"+query, "", credential).json(t)["data"].([]any) {
				found = append(found, item.(map[string]any)["fileName"].(string))
			}
		}
		return found
	}
	require.Equal(t, []string{"a.txt"}, names("?folder=Press/2026"))
	require.Equal(t, []string{"b.txt", "note.txt"}, names("?folder="))
	require.Empty(t, names("?folder=Press"))
	folders := func() string {
		return string(w.send("GET", w.dashboard("/media/folders"), "", w.as("viewer")).body)
	}
	require.JSONEq(t, `{"data":[{"folder":"","items":2},{"folder":"Press/2026","items":1}],"meta":{"total":2}}`, folders())

	changed := w.send("PATCH", w.public("/media/"+b), `{"folder":"Press"}`, w.bearer("full"))
	require.Contains(t, string(changed.body), `"folder":"Press"`)
	moved := w.send("POST", w.dashboard("/media/move"), `{"ids":[`+a+`,`+b+`],"folder":"Press"}`, w.as("editor"))
	require.Equal(t, 200, moved.StatusCode, string(moved.body))
	require.JSONEq(t, `{"moved":1}`, string(moved.body))
	require.Equal(t, []string{"b.txt", "a.txt"}, names("?folder=Press"))
	changed = w.send("PATCH", w.dashboard("/media/"+b), `{"folder":null}`, w.as("editor"))
	require.Contains(t, string(changed.body), `"folder":""`)

	w.problem(400, "bad_parameter", "GET", w.public("/media?folder=/Press"), "", w.bearer("read"))
	w.problem(422, "invalid", "PATCH", w.dashboard("/media/"+b), `{"folder":"../x"}`, w.as("editor"))
	w.problem(422, "invalid", "POST", w.dashboard("/media/move"), `{"ids":[`+a+`,`+itoa(foreign(w))+`],"folder":"Other"}`, w.as("editor"))
	w.problem(422, "invalid", "POST", w.dashboard("/media/move"), `{"ids":[],"folder":"Other"}`, w.as("editor"))
	w.problem(422, "invalid", "POST", w.public("/media/upload"), newForm().text("folder", "a//b").file("c.txt", "c").String(), isForm, w.bearer("create"))
	require.JSONEq(t, `{"data":[{"folder":"","items":2},{"folder":"Press","items":1}],"meta":{"total":2}}`, folders())
}

// foreign returns the id of an item of another Project.
func foreign(w *world) int64 { return w.keep(w.other, "foreign.txt", "x", "").ID }

// The response for an item starts with the same bytes that entries contain for it.
func TestMediaItemsMatchEntries(t *testing.T) {
	t.Parallel()
	w := setup(t)
	item := w.keep(w.project, "a&b.png", picture(t, 2, 3), "<b>\u2028")
	shown := w.send("GET", w.public("/media/"+itoa(item.ID)), "", w.bearer("read"))
	view := reading.MediaJSON(files, item)
	assert.True(t, bytes.HasPrefix(shown.body, view[:len(view)-1]), "%s\n%s", shown.body, view)
}

func TestMediaList(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for i := range 5 {
		w.keep(w.project, fmt.Sprintf("p%d.png", i), picture(t, i+1, 1), "Ein GROẞES Bild")
	}
	w.keep(w.other, "foreign.png", picture(t, 9, 9), "")
	for name, c := range map[string]struct {
		query   string
		names   string
		total   int
		hasMore bool
	}{
		"all, newest first": {"", "p4.png p3.png p2.png p1.png p0.png note.txt", 6, false},
		"a page":            {"?page=2&perPage=2", "p2.png p1.png", 6, true},
		"the last page":     {"?page=3&perPage=2", "p0.png note.txt", 6, false},
		"after the end":     {"?page=9", "", 6, false},
		"images":            {"?type=image&perPage=1", "p4.png", 5, true},
		"documents":         {"?type=document", "note.txt", 1, false},
		"video":             {"?type=video", "", 0, false},
		"caption":           {"?search=grosses&perPage=1", "p4.png", 5, true},
		"file name":         {"?search=P3.P", "p3.png", 1, false},
		"plain characters":  {"?search=p_.png", "", 0, false},
		"search and type":   {"?search=note&type=image", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := w.on(t)
			public := w.send("GET", w.public("/media")+c.query, "", w.bearer("read"))
			require.Equal(t, 200, public.StatusCode, string(public.body))
			v := public.json(t)
			var names []string
			for _, item := range v["data"].([]any) {
				names = append(names, item.(map[string]any)["fileName"].(string))
			}
			assert.Equal(t, c.names, strings.Join(names, " "))
			meta := v["meta"].(map[string]any)
			assert.EqualValues(t, c.total, meta["total"])
			assert.Equal(t, c.hasMore, meta["hasMore"])
			assert.Equal(t, string(public.body), string(w.send("GET", w.dashboard("/media")+c.query, "", w.as("viewer")).body))

			again := w.send("GET", w.public("/media")+c.query, "", w.bearer("read"), header("If-None-Match", public.Header.Get("ETag")))
			assert.Equal(t, 304, again.StatusCode)
		})
	}
	for _, query := range []string{
		"page=0", "page=-1", "page=x", "page=1.0", "page=9223372036854775807", "perPage=0", "perPage=101", "page=1&page=2", "type=", "type=gif", "kind=image", "offset=1",
		"search=%00", "search=%ff",
	} {
		p := w.problem(400, "bad_parameter", "GET", w.public("/media?")+query, "", w.bearer("read"))
		name, _, _ := strings.Cut(query, "=")
		assert.Contains(t, p["detail"], "parameter "+name, query)
	}
}

func TestMediaChange(t *testing.T) {
	t.Parallel()
	w := setup(t)
	one := "/media/" + itoa(w.note.ID)
	for _, step := range []struct {
		api, body string
		caption   any
		tags      []any
	}{
		{"token", `{"caption":"Other words"}`, "Other words", []any{}},
		{"session", `{"tags":["x","y"]}`, "Other words", []any{"x", "y"}},
		{"token", `{}`, "Other words", []any{"x", "y"}},
		{"token", `{"caption":null}`, nil, []any{"x", "y"}},
		{"token", `{"tags":["z"]}`, nil, []any{"z"}},
		{"session", `{"caption":"Back","tags":null}`, "Back", []any{}},
		{"session", `{"caption":""}`, nil, []any{}},
	} {
		target, credential := w.public(one), w.bearer("readupdate")
		if step.api == "session" {
			target, credential = w.dashboard(one), w.as("editor")
		}
		res := w.send("PATCH", target, step.body, credential)
		require.Equal(t, 200, res.StatusCode, string(res.body))
		assert.Equal(t, step.caption, res.json(t)["caption"], step.body)
		assert.Equal(t, step.tags, res.json(t)["tags"], step.body)
	}
	for _, c := range []struct{ api, body, fault string }{
		{"token", `{"tags":[""]}`, "tags[0]"},
		{"token", `{"caption":5}`, "caption"},
		{"token", `{"caption":"a\u0000b"}`, "caption"},
		{"token", `{"caption":"` + strings.Repeat("x", 5000) + `"}`, "caption"},
		{"token", `{"fileName":"x"}`, "fileName"},
		{"session", `{"tags":"x"}`, "tags"},
		{"session", `{"tags":[""]}`, "tags[0]"},
		{"session", `{"mimeType":"text/html"}`, "mimeType"},
	} {
		target, credential := w.public(one), w.bearer("update")
		if c.api == "session" {
			target, credential = w.dashboard(one), w.as("editor")
		}
		p := w.problem(422, "invalid", "PATCH", target, c.body, credential)
		assert.Equal(t, c.fault, p["errors"].([]any)[0].(map[string]any)["location"], c.body)
	}
}

// The response to a change with a token that may not read contains only the changed members.
func TestMediaChangeShowsOnlyReadableMembers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	target := w.public("/media/" + itoa(w.note.ID))
	for body, want := range map[string]string{
		`{}`:                        `{"id":` + itoa(w.note.ID) + `}`,
		`{"caption":"Other words"}`: `{"caption":"Other words","id":` + itoa(w.note.ID) + `}`,
		`{"caption":""}`:            `{"caption":null,"id":` + itoa(w.note.ID) + `}`,
	} {
		changed := w.send("PATCH", target, body, w.bearer("update"))
		require.Equal(t, 200, changed.StatusCode, string(changed.body))
		assert.Equal(t, want, strings.TrimSpace(string(changed.body)))
	}
	assert.Contains(t, string(w.send("PATCH", target, `{}`, w.bearer("readupdate")).body), `"fileName"`)
}

func TestMediaDelete(t *testing.T) {
	t.Parallel()
	w := setup(t)
	item := w.keep(w.project, "p.png", picture(t, 3, 3), "")
	gone := w.send("DELETE", w.public("/media/"+itoa(item.ID)), "", w.bearer("delete"))
	require.Equal(t, 200, gone.StatusCode)
	assert.JSONEq(t, `{"success":true}`, string(gone.body))
	w.problem(404, "not_found", "DELETE", w.public("/media/"+itoa(item.ID)), "", w.bearer("delete"))
	w.problem(404, "not_found", "GET", w.public("/media/"+itoa(item.ID)), "", w.bearer("read"))
	assert.Equal(t, []string{w.note.Full}, w.names(), "the blobs are deleted with their last item")
}

// TestForeignMedia checks on every route that items of other Projects get the same response as
// items that do not exist.
func TestForeignMedia(t *testing.T) {
	t.Parallel()
	w := setup(t)
	foreign := w.keep(w.other, "foreign.png", picture(t, 9, 9), "")
	for _, api := range []struct {
		base       string
		credential with
	}{{w.public("/media/"), w.bearer("full")}, {w.dashboard("/media/"), w.as("super")}} {
		for _, route := range []struct{ method, suffix, body string }{
			{"GET", "", ""}, {"PATCH", "", `{"caption":"Mine"}`}, {"DELETE", "", ""}, {"GET", "/usage", ""},
		} {
			if route.suffix != "" && strings.HasPrefix(api.base, "/public") {
				continue
			}
			for _, id := range []string{itoa(foreign.ID), "999", "0", "01", "-1", "x", "9223372036854775808"} {
				p := w.problem(404, "not_found", route.method, api.base+id+route.suffix, route.body, api.credential)
				assert.Equal(t, "no such media item", p["detail"])
			}
		}
	}
}

// TestForms checks that invalid forms are rejected and that nothing of them is stored.
func TestForms(t *testing.T) {
	t.Parallel()
	w := setup(t)
	big := strings.Repeat("x", 100<<10)
	many := newForm().file("a.txt", "a")
	for range 1000 {
		many.text("tags", "x")
	}
	whole := newForm().file("a.txt", "a").String()
	for name, c := range map[string]struct {
		body, contentType string
		status            int
		code              string
		faults            string // locations, joined by spaces
	}{
		"no file":              {newForm().text("caption", "c").String(), "", 422, "invalid", "file"},
		"no parts":             {newForm().String(), "", 422, "invalid", "file"},
		"two files":            {newForm().file("a.txt", "a").file("b.txt", "b").String(), "", 422, "invalid", "file"},
		"two files, large":     {newForm().file("a.txt", big).file("b.txt", big).String(), "", 422, "invalid", "file"},
		"two captions":         {newForm().text("caption", "a").text("caption", "b").file("a.txt", "a").String(), "", 422, "invalid", "caption"},
		"unknown parts":        {newForm().text("x", "1").text("Caption", "2").file("a.txt", "a").String(), "", 422, "invalid", "x Caption"},
		"a part without name":  {newForm().part(`filename="a.txt"`, "a").String(), "", 422, "invalid", "body file"},
		"not form-data":        {newForm().part("", "").String(), "", 422, "invalid", "body file"},
		"a caption with NUL":   {newForm().text("caption", "a\x00b").file("a.txt", "a").String(), "", 422, "invalid", "caption"},
		"a caption not UTF-8":  {newForm().text("caption", "\xff").file("a.txt", "a").String(), "", 422, "invalid", "caption"},
		"a long caption":       {newForm().text("caption", strings.Repeat("x", 5000)).file("a.txt", "a").String(), "", 422, "invalid", "caption"},
		"a huge caption":       {newForm().text("caption", big).file("a.txt", "a").String(), "", 413, "body_too_large", ""},
		"a long alt":           {newForm().text("alt", strings.Repeat("x", 501)).file("a.txt", "a").String(), "", 422, "invalid", "alt"},
		"two alts":             {newForm().text("alt", "a").text("alt", "a").file("a.txt", "a").String(), "", 422, "invalid", "alt"},
		"no JSON":              {newForm().text("focalPoint", "0.2,0.4").file("a.txt", "a").String(), "", 422, "invalid", "focalPoint"},
		"more JSON":            {newForm().text("focalPoint", `{"x":0,"y":0},"caption":"a"`).file("a.txt", "a").String(), "", 422, "invalid", "focalPoint"},
		"x twice":              {newForm().text("focalPoint", `{"x":0,"x":1,"y":0}`).file("a.txt", "a").String(), "", 422, "invalid", "focalPoint"},
		"NaN":                  {newForm().text("focalPoint", `{"x":NaN,"y":0}`).file("a.txt", "a").String(), "", 422, "invalid", "focalPoint"},
		"a list":               {newForm().text("focalPoint", "[0,0]").file("a.txt", "a").String(), "", 422, "invalid", "focalPoint"},
		"a text in JSON":       {newForm().text("focalPoint", `{"x":"0","y":0,"z":1}`).file("a.txt", "a").String(), "", 422, "invalid", "focalPoint.x focalPoint.z"},
		"a missing y":          {newForm().text("focalPoint", `{"x":2}`).file("a.txt", "a").String(), "", 422, "invalid", "focalPoint.x focalPoint.y"},
		"an empty file":        {newForm().file("a.txt", "").String(), "", 422, "invalid", "file"},
		"a huge head":          {newForm().part(`name="file"; filename="`+big+`"`, "a").String(), "", 413, "body_too_large", ""},
		"1,001 parts":          {many.String(), "", 400, "malformed_form", ""},
		"no last boundary":     {strings.TrimSuffix(whole, "--"+boundary+"--\r\n"), "", 400, "body_broken", ""},
		"cut in the file":      {whole[:strings.Index(whole, "\r\n\r\n")+5], "", 400, "body_broken", ""},
		"cut in the head":      {whole[:20], "", 400, "malformed_form", ""},
		"empty":                {"", "", 400, "body_broken", ""},
		"another boundary":     {strings.ReplaceAll(whole, boundary, "other"), "", 400, "body_broken", ""},
		"no boundary":          {whole, "multipart/form-data", 400, "malformed_form", ""},
		"an empty boundary":    {whole, `multipart/form-data; boundary=""`, 400, "malformed_form", ""},
		"a broken boundary":    {whole, `multipart/form-data; boundary="`, 400, "malformed_form", ""},
		"JSON":                 {`{"file":"x"}`, "application/json", 415, "unsupported_media_type", ""},
		"another multipart":    {whole, "multipart/mixed; boundary=" + boundary, 415, "unsupported_media_type", ""},
		"a urlencoded form":    {"file=x", "application/x-www-form-urlencoded", 415, "unsupported_media_type", ""},
		"no type":              {whole, "none", 415, "unsupported_media_type", ""},
		"a page":               {newForm().file("a.png", "<!DOCTYPE html><script>alert(1)</script>").String(), "", 415, "unsupported_media_type", ""},
		"a picture cut off":    {newForm().file("a.png", picture(t, 9, 9)[:20]).String(), "", 422, "invalid", "file"},
		"a head without colon": {"--" + boundary + "\r\nnonsense\r\n\r\nx\r\n--" + boundary + "--\r\n", "", 400, "malformed_form", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := w.on(t)
			for _, api := range []struct {
				target     string
				credential with
			}{{w.public("/media/upload"), w.bearer("create")}, {w.dashboard("/media/upload"), w.as("editor")}} {
				setType := isForm
				if c.contentType != "" {
					setType = func(r *http.Request) { r.Header.Set("Content-Type", strings.TrimPrefix(c.contentType, "none")) }
				}
				p := w.problem(c.status, c.code, "POST", api.target, c.body, setType, api.credential)
				var faults []string
				listed, _ := p["errors"].([]any)
				for _, fault := range listed {
					faults = append(faults, fault.(map[string]any)["location"].(string))
				}
				assert.Equal(t, c.faults, strings.Join(faults, " "))
			}
		})
	}
	t.Cleanup(func() { assert.Equal(t, []string{w.note.Full}, w.names(), "a rejected form was stored") })
}

// A repeated upload with the same key creates one item, even with another form boundary. The key
// cannot be used for another upload.
func TestUploadWithKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	send := func(key, body, delimiter string) answer {
		return w.send("POST", w.public("/media/upload"), strings.ReplaceAll(body, boundary, delimiter), w.bearer("create"), header("Idempotency-Key", key),
			func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data; boundary="+delimiter) })
	}
	body := newForm().text("caption", "once").file("a.txt", "a").String()
	first, again := send("k", body, "x"), send("k", body, "y")
	require.Equal(t, 201, first.StatusCode, string(first.body))
	assert.Equal(t, string(first.body), string(again.body))
	assert.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
	assert.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	for name, other := range map[string]string{
		"bytes":   newForm().text("caption", "once").file("a.txt", "b").String(),
		"name":    newForm().text("caption", "once").file("b.txt", "a").String(),
		"caption": newForm().text("caption", "twice").file("a.txt", "a").String(),
	} {
		assert.Equal(t, 422, send("k", other, "x").StatusCode, name)
	}
	faulty := newForm().text("caption", "\x01").file("a.txt", "a").String()
	for range 2 { // the second response is replayed
		assert.Equal(t, 422, send("faulty", faulty, "x").StatusCode)
	}
	assert.EqualValues(t, 2, w.send("GET", w.public("/media"), "", w.bearer("read")).json(t)["meta"].(map[string]any)["total"])
}

// TestUploadLimit checks that files up to the upload limit of the Project are accepted.
func TestUploadLimit(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.project.UploadLimit = 100 << 10
	require.NoError(t, w.stores.Projects.Update(context.Background(), w.project))
	for size, want := range map[int]int{100 << 10: 201, 100<<10 + 1: 413, 1 << 20: 413} {
		body := newForm().file("a.txt", strings.Repeat("x", size)).String()
		for name, length := range map[string]int64{"declared": int64(len(body)), "undeclared": -1} {
			res := w.send("POST", w.public("/media/upload"), body, isForm, w.bearer("create"), func(r *http.Request) { r.ContentLength = length })
			assert.Equal(t, want, res.StatusCode, "%d bytes, %s length: %s", size, name, res.body)
		}
	}
}

// FuzzForm checks that every upload is either accepted or rejected, and that a rejected upload
// stores nothing.
func FuzzForm(f *testing.F) {
	whole := newForm().text("caption", "c").file("a.txt", "a").String()
	for _, seed := range []string{
		"", whole, whole[:len(whole)/2], "--" + boundary + "--", newForm().part(`name="file"; filename*=UTF-8''%2e%2e%2f`, "a").String(),
		newForm().part("name=\"file\"\r\nContent-Transfer-Encoding: base64", "YQ==").String(), strings.ReplaceAll(whole, "\r\n", "\n"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := setup(t)
		res := w.send("POST", w.public("/media/upload"), body, isForm, w.bearer("create"))
		require.Contains(t, []int{201, 400, 413, 415, 422}, res.StatusCode, string(res.body))
		if res.StatusCode != 201 {
			require.Equal(t, []string{w.note.Full}, w.names())
		}
	})
}

func TestMediaAreCopied(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := "/api/projects/" + itoa(w.project.ID) + "/media/copy"
	send := func(url string) answer {
		return w.send(http.MethodPost, path, `{"url":"`+url+`"}`, w.as("editor"), header("Idempotency-Key", "5f9c2d3e-8a41"+url))
	}
	first := send("https://example.org/a.txt")
	require.Equal(t, http.StatusCreated, first.StatusCode, first.body)
	assert.Contains(t, string(first.body), `"fileName":"copied.txt"`)
	assert.Regexp(t, `/media/\d+$`, first.Header.Get("Location"))
	assert.Equal(t, first.body, send("https://example.org/a.txt").body)
	refused := send("http://example.org/a.txt")
	assert.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode)
	assert.Contains(t, string(refused.body), `"location":"url"`)
}
