package imaging

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

func setup(t testing.TB) func(file []byte, mimeType string) (ports.Renditions, error) {
	t.Helper()
	m := New(Options{})
	return func(file []byte, mimeType string) (ports.Renditions, error) {
		return m.Renditions(context.Background(), bytes.NewReader(file), mimeType)
	}
}

// requireRefused requires a refusal of the file and returns its message.
func requireRefused(t testing.TB, err error) (message string) {
	t.Helper()
	var e *core.Error
	require.ErrorAs(t, err, &e)
	require.ErrorIs(t, err, core.ErrInvalid)
	require.Len(t, e.Fields, 1)
	require.Equal(t, "file", e.Fields[0].Location)
	require.NotContains(t, e.Fields[0].Message, "runtime")
	return e.Fields[0].Message
}

func TestFixedRenditionsOfEveryFormat(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	for name, file := range map[string]struct {
		bytes    []byte
		mimeType string
	}{
		"JPEG":             {asJPEG(t, quarters(1200, 800)), "image/jpeg"},
		"PNG":              {asPNG(t, quarters(1200, 800)), "image/png"},
		"WebP":             {asWebP(t, quarters(1200, 800)), "image/webp"},
		"GIF":              {asGIF(t, 1200, 800, toPaletted(quarters(1200, 800))), "image/gif"},
		"WebP, extended":   {extendedWebP(asWebP(t, quarters(1200, 800)), 1200, 800, nil, appendChunk(nil, "XMP ", []byte("x"))), "image/webp"},
		"JPEG with a tail": {append(asJPEG(t, quarters(1200, 800)), "a second picture, as telephones put it"...), "image/jpeg"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(file.bytes, file.mimeType)
			require.NoError(t, err)
			require.Equal(t, [2]int{1200, 800}, [2]int{p.Width, p.Height})
			require.Contains(t, []string{".jpg", ".png"}, p.Thumb.Format.Extension())
			require.Equal(t, []string{".webp", ".webp"}, []string{p.ThumbWebP.Format.Extension(), p.FullWebP.Format.Extension()})
			for what, img := range map[string]*image.NRGBA{
				"thumb": decodeThumb(t, p.Thumb), "WebP thumb": readWebP(t, p.ThumbWebP.Bytes), "full WebP": readWebP(t, p.FullWebP.Bytes),
			} {
				want := image.Pt(320, 213)
				if what == "full WebP" {
					want = image.Pt(1200, 800)
				}
				require.Equal(t, want, img.Rect.Size(), what)
				requireCorners(t, "RG/BW", img, what)
			}
		})
	}
}

func TestEveryFormatIsCleaned(t *testing.T) {
	t.Parallel()
	for mimeType := range formats {
		_, err := io.ReadAll(New(Options{}).Clean(strings.NewReader("x"), mimeType))
		require.Contains(t, requireRefused(t, err), "is invalid or truncated")
	}
}

func toPaletted(img *image.NRGBA) *image.Paletted {
	p := image.NewPaletted(img.Rect, color.Palette{red, green, blue, white})
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			p.Set(x, y, img.At(x, y))
		}
	}
	return p
}

// requireCorners requires corners of the colours with these initials.
func requireCorners(t testing.TB, want string, img *image.NRGBA, what string) {
	t.Helper()
	width, height := img.Rect.Dx(), img.Rect.Dy()
	initials := map[byte]color.NRGBA{'R': red, 'G': green, 'B': blue, 'W': white}
	for i, at := range []image.Point{{width / 4, height / 4}, {3 * width / 4, height / 4}, {width / 4, 3 * height / 4}, {3 * width / 4, 3 * height / 4}} {
		requireColor(t, initials[strings.ReplaceAll(want, "/", "")[i]], img.NRGBAAt(at.X, at.Y), fmt.Sprintf("%s, corner %d", what, i))
	}
}

