package imaging

import (
	"bufio"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"io"
)

type gifFormat struct{}

// survey reads the blocks of all frames up to the trailer without decoding.
func (gifFormat) survey(source io.ReadSeeker) (survey, error) {
	in := &offsetReader{in: bufio.NewReaderSize(source, 64<<10)}
	s, err := walkGIF(in)
	if err != nil {
		var f fault
		if errors.As(err, &f) {
			return s, err
		}
		return s, broken("GIF")
	}
	return s, nil
}

func walkGIF(in *offsetReader) (s survey, err error) {
	header, err := in.next(13)
	if err != nil || string(header[:6]) != "GIF87a" && string(header[:6]) != "GIF89a" {
		return s, broken("GIF")
	}
	s.width, s.height = int(binary.LittleEndian.Uint16(header[6:])), int(binary.LittleEndian.Uint16(header[8:]))
	// The first frame, which is written twice when it is interlaced, and its colours.
	s.lossless = true
	s.ways = []way{{memory: 2*int64(s.width)*int64(s.height) + unpackedMemory(s.width, s.height)}}
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
				return s, broken("GIF")
			}
			return s, nil
		case '!':
			err = in.skip(1) // the label
		case ',':
			if s.frames++; s.frames > MaxFrames {
				return s, nil // enough is known
			}
			err = skipGIFFrameHeader(in)
		default:
			err = broken("GIF")
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

// decode decodes the first frame and draws it on the canvas, like a player.
func (gifFormat) decode(source io.ReadSeeker, s survey, _ way) (decoded, error) {
	frame, err := gif.Decode(bufio.NewReaderSize(source, 64<<10))
	if err != nil {
		return decoded{}, broken("GIF")
	}
	paletted, ok := frame.(*image.Paletted)
	if !ok {
		return decoded{}, broken("GIF")
	}
	return decodedPalette(paletted, image.Rect(0, 0, s.width, s.height)), nil
}
