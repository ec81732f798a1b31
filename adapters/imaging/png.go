package imaging

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// Colour types of PNG.
const (
	pngGray    = 0
	pngPalette = 3
)

// surveyPNG reads the chunks up to the last one.
func surveyPNG(in *offsetReader) (survey, error) {
	if magic, err := in.next(8); err != nil || string(magic) != pngMagic {
		return survey{}, errInvalid
	}
	w := pngWalk{in: in, survey: survey{frames: 1}}
	w.keep(0, 8)
	for {
		start := in.offset
		header, err := in.next(8)
		if err != nil {
			return w.survey, err
		}
		length, name := int64(binary.BigEndian.Uint32(header)), string(header[4:])
		w.survey.begun = w.survey.begun || name == "IDAT"
		valid, err := w.chunk(name, length)
		if err != nil {
			return w.survey, err
		}
		if critical := name[0]&0x20 == 0; critical || name == "tRNS" && valid {
			w.keep(start, in.offset-start)
		}
		if name == "IEND" {
			return w.finish(), nil
		}
	}
}

// keep adds a range to the parts for the decoder, which refuses a file for the checksum of a chunk that
// it does not need.
func (w *pngWalk) keep(offset, length int64) {
	s := &w.survey
	if n := len(s.parts); n > 0 && s.parts[n-1].offset+s.parts[n-1].length == offset {
		s.parts[n-1].length += length
		return
	}
	s.parts = append(s.parts, part{offset: offset, length: length})
}

type pngWalk struct {
	in          *offsetReader
	survey      survey
	header      [13]byte
	transparent bool        // one colour means transparency
	calibration calibration // used without an embedded profile
	embedded    bool        // has a profile or a declaration of sRGB
}

// pngChunks maps the chunks that are read to their minimum length.
var pngChunks = map[string]int64{
	"IHDR": 13, "acTL": 8, "eXIf": 0, "iCCP": 0, "sRGB": 1, "gAMA": 4, "cHRM": 32, "tRNS": 0,
}

// chunk reads a chunk that describes the picture and skips any other, both with their checksums. Like
// browsers, it ignores one whose checksum is wrong, unless the picture needs it; valid is false then.
func (w *pngWalk) chunk(name string, length int64) (valid bool, err error) {
	const checksum = 4
	least, known := pngChunks[name]
	if !known || length > maxProfile {
		return true, w.in.skip(length + checksum)
	}
	if length < least {
		return false, errInvalid
	}
	body, err := w.in.next(int(length) + checksum)
	if err != nil {
		return false, err
	}
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, body[:length])
	if name != "IHDR" && sum != binary.BigEndian.Uint32(body[length:]) {
		return false, nil
	}
	w.describe(name, body[:length])
	return true, nil
}

// describe reads the content of a chunk.
func (w *pngWalk) describe(name string, body []byte) {
	s := &w.survey
	switch name {
	case "IHDR":
		copy(w.header[:], body)
		s.width, s.height = int(int32(binary.BigEndian.Uint32(body))), int(int32(binary.BigEndian.Uint32(body[4:])))
	case "acTL":
		s.frames = int(binary.BigEndian.Uint32(body))
	case "eXIf":
		s.orientation = exifOrientation(body)
	case "iCCP":
		s.profile, w.embedded = parseProfile(pngProfile(body)), true
	case "sRGB":
		w.embedded = true
	case "gAMA":
		w.calibration.gamma = binary.BigEndian.Uint32(body)
	case "cHRM":
		for i := range w.calibration.chromaticities {
			w.calibration.chromaticities[i] = float64(binary.BigEndian.Uint32(body[4*i:])) / 100_000
		}
	case "tRNS":
		w.transparent = true
	}
}

func (w *pngWalk) finish() survey {
	s := w.survey
	const bitDepth, colorType, interlace = 8, 9, 12
	s.gray = w.header[colorType]&2 == 0
	s.lossless = true
	if !w.embedded {
		s.profile = w.calibration.profile(s.gray)
	}
	memory := int64(s.width) * int64(s.height) * pngPixelBytes(w.header[colorType], w.header[bitDepth], w.transparent)
	if w.header[interlace] != 0 {
		memory *= 2 // the passes and the picture
	}
	if w.header[colorType] == pngPalette {
		s.shrink = paletteScale(s.width, s.height)
		memory += unpackedMemory(s.width, s.height, s.shrink)
	}
	s.strategies = []strategy{{memory: memory}}
	return s
}

// pngPixelBytes returns the memory of the decoder in bytes per pixel.
func pngPixelBytes(colorType, bitDepth byte, transparent bool) int64 {
	bytes := int64(4)
	if colorType == pngPalette || colorType == pngGray && !transparent {
		bytes = 1
	}
	if bitDepth == 16 {
		bytes *= 2
	}
	return bytes
}

// pngProfile decompresses a colour profile from a chunk: name, zero byte, method, data.
func pngProfile(body []byte) []byte {
	_, packed, found := bytes.Cut(body, []byte{0})
	if !found || len(packed) < 1 {
		return nil
	}
	unpacker, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(unpacker, maxProfile))
	if err != nil {
		return nil
	}
	return profile
}

func decodePNG(source io.ReadSeeker, s survey, _ strategy) (decoded, error) {
	img, err := png.Decode(bufio.NewReaderSize(&partsReader{source: source, parts: s.parts}, 64<<10))
	if err != nil {
		return decoded{}, err
	}
	if p, ok := img.(*image.Paletted); ok {
		return decodedPalette(p, p.Rect, s.shrink), nil
	}
	return decodedImage(img), nil
}