func TestPicturesAreUpright(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	upright := []string{1: "RG/BW", 2: "GR/WB", 3: "WB/GR", 4: "BW/RG", 5: "RB/GW", 6: "BR/WG", 7: "WG/BR", 8: "GW/RB"}
	wide := quarters(99, 60)
	for value := 1; value <= 8; value++ {
		for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
			block := exif(order, uint16(value))
			for mimeType, file := range map[string][]byte{
				"image/jpeg": withSegments(asJPEG(t, wide), segment(0xe1, "Exif\x00\x00"+string(block))),
				"image/png":  withChunks(asPNG(t, wide), pngChunk("eXIf", string(block))),
				"image/webp": extendedWebP(asWebP(t, wide), 99, 60, nil, appendChunk(nil, "EXIF", block)),
			} {
				t.Run(fmt.Sprint(mimeType, value, order), func(t *testing.T) {
					t.Parallel()
					p, err := renditions(file, mimeType)
					require.NoError(t, err)
					want := image.Pt(99, 60)
					if value >= 5 {
						want = image.Pt(60, 99)
					}
					require.Equal(t, want, image.Pt(p.Width, p.Height))
					for what, img := range map[string]*image.NRGBA{
						"thumb": decodeThumb(t, p.Thumb), "WebP thumb": readWebP(t, p.ThumbWebP.Bytes), "full WebP": readWebP(t, p.FullWebP.Bytes),
					} {
						require.Equal(t, want, img.Rect.Size(), what)
						requireCorners(t, upright[value], img, what)
					}
				})
			}
		}
	}
}

func TestSizesOfFixedRenditions(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	for _, c := range []struct{ width, height, thumbWidth, thumbHeight, fullWidth, fullHeight int }{
		{1, 1, 1, 1, 1, 1},
		{3, 2, 3, 2, 3, 2},
		{320, 320, 320, 320, 320, 320},
		{321, 7, 320, 7, 321, 7},
		{5000, 3, 320, 1, 2560, 2},
		{2, 4000, 1, 320, 1, 2560},
		{2561, 1000, 320, 125, 2560, 1000},
		{3000, 4000, 240, 320, 1920, 2560},
	} {
		for mimeType, file := range map[string][]byte{
			"image/jpeg": asJPEG(t, filled(c.width, c.height, blue)), "image/png": asPNG(t, filled(c.width, c.height, blue)),
		} {
			t.Run(fmt.Sprintf("%s %d×%d", mimeType, c.width, c.height), func(t *testing.T) {
				t.Parallel()
				p, err := renditions(file, mimeType)
				require.NoError(t, err)
				require.Equal(t, image.Pt(c.thumbWidth, c.thumbHeight), decodeThumb(t, p.Thumb).Rect.Size())
				require.Equal(t, image.Pt(c.thumbWidth, c.thumbHeight), readWebP(t, p.ThumbWebP.Bytes).Rect.Size())
				full := readWebP(t, p.FullWebP.Bytes)
				require.Equal(t, image.Pt(c.fullWidth, c.fullHeight), full.Rect.Size())
				requireColor(t, blue, full.NRGBAAt(c.fullWidth-1, c.fullHeight-1), "last pixel")
			})
		}
	}
}

func TestAlphaIsKept(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	img := quarters(640, 400)
	for y := range 400 {
		for x := range 640 {
			img.Pix[img.PixOffset(x, y)+3] = []uint8{0, 64, 160, 255}[4*x/640]
		}
	}
	files := map[string][]byte{"image/png": asPNG(t, img), "image/webp": asWebP(t, img)}
	for mimeType, file := range files {
		t.Run(mimeType, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(file, mimeType)
			require.NoError(t, err)
			require.Equal(t, ".png", p.Thumb.Format.Extension())
			for what, got := range map[string]*image.NRGBA{
				"thumb": readPNG(t, p.Thumb.Bytes), "WebP thumb": readWebP(t, p.ThumbWebP.Bytes), "full WebP": readWebP(t, p.FullWebP.Bytes),
			} {
				width := got.Rect.Dx()
				require.Zero(t, got.NRGBAAt(width/8, 20).A, what)
				for _, at := range []int{3, 5, 7} {
					x := at * width / 8
					for _, y := range []int{20, got.Rect.Dy() - 20} {
						requireColor(t, img.NRGBAAt(at*640/8, y*400/got.Rect.Dy()), got.NRGBAAt(x, y), fmt.Sprintf("%s at %d,%d", what, x, y))
					}
				}
			}
		})
	}
}

