package markdown

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// sanitised returns rich text as writes store it, or a fault.
func sanitised(text string) (stored, fault string) {
	value, fault := fieldtype.Of("richtext").Check(canonical.Quote(text))
	if fault != "" {
		return "", fault
	}
	stored, _ = canonical.Text(value)
	return stored, ""
}

// What editors and importers store is readable as Markdown, and comes back to the byte.
func TestExamples(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		``:                                            ``,
		`<p>a</p><p>b</p>`:                            "a\n\nb",
		"<p>a\nb<br>c</p>":                            "a\nb\\\nc",
		`<h1>a</h1><h6>b</h6><hr><p>c</p>`:            "# a\n\n###### b\n\n---\n\nc",
		`<ul><li>a</li><li>b</li></ul>`:               "- a\n- b",
		`<ul><li>a<ul><li>b</li></ul></li></ul>`:      "- a\n  - b",
		`<ul><li><p>a</p></li></ul>`:                  "<ul><li><p>a</p></li></ul>",
		`<ul><li><p>a</p></li><li><p>b</p></li></ul>`: "- a\n\n- b",
		`<ul><li><p>a</p><p>b</p></li></ul>`:          "- a\n\n  b",
		`<ol start="9"><li>a</li><li>b</li></ol>`:     "9. a\n10. b",
		`<ul><li>a</li></ul><ul><li>b</li></ul><ul><li>c</li></ul>`:                             "- a\n\n* b\n\n- c",
		`<ol><li>a</li></ol><ol><li>b</li></ol>`:                                                "1. a\n\n1) b",
		`<blockquote><p>a</p><ul><li>b</li></ul></blockquote><blockquote><p>c</p></blockquote>`: "> a\n>\n> - b\n\n> c",
		`<pre><code class="language-go">x &lt; y

z
</code></pre>`: "```go\nx < y\n\nz\n\n```",
		`<ol><li><p>a</p><pre><code>b

c</code></pre></li><li><p>d</p></li></ol>`: "1. a\n\n   ```\n   b\n\n   c\n   ```\n\n2. d",
		"<pre><code>```\na</code></pre>":                                                                      "````\n```\na\n````",
		`<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>`:                                        "**a** _b_ ~~c~~ `d`",
		`<p><strong><em>a</em></strong>, <em>b<strong>c</strong></em></p>`:                                    "**_a_**, _b**c**_",
		`<p>un<em>believ</em>able x<strong>y</strong>z</p>`:                                                   "un*believ*able x**y**z",
		`<p>a<strong>, b</strong></p>`:                                                                        "a<strong>, b</strong>",
		`<p><a href="/a_b?c=1&amp;d=2" title="&#34;t&#34;">a</a> <a href="https://example.org/(x)">b</a></p>`: `[a](/a_b?c=1&d=2 "\"t\"") [b](https://example.org/\(x\))`,
		`<p><img src="/x.png" alt="a [b]"></p>`:                                                               `![a \[b\]](/x.png)`,
		`<p><img data-media="12" alt="a" width="4"> a</p>`:                                                    `<img data-media="12" alt="a" width="4"> a`,
		`<img data-media="12" alt="a">`:                                                                       `<img data-media="12" alt="a">`,
		`<p>H<sub>2</sub>O, <a data-entry="5">x</a>, <span lang="fr">oui</span></p>`:                          `H<sub>2</sub>O, <a data-entry="5">x</a>, <span lang="fr">oui</span>`,
		`<p id="x">a</p>`: `<p id="x">a</p>`,
		`<figure><img src="/x.png" alt="x"><figcaption>a</figcaption></figure>`: `<figure><img src="/x.png" alt="x"><figcaption>a</figcaption></figure>`,
		"<details><summary>a</summary><p>b\nc</p></details>":                    "<details><summary>a</summary><p>b&#10;c</p></details>",
		`<hgroup><h1>a</h1></hgroup>`:                                           `<!----><hgroup><h1>a</h1></hgroup>`,
		`<ins><p>a</p></ins>`:                                                   `<!----><ins><p>a</p></ins>`,
		`<table><thead><tr><th>a</th><th align="right">b</th></tr></thead><tbody><tr><td>c|d</td><td align="right"><strong>1</strong></td></tr></tbody></table>`: "| a | b |\n| --- | --: |\n| c\\|d | **1** |",
		`<table><tbody><tr><td colspan="2">a</td></tr></tbody></table>`:                                                                                          `<table><tbody><tr><td colspan="2">a</td></tr></tbody></table>`,
		`<p># a * b _ c_d [e] &lt;f&gt; ~ ` + "`" + ` \ &amp;amp; &amp; 1. &#34;x&#34; it&#39;s!</p>`:                                                            "\\# a \\* b \\_ c_d \\[e\\] \\<f> \\~ \\` \\\\ &amp;amp; & 1. \"x\" it's\\!",
		"<p>1. a\n- b\n+ c\n12) d\n= e\n&gt; f\n3.5\n-5</p>":                                                                                                     "1\\. a\n\\- b\n\\+ c\n12\\) d\n\\= e\n\\> f\n3.5\n-5",
		`<p> a  b </p>`:              "&#32;a  b&#32;",
		`<p></p><p>a</p><p><br></p>`: "<p></p>\n\na\n\n<p><br></p>",
	} {
		same, fault := sanitised(stored)
		require.Empty(t, fault, stored)
		require.Equal(t, stored, same)
		markdown := FromHTML(stored)
		assert.Equal(t, want, markdown)
		back, fault := ToHTML(markdown)
		assert.Empty(t, fault)
		assert.Equal(t, stored, back)
	}
}

