package core

import (
	"testing"
	"unicode"
)

// All cases of a letter fold to the same text, and folding is idempotent.
func TestFoldAllOfUnicode(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		folded := Fold(string(r))
		if again := Fold(folded); again != folded {
			t.Errorf("%U folds to %+q and that to %+q", r, folded, again)
		}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if got := Fold(string(other)); got != folded {
				t.Errorf("%U folds to %+q, %U to %+q", r, folded, other, got)
			}
		}
	}
}

// TestFoldASCII compares the fast path for ASCII texts with the general path.
func TestFoldASCII(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < unicode.MaxASCII; r++ {
		if got, other := Fold(string(r)), Fold(string(r)+"é"); got+"é" != other {
			t.Errorf("%U folds to %+q, and to %+q before another character", r, got, other)
		}
	}
}

// Cherokee folds to capital letters, according to Unicode's CaseFolding.txt.
func TestFoldCherokee(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"ꮳꮃꭹ": "ᏣᎳᎩ", "ᏣᎳᎩ": "ᏣᎳᎩ", "ᏸ": "Ᏸ", "Ᏽ ꭰ Ꭰ": "Ᏽ Ꭰ Ꭰ"} {
		if got := Fold(text); got != want {
			t.Errorf("%q folds to %q, want %q", text, got, want)
		}
	}
}
