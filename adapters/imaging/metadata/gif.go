package metadata

import (
	"io"
	"slices"
)

// gifExtensions are the application extensions that are copied: repetition and colours.
var gifExtensions = []string{"NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"}

// Blocks of GIF (GIF89a specification, appendix A).
const (
	gifImage       = ','
	gifExtension   = '!'
	gifTrailer     = ';'
	gifApplication = 0xff // labels of extensions
	gifComment     = 0xfe
)

// gifWalker walks the blocks of a GIF. It drops comments and unknown application extensions, which
// hold XMP.
type gifWalker struct {
	started, ended bool
	blocks         bool // sub-blocks follow
	dropped        bool // and are left out
	framed         bool // a frame has begun
}

func (w *gifWalker) begun() bool { return w.framed }

func (w *gifWalker) step(r *reader) error {
	switch {
	case w.ended:
		return io.EOF
	case !w.started:
		w.started = true
		head, err := r.next(13)
		if err != nil || string(head[:6]) != "GIF87a" && string(head[:6]) != "GIF89a" {
			return ErrInvalid
		}
		table := gifColors(head[10])
		r.emit(head)
		r.pass(table)
		return nil
	case w.blocks:
		return w.block(r)
	}
	return w.start(r)
}

// start reads the start of a block up to its sub-blocks.
func (w *gifWalker) start(r *reader) error {
	switch kind := r.peek(10); {
	case len(kind) == 0:
		return errEarly
	case kind[0] == gifTrailer:
		w.ended = true
		r.pass(1)
	case kind[0] == gifImage && len(kind) == 10:
		w.blocks, w.dropped, w.framed = true, false, true
		r.pass(10 + gifColors(kind[9]) + 1) // 1: the size of codes
	case kind[0] == gifExtension && len(kind) > 1:
		w.blocks, w.dropped = true, kind[1] == gifComment || kind[1] == gifApplication && !slices.Contains(gifExtensions, gifName(r))
		if w.dropped {
			return r.drop(2)
		}
		r.pass(2)
	default:
		return ErrInvalid
	}
	return nil
}

// gifName returns the name of the application extension that follows.
func gifName(r *reader) string {
	const length = 11
	head := r.peek(3 + length)
	if len(head) < 3+length || head[2] != length {
		return ""
	}
	return string(head[3:])
}

// block copies or drops sub-blocks, as many as are in the buffer.
func (w *gifWalker) block(r *reader) error {
	window, n := r.peek(max(1, r.in.Buffered())), 0
	for n < len(window) && w.blocks {
		w.blocks = window[n] != 0
		n += 1 + int(window[n])
	}
	if n == 0 {
		return errEarly
	}
	if w.dropped {
		return r.drop(int64(n))
	}
	r.pass(int64(n))
	return nil
}

// gifColors returns the length in bytes of the colour table that flags declare.
func gifColors(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}
