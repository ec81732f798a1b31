package words

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// excerpted is the number of bytes in which the tests look for words.
const excerpted = 64 << 10

// marked returns an excerpt with brackets around what is found.
func marked(t *testing.T, search, text string) string {
	t.Helper()
	s, fault := ParseSearch(search)
	if fault != "" {
		t.Fatal(fault)
	}
	var b strings.Builder
	chars := 0
	for _, p := range s.Excerpt(text, excerpted) {
		chars += utf8.RuneCountInString(p.Text)
		if p.Found {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	if chars > maxExcerpt {
		t.Errorf("the excerpt for %q has %d characters", search, chars)
	}
	return b.String()
}

// TestExcerpts checks what excerpts mark, also where folding changes the length of the text.
func TestExcerpts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ search, text, want string }{
		{"harbour", "The old Harbour, at dawn.", "The old [Harbour], at dawn."},
		{"harb", "Harbours and HARBOUR", "[Harbours] and [HARBOUR]"},
		{"ha", "Ha and half", "[Ha] and [half]"},
		{`"old harbour"`, "old and new, old  harbour", "old and new, [old  harbour]"},
		{"old nothing", "An old town", "An [old] town"},
		{"strasse", "Die Straße im Fluß", "Die [Straße] im Fluß"},
		{"fluss", "Die Straße im Fluß.", "Die Straße im [Fluß]."},
		{"office", "ﬁrst oﬃce İstanbul", "ﬁrst [oﬃce] İstanbul"},
		{"istanbul", "ﬁrst oﬃce İstanbul", "ﬁrst oﬃce [İstanbul]"},
		{"ete", "pendant l'été, l’e\u0301te\u0301", "pendant l'[été], l’[e\u0301te\u0301]"},
		{"email", "An e-mail", "An [e-mail]"},
		{"e-mail", "An email", "An [email]"},
		{"3.5", "Version 3.5, not 35", "Version [3.5], not 35"},
		{"kg", "5 ㎏ of it", "5 [㎏] of it"},
		{"東京", "新東京都へ", "新[東京]都へ"},
		{"京", "新東京都へ", "新[東京都]へ"},
		{"東京都", "新東京都へ", "新[東京都]へ"},
		{"none", "Some text", ""},
		{"a b", "a\nb\tc", "[a] [b] c"},
		{"town", strings.Repeat("word ", 40) + "town " + strings.Repeat("word ", 40), strings.Repeat("word ", 7) + "[town]" + strings.Repeat(" word", 31)},
		{"late", strings.Repeat("x", excerpted) + " late", ""},
	} {
		if got := marked(t, tt.search, tt.text); got != tt.want {
			t.Errorf("%q in %.60q: %q, want %q", tt.search, tt.text, got, tt.want)
		}
	}
}

// FuzzExcerpt checks that an excerpt is found where the words are, and is a part of the text.
func FuzzExcerpt(f *testing.F) {
	for _, seed := range [][2]string{{"harb", "Old harbour"}, {"京", "東京"}, {`"a b"`, "a b"}, {"e-mail", "email"}, {"ss", "ß"}, {"x", "½x²"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, search, text string) {
		s, fault := ParseSearch(search)
		if fault != "" || !utf8.ValidString(text) {
			return
		}
		plain := spaced(cut(text, excerpted))
		var shown strings.Builder
		found := false
		for _, p := range s.Excerpt(text, excerpted) {
			shown.WriteString(p.Text)
			found = found || p.Found
		}
		if shown.Len() > 0 && !found {
			t.Errorf("nothing is found in %q", shown.String())
		}
		if !strings.Contains(plain, shown.String()) || utf8.RuneCountInString(shown.String()) > maxExcerpt {
			t.Errorf("%q is no part of %q", shown.String(), plain)
		}
	})
}
