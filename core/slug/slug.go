package slug

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gosimple/slug"
	"github.com/gosimple/unidecode"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Style is the alphabet of the slugs of a field.
type Style string

// The styles.
const (
	ASCII   Style = "ascii"   // a-z and 0-9
	Unicode Style = "unicode" // letters and digits of any script, in lower case and NFC
)

// Styles are the names of the styles.
var Styles = []string{string(ASCII), string(Unicode)}

// maxDerived is the maximum length of a derived slug in characters.
const maxDerived = 100

// Form describes the slugs of a style, as a phrase that follows "must". With path they may have
// several parts.
func Form(style Style, path bool) string {
	form := "consist of a-z, 0-9, - and _"
	if style == Unicode {
		form = "consist of lower-case letters and digits of any script, - and _"
	}
	if path {
		form += ", with single / between parts"
	}
	return form
}

// Valid reports whether text is a slug of that style, or with path one or more slugs joined by "/".
// A slug has at least one letter or digit. The zero Style is ASCII.
func Valid(text string, style Style, path bool) bool {
	if path {
		for part := range strings.SplitSeq(text, "/") {
			if !Valid(part, style, false) {
				return false
			}
		}
		return true
	}
	word := false
	for _, r := range text {
		switch {
		case r == '-' || r == '_':
		case isWord(r, style):
			word = word || !unicode.Is(unicode.M, r)
		default:
			return false
		}
	}
	return word && (style != Unicode || norm.NFC.IsNormalString(text) && lower(text, "") == text)
}

// isWord reports whether r is a character of the words of slugs. Many scripts write vowels as marks.
func isWord(r rune, style Style) bool {
	if style == Unicode {
		return unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	}
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
}

// Derive returns the slug of a text in a locale, a BCP 47 tag or "": "Größe" is groesse in German and
// grosse in English. The result has no number that makes it unique. It is empty if the text has no
// letter or digit that the style can write.
func Derive(text, locale string, style Style) string {
	text = norm.NFKC.String(strings.Map(visible, strings.ToValidUTF8(text, "")))
	var derived string
	if style == Unicode {
		derived = join(lower(text, locale))
	} else if derived = transliterate(text, conventions(locale)); derived == "" {
		derived = transliterate(text, "en") // whether a text has a slug does not depend on the locale
	}
	if !Valid(derived, style, false) {
		return ""
	}
	return derived
}

// visible drops invisible characters, such as the joiners in the middle of Persian words.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// transliterate returns the words of a text in a-z and 0-9, joined by hyphens.
func transliterate(text, language string) string {
	var spelt strings.Builder
	for _, r := range text {
		switch {
		case isApostrophe(r):
		case r == 'ə' || r == 'Ə': // which the tables write as a sign
			spelt.WriteByte('e')
		case r > unicode.MaxASCII && unicode.In(r, unicode.L, unicode.M) && strings.ContainsFunc(unidecode.Unidecode(string(r)), isSign):
			// The tables write some letters with a sign, such as a soft sign or an aspirated consonant. It
			// would separate words.
			spelt.WriteString(strings.ReplaceAll(slug.MakeLang(string(r), language), "-", ""))
		default:
			spelt.WriteRune(r)
		}
	}
	return slug.MakeLang(spelt.String(), language)
}

// isSign reports whether r is neither a letter nor a digit nor a space.
func isSign(r rune) bool { return !unicode.In(r, unicode.L, unicode.Nd, unicode.Z) }

// isApostrophe reports whether r stands in the middle of words, as in don’t and O‘zbekiston.
func isApostrophe(r rune) bool { return strings.ContainsRune("'’‘`´", r) }

// conventions returns the language whose conventions the transliteration of a locale follows.
func conventions(locale string) string {
	base, _, _ := strings.Cut(strings.ToLower(locale), "-")
	switch base {
	case "da", "no": // as Norwegian
		return "nb"
	case "gsw", "lb", "nds":
		return "de"
	}
	return base
}

func lower(text, locale string) string {
	tag := language.Und
	if locale != "" {
		tag = language.Make(locale)
	}
	return norm.NFC.String(cases.Lower(tag).String(text))
}

// join returns the words of a text in lower case, joined by hyphens. An apostrophe does not separate
// words.
func join(text string) string {
	var derived strings.Builder
	apart := false
	for _, r := range text {
		switch {
		case isWord(r, Unicode) || r == '_':
			if apart && derived.Len() > 0 {
				derived.WriteByte('-')
			}
			apart = false
			derived.WriteRune(r)
		case isApostrophe(r):
		default:
			apart = true
		}
	}
	return norm.NFC.String(strings.Trim(derived.String(), "-_"))
}

// Numbered returns the nth slug made from base, with at most limit characters: base itself for 1, and
// base with the number for others. n is from 1 to Numbers(limit).
func Numbered(base string, n, limit int) string {
	suffix := ""
	if n > 1 {
		suffix = "-" + strconv.Itoa(n)
	}
	room := min(limit, maxDerived) - len(suffix)
	for utf8.RuneCountInString(base) > room {
		_, size := utf8.DecodeLastRuneInString(base)
		base = strings.TrimRight(base[:len(base)-size], "-_")
	}
	return base + suffix
}

// Numbers returns how many slugs can be made from one text: the numbers that leave room for a hyphen
// and at least one character of the text. It is at least 1.
func Numbers(limit int) int {
	const maxDigits = 9 // enough for all entries of a collection
	numbers := 1
	for range min(limit-len("a-"), maxDerived-len("a-"), maxDigits) {
		numbers *= 10
	}
	return max(numbers-1, 1)
}

// MadeFrom reports whether slug is one of the slugs that Numbered makes from base.
func MadeFrom(slug, base string, limit int) bool {
	if base == "" {
		return false
	}
	if slug == Numbered(base, 1, limit) {
		return true
	}
	n, err := strconv.Atoi(slug[strings.LastIndexByte(slug, '-')+1:])
	return err == nil && n > 1 && slug == Numbered(base, n, limit)
}
