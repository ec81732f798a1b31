package imaging

import (
	"bytes"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/rendition"
)

// TestReducedDecoding compares renditions with and without decoding in a smaller size.
func TestReducedDecoding(t *testing.T) {
	t.Parallel()
	wave := image.NewNRGBA(image.Rect(0, 0, 1003, 677)) // ends within a block
	for y := range 677 {
		for x := range 1003 {
			p := wave.Pix[wave.PixOffset(x, y):]
			p[0], p[1], p[2], p[3] = byte(x/4), byte(y/3), byte((x+y)/7), 255
		}
	}
	file := asJPEGOf(t, wave, 90)
	s, err := surveyFile(bytes.NewReader(file), jpegFormat)
	require.NoError(t, err)
	for width, reduce := range map[int]int{700: 0, 400: 2, 200: 4, 99: 8, 64: 8} {
		r := newRendering(s, rendition.Rendition{Width: width, Fit: rendition.FitInside, Format: rendition.PNG})
		require.Equal(t, reduce, r.survey.reduce)
		reduced, err := r.make(t.Context(), bytes.NewReader(file), jpegFormat, s.strategies[0])
		require.NoError(t, err)
		r.survey.reduce = 0
		whole, err := r.make(t.Context(), bytes.NewReader(file), jpegFormat, s.strategies[0])
		require.NoError(t, err)
		require.Greater(t, psnr(readPNG(t, reduced).Pix, readPNG(t, whole).Pix), 38.0, "%d pixels", width)
	}
}

func BenchmarkRender(b *testing.B) {
	file := asJPEGOf(b, noisy(4032, 3024), 50)
	m := New(Options{})
	for b.Loop() {
		_, err := m.Render(b.Context(), bytes.NewReader(file), "image/jpeg", rendition.Rendition{Width: 640, Fit: rendition.FitInside, Format: rendition.JPEG, Quality: 75})
		require.NoError(b, err)
	}
}
