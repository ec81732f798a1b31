package imaging

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"slices"

	"github.com/gen2brain/jpegn"

	"imprimatur/adapters/imaging/webp"
	"imprimatur/core/rendition"
)

// rendering is the making of a rendition of a surveyed original.
type rendering struct {
	rendition.Rendition
	layout

	survey survey
	part   image.Rectangle // of the original as it is stored, that is shown
	width  int             // to which the part is scaled, before it is turned upright
	height int
	icc    []byte // profile that the result keeps; nil: it is in sRGB
}

func (m *Imager) render(ctx context.Context, source io.ReadSeeker, format format, asked rendition.Rendition) ([]byte, error) {
	leaveLane, err := m.budget.enterLane(ctx)
	if err != nil {
		return nil, err
	}
	defer leaveLane()
	s, err := surveyFile(source, format)
	if err == nil && s.damaged {
		err = format.fault(errInvalid)
	}
	if err != nil {
		return nil, err
	}
	r := newRendering(s, asked)
	way, err := r.survey.chooseFor(m.budget.capacity, r.memory(), r.losslessMemory())
	if err != nil {
		return nil, err
	}
	leave, err := m.budget.enter(ctx, way.memory+r.memory())
	if err != nil {
		return nil, err
	}
	defer leave()
	return r.make(ctx, source, format, way)
}

// make decodes, scales and encodes the picture.
func (r rendering) make(ctx context.Context, source io.ReadSeeker, format format, way strategy) (file []byte, err error) {
	defer recoverAs(&err)
	d, err := format.decodeSurveyed(source, r.survey, way)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.encode(ctx, r.scaled(d, way.lossless))
}

func newRendering(s survey, asked rendition.Rendition) rendering {
	upright := func(width, height int) (int, int) { return s.orientation.upright(width, height) }
	r := rendering{Rendition: asked, survey: s}
	width, height := upright(s.width, s.height)
	r.layout = newLayout(width, height, asked)
	r.part = s.orientation.stored(r.crop, s.width, s.height)
	r.width, r.height = upright(r.layout.width, r.layout.height)
	if k := max(1, min(r.part.Dx()/r.width, r.part.Dy()/r.height)); s.shrink > k { // a part needs more detail than the whole
		r.survey.strategies = slices.Clone(s.strategies)
		for i := range r.survey.strategies {
			r.survey.strategies[i].memory += unpackedMemory(s.width, s.height, k) - unpackedMemory(s.width, s.height, s.shrink)
		}
		r.survey.shrink = k
	}
	for k := 2; k <= 8; k *= 2 {
		if 7*r.part.Dx() >= 8*k*r.width && 7*r.part.Dy() >= 8*k*r.height { // the filter needs some samples more
			r.survey.reduce = k
		}
	}
	if p := s.usedProfile(); p != nil {
		r.icc = p.icc
	}
	return r
}

// converter returns the conversion to sRGB, or nil if none is needed.
func (r rendering) converter(m model) converter {
	if r.icc != nil && m != modelCMYK && m != modelGray {
		return nil
	}
	return r.survey.usedProfile().converter(m)
}

// memory returns the peak allocation of scaling and encoding in bytes.
func (r rendering) memory() int64 {
	perPixel, perCanvas := int64(8), int64(6) // planes or RGBA, and one of the encoders
	if !r.survey.planar || r.survey.profile != nil || r.Format == rendition.PNG {
		perPixel += 4
		perCanvas += 8 // the encoder of alpha
	}
	if r.survey.orientation.transpose {
		perPixel += 4
	}
	if r.padded() {
		perPixel += 4
		perCanvas += 4
	}
	if r.Format == rendition.PNG {
		perCanvas += 16 // noise is not compressed, and the buffer grows
	}
	fixed := 3*int64(len(r.icc)) + 4<<20
	if p := r.survey.profile; p != nil && p.curves == nil {
		fixed += 8 << 20 // the grid of convertByTable
	}
	return perPixel*int64(r.width)*int64(r.height) + perCanvas*int64(r.canvas.X)*int64(r.canvas.Y) + fixed
}

// losslessMemory returns the additional memory for trying lossless encoding.
func (r rendering) losslessMemory() int64 {
	if r.Format != rendition.WebP {
		return 0
	}
	return (losslessPixel + 4) * int64(r.canvas.X) * int64(r.canvas.Y)
}

// scaled scales the shown part, turns it upright and puts it on the canvas.
func (r rendering) scaled(d decoded, lossless bool) raster {
	convert := r.converter(d.model)
	out := raster{width: r.layout.width, height: r.layout.height, tryLossless: lossless}
	switch {
	case convert != nil, d.model == modelRGBA, r.Format == rendition.PNG, r.Format == rendition.WebP && r.padded(),
		lossless && d.model == modelGray: // the range of video has too few levels for lossless encoding
		out.planes = []plane{r.rgba(d, convert)}
	case r.Format == rendition.JPEG:
		out.planes = r.planes(d, d.model != modelVideoYCbCr, true)
	default:
		out.planes = r.planes(d, d.model != modelVideoYCbCr, false)
	}
	if r.survey.orientation.transpose {
		for i, p := range out.planes {
			out.planes[i] = p.transposed()
		}
	}
	if r.padded() {
		out = r.onCanvas(out)
	}
	return out
}

