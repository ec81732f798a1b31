package imaging

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// offsetReader reads a file forward and tracks the offset.
type offsetReader struct {
	in     *bufio.Reader
	offset int64
	buffer []byte
}

func newOffsetReader(source io.Reader) *offsetReader {
	return &offsetReader{in: bufio.NewReaderSize(source, 64<<10)}
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

// skip skips n bytes and returns an error when the file is shorter.
func (r *offsetReader) skip(n int64) error {
	skipped, err := r.in.Discard(int(n))
	r.offset += int64(skipped)
	return err
}

// skipTo skips to the byte after the next b.
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

// partsReader reads parts of a file in sequence. Len returns the number of remaining bytes;
// decoders that read whole files allocate exactly this number.
type partsReader struct {
	source io.ReadSeeker
	parts  []part
	read   int64 // of the first part
}

func (r *partsReader) Len() int {
	total := -r.read
	for _, p := range r.parts {
		total += p.length
	}
	return int(total)
}

func (r *partsReader) Read(p []byte) (int, error) {
	for len(r.parts) > 0 && r.read == r.parts[0].length {
		r.parts, r.read = r.parts[1:], 0
	}
	if len(r.parts) == 0 {
		return 0, io.EOF
	}
	if data := r.parts[0].data; data != nil {
		n := copy(p, data[r.read:])
		r.read += int64(n)
		return n, nil
	}
	if r.read == 0 {
		if _, err := r.source.Seek(r.parts[0].offset, io.SeekStart); err != nil {
			return 0, err
		}
	}
	n, err := r.source.Read(p[:min(int64(len(p)), r.parts[0].length-r.read)])
	r.read += int64(n)
	if errors.Is(err, io.EOF) && r.read < r.parts[0].length {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