// Colours of transparent pixels must not affect visible ones as dark or coloured edges.
func TestTransparentColoursDoNotShow(t *testing.T) {
	t.Parallel()
	img := filled(900, 300, color.NRGBA{0, 255, 0, 0})
	for y := range 300 {
		for x := 450; x < 900; x++ {
			img.SetNRGBA(x, y, red)
		}
	}
	p, err := setup(t)(asPNG(t, img), "image/png")
	require.NoError(t, err)
	thumb := readPNG(t, p.Thumb.Bytes)
	for x := range thumb.Rect.Dx() {
		if c := thumb.NRGBAAt(x, 50); c.A > 16 {
			c.A = 255
			requireColor(t, red, c, fmt.Sprint("at ", x))
		}
	}
}

// An opaque alpha channel does not make the thumbnail a PNG.
func TestOpaqueAlphaIsDropped(t *testing.T) {
	t.Parallel()
	p, err := setup(t)(asWebP(t, quarters(400, 400)), "image/webp")
	require.NoError(t, err)
	require.Equal(t, ".jpg", p.Thumb.Format.Extension())
	require.NotContains(t, string(p.FullWebP.Bytes), "ALPH")
}

// Thumbnails of animations show the first frame. A full rendition would be a still.
func TestAnimationsGiveTheirFirstFrame(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	corner := image.Rect(100, 50, 200, 100)
	frame := asWebP(t, filled(100, 50, blue))
	animated := appendChunk(nil, "VP8X", []byte{0x12, 0, 0, 0, 199, 0, 0, 99, 0, 0})
	animated = appendChunk(animated, "ANIM", make([]byte, 6))
	animated = append(animated, webpFrame(frame, 100, 50, 100, 50)...)
	animated = append(animated, webpFrame(asWebP(t, filled(200, 100, red)), 0, 0, 200, 100)...)
	for mimeType, file := range map[string][]byte{
		"image/gif":  asGIF(t, 200, 100, paletted(corner, blue), paletted(image.Rect(0, 0, 200, 100), red)),
		"image/webp": riff(animated),
		"image/png":  withChunks(asPNG(t, corner200(corner)), pngChunk("acTL", "\x00\x00\x00\x02\x00\x00\x00\x00")),
	} {
		t.Run(mimeType, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(file, mimeType)
			require.NoError(t, err)
			require.Equal(t, [2]int{200, 100}, [2]int{p.Width, p.Height})
			require.Equal(t, ".png", p.Thumb.Format.Extension(), "the canvas is transparent")
			require.Empty(t, p.FullWebP)
			for what, img := range map[string]*image.NRGBA{"thumb": readPNG(t, p.Thumb.Bytes), "WebP thumb": readWebP(t, p.ThumbWebP.Bytes)} {
				require.Equal(t, image.Pt(200, 100), img.Rect.Size(), what)
				requireColor(t, blue, img.NRGBAAt(150, 75), what)
				require.Zero(t, img.NRGBAAt(50, 25).A, what)
			}
		})
	}
}

// corner200 returns a transparent picture of 200 × 100 pixels with a blue corner.
func corner200(corner image.Rectangle) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 200, 100))
	draw.Draw(img, corner, image.NewUniform(blue), image.Point{}, draw.Src)
	return img
}

