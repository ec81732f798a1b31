package imaging

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMemoryEstimate compares the allocations for pictures of every kind with the estimate
// of their survey. It uses the counter of total allocations, which neither the garbage
// collector nor time affects. It does not run in parallel.
func TestMemoryEstimate(t *testing.T) {
	const width, height = 800, 700
	rect := image.Rect(0, 0, width, height)
	noise := noisy(width, height)
	clear16 := image.NewNRGBA64(rect)
	for i := range clear16.Pix {
		clear16.Pix[i] = noise.Pix[i%len(noise.Pix)]
	}
	translucent := image.NewNRGBA(rect)
	for i := range translucent.Pix {
		translucent.Pix[i] = noise.Pix[(i+1)%len(noise.Pix)]
	}
	gray := image.NewGray(rect)
	copy(gray.Pix, noise.Pix)
	palette := image.NewPaletted(rect, color.Palette{red, green, blue, white})
	for i := range palette.Pix {
		palette.Pix[i] = noise.Pix[4*i] & 3
	}
	turned := segment(0xe1, "Exif\x00\x00"+string(exif(binary.BigEndian, 6)))
	type file struct {
		bytes    []byte
		mimeType string
	}
	for name, f := range map[string]file{
		"JPEG":                        {asJPEG(t, noise), "image/jpeg"},
		"JPEG, turned":                {withSegments(asJPEG(t, noise), turned), "image/jpeg"},
		"JPEG, turned, profile":       {withJPEGProfile(withSegments(asJPEG(t, noise), turned), displayP3, 1), "image/jpeg"},
		"JPEG, flat":                  {asJPEG(t, filled(width, height, red)), "image/jpeg"},
		"JPEG, grey":                  {asJPEG(t, gray), "image/jpeg"},
		"JPEG, CMYK":                  {withJPEGProfile(flatJPEG([]byte{255, 128, 64, 255}, width, height, 0, false), press, 2), "image/jpeg"},
		"JPEG, progressive":           {progressiveJPEG(width, height), "image/jpeg"},
		"JPEG, larger than rendition": {asJPEG(t, noisy(5300, 400)), "image/jpeg"},
		"PNG":                         {asPNG(t, noise), "image/png"},
		"PNG, alpha":                  {asPNG(t, translucent), "image/png"},
		"PNG, alpha, turned":          {withChunks(asPNG(t, translucent), pngChunk("eXIf", string(exif(binary.BigEndian, 6)))), "image/png"},
		"PNG, alpha, profile":         {withPNGProfile(asPNG(t, translucent), displayP3), "image/png"},
		"PNG, 16 bits":                {asPNG(t, clear16), "image/png"},
		"PNG, grey":                   {asPNG(t, gray), "image/png"},
		"PNG, palette":                {asPNG(t, palette), "image/png"},
		"PNG, drawn":                  {asPNG(t, drawing(width, height)), "image/png"},
		"PNG, drawn, larger":          {asPNG(t, drawing(2800, 1000)), "image/png"},
		"GIF":                         {asGIF(t, width, height, palette), "image/gif"},
		"WebP":                        {asWebP(t, noise), "image/webp"},
		"WebP, alpha":                 {asWebP(t, translucent), "image/webp"},
	} {
		t.Run(name, func(t *testing.T) {
			format := formats[f.mimeType]
			s, err := surveyFile(bytes.NewReader(f.bytes), format)
			require.NoError(t, err)
			best, err := s.choose(1 << 40)
			require.NoError(t, err)
			for _, w := range append(s.strategies, best) {
				picture, decode := allocated(func() (raster, error) { return decodeFile(bytes.NewReader(f.bytes), format, s, w) })
				_, encode := allocated(func() (any, error) { return picture.renditions(t.Context(), s) })
				estimate := w.memory + s.renditionsMemory()
				t.Logf("%d kB decoding and scaling, %d kB encoding; at most %d + %d expected", decode>>10, encode>>10, w.memory>>10, s.renditionsMemory()>>10)
				require.LessOrEqual(t, decode+encode, estimate)
			}
		})
	}
}

