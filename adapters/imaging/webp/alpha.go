package webp

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Filters of alpha. A filtered sample is the difference from a prediction by neighbours.
const (
	filterNone = iota
	filterHorizontal
	filterVertical
	filterGradient
	alphaFilters
)

const losslessAlpha = 1

// alphaChunk returns the content of an ALPH chunk: the filtered plane, compressed as the
// green channel of a lossless picture.
func alphaChunk(alpha []byte, stride, width, height int) []byte {
	filter := bestFilter(alpha, stride, width, height)
	filtered := make([]byte, width*height)
	for y := range height {
		filterRow(filtered[y*width:][:width], alpha, stride, y, filter)
	}
	w := bitWriter{out: append(make([]byte, 0, len(filtered)/4), losslessAlpha|byte(filter)<<2)}
	w.put(0, 1) // no transform
	w.writeGreen(filtered, width)
	return w.finish()
}

// filterRow subtracts the predictions from the samples of row y. The prediction of the
// first sample is the one above, and that of the first row the samples to the left.
func filterRow(to, alpha []byte, stride, y, filter int) {
	row, above := alpha[y*stride:][:len(to)], alpha[max(y-1, 0)*stride:][:len(to)]
	switch {
	case filter == filterNone:
		copy(to, row)
		return
	case y == 0:
		to[0] = row[0]
		filter = filterHorizontal
	default:
		to[0] = row[0] - above[0]
	}
	switch filter {
	case filterHorizontal:
		for x := 1; x < len(row); x++ {
			to[x] = row[x] - row[x-1]
		}
	case filterVertical:
		for x := 1; x < len(row); x++ {
			to[x] = row[x] - above[x]
		}
	case filterGradient:
		for x := 1; x < len(row); x++ {
			to[x] = row[x] - byte(clamp(int32(row[x-1])+int32(above[x])-int32(above[x-1])))
		}
	}
}

// bestFilter returns the filter with the lowest entropy of some rows.
func bestFilter(alpha []byte, stride, width, height int) int {
	const sampled = 64
	best, least := filterNone, math.Inf(1)
	row := make([]byte, width)
	for filter := range alphaFilters {
		var counts [256]int
		for i := range min(sampled, height) {
			y := i * height / min(sampled, height)
			filterRow(row, alpha, stride, y, filter)
			for _, v := range row {
				counts[v]++
			}
		}
		if e := entropy(counts[:]); e < least {
			best, least = filter, e
		}
	}
	return best
}

// entropy returns the number of bits of symbols with these counts in an ideal code.
func entropy(counts []int) (sum float64) {
	total := 0
	for _, n := range counts {
		if n > 0 {
			sum -= float64(n) * math.Log2(float64(n))
		}
		total += n
	}
	if total > 0 {
		sum += float64(total) * math.Log2(float64(total))
	}
	return sum
}

// Symbols of the lossless format: literals and length prefixes share one code, distance
// prefixes have another. The first 120 distances mean neighbours in two dimensions.
const (
	literals        = 256
	lengthPrefixes  = 24
	distances       = 40
	nearDistances   = 120
	shortestMatch   = 4
	longestMatch    = 4096
	farthest        = 1<<20 - nearDistances
	maxCodeLength   = 15
	maxLengthLength = 7
)

// match is a repetition of earlier samples, or a run of literals if distance is 0.
type match struct {
	length   int32
	distance int32 // as a distance code of the format
}

// writeGreen writes samples as the green channel of a lossless picture.
func (w *bitWriter) writeGreen(samples []byte, width int) {
	w.put(0, 2) // no colour cache, one set of codes
	writeMatches(w, samples, findMatches(samples, width, 2*shortestMatch, binary.LittleEndian.Uint64), 0)
}

