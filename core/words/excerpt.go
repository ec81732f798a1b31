package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxExcerpt  = 200 // characters of an excerpt
	leadExcerpt = 40  // characters before the first word that is found
)

// Piece is a part of an excerpt. Found means that it is what the search looks for.
type Piece struct {
	Text  string
	Found bool
}

// Excerpt returns up to 200 characters of text around the first words of the search in its first most bytes, or nil if
// they have none. A word is found as In finds it, a phrase only as a whole.
func (s *Search) Excerpt(text string, most int) []Piece {
	text = cut(text, most)
	all := places(text)
	var found [][2]int // bytes of text, in ascending order, that neither touch nor overlap
	for at := range all {
		to := 0
		for i := range s.Terms {
			to = max(to, s.Terms[i].end(text, all[at:]))
		}
		if to == 0 {
			continue
		}
		from := all[at].from
		if last := len(found) - 1; last >= 0 && from <= found[last][1] {
			found[last][1] = max(found[last][1], to)
		} else {
			found = append(found, [2]int{from, to})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return pieces(text, found)
}

// pieces cuts the excerpt out of text.
func pieces(text string, found [][2]int) []Piece {
	start := found[0][0]
	for n := 0; n < leadExcerpt && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start > 0 { // from the next word on
		if space := strings.IndexFunc(text[start:found[0][0]], unicode.IsSpace); space >= 0 {
			start += space
		}
	}
	end := start
	for n := 0; n < maxExcerpt && end < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end < len(text) { // to the end of a word
		if space := strings.LastIndexFunc(text[:end], unicode.IsSpace); space >= min(found[0][1], end) {
			end = space
		}
	}
	var shown []Piece
	add := func(from, to int, is bool) {
		if part := spaced(text[from:to]); part != "" {
			shown = append(shown, Piece{part, is})
		}
	}
	for _, f := range found {
		if f[0] >= end {
			break
		}
		add(start, f[0], false)
		start = min(f[1], end)
		add(f[0], start, true)
	}
	add(start, max(start, end), false)
	shown[0].Text = strings.TrimLeftFunc(shown[0].Text, unicode.IsSpace)
	last := len(shown) - 1
	shown[last].Text = strings.TrimRightFunc(shown[last].Text, unicode.IsSpace)
	return slices.DeleteFunc(shown, func(p Piece) bool { return p.Text == "" })
}

// place is a token and the bytes of the text that it is made of.
type place struct {
	token    string
	from, to int
}

// places returns the tokens of text with their places. Folding may change the length of a text, so each word of the text
// is folded on its own.
func places(text string) (all []place) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		kind := kindIn(r)
		if kind <= mark {
			at += size
			continue
		}
		end := at + size
		for end < len(text) && continues(text, end, kind) {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		all = appendPlaces(all, text, at, end, kind)
		at = end
	}
	return all
}

// continues reports whether the character at is of the word or of the run before it.
func continues(text string, at int, kind kind) bool {
	r, size := utf8.DecodeRuneInString(text[at:])
	next := kindIn(r)
	switch {
	case next == mark:
		return true
	case kind >= han || next >= han:
		return next == kind
	case next > mark:
		return true
	case r == '.' || r == ',':
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+size:])
		return kindIn(before) == digit && kindIn(after) == digit
	}
	return false
}

// kindIn returns the kind of a character of a text that is not folded. Characters that disappear are marks.
func kindIn(r rune) kind {
	if r < utf8.RuneSelf {
		return kindOf(unicode.ToLower(r))
	}
	if kind := kindOf(r); kind != none || unicode.IsSpace(r) {
		return kind
	}
	folded := tokenizable(string(r))
	if folded == "" {
		return mark
	}
	first, _ := utf8.DecodeRuneInString(folded)
	return kindOf(first)
}

// appendPlaces appends the tokens of a word or of a run of characters.
func appendPlaces(all []place, text string, from, to int, kind kind) []place {
	tokens := Tokens(text[from:to])
	var starts []int // of the characters of a run, then its end
	if kind >= han {
		for at, r := range text[from:to] {
			if kindIn(r) != mark {
				starts = append(starts, from+at)
			}
		}
		starts = append(starts, to)
	}
	for i, token := range tokens {
		one := place{token, from, to}
		if len(tokens) > 1 && len(starts) == len(tokens)+2 { // a pair for each two characters
			one.from, one.to = starts[i], starts[i+2]
		}
		all = append(all, one)
	}
	return all
}

// end returns the end of the term in a text whose tokens begin with all, or 0 if they do not begin with the term.
func (t *Term) end(text string, all []place) int {
	if t.Joined != nil {
		if end := t.Joined.end(text, all); end > 0 {
			return end
		}
	}
	if t.Edge != "" {
		end := 0
		Edges(all[0].token, func(edge string) {
			if edge == t.Edge {
				end = all[0].to
			}
		})
		return end
	}
	if len(t.Tokens) == 1 { // also a word in several parts
		parts := []string{all[0].token}
		for i := 1; i < min(maxJoined, len(all)) && all[i].from >= all[i-1].to && isJoiner(tokenizable(text[all[i-1].to:all[i].from])); i++ {
			if parts = append(parts, all[i].token); t.at([]string{inOnePiece(parts)}) {
				return all[i].to
			}
		}
	}
	if len(t.Tokens) > len(all) {
		return 0
	}
	tokens := make([]string, len(t.Tokens))
	for i := range tokens {
		tokens[i] = all[i].token
	}
	if !t.at(tokens) {
		return 0
	}
	return all[len(tokens)-1].to
}
