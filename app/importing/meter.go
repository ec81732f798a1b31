package importing

import (
	"fmt"
	"io"
)

// maxElement is the largest element of an export in bytes. A Source has one in memory as a whole.
const maxElement = 64 << 20

// Meter reads an export of elements, and ends with an error in one that is longer than 64 MB.
type Meter struct {
	in   io.Reader
	left int64
}

// NewMeter returns a Meter that reads in.
func NewMeter(in io.Reader) *Meter { return &Meter{in, maxElement} }

// Next begins another element.
func (m *Meter) Next() { m.left = maxElement }

// Read implements io.Reader.
func (m *Meter) Read(p []byte) (int, error) {
	if m.left < 0 {
		return 0, fmt.Errorf("an element is longer than %d MB", maxElement>>20)
	}
	n, err := m.in.Read(p)
	m.left -= int64(n)
	return n, err
}
