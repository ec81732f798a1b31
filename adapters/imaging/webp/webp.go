package webp

import (
	"encoding/binary"
	"errors"

	"imprimatur/adapters/imaging/parallel"
)

// Picture has three planes in the BT.601 video range, of which the second and third have
// half the width and height, rounded up, and an alpha plane or nil.
type Picture struct {
	Width, Height              int
	Y, U, V, A                 []byte
	YStride, UVStride, AStride int // bytes from row to row
}

// MaxSide is the longest side of a WebP picture in pixels.
const MaxSide = 1<<14 - 1

// ErrSize is the error for an empty picture or one with a side over MaxSide.
var ErrSize = errors.New("webp: invalid size of a picture")

// Encode returns the picture as a lossy WebP file. quality is 0 to 100, on the scale of
// libwebp. Equal pictures give equal bytes. Encode panics when a plane is too short.
func Encode(p Picture, quality int) ([]byte, error) {
	if p.Width < 1 || p.Height < 1 || p.Width > MaxSide || p.Height > MaxSide {
		return nil, ErrSize
	}
	var frame, alpha []byte
	var err error
	work := []func(){func() { frame, err = newFrame(p, quality).encode() }}
	if p.A != nil {
		work = append(work, func() { alpha = alphaChunk(p.A, p.AStride, p.Width, p.Height) })
	}
	if parallel.Run(work...); err != nil {
		return nil, err
	}
	return file(p, frame, alpha), nil
}

// file assembles the chunks of a file.
func file(p Picture, frame, alpha []byte) []byte {
	out := append(make([]byte, 0, len(frame)+len(alpha)+64), "RIFF....WEBP"...)
	if alpha != nil {
		out = appendChunk(append(out, AlphaHeader(p.Width, p.Height)...), "ALPH", alpha)
	}
	out = appendChunk(out, "VP8 ", frame)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// AlphaHeader returns the chunk VP8X, which precedes the other chunks of a lossy picture
// with alpha.
func AlphaHeader(width, height int) []byte { return extendedHeader(width, height, hasAlpha) }

func putUint24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }

func appendChunk(to []byte, name string, data []byte) []byte {
	to = append(binary.LittleEndian.AppendUint32(append(to, name...), uint32(len(data))), data...)
	if len(data)%2 == 1 {
		to = append(to, 0)
	}
	return to
}
