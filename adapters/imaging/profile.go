package imaging

import (
	"bytes"
	"encoding/binary"
	"math"
)

// profile is an ICC colour profile other than sRGB. xyz converts device values to CIE XYZ
// under D50. Profiles of curves and a matrix also have these, for a faster conversion.
//
// The parser is the project's own. That of github.com/kovidgoyal/imaging v1.9.0 is not safe
// for uploads: 132 bytes that claim 2^32-1 tags end the process, three curves of 64,000
// points take 9.7 s of CPU (here 8 ms) and four times that for twice the points, and grids
// with different sides give wrong colours. To measure a replacement of parseProfile:
//
//	go test ./adapters/imaging -run 'Profile|Tables|Grid' -bench LongCurves -cpu 1
type profile struct {
	space  string // of the picture: "RGB ", "GRAY" or "CMYK"
	xyz    func(device [4]float64) [3]float64
	curves []curve
	matrix *matrix
	icc    []byte // the profile as a file, if renditions keep it
}

// maxKept is the size in bytes of the largest profile that renditions keep. Those of cameras and
// screens have a few kilobytes. The colours of a picture with a larger one are converted.
const maxKept = 32 << 10

type matrix [9]float64

// converter converts a row of interleaved pixels to sRGB. The pixels are not
// premultiplied.
type converter func(row []byte)

// linearOfXYZ converts XYZ under D50 to linear sRGB.
var linearOfXYZ = matrix{
	3.1338561, -1.6168667, -0.4906146,
	-0.9787684, 1.9161415, 0.0334540,
	0.0719453, -0.2289914, 1.4052427,
}

// parseProfile parses a profile. It returns nil for sRGB, for an invalid profile and for
// an unsupported kind; the picture is then treated as sRGB.
func parseProfile(data []byte) (p *profile) {
	defer func() {
		if recover() != nil { // an offset out of range
			p = nil
		}
	}()
	if len(data) < 132 || string(data[36:40]) != "acsp" {
		return nil
	}
	r := profileReader{data}
	p = &profile{space: string(data[16:20])}
	switch {
	case p.space == "GRAY" && r.tag("kTRC") != nil:
		gray := r.gray()
		p.curves = []curve{gray}
		p.xyz = func(device [4]float64) [3]float64 { return scaled(whiteXYZ, gray(device[0])) }
	case p.space == "RGB " && r.tag("rXYZ") != nil && r.tag("rTRC") != nil:
		r.matrix(p)
	case p.space == "RGB " && r.tag("A2B0") != nil:
		p.xyz = r.table(r.tag("A2B0"), 3)
	case p.space == "CMYK" && r.tag("A2B0") != nil:
		p.xyz = r.table(r.tag("A2B0"), 4)
	}
	if p.xyz == nil {
		return nil
	}
	p.xyz([4]float64{}) // panics now if the profile is invalid
	if p.space == "CMYK" {
		p.compensateBlack()
	}
	if p.isSRGB() {
		return nil
	}
	if p.space == "RGB " && len(data) <= maxKept {
		p.icc = bytes.Clone(data)
	}
	return p
}

// gray reads the curve of a gray profile as a curve to Y. In profiles that connect through Lab, it
// leads to the lightness.
func (r profileReader) gray() curve {
	c := parseCurve(r.tag("kTRC"))
	if string(r.data[20:24]) != "Lab " {
		return c
	}
	return func(v float64) float64 { return labInverse((100*c(v) + 16) / 116) }
}

// compensateBlack scales the printed range so that the darkest printable colour becomes
// black on a screen instead of grey.
func (p *profile) compensateBlack() {
	printed, black := p.xyz, min(p.xyz([4]float64{1, 1, 1, 1})[1], 0.18)
	p.xyz = func(device [4]float64) [3]float64 {
		xyz := printed(device)
		for i := range xyz {
			xyz[i] = (xyz[i] - black*whiteXYZ[i]) / (1 - black)
		}
		return xyz
	}
}

// isSRGB reports whether the profile differs from sRGB by at most 2 of 255.
func (p *profile) isSRGB() bool {
	if p.space != "RGB " {
		return false
	}
	convert := p.converter(modelRGBA)
	for i := range 6 * 6 * 6 {
		before := [4]byte{byte(i % 6 * 51), byte(i / 6 % 6 * 51), byte(i / 36 * 51), 255}
		after := before
		convert(after[:])
		for c := range 3 {
			if d := int(before[c]) - int(after[c]); d < -2 || d > 2 {
				return false
			}
		}
	}
	return true
}

