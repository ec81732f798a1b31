package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// places says where a text is.
type places struct {
	oneLine bool // it cannot have line breaks
}

// line returns the Markdown of the texts in a node.
func (r renderer) line(n *node, at places) string {
	w := inlineWriter{renderer: r, places: at}
	w.nodes(n.children, true, true)
	return w.out.String()
}

// inlineWriter writes the elements of a text.
type inlineWriter struct {
	renderer
	places

	out strings.Builder
}

// nodes writes nodes. first and last say whether they begin and end the text.
func (w *inlineWriter) nodes(all []*node, first, last bool) {
	for i, n := range all {
		isLast := last && i == len(all)-1
		if n.name == "" {
			w.text(n.text, first && i == 0, isLast)
			continue
		}
		before, after := ' ', ' '
		if i > 0 {
			before = lastOf(all[i-1])
		} else if !first {
			before = '*'
		}
		if i < len(all)-1 {
			after = firstOf(all[i+1])
		} else if !last {
			after = '*'
		}
		w.element(n, before, after, isLast)
	}
}

// firstOf returns the first character of a node; * for an element.
func firstOf(n *node) rune {
	if n.text == "" {
		return '*'
	}
	c, _ := utf8.DecodeRuneInString(n.text)
	return c
}

// lastOf returns the last character of a node; * for an element.
func lastOf(n *node) rune {
	if n.text == "" {
		return '*'
	}
	c, _ := utf8.DecodeLastRuneInString(n.text)
	return c
}

// element writes an element between two characters.
func (w *inlineWriter) element(n *node, before, after rune, last bool) {
	if w.rawMarks || !w.marks(n, before, after, last) {
		w.raw(n)
	}
}

// raw writes an element as HTML.
func (w *inlineWriter) raw(n *node) {
	w.out.WriteString(strings.ReplaceAll(n.open, "\n", lineBreak))
	if n.whole == n.open {
		return // without an end tag
	}
	w.nodes(n.children, false, false)
	w.out.WriteString("</" + n.name + ">")
}

// marks writes an element as Markdown. It returns false if there is no Markdown for it.
func (w *inlineWriter) marks(n *node, before, after rune, last bool) bool {
	switch n.name {
	case "br":
		if n.open != "<br>" || w.oneLine || last {
			return false
		}
		w.out.WriteString("\\\n")
	case "strong", "em", "s":
		return w.emphasis(n, before, after)
	case "code":
		return w.code(n)
	case "a":
		return w.link(n)
	case "img":
		return w.image(n)
	default:
		return false
	}
	return true
}

// emphasis writes an element between marks, if the characters around them let them begin and end it.
func (w *inlineWriter) emphasis(n *node, before, after rune) bool {
	if !n.has(n.name) || len(n.children) == 0 {
		return false
	}
	inner, end := firstOf(n.children[0]), lastOf(n.children[len(n.children)-1])
	if unicode.IsSpace(inner) || unicode.IsSpace(end) || isMark(inner) && isWord(before) || isMark(end) && isWord(after) {
		return false
	}
	mark := map[string]string{"strong": "**", "s": "~~", "em": "_"}[n.name]
	if n.name == "em" && (isWord(before) || isWord(after)) {
		mark = "*"
	}
	w.out.WriteString(mark)
	w.nodes(n.children, false, false)
	w.out.WriteString(mark)
	return true
}

func isWord(c rune) bool { return !unicode.IsSpace(c) && !isMark(c) }

func isMark(c rune) bool { return unicode.IsPunct(c) || unicode.IsSymbol(c) }

