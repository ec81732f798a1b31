package imaging

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"golang.org/x/sync/errgroup"

	"github.com/gen2brain/jpegn"

	"imprimatur/adapters/imaging/webp"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

// qualities of JPEG and WebP. The first is the normal one. The others are tried in order
// while a rendition is larger than an original with the same number of pixels.
var qualities = [...]int{80, 50, 20, 0}

// smallPixels is the largest size in pixels for which a lossless rendition is tried for every
// original when the lossy one is larger: low quality distorts the colours of small pictures.
const smallPixels = 1 << 20

// renditionsMemory returns the peak allocation of scaling and encoding in bytes.
func (s survey) renditionsMemory() int64 {
	width, height := within(s.width, s.height, FullSide)
	perPixel := int64(10) // three planes with subsampled chroma, and the encoder for noise
	if s.planar && s.profile != nil {
		perPixel += 3 // planes without subsampling
	}
	if !s.planar || s.profile != nil {
		perPixel += 5 // RGBA, and a plane of alpha
	}
	if !s.planar {
		perPixel += 7 // the encoder of alpha
	}
	if s.orientation.transpose {
		perPixel += 4
	}
	if width == s.width && height == s.height {
		perPixel += 10 // encoded again when it is larger than the original
		if width*height <= smallPixels && !s.lossless {
			perPixel += losslessPixel
		}
	}
	return perPixel*int64(width)*int64(height) + 4<<20
}

// losslessPixel is the memory of lossless encoding in bytes per pixel.
const losslessPixel = 26

// losslessCost returns the additional memory for trying lossless encoding.
func (s survey) losslessCost() int64 {
	width, height := within(s.width, s.height, FullSide)
	return losslessPixel * int64(width) * int64(height)
}

// unpackedMemory returns the memory in bytes of colours unpacked from a palette, of which k pixels per
// axis become one.
func unpackedMemory(width, height, k int) int64 {
	return 4 * int64((width+k-1)/k) * int64((height+k-1)/k)
}

// renditions encodes the fixed renditions of the picture, of which s is the survey.
func (r raster) renditions(ctx context.Context, s survey) (made ports.Renditions, err error) {
	made.Width, made.Height = s.orientation.upright(s.width, s.height)
	thumb := r.thumb(within(made.Width, made.Height, ThumbSide))
	made.Color = thumb.color()
	group, ctx := errgroup.WithContext(ctx)
	encode := func(r raster, file *rendition.File) (err error) {
		file.Format = rendition.WebP
		file.Bytes, err = r.webp(ctx, qualities[0])
		return err
	}
	if s.frames <= 1 { // an animation would be a still
		group.Go(func() (err error) {
			defer recoverAs(&err)
			return encode(r, &made.FullWebP)
		})
	}
	group.Go(func() (err error) {
		defer recoverAs(&err)
		if made.Thumb, err = thumb.jpegOrPNG(); err != nil {
			return err
		}
		return encode(thumb, &made.ThumbWebP)
	})
	if err := group.Wait(); err != nil {
		return ports.Renditions{}, err
	}
	return made, nil
}

// thumb returns the picture scaled to the size of the thumbnail.
func (r raster) thumb(width, height int) raster {
	t := raster{width: width, height: height, tryLossless: r.tryLossless}
	if width == r.width && height == r.height {
		t.limit, t.original = r.limit, r.original
	}
	sub := []int{1, 2, 2}
	full := decoded{width: r.width, height: r.height, planes: r.planes, subX: sub, subY: sub}
	for i := range r.planes {
		t.planes = append(t.planes, full.scaled(i, t.width, t.height, sub[i], orientation{}, identity))
	}
	return t
}

// color returns the average colour like "#5a7d9b", or "" if every pixel is transparent.
func (r raster) color() string {
	if !r.isRGBA() {
		var rgb [4]byte
		videoRange.toRGBA(rgb[:], r.planes[0].mean(0), r.planes[1].mean(0), r.planes[2].mean(0))
		return fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
	}
	p := r.planes[0] // premultiplied: transparent pixels weigh less
	alpha := p.sum(3)
	if alpha == 0 {
		return ""
	}
	var rgb [3]int
	for c := range rgb {
		rgb[c] = min(255, (p.sum(c)*255+alpha/2)/alpha)
	}
	return fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
}

// sum returns the sum of the samples of a channel.
func (p plane) sum(channel int) (sum int) {
	for y := range p.height {
		row := p.row(y)
		for x := channel; x < len(row); x += p.channels {
			sum += int(row[x])
		}
	}
	return sum
}

// mean returns the mean of a channel as one sample.
func (p plane) mean(channel int) []byte {
	count := p.width * p.height
	return []byte{byte((p.sum(channel) + count/2) / count)}
}

