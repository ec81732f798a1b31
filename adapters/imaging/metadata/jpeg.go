package metadata

import (
	"bytes"
	"io"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	markerTEM   = 0x01
	markerSOF0  = 0xc0
	markerSOF15 = 0xcf
	markerRST0  = 0xd0
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerEXP   = 0xdf
	markerAPP0  = 0xe0
	markerAPP1  = 0xe1
	markerAPP2  = 0xe2
	markerAPP13 = 0xed
	markerAPP14 = 0xee
	markerAPP15 = 0xef
	markerCOM   = 0xfe
)

// maxSegment is the maximum size in bytes of the content of a segment.
const maxSegment = 0xffff - 2

// Prefixes of the content of application segments.
const (
	jfifPrefix      = "JFIF\x00"
	exifPrefix      = "Exif\x00"
	xmpPrefix       = "http://ns.adobe.com/xap/1.0/\x00"
	profilePrefix   = "ICC_PROFILE\x00"
	photoshopPrefix = "Photoshop 3.0\x00"
	adobePrefix     = "Adobe"
)

// jpegWalker walks the segments of a JPEG. Of the application segments it keeps those of
// jpegContent. It drops bytes outside segments and scans.
type jpegWalker struct {
	started, ended bool
	scans          bool // a scan has begun: entropy-coded data may follow
}

func (w *jpegWalker) begun() bool { return w.scans }

func (w *jpegWalker) step(r *reader) error {
	switch {
	case w.ended:
		return io.EOF
	case !w.started:
		w.started = true
		start, err := r.next(2)
		if err != nil || start[0] != 0xff || start[1] != markerSOI {
			return ErrInvalid
		}
		r.emit(start)
		return nil
	case w.scans:
		if n := scanned(r.peek(max(1, r.in.Buffered()))); n > 0 {
			r.pass(int64(n))
			return nil
		}
	}
	marker, err := nextMarker(r)
	switch inScan := marker == 0 || marker >= markerRST0 && marker < markerSOI; {
	case err != nil:
		return err
	case inScan && w.scans:
		r.emit([]byte{0xff, marker})
		return nil
	case inScan || marker == markerTEM || marker == markerSOI:
		return nil // these markers have no segment
	case marker == markerEOI:
		w.ended = true
		r.emit([]byte{0xff, markerEOI})
		return nil
	}
	return w.segment(r, marker)
}

// scanned returns the number of bytes at the start of window that are certainly entropy-coded data:
// up to a marker, or to bytes that may be part of one.
func scanned(window []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(window[i:], 0xff)
		if next < 0 {
			return len(window)
		}
		i += next
		end := i + 1 // of the bytes before the marker
		for end < len(window) && window[end] == 0xff {
			end++
		}
		if end == len(window) || window[end] != 0 && (window[end] < markerRST0 || window[end] >= markerSOI) {
			return i
		}
		i = end + 1
	}
}

// nextMarker skips to the next marker and returns it. It returns 0 for an encoded byte 0xff.
func nextMarker(r *reader) (byte, error) {
	if err := skipPast(r, 0xff); err != nil {
		return 0, err
	}
	for {
		b, err := r.next(1)
		if err != nil {
			return 0, err
		}
		if b[0] != 0xff {
			return b[0], nil
		}
	}
}

// segment copies, rewrites or drops a segment. Its marker has been read.
func (w *jpegWalker) segment(r *reader, marker byte) error {
	size, err := r.next(2)
	if err != nil {
		return err
	}
	head := []byte{0xff, marker, size[0], size[1]}
	length := int(size[0])<<8 | int(size[1])
	if length -= 2; length < 0 {
		return ErrInvalid
	}
	if marker == markerCOM || marker >= markerAPP0 && marker <= markerAPP15 {
		body, err := r.next(length)
		if err != nil {
			return err
		}
		body = jpegContent(marker, body)
		if len(body) == 0 || len(body) > maxSegment {
			return nil
		}
		size := len(body) + 2
		r.emit([]byte{0xff, marker, byte(size >> 8), byte(size)}, body)
		return nil
	}
	if !isPicture(marker) {
		return r.drop(int64(length))
	}
	w.scans = w.scans || marker == markerSOS
	r.emit(head)
	r.pass(int64(length))
	return nil
}

// isPicture reports whether a segment with the marker is part of the picture: a frame, a table, a
// scan or their parameters.
func isPicture(marker byte) bool {
	return marker >= markerSOF0 && marker <= markerSOF15 || marker >= markerSOS && marker <= markerEXP
}

// jpegContent returns the new content of an application segment, or nil to leave the segment out.
func jpegContent(marker byte, body []byte) []byte {
	has := func(prefix string) bool { return bytes.HasPrefix(body, []byte(prefix)) }
	switch {
	case marker == markerAPP0 && has(jfifPrefix):
		return jfif(body)
	case marker == markerAPP1 && has(exifPrefix):
		return prefixed(exifPrefix+"\x00", cleanExif(body))
	case marker == markerAPP1 && has(xmpPrefix):
		return prefixed(xmpPrefix, cleanXMP(body[len(xmpPrefix):]))
	case marker == markerAPP2 && has(profilePrefix):
		return body
	case marker == markerAPP13 && has(photoshopPrefix):
		return prefixed(photoshopPrefix, cleanPhotoshop(body[len(photoshopPrefix):]))
	case marker == markerAPP14 && has(adobePrefix):
		return body[:min(len(body), 12)]
	}
	return nil
}

// jfif returns the content of a JFIF segment without its thumbnail.
func jfif(body []byte) []byte {
	const size, thumbnail = 14, 12
	if len(body) < size {
		return body
	}
	return append(bytes.Clone(body[:thumbnail]), 0, 0)
}

// prefixed returns prefix and content, or nil if content is empty.
func prefixed(prefix string, content []byte) []byte {
	if len(content) == 0 {
		return nil
	}
	return append([]byte(prefix), content...)
}

// skipPast skips to the byte after the next b.
func skipPast(r *reader, b byte) error {
	for {
		window := r.peek(max(1, r.in.Buffered()))
		if len(window) == 0 {
			return errEarly
		}
		skipped := bytes.IndexByte(window, b) + 1
		if skipped > 0 {
			return r.drop(int64(skipped))
		}
		if err := r.drop(int64(len(window))); err != nil {
			return err
		}
	}
}