// Text outside of blocks becomes a paragraph, and white space between blocks is lost.
func TestWhatChanges(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		"Second week":                                                   "<p>Second week</p>",
		"a<br>b <b>c</b>\n<p>d</p>\ne":                                  "<p>a<br>b <b>c</b></p><p>d</p><p>e</p>",
		"<p>a</p>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n":               "<p>a</p><ul><li>b</li><li>c</li></ul>",
		"<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table>": "<table><thead><tr><th>a</th></tr></thead></table>",
		"<div>\n<p>a</p>\n</div>":                                       "<div>\n<p>a</p>\n</div>",
	} {
		back, fault := ToHTML(FromHTML(stored))
		assert.Empty(t, fault)
		assert.Equal(t, want, back)
	}
}

// Markdown as assistants write it.
func TestToHTML(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"# A\n\nb *c* __d__ ~~e~~\nf  \ng": `<h1>A</h1><p>b <em>c</em> <strong>d</strong> <s>e</s>` + "\nf<br>g</p>",
		"- a\n- b\n\n1. c\n2. d":           `<ul><li>a</li><li>b</li></ul><ol><li>c</li><li>d</li></ol>`,
		"* a\n\n* b":                       `<ul><li><p>a</p></li><li><p>b</p></li></ul>`,
		"```go\nx\n```\n\n    y":           `<pre><code class="language-go">x</code></pre><pre><code>y</code></pre>`,
		"|a|b|\n|:-|-|\n|c|":               `<table><thead><tr><th align="left">a</th><th>b</th></tr></thead><tbody><tr><td align="left">c</td><td></td></tr></tbody></table>`,
		"[a][1] <https://example.org/?a=1&b=2> <a@example.org>\n\n[1]: /x 'T'": `<p><a href="/x" title="T">a</a> <a href="https://example.org/?a=1&amp;b=2">https://example.org/?a=1&amp;b=2</a> <a href="mailto:a@example.org">a@example.org</a></p>`,
		"<div>\n\n*a*\n\n</div>":              `<div><p><em>a</em></p></div>`,
		"a <kbd>b</kbd> &copy; &notit; &#65;": `<p>a <kbd>b</kbd> © &amp;notit; A</p>`,
		"Title\n===\n\n> a\nb\n\n***":         "<h1>Title</h1><blockquote><p>a\nb</p></blockquote><hr>",
	} {
		got, fault := ToHTML(markdown)
		assert.Empty(t, fault)
		assert.Equal(t, want, got)
	}
}

