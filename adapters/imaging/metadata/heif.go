package metadata

import (
	"bytes"
	"io"
	"math"
	"slices"

	"imprimatur/adapters/imaging/heif"
)

// heifBoxes are the boxes of an AVIF or HEIC that are copied: the type, the list of items and their
// bytes. Others become free space of the same size, so that offsets stay.
var heifBoxes = []string{"ftyp", "styp", "mdat", "free", "skip", "wide"}

// heifTracks are the boxes of an image sequence in which others are free space.
var heifTracks = map[string][]string{
	"moov": {"mvhd", "trak", "mvex"},
	"trak": {"tkhd", "edts", "tref", "mdia", "trgr"},
}

// heifWalker walks the boxes of an AVIF or HEIC. Items with metadata are replaced by zeros where they
// are. That needs the box meta to come before them.
type heifWalker struct {
	offset  int64 // of the next byte
	end     int64 // of the present box
	blanked bool  // the content of the present box is replaced by zeros
	listed  bool  // the box meta was read
	zeros   []heif.Range
}

func (w *heifWalker) begun() bool { return w.listed }

func (w *heifWalker) step(r *reader) error {
	if w.offset < w.end {
		w.content(r)
		return nil
	}
	first := r.peek(16)
	if len(first) == 0 {
		return io.EOF
	}
	h, err := heif.ReadHeader(first)
	if err != nil {
		return ErrInvalid
	}
	header := bytes.Clone(first[:h.Size])
	w.end = w.offset + h.Length
	if h.Length == 0 {
		w.end = math.MaxInt64
	}
	if err := r.drop(h.Size); err != nil {
		return err
	}
	w.offset += h.Size
	switch {
	case h.Name == "meta" && !w.listed:
		return w.list(r, header, h)
	case h.Name == "moov":
		return w.tracks(r, header, h)
	case h.Name == "mdat" && !w.listed:
		return ErrUnremovable
	}
	if w.blanked = !slices.Contains(heifBoxes, h.Name); w.blanked {
		copy(header[4:], "free")
	}
	r.emit(header)
	return nil
}

// content copies the next bytes of the present box, up to the beginning or the end of a range of zeros.
func (w *heifWalker) content(r *reader) {
	until, blank := w.end, w.blanked
	for _, zero := range w.zeros {
		switch {
		case w.offset < zero.Start:
			until = min(until, zero.Start)
		case w.offset < zero.End && !blank:
			until, blank = min(w.end, zero.End), true
		}
	}
	if n := until - w.offset; blank {
		r.blank(n)
	} else {
		r.pass(n)
	}
	w.offset = until
}

// list copies the box meta, and remembers where metadata is.
func (w *heifWalker) list(r *reader, header []byte, h heif.Header) error {
	content, err := w.whole(r, h)
	if err != nil {
		return err
	}
	info, err := heif.Read(content)
	if err != nil {
		return ErrUnremovable
	}
	for _, zero := range info.Metadata {
		if zero.Start < w.offset {
			return ErrUnremovable
		}
	}
	for _, zero := range info.Inner {
		clear(content[zero.Start:zero.End])
	}
	w.zeros, w.listed = info.Metadata, true
	r.emit(header, content)
	return nil
}

// tracks copies the box moov of an image sequence without what describes it.
func (w *heifWalker) tracks(r *reader, header []byte, h heif.Header) error {
	content, err := w.whole(r, h)
	if err != nil {
		return err
	}
	clearTracks("moov", content)
	r.emit(header, content)
	return nil
}

func clearTracks(parent string, content []byte) {
	for len(content) > 0 {
		h, err := heif.ReadHeader(content)
		if err != nil || h.Length == 0 || h.Length > int64(len(content)) {
			clear(content)
			return
		}
		switch box := content[h.Size:h.Length]; {
		case heifTracks[h.Name] != nil:
			clearTracks(h.Name, box)
		case !slices.Contains(heifTracks[parent], h.Name):
			copy(content[4:], "free")
			clear(box)
		}
		content = content[h.Length:]
	}
}

// whole reads the content of the present box.
func (w *heifWalker) whole(r *reader, h heif.Header) ([]byte, error) {
	length := w.end - w.offset
	if h.Length == 0 || length > maxMetadata {
		return nil, ErrUnremovable
	}
	content, err := r.next(int(length))
	w.offset = w.end
	return bytes.Clone(content), err
}
