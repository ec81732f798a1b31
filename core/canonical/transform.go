package canonical

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// SyntaxError reports that bytes are not one JSON text that has a canonical form.
type SyntaxError struct {
	Offset  int // of the first wrong byte, from 0
	Message string
}

// Duplicate is the Message for a member whose name another member of its object has. Offset is that
// of the name.
const Duplicate = "duplicate member"

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Message) }

// Transform returns the canonical form of a JSON text. The error is a *SyntaxError: the text is
// not JSON or not UTF-8, has a duplicate member, an unpaired surrogate or a number that is no IEEE
// 754 double, or is nested more than 100 levels deep. It is several times as fast as
// jcs.Transform, with the same result.
func Transform(text []byte) ([]byte, error) { return transform(text, false) }

// Arrange is Transform, but leaves numbers as they are written: doubles can round them.
func Arrange(text []byte) ([]byte, error) { return transform(text, true) }

func transform(text []byte, literal bool) ([]byte, error) {
	t := transformer{in: text, out: make([]byte, 0, len(text)), literal: literal}
	if err := t.value(0); err != nil {
		return nil, err
	}
	if t.space(); t.at < len(t.in) {
		return nil, t.fault("unexpected text after the JSON value")
	}
	return t.out, nil
}

// maxDepth is the maximum nesting depth of objects and arrays.
const maxDepth = 100

// transformer reads JSON from in and appends its canonical form to out.
type transformer struct {
	in      []byte
	at      int
	out     []byte
	members []transformedMember // of the open objects
	scratch []byte
	literal bool // leaves numbers as they are
}

// transformedMember is a member of an object in out.
type transformedMember struct {
	start, nameEnd, end int
	offset              int  // of the name in the input
	plain               bool // the name has neither escapes nor characters beyond ASCII
}

func (t *transformer) fault(message string) error { return &SyntaxError{t.at, message} }

func (t *transformer) space() {
	for t.at < len(t.in) && (t.in[t.at] == ' ' || t.in[t.at] == '\n' || t.in[t.at] == '\t' || t.in[t.at] == '\r') {
		t.at++
	}
}

// next skips white space and returns the next byte, 0 at the end.
func (t *transformer) next() byte {
	if t.space(); t.at == len(t.in) {
		return 0
	}
	return t.in[t.at]
}

func (t *transformer) value(depth int) error {
	c := t.next()
	switch {
	case depth > maxDepth:
		return t.fault("nested too deep")
	case c == '{':
		return t.object(depth)
	case c == '[':
		return t.array(depth)
	case c == '"':
		return t.text()
	case c == '-' || c >= '0' && c <= '9':
		return t.number()
	default:
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(t.in[t.at:], []byte(word)) {
				t.at += len(word)
				t.out = append(t.out, word...)
				return nil
			}
		}
		return t.fault("expected a JSON value")
	}
}

func (t *transformer) array(depth int) error {
	t.at++
	t.out = append(t.out, '[')
	if t.next() == ']' {
		t.at++
		t.out = append(t.out, ']')
		return nil
	}
	for {
		if err := t.value(depth + 1); err != nil {
			return err
		}
		c := t.next()
		if c != ',' && c != ']' {
			return t.fault("expected , or ]")
		}
		t.at++
		t.out = append(t.out, c)
		if c == ']' {
			return nil
		}
	}
}

func (t *transformer) object(depth int) error {
	t.at++
	first, start := len(t.members), len(t.out)
	t.out = append(t.out, '{')
	for c := t.next(); c != '}' || len(t.members) > first; c = t.next() {
		if c != '"' {
			return t.fault("expected a member name")
		}
		m := transformedMember{start: len(t.out), offset: t.at}
		if err := t.text(); err != nil {
			return err
		}
		m.nameEnd = len(t.out)
		m.plain = isPlain(t.out[m.start:m.nameEnd])
		if t.next() != ':' {
			return t.fault("expected :")
		}
		t.at++
		t.out = append(t.out, ':')
		if err := t.value(depth + 1); err != nil {
			return err
		}
		m.end = len(t.out)
		t.members = append(t.members, m)
		if c = t.next(); c == '}' {
			break
		}
		if c != ',' {
			return t.fault("expected , or }")
		}
		t.at++
		t.out = append(t.out, ',')
	}
	t.at++
	t.out = append(t.out, '}')
	members := t.members[first:]
	t.members = t.members[:first]
	return t.order(start, members)
}

