package imaging

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"io"

	"golang.org/x/image/webp"

	encoder "imprimatur/adapters/imaging/webp"
)

// surveyWebP reads the chunks. For an animation it selects the parts of the first frame.
func surveyWebP(in *offsetReader) (survey, error) {
	header, err := in.next(12)
	if err != nil || string(header[:4]) != "RIFF" || string(header[8:]) != "WEBP" {
		return survey{}, errInvalid
	}
	end := int64(binary.LittleEndian.Uint32(header[4:])) + 8
	w := webpWalk{in: in}
	for in.offset+8 <= end {
		if err := w.chunk(); err != nil {
			return w.survey, err
		}
	}
	return w.finish()
}

type webpWalk struct {
	in      *offsetReader
	survey  survey
	canvas  bool        // VP8X gave the size
	corner  image.Point // of the first frame on the canvas
	encoded int64       // bytes of the picture
}

// chunk reads one chunk with its header.
func (w *webpWalk) chunk() error {
	header, err := w.in.next(8)
	if err != nil {
		return err
	}
	name, length := string(header[:4]), int64(binary.LittleEndian.Uint32(header[4:]))
	start, padded := w.in.offset, length+length&1
	switch name {
	case "VP8X":
		if length < 10 {
			return errInvalid
		}
		body, err := w.in.next(10)
		if err != nil {
			return err
		}
		w.canvas = true
		w.survey.width, w.survey.height = uint24(body[4:])+1, uint24(body[7:])+1
	case "ANMF":
		w.survey.frames++
		if w.survey.frames == 1 {
			return w.enterFrame(length)
		}
	case "ALPH", "VP8 ", "VP8L":
		return w.bitstream(name, length)
	case "EXIF", "ICCP":
		if length > maxProfile {
			break
		}
		body, err := w.in.next(int(length))
		if err != nil {
			return err
		}
		if name == "EXIF" {
			w.survey.orientation = exifOrientation(body)
		} else {
			w.survey.profile = parseProfile(body)
		}
	}
	return w.in.skip(start + padded - w.in.offset)
}

// enterFrame reads the position of the first frame. Its chunks follow.
func (w *webpWalk) enterFrame(length int64) error {
	if length < 16 {
		return errInvalid
	}
	header, err := w.in.next(16)
	if err != nil {
		return err
	}
	w.corner = image.Pt(2*uint24(header), 2*uint24(header[3:]))
	return nil
}

// bitstream records the position of the picture and reads its size, for which a decoder
// allocates. It skips a second picture.
func (w *webpWalk) bitstream(name string, length int64) error {
	s := &w.survey
	start, padded := w.in.offset, length+length&1
	known := len(s.parts) > 0 && s.parts[len(s.parts)-1].name != "ALPH"
	if known || name == "ALPH" && len(s.parts) > 0 {
		return w.in.skip(padded)
	}
	header, err := w.in.next(int(min(length, 10)))
	if err != nil {
		return err
	}
	if name != "ALPH" {
		width, height, err := bitstreamSize(name, header)
		if err != nil {
			return err
		}
		if !w.canvas {
			s.width, s.height = width, height
		}
		s.frame = image.Rectangle{Max: image.Pt(width, height)}.Add(w.corner)
		if !s.frame.In(image.Rect(0, 0, s.width, s.height)) {
			return errInvalid
		}
	}
	s.begun = s.begun || name != "ALPH"
	s.parts = append(s.parts, part{name: name, offset: start, length: length})
	w.encoded += length
	return w.in.skip(start + padded - w.in.offset)
}

