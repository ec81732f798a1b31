package imaging

import (
	"image"
	"image/draw"
	"math"
)

// model is the colour model of a decoded picture.
type model uint8

const (
	modelYCbCr      model = iota // three planes in the full range
	modelVideoYCbCr              // three planes in the BT.601 video range, as in WebP
	modelGray                    // one plane
	modelRGBA                    // one plane of four channels, premultiplied
	modelCMYK                    // one plane of four channels, 255 is full ink
)

// decoded is the result of a decoder. Planes can be subsampled.
type decoded struct {
	model         model
	width, height int
	planes        []plane
	subX, subY    []int  // subsampling of each plane: pixels per sample
	webp          []byte // the file without metadata, if it can be the full rendition
}

// decodedImage converts img, whose memory it reuses.
func decodedImage(img image.Image) decoded {
	size := img.Bounds().Size()
	whole := func(m model, pix []byte, stride, channels int) decoded {
		return decodedPlane(m, size, plane{pix, stride, size.X, size.Y, channels}, 1)
	}
	switch m := img.(type) {
	case *image.YCbCr:
		return decodedYCbCr(modelYCbCr, m)
	case *image.Gray:
		return whole(modelGray, m.Pix, m.Stride, 1)
	case *image.Gray16:
		return whole(modelGray, upperBytes(m.Pix), m.Stride/2, 1)
	case *image.CMYK:
		return whole(modelCMYK, m.Pix, m.Stride, 4)
	case *image.RGBA:
		return whole(modelRGBA, m.Pix, m.Stride, 4)
	case *image.RGBA64:
		return whole(modelRGBA, upperBytes(m.Pix), m.Stride/2, 4)
	case *image.NRGBA:
		for y := range size.Y {
			multiplyAlpha(m.Pix[y*m.Stride:][:4*size.X])
		}
		return whole(modelRGBA, m.Pix, m.Stride, 4)
	case *image.NRGBA64:
		return decodedImage(&image.NRGBA{Pix: upperBytes(m.Pix), Stride: m.Stride / 2, Rect: m.Rect})
	case *image.Paletted:
		return decodedPalette(m, m.Rect, paletteScale(m.Rect.Dx(), m.Rect.Dy()))
	}
	rgba := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	return decodedImage(rgba)
}

// decodedPlane returns a picture of one plane with the subsampling sub.
func decodedPlane(m model, size image.Point, p plane, sub int) decoded {
	return decoded{model: m, width: size.X, height: size.Y, planes: []plane{p}, subX: []int{sub}, subY: []int{sub}}
}

// paletteScale returns the number of pixels per axis that become one when a palette is
// unpacked. The result is at least as large as the full rendition and less than twice as
// large.
func paletteScale(width, height int) int { return max(1, max(width, height)/FullSide) }

// decodedPalette unpacks the colours of img at its position on a canvas. k pixels per axis become one.
func decodedPalette(img *image.Paletted, canvas image.Rectangle, k int) decoded {
	var colors [256][4]uint32
	for i, c := range img.Palette {
		r, g, b, a := c.RGBA()
		colors[i] = [4]uint32{r >> 8, g >> 8, b >> 8, a >> 8}
	}
	p := newPlane((canvas.Dx()+k-1)/k, (canvas.Dy()+k-1)/k, 4)
	inBands(p.height, func(from, to int) {
		for y := from; y < to; y++ {
			row := p.row(y)
			for x := range p.width {
				block := image.Rect(x*k, y*k, x*k+k, y*k+k).Add(canvas.Min).Intersect(canvas)
				meanColor(row[4*x:4*x+4], img, block, &colors)
			}
		}
	})
	return decodedPlane(modelRGBA, canvas.Size(), p, k)
}

// meanColor writes the mean colour of a block. Pixels outside of img are transparent.
func meanColor(pixel []byte, img *image.Paletted, block image.Rectangle, colors *[256][4]uint32) {
	inside := block.Intersect(img.Rect)
	var sum [4]uint32
	for y := inside.Min.Y; y < inside.Max.Y; y++ {
		for _, index := range img.Pix[img.PixOffset(inside.Min.X, y):][:inside.Dx()] {
			for c, v := range colors[index] {
				sum[c] += v
			}
		}
	}
	count := uint32(block.Dx() * block.Dy())
	for c, v := range sum {
		pixel[c] = byte((v + count/2) / count)
	}
}

func decodedYCbCr(m model, img *image.YCbCr) decoded {
	size := img.Rect.Size()
	subX, subY := 1, 1
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		subX = 2
	case image.YCbCrSubsampleRatio420:
		subX, subY = 2, 2
	case image.YCbCrSubsampleRatio440:
		subY = 2
	case image.YCbCrSubsampleRatio411:
		subX = 4
	case image.YCbCrSubsampleRatio410:
		subX, subY = 4, 2
	}
	width, height := (size.X+subX-1)/subX, (size.Y+subY-1)/subY
	return decoded{
		model: m, width: size.X, height: size.Y,
		planes: []plane{
			{img.Y, img.YStride, size.X, size.Y, 1},
			{img.Cb, img.CStride, width, height, 1},
			{img.Cr, img.CStride, width, height, 1},
		},
		subX: []int{1, subX, subX},
		subY: []int{1, subY, subY},
	}
}

// upperBytes moves the first byte of each pair to the start of pix and returns these bytes.
func upperBytes(pix []byte) []byte {
	for i := range len(pix) / 2 {
		pix[i] = pix[2*i]
	}
	return pix[:len(pix)/2]
}

