package core

import "slices"

// RowBuffer is memory that one page of rows is read into after the other, for whoever
// reads many and is soon done with each: what is in it is good until Reset. Nil is memory
// of their own for the rows of each page, and the zero value is ready.
type RowBuffer struct {
	rows      []Row
	documents []byte
}

// Rows returns an empty slice with room for that many rows.
func (b *RowBuffer) Rows(room int) []Row {
	if b == nil {
		return make([]Row, 0, room)
	}
	b.rows = slices.Grow(b.rows[:0], room)[:room]
	return b.rows[:0]
}

// firstDocuments is how many bytes of documents a buffer has room for at first.
const firstDocuments = 16 << 10

// Keep returns a copy of what a store has read.
func Keep[Raw []byte | string](b *RowBuffer, raw Raw) Document {
	if b == nil {
		return append(Document(nil), raw...)
	}
	if cap(b.documents)-len(b.documents) < len(raw) {
		// Those before stay where they are.
		b.documents = make([]byte, 0, max(firstDocuments, 2*cap(b.documents), len(raw)))
	}
	start := len(b.documents)
	b.documents = append(b.documents, raw...)
	return b.documents[start:len(b.documents):len(b.documents)]
}

// Size is how many bytes of documents the buffer has room for.
func (b *RowBuffer) Size() int { return cap(b.documents) }

// Reset ends what has been read into the buffer.
func (b *RowBuffer) Reset() {
	clear(b.rows)
	b.rows, b.documents = b.rows[:0], b.documents[:0]
}
