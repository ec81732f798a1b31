package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// markdownParser is built on first use.
var markdownParser = sync.OnceValue(newParser)

// ToHTML returns the HTML of a Markdown text, or a fault: a phrase that follows the name of a field. The HTML has no line
// breaks between blocks and the escapes of stored rich text. Nothing is removed from it: it must be sanitised.
func ToHTML(markdown string) (converted, fault string) {
	return toHTML(markdown, &bounds{})
}

func toHTML(markdown string, b *bounds) (converted, fault string) {
	source := []byte(markdown)
	pc := parser.NewContext()
	pc.Set(boundsKey, b)
	b.block = nil
	document := markdownParser().Parse(text.NewReader(source), parser.WithContext(pc))
	if fault := b.fault(); fault != "" {
		return "", fault
	}
	w := writer{source: source}
	if err := ast.Walk(document, w.visit); err != nil {
		return "", err.Error()
	}
	return w.out.String(), ""
}

// empty marks HTML that begins with no tag of a block, so that the parser keeps it as a block. It is not in the result.
const empty = "<!---->"

// lineBreak stands for a line break in HTML, so that a block of HTML is one line.
const lineBreak = "&#10;"

// writer writes HTML.
type writer struct {
	source []byte
	out    strings.Builder
}

// visit writes the tags of a node.
func (w *writer) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if name := elementOf(n); name != "" {
		w.tag(n, name, entering)
		return ast.WalkContinue, nil
	}
	if !entering {
		if n.Kind() == tables.KindTable && n.ChildCount() > 1 {
			w.out.WriteString("</tbody>")
		}
		if n.Kind() == tables.KindTable {
			w.out.WriteString("</table>")
		}
		if n.Kind() == tables.KindTableHeader {
			w.out.WriteString("</tr></thead>")
			if n.NextSibling() != nil {
				w.out.WriteString("<tbody>")
			}
		}
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *tables.Table:
		w.out.WriteString("<table>")
	case *tables.TableHeader:
		w.out.WriteString("<thead><tr>")
	case *ast.Text:
		w.text(n)
	case *ast.String:
		w.out.WriteString(html.EscapeString(string(n.Value)))
	case *ast.Image:
		w.out.WriteString(image(resolve(n.Destination), w.plain(n), n.Title != nil, resolve(n.Title)))
		return ast.WalkSkipChildren, nil
	case *ast.AutoLink:
		address := string(n.URL(w.source))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
			address = "mailto:" + address
		}
		w.out.WriteString(link(address, false, "") + html.EscapeString(string(n.Label(w.source))) + "</a>")
	case *ast.CodeSpan:
		w.out.WriteString("<code>" + html.EscapeString(strings.ReplaceAll(w.plain(n), "\n", " ")) + "</code>")
		return ast.WalkSkipChildren, nil
	case *ast.CodeBlock:
		w.code("", n.Lines())
	case *ast.FencedCodeBlock:
		w.code(resolve(n.Language(w.source)), n.Lines())
	case *ast.RawHTML:
		w.raw(string(n.Segments.Value(w.source)))
	case *ast.HTMLBlock:
		raw := string(n.Lines().Value(w.source))
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(w.source))
		}
		w.raw(strings.TrimPrefix(strings.TrimRight(raw, "\r\n"), empty))
	case *ast.LinkReferenceDefinition:
		return ast.WalkSkipChildren, nil
	}
	return ast.WalkContinue, nil
}

// elementOf returns the name of the element of a node, or "" for one that is not a plain element.
func elementOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Paragraph:
		return "p"
	case *ast.Heading:
		return "h" + strconv.Itoa(n.Level)
	case *ast.ThematicBreak:
		return "hr"
	case *ast.Blockquote:
		return "blockquote"
	case *ast.List:
		if n.IsOrdered() {
			return "ol"
		}
		return "ul"
	case *ast.ListItem:
		return "li"
	case *ast.Emphasis:
		if n.Level == 2 {
			return "strong"
		}
		return "em"
	case *ast.Link:
		return "a"
	case *tables.Strikethrough:
		return "s"
	case *tables.TableRow:
		return "tr"
	case *tables.TableCell:
		if n.Parent().Kind() == tables.KindTableHeader {
			return "th"
		}
		return "td"
	}
	return ""
}

// tag writes a tag of the element of a node.
func (w *writer) tag(n ast.Node, name string, entering bool) {
	if !entering {
		if name != "hr" {
			w.out.WriteString("</" + name + ">")
		}
		return
	}
	switch n := n.(type) {
	case *ast.Link:
		w.out.WriteString(link(resolve(n.Destination), n.Title != nil, resolve(n.Title)))
		return
	case *ast.List:
		if n.IsOrdered() && n.Start != 1 {
			name += ` start="` + strconv.Itoa(n.Start) + `"`
		}
	case *tables.TableCell:
		if n.Alignment != tables.AlignNone {
			name += ` align="` + n.Alignment.String() + `"`
		}
	}
	w.out.WriteString("<" + name + ">")
}

// link returns a start tag.
func link(address string, titled bool, title string) string {
	if titled {
		return `<a href="` + html.EscapeString(address) + `" title="` + html.EscapeString(title) + `">`
	}
	return `<a href="` + html.EscapeString(address) + `">`
}

// image returns an img.
func image(source, alt string, titled bool, title string) string {
	tag := `<img src="` + html.EscapeString(source) + `" alt="` + html.EscapeString(alt) + `"`
	if titled {
		tag += ` title="` + html.EscapeString(title) + `"`
	}
	return tag + ">"
}

func (w *writer) text(n *ast.Text) {
	value := n.Segment.Value(w.source)
	if n.IsRaw() {
		w.out.WriteString(html.EscapeString(string(value)))
	} else {
		w.out.WriteString(html.EscapeString(resolve(value)))
	}
	switch {
	case n.HardLineBreak():
		w.out.WriteString("<br>")
	case n.SoftLineBreak():
		w.out.WriteString("\n")
	}
}

// plain returns the text inside of a node.
func (w *writer) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		t, ok := n.(*ast.Text)
		switch {
		case !ok, !entering:
			return ast.WalkContinue, nil
		case t.IsRaw():
			b.Write(t.Segment.Value(w.source))
		default:
			b.WriteString(resolve(t.Segment.Value(w.source)))
		}
		if t.SoftLineBreak() || t.HardLineBreak() {
			b.WriteByte('\n')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// code writes a block of code, without the line break at its end.
func (w *writer) code(language string, lines *text.Segments) {
	w.out.WriteString("<pre><code")
	if language != "" {
		w.out.WriteString(` class="language-` + html.EscapeString(language) + `"`)
	}
	content := strings.TrimSuffix(string(lines.Value(w.source)), "\n")
	w.out.WriteString(">" + html.EscapeString(content) + "</code></pre>")
}

func (w *writer) raw(text string) { w.out.WriteString(strings.ReplaceAll(text, lineBreak, "\n")) }

// reference is a character reference of CommonMark.
var reference = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);`)

// resolve returns text without its backslash escapes and character references.
func resolve(source []byte) string {
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && i+1 < len(source) && util.IsPunct(source[i+1]):
			i++
			b.WriteByte(source[i])
		case c == '&':
			found := string(reference.Find(source[i:min(len(source), i+maxReference)]))
			resolved := html.UnescapeString(found)
			if found == "" || strings.HasSuffix(resolved, ";") && found != "&semi;" && found[1] != '#' { // unknown, or known in part
				b.WriteByte(c)
				continue
			}
			b.WriteString(resolved)
			i += len(found) - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// maxReference is the maximum length of a character reference in bytes.
const maxReference = 40
