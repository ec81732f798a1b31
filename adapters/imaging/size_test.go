package imaging

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// chart returns a computer graphic: bars of few colours with soft edges on white.
func chart(width, height int) *image.NRGBA {
	img := filled(width, height, white)
	for i := range 12 {
		c := []color.NRGBA{red, green, blue}[i%3]
		left, top := float64((i+1)*width)/14+0.4, float64(height)*(0.2+0.05*float64(i%7))
		for y := int(top); y < height-20; y++ {
			for x := int(left); x < int(left)+width/20; x++ {
				img.SetNRGBA(x, y, c)
			}
		}
	}
	for y := range height { // a curve
		x := float64(width)/2 + float64(width)/3*math.Sin(float64(y)/40)
		for d := -2; d <= 2; d++ {
			cover := max(0, 2-math.Abs(float64(d)+math.Floor(x)-x)) / 2
			img.SetNRGBA(int(x)+d, y, color.NRGBA{byte(240 - 200*cover), byte(240 - 100*cover), 240, 255})
		}
	}
	return img
}

// TestGraphicsKeepTheirPixels checks that graphics are compressed losslessly, because lossy
// compression would make them larger and worse.
func TestGraphicsKeepTheirPixels(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	img := chart(1200, 800)
	stripes := filled(1200, 800, white)
	gray := image.NewGray(img.Rect)
	for i := range gray.Pix {
		if (i%1200+i/1200)/9%2 == 0 {
			stripes.SetNRGBA(i%1200, i/1200, blue)
			gray.Pix[i] = 250
		}
	}
	for name, c := range map[string]struct {
		file     []byte
		mimeType string
		want     image.Image
		most     int
	}{
		"chart":        {asPNG(t, img), "image/png", img, 15_000},
		"stripes":      {asPNG(t, stripes), "image/png", stripes, 2_000},
		"grey stripes": {asPNG(t, gray), "image/png", gray, 2_000},
		"GIF":          {asGIF(t, 1200, 800, toPaletted(stripes)), "image/gif", stripes, 2_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(c.file, c.mimeType)
			require.NoError(t, err)
			require.LessOrEqual(t, len(p.FullWebP.Bytes), min(len(c.file), c.most))
			require.Equal(t, toNRGBA(c.want), readWebP(t, p.FullWebP.Bytes))
		})
	}
}

func TestNoRenditionIsLargerThanItsOriginal(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	alpha := chart(200, 150)
	for i := 3; i < len(alpha.Pix); i += 8 {
		alpha.Pix[i] = 40
	}
	for name, c := range map[string]struct {
		file     []byte
		mimeType string
	}{
		"JPEG of low quality": {asJPEGOf(t, noisy(300, 200), 12), "image/jpeg"},
		"small JPEG":          {asJPEGOf(t, noisy(90, 70), 30), "image/jpeg"},
		"icon":                {asPNG(t, chart(64, 64)), "image/png"},
		"icon with alpha":     {asPNG(t, alpha), "image/png"},
		"small GIF":           {asGIF(t, 200, 150, toPaletted(chart(200, 150))), "image/gif"},
		"noisy palette":       {asPNG(t, toPaletted(noisy(250, 200))), "image/png"},
		"grey noise":          {asPNG(t, grayOf(noisy(250, 200))), "image/png"},
		"WebP without loss":   {lossless(t, chart(300, 200)), "image/webp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(c.file, c.mimeType)
			require.NoError(t, err)
			require.LessOrEqual(t, len(p.FullWebP.Bytes), len(c.file))
			if max(p.Width, p.Height) <= ThumbSide {
				require.LessOrEqual(t, len(p.ThumbWebP.Bytes), len(c.file))
				if c.mimeType != "image/webp" { // JPEG and PNG cannot always be as small
					require.LessOrEqual(t, len(p.Thumb.Bytes), len(c.file))
				}
			}
		})
	}
}

func grayOf(img *image.NRGBA) *image.Gray {
	gray := image.NewGray(img.Rect)
	for i := range gray.Pix {
		gray.Pix[i] = img.Pix[4*i]
	}
	return gray
}

func TestDrawings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		img  *image.NRGBA
		want bool
	}{
		"chart":                 {chart(300, 200), true},
		"noise in four colours": {toNRGBA(toPaletted(noisy(300, 200))), true},
		"noise":                 {noisy(300, 200), false},
		"one row of noise":      {noisy(600, 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := c.img.Rect.Size()
			rgba := plane{pix: c.img.Pix, stride: c.img.Stride, width: size.X, height: size.Y, channels: 4}
			r := raster{width: size.X, height: size.Y, planes: []plane{rgba}}
			require.Equal(t, c.want, r.isDrawing())
			r.planes = videoOfRGBA(rgba)
			require.Equal(t, c.want, r.isDrawing(), "as video")
		})
	}
}
