package directory_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/importing"
	"imprimatur/app/importing/directory"
	"imprimatur/core"
	"imprimatur/test/importtest"
)

// site has authors and articles that point to each other, and a singleton.
var site = map[string]string{
	"schema.yaml": `format: 1
components:
  - key: quote
    name: Quote
    fields:
      - name: text
        type: richtext
      - name: portrait
        type: media
collections:
  - key: authors
    name: Authors
    fields:
      - name: name
        type: text
        required: true
        unique: true
      - name: best
        type: relation
        collection: articles
  - key: articles
    name: Articles
    fields:
      - name: title
        type: text
        required: true
      - name: slug
        type: slug
        source: title
        unique: true
      - name: body
        type: richtext
      - name: rating
        type: number
      - name: tags
        type: text
        multiple: true
      - name: author
        type: relation
        collection: authors
        required: true
      - name: related
        type: relation
        collection: articles
        multiple: true
      - name: cover
        type: media
      - name: parts
        type: blocks
        components: [quote]
      - name: password
        type: password
  - key: home
    name: Home
    singleton: true
    fields:
      - name: title
        type: text
`,
	"authors.jsonl": `{"fields":{"name":"Ada"},"relations":{"best":"engines"},"published":true}
{"fields":{"name":"Bob"},"published":true}
`,
	"articles.jsonl": `{"key":"engines","fields":{"title":"Engines","body":"<p>By <a data-entry=\"1\">Ada</a> <img data-media=\"2\" alt=\"\"></p>","rating":5,"tags":["a","b"],"parts":[{"_type":"quote","_key":"k1","text":"<p><a data-entry=\"1\">x</a></p>","portrait":2}]},"relations":{"author":"Ada","related":["looms"]},"media":{"cover":{"file":"a.png"}},"links":{"entries":{"1":{"collection":"authors","key":"Ada"}},"media":{"2":{"url":"https://files.example/b.png"}}},"translations":{"de":{"title":"Maschinen","slug":"maschinen"}},"published":true,"publishedAt":"2020-01-02T03:04:05Z","createdAt":"2019-01-02T03:04:05Z","paths":["/old/engines"]}
{"key":"looms","fields":{"title":"Looms","slug":"looms"},"relations":{"author":"Bob","related":["engines"]},"published":true}
`,
	"home.jsonl":     `{"fields":{"title":"Welcome"}}`,
	"media.jsonl":    `{"file":"a.png","alt":"A square","caption":"Square"}`,
	"media/a.png":    "",
	"media/more.png": "",
}

// write writes files to a directory. Files of pictures without content get some.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		if content == "" {
			content = string(importtest.Picture(t, len(name)))
		}
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
}

