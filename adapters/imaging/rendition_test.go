package imaging

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/rendition"
)

// render makes a rendition and decodes it.
func render(t testing.TB, file []byte, mimeType string, r rendition.Rendition) (img *image.NRGBA, made []byte) {
	t.Helper()
	if r.Fit == "" {
		r.Fit = rendition.FitInside
	}
	if r.Quality == 0 {
		r.Quality = 85
	}
	made, err := New(Options{}).Render(t.Context(), bytes.NewReader(file), mimeType, r)
	require.NoError(t, err)
	switch r.Format {
	case rendition.PNG:
		return readPNG(t, made), made
	case rendition.WebP:
		return readWebP(t, made), made
	}
	decoded, err := jpeg.Decode(bytes.NewReader(made))
	require.NoError(t, err)
	return toNRGBA(decoded), made
}

var everyFormat = []rendition.Format{rendition.JPEG, rendition.PNG, rendition.WebP}

func TestRenditionsOfEveryFormat(t *testing.T) {
	t.Parallel()
	gray := image.NewGray(image.Rect(0, 0, 1200, 800))
	for i := range gray.Pix {
		gray.Pix[i] = 200
	}
	for name, file := range map[string]struct {
		bytes    []byte
		mimeType string
		corners  string
	}{
		"JPEG":           {asJPEG(t, quarters(1200, 800)), "image/jpeg", "RG/BW"},
		"JPEG, grey":     {asJPEG(t, gray), "image/jpeg", ""},
		"PNG":            {asPNG(t, quarters(1200, 800)), "image/png", "RG/BW"},
		"PNG, grey":      {asPNG(t, gray), "image/png", ""},
		"PNG, palette":   {asPNG(t, toPaletted(quarters(1200, 800))), "image/png", "RG/BW"},
		"WebP":           {asWebP(t, quarters(1200, 800)), "image/webp", "RG/BW"},
		"WebP, lossless": {lossless(t, quarters(1200, 800)), "image/webp", "RG/BW"},
		"GIF":            {asGIF(t, 1200, 800, toPaletted(quarters(1200, 800)), paletted(image.Rect(0, 0, 1200, 800), color.Black)), "image/gif", "RG/BW"},
	} {
		for _, format := range everyFormat {
			t.Run(fmt.Sprintf("%s to %s", name, format), func(t *testing.T) {
				t.Parallel()
				img, _ := render(t, file.bytes, file.mimeType, rendition.Rendition{Width: 240, Format: format})
				require.Equal(t, image.Pt(240, 160), img.Rect.Size())
				if file.corners != "" {
					requireCorners(t, file.corners, img, name)
					return
				}
				requireColor(t, color.NRGBA{200, 200, 200, 255}, img.NRGBAAt(100, 100), name)
			})
		}
	}
}

// TestSizesOfRenditions checks sizes of pictures that are smaller and larger than their box.
func TestSizesOfRenditions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height int
		r             rendition.Rendition
		want          image.Point
	}{
		{1200, 800, rendition.Rendition{Width: 640}, image.Pt(640, 427)},
		{1200, 800, rendition.Rendition{Width: 640, Height: 96}, image.Pt(144, 96)},
		{1200, 800, rendition.Rendition{Width: 1920}, image.Pt(1200, 800)},
		{120, 4000, rendition.Rendition{Width: 64}, image.Pt(64, 2133)},
		{1, 3000, rendition.Rendition{Width: 64, Height: 64}, image.Pt(1, 64)},
		{1200, 800, rendition.Rendition{Width: 640, Height: 640, Fit: rendition.FitCover}, image.Pt(640, 640)},
		{1200, 800, rendition.Rendition{Width: 1080, Height: 1080, Fit: rendition.FitCover}, image.Pt(800, 800)},
		{100, 50, rendition.Rendition{Width: 640, Height: 160, Fit: rendition.FitCover}, image.Pt(100, 25)},
		{1200, 800, rendition.Rendition{Width: 640, Height: 640, Fit: rendition.FitContain}, image.Pt(640, 640)},
		{1200, 800, rendition.Rendition{Width: 1440, Height: 1440, Fit: rendition.FitContain}, image.Pt(1200, 1200)},
		{1200, 800, rendition.Rendition{Width: 1440, Height: 640, Fit: rendition.FitContain}, image.Pt(1440, 640)},
		{100, 50, rendition.Rendition{Width: 160, Height: 320, Fit: rendition.FitContain}, image.Pt(100, 200)},
	} {
		for _, format := range everyFormat {
			c.r.Format = format
			img, _ := render(t, asPNG(t, filled(c.width, c.height, red)), "image/png", c.r)
			require.Equal(t, c.want, img.Rect.Size(), "%d × %d, %v", c.width, c.height, c.r)
		}
	}
}

