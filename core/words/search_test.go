package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"imprimatur/core/words"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                        "",
		" \t…—!? 🙂":                               "",
		"The quick (“brown”) fox can't jump":      "the quick brown fox can t jump",
		"Größe STRASSE Straße":                    "grosse strasse strasse",
		"L’été déjà, l'an 2026":                   "l ete deja l an 2026",
		"32.3 1,000 example.com end. next a,b":    "32.3 1,000 example com end next a b",
		"e-mail e\u2011mail O\u2019Neill Oʼneill": "e mail e mail o neill o neill",
		"v1.2 vol.2 col·lecció AC/DC":             "v1.2 vol 2 col leccio ac dc",
		"foo_bar _ x-y ____ _a_ ‿":                "foo_bar x y _a_",
		"Donau\u00addampf a\u200db\nc":            "donaudampf ab c",
		"Σίσυφος ΣΊΣΥΦΟΣ":                         "σισυφοσ σισυφοσ",
		"Ёжик йод":                                "ежик иод",
		"الكتـــاب ـ":                             "الكتاب",
		"שָׁלוֹם עולם":                            "שלום עולם",
		"شَدَّة، كتاب":                            "شدة كتاب",
		"हिन्दी में":                              "हिन्दी में",
		"東京都に":                                    "東京 京都 都に",
		"猫":                                       "猫",
		"第3章":                                     "第 3 章",
		"スーパー ﾊﾟﾝ が":                              "スー ーパ パー パン が",
		"한국어 한국":                                  "한국 국어 한국",
		"สวัสดี":                                  "สว วั ัส สด ดี",
		"ສະບາຍ":                                   "ສະ ະບ ບາ າຍ",
		"ភាសា":                                    "ភា ាស សា",
		"ဗမာ":                                     "ဗမ မာ",
		"漢字kana":                                  "漢字 kana",
		"𠮷野家":                                     "𠮷野 野家",
		"½ x² ﬁsh Ⅷ":                              "1 2 x2 fish viii",
		strings.Repeat("é", 100):                  strings.Repeat("e", 64),
		strings.Repeat("я", 100):                  strings.Repeat("я", 32),
	} {
		if got := strings.Join(words.Tokens(text), " "); got != want {
			t.Errorf("%q has the tokens %q, want %q", text, got, want)
		}
	}
}

func TestParseSearch(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"harbour":                                "harbour*",
		"Old Harbour":                            "old|harbour*",
		"ha":                                     "~ha",
		"Har":                                    "~har",
		"a":                                      "a",
		"old a":                                  "old|a",
		`"old harbour"`:                          "old harbour",
		`"old harbour" fest`:                     "old harbour|fest*",
		`fest "old harbour"`:                     "fest|old harbour",
		`"old harbour`:                           "old harbour",
		`"" old "!"`:                             "~old",
		"“old harbour” fest":                     "old harbour|fest*",
		"„old harbour“ fest":                     "old harbour|fest*",
		"«old harbour» »fest fox«":               "old harbour|fest fox",
		"「第3章」":                                  "第 3 章",
		"wi-fi":                                  "wi fi*/wifi*",
		"x-yz":                                   "x yz*/~xyz",
		"l'été":                                  "l ete*/lete*",
		"e-mail address":                         "e mail/email|address*",
		`"wi-fi"`:                                "wi fi/wifi",
		`"wi-fi zone" a-b`:                       "wi fi zone|a b/~ab",
		"rock'n'roll,":                           "rock n roll*/rocknroll*",
		"node.js/express,net":                    "node js express net*",
		"東京-大阪 a-東":                              "東京 大阪|a|~東",
		"東京都":                                    "東京 京都",
		"猫":                                      "~猫",
		"猫 2026":                                 "~猫|2026*",
		"第3章":                                    "~第|3|~章",
		`"第3章"`:                                  "第 3 章",
		"a AND b OR NOT c* :d^2":                 "a|and|b|or|not|c|d 2",
		"old … harbour !":                        "old|harbour*",
		"old\x00":                                "!must be text",
		"old\xff":                                "!must be text",
		"":                                       "!must have a word: a letter or a digit",
		` "…" \u00a0`[:6]:                        "!must have a word: a letter or a digit",
		"🙂":                                      "!must have a word: a letter or a digit",
		strings.Repeat("a ", 20):                 strings.Repeat("a|", 19) + "a",
		"_ ____":                                 "!must have a word: a letter or a digit",
		"alpha _":                                "alpha*",
		strings.Repeat("a ", 21):                 "!must have at most 20 words",
		`"` + strings.Repeat("word ", 100) + `"`: "!must have at most 20 words",
		strings.Repeat("a", 4097):                "!must have at most 4096 bytes",
		strings.Repeat("a", 4096):                strings.Repeat("a", 64) + "*",
		strings.Repeat("-", 4096):                "!must have a word: a letter or a digit",
	} {
		search, fault := words.ParseSearch(text)
		got := "!" + fault
		if fault == "" {
			got = shownSearch(search)
		}
		if got != want {
			t.Errorf("%.60q is %q, want %q", text, got, want)
		}
	}
}

