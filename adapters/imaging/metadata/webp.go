package metadata

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// webpChunks are the chunks that are copied: the picture, its colours and animation.
var webpChunks = []string{"VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ICCP"}

const (
	webpHeader = 8  // bytes of the header of a chunk
	webpFrame  = 16 // bytes before the chunks of a frame
)

// webpUnused is the name of chunks whose content is replaced by zeros. Readers ignore it.
const webpUnused = "JUNK"

// emptyExif is an Exif block without tags.
const emptyExif = "II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// webpWalker walks the chunks of a WebP, also those in the frames of an animation. The file starts
// with its size, so each chunk keeps its size, and cleaned metadata is padded.
type webpWalker struct {
	started bool
	offset  int64 // of the next byte
	end     int64 // of the file by its header
	frame   int64 // the offset at which the present frame ends
	picture bool  // a picture has begun
}

func (w *webpWalker) begun() bool { return w.picture }

func (w *webpWalker) step(r *reader) error {
	switch inFrame := w.frame - w.offset; {
	case !w.started:
		return w.start(r)
	case inFrame > 0 && inFrame < webpHeader:
		w.offset += inFrame
		r.blank(inFrame)
		return nil
	case inFrame <= 0 && w.end-w.offset < webpHeader:
		if w.end <= w.offset {
			return io.EOF
		}
		r.emit(make([]byte, w.end-w.offset)) // too short for a chunk
		w.offset = w.end
		return nil
	}
	return w.chunk(r)
}

func (w *webpWalker) start(r *reader) error {
	w.started = true
	head, err := r.next(12)
	if err != nil || string(head[:4]) != "RIFF" || string(head[8:]) != "WEBP" {
		return ErrInvalid
	}
	w.offset, w.end = 12, int64(binary.LittleEndian.Uint32(head[4:]))+8
	r.emit(head)
	return nil
}

func (w *webpWalker) chunk(r *reader) error {
	b, err := r.next(webpHeader)
	if err != nil {
		return err
	}
	header := bytes.Clone(b)
	w.offset += webpHeader
	name, length := string(header[:4]), int64(binary.LittleEndian.Uint32(header[4:]))
	padded, inFrame := length+length&1, w.frame >= w.offset
	if inFrame {
		padded = min(padded, w.frame-w.offset)
	}
	w.offset += padded
	switch {
	case slices.Contains(webpChunks, name):
		w.picture = w.picture || name == "VP8 " || name == "VP8L"
		r.emit(header)
		r.pass(padded)
	case name == "ANMF" && length >= webpFrame && !inFrame:
		w.frame = w.offset
		w.offset += webpFrame - padded
		r.emit(header)
		r.pass(webpFrame)
	case (name == "EXIF" || name == "XMP ") && length <= maxMetadata && !inFrame:
		return w.metadata(r, header, int(length))
	default:
		copy(header, webpUnused)
		r.emit(header)
		r.blank(padded)
	}
	return nil
}

// metadata copies a chunk with cleaned content.
func (w *webpWalker) metadata(r *reader, header []byte, length int) error {
	body, err := r.next(length)
	if err != nil {
		return err
	}
	var content []byte
	padding := byte(0)
	if string(header[:4]) == "EXIF" {
		if content = cleanExif(body); len(content) == 0 && length >= len(emptyExif) {
			content = []byte(emptyExif)
		}
	} else {
		content, padding = cleanXMP(body), ' '
	}
	if len(content) > length {
		content = nil
	}
	fill := bytes.Repeat([]byte{padding}, length-len(content))
	r.emit(header, content, fill)
	r.blank(int64(length & 1))
	return nil
}
