package webp

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/webp"
)

// picture returns a picture of the samples at each position.
func picture(width, height int, luma, chroma, alpha func(x, y int) byte) Picture {
	plane := func(width, height int, value func(x, y int) byte) []byte {
		if value == nil {
			return nil
		}
		pix := make([]byte, width*height)
		for i := range pix {
			pix[i] = value(i%width, i/width)
		}
		return pix
	}
	half := func(n int) int { return (n + 1) / 2 }
	return Picture{
		Width: width, Height: height, YStride: width, UVStride: half(width), AStride: width,
		Y: plane(width, height, luma),
		U: plane(half(width), half(height), chroma),
		V: plane(half(width), half(height), func(x, y int) byte { return 255 - chroma(x, y) }),
		A: plane(width, height, alpha),
	}
}

func constant(value byte) func(x, y int) byte { return func(int, int) byte { return value } }

// noise returns uncorrelated samples.
func noise(seed uint64) func(x, y int) byte {
	random := rand.New(rand.NewPCG(seed, 1))
	return func(int, int) byte { return byte(random.Uint32()) }
}

func waves(x, y int) byte {
	return byte(128 + 80*math.Sin(float64(x)/7)*math.Cos(float64(y)/11) + 30*math.Sin(float64(x*y)/300))
}

func slope(x, y int) byte { return byte((3*x + 2*y) / 4) }

func checks(x, y int) byte { return byte((x/5 + y/3) % 2 * 255) }

func disc(x, y int) byte {
	return byte(255 * min(max(60-math.Hypot(float64(x-90), float64(y-70)), 0), 1))
}

// requireDecoded requires that decoders return the picture with at least the given PSNR in
// dB, and exactly its alpha.
func requireDecoded(t *testing.T, p Picture, file []byte, least float64) {
	t.Helper()
	img, err := webp.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, p.Width, p.Height), img.Bounds())
	var colors *image.YCbCr
	if m, ok := img.(*image.NYCbCrA); ok {
		colors = &m.YCbCr
		for y := range p.Height {
			require.Equal(t, p.A[y*p.AStride:][:p.Width], m.A[y*m.AStride:][:p.Width], "alpha of row %d", y)
		}
	} else {
		require.Nil(t, p.A)
		colors = img.(*image.YCbCr)
	}
	width, height := (p.Width+1)/2, (p.Height+1)/2
	require.Greater(t, likeness(p.Y, p.YStride, colors.Y, colors.YStride, p.Width, p.Height), least, "luma")
	require.Greater(t, likeness(p.U, p.UVStride, colors.Cb, colors.CStride, width, height), least, "blue")
	require.Greater(t, likeness(p.V, p.UVStride, colors.Cr, colors.CStride, width, height), least, "red")
}

// likeness returns the peak signal-to-noise ratio in dB.
func likeness(a []byte, strideA int, b []byte, strideB, width, height int) float64 {
	sum := 0.0
	for y := range height {
		for x := range width {
			d := float64(a[y*strideA+x]) - float64(b[y*strideB+x])
			sum += d * d
		}
	}
	return 10 * math.Log10(255*255*float64(width*height)/sum)
}

// TestDecoding tests every kind of edge: an error in prediction, transform or contexts
// would corrupt everything after it.
func TestDecoding(t *testing.T) {
	t.Parallel()
	contents := map[string]func(x, y int) byte{
		"waves": waves, "slope": slope, "checks": checks, "disc": disc, "noise": noise(7), "black": constant(0), "white": constant(255),
	}
	for name, content := range contents {
		for _, size := range [][2]int{{1, 1}, {2, 3}, {16, 16}, {17, 15}, {33, 70}, {160, 121}, {300, 530}} {
			for _, quality := range []int{20, 80, 100} {
				t.Run(fmt.Sprint(name, size, quality), func(t *testing.T) {
					p := picture(size[0], size[1], content, slope, nil)
					file, err := Encode(p, quality)
					require.NoError(t, err)
					requireDecoded(t, p, file, map[int]float64{20: 15, 80: 24, 100: 38}[quality])
				})
			}
		}
	}
}

func TestAlphaIsExact(t *testing.T) {
	t.Parallel()
	for name, alpha := range map[string]func(x, y int) byte{
		"none": constant(0), "all": constant(255), "some": constant(77), "slope": slope, "disc": disc, "checks": checks,
		"waves": waves, "noise": noise(3),
		"rarer and rarer": func(x, y int) byte { return byte(min(255, math.Log2(float64(1+(x*7919+y*104729)%65536))*16)) },
	} {
		for _, size := range [][2]int{{1, 1}, {1, 50}, {2, 40}, {3, 1}, {200, 150}} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				t.Parallel()
				p := picture(size[0], size[1], waves, slope, alpha)
				file, err := Encode(p, 80)
				require.NoError(t, err)
				requireDecoded(t, p, file, 24)
			})
		}
	}
}

