// Package webp encodes WebP: lossy, as key frames of VP8 (RFC 6386) with alpha beside
// them, and lossless (VP8L).
package webp

import (
	"encoding/binary"
	"errors"
)

// Picture is three planes with the values that ITU-R BT.601 leaves to video, the
// second and third half as wide and high, rounded up, and a plane of alpha or nil.
type Picture struct {
	Width, Height              int
	Y, U, V, A                 []byte
	YStride, UVStride, AStride int // bytes from row to row
}

// MaxSide is the longest side that the format has, pixels.
const MaxSide = 1<<14 - 1

// ErrSize is the error of a picture without samples, or one that is too large for the
// format.
var ErrSize = errors.New("webp: no picture can have this size")

// Encode returns the picture as a WebP file. The quality is from 0 to 100, as that of
// libwebp. The same picture always gives the same bytes. It panics when a plane is
// shorter than it must be.
func Encode(p Picture, quality int) ([]byte, error) {
	if p.Width < 1 || p.Height < 1 || p.Width > MaxSide || p.Height > MaxSide {
		return nil, ErrSize
	}
	var frame, alpha []byte
	var err error
	work := []func(){func() { frame, err = encodeFrame(p, quality) }}
	if p.A != nil {
		work = append(work, func() { alpha = alphaChunk(p.A, p.AStride, p.Width, p.Height) })
	}
	if together(work...); err != nil {
		return nil, err
	}
	return file(p, frame, alpha), nil
}

// file puts the chunks of a file together.
func file(p Picture, frame, alpha []byte) []byte {
	out := append(make([]byte, 0, len(frame)+len(alpha)+64), "RIFF....WEBP"...)
	if alpha != nil {
		const hasAlpha = 1 << 4
		head := [10]byte{0: hasAlpha}
		putUint24(head[4:], p.Width-1)
		putUint24(head[7:], p.Height-1)
		out = appendChunk(appendChunk(out, "VP8X", head[:]), "ALPH", alpha)
	}
	out = appendChunk(out, "VP8 ", frame)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

func putUint24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }

func appendChunk(to []byte, name string, data []byte) []byte {
	to = append(binary.LittleEndian.AppendUint32(append(to, name...), uint32(len(data))), data...)
	if len(data)%2 == 1 {
		to = append(to, 0)
	}
	return to
}
