package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxToken is the maximum length of a token in bytes. Longer words are cut, in texts and in searches.
const maxToken = 64

// tatweel lengthens the line between two Arabic letters and is no letter itself.
const tatweel = '\u0640'

// Tokens returns the tokens of text in order. Two tokens are adjacent in the result if they are adjacent
// in the text. The text is folded as by [Fold]; controls separate words, and format characters do not.
//
// A token is a word as UAX 29 divides texts: letters, digits, marks and connectors, with a full stop or a
// comma between two digits. Connectors alone, such as "____", are no word. Words that a hyphen, an apostrophe,
// a full stop or a slash joins are several tokens, so that the second word of "l'été" is found; see [Bag.Add].
// Scripts that are written without spaces between words give overlapping pairs of characters: "東京都" gives
// 東京 and 京都. A single such character is a token.
func Tokens(text string) []string {
	var tokens []string
	each(text, func(token string, _ bool) bool {
		tokens = append(tokens, token)
		return true
	})
	return tokens
}

// each calls yield with the tokens of text until it returns false. joined means that one of joiners is between
// a token and the one before.
func each(text string, yield func(token string, joined bool) bool) {
	text = tokenizable(text)
	before := -1 // the end of the word before, if it is no pair
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		kind := kindOf(r)
		if kind <= mark {
			at += size
			continue
		}
		end := at + size
		if kind >= han {
			end = runEnd(text, end, kind)
			if !eachPair(text[at:end], yield) {
				return
			}
			before = -1
		} else {
			end = wordEnd(text, end, kind)
			if word := cut(text[at:end], maxToken); isLine(word) {
				before = -1
			} else {
				if !yield(word, before >= 0 && isJoiner(text[before:at])) {
					return
				}
				before = end
			}
		}
		at = end
	}
}

// joiners are the characters between the parts of a word, as folded texts have them: hyphens, apostrophes and
// what people type for them, dots and slashes.
const joiners = "-‐֊־" + "'’‘ʼʻ`՚׳״" + ".·‧" + "/"

func isJoiner(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size == len(text) && strings.ContainsRune(joiners, r)
}

// appendJoined appends the words that parts, which joiners join, give in one piece: those of two and three
// parts, such as "oneill" of "O'Neill's", and the whole.
func appendJoined(joined, parts []string) []string {
	for size := 2; size <= min(len(parts), maxJoined); size++ {
		for at := range len(parts) - size + 1 {
			joined = append(joined, inOnePiece(parts[at:at+size]))
		}
	}
	if len(parts) > maxJoined {
		joined = append(joined, inOnePiece(parts))
	}
	return joined
}

// maxJoined is the number of parts that a word may have of which each run of parts is a word.
const maxJoined = 3

func inOnePiece(parts []string) string { return cut(strings.Join(parts, ""), maxToken) }

// tokenizable returns text folded, with spaces for controls and without invisible characters.
func tokenizable(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	text = Fold(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return ' '
		case r == '´': // would become a space
			return '\''
		case r == tatweel, r > unicode.MaxASCII && Invisible(r) && !unicode.IsSpace(r):
			return -1
		}
		return r
	}, text))
	return norm.NFC.String(text) // a syllable of Hangul and a kana with its mark are one character
}

// eachPair calls yield with the overlapping pairs of characters of run, or with its only character.
func eachPair(run string, yield func(token string, joined bool) bool) bool {
	_, first := utf8.DecodeRuneInString(run)
	if first == len(run) {
		return yield(run, false)
	}
	for at := 0; ; {
		_, one := utf8.DecodeRuneInString(run[at:])
		_, two := utf8.DecodeRuneInString(run[at+one:])
		if !yield(run[at:at+one+two], false) {
			return false
		}
		if at += one; at+two == len(run) {
			return true
		}
	}
}

// runEnd returns the end of the characters of one kind from at on.
func runEnd(text string, at int, kind kind) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if kindOf(r) != kind {
			break
		}
		at += size
	}
	return at
}

// wordEnd returns the end of a word whose characters before at end with one of kind last.
func wordEnd(text string, at int, last kind) int {
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		next := kindOf(r)
		switch {
		case next >= mark && next < han:
			if next != mark {
				last = next
			}
		case (r == '.' || r == ',') && last == digit:
			after, _ := utf8.DecodeRuneInString(text[at+size:])
			if kindOf(after) != digit {
				return at
			}
		default:
			return at
		}
		at += size
	}
	return at
}

// cut returns the characters of text in its first most bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// isLine reports whether a word has connectors only.
func isLine(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return kindOf(r) != connector })
}

// kind is what a character is in a word. The kinds from han on are the scripts that are divided into
// pairs. Han and the two kana are one kind, because Japanese words mix them.
type kind uint8

const (
	none kind = iota
	mark
	letter
	digit
	connector
	han
	hangul
	thai
	lao
	khmer
	myanmar
)

// paired are the scripts that are divided into pairs. Each is in blocks behind the first Thai character.
var paired = []struct {
	kind  kind
	table *unicode.RangeTable
}{
	{han, unicode.Han}, {han, unicode.Hiragana}, {han, unicode.Katakana}, {hangul, unicode.Hangul},
	{thai, unicode.Thai}, {lao, unicode.Lao}, {khmer, unicode.Khmer}, {myanmar, unicode.Myanmar},
}

const firstPaired = 0xe00

func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case 'a' <= r && r <= 'z':
			return letter
		case '0' <= r && r <= '9':
			return digit
		case r == '_':
			return connector
		}
		return none
	case unicode.IsNumber(r) && !unicode.Is(unicode.Han, r):
		return digit
	case r == 'ー': // the sign of a long vowel belongs to no script
		return han
	case r >= firstPaired && (unicode.IsLetter(r) || unicode.IsMark(r)):
		for _, script := range paired {
			if unicode.Is(script.table, r) {
				return script.kind
			}
		}
	}
	switch {
	case r == 'ʼ', r == 'ʻ': // letters by their category, but apostrophes
		return none
	case unicode.IsLetter(r):
		return letter
	case unicode.IsMark(r):
		return mark
	case unicode.Is(unicode.Pc, r):
		return connector
	}
	return none
}

// The lengths of the beginnings of words that Edges returns, in characters.
const (
	minPrefix = 2
	maxEdge   = 3
)

// Edges calls visit with the short beginnings of a token that an index has as tokens of their own: those
// of two and three characters of a word, and each character of a pair. Searches for the beginning of a
// word then need not read all words that begin with it.
func Edges(token string, visit func(edge string)) {
	first, size := utf8.DecodeRuneInString(token)
	if kindOf(first) >= han {
		visit(token[:size])
		if size < len(token) {
			visit(token[size:])
		}
		return
	}
	n := 0
	for at := range token {
		if n >= minPrefix && n <= maxEdge {
			visit(token[:at])
		}
		if n++; n > maxEdge {
			return
		}
	}
	if n >= minPrefix && n <= maxEdge {
		visit(token)
	}
}