// Nothing that the sanitiser removes from HTML passes in Markdown.
func TestCanaries(t *testing.T) {
	t.Parallel()
	for _, markdown := range []string{
		"<script>alert(1)</script>", "a <script>alert(1)</script>", `<img src=x onerror="alert(1)">`, "[a](javascript:alert(1))", "[a](JaVaScRiPt&#58;alert(1))", "<javascript:alert(1)>",
		"[a]\n\n[a]: javascript:alert(1)", "<style>p{}</style>", "<iframe src='https://example.org'></iframe>", `[a](/x "\" onclick=\"alert(1)")`, "```\" onclick=\"alert(1)\nx\n```", "<svg><script>alert(1)</script></svg>",
		"<a href=\"javascript&#10;:alert(1)\">a</a>", "<p title=a&#10;onclick=alert(1)>a</p>", "<!----><script>alert(1)</script>", "| <script>alert(1)</script> |\n|---|\n",
	} {
		converted, fault := ToHTML(markdown)
		require.Empty(t, fault)
		stored, fault := sanitised(converted)
		require.Empty(t, fault)
		for _, canary := range []string{"<script", "<style", "<iframe", "<svg", `" onerror=`, `" onclick=`, `="javascript`} {
			assert.NotContains(t, strings.ToLower(stored), canary, markdown)
		}
	}
}

// hostile are texts that take quadratic time or space without bounds.
func hostile(length int) map[string]string {
	repeat := func(text string) string { return strings.Repeat(text, length/len(text)) }
	texts := map[string]string{"wide": strings.Repeat("a|", length/6) + "\n" + strings.Repeat("-|", length/6) + "\n" + strings.Repeat("a\n", length/6), "brackets": strings.Repeat("[", length/2) + strings.Repeat("]", length/2)}
	for _, piece := range []string{
		"*", "*a ", "*a_", "**a*", "[", "[a](", "[a](<b", "![", "[a]", "`a``b", "<", "<a ", "a<!--", "a<?", "a<![CDATA[", "a<!A ", "~a ", ">", "- ", "[a]: b\n", "[a]: b\n\n[a]\n\n", "[a]: b 'c\n", "[a\n", "&", "&aaaa", "\\", "```\n", "a\n",
		"# ", "a|b\n", "-|-\n", "<div>\n\n", "a\t", "(", "[a](b \"", "<a:", "<a@b.", "`\\|`|", "1. ", "<b>",
		strings.Repeat(">", 30) + "a\n", strings.Repeat("*a_", 50) + "\n\n", strings.Repeat("[a](", 100) + "\n\n", strings.Repeat("- ", 15) + "a\n", "|a|\n|-|\n\n", "a\n\n",
	} {
		texts[piece] = repeat(piece)
	}
	return texts
}

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, text := range hostile(200_000) {
		html, fault := ToHTML(text)
		if fault == "" {
			assert.LessOrEqual(t, len(html), 50*len(text), name)
		}
		stored := "<p>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text) + "</p>"
		back, fault := ToHTML(FromHTML(stored))
		assert.Empty(t, fault, name)
		if !strings.HasSuffix(text, "\n\n") { // paragraphs stay one
			assert.Equal(t, len(stored), len(back), name)
		}
	}
	for _, piece := range []string{"<p>a</p>", "<ul><li>a</li></ul>", "<p id=\"a\">b</p>", "<p>a<b>b</b></p>", "<p><em>*</em></p>", "<blockquote><p>a</p></blockquote>", "<br>", "<p>" + strings.Repeat("<em>a</em>", 100) + "</p>", "<p>" + strings.Repeat("<sub>a</sub>", 100) + "</p>"} {
		stored := strings.Repeat(piece, 100_000/len(piece))
		if piece == "<br>" {
			stored = "<div>" + stored + "</div>"
		}
		back, fault := ToHTML(FromHTML(stored))
		assert.Empty(t, fault, piece)
		assert.Equal(t, len(stored), len(back), piece)
	}
	for _, nest := range [][2]string{{"<blockquote>", "</blockquote>"}, {"<ul><li>", "</li></ul>"}, {"<em>", "</em>"}, {"<div>", "</div>"}} {
		stored := strings.Repeat(nest[0], 90) + strings.Repeat("<p>a</p>", 10_000) + strings.Repeat(nest[1], 90)
		back, fault := ToHTML(FromHTML(stored))
		assert.Empty(t, fault)
		assert.Equal(t, len(stored), len(back))
	}
	_, fault := ToHTML(strings.Repeat(">", 1000) + "a")
	assert.NotEmpty(t, fault)
}