// allocated calls do and returns how many bytes it allocated.
func allocated[T any](do func() (T, error)) (T, int64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, err := do()
	runtime.ReadMemStats(&after)
	if err != nil {
		panic(err)
	}
	return result, int64(after.TotalAlloc - before.TotalAlloc)
}

// progressiveJPEG returns a picture of one colour in one DC scan. Further scans would
// refine it and need no more memory.
func progressiveJPEG(width, height int) []byte {
	file := flatJPEG([]byte{100, 90, 160}, width, height, -1, false)
	at := bytes.Index(file, []byte{0xff, 0xc0})
	file[at+1] = markerSOF2
	scan := bytes.LastIndex(file, []byte{0xff, 0xda})
	file[scan+4+1+2*3+1] = 0 // the last coefficient of the scan
	return file
}

// TestPicturesOverTheBudget checks that large pictures are refused by their headers, with
// their size in the message.
func TestPicturesOverTheBudget(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]struct {
		bytes          []byte
		mimeType, size string
	}{
		"WebP of one colour":       {hollowWebP(16383, 6100), "image/webp", "16383 × 6100"},
		"PNG":                      {hollowPNG(10_000, 10_000, 8, 6, 0), "image/png", "10000 × 10000"},
		"PNG, 16 bits, interlaced": {hollowPNG(6000, 5000, 16, 6, 1), "image/png", "6000 × 5000"},
		"JPEG, progressive":        {resized(progressiveJPEG(16, 16), 10_000, 9000), "image/jpeg", "10000 × 9000"},
		"JPEG, full colour":        {resized(flatJPEG([]byte{9, 9, 9}, 16, 16, -1, false), 10_000, 9000), "image/jpeg", "10000 × 9000"},
		"JPEG, CMYK":               {resized(flatJPEG([]byte{9, 9, 9, 9}, 16, 16, 0, false), 7000, 7000), "image/jpeg", "7000 × 7000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			message := requireRefused(t, renditionsError(New(Options{}), f.bytes, f.mimeType))
			require.Contains(t, message, f.size)
			require.Contains(t, message, "at most 256 MB")
		})
	}
}

func renditionsError(m *Imager, file []byte, mimeType string) error {
	_, err := m.Renditions(context.Background(), bytes.NewReader(file), mimeType)
	return err
}

// hollowPNG returns a PNG header of any size without pixels.
func hollowPNG(width, height uint32, bitDepth, colorType, interlace byte) []byte {
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return slices.Concat([]byte(pngMagic), pngChunk("IHDR", string(append(size, bitDepth, colorType, 0, 0, interlace))),
		pngChunk("IDAT", ""), pngChunk("IEND", ""))
}

// hollowWebP returns a lossless WebP of any size in one colour.
func hollowWebP(width, height uint32) []byte {
	bits := binary.LittleEndian.AppendUint32([]byte{0x2f}, (width-1)|(height-1)<<14)
	return riff(appendChunk(nil, "VP8L", append(bits, make([]byte, 13)...)))
}

// resized changes the size in the header of a JPEG.
func resized(file []byte, width, height uint16) []byte {
	at := bytes.Index(file, []byte{0x00, 0x11, 8})
	if at < 0 {
		at = bytes.Index(file, []byte{0x00, 0x14, 8})
	}
	binary.BigEndian.PutUint16(file[at+3:], height)
	binary.BigEndian.PutUint16(file[at+5:], width)
	return file
}

// drawing returns a flat picture with more colours than a palette.
func drawing(width, height int) *image.NRGBA {
	img := filled(width, height, white)
	for i := 0; i < height; i += 3 {
		for x := range width {
			img.SetNRGBA(x, i, color.NRGBA{byte(x), byte(i), byte(x * i / 99), 255})
		}
	}
	return img
}
