package fieldtype

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxNesting is how deep the elements of rich text nest at most.
const maxNesting = 200

// balance returns sanitised HTML with every element closed within the one that it is
// in, and with no end tag that closes nothing, or says what is wrong with it. Elements
// whose end tags HTML lets an author leave out end where a browser ends them.
//
// Parsing and writing out the tree would do the same, but HTML's rules repeat unclosed
// b, i and the like in each block that follows: 4 MB of input can make a tree of
// 500 million elements. Here the result has at most one end tag more for each start tag.
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

// balancer writes out tokens, and knows the elements that are open.
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

// end closes the element that an end tag is for, with all that is open in it. A tag
// for an element outside the table cell at hand closes nothing, as in a browser.
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

// closeOutermost closes the outermost open element that is one of names, as far as it
// is in the innermost of within.
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

// ends are the elements that a start tag closes, within the innermost of some.
type ends struct{ of, within []string }

var (
	cells      = []string{"td", "th", "caption"}
	tableParts = []string{"table", "caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"}
	headings   = []string{"h1", "h2", "h3", "h4", "h5", "h6"}
)

// impliedEnds are the end tags that start tags imply, by the chapter on tree
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
	for _, name := range []string{"article", "aside", "blockquote", "details", "div", "dl", "figcaption", "figure", "hgroup", "hr", "ol", "p", "pre", "section", "summary", "table", "ul"} {
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
