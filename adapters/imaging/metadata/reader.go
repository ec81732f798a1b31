package metadata

import (
	"bufio"
	"errors"
	"io"
)

// ErrInvalid reports a file that does not have the structure of its format, or ends early.
var ErrInvalid = errors.New("metadata: invalid or truncated file")

// ErrUnremovable reports metadata that cannot be removed.
var ErrUnremovable = errors.New("metadata: metadata that cannot be removed")

// maxMetadata is the maximum size in bytes of metadata that is parsed. Larger metadata is left
// out.
const maxMetadata = 1 << 20

// windowSize is the size in bytes of the buffer between a source and its reader.
const windowSize = 64 << 10

// walker is the structure of a format.
type walker interface {
	// step handles the next part of the file: it calls emit, pass, blank or drop. It returns io.EOF
	// after the last part.
	step(r *reader) error
	// begun reports whether the picture has begun: a file that is damaged after that is cleaned as far
	// as it has the structure of its format, and ends there.
	begun() bool
}

// walkers makes the walker of each MIME type that NewReader cleans.
var walkers = map[string]func() walker{
	"image/jpeg": func() walker { return &jpegWalker{} },
	"image/png":  func() walker { return &pngWalker{} },
	"image/webp": func() walker { return &webpWalker{} },
	"image/gif":  func() walker { return &gifWalker{} },
	"image/avif": func() walker { return &heifWalker{} },
	"image/heic": func() walker { return &heifWalker{} },
}

// NewReader returns a reader of the cleaned bytes of source, a JPEG, PNG, WebP, GIF, AVIF or HEIC. It
// reads source to its end. It then returns ErrInvalid if the file is not valid up to the beginning of
// its picture, and ErrUnremovable if it cannot tell where metadata is; an error of source is returned
// unchanged.
func NewReader(source io.Reader, mimeType string) io.Reader {
	recorded := &recorder{source: source}
	return &reader{source: recorded, in: bufio.NewReaderSize(recorded, windowSize), walker: walkers[mimeType]()}
}

// reader is the reader that NewReader returns.
type reader struct {
	source  *recorder
	in      *bufio.Reader
	walker  walker
	pending []byte // to return next
	passing int64  // number of bytes of the source to return after pending
	blanked bool   // as zeros
	err     error
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		switch {
		case len(r.pending) > 0:
			n := copy(p, r.pending)
			r.pending = r.pending[n:]
			return n, nil
		case r.err != nil:
			return 0, r.err
		case r.passing > 0:
			n, err := r.in.Read(p[:min(int64(len(p)), r.passing)])
			r.passing -= int64(n)
			if r.blanked {
				clear(p[:n])
			}
			if err != nil {
				r.err = r.end(ErrInvalid)
			}
			if n > 0 {
				return n, nil
			}
		default:
			if err := r.walker.step(r); err != nil {
				r.err = r.end(err)
			}
		}
	}
}

// end returns the error of Read after the walker has returned err. It first reads the source to
// its end: a limit of the source takes precedence over an invalid file.
func (r *reader) end(err error) error {
	_, _ = io.Copy(io.Discard, r.in) // the recorder has the error
	switch {
	case r.source.err != nil:
		return r.source.err
	case errors.Is(err, io.EOF) && !errors.Is(err, errEarly):
		return io.EOF
	case errors.Is(err, ErrUnremovable):
		return err
	case r.walker.begun():
		return io.EOF
	default:
		return ErrInvalid
	}
}

// errEarly reports that the source has ended within a part. Unlike the io.EOF of a walker it does
// not mean that the picture is complete.
var errEarly = errors.New("metadata: early end")

// next returns the next n bytes of the source, at most maxMetadata. They are valid until the next
// call of a method.
func (r *reader) next(n int) ([]byte, error) {
	if n <= windowSize {
		b, err := r.in.Peek(n)
		if err != nil {
			return nil, errEarly
		}
		_, _ = r.in.Discard(n) // these bytes are in the buffer
		return b, nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r.in, b); err != nil {
		return nil, errEarly
	}
	return b, nil
}

// peek returns the next n bytes, or fewer at the end of the source, without consuming them.
func (r *reader) peek(n int) []byte {
	b, _ := r.in.Peek(n) // a shorter result is valid
	return b
}

// emit returns the bytes of parts to the caller of Read. It copies them.
func (r *reader) emit(parts ...[]byte) {
	r.pending = r.pending[:0:0]
	for _, part := range parts {
		r.pending = append(r.pending, part...)
	}
}

// pass returns the next n bytes of the source to the caller of Read, after the bytes of emit.
func (r *reader) pass(n int64) { r.passing, r.blanked = n, false }

// blank skips n bytes of the source and returns as many zeros instead, after the bytes of emit.
func (r *reader) blank(n int64) { r.passing, r.blanked = n, true }

// drop skips n bytes of the source.
func (r *reader) drop(n int64) error {
	for n > 0 {
		skipped, err := r.in.Discard(int(min(n, 1<<30)))
		if n -= int64(skipped); err != nil {
			return errEarly
		}
	}
	return nil
}

// recorder is a reader that records an error of source. Parsers may replace it by another error.
type recorder struct {
	source io.Reader
	err    error
}

func (r *recorder) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.source.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
