package imaging

import (
	"bytes"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// TestReducedDecoder compares renditions with and without the reduced decoder.
func TestReducedDecoder(t *testing.T) {
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
		r := newRendition(s, core.Rendition{Width: width, Fit: core.FitInside, Format: core.FormatPNG})
		require.Equal(t, reduce, r.survey.reduce)
		if reduce > 0 {
			_, err := decodeReduced(bytes.NewReader(file), s, reduce)
			require.NoError(t, err)
		}
		reduced, err := r.make(t.Context(), bytes.NewReader(file), jpegFormat, s.strategies[0])
		require.NoError(t, err)
		r.survey.reduce = 0
		whole, err := r.make(t.Context(), bytes.NewReader(file), jpegFormat, s.strategies[0])
		require.NoError(t, err)
		require.Greater(t, psnr(readPNG(t, reduced).Pix, readPNG(t, whole).Pix), 38.0, "%d pixels", width)
	}
}

// TestReducedDecoderOfBrokenFiles checks that a damaged file is left to the other decoders, and that
// none makes it panic.
func TestReducedDecoderOfBrokenFiles(t *testing.T) {
	t.Parallel()
	file := asJPEG(t, noisy(160, 128))
	s, err := surveyFile(bytes.NewReader(file), jpegFormat)
	require.NoError(t, err)
	half := s
	half.parts = []part{{offset: 0, length: int64(len(file) / 2)}}
	_, err = decodeReduced(bytes.NewReader(file), half, 4)
	require.ErrorIs(t, err, errInvalid)
	for at := range file {
		damaged := bytes.Clone(file)
		damaged[at] ^= byte(1 + at%255)
		_, _ = decodeReduced(bytes.NewReader(damaged), s, 2)
	}
}

func BenchmarkRender(b *testing.B) {
	file := asJPEGOf(b, noisy(4032, 3024), 50)
	m := New(Options{})
	for b.Loop() {
		_, err := m.Render(b.Context(), bytes.NewReader(file), "image/jpeg", core.Rendition{Width: 640, Fit: core.FitInside, Format: core.FormatJPEG, Quality: 75})
		require.NoError(b, err)
	}
}
