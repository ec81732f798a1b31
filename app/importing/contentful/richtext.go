package contentful

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"

	"imprimatur/app/importing"
	"imprimatur/core/canonical"
)

// node is a node of a rich text document.
type node struct {
	Type    string `json:"nodeType"`
	Value   string `json:"value"`
	Content []node `json:"content"`
	Marks   []struct {
		Type string `json:"type"`
	} `json:"marks"`
	Data struct {
		URI    string `json:"uri"`
		Target link   `json:"target"`
	} `json:"data"`
}

// blocks and marks are the elements of nodes and marks.
var (
	blocks = map[string]string{
		"paragraph": "p", "heading-1": "h1", "heading-2": "h2", "heading-3": "h3", "heading-4": "h4", "heading-5": "h5", "heading-6": "h6",
		"ordered-list": "ol", "unordered-list": "ul", "list-item": "li", "blockquote": "blockquote", "table-row": "tr", "table-cell": "td",
		"table-header-cell": "th",
	}
	marks = map[string]string{
		"bold": "strong", "italic": "em", "underline": "u", "code": "code", "superscript": "sup", "subscript": "sub", "strikethrough": "s",
	}
)

// maxDepth is the largest number of nodes of which one is inside the other.
const maxDepth = 100

// writer makes HTML of a document.
type writer struct {
	*Source

	entry *importing.Entry
	field string
	code  string // locale
	out   strings.Builder
	made  importing.Markup
}

// markup returns a document as rich text.
func (s *Source) markup(e *importing.Entry, field string, doc *node, code string) *importing.Markup {
	w := &writer{Source: s, entry: e, field: field, code: code}
	w.children(doc, 0)
	w.made.Text = w.out.String()
	return &w.made
}

func (w *writer) lose(reason, value string) {
	w.entry.Lose(importing.LostPart, w.field, reason, canonical.Quote(value))
}

func (w *writer) children(n *node, depth int) {
	if depth >= maxDepth {
		w.lose("is nested too deep", n.Type)
		return
	}
	for i := range n.Content {
		w.node(&n.Content[i], depth+1)
	}
}

func (w *writer) inside(element string, n *node, depth int) {
	w.out.WriteString("<" + element + ">")
	w.children(n, depth)
	w.out.WriteString("</" + element + ">")
}

func (w *writer) node(n *node, depth int) {
	switch n.Type {
	case "text":
		w.text(n)
	case "hr":
		w.out.WriteString("<hr>")
	case "table":
		w.out.WriteString("<table><tbody>")
		w.children(n, depth)
		w.out.WriteString("</tbody></table>")
	case "hyperlink":
		w.out.WriteString(`<a href="` + html.EscapeString(n.Data.URI) + `">`)
		w.children(n, depth)
		w.out.WriteString("</a>")
	case "entry-hyperlink":
		w.reference(n, func() { w.children(n, depth) })
	case "asset-hyperlink":
		w.asset(n, func() { w.children(n, depth) })
	case "embedded-entry-block":
		w.out.WriteString("<p>")
		w.reference(n, nil)
		w.out.WriteString("</p>")
	case "embedded-entry-inline":
		w.reference(n, nil)
	case "embedded-asset-block":
		w.embedded(n)
	default:
		if element := blocks[n.Type]; element != "" {
			w.inside(element, n, depth)
			return
		}
		w.lose("has no such element as "+n.Type, cmp.Or(n.Data.URI, n.Data.Target.Sys.ID))
		w.children(n, depth)
	}
}

// text writes the words of a node in the elements of its marks.
func (w *writer) text(n *node) {
	var elements []string
	for _, mark := range n.Marks {
		if element := marks[mark.Type]; element == "" {
			w.lose("has no such mark as "+mark.Type, n.Value)
		} else if !slices.Contains(elements, element) {
			elements = append(elements, element)
		}
	}
	for _, element := range elements {
		w.out.WriteString("<" + element + ">")
	}
	w.out.WriteString(strings.ReplaceAll(html.EscapeString(n.Value), "\n", "<br>"))
	for _, element := range slices.Backward(elements) {
		w.out.WriteString("</" + element + ">")
	}
}

// reference writes a link to an entry around what words writes; nil: around its title.
func (w *writer) reference(n *node, words func()) {
	id := n.Data.Target.Sys.ID
	target := w.entries[id]
	if target == nil {
		w.lose("points to nothing: entry", id)
		if words != nil {
			words()
		}
		return
	}
	w.made.Refs = append(w.made.Refs, importing.Ref{Kind: target.kind, ID: id})
	w.out.WriteString(`<a data-entry="` + strconv.Itoa(len(w.made.Refs)) + `">`)
	if words != nil {
		words()
	} else {
		w.out.WriteString(html.EscapeString(cmp.Or(target.title, id)))
	}
	w.out.WriteString("</a>")
}

// asset writes a link to a file around what words writes; nil: around its title.
func (w *writer) asset(n *node, words func()) {
	id := n.Data.Target.Sys.ID
	target := w.assets[id]
	if target == nil {
		w.lose("points to nothing: asset", id)
		if words != nil {
			words()
		}
		return
	}
	w.made.Files = append(w.made.Files, w.fileID(target, w.code))
	w.out.WriteString(`<a data-media="` + strconv.Itoa(len(w.made.Files)) + `">`)
	if words != nil {
		words()
	} else {
		w.out.WriteString(html.EscapeString(cmp.Or(w.titleOf(target), id)))
	}
	w.out.WriteString("</a>")
}

func (w *writer) titleOf(a *asset) string {
	return cmp.Or(a.Fields.Title[w.code], a.Fields.Title[w.locales[0].Code])
}

// embedded writes a picture, or a link to another file.
func (w *writer) embedded(n *node) {
	target := w.assets[n.Data.Target.Sys.ID]
	if target == nil {
		w.lose("points to nothing: asset", n.Data.Target.Sys.ID)
		return
	}
	file := target.Fields.File[w.code]
	if file.URL == "" {
		file = target.Fields.File[w.locales[0].Code]
	}
	if !strings.HasPrefix(file.ContentType, "image/") {
		w.out.WriteString("<p>")
		w.asset(n, nil)
		w.out.WriteString("</p>")
		return
	}
	w.made.Files = append(w.made.Files, w.fileID(target, w.code))
	alt := cmp.Or(target.Fields.Description[w.code], w.titleOf(target))
	w.out.WriteString(`<figure><img data-media="` + strconv.Itoa(len(w.made.Files)) + `" alt="` + html.EscapeString(alt) + `"></figure>`)
}