func open(t *testing.T, s *importtest.Site, dir string) *directory.Directory {
	t.Helper()
	d, err := directory.Open(dir, s.Known(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func fetcher(t *testing.T) importtest.Fetcher {
	return importtest.Fetcher{"https://files.example/b.png": importtest.Picture(t, 77)}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	write(t, dir, site)
	var redirects strings.Builder
	table := importing.NewRedirects(&redirects)
	opts := importing.Options{Fetcher: fetcher(t), Redirects: table, Publish: true}
	report, rows := s.Import(t, open(t, s, dir), opts)
	require.Empty(t, rows)
	require.Equal(t, &importing.Written{Created: 3, Unchanged: 0}, report.Collections["articles"])
	require.EqualValues(t, 3, report.Files.Out)
	engines, ada := s.Entry(t, "articles", "en", "title", "Engines"), s.Entry(t, "authors", "en", "name", "Ada")
	require.Equal(t, core.FormatID(engines.Group), json.RawMessage(ada.Draft.Value("best")))
	require.Equal(t, core.FormatID(ada.Group), json.RawMessage(engines.Draft.Value("author")))
	require.NotNil(t, engines.Published)
	require.Equal(t, 2020, engines.PublishedAt.Year())
	require.Equal(t, 2019, engines.CreatedAt.Year())
	require.Equal(t, engines.Group, s.Entry(t, "articles", "de", "title", "Maschinen").Group)
	require.NoError(t, table.Close())
	require.Contains(t, redirects.String(), "/old/engines,articles,en,")

	before := s.Dump(t)
	opts.Redirects = nil
	report, rows = s.Import(t, open(t, s, dir), opts)
	require.Empty(t, rows)
	require.Empty(t, report.Definitions)
	require.Equal(t, map[string]*importing.Written{"articles": {Unchanged: 3}, "authors": {Unchanged: 2}, "home": {Unchanged: 1}}, report.Collections)
	require.Equal(t, before, s.Dump(t))
}

// TestDraftsByDefault also checks that what a person published stays as it is.
func TestDraftsByDefault(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	write(t, dir, site)
	s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t)})
	for _, e := range s.Entries(t, "articles") {
		require.Nil(t, e.Published)
	}
	s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t), Publish: true})
	require.NotNil(t, s.Entry(t, "authors", "en", "name", "Bob").Published)
	write(t, dir, map[string]string{
		"home.jsonl": `{"fields":{"title":"Hello"}}`, "articles.jsonl": strings.ReplaceAll(site["articles.jsonl"], `"Looms"`, `"Weaving"`),
	})
	report, _ := s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t)})
	require.Equal(t, &importing.Written{Updated: 1}, report.Collections["home"])
	weaving := s.Entry(t, "articles", "en", "title", "Weaving")
	require.Equal(t, `"Looms"`, string(weaving.Published.Value("title")))
}

func TestEntriesThatWereChangedHere(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	write(t, dir, site)
	s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t)})
	s.Edit(t, s.Entry(t, "articles", "en", "title", "Looms"), `{"rating":3}`)
	write(t, dir, map[string]string{"articles.jsonl": strings.ReplaceAll(site["articles.jsonl"], `"Looms"`, `"Weaving"`)})
	report, rows := s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t)})
	require.EqualValues(t, 1, report.Left)
	require.Equal(t, "was changed here since, and is left as it is", rows[len(rows)-1].Reason)
	s.Entry(t, "articles", "en", "title", "Looms")
	report, rows = s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t), Overwrite: true})
	require.Empty(t, rows)
	require.Equal(t, &importing.Written{Updated: 1, Unchanged: 2}, report.Collections["articles"])
	s.Entry(t, "articles", "en", "title", "Weaving")
}

// TestWhatHasNoPlace imports lines with everything that is wrong.
func TestWhatHasNoPlace(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	files := map[string]string{
		"schema.yaml": site["schema.yaml"],
		"articles.jsonl": `{"key":"a","fields":{"title":"A","rating":"much","unknown":1,"tags":["ok",5],"password":"secret","body":"<p onclick=\"x\">a<script>1</script><blink>b</blink></p>"},"relations":{"author":"Nobody","related":["b","c"]},"media":{"cover":{"file":"none.png"}},"published":true}
{"key":"b","fields":{"title":"B","slug":"b","body":"<p><a data-entry=\"7\">x</a></p>"},"links":{"entries":{"7":{"collection":"authors","key":"Nobody"}}},"createdAt":"2099-01-01T00:00:00Z"}
{"fields":{"title":"No key"}}
{"key":"d","locale":"fr","fields":{"title":"D"}}
{"key":"b","fields":{"title":"B again"}}
{"key":
`,
		"media.jsonl": `{"url":"https://files.example/missing.png"}`,
	}
	write(t, dir, files)
	report, rows := s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t), Publish: true, KeepLegacy: false})
	var listed []string
	for _, row := range rows {
		listed = append(listed, row.What+" "+row.Field+": "+row.Reason)
	}
	slices.Sort(listed)
	require.Equal(t, []string{
		"entry : another entry of the source has the same id and locale",
		"entry : has neither a group nor a key: importing it again would create it again",
		"entry : is not a JSON object: byte 7: expected a JSON value",
		"entry : the project has no locale fr",
		"file : cannot be loaded: its server answers with status 404",
		"markup body: removed onclick, script, blink",
		"nothing author: is required", // of b
		"nothing author: is required", // of b again
		"part author: no entry of authors has this key",
		"part body: no entry of authors has this key",
		"part cover: file none.png is not in the library",
		"part related: no entry of articles has this key", // c
		"part tags: [1] must be a string",
		"state : not published: author is required",
		"state createdAt: is not a date of the past from the year 1 on",
		"value password: passwords are not imported",
		"value rating: rating must be a number",
		"value unknown: no such field in articles",
	}, listed)
	a, b := s.Entry(t, "articles", "en", "title", "A"), s.Entry(t, "articles", "en", "title", "B")
	require.Equal(t, "["+string(core.FormatID(b.Group))+"]", string(a.Draft.Value("related")))
	require.Equal(t, `"<p><a>x</a></p>"`, string(b.Draft.Value("body")))
	require.Equal(t, &importing.Counts{In: 6, Out: 2, Listed: 4}, report.Kinds["articles"])
}