// order sorts the members of the object at start by name.
func (t *transformer) order(start int, members []transformedMember) error {
	compare := func(a, b transformedMember) int {
		if a.plain && b.plain {
			return bytes.Compare(t.out[a.start+1:a.nameEnd-1], t.out[b.start+1:b.nameEnd-1])
		}
		return compareNames(t.out[a.start:a.nameEnd], t.out[b.start:b.nameEnd])
	}
	sorted := slices.IsSortedFunc(members, compare)
	if !sorted {
		slices.SortFunc(members, compare)
	}
	for i := 1; i < len(members); i++ {
		if compare(members[i-1], members[i]) == 0 {
			t.at = max(members[i-1].offset, members[i].offset)
			return t.fault(Duplicate)
		}
	}
	if sorted {
		return nil
	}
	t.scratch = append(t.scratch[:0], t.out[start:]...)
	t.out = t.out[:start+1]
	for i, m := range members {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.out = append(t.out, t.scratch[m.start-start:m.end-start]...)
	}
	t.out = append(t.out, '}')
	return nil
}

// compareNames compares canonical strings by the UTF-16 code units of their texts.
func compareNames(a, b []byte) int {
	units := func(name []byte) []uint16 {
		text, _ := Text(name)
		return utf16.Encode([]rune(text))
	}
	return slices.CompareFunc(units(a), units(b), cmp.Compare[uint16])
}

func isPlain(name []byte) bool {
	for _, c := range name {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// text reads a string.
func (t *transformer) text() error {
	start := t.at
	for i := start + 1; i < len(t.in); i++ {
		switch c := t.in[i]; {
		case c == '"':
			raw := t.in[start : i+1]
			if err := t.checkUTF8(i); err != nil {
				return err
			}
			t.out = append(t.out, raw...)
			t.at = i + 1
			return nil
		case c == '\\':
			return t.escaped()
		case c < ' ':
			t.at = i
			return t.fault("unescaped control character")
		}
	}
	t.at = len(t.in)
	return t.fault("unexpected end in a string")
}

// checkUTF8 checks the bytes up to end, which must be at the end of a character.
func (t *transformer) checkUTF8(end int) error {
	if utf8.Valid(t.in[t.at:end]) {
		return nil
	}
	for {
		r, size := utf8.DecodeRune(t.in[t.at:end])
		if r == utf8.RuneError && size == 1 {
			return t.fault("invalid UTF-8")
		}
		t.at += size
	}
}

// escaped reads a string that has an escape.
func (t *transformer) escaped() error {
	end := StringEnd(t.in, t.at)
	if end > len(t.in) || t.in[end-1] != '"' {
		t.at = len(t.in)
		return t.fault("unexpected end in a string")
	}
	if err := t.checkUTF8(end); err != nil {
		return err
	}
	raw := t.in[t.at:end]
	if !json.Valid(raw) {
		return t.fault("invalid string")
	}
	text, ok := Unquote(raw)
	if !ok {
		return t.fault("invalid Unicode in a string")
	}
	t.out = append(t.out, Quote(text)...)
	t.at = end
	return nil
}

// number reads a number. An integer of up to 15 digits is its own canonical form.
func (t *transformer) number() error {
	start := t.at
	end := start
	for end < len(t.in) && bytes.IndexByte([]byte("+-.0123456789eE"), t.in[end]) >= 0 {
		end++
	}
	raw := t.in[start:end]
	if len(raw) <= 15 && raw[0] >= '1' && !bytes.ContainsAny(raw, "+-.eE") {
		t.out, t.at = append(t.out, raw...), end
		return nil
	}
	if !json.Valid(raw) {
		return t.fault("invalid number")
	}
	if t.literal {
		t.out, t.at = append(t.out, raw...), end
		return nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return t.fault("the number is no IEEE 754 double")
	}
	text, err := jcs.NumberToJSON(n)
	if err != nil {
		return t.fault("the number is no IEEE 754 double")
	}
	t.out, t.at = append(t.out, text...), end
	return nil
}
