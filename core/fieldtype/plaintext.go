package fieldtype

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns the text that a reader of rich text sees, without markup and with character
// references resolved. Blocks and cells are on separate lines, so that their words are not joined.
func plainText(richText string) string { return textOf(richText, false) }

// wordedText returns plainText with the alternative texts of pictures, each on a line of its own.
func wordedText(richText string) string { return textOf(richText, true) }

func textOf(richText string, described bool) string {
	if !strings.ContainsAny(richText, "<&") {
		return richText
	}
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(richText))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(tokens.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			if inLine[atom.Lookup(name)] {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			if alt := alternative(tokens); described && alt != "" {
				b.WriteString(alt + "\n")
			}
		}
	}
}

// alternative returns the attribute alt of the present tag.
func alternative(tokens *html.Tokenizer) string {
	for more := true; more; {
		var name, value []byte
		if name, value, more = tokens.TagAttr(); string(name) == "alt" {
			return string(value)
		}
	}
	return ""
}

// inLine has the elements of rich text that may be in the middle of a word.
var inLine = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.Acronym: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Cite: true, atom.Code: true, atom.Del: true, atom.Dfn: true,
	atom.Em: true, atom.I: true, atom.Ins: true, atom.Kbd: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true,
	atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}

// TextNode is the span of one text without markup inside of it, in bytes of the text of a value.
type TextNode struct{ From, To int }

// Nodes returns the text that a reader of value sees, as Searched, and the text nodes that it consists of. A type
// without markup has one.
func (t *Type) Nodes(value string) (text string, nodes []TextNode) {
	if t.Name != "richtext" || !strings.ContainsAny(value, "<&") {
		return value, []TextNode{{0, len(value)}}
	}
	length := 0
	tokens := html.NewTokenizer(strings.NewReader(value))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return plainText(value), nodes
		case html.TextToken:
			n := len(tokens.Text())
			nodes = append(nodes, TextNode{length, length + n})
			length += n
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := tokens.TagName(); !inLine[atom.Lookup(name)] && length > 0 {
				length++
			}
		}
	}
}
