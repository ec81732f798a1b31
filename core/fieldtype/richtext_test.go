package fieldtype

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"
)

func TestCleanRichText(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`</div></article><p>x`:                                        `<p>x</p>`,
		`<p>a<p>b`:                                                    `<p>a</p><p>b</p>`,
		`<b><i>a</b>b</i>`:                                            `<b><i>a</i></b>b`,
		`<ul><li>a<li>b</ul>`:                                         `<ul><li>a</li><li>b</li></ul>`,
		`<table><tr><td>a<td>b</table>c`:                              `<table><tr><td>a</td><td>b</td></tr></table>c`,
		`a<br>b<img src="/x.png" alt="x">`:                            `a<br>b<img src="/x.png" alt="x">`,
		`<div><script>alert(1)</div>`:                                 `<div></div>`,
		`don't "say" <`:                                               `don&#39;t &#34;say&#34; &lt;`,
		`<a href="/about">us</a>`:                                     `<a href="/about">us</a>`,
		`<a href="https://example.org/">them</a>`:                     `<a href="https://example.org/">them</a>`,
		`<a href="https://example.org/" rel="nofollow">them</a>`:      `<a href="https://example.org/" rel="nofollow">them</a>`,
		`<a href="tel:+41445550100">call</a>`:                         `<a href="tel:+41445550100">call</a>`,
		`<a href="mailto:a@example.org">write</a>`:                    `<a href="mailto:a@example.org">write</a>`,
		`<a href="javascript:alert(1)">no</a>`:                        `<a>no</a>`,
		`<p onclick="x()">a</p>`:                                      `<p>a</p>`,
		`<div><table><tr><td></div>a</td></tr></table>b</div>c`:       `<div><table><tr><td>a</td></tr></table>b</div>c`,
		`<p>a<b>b<p>c`:                                                `<p>a<b>b</b></p><p>c</p>`,
		`<p>a<ul><li>b`:                                               `<p>a</p><ul><li>b</li></ul>`,
		`<dl><dt>a<dd><p>b<dt>c</dl>`:                                 `<dl><dt>a</dt><dd><p>b</p></dd><dt>c</dt></dl>`,
		`<ul><li>a<ul><li>b</ul><li>c</ul>`:                           `<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>`,
		`<table><thead><tr><th>a<tbody><tr><td><p>b<tr><td>c</table>`: `<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><p>b</p></td></tr><tr><td>c</td></tr></tbody></table>`,
		`<h1>a<h2>b`:                                                  `<h1>a</h1><h2>b</h2>`,
		`<a href="/a">a<a href="/b">b`:                                `<a href="/a">a</a><a href="/b">b</a>`,
		"<pre>\n\na</pre>":                                            "<pre>\n\na</pre>",
	} {
		got, message := cleanRichText(given)
		require.Empty(t, message, given)
		require.Equal(t, want, got, given)
	}
	_, message := cleanRichText(strings.Repeat("<div>", 10_000))
	require.Equal(t, "must not nest deeper than 200 elements", message)
}

