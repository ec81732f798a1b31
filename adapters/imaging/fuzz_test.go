package imaging

import (
	"bytes"
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRenditions checks that any bytes of any declared type give readable renditions within the
// size limits, or a refusal.
func FuzzRenditions(f *testing.F) {
	types := []string{"image/jpeg", "image/png", "image/webp", "image/gif"}
	for mimeType, file := range corpus(f) {
		kind := uint8(slices.Index(types, mimeType))
		f.Add(file, kind)
		f.Add(file[:len(file)/2], kind)
	}
	f.Add(withPNGProfile(asPNG(f, quarters(8, 8)), displayP3), uint8(1))
	f.Add(withJPEGProfile(flatJPEG([]byte{255, 128, 64, 255}, 40, 30, 0, false), press, 2), uint8(0))
	f.Add(flatJPEG([]byte{100, 90, 160}, 40, 30, -1, true), uint8(0))
	m := New(Options{})
	f.Fuzz(func(t *testing.T, file []byte, kind uint8) {
		mimeType := types[int(kind)%len(types)]
		if s, err := surveyFile(bytes.NewReader(file), formats[mimeType]); err == nil && s.width*s.height > 1<<16 {
			t.Skip() // too slow for fuzzing
		}
		p, err := m.Renditions(t.Context(), bytes.NewReader(file), mimeType)
		if err != nil {
			requireRefused(t, err)
			return
		}
		if p.Warning != "" {
			require.Empty(t, p.Thumb.Bytes)
			require.Positive(t, p.Width)
			return
		}
		if len(p.FullWebP.Bytes) > 0 { // not of an animation
			require.True(t, readWebP(t, p.FullWebP.Bytes).Rect.In(image.Rect(0, 0, FullSide, FullSide)))
		}
		require.True(t, readWebP(t, p.ThumbWebP.Bytes).Rect.In(image.Rect(0, 0, ThumbSide, ThumbSide)))
		require.NotEmpty(t, p.Thumb.Bytes)
	})
}
