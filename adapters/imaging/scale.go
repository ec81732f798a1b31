package imaging

import (
	"encoding/binary"
	"math"

	"imprimatur/adapters/imaging/parallel"
)

// plane is a rectangle of samples of eight bits, one or more channels interleaved.
type plane struct {
	pix           []byte
	stride        int // bytes per row
	width, height int // samples of each channel
	channels      int
}

func newPlane(width, height, channels int) plane {
	return plane{make([]byte, width*height*channels), width * channels, width, height, channels}
}

// row returns the samples of row y.
func (p plane) row(y int) []byte {
	return p.pix[y*p.stride : y*p.stride+p.width*p.channels]
}

// mapping defines the position of each result sample in the source: along each axis, the
// centre of sample i is at origin + (i+½)·step source samples. A negative step mirrors.
type mapping struct {
	width, height    int // of the result
	originX, originY float64
	stepX, stepY     float64
}

// linear converts sample values: gain·v + bias.
type linear struct{ gain, bias float64 }

var (
	identity = linear{1, 0}
	// JPEG uses the full range, WebP the ITU-R BT.601 video range.
	lumaToVideo     = linear{219.0 / 255, 16}
	chromaToVideo   = linear{224.0 / 255, 128 - 128*224.0/255}
	lumaFromVideo   = linear{255.0 / 219, -16 * 255.0 / 219}
	chromaFromVideo = linear{255.0 / 224, 128 - 128*255.0/224}
)

// table returns the result for each value.
func (l linear) table() (t [256]byte) {
	for v := range t {
		t[v] = clamp(int(math.Round(l.gain*float64(v) + l.bias)))
	}
	return t
}

// Weights of the vertical pass are multiples of 1/verticalOne. The sum of the positive
// ones is less than 4/3, so that sums of 8-bit samples fit in 16 bits. The horizontal pass
// shifts its sums, which fit in 32 bits, right by resultBits.
const (
	verticalOne = 192
	resultBits  = 21
)

// scale resamples src with a Catmull-Rom filter. For a smaller result the filter is
// stretched, so that it covers all samples of src. It uses several processors.
func scale(src plane, f mapping, l linear) plane {
	if f == (mapping{src.width, src.height, 0, 0, 1, 1}) {
		return src.transformed(l)
	}
	dst := newPlane(f.width, f.height, src.channels)
	vertical := newTaps(src.height, f.height, f.originY, f.stepY, verticalOne)
	horizontal := newTaps(src.width, f.width, f.originX, f.stepX, math.Round(l.gain*(1<<resultBits)/verticalOne))
	bias := int32(math.Round((l.bias + 0.5) * (1 << resultBits)))
	across := horizontal.across
	if src.channels > 1 {
		across = horizontal.acrossInterleaved
	}
	inBands(f.height, func(from, to int) {
		sums := make([]pair, src.width*src.channels)
		var terms terms
		for y := from; y < to; y += 2 {
			below := min(y+1, to-1)
			terms.set(src, vertical, y).sum(sums, src, 0)
			terms.set(src, vertical, below).sum(sums, src, 32)
			across(dst.row(y), dst.row(below), sums, bias)
		}
	})
	return dst
}

// transformed returns the plane with converted values and without gaps between rows. It may
// return the plane itself.
func (p plane) transformed(l linear) plane {
	if l == identity && p.stride == p.width*p.channels {
		return p
	}
	dst, table := newPlane(p.width, p.height, p.channels), l.table()
	for y := range p.height {
		row := dst.row(y)
		for x, v := range p.row(y) {
			row[x] = table[v]
		}
	}
	return dst
}

// pair contains the sums of two consecutive result rows in one word, so that the
// horizontal pass multiplies both at once.
type pair int64

// results converts both sums to samples.
func (p pair) results(bias int32) (upper, lower byte) {
	sum := int32(p)
	return clamp(int((sum + bias) >> resultBits)), clamp(int((int32((p-pair(sum))>>32) + bias) >> resultBits))
}

// taps are the n consecutive source samples of each result sample, with their weights.
type taps struct {
	n       int
	start   []int
	weights []int32
}

// newTaps computes the taps of count result samples from length source samples. The
// weights of a result sample sum up to one.
func newTaps(length, count int, origin, step, one float64) taps {
	stretch := max(math.Abs(step), 1)
	n := min(int(math.Ceil(4*stretch)), length)
	t := taps{n, make([]int, count), make([]int32, count*n)}
	exact := make([]float64, n)
	for i := range count {
		middle := origin + (float64(i)+0.5)*step
		first := int(math.Floor(middle - 2*stretch + 0.5))
		t.start[i] = max(0, min(first, length-n))
		total := 0.0
		for k := range exact {
			exact[k] = catmullRom((float64(t.start[i]+k) + 0.5 - middle) / stretch)
			total += exact[k]
		}
		roundTo(t.weights[i*n:(i+1)*n], exact, one/total)
	}
	return t
}

// roundTo rounds the exact weights times factor without accumulating errors: each partial
// sum is off by at most half.
func roundTo(weights []int32, exact []float64, factor float64) {
	sum, rounded := 0.0, int32(0)
	for k, w := range exact {
		sum += w * factor
		next := int32(math.Round(sum))
		weights[k] = next - rounded
		rounded = next
	}
}

func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

func (t taps) of(i int) (start int, weights []int32) {
	return t.start[i], t.weights[i*t.n : (i+1)*t.n]
}