// converter returns the conversion of a picture to sRGB, or nil if none is needed. A
// profile for another colour model is ignored.
func (p *profile) converter(m model) converter {
	switch {
	case m == modelCMYK && (p == nil || p.space != "CMYK"):
		return convertCMYK
	case p == nil || (p.space == "CMYK") != (m == modelCMYK), m == modelGray && p.space != "GRAY":
		return nil
	case p.matrix != nil:
		return p.convertByMatrix()
	case p.space == "GRAY":
		return p.convertGray()
	}
	return p.convertByTable()
}

// convertCMYK converts CMYK without a profile.
func convertCMYK(row []byte) {
	for i := 0; i+4 <= len(row); i += 4 {
		q := row[i : i+4 : i+4]
		light := 255 - int(q[3])
		for c := range 3 {
			q[c] = byte(((255-int(q[c]))*light + 127) / 255)
		}
		q[3] = 255
	}
}

func (p *profile) convertGray() converter {
	var table [256]byte
	for v := range table {
		table[v] = encoded(p.curves[0](float64(v) / 255))
	}
	return func(row []byte) {
		for i := 0; i+4 <= len(row); i += 4 {
			v := table[row[i]]
			row[i], row[i+1], row[i+2] = v, v, v
		}
	}
}

func (p *profile) convertByMatrix() converter {
	var linear [3][256]float32
	for c := range linear {
		for v := range 256 {
			linear[c][v] = float32(clampUnit(p.curves[c](float64(v) / 255)))
		}
	}
	m := linearOfXYZ.times(*p.matrix)
	var f [9]float32
	for i, v := range m {
		f[i] = float32(v * float64(len(encodedSteps)-1))
	}
	step := func(v float32) byte {
		return encodedSteps[int(max(0, min(v+0.5, float32(len(encodedSteps)-1))))]
	}
	return func(row []byte) {
		for i := 0; i+4 <= len(row); i += 4 {
			q := row[i : i+4 : i+4]
			r, g, b := linear[0][q[0]], linear[1][q[1]], linear[2][q[2]]
			q[0] = step(f[0]*r + f[1]*g + f[2]*b)
			q[1] = step(f[3]*r + f[4]*g + f[5]*b)
			q[2] = step(f[6]*r + f[7]*g + f[8]*b)
		}
	}
}

// convertByTable evaluates the profile on a grid finer than its own and interpolates.
func (p *profile) convertByTable() converter {
	sides := []int{33, 33, 33}
	if p.space == "CMYK" {
		sides = []int{17, 17, 17, 17}
	}
	mix := gridStage(p.grid(sides), sides)
	return func(row []byte) {
		var v [4]float64
		for i := 0; i+4 <= len(row); i += 4 {
			q := row[i : i+4 : i+4]
			for c := range v {
				v[c] = float64(q[c]) / 255
			}
			mix(&v)
			q[0], q[1], q[2] = byte(v[0]+0.5), byte(v[1]+0.5), byte(v[2]+0.5)
			if p.space == "CMYK" {
				q[3] = 255
			}
		}
	}
}

// grid evaluates the profile on a regular grid. The last channel varies fastest.
func (p *profile) grid(sides []int) (samples []float64) {
	count := 1
	for _, side := range sides {
		count *= side
	}
	for i := range count {
		var device [4]float64
		for c, rest := len(sides)-1, i; c >= 0; c-- {
			device[c] = float64(rest%sides[c]) / float64(sides[c]-1)
			rest /= sides[c]
		}
		for _, v := range linearOfXYZ.apply(p.xyz(device)) {
			samples = append(samples, float64(encoded(v)))
		}
	}
	return samples
}

// encodedSteps is a lookup table of encoded.
var encodedSteps = func() (t [1 << 14]byte) {
	for i := range t {
		t[i] = encoded(float64(i) / float64(len(t)-1))
	}
	return t
}()

// encoded is the transfer function of sRGB.
func encoded(linear float64) byte {
	v := 12.92 * linear
	if linear > 0.0031308 {
		v = 1.055*math.Pow(linear, 1/2.4) - 0.055
	}
	return byte(math.Round(255 * clampUnit(v)))
}

// clampUnit clamps v to 0..1. NaN becomes 0.
func clampUnit(v float64) float64 {
	if v > 0 { // false for NaN
		return min(v, 1)
	}
	return 0
}