// code writes an element between backticks.
func (w *inlineWriter) code(n *node) bool {
	text, plain := n.plain()
	if !n.has("code") || !plain || text == "" || strings.ContainsAny(text, "\n\r\t") || w.oneLine && strings.Contains(text, "|") {
		return false
	}
	fence := strings.Repeat("`", longestTicks(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") && strings.Trim(text, " ") != "" {
		text = " " + text + " "
	}
	w.out.WriteString(fence + text + fence)
	return true
}

// link writes a link with an address and perhaps a title.
func (w *inlineWriter) link(n *node) bool {
	address, title, titled, ok := addressed(n, "href")
	if !ok || link(address, titled, title) != n.open || len(n.children) == 0 {
		return false
	}
	w.out.WriteString("[")
	w.nodes(n.children, false, false)
	w.out.WriteString("](" + target(address, title, titled) + ")")
	return true
}

// image writes an image with a source, an alternative text and perhaps a title.
func (w *inlineWriter) image(n *node) bool {
	if len(n.attrs) < 2 || n.attrs[1].Key != "alt" {
		return false
	}
	alt := n.attrs[1].Val
	others := *n
	others.attrs = append([]html.Attribute{n.attrs[0]}, n.attrs[2:]...)
	source, title, titled, ok := addressed(&others, "src")
	if !ok || image(source, alt, titled, title) != n.open {
		return false
	}
	w.out.WriteString("![")
	w.text(alt, false, false)
	w.out.WriteString("](" + target(source, title, titled) + ")")
	return true
}

// addressed returns the attributes of an element that has an address and at most a title beside it.
func addressed(n *node, name string) (address, title string, titled, ok bool) {
	switch {
	case len(n.attrs) == 0, n.attrs[0].Key != name, len(n.attrs) > 2, len(n.attrs) == 2 && n.attrs[1].Key != "title":
		return "", "", false, false
	case len(n.attrs) == 2:
		return n.attrs[0].Val, n.attrs[1].Val, true, true
	}
	return n.attrs[0].Val, "", false, true
}

// target returns an address and a title as in parentheses.
func target(address, title string, titled bool) string {
	address = escapeReferences(addressMarks.ReplaceAllString(address, `\$0`))
	if address == "" || strings.ContainsAny(address, " \t") {
		address = "<" + address + ">"
	}
	if titled {
		title = strings.NewReplacer("\n", lineBreak, "\r", "&#13;").Replace(escapeReferences(titleMarks.ReplaceAllString(title, `\$0`)))
		address += ` "` + title + `"`
	}
	return address
}

var (
	addressMarks = regexp.MustCompile("[\\\\()<>*`\\[\\]|]")
	titleMarks   = regexp.MustCompile(`["\\|]`)
	// references are the character references in a text, and what looks like one.
	references = regexp.MustCompile(`&#?[A-Za-z0-9]+;`)
)

// escapeReferences returns text in which what looks like a character reference stays text.
func escapeReferences(text string) string {
	return references.ReplaceAllStringFunc(text, func(found string) string { return "&amp;" + found[1:] })
}

// text writes a text so that no mark in it means anything. first and last say whether it begins and ends the whole text.
func (w *inlineWriter) text(text string, first, last bool) {
	text = escapeReferences(text)
	begins := first || strings.HasSuffix(w.out.String()[max(0, w.out.Len()-1):], "\n")
	for i := 0; i < len(text); i++ {
		c := text[i]
		var next byte
		if i+1 < len(text) {
			next = text[i+1]
		}
		ends := i+1 == len(text)
		switch {
		case c == '\n' && (w.oneLine || begins || ends || i == 0 || next == ' ' || next == '\t' || next == '\n' || next == '\r'):
			w.out.WriteString(lineBreak)
		case c == '\n':
			w.out.WriteByte(c)
			begins = true
			continue
		case c == ' ' && (begins || ends && last || next == '\n'):
			w.out.WriteString("&#32;")
		case c == '\t':
			w.out.WriteString("&#9;")
		case c == '\r':
			w.out.WriteString("&#13;")
		case c == '_' && i > 0 && isLetter(text[i-1]) && isLetter(next):
			w.out.WriteByte(c)
		case strings.IndexByte("\\`*_[]<~|", c) >= 0, c == '!' && ends, c == '#' && (begins || w.oneLine), begins && (c == '>' || c == '='),
			begins && (c == '-' || c == '+' || c == ':') && (next == 0 || next == ' ' || next == '-' || next == ':'):
			w.out.WriteByte('\\')
			w.out.WriteByte(c)
		case begins && c >= '0' && c <= '9':
			w.out.WriteByte(c)
			if (next == '.' || next == ')') && (i+2 == len(text) || strings.IndexByte(" \n\t", text[i+2]) >= 0) {
				w.out.WriteByte('\\')
			}
			continue // still at the beginning
		default:
			w.out.WriteByte(c)
		}
		begins = false
	}
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
