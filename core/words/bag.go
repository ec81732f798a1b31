package words

import (
	"maps"
	"slices"
	"unicode/utf8"
)

const (
	// MaxPositions is the maximum number of tokens of an entry that are indexed. A tsvector of Postgres
	// has positions up to 16,383.
	MaxPositions = 16_000
	// maxOccurrences is the maximum number of places of one token that a phrase can be at: a tsvector has
	// 256 positions of a lexeme.
	maxOccurrences = 256
	// maxBagBytes bounds the tokens and edges of an entry. A tsvector has up to 1 MB.
	maxBagBytes = 900_000
	// bagOverhead is what a distinct token costs beside its own bytes.
	bagOverhead = 24
)

// Bag has the tokens of several texts of one entry. The zero Bag is empty.
type Bag struct {
	// Tokens are in the order of the texts. "" is a place without a token, which divides phrases: it is
	// between two texts.
	Tokens []string
	places map[string]int // of each token
	edges  map[string]struct{}
	bytes  int
}

// Add adds the tokens of a text, as far as the Bag has room. Behind them are the words of several parts in one
// piece: "email" of "e-mail". Each is there once, and in no phrase.
func (b *Bag) Add(text string) {
	if b.places == nil {
		b.places, b.edges = map[string]int{}, map[string]struct{}{}
	}
	var parts, joined []string
	first := true
	each(text, func(token string, follows bool) bool {
		if b.full() {
			return false
		}
		if first && len(b.Tokens) > 0 {
			b.Tokens = append(b.Tokens, "")
		}
		first = false
		if !follows {
			joined, parts = appendJoined(joined, parts), parts[:0]
		}
		parts = append(parts, token)
		b.add(token)
		return true
	})
	for _, word := range appendJoined(joined, parts) {
		if b.places[word] == 0 && !b.full() {
			b.Tokens = append(b.Tokens, "")
			b.add(word)
		}
	}
}

func (b *Bag) full() bool { return len(b.Tokens) >= MaxPositions || b.bytes >= maxBagBytes }

func (b *Bag) add(token string) {
	n := b.places[token]
	if n == 0 {
		b.bytes += len(token) + bagOverhead
		Edges(token, func(edge string) {
			if _, known := b.edges[edge]; !known {
				b.edges[edge] = struct{}{}
				b.bytes += len(edge) + bagOverhead
			}
		})
	}
	if n == maxOccurrences {
		b.Tokens = append(b.Tokens, "")
		return
	}
	b.places[token] = n + 1
	b.bytes += 2
	b.Tokens = append(b.Tokens, token)
}

// Empty reports whether b has no tokens.
func (b *Bag) Empty() bool { return len(b.Tokens) == 0 }

// Beginnings returns the beginnings of the words with more characters than those of Edges have, and up to
// most, in ascending order. The beginnings of a word include the whole word.
func (b *Bag) Beginnings(most int) []string {
	known := make(map[string]struct{}, 4*len(b.places))
	for token := range b.places {
		if first, _ := utf8.DecodeRuneInString(token); kindOf(first) >= han {
			continue
		}
		n := 0
		for at := range token {
			if n > maxEdge {
				known[token[:at]] = struct{}{}
			}
			if n++; n > most {
				break
			}
		}
		if n > maxEdge && n <= most {
			known[token] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// Edges returns the Edges of all tokens, each once, in ascending order.
func (b *Bag) Edges() []string { return slices.Sorted(maps.Keys(b.edges)) }
