package webp

import "encoding/binary"

// samples are the reconstructed samples of a macroblock in rows of stride bytes: luma,
// and below it both chroma planes side by side. The row before and the column before hold
// the neighbours above and to the left; for luma the row has four more samples to the
// right.
type samples [26 * stride]byte

const (
	stride       = 32
	lumaCorner   = 7
	blueCorner   = 17*stride + 7
	redCorner    = blueCorner + 16
	belowCorner  = stride + 1 // from a corner to the first sample
	aboveRight   = lumaCorner + 17
	nextBlockRow = 4 * stride
)

// set stores the samples of a block.
func (s *samples) set(offset int, values [2]uint64) {
	to := s[offset : offset+3*stride+4]
	binary.LittleEndian.PutUint32(to, uint32(values[0]))
	binary.LittleEndian.PutUint32(to[stride:], uint32(values[0]>>32))
	binary.LittleEndian.PutUint32(to[2*stride:], uint32(values[1]))
	binary.LittleEndian.PutUint32(to[3*stride:], uint32(values[1]>>32))
}

// mean returns the mean of the available samples above and to the left.
func (s *samples) mean(corner, size int, above, left bool) uint64 {
	sum, count := 0, 0
	if above {
		count += size
		for i := range size {
			sum += int(s[corner+1+i])
		}
	}
	if left {
		count += size
		for i := range size {
			sum += int(s[corner+(1+i)*stride])
		}
	}
	if count == 0 {
		return 128
	}
	return uint64((sum + count/2) / count)
}

// load loads the samples of a macroblock from the picture.
func (w *worker) load(x, y int) {
	p := &w.frame.picture
	width, height := (p.Width+1)/2, (p.Height+1)/2
	loadBlocks(w.source[:16], p.Y, p.YStride, 16*x, 16*y, p.Width, p.Height)
	loadBlocks(w.source[16:20], p.U, p.UVStride, 8*x, 8*y, width, height)
	loadBlocks(w.source[20:24], p.V, p.UVStride, 8*x, 8*y, width, height)
	for i := range w.source {
		w.spread[i] = spreadBlock(&w.source[i])
	}
}

// loadNeighbours loads the samples above and to the left of a macroblock.
func (w *worker) loadNeighbours(x, y int) {
	w.samples.loadNeighbours(lumaCorner, 16, w.frame.above[0], x, y)
	w.samples.loadNeighbours(blueCorner, 8, w.frame.above[1], x, y)
	w.samples.loadNeighbours(redCorner, 8, w.frame.above[2], x, y)
	right := w.samples[aboveRight : aboveRight+4]
	switch {
	case y == 0:
		fill(right, outsideAbove)
	case x+1 < w.frame.columns:
		copy(right, w.frame.above[0][16*x+16:])
	default:
		fill(right, w.samples[aboveRight-1])
	}
	for row := range 3 { // all blocks at the right edge use the same samples
		copy(w.samples[aboveRight+(row+1)*nextBlockRow:][:4], right)
	}
}

// Values of samples outside of the picture.
const outsideAbove, outsideLeft = 127, 129

// loadNeighbours copies the samples to the left from the previous macroblock, which is still
// in s, and the samples above from the bottom samples of the row above.
func (s *samples) loadNeighbours(corner, size int, above []byte, x, y int) {
	for row := range size + 1 { // including the corner
		at := corner + row*stride
		switch {
		case x > 0:
			s[at] = s[at+size]
		case row == 0 && y == 0:
			s[at] = outsideAbove
		default:
			s[at] = outsideLeft
		}
	}
	to := s[corner+1 : corner+1+size]
	if y > 0 {
		copy(to, above[size*x:])
	} else {
		fill(to, outsideAbove)
	}
}

func fill(b []byte, value byte) {
	for i := range b {
		b[i] = value
	}
}

// storeBelow stores the bottom samples of a macroblock for the row below.
func (w *worker) storeBelow(x int) {
	copy(w.frame.above[0][16*x:16*x+16], w.samples[lumaCorner+16*stride+1:])
	copy(w.frame.above[1][8*x:8*x+8], w.samples[blueCorner+8*stride+1:])
	copy(w.frame.above[2][8*x:8*x+8], w.samples[redCorner+8*stride+1:])
}

// loadBlocks reads a square of blocks from a plane. Beyond its edges it repeats the last
// samples.
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
