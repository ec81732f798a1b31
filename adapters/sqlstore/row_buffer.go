package sqlstore

import (
	"slices"
	"sync"

	"imprimatur/core"
)

// rowBuffer is a pooled buffer for one page of rows. Rows and documents in it are valid until
// free. It takes memory from the pool when the first row arrives, so that reads that queue for
// a connection hold none. The zero value is ready. It is not safe for concurrent use.
type rowBuffer struct{ memory *rowMemory }

type rowMemory struct {
	rows      []core.Row
	documents []byte
}

var rowMemories = sync.Pool{New: func() any { return new(rowMemory) }}

const (
	// firstDocuments is the initial size of a buffer in bytes.
	firstDocuments = 16 << 10
	// maxPooled is the largest buffer, in bytes, that returns to the pool. A larger one would
	// pin its memory.
	maxPooled = 1 << 20
)

func (b *rowBuffer) take() *rowMemory {
	if b.memory == nil {
		b.memory = rowMemories.Get().(*rowMemory)
	}
	return b.memory
}

// rows returns an empty slice with the given capacity.
func (b *rowBuffer) rows(room int) []core.Row {
	m := b.take()
	m.rows = slices.Grow(m.rows[:0], room)[:room]
	return m.rows[:0]
}

// keep returns a copy of raw in the buffer, or in new memory if b is nil.
func keep[Raw []byte | string](b *rowBuffer, raw Raw) core.Document {
	if b == nil {
		return append(core.Document(nil), raw...)
	}
	m := b.take()
	if cap(m.documents)-len(m.documents) < len(raw) {
		// Earlier documents keep the old memory.
		m.documents = make([]byte, 0, max(firstDocuments, 2*cap(m.documents), len(raw)))
	}
	start := len(m.documents)
	m.documents = append(m.documents, raw...)
	return m.documents[start:len(m.documents):len(m.documents)]
}

// free returns the memory to the pool. Rows and documents in it are no longer valid.
func (b *rowBuffer) free() {
	if m := b.memory; m != nil && cap(m.documents) <= maxPooled {
		clear(m.rows)
		m.rows, m.documents = m.rows[:0], m.documents[:0]
		rowMemories.Put(m)
	}
	b.memory = nil
}
