package fieldtype

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxNesting is the maximum nesting depth of the elements of rich text.
const maxNesting = 200

// balance returns sanitised HTML with properly nested elements: it closes every element inside its
// parent, and removes end tags that close nothing. An element with an omitted optional end tag
// ends where a browser ends it. balance returns a message instead if the elements nest too deeply.
//
// Parsing the HTML and writing out the tree would do the same, but the HTML rules repeat unclosed
// formatting elements such as b and i in each following block: 4 MB of input can make a tree of
// 500 million elements. Here the result has at most one additional end tag for each start tag.
func balance(fragment string) (balanced, message string) {
	b := balancer{tokens: html.NewTokenizer(strings.NewReader(fragment))}
	for {
		switch b.tokens.Next() {
		case html.ErrorToken:
			b.closeTo(0)
			return b.out.String(), ""
		case html.StartTagToken:
			if b.start(); len(b.open) > maxNesting {
				return "", "must not nest deeper than " + strconv.Itoa(maxNesting) + " elements"
			}
		case html.EndTagToken:
			b.end()
		default:
			b.out.Write(b.tokens.Raw())
		}
	}
}

// balancer copies tokens to out and tracks the open elements.
type balancer struct {
	tokens *html.Tokenizer
	open   []string
	out    strings.Builder
}

// start writes a start tag, after the end tags that it implies.
func (b *balancer) start() {
	raw := string(b.tokens.Raw()) // TagName changes it
	name := b.name()
	if implied, ok := impliedEnds[name]; ok {
		b.closeOutermost(implied.of, implied.within)
	}
	b.out.WriteString(raw)
	if !voidElements[name] {
		b.open = append(b.open, name)
	}
}

// end handles an end tag: it closes the innermost open element of that name and all elements
// inside it. As in a browser, an end tag in a table cell closes nothing outside the cell, except
// parts of the table.
func (b *balancer) end() {
	name := b.name()
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i] == name {
			b.closeTo(i)
			return
		}
		if slices.Contains(cells, b.open[i]) && !slices.Contains(tableParts, name) {
			return
		}
	}
}

func (b *balancer) name() string {
	name, _ := b.tokens.TagName()
	return string(name)
}

// closeOutermost closes the outermost open element that is one of names, but only inside the
// innermost open element that is one of within.
func (b *balancer) closeOutermost(names, within []string) {
	outermost := len(b.open)
	for i := len(b.open) - 1; i >= 0 && !slices.Contains(within, b.open[i]); i-- {
		if slices.Contains(names, b.open[i]) {
			outermost = i
		}
	}
	b.closeTo(outermost)
}

// closeTo closes elements until n are open.
func (b *balancer) closeTo(n int) {
	for i := len(b.open) - 1; i >= n; i-- {
		b.out.WriteString("</" + b.open[i] + ">")
	}
	b.open = b.open[:n]
}

// ends describes the elements that a start tag closes: the ones named in of, but only inside the
// innermost open element that is named in within.
type ends struct{ of, within []string }

var (
	cells      = []string{"td", "th", "caption"}
	tableParts = []string{"table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"}
	headings   = []string{"h1", "h2", "h3", "h4", "h5", "h6"}
)

// impliedEnds has the end tags that each start tag implies, according to the chapter on tree
// construction of the HTML standard.
var impliedEnds = func() map[string]ends {
	implied := map[string]ends{
		"a":        {[]string{"a"}, cells},
		"li":       {[]string{"li", "p"}, append([]string{"ul", "ol"}, cells...)},
		"dt":       {[]string{"dt", "dd", "p"}, append([]string{"dl"}, cells...)},
		"dd":       {[]string{"dt", "dd", "p"}, append([]string{"dl"}, cells...)},
		"rt":       {[]string{"rt", "rp"}, []string{"ruby"}},
		"rp":       {[]string{"rt", "rp"}, []string{"ruby"}},
		"td":       {cells, []string{"tr", "table"}},
		"th":       {cells, []string{"tr", "table"}},
		"tr":       {append([]string{"tr", "colgroup"}, cells...), []string{"table", "thead", "tbody", "tfoot"}},
		"colgroup": {append([]string{"colgroup"}, cells...), []string{"table"}},
	}
	for _, name := range []string{"thead", "tbody", "tfoot"} {
		implied[name] = ends{tableParts[1:], []string{"table"}}
	}
	for _, name := range []string{"address", "article", "aside", "blockquote", "details", "div", "dl", "figcaption", "figure", "hgroup", "hr", "ol", "p", "pre", "section", "summary", "table", "ul"} {
		implied[name] = ends{[]string{"p"}, cells}
	}
	for _, name := range headings {
		implied[name] = ends{append([]string{"p"}, headings...), append([]string{"hgroup", "section", "article", "aside", "blockquote", "div", "li", "dd", "figure", "details"}, cells...)}
	}
	return implied
}()

// voidElements have no end tag.
var voidElements = map[string]bool{
	"area": true, "br": true, "col": true, "hr": true, "img": true, "wbr": true,
}
