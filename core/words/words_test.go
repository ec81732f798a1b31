package words_test

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"imprimatur/core/words"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		"Zebra 9_":                    "zebra 9_",
		"Äpfel":                       "apfel",
		"A\u0308pfel":                 "apfel",
		"Straße STRASSE STRA\u1e9eE":  "strasse strasse strasse",
		"\u0130stanbul":               "istanbul",
		"\u0131 I\u0307 \u0130":       "i i i",
		"\ufb01sh \ufb03":             "fish ffi",
		"Σίσυφος":                     "σισυφοσ",
		"ΣΊΣΥΦΟΣ":                     "σισυφοσ",
		"\u0390 \u1fd3 \u03aa\u0301":  "ι ι ι",
		"\u1fb3 \u1fbc":               "α α",
		"한글":                          "\u1112\u1161\u11ab\u1100\u1173\u11af",
		"\u1112\u1161\u11ab":          "\u1112\u1161\u11ab",
		"がｶﾞガ":                        "か\u3099カ\u3099カ\u3099",
		"ハパバ":                         "ハハ\u309aハ\u3099",
		"ดีดู":                        "ดีดู",
		"मेल मल में":                  "मेल मल में",
		"\u0958 \u0e33":               "\u0915\u093c \u0e4d\u0e32",
		"שָׁלוֹם \ufb2b":              "שלום ש",
		"Ά\u0483 \u20d7a\ufe20\u1ab0": "α a",
		"ǿ ǽ ĳ ǆ Ŋ ĸ":                 "o ae ij dz ng k",
		"Æble œuvre Þing Ðà Nẵng":     "aeble oeuvre thing da nang",
		"Ħamrun Işık ISPARTA ısparta": "hamrun isik isparta isparta",
		"Bodø Dvořák \u1e9c Ⱥ":        "bodo dvorak s a",
		"Gəncə ǃ":                     "gəncə ǃ", // unidecode has no letters for these
		"Ｆｕｌｌ ①½":                     "full 11\u20442",
		"q\u0323\u0307":               "q",
		"q\u0307\u0323":               "q",
		"a\u0001b\u007f\u0085c\t\n":   "abc",
		"شَدَّة":                      "شدة",
		"Йод ёж":                      "иод еж",
		"Łódź Ørsted":                 "lodz orsted",
		"ꮳꮃꭹ ᏸ":                       "ᏣᎳᎩ Ᏸ",
		"\u017fnow \u212a \u00c5":     "snow k a",
		"\u0149":                      "\u02bcn",
		"\u01c5":                      "dz",
		"a\u200bb\ufeff":              "a\u200bb\ufeff", // format characters are no controls
		"x²":                          "x2",
		"\u2028":                      "\u2028",
		"a\u00a0b":                    "a b",
		"𝔸 👩\u200d👧 \U0010ffff":       "a 👩\u200d👧 \U0010ffff",
	} {
		if got := words.Fold(text); got != want {
			t.Errorf("%q folds to %+q, want %+q", text, got, want)
		}
	}
}

func TestCaseless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                   "",
		"A\u0001B":           "a\u0001b",
		"Äpfel":              "äpfel",
		"A\u0308PFEL":        "äpfel",
		"STRA\u1e9eE":        "strasse",
		"\u0130":             "i\u0307",
		"\ufb01":             "fi",
		"ΦΟΣ φος":            "φοσ φοσ",
		"\u03aa\u0301":       "\u0390",
		"\u1fd3":             "\u0390",
		"\u1112\u1161\u11ab": "한",
		"ꮳꮃꭹ":                "ᏣᎳᎩ",
		"a\u0323\u0307":      "ạ\u0307",
		"a\u0307\u0323":      "ạ\u0307",
	} {
		if got := words.Caseless(text); got != want {
			t.Errorf("the caseless form of %q is %+q, want %+q", text, got, want)
		}
	}
}

