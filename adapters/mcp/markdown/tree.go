package markdown

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// node is an element of stored rich text, or a text. Stored rich text is balanced, so that no rules of browsers apply.
type node struct {
	name     string // "" for a text
	open     string // the start tag as it is written
	text     string // of a text, without character references
	whole    string // the HTML of the node
	attrs    []html.Attribute
	children []*node
	inline   bool // a text, or an element of a text with only such in it
}

var voids = []string{"area", "br", "col", "hr", "img", "wbr"}

// inlines has the elements of a text. Those of ruby are not among them: they end a paragraph.
var inlines = strings.Fields(`a abbr acronym area b bdi bdo br cite code del dfn em i img ins kbd mark meter progress q s samp small span
	strike strong sub sup time tt u var wbr`)

// parse returns the nodes of a text; false if it is not balanced.
func parse(text string) (nodes []*node, balanced bool) {
	type opened struct {
		*node
		from int
	}
	root := &node{inline: true}
	open := []opened{{root, 0}}
	at := 0
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return root.children, len(open) == 1 && at == len(text)
		}
		from := at
		at += len(tokens.Raw())
		parent := open[len(open)-1]
		switch kind {
		case html.TextToken:
			whole := text[from:at]
			parent.children = append(parent.children, &node{text: html.UnescapeString(whole), whole: whole, inline: true})
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := tokens.Token()
			n := &node{name: tag.Data, open: text[from:at], whole: text[from:at], attrs: tag.Attr, inline: slices.Contains(inlines, tag.Data)}
			parent.children = append(parent.children, n)
			switch {
			case !slices.Contains(voids, n.name):
				open = append(open, opened{n, from})
			case !n.inline:
				parent.inline = false
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			if len(open) == 1 || parent.name != string(name) {
				return nil, false
			}
			parent.whole = text[parent.from:at]
			open = open[:len(open)-1]
			if !parent.inline {
				open[len(open)-1].inline = false
			}
		default:
			return nil, false
		}
	}
}

// has reports whether the node is an element with that name and without attributes.
func (n *node) has(name string) bool { return n.name == name && n.open == "<"+name+">" }

// blank reports whether the node is white space.
func (n *node) blank() bool { return n.name == "" && strings.Trim(n.text, " \t\r\n\f") == "" }

// content returns the children of the node without white space between blocks.
func (n *node) content() []*node {
	if onlyBlocks(n.children) {
		return slices.DeleteFunc(slices.Clone(n.children), (*node).blank)
	}
	return n.children
}

// onlyBlocks reports whether nodes are blocks with at most white space between them.
func onlyBlocks(nodes []*node) bool {
	blocks := 0
	for _, n := range nodes {
		switch {
		case !n.inline:
			blocks++
		case !n.blank():
			return false
		}
	}
	return blocks > 0
}

// plain returns the text in the node if no elements are in it.
func (n *node) plain() (text string, ok bool) {
	switch {
	case len(n.children) == 0:
		return "", true
	case len(n.children) == 1 && n.children[0].name == "":
		return n.children[0].text, true
	}
	return "", false
}
