package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// mediaItem is a media item as REST and GraphQL show it.
type mediaItem struct {
	ID                                           int
	FileName, MimeType, Hash                     string
	FullURL, ThumbURL, ThumbWebPURL, FullWebPURL string
	Caption                                      *string
	Tags                                         []string
	Size, Width, Height                          int
}

// blobs returns the sorted blob names of the item without duplicates.
func (m mediaItem) blobs() (names []string) {
	for _, url := range []string{m.FullURL, m.ThumbURL, m.ThumbWebPURL, m.FullWebPURL} {
		if _, address, ok := strings.Cut(url, "/files/"); ok {
			names = append(names, path.Dir(address)+path.Ext(address))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// form builds a multipart form.
type form struct{ bytes.Buffer }

const boundary = "a-boundary"

func newForm() *form { return &form{} }

// part adds a part; head is what follows "form-data; " and any further lines.
func (f *form) part(head string, content []byte) *form {
	fmt.Fprintf(f, "--%s\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n", boundary, head, content)
	return f
}

func (f *form) file(name string, content []byte) *form {
	return f.part(`name="file"; filename="`+name+`"`, content)
}

func (f *form) text(name, value string) *form { return f.part(`name="`+name+`"`, []byte(value)) }

// end returns the whole form.
func (f *form) end() []byte { return append(f.Bytes(), "--"+boundary+"--\r\n"...) }

// post sends a form.
func post(t *testing.T, url string, form []byte, header ...string) response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	return do(t, request)
}

// upload sends a file and requires success.
func upload(t *testing.T, url string, form []byte, header ...string) mediaItem {
	t.Helper()
	a := post(t, url, form, header...)
	if a.status != http.StatusCreated {
		t.Fatalf("the upload answered %d: %s", a.status, a.body)
	}
	return decode[mediaItem](t, a)
}

// painting returns a picture with a different colour in each quarter.
func painting(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x * 2 / width * 255), uint8(y * 2 / height * 255), 128, 255})
		}
	}
	return img
}

func pngOf(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, painting(width, height)) // writes to a buffer cannot fail
	return b.Bytes()
}

func jpegOf(width, height int) []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, painting(width, height), nil)
	return b.Bytes()
}

// gifOf returns a GIF of frames of one pixel.
func gifOf(frames int) []byte {
	animation := gif.GIF{}
	for range frames {
		animation.Image = append(animation.Image, image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.White, color.Black}))
		animation.Delay = append(animation.Delay, 1)
	}
	var b bytes.Buffer
	_ = gif.EncodeAll(&b, &animation)
	return b.Bytes()
}

