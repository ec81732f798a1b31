package wordpress_test

import (
	"context"
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
	"imprimatur/app/importing/wordpress"
	"imprimatur/core"
	"imprimatur/core/definition/schema"
	"imprimatur/core/query"
	"imprimatur/test/importtest"
)

const exported = "testdata/site.xml"

func fetcher(t testing.TB) importtest.Fetcher {
	return importtest.Fetcher{
		"https://notes.example/wp-content/uploads/2020/01/pier.png": importtest.Picture(t, 1),
		"https://notes.example/wp-content/uploads/2018/loose.png":   importtest.Picture(t, 2),
	}
}

func open(t testing.TB, s *importtest.Site, file string) *importing.Mapped {
	t.Helper()
	source := survey(t, file, "")
	return importing.NewMapped(source, importing.MappingOf(source, s.Project, s.Known(t)), s.Project, s.Known(t))
}

func survey(t testing.TB, file, media string) *wordpress.Source {
	t.Helper()
	source, err := wordpress.Open(t.Context(), file, media)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, source.Close()) })
	return source
}

func text(e core.Entry, field string) string {
	var found string
	_ = json.Unmarshal(e.Draft.Value(field), &found)
	return found
}

func TestSite(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	report, rows := s.Import(t, open(t, s, exported), importing.Options{Fetcher: fetcher(t), Publish: true})
	var listed []string
	for _, row := range rows {
		listed = append(listed, row.Kind+" "+row.ID+" "+row.What+" "+row.Field+": "+row.Reason)
		require.NotContains(t, string(row.Value), "sesame")
		require.NotContains(t, string(row.Value), "k-123")
		require.NotContains(t, string(row.Value), "reader@")
	}
	slices.Sort(listed)
	want, err := os.ReadFile("testdata/listed.txt")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), strings.Join(listed, "\n"))
	require.Equal(t, &importing.Counts{In: 7, Out: 5, Listed: 2}, report.Kinds["post"])
	want, err = os.ReadFile("testdata/dump.txt")
	require.NoError(t, err)
	before := s.Dump(t)
	require.Equal(t, strings.TrimSpace(string(want)), before)

	former := func() []query.FormerSlug {
		posts := core.Schema{Collections: s.Collections(t)}.BySlug("posts")
		slugs, err := s.Stores.Publications.FormerSlugs(t.Context(), query.FormerQuery{
			ProjectID: s.Project.ID, CollectionID: posts.ID, Field: posts.SlugField(), Limit: 10,
		})
		require.NoError(t, err)
		return slugs
	}
	tugs := s.Entry(t, "posts", "en", "slug", "tugs")
	old := []query.FormerSlug{{SlugIn: query.SlugIn{Locale: "en", Slug: "tug-boats"}, EntryID: tugs.ID, Present: "tugs"}}
	require.Equal(t, old, former())

	report, _ = s.Import(t, open(t, s, exported), importing.Options{Fetcher: fetcher(t), Publish: true})
	require.Equal(t, old, former())
	for name, w := range report.Collections {
		require.Zero(t, w.Created+w.Updated, name)
	}
	require.Equal(t, before, s.Dump(t))
}

// outside is a post as read.mjs reads it.
type outside struct {
	ID, Type, Status, Title, Slug string
	Terms, Words, Links, Pictures []string
}

