package command

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printable returns text with everything escaped that a terminal would not show as a character:
// control characters, also those that change the direction of text, unusual spaces and bytes that
// are not UTF-8. Text from a file could otherwise rewrite what the terminal shows.
func printable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// printableLines is printable for text whose line feeds are its own.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable(line)
	}
	return strings.Join(lines, "\n")
}