// TestAllOfUnicode folds every assigned character: all cases of a letter have the same forms, forms have
// themselves as their form, and folded texts have none of the marks that are removed, and no controls.
func TestAllOfUnicode(t *testing.T) {
	t.Parallel()
	for form, of := range map[string]func(string) string{"folded": words.Fold, "caseless": words.Caseless} {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf) {
				continue // not assigned, or for private use
			}
			got := of(string(r))
			if again := of(got); again != got {
				t.Errorf("%s: %U has %+q and that has %+q", form, r, got, again)
			}
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				if its := of(string(other)); its != got && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mn, other) {
					t.Errorf("%s: %U has %+q, %U has %+q", form, r, got, other, its)
				}
			}
			if form == "folded" && strings.ContainsFunc(got, dropped) {
				t.Errorf("%U folds to %+q", r, got)
			}
			if form == "folded" && unicode.Is(unicode.Mn, r) && !dropped(r) && got == "" {
				t.Errorf("the mark %U is removed", r)
			}
		}
	}
}

// TestFastPath compares the forms of ASCII texts with the forms that they have in another text.
func TestFastPath(t *testing.T) {
	t.Parallel()
	const beyond = "日"
	for r := rune(0); r <= unicode.MaxASCII; r++ {
		text := "a" + string(r) + "b"
		if got := words.Fold(text + beyond); got != words.Fold(text)+beyond {
			t.Errorf("%U folds to %+q, and to %+q before another character", r, words.Fold(text), got)
		}
		if got := words.Caseless(text + beyond); got != words.Caseless(text)+beyond {
			t.Errorf("%U has the caseless form %+q, and %+q before another character", r, words.Caseless(text), got)
		}
		if got := words.Key(text); got != words.Fold(text)+words.Separator+text {
			t.Errorf("%U has the key %+q", r, got)
		}
	}
}

// TestOrder has texts in their order.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, ordered := range [][]string{
		{"Äpfel", "apple", "Zebra"}, // "apfel" comes before "apple"
		{"apple", "Äpple", "apples", "Zebra", "zebra", "žebra"},
		{"", "\u0001", " ", "A", "a", "\u00c1", "\u00e1", "A b", "a b", "AA", "Aa", "aA", "aa", "Ab", "ab", "B"},
		{"STRASSE", "Strasse", "Stra\u00dfe", "Strasser"},
		{"co-op", "coop", "coop\u0001", "c\u00f6op", "cooper"},
		{"Bodo", "Bodö", "bodø", "lodz", "Łódź", "lodz b", "œuvre", "Zabrze"},
		{"दिन", "दिनों", "ดี", "ดู", "かき", "かぎ", "パン", "ハン"},
		{"10", "9", "a", "日本", "\ue000", "\uffff", "😀", "\U0010ffff"},
	} {
		for i, b := range ordered[1:] {
			if a := ordered[i]; words.Key(a) >= words.Key(b) || words.Compare(a, b) >= 0 {
				t.Errorf("%+q is not before %+q", a, b)
			}
		}
	}
}

// dropped reports whether folded texts do not have r.
func dropped(r rune) bool {
	for _, block := range [][2]rune{
		{0x0300, 0x036f}, {0x0483, 0x0487}, {0x0591, 0x05c7}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x0670, 0x0670}, {0x06d6, 0x06ed},
		{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20f0}, {0xfb1e, 0xfb1e}, {0xfe20, 0xfe2f},
	} {
		if block[0] <= r && r <= block[1] {
			return unicode.Is(unicode.Mn, r)
		}
	}
	return unicode.Is(unicode.Cc, r)
}

// TestLongKeys has texts whose folded form is longer than fields with an order now accept.
func TestLongKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("が", 333)
	if n := len(words.Key(long)); n > 2501 {
		t.Errorf("a key of %d bytes, which Postgres cannot index", n)
	}
	for _, text := range []string{"", "か", "がか", strings.Repeat("が", 166), strings.Repeat("が", 166) + "き", long + "が", long + "a", "漢"} {
		if got := strings.Compare(words.Key(text), words.Key(long)); got != words.Compare(text, long) || got != definition(text, long) {
			t.Errorf("%.30q: the keys compare as %d, Compare is %d, by definition %d", text, got, words.Compare(text, long), definition(text, long))
		}
	}
}

