package entryindex

import (
	"encoding/binary"
	"hash"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// A lexeme is a token as the index of words has it: the scope of the row, the epoch of the collection if it
// is not 0, the kind, and the token. A search of one scope therefore reads no rows of other collections,
// shelves or locales, and none that were indexed before a change after which searches must not find them.
//
// A lexeme consists of letters, digits, marks and characters of the private use area in their place: the
// tokenizer ascii of FTS5 divides no lexeme, and no engine reads a part of it as syntax.

// Lexemes is the beginning of the lexemes of one scope.
type Lexemes string

// The kinds. Scopes and epochs are written in the base 30, without these letters.
const (
	base      = 30
	epochMark = "u"
	wordKind  = "w" // of Words.All
	edgeKind  = "x"
	titleKind = "y" // of Words.Title
	titleEdge = "z"
)

// Gap is a lexeme that no search contains. It divides phrases.
const Gap = "v"

// MaxEdge is the number of characters of the longest beginning of a word that is a lexeme, on an engine that
// reads all rows of all longer words before it returns the first row of a beginning.
const MaxEdge = 16

// LexemesOf returns the beginning of the lexemes of a scope.
func LexemesOf(scope int64, epoch int) Lexemes {
	text := strconv.FormatInt(scope, base)
	if epoch != 0 {
		text += epochMark + strconv.FormatInt(int64(epoch), base)
	}
	return Lexemes(text)
}

// Word returns the lexeme of a token.
func (l Lexemes) Word(token string, title bool) string {
	if title {
		return string(l) + titleKind + plain(token)
	}
	return string(l) + wordKind + plain(token)
}

// Edge returns the lexeme of one of the words.Edges of a token.
func (l Lexemes) Edge(edge string, title bool) string {
	if title {
		return string(l) + titleEdge + plain(edge)
	}
	return string(l) + edgeKind + plain(edge)
}

// privateUse is the first character of the private use area, which no token contains.
const privateUse = 0xe000

// plain replaces the punctuation of ASCII in a token.
func plain(token string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' {
			return r
		}
		return privateUse + r
	}, token)
}

// WordsRow is a row of the index of words: the tokens of one row of entry_index.
type WordsRow struct {
	Shelf  Shelf
	Locale int
	Moment int64 // query.Moment of the entry
	Hash   int64 // of all lexemes, and of the words.Version by which they were made
	Words  *core.Words
}

// WordsRows returns the rows of an entry after a write. An entry on a shelf without tokens has none.
func WordsRows(c *Change, collection *core.Collection, locale int) (rows []WordsRow) {
	for _, m := range shelves(c, locale) {
		version := InDraft
		if m.Shelf == Published {
			version = InPublished
		}
		found := c.Found.Words[version]
		if found == nil || found.All.Empty() {
			continue
		}
		rows = append(rows, WordsRow{
			Shelf: m.Shelf, Locale: locale, Words: found, Moment: query.Moment(c.PublishedAt, c.CreatedAt),
			Hash: hashOf(words.Version, LexemesOf(Scope(collection.ID, m.Shelf, locale), collection.WordsEpoch), found),
		})
	}
	return rows
}

// hashOf returns a hash of the lexemes of a row: of their beginning, the tokens, and the version of words
// that made them. Two versions may give one token different beginnings.
func hashOf(version string, l Lexemes, w *core.Words) int64 {
	h := xxh3.New()
	write(h, version)
	write(h, string(l))
	for _, bag := range []*words.Bag{&w.All, &w.Title} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(bag.Tokens)))
		h.Write(size[:]) //nolint:errcheck // never fails
		for _, token := range bag.Tokens {
			write(h, token)
		}
	}
	return int64(h.Sum64())
}

func write(h hash.Hash, text string) {
	h.Write([]byte(text)) //nolint:errcheck // never fails
	h.Write([]byte{0})    //nolint:errcheck // never fails
}
