package fieldtype

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNesting is the maximum nesting depth of the elements of rich text.
const maxNesting = 200

// balance returns sanitised HTML with properly nested elements, and the names of what it moved. It
// closes every element inside its parent, and removes end tags that close nothing. An element with
// an omitted optional end tag ends where a browser ends it. What is in a table outside its cells
// moves before the table, as in a browser. balance returns a message instead if the elements nest
// too deeply.
//
// Parsing the HTML and writing out the tree would do the same, but the HTML rules repeat unclosed
// formatting elements such as b and i in each following block: 4 MB of input can make a tree of
// 500 million elements. Here the result has at most one additional end tag for each start tag.
func balance(fragment string) (balanced string, moved []string, message string) {
	b := balancer{tokens: html.NewTokenizer(strings.NewReader(fragment))}
	for len(b.open) <= maxNesting {
		switch b.tokens.Next() {
		case html.ErrorToken:
			b.closeTo(0)
			return b.whole.String(), b.moved, ""
		case html.StartTagToken:
			raw := string(b.tokens.Raw()) // TagName changes it
			b.start(b.name(), raw)
		case html.SelfClosingTagToken: // to browsers, the slash means nothing
			raw, name := string(b.tokens.Raw()), b.name()
			if !voidElements[name] {
				raw = strings.TrimRight(strings.TrimSuffix(raw, "/>"), " ") + ">"
			}
			b.start(name, raw)
		case html.EndTagToken:
			b.end(b.name())
		default:
			b.text(string(b.tokens.Raw()))
		}
	}
	return "", nil, "must not nest deeper than " + strconv.Itoa(maxNesting) + " elements"
}

// balancer writes tokens to whole and tracks the open elements.
type balancer struct {
	tokens *html.Tokenizer
	open   []element
	whole  strings.Builder
	moved  []string
	inLine bool // the last token that shows something is text, which further text would continue
	apart  bool // and must not, because a part of a table was between them
}

// element is an open element. Its content is written to out. A table has an out of its own, which
// is written out after the table has ended: what moves before the table comes first.
type element struct {
	name  string
	out   *strings.Builder
	after bool // it follows text: what moves before a table would continue it
}

func (b *balancer) name() string {
	name, _ := b.tokens.TagName()
	return string(name)
}

// start writes a start tag, after the end tags that it implies.
func (b *balancer) start(name, raw string) {
	if parents, ok := tableParents[name]; ok {
		b.startPart(name, raw, parents)
		return
	}
	if implied, ok := impliedEnds[name]; ok {
		b.closeOutermost(implied.of, implied.within)
	}
	if name == "table" {
		if i := b.innermost(tableScope); i >= 0 && b.open[i].name == name {
			b.closeTo(i)
		}
	}
	out := b.flow(name)
	if name == "table" {
		out = &strings.Builder{}
	}
	b.write(name, raw, out)
}

// startPart writes the start tag of a part of a table. Outside a table it means nothing, but the
// words before and after it stay apart.
func (b *balancer) startPart(name, raw string, parents []string) {
	table := b.innermost([]string{"table"})
	if table < 0 {
		b.apart = true
		return
	}
	parent := table
	for i := len(b.open) - 1; i > table; i-- {
		if slices.Contains(parents, b.open[i].name) {
			parent = i
			break
		}
	}
	b.closeTo(parent + 1)
	b.write(name, raw, b.open[parent].out)
}

// write writes a start tag to out, where the content of the element follows.
func (b *balancer) write(name, raw string, out *strings.Builder) {
	after := b.inLine
	if isInLine(name) {
		b.separate(out)
	} else {
		b.inLine, b.apart = false, false
	}
	out.WriteString(raw)
	if !voidElements[name] {
		b.open = append(b.open, element{name, out, after})
	}
}

// text writes text where it may be.
func (b *balancer) text(raw string) {
	if strings.Trim(raw, " \t\n\r\f") == "" {
		b.out().WriteString(raw)
		return
	}
	out := b.flow("text")
	b.separate(out)
	out.WriteString(raw)
	b.inLine = true
}

// separate writes a space if the next text would continue one from which it was apart.
func (b *balancer) separate(out *strings.Builder) {
	if b.apart && b.inLine {
		out.WriteString(" ")
	}
	b.apart = false
}

