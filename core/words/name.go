package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the maximum length of a name in code points.
const MaxName = 200

// Control reports whether r ends a line or changes how the text around it is shown: a control character, a
// separator of lines or paragraphs, an embedding, override or isolate of the direction of writing.
func Control(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// NameFault returns what is wrong with the name of a person or a thing, "" for nothing. A name is one
// line of text, not blank, of at most MaxName code points.
func NameFault(text string) string {
	switch {
	case Blank(text):
		return "must not be empty"
	case !utf8.ValidString(text) || strings.ContainsFunc(text, Control):
		return "must be text without control characters"
	case utf8.RuneCountInString(text) > MaxName:
		return "must have at most " + strconv.Itoa(MaxName) + " characters"
	default:
		return ""
	}
}
