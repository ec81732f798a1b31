package words

import (
	"cmp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Version names the definitions below and the tables of Unicode that they use. Texts have the same
// forms in all programs with the same Version. Increase the first number with a change of the
// definitions, or of the lexemes that an index of words has of a row.
const Version = "6 " + norm.Version + " " + cases.UnicodeVersion + " " + unicode.Version

// Separator is the byte between the two parts of a key. It is a control, so that a folded text does
// not contain it, and less than every character of a folded text, so that a text comes before the
// texts that it begins.
const Separator = "\x01"

// maxFolded is the maximum length of the folded form in a key, in bytes: longer forms are cut. It is more than
// any text that fields with an order accept now has (fieldtype.MaxText), and leaves room for such a text beside
// it in a row of an index of Postgres. A text that was accepted by an older version may have a longer form.
const maxFolded = 1500

// Key returns the sort key of text: the folded text, Separator, and the text itself. Keys compare
// byte by byte as [Compare] compares texts, because the bytes of UTF-8 are in the order of code
// points. Different texts have different keys. A key has no U+0000 unless text has one.
func Key(text string) string {
	var key strings.Builder
	key.Grow(2*len(text) + len(Separator))
	fold(&key, text)
	if key.Len() > maxFolded {
		folded := cut(key.String(), maxFolded)
		key = strings.Builder{}
		key.WriteString(folded)
	}
	key.WriteString(Separator)
	key.WriteString(text)
	return key.String()
}

// Ordered returns the folded form of text as it is in its Key.
func Ordered(text string) string { return cut(Fold(text), maxFolded) }

// Compare compares two texts by their folded forms, and those with the same form by code point.
func Compare(a, b string) int {
	return cmp.Or(strings.Compare(Ordered(a), Ordered(b)), strings.Compare(a, b))
}

// Fold returns the folded form of text: its compatibility decomposition (NFKD) without accents and
// controls (Cc), in full case folding, with ASCII for the Latin letters that have no decomposition, and of
// this again the decomposition without accents and controls. Accents are the marks of Latin, Greek, Cyrillic,
// Hebrew and Arabic. Marks of other scripts are letters, such as the vowels of Hindi and Thai.
func Fold(text string) string {
	var folded strings.Builder
	folded.Grow(len(text))
	fold(&folded, text)
	return folded.String()
}

// Caseless returns the form of text that searches for a part of a text compare: its full case
// folding in composed form (NFC), the same for all spellings that Unicode considers equal.
func Caseless(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(foldCase(norm.NFC.String(text)))
}

// fold appends the folded form of text to b.
func fold(b *strings.Builder, text string) {
	if isASCII(text) {
		foldASCII(b, text)
		return
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r >= tabled }) {
		b.WriteString(foldAny(text))
		return
	}
	table := table()
	for _, r := range text {
		b.WriteString(table[r])
	}
}

func foldAny(text string) string { return letters(plainLatin(foldCase(letters(text)))) }

// tabled is the first character behind the Latin, Greek, Cyrillic and Hebrew letters. The folded form
// of a text of characters before it consists of the folded forms of its characters: they are marks,
// or have no marks that would be moved.
const tabled = 0x600

// table returns the folded forms of the characters before tabled. With it, the key of a German title
// takes a fifth of the time.
var table = sync.OnceValue(func() *[tabled]string {
	var forms [tabled]string
	for r := range forms {
		forms[r] = foldAny(string(rune(r)))
	}
	return &forms
})

// foldASCII is fold for an ASCII text.
func foldASCII(b *strings.Builder, text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c == '\x7f': // a control
		case 'A' <= c && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		default:
			b.WriteByte(c)
		}
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// letters returns the NFKD of text without accents and controls.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= firstMark && unicode.Is(accents, r) && unicode.Is(unicode.Mn, r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
}

// accents are the blocks of the marks (Mn) that folded texts do not have.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{0x0300, 0x036f, 1},                                                                // Latin, Greek and Cyrillic
	{0x0483, 0x0487, 1},                                                                // Cyrillic
	{0x0591, 0x05c7, 1},                                                                // Hebrew
	{0x0610, 0x061a, 1}, {0x064b, 0x065f, 1}, {0x0670, 0x0670, 1}, {0x06d6, 0x06ed, 1}, // Arabic
	{0x1ab0, 0x1aff, 1}, {0x1dc0, 0x1dff, 1}, {0x20d0, 0x20f0, 1}, // supplements, and those of symbols
	{0xfb1e, 0xfb1e, 1}, // Hebrew
	{0xfe20, 0xfe2f, 1}, // halves
}}

// foldCase returns the full case folding of text.
func foldCase(text string) string {
	return strings.Map(foldCherokee, cases.Fold().String(text))
}

// foldCherokee corrects cases.Fold, which swaps the cases of Cherokee. Unicode folds its
// small letters, which were added later, to the capital ones.
func foldCherokee(r rune) rune {
	if r < firstCherokee || !unicode.Is(unicode.Cherokee, r) {
		return r
	}
	return unicode.ToUpper(r)
}

// The first characters of their kinds: a comparison is faster than a table.
const (
	firstMark     = 0x300
	firstCherokee = 0x13a0
)
