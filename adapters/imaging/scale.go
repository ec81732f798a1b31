package imaging

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"
)

// plane is a rectangle of samples of eight bits, one or more channels interleaved.
type plane struct {
	pix           []byte
	stride        int // bytes from row to row
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

// fit says how the samples of a plane come to lie in another one: along each axis
// the middle of sample i is at origin + (i+½)·step in samples of the source. A
// negative step mirrors.
type fit struct {
	width, height    int // of the result
	originX, originY float64
	stepX, stepY     float64
}

// level maps the values of samples on their way through scale: gain·v + bias.
type level struct{ gain, bias float64 }

var (
	asIs = level{1, 0}
	// JPEG uses all 256 values, WebP those that ITU-R BT.601 leaves to video.
	lumaToVideo     = level{219.0 / 255, 16}
	chromaToVideo   = level{224.0 / 255, 128 - 128*224.0/255}
	lumaFromVideo   = level{255.0 / 219, -16 * 255.0 / 219}
	chromaFromVideo = level{255.0 / 224, 128 - 128*255.0/224}
)

// table returns the result for each value.
func (l level) table() (t [256]byte) {
	for v := range t {
		t[v] = clamp(int(math.Round(l.gain*float64(v) + l.bias)))
	}
	return t
}

// Weights of the vertical pass are multiples of 1/verticalOne. What is positive of
// them sums up to less than 4/3, so that the sum over samples of eight bits stays
// within sixteen. The horizontal pass brings sums down by resultBits.
const (
	verticalOne = 192
	resultBits  = 22
)

// scale resamples src by Catmull-Rom, stretched when the result is the smaller one,
// so that every sample of src counts. The work is spread over the processors.
func scale(src plane, f fit, l level) plane {
	dst := newPlane(f.width, f.height, src.channels)
	vertical := newTaps(src.height, f.height, f.originY, f.stepY, verticalOne)
	horizontal := newTaps(src.width, f.width, f.originX, f.stepX, math.Round(l.gain*(1<<resultBits)/verticalOne))
	bias := int(math.Round((l.bias + 0.5) * (1 << resultBits)))
	inBands(f.height, func(from, to int) {
		sums := make([]int32, src.width*src.channels)
		for y := from; y < to; y++ {
			start, weights := vertical.of(y)
			sumRows(sums, src, start, weights)
			if src.channels == 1 {
				horizontal.across(dst.row(y), sums, bias)
			} else {
				horizontal.acrossInterleaved(dst.row(y), sums, src.channels, bias)
			}
		}
	})
	return dst
}

// taps are the source samples that each sample of a result is made of: n in a row,
// with their weights.
type taps struct {
	n       int
	start   []int
	weights []int32
}

// newTaps computes the taps of count samples from a row of length; the weights of
// each sum up to one.
func newTaps(length, count int, origin, step, one float64) taps {
	stretch := max(math.Abs(step), 1)
	n := min(int(math.Ceil(4*stretch))+1, length)
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

// roundTo rounds the exact weights times factor so that no error adds up: each sum
// from the first on is off by half at most.
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

// sumRows sets sums to the weighted sum of the rows of src from start on. It works
// on eight samples at a time, in the lanes of two words: the even ones and the odd
// ones, sixteen bits for each, positive and negative weights apart.
func sumRows(sums []int32, src plane, start int, weights []int32) {
	type term struct {
		offset int
		weight uint64
	}
	var room [64]term
	terms := room[:0]
	for k, w := range weights {
		if w > 0 {
			terms = append(terms, term{(start + k) * src.stride, uint64(w)})
		}
	}
	positive := len(terms)
	for k, w := range weights {
		if w < 0 {
			terms = append(terms, term{(start + k) * src.stride, uint64(-w)})
		}
	}
	const lanes = 0x00ff00ff00ff00ff
	x := 0
	for ; x+8 <= len(sums); x += 8 {
		var even, odd, lessEven, lessOdd uint64
		for _, t := range terms[:positive] {
			v := binary.LittleEndian.Uint64(src.pix[t.offset+x:])
			even += (v & lanes) * t.weight
			odd += (v >> 8 & lanes) * t.weight
		}
		for _, t := range terms[positive:] {
			v := binary.LittleEndian.Uint64(src.pix[t.offset+x:])
			lessEven += (v & lanes) * t.weight
			lessOdd += (v >> 8 & lanes) * t.weight
		}
		out := sums[x : x+8 : x+8]
		for i := 0; i < 8; i += 2 {
			out[i] = int32(even&0xffff) - int32(lessEven&0xffff)
			out[i+1] = int32(odd&0xffff) - int32(lessOdd&0xffff)
			even, odd, lessEven, lessOdd = even>>16, odd>>16, lessEven>>16, lessOdd>>16
		}
	}
	for ; x < len(sums); x++ {
		sum := int32(0)
		for k, w := range weights {
			sum += w * int32(src.pix[(start+k)*src.stride+x])
		}
		sums[x] = sum
	}
}

// across makes one row of a result of one channel.
func (t taps) across(dst []byte, sums []int32, bias int) {
	for x := range dst {
		start, weights := t.of(x)
		s := sums[start : start+len(weights)]
		sum := bias
		for k, w := range weights {
			sum += int(w) * int(s[k])
		}
		dst[x] = clamp(sum >> resultBits)
	}
}

// acrossInterleaved makes one row of a result of several channels.
func (t taps) acrossInterleaved(dst []byte, sums []int32, channels, bias int) {
	if channels != 4 {
		panic("imaging: interleaved planes have four channels")
	}
	for x := 0; x < len(dst)/4; x++ {
		start, weights := t.of(x)
		s := sums[start*4 : (start+len(weights))*4]
		a, b, c, d := bias, bias, bias, bias
		for k, w := range weights {
			v := s[k*4 : k*4+4 : k*4+4]
			a += int(w) * int(v[0])
			b += int(w) * int(v[1])
			c += int(w) * int(v[2])
			d += int(w) * int(v[3])
		}
		out := dst[x*4 : x*4+4 : x*4+4]
		out[0], out[1], out[2], out[3] = clamp(a>>resultBits), clamp(b>>resultBits), clamp(c>>resultBits), clamp(d>>resultBits)
	}
}

func clamp(v int) byte { return byte(max(0, min(v, 255))) }

// transposed returns the plane with rows and columns exchanged.
func (p plane) transposed() plane {
	t := newPlane(p.height, p.width, p.channels)
	const block = 32 // keeps what is read and written in the first cache
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

// inBands calls work for bands of 0..count on as many processors as there are, and
// returns when all is done. A panic in it comes out here.
func inBands(count int, work func(from, to int)) {
	bands := max(1, min(runtime.GOMAXPROCS(0), 4, count/64))
	var group sync.WaitGroup
	panics := make(chan any, bands)
	for i := range bands {
		group.Go(func() {
			defer func() {
				if fault := recover(); fault != nil {
					panics <- fault
				}
			}()
			work(count*i/bands, count*(i+1)/bands)
		})
	}
	group.Wait()
	select {
	case fault := <-panics:
		panic(fault)
	default:
	}
}