// TestReadersSeeTheSame compares what was imported with what another program reads in the export.
func TestReadersSeeTheSame(t *testing.T) {
	t.Parallel()
	b := newBlog(7, 120, 12)
	file := b.export(t, "blog.xml")
	output, err := exec.CommandContext(t.Context(), "node", "testdata/read.mjs", file).Output()
	require.NoError(t, err)
	var posts []outside
	require.NoError(t, json.Unmarshal(output, &posts))
	s := importtest.New(t)
	report, rows := s.Import(t, open(t, s, file), importing.Options{Fetcher: b.fetcher(t), Publish: true})
	for _, row := range rows {
		require.Equal(t, importing.LostMarkup, row.What, row) // the classes of pictures
	}
	require.EqualValues(t, 12, report.Files.Out)
	entries := map[string]core.Entry{}
	for _, slug := range []string{"posts", "pages"} {
		for _, e := range s.Entries(t, slug) {
			entries[text(e, "slug")] = e
		}
	}
	compared := 0
	for _, p := range posts {
		if p.Type == "attachment" {
			continue
		}
		compared++
		e := entries[p.Slug]
		require.Equal(t, p.Title, strings.Join(strings.Fields(text(e, "title")), " "))
		require.Equal(t, p.Status == "publish", e.Published != nil, p.Slug)
		require.Equal(t, p.Words, wordsOf(text(e, "body")), p.Slug)
		require.Len(t, p.Links, strings.Count(text(e, "body"), "data-entry="), p.Slug)
		require.Len(t, p.Pictures, strings.Count(text(e, "body"), "data-media="), p.Slug)
		if e.Published != nil {
			require.Equal(t, string(e.Draft), string(e.Published))
		}
		require.Equal(t, len(p.Terms), len(core.ReferenceIDs(json.RawMessage(e.Draft.Value("categories")))), p.Slug)
	}
	require.Equal(t, 120, compared)
}

// wordsOf returns the words of rich text.
func wordsOf(text string) []string {
	words := []string{}
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return words
		case html.TextToken:
			words = append(words, strings.Fields(tokens.Token().Data)...)
		}
	}
}

// TestLaterExports changes some posts in the source: exactly these change here.
func TestLaterExports(t *testing.T) {
	t.Parallel()
	b, s := newBlog(3, 200, 5), importtest.New(t)
	s.Import(t, open(t, s, b.export(t, "a.xml")), importing.Options{Fetcher: b.fetcher(t)})
	versions := map[int64]int64{}
	for _, slug := range []string{"posts", "pages", "categories"} {
		for _, e := range s.Entries(t, slug) {
			versions[e.ID] = e.Version
		}
	}
	changed := map[string]bool{}
	for _, i := range b.random.Perm(len(b.posts))[:30] {
		b.posts[i].content += "<!-- wp:paragraph --><p>Added</p><!-- /wp:paragraph -->"
		changed[b.posts[i].slug] = true
	}
	report, _ := s.Import(t, open(t, s, b.export(t, "b.xml")), importing.Options{Fetcher: b.fetcher(t)})
	require.EqualValues(t, 30, report.Collections["posts"].Updated+report.Collections["pages"].Updated)
	for _, slug := range []string{"posts", "pages", "categories"} {
		for _, e := range s.Entries(t, slug) {
			require.Equal(t, changed[text(e, "slug")], e.Version != versions[e.ID], text(e, "slug"))
		}
	}
}

// TestKilledImports stops an import at random moments, and begins again.
func TestKilledImports(t *testing.T) {
	t.Parallel()
	b, whole := newBlog(5, 60, 4), importtest.New(t)
	file := b.export(t, "blog.xml")
	steps := 0
	count := func() bool { steps++; return false }
	opts := importing.Options{Fetcher: b.fetcher(t), Publish: true}
	counted := opts
	counted.Progress, counted.Between = func(int64, int64, string) { count() }, count
	whole.Import(t, open(t, whole, file), counted)
	stopped := 0
	for range 20 {
		s, stop := importtest.New(t), b.random.IntN(steps)
		ctx, cancel := context.WithCancel(t.Context())
		step := 0
		stopping := opts
		stopping.Between = func() bool {
			if step++; step > stop {
				cancel()
			}
			return false
		}
		stopping.Progress = func(int64, int64, string) { stopping.Between() }
		_, _, err := s.Try(ctx, open(t, s, file), stopping)
		cancel()
		if err != nil { // the number of steps depends on the time that transactions take
			stopped++
		}
		s.Import(t, open(t, s, file), opts)
		require.Equal(t, whole.Dump(t), s.Dump(t))
	}
	require.Positive(t, stopped)
}