// definition is the order as its definition has it, step by step.
func definition(a, b string) int {
	decomposed := func(text string) string {
		return string(slices.DeleteFunc([]rune(norm.NFKD.String(text)), dropped))
	}
	folded := func(text string) []rune {
		cased := []rune(cases.Fold().String(decomposed(text)))
		for i, r := range cased {
			if unicode.Is(unicode.Cherokee, r) { // see TestFold: Cherokee folds to capital letters
				cased[i] = unicode.ToUpper(r)
			}
		}
		return []rune(decomposed(strings.NewReplacer("ı", "i", "ł", "l", "ø", "o", "æ", "ae", "ŋ", "ng", "\u2c65", "a").Replace(string(cased))))
	}
	return cmp.Or(slices.Compare(folded(a), folded(b)), slices.Compare([]rune(a), []rune(b)))
}

func isOtherLatin(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.Latin, r) }

func checkOrder(t interface{ Errorf(string, ...any) }, a, b string) {
	x, y := words.Key(a), words.Key(b)
	if got := bytes.Compare([]byte(x), []byte(y)); got != words.Compare(a, b) || got != definition(a, b) {
		t.Errorf("%+q and %+q: their keys compare as %d, Compare is %d, by definition %d", a, b, got, words.Compare(a, b), definition(a, b))
	}
	if (a == b) != (x == y) {
		t.Errorf("%+q and %+q have the keys %+q and %+q", a, b, x, y)
	}
	if strings.Contains(x, "\x00") || !utf8.ValidString(x) {
		t.Errorf("%+q has the key %+q, which Postgres refuses", a, x)
	}
}

// TestKeysAreTotal compares keys of random texts with the definition of the order.
func TestKeysAreTotal(t *testing.T) {
	t.Parallel()
	letter := rapid.OneOf(
		rapid.SampledFrom([]rune("aAbBzZ 0\u0001\u0002\u001f\u007f\u0085\u00e4\u00c4\u00dfſİıŁłØÆæǽŊ\u2c65ǅ\u0301\u0323\u0345σςΣｶﾞ한\u1161\u3099\u0e35\u093f\u0902\u0958\ufb01\uffff\ue000😀\U0010ffff")),
		rapid.Rune().Filter(func(r rune) bool { return !strings.ContainsFunc(norm.NFKD.String(string(r)), isOtherLatin) }),
	)
	text := rapid.Map(rapid.SliceOfN(letter, 0, 6), func(runes []rune) string { return strings.ReplaceAll(string(runes), "\x00", "") })
	rapid.Check(t, func(rt *rapid.T) {
		a, b := text.Draw(rt, "a"), text.Draw(rt, "b")
		checkOrder(rt, a, b)
		checkOrder(rt, a, a+b)
		checkOrder(rt, a, strings.ToUpper(a))
	})
}

func FuzzKey(f *testing.F) {
	for _, pair := range [][2]string{{"Zebra", "Äpfel"}, {"ß", "ss"}, {"a\u0323\u0307", "a\u0307\u0323"}, {"a\u0001", "a"}, {"\u1fb3", "αι"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if utf8.ValidString(a) && utf8.ValidString(b) && !strings.Contains(a+b, "\x00") {
			checkOrder(t, a, b)
		}
	})
}

func BenchmarkKey(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":  "Harbour works begin in the north of the city",
		"german": "Brücken über die Elbe müssen für Jahre gesperrt bleiben",
		"korean": "서울의 새로운 다리가 내년에 문을 연다",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				words.Key(text)
			}
		})
	}
}

func BenchmarkCaseless(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":  "Harbour works begin in the north of the city",
		"german": "Brücken über die Elbe müssen für Jahre gesperrt bleiben",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				words.Caseless(text)
			}
		})
	}
}
