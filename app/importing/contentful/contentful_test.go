package contentful_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"imprimatur/app/importing"
	"imprimatur/app/importing/contentful"
	"imprimatur/core"
	"imprimatur/test/importtest"
)

const exported = "testdata/export.json"

func fetcher(t testing.TB) importtest.Fetcher {
	return importtest.Fetcher{
		"https://images.ctfassets.net/space1/pier/t1/pier.png":  importtest.Picture(t, 1),
		"https://images.ctfassets.net/space1/pier/t2/mole.png":  importtest.Picture(t, 2),
		"https://assets.ctfassets.net/space1/paper/t/paper.txt": []byte("Some words"),
	}
}

func open(t testing.TB, s *importtest.Site, name, media string) *importing.Mapped {
	t.Helper()
	source, err := contentful.Open(t.Context(), name, media)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, source.Close()) })
	return importing.NewMapped(source, importing.MappingOf(source, s.Project, s.Known(t)), s.Project, s.Known(t))
}

func listed(rows []importing.Lost) string {
	var list []string
	for _, row := range rows {
		list = append(list, strings.TrimSpace(row.Kind+" "+row.ID+" "+row.Locale)+" "+row.What+" "+row.Field+": "+row.Reason)
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func TestSpace(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	report, rows := s.Import(t, open(t, s, exported, ""), importing.Options{Fetcher: fetcher(t), Publish: true})
	want, err := os.ReadFile("testdata/listed.txt")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), listed(rows))
	require.Equal(t, &importing.Counts{In: 3, Out: 3}, report.Kinds["blogPost"])
	require.Equal(t, &importing.Counts{In: 4, Out: 2, Listed: 2}, report.Kinds["person"])
	want, err = os.ReadFile("testdata/dump.txt")
	require.NoError(t, err)
	before := s.Dump(t)
	require.Equal(t, strings.TrimSpace(string(want)), before)
	engines := s.Entry(t, "blog-post", "en", "slug", "engines")
	require.Equal(t, 2020, engines.PublishedAt.Year())
	require.Equal(t, 2019, engines.CreatedAt.Year())
	for _, c := range s.Collections(t) {
		require.NotContains(t, s.Dump(t)+c.Description, "hunter2")
	}

	report, _ = s.Import(t, open(t, s, exported, ""), importing.Options{Fetcher: fetcher(t), Publish: true})
	for name, w := range report.Collections {
		require.Zero(t, w.Created+w.Updated, name)
	}
	require.Equal(t, before, s.Dump(t))
}

// outside is an entry in a locale as read.mjs reads it.
type outside struct {
	ID, Locale, Type string
	Public           bool
	Words, Targets   []string
}

// TestReadersSeeTheSame compares what was imported with what another program reads in the export.
func TestReadersSeeTheSame(t *testing.T) {
	t.Parallel()
	output, err := exec.CommandContext(t.Context(), "node", "testdata/read.mjs", exported).Output()
	require.NoError(t, err)
	var seen []outside
	require.NoError(t, json.Unmarshal(output, &seen))
	s := importtest.New(t)
	s.Import(t, open(t, s, exported, ""), importing.Options{Fetcher: fetcher(t), Publish: true})
	compared := 0
	for _, slug := range []string{"blog-post", "person"} {
		c := core.Schema{Collections: s.Collections(t)}.BySlug(slug)
		for _, e := range s.Entries(t, slug) {
			origins, err := s.Stores.Origins.OriginsOf(t.Context(), s.Project.ID, []int64{e.Group})
			require.NoError(t, err)
			id := origins[0].Reference[strings.LastIndex(origins[0].Reference, ":")+1:]
			locale := map[string]string{"en": "en-US", "de": "de"}[e.Locale]
			at := slices.IndexFunc(seen, func(o outside) bool { return o.ID == id && o.Locale == locale })
			require.GreaterOrEqual(t, at, 0, id)
			compared++
			words, targets := []string{}, 0
			c.EachReference(e.Draft, func(*core.Field) bool { return true }, func(*core.Field, core.Reference) { targets++ })
			for _, f := range c.Fields {
				if f.Type == core.TypeRichText || f.Type == core.TypeLongText {
					words = append(words, wordsOf(e.Draft.Value(f.Name), f.Type == core.TypeRichText)...)
				}
			}
			require.Len(t, seen[at].Targets, targets, id)
			require.Equal(t, seen[at].Words, words, id)
			require.Equal(t, seen[at].Public && id != "ada", e.Published != nil, id) // Ada lacks a required value
		}
	}
	require.Len(t, seen, compared)
}

