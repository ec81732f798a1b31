package imaging

import "math"

// calibration is the description of the colours of a PNG without a profile (chunks gAMA
// and cHRM).
type calibration struct {
	gamma          uint32     // of the encoding, times 100,000; 0 means that of sRGB
	chromaticities [8]float64 // x and y of white, red, green and blue; all 0 means sRGB
}

// srgbGamma is the value of gAMA that programs write for sRGB.
const srgbGamma = 45455

// srgbChromaticities are white (D65), red, green and blue of IEC 61966-2-1.
var srgbChromaticities = [8]float64{0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06}

// profile returns the equivalent ICC profile, or nil for sRGB and for invalid values.
func (c calibration) profile(gray bool) *profile {
	response := curve(func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	})
	if c.gamma != 0 && c.gamma != srgbGamma {
		exponent := 100_000 / float64(c.gamma)
		response = func(v float64) float64 { return math.Pow(max(v, 0), exponent) }
	} else if gray {
		return nil
	}
	if gray {
		return &profile{space: "GRAY", curves: []curve{response}}
	}
	if c.chromaticities == ([8]float64{}) {
		c.chromaticities = srgbChromaticities
	}
	m, ok := c.matrix()
	if !ok {
		return nil
	}
	p := &profile{space: "RGB ", curves: []curve{response, response, response}, matrix: &m}
	if p.isSRGB() {
		return nil
	}
	return p
}

// bradford converts XYZ to cone responses, in which white is adapted (ICC.1, annex E).
var bradford = matrix{0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296}

// matrix returns the conversion of linear RGB to XYZ under D50.
func (c calibration) matrix() (m matrix, ok bool) {
	white := xyzOf(c.chromaticities[0], c.chromaticities[1])
	var primaries matrix
	for i := range 3 {
		for row, v := range xyzOf(c.chromaticities[2*i+2], c.chromaticities[2*i+3]) {
			primaries[3*row+i] = v
		}
	}
	inverse, ok := primaries.inverse()
	if !ok {
		return m, false
	}
	strengths := inverse.apply(white)
	adapted, _ := bradford.inverse()
	from, to := bradford.apply(white), bradford.apply(whiteXYZ)
	adapted = adapted.times(matrix{0: to[0] / from[0], 4: to[1] / from[1], 8: to[2] / from[2]}).times(bradford)
	m = adapted.times(primaries.times(matrix{0: strengths[0], 4: strengths[1], 8: strengths[2]}))
	for _, v := range m {
		ok = ok && !math.IsNaN(v) && math.Abs(v) < 10
	}
	return m, ok
}

// xyzOf returns XYZ for luminance 1 and the given chromaticities.
func xyzOf(x, y float64) [3]float64 { return [3]float64{x / y, 1, (1 - x - y) / y} }

// inverse returns the inverse of m, or false if m is singular.
func (m matrix) inverse() (r matrix, ok bool) {
	cofactor := func(i, j int) float64 {
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return m[3*a+c]*m[3*b+d] - m[3*a+d]*m[3*b+c]
	}
	determinant := m[0]*cofactor(0, 0) + m[1]*cofactor(0, 1) + m[2]*cofactor(0, 2)
	for i := range 3 {
		for j := range 3 {
			r[3*j+i] = cofactor(i, j) / determinant
		}
	}
	return r, math.Abs(determinant) > 1e-9 && !math.IsInf(determinant, 0)
}