func TestLimitsHoldBeforeDecoding(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	huge := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 30_000), 30_000)
	bomb := slices.Concat([]byte(pngMagic), pngChunk("IHDR", string(huge)+"\x08\x06\x00\x00\x00"),
		pngChunk("IDAT", string(make([]byte, 50_000))), pngChunk("IEND", ""))
	frame := []byte(",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00")
	frames := func(n int) []byte {
		head := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff")
		return slices.Concat(head, bytes.Repeat(frame, n), []byte(";"))
	}
	one := asWebP(t, filled(2, 2, red))
	webpFrames := slices.Concat(appendChunk(nil, "VP8X", []byte{2, 0, 0, 0, 1, 0, 0, 1, 0, 0}), appendChunk(nil, "ANIM", make([]byte, 6)),
		bytes.Repeat(webpFrame(one, 0, 0, 2, 2), MaxFrames+1))
	for name, c := range map[string]struct {
		file     []byte
		mimeType string
		message  string
	}{
		"PNG of 30,000 × 30,000":  {bomb, "image/png", "100 megapixels"},
		"GIF of 60,000 × 60,000":  {slices.Concat([]byte("GIF89a\x60\xea\x60\xea\x00\x00\x00"), frame, []byte(";")), "image/gif", "100 megapixels"},
		"JPEG of 60,000 × 60,000": {flatJPEGOfSize(60_000), "image/jpeg", "100 megapixels"},
		"GIF of 10,001 frames":    {frames(MaxFrames + 1), "image/gif", "10,000 frames"},
		"GIF of endless frames":   {frames(MaxFrames + 1)[:150_040], "image/gif", "10,000 frames"},
		"WebP of 10,001 frames":   {riff(webpFrames), "image/webp", "10,000 frames"},
		"PNG of 10,001 frames":    {withChunks(asPNG(t, quarters(4, 4)), pngChunk("acTL", "\x00\x00\x27\x11\x00\x00\x00\x00")), "image/png", "10,000 frames"},
		"JPEG of many scans":      {manyScans(t), "image/jpeg", "too many scans"},
		"JPEG with padding":       {slices.Concat(bytes.TrimSuffix(flatJPEG([]byte{9}, 8, 8, -1, false), []byte{0xff, 0xd9}), make([]byte, 3<<20), []byte{0xff, 0xd9}), "image/jpeg", "far more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := renditions(c.file, c.mimeType)
			require.Contains(t, requireRefused(t, err), c.message)
		})
	}
	_, err := renditions(frames(MaxFrames), "image/gif")
	require.NoError(t, err)
}

func flatJPEGOfSize(side uint16) []byte {
	file := flatJPEG([]byte{100}, 8, 8, -1, false)
	at := bytes.Index(file, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(file[at+5:], side)
	binary.BigEndian.PutUint16(file[at+7:], side)
	return file
}

func manyScans(t *testing.T) []byte {
	t.Helper()
	file := asJPEG(t, quarters(16, 16))
	scan := file[bytes.Index(file, []byte{0xff, 0xda}) : len(file)-2]
	return slices.Concat(file[:len(file)-2], bytes.Repeat(scan, maxScans), []byte{0xff, 0xd9})
}

// A file that ends before its picture is refused. One that ends within it has no renditions.
func TestCutOffPicturesHaveNoRenditions(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	noise := noisy(160, 120)
	for mimeType, file := range map[string][]byte{
		"image/jpeg": asJPEG(t, noise),
		"image/png":  asPNG(t, noise),
		"image/webp": asWebP(t, noise),
		"image/gif":  asGIF(t, 160, 120, toPaletted(noise), toPaletted(noise)),
	} {
		t.Run(mimeType, func(t *testing.T) {
			t.Parallel()
			_, err := m.Renditions(t.Context(), bytes.NewReader(file), mimeType)
			require.NoError(t, err)
			for cut := 0; cut < len(file); cut += 1 + len(file)/150 {
				requireNoRenditions(t, m, file[:cut], mimeType)
				if mimeType != "image/jpeg" || cut > len(file)-400 {
					continue
				}
				// An end marker after the cut does not help, except in the last few blocks.
				requireNoRenditions(t, m, append(slices.Clone(file[:cut]), 0xff, 0xd9), mimeType)
			}
			if mimeType != "image/jpeg" { // which needs no end marker
				requireNoRenditions(t, m, file[:len(file)-1], mimeType)
			}
		})
	}
}

// requireNoRenditions requires that a file is refused, or has a size and no renditions.
func requireNoRenditions(t testing.TB, m *Imager, file []byte, mimeType string) {
	t.Helper()
	p, err := m.Renditions(t.Context(), bytes.NewReader(file), mimeType)
	if err != nil {
		requireRefused(t, err)
		return
	}
	require.Equal(t, [2]int{160, 120}, [2]int{p.Width, p.Height})
	require.Contains(t, p.Warning, "invalid or truncated: the file is kept as it is, without variants")
	require.Empty(t, p.Thumb.Bytes)
	require.Empty(t, p.FullWebP.Bytes)
}

func noisy(width, height int) *image.NRGBA {
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(random.UintN(256)) | byte(i%4/3*255)
	}
	return img
}

// A damaged file results in renditions or an error, never in a panic.
func TestDamagedPicturesNeverPanic(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	random := rand.New(rand.NewPCG(3, 4))
	for mimeType, file := range corpus(t) {
		for range 60 {
			damaged := slices.Clone(file)
			for range 1 + random.IntN(6) {
				damaged[random.IntN(len(damaged))] = byte(random.UintN(256))
			}
			if _, err := renditions(damaged, mimeType); err != nil {
				requireRefused(t, err)
			}
		}
	}
}

