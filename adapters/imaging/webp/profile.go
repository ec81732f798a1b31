package webp

import "encoding/binary"

// Flags of the chunk VP8X.
const (
	hasAlpha   = 1 << 4
	hasProfile = 1 << 5
)

// WithProfile returns file, a result of Encode or EncodeLossless for a picture of the given size, with
// an ICC profile. It does not check the profile.
func WithProfile(file []byte, width, height int, icc []byte) []byte {
	chunks, flags := file[12:], byte(hasProfile)
	switch name, body := string(chunks[:4]), chunks[8:]; name {
	case "VP8X":
		flags |= body[0]
		chunks = body[10:]
	case "VP8L": // signature, 14 bits each of width and height, the flag for alpha
		if binary.LittleEndian.Uint32(body[1:])>>28&1 == 1 {
			flags |= hasAlpha
		}
	}
	out := append(make([]byte, 0, len(file)+len(icc)+64), "RIFF....WEBP"...)
	out = appendChunk(append(out, extendedHeader(width, height, flags)...), "ICCP", icc)
	out = append(out, chunks...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// extendedHeader returns the chunk VP8X, which precedes the chunks of a picture that has more than one.
func extendedHeader(width, height int, flags byte) []byte {
	head := [10]byte{0: flags}
	putUint24(head[4:], width-1)
	putUint24(head[7:], height-1)
	return appendChunk(nil, "VP8X", head[:])
}