// multiplyAlpha multiplies the colours of interleaved pixels by their alpha.
func multiplyAlpha(pix []byte) {
	for i := 0; i+4 <= len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		if a := uint32(p[3]); a != 255 {
			p[0], p[1], p[2] = byte((uint32(p[0])*a+127)/255), byte((uint32(p[1])*a+127)/255), byte((uint32(p[2])*a+127)/255)
		}
	}
}

// divideAlpha is the inverse of multiplyAlpha.
func divideAlpha(pix []byte) {
	for i := 0; i+4 <= len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		if a := uint32(p[3]); a != 255 && a != 0 {
			p[0], p[1], p[2] = divided(p[0], a), divided(p[1], a), divided(p[2], a)
		}
	}
}

func divided(c byte, a uint32) byte { return byte(min((uint32(c)*255+a/2)/a, 255)) }

// raster is a scaled picture, upright. It has either one plane of premultiplied RGBA, or three planes of
// which the second and third have half the width and height: in the BT.601 video range, or for JPEG in the
// full range.
type raster struct {
	width, height int
	planes        []plane
	tryLossless   bool
	limit         int    // of a file of this size in bytes, that of the original; 0: none
	original      []byte // the original without metadata, if it can be the WebP of this size
}

func (r raster) isRGBA() bool { return len(r.planes) == 1 }

// within returns the size of a picture scaled down to the given longest side.
func within(width, height, longest int) (int, int) {
	long := max(width, height)
	if long <= longest {
		return width, height
	}
	shrink := func(side int) int { return max(1, (side*longest+long/2)/long) }
	return shrink(width), shrink(height)
}

// colored merges scaled planes to one of premultiplied RGBA and converts its colours, unless convert is
// nil. It may reuse the first plane.
func (d decoded) colored(planes []plane, width, height int, convert converter) plane {
	result := planes[0]
	if result.channels == 1 {
		result = newPlane(width, height, 4)
	}
	inBands(height, func(from, to int) {
		for y := from; y < to; y++ {
			row := result.row(y)
			switch d.model {
			case modelYCbCr:
				fullRange.toRGBA(row, planes[0].row(y), planes[1].row(y), planes[2].row(y))
			case modelVideoYCbCr:
				videoRange.toRGBA(row, planes[0].row(y), planes[1].row(y), planes[2].row(y))
			case modelGray:
				rgbaOfGray(row, planes[0].row(y))
			case modelRGBA:
				divideAlpha(row)
			}
			if convert != nil {
				convert(row)
			}
			multiplyAlpha(row)
		}
	})
	return result
}

// scaled resamples and mirrors plane i for a picture of the given size. sub is the
// subsampling of the result.
func (d decoded) scaled(i, width, height, sub int, o orientation, l linear) plane {
	return d.scaledPart(i, image.Rect(0, 0, d.width, d.height), width, height, sub, o, l)
}

// scaledPart is scaled of a part of the picture. The filter also reads the samples around the part.
func (d decoded) scaledPart(i int, part image.Rectangle, width, height, sub int, o orientation, l linear) plane {
	p := d.planes[i]
	f := mapping{width: (width + sub - 1) / sub, height: (height + sub - 1) / sub}
	f.originX, f.stepX = axis(part.Dx(), width, d.subX[i], sub, o.mirrorX)
	f.originY, f.stepY = axis(part.Dy(), height, d.subY[i], sub, o.mirrorY)
	left, right := around(part.Min.X, part.Max.X, d.subX[i], f.stepX, p.width)
	top, bottom := around(part.Min.Y, part.Max.Y, d.subY[i], f.stepY, p.height)
	f.originX += float64(part.Min.X)/float64(d.subX[i]) - float64(left)
	f.originY += float64(part.Min.Y)/float64(d.subY[i]) - float64(top)
	view := plane{p.pix[top*p.stride+left*p.channels:], p.stride, right - left, bottom - top, p.channels}
	return scale(view, f, l)
}

// around returns the range of samples that the filter reads for the pixels from min to max, of length
// samples of sub pixels each.
func around(start, end, sub int, step float64, length int) (first, last int) {
	margin := int(2*math.Max(math.Abs(step), 1)) + 2
	return max(0, start/sub-margin), min(length, (end+sub-1)/sub+margin)
}

// axis returns the origin and step of a mapping along one axis. from and to are the sides
// of the source and the result in pixels, subFrom and subTo their subsampling.
func axis(from, to, subFrom, subTo int, mirror bool) (origin, step float64) {
	step = float64(from) / float64(to) * float64(subTo) / float64(subFrom)
	if mirror {
		return float64(from) / float64(subFrom), -step
	}
	return 0, step
}

func rgbaOfGray(dst, gray []byte) {
	for x, v := range gray {
		p := dst[4*x : 4*x+4 : 4*x+4]
		p[0], p[1], p[2], p[3] = v, v, v, 255
	}
}

// yuv contains the factors of a conversion from YCbCr to RGB, times 2^16.
type yuv struct{ black, gain, redOfCr, greenOfCb, greenOfCr, blueOfCb int }

// The conversions of JFIF and of the ITU-R BT.601 video range.
var (
	fullRange  = yuv{0, 1 << 16, 91881, -22554, -46802, 116130}
	videoRange = yuv{16, 76309, 104597, -25675, -53279, 132201}
)

func (f yuv) toRGBA(dst, luma, blue, red []byte) {
	for x, v := range luma {
		y, cb, cr := (int(v)-f.black)*f.gain+1<<15, int(blue[x])-128, int(red[x])-128
		p := dst[4*x : 4*x+4 : 4*x+4]
		p[0] = clamp((y + f.redOfCr*cr) >> 16)
		p[1] = clamp((y + f.greenOfCb*cb + f.greenOfCr*cr) >> 16)
		p[2] = clamp((y + f.blueOfCb*cb) >> 16)
		p[3] = 255
	}
}