// TestProgress checks what the bar of an import shows of posts that point to each other.
func TestProgress(t *testing.T) {
	t.Parallel()
	b, s := newBlog(11, 300, 4), importtest.New(t)
	for i := range b.posts {
		b.posts[i].kind = "post"
	}
	for i := range b.posts { // a circle of all
		b.write(&b.posts[i])
		b.posts[i].content += `<p><a href="` + link(b.posts[(i+1)%len(b.posts)]) + `">Next</a></p>`
	}
	last := map[string][2]int64{}
	s.Import(t, open(t, s, b.export(t, "blog.xml")), importing.Options{Fetcher: b.fetcher(t), Progress: func(done, total int64, things string) {
		require.True(t, total == 0 || done <= total, "%d of %d %s", done, total, things)
		last[things] = [2]int64{done, total}
	}})
	posts := int64(len(s.Entries(t, "posts")))
	require.Equal(t, [2]int64{4, 4}, last["files"])
	require.Equal(t, [2]int64{posts, posts}, last["entries of posts"])
	circles := last["steps for entries of posts that point to each other"]
	require.Equal(t, circles[0], circles[1])
	require.Positive(t, circles[0])
}

// TestTwoSites imports two exports whose posts have the same ids and slugs.
func TestTwoSites(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	content, err := os.ReadFile(newBlog(1, 5, 0).export(t, "a.xml"))
	require.NoError(t, err)
	for i, site := range []string{"blog.example", "other.example"} {
		file := filepath.Join(t.TempDir(), "a.xml")
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(content), "blog.example", site)), 0o600))
		for range 2 {
			_, rows := s.Import(t, open(t, s, file), importing.Options{})
			for _, row := range rows {
				require.Contains(t, row.Reason, "taken")
			}
			require.Equal(t, 5*(i+1), len(s.Entries(t, "posts"))+len(entriesOf(t, s, "pages")))
		}
	}
}

func entriesOf(t *testing.T, s *importtest.Site, slug string) []core.Entry {
	t.Helper()
	if (core.Schema{Collections: s.Collections(t)}).BySlug(slug) == nil {
		return nil
	}
	return s.Entries(t, slug)
}

func TestMappings(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	source := survey(t, exported, "")
	m := importing.MappingOf(source, s.Project, s.Known(t))
	file := m.Text()
	read, err := importing.ParseMapping(file, source)
	require.NoError(t, err)
	require.Equal(t, string(file), string(read.Text()))

	edited := strings.NewReplacer("ada: Ada Byron", "ada: Countess", "key: posts", "key: articles", "collection: posts", "collection: articles",
		"name: excerpt\n        from: excerpt", "name: lead\n        from: excerpt").Replace(string(file))
	edited = strings.NewReplacer(", posts", ", articles", "[posts", "[articles").Replace(edited)
	read, err = importing.ParseMapping([]byte(edited), source)
	require.NoError(t, err, edited)
	s.Import(t, importing.NewMapped(source, read, s.Project, s.Known(t)), importing.Options{Fetcher: fetcher(t)})
	tugs := s.Entry(t, "articles", "en", "title", "Tugs & pilots")
	require.Equal(t, "Countess", text(tugs, "author"))
	require.Equal(t, "Small, strong boats.", text(tugs, "lead"))

	for change, message := range map[[2]string]string{
		{"from: post\n", "from: posts\n"}:          "the source has no posts",
		{"from: excerpt", "from: summary"}:         "the source has no field summary there",
		{"system: wordpress", "system: ghost"}:     "is a mapping for ghost",
		{"type: richtext", "type: rich"}:           "",
		{"format: 1", "format: 2"}:                 "must be 1",
		{"from: page\n", "from: post\n"}:           "is named twice",
		{"people:", "locales:\n  xx: en\npeople:"}: "is no locale of the source",
	} {
		_, err := importing.ParseMapping([]byte(strings.Replace(string(file), change[0], change[1], 1)), source)
		if message == "" {
			require.NoError(t, err) // the plan of the definitions refuses it
			continue
		}
		var fault *core.Error
		require.ErrorAs(t, err, &fault, change)
		require.Contains(t, fault.Fields[0].Message, message)
	}
}

