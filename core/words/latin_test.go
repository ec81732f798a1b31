package words_test

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"imprimatur/core/words"
)

// TestLatinLetters folds all small Latin letters without a decomposition. Those up to U+02AF become ASCII,
// except the ones that unidecode writes without letters. No form is longer than its letter.
func TestLatinLetters(t *testing.T) {
	t.Parallel()
	const own = "ǀǁǂǃǝɂəɚʌʔʕʖʘʡʢʭ" // clicks, stops and the neutral vowels
	for r := rune(unicode.MaxASCII + 1); r <= unicode.MaxRune; r++ {
		letter := string(r)
		if !unicode.Is(unicode.Latin, r) || !unicode.IsLetter(r) || norm.NFKD.String(letter) != letter || cases.Fold().String(letter) != letter {
			continue
		}
		form := words.Fold(letter)
		switch {
		case form == letter:
			if r <= 0x2af && !strings.ContainsRune(own, r) {
				t.Errorf("%U %s has no form", r, letter)
			}
		case strings.ContainsRune(own, r):
			t.Errorf("%U %s has the form %q", r, letter, form)
		case form == "" || strings.Trim(form, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || len(form) > len(letter):
			t.Errorf("%U %s has the form %q", r, letter, form)
		}
		if upper := string(unicode.ToUpper(r)); words.Fold(upper) != form {
			t.Errorf("%s has the form %q, %s %q", letter, form, upper, words.Fold(upper))
		}
	}
	for letter, form := range map[string]string{"ƒ": "f", "ɲ": "n", "ɓ": "b", "ƀ": "b", "ʃ": "s", "ƕ": "hv", "ȸ": "db", "ᴁ": "ae", "ẟ": "d", "Ⱦ": "t", "ⱬ": "z", "Ƣ": "oi"} {
		if got := words.Fold(letter); got != form {
			t.Errorf("%s has the form %q, want %q", letter, got, form)
		}
	}
}
