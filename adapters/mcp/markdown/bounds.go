package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The parser compares each mark of a paragraph with the marks before it, and fills the rows of a table up to the width
// of its header. Without bounds, 200 kB of "[a](" take more than 8 s, and 20 kB of table make 10 MB of HTML.
const (
	maxCost = 50_000_000 // about 0.3 s
	// cellCost is the cost of a cell of a table, and lineCost that of a pair of lines of link reference definitions.
	cellCost, lineCost = 250, 2
	// maxDepth is the maximum number of lists, items and quotes of which one is inside the other.
	maxDepth = 32
)

// bounds is what the conversion of one text has cost, in comparisons of two marks.
type bounds struct {
	cost  int
	block ast.Node // that the parser reads now
	marks int      // of block
	deep  bool
}

func (b *bounds) exceeded() bool { return b.cost > maxCost }

// fault returns what is wrong with a text, or "".
func (b *bounds) fault() string {
	switch {
	case b.deep:
		return "has lists or quotes that nest too deeply"
	case b.exceeded():
		return "has too many marks or cells in one paragraph or table: write it as HTML"
	}
	return ""
}

var boundsKey = parser.NewContextKey()

func boundsOf(pc parser.Context) *bounds {
	return pc.Get(boundsKey).(*bounds) //nolint:forcetypeassert // toHTML sets it
}

// boundInline counts the calls of a parser of marks.
type boundInline struct {
	parser.InlineParser
	scans bool // it looks for an end in the rest of the block
}

// scanned is the number of bytes that the parser scans in the time of a comparison of two marks.
const scanned = 2

func (p boundInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	b := boundsOf(pc)
	if b.block != parent {
		b.block, b.marks = parent, 0
	}
	b.marks++
	b.cost += b.marks
	if lines := parent.Lines(); p.scans && lines.Len() > 0 {
		_, at := block.Position()
		b.cost += max(0, lines.At(lines.Len()-1).Stop-at.Start) / scanned
	}
	if b.exceeded() {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

func (p boundInline) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := p.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
}

// boundContainer opens no list and no quote after one that is too deep.
type boundContainer struct{ parser.BlockParser }

func (p boundContainer) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	b := boundsOf(pc)
	if b.deep {
		return nil, parser.NoChildren
	}
	node, state := p.BlockParser.Open(parent, reader, pc)
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	b.deep = node != nil && depth > maxDepth
	return node, state
}

// boundTransformer transforms no paragraph for which that costs too much.
type boundTransformer struct {
	parser.ParagraphTransformer
	cost func(paragraph *ast.Paragraph, source []byte) int
}

func (p boundTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	b := boundsOf(pc)
	if b.cost += p.cost(node, reader.Source()); !b.exceeded() {
		p.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// definitionsCost is the cost of reading link reference definitions at the beginning of a paragraph.
func definitionsCost(paragraph *ast.Paragraph, source []byte) int {
	lines := paragraph.Lines()
	if lines.Len() == 0 {
		return 0
	}
	if first := lines.At(0); !bytes.HasPrefix(bytes.TrimLeft(first.Value(source), " "), []byte("[")) {
		return 0
	}
	return lineCost * lines.Len() * lines.Len()
}

// tableCost is the cost of reading a paragraph as a table.
func tableCost(paragraph *ast.Paragraph, source []byte) int {
	lines := paragraph.Lines()
	columns, escaped := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(source)
		escaped += bytes.Count(line, []byte(`\|`))
		if len(bytes.Trim(line, "|-: \t\r\n")) == 0 {
			columns = max(columns, bytes.Count(line, []byte("|"))+1)
		}
	}
	return cellCost*columns*lines.Len() + escaped*escaped
}

// newParser returns a parser of CommonMark with tables and strikethrough. It is safe for concurrent use.
func newParser() parser.Parser {
	inline := func(p parser.InlineParser, priority int, scans bool) util.PrioritizedValue {
		return util.Prioritized(boundInline{p, scans}, priority)
	}
	container := func(p parser.BlockParser, priority int) util.PrioritizedValue {
		return util.Prioritized(boundContainer{p}, priority)
	}
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			container(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			container(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			inline(parser.NewCodeSpanParser(), 100, true),
			inline(parser.NewLinkParser(), 200, true),
			inline(parser.NewAutoLinkParser(), 300, true),
			inline(parser.NewRawHTMLParser(), 400, true),
			inline(parser.NewEmphasisParser(), 500, false),
			inline(extension.NewStrikethroughParser(), 500, false),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(boundTransformer{parser.LinkReferenceParagraphTransformer, definitionsCost}, 100),
			util.Prioritized(boundTransformer{extension.NewTableParagraphTransformer(), tableCost}, 200),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}