// terms are rows of a plane with their weights. The weights of subtracted rows are negated.
type terms struct{ added, subtracted []term }

type term struct {
	offset int // of the row
	weight uint64
}

// set sets the terms for row y of the result and returns t.
func (t *terms) set(src plane, vertical taps, y int) *terms {
	t.added, t.subtracted = t.added[:0], t.subtracted[:0]
	start, weights := vertical.of(y)
	for k, w := range weights {
		offset := (start + k) * src.stride
		if w > 0 {
			t.added = append(t.added, term{offset, uint64(w)})
		} else if w < 0 {
			t.subtracted = append(t.subtracted, term{offset, uint64(-w)})
		}
	}
	return t
}

// sum adds the weighted rows to the upper (shift 0) or lower (shift 32) half of each pair.
// The upper half must be first. It processes 16 samples at a time as 16-bit lanes of four
// words.
func (t *terms) sum(sums []pair, src plane, shift uint) {
	x := 0
	for ; x+16 <= len(sums); x += 16 {
		a, b, c, d := lanes(src.pix[x:], t.added)
		e, f, g, h := lanes(src.pix[x:], t.subtracted)
		out := (*[16]pair)(sums[x:])
		if shift == 0 {
			*out = [16]pair{}
		}
		for i := 0; i < 8; i += 2 {
			out[i] += pair(int64(a&0xffff)-int64(e&0xffff)) << shift
			out[i+1] += pair(int64(b&0xffff)-int64(f&0xffff)) << shift
			out[i+8] += pair(int64(c&0xffff)-int64(g&0xffff)) << shift
			out[i+9] += pair(int64(d&0xffff)-int64(h&0xffff)) << shift
			a, b, c, d, e, f, g, h = a>>16, b>>16, c>>16, d>>16, e>>16, f>>16, g>>16, h>>16
		}
	}
	for ; x < len(sums); x++ {
		sum := int64(0)
		for _, r := range t.added {
			sum += int64(r.weight) * int64(src.pix[r.offset+x])
		}
		for _, r := range t.subtracted {
			sum -= int64(r.weight) * int64(src.pix[r.offset+x])
		}
		if shift == 0 {
			sums[x] = 0
		}
		sums[x] += pair(sum) << shift
	}
}

// lanes returns the weighted sums of 16 samples: even and odd samples of the first eight,
// then of the second eight.
func lanes(pix []byte, rows []term) (a, b, c, d uint64) {
	const mask = 0x00ff00ff00ff00ff
	for _, r := range rows {
		sixteen := (*[16]byte)(pix[r.offset:])
		v := binary.LittleEndian.Uint64(sixteen[:8])
		w := binary.LittleEndian.Uint64(sixteen[8:])
		a += (v & mask) * r.weight
		b += (v >> 8 & mask) * r.weight
		c += (w & mask) * r.weight
		d += (w >> 8 & mask) * r.weight
	}
	return a, b, c, d
}

// across computes two result rows of one channel.
func (t taps) across(upper, lower []byte, sums []pair, bias int32) {
	n, rest := t.n, t.weights
	lower, starts := lower[:len(upper)], t.start[:len(upper)]
	for x := range upper {
		weights, s := rest[:n], sums[starts[x]:][:n]
		rest = rest[n:]
		var a, b pair
		k := 0
		for ; k+4 <= len(weights); k += 4 {
			w, v := (*[4]int32)(weights[k:]), (*[4]pair)(s[k:])
			a += pair(w[0])*v[0] + pair(w[1])*v[1]
			b += pair(w[2])*v[2] + pair(w[3])*v[3]
		}
		for ; k < len(weights); k++ {
			a += pair(weights[k]) * s[k]
		}
		upper[x], lower[x] = (a + b).results(bias)
	}
}

// acrossInterleaved computes two result rows of four channels.
func (t taps) acrossInterleaved(upper, lower []byte, sums []pair, bias int32) {
	n, rest := t.n, t.weights
	for x, start := range t.start {
		weights, s := rest[:n], sums[start*4:][:n*4]
		rest = rest[n:]
		var a, b, c, d pair
		for k, w := range weights {
			v := (*[4]pair)(s[k*4:])
			a += pair(w) * v[0]
			b += pair(w) * v[1]
			c += pair(w) * v[2]
			d += pair(w) * v[3]
		}
		above, below := (*[4]byte)(upper[x*4:]), (*[4]byte)(lower[x*4:])
		above[0], below[0] = a.results(bias)
		above[1], below[1] = b.results(bias)
		above[2], below[2] = c.results(bias)
		above[3], below[3] = d.results(bias)
	}
}

func clamp(v int) byte { return byte(max(0, min(v, 255))) }

// transposed returns the plane with rows and columns exchanged.
func (p plane) transposed() plane {
	t := newPlane(p.height, p.width, p.channels)
	const block = 32 // samples, so that a block fits in the first-level cache
	for top := 0; top < p.height; top += block {
		for left := 0; left < p.width; left += block {
			for y := top; y < min(top+block, p.height); y++ {
				row := p.row(y)
				for x := left; x < min(left+block, p.width); x++ {
					copy(t.pix[x*t.stride+y*t.channels:][:t.channels], row[x*p.channels:])
				}
			}
		}
	}
	return t
}

// inBands calls work concurrently for parts of 0..count and waits for all. It repeats a
// panic of work in the caller.
func inBands(count int, work func(from, to int)) {
	parallel.Shares(count/64, func(band, bands int) { work(count*band/bands, count*(band+1)/bands) })
}
