package migration

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// blockElements are the elements for nodes of Contentful's rich text.
var blockElements = map[string]string{
	"paragraph": "p", "heading-1": "h1", "heading-2": "h2", "heading-3": "h3", "heading-4": "h4", "heading-5": "h5", "heading-6": "h6",
	"unordered-list": "ul", "ordered-list": "ol", "list-item": "li", "blockquote": "blockquote", "hr": "hr",
	"table": "table", "table-row": "tr", "table-cell": "td", "table-header-cell": "th",
}

// markElements are the elements for marks.
var markElements = map[string]string{
	"bold": "strong", "italic": "em", "underline": "u", "code": "code", "superscript": "sup", "subscript": "sub", "strikethrough": "s",
}

// linkAttributes are the attributes for nodes with a target.
var linkAttributes = map[string]string{
	"embedded-asset-block": "data-media", "asset-hyperlink": "data-media", "entry-hyperlink": "data-entry",
	"embedded-entry-block": "data-entry", "embedded-entry-inline": "data-entry",
}

// richText returns HTML for a node of Contentful. number returns the number of a target.
func richText(node object, number func(kind, id string) int) string {
	var inner strings.Builder
	content, _ := node["content"].([]any)
	for _, child := range content {
		inner.WriteString(richText(child.(object), number))
	}
	kind := node["nodeType"].(string)
	data, _ := node["data"].(object)
	switch kind {
	case "document":
		return inner.String()
	case "text":
		return markedText(node)
	case "hr":
		return "<hr>"
	case "hyperlink":
		return fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(data["uri"].(string)), &inner)
	case "embedded-asset-block", "asset-hyperlink", "entry-hyperlink", "embedded-entry-block", "embedded-entry-inline":
		sys := data["target"].(object)["sys"].(object)
		attribute := fmt.Sprintf(`%s="%d"`, linkAttributes[kind], number(sys["linkType"].(string), sys["id"].(string)))
		if kind == "embedded-asset-block" {
			return "<img " + attribute + ">"
		}
		return fmt.Sprintf("<a %s>%s</a>", attribute, &inner)
	}
	element, spans := blockElements[kind], ""
	for _, span := range []string{"colspan", "rowspan"} {
		if data[span] != nil {
			spans += fmt.Sprintf(` %s="%v"`, span, data[span])
		}
	}
	return "<" + element + spans + ">" + inner.String() + "</" + element + ">"
}

func markedText(node object) string {
	text := strings.ReplaceAll(html.EscapeString(node["value"].(string)), "\n", "<br>")
	marks := node["marks"].([]any)
	for _, mark := range slices.Backward(marks) {
		element := markElements[mark.(object)["type"].(string)]
		text = "<" + element + ">" + text + "</" + element + ">"
	}
	return text
}

// richTextReader makes Contentful's nodes from HTML. link returns the link to the target of an
// attribute.
type richTextReader struct {
	link func(attribute string, id float64) object
}

func (r richTextReader) document(t *testing.T, text string) object {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(text), nil)
	ok(t, err)
	body := nodes[0].LastChild // of an html element with a head and a body
	return object{"nodeType": "document", "data": object{}, "content": r.children(t, body, nil)}
}

func (r richTextReader) children(t *testing.T, parent *html.Node, marks []any) []any {
	t.Helper()
	nodes := []any{}
	for child := range parent.ChildNodes() {
		nodes = append(nodes, r.nodes(t, child, marks)...)
	}
	return nodes
}

// nodes returns the nodes for n. Marks are those of the elements around it.
func (r richTextReader) nodes(t *testing.T, n *html.Node, marks []any) []any {
	t.Helper()
	if n.Type == html.TextNode {
		return []any{textNode(n.Data, marks)}
	}
	if mark := nameOf(markElements, n.Data); mark != "" {
		return r.children(t, n, append(slices.Clone(marks), object{"type": mark}))
	}
	attributes := map[string]string{}
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
	}
	switch n.Data {
	case "br":
		return []any{textNode("\n", marks)}
	case "tbody":
		return r.children(t, n, marks)
	case "img":
		return []any{object{"nodeType": "embedded-asset-block", "data": r.target(t, "data-media", attributes), "content": []any{}}}
	case "a":
		return []any{r.anchor(t, n, attributes, marks)}
	}
	kind := nameOf(blockElements, n.Data)
	if kind == "" {
		t.Errorf("unknown element %s", n.Data)
	}
	content := r.children(t, n, marks)
	if kind == "paragraph" || strings.HasPrefix(kind, "heading-") {
		content = settled(content)
	}
	data := object{}
	for _, span := range []string{"colspan", "rowspan"} {
		if n, err := strconv.Atoi(attributes[span]); err == nil {
			data[span] = n
		}
	}
	return []any{object{"nodeType": kind, "data": data, "content": content}}
}

func (r richTextReader) anchor(t *testing.T, n *html.Node, attributes map[string]string, marks []any) object {
	t.Helper()
	if n.FirstChild == nil { // an embedded entry has no text
		kind := map[bool]string{true: "embedded-entry-block", false: "embedded-entry-inline"}[n.Parent.Data == "body"]
		return object{"nodeType": kind, "data": r.target(t, "data-entry", attributes), "content": []any{}}
	}
	content := settled(r.children(t, n, marks))
	for attribute, kind := range map[string]string{"data-media": "asset-hyperlink", "data-entry": "entry-hyperlink"} {
		if attributes[attribute] != "" {
			return object{"nodeType": kind, "data": r.target(t, attribute, attributes), "content": content}
		}
	}
	return object{"nodeType": "hyperlink", "data": object{"uri": attributes["href"]}, "content": content}
}

func (r richTextReader) target(t *testing.T, attribute string, attributes map[string]string) object {
	t.Helper()
	id, err := strconv.ParseFloat(attributes[attribute], 64)
	ok(t, err)
	return object{"target": r.link(attribute, id)}
}

func textNode(value string, marks []any) object {
	if marks == nil {
		marks = []any{}
	}
	return object{"nodeType": "text", "value": value, "marks": marks, "data": object{}}
}

// settled returns the content of a paragraph as Contentful has it: a text before and after each link,
// and texts with the same marks as one.
func settled(nodes []any) []any {
	result := []any{}
	for _, node := range nodes {
		last := len(result) - 1
		switch text := node.(object)["nodeType"] == "text"; {
		case text && last >= 0 && sameMarks(result[last].(object), node.(object)):
			joined := result[last].(object)
			joined["value"] = joined["value"].(string) + node.(object)["value"].(string)
			continue
		case !text && (last < 0 || result[last].(object)["nodeType"] != "text"):
			result = append(result, textNode("", nil))
		}
		result = append(result, node)
	}
	if last := len(result) - 1; last < 0 || result[last].(object)["nodeType"] != "text" {
		result = append(result, textNode("", nil))
	}
	return result
}

func sameMarks(a, b object) bool {
	return a["nodeType"] == "text" && fmt.Sprint(a["marks"]) == fmt.Sprint(b["marks"])
}

// nameOf returns the key of a value, or "".
func nameOf(names map[string]string, value string) string {
	for name, v := range names {
		if v == value {
			return name
		}
	}
	return ""
}
