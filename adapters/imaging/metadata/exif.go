package metadata

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// exifTag is the number of a tag (CIPA DC-008, Exif 3.0).
type exifTag uint16

// Tags that hold the offset of another directory.
const (
	tagExif    exifTag = 0x8769
	tagInterop exifTag = 0xa005
)

// exifTags are the tags that are copied, by directory.
var exifTags = map[exifTag][]exifTag{
	0: {
		0x010e,                 // ImageDescription
		0x010f,                 // Make
		0x0110,                 // Model
		0x0112,                 // Orientation
		0x011a, 0x011b, 0x0128, // XResolution, YResolution, ResolutionUnit
		0x0131,         // Software
		0x0132,         // DateTime
		0x013b,         // Artist
		0x013e, 0x013f, // WhitePoint, PrimaryChromaticities
		0x0211, 0x0213, 0x0214, // YCbCrCoefficients, YCbCrPositioning, ReferenceBlackWhite
		0x8298, // Copyright
		tagExif,
	},
	tagExif: {
		0x829a, 0x829d, 0x8822, 0x8827, 0x8830, 0x8831, 0x8832, 0x8833, // exposure and sensitivity
		0x9000,                                 // ExifVersion
		0x9003, 0x9004, 0x9290, 0x9291, 0x9292, // times
		0x9101, 0x9102, // ComponentsConfiguration, CompressedBitsPerPixel
		0x9201, 0x9202, 0x9203, 0x9204, 0x9205, 0x9206, 0x9207, 0x9208, 0x9209, 0x920a, // exposure and focus
		0xa000, 0xa001, 0xa002, 0xa003, // FlashpixVersion, ColorSpace, PixelXDimension, PixelYDimension
		tagInterop,
		0xa20e, 0xa20f, 0xa210, 0xa215, 0xa217, // focal plane, ExposureIndex, SensingMethod
		0xa300, 0xa301, // FileSource, SceneType
		0xa401, 0xa402, 0xa403, 0xa404, 0xa405, 0xa406, 0xa407, 0xa408, 0xa409, 0xa40a, 0xa40c, // how the picture was taken
		0xa432, 0xa433, 0xa434, // LensSpecification, LensMake, LensModel
		0xa436, 0xa437, 0xa438, // ImageTitle, Photographer, ImageEditor
		0xa460, 0xa500, // CompositeImage, Gamma
	},
	tagInterop: {0x0001, 0x0002}, // InteroperabilityIndex, InteroperabilityVersion
}

// exifTypes has the size in bytes of an element of each type.
var exifTypes = map[uint16]int{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 129: 1}

// Limits of the values that are copied, in bytes. A block can name the same bytes many times.
const (
	maxText  = 8000 // of a tag of type ASCII or UTF-8
	maxValue = 64   // of another tag
	maxExif  = 60_000
)

// exifEntry is a tag with its value, which is a directory or bytes.
type exifEntry struct {
	tag       exifTag
	kind      uint16
	count     uint32
	value     []byte
	directory []exifEntry
}

// exifReader reads an Exif block, a TIFF file.
type exifReader struct {
	block  []byte
	order  byteOrder
	budget int // bytes that may still be copied
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// cleanExif returns a new Exif block with the tags of exifTags. block may start with the header
// that it has in JPEG; the result does not. It returns nil if block is invalid or has none of the
// tags. It drops a tag with an invalid value.
func cleanExif(block []byte) []byte {
	if len(block) > 6 && bytes.HasPrefix(block, []byte("Exif")) {
		block = block[6:]
	}
	r := exifReader{block: block, budget: maxExif}
	switch {
	case len(block) < 8:
		return nil
	case bytes.HasPrefix(block, []byte("II*\x00")):
		r.order = binary.LittleEndian
	case bytes.HasPrefix(block, []byte("MM\x00*")):
		r.order = binary.BigEndian
	default:
		return nil
	}
	entries := r.directory(0, block[4:])
	if len(entries) == 0 {
		return nil
	}
	w := exifWriter{out: bytes.Clone(block[:8]), order: r.order}
	r.order.PutUint32(w.out[4:], 8)
	w.directory(entries)
	return w.out
}

// directory returns the entries of the directory whose offset field has. parent is the tag of the
// field; it is 0 for the first directory. Of several entries with a tag only the first counts.
func (r *exifReader) directory(parent exifTag, field []byte) (entries []exifEntry) {
	rest := r.at(field)
	if len(rest) < 2 {
		return nil
	}
	count := r.order.Uint16(rest)
	rest = rest[2:]
	seen := map[exifTag]bool{}
	for range count {
		if len(rest) < 12 {
			break
		}
		tag := exifTag(r.order.Uint16(rest))
		if slices.Contains(exifTags[parent], tag) && !seen[tag] {
			seen[tag] = true
			if e, ok := r.entry(tag, rest[2:12]); ok {
				entries = append(entries, e)
			}
		}
		rest = rest[12:]
	}
	return entries
}

// entry reads the type, number and value of a tag. It returns false if they are invalid.
func (r *exifReader) entry(tag exifTag, b []byte) (e exifEntry, ok bool) {
	e = exifEntry{tag: tag, kind: r.order.Uint16(b), count: r.order.Uint32(b[2:])}
	field := b[6:]
	if exifTags[tag] != nil {
		const offset = 4 // the type LONG
		e.kind, e.count = offset, 1
		e.directory = r.directory(tag, field)
		return e, len(e.directory) > 0
	}
	size, most := int64(exifTypes[e.kind])*int64(e.count), int64(maxValue)
	if e.kind == 2 || e.kind == 129 {
		most = maxText
	}
	if size < 1 || size > most {
		return e, false
	}
	if e.value = field; size > 4 {
		e.value = r.at(field)
	}
	if int64(len(e.value)) < size || r.budget < 12+int(size) {
		return e, false
	}
	r.budget -= 12 + int(size)
	e.value = e.value[:size]
	return e, true
}

// at returns the block from the offset that field has, or nothing.
func (r *exifReader) at(field []byte) []byte {
	return r.block[min(int64(r.order.Uint32(field)), int64(len(r.block))):]
}

// exifWriter writes a TIFF file.
type exifWriter struct {
	out   []byte
	order byteOrder
}

// directory appends a directory, then the values that do not fit into it.
func (w *exifWriter) directory(entries []exifEntry) {
	w.out = w.order.AppendUint16(w.out, uint16(len(entries)))
	at := len(w.out)
	w.out = append(w.out, make([]byte, 12*len(entries)+4)...) // the last 4 bytes: no directory follows
	for _, e := range entries {
		w.order.PutUint16(w.out[at:], uint16(e.tag))
		w.order.PutUint16(w.out[at+2:], e.kind)
		w.order.PutUint32(w.out[at+4:], e.count)
		field := at + 8
		at += 12
		if e.directory == nil && len(e.value) <= 4 {
			copy(w.out[field:], e.value)
			continue
		}
		w.out = append(w.out, make([]byte, len(w.out)&1)...)
		w.order.PutUint32(w.out[field:], uint32(len(w.out)))
		if e.directory != nil {
			w.directory(e.directory)
		} else {
			w.out = append(w.out, e.value...)
		}
	}
}
