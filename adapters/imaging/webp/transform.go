package webp

// block contains 4 × 4 samples or coefficients, row by row.
type block [16]int32

// Factors of the inverse transform, times 2^16: √2·cos(π/8) and √2·sin(π/8).
const (
	cosine = 85627
	sine   = 35468
)

// forward computes the DCT of the difference of two blocks, whose words contain two rows
// each. The first coefficient is eight times the mean.
func (b *block) forward(source, prediction *[2]uint64) {
	const cos, sin = 5352, 2217 // times 2^12
	for i := range 2 {
		s, p := source[i], prediction[i]
		for j := 8 * i; j < 8*i+8; j += 4 {
			d0 := int32(s&255) - int32(p&255)
			d1 := int32(s>>8&255) - int32(p>>8&255)
			d2 := int32(s>>16&255) - int32(p>>16&255)
			d3 := int32(s>>24&255) - int32(p>>24&255)
			s, p = s>>32, p>>32
			a0, a1, a2, a3 := d0+d3, d1+d2, d1-d2, d0-d3
			row := (*[4]int32)(b[j:])
			row[0] = (a0 + a1) * 8
			row[1] = (a3*cos + a2*sin + 256) >> 9
			row[2] = (a0 - a1) * 8
			row[3] = (a3*sin - a2*cos + 256) >> 9
		}
	}
	for x := range 4 {
		a0, a3 := b[x]+b[12+x], b[x]-b[12+x]
		a1, a2 := b[4+x]+b[8+x], b[4+x]-b[8+x]
		b[x] = (a0 + a1 + 8) >> 4
		b[4+x] = (a3*cos + a2*sin + 1<<15) >> 16
		b[8+x] = (a0 - a1 + 8) >> 4
		b[12+x] = (a3*sin - a2*cos + 1<<15) >> 16
	}
}

// inverse adds the inverse DCT of the coefficients to the prediction, exactly as decoders
// do (section 14.3).
func (b *block) inverse(prediction *[2]uint64) (result [2]uint64) {
	var t block
	for x := range 4 {
		a, c := b[x]+b[8+x], b[x]-b[8+x]
		d := (b[4+x]*sine)>>16 - (b[12+x]*cosine)>>16
		e := (b[4+x]*cosine)>>16 + (b[12+x]*sine)>>16
		t[x], t[4+x], t[8+x], t[12+x] = a+e, c+d, c-d, a-e
	}
	for y := range 4 {
		row := (*[4]int32)(t[4*y:])
		a, c := row[0]+row[2]+4, row[0]-row[2]+4
		d := (row[1]*sine)>>16 - (row[3]*cosine)>>16
		e := (row[1]*cosine)>>16 + (row[3]*sine)>>16
		p := uint32(prediction[y/2] >> (32 * (y % 2)))
		sum := clamp(int32(p&255)+(a+e)>>3) |
			clamp(int32(p>>8&255)+(c+d)>>3)<<8 |
			clamp(int32(p>>16&255)+(c-d)>>3)<<16 |
			clamp(int32(p>>24)+(a-e)>>3)<<24
		result[y/2] |= uint64(sum) << (32 * (y % 2))
	}
	return result
}

func clamp(v int32) uint32 {
	if uint32(v) > 255 {
		return uint32(^v>>31) & 255
	}
	return uint32(v)
}

// forwardWalsh computes the Walsh-Hadamard transform of the first coefficients of the
// sixteen blocks.
func (b *block) forwardWalsh() {
	for y := range 4 {
		row := (*[4]int32)(b[4*y:])
		a0, a1, a2, a3 := row[0]+row[2], row[1]+row[3], row[1]-row[3], row[0]-row[2]
		row[0], row[1], row[2], row[3] = a0+a1, a3+a2, a3-a2, a0-a1
	}
	for x := range 4 {
		a0, a1 := b[x]+b[8+x], b[4+x]+b[12+x]
		a2, a3 := b[4+x]-b[12+x], b[x]-b[8+x]
		b[x], b[4+x], b[8+x], b[12+x] = (a0+a1+1)>>1, (a3+a2+1)>>1, (a3-a2+1)>>1, (a0-a1+1)>>1
	}
}

// inverseWalsh is the inverse of forwardWalsh as decoders compute it (section 14.3).
func (b *block) inverseWalsh() {
	for x := range 4 {
		a0, a1 := b[x]+b[12+x], b[4+x]+b[8+x]
		a2, a3 := b[4+x]-b[8+x], b[x]-b[12+x]
		b[x], b[8+x], b[4+x], b[12+x] = a0+a1, a0-a1, a3+a2, a3-a2
	}
	for y := range 4 {
		row := (*[4]int32)(b[4*y:])
		dc := row[0] + 3
		a0, a1, a2, a3 := dc+row[3], row[1]+row[2], row[1]-row[2], dc-row[3]
		row[0], row[1], row[2], row[3] = (a0+a1)>>3, (a3+a2)>>3, (a0-a1)>>3, (a3-a2)>>3
	}
}