// writeMatches writes samples with prefix codes of their own. shifts are the bit positions of the
// channels in a sample: green, red, blue, alpha. Channels without a shift are zero.
func writeMatches[T sample](w *bitWriter, samples []T, matches []match, shifts ...int) {
	const channels = 4
	var counts [channels + 1][]int // of each channel, then of distances; green also has lengths
	for c, symbols := range [...]int{literals + lengthPrefixes, literals, literals, literals, distances} {
		counts[c] = make([]int, symbols)
	}
	at := 0
	for _, m := range matches {
		if m.distance == 0 {
			for _, v := range samples[at : at+int(m.length)] {
				for c, shift := range shifts {
					counts[c][v>>shift&0xff]++
				}
			}
		} else {
			symbol, _, _ := prefixOf(int(m.length))
			counts[0][literals+symbol]++
			symbol, _, _ = prefixOf(int(m.distance))
			counts[channels][symbol]++
		}
		at += int(m.length)
	}
	var codes [channels + 1][]codeWord
	for i := range codes {
		if i < len(shifts) || i == channels {
			codes[i] = w.putCode(counts[i])
		} else {
			w.put(1, 4) // a code of one symbol, which is zero and takes no bits
		}
	}
	at = 0
	for _, m := range matches {
		if m.distance == 0 {
			for _, v := range samples[at : at+int(m.length)] {
				for c, shift := range shifts {
					code := codes[c][v>>shift&0xff]
					w.put(code.bits, code.length)
				}
			}
		} else {
			w.putPrefixed(codes[0][literals:], int(m.length))
			w.putPrefixed(codes[channels], int(m.distance))
		}
		at += int(m.length)
	}
}

func (w *bitWriter) putPrefixed(code []codeWord, value int) {
	symbol, extra, extraBits := prefixOf(value)
	w.put(code[symbol].bits, code[symbol].length)
	w.put(extra, extraBits)
}

// prefixOf splits a positive number into a prefix symbol and extra bits.
func prefixOf(value int) (symbol int, extra uint32, extraBits uint8) {
	v := uint32(value - 1)
	if v < 4 {
		return int(v), 0, 0
	}
	high := uint8(bits.Len32(v) - 1)
	return int(2*high) + int(v>>(high-1)&1), v & (1<<(high-1) - 1), high - 1
}

// near are the neighbours that findMatches tries: samples to the left, rows above, and the
// distance code.
var near = [...]struct{ left, above, distance int }{
	{1, 0, 2}, {0, 1, 1}, {1, 1, 3}, {-1, 1, 4}, {2, 1, 9}, {-2, 1, 10}, {0, 2, 5}, {1, 2, 7}, {-1, 2, 8},
}

// sample is the alpha of a pixel, or a whole pixel.
type sample interface{ byte | uint32 }

// findMatches finds the longest repetitions, at the positions of near and at the last position with
// the same hash. hash hashes the next window samples. A longer match that starts one sample later
// has precedence.
func findMatches[T sample](samples []T, width, window int, hash func(samples []T) uint64) []match {
	f := matchFinder[T]{samples: samples, width: width, window: window, hash: hash}
	var matches []match
	literal := 0
	length, distance := f.find(0)
	for at := 0; at < len(samples); {
		nextLength, nextDistance := 0, 0
		if length < longestMatch {
			nextLength, nextDistance = f.find(at + 1)
		}
		if length < shortestMatch || nextLength > length {
			at++
			literal++
			length, distance = nextLength, nextDistance
			continue
		}
		if literal > 0 {
			matches = append(matches, match{int32(literal), 0})
			literal = 0
		}
		matches = append(matches, match{int32(length), int32(distance)})
		at += length
		length, distance = f.find(at)
	}
	if literal > 0 {
		matches = append(matches, match{int32(literal), 0})
	}
	return matches
}

const hashBits = 14

type matchFinder[T sample] struct {
	samples []T
	width   int
	window  int
	hash    func(samples []T) uint64
	seen    [1 << hashBits]int32 // last position plus one, by hash
}

// find returns the longest match at a position.
func (f *matchFinder[T]) find(at int) (length, distance int) {
	if at+f.window > len(f.samples) {
		return 0, 0
	}
	for _, n := range near {
		if back := n.left + n.above*f.width; back > 0 && back <= at {
			if l := matchLength(f.samples, at-back, at); l > length {
				if length, distance = l, n.distance; length == longestMatch {
					break
				}
			}
		}
	}
	hash := f.hash(f.samples[at:]) * 0x9e3779b97f4a7c15 >> (64 - hashBits)
	last := int(f.seen[hash]) - 1
	f.seen[hash] = int32(at + 1)
	if last >= 0 && at-last <= farthest && length < longestMatch {
		if l := matchLength(f.samples, last, at); l > length+shortestMatch {
			length, distance = l, at-last+nearDistances
		}
	}
	return length, distance
}

// matchLength returns the number of equal samples that start at two positions.
func matchLength[T sample](samples []T, earlier, later int) int {
	most := min(len(samples)-later, longestMatch)
	a, b := samples[earlier:earlier+most], samples[later:later+most]
	for n, v := range a {
		if v != b[n] {
			return n
		}
	}
	return most
}