// planes scales to one plane of grey, or to three of luma and chroma, of the full range or that of
// video.
func (r rendering) planes(d decoded, fromFull, toFull bool) []plane {
	luma, chroma := identity, identity
	switch {
	case fromFull && !toFull:
		luma, chroma = lumaToVideo, chromaToVideo
	case !fromFull && toFull:
		luma, chroma = lumaFromVideo, chromaFromVideo
	}
	planes := []plane{r.plane(d, 0, 1, luma)}
	if d.model == modelGray {
		halfWidth, halfHeight := (r.width+1)/2, (r.height+1)/2
		neutral := plane{bytes.Repeat([]byte{128}, halfWidth*halfHeight), halfWidth, halfWidth, halfHeight, 1}
		return append(planes, neutral, neutral)
	}
	return append(planes, r.plane(d, 1, 2, chroma), r.plane(d, 2, 2, chroma))
}

// plane scales one plane of the shown part.
func (r rendering) plane(d decoded, i, sub int, l linear) plane {
	return d.scaledPart(i, r.part, r.width, r.height, sub, r.survey.orientation, l)
}

// rgba scales to one plane of premultiplied RGBA, with its colours converted.
func (r rendering) rgba(d decoded, convert converter) plane {
	var planes []plane
	for i := range d.planes {
		planes = append(planes, r.plane(d, i, 1, identity))
	}
	if convert == nil && d.model == modelRGBA {
		return planes[0]
	}
	return d.colored(planes, r.width, r.height, convert)
}

// onCanvas puts a picture on the canvas: on transparent margins, or white ones for JPEG.
func (r rendering) onCanvas(picture raster) raster {
	background := []byte{0, 0, 0, 0}
	sub := []int{1}
	if r.Format == rendition.JPEG {
		background = []byte{255, 255, 255, 255}
	}
	if !picture.isRGBA() {
		background, sub = []byte{255, 128, 128}, []int{1, 2, 2}
	}
	out := raster{width: r.canvas.X, height: r.canvas.Y, tryLossless: picture.tryLossless}
	for i, p := range picture.planes {
		canvas := newPlane((r.canvas.X+sub[i]-1)/sub[i], (r.canvas.Y+sub[i]-1)/sub[i], p.channels)
		at := r.offset.Div(sub[i])
		if color := background[i : i+p.channels]; !bytes.Equal(color, []byte{0, 0, 0, 0}) {
			for x := 0; x < len(canvas.pix); x += p.channels {
				copy(canvas.pix[x:], color)
			}
		}
		for y := range p.height {
			copy(canvas.row(at.Y + y)[at.X*p.channels:], p.row(y))
		}
		out.planes = append(out.planes, canvas)
	}
	return out
}

// encode encodes the picture in its format.
func (r rendering) encode(ctx context.Context, picture raster) ([]byte, error) {
	switch r.Format {
	case rendition.JPEG:
		return r.jpeg(picture)
	case rendition.PNG:
		file, err := picture.png(png.DefaultCompression)
		return withPNGColors(file, r.icc), err
	default:
		file, err := picture.webp(ctx, r.Quality)
		if err != nil || r.icc == nil {
			return file, err
		}
		return webp.WithProfile(file, picture.width, picture.height, r.icc), nil
	}
}

// jpeg encodes as JPEG. What is transparent becomes white.
func (r rendering) jpeg(picture raster) ([]byte, error) {
	var img image.Image
	if picture.isRGBA() {
		p := picture.planes[0]
		onWhite(p.pix)
		img = &image.RGBA{Pix: p.pix, Stride: p.stride, Rect: image.Rect(0, 0, p.width, p.height)}
	} else {
		img = picture.ycbcr(identity, identity)
	}
	out := bytes.NewBuffer(make([]byte, 0, picture.width*picture.height/4))
	if err := jpegn.Encode(out, img, &jpegn.EncodeOptions{Quality: r.Quality}); err != nil {
		return nil, err
	}
	return withJPEGColors(out.Bytes(), r.icc), nil
}

// onWhite puts premultiplied pixels on white.
func onWhite(pix []byte) {
	for i := 0; i+4 <= len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		if rest := 255 - p[3]; rest != 0 {
			p[0], p[1], p[2], p[3] = p[0]+rest, p[1]+rest, p[2]+rest, 255
		}
	}
}

// withJPEGColors returns a JPEG with a profile of at most maxKept bytes, which fit into one segment
// after the first marker.
func withJPEGColors(file, icc []byte) []byte {
	if icc == nil {
		return file
	}
	out := append(make([]byte, 0, len(file)+len(icc)+18), file[:2]...)
	out = append(out, 0xff, markerAPP2)
	out = binary.BigEndian.AppendUint16(out, uint16(2+14+len(icc)))
	out = append(out, "ICC_PROFILE\x00\x01\x01"...) // the first piece of one
	return append(append(out, icc...), file[2:]...)
}

// withPNGColors returns a PNG with a profile, which it has in a chunk after its header.
func withPNGColors(file, icc []byte) []byte {
	if icc == nil {
		return file
	}
	const header = 8 + 12 + 13
	body := bytes.NewBufferString("iCCPicc\x00\x00")
	packer := zlib.NewWriter(body)
	_, _ = packer.Write(icc) // writes to a buffer cannot fail
	_ = packer.Close()
	out := append(make([]byte, 0, len(file)+body.Len()+12), file[:header]...)
	out = binary.BigEndian.AppendUint32(out, uint32(body.Len()-4))
	out = append(out, body.Bytes()...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body.Bytes()))
	return append(out, file[header:]...)
}
