package imaging

import (
	"bufio"
	"encoding/binary"
	"image"
	"image/gif"
	"io"
)

// surveyGIF reads the blocks of all frames up to the trailer without decoding.
func surveyGIF(in *offsetReader) (s survey, err error) {
	header, err := in.next(13)
	if err != nil || string(header[:6]) != "GIF87a" && string(header[:6]) != "GIF89a" {
		return s, errInvalid
	}
	s.width, s.height = int(binary.LittleEndian.Uint16(header[6:])), int(binary.LittleEndian.Uint16(header[8:]))
	// The first frame, its second copy if it is interlaced, and its unpacked colours.
	s.lossless = true
	s.shrink = paletteScale(s.width, s.height)
	s.strategies = []strategy{{memory: 2*int64(s.width)*int64(s.height) + unpackedMemory(s.width, s.height, s.shrink)}}
	if err := in.skip(colorTable(header[10])); err != nil {
		return s, err
	}
	for {
		kind, err := in.next(1)
		if err != nil {
			return s, err
		}
		switch kind[0] {
		case ';':
			if s.frames == 0 {
				return s, errInvalid
			}
			return s, nil
		case '!':
			err = in.skip(1) // the label
		case ',':
			s.begun = true
			if s.frames++; s.frames > MaxFrames {
				return s, nil // enough is known
			}
			err = skipGIFFrameHeader(in)
		default:
			err = errInvalid
		}
		if err == nil {
			err = skipGIFBlocks(in)
		}
		if err != nil {
			return s, err
		}
	}
}

func skipGIFFrameHeader(in *offsetReader) error {
	descriptor, err := in.next(9)
	if err != nil {
		return err
	}
	return in.skip(colorTable(descriptor[8]) + 1) // and the size of codes
}

// colorTable returns the length in bytes of the colour table that flags declare.
func colorTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skipGIFBlocks skips sub-blocks including the empty one.
func skipGIFBlocks(in *offsetReader) error {
	for {
		length, err := in.next(1)
		if err != nil {
			return err
		}
		if length[0] == 0 {
			return nil
		}
		if err := in.skip(int64(length[0])); err != nil {
			return err
		}
	}
}

// decodeGIF decodes the first frame and draws it on the canvas, like a player.
func decodeGIF(source io.ReadSeeker, s survey, _ strategy) (decoded, error) {
	frame, err := gif.Decode(bufio.NewReaderSize(source, 64<<10))
	if err != nil {
		return decoded{}, err
	}
	paletted, ok := frame.(*image.Paletted)
	if !ok {
		return decoded{}, errInvalid
	}
	return decodedPalette(paletted, image.Rect(0, 0, s.width, s.height), s.shrink), nil
}