// bitstreamSize reads the size from the header of a bitstream.
func bitstreamSize(name string, header []byte) (width, height int, err error) {
	switch {
	case name == "VP8 " && len(header) == 10 && string(header[3:6]) == "\x9d\x01\x2a":
		return int(binary.LittleEndian.Uint16(header[6:])) & 0x3fff, int(binary.LittleEndian.Uint16(header[8:])) & 0x3fff, nil
	case name == "VP8L" && len(header) >= 5 && header[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(header[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	}
	return 0, 0, errInvalid
}

func (w *webpWalk) finish() (survey, error) {
	s := w.survey
	if len(s.parts) == 0 || s.parts[len(s.parts)-1].name == "ALPH" {
		return survey{}, errInvalid
	}
	pixels := int64(s.width) * int64(s.height)
	if w.encoded > 8*pixels+1<<20 {
		return survey{}, fault("the WebP holds far more than its pixels need")
	}
	s.frames = max(s.frames, 1)
	s.planar = s.parts[0].name == "VP8 " && s.wholeFrame()
	s.lossless = s.parts[0].name == "VP8L"
	s.strategies = []strategy{{memory: s.webpMemory()}}
	return s, nil
}

// webpMemory returns the peak memory of decoding.
func (s survey) webpMemory() (memory int64) {
	frame := int64(s.frame.Dx()) * int64(s.frame.Dy())
	for _, p := range s.parts {
		if s.isFullRendition() {
			memory += 6 * p.length // io.ReadAll
		}
		switch p.name {
		case "VP8 ": // planes of whole macroblocks, and the encoded bytes
			memory += 3*int64(s.frame.Dx()+15)*int64(s.frame.Dy()+15)/2 + p.length
		case "VP8L":
			memory += losslessMemory(frame, p.length)
		case "ALPH": // a lossless plane, which is then merged with the others
			memory += losslessMemory(frame, p.length) + 5*frame
		}
	}
	if !s.wholeFrame() {
		memory += 4*frame + 4*int64(s.width)*int64(s.height) // the canvas
	}
	return memory
}

// losslessMemory returns the memory for decoding the lossless format: four bytes per pixel,
// twice with a palette, four subsampled pictures of transforms, and sets of prefix codes.
// The decoder accepts at most 2,600 sets of 52 kB. Each tile has at most one, and a set of
// that size has at least 200 encoded bytes.
func losslessMemory(pixels, encoded int64) int64 {
	const maxSets, setSize, leastSet = 2600, 52 << 10, 200
	return 9*pixels + setSize*min(maxSets, pixels/16+1, encoded/leastSet+1)
}

// decodeWebP decodes the picture that the survey selected.
func decodeWebP(source io.ReadSeeker, s survey, _ strategy) (decoded, error) {
	d, err := decodeWebPFrame(source, s)
	if err == nil && s.isFullRendition() {
		d.webp, err = io.ReadAll(webpReader(source, s))
	}
	return d, err
}

// isFullRendition reports whether the file without metadata can be the full rendition.
func (s survey) isFullRendition() bool {
	return s.profile == nil && s.orientation == orientation{} && max(s.width, s.height) <= FullSide && s.wholeFrame()
}

// wholeFrame reports whether the frame covers the canvas.
func (s survey) wholeFrame() bool { return s.frame == image.Rect(0, 0, s.width, s.height) }

// decodeWebPFrame decodes a frame and draws it on the canvas.
func decodeWebPFrame(source io.ReadSeeker, s survey) (decoded, error) {
	img, err := webp.Decode(webpReader(source, s))
	if err != nil {
		return decoded{}, err
	}
	if img.Bounds().Size() != s.frame.Size() {
		return decoded{}, errInvalid
	}
	switch m := img.(type) {
	case *image.YCbCr:
		if s.wholeFrame() {
			return decodedYCbCr(modelVideoYCbCr, m), nil
		}
		img = rgbaOfVideo(m, nil)
	case *image.NYCbCrA:
		img = rgbaOfVideo(&m.YCbCr, m)
	}
	if s.wholeFrame() {
		return decodedImage(img), nil
	}
	canvas := image.NewRGBA(image.Rect(0, 0, s.width, s.height))
	draw.Draw(canvas, s.frame, img, image.Point{}, draw.Src)
	return decodedImage(canvas), nil
}

// webpReader returns a reader of the file without metadata: only alpha, if any, and the
// bitstream.
func webpReader(source io.ReadSeeker, s survey) io.Reader {
	var head []byte
	if len(s.parts) > 1 {
		head = encoder.AlphaHeader(s.frame.Dx(), s.frame.Dy())
	}
	length := 4 + int64(len(head))
	readers := []io.Reader{nil, bytes.NewReader(head)}
	for _, p := range s.parts {
		readers = append(readers,
			bytes.NewReader(binary.LittleEndian.AppendUint32([]byte(p.name), uint32(p.length))),
			&partsReader{source: source, parts: []part{p}}, bytes.NewReader(make([]byte, p.length&1)))
		length += 8 + p.length + p.length&1
	}
	readers[0] = bytes.NewReader(append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(length)), "WEBP"...))
	return io.MultiReader(readers...)
}

// rgbaOfVideo converts from the ITU-R BT.601 video range, with the alpha of transparent
// unless that is nil.
func rgbaOfVideo(img *image.YCbCr, transparent *image.NYCbCrA) *image.NRGBA {
	size := img.Rect.Size()
	rgba := image.NewNRGBA(image.Rectangle{Max: size})
	blue, red := make([]byte, size.X), make([]byte, size.X)
	for y := range size.Y {
		for x := range size.X {
			c := img.COffset(x, y)
			blue[x], red[x] = img.Cb[c], img.Cr[c]
		}
		row := rgba.Pix[y*rgba.Stride:][:4*size.X]
		videoRange.toRGBA(row, img.Y[img.YOffset(0, y):][:size.X], blue, red)
		if transparent != nil {
			for x, a := range transparent.A[transparent.AOffset(0, y):][:size.X] {
				row[4*x+3] = a
			}
		}
	}
	return rgba
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