// jpegOrPNG encodes as PNG with alpha or when PNG is smaller, otherwise as JPEG.
func (r raster) jpegOrPNG() (thumb rendition.File, err error) {
	img, opaque := r.image()
	asPNG := func() (rendition.File, error) {
		file, err := r.png(png.BestCompression)
		return rendition.File{Format: rendition.PNG, Bytes: file}, err
	}
	if !opaque {
		return asPNG()
	}
	for i, q := range qualities {
		var out bytes.Buffer
		if err := jpegn.Encode(&out, img, &jpegn.EncodeOptions{Quality: max(q, 1)}); err != nil {
			return thumb, err
		}
		if i == 0 || out.Len() < len(thumb.Bytes) {
			thumb = rendition.File{Format: rendition.JPEG, Bytes: out.Bytes()}
		}
		if i == 0 && (r.tryLossless && r.isDrawing() || !r.fits(thumb.Bytes)) {
			exact, err := asPNG()
			if err != nil {
				return thumb, err
			}
			if len(exact.Bytes) < len(thumb.Bytes) {
				thumb = exact
			}
		}
		if r.fits(thumb.Bytes) {
			break
		}
	}
	return thumb, nil
}

// png encodes as PNG, with a palette if the picture has at most 256 colours.
func (r raster) png(level png.CompressionLevel) ([]byte, error) {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: level}
	err := encoder.Encode(&out, withPalette(r.nrgba()))
	return out.Bytes(), err
}

// withPalette returns a paletted picture if it has at most 256 colours.
func withPalette(img *image.NRGBA) image.Image {
	known := map[color.NRGBA]uint8{}
	p := image.NewPaletted(img.Rect, nil)
	for i := range p.Pix {
		q := img.Pix[4*i : 4*i+4]
		c := color.NRGBA{q[0], q[1], q[2], q[3]}
		index, ok := known[c]
		if !ok {
			if len(p.Palette) == 256 {
				return img
			}
			index = uint8(len(p.Palette))
			known[c] = index
			p.Palette = append(p.Palette, c)
		}
		p.Pix[i] = index
	}
	return p
}

// isDrawing reports whether the picture is likely a drawing and not a photograph: it has at
// most 256 colours, or half of its pixels equal the pixel to the left or above. Lossless
// formats are only smaller for drawings.
func (r raster) isDrawing() bool {
	p := r.planes[0] // premultiplied, which keeps equal pixels equal
	if !r.isRGBA() {
		img := r.nrgba()
		p = plane{pix: img.Pix, stride: img.Stride, width: r.width, height: r.height, channels: 4}
	}
	equal, colors := 0, map[[4]byte]struct{}{}
	above := make([]byte, 4*p.width)
	for y := range p.height {
		row := p.row(y)
		for x := 0; x < len(row); x += 4 {
			pixel := [4]byte(row[x:])
			switch {
			case y > 0 && pixel == [4]byte(above[x:]), x > 0 && pixel == [4]byte(row[x-4:]):
				equal++
			case len(colors) <= 256:
				colors[pixel] = struct{}{}
			}
		}
		above = row
	}
	return 2*equal >= p.width*p.height || len(colors) <= 256
}

// nrgba returns the picture for lossless encoders.
func (r raster) nrgba() *image.NRGBA {
	if !r.isRGBA() {
		return rgbaOfVideo(r.ycbcr(identity, identity), nil)
	}
	p := r.planes[0]
	pix := bytes.Clone(p.pix)
	divideAlpha(pix)
	return &image.NRGBA{Pix: pix, Stride: p.stride, Rect: image.Rect(0, 0, p.width, p.height)}
}

// fits reports whether a file is within the limit.
func (r raster) fits(file []byte) bool { return r.limit == 0 || len(file) <= r.limit }

// image returns the picture for the JPEG encoder, and whether no pixel is transparent.
func (r raster) image() (img image.Image, opaque bool) {
	if !r.isRGBA() {
		return r.ycbcr(lumaFromVideo, chromaFromVideo), true
	}
	rgba := &image.RGBA{Pix: r.planes[0].pix, Stride: r.planes[0].stride, Rect: image.Rect(0, 0, r.width, r.height)}
	return rgba, rgba.Opaque()
}

// ycbcr returns a picture of three planes with converted values.
func (r raster) ycbcr(luma, chroma linear) *image.YCbCr {
	y, blue, red := r.planes[0].transformed(luma), r.planes[1].transformed(chroma), r.planes[2].transformed(chroma)
	return &image.YCbCr{
		Y: y.pix, Cb: blue.pix, Cr: red.pix, YStride: y.stride, CStride: blue.stride,
		SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, r.width, r.height),
	}
}