// TestBadFiles opens files that are no exports, or hostile.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	site, err := os.ReadFile(exported)
	require.NoError(t, err)
	head := `<?xml version="1.0"?><rss><channel>`
	for name, c := range map[string]struct{ content, message string }{
		"empty":          {"", "it has no element rss"},
		"another":        {"<feed></feed>", "its first element is feed"},
		"no XML":         {"{}", "it has no element rss"},
		"entities":       {`<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><title>&b;</title></channel></rss>`, "it declares DOCTYPE"},
		"unknown entity": {head + "<title>&bomb;</title>", "invalid character entity &bomb;"},
		"deep":           {head + strings.Repeat("<a>", 200), "nested more than 100 deep"},
		"encoding":       {`<?xml version="1.0" encoding="ISO-8859-1"?><rss></rss>`, "must be UTF-8"},
		"crossed":        {head + "<item><title>a</item></title>", "it is not XML"},
	} {
		file := filepath.Join(t.TempDir(), "a.xml")
		require.NoError(t, os.WriteFile(file, []byte(c.content), 0o600))
		_, err := wordpress.Open(t.Context(), file, "")
		require.ErrorContains(t, err, c.message, name)
	}
	end := strings.LastIndex(string(site), "</rss>")
	for cut := 1; cut < end; cut += 97 {
		file := filepath.Join(t.TempDir(), "a.xml")
		require.NoError(t, os.WriteFile(file, site[:cut], 0o600))
		_, err := wordpress.Open(t.Context(), file, "")
		require.Error(t, err, cut)
	}
}

// TestOddFiles opens exports that are odd, and valid all the same.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	file := filepath.Join(t.TempDir(), "a.xml")
	odd := "\ufeff" + `<?xml version="1.0"?><rss><channel><unknown:tag>x</unknown:tag>
<item><title>A` + "\x0b\xff" + `B</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:post_date_gmt>0000-00-00 00:00:00</wp:post_date_gmt><wp:post_date>99999</wp:post_date>
<content:encoded><![CDATA[` + strings.Repeat("<div>", 5000) + `x]]></content:encoded></item>
<item><title>No id</title><wp:post_type>post</wp:post_type></item>
<item><title>Parents</title><wp:post_id>2</wp:post_id><wp:post_type>page</wp:post_type><wp:post_name>a</wp:post_name><wp:post_parent>3</wp:post_parent></item>
<item><title>In a circle</title><wp:post_id>3</wp:post_id><wp:post_type>page</wp:post_type><wp:post_name>b</wp:post_name><wp:post_parent>2</wp:post_parent></item>
</channel></rss>`
	require.NoError(t, os.WriteFile(file, []byte(odd), 0o600))
	report, rows := s.Import(t, open(t, s, file), importing.Options{})
	require.Equal(t, &importing.Counts{In: 2, Out: 1, Listed: 1}, report.Kinds["post"])
	require.Equal(t, &importing.Counts{In: 2, Out: 2}, report.Kinds["page"])
	require.NotEmpty(t, rows)
	require.Len(t, s.Entries(t, "pages"), 2)
}

// TestMediaFolder takes files from a folder of uploads.
func TestMediaFolder(t *testing.T) {
	t.Parallel()
	s, dir := importtest.New(t), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "2020", "01"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "2020", "01", "pier.png"), importtest.Picture(t, 1), 0o600))
	source := survey(t, exported, dir)
	report, rows := s.Import(t, importing.NewMapped(source, importing.MappingOf(source, s.Project, s.Known(t)), s.Project, s.Known(t)), importing.Options{})
	require.Equal(t, importing.Counts{In: 3, Out: 1, Listed: 2}, report.Files)
	require.Equal(t, "there is no such file", rows[0].Reason)
}

// TestTakenKeys imports a site into a project that has another collection with the key of one of the site.
func TestTakenKeys(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	file, err := schema.Parse([]byte("format: 1\ncomponents: []\ncollections:\n  - key: pages\n    name: Pages\n    fields:\n      - name: body\n        type: number\n"))
	require.NoError(t, err)
	plan, err := s.Planner.Plan(t.Context(), core.SystemActor, s.Project, file.Text())
	require.NoError(t, err)
	_, err = s.Planner.Apply(t.Context(), core.SystemActor, s.Project, file.Text(), schema.Options{Base: plan.Base})
	require.NoError(t, err)
	for range 2 {
		s.Import(t, open(t, s, exported), importing.Options{Fetcher: fetcher(t)})
		require.Len(t, s.Entries(t, "pages-2"), 3)
		require.Empty(t, s.Entries(t, "pages"))
	}
}
