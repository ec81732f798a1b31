package fieldtype

import (
	"html"
	"strings"
)

// Paragraphs returns plain text as rich text: what blank lines separate is a paragraph each, and other line breaks stay.
func Paragraphs(text string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if part = strings.Trim(part, "\n"); part != "" {
			out.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(part), "\n", "<br>") + "</p>")
		}
	}
	return out.String()
}