// stripes returns a picture of ten vertical stripes whose red is 10, 30, 50 …, as wide as high.
func stripes(side int, across bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			at := x
			if across {
				at = y
			}
			img.SetNRGBA(x, y, color.NRGBA{uint8(10 + 20*(10*at/side)), 100, 100, 255})
		}
	}
	return img
}

// TestFocalPoint checks which part of a picture is shown: its middle is the focal point, unless an
// edge of the picture is near.
func TestFocalPoint(t *testing.T) {
	t.Parallel()
	type pictures struct{ columns, rows []byte }
	encoded := map[string]pictures{}
	for mimeType, encode := range map[string]func(testing.TB, image.Image) []byte{"image/jpeg": asJPEG, "image/png": asPNG} {
		encoded[mimeType] = pictures{encode(t, stripes(1000, false)), encode(t, stripes(1000, true))}
	}
	for _, c := range []struct{ focal, first, last int }{
		{0, 0, 1}, {1, 0, 1}, {2, 1, 2}, {5, 4, 5}, {8, 7, 8}, {9, 8, 9}, {10, 8, 9},
	} {
		for _, format := range everyFormat {
			upright := rendition.Rendition{Width: 64, Height: 320, Fit: rendition.FitCover, FocalX: c.focal, FocalY: 5, Format: format}
			flat := rendition.Rendition{Width: 320, Height: 64, Fit: rendition.FitCover, FocalX: 5, FocalY: c.focal, Format: format}
			for mimeType, of := range encoded {
				columns, _ := render(t, of.columns, mimeType, upright)
				rows, _ := render(t, of.rows, mimeType, flat)
				require.Equal(t, image.Pt(64, 320), columns.Rect.Size())
				what := fmt.Sprintf("%s of %s at %d", format, mimeType, c.focal)
				for i, want := range []int{c.first, c.last} {
					color := color.NRGBA{uint8(10 + 20*want), 100, 100, 255}
					requireColor(t, color, columns.NRGBAAt(16+32*i, 160), what)
					requireColor(t, color, rows.NRGBAAt(160, 16+32*i), what)
				}
			}
		}
	}
}

// TestMargins checks that the picture is in the middle of the canvas, on transparent margins or white
// ones.
func TestMargins(t *testing.T) {
	t.Parallel()
	for _, mimeType := range []string{"image/jpeg", "image/png"} {
		file := map[string][]byte{"image/jpeg": asJPEG(t, filled(400, 200, red)), "image/png": asPNG(t, filled(400, 200, red))}[mimeType]
		for format, margin := range map[rendition.Format]color.NRGBA{
			rendition.JPEG: {255, 255, 255, 255}, rendition.PNG: {}, rendition.WebP: {},
		} {
			img, _ := render(t, file, mimeType, rendition.Rendition{Width: 160, Height: 160, Fit: rendition.FitContain, Format: format})
			what := fmt.Sprintf("%s of %s", format, mimeType)
			requireColor(t, red, img.NRGBAAt(80, 80), what)
			for _, at := range []image.Point{{5, 5}, {80, 20}, {80, 140}, {155, 155}} {
				got := img.NRGBAAt(at.X, at.Y)
				require.Equal(t, margin.A, got.A, what)
				if margin.A != 0 {
					requireColor(t, margin, got, what)
				}
			}
			requireColor(t, red, img.NRGBAAt(80, 44), what)
			requireColor(t, red, img.NRGBAAt(80, 116), what)
		}
	}
}

