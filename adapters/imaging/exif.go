package imaging

import "encoding/binary"

// orientation is the transformation that makes a stored picture upright: mirror along the
// axes, then exchange rows and columns.
type orientation struct{ mirrorX, mirrorY, transpose bool }

// orientations by the value of the Exif tag.
var orientations = [9]orientation{
	2: {mirrorX: true},
	3: {mirrorX: true, mirrorY: true},
	4: {mirrorY: true},
	5: {transpose: true},
	6: {mirrorY: true, transpose: true},
	7: {mirrorX: true, mirrorY: true, transpose: true},
	8: {mirrorX: true, transpose: true},
}

// upright returns the size of the upright picture.
func (o orientation) upright(width, height int) (int, int) {
	if o.transpose {
		return height, width
	}
	return width, height
}

// exifOrientation reads the orientation from an Exif block, which is a TIFF file with or
// without the header of JPEG. An invalid block means upright.
func exifOrientation(block []byte) orientation {
	if len(block) > 6 && string(block[:4]) == "Exif" {
		block = block[6:]
	}
	if len(block) < 8 {
		return orientation{}
	}
	var order binary.ByteOrder
	switch string(block[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return orientation{}
	}
	directory := uint64(order.Uint32(block[4:]))
	if directory+2 > uint64(len(block)) {
		return orientation{}
	}
	entries := block[directory+2:]
	for range order.Uint16(block[directory:]) {
		if len(entries) < 12 {
			break
		}
		const tag, short = 0x0112, 3
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if value := order.Uint16(entries[8:]); value <= 8 {
				return orientations[value]
			}
		}
		entries = entries[12:]
	}
	return orientation{}
}