// Ordinary markup is stored as it was written.
func TestRichTextKeepsMarkup(t *testing.T) {
	t.Parallel()
	const words = `Why? “Yes” : &amp; % &#34; # ; + = * … é 👩‍👩‍👧 &#39;x&#39; &lt;b&gt; 日本`
	for _, text := range []string{
		`<figure id="fig:1"><img src="/x.png" alt="x"><figcaption>A <small>b</small></figcaption></figure>`,
		`<p>Press <kbd>Ctrl</kbd>, H<sub>2</sub>O, m<sup>2</sup>, <mark>m</mark>, <abbr title="a; b">AB</abbr>, <u>u</u>, <s>s</s></p>`,
		`<p><time datetime="2026-W12">spring</time> <time>noon</time> <time datetime="PT4H18M">long</time></p>`,
		`<address lang="de-CH" dir="auto">Bern<br>CH</address>`,
		`<details open=""><summary>More</summary><p>x</p></details>`,
		`<dl><dt>a</dt><dd>b</dd></dl>`,
		`<ol start="5" reversed="" type="a"><li value="-3">x</li></ol>`,
		`<table><caption>c</caption><colgroup><col span="2"></colgroup><thead><tr><th scope="col" colspan="2" id="h.1">h</th></tr></thead>` +
			`<tbody><tr><th scope="row" abbr="a: b">r</th><td rowspan="2" headers="h.1 h:2">d</td></tr></tbody></table>`,
		`<p><a id="§ 4">anchor</a> <a name="_Toc1">old</a> <a>plain</a></p>`,
		`<p id="ü" lang="zh-Hans" dir="rtl" title="` + words + `">x</p>`,
		`<img src="https://example.org/a.png" alt="` + words + `" title="` + words + `">`,
		`<pre><code class="language-c++">a</code></pre>`,
		`<p><a href="webcal://example.org/a.ics">a</a><a href="sms:+41790000000?body=hi">b</a><a href="geo:47.37,8.54;u=35">c</a><a href="tel:+41445550100">d</a><a href="mailto:a@example.org?subject=x">e</a></p>`,
		`<p><del cite="https://example.org/" datetime="2026-01">a</del><ins>b</ins></p>`,
	} {
		got, fault := cleanRichText(text)
		require.Empty(t, fault, text)
		require.Equal(t, text, got)
	}
	for given, want := range map[string]string{
		`<a href="tel:+41 44 555 01 00">x</a>`:                   `<a href="tel:+41%2044%20555%2001%2000">x</a>`,
		"<a href=\" https://example.org/a b\n?q=5%\">x</a>":      `<a href="https://example.org/a%20b?q=5%25">x</a>`,
		"<a href=\"java\tscript:alert(1)\">x</a>":                `<a>x</a>`,
		`<code class="hljs language-go">x</code>`:                `<code class="language-go">x</code>`,
		`<p class="language-go">x</p>`:                           `<p>x</p>`,
		`<code class="x">x</code>`:                               `<code>x</code>`,
		`<p dir="up">x</p>`:                                      `<p>x</p>`,
		`<iframe src="https://example.org"></iframe><p>x</p>`:    `<p>x</p>`,
		`<style>p{}</style><p style="color:red">x</p>`:           `<p>x</p>`,
		`<img src="/x.png" srcset="/y.png 2x" onerror="x()">`:    `<img src="/x.png">`,
		`<a href="data:text/html,x">x</a><a href="blob:x">y</a>`: `<a>x</a><a>y</a>`,
	} {
		got, fault := cleanRichText(given)
		require.Empty(t, fault, given)
		require.Equal(t, want, got, given)
	}
}

// Words that stand apart do not become one word.
func TestWordsStayApart(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`<table><tr><td>text<p>cell</p></td></tr></table>`:        `<table><tr><td>text<p>cell</p></td></tr></table>`,
		`<td>a</td><td>b</td>`:                                    `a b`,
		`<tr><td><b>a</b><td><i>b</i>`:                            `<b>a</b> <i>b</i>`,
		`a<table><tr>b<tr>c</table>d`:                             `a b c<table><tr></tr><tr></tr></table>d`,
		`<main>a</main><header>b</header><nav>c</nav>`:            `<div>a</div><div>b</div><div>c</div>`,
		`<form>a<fieldset><legend>b</legend>c</fieldset></form>d`: `<div>a<div><div>b</div>c</div></div>d`,
		`<select><option>a<option>b</select><CENTER>c</CENTER>`:   `<p>a</p><p>b</p><div>c</div>`,
		`<menu><li>a<li>b</menu><listing>c</listing>`:             `<ul><li>a</li><li>b</li></ul><pre>c</pre>`,
		`a</p>b`:               `a<p></p>b`,
		`<p>a<div>b</div></p>`: `<p>a</p><div>b</div>`,
		`a</br>b`:              `a<br>b`,
		`<div/>a<div/>b`:       `<div>a<div>b</div></div>`,
	} {
		got, fault := cleanRichText(given)
		require.Empty(t, fault, given)
		require.Equal(t, want, got, given)
		var words []string
		for _, word := range []string{"text", "cell", "a", "b", "c", "d"} {
			if strings.Contains(given, ">"+word) && !strings.Contains(given, ">"+word+"e") || strings.HasPrefix(given, word+"<") {
				words = append(words, word)
			}
		}
		require.Subset(t, strings.Fields(plainText(got)), words, given)
	}
}

func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`<p id="a">x</p><p id="b">y</p>`:                                                  `<p id="a">x</p><p id="b">y</p>`,
		`<a href="#a">x</a><p id="a">x</p><p id="a">y</p><p id="A">z</p>`:                 `<a href="#a">x</a><p id="a">x</p><p id="a-2">y</p><p id="A">z</p>`,
		`<p id="a">1</p><p id="a">2</p><p id="a-2">3</p><p id="a">4</p><p id="a-2">5</p>`: `<p id="a">1</p><p id="a-3">2</p><p id="a-2">3</p><p id="a-4">4</p><p id="a-2-2">5</p>`,
		`<p id="§ 4">1</p><p id="§ 4">2</p><p id="">3</p><p id="">4</p>`:                  `<p id="§ 4">1</p><p id="§ 4-2">2</p><p id="">3</p><p id="">4</p>`,
	} {
		got, fault := cleanRichText(given)
		require.Empty(t, fault, given)
		require.Equal(t, want, got, given)
	}
}

