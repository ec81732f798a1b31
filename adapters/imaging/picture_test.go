package imaging

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/webp"

	encoder "imprimatur/adapters/imaging/webp"
	"imprimatur/core/rendition"
)

// Pictures of the tests, with the metadata of real files.

var (
	red   = color.NRGBA{200, 40, 40, 255}
	green = color.NRGBA{40, 160, 60, 255}
	blue  = color.NRGBA{40, 60, 190, 255}
	white = color.NRGBA{240, 240, 240, 255}
)

// quarters returns a picture with corners in red, green, blue and white.
func quarters(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, [2][2]color.NRGBA{{red, green}, {blue, white}}[2*y/height][2*x/width])
		}
	}
	return img
}

func filled(width, height int, c color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func asJPEG(t testing.TB, img image.Image) []byte { return asJPEGOf(t, img, 92) }

func asJPEGOf(t testing.TB, img image.Image, quality int) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}))
	return out.Bytes()
}

func lossless(t testing.TB, img *image.NRGBA) []byte {
	t.Helper()
	out, err := encoder.EncodeLossless(img)
	require.NoError(t, err)
	return out
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	return out.Bytes()
}

func asWebP(t testing.TB, img *image.NRGBA) []byte {
	t.Helper()
	d := decodedImage(&image.NRGBA{Pix: slices.Clone(img.Pix), Stride: img.Stride, Rect: img.Rect})
	out, err := encodeWebP(videoOfRGBA(d.planes[0]), qualities[0])
	require.NoError(t, err)
	return out
}

// asGIF encodes an animation of frames placed at their bounds.
func asGIF(t testing.TB, width, height int, frames ...*image.Paletted) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, gif.EncodeAll(&out, &gif.GIF{
		Image: frames, Delay: make([]int, len(frames)), Config: image.Config{Width: width, Height: height},
	}))
	return out.Bytes()
}

func paletted(rect image.Rectangle, c color.Color) *image.Paletted {
	return image.NewPaletted(rect, color.Palette{c, color.Transparent, color.Black})
}

// readPNG decodes a PNG rendition.
func readPNG(t testing.TB, data []byte) *image.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return toNRGBA(img)
}

func decodeThumb(t testing.TB, v rendition.File) *image.NRGBA {
	t.Helper()
	if v.Format == rendition.PNG {
		return readPNG(t, v.Bytes)
	}
	img, err := jpeg.Decode(bytes.NewReader(v.Bytes))
	require.NoError(t, err)
	return toNRGBA(img)
}

func readWebP(t testing.TB, data []byte) *image.NRGBA {
	t.Helper()
	img, err := webp.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	switch m := img.(type) {
	case *image.YCbCr:
		return rgbaOfVideo(m, nil)
	case *image.NYCbCrA:
		return rgbaOfVideo(&m.YCbCr, m)
	}
	return toNRGBA(img)
}

func toNRGBA(img image.Image) *image.NRGBA {
	out := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y))
		}
	}
	return out
}

// requireColor compares colours with the tolerance of lossy compression.
func requireColor(t testing.TB, want color.NRGBA, got color.NRGBA, what string) {
	t.Helper()
	for i, pair := range [][2]uint8{{want.R, got.R}, {want.G, got.G}, {want.B, got.B}, {want.A, got.A}} {
		require.InDelta(t, pair[0], pair[1], 4, "%s: channel %d of %v, want %v", what, i, got, want)
	}
}

