package webp

import (
	"encoding/binary"
	"image"
)

// Transforms of the lossless format.
const (
	transformPredict       = 0
	transformSubtractGreen = 2
	transformPalette       = 3
)

// EncodeLossless returns the picture as a lossless WebP file, with a palette for at most
// 256 colours and with prediction otherwise. Equal pictures give equal bytes.
func EncodeLossless(img *image.NRGBA) ([]byte, error) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if width < 1 || height < 1 || width > MaxSide || height > MaxSide {
		return nil, ErrSize
	}
	pixels, alpha := argb(img)
	const signature = 0x2f
	w := bitWriter{out: append(make([]byte, 0, len(pixels)/4), signature)}
	w.put(uint32(width-1), 14)
	w.put(uint32(height-1), 14)
	w.put(alpha, 1)
	w.put(0, 3) // version
	if palette, indices := paletteOf(pixels); palette != nil {
		w.writePalette(palette, indices, width)
	} else {
		w.writePredicted(pixels, width)
	}
	out := appendChunk([]byte("RIFF....WEBP"), "VP8L", w.finish())
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out, nil
}

// argb returns the pixels in the order of the format, with alpha in the highest byte, and
// whether any alpha is not 255, as a bit. Transparent pixels are 0.
func argb(img *image.NRGBA) (pixels []uint32, alpha uint32) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	pixels = make([]uint32, 0, width*height)
	for y := range height {
		row := img.Pix[y*img.Stride:][:4*width]
		for ; len(row) > 0; row = row[4:] {
			p := uint32(row[3])<<24 | uint32(row[0])<<16 | uint32(row[1])<<8 | uint32(row[2])
			if row[3] == 0 {
				p = 0
			}
			if row[3] != 255 {
				alpha = 1
			}
			pixels = append(pixels, p)
		}
	}
	return pixels, alpha
}

// paletteOf returns the colours of a picture and the index of each pixel, or nil for more
// than 256 colours.
func paletteOf(pixels []uint32) (palette []uint32, indices []byte) {
	known := map[uint32]byte{}
	indices = make([]byte, len(pixels))
	last, index := pixels[0]+1, byte(0)
	for i, p := range pixels {
		if p != last {
			var ok bool
			if index, ok = known[p]; !ok {
				if len(palette) == 256 {
					return nil, nil
				}
				index = byte(len(palette))
				known[p] = index
				palette = append(palette, p)
			}
			last = p
		}
		indices[i] = index
	}
	return palette, indices
}

// writePalette writes a palette as differences between consecutive colours, and the
// indices, of which a sample contains several if the palette is small.
func (w *bitWriter) writePalette(palette []uint32, indices []byte, width int) {
	w.put(1|transformPalette<<1, 3)
	w.put(uint32(len(palette)-1), 8)
	differences := make([]uint32, len(palette))
	before := uint32(0)
	for i, p := range palette {
		differences[i] = subtract(p, before)
		before = p
	}
	w.put(0, 1) // no colour cache
	w.writePixels(differences, len(differences))
	w.put(0, 1) // no more transforms
	packing := 0
	for packing < 3 && len(palette) <= 1<<(8>>(packing+1)) {
		packing++
	}
	w.writeGreen(packed(indices, width, packing), (width+1<<packing-1)>>packing)
}

// packed packs 1<<packing indices of a row into each sample, the first one lowest.
func packed(indices []byte, width, packing int) []byte {
	if packing == 0 {
		return indices
	}
	var samples []byte
	bits := 8 >> packing
	for ; len(indices) > 0; indices = indices[width:] {
		for x := 0; x < width; x += 1 << packing {
			sample := byte(0)
			for i, index := range indices[x:min(x+1<<packing, width)] {
				sample |= index << (i * bits)
			}
			samples = append(samples, sample)
		}
	}
	return samples
}

// tileBits is the binary logarithm of the side of a tile, which has one predictor.
const tileBits = 5

