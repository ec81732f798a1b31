package main

import (
	"image"
	"image/color"
	"math"
)

// light contains the colours of a landscape at one time of day.
type light struct {
	Zenith, Horizon color.RGBA // the sky
	Sun             color.RGBA
	Near            color.RGBA // the nearest hills; the others fade into the horizon
	Height          float64    // of the sun over the horizon: 0 to 1
}

var (
	dawn  = light{rgb(0x2b3a67), rgb(0xf7b267), rgb(0xfff1c9), rgb(0x1b2838), 0.15}
	noon  = light{rgb(0x2f80c2), rgb(0xd6ecf5), rgb(0xffffff), rgb(0x24523b), 0.75}
	dusk  = light{rgb(0x3d1f4f), rgb(0xf2545b), rgb(0xffd9a0), rgb(0x19131f), 0.1}
	night = light{rgb(0x050a18), rgb(0x24365c), rgb(0xf2f4ff), rgb(0x03060c), 0.6}
	haze  = light{rgb(0x8fa6b2), rgb(0xe8e3d3), rgb(0xfffdf2), rgb(0x3c5a57), 0.4}
)

const (
	horizon = 0.62 // of the height, from above
	ridges  = 5
)

// landscape draws hills under a sky, 1280 pixels wide. seed determines their shape.
func landscape(height int, hour light, seed float64) image.Image {
	const width = 1280
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	sunX, sunY := (0.2+0.6*fraction(seed*0.37))*float64(width), horizon*float64(height)*(1-hour.Height)
	for x := range width {
		tops := ridgeTops(float64(x)/float64(height), float64(height), seed)
		for y := range height {
			c := hour.sky(float64(y)/(horizon*float64(height)), math.Hypot(float64(x)-sunX, float64(y)-sunY)/float64(height))
			for i, top := range tops {
				near := float64(i+1) / ridges
				c = mix(c, mix(hour.Horizon, hour.Near, near), float64(y)-top) // one pixel soft
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// sky returns the colour at a height, 0 at the zenith and 1 at the horizon, and a
// distance from the sun.
func (l light) sky(down, fromSun float64) color.RGBA {
	c := mix(l.Zenith, l.Horizon, down*down)
	c = mix(c, l.Sun, 0.5*math.Exp(-6*fromSun))
	return mix(c, l.Sun, (0.045-fromSun)*400)
}

// ridgeTops returns the top edge of each row of hills, the farthest first.
func ridgeTops(x, height, seed float64) (tops [ridges]float64) {
	for i := range tops {
		near := float64(i)
		wave := 0.0
		for octave, size := 0.0, 0.06; octave < 6; octave, size = octave+1, size*0.5 {
			wave += size * math.Sin(x*math.Pow(2.1, octave)*(1.2+0.3*near)+seed*(octave+1)*1.7+near*2.3)
		}
		tops[i] = height * (horizon - 0.1 + 0.1*near + wave*(1.2-0.15*near))
	}
	return tops
}

// mix interpolates between a (part 0) and b (part 1).
func mix(a, b color.RGBA, part float64) color.RGBA {
	part = min(max(part, 0), 1)
	blend := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*part + 0.5) }
	return color.RGBA{blend(a.R, b.R), blend(a.G, b.G), blend(a.B, b.B), blend(a.A, b.A)}
}

func rgb(code uint32) color.RGBA {
	return color.RGBA{uint8(code >> 16), uint8(code >> 8), uint8(code), 255}
}

func fraction(x float64) float64 { return x - math.Floor(x) }
