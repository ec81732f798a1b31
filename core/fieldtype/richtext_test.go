package fieldtype

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
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
		`<a href="javascript:alert(1)">no</a>`:                        `no`,
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

// The stored form of any input is balanced, contains only allowed markup, and is stable
// when saved again.
func TestRichTextIsStable(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", " ", "\n", "&amp;", "&lt;p>", "&#39;", "'", `"`, "<", ">", "&", "<!-- c -->", "<br>", "<hr/>", "<img src=/x.png>", "<script>x</script>", "<style>", "</style>", "<svg><p>", "</svg>", "<textarea>",
		"<select>", "<option>", "<template>", "<form>", "<math><mi>", "<noscript>", "<plaintext>", "<xmp>", "<iframe>", "<title>", "<body>", "<html>", "<caption>", "<col>", "<colgroup>",
	}
	for _, name := range []string{"p", "div", "b", "i", "a", "ul", "ol", "li", "table", "tbody", "thead", "tr", "td", "th", "h1", "h2", "pre", "blockquote", "span", "dl", "dt", "dd", "ruby", "rt", "article", "small", "code"} {
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
		if fault := imbalance(stored); fault != "" {
			rt.Fatalf("%q is stored as %q: %s", given, stored, fault)
		}
		if strings.Contains(stored, "<script") || strings.Contains(stored, "<style") {
			rt.Fatalf("%q is stored as %q", given, stored)
		}
	})
}

func FuzzCleanRichText(f *testing.F) {
	for _, seed := range []string{`</div></article><p>x`, `<b><i>a</b>b</i>`, `<table><a><tr><a>`, `<a><table><td><a>`, "<pre>\n\n", `<p title="&quot;`, "\x00<p\x00>", "&#x0;&#13;\r\n", `<img src="x:y" srcset=a>`} {
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
		if fault := imbalance(stored); fault != "" {
			t.Fatalf("%q is stored as %q: %s", given, stored, fault)
		}
	})
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
