package imaging

import (
	"image"
	"image/draw"
)

// model says what the samples of a decoded picture mean.
type model uint8

const (
	modelYCbCr      model = iota // three planes, all 256 values
	modelVideoYCbCr              // three planes, as WebP has them
	modelGray                    // one plane
	modelRGBA                    // one plane of four channels, colours multiplied by alpha
	modelCMYK                    // one plane of four channels, 255 is all ink
)

// decoded is a picture as its decoder left it. Planes may be coarser than the
// picture.
type decoded struct {
	model         model
	width, height int
	planes        []plane
	subX, subY    []int  // of each plane: how many pixels wide and high a sample is
	still         []byte // the file without metadata, where it is a WebP that can be shown as it is
}

// decodedImage takes over the memory of img.
func decodedImage(img image.Image) decoded {
	size := img.Bounds().Size()
	interleaved := func(m model, pix []byte, stride int) decoded {
		p := plane{pix, stride, size.X, size.Y, 4}
		return decoded{model: m, width: size.X, height: size.Y, planes: []plane{p}, subX: []int{1}, subY: []int{1}}
	}
	switch m := img.(type) {
	case *image.YCbCr:
		return decodedYCbCr(modelYCbCr, m)
	case *image.Gray:
		p := plane{m.Pix, m.Stride, size.X, size.Y, 1}
		return decoded{model: modelGray, width: size.X, height: size.Y, planes: []plane{p}, subX: []int{1}, subY: []int{1}}
	case *image.CMYK:
		return interleaved(modelCMYK, m.Pix, m.Stride)
	case *image.RGBA:
		return interleaved(modelRGBA, m.Pix, m.Stride)
	case *image.NRGBA:
		for y := range size.Y {
			multiplyAlpha(m.Pix[y*m.Stride:][:4*size.X])
		}
		return interleaved(modelRGBA, m.Pix, m.Stride)
	}
	switch m := img.(type) {
	case *image.Gray16:
		return decodedImage(gray8(m))
	case *image.RGBA64:
		return interleaved(modelRGBA, upperBytes(m.Pix), m.Stride/2)
	case *image.NRGBA64:
		return decodedImage(&image.NRGBA{Pix: upperBytes(m.Pix), Stride: m.Stride / 2, Rect: m.Rect})
	case *image.Paletted:
		return decodedPalette(m, m.Rect)
	}
	rgba := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(rgba, rgba.Rect, img, img.Bounds().Min, draw.Src)
	return interleaved(modelRGBA, rgba.Pix, rgba.Stride)
}

// shrinkage is how many pixels of a picture, along both axes, become one when its
// colours are unpacked from a palette. What comes out is no smaller than the full
// variant, and never much larger, whatever the size of the picture.
func shrinkage(width, height int) int { return max(1, max(width, height)/FullSide) }

// decodedPalette unpacks the colours of img where it lies on a canvas.
func decodedPalette(img *image.Paletted, canvas image.Rectangle) decoded {
	var colors [256][4]uint32
	for i, c := range img.Palette {
		r, g, b, a := c.RGBA()
		colors[i] = [4]uint32{r >> 8, g >> 8, b >> 8, a >> 8}
	}
	k := shrinkage(canvas.Dx(), canvas.Dy())
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
	return decoded{model: modelRGBA, width: canvas.Dx(), height: canvas.Dy(), planes: []plane{p}, subX: []int{k}, subY: []int{k}}
}

// meanColor writes the mean of the colours in a block, which is transparent where it
// is outside of img.
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

// gray8 takes the upper bytes of img in its own memory.
func gray8(img *image.Gray16) *image.Gray {
	return &image.Gray{Pix: upperBytes(img.Pix), Stride: img.Stride / 2, Rect: img.Rect}
}

// upperBytes makes eight bits of sixteen in the memory of pix: the first of each two
// bytes.
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

// divideAlpha undoes multiplyAlpha.
func divideAlpha(pix []byte) {
	for i := 0; i+4 <= len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		if a := uint32(p[3]); a != 255 && a != 0 {
			p[0], p[1], p[2] = undone(p[0], a), undone(p[1], a), undone(p[2], a)
		}
	}
}

func undone(c byte, a uint32) byte { return byte(min((uint32(c)*255+a/2)/a, 255)) }