func shownSearch(s *words.Search) string {
	terms := make([]string, len(s.Terms))
	for i := range s.Terms {
		terms[i] = shownTerm(&s.Terms[i])
	}
	return strings.Join(terms, "|")
}

func shownTerm(term *words.Term) string {
	text := strings.Join(term.Tokens, " ")
	switch {
	case term.Edge != "":
		text = "~" + term.Edge
	case term.Prefix:
		text += "*"
	}
	if term.Joined != nil {
		text += "/" + shownTerm(term.Joined)
	}
	return text
}

func TestSearchIn(t *testing.T) {
	t.Parallel()
	texts := []string{"The Old Harbour", "an e-mail from O’Neill's asp.net/ajax rock'n'roll", "Hawaiʻi, 978-3-16-148410-0, U.S.A., 24/7, 1.5/2", "homepage --x--y-",
		"Größe: Wi-Fi, l'été 3.14", "黒猫が東京都にいる", "한국어 สวัสดีครับ", "Straßenbahnhaltestelle"}
	for search, want := range map[string]bool{
		"harbour": true, "HARBOUR the": true, "harb": true, "ha": true, "h": false, "harb old": false, "arbour": false,
		`"old harbour"`: true, `"harbour old"`: false, `"the harbour"`: false, `"harbour grosse"`: false, `"old harb"`: false, `"old harb`: false,
		"grösse": true, "GROSSE": true, "groß": true, "wi-fi": true, "wi-f": true, "fi-wi": false, "été": true, "ete old": true, "3.14": true, "3.1": true, "148": true, "41": false,
		"猫": true, "黒": true, "る": true, "犬": false, "東京": true, "東京都": true, "京東": false, "黒猫 東京": true, "黒猫がいる": false, `"黒猫が"`: true, "猫が東": true,
		"한국": true, "국": true, "สวัสดี": true, "ครับ": true, "ครั": true, "ดีค": true, "ค": true, "ม": false,
		"email": true, "EMAIL old": true, "mail": true, "e-mail": true, `"an e-mail from o'neill"`: true, `"mail from"`: true, `"email from"`: false,
		"oneill": true, "oneill old": true, "o'neill": true, "neill": true, "aspnet": true, "asp.net": true, "rocknroll": true, "nroll": true, `"rock'n'roll"`: true,
		"aspnetajax": true, "netajax old": true, "rock-n-roll": true, "hawaii": true, "9783161484100": true, "978-3-16-148410-0": true, "usa": true, "u.s.a.": true, "247": true,
		"1.52": true, "152": false, "xy": false, "home-page": true, "home-pages": false, "home-pa": true, `"home-page"`: true, "fromoneill": false,
		"strassenbahn": true, "Straßenbahnhaltestellen": false, "old nothing": false,
	} {
		var bag words.Bag
		for _, text := range texts {
			bag.Add(text)
		}
		s, fault := words.ParseSearch(search)
		if fault != "" {
			t.Errorf("%q: %s", search, fault)
		} else if got := s.In(&bag); got != want {
			t.Errorf("%q is found: %v, want %v", search, got, want)
		}
	}
}