func TestNoMetadataAtUpload(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	block := exif(binary.LittleEndian, 1)
	img := quarters(400, 300)
	for mimeType, file := range map[string][]byte{
		"image/jpeg": withSegments(asJPEG(t, img), segment(0xe1, "Exif\x00\x00"+string(block)),
			segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret), segment(0xed, secret), segment(0xfe, secret)),
		"image/png":  withChunks(asPNG(t, img), pngChunk("eXIf", string(block)), pngChunk("tEXt", "Place\x00"+secret)),
		"image/webp": extendedWebP(asWebP(t, img), 400, 300, nil, appendChunk(appendChunk(nil, "EXIF", block), "XMP ", []byte(secret))),
		"image/gif":  append(bytes.TrimSuffix(asGIF(t, 400, 300, toPaletted(img)), []byte(";")), "!\xfe\x13"+secret+"\x00;"...),
	} {
		t.Run(mimeType, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(file), secret)
			p, err := renditions(file, mimeType)
			require.NoError(t, err)
			for _, v := range []rendition.File{p.Thumb, p.ThumbWebP, p.FullWebP} {
				for _, trace := range []string{secret, "Exif", "EXIF", "eXIf", "XMP", "adobe", "ICC"} {
					require.NotContains(t, string(v.Bytes), trace)
				}
			}
		})
	}
}

// Segments that are not part of the picture are not held in memory.
func TestUnusedDataIsSkipped(t *testing.T) {
	t.Parallel()
	ballast := bytes.Repeat(segment(0xe5, strings.Repeat("x", 65_000)), 100)
	file := withSegments(asJPEG(t, quarters(64, 64)), ballast)
	s, err := surveyFile(bytes.NewReader(file), jpegFormat)
	require.NoError(t, err)
	require.Less(t, s.strategies[0].memory, int64(100_000))
	p, err := setup(t)(file, "image/jpeg")
	require.NoError(t, err)
	requireCorners(t, "RG/BW", decodeThumb(t, p.Thumb), "thumb")
}

func TestOddJPEGs(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	for name, c := range map[string]struct {
		file []byte
		want color.NRGBA
	}{
		"grey":                      {flatJPEG([]byte{77}, 40, 30, -1, false), color.NRGBA{77, 77, 77, 255}},
		"YCbCr":                     {flatJPEG([]byte{77, 128, 128}, 40, 30, -1, false), color.NRGBA{77, 77, 77, 255}},
		"YCbCr, a scan for each":    {flatJPEG([]byte{100, 90, 160}, 40, 30, -1, true), color.NRGBA{145, 90, 33, 255}},
		"RGB":                       {flatJPEG([]byte{200, 100, 50}, 40, 30, 0, false), color.NRGBA{200, 100, 50, 255}},
		"CMYK, inverted as Adobe's": {flatJPEG([]byte{255, 128, 64, 255}, 40, 30, 0, false), color.NRGBA{255, 128, 64, 255}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(c.file, "image/jpeg")
			require.NoError(t, err)
			requireColor(t, c.want, decodeThumb(t, p.Thumb).NRGBAAt(20, 15), "thumb")
			requireColor(t, c.want, readWebP(t, p.FullWebP.Bytes).NRGBAAt(20, 15), "full WebP")
		})
	}
}