func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	write(t, dir, site)
	report, rows := s.Import(t, open(t, s, dir), importing.Options{DryRun: true})
	require.Empty(t, rows)
	require.Len(t, report.Definitions, 4)
	require.EqualValues(t, 2, report.Kinds["articles"].Out)
	require.Empty(t, s.Collections(t))
	require.Empty(t, s.Dump(t))
}

func TestGovernedProjects(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	s.Govern(t)
	write(t, dir, site)
	_, _, err := s.Try(t.Context(), open(t, s, dir), importing.Options{Publish: true})
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "governed", fault.Code)
	require.Empty(t, s.Dump(t))
	s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t)})
	require.NotEmpty(t, s.Dump(t))
}

// TestInterruptedImports stops imports at each of their steps and begins them again.
func TestInterruptedImports(t *testing.T) {
	t.Parallel()
	whole, dir := importtest.New(t), t.TempDir()
	write(t, dir, site)
	steps := 0
	whole.Import(t, open(t, whole, dir), importing.Options{Fetcher: fetcher(t), Publish: true, Progress: func(int64, int64, string) { steps++ }, Between: func() bool { steps++; return false }})
	stopped := 0
	for stop := range steps {
		s := importtest.New(t)
		ctx, cancel := context.WithCancel(t.Context())
		step := 0
		count := func() bool {
			if step++; step > stop {
				cancel()
			}
			return false
		}
		_, _, err := s.Try(ctx, open(t, s, dir), importing.Options{
			Fetcher: fetcher(t), Publish: true, Progress: func(int64, int64, string) { count() }, Between: count,
		})
		cancel()
		if err != nil { // the number of steps depends on the time that transactions take
			stopped++
		}
		s.Import(t, open(t, s, dir), importing.Options{Fetcher: fetcher(t), Publish: true})
		require.Equal(t, whole.Dump(t), s.Dump(t), stop)
	}
	require.Positive(t, stopped)
}

func TestFilesOutside(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	write(t, dir, map[string]string{"inside/schema.yaml": site["schema.yaml"], "inside/media.jsonl": `{"file":"../../secret.png"}`, "secret.png": ""})
	report, rows := s.Import(t, open(t, s, filepath.Join(dir, "inside")), importing.Options{})
	require.EqualValues(t, 1, report.Files.Listed)
	require.Equal(t, importing.LostFile, rows[0].What)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "inside", "media"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(dir, "secret.png"), filepath.Join(dir, "inside", "media", "link.png")))
	_, _, err := s.Try(t.Context(), open(t, s, filepath.Join(dir, "inside")), importing.Options{})
	require.ErrorContains(t, err, "is not a file")
}

func TestDefinitionsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	write(t, dir, map[string]string{"schema.yaml": site["schema.yaml"]})
	s.Import(t, open(t, s, dir), importing.Options{})
	before := string(s.Known(t).Text())
	write(t, dir, map[string]string{"schema.yaml": strings.Replace(site["schema.yaml"], "name: Authors", "name: People", 1)})
	report, _ := s.Import(t, open(t, s, dir), importing.Options{})
	require.Empty(t, report.Definitions)
	write(t, dir, map[string]string{"schema.yaml": strings.Replace(site["schema.yaml"], "type: number", "type: text", 1)})
	_, _, err := s.Try(t.Context(), open(t, s, dir), importing.Options{})
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "cannot_change", fault.Code)
	require.Equal(t, core.FieldError{Location: "collections.articles.fields.rating", Message: "is number in the project, and text here"}, fault.Fields[0])
	require.Equal(t, before, string(s.Known(t).Text()))
}

// TestWordsOfFiles imports later words of files, those of files that a person has described here, and of files with the
// same bytes.
func TestWordsOfFiles(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	picture := string(importtest.Picture(t, 5))
	write(t, dir, map[string]string{"schema.yaml": site["schema.yaml"], "media/a.png": picture, "media/b.png": picture, "media/c.png": string(importtest.Picture(t, 6))})
	items := func() map[string]core.MediaItem {
		found, err := s.Stores.Media.Following(t.Context(), s.Project.ID, 0, 10)
		require.NoError(t, err)
		byName := map[string]core.MediaItem{}
		for _, item := range found {
			byName[item.FileName] = item
		}
		require.Len(t, byName, 2)
		return byName
	}
	imported := func(alt, other string, opts importing.Options) (listed []string) {
		write(t, dir, map[string]string{"media.jsonl": `{"file":"a.png","alt":"` + alt + `","caption":"Square","tags":["one"]}
{"file":"b.png","alt":"` + other + `"}
{"file":"c.png"}
`})
		report, rows := s.Import(t, open(t, s, dir), opts)
		require.Equal(t, importing.Counts{In: 3, Out: 3}, report.Files)
		for _, row := range rows {
			require.Equal(t, importing.LostPart, row.What)
			listed = append(listed, row.ID+" "+row.Reason+" "+string(row.Value))
		}
		return listed
	}
	same := `b.png has the same bytes as media a.png, whose words it has here {"alt":"Another"}`
	described := func() core.MediaItem {
		all := items()
		require.Empty(t, all["c.png"].Caption+all["c.png"].Alt)
		if item, ok := all["b.png"]; ok { // it came first to the library
			return item
		}
		return all["a.png"]
	}
	require.Equal(t, []string{same}, imported("A square", "Another", importing.Options{}))
	require.Equal(t, "A square", described().Alt)
	before := described()
	require.Equal(t, []string{same}, imported("A square", "Another", importing.Options{}))
	require.Equal(t, before, described())
	require.Empty(t, imported("A red square", "", importing.Options{}))
	require.Equal(t, "A red square", described().Alt)
	require.Equal(t, []string{"one"}, described().Tags)

	edited := described()
	edited.Caption = "By a person"
	require.NoError(t, s.Stores.Media.Update(t.Context(), &edited))
	left := `a.png its words were changed here since, and are left as they are {"alt":"A blue square","caption":"Square","tags":["one"]}`
	require.Equal(t, []string{left, same}, imported("A blue square", "Another", importing.Options{}))
	require.Equal(t, edited, described())
	require.Equal(t, []string{same}, imported("A blue square", "Another", importing.Options{Overwrite: true}))
	require.Equal(t, "A blue square Square", described().Alt+" "+described().Caption)

	long := strings.Repeat("a", 501)
	require.Equal(t, []string{`a.png its words are not valid: must have at most 500 characters {"alt":"` + long + `","caption":"Square","tags":["one"]}`}, imported(long, "", importing.Options{}))
	require.Equal(t, "A blue square", described().Alt)
	imported("A green square", "", importing.Options{})
	require.Equal(t, "A green square", described().Alt)
}