// wordsOf returns the words of a text, without those in links that only show the title of their target.
func wordsOf(raw []byte, markup bool) []string {
	var text string
	_ = json.Unmarshal(raw, &text)
	words := []string{}
	if !markup {
		return append(words, strings.Fields(text)...)
	}
	titles := map[string]bool{"Looms": true, "Paper": true}
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return words
		case html.TextToken:
			if data := tokens.Token().Data; !titles[data] {
				words = append(words, strings.Fields(data)...)
			}
		}
	}
}

// TestFilesBesideTheExport reads a folder as contentful space export --download-assets writes it.
func TestFilesBesideTheExport(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	content, err := os.ReadFile(exported)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "export.json"), content, 0o600))
	place := filepath.Join(dir, "images.ctfassets.net", "space1", "pier", "t1")
	require.NoError(t, os.MkdirAll(place, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(place, "pier.png"), importtest.Picture(t, 1), 0o600))
	report, _ := s.Import(t, open(t, s, dir, dir), importing.Options{})
	require.Equal(t, importing.Counts{In: 4, Out: 1, Listed: 3}, report.Files)
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(exported)
	require.NoError(t, err)
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "export.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	for text, message := range map[string]string{
		"":                             "ends in the middle",
		"[]":                           "it is no JSON object",
		"{}":                           "it has no list of entries",
		`{"entries":{}}`:               "entries is no list",
		`{"entries":[7]}`:              "an element has another form",
		`{"entries":[]}{"entries":[]}`: "more than one JSON object",
		"<rss/>":                       "invalid character",
	} {
		_, err := contentful.Open(t.Context(), write(text), "")
		require.ErrorContains(t, err, message, text)
	}
	end := strings.LastIndex(string(content), "}")
	for cut := 0; cut < end; cut += 131 {
		_, err := contentful.Open(t.Context(), write(string(content[:cut])), "")
		require.Error(t, err, cut)
	}
	_, err = contentful.Open(t.Context(), t.TempDir(), "")
	require.ErrorContains(t, err, "has 0 files")
}

// TestEndlessElements opens exports with an element or a text without end.
func TestEndlessElements(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"text of an entry":  `{"entries":[{"sys":{"id":"`,
		"text to be passed": `{"webhooks":[{"url":"`,
		"name":              `{"`,
	} {
		file := filepath.Join(t.TempDir(), "export.json")
		require.NoError(t, os.WriteFile(file, []byte(head+strings.Repeat("a", 65<<20)), 0o600))
		_, err := contentful.Open(t.Context(), file, "")
		require.ErrorContains(t, err, "an element is longer than 64 MB", name)
	}
}

// TestDeepDocuments reads rich text that is nested without end.
func TestDeepDocuments(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	content, err := os.ReadFile(exported)
	require.NoError(t, err)
	deep := strings.Repeat(`{"nodeType":"blockquote","data":{},"content":[`, 900) + strings.Repeat("]}", 900)
	text := strings.Replace(string(content), `"value": "Deep & wide"`, `"value": "Deep", "content": [`+deep+`]`, 1)
	text = strings.Replace(text, `"nodeType": "heading-2"`, `"nodeType": "blockquote"`, 1)
	text = strings.Replace(text, `"nodeType": "text",
         "value": "Deep"`, `"nodeType": "paragraph",
         "value": "Deep"`, 1)
	file := filepath.Join(t.TempDir(), "export.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	report, _ := s.Import(t, open(t, s, file, ""), importing.Options{Fetcher: fetcher(t)})
	require.EqualValues(t, 3, report.Kinds["blogPost"].Out)
}

func TestMappings(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	source, err := contentful.Open(t.Context(), exported, "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, source.Close()) })
	m := importing.MappingOf(source, s.Project, s.Known(t))
	require.Equal(t, map[string]string{"en-US": "en", "de": "de"}, m.Locales)
	file := m.Text()
	edited := strings.Replace(string(file), "de: de", `de: ""`, 1)
	read, err := importing.ParseMapping([]byte(edited), source)
	require.NoError(t, err)
	report, rows := s.Import(t, importing.NewMapped(source, read, s.Project, s.Known(t)), importing.Options{Fetcher: fetcher(t)})
	require.Contains(t, listed(rows), "the mapping leaves out the locale de")
	require.Equal(t, &importing.Counts{In: 3, Out: 2, Listed: 1}, report.Kinds["blogPost"])
}
