package mail

import (
	"html"
	"strings"
)

// markup is HTML.
type markup string

type (
	parts   map[string]string // texts by name
	markups map[string]markup
)

// fill replaces {name} in HTML by the text, or by the markup, of that name. It does not use
// html/template, which prevents the linker from removing unused methods and makes the program 1.5
// times as large.
func fill(page string, texts parts, inner markups) markup {
	var pairs []string
	for name, text := range texts {
		pairs = append(pairs, "{"+name+"}", html.EscapeString(text))
	}
	for name, text := range inner {
		pairs = append(pairs, "{"+name+"}", string(text))
	}
	return markup(strings.NewReplacer(pairs...).Replace(page))
}
