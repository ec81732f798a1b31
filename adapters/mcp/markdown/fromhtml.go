package markdown

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxLevels is the maximum number of lists and quotes of which one is inside the other. Deeper ones stay HTML, so that the
// prefixes of lines do not make the text much longer.
const maxLevels = 8

// FromHTML returns stored rich text as Markdown. ToHTML returns the same HTML for the result, but with text outside of
// blocks in paragraphs and without white space between blocks.
func FromHTML(stored string) (markdown string) {
	nodes, balanced := parse(stored)
	if !balanced {
		return rawBlock(stored)
	}
	shared := &bounds{}
	var blocks, raws []string
	var whole strings.Builder
	var before string // the marker of a list that the next one would continue
	for _, block := range topLevel(nodes) {
		converted, marker := convert(block, before, shared)
		before = marker
		blocks, raws = append(blocks, converted), append(raws, rawBlock(block.whole))
		whole.WriteString(block.whole)
	}
	markdown = strings.Join(blocks, "\n\n")
	if back, fault := toHTML(markdown, &bounds{}); fault != "" || back != whole.String() {
		return strings.Join(raws, "\n\n") // the blocks affect each other
	}
	return markdown
}

// topLevel returns the blocks of a text. Texts between them become paragraphs, but a lone picture stays as it is.
func topLevel(nodes []*node) (blocks []*node) {
	for i := 0; i < len(nodes); i++ {
		if !nodes[i].inline {
			blocks = append(blocks, nodes[i].settled())
			continue
		}
		end := i
		for end < len(nodes) && nodes[end].inline {
			end++
		}
		run := nodes[i:end]
		i = end - 1
		for len(run) > 0 && run[0].blank() {
			run = run[1:]
		}
		for len(run) > 0 && run[len(run)-1].blank() {
			run = run[:len(run)-1]
		}
		switch {
		case len(run) == 1 && slices.Contains(voids, run[0].name):
			blocks = append(blocks, run[0])
		case len(run) > 0:
			blocks = append(blocks, paragraph(run))
		}
	}
	return blocks
}

// paragraph returns nodes in a paragraph.
func paragraph(nodes []*node) *node {
	p := &node{name: "p", open: "<p>", children: slices.Clone(nodes)}
	first, last := p.children[0], p.children[len(p.children)-1]
	if first.name == "" {
		trimmed := strings.TrimLeft(first.whole, " \t\n\f")
		first = &node{whole: trimmed, text: strings.TrimLeft(first.text, " \t\n\f"), inline: true}
		p.children[0] = first
		if len(p.children) == 1 {
			last = first
		}
	}
	if last.name == "" {
		p.children[len(p.children)-1] = &node{whole: strings.TrimRight(last.whole, " \t\n\f"), text: strings.TrimRight(last.text, " \t\n\f"), inline: true}
	}
	p.whole = "<p>" + wholeOf(p.children) + "</p>"
	return p
}

func wholeOf(nodes []*node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.whole)
	}
	return b.String()
}

// spaced has the elements in which white space between blocks means nothing.
var spaced = strings.Fields("ul ol li blockquote table thead tbody tfoot tr")

// settled returns a block without white space between the blocks in it.
func (n *node) settled() *node {
	if !slices.Contains(spaced, n.name) {
		return n
	}
	content := n.content()
	changed := len(content) != len(n.children)
	children := make([]*node, len(content))
	for i, child := range content {
		children[i] = child.settled()
		changed = changed || children[i] != child
	}
	if !changed {
		return n
	}
	made := *n
	made.children = children
	made.whole = n.open + wholeOf(children) + "</" + n.name + ">"
	return &made
}

// convert returns the Markdown of a block, and its marker if it is a list. before is the marker of the block before it.
func convert(block *node, before string, b *bounds) (markdown, marker string) {
	for _, rawMarks := range []bool{false, true} {
		if b.exceeded() {
			break
		}
		r := renderer{rawMarks: rawMarks}
		text, marker, ok := r.block(block, before, 0)
		if !ok {
			break
		}
		if back, fault := toHTML(text, b); fault == "" && back == block.whole {
			return text, marker
		}
		b.deep = false
	}
	return rawBlock(block.whole), ""
}

// blockStart is the beginning of HTML that the parser keeps as a block.
var blockStart = regexp.MustCompile(`^<(?:address|article|aside|blockquote|details|div|dl|figcaption|figure|h[1-6]|hr|ol|p|pre|section|table|ul)[ >]|^<(?:img|br|wbr|area)(?: [^>]*)?>$`)

// rawBlock returns HTML as a block of one line.
func rawBlock(whole string) string {
	line := strings.ReplaceAll(whole, "\n", lineBreak)
	if blockStart.MatchString(line) {
		return line
	}
	return empty + line
}

// renderer writes blocks as Markdown. What it writes is a guess: convert compares.
type renderer struct {
	rawMarks bool // whether elements of texts stay HTML
}

