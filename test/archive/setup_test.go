// Package archive backs up, restores and moves installations with the real program.
package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/demo"
	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// place is where an installation is stored.
type place struct{ database, blobs, key string }

func (p place) settings(more ...string) []string {
	return append([]string{"--database-url", p.database, "--blob-url", p.blobs}, more...)
}

// newPlace returns an empty place on an engine, for an installation with a secret key.
func newPlace(t *testing.T, engine, key string) place {
	t.Helper()
	folder := t.TempDir()
	p := place{blobs: "file:" + filepath.Join(folder, "blobs"), key: key}
	if engine == "postgres" {
		p.database = postgrestest.New(t)
	} else {
		p.database = "sqlite:" + filepath.Join(folder, "imprimatur.db")
	}
	return p
}

// demoPlace stops a demo and returns where it is.
func demoPlace(t *testing.T) (place, demo.Facts) {
	t.Helper()
	process, facts := program.Demo(t)
	process.Stop(t)
	folder := filepath.Join(process.Dir, "var", "demo")
	return place{
		database: "sqlite:" + filepath.Join(folder, "imprimatur.db"), blobs: "file:" + filepath.Join(folder, "blobs"),
		key: "@" + filepath.Join(folder, "imprimatur.key"),
	}, facts
}

// run runs the program, which must succeed.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, diagnostics, err := program.Run(t, "", args...)
	require.NoError(t, err, "%v\n%s%s", args, out, diagnostics)
	return out
}

// fails runs the program, which must fail with one line that contains want.
func fails(t *testing.T, want string, args ...string) {
	t.Helper()
	out, diagnostics, err := program.Run(t, "", args...)
	require.Error(t, err, "%v\n%s", args, out)
	require.Contains(t, diagnostics, want, args)
	require.Equal(t, 1, strings.Count(diagnostics, "\n"), diagnostics)
}

// backup writes an archive of a place and returns its path.
func (p place) backup(t *testing.T, more ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup.imp")
	run(t, append(append([]string{"backup", "--out", file}, p.settings()...), more...)...)
	return file
}

func (p place) restore(t *testing.T, archive string, more ...string) {
	t.Helper()
	run(t, slices.Concat([]string{"restore"}, p.settings(), more, []string{archive})...)
}

var serving = regexp.MustCompile(`imprimatur serves on (\S+)`)

// server is a running service.
type server struct {
	*program.Process
	base string
}

