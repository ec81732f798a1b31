package imaging

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"image/png"
	"io"
)

type pngFormat struct{}

const pngMagic = "\x89PNG\r\n\x1a\n"

// survey walks the chunks up to the last one.
func (pngFormat) survey(source io.ReadSeeker) (survey, error) {
	in := &offsetReader{in: bufio.NewReaderSize(source, 64<<10)}
	s := survey{frames: 1}
	if magic, err := in.next(8); err != nil || string(magic) != pngMagic {
		return s, broken("PNG")
	}
	for {
		header, err := in.next(8)
		if err != nil {
			return s, broken("PNG")
		}
		length, name := int64(binary.BigEndian.Uint32(header)), string(header[4:])
		if err := s.addPNGChunk(in, name, length); err != nil {
			var f fault
			if errors.As(err, &f) {
				return s, err
			}
			return s, broken("PNG")
		}
		if _, err := in.next(4); err != nil { // the checksum
			return s, broken("PNG")
		}
		if name == "IEND" {
			return s, nil
		}
	}
}

// addPNGChunk reads a chunk if it tells of the picture, and passes over it if not.
func (s *survey) addPNGChunk(in *offsetReader, name string, length int64) error {
	least, most := map[string]int64{"IHDR": 13, "acTL": 8}[name], int64(maxProfile)
	switch name {
	case "IHDR", "acTL", "eXIf", "iCCP":
	default:
		return in.skip(length)
	}
	if length < least {
		return broken("PNG")
	}
	if length > most {
		return in.skip(length)
	}
	body, err := in.next(int(length))
	if err != nil {
		return err
	}
	switch name {
	case "IHDR":
		return s.addPNGHeader(body)
	case "acTL":
		s.frames = int(binary.BigEndian.Uint32(body))
	case "eXIf":
		s.orientation = exifOrientation(body)
	case "iCCP":
		s.profile = pngProfile(body)
	}
	return nil
}

func (s *survey) addPNGHeader(body []byte) error {
	width, height := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	if width > 1<<31-1 || height > 1<<31-1 {
		return broken("PNG")
	}
	s.width, s.height = int(width), int(height)
	const bitDepth, colorType, interlace = 8, 9, 12
	s.gray = body[colorType]&2 == 0
	perPixel := int64(4)
	if body[bitDepth] == 16 {
		perPixel = 12 // eight bytes, then brought to four
	}
	if body[interlace] != 0 {
		perPixel *= 2
	}
	s.memory = perPixel * int64(width) * int64(height)
	return nil
}

// pngProfile unpacks a colour profile: a name, a zero, the method, and the bytes.
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

func (pngFormat) decode(source io.ReadSeeker, _ survey) (decoded, error) {
	img, err := png.Decode(bufio.NewReaderSize(source, 64<<10))
	if err != nil {
		return decoded{}, broken("PNG")
	}
	return decodedImage(img), nil
}
