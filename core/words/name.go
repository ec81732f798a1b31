package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the maximum length of a name in code points.
const MaxName = 200

// NameFault returns what is wrong with the name of a person or a thing, "" for nothing. A name is one
// line of text, not blank, of at most MaxName code points.
func NameFault(text string) string {
	switch {
	case Blank(text):
		return "must not be empty"
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return "must be text without control characters"
	case utf8.RuneCountInString(text) > MaxName:
		return "must have at most " + strconv.Itoa(MaxName) + " characters"
	default:
		return ""
	}
}