// serve starts the service.
func (p place) serve(t *testing.T, more ...string) server {
	t.Helper()
	process := program.Launch(t, slices.Concat([]string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--secret-key", p.key, "--rate-limit", "0"}, p.settings(), more)...)
	process.Await(t, "the service", func() bool { return serving.MatchString(process.Output()) })
	return server{process, serving.FindStringSubmatch(process.Output())[1]}
}

// response is the answer to a request.
type response struct {
	status int
	header http.Header
	body   string
}

// call sends a request. body may be empty, header has pairs of names and values.
func (s server) call(t *testing.T, method, path, body string, header ...string) response {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.base+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return response{answer.StatusCode, answer.Header, string(text)}
}

// reads returns what readers of the demo get: lists, searches, pages of the library, GraphQL and files.
func (s server) reads(t *testing.T, facts demo.Facts) map[string]string {
	t.Helper()
	found := map[string]string{}
	read := func(token, path string) string {
		answer := s.call(t, "GET", path, "", "Authorization", "Bearer "+token)
		body := strings.ReplaceAll(answer.body, s.base, "{base}")
		found[path] = fmt.Sprint(answer.status, " ", answer.header.Get("ETag") != "", " ", body)
		require.Equal(t, http.StatusOK, answer.status, "%s: %s", path, body)
		return body
	}
	world := "/public/v2/projects/" + facts.Projects.WorldDesk.UUID
	blog := "/public/v2/projects/" + facts.Projects.Blog.UUID
	for _, locale := range []string{"en", "de", "fr", "ja", "pt", "*"} {
		for _, sort := range []string{"name", "population:desc,name", "area:desc", "id"} {
			if strings.HasPrefix(sort, "population") {
				continue // no field
			}
			read(facts.Tokens.WorldDesk.ReadOnly, world+"/collections/countries/entries?count=true&limit=500&locale="+locale+"&sort="+sort)
		}
	}
	read(facts.Tokens.WorldDesk.ReadOnly, world+"/collections/countries/entries?count=true&where[borders.code]=CHE")
	read(facts.Tokens.WorldDesk.ReadOnly, world+"/collections/articles/entries?count=true&limit=100")
	read(facts.Tokens.WorldDesk.ReadOnly, world+"/collections/articles/entries?count=true&limit=100&depth=2&search=the")
	read(facts.Tokens.WorldDesk.ReadOnly, world+"/collections/pages/entries?count=true&limit=100&depth=2&locale=*")
	read(facts.Tokens.WorldDesk.ReadOnly, world+"/search?q=the")
	for _, definitions := range []string{"/collections", "/components"} {
		read(facts.Tokens.WorldDesk.ReadOnly, world+definitions)
		read(facts.Tokens.Blog.ReadOnly, blog+definitions)
	}
	const question = `{"query":"{ entries(collection: \"articles\", limit: 50, sort: \"id\") { totalCount items { id locale data } } }"}`
	graph := s.call(t, "POST", "/public/v2/graphql", question, "Authorization", "Bearer "+facts.Tokens.WorldDesk.ReadOnly)
	require.Equal(t, http.StatusOK, graph.status, graph.body)
	require.NotContains(t, graph.body, `"errors"`)
	found["graphql"] = strings.ReplaceAll(graph.body, s.base, "{base}")
	read(facts.Tokens.Blog.ReadOnly, blog+"/collections/posts/entries?count=true&limit=100")
	library := read(facts.Tokens.WorldDesk.ReadOnly, world+"/media?perPage=100")
	files := regexp.MustCompile(`\{base\}(/files/[^"]+)`).FindAllStringSubmatch(library, -1)
	require.NotEmpty(t, files)
	for _, file := range files {
		read("", file[1])
	}
	return found
}

// signed matches the end of a proof, which is signed when it is asked for.
var signed = regexp.MustCompile(`"signedAt":"[^"]*","hash":"[^"]*","signature":"[^"]*"`)

// records returns what editors, reviewers and auditors of the demo get: definitions, drafts, revisions, publications with
// their proofs, decisions with their chains, releases and schedules.
func (s server) records(t *testing.T, facts demo.Facts) map[string]string {
	t.Helper()
	session := s.signIn(t, facts, "superAdmin")
	found := map[string]string{}
	get := func(path string) (ids []int64) {
		answer := s.call(t, "GET", path, "", session...)
		if answer.status == http.StatusNotFound { // without a request, a release or a draft
			found[path] = "404"
			return nil
		}
		require.Equal(t, http.StatusOK, answer.status, "%s: %s", path, answer.body)
		found[path] = signed.ReplaceAllString(strings.ReplaceAll(answer.body, s.base, "{base}"), "")
		var page struct{ Data []struct{ ID, Number int64 } }
		if json.Unmarshal([]byte(answer.body), &page) == nil {
			for _, one := range page.Data {
				ids = append(ids, cmp.Or(one.ID, one.Number))
			}
		}
		return ids
	}
	for _, id := range []int64{facts.Projects.WorldDesk.ID, facts.Projects.Blog.ID, facts.Projects.InvestorRelations.ID, facts.Projects.Archive.ID} {
		project := fmt.Sprintf("/api/projects/%d", id)
		for _, list := range []string{"", "/approval-workflow/effective", "/components", "/media?perPage=100", "/media/folders", "/members", "/releases", "/schedules", "/webhooks"} {
			get(project + list)
		}
		for _, collection := range get(project + "/collections") {
			if collection == facts.Collections.Countries {
				continue // readers compare them, and they have no decisions
			}
			of := fmt.Sprintf("%s/collections/%d", project, collection)
			get(of + "/trash")
			for _, entry := range get(of + "/content?limit=100") {
				path := fmt.Sprintf("%s/content/%d", of, entry)
				for _, part := range []string{"", "/approval", "/approval/audit", "/approval/history", "/translations", "/usage", "/revisions"} {
					get(path + part)
				}
				for _, number := range get(path + "/publications") {
					get(fmt.Sprintf("%s/publications/%d", path, number))
					get(fmt.Sprintf("%s/publications/%d/proof", path, number))
				}
			}
		}
	}
	return found
}
