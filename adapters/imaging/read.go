package imaging

import (
	"bufio"
	"bytes"
	"io"
)

// offsetReader reads a file forward and knows where it is.
type offsetReader struct {
	in     *bufio.Reader
	offset int64
	buffer []byte
}

// next returns the next n bytes, which stay valid until the next call.
func (r *offsetReader) next(n int) ([]byte, error) {
	if cap(r.buffer) < n {
		r.buffer = make([]byte, n)
	}
	b := r.buffer[:n]
	read, err := io.ReadFull(r.in, b)
	r.offset += int64(read)
	return b, err
}

// skip passes over n bytes, all of which must be there.
func (r *offsetReader) skip(n int64) error {
	for n > 0 {
		skipped, err := r.in.Discard(int(min(n, 1<<20)))
		r.offset += int64(skipped)
		n -= int64(skipped)
		if err != nil {
			return err
		}
	}
	return nil
}

// skipTo passes over everything up to and with the next b.
func (r *offsetReader) skipTo(b byte) error {
	for {
		waiting, err := r.in.Peek(max(1, r.in.Buffered()))
		if len(waiting) == 0 {
			return err
		}
		if i := bytes.IndexByte(waiting, b); i >= 0 {
			return r.skip(int64(i) + 1)
		}
		if err := r.skip(int64(len(waiting))); err != nil {
			return err
		}
	}
}

// readParts reads the parts of a file, one after the other.
func readParts(source io.ReadSeeker, parts []part) ([]byte, error) {
	total := int64(0)
	for _, p := range parts {
		total += p.length
	}
	data := make([]byte, total)
	rest := data
	for _, p := range parts {
		if _, err := source.Seek(p.offset, io.SeekStart); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(source, rest[:p.length]); err != nil {
			return nil, err
		}
		rest = rest[p.length:]
	}
	return data, nil
}