// block returns the Markdown of a block, and its marker if it is a list; false if there is none.
func (r renderer) block(n *node, before string, level int) (markdown, marker string, ok bool) {
	if level > maxLevels {
		return "", "", false
	}
	switch {
	case n.has("p"):
		markdown = r.line(n, places{})
	case len(n.name) == 2 && n.name[0] == 'h' && n.name[1] >= '1' && n.name[1] <= '6' && n.has(n.name):
		markdown = strings.Repeat("#", int(n.name[1]-'0')) + " " + r.line(n, places{oneLine: true})
	case n.has("hr"):
		markdown = "---"
	case n.has("pre"):
		return r.code(n)
	case n.has("blockquote"):
		markdown, ok = r.blocks(n.children, level+1)
		return prefixed(markdown, "> ", ">"), "", ok
	case n.has("ul"), n.name == "ol" && orderedOpen.MatchString(n.open):
		return r.list(n, before, level+1)
	case n.has("table"):
		markdown = r.table(n)
	}
	return markdown, "", markdown != ""
}

// blocks returns the Markdown of the blocks in an element.
func (r renderer) blocks(nodes []*node, level int) (markdown string, ok bool) {
	var all []string
	before := ""
	for _, n := range nodes {
		if n.inline {
			return "", false
		}
		text, marker, ok := r.block(n, before, level)
		if !ok {
			text, marker = rawBlock(n.whole), ""
		}
		before = marker
		all = append(all, text)
	}
	return strings.Join(all, "\n\n"), len(all) > 0
}

// prefixed returns a text with a prefix before each line, and another one before each empty line.
func prefixed(text, prefix, blank string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line == "" {
			lines[i] = blank
		} else {
			lines[i] = prefix + line
		}
	}
	return strings.Join(lines, "\n")
}

var (
	orderedOpen = regexp.MustCompile(`^<ol(?: start="([0-9]{1,9})")?>$`)
	language    = regexp.MustCompile(`^<code(?: class="language-([A-Za-z0-9+#._-]+)")?>$`)
	cellOpen    = regexp.MustCompile(`^<t[hd](?: align="(left|center|right)")?>$`)
	backticks   = regexp.MustCompile("`+")
)

// list returns the Markdown of a list. The items of a list without paragraphs follow each other without empty lines.
func (r renderer) list(n *node, before string, level int) (markdown, marker string, ok bool) {
	marker, number := "-", 0
	if n.name == "ol" {
		marker, number = ".", 1
		if start := orderedOpen.FindStringSubmatch(n.open)[1]; start != "" {
			number, _ = strconv.Atoi(start) // nine digits
		}
	}
	if before == marker {
		marker = map[string]string{"-": "*", ".": ")"}[marker]
	}
	var items []string
	between := "\n"
	for _, item := range n.children {
		if !item.has("li") {
			return "", "", false
		}
		text, loose, ok := r.item(item, level)
		if !ok {
			return "", "", false
		}
		if loose {
			between = "\n\n"
		}
		prefix := marker + " "
		if n.name == "ol" {
			prefix = strconv.Itoa(number+len(items)) + marker + " "
		}
		indented := prefixed(text, strings.Repeat(" ", len(prefix)), "")
		if text == "" {
			items = append(items, strings.TrimRight(prefix, " "))
		} else {
			items = append(items, prefix+strings.TrimLeft(indented, " "))
		}
	}
	return strings.Join(items, between), marker, len(items) > 0
}

// item returns the Markdown of an item of a list, and whether it begins with a paragraph.
func (r renderer) item(n *node, level int) (markdown string, loose, ok bool) {
	end := 0
	for end < len(n.children) && n.children[end].inline {
		end++
	}
	if end == 0 {
		if len(n.children) == 0 {
			return "", false, true
		}
		markdown, ok = r.blocks(n.children, level)
		return markdown, n.children[0].name == "p", ok
	}
	parts := []string{r.line(&node{children: n.children[:end]}, places{})}
	before := ""
	for _, child := range n.children[end:] {
		if child.inline {
			return "", false, false
		}
		text, marker, ok := r.block(child, before, level)
		if !ok {
			return "", false, false
		}
		before = marker
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n"), false, true
}

// code returns the Markdown of a block of code.
func (r renderer) code(n *node) (markdown, marker string, ok bool) {
	if len(n.children) != 1 || n.children[0].name != "code" {
		return "", "", false
	}
	match := language.FindStringSubmatch(n.children[0].open)
	content, plain := n.children[0].plain()
	if match == nil || !plain {
		return "", "", false
	}
	fence := strings.Repeat("`", max(3, longestTicks(content)+1))
	return fence + match[1] + "\n" + content + "\n" + fence, "", true
}

// longestTicks returns the length of the longest run of backticks.
func longestTicks(text string) (longest int) {
	for _, run := range backticks.FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	return longest
}

// table returns the Markdown of a table with a row of headings, or "".
func (r renderer) table(n *node) string {
	if len(n.children) == 0 || len(n.children) > 2 || !n.children[0].has("thead") || len(n.children[0].children) != 1 {
		return ""
	}
	rows := slices.Clone(n.children[0].children)
	if len(n.children) == 2 {
		if !n.children[1].has("tbody") {
			return ""
		}
		rows = append(rows, n.children[1].children...)
	}
	var lines []string
	for i, row := range rows {
		line, delimiters := "|", "|"
		for _, cell := range row.children {
			match := cellOpen.FindStringSubmatch(cell.open)
			if match == nil {
				return ""
			}
			line += " " + r.line(cell, places{oneLine: true}) + " |"
			delimiters += map[string]string{"": " --- |", "left": " :-- |", "center": " :-: |", "right": " --: |"}[match[1]]
		}
		if lines = append(lines, line); i == 0 {
			lines = append(lines, delimiters)
		}
	}
	return strings.Join(lines, "\n")
}