// webp encodes lossy, or lossless when that is smaller for a drawing. It lowers the quality until the
// file fits.
func (r raster) webp(ctx context.Context, quality int) ([]byte, error) {
	planes := r.planes
	if r.isRGBA() {
		planes = videoOfRGBA(r.planes[0])
	}
	var best []byte
	keep := func(encoded []byte, err error) error {
		if encoded != nil && (best == nil || len(encoded) < len(best)) {
			best = encoded
		}
		return err
	}
	_ = keep(r.original, nil)
	for i := 0; i <= len(qualities); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case i == len(qualities): // noise
			planes = softened(planes)
		case i > 0:
			quality = qualities[i]
		}
		if err := keep(encodeWebP(planes, quality)); err != nil {
			return nil, err
		}
		if i == 0 && (r.tryLossless || r.width*r.height <= smallPixels && !r.fits(best)) && r.isDrawing() {
			if err := keep(webp.EncodeLossless(r.nrgba())); err != nil {
				return nil, err
			}
		}
		if r.fits(best) {
			break
		}
	}
	return best, nil
}

// softened returns planes without detail finer than two samples.
func softened(planes []plane) []plane {
	var soft []plane
	for _, p := range planes {
		small := mapping{width: (p.width + 1) / 2, height: (p.height + 1) / 2, stepX: 2, stepY: 2}
		large := mapping{width: p.width, height: p.height, stepX: 0.5, stepY: 0.5}
		soft = append(soft, scale(scale(p, small, identity), large, identity))
	}
	return soft
}

// videoOfRGBA converts a plane of premultiplied RGBA to three planes of BT.601 video, and
// one of alpha unless all pixels are opaque. The chroma of four pixels is averaged by
// their alpha.
func videoOfRGBA(p plane) []plane {
	luma, alpha := newPlane(p.width, p.height, 1), newPlane(p.width, p.height, 1)
	blue, red := newPlane((p.width+1)/2, (p.height+1)/2, 1), newPlane((p.width+1)/2, (p.height+1)/2, 1)
	inBands(blue.height, func(from, to int) {
		for y := from; y < to; y++ {
			upper, lower := 2*y, min(2*y+1, p.height-1)
			lumaOfRGBA(luma.row(upper), alpha.row(upper), p.row(upper))
			lumaOfRGBA(luma.row(lower), alpha.row(lower), p.row(lower))
			chromaOfRGBA(blue.row(y), red.row(y), p.row(upper), p.row(lower))
		}
	})
	planes := []plane{luma, blue, red}
	if bytes.Count(alpha.pix, []byte{255}) < len(alpha.pix) {
		planes = append(planes, alpha)
	}
	return planes
}

// lumaOfRGBA and chromaOfRGBA use the factors of ITU-R BT.601 for video, times 2^16.
func lumaOfRGBA(luma, alpha, rgba []byte) {
	for x := range luma {
		p := rgba[4*x : 4*x+4 : 4*x+4]
		r, g, b, a := int(p[0]), int(p[1]), int(p[2]), int(p[3])
		alpha[x] = byte(a)
		sum := 16829*r + 33039*g + 6416*b
		if a != 255 && a != 0 {
			sum = sum / a * 255
		}
		luma[x] = byte(min((sum+16<<16+1<<15)>>16, 235))
	}
}

func chromaOfRGBA(blue, red, upper, lower []byte) {
	for x := range blue {
		left := 8 * x
		right := min(left+4, len(upper)-4)
		var sum [4]int
		for c := range sum {
			sum[c] = int(upper[left+c]) + int(upper[right+c]) + int(lower[left+c]) + int(lower[right+c])
		}
		if sum[3] == 0 {
			blue[x], red[x] = 128, 128
			continue
		}
		r, g, b := sum[0]*255/sum[3], sum[1]*255/sum[3], sum[2]*255/sum[3]
		if sum[3] == 4*255 { // keeps the two bits below
			blue[x] = byte((-9714*sum[0] - 19071*sum[1] + 28785*sum[2] + 128<<18 + 1<<17) >> 18)
			red[x] = byte((28785*sum[0] - 24104*sum[1] - 4681*sum[2] + 128<<18 + 1<<17) >> 18)
			continue
		}
		blue[x] = clamp((-9714*r - 19071*g + 28785*b + 128<<16 + 1<<15) >> 16)
		red[x] = clamp((28785*r - 24104*g - 4681*b + 128<<16 + 1<<15) >> 16)
	}
}

// encodeWebP encodes three planes, or four with alpha.
func encodeWebP(planes []plane, quality int) ([]byte, error) {
	luma, blue, red := planes[0], planes[1], planes[2]
	p := webp.Picture{
		Width: luma.width, Height: luma.height,
		Y: luma.pix, U: blue.pix, V: red.pix, YStride: luma.stride, UVStride: blue.stride,
	}
	if len(planes) == 4 {
		p.A, p.AStride = planes[3].pix, planes[3].stride
	}
	return webp.Encode(p, quality)
}
