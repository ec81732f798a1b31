package webp

import (
	"encoding/binary"
	"sync/atomic"
)

// frame is a picture under way.
type frame struct {
	picture       Picture
	columns, rows int // of macroblocks
	quantizers    *quantizers
	index         int // of the quantizer

	// The lowest samples, modes and contexts of the macroblocks above.
	above         [3][]byte
	aboveModes    []uint8
	aboveContexts []contexts

	encoded []row
}

// row is a row of macroblocks, encoded.
type row struct {
	macroblocks []macroblock
	tokens      []token
	ready       chan struct{} // gets one for each stretch of macroblocks
}

// stretch is how many macroblocks a row waits for and announces at once.
const stretch = 8

// encodeFrame returns the picture without its alpha as a key frame of VP8.
func encodeFrame(p Picture, quality int) ([]byte, error) {
	f := newFrame(p, quality)
	f.encode()
	return f.bytes()
}

func newFrame(p Picture, quality int) *frame {
	columns, rows := (p.Width+15)/16, (p.Height+15)/16
	index := quantizerIndex(quality)
	return &frame{
		picture: p, columns: columns, rows: rows,
		quantizers: newQuantizers(index), index: index,
		above:         [3][]byte{make([]byte, 16*columns), make([]byte, 8*columns), make([]byte, 8*columns)},
		aboveModes:    make([]uint8, 4*columns),
		aboveContexts: make([]contexts, columns),
		encoded:       make([]row, rows),
	}
}

// encode encodes all rows. A row follows the one above at a small distance, on
// another processor.
func (f *frame) encode() {
	stretches := (f.columns + stretch - 1) / stretch
	for y := range f.encoded {
		f.encoded[y].ready = make(chan struct{}, stretches)
	}
	var next atomic.Int64
	onProcessors(f.rows, func() {
		w := &worker{frame: f}
		for y := int(next.Add(1)) - 1; y < f.rows; y = int(next.Add(1)) - 1 {
			w.encodeRow(y, stretches)
		}
	})
}

func (w *worker) encodeRow(y, stretches int) {
	f, row := w.frame, &w.frame.encoded[y]
	defer close(row.ready) // whatever happens: who waits goes on
	row.macroblocks = make([]macroblock, f.columns)
	row.tokens = make([]token, 0, 256*f.columns)
	w.left, w.leftModes = contexts{}, [4]uint8{}
	seen := 0
	for x := range row.macroblocks {
		if x%stretch == 0 {
			for ; y > 0 && seen < min(x/stretch+2, stretches); seen++ {
				<-f.encoded[y-1].ready
			}
		}
		row.macroblocks[x], row.tokens = w.encode(x, y, row.tokens)
		if x%stretch == stretch-1 || x == f.columns-1 {
			row.ready <- struct{}{}
		}
	}
}

// load brings in the samples of a macroblock, and what is around it.
func (w *worker) load(x, y int) {
	p, s := &w.frame.picture, &w.samples
	loadBlocks(w.source[:16], p.Y, p.YStride, 16*x, 16*y, p.Width, p.Height)
	width, height := (p.Width+1)/2, (p.Height+1)/2
	loadBlocks(w.source[16:20], p.U, p.UVStride, 8*x, 8*y, width, height)
	loadBlocks(w.source[20:24], p.V, p.UVStride, 8*x, 8*y, width, height)
	for i := range w.source {
		w.spread[i] = spreadBlock(&w.source[i])
	}
	for i, corner := range [3]int{lumaCorner, blueCorner, redCorner} {
		size := 8
		if i == 0 {
			size = 16
		}
		above := w.frame.above[i]
		// The column to the left; the corner is still what was above its end.
		for row := range size + 1 {
			at := corner + row*stride
			switch {
			case x > 0:
				s[at] = s[at+size]
			case row == 0 && y == 0:
				s[at] = 127
			default:
				s[at] = 129
			}
		}
		to := s[corner+1 : corner+1+size]
		if y > 0 {
			copy(to, above[size*x:])
		} else {
			fill(to, 127)
		}
	}
	right := s[aboveRight : aboveRight+4]
	switch {
	case y == 0:
		fill(right, 127)
	case x+1 < w.frame.columns:
		copy(right, w.frame.above[0][16*x+16:])
	default:
		fill(right, s[aboveRight-1])
	}
	for row := range 3 {
		copy(s[aboveRight+(row+1)*nextBlockRow:][:4], right)
	}
}