func TestPNGsOfEveryDepth(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	rect := image.Rect(0, 0, 50, 40)
	want := color.NRGBA{180, 90, 45, 255}
	fill := func(img interface {
		image.Image
		Set(x, y int, c color.Color)
	}, c color.Color) image.Image {
		for y := range 40 {
			for x := range 50 {
				img.Set(x, y, c)
			}
		}
		return img
	}
	grey := color.NRGBA{90, 90, 90, 255}
	half := color.NRGBA{180, 90, 45, 128}
	for name, c := range map[string]struct {
		img  image.Image
		want color.NRGBA
	}{
		"grey":            {fill(image.NewGray(rect), grey), grey},
		"grey, 16 bits":   {fill(image.NewGray16(rect), grey), grey},
		"16 bits":         {fill(image.NewRGBA64(rect), want), want},
		"16 bits, alpha":  {fill(image.NewNRGBA64(rect), half), half},
		"palette":         {fill(image.NewPaletted(rect, color.Palette{want, grey}), want), want},
		"palette, alpha":  {fill(image.NewPaletted(rect, color.Palette{half, grey}), half), half},
		"alpha":           {fill(image.NewNRGBA(rect), half), half},
		"eight bits, RGB": {fill(image.NewRGBA(rect), want), want},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(asPNG(t, c.img), "image/png")
			require.NoError(t, err)
			requireColor(t, c.want, readWebP(t, p.FullWebP.Bytes).NRGBAAt(20, 15), "full WebP")
			if c.want.A == 255 {
				requireColor(t, c.want, decodeThumb(t, p.Thumb).NRGBAAt(20, 15), "thumb")
			} else {
				requireColor(t, c.want, readPNG(t, p.Thumb.Bytes).NRGBAAt(20, 15), "thumb")
			}
		})
	}
}

func TestDecodes(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	for _, mimeType := range []string{"image/jpeg", "image/png", "image/gif", "image/webp"} {
		require.True(t, m.Decodes(mimeType), mimeType)
		_, err := m.Renditions(t.Context(), strings.NewReader("<html>"), mimeType)
		requireRefused(t, err)
		_, err = m.Renditions(t.Context(), strings.NewReader(""), mimeType)
		requireRefused(t, err)
	}
	for _, mimeType := range []string{"image/avif", "image/heic", "image/tiff", "image/bmp", "image/svg+xml", "application/pdf", ""} {
		require.False(t, m.Decodes(mimeType), mimeType)
	}
}

// Errors of the source are not reported as errors of the picture.
func TestFaultsOfTheSource(t *testing.T) {
	t.Parallel()
	file := asJPEG(t, noisy(300, 300))
	gone := errors.New("disk failure")
	for _, after := range []int64{0, 10, int64(len(file)) / 2} {
		source := &failingSource{bytes.NewReader(file), after, gone}
		_, err := New(Options{}).Renditions(t.Context(), source, "image/jpeg")
		require.ErrorIs(t, err, gone)
		require.NotErrorIs(t, err, core.ErrInvalid)
	}
}

type failingSource struct {
	*bytes.Reader
	after int64
	err   error
}

func (s *failingSource) Read(p []byte) (int, error) {
	if at, _ := s.Seek(0, io.SeekCurrent); at >= s.after {
		return 0, s.err
	}
	return s.Reader.Read(p[:min(len(p), 4096)])
}

func TestCancellationEndsTheWork(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := New(Options{}).Renditions(ctx, bytes.NewReader(asJPEG(t, quarters(64, 64))), "image/jpeg")
	require.ErrorIs(t, err, context.Canceled)
}

func TestFullQueueIsUnavailable(t *testing.T) {
	t.Parallel()
	m := New(Options{Concurrent: 1, Wait: time.Millisecond})
	leave, err := m.budget.enter(t.Context(), 1)
	require.NoError(t, err)
	file := asPNG(t, quarters(64, 64))
	_, err = m.Renditions(t.Context(), bytes.NewReader(file), "image/png")
	require.ErrorIs(t, err, core.ErrUnavailable)
	var e *core.Error
	require.ErrorAs(t, err, &e)
	require.Positive(t, e.RetryAfter)
	leave()
	_, err = m.Renditions(t.Context(), bytes.NewReader(file), "image/png")
	require.NoError(t, err)
}

// corpus returns one small picture of each format.
func corpus(t testing.TB) map[string][]byte {
	img := quarters(48, 40)
	img.Pix[3] = 90
	return map[string][]byte{
		"image/jpeg": withSegments(asJPEG(t, img), segment(0xe1, "Exif\x00\x00"+string(exif(binary.BigEndian, 6)))),
		"image/png":  withChunks(asPNG(t, img), pngChunk("eXIf", string(exif(binary.BigEndian, 3)))),
		"image/webp": extendedWebP(asWebP(t, quarters(48, 40)), 48, 40, nil, appendChunk(nil, "EXIF", exif(binary.LittleEndian, 8))),
		"image/gif":  asGIF(t, 48, 40, toPaletted(img), paletted(image.Rect(5, 5, 9, 9), green)),
	}
}
