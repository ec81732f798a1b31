// Package migration moves exports in the shapes of other systems into the program and back.
package migration

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// object is a decoded JSON object.
type object = map[string]any

// site is a running program with a signed-in administrator.
type site struct {
	base, database, session string
	tenant                  int64
}

// launch starts the demo on a database.
func launch(t *testing.T, database string) *site {
	t.Helper()
	_, facts := program.Demo(t, "--database-url", database)
	s := &site{base: facts.BaseURL, database: database, tenant: facts.TenantID}
	header := s.request(t, "POST", "/api/session", facts.Users["tenantAdmin"], "", nil)
	s.session, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	return s
}

// request sends body as JSON, decodes the response into result unless it is nil, and returns the header
// of the response. With a token it is one of the content API, otherwise one of the dashboard.
func (s *site) request(t *testing.T, method, path string, body any, token string, result any) http.Header {
	t.Helper()
	text, err := json.Marshal(body)
	ok(t, err)
	return s.send(t, method, path, "application/json", bytes.NewReader(text), token, result)
}

func (s *site) send(t *testing.T, method, path, contentType string, body io.Reader, token string, result any) http.Header {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.base+path, body)
	ok(t, err)
	request.Header.Set("Content-Type", contentType)
	if token == "" {
		request.Header.Set("Cookie", s.session)
		request.Header.Set("Origin", s.base)
	} else {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	ok(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ok(t, err)
	if response.StatusCode > 299 {
		t.Fatalf("%s %s answered %d: %s", method, path, response.StatusCode, text)
	}
	if result != nil {
		ok(t, json.Unmarshal(text, result))
	}
	return response.Header
}

// project is an empty project with a token that reads drafts.
type project struct {
	*site
	id          int64
	uuid, token string
}

func (s *site) newProject(t *testing.T, name string, locales ...string) *project {
	t.Helper()
	var made struct {
		ID   int64
		UUID string
	}
	s.request(t, "POST", fmt.Sprintf("/api/tenants/%d/projects", s.tenant), object{"name": name, "locales": locales}, "", &made)
	p := &project{site: s, id: made.ID, uuid: made.UUID}
	var token struct{ Secret string }
	p.request(t, "POST", p.path("tokens"), object{"name": "Reader", "abilities": []string{"read"}, "allowDrafts": true, "rateLimit": 0}, "", &token)
	p.token = token.Secret
	return p
}

// path returns a path of the dashboard's API.
func (p *project) path(rest string) string { return fmt.Sprintf("/api/projects/%d/%s", p.id, rest) }

// definition is a component or a collection.
type definition struct {
	Slug      string  `json:"slug"`
	Name      string  `json:"name"`
	Singleton bool    `json:"singleton,omitempty"`
	Fields    []field `json:"fields"`
}

type field struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Unique      bool     `json:"unique,omitempty"`
	Multiple    bool     `json:"multiple,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	Collection  string   `json:"collection,omitempty"`
	Collections []string `json:"collections,omitempty"`
	Component   string   `json:"component,omitempty"`
	Components  []string `json:"components,omitempty"`
}

// file is a file of a library. The tag is its id in the export.
type file struct {
	Tag, Name, Caption, Alt string
}

// content returns the bytes of a file in testdata.
func (f file) content(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/media", f.Name))
	ok(t, err)
	return text
}

// named returns what a line of an import calls the file.
func (f file) named(t *testing.T) object {
	t.Helper()
	sum := sha256.Sum256(f.content(t))
	return object{"hash": hex.EncodeToString(sum[:]), "fileName": f.Name}
}

func (p *project) upload(t *testing.T, f file) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range [][2]string{{"caption", f.Caption}, {"alt", f.Alt}, {"tags", f.Tag}} {
		ok(t, form.WriteField(part[0], part[1]))
	}
	w, err := form.CreateFormFile("file", f.Name)
	ok(t, err)
	_, err = w.Write(f.content(t))
	ok(t, err)
	ok(t, form.Close())
	p.send(t, "POST", p.path("media/upload"), form.FormDataContentType(), &body, "", nil)
}

// prepare creates the definitions and the media of an export. Components and collections refer to each
// other, so the fields of collections with a target come last.
func (p *project) prepare(t *testing.T, e export) {
	t.Helper()
	components, collections := e.definitions()
	ids := map[string]int64{}
	for _, d := range collections {
		d.Fields = slices.DeleteFunc(slices.Clone(d.Fields), field.refers)
		ids[d.Slug] = p.create(t, "collections", d)
	}
	for _, d := range components {
		p.create(t, "components", d)
	}
	for _, d := range collections {
		for _, f := range d.Fields {
			if f.refers() {
				p.request(t, "POST", p.path(fmt.Sprintf("collections/%d/fields", ids[d.Slug])), f, "", nil)
			}
		}
	}
	for _, f := range e.files() {
		p.upload(t, f)
	}
}

// refers reports whether f needs other collections or components.
func (f field) refers() bool {
	return f.Collection+f.Component != "" || len(f.Collections)+len(f.Components) > 0
}

// create creates a component or collection and returns its id.
func (p *project) create(t *testing.T, kind string, d definition) int64 {
	t.Helper()
	var made struct{ ID int64 }
	p.request(t, "POST", p.path(kind), d, "", &made)
	return made.ID
}

// run runs a command on a collection of p.
func (p *project) run(t *testing.T, stdin, command, collection string, more ...string) string {
	t.Helper()
	args := append([]string{command, "--database-url", p.database, "--project", p.uuid, "--collection", collection}, more...)
	out, diagnostics, err := program.Run(t, stdin, args...)
	if err != nil {
		t.Fatalf("%s of %s: %v\n%s%s", command, collection, err, out, diagnostics)
	}
	return out
}

// entries returns the entries of a collection in a locale, without those that fall back to another.
func (p *project) entries(t *testing.T, collection, locale string) []object {
	t.Helper()
	var page struct{ Data []object }
	p.request(t, "GET", "/public/v2/projects/"+p.uuid+"/collections/"+collection+"/entries?state=with_draft&timestamps=true&depth=1&sort=id:asc&limit=500&locale="+locale, nil, p.token, &page)
	return slices.DeleteFunc(page.Data, func(e object) bool { return e["locale"] != locale })
}

// library returns the media of p by id.
func (p *project) library(t *testing.T) map[float64]object {
	t.Helper()
	var page struct{ Data []object }
	p.request(t, "GET", p.path("media?perPage=100"), nil, "", &page)
	items := map[float64]object{}
	for _, item := range page.Data {
		items[item["id"].(float64)] = item
	}
	return items
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