// raster is a picture at the size of its full variant, upright, in sRGB: either one
// plane of RGBA, multiplied, or three planes as WebP has them, the second and third
// half as wide and high.
type raster struct {
	width, height                 int
	planes                        []plane
	originalWidth, originalHeight int    // upright
	originalSize                  int    // bytes
	drawn                         bool   // may be smaller without loss
	still                         []byte // the original without metadata, where that is a WebP of these pixels
}

func (r raster) isRGBA() bool { return len(r.planes) == 1 }

// within returns the sides of a picture shrunk, if need be, to that longest side.
func within(width, height, longest int) (int, int) {
	long := max(width, height)
	if long <= longest {
		return width, height
	}
	shrink := func(side int) int { return max(1, (side*longest+long/2)/long) }
	return shrink(width), shrink(height)
}

// render scales a picture to its full variant, makes it upright, and brings its
// colours to sRGB, in that order: the smaller picture is less work.
func (d decoded) render(o orientation, profile *profile, drawn bool) raster {
	width, height := within(d.width, d.height, FullSide)
	r := raster{width: width, height: height}
	convert := profile.converter(d.model)
	if convert == nil && d.model == modelGray && drawn {
		convert = func([]byte) {} // luma of video has fewer levels
	}
	if convert == nil && d.model != modelRGBA {
		r.planes = d.toVideo(width, height, o)
	} else {
		r.planes = d.toRGBA(width, height, o, convert)
	}
	r.width, r.height = o.upright(width, height)
	if o.transpose {
		for i, p := range r.planes {
			r.planes[i] = p.transposed()
		}
	}
	return r
}

// toVideo scales to three planes as WebP has them.
func (d decoded) toVideo(width, height int, o orientation) []plane {
	luma, chroma := lumaToVideo, chromaToVideo
	if d.model == modelVideoYCbCr {
		luma, chroma = asIs, asIs
	}
	planes := []plane{d.scaled(0, width, height, 1, o, luma)}
	for i := 1; i < 3; i++ {
		if d.model == modelGray {
			planes = append(planes, filledPlane((width+1)/2, (height+1)/2, 128))
		} else {
			planes = append(planes, d.scaled(i, width, height, 2, o, chroma))
		}
	}
	return planes
}

// toRGBA scales to one plane of RGBA in sRGB.
func (d decoded) toRGBA(width, height int, o orientation, convert converter) []plane {
	var planes []plane
	for i := range d.planes {
		planes = append(planes, d.scaled(i, width, height, 1, o, asIs))
	}
	if convert == nil {
		return planes
	}
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
			convert(row)
			multiplyAlpha(row)
		}
	})
	return []plane{result}
}

// scaled resamples plane i for a picture of that size in which a sample of the
// result is sub pixels wide and high. Mirroring happens on the way.
func (d decoded) scaled(i, width, height, sub int, o orientation, l level) plane {
	f := fit{width: (width + sub - 1) / sub, height: (height + sub - 1) / sub}
	f.originX, f.stepX = axis(d.width, width, d.subX[i], sub, o.mirrorX)
	f.originY, f.stepY = axis(d.height, height, d.subY[i], sub, o.mirrorY)
	return scale(d.planes[i], f, l)
}

// axis returns origin and step of a fit along one axis, from a side of a picture to
// that of another, in samples that are some pixels long in each.
func axis(from, to, subFrom, subTo int, mirror bool) (origin, step float64) {
	step = float64(from) / float64(to) * float64(subTo) / float64(subFrom)
	if mirror {
		return float64(from) / float64(subFrom), -step
	}
	return 0, step
}

func filledPlane(width, height int, value byte) plane {
	p := newPlane(width, height, 1)
	for i := range p.pix {
		p.pix[i] = value
	}
	return p
}

func rgbaOfGray(dst, gray []byte) {
	for x, v := range gray {
		p := dst[4*x : 4*x+4 : 4*x+4]
		p[0], p[1], p[2], p[3] = v, v, v, 255
	}
}

// yuv is how luma and chroma become red, green and blue, times 2^16.
type yuv struct{ black, gain, redOfCr, greenOfCb, greenOfCr, blueOfCb int }

// As JFIF says, and with the values that ITU-R BT.601 leaves to video.
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
