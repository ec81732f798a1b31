package webp

import "encoding/binary"

const (
	evens     = 0x00ff00ff00ff00ff
	everyByte = 0x0101010101010101
	everyLane = 0x0001000100010001
)

// average is the mean of two bytes in each byte lane, rounded up.
func average(a, b uint64) uint64 { return (a | b) - (a^b)>>1&(0x7f*everyByte) }

// smooth is (a+2b+c)/4 in each byte lane, rounded up.
func smooth(a, b, c uint64) uint64 {
	return average((a&c)+(a^c)>>1&(0x7f*everyByte), b)
}

// spread moves each of the four lowest bytes to a lane of 16 bits.
func spread(v uint64) uint64 {
	v &= 0xffffffff
	v = (v | v<<16) & 0x0000ffff0000ffff
	return (v | v<<8) & evens
}

func rows(r0, r1, r2, r3 uint64) [2]uint64 {
	return [2]uint64{r0&0xffffffff | r1<<32, r2&0xffffffff | r3<<32}
}

// predictions computes the predictions of all modes for the block of 4 × 4 samples at the
// offset.
func predictions(p *[blockModes][2]uint64, s *samples, offset int) {
	around := s[offset-stride-1 : offset+3*stride]
	above := binary.LittleEndian.Uint64(around[1:])
	l0, l1, l2, l3 := uint64(around[stride]), uint64(around[2*stride]), uint64(around[3*stride]), uint64(around[4*stride])
	topLeft := uint64(around[0])

	// The edge from the lower left over the corner to the right, and the same edge
	// shifted by one and by two samples.
	edge := l3 | l2<<8 | l1<<16 | l0<<24 | topLeft<<32 | above<<40
	edge1 := edge>>8 | above>>24<<56
	edge2 := edge>>16 | above>>24<<48
	mean, soft := average(edge, edge1), smooth(edge, edge1, edge2)
	above1 := above>>8 | above>>56<<56
	above2 := above1>>8 | above>>56<<56
	meanAbove, softAbove := average(above, above1), smooth(above, above1, above2)
	lowest := (l2 + 3*l3 + 2) >> 2

	dc := (l0 + l1 + l2 + l3 + above&255 + above>>8&255 + above>>16&255 + above>>24&255 + 4) >> 3 * everyByte
	p[modeDC] = [2]uint64{dc, dc}
	top := spread(above)
	p[modeTrue] = [2]uint64{
		saturated(top, l0, topLeft) | saturated(top, l1, topLeft)<<32,
		saturated(top, l2, topLeft) | saturated(top, l3, topLeft)<<32,
	}
	vertical := soft>>32 | soft>>32<<32
	p[modeVertical] = [2]uint64{vertical, vertical}
	p[modeHorizontal] = rows(soft>>16&255*0x01010101, soft>>8&255*0x01010101, soft&255*0x01010101, lowest*0x01010101)
	p[modeRightDown] = rows(soft>>24, soft>>16, soft>>8, soft)
	p[modeVerticalRight] = rows(mean>>32, soft>>24, mean>>32<<8|soft>>16&255, soft>>24<<8|soft>>8&255)
	p[modeLeftDown] = rows(softAbove, softAbove>>8, softAbove>>16, softAbove>>24)
	p[modeVerticalLeft] = rows(meanAbove, softAbove,
		meanAbove>>8&0xffffff|softAbove>>32<<24, softAbove>>8&0xffffff|softAbove>>40<<24)
	down := spread(mean) | spread(soft)<<8
	p[modeHorizontalDown] = rows(down>>48|soft>>32<<16, down>>32, down>>16, down)
	up := mean>>16&255 | soft>>8&255<<8 | mean>>8&255<<16 | soft&255<<24 | mean&255<<32 | lowest<<40 | l3<<48 | l3<<56
	p[modeHorizontalUp] = rows(up, up>>16, up>>32, l3*0x01010101)
}

// saturated is left + above - corner in four lanes, clamped to bytes.
func saturated(lanes, left, topLeft uint64) uint64 {
	v := clampLanes(lanes + (256+left-topLeft)*everyLane)
	v |= v >> 8
	return v&0xffff | v>>16&0xffff0000
}

// clampLanes subtracts 256 from four lanes below 768 and clamps them to bytes.
func clampLanes(v uint64) uint64 {
	within := (v >> 8 & everyLane) * 255
	over := (v >> 9 & everyLane) * 255
	return v&within | over
}

// shifted adds a number to all samples of a block and clamps them to bytes.
func shifted(samples *[2]uint64, by int32) (result [2]uint64) {
	plus := uint64(256+min(max(by, -255), 255)) * everyLane
	for i, s := range samples {
		result[i] = clampLanes(s&evens+plus) | clampLanes(s>>8&evens+plus)<<8
	}
	return result
}

// lanes are the samples of a block, spread for apart.
type lanes [4]uint64

func spreadBlock(samples *[2]uint64) lanes {
	const high = 256 * everyLane
	return lanes{samples[0]&evens | high, samples[0]>>8&evens | high, samples[1]&evens | high, samples[1]>>8&evens | high}
}

// sumOfDifferences returns the sum of absolute differences of two blocks.
func sumOfDifferences(a *lanes, b *[2]uint64) int32 {
	sum := laneDifferences(a[0], b[0]) + laneDifferences(a[1], b[0]>>8) + laneDifferences(a[2], b[1]) + laneDifferences(a[3], b[1]>>8)
	sum = sum&0x0000ffff0000ffff + sum>>16&0x0000ffff0000ffff
	return int32(uint32(sum)+uint32(sum>>32)) - 16*256
}

// laneDifferences returns the absolute differences of four lanes plus 256. The lanes of a
// are also increased by 256; those of b are every other byte.
func laneDifferences(a, b uint64) uint64 {
	d := a - b&evens
	less := ^d >> 8 & everyLane
	return d ^ (less<<9 - less) + less
}
