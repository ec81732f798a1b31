package webp

import "math"

// costOf is what a bit costs that is 0 with a probability of prob/256, in 256ths of
// a bit.
func costOf(bit bool, prob uint8) int32 {
	p := max(float64(prob), 0.5) / 256
	if bit {
		p = 1 - p
	}
	return int32(math.Round(-256 * math.Log2(p)))
}
