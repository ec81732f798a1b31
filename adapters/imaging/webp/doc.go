// Package webp encodes WebP pictures: lossy as VP8 key frames (RFC 6386) with a separate
// alpha plane, and lossless (VP8L, RFC 9649). Sections in comments are those of RFC 6386.
//
// Encode is the lossy encoder. frame.go encodes the rows of macroblocks concurrently:
// macroblock.go chooses prediction modes and quantizes, token.go and boolean.go write the
// levels with the arithmetic coder. EncodeLossless is the lossless encoder: lossless.go
// contains the transforms, alpha.go the search for repetitions and prefix.go the prefix
// codes. All output is deterministic.
package webp
