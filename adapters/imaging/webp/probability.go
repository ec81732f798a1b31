package webp

import "math"

// tokenProbs are probabilities by kind of block, band of frequency, context (the previous
// level is zero, one or more), and node of the token tree (section 13).
type tokenProbs [4][8][3][11]uint8

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
	probs, node := defaultProbs, 0
	eachProb(func(kind, band, context, i int) {
		p, update := &probs[kind][band][context][i], updateProbs[kind][band][context][i]
		zeros, ones := f.counts[node][0], f.counts[node][1]
		node++
		if zeros+ones == 0 {
			return
		}
		adapted := uint8(max(1, 255-(255*ones+(zeros+ones)/2)/(zeros+ones)))
		cost := func(prob uint8) int64 {
			return zeros*int64(costOf(false, prob)) + ones*int64(costOf(true, prob))
		}
		if cost(adapted)+int64(costOf(true, update))+8<<8 < cost(*p)+int64(costOf(false, update)) {
			*p = adapted
		}
	})
	return &probs
}

// flat returns the probabilities by token.
func (p *tokenProbs) flat() *[tokenValues]uint8 {
	var table [tokenValues]uint8
	node := 0
	eachProb(func(kind, band, context, i int) {
		table[node] = p[kind][band][context][i]
		node++
	})
	for i := range 256 {
		table[fixedProb+i] = uint8(i)
	}
	return &table
}

func eachProb(do func(kind, band, context, node int)) {
	for kind := range 4 {
		for band := range 8 {
			for context := range 3 {
				for node := range 11 {
					do(kind, band, context, node)
				}
			}
		}
	}
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
