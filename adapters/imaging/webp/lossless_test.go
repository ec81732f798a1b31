package webp

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/webp"
)

// drawn returns a picture of the colours at each position.
func drawn(width, height int, at func(x, y int) color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, at(x, y))
		}
	}
	return img
}

// requireSame requires that an independent decoder returns the same pixels; colours of
// transparent pixels may differ.
func requireSame(t testing.TB, want *image.NRGBA, file []byte) {
	t.Helper()
	decoded, err := webp.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	got := decoded.(*image.NRGBA)
	require.Equal(t, want.Rect.Size(), got.Rect.Size())
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			a, b := want.NRGBAAt(want.Rect.Min.X+x, want.Rect.Min.Y+y), got.NRGBAAt(x, y)
			if a != b && (a.A != 0 || b.A != 0) {
				t.Fatalf("%v at %d, %d, want %v", b, x, y, a)
			}
		}
	}
}

func TestLosslessIsExact(t *testing.T) {
	t.Parallel()
	random := noise(4)
	contents := map[string]func(x, y int) color.NRGBA{
		"one colour":   func(int, int) color.NRGBA { return color.NRGBA{9, 8, 7, 255} },
		"nothing":      func(int, int) color.NRGBA { return color.NRGBA{9, 8, 7, 0} },
		"two colours":  func(x, y int) color.NRGBA { return color.NRGBA{checks(x, y), 0, 50, 255} },
		"four":         func(x, y int) color.NRGBA { return color.NRGBA{byte((x + y) & 3), 0, 50, 255} },
		"sixteen":      func(x, y int) color.NRGBA { return color.NRGBA{byte((x ^ y) & 15), 0, 50, 200} },
		"256":          func(x, y int) color.NRGBA { return color.NRGBA{0, slope(x, y), 3, 255} },
		"slopes":       func(x, y int) color.NRGBA { return color.NRGBA{slope(x, y), byte(x), byte(y), 255} },
		"waves":        func(x, y int) color.NRGBA { return color.NRGBA{waves(x, y), slope(x, y), 99, disc(x, y)} },
		"noise":        func(int, int) color.NRGBA { return color.NRGBA{random(0, 0), random(0, 0), random(0, 0), random(0, 0)} },
		"noisy repeat": func(x, y int) color.NRGBA { return color.NRGBA{byte(x * x % 251), byte(x * 7), byte(x * x * 3), 255} },
	}
	for name, content := range contents {
		for _, size := range [][2]int{{1, 1}, {1, 50}, {3, 2}, {33, 31}, {64, 64}, {301, 140}} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				img := drawn(size[0], size[1], content)
				file, err := EncodeLossless(img)
				require.NoError(t, err)
				requireSame(t, img, file)
			})
		}
	}
	_, err := EncodeLossless(image.NewNRGBA(image.Rect(0, 0, MaxSide+1, 1)))
	require.ErrorIs(t, err, ErrSize)
}

// TestLosslessIsSmall limits the size of pictures for which lossy compression is unsuitable.
func TestLosslessIsSmall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content func(x, y int) color.NRGBA
		most    int
	}{
		"stripes":  {func(x, y int) color.NRGBA { return color.NRGBA{byte((x + y) / 9 % 2 * 200), 60, 160, 255} }, 1000},
		"gradient": {func(x, y int) color.NRGBA { return color.NRGBA{byte(x / 4), byte(y / 3), byte((x + y) / 7), 255} }, 12_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img := drawn(1000, 700, c.content)
			file, err := EncodeLossless(img)
			require.NoError(t, err)
			requireSame(t, img, file)
			require.Less(t, len(file), c.most)
		})
	}
}

// FuzzLossless checks that an independent decoder returns every pixel of random pictures.
func FuzzLossless(f *testing.F) {
	f.Add([]byte("\x10\x20\x30\xff\x10\x20\x30\x80"), uint8(1))
	f.Add(bytes.Repeat([]byte("abcdefg"), 300), uint8(40))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 255}, 500), uint8(17))
	f.Fuzz(func(t *testing.T, pix []byte, side uint8) {
		width := int(side)%200 + 1
		height := min(len(pix)/4/width, 200)
		if height < 1 {
			t.Skip()
		}
		img := &image.NRGBA{Pix: pix, Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
		file, err := EncodeLossless(img)
		require.NoError(t, err)
		requireSame(t, img, file)
	})
}
