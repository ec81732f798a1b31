package imaging

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/draw"
)

// textured returns a plane with edges, gradients and noise at every scale.
func textured(width, height, channels int) plane {
	p := newPlane(width, height, channels)
	random := rand.New(rand.NewPCG(5, 6))
	for y := range height {
		for x := range width {
			for c := range channels {
				v := 110 + 60*math.Sin(float64(x*x)/9000+float64(c)) + 40*math.Cos(float64(y)/float64(3+x/40)) + 12*random.NormFloat64()
				if (x/37+y/23)%5 == c {
					v = 250 - v/3
				}
				p.pix[y*p.stride+x*channels+c] = clamp(int(v))
			}
		}
	}
	return p
}

func fitted(p plane, width, height int) mapping {
	return mapping{width, height, 0, 0, float64(p.width) / float64(width), float64(p.height) / float64(height)}
}

// TestScaleAgainstReference compares with the floating-point Catmull-Rom of
// golang.org/x/image: only rounding differs.
func TestScaleAgainstReference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fromX, fromY, toX, toY int }{
		{1500, 1000, 640, 427}, {1500, 1000, 1400, 933}, {1280, 853, 160, 107}, {900, 600, 899, 600}, {3000, 40, 320, 4}, {333, 777, 99, 231},
		{8000, 100, 200, 3},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			gray := textured(c.fromX, c.fromY, 1)
			want := image.NewGray(image.Rect(0, 0, c.toX, c.toY))
			draw.CatmullRom.Scale(want, want.Rect, &image.Gray{Pix: gray.pix, Stride: gray.stride, Rect: image.Rect(0, 0, c.fromX, c.fromY)}, image.Rect(0, 0, c.fromX, c.fromY), draw.Src, nil)
			require.Greater(t, psnr(want.Pix, scale(gray, fitted(gray, c.toX, c.toY), identity).pix), 46.0)

			rgba := textured(c.fromX, c.fromY, 4)
			for i := 3; i < len(rgba.pix); i += 4 {
				rgba.pix[i] = 255
			}
			wantRGBA := image.NewRGBA(want.Rect)
			draw.CatmullRom.Scale(wantRGBA, want.Rect, &image.RGBA{Pix: rgba.pix, Stride: rgba.stride, Rect: image.Rect(0, 0, c.fromX, c.fromY)}, image.Rect(0, 0, c.fromX, c.fromY), draw.Src, nil)
			require.Greater(t, psnr(wantRGBA.Pix, scale(rgba, fitted(rgba, c.toX, c.toY), identity).pix), 46.0)
		})
	}
}

// psnr returns the peak signal-to-noise ratio in dB.
func psnr(a, b []byte) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(a))/sum)
}

func TestScaleInvariants(t *testing.T) {
	t.Parallel()
	src := textured(97, 61, 1)
	require.Equal(t, src.pix, scale(src, fitted(src, 97, 61), identity).pix, "scaling to the same size is the identity")

	inside := plane{src.pix[5*97+3:], 97, 40, 30, 1} // with other data between its rows
	same := scale(inside, fitted(inside, 40, 30), lumaToVideo)
	require.Equal(t, 40, same.stride)
	for y := range 30 {
		for x, v := range inside.row(y) {
			require.Equal(t, byte(math.Round(16+float64(v)*219/255)), same.row(y)[x])
		}
		require.Equal(t, inside.row(y), scale(inside, fitted(inside, 40, 30), identity).row(y))
	}

	mirrored := scale(src, mapping{97, 61, 97, 61, -1, -1}, identity)
	for i, v := range mirrored.pix {
		require.Equal(t, src.pix[len(src.pix)-1-i], v)
	}

	for _, value := range []byte{0, 1, 128, 254, 255} {
		flat := plane{bytes.Repeat([]byte{value}, 613*411), 613, 613, 411, 1}
		for _, v := range scale(flat, fitted(flat, 97, 61), identity).pix {
			require.Equal(t, value, v, "a single colour stays unchanged")
		}
		require.Equal(t, byte(math.Round(16+float64(value)*219/255)), scale(flat, fitted(flat, 9, 9), lumaToVideo).pix[40])
	}
}

// TestWeightsDoNotOverflow checks that the lanes of the vertical pass do not overflow.
func TestWeightsDoNotOverflow(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{1, 1}, {2, 1}, {5, 4}, {7, 3}, {4000, 1707}, {1707, 213}, {10_000, 2560}, {100_000, 2560}, {100_000, 3}, {640, 639}} {
		for _, mirror := range []bool{false, true} {
			origin, step := axis(c[0], c[1], 1, 1, mirror)
			taps := newTaps(c[0], c[1], origin, step, verticalOne)
			for i := range c[1] {
				start, weights := taps.of(i)
				sum, positive := int32(0), int32(0)
				for _, w := range weights {
					sum += w
					positive += max(w, 0)
				}
				require.EqualValues(t, verticalOne, sum)
				require.LessOrEqual(t, positive, int32(256))
				require.GreaterOrEqual(t, start, 0)
				require.LessOrEqual(t, start+len(weights), c[0])
			}
		}
	}
}

func TestTransposed(t *testing.T) {
	t.Parallel()
	for _, channels := range []int{1, 4} {
		p := textured(75, 41, channels)
		q := p.transposed()
		for y := range 41 {
			for x := range 75 {
				require.Equal(t, p.row(y)[x*channels:][:channels], q.row(x)[y*channels:][:channels])
			}
		}
	}
}

func TestVideoOfRGBA(t *testing.T) {
	t.Parallel()
	for _, c := range []color.NRGBA{red, green, blue, white, {0, 0, 0, 255}, {255, 255, 255, 255}, {255, 0, 0, 255}, {0, 0, 255, 90}} {
		planes := videoOfRGBA(decodedImage(filled(6, 6, c)).planes[0])
		img := &image.YCbCr{Y: planes[0].pix, Cb: planes[1].pix, Cr: planes[2].pix, YStride: 6, CStride: 3,
			SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, 6, 6)}
		got := rgbaOfVideo(img, nil).NRGBAAt(3, 3)
		got.A = c.A
		requireColor(t, c, got, "round trip")
	}
}

func BenchmarkScale(b *testing.B) {
	for _, c := range []struct {
		name                               string
		fromX, fromY, toX, toY, ofChannels int
	}{
		{"luma of 24 megapixels", 6000, 4000, 2560, 1707, 1},
		{"RGBA of 8 megapixels", 3840, 2160, 2560, 1440, 4},
		{"thumbnail", 2560, 1707, 320, 213, 1},
	} {
		src := textured(c.fromX, c.fromY, c.ofChannels)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(src.pix)))
			for b.Loop() {
				scale(src, fitted(src, c.toX, c.toY), identity)
			}
		})
	}
}

func BenchmarkRenditions(b *testing.B) {
	renditions := setup(b)
	p := textured(4243, 2828, 4)
	for i := 3; i < len(p.pix); i += 4 {
		p.pix[i] = 255
	}
	photo := &image.NRGBA{Pix: p.pix, Stride: p.stride, Rect: image.Rect(0, 0, p.width, p.height)}
	for mimeType, file := range map[string][]byte{"image/jpeg": asJPEG(b, photo), "image/png": asPNG(b, photo)} {
		b.Run(mimeType+" of 12 megapixels", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := renditions(file, mimeType)
				require.NoError(b, err)
			}
		})
	}
}
