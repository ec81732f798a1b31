package core

import (
	"slices"
	"sync"
)

// RowBuffer is memory for one page of rows, for whoever is soon done with them: what is in
// it is good until Free. It takes that memory, which others had before, when rows come: of
// the many who may wait for theirs, none needs any. Nil is memory of their own for the
// rows of a page, and the zero value is ready.
type RowBuffer struct{ memory *rowMemory }

type rowMemory struct {
	rows      []Row
	documents []byte
}

var rowMemories = sync.Pool{New: func() any { return new(rowMemory) }}

const (
	// firstDocuments is how many bytes of documents a buffer has room for at first.
	firstDocuments = 16 << 10
	// maxPooled is how many it may have room for when others are to have it: one of large
	// documents would pin their memory.
	maxPooled = 1 << 20
)

func (b *RowBuffer) take() *rowMemory {
	if b.memory == nil {
		b.memory = rowMemories.Get().(*rowMemory)
	}
	return b.memory
}

// Rows returns an empty slice with room for that many rows.
func (b *RowBuffer) Rows(room int) []Row {
	if b == nil {
		return make([]Row, 0, room)
	}
	m := b.take()
	m.rows = slices.Grow(m.rows[:0], room)[:room]
	return m.rows[:0]
}

// Keep returns a copy of what a store has read.
func Keep[Raw []byte | string](b *RowBuffer, raw Raw) Document {
	if b == nil {
		return append(Document(nil), raw...)
	}
	m := b.take()
	if cap(m.documents)-len(m.documents) < len(raw) {
		// Those before stay where they are.
		m.documents = make([]byte, 0, max(firstDocuments, 2*cap(m.documents), len(raw)))
	}
	start := len(m.documents)
	m.documents = append(m.documents, raw...)
	return m.documents[start:len(m.documents):len(m.documents)]
}

// Free ends what has been read into the buffer, and gives its memory to others.
func (b *RowBuffer) Free() {
	if m := b.memory; m != nil && cap(m.documents) <= maxPooled {
		clear(m.rows)
		m.rows, m.documents = m.rows[:0], m.documents[:0]
		rowMemories.Put(m)
	}
	b.memory = nil
}
