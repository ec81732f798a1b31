package wordpress_test

import (
	"bufio"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/importing"
	"imprimatur/app/importing/wordpress"
	"imprimatur/core"
	"imprimatur/core/transfer"
	"imprimatur/test/importtest"
)

var (
	exportBytes = flag.Int64("export", 24<<20, "bytes of the export of TestLargeExports")
	postBytes   = flag.Int("post", 6<<20, "bytes of the longest post of TestLargeExports")
)

const exportHead = `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><wp:base_blog_url>https://blog.example</wp:base_blog_url>` + "\n"

// written writes an export and returns its path.
func written(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "export.xml")
	require.NoError(t, os.WriteFile(file, []byte(exportHead+content+"</channel></rss>"), 0o600))
	return file
}

// TestLargeExports imports an export that is mostly old revisions, with a post that is longer than an entry may be.
// The flags make it as large as those of large sites.
func TestLargeExports(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "export.xml")
	file, err := os.Create(name)
	require.NoError(t, err)
	out := bufio.NewWriterSize(file, 1<<20)
	_, _ = out.WriteString(exportHead)
	paragraph := "<!-- wp:paragraph --><p>" + strings.Repeat("Ships and harbours. ", 50) + "</p><!-- /wp:paragraph -->\n"
	post := func(id int, kind string, bytes int) int64 {
		n, _ := fmt.Fprintf(out, "<item><title>Post %d</title><wp:post_id>%d</wp:post_id><wp:post_name>post-%d</wp:post_name><wp:status>publish</wp:status>"+
			"<wp:post_type>%s</wp:post_type><content:encoded><![CDATA[%s]]></content:encoded></item>\n", id, id, id, kind, strings.Repeat(paragraph, bytes/len(paragraph)+1))
		return int64(n)
	}
	size := post(1, "post", 2000) + post(2, "post", *postBytes)
	revisions := int64(0)
	for ; size < *exportBytes; revisions++ {
		size += post(int(3+revisions), "revision", 200_000)
	}
	_, _ = out.WriteString("</channel></rss>")
	require.NoError(t, out.Flush())
	require.NoError(t, file.Close())

	s := importtest.New(t)
	report, rows := s.Import(t, open(t, s, name), importing.Options{Publish: true})
	require.Equal(t, &importing.Counts{In: 2, Out: 2}, report.Kinds["post"])
	require.Equal(t, &importing.Counts{In: revisions, Listed: revisions}, report.Kinds["revision"])
	require.Len(t, s.Entries(t, "posts"), 2)
	require.Empty(t, text(s.Entry(t, "posts", "en", "slug", "post-2"), "body"))
	long := rows[0]
	require.Equal(t, []string{"2", "content", importing.LostValue}, []string{long.ID, long.Field, long.What})
	require.Greater(t, len(long.Value), transfer.MaxLine)
}

// TestEndlessElements opens exports with an element or a text without end. The files have no blocks on the disk.
func TestEndlessElements(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"text between elements": exportHead,
		"title":                 exportHead + "<item><title>",
		"attribute":             exportHead + `<item a="`,
	} {
		file := filepath.Join(t.TempDir(), "export.xml")
		require.NoError(t, os.WriteFile(file, []byte(head), 0o600))
		require.NoError(t, os.Truncate(file, 2<<30))
		_, err := wordpress.Open(t.Context(), file, "")
		require.ErrorContains(t, err, "an element is longer than 64 MB", name)
	}
}

// TestHostileSite imports a site with much that is wrong: each thing is listed, or becomes something valid.
func TestHostileSite(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	picture := "data:image/png;base64," + base64.StdEncoding.EncodeToString(importtest.Picture(t, 1))
	item := func(id, slug, more, content string) string {
		return "<item><title>Title " + id + "</title><wp:post_id>" + id + "</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_name>" +
			slug + "</wp:post_name>" + more + "<content:encoded><![CDATA[" + content + "]]></content:encoded></item>\n"
	}
	gmt := func(date string) string { return "<wp:post_date_gmt>" + date + "</wp:post_date_gmt>" }
	file := written(t, item("1", "%f0%9f%9a%a2-boats", gmt("0000-00-00 00:00:00"), `<p>A <img src="`+picture+`" alt="drawn"> b</p>`)+
		item("2", "%f0%9f%9a%a2", gmt("0001-01-01 00:00:00"), `<p><a href="https://blog.example/?p=99">Nowhere</a> <a href="https://blog.example/?p=1">Boats</a></p>`)+
		item("2", "twice", "", "<p>The second</p>")+
		item("3", "x%00y", gmt("9999-12-31 23:59:59")+`<nowhere:tag a:b="c">x</nowhere:tag><wp:post_parent>3</wp:post_parent>`, "<script>alert(1)</script><p onclick='x'>Kept</p>")+
		item("4", strings.Repeat("a", 3000), "<wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>77</wp:meta_value></wp:postmeta>", "<p>Long</p>"))
	report, rows := s.Import(t, open(t, s, file), importing.Options{Fetcher: importtest.Fetcher{}, Publish: true})
	require.Equal(t, &importing.Counts{In: 5, Out: 4, Listed: 1}, report.Kinds["post"])
	entries := map[string]core.Entry{}
	for _, e := range s.Entries(t, "posts") {
		entries[text(e, "title")] = e
		require.NotContains(t, string(e.Draft), "base64")
		require.NotContains(t, string(e.Draft), "alert")
		require.NotContains(t, string(e.Draft), "onclick")
	}
	require.Equal(t, "boats", text(entries["Title 1"], "slug"))
	require.Equal(t, "title-2", text(entries["Title 2"], "slug"))
	require.Contains(t, text(entries["Title 2"], "body"), `>Nowhere</a>`)
	require.Contains(t, text(entries["Title 2"], "body"), `data-entry="`)
	require.NotContains(t, text(entries["Title 2"], "body"), "second")
	var reasons []string
	for _, row := range rows {
		reasons = append(reasons, row.ID+" "+row.Field+": "+row.Reason)
	}
	for _, want := range []string{
		"1 slug: has become boats", "2 slug: is not a slug", "2 : another post of the export has the same id",
		"3 slug: has become x-y", "4 thumbnail: there is no such attachment",
	} {
		require.Contains(t, reasons, want)
	}
}

// TestAttachmentsWithoutAPlace imports attachments that have no id, that of another post, or are in the trash.
func TestAttachmentsWithoutAPlace(t *testing.T) {
	t.Parallel()
	s := importtest.New(t)
	attachment := func(id, name, more string) string {
		return "<item><title>" + name + "</title><wp:post_id>" + id + "</wp:post_id><wp:post_type>attachment</wp:post_type><wp:attachment_url>https://blog.example/" +
			name + "</wp:attachment_url>" + more + "</item>"
	}
	file := written(t, attachment("1", "a.png", "")+attachment("1", "b.png", "")+attachment("", "c.png", "")+attachment("2", "d.png", "<wp:status>trash</wp:status>"))
	report, rows := s.Import(t, open(t, s, file), importing.Options{Fetcher: importtest.Fetcher{"https://blog.example/a.png": importtest.Picture(t, 1)}})
	require.Equal(t, importing.Counts{In: 4, Out: 1, Listed: 3}, report.Files)
	var listed []string
	for _, row := range rows {
		listed = append(listed, row.ID+" "+row.Reason+" "+string(row.Value))
	}
	require.ElementsMatch(t, []string{
		`1 another post of the export has the same id "https://blog.example/b.png"`, ` has no id "https://blog.example/c.png"`, `2 is in the trash "https://blog.example/d.png"`,
	}, listed)
}
