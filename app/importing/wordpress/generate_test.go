package wordpress_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/importtest"
)

// blog is an export that is made by chance.
type blog struct {
	random   *rand.Rand
	posts    []blogPost
	pictures int
}

type blogPost struct {
	id                            int
	kind, status, title, slug, in string
	content                       string
}

var vocabulary = strings.Fields("harbour fog pilot crane tide rope anchor Größe été 灯台 quay &amp; light &#8212; north swell")

func (b *blog) words(n int) string {
	var out []string
	for range n {
		out = append(out, vocabulary[b.random.IntN(len(vocabulary))])
	}
	return strings.Join(out, " ")
}

// newBlog returns an export of posts that link to each other, and pictures.
func newBlog(seed uint64, posts, pictures int) *blog {
	b := &blog{random: rand.New(rand.NewPCG(seed, 1)), pictures: pictures} //nolint:gosec // no secret
	for i := range posts {
		p := blogPost{id: 1000 + i, kind: "post", status: "publish", title: b.words(4), slug: fmt.Sprintf("post-%d", i), in: fmt.Sprintf("cat-%d", i%7)}
		switch b.random.IntN(10) {
		case 0:
			p.status = "draft"
		case 1:
			p.kind = "page"
		}
		b.posts = append(b.posts, p)
	}
	for i := range b.posts {
		b.write(&b.posts[i])
	}
	return b
}

func (b *blog) write(p *blogPost) {
	var out strings.Builder
	for range 2 + b.random.IntN(4) {
		switch b.random.IntN(5) {
		case 0:
			to := b.posts[b.random.IntN(len(b.posts))]
			fmt.Fprintf(&out, "<!-- wp:paragraph -->\n<p>%s <a href=\"%s\">%s</a></p>\n<!-- /wp:paragraph -->\n\n", b.words(5), link(to), b.words(2))
		case 1:
			if b.pictures > 0 {
				n := b.random.IntN(b.pictures)
				fmt.Fprintf(&out, "<!-- wp:image {\"id\":%d} -->\n<figure class=\"wp-block-image\"><img src=\"%s\" alt=\"\" class=\"wp-image-%d\"/></figure>\n<!-- /wp:image -->\n\n", 1+n, picture(n), 1+n)
			}
		case 2:
			fmt.Fprintf(&out, "<!-- wp:list -->\n<ul><li>%s</li><li><strong>%s</strong></li></ul>\n<!-- /wp:list -->\n\n", b.words(3), b.words(3))
		default:
			fmt.Fprintf(&out, "<!-- wp:paragraph -->\n<p>%s</p>\n<!-- /wp:paragraph -->\n\n", b.words(30))
		}
	}
	p.content = out.String()
}

func link(p blogPost) string {
	if p.kind == "page" {
		return "https://blog.example/" + p.slug + "/"
	}
	return "https://blog.example/2020/" + p.slug + "/"
}

func picture(n int) string { return fmt.Sprintf("https://blog.example/wp-content/uploads/p/%d.png", n) }

// export writes the blog as a file.
func (b *blog) export(t testing.TB, name string) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Blog</title><wp:base_blog_url>https://blog.example</wp:base_blog_url>` + "\n")
	for n := range b.pictures {
		fmt.Fprintf(&out, "<item><title>%d</title><wp:post_id>%d</wp:post_id><wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status><wp:attachment_url>%s</wp:attachment_url></item>\n", n, 1+n, picture(n))
	}
	for _, p := range b.posts {
		fmt.Fprintf(&out, "<item><title>%s</title><link>%s</link><wp:post_id>%d</wp:post_id><wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt><wp:post_name>%s</wp:post_name><wp:status>%s</wp:status><wp:post_type>%s</wp:post_type><content:encoded><![CDATA[%s]]></content:encoded>",
			p.title, link(p), p.id, p.slug, p.status, p.kind, p.content)
		if p.kind == "post" {
			fmt.Fprintf(&out, `<category domain="category" nicename="%s"><![CDATA[%s]]></category>`, p.in, p.in)
		}
		out.WriteString("</item>\n")
	}
	out.WriteString("</channel></rss>\n")
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o600))
	return file
}

func (b *blog) fetcher(t testing.TB) importtest.Fetcher {
	f := importtest.Fetcher{}
	for n := range b.pictures {
		f[picture(n)] = importtest.Picture(t, n)
	}
	return f
}
