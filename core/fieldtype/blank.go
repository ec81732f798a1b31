package fieldtype

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"imprimatur/core/words"
)

// blankHTML reports whether rich text shows nothing: it has only blank text, and no element that shows
// something without text.
func blankHTML(richText string) bool {
	tokens := html.NewTokenizer(strings.NewReader(richText))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return true
		case html.TextToken:
			if !words.Blank(string(tokens.Text())) {
				return false
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := tokens.TagName(); showsAlone[atom.Lookup(name)] {
				return false
			}
		}
	}
}

// showsAlone has the elements that show something without text.
var showsAlone = map[atom.Atom]bool{
	atom.Audio: true, atom.Canvas: true, atom.Embed: true, atom.Hr: true, atom.Iframe: true, atom.Img: true, atom.Input: true, atom.Math: true,
	atom.Meter: true, atom.Object: true, atom.Picture: true, atom.Progress: true, atom.Svg: true, atom.Table: true, atom.Video: true,
}
