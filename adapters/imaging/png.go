package imaging

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
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
	for {
		header, err := in.next(8)
		if err != nil {
			return survey{}, err
		}
		length, name := int64(binary.BigEndian.Uint32(header)), string(header[4:])
		if err := w.chunk(name, length); err != nil {
			return survey{}, err
		}
		if err := in.skip(4); err != nil { // the checksum
			return survey{}, err
		}
		if name == "IEND" {
			return w.finish(), nil
		}
	}
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

// chunk reads a chunk that describes the picture and skips any other.
func (w *pngWalk) chunk(name string, length int64) error {
	least, known := pngChunks[name]
	if !known || length > maxProfile {
		return w.in.skip(length)
	}
	if length < least {
		return errInvalid
	}
	body, err := w.in.next(int(length))
	if err != nil {
		return err
	}
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
	return nil
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
	img, err := png.Decode(bufio.NewReaderSize(source, 64<<10))
	if err != nil {
		return decoded{}, err
	}
	if p, ok := img.(*image.Paletted); ok {
		return decodedPalette(p, p.Rect, s.shrink), nil
	}
	return decodedImage(img), nil
}
