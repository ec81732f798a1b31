package fieldtype

import "testing"

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