// pieces are parts of random rich text.
var pieces = func() []string {
	all := []string{
		"a", " ", "\n", "  ", "\t", "b c", "*", "_", "**", "~", "`", "``", "[", "](", ")", "!", "#", "# ", "- ", "1. ", "+ ", "> ", "=", "---", "|", "\\", "\\\\", "&amp;", "&amp;lt;", "&lt;", "&gt;", "&#39;", "&#34;", "é", "日本", "“", "\u00a0", "👩‍👩‍👧", "&amp;#10;", "&#13;", "1)", ":", "://",
		"<br>", "<br/>", "<hr>", "<wbr>", `<img src="/x.png" alt="a*b">`, `<img src="/x.png" alt="[a]" title="&#34;b">`, `<img data-media="5" alt="x">`, `<a href="/x">`, `<a href="https://example.org/a_(b)?c=1&amp;d;=*2*">`, `<a href="#">`, `<a href="">`, `<a data-entry="5">`,
		`<a href="/x" title="a&#10;b &#34;c&#34;">`, `<p id="x">`, `<p dir="rtl">`, `<span lang="fr">`, `<ol start="5">`, `<ol reversed="">`, `<td align="left">`, `<th align="center">`, `<td colspan="2">`, `<pre><code class="language-go">`, `</code></pre>`, "<pre><code>", `<time datetime="2026-W12">`,
	}
	for _, name := range strings.Fields("p div b i strong em s u code sub sup mark a ul ol li table tbody thead tr td th h1 h3 pre blockquote span dl dt dd figure figcaption details summary hgroup ins del kbd caption ruby rt") {
		all = append(all, "<"+name+">", "</"+name+">")
	}
	for _, name := range strings.Fields("p p strong em s code li ul ol blockquote h2 td th tr") { // these are the ones that Markdown has
		all = append(all, "<"+name+">", "</"+name+">", "<"+name+">a</"+name+">")
	}
	return append(all, "<ul><li>a</li><li>b</li></ul>", "<ol><li><p>a</p><p>b</p></li></ol>", "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>", "</td><td>b</td></tr></tbody></table>", "<pre><code>a\n\n b\n</code></pre>")
}()

// loses reports whether rich text has text outside of blocks, or white space between blocks.
func loses(stored string) bool {
	nodes, _ := parse(stored)
	var whole strings.Builder
	for _, block := range topLevel(nodes) {
		whole.WriteString(block.whole)
	}
	return whole.String() != stored
}

// Any stored rich text comes back to the byte, but for text outside of blocks and for white space between blocks.
func TestLossless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		given := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 25).Draw(rt, "pieces"), "")
		checkLossless(rt, given)
		checkLossless(rt, "<p>"+given+"</p>")
	})
}

// failing is a test that can fail.
type failing interface {
	Fatalf(format string, arguments ...any)
}

func checkLossless(t failing, given string) {
	stored, fault := sanitised(given)
	if fault != "" {
		return
	}
	markdown := FromHTML(stored)
	converted, fault := ToHTML(markdown)
	if fault != "" {
		t.Fatalf("%q as %q: %s", stored, markdown, fault)
	}
	back, fault := sanitised(converted)
	if fault != "" {
		t.Fatalf("%q as %q: %s", stored, markdown, fault)
	}
	if !loses(stored) && back != stored {
		t.Fatalf("%q as %q is %q", stored, markdown, back)
	}
	text := func(html string) string {
		return strings.Join(strings.Fields(fieldtype.Of("richtext").Searched(html)), "") // a paragraph separates words
	}
	if text(back) != text(stored) {
		t.Fatalf("%q as %q is %q", stored, markdown, back)
	}
	if again := FromHTML(back); again != markdown {
		t.Fatalf("%q is %q and then %q", stored, markdown, again)
	}
}

// Markdown of any form becomes rich text that comes back to the byte.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range hostile(300) {
		f.Add(seed)
	}
	for _, seed := range []string{"- a\n\n  b\n- c", "> - a\n>\n> 1. b", "***a** b*", "<div>\n*a*\n\n*b*", "|a|\n|-|\n|`\\|`|", "a\\\nb", "[a]: <x y> 'z'\n[a]", "\x00\xff", "<!---->&#10;a", "\t- a\n\t\tb", "~~~\n<b\n~~~", "a&#0;&#x110000;b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		if converted, fault := ToHTML(markdown); fault == "" && json.Valid(canonical.Quote(converted)) {
			checkLossless(t, converted)
		}
	})
}