// TestRenditionsAreUpright checks each orientation, and that a crop is one of the upright picture.
func TestRenditionsAreUpright(t *testing.T) {
	t.Parallel()
	upright := []string{1: "RG/BW", 2: "GR/WB", 3: "WB/GR", 4: "BW/RG", 5: "RB/GW", 6: "BR/WG", 7: "WG/BR", 8: "GW/RB"}
	initials := map[byte]color.NRGBA{'R': red, 'G': green, 'B': blue, 'W': white}
	for value := 1; value <= 8; value++ {
		file := withSegments(asJPEG(t, quarters(400, 240)), segment(0xe1, "Exif\x00\x00"+string(exif(binary.BigEndian, uint16(value)))))
		for _, format := range everyFormat {
			what := fmt.Sprintf("%s of orientation %d", format, value)
			img, made := render(t, file, "image/jpeg", rendition.Rendition{Width: 96, Format: format})
			want := image.Pt(96, 58)
			if value > 4 {
				want = image.Pt(96, 160)
			}
			require.Equal(t, want, img.Rect.Size(), what)
			requireCorners(t, upright[value], img, what)
			require.NotContains(t, string(made), secret)
			require.NotContains(t, string(made), "Exif")
			for i, corner := range []struct{ x, y int }{{0, 0}, {10, 0}, {0, 10}, {10, 10}} {
				part, _ := render(t, file, "image/jpeg", rendition.Rendition{
					Width: 64, Height: 64, Fit: rendition.FitCover, FocalX: corner.x, FocalY: corner.y, Format: format,
				})
				requireColor(t, initials[strings.ReplaceAll(upright[value], "/", "")[i]], part.NRGBAAt(4+56*corner.x/10, 4+56*corner.y/10), what)
			}
		}
	}
}

// TestNoMetadataInRenditions checks that what a file says about its place is not in its renditions.
func TestNoMetadataInRenditions(t *testing.T) {
	t.Parallel()
	block := exif(binary.LittleEndian, 1)
	for mimeType, file := range map[string][]byte{
		"image/jpeg": withSegments(asJPEG(t, quarters(64, 48)), segment(0xe1, "Exif\x00\x00"+string(block)), segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret), segment(0xfe, secret)),
		"image/png":  withChunks(asPNG(t, quarters(64, 48)), pngChunk("eXIf", string(block)), pngChunk("tEXt", "Comment\x00"+secret)),
		"image/webp": extendedWebP(asWebP(t, quarters(64, 48)), 64, 48, nil, appendChunk(appendChunk(nil, "EXIF", block), "XMP ", []byte(secret))),
	} {
		for _, format := range everyFormat {
			for _, width := range []int{64, 640} {
				_, made := render(t, file, mimeType, rendition.Rendition{Width: width, Format: format})
				require.NotContains(t, string(made), secret, "%s of %s", format, mimeType)
			}
		}
	}
}

// TestProfilesAreKept checks that a rendition has the colours of its original: the same values with the
// same profile, or values in sRGB where no profile is kept.
func TestProfilesAreKept(t *testing.T) {
	t.Parallel()
	given := color.NRGBA{180, 110, 70, 255}
	half := color.NRGBA{180, 110, 70, 128}
	for name, c := range map[string]struct {
		mimeType string
		file     []byte
		profile  []byte
		want     color.NRGBA
	}{
		"P3, PNG":        {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), displayP3), displayP3, given},
		"P3, alpha":      {"image/png", withPNGProfile(asPNG(t, filled(64, 48, half)), displayP3), displayP3, half},
		"P3, JPEG":       {"image/jpeg", withJPEGProfile(asJPEG(t, filled(64, 48, given)), displayP3, 3), displayP3, given},
		"P3, WebP":       {"image/webp", extendedWebP(asWebP(t, filled(64, 48, given)), 64, 48, appendChunk(nil, "ICCP", displayP3), nil), displayP3, given},
		"Adobe RGB":      {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), adobeRGB), adobeRGB, given},
		"Adobe, as RGB":  {"image/jpeg", withJPEGProfile(flatJPEG([]byte{180, 110, 70}, 64, 48, 0, false), adobeRGB, 1), adobeRGB, given},
		"sRGB":           {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), srgb), nil, given},
		"none":           {"image/png", asPNG(t, filled(64, 48, given)), nil, given},
		"P3, too large":  {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), append(bytes.Clone(displayP3), make([]byte, maxKept)...)), nil, color.NRGBA{191, 106, 61, 255}},
		"CMYK":           {"image/jpeg", withJPEGProfile(flatJPEG([]byte{255, 255, 255, 255}, 64, 48, 0, false), press, 2), nil, color.NRGBA{255, 255, 255, 255}},
		"gamma of a PNG": {"image/png", withChunks(asPNG(t, filled(64, 48, color.NRGBA{128, 128, 128, 255})), gammaChunk(100_000)), nil, color.NRGBA{188, 188, 188, 255}},
	} {
		for _, format := range everyFormat {
			if format == rendition.JPEG && c.want.A != 255 {
				continue
			}
			t.Run(fmt.Sprintf("%s to %s", name, format), func(t *testing.T) {
				t.Parallel()
				img, made := render(t, c.file, c.mimeType, rendition.Rendition{Width: 640, Format: format, Quality: 95})
				requireColor(t, c.want, img.NRGBAAt(30, 20), name)
				mimeType := "image/" + string(format)
				s, err := surveyFile(bytes.NewReader(made), formats[mimeType])
				require.NoError(t, err)
				if c.profile == nil {
					require.Nil(t, s.profile)
					return
				}
				require.NotNil(t, s.profile)
				require.Equal(t, c.profile, s.profile.icc)
			})
		}
	}
}

