package webp

import "math"

// tokenProbs are probabilities by token: by 4 kinds of blocks, 8 bands of frequency, 3
// contexts (the previous level is zero, one or more), and 11 nodes of the token tree
// (section 13).
type tokenProbs [fixedProb]uint8

// tokenCounts are the numbers of zeros and ones per token probability.
type tokenCounts [tokenValues][2]int64

func (c *tokenCounts) add(tokens []token) {
	for _, t := range tokens {
		c[t&(tokenValues-1)][t>>15]++
	}
}

func (c *tokenCounts) merge(more *tokenCounts) {
	for i := range c {
		c[i][0] += more[i][0]
		c[i][1] += more[i][1]
	}
}

// adaptProbs returns the token probabilities with the smallest output.
func (f *frame) adaptProbs() *tokenProbs {
	probs := defaultProbs
	for i, update := range updateProbs {
		zeros, ones := f.counts[i][0], f.counts[i][1]
		if zeros+ones == 0 {
			continue
		}
		adapted := uint8(max(1, 255-(255*ones+(zeros+ones)/2)/(zeros+ones)))
		cost := func(prob uint8) int64 {
			return zeros*int64(costOf(false, prob)) + ones*int64(costOf(true, prob))
		}
		if cost(adapted)+int64(costOf(true, update))+8<<8 < cost(probs[i])+int64(costOf(false, update)) {
			probs[i] = adapted
		}
	}
	return &probs
}

// table returns the probabilities by token, with the fixed ones.
func (p *tokenProbs) table() *[tokenValues]uint8 {
	var table [tokenValues]uint8
	copy(table[:], p[:])
	for i := range 256 {
		table[fixedProb+i] = uint8(i)
	}
	return &table
}

// costOf returns the cost, in 256ths of a bit, of a bit that is 0 with probability
// prob/256.
func costOf(bit bool, prob uint8) int32 {
	p := max(float64(prob), 0.5) / 256
	if bit {
		p = 1 - p
	}
	return int32(math.Round(-256 * math.Log2(p)))
}
