package main

import (
	"image"
	"image/color"
	"math"
)

// portrait draws a person seen from the front.
func portrait(width, height int) image.Image {
	coat, skin, ground := rgb(0x27445c), rgb(0xd9a27e), rgb(0x9bb4a4)
	w, h := float64(width), float64(height)
	return paint(width, height, func(x, y float64) color.RGBA {
		c := mix(ground, rgb(0xffffff), 0.35*(1-y/h))
		c = mix(c, coat, within(x, y, w*0.5, h*1.05, w*0.42, h*0.42))
		c = mix(c, mix(skin, rgb(0x000000), 0.12), within(x, y, w*0.5, h*0.66, w*0.1, h*0.12))
		c = mix(c, rgb(0x2b1d16), within(x, y, w*0.5, h*0.4, w*0.235, h*0.25))
		c = mix(c, skin, within(x, y, w*0.5, h*0.45, w*0.19, h*0.22))
		for _, side := range []float64{-1, 1} {
			c = mix(c, rgb(0x20252b), within(x, y, w*(0.5+side*0.07), h*0.43, w*0.018, h*0.018))
		}
		smile := within(x, y, w*0.5, h*0.535, w*0.08, h*0.04) * (1 - within(x, y, w*0.5, h*0.52, w*0.085, h*0.04))
		return mix(c, rgb(0x9c3b35), smile)
	})
}

// chart draws a bar chart. The highest bar has the full height.
func chart(width, height int, values ...float64) image.Image {
	const margin = 40
	w, h := float64(width), float64(height)
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	pitch := (w - 2*margin) / float64(len(values))
	return paint(width, height, func(x, y float64) color.RGBA {
		c := rgb(0xfbfaf7)
		fromBase := h - margin - y
		if step := (h - 2*margin) / 5; math.Mod(fromBase, step) < 1 && fromBase >= 0 {
			c = rgb(0xd9d6ce)
		}
		i := int((x - margin) / pitch)
		if x < margin || i >= len(values) || fromBase < 0 {
			return c
		}
		inPitch := (x - margin - float64(i)*pitch) / pitch
		if inPitch > 0.15 && inPitch < 0.85 {
			c = mix(c, mix(rgb(0x1f6f8b), rgb(0xe07a5f), float64(i)/float64(len(values))), values[i]/top*(h-2*margin)-fromBase)
		}
		return c
	})
}

// globe draws the logo of the desk on a transparent background, rotated by an angle.
func globe(size int, turn float64) image.Image {
	s := float64(size)
	return paint(size, size, func(x, y float64) color.RGBA {
		dx, dy := (x-s/2)/(s*0.46), (y-s/2)/(s*0.46)
		distance := math.Hypot(dx, dy)
		c := mix(color.RGBA{}, rgb(0x16425b), (1-distance)*s*0.46)
		if distance >= 0.99 {
			return c
		}
		longitude := math.Asin(dx/math.Sqrt(1-dy*dy)) + turn
		meridian := math.Abs(math.Mod(longitude+40*math.Pi, math.Pi/6) - math.Pi/12)
		parallel := math.Abs(math.Mod(math.Asin(dy)+4*math.Pi, math.Pi/6) - math.Pi/12)
		line := max(0.03-meridian, 0.03-parallel) * 40
		return mix(c, rgb(0x81c3d7), min(line, (1-distance)*s*0.46))
	})
}

// paint returns a picture with the colour at the centre of each pixel.
func paint(width, height int, at func(x, y float64) color.RGBA) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, at(float64(x)+0.5, float64(y)+0.5))
		}
	}
	return img
}

// within is 1 inside an ellipse and 0 outside, with a soft edge.
func within(x, y, centreX, centreY, radiusX, radiusY float64) float64 {
	distance := math.Hypot((x-centreX)/radiusX, (y-centreY)/radiusY)
	return min(max((1-distance)*min(radiusX, radiusY)/1.5, 0), 1)
}
