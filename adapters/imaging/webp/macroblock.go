package webp

import "encoding/binary"

// macroblock is the header of a macroblock.
type macroblock struct {
	luma, chroma uint8 // modes; luma may be modeBlocks
	skipped      bool  // all levels are zero
	blocks       [16]uint8
}

// contexts record which edge blocks of a macroblock have non-zero levels: four of luma,
// two of each chroma plane, and one of the Walsh transform.
type contexts [9]uint8

const walshContext = 8

// worker encodes macroblocks from left to right. The samples above come from the frame.
type worker struct {
	frame *frame

	source       [24][2]uint64 // blocks of luma, and of both planes of chroma
	spread       [24]lanes
	samples      samples
	whole        [macroModes][16][2]uint64
	predicted    [blockModes][2]uint64
	coefficients [16]block
	walsh        block
	residue

	packed    []byte // levels of the row so far
	leftModes [4]uint8
	left      contexts

	tokens []token // of one macroblock
	counts tokenCounts
}

// encode chooses the modes of the macroblock, counts its tokens, and packs its levels.
func (w *worker) encode(x, y int) {
	w.load(x, y)
	w.loadNeighbours(x, y)
	row := &w.frame.encoded[y]
	m := &row.macroblocks[x]
	w.encodeLuma(m, x, y)
	w.encodeChroma(m, x, y)
	w.storeBelow(x)
	m.skipped = w.isZero(m)
	row.contexts[x] = w.frame.contextsAbove(x, y)
	w.tokens = w.appendTokens(w.tokens[:0], m, &row.contexts[x], &w.left)
	w.counts.add(w.tokens)
	w.packed = w.pack(w.packed, m)
}

// encodeLuma predicts and encodes luma, as a whole or in blocks.
func (w *worker) encodeLuma(m *macroblock, x, y int) {
	w.predict(0, 4, lumaCorner, x, y)
	mode, cost := w.choose(w.spread[:16], &lumaModeCosts)
	if cost < w.frame.quantizers.flat || !w.encodeBlocks(m, x, cost) {
		w.encodeWhole(mode)
		m.luma = uint8(mode)
		for i := range m.blocks {
			m.blocks[i] = m.luma
		}
	}
	above := w.frame.aboveModes[4*x : 4*x+4]
	for i := range 4 {
		above[i], w.leftModes[i] = m.blocks[12+i], m.blocks[4*i+3]
	}
}

// A cost is a sum of absolute differences and bits.
const (
	costShift  = 12  // binary logarithm of the cost of a difference of one
	blocksCost = 211 // 256ths of a bit for choosing modeBlocks
)

// encodeBlocks encodes luma block by block, each with its own mode. It returns false when
// the cost reaches most.
func (w *worker) encodeBlocks(m *macroblock, x int, most int32) bool {
	lambda := w.frame.quantizers.lambda
	q := &w.frame.quantizers.luma
	cost := lambda * blocksCost
	var above, left [4]uint8
	copy(above[:], w.frame.aboveModes[4*x:])
	left = w.leftModes
	for i := range 16 {
		offset := lumaCorner + belowCorner + i/4*nextBlockRow + i%4*4
		predictions(&w.predicted, &w.samples, offset)
		costs := &blockModeCosts[above[i%4]][left[i/4]]
		source := &w.source[i]
		lowest, mode := int32(1<<31-1), 0
		for k := range w.predicted {
			if c := lambda * costs[k]; c < lowest {
				if c += sumOfDifferences(&w.spread[i], &w.predicted[k]) << costShift; c < lowest {
					lowest, mode = c, k
				}
			}
		}
		if cost += lowest; cost >= most {
			return false
		}
		b := &w.coefficients[i]
		b.forward(source, &w.predicted[mode])
		q.quantize(b, 0, &w.levels[i])
		w.samples.set(offset, b.reconstruct(&w.predicted[mode], int(w.levels[i].last)))
		m.blocks[i], above[i%4], left[i/4] = uint8(mode), uint8(mode), uint8(mode)
	}
	m.luma = modeBlocks
	return true
}