// TestAlphaOfManySamples repeats samples at greater distances, and in longer runs, than the
// format can express.
func TestAlphaOfManySamples(t *testing.T) {
	t.Parallel()
	random := noise(9)
	strip := make([]byte, 1200)
	for i := range strip {
		strip[i] = random(0, 0)
	}
	p := picture(1200, 1100, slope, slope, func(x, y int) byte {
		if y == 0 || y > 1000 {
			return strip[x]
		}
		return 9
	})
	file, err := Encode(p, 80)
	require.NoError(t, err)
	requireDecoded(t, p, file, 30)
	require.Less(t, len(file), 70_000)
}

// TestStrides checks that data between the rows is ignored.
func TestStrides(t *testing.T) {
	t.Parallel()
	p := picture(75, 41, waves, slope, disc)
	want, err := Encode(p, 80)
	require.NoError(t, err)
	widen := func(pix []byte, from, to int) (wide []byte) {
		for ; len(pix) > 0; pix = pix[from:] {
			wide = append(append(wide, pix[:from]...), bytes.Repeat([]byte{200}, to-from)...)
		}
		return wide
	}
	p.Y, p.A = widen(p.Y, 75, 90), widen(p.A, 75, 80)
	p.U, p.V = widen(p.U, 38, 64), widen(p.V, 38, 64)
	p.YStride, p.AStride, p.UVStride = 90, 80, 64
	got, err := Encode(p, 80)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestEncodingIsDeterministic(t *testing.T) {
	t.Parallel()
	p := picture(640, 600, waves, slope, disc)
	want, err := Encode(p, 80)
	require.NoError(t, err)
	for range 5 {
		got, err := Encode(p, 80)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestNoiseTakesLittleMemory measures total allocations, so it does not run in parallel.
// Noise has the most coefficient levels to store.
func TestNoiseTakesLittleMemory(t *testing.T) { //nolint:paralleltest // measures allocations of the process
	p := picture(1024, 1024, noise(5), noise(6), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := Encode(p, 80)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	const perPixel = 20
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(perPixel<<20), "for %d bytes", len(file))
}

func TestMoreQualityTakesMoreBytes(t *testing.T) {
	t.Parallel()
	p := picture(320, 240, waves, slope, nil)
	last := 0
	for quality := 0; quality <= 100; quality += 10 {
		file, err := Encode(p, quality)
		require.NoError(t, err)
		require.Greater(t, len(file), last, "quality %d", quality)
		last = len(file)
	}
}

func TestSizesOfNoPicture(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 5}, {MaxSide + 1, 1}, {1, MaxSide + 1}} {
		_, err := Encode(Picture{Width: size[0], Height: size[1]}, 80)
		require.ErrorIs(t, err, ErrSize)
	}
	p := picture(MaxSide, 2, slope, slope, nil)
	file, err := Encode(p, 80)
	require.NoError(t, err)
	requireDecoded(t, p, file, 30)
}

// TestPanicReachesTheCaller checks that a panic in a worker goroutine is raised again in
// the calling goroutine, which can recover it.
func TestPanicReachesTheCaller(t *testing.T) {
	t.Parallel()
	p := picture(300, 300, waves, slope, disc)
	for name, cut := range map[string]func(*Picture){
		"luma": func(p *Picture) { p.Y = p.Y[:len(p.Y)/2] }, "alpha": func(p *Picture) { p.A = p.A[:len(p.A)/2] },
	} {
		q := p
		cut(&q)
		require.Panics(t, func() { _, _ = Encode(q, 80) }, name)
	}
}

// FuzzEncode checks that decoders return the samples of random pictures.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("0123456789"), uint8(20), uint8(90))
	f.Add([]byte{0, 255}, uint8(37), uint8(100))
	f.Fuzz(func(t *testing.T, data []byte, width, quality uint8) {
		if width == 0 || len(data) == 0 || len(data) > 1<<16 {
			t.Skip()
		}
		at := func(x, y int) byte { return data[(y*int(width)+x)%len(data)] }
		p := picture(int(width), (len(data)+int(width)-1)/int(width), at, at, at)
		file, err := Encode(p, int(quality)%101)
		require.NoError(t, err)
		least := 0.0
		if quality%101 == 100 {
			least = 34
		}
		requireDecoded(t, p, file, least)
	})
}

func BenchmarkEncode(b *testing.B) {
	grain := noise(5)
	p := picture(2560, 1707, func(x, y int) byte { return waves(x/2, y/2) + grain(x, y)%12 }, slope, disc)
	for name, alpha := range map[string][]byte{"opaque": nil, "alpha": p.A} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			p := p
			p.A = alpha
			for b.Loop() {
				_, err := Encode(p, 80)
				require.NoError(b, err)
			}
		})
	}
}