// TestMedia uploads pictures through both APIs, reads them everywhere, changes, uses and
// deletes them, including their bytes.
func TestMedia(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			collection := s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"albums","name":"Albums","fields":[
				{"name":"title","type":"text"},{"name":"cover","type":"media"},{"name":"pages","type":"media","multiple":true}]}`)
			public, token := s.base+s.fill("{P}/media"), "Authorization: Bearer "+s.tokens["full"]

			first := upload(t, public+"/upload", newForm().text("caption", "The first").file("first.png", pngOf(800, 400)).end(), token)
			second := upload(t, s.base+s.fill("{project}/media/upload"),
				newForm().file("second.jpg", jpegOf(30, 60)).text("tags", "b").text("tags", "a").end(), s.session...)
			if first.Width != 800 || first.Height != 400 || first.MimeType != "image/png" || !slices.Equal(second.Tags, []string{"b", "a"}) {
				t.Errorf("%+v %+v", first, second)
			}
			for _, url := range []string{first.FullURL, first.ThumbURL, first.ThumbWebPURL, first.FullWebPURL} {
				if a := call(t, "GET", url, ""); a.status != 200 || a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
					t.Errorf("%s answered %d: %v", url, a.status, a.header)
				}
			}

			made := call(t, "POST", s.base+s.fill("{P}/collections/albums/entries"),
				fmt.Sprintf(`{"published":true,"fields":{"title":"A","cover":%d,"pages":[%d,%d]}}`, first.ID, second.ID, first.ID), token)
			if made.status != 201 {
				t.Fatalf("%d %s", made.status, made.body)
			}
			entry := int(decode[map[string]any](t, made)["id"].(float64))
			s.ids["album"], s.ids["first"], s.ids["second"], s.ids["albums"] = entry, first.ID, second.ID, collection

			wantAlbum(t, s, "uploaded", `"caption":"The first"`)
			if a := s.send(t, "full", "PATCH", "{P}/media/{first}", `{"caption":"Seen at once"}`); a.status != 200 {
				t.Errorf("%d %s", a.status, a.body)
			}
			wantAlbum(t, s, "captioned", `"caption":"Seen at once"`)

			uses := call(t, "GET", s.base+s.fill("{project}/media/{first}/usage"), "", s.session...)
			want := fmt.Sprintf(`{"data":[{"entryId":%d,"collectionId":%d,"locale":"en","title":"A","draft":true,"published":true,"requested":false,"trashed":false,"sealed":false}],"meta":{"total":1}}`, entry, collection)
			if strings.TrimSpace(string(uses.body)) != want {
				t.Errorf("used by %s, want %s", uses.body, want)
			}
			kept := call(t, "DELETE", s.base+s.fill("{project}/media/{first}?ifUnused=true"), "", s.session...)
			if p := wantProblem(t, kept, 409); p.Code != "in_use" || len(p.Errors) != 1 || p.Errors[0].Location != "entries[0]" {
				t.Errorf("%s", kept.body)
			}

			gone := s.send(t, "full", "DELETE", "{P}/media/{first}", "")
			if gone.status != 200 || strings.TrimSpace(string(gone.body)) != `{"success":true}` {
				t.Errorf("%d %s", gone.status, gone.body)
			}
			wantAlbum(t, s, "one deleted", `"cover":null,"pages":[{"id":`+fmt.Sprint(second.ID)+`,`)
			for _, url := range []string{first.FullURL, first.ThumbURL, first.ThumbWebPURL, first.FullWebPURL} {
				wantProblem(t, call(t, "GET", url, ""), 404)
			}
			if left, want := blobs(t, s.process), second.blobs(); !slices.Equal(left, want) {
				t.Errorf("blobs left: %v, want %v", left, want)
			}
			if a := call(t, "DELETE", s.base+s.fill("{project}/media/{second}"), "", s.session...); a.status != 200 {
				t.Errorf("%d %s", a.status, a.body)
			}
			if left := blobs(t, s.process); len(left) != 0 {
				t.Errorf("blobs left: %v", left)
			}
		})
	}
}

// wantAlbum fails unless both transports return the same bytes for the album's entry and
// its pictures, and these contain the text.
func wantAlbum(t *testing.T, s *site, when, text string) {
	t.Helper()
	rest := s.send(t, "read", "GET", "{P}/collections/albums/entries/{album}", "")
	if !strings.Contains(string(rest.body), text) {
		t.Errorf("%s: REST shows %s, want %s", when, rest.body, text)
	}
	result := call(t, "POST", s.base+"/public/v2/graphql", s.fill(`{"query":"{ entry(collection: \"albums\", id: {album}) { data } media(id: {first}) { id fileName fullUrl thumbUrl thumbWebpUrl fullWebpUrl caption tags size width height } }"}`),
		"Authorization: Bearer "+s.tokens["read"])
	body := string(result.body)
	if !strings.Contains(body, `{"data":`+string(rest.body)+`}`) {
		t.Errorf("%s: REST has %s, GraphQL %s", when, rest.body, body)
	}
	item := s.send(t, "read", "GET", "{P}/media/{first}", "")
	if item.status == 404 {
		if !strings.Contains(body, `"media":null`) {
			t.Errorf("%s: GraphQL still has it: %s", when, body)
		}
		return
	}
	view, _, _ := strings.Cut(string(item.body), `,"mimeType"`)
	shown, _, _ := strings.Cut(view, `,"alt"`)                                                     // MediaView has neither alt nor focalPoint
	shown = strings.Replace(shown, `{"id":`+s.fill("{first}"), `{"id":"`+s.fill("{first}")+`"`, 1) // GraphQL IDs are strings
	if !strings.Contains(body, `"media":`+shown+`}`) {
		t.Errorf("%s: REST has %s, GraphQL %s", when, shown, body)
	}
	if !strings.Contains(string(rest.body), `"cover":`+view+`}`) {
		t.Errorf("%s: the library shows %s, the entry %s", when, view, rest.body)
	}
}

// blobs returns the sorted names of the stored blobs, without the files by which the
// program tries for a moment whether it can write.
func blobs(t *testing.T, p *program.Process) (names []string) {
	t.Helper()
	root := filepath.Join(p.Dir, "var/blobs")
	err := filepath.WalkDir(root, func(file string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".probe-") {
			names = append(names, strings.TrimPrefix(file, root+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// disposition returns the Content-Disposition of a file: inline or attachment, and its name.
func disposition(t *testing.T, a response) (how, name string) {
	t.Helper()
	how, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
	if err != nil {
		t.Errorf("Content-Disposition %q: %v", a.header.Get("Content-Disposition"), err)
	}
	return how, params["filename"]
}
