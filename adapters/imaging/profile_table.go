package imaging

import (
	"encoding/binary"
	"math"
)

// table reads a lookup-table profile, as used for printing: curves, a grid of colours, and
// curves again. It supports the types lut8Type, lut16Type and lutAToBType.
func (r profileReader) table(b []byte, inputs int) func([4]float64) [3]float64 {
	if int(b[8]) != inputs || b[9] != 3 {
		panic("imaging: unexpected number of channels in a profile")
	}
	var stages []stage
	kind := string(b[:4])
	switch kind {
	case "mft1":
		stages = lutStages(b, 48, 256, 256, 1)
	case "mft2":
		stages = lutStages(b, 52, int(binary.BigEndian.Uint16(b[48:])), int(binary.BigEndian.Uint16(b[50:])), 2)
	case "mAB ":
		stages = lutAToBStages(b)
	default:
		panic("imaging: unknown type of table")
	}
	result := r.connection(kind == "mft2")
	return func(device [4]float64) [3]float64 {
		v := device // three or four values from 0 to 1
		for _, stage := range stages {
			stage(&v)
		}
		return result([3]float64(v[:3]))
	}
}

// stage is one in-place step of the conversion from device values to a colour.
type stage func(v *[4]float64)

// connection returns the conversion of three values from 0 to 1 to XYZ, directly or
// through Lab. In lut16Type, the white of Lab is FF00.
func (r profileReader) connection(lut16 bool) func([3]float64) [3]float64 {
	if string(r.data[20:24]) == "XYZ " {
		return func(v [3]float64) [3]float64 { return scaled(v, 65535.0/32768) }
	}
	scale := 1.0
	if lut16 {
		scale = 65535.0 / 65280
	}
	return func(v [3]float64) [3]float64 {
		l, a, b := 100*v[0]*scale, 255*v[1]*scale-128, 255*v[2]*scale-128
		y := (l + 16) / 116
		return [3]float64{whiteXYZ[0] * labInverse(y+a/500), whiteXYZ[1] * labInverse(y), whiteXYZ[2] * labInverse(y-b/200)}
	}
}

// labInverse is the inverse of the CIE Lab curve.
func labInverse(t float64) float64 {
	if t > 6.0/29 {
		return t * t * t
	}
	return (t - 4.0/29) * 108 / 841
}

// lutStages reads lut8Type and lut16Type, whose samples have width bytes.
func lutStages(b []byte, offset, before, after, width int) []stage {
	inputs, points := int(b[8]), int(b[10])
	take := func(count int) []float64 {
		samples := parseSamples(b[offset:], count, width)
		offset += count * width
		return samples
	}
	curves := func(channels, count int) (result []curve) {
		for range channels {
			result = append(result, sampledCurve(take(count)))
		}
		return result
	}
	first := curves(inputs, before)
	sides := make([]int, inputs)
	count := 3
	for i := range sides {
		sides[i] = points
		count *= points
	}
	grid := gridStage(take(count), sides)
	return []stage{curveStage(first), grid, curveStage(curves(3, after))}
}

// lutAToBStages reads lutAToBType, whose parts are optional.
func lutAToBStages(b []byte) (stages []stage) {
	inputs := int(b[8])
	offsets := make([]uint32, 5) // B curves, matrix, M curves, grid, A curves
	for i := range offsets {
		offsets[i] = binary.BigEndian.Uint32(b[12+4*i:])
	}
	if offsets[4] != 0 {
		stages = append(stages, curveStage(parseCurves(b[offsets[4]:], inputs)))
	}
	if offsets[3] != 0 {
		grid := b[offsets[3]:]
		sides, count := make([]int, inputs), 3
		for i := range sides {
			sides[i] = int(grid[i])
			count *= sides[i]
		}
		width := 2
		if grid[16] == 1 {
			width = 1
		}
		stages = append(stages, gridStage(parseSamples(grid[20:], count, width), sides))
	}
	if offsets[2] != 0 {
		stages = append(stages, curveStage(parseCurves(b[offsets[2]:], 3)))
	}
	if offsets[1] != 0 {
		stages = append(stages, matrixStage(b[offsets[1]:]))
	}
	return append(stages, curveStage(parseCurves(b[offsets[0]:], 3)))
}

// parseCurves reads consecutive curves, each aligned to four bytes.
func parseCurves(b []byte, count int) (curves []curve) {
	for range count {
		curves = append(curves, parseCurve(b))
		size := 12 + 2*int(binary.BigEndian.Uint32(b[8:]))
		if string(b[:4]) == "para" {
			size = 12 + 4*formulaParameters[binary.BigEndian.Uint16(b[8:])]
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return curves
}

// matrixStage reads a matrix of nine factors and three offsets.
func matrixStage(b []byte) stage {
	var m matrix
	var offset [3]float64
	for i := range m {
		m[i] = fixed(b[4*i:])
	}
	for i := range offset {
		offset[i] = fixed(b[36+4*i:])
	}
	return func(v *[4]float64) {
		for i, r := range m.apply([3]float64(v[:3])) {
			v[i] = r + offset[i]
		}
	}
}

func curveStage(curves []curve) stage {
	return func(v *[4]float64) {
		for i, c := range curves {
			v[i] = c(v[i])
		}
	}
}

// gridStage looks up colours in a grid with the given sides, of which the last varies
// fastest, and interpolates between the corners of the cell.
func gridStage(grid []float64, sides []int) stage {
	for _, side := range sides {
		if side < 2 {
			panic("imaging: invalid grid size")
		}
	}
	return func(v *[4]float64) {
		var fraction [4]float64
		var steps [4]int
		cell, step := 0, 3
		for i := len(sides) - 1; i >= 0; i-- {
			at := clampUnit(v[i]) * float64(sides[i]-1)
			low := min(math.Floor(at), float64(sides[i]-2))
			fraction[i], steps[i] = at-low, step
			cell += int(low) * step
			step *= sides[i]
		}
		*v = [4]float64{}
		for corner := range 1 << len(sides) {
			weight, at := 1.0, cell
			for i := range sides {
				if corner>>i&1 == 1 {
					weight *= fraction[i]
					at += steps[i]
				} else {
					weight *= 1 - fraction[i]
				}
			}
			for c, sample := range grid[at : at+3] {
				v[c] += weight * sample
			}
		}
	}
}