func fill(b []byte, value byte) {
	for i := range b {
		b[i] = value
	}
}

// keep leaves what the row below needs.
func (w *worker) keep(x int) {
	copy(w.frame.above[0][16*x:16*x+16], w.samples[lumaCorner+16*stride+1:])
	copy(w.frame.above[1][8*x:8*x+8], w.samples[blueCorner+8*stride+1:])
	copy(w.frame.above[2][8*x:8*x+8], w.samples[redCorner+8*stride+1:])
}

// loadBlocks reads a square of blocks from a plane. Behind its edges, the last
// samples go on.
func loadBlocks(blocks [][2]uint64, pix []byte, pixStride, left, top, width, height int) {
	var edge [16]byte
	side := 4
	if len(blocks) == 4 {
		side = 2
	}
	for row := range 4 * side {
		line := pix[min(top+row, height-1)*pixStride:][:width]
		if left+4*side <= width {
			line = line[left:]
		} else {
			n := copy(edge[:], line[left:])
			fill(edge[n:], edge[n-1])
			line = edge[:]
		}
		for column := range side {
			value := uint64(binary.LittleEndian.Uint32(line[4*column:]))
			b := &blocks[row/4*side+column][row/2%2]
			if row%2 == 0 {
				*b = value
			} else {
				*b |= value << 32
			}
		}
	}
}