// TestJoinedWords has words of several parts, which are also indexed in one piece, once, behind the text.
func TestJoinedWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"an e-mail, the E-Mail and email":  "an e mail the e mail and email",
		"e-mail us by e-mail":              "e mail us by e mail - email",
		"a/b-c'd.e x":                      "a b c d e x - ab - bc - cd - de - abc - bcd - cde - abcde",
		"O'Neill's 3.14":                   "o neill s 3.14 - oneill - neills - oneills",
		"a--b c- -d e .f g.":               "a b c d e f g",
		"_-a ½-b":                          "a 1 2 b - 2b",
		"O´Brien O`Brien":                  "o brien o brien - obrien",
		strings.Repeat("x", 60) + "-yyyyy": strings.Repeat("x", 60) + " yyyyy - " + strings.Repeat("x", 60) + "yyyy",
	} {
		var bag words.Bag
		bag.Add(text)
		tokens := slices.Clone(bag.Tokens)
		for i, token := range tokens {
			if token == "" {
				tokens[i] = "-"
			}
		}
		if got := strings.Join(tokens, " "); got != want {
			t.Errorf("%q is indexed as %q, want %q", text, got, want)
		}
	}
	var two words.Bag
	two.Add("e-mail")
	two.Add("e-mail")
	if got := strings.Join(two.Tokens, " "); got != "e mail  email  e mail" {
		t.Errorf("two texts are indexed as %q", got)
	}
}

func TestBagBounds(t *testing.T) {
	t.Parallel()
	var many, same, wide words.Bag
	many.Add(strings.Repeat("abc ", words.MaxPositions) + "last")
	if n := len(many.Tokens); n != words.MaxPositions {
		t.Errorf("%d tokens", n)
	}
	many.Add("more")
	if slices.Contains(many.Tokens, "last") || slices.Contains(many.Tokens, "more") {
		t.Error("a full bag has more tokens")
	}
	var compounds words.Bag
	for i := range words.MaxPositions {
		compounds.Add(string(rune(0x4e00+i)) + " a" + string(rune(0x600+i%100)) + "-b")
	}
	if n := len(compounds.Tokens); n > words.MaxPositions+1 {
		t.Errorf("%d tokens of compounds", n)
	}
	same.Add(strings.Repeat("abc ", 300) + "last")
	if n := len(same.Tokens); n != 301 || same.Tokens[255] != "abc" || same.Tokens[256] != "" || same.Tokens[300] != "last" {
		t.Errorf("%d tokens, [255] %q, [256] %q", n, same.Tokens[255], same.Tokens[256])
	}
	for r := 'a'; r <= 'z'; r++ {
		for n := range 1000 {
			wide.Add(strings.Repeat(string(r), 60) + strings.Repeat("я", 4) + string(rune('0'+n%10)) + string(rune(0x4e00+n)))
		}
	}
	size := 0
	for _, token := range wide.Tokens {
		size += len(token)
	}
	if size > 1<<20 {
		t.Errorf("a bag of %d bytes", size)
	}
}

// FuzzSearch checks that every text can be divided into tokens, that a text is found by each of its own
// words, and that tokens have no characters that an engine could read as syntax.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"The Old Harbour", `"a phrase" and NOT *^:(){}[]'\`, "黒猫が東京", "한국어", "สวัสดี", "l'été 3.14", "a\u0301\u200d\u00ad\x00", "½ﬁⅧ", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := words.Tokens(text)
		for _, token := range tokens {
			if token == "" || len(token) > 64 || !utf8.ValidString(token) {
				t.Fatalf("%q has the token %q", text, token)
			}
			if strings.ContainsAny(token, "'\"\\ \t\n\x00*():^{}[]+-&|!<>") {
				t.Fatalf("%q has the token %q", text, token)
			}
			if again := words.Tokens(token); len(again) != 1 || again[0] != token {
				t.Fatalf("the token %q of %q has the tokens %q", token, text, again)
			}
		}
		var bag words.Bag
		bag.Add(text)
		s, fault := words.ParseSearch(text)
		if fault == "" && !strings.Contains(text, `"`) && !s.In(&bag) {
			t.Fatalf("%q does not find itself: %v", text, s.Terms)
		}
	})
}

func TestBeginnings(t *testing.T) {
	t.Parallel()
	var b words.Bag
	b.Add("Harbours été 東京都 ab harbour")
	for most, want := range map[int]string{6: "harb harbo harbou", 16: "harb harbo harbou harbour harbours"} {
		if got := strings.Join(b.Beginnings(most), " "); got != want {
			t.Errorf("up to %d: %q, want %q", most, got, want)
		}
	}
	for text, open := range map[string]bool{"harbour": false, "harbours": false, "harbourside": true, "wi-fi": true, `"wi-fi"`: false, "harbourside h": false, "ha": false, "東京都": false} {
		s, fault := words.ParseSearch(text)
		if fault != "" || s.EndsOpen(8) != open {
			t.Errorf("%q: ends open: %v, %s", text, s.EndsOpen(8), fault)
		}
	}
}
