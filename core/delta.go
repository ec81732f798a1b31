package core

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"imprimatur/core/canonical"
)

// Delta describes a text as pieces of another text, the base, and new text.
type Delta []Piece

// Piece is a part of a Delta: Length bytes of the base from From or, if Length is 0, Text.
type Piece struct {
	From, Length int
	Text         string
}

// MarshalJSON writes a string, or the array [From, Length].
func (p Piece) MarshalJSON() ([]byte, error) {
	if p.Length == 0 {
		return canonical.Quote(p.Text), nil
	}
	return json.Marshal([2]int{p.From, p.Length})
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Piece) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &p.Text)
	}
	var span [2]int
	err := json.Unmarshal(b, &span)
	p.From, p.Length = span[0], span[1]
	return err
}

// blockSize is the length in bytes of the blocks of the base that NewDelta searches for. A shorter
// match saves fewer bytes than its Piece takes.
const blockSize = 8

// NewDelta returns a delta from base to text, in linear time. Both are UTF-8. It uses the common
// prefix, the common suffix and, between them, equal parts of at least 16 bytes.
func NewDelta(base, text []byte) Delta {
	prefix := commonPrefix(base, text)
	suffix := commonSuffix(base[prefix:], text[prefix:])
	var d Delta
	d = d.copying(0, prefix)
	d = d.middle(base[:len(base)-suffix], text[:len(text)-suffix], prefix)
	return d.copying(len(base)-suffix, suffix)
}

// middle appends the pieces for text[start:].
func (d Delta) middle(base, text []byte, start int) Delta {
	blocks := map[uint64]int{}
	for i := start; i+blockSize <= len(base) && start+blockSize <= len(text); i += blockSize / 2 {
		if key := binary.LittleEndian.Uint64(base[i:]); blocks[key] == 0 {
			blocks[key] = i + 1
		}
	}
	done := start
	for i := start; i+blockSize <= len(text); {
		at := blocks[binary.LittleEndian.Uint64(text[i:])] - 1
		if at < 0 {
			i++
			continue
		}
		back := commonSuffix(base[:at], text[done:i])
		length := back + commonPrefix(base[at:], text[i:])
		if length < 2*blockSize || !utf8.RuneStart(text[i-back]) {
			i++
			continue
		}
		d = d.writing(text[done:i-back]).copying(at-back, length)
		i += length - back
		done = i
	}
	return d.writing(text[done:])
}

func (d Delta) copying(from, length int) Delta {
	if length == 0 {
		return d
	}
	return d.with(Piece{From: from, Length: length})
}

func (d Delta) writing(text []byte) Delta {
	if len(text) == 0 {
		return d
	}
	return d.with(Piece{Text: string(text)})
}

// commonPrefix returns the length in bytes of the longest common prefix that does not end inside a
// character.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// commonSuffix returns the length in bytes of the longest common suffix that does not begin inside
// a character.
func commonSuffix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}

var errDelta = errors.New("a stored delta does not fit its base")

// Apply returns the text that d describes. It returns an error when d does not fit base.
func (d Delta) Apply(base []byte) ([]byte, error) {
	var text []byte
	for _, p := range d {
		switch {
		case p.Length == 0:
			text = append(text, p.Text...)
		case p.From < 0 || p.Length < 0 || p.From > len(base)-p.Length:
			return nil, errDelta
		default:
			text = append(text, base[p.From:p.From+p.Length]...)
		}
	}
	return text, nil
}

// Then returns the composition of d and next: a delta from the base of d to the text that next
// describes. The base of next must be the text that d describes.
func (d Delta) Then(next Delta) Delta {
	var both Delta
	for _, p := range next {
		if p.Length == 0 {
			both = both.with(p)
			continue
		}
		start, end := p.From, p.From+p.Length // the range in the text that d describes
		at := 0
		for _, q := range d {
			length := q.Length
			if length == 0 {
				length = len(q.Text)
			}
			from, to := max(start-at, 0), min(end-at, length)
			if from < to && q.Length == 0 {
				both = both.with(Piece{Text: q.Text[from:to]})
			} else if from < to {
				both = both.with(Piece{From: q.From + from, Length: to - from})
			}
			at += length
		}
	}
	return both
}

// with returns d with p at the end.
func (d Delta) with(p Piece) Delta {
	if last := len(d) - 1; last >= 0 {
		switch q := &d[last]; {
		case p.Length == 0 && q.Length == 0:
			q.Text += p.Text
			return d
		case p.Length > 0 && q.Length > 0 && q.From+q.Length == p.From:
			q.Length += p.Length
			return d
		}
	}
	return append(d, p)
}
