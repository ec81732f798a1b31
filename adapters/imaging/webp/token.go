package webp

// token is one bit of the encoded levels, at bit 15, with its probability: an index of the
// probabilities of the frame, or from fixedProb on the probability itself.
type token uint16

const (
	fixedProb   = 4 * 8 * 3 * 11
	tokenValues = 2048
)

// Kinds of blocks in tokenProbs.
const (
	kindLumaAfterWalsh = iota // without the first coefficient
	kindWalsh
	kindChroma
	kindLuma
)

// bands are the frequency bands of the coefficients, and one for the end of the block.
var bands = [17]uint8{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0}

// extraBits are the probabilities of the extra bits of levels from 11 on. extraBase is the
// lowest level of each category.
var (
	extraBits = [4][]uint8{
		{173, 148, 140},
		{176, 155, 140, 135},
		{180, 157, 141, 134, 130},
		{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
	}
	extraBase = [5]int{11, 19, 35, 67, 1 << 16}
)

// appendBlock appends the levels of a block from the first on as tokens (section 13). The
// context is the number of neighbours above and to the left that have levels.
func appendBlock(t []token, l *levels, kind, first, context int) []token {
	const one token = 1 << 15
	base := token(kind * 8 * 3 * 11)
	at := func(i, context int) token { return base + token(bands[i])*33 + token(context)*11 }
	p := at(first, context)
	last := int(l.last)
	if last < first {
		return append(t, p)
	}
	t = append(t, p|one)
	for i := first; ; {
		level := int(l.value[i&15])
		i++
		if level == 0 {
			t = append(t, p+1)
			p = at(i, 0)
			continue
		}
		negative := level < 0
		if negative {
			level = -level
		}
		if level == 1 {
			t = append(t, p+1|one, p+2)
			p = at(i, 1)
		} else {
			t = appendLarge(append(t, p+1|one, p+2|one), level, p)
			p = at(i, 2)
		}
		sign := token(fixedProb + 128)
		if negative {
			sign |= one
		}
		if i > last {
			if t = append(t, sign); i < 16 {
				t = append(t, p)
			}
			return t
		}
		t = append(t, sign, p|one)
	}
}

// appendLarge appends a level greater than one.
func appendLarge(t []token, level int, p token) []token {
	bit := func(set bool, prob token) token {
		if set {
			return prob | 1<<15
		}
		return prob
	}
	switch {
	case level <= 4:
		t = append(t, p+3, bit(level > 2, p+4))
		if level > 2 {
			t = append(t, bit(level == 4, p+5))
		}
		return t
	case level <= 6:
		return append(t, bit(true, p+3), p+6, p+7, bit(level == 6, fixedProb+159))
	case level <= 10:
		return append(t, bit(true, p+3), p+6, bit(true, p+7), bit(level >= 9, fixedProb+165), bit(level&1 == 0, fixedProb+145))
	}
	category := 0
	for level >= extraBase[category+1] {
		category++
	}
	t = append(t, bit(true, p+3), bit(true, p+6), bit(category >= 2, p+8), bit(category&1 == 1, p+9+token(category>>1)))
	extra := level - extraBase[category]
	for i, prob := range extraBits[category] {
		t = append(t, bit(extra>>(len(extraBits[category])-1-i)&1 == 1, fixedProb+token(prob)))
	}
	return t
}

// appendTokens appends the levels of a macroblock and updates the contexts above and to the
// left.
func (r *residue) appendTokens(t []token, m *macroblock, above, left *contexts) []token {
	kind, from := kindLuma, m.first(0)
	if from > 0 {
		kind = kindLumaAfterWalsh
	}
	if m.skipped {
		walshAbove, walshLeft := above[walshContext], left[walshContext]
		*above, *left = contexts{}, contexts{}
		if m.luma == modeBlocks { // has no Walsh transform, so its context does not change
			above[walshContext], left[walshContext] = walshAbove, walshLeft
		}
		return t
	}
	put := func(l *levels, kind, from, above0, left0 int) {
		t = appendBlock(t, l, kind, from, int(above[above0]+left[left0]))
		has := uint8(0)
		if int(l.last) >= from {
			has = 1
		}
		above[above0], left[left0] = has, has
	}
	if m.luma != modeBlocks {
		put(&r.walshLevels, kindWalsh, 0, walshContext, walshContext)
	}
	for i := range 16 {
		put(&r.levels[i], kind, from, i%4, i/4)
	}
	for i := range 8 {
		put(&r.levels[16+i], kindChroma, 0, 4+i/4*2+i%2, 4+i/4*2+i%4/2)
	}
	return t
}