// appendTokens writes the levels of a macroblock, if there are any.
func (w *worker) appendTokens(m *macroblock, x int, t []token) []token {
	above, left := &w.frame.aboveContexts[x], &w.left
	kind, from := kindLuma, 0
	if m.luma != modeBlocks {
		kind, from = kindLumaAfterWalsh, 1
	}
	if m.skipped = w.nothing(m, from); m.skipped {
		walshAbove, walshLeft := above[walshContext], left[walshContext]
		*above, *left = contexts{}, contexts{}
		if m.luma == modeBlocks { // which says nothing about it
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
		put(&w.walshLevels, kindWalsh, 0, walshContext, walshContext)
	}
	for i := range 16 {
		put(&w.levels[i], kind, from, i%4, i/4)
	}
	for i := range 8 {
		put(&w.levels[16+i], kindChroma, 0, 4+i/4*2+i%2, 4+i/4*2+i%4/2)
	}
	return t
}

// nothing reports whether all levels are zero.
func (w *worker) nothing(m *macroblock, from int) bool {
	if m.luma != modeBlocks && w.walshLevels.last >= 0 {
		return false
	}
	for i := range w.levels {
		if i >= 16 {
			from = 0
		}
		if int(w.levels[i].last) >= from {
			return false
		}
	}
	return true
}

// partitionBits is how many partitions of tokens there are, as a power of two: they
// are written side by side.
func (f *frame) partitionBits() int {
	if f.rows < 32 {
		return 0
	}
	return 2
}

// bytes returns the frame as decoders read it (section 9).
func (f *frame) bytes() ([]byte, error) {
	probs := f.adaptProbs()
	header := f.header(probs)
	if len(header) >= 1<<19 {
		return nil, ErrSize
	}
	table := probs.flat()
	partitions := make([][]byte, 1<<f.partitionBits())
	var work []func()
	for i := range partitions {
		work = append(work, func() {
			w := newBoolWriter(1 << 16)
			for y := i; y < f.rows; y += len(partitions) {
				w.putTokens(f.encoded[y].tokens, table)
			}
			partitions[i] = w.finish()
		})
	}
	together(work...)
	tag := uint32(len(header))<<5 | 1<<4 // a key frame that is shown
	out := []byte{byte(tag), byte(tag >> 8), byte(tag >> 16), 0x9d, 0x01, 0x2a}
	out = binary.LittleEndian.AppendUint16(out, uint16(f.picture.Width))
	out = binary.LittleEndian.AppendUint16(out, uint16(f.picture.Height))
	out = append(out, header...)
	for _, p := range partitions[:len(partitions)-1] {
		if len(p) >= 1<<24 {
			return nil, ErrSize
		}
		out = append(out, byte(len(p)), byte(len(p)>>8), byte(len(p)>>16))
	}
	for _, p := range partitions {
		out = append(out, p...)
	}
	return out, nil
}

// adaptProbs returns the probabilities of tokens with which they take least.
func (f *frame) adaptProbs() *tokenProbs {
	var counts [tokenValues][2]int64
	for _, row := range f.encoded {
		for _, t := range row.tokens {
			counts[t&(tokenValues-1)][t>>15]++
		}
	}
	probs, node := defaultProbs, 0
	eachProb(func(kind, band, context, i int) {
		p, update := &probs[kind][band][context][i], updateProbs[kind][band][context][i]
		zeros, ones := counts[node][0], counts[node][1]
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

// header returns the first partition: what holds for the frame, and the modes.
func (f *frame) header(probs *tokenProbs) []byte {
	w := newBoolWriter(8 * f.columns * f.rows)
	w.putValue(0, 2) // colours as usual, to be clamped
	w.putValue(0, 1) // no segments
	w.putValue(0, 1) // the normal loop filter
	w.putValue(f.filterLevel(), 6)
	w.putValue(0, 3) // its sharpness
	w.putValue(0, 1) // the same level for all modes
	w.putValue(f.partitionBits(), 2)
	w.putValue(f.index, 7)
	w.putValue(0, 3) // no deltas of the quantizer but for the mean of chroma
	w.putValue(1, 1)
	w.putValue(finerChroma<<1|1, 5)
	w.putValue(0, 1) // nor for its other coefficients
	w.putValue(0, 1) // the probabilities hold for this frame
	eachProb(func(kind, band, context, i int) {
		p := probs[kind][band][context][i]
		update := p != defaultProbs[kind][band][context][i]
		w.put(update, updateProbs[kind][band][context][i])
		if update {
			w.putValue(int(p), 8)
		}
	})
	skipped := 0
	for _, row := range f.encoded {
		for i := range row.macroblocks {
			if row.macroblocks[i].skipped {
				skipped++
			}
		}
	}
	total := f.columns * f.rows
	notSkipped := uint8(min(255, max(1, 255*(total-skipped)/total)))
	w.putValue(1, 1)
	w.putValue(int(notSkipped), 8)
	above := make([]uint8, 4*f.columns)
	for _, row := range f.encoded {
		var left [4]uint8
		for x := range row.macroblocks {
			row.macroblocks[x].write(w, notSkipped, (*[4]uint8)(above[4*x:]), &left)
		}
	}
	return w.finish()
}

// write writes the modes of a macroblock, by those of the blocks above and to the
// left, and leaves its own there.
func (m *macroblock) write(w *boolWriter, notSkipped uint8, above, left *[4]uint8) {
	w.put(m.skipped, notSkipped)
	if m.luma == modeBlocks {
		w.put(false, lumaModePaths[0][0].node)
	} else {
		putMode(w, lumaModePaths[m.luma])
	}
	for i, mode := range m.blocks {
		if m.luma == modeBlocks {
			putBlockMode(w, mode, above[i%4], left[i/4])
		}
		above[i%4], left[i/4] = mode, mode
	}
	putMode(w, chromaModePaths[m.chroma])
}

// filterLevel is how far decoders smooth the edges of blocks: enough to hide the steps
// of the quantizer, and not the grain of the picture.
func (f *frame) filterLevel() int { return min(int(acSteps[f.index]+4)/5, 63) }
