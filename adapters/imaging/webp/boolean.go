package webp

import "math/bits"

// boolWriter is the arithmetic coder of RFC 6386, section 7.
type boolWriter struct {
	out     []byte
	low     uint64 // of the interval; the lowest eight bits are as wide as the span
	span    uint32 // of the interval, 128 to 255
	pending int    // bits of low above the lowest eight, not yet written
}

func newBoolWriter(capacity int) *boolWriter {
	return &boolWriter{out: make([]byte, 0, capacity), span: 255}
}

// put writes a bit that is 0 with a probability of prob/256.
func (w *boolWriter) put(bit bool, prob uint8) {
	split := 1 + (w.span-1)*uint32(prob)>>8
	if bit {
		w.low += uint64(split)
		w.span -= split
	} else {
		w.span = split
	}
	shift := bits.LeadingZeros8(uint8(w.span))
	w.span <<= shift
	w.low <<= shift
	if w.pending += shift; w.pending >= 40 {
		w.drain()
	}
}

// putValue writes a number of count bits, the highest first.
func (w *boolWriter) putValue(value, count int) {
	for i := count - 1; i >= 0; i-- {
		w.put(value>>i&1 == 1, 128)
	}
}

// putTokens is put for many tokens, with the state in registers.
func (w *boolWriter) putTokens(tokens []token, probs *[tokenValues]uint8) {
	low, span, pending := w.low, w.span, w.pending
	for _, t := range tokens {
		split := 1 + (span-1)*uint32(probs[t&(tokenValues-1)])>>8
		one := -uint32(t >> 15)
		low += uint64(split & one)
		span = split + (span-2*split)&one
		shift := bits.LeadingZeros8(uint8(span)) & 7
		span <<= shift
		low <<= shift
		if pending += shift; pending >= 40 {
			w.low, w.pending = low, pending
			w.drain()
			low, pending = w.low, w.pending
		}
	}
	w.low, w.span, w.pending = low, span, pending
}

// drain writes whole bytes and propagates a carry to earlier bytes.
func (w *boolWriter) drain() {
	for w.pending >= 8 {
		next := w.low >> w.pending
		if next > 255 {
			for i := len(w.out) - 1; i >= 0; i-- {
				if w.out[i]++; w.out[i] != 0 {
					break
				}
			}
		}
		w.out = append(w.out, byte(next))
		w.low &= 1<<w.pending - 1
		w.pending -= 8
	}
}

// finish returns the output, padded with zeros because decoders read ahead.
func (w *boolWriter) finish() []byte {
	for range 4 {
		w.low <<= 8
		w.pending += 8
		w.drain()
	}
	return w.out
}