func TestPicturesNeedASource(t *testing.T) {
	t.Parallel()
	for source, scheme := range map[string]string{
		"data:image/png;base64,AA": "data", "DATA:image/png;base64,AA": "data", "\tdata:image/png;base64,AA": "data", "da\tta:x": "data", "blob:https://example.org/1": "blob",
		"cid:part1@example.org": "cid", "file:///C:/a.png": "file", "C:\\a.png": "c", "mailto:a@example.org": "mailto", "javascript:x": "javascript",
	} {
		_, fault := cleanRichText(`<p>a</p><img src="` + source + `" alt="x">`)
		require.Equal(t, "has a picture with a "+scheme+": source, which readers cannot load: upload the file to the library", fault, source)
	}
	for _, img := range []string{
		`<img>`, `<img alt="x">`, `<img src="">`, `<img src=" ">`, `<img src="#a">`, `<IMG SRCSET="/a.png 2x">`, `<img data-media="x">`, `<img data-entry="5">`, `<img src="https://">`, `<img src="http://[">`,
	} {
		_, fault := cleanRichText(`<p>a</p>` + img)
		require.Equal(t, noSource, fault, img)
	}
	for _, img := range []string{`<img src="a.png">`, `<img src="//example.org/a.png">`, `<img src="?x">`, `<img src="HTTPS://example.org/a.png">`, `<img data-media="12">`, `<img data-media="12" src="blob:x">`} {
		_, fault := cleanRichText(img)
		require.Empty(t, fault, img)
	}
}

func TestRemovedMarkup(t *testing.T) {
	t.Parallel()
	removed := func(text string) []string {
		raw, _ := json.Marshal(text)
		value, fault := Of("richtext").Check(raw)
		require.Empty(t, fault, text)
		return Of("richtext").Removed(raw, value)
	}
	for text, want := range map[string][]string{
		`don't "say" < <p>a<p>b`: nil,
		`<p style="a">x</p><p style="b">y</p><script>z</script><b style>c`:                                    {"style (3)", "script"},
		`<iframe src="x"></iframe><a href="javascript:x" target="_blank">x</a><o:p></o:p>`:                    {"iframe", "src", "href", "target", "o:p"},
		`<img data-media="12" src="/x.png" alt="a"><a data-entry="5" data-collection="a" data-slug="b">x</a>`: nil,
		`<code class="language-go hljs x">a</code><code class="language-go">b</code>`:                         {"class"},
		`<table><tr><td><font>a`: {"font"},
		`<table><tr><div>a</div>b<td colspan="99999999999999999999" rowspan="2">c`: {"div", "colspan", "text"},
		`<table><tr><td colspan="2" rowspan="0">c</td></tr></table>`:               nil,
		`<p id="a">x</p><p id="a">y</p>`:                                           {"id"},
		`<main>x</main><a href="#">x</a><a href="">y</a><td>z`:                     {"main", "td"},
		`<p>a</p><!--more--><p>b</p><!-- x -->`:                                    {"comment (2)"},
		`<` + strings.Repeat("x", 300) + `>`:                                       {strings.Repeat("x", 40) + "…"},
	} {
		require.Equal(t, want, removed(text), text)
	}
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, "<x%d>", i)
	}
	names := removed(many.String())
	require.Len(t, names, maxRemoved+1)
	require.Equal(t, "70 others", names[maxRemoved])
}