// writePredicted writes pixels after subtracting green and a prediction by neighbours.
func (w *bitWriter) writePredicted(pixels []uint32, width int) {
	w.put(1|transformSubtractGreen<<1, 3)
	for i, p := range pixels {
		green := p >> 8 & 0xff
		pixels[i] = subtract(p, green<<16|green)
	}
	w.put(1|transformPredict<<1, 3)
	w.put(tileBits-2, 3)
	height := len(pixels) / width
	across, down := (width+1<<tileBits-1)>>tileBits, (height+1<<tileBits-1)>>tileBits
	modes := make([]uint32, across*down)
	residues := make([]uint32, len(pixels))
	for i := range modes {
		tile := image.Rect(0, 0, 1<<tileBits, 1<<tileBits).Add(image.Pt(i%across<<tileBits, i/across<<tileBits)).Intersect(image.Rect(0, 0, width, height))
		mode := bestPredictor(pixels, width, tile)
		modes[i] = uint32(mode) << 8
		for y := tile.Min.Y; y < tile.Max.Y; y++ {
			for x := tile.Min.X; x < tile.Max.X; x++ {
				residues[y*width+x] = subtract(pixels[y*width+x], predict(pixels, width, x, y, mode))
			}
		}
	}
	w.put(0, 1) // no colour cache
	w.writePixels(modes, across)
	w.put(0, 1) // no more transforms
	w.put(0, 2) // no colour cache, one set of codes
	w.writePixels(residues, width)
}

// predictors are the modes that are tried, of the fourteen of the format: left, above,
// their mean, the closer of both ("select"), and left + above - corner.
var predictors = [...]int{1, 2, 7, 11, 12}

// bestPredictor returns the predictor with the smallest residues in every other row of a
// tile.
func bestPredictor(pixels []uint32, width int, tile image.Rectangle) (best int) {
	least := -1
	for _, mode := range predictors {
		sum := 0
		for y := tile.Min.Y; y < tile.Max.Y; y += 2 {
			for x := tile.Min.X; x < tile.Max.X; x++ {
				r := subtract(pixels[y*width+x], predict(pixels, width, x, y, mode))
				for ; r != 0; r >>= 8 {
					sum += max(int(int8(r)), -int(int8(r)))
				}
			}
		}
		if least < 0 || sum < least {
			best, least = mode, sum
		}
	}
	return best
}

// predict returns the prediction of a pixel. At the edges it is the same for all modes.
func predict(pixels []uint32, width, x, y, mode int) uint32 {
	at := y*width + x
	switch {
	case at == 0:
		return 0xff000000
	case y == 0:
		return pixels[at-1]
	case x == 0:
		return pixels[at-width]
	}
	left, above, corner := pixels[at-1], pixels[at-width], pixels[at-width-1]
	switch mode {
	case 1:
		return left
	case 2:
		return above
	case 7:
		return (left&above + (left^above)>>1&0x7f7f7f7f)
	case 11:
		if distance(above, corner) < distance(left, corner) {
			return left
		}
		return above
	}
	var sum uint32
	for shift := 0; shift < 32; shift += 8 {
		channel := func(p uint32) int32 { return int32(p >> shift & 0xff) }
		sum |= clamp(channel(left)+channel(above)-channel(corner)) << shift
	}
	return sum
}

// distance returns the sum of absolute differences of the channels.
func distance(a, b uint32) (sum int) {
	for shift := 0; shift < 32; shift += 8 {
		d := int(a>>shift&0xff) - int(b>>shift&0xff)
		sum += max(d, -d)
	}
	return sum
}

// subtract returns a - b per channel, modulo 256.
func subtract(a, b uint32) uint32 {
	const alphaGreen, redBlue = 0xff00ff00, 0x00ff00ff
	return (redBlue+(a&alphaGreen)-(b&alphaGreen))&alphaGreen | (alphaGreen+(a&redBlue)-(b&redBlue))&redBlue
}

// writePixels writes pixels with their own prefix codes.
func (w *bitWriter) writePixels(pixels []uint32, width int) {
	matches := findMatches(pixels, width, shortestMatch, func(p []uint32) uint64 {
		return (uint64(p[0])<<32|uint64(p[1]))*0x9e3779b97f4a7c15 ^ (uint64(p[2])<<32 | uint64(p[3]))
	})
	writeMatches(w, pixels, matches, 8, 16, 0, 24)
}
