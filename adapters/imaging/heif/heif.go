// Package heif reads the structure of AVIF and HEIC files (ISO/IEC 23008-12): the size of the picture,
// and where its metadata is. It decodes no pixels.
//
// Such a file is a list of boxes. The box meta lists items: pictures, and metadata such as Exif and XMP.
// The bytes of an item are elsewhere, usually in a box mdat, at offsets from the beginning of the file.
package heif

import (
	"encoding/binary"
	"errors"
	"slices"
)

// ErrInvalid reports a box meta that does not have the form of the standard, or no picture.
var ErrInvalid = errors.New("heif: invalid box meta")

// ErrElsewhere reports metadata in a place that Read does not know.
var ErrElsewhere = errors.New("heif: metadata in an unknown place")

// Header is the beginning of a box.
type Header struct {
	Name   string
	Length int64 // of the box with its header; 0: to the end of the file
	Size   int64 // of the header: 8 or 16 bytes
}

// ReadHeader reads the header of a box from the first 16 bytes of it; fewer if the file ends.
func ReadHeader(b []byte) (Header, error) {
	if len(b) < 8 {
		return Header{}, ErrInvalid
	}
	h := Header{Name: string(b[4:8]), Length: int64(binary.BigEndian.Uint32(b)), Size: 8}
	if h.Length == 1 {
		if len(b) < 16 || binary.BigEndian.Uint64(b[8:]) > 1<<62 {
			return Header{}, ErrInvalid
		}
		h.Length, h.Size = int64(binary.BigEndian.Uint64(b[8:])), 16
	}
	if h.Length != 0 && h.Length < h.Size {
		return Header{}, ErrInvalid
	}
	return h, nil
}

// Range is a range of bytes.
type Range struct{ Start, End int64 }

// Info is what a box meta says.
type Info struct {
	Width, Height int     // of the picture in pixels, upright; 0: unknown
	Metadata      []Range // of items with metadata, in the file, in ascending order
	Inner         []Range // of those in the content of the box itself
}

// item is an item of a box meta.
type item struct {
	metadata bool
	inner    bool // its ranges are in the box idat
	unknown  bool // its bytes are in a place that is not known
	ranges   []Range
}

// Read reads the content of a box meta. It returns ErrElsewhere with the size if it cannot tell where
// metadata is.
func Read(content []byte) (info Info, err error) {
	defer func() {
		if recover() != nil { // a read beyond the content
			err = ErrInvalid
		}
	}()
	parts := map[string]box{}
	for _, b := range boxes(box{content, 0}.from(4)) {
		if _, known := parts[b.name]; !known {
			parts[b.name] = b.box
		}
	}
	items := map[uint64]*item{}
	readTypes(parts["iinf"], items)
	if location, ok := parts["iloc"]; ok {
		readLocations(location, items)
	}
	if primary, ok := parts["pitm"]; ok {
		id := primary.number(4, idSize(primary.bytes[0]))
		info.Width, info.Height = readSize(parts["iprp"], id)
	}
	for _, one := range items {
		switch {
		case !one.metadata:
		case one.unknown:
			err = ErrElsewhere
		case one.inner:
			data := parts["idat"]
			for _, r := range one.ranges {
				_ = data.bytes[r.Start:r.End] // it must be there
				info.Inner = append(info.Inner, Range{r.Start + data.at, r.End + data.at})
			}
		default:
			info.Metadata = append(info.Metadata, one.ranges...)
		}
	}
	slices.SortFunc(info.Metadata, func(a, b Range) int { return int(min(1, max(-1, a.Start-b.Start))) })
	return info, err
}

// box is the content of a box.
type box struct {
	bytes []byte
	at    int64 // its offset in the content of meta
}

func (b box) from(n int) box { return box{b.bytes[n:], b.at + int64(n)} }

// number reads an unsigned number of 0, 1, 2, 4 or 8 bytes.
func (b box) number(at, size int) (n uint64) {
	for _, digit := range b.bytes[at : at+size] {
		n = n<<8 | uint64(digit)
	}
	return n
}

type named struct {
	name string
	box
}

// boxes returns the boxes in b. It stops at bytes that are none.
func boxes(b box) (found []named) {
	for len(b.bytes) > 0 {
		h, err := ReadHeader(b.bytes)
		if h.Length == 0 {
			h.Length = int64(len(b.bytes))
		}
		if err != nil || h.Length > int64(len(b.bytes)) {
			break
		}
		found = append(found, named{h.Name, box{b.bytes[h.Size:h.Length], b.at + h.Size}})
		b = b.from(int(h.Length))
	}
	return found
}

// idSize returns the size of an id of an item in a box of the version.
func idSize(version byte) int {
	if version == 0 {
		return 2
	}
	return 4
}

// readTypes reads which items are metadata, from the box iinf.
func readTypes(list box, items map[uint64]*item) {
	if len(list.bytes) == 0 {
		return
	}
	for _, entry := range boxes(list.from(4 + idSize(list.bytes[0]))) {
		version := entry.bytes[0]
		if entry.name != "infe" || version < 2 {
			continue
		}
		size := 2
		if version > 2 {
			size = 4
		}
		kind := string(entry.bytes[4+size+2 : 4+size+6])
		items[entry.number(4, size)] = &item{metadata: kind == "Exif" || kind == "mime" || kind == "uri "}
	}
}

// readLocations reads where items are, from the box iloc.
func readLocations(list box, items map[uint64]*item) {
	const inFile, inBox = 0, 1 // construction methods
	version := list.bytes[0]
	offsetSize, lengthSize := int(list.bytes[4]>>4), int(list.bytes[4]&15)
	baseSize, indexSize := int(list.bytes[5]>>4), int(list.bytes[5]&15)
	if version == 0 {
		indexSize = 0
	}
	size := 2
	if version > 1 {
		size = 4
	}
	at := 6
	next := func(size int) (n uint64) {
		n = list.number(at, size)
		at += size
		return n
	}
	for range next(size) {
		one := items[next(size)]
		if one == nil {
			one = &item{}
		}
		method := uint64(inFile)
		if version > 0 {
			method = next(2) & 15
		}
		otherFile := next(2) != 0
		base := next(baseSize)
		one.inner, one.unknown = method == inBox, otherFile || method > inBox
		for range next(2) {
			next(indexSize)
			start, length := base+next(offsetSize), next(lengthSize)
			if length == 0 || start > 1<<62 || length > 1<<62 {
				one.unknown = true // an empty length means to the end
				continue
			}
			one.ranges = append(one.ranges, Range{int64(start), int64(start + length)})
		}
	}
}

// readSize returns the upright size of the item, from the box iprp.
func readSize(properties box, id uint64) (width, height int) {
	var list []named
	for _, part := range boxes(properties) {
		switch part.name {
		case "ipco":
			list = boxes(part.box)
		case "ipma":
			turned := false
			for _, index := range associated(part.box, id) {
				if index < 1 || index > len(list) {
					continue
				}
				switch p := list[index-1]; p.name {
				case "ispe":
					width, height = int(p.number(4, 4)), int(p.number(8, 4))
				case "irot":
					turned = p.bytes[0]&1 == 1
				}
			}
			if turned {
				width, height = height, width
			}
		}
	}
	return width, height
}

// associated returns the numbers of the properties of an item, from the box ipma.
func associated(list box, id uint64) (indexes []int) {
	version, wide := list.bytes[0], list.bytes[3]&1 == 1
	at := 8
	for range list.number(4, 4) {
		own := list.number(at, idSize(version)) == id
		at += idSize(version)
		count := int(list.bytes[at])
		at++
		for range count {
			index := int(list.bytes[at] & 0x7f)
			at++
			if wide {
				index = index<<8 | int(list.bytes[at])
				at++
			}
			if own {
				indexes = append(indexes, index)
			}
		}
	}
	return indexes
}
