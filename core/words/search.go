package words

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxSearch is the maximum length of the text of a search in bytes.
	MaxSearch = 4096
	// MaxSearchWords is the maximum number of words in a search, with those of phrases.
	MaxSearchWords = 20
)

// Search is what a text searches for: all of its terms.
type Search struct{ Terms []Term }

// Term is a part of a search: a word, a phrase, or the beginning of a word.
type Term struct {
	// Tokens are adjacent in a text.
	Tokens []string
	// Prefix means that the last of Tokens is the beginning of a word.
	Prefix bool
	// Edge is one of the Edges of a token; Tokens is then empty.
	Edge string
	// Joined is the same word in one piece: texts with it have the term, too. nil: none.
	Joined *Term
}

// quotationMarks are the marks around a phrase. Phones type “ and ” in place of ", and which mark opens
// depends on the language: “a”, „a“, «a», »a«. Each is therefore like ".
const quotationMarks = `"“”„‟«»「」『』〝〞〟＂`

// ParseSearch reads the text of a search: words, and phrases in quotation marks. A word that consists
// of several tokens, such as "wi-fi" or a word of Japanese, is a phrase. "wi-fi" is also found as "wifi". The last word outside of quotation
// marks is also the beginning of a word if it has at least two characters. A missing closing mark is at the
// end. fault is what is wrong with the text, "" for nothing.
func ParseSearch(text string) (s *Search, fault string) {
	switch {
	case len(text) > MaxSearch:
		return nil, "must have at most " + strconv.Itoa(MaxSearch) + " bytes"
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		return nil, "must be text"
	}
	s = new(Search)
	count, open := 0, -1 // open is the term that may get a Prefix
	for quoted := false; ; quoted = !quoted {
		part, rest, more := cutQuotation(text)
		if quoted {
			if tokens, joined := parts(part); len(tokens) > 0 {
				count += countWords(tokens)
				s.phrase(tokens)
				s.join(joined)
				open = -1
			}
		} else {
			for word := range strings.FieldsSeq(spaced(part)) {
				if tokens, joined := parts(word); len(tokens) > 0 {
					count += countWords(tokens)
					s.word(tokens)
					s.join(joined)
					open = len(s.Terms) - 1
				}
			}
		}
		if text = rest; !more {
			break
		}
	}
	switch {
	case count == 0:
		return nil, "must have a word: a letter or a digit"
	case count > MaxSearchWords:
		return nil, "must have at most " + strconv.Itoa(MaxSearchWords) + " words"
	}
	if open >= 0 {
		s.Terms[open].begin()
	}
	return s, ""
}

// parts returns the tokens of text, and the word that they are in one piece; "" if they are not one word.
func parts(text string) (tokens []string, joined string) {
	one := true
	each(text, func(token string, follows bool) bool {
		one = one && (follows || len(tokens) == 0)
		tokens = append(tokens, token)
		return true
	})
	if one && len(tokens) > 1 {
		joined = inOnePiece(tokens)
	}
	return tokens, joined
}

// join sets the Joined of the last term.
func (s *Search) join(word string) {
	if word != "" {
		s.Terms[len(s.Terms)-1].Joined = &Term{Tokens: []string{word}}
	}
}

// cutQuotation returns what is before and after the first quotation mark in text, and whether it has one.
func cutQuotation(text string) (before, after string, found bool) {
	at := strings.IndexAny(text, quotationMarks)
	if at < 0 {
		return text, "", false
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return text[:at], text[at+size:], true
}

// spaced returns text with spaces for controls, which divide words.
func spaced(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}

// countWords counts the words of a phrase. Pairs of one run of characters are one word.
func countWords(tokens []string) (n int) {
	before := none
	for _, token := range tokens {
		first, _ := utf8.DecodeRuneInString(token)
		kind := kindOf(first)
		if kind < han || kind != before {
			n++
		}
		before = kind
	}
	return n
}

func (s *Search) phrase(tokens []string) {
	if len(tokens) == 1 && lonely(tokens[0]) {
		s.Terms = append(s.Terms, Term{Edge: tokens[0]})
		return
	}
	s.Terms = append(s.Terms, Term{Tokens: tokens})
}

// word adds the term of a word, or several: a single character of a script without spaces is found
// wherever it is, also in the middle of a run, and therefore not beside other tokens.
func (s *Search) word(tokens []string) {
	from := 0
	for i, token := range tokens {
		if !lonely(token) {
			continue
		}
		if from < i {
			s.phrase(tokens[from:i])
		}
		s.phrase(tokens[i : i+1])
		from = i + 1
	}
	if from < len(tokens) {
		s.phrase(tokens[from:])
	}
}

// lonely reports whether a token is one character of a script without spaces.
func lonely(token string) bool {
	first, size := utf8.DecodeRuneInString(token)
	return size == len(token) && Unspaced(first)
}

// Unspaced reports whether r is of a script whose words have no spaces between them, or endings: a search
// for r alone is one for a word.
func Unspaced(r rune) bool { return kindOf(r) >= han }

// begin makes the last token of t the beginning of a word.
func (t *Term) begin() {
	if t.Joined != nil {
		t.Joined.begin()
	}
	if t.Edge != "" {
		return
	}
	last := t.Tokens[len(t.Tokens)-1]
	first, _ := utf8.DecodeRuneInString(last)
	n := utf8.RuneCountInString(last)
	switch {
	case kindOf(first) >= han || n < minPrefix:
	case len(t.Tokens) == 1 && n <= maxEdge:
		t.Tokens, t.Edge = nil, last
	default:
		t.Prefix = true
	}
}

// EndsOpen reports whether the last word is a beginning that has more than edge characters, or that ends a
// phrase. An index that has the beginnings of words with up to edge characters must read all longer words.
func (s *Search) EndsOpen(edge int) bool {
	last := &s.Terms[len(s.Terms)-1]
	return last.Prefix && (len(last.Tokens) > 1 || utf8.RuneCountInString(last.Tokens[0]) > edge)
}

// In reports whether b has all terms of the search.
func (s *Search) In(b *Bag) bool {
	for i := range s.Terms {
		if !s.Terms[i].in(b) {
			return false
		}
	}
	return true
}

func (t *Term) in(b *Bag) bool {
	if t.Joined != nil && t.Joined.in(b) {
		return true
	}
	if t.Edge != "" {
		_, has := b.edges[t.Edge]
		return has
	}
	for at := range len(b.Tokens) - len(t.Tokens) + 1 {
		if t.at(b.Tokens[at:]) {
			return true
		}
	}
	return false
}

// at reports whether tokens begin with the term.
func (t *Term) at(tokens []string) bool {
	for i, token := range t.Tokens {
		if tokens[i] == token || t.Prefix && i == len(t.Tokens)-1 && strings.HasPrefix(tokens[i], token) {
			continue
		}
		return false
	}
	return true
}