// TestProfileOfLosslessWebP keeps alpha and profile of a drawing.
func TestProfileOfLosslessWebP(t *testing.T) {
	t.Parallel()
	img := chart(400, 300)
	for x := range 40 {
		for y := range 40 {
			img.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	got, made := render(t, withPNGProfile(asPNG(t, img), displayP3), "image/png", rendition.Rendition{Width: 640, Format: rendition.WebP})
	require.Contains(t, string(made), "VP8L")
	require.Contains(t, string(made), string(displayP3))
	require.Equal(t, byte(hasAlphaAndProfile), made[20])
	require.Equal(t, img.Pix, got.Pix, "the pixels are exact")
}

// hasAlphaAndProfile are the flags of an extended WebP.
const hasAlphaAndProfile = 0x30

// TestTransparencyInJPEG shows transparent pixels white.
func TestTransparencyInJPEG(t *testing.T) {
	t.Parallel()
	img, _ := render(t, asPNG(t, filled(64, 64, color.NRGBA{200, 0, 0, 0})), "image/png", rendition.Rendition{Width: 64, Format: rendition.JPEG})
	requireColor(t, color.NRGBA{255, 255, 255, 255}, img.NRGBAAt(30, 30), "transparent")
	img, _ = render(t, asPNG(t, filled(64, 64, color.NRGBA{200, 40, 40, 128})), "image/png", rendition.Rendition{Width: 64, Format: rendition.JPEG})
	requireColor(t, color.NRGBA{228, 147, 147, 255}, img.NRGBAAt(30, 30), "half transparent")
}

// TestAverageColor checks the colour of uploaded pictures.
func TestAverageColor(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	half := filled(64, 64, color.NRGBA{200, 40, 40, 255})
	for y := range 64 {
		for x := range 32 {
			half.SetNRGBA(x, y, color.NRGBA{0, 0, 255, 0})
		}
	}
	for name, c := range map[string]struct {
		file           []byte
		mimeType, want string
	}{
		"JPEG":             {asJPEG(t, filled(64, 64, blue)), "image/jpeg", "#283cbe"},
		"four colours":     {asJPEG(t, quarters(640, 400)), "image/jpeg", "#827d84"},
		"PNG":              {asPNG(t, filled(64, 64, green)), "image/png", "#28a03c"},
		"half transparent": {asPNG(t, half), "image/png", "#c82828"},
		"all transparent":  {asPNG(t, filled(64, 64, color.NRGBA{200, 40, 40, 0})), "image/png", ""},
		"GIF":              {asGIF(t, 640, 400, toPaletted(quarters(640, 400))), "image/gif", "#827d84"},
	} {
		p, err := renditions(c.file, c.mimeType)
		require.NoError(t, err)
		if c.want == "" {
			require.Equal(t, c.want, p.Color)
			continue
		}
		require.Regexp(t, "^#[0-9a-f]{6}$", p.Color)
		var got, want color.NRGBA
		for i, at := range []*color.NRGBA{&got, &want} {
			_, err := fmt.Sscanf([]string{p.Color, c.want}[i], "#%02x%02x%02x", &at.R, &at.G, &at.B)
			require.NoError(t, err)
		}
		requireColor(t, want, got, name)
	}
}

// TestPartOfALargePalette checks that a part of a large picture with a palette has its full detail.
func TestPartOfALargePalette(t *testing.T) {
	t.Parallel()
	img := image.NewPaletted(image.Rect(0, 0, 6000, 100), color.Palette{color.Black, color.White})
	for i := range img.Pix {
		img.Pix[i] = uint8(i & 1)
	}
	got, _ := render(t, asPNG(t, img), "image/png", rendition.Rendition{Width: 96, Height: 96, Fit: rendition.FitCover, FocalX: 5, FocalY: 5, Format: rendition.PNG})
	contrast := 0
	for x := range 95 {
		contrast += max(0, int(got.NRGBAAt(x, 50).R)-int(got.NRGBAAt(x+1, 50).R))
	}
	require.Greater(t, contrast, 95*60, "the lines of one pixel are seen")
}

// TestMemoryOfRenditions compares the allocations with the estimate. It does not run in parallel.
func TestMemoryOfRenditions(t *testing.T) {
	const width, height = 900, 700
	noise := noisy(width, height)
	translucent := image.NewNRGBA(noise.Rect)
	for i := range translucent.Pix {
		translucent.Pix[i] = noise.Pix[(i+1)%len(noise.Pix)]
	}
	turned := segment(0xe1, "Exif\x00\x00"+string(exif(binary.BigEndian, 6)))
	palette := image.NewPaletted(noise.Rect, color.Palette{red, green, blue, white})
	for i := range palette.Pix {
		palette.Pix[i] = noise.Pix[4*i] & 3
	}
	for name, f := range map[string]struct {
		bytes    []byte
		mimeType string
	}{
		"JPEG":                  {asJPEG(t, noise), "image/jpeg"},
		"JPEG, turned, profile": {withJPEGProfile(withSegments(asJPEG(t, noise), turned), displayP3, 1), "image/jpeg"},
		"JPEG, grey":            {asJPEG(t, grayOf(noise)), "image/jpeg"},
		"JPEG, CMYK":            {withJPEGProfile(flatJPEG([]byte{255, 128, 64, 255}, width, height, 0, false), press, 2), "image/jpeg"},
		"PNG, alpha, turned":    {withChunks(asPNG(t, translucent), pngChunk("eXIf", string(exif(binary.BigEndian, 6)))), "image/png"},
		"PNG, drawn":            {asPNG(t, drawing(width, height)), "image/png"},
		"PNG, palette":          {asPNG(t, palette), "image/png"},
		"WebP, alpha":           {asWebP(t, translucent), "image/webp"},
	} {
		format := formats[f.mimeType]
		for _, asked := range []rendition.Rendition{
			{Width: 3840, Height: 3840, Fit: rendition.FitInside}, {Width: 640, Fit: rendition.FitInside},
			{Width: 640, Height: 240, Fit: rendition.FitCover, FocalX: 3, FocalY: 7}, {Width: 640, Height: 640, Fit: rendition.FitContain},
		} {
			for _, made := range everyFormat {
				asked.Format, asked.Quality = made, 95
				s, err := surveyFile(bytes.NewReader(f.bytes), format)
				require.NoError(t, err)
				r := newRendering(s, asked)
				best, err := r.survey.chooseFor(1<<40, r.memory(), r.losslessMemory())
				require.NoError(t, err)
				for _, way := range append(r.survey.strategies, best) {
					_, used := allocated(func() ([]byte, error) { return r.make(t.Context(), bytes.NewReader(f.bytes), format, way) })
					require.LessOrEqual(t, used, way.memory+r.memory(), "%s, %s", name, asked.Key())
				}
			}
		}
	}
}

// TestRenditionsOverTheBudget refuses what needs more memory than there is, before it is decoded.
func TestRenditionsOverTheBudget(t *testing.T) {
	t.Parallel()
	m := New(Options{Memory: 8 << 20})
	_, err := m.Render(t.Context(), bytes.NewReader(asJPEG(t, filled(3000, 2000, red))), "image/jpeg", rendition.Rendition{Width: 64, Fit: rendition.FitInside, Format: rendition.JPEG})
	require.Contains(t, requireRefused(t, err), "3000 × 2000")
	_, err = New(Options{}).Render(t.Context(), bytes.NewReader(hollowPNG(30_000, 30_000, 8, 6, 0)), "image/png", rendition.Rendition{Width: 64, Fit: rendition.FitInside, Format: rendition.JPEG})
	require.Contains(t, requireRefused(t, err), "30000 × 30000")
}
