package core

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/zeebo/xxh3"

	"imprimatur/core/canonical"
)

// Document is the content of one version of an entry: a JSON object with the values by field
// name, in the canonical form of RFC 8785, so that equal content has equal bytes. A reference
// is an id; for a relation it is the id of the translation group. A field without a value is
// absent; a multiple field without values is [].
type Document []byte

// NewDocument returns the document with these values, which must be canonical JSON.
func NewDocument(values map[string]json.RawMessage) Document {
	names, size := make([]string, 0, len(values)), len("{}")
	for name, value := range values {
		names = append(names, name)
		size += len(name) + len(`"":,`) + len(value)
	}
	// RFC 8785 orders by UTF-16 code units. Field names are ASCII, so byte order is the same.
	slices.Sort(names)
	doc := append(make(Document, 0, size), '{')
	for i, name := range names {
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

// EncodeJSON is json.Marshal without HTML escaping of <, > and &. Stored texts do not become
// longer, and a snapshot keeps the bytes that were hashed.
func EncodeJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Values returns the values by field name. They share the memory of the document.
func (d Document) Values() map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	d.Each(func(name, value []byte) { values[string(name)] = value })
	return values
}

// Edit returns d with each value replaced by the result of edit; nil removes the member.
func (d Document) Edit(edit func(name string, value json.RawMessage) json.RawMessage) Document {
	if d == nil {
		return nil
	}
	edited, changed := append(make(Document, 0, len(d)), '{'), false
	d.Each(func(name, value []byte) {
		next := edit(string(name), value)
		changed = changed || !bytes.Equal(next, value)
		if next == nil {
			return
		}
		if len(edited) > 1 {
			edited = append(edited, ',')
		}
		edited = append(append(append(append(edited, '"'), name...), `":`...), next...)
	})
	if !changed {
		return d
	}
	return append(edited, '}')
}

// Each calls visit with every member in order. name and value are raw bytes and share the
// memory of the document. Each relies on the canonical form: no white space between tokens,
// no escapes in names.
func (d Document) Each(visit func(name, value []byte)) {
	if len(d) < 2 {
		return
	}
	for i := 1; i < len(d)-1; {
		nameEnd := canonical.StringEnd(d, i)
		valueEnd := canonical.ValueEnd(d, nameEnd+1)
		visit(d[i+1:nameEnd-1], d[nameEnd+1:valueEnd])
		i = valueEnd + 1
	}
}

// Value returns the raw value of the member name, or nil when the document has no such member.
// It relies on the canonical form like Each, and on the order of names.
func (d Document) Value(name string) []byte {
	var at [1]Span
	d.Locate([]string{name}, at[:])
	return d.At(at[0])
}

// Span is the position of a value in a document. The zero Span means no value. A Span takes a
// third of the memory of a slice, and the garbage collector does not scan it.
type Span struct{ Start, End uint32 }

// At returns the raw value at s, or nil for the zero Span.
func (d Document) At(s Span) []byte {
	if s.End == 0 {
		return nil
	}
	return d[s.Start:s.End]
}

// Locate sets spans[i] to the position of the value of names[i], and leaves it unchanged when the
// document has no such member. names must be in ascending order, like the members, so that one
// pass over both is enough. In the usual case the next member has the next name.
func (d Document) Locate(names []string, spans []Span) {
	n := 0
	for i := 1; i < len(d)-1 && n < len(names); {
		if !d.named(i, names[n]) {
			end := canonical.StringEnd(d, i)
			for n < len(names) && names[n] < string(d[i+1:end-1]) {
				n++
			}
			if n == len(names) || !d.named(i, names[n]) {
				i = canonical.ValueEnd(d, end+1) + 1
				continue
			}
		}
		start := i + len(names[n]) + len(`"":`)
		end := canonical.ValueEnd(d, start)
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

// Digest is a hash that is the same on every machine (XXH3, 128 bits). It is not a
// cryptographic hash: an attacker can construct different bytes with the same digest.
type Digest [16]byte

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest { return xxh3.Hash128(b).Bytes() }
