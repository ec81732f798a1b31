package mail

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The greatest lengths of texts in mails, in characters.
const (
	longestName    = 100
	longestSubject = 120 // the title in it
	longestTitle   = 300
	longestComment = 4000
)

// oneLine returns text in one line of at most limit characters: any white space is one space, and
// characters that control the terminal or the direction of writing are left out.
func oneLine(text string, limit int) string {
	return clipped(strings.Join(strings.Fields(printable(text)), " "), limit)
}

// isolated returns text so that its direction of writing does not reorder what stands beside it.
func isolated(text string) string {
	if !strings.ContainsFunc(text, fromRight) {
		return text
	}
	return "\u2068" + text + "\u2069"
}

func fromRight(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// lines returns the lines of text, of at most limit characters together.
func lines(text string, limit int) []string {
	text = clipped(strings.TrimSpace(printable(strings.ReplaceAll(text, "\r\n", "\n"))), limit)
	if text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return all
}

// printable leaves out what shows nothing and could hide or reorder text. Every break of a line is "\n".
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff':
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// clipped returns at most limit characters of text, the last an ellipsis if some are left out.
func clipped(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}
