// Package markdown converts rich text between HTML and Markdown, for assistants that prefer Markdown.
//
// ToHTML (tohtml.go) reads CommonMark with tables and strikethrough. It keeps HTML as it is: the sanitiser of writes cleans
// the result afterwards, as it cleans HTML.
//
// FromHTML (fromhtml.go) writes Markdown that ToHTML converts back to the same bytes. It converts each block back and
// compares. A block that Markdown cannot say stays HTML on one line, with &#10; for each line break. Two things change on
// purpose: text outside of blocks becomes a paragraph, and white space between blocks is lost.
//
// The work for one text is bounded (bounds.go), because parts of the parser take quadratic time.
package markdown
