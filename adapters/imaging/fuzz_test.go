package imaging

import (
	"bytes"
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzVariants: whatever the bytes and the type, variants that can be read and are
// no larger than they may be, or a refusal.
func FuzzVariants(f *testing.F) {
	for mimeType, file := range corpus(f) {
		f.Add(file, mimeType)
		f.Add(file[:len(file)/2], mimeType)
	}
	f.Add(withPNGProfile(asPNG(f, quarters(8, 8)), displayP3), "image/png")
	f.Add(withJPEGProfile(flatJPEG([]byte{255, 128, 64, 255}, 40, 30, 0, false), press, 2), "image/jpeg")
	f.Add(flatJPEG([]byte{100, 90, 160}, 40, 30, -1, true), "image/jpeg")
	m := New(Options{})
	f.Fuzz(func(t *testing.T, file []byte, mimeType string) {
		format := formats[mimeType]
		if format == nil {
			t.Skip()
		}
		if s, err := surveyed(bytes.NewReader(file), format); err == nil && s.width*s.height > 1<<20 {
			t.Skip() // too slow to learn from
		}
		p, err := m.Variants(t.Context(), bytes.NewReader(file), mimeType)
		if err != nil {
			requireRefused(t, err)
			return
		}
		full, thumb := decodeWebP(t, p.FullWebP.Bytes).Rect, decodeWebP(t, p.ThumbWebP.Bytes).Rect
		require.True(t, full.In(image.Rect(0, 0, FullSide, FullSide)) && thumb.In(image.Rect(0, 0, ThumbSide, ThumbSide)))
		require.NotEmpty(t, p.Thumb.Bytes)
	})
}