// The stored form of any input is balanced, contains only allowed markup, and is stable
// when saved again.
func TestRichTextIsStable(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", " ", "\n", `<p id="a">`, `<p id="a-2">`, "<a href='#'>", "<a href>", "<td colspan=9999999999999999999>", "<td colspan=1 colspan=2>", "<div/>", "<b/>", "</br>", "<main>", "</main>", "<form>", "<option>", "&amp;", "&lt;p>", "&#39;", "'", `"`, "<", ">", "&", "<!-- c -->", "<br>", "<hr/>", "<img src=/x.png>", "<a href='tel:1 2%'>", "<time>", "<kbd>", "<address>", "<script>x</script>", "<style>", "</style>", "<svg><p>", "</svg>", "<textarea>",
		"<select>", "<option>", "<template>", "<form>", "<math><mi>", "<noscript>", "<plaintext>", "<xmp>", "<iframe>", "<title>", "<body>", "<html>", "<caption>", "<col>", "<colgroup>",
	}
	for _, name := range []string{"p", "div", "b", "i", "a", "ul", "ol", "li", "table", "tbody", "thead", "tr", "td", "th", "h1", "h2", "pre", "blockquote", "span", "dl", "dt", "dd", "ruby", "rt", "rp", "article", "small", "code"} {
		pieces = append(pieces, "<"+name+">", "</"+name+">")
	}
	pieces = append(pieces, `<a href="/x">`, `<a href="https://example.org" rel="noopener">`, `<a href="tel:+1">`)
	rapid.Check(t, func(rt *rapid.T) {
		given := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(rt, "pieces"), "")
		stored, message := cleanRichText(given)
		if message != "" {
			return
		}
		again, message := cleanRichText(stored)
		if message != "" || again != stored {
			rt.Fatalf("%q is stored as %q and then as %q", given, stored, again)
		}
		if read, written := browserTree(stored), ownTree(stored); read != written {
			rt.Fatalf("%q is stored as %q, which a browser reads as %q", given, stored, read)
		}
		if fault := imbalance(stored); fault != "" {
			rt.Fatalf("%q is stored as %q: %s", given, stored, fault)
		}
		if strings.Contains(stored, "<script") || strings.Contains(stored, "<style") {
			rt.Fatalf("%q is stored as %q", given, stored)
		}
	})
}

func FuzzCleanRichText(f *testing.F) {
	for _, seed := range []string{`</div></article><p>x`, `<b><i>a</b>b</i>`, `<table><a><tr><a>`, `<a><table><td><a>`, "<pre>\n\n", `<p title="&quot;`, "\x00<p\x00>", "&#x0;&#13;\r\n", `<img src="x:y" srcset=a>`, `<a href="a b%2">`, `<code class="a language-x">`, `<img data-media=5 src=" /x ">`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		stored, message := cleanRichText(given)
		if message != "" {
			return
		}
		if again, message := cleanRichText(stored); message != "" || again != stored {
			t.Fatalf("%q is stored as %q and then as %q", given, stored, again)
		}
		if read, written := browserTree(stored), ownTree(stored); read != written {
			t.Fatalf("%q is stored as %q, which a browser reads as %q", given, stored, read)
		}
		if fault := imbalance(stored); fault != "" {
			t.Fatalf("%q is stored as %q: %s", given, stored, fault)
		}
	})
}

// browserTree returns the elements, ids and words of a fragment as the algorithm of browsers reads it. It
// leaves out the parts of tables whose tags may be omitted.
func browserTree(fragment string) string {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(fragment), body)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	var write func(n *html.Node)
	write = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(strings.Join(strings.Fields(n.Data), ""))
			return
		}
		if !mayBeImplied[n.Data] {
			b.WriteString("<" + n.Data + ">")
		}
		for child := range n.ChildNodes() {
			write(child)
		}
		if !mayBeImplied[n.Data] {
			b.WriteString("</" + n.Data + ">")
		}
	}
	for _, n := range nodes {
		write(n)
	}
	return b.String()
}

var mayBeImplied = map[string]bool{"tbody": true, "tr": true, "colgroup": true}

// ownTree returns what browserTree does, from the tags alone.
func ownTree(fragment string) string {
	var b strings.Builder
	for tokens := html.NewTokenizer(strings.NewReader(fragment)); ; {
		kind := tokens.Next()
		token := tokens.Token()
		switch {
		case kind == html.ErrorToken:
			return b.String()
		case kind == html.TextToken:
			b.WriteString(strings.Join(strings.Fields(strings.ReplaceAll(token.Data, "\x00", "")), ""))
		case mayBeImplied[token.Data]:
		case kind == html.EndTagToken:
			b.WriteString("</" + token.Data + ">")
		default:
			if b.WriteString("<" + token.Data + ">"); voidElements[token.Data] {
				b.WriteString("</" + token.Data + ">")
			}
		}
	}
}

// imbalance reports the first unbalanced element of a fragment.
func imbalance(fragment string) string {
	var open []string
	tokens := html.NewTokenizer(strings.NewReader(fragment))
	for {
		kind := tokens.Next()
		name, _ := tokens.TagName()
		switch kind {
		case html.StartTagToken:
			if !voidElements[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return "</" + string(name) + "> closes nothing"
			}
			open = open[:len(open)-1]
		case html.ErrorToken:
			if len(open) > 0 {
				return "<" + open[len(open)-1] + "> is not closed"
			}
			return ""
		}
	}
}
