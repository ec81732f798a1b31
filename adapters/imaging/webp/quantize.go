package webp

import (
	"math"
	"math/bits"
)

// quantizer converts coefficients of one kind to levels in zigzag order.
type quantizer struct {
	step       [16]int32
	reciprocal [16]uint32 // of the step, times 2^17
	rounding   [16]uint32 // added before the fraction is dropped, times 2^17
	deadZone   [16]int32  // largest coefficient with level zero
}

var zigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}

// Roundings in 256ths of a step. Slightly less than half saves more bytes than it costs in
// quality.
const (
	nearest = 128
	lower   = 110
)

// newQuantizer returns a quantizer with the given steps and roundings of the first
// coefficient (dc) and the others (ac).
func newQuantizer(dc, ac int32, dcRounding, acRounding uint32) quantizer {
	var q quantizer
	for i := range q.step {
		q.step[i], q.rounding[i] = ac, acRounding<<9
	}
	q.step[0], q.rounding[0] = dc, dcRounding<<9
	for i, step := range q.step {
		q.reciprocal[i] = uint32(1 << 17 / step)
		q.deadZone[i] = int32((1<<17 - 1 - q.rounding[i]) / q.reciprocal[i])
	}
	return q
}

// levels are quantized coefficients in zigzag order. last is the index of the last one that
// is not zero, and less than the first index if all are zero.
type levels struct {
	value [16]int16
	last  int8
}

const maxLevel = 2047

// quantize sets the levels of a block and replaces its coefficients with those that a
// decoder computes from the levels.
func (q *quantizer) quantize(b *block, first int, l *levels) {
	some := uint32(0) // a bit for each level that is not zero
	for i, position := range &zigzag {
		c := b[position&15]
		sign := c >> 31
		some |= uint32(q.deadZone[i]-((c^sign)-sign)) >> 31 << i
	}
	some &= 0xffff << first
	l.last = int8(max(bits.Len32(some), first) - 1)
	l.value = [16]int16{}
	coefficients := *b
	*b = block{}
	for ; some != 0; some &= some - 1 {
		i := bits.TrailingZeros32(some) & 15
		position := zigzag[i] & 15
		c := coefficients[position]
		sign := c >> 31
		level := int32((uint32((c^sign)-sign)*q.reciprocal[i] + q.rounding[i]) >> 17)
		level = (min(level, maxLevel) ^ sign) - sign
		l.value[i], b[position] = int16(level), level*q.step[i]
	}
}

// quantizers are the quantizers of all kinds of blocks.
type quantizers struct {
	luma, walsh, chroma quantizer
	lambda              int32 // cost of 1/256 bit
	flat                int32 // below this cost, encodeBlocks is not tried
}

// finerChroma is subtracted from the index for the DC of chroma, because coarse steps of
// colour are visible in smooth areas.
const finerChroma = 8

// newQuantizers returns the quantizers for an index of the steps, 0 to 127. The factors
// were found by experiment: the smallest files at equal similarity to the original.
func newQuantizers(index int) *quantizers {
	dc, ac := int32(dcSteps[index]), int32(acSteps[index])
	chroma := int32(dcSteps[max(index-finerChroma, 0)])
	return &quantizers{
		luma:   newQuantizer(dc, ac, lower, lower),
		walsh:  newQuantizer(2*dc, max(ac*155/100, 8), lower, lower),
		chroma: newQuantizer(min(chroma, 132), ac, nearest, lower),
		lambda: 6 * ac,
		flat:   30 * ac << costShift,
	}
}

// quantizerIndex returns the index that libwebp uses for a quality of 0 to 100.
func quantizerIndex(quality int) int {
	q := float64(quality) / 100
	if q < 0.75 {
		q *= 2.0 / 3
	} else {
		q = 2*q - 1
	}
	return int(127*(1-math.Cbrt(q)) + 0.5)
}