// exif returns an Exif block with an orientation, and a location that must be removed.
func exif(order byteOrder, orientation uint16) []byte {
	head := "MM\x00*"
	if order.Uint16([]byte{1, 0}) == 1 {
		head = "II*\x00"
	}
	b := order.AppendUint32([]byte(head), 8)
	b = order.AppendUint16(b, 2)
	for _, entry := range [][4]uint32{{0x010f, 2, uint32(len(secret)), 38}, {0x0112, 3, 1, uint32(orientation)}} {
		b = order.AppendUint16(b, uint16(entry[0]))
		b = order.AppendUint16(b, uint16(entry[1]))
		b = order.AppendUint32(b, entry[2])
		if entry[1] == 3 {
			b = order.AppendUint16(b, uint16(entry[3]))
			b = order.AppendUint16(b, 0)
		} else {
			b = order.AppendUint32(b, entry[3])
		}
	}
	b = order.AppendUint32(b, 0)
	return append(b, secret...)
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

const secret = "52.5163 N 13.3777 E"

// withSegments inserts segments at the beginning of a JPEG.
func withSegments(file []byte, segments ...[]byte) []byte {
	out := slices.Clone(file[:2])
	for _, s := range segments {
		out = append(out, s...)
	}
	return append(out, file[2:]...)
}

func segment(marker byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// withChunks inserts chunks after the header of a PNG.
func withChunks(file []byte, chunks ...[]byte) []byte {
	const header = 8 + 25
	out := slices.Clone(file[:header])
	for _, c := range chunks {
		out = append(out, c...)
	}
	return append(out, file[header:]...)
}

func pngChunk(name, body string) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// extendedWebP returns an extended WebP with chunks before and after its picture.
func extendedWebP(file []byte, width, height int, before, after []byte) []byte {
	head := make([]byte, 10)
	head[0] = 0x2c // profile, Exif and XMP flags
	putUint24(head[4:], width-1)
	putUint24(head[7:], height-1)
	chunks := append(appendChunk(nil, "VP8X", head), before...)
	chunks = append(append(chunks, file[12:]...), after...)
	return riff(chunks)
}

func riff(chunks []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunks)+4))
	return append(append(out, "WEBP"...), chunks...)
}

// webpFrame returns an animation frame at an even position.
func webpFrame(file []byte, x, y, width, height int) []byte {
	head := make([]byte, 16)
	putUint24(head, x/2)
	putUint24(head[3:], y/2)
	putUint24(head[6:], width-1)
	putUint24(head[9:], height-1)
	return appendChunk(nil, "ANMF", append(head, file[12:]...))
}

// flatJPEG returns a baseline JPEG of one colour with as many components as samples, each
// in a scan of its own if apart is set.
func flatJPEG(samples []byte, width, height int, adobe int, apart bool) []byte {
	out := []byte{0xff, 0xd8}
	if adobe >= 0 {
		out = append(out, segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00"+string([]byte{byte(adobe)}))...)
	}
	out = append(out, segment(0xdb, "\x00"+string(bytes.Repeat([]byte{1}, 64)))...)
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(len(samples))}
	var scans [][]byte
	for i := range samples {
		frame = append(frame, byte(i+1), 0x11, 0)
		if apart || i == 0 {
			scans = append(scans, nil)
		}
		scans[len(scans)-1] = append(scans[len(scans)-1], byte(i))
	}
	out = append(out, segment(0xc0, string(frame))...)
	// Difference sizes 0 to 11 have codes of four bits, the end of a block has one bit.
	out = append(out, segment(0xc4, "\x00\x00\x00\x00\x0c"+string(make([]byte, 12))+"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b")...)
	out = append(out, segment(0xc4, "\x10\x01"+string(make([]byte, 15))+"\x00")...)
	for _, components := range scans {
		header := []byte{byte(len(components))}
		for _, c := range components {
			header = append(header, c+1, 0)
		}
		out = append(out, segment(0xda, string(append(header, 0, 63, 0)))...)
		out = append(out, flatScan(samples, components, (width+7)/8*((height+7)/8))...)
	}
	return append(out, 0xff, 0xd9)
}

func flatScan(samples, components []byte, blocks int) (out []byte) {
	bits, count := uint64(0), 0
	put := func(value uint64, n int) {
		bits, count = bits<<n|value, count+n
		for count >= 8 {
			b := byte(bits >> (count - 8))
			if out = append(out, b); b == 0xff {
				out = append(out, 0)
			}
			count -= 8
		}
	}
	begun := map[byte]bool{}
	for range blocks {
		for _, c := range components {
			difference := 0
			if !begun[c] {
				difference, begun[c] = 8*(int(samples[c])-128), true
			}
			size := 0
			for v := max(difference, -difference); v > 0; v >>= 1 {
				size++
			}
			if difference < 0 {
				difference += 1<<size - 1
			}
			put(uint64(size), 4)
			put(uint64(difference), size)
			put(0, 1)
		}
	}
	put(0x7f, 7)
	return out
}

func appendChunk(to []byte, name string, body []byte) []byte {
	to = binary.LittleEndian.AppendUint32(append(to, name...), uint32(len(body)))
	return append(append(to, body...), make([]byte, len(body)%2)...)
}

func putUint24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }
