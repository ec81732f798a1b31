package fieldtype

import (
	"slices"
	"testing"
)

func TestPlainText(t *testing.T) {
	t.Parallel()
	for richText, want := range map[string]string{
		"":                              "",
		"plain":                         "plain",
		"don&#39;t":                     "don't",
		"&lt;p&gt; &amp;amp;":           "<p> &amp;",
		"im<b>port</b>ant":              "important",
		`<a href="/where">here</a>`:     "here",
		"<p>one</p><p>two</p>":          "one\n\ntwo\n",
		"one<br/>two":                   "one\ntwo",
		"<ul><li>a</li><li>b</li></ul>": "a\n\nb\n\n",
		`<img src="/x.png" alt="a harbour"/>below`: "below",
		"1 < 2 & 3": "1 < 2 & 3",
	} {
		if got := plainText(richText); got != want {
			t.Errorf("%q is the text %q, want %q", richText, got, want)
		}
	}
}

func TestWordedText(t *testing.T) {
	t.Parallel()
	for richText, want := range map[string]string{
		"plain":      "plain",
		"<p>one</p>": "one\n",
		`<img src="/x.png" alt="a harbour"/>below`:                                       "a harbour\nbelow",
		`ab<img src="/x.png" data-media="7" alt="boats &amp; &lt;nets&gt;">cd`:           "ab\nboats & <nets>\ncd",
		`<p title="no">x <img data-media="7" src="/x.png" alt=""><img src="/y.png"></p>`: "x \n\n\n",
		`<b alt="no">bold</b>`: "bold",
	} {
		if got := wordedText(richText); got != want {
			t.Errorf("%q has the words of %q, want %q", richText, got, want)
		}
	}
}

func TestNodes(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"":                                  {""},
		"plain":                             {"plain"},
		"<p>A <b>wet</b> May.</p><p>x</p>":  {"A ", "wet", " May.", "x"},
		"<p>A &amp; B<br/>C</p>":            {"A & B", "C"},
		"<p>é</p>\n<ul><li>ü</li></ul>":     {"é", "\n", "ü"},
		`<p>a<img src="/x" alt="b"/>c</p>d`: {"a", "c", "d"},
	} {
		text, nodes := Of("richtext").Nodes(value)
		if text != plainText(value) {
			t.Errorf("the text of %q is %q", value, text)
		}
		var got []string
		for _, n := range nodes {
			got = append(got, text[n.From:n.To])
		}
		if !slices.Equal(got, want) {
			t.Errorf("the nodes of %q are %q", value, got)
		}
	}
	if text, nodes := Of("text").Nodes("<b>"); text != "<b>" || len(nodes) != 1 {
		t.Errorf("%q %v", text, nodes)
	}
}