// reconstruct returns the samples of a block as a decoder computes them.
func (b *block) reconstruct(prediction *[2]uint64, last int) [2]uint64 {
	switch {
	case last < 0:
		return *prediction
	case last == 0:
		return shifted(prediction, (b[0]+4)>>3)
	}
	return b.inverse(prediction)
}

// encodeWhole encodes luma predicted by one mode.
func (w *worker) encodeWhole(mode int) {
	quantizers := w.frame.quantizers
	for i := range w.coefficients {
		b := &w.coefficients[i]
		b.forward(&w.source[i], &w.whole[mode][i])
		w.walsh[i] = b[0]
		quantizers.luma.quantize(b, 1, &w.levels[i])
	}
	w.walsh.forwardWalsh()
	quantizers.walsh.quantize(&w.walsh, 0, &w.walshLevels)
	w.walsh.inverseWalsh()
	for i := range w.coefficients {
		b := &w.coefficients[i]
		b[0] = w.walsh[i]
		last := int(w.levels[i].last)
		if last == 0 && b[0] == 0 {
			last = -1
		}
		w.samples.set(lumaCorner+belowCorner+i/4*nextBlockRow+i%4*4, b.reconstruct(&w.whole[mode][i], last))
	}
}

// predict computes the predictions of a square of side × side blocks in all modes of
// macroblocks. The blocks are stored row by row, starting at from.
func (w *worker) predict(from, side, corner, x, y int) {
	dc := w.samples.mean(corner, 4*side, y > 0, x > 0) * everyByte
	s, topLeft := &w.samples, uint64(w.samples[corner])
	for i := range side * side {
		column, row := i%side, i/side
		above := uint64(binary.LittleEndian.Uint32(s[corner+1+4*column:]))
		at := corner + stride + row*nextBlockRow
		l0, l1, l2, l3 := uint64(s[at]), uint64(s[at+stride]), uint64(s[at+2*stride]), uint64(s[at+3*stride])
		top := spread(above)
		w.whole[modeDC][from+i] = [2]uint64{dc, dc}
		w.whole[modeVertical][from+i] = [2]uint64{above | above<<32, above | above<<32}
		w.whole[modeHorizontal][from+i] = [2]uint64{(l0 | l1<<32) * 0x01010101, (l2 | l3<<32) * 0x01010101}
		w.whole[modeTrue][from+i] = [2]uint64{
			saturated(top, l0, topLeft) | saturated(top, l1, topLeft)<<32,
			saturated(top, l2, topLeft) | saturated(top, l3, topLeft)<<32,
		}
	}
}

// choose returns the mode with the lowest cost for the blocks of source.
func (w *worker) choose(source []lanes, costs *[macroModes]int32) (mode int, cost int32) {
	cost = 1<<31 - 1
	for m := range w.whole {
		sum := int32(0)
		for i := range source {
			sum += sumOfDifferences(&source[i], &w.whole[m][i])
		}
		if c := sum<<costShift + w.frame.quantizers.lambda*costs[m]; c < cost {
			mode, cost = m, c
		}
	}
	return mode, cost
}

// encodeChroma predicts and encodes both chroma planes with one mode.
func (w *worker) encodeChroma(m *macroblock, x, y int) {
	w.predict(0, 2, blueCorner, x, y)
	w.predict(4, 2, redCorner, x, y)
	mode, _ := w.choose(w.spread[16:], &chromaModeCosts)
	m.chroma = uint8(mode)
	for i := range 8 {
		b, l := &w.coefficients[i], &w.levels[16+i]
		b.forward(&w.source[16+i], &w.whole[mode][i])
		w.frame.quantizers.chroma.quantize(b, 0, l)
		corner := blueCorner + i/4*(redCorner-blueCorner)
		w.samples.set(corner+belowCorner+i%4/2*nextBlockRow+i%2*4, b.reconstruct(&w.whole[mode][i], int(l.last)))
	}
}