func (m matrix) apply(v [3]float64) (r [3]float64) {
	for i := range r {
		r[i] = m[3*i]*v[0] + m[3*i+1]*v[1] + m[3*i+2]*v[2]
	}
	return r
}

func (m matrix) times(n matrix) (r matrix) {
	for i := range r {
		for k := range 3 {
			r[i] += m[i/3*3+k] * n[3*k+i%3]
		}
	}
	return r
}

// whiteXYZ is D50.
var whiteXYZ = [3]float64{0.9642, 1, 0.8249}

func scaled(c [3]float64, by float64) [3]float64 { return [3]float64{c[0] * by, c[1] * by, c[2] * by} }

// profileReader reads the elements of a profile. It panics at an offset out of range.
type profileReader struct{ data []byte }

// tag returns the element with the name, or nil.
func (r profileReader) tag(name string) []byte {
	for i := range min(binary.BigEndian.Uint32(r.data[128:]), 200) {
		entry := r.data[132+12*i:]
		if string(entry[:4]) == name {
			offset, size := binary.BigEndian.Uint32(entry[4:]), binary.BigEndian.Uint32(entry[8:])
			return r.data[offset:][:size]
		}
	}
	return nil
}

// matrix reads a matrix profile, as used for screens and cameras.
func (r profileReader) matrix(p *profile) {
	p.matrix = &matrix{}
	for c, name := range []string{"r", "g", "b"} {
		p.curves = append(p.curves, parseCurve(r.tag(name+"TRC")))
		xyz := r.tag(name + "XYZ")
		for row := range 3 {
			p.matrix[3*row+c] = fixed(xyz[8+4*row:])
		}
	}
	p.xyz = func(device [4]float64) [3]float64 {
		return p.matrix.apply([3]float64{p.curves[0](device[0]), p.curves[1](device[1]), p.curves[2](device[2])})
	}
}

// fixed reads a signed fixed-point number with 16 fractional bits.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// curve maps 0 to 1 to 0 to 1.
type curve func(float64) float64

// parseCurve reads a curve: a power, samples, or one of the formulas of ICC.1:2010,
// table 65.
func parseCurve(b []byte) curve {
	if string(b[:4]) == "para" {
		return parseFormula(b)
	}
	if string(b[:4]) != "curv" {
		panic("imaging: no curve")
	}
	count := int(binary.BigEndian.Uint32(b[8:]))
	switch count {
	case 0:
		return func(v float64) float64 { return v }
	case 1:
		power := float64(binary.BigEndian.Uint16(b[12:])) / 256
		return func(v float64) float64 { return math.Pow(max(v, 0), power) }
	}
	return sampledCurve(parseSamples(b[12:], count, 2))
}

// formulaParameters are the numbers of parameters of each formula.
var formulaParameters = [...]int{1, 3, 4, 5, 7}

func parseFormula(b []byte) curve {
	kind := binary.BigEndian.Uint16(b[8:])
	n := formulaParameters[kind]
	var p [7]float64
	for i := range n {
		p[i] = fixed(b[12+4*i:])
	}
	g, a, bb, c, d, e, f := p[0], p[1], p[2], p[3], p[4], p[5], p[6]
	switch kind {
	case 0:
		a = 1
		d = math.Inf(-1)
	case 1:
		d, c = -bb/a, 0
	case 2:
		d, e, f, c = -bb/a, c, c, 0
	}
	return func(v float64) float64 {
		if v >= d {
			return math.Pow(max(a*v+bb, 0), g) + e
		}
		return c*v + f
	}
}

// parseSamples reads samples of one or two bytes as numbers from 0 to 1.
func parseSamples(b []byte, count, width int) []float64 {
	b = b[:count*width] // panics before the allocation
	samples := make([]float64, count)
	for i := range samples {
		if width == 1 {
			samples[i] = float64(b[i]) / 255
		} else {
			samples[i] = float64(binary.BigEndian.Uint16(b[2*i:])) / 65535
		}
	}
	return samples
}

// sampledCurve interpolates linearly between samples.
func sampledCurve(samples []float64) curve {
	return func(v float64) float64 {
		at := clampUnit(v) * float64(len(samples)-1)
		i := min(int(at), max(len(samples)-2, 0))
		next := min(i+1, len(samples)-1)
		return samples[i] + (at-float64(i))*(samples[next]-samples[i])
	}
}