// flow returns where text or an element that is no part of a table is written: before the table if
// it is in a table outside its cells. It records the name then.
func (b *balancer) flow(name string) *strings.Builder {
	if len(b.open) > 0 && b.open[len(b.open)-1].name == "colgroup" {
		b.closeTo(len(b.open) - 1)
	}
	if len(b.open) == 0 || !slices.Contains(tableFrame, b.open[len(b.open)-1].name) {
		return b.out()
	}
	b.moved = append(b.moved, name)
	table := b.innermost([]string{"table"})
	b.apart, b.inLine = true, b.open[table].after
	b.open[table].after = name == "text" || isInLine(name)
	return b.outOf(table - 1)
}

// out returns where the present element is written.
func (b *balancer) out() *strings.Builder { return b.outOf(len(b.open) - 1) }

// outOf returns where the content of the open element i is written; -1: of the whole text.
func (b *balancer) outOf(i int) *strings.Builder {
	if i < 0 {
		return &b.whole
	}
	return b.open[i].out
}

// end handles an end tag: it closes the innermost open element of that name and all elements
// inside it. As in a browser, an end tag in a table closes nothing outside the table, and one in a
// cell nothing outside the cell, except parts of the table.
func (b *balancer) end(name string) {
	_, isPart := tableParents[name]
	scope := tableScope
	if isPart || name == "table" {
		scope = []string{"table"}
	}
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i].name == name {
			b.closeTo(i)
			return
		}
		if slices.Contains(scope, b.open[i].name) {
			break
		}
	}
	switch {
	case name == "br":
		b.start(name, "<br>")
	case name == "p" && b.inLine: // an empty paragraph, as in a browser
		b.start(name, "<p>")
		b.closeTo(len(b.open) - 1)
	case isPart:
		b.apart = true
	}
}

// innermost returns the index of the innermost open element that is one of names, or -1.
func (b *balancer) innermost(names []string) int {
	for i := len(b.open) - 1; i >= 0; i-- {
		if slices.Contains(names, b.open[i].name) {
			return i
		}
	}
	return -1
}

// closeOutermost closes the outermost open element that is one of names, but only inside the
// innermost open element that is one of within.
func (b *balancer) closeOutermost(names, within []string) {
	outermost := len(b.open)
	for i := len(b.open) - 1; i >= 0 && !slices.Contains(within, b.open[i].name); i-- {
		if slices.Contains(names, b.open[i].name) {
			outermost = i
		}
	}
	b.closeTo(outermost)
}

// closeTo closes elements until n are open.
func (b *balancer) closeTo(n int) {
	for i := len(b.open) - 1; i >= n; i-- {
		name, out := b.open[i].name, b.open[i].out
		out.WriteString("</" + name + ">")
		b.inLine = b.inLine && isInLine(name)
		if name == "table" {
			b.outOf(i - 1).WriteString(out.String())
		}
	}
	b.open = b.open[:min(n, len(b.open))]
}

func isInLine(name string) bool { return inLine[atom.Lookup([]byte(name))] }

// ends describes the elements that a start tag closes: the ones named in of, but only inside the
// innermost open element that is named in within.
type ends struct{ of, within []string }

var (
	cells    = []string{"td", "th", "caption"}
	headings = []string{"h1", "h2", "h3", "h4", "h5", "h6"}

	// tableFrame has the elements of a table that contain only parts of it.
	tableFrame = []string{"table", "thead", "tbody", "tfoot", "tr"}
	// tableScope has the elements that end tags of their content do not close.
	tableScope = append([]string{"table"}, cells...)
)

// tableParents has the parts of a table, and the elements that contain them. The table contains those
// parts, too, because the tags of the elements between them may be omitted.
var tableParents = map[string][]string{
	"caption": nil, "colgroup": nil, "thead": nil, "tbody": nil, "tfoot": nil,
	"col": {"colgroup"},
	"tr":  {"thead", "tbody", "tfoot"},
	"td":  {"tr", "thead", "tbody", "tfoot"}, "th": {"tr", "thead", "tbody", "tfoot"},
}

// impliedEnds has the end tags that each start tag implies, according to the chapter on tree
// construction of the HTML standard. Parts of tables are in tableParents.
var impliedEnds = func() map[string]ends {
	implied := map[string]ends{
		"a":  {[]string{"a"}, cells},
		"li": {[]string{"li", "p"}, append([]string{"ul", "ol"}, cells...)},
		"dt": {[]string{"dt", "dd", "p"}, append([]string{"dl"}, cells...)},
		"dd": {[]string{"dt", "dd", "p"}, append([]string{"dl"}, cells...)},
		"rt": {[]string{"rt", "rp", "p", "li", "dt", "dd"}, []string{"ruby"}},
		"rp": {[]string{"rt", "rp", "p", "li", "dt", "dd"}, []string{"ruby"}},
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
