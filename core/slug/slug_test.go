package slug_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"imprimatur/core/slug"
)

func TestDerive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, locale, ascii, unicode string }{
		{"Second week", "en", "second-week", "second-week"},
		{"Don't look up", "en", "dont-look-up", "dont-look-up"},
		{"Don’t look up", "en", "dont-look-up", "dont-look-up"},
		{"Привет, мир", "ru", "privet-mir", "привет-мир"},
		{"日本語", "ja", "ri-ben-yu", "日本語"},
		{"مرحبا", "ar", "mrhb", "مرحبا"},
		{"Καλημέρα κόσμε", "el", "kalimera-kosme", "καλημέρα-κόσμε"},
		{"שלום עולם", "he", "shlvm-vlm", "שלום-עולם"},
		{"สวัสดี", "th", "swasdii", "สวัสดี"},
		{"한국어", "ko", "hangugeo", "한국어"},
		{"हिन्दी", "hi", "hindii", "हिन्दी"},
		{"№ 5", "en", "no-5", "no-5"},
		{"Die Größe der Öfen", "de", "die-groesse-der-oefen", "die-größe-der-öfen"},
		{"Die Gro\u0308ße", "de-AT", "die-groesse", "die-größe"},
		{"Die Größe der Öfen", "en", "die-grosse-der-ofen", "die-größe-der-öfen"},
		{"Ærø på Sjælland", "da", "aeroe-paa-sjaelland", "ærø-på-sjælland"},
		{"Ærø på", "nb", "aeroe-paa", "ærø-på"},
		{"ISTANBUL İzmir", "tr", "istanbul-izmir", "ıstanbul-izmir"},
		{"１２３ ＡＢＣ", "en", "123-abc", "123-abc"},
		{"می\u200cخواهم", "fa", "mykhwhm", "میخواهم"},
		{"snake_case", "en", "snake_case", "snake_case"},
		{"a / b", "en", "a-b", "a-b"},
		{"!!!", "en", "", ""},
		{"   ", "en", "", ""},
		{"\u200b\u202e", "en", "", ""},
		{"🎉", "en", "", ""},
		{"a\xffb", "en", "ab", "ab"},
		{"  Über  uns ", "en", "uber-uns", "über-uns"},
		{"Straße", "en", "strasse", "straße"},
		{"L'été d’Łódź", "fr", "lete-dlodz", "lété-dłódź"},
		{"ﬁ Ⅳ ²", "en", "fi-iv-2", "fi-iv-2"},
		{"--a--", "en", "a", "a"},
		{"東京 2020", "ja", "dong-jing-2020", "東京-2020"},
		{"большой", "ru", "bolshoi", "большой"},
		{"თბილისი", "ka", "tbilisi", "თბილისი"},
		{"ქართული", "ka", "kartuli", "ქართული"},
		{"Թատրոն", "hy", "tatron", "թատրոն"},
		{"Azərbaycan Əli", "az", "azerbaycan-eli", "azərbaycan-əli"},
		{"Hawaiʻi", "haw", "hawaii", "hawaiʻi"},
		{"O‘zbekiston", "uz", "ozbekiston", "ozbekiston"},
		{"Словʼянськ", "uk", "sloviansk", "словʼянськ"},
		{"Об'єднання", "uk", "obiednannia", "обєднання"},
	} {
		require.Equal(t, c.ascii, slug.Derive(c.text, c.locale, slug.ASCII), "%s in %s", c.text, c.locale)
		require.Equal(t, c.ascii, slug.Derive(c.text, c.locale, ""), "%s in %s", c.text, c.locale)
		require.Equal(t, c.unicode, slug.Derive(c.text, c.locale, slug.Unicode), "%s in %s", c.text, c.locale)
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text                         string
		ascii, unicode, path, letter bool
	}{
		{"second-week", true, true, true, true},
		{"snake_case", true, true, true, true},
		{"a--b", true, true, true, true},
		{"2026", true, true, true, true},
		{"", false, false, false, false},
		{"-", false, false, false, false},
		{"__", false, false, false, false},
		{"Upper", false, false, false, false},
		{"two words", false, false, false, false},
		{"a.b", false, false, false, false},
		{"a/b", false, false, true, true},
		{"/a", false, false, false, false},
		{"a//b", false, false, false, false},
		{"a/..", false, false, false, false},
		{"größe", false, true, false, true},
		{"Größe", false, false, false, false},
		{"gro\u0308ße", false, false, false, false},
		{"привет/мир", false, false, false, true},
		{"สวัสดี", false, true, false, true},
		{"a\u200bb", false, false, false, false},
	} {
		require.Equal(t, c.ascii, slug.Valid(c.text, slug.ASCII, false), c.text)
		require.Equal(t, c.unicode, slug.Valid(c.text, slug.Unicode, false), c.text)
		require.Equal(t, c.path, slug.Valid(c.text, slug.ASCII, true), c.text)
		require.Equal(t, c.letter, slug.Valid(c.text, slug.Unicode, true), c.text)
	}
}

// TestDerived checks that every derived slug is a slug of its style, is its own slug, and that its
// numbered forms fit their limit and are recognised.
func TestDerived(t *testing.T) {
	t.Parallel()
	locales := []string{"", "en", "de", "da", "sv", "tr", "el", "lt", "hu", "bg", "kk", "ja", "xx"}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		style := rapid.SampledFrom([]slug.Style{slug.ASCII, slug.Unicode}).Draw(rt, "style")
		derived := slug.Derive(text, rapid.SampledFrom(locales).Draw(rt, "locale"), style)
		if derived == "" {
			return
		}
		if !slug.Valid(derived, style, false) {
			rt.Fatalf("%q gives %q, which is not valid", text, derived)
		}
		limit := rapid.IntRange(1, 120).Draw(rt, "limit")
		n := rapid.IntRange(1, slug.Numbers(limit)).Draw(rt, "number")
		made := slug.Numbered(derived, n, limit)
		if length := len([]rune(made)); length > limit || length > 100 || length == 0 {
			rt.Fatalf("%q has %d characters with the limit %d", made, length, limit)
		}
		if !slug.MadeFrom(made, derived, limit) {
			rt.Fatalf("%q is not recognised as made from %q", made, derived)
		}
	})
	require.False(t, slug.MadeFrom("second-week-draft", "second-week", 100))
	require.False(t, slug.MadeFrom("second-week-02", "second-week", 100))
	require.False(t, slug.MadeFrom("", "", 100))
	require.True(t, slug.MadeFrom("second-week-12", "second-week", 100))
	require.Equal(t, 200, len(slug.Numbered(strings.Repeat("ö", 300), 1, 300)))
	require.True(t, norm.NFC.IsNormalString(slug.Derive("e\u0301", "", slug.Unicode)))
}
