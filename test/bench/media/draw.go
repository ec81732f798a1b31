package media

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// picture is a file whose renditions are made; sizes is set if other sizes are made, too.
type picture struct {
	title, file, mimeType string
	alpha, sizes          bool
}

// draw writes the pictures of the benchmark, the same in each run.
func draw(dir string, scale float64) ([]picture, error) {
	side := func(n int) int { return max(64, int(float64(n)*scale)) }
	kinds := []struct {
		picture
		write func(io.Writer) error
	}{
		{picture{title: "JPEG, 24 megapixels", file: "24.jpg", mimeType: "image/jpeg"}, func(w io.Writer) error {
			return jpeg.Encode(w, photograph(side(6000), side(4000)), &jpeg.Options{Quality: 90})
		}},
		{picture{title: "JPEG, 12 megapixels", file: "12.jpg", mimeType: "image/jpeg", sizes: true}, func(w io.Writer) error {
			return jpeg.Encode(w, photograph(side(4032), side(3024)), &jpeg.Options{Quality: 90})
		}},
		{picture{title: "PNG, 3840 × 2160, alpha", file: "4k.png", mimeType: "image/png", alpha: true}, func(w io.Writer) error {
			return png.Encode(w, vignette(photograph(side(3840), side(2160))))
		}},
		{picture{title: "GIF, 800 × 600, 40 frames", file: "40.gif", mimeType: "image/gif"}, func(w io.Writer) error {
			return gif.EncodeAll(w, animation(side(800), side(600), 40))
		}},
	}
	var pictures []picture
	for _, k := range kinds {
		k.file = filepath.Join(dir, k.file)
		if _, err := os.Stat(k.file); errors.Is(err, os.ErrNotExist) {
			if err := writeFile(k.file, k.write); err != nil {
				return nil, err
			}
		}
		info, err := os.Stat(k.file)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%s: %.1f MB\n", k.title, float64(info.Size())/1e6)
		pictures = append(pictures, k.picture)
	}
	return pictures, nil
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	if err := write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

// photograph imitates a landscape photograph: detail at every scale, weaker at finer
// scales, hard edges, a smooth sky, and sensor noise.
func photograph(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	eachRow(height, func(y int) {
		for x := range width {
			r, g, b := landscape(float64(x)/float64(width), float64(y)/float64(height), float64(width))
			grain := (lattice(uint32(x), uint32(y), 77) + lattice(uint32(x), uint32(y), 78) - 1) * 0.03
			p := img.Pix[img.PixOffset(x, y):][:4]
			p[0], p[1], p[2], p[3] = value(r+grain), value(g+grain), value(b+grain), 255
		}
	})
	return img
}

// landscape returns the colour at (u, v), both from 0 to 1, of a picture of the given width.
func landscape(u, v, width float64) (r, g, b float64) {
	ridge := 0.38 + 0.12*fractal(u*3, 0.5, 6, 11)
	if v < ridge {
		cloud := fractal(u*4, v*6, 6, 21)
		return 0.45 + 0.3*cloud + 0.2*v, 0.6 + 0.25*cloud + 0.1*v, 0.85 + 0.12*cloud
	}
	octaves := int(math.Log2(width)) - 3
	leaves := fractal(u*9, v*9, octaves, 31)
	kind := fractal(u*5, v*5, 4, 41)
	light := 0.42 + 0.55*leaves
	if kind > 0.08 { // another vegetation with a hard edge
		light *= 0.65
	}
	return light * (0.75 + 0.3*kind), light * 0.95, light * (0.45 - 0.2*kind)
}

// fractal returns the sum of several octaves of noise, each of double frequency and lower
// amplitude.
func fractal(x, y float64, octaves int, seed uint32) (sum float64) {
	weight := 0.55
	for i := range octaves {
		sum += weight * (smoothNoise(x, y, seed+uint32(i)) - 0.5)
		x, y, weight = 2.03*x, 2.03*y, 0.8*weight
	}
	return sum
}

func smoothNoise(x, y float64, seed uint32) float64 {
	left, top := math.Floor(x), math.Floor(y)
	fx, fy := x-left, y-top
	fx, fy = fx*fx*(3-2*fx), fy*fy*(3-2*fy)
	i, j := uint32(int32(left)), uint32(int32(top))
	upper := lattice(i, j, seed)*(1-fx) + lattice(i+1, j, seed)*fx
	lower := lattice(i, j+1, seed)*(1-fx) + lattice(i+1, j+1, seed)*fx
	return upper*(1-fy) + lower*fy
}

// lattice returns a pseudo-random number from 0 to 1.
func lattice(x, y, seed uint32) float64 {
	h := x*374761393 + y*668265263 + seed*2246822519
	h = (h ^ h>>13) * 1274126177
	h = (h ^ h>>15) * 2654435761
	return float64(h>>8) / (1 << 24)
}

func value(v float64) uint8 { return uint8(255 * min(max(v, 0), 1)) }

// vignette makes a picture transparent towards its edges.
func vignette(img *image.NRGBA) *image.NRGBA {
	size := img.Rect.Size()
	eachRow(size.Y, func(y int) {
		for x := range size.X {
			away := math.Hypot(float64(2*x)/float64(size.X)-1, float64(2*y)/float64(size.Y)-1)
			img.Pix[img.PixOffset(x, y)+3] = value(3 * (1.1 - away))
		}
	})
	return img
}

// animation returns a GIF of a disc that moves over a picture.
func animation(width, height, frames int) *gif.GIF {
	var palette color.Palette
	for i := range 256 {
		palette = append(palette, color.NRGBA{uint8(i>>5) * 36, uint8(i>>2&7) * 36, uint8(i&3) * 85, 255})
	}
	scene := photograph(width, height)
	g := &gif.GIF{Config: image.Config{Width: width, Height: height}}
	for f := range frames {
		frame := image.NewPaletted(scene.Rect, palette)
		eachRow(height, func(y int) {
			for x := range width {
				p := scene.Pix[scene.PixOffset(x, y):]
				index := p[0]/32<<5 | p[1]/32<<2 | p[2]/64
				if math.Hypot(float64(x-f*width/frames), float64(y-height/2)) < float64(height)/6 {
					index = 0xe0
				}
				frame.Pix[y*frame.Stride+x] = index
			}
		})
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 4)
	}
	return g
}

// eachRow distributes rows over the processors.
func eachRow(height int, row func(y int)) {
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			for y := w; y < height; y += workers {
				row(y)
			}
		})
	}
	group.Wait()
}
