package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// Document is the content of one version of an entry: a JSON object of field name
// to value in the canonical form of RFC 8785, so that equal content is equal bytes.
// References are stored as ids, a relation's as the id of the translation group.
// A field without a value is absent; a multiple field without values is [].
type Document []byte

// NewDocument joins values, each already canonical JSON, to a document.
func NewDocument(values map[string]json.RawMessage) Document {
	doc := make(Document, 0, 64*len(values)+2)
	doc = append(doc, '{')
	// Field names are ASCII, so byte order is the UTF-16 order RFC 8785 asks for.
	for i, name := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = append(doc, '"')
		doc = append(doc, name...)
		doc = append(doc, '"', ':')
		doc = append(doc, values[name]...)
	}
	return append(doc, '}')
}

// Values returns the document's values by field name. They share its memory.
func (d Document) Values() map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	d.Each(func(name, value []byte) { values[string(name)] = value })
	return values
}

// Each calls visit with every member in order, without decoding: name and value
// are the raw bytes and share the document's memory. It relies on the canonical
// form: no white space between tokens, names without escapes.
func (d Document) Each(visit func(name, value []byte)) {
	if len(d) < 2 {
		return
	}
	for i := 1; i < len(d)-1; {
		nameEnd := stringEnd(d, i)
		valueEnd := valueEnd(d, nameEnd+1)
		visit(d[i+1:nameEnd-1], d[nameEnd+1:valueEnd])
		i = valueEnd + 1
	}
}

// Value returns the raw value of one member, nil when the document has none of that
// name. Like Each it relies on the canonical form, and on the order of names.
func (d Document) Value(name string) []byte {
	var at [1]Span
	d.Locate([]string{name}, at[:])
	return d.At(at[0])
}

// Span is where a value stands in a document; the zero span is no value. Offsets
// take a third of what slices do and mean nothing to the garbage collector.
type Span struct{ Start, End uint32 }

// At returns the raw value that stands there; nil for the zero span.
func (d Document) At(s Span) []byte {
	if s.End == 0 {
		return nil
	}
	return d[s.Start:s.End]
}

// Locate sets each of spans to where the value of the member of that name stands, and
// leaves those alone that the document does not have. names are in ascending order, as
// members are: one walk along both is enough. Mostly the next member is the next name.
func (d Document) Locate(names []string, spans []Span) {
	n := 0
	for i := 1; i < len(d)-1 && n < len(names); {
		if !d.named(i, names[n]) {
			end := stringEnd(d, i)
			for n < len(names) && names[n] < string(d[i+1:end-1]) {
				n++
			}
			if n == len(names) || !d.named(i, names[n]) {
				i = valueEnd(d, end+1) + 1
				continue
			}
		}
		start := i + len(names[n]) + len(`"":`)
		end := valueEnd(d, start)
		spans[n] = Span{uint32(start), uint32(end)}
		n++
		i = end + 1
	}
}

// named reports whether the member that begins at i has that name.
func (d Document) named(i int, name string) bool {
	end := i + 1 + len(name)
	return end < len(d) && string(d[i+1:end]) == name && d[end] == '"'
}

// Elements calls visit with each element of a canonical JSON array; a value that
// is no array is its own only element.
func Elements(value []byte, visit func(element []byte)) {
	if len(value) == 0 {
		return
	}
	if value[0] != '[' {
		visit(value)
		return
	}
	for i := 1; i < len(value)-1; {
		end := valueEnd(value, i)
		visit(value[i:end])
		i = end + 1
	}
}

// QuoteJSON returns text as a canonical JSON string, with U+FFFD for each byte that is
// not valid Unicode.
func QuoteJSON(text string) json.RawMessage {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	raw := append(make(json.RawMessage, 0, len(text)+2), '"')
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			raw = append(raw, c)
		} else if short := strings.IndexByte("\"\\\b\f\n\r\t", c); short >= 0 {
			raw = append(raw, '\\', `"\bfnrt`[short])
		} else {
			raw = fmt.Appendf(raw, `\u%04x`, c)
		}
	}
	return append(raw, '"')
}

// UnquoteJSON returns the text of raw, which is valid JSON. ok is false when that is no
// string, or not valid Unicode.
func UnquoteJSON(raw json.RawMessage) (text string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	// encoding/json takes half a surrogate pair, and bytes that are no Unicode, for U+FFFD.
	if bytes.Contains(raw, []byte(`\u`)) || !utf8.Valid(raw) {
		if _, err := jcs.Transform(raw); err != nil {
			return "", false
		}
	}
	if json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// stringEnd returns the index after the string literal that starts at i: the first
// quote with an even number of backslashes before it.
func stringEnd(b []byte, i int) int {
	for i++; ; i++ {
		length := bytes.IndexByte(b[i:], '"')
		if length < 0 {
			return len(b)
		}
		i += length
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// valueEnd returns the index after the JSON value that starts at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
			if depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}
