package imaging

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/draw"
	"io"

	"golang.org/x/image/webp"
)

type webpFormat struct{}

// survey walks the chunks. Of an animation, it takes the parts of the first frame.
func (webpFormat) survey(source io.ReadSeeker) (survey, error) {
	w := webpWalk{in: &offsetReader{in: bufio.NewReaderSize(source, 64<<10)}}
	if err := w.walk(); err != nil {
		var f fault
		if errors.As(err, &f) {
			return survey{}, err
		}
		return survey{}, broken("WebP")
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

func (w *webpWalk) walk() error {
	header, err := w.in.next(12)
	if err != nil || string(header[:4]) != "RIFF" || string(header[8:]) != "WEBP" {
		return broken("WebP")
	}
	end := int64(binary.LittleEndian.Uint32(header[4:])) + 8
	for w.in.offset+8 <= end {
		if err := w.chunk(); err != nil {
			return err
		}
	}
	return nil
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
			return broken("WebP")
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
			w.survey.profile = bytes.Clone(body)
		}
	}
	return w.in.skip(start + padded - w.in.offset)
}

// enterFrame reads where the first frame lies; its chunks come next.
func (w *webpWalk) enterFrame(length int64) error {
	if length < 16 {
		return broken("WebP")
	}
	header, err := w.in.next(16)
	if err != nil {
		return err
	}
	w.corner = image.Pt(2*uint24(header), 2*uint24(header[3:]))
	return nil
}

// bitstream notes where the picture is, and takes its size from it: that is what a
// decoder makes room for. A second picture is passed over.
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
	pixels := int64(0)
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
			return broken("WebP")
		}
		pixels = int64(width) * int64(height)
	}
	s.parts = append(s.parts, part{name, start, length})
	s.memory += length + 2*pixels
	if name == "VP8L" {
		s.memory += 8 * pixels // it comes interleaved, and is transformed on the way
	}
	w.encoded += length
	return w.in.skip(start + padded - w.in.offset)
}

// bitstreamSize reads the size from the beginning of a picture.
func bitstreamSize(name string, header []byte) (width, height int, err error) {
	switch {
	case name == "VP8 " && len(header) == 10 && string(header[3:6]) == "\x9d\x01\x2a":
		return int(binary.LittleEndian.Uint16(header[6:])) & 0x3fff, int(binary.LittleEndian.Uint16(header[8:])) & 0x3fff, nil
	case name == "VP8L" && len(header) >= 5 && header[0] == 0x2f:
		bits := binary.LittleEndian.Uint32(header[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	}
	return 0, 0, broken("WebP")
}

func (w *webpWalk) finish() (survey, error) {
	s := w.survey
	if len(s.parts) == 0 || s.parts[len(s.parts)-1].name == "ALPH" {
		return survey{}, broken("WebP")
	}
	pixels := int64(s.width) * int64(s.height)
	if w.encoded > 8*pixels+1<<20 {
		return survey{}, fault("the WebP holds far more than its pixels need")
	}
	if len(s.parts) > 1 {
		s.memory += 12 * pixels // alpha is unpacked, then joined with the colours
	}
	if !w.still() {
		s.memory += 4 * pixels // the canvas
	}
	s.frames = max(s.frames, 1)
	return s, nil
}

// still reports whether the picture fills its canvas.
func (w *webpWalk) still() bool {
	return w.survey.frame == image.Rect(0, 0, w.survey.width, w.survey.height)
}

// decode decodes the one picture that the survey found, and lays it on the canvas.
func (webpFormat) decode(source io.ReadSeeker, s survey) (decoded, error) {
	data, err := readParts(source, s.parts)
	if err != nil {
		return decoded{}, err
	}
	img, err := webp.Decode(bytes.NewReader(stillWebP(s, data)))
	if err != nil {
		return decoded{}, broken("WebP")
	}
	if img.Bounds().Size() != s.frame.Size() {
		return decoded{}, broken("WebP")
	}
	whole := s.frame == image.Rect(0, 0, s.width, s.height)
	if m, ok := img.(*image.YCbCr); ok && whole {
		return decodedYCbCr(modelVideoYCbCr, m), nil
	}
	switch m := img.(type) {
	case *image.YCbCr:
		img = rgbaOfVideo(m, nil)
	case *image.NYCbCrA:
		img = rgbaOfVideo(&m.YCbCr, m)
	}
	if whole {
		return decodedImage(img), nil
	}
	canvas := image.NewRGBA(image.Rect(0, 0, s.width, s.height))
	draw.Draw(canvas, s.frame, img, image.Point{}, draw.Src)
	return decodedImage(canvas), nil
}

// stillWebP writes a file of nothing but the picture: its alpha, if it has one, and
// its bitstream.
func stillWebP(s survey, data []byte) []byte {
	var chunks []byte
	if len(s.parts) > 1 {
		head := make([]byte, 10)
		head[0] = 1 << 4 // it has alpha
		putUint24(head[4:], s.frame.Dx()-1)
		putUint24(head[7:], s.frame.Dy()-1)
		chunks = appendChunk(chunks, "VP8X", head)
	}
	for _, p := range s.parts {
		chunks = appendChunk(chunks, p.name, data[:p.length])
		data = data[p.length:]
	}
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunks)+4))
	return append(append(file, "WEBP"...), chunks...)
}

func appendChunk(to []byte, name string, body []byte) []byte {
	to = binary.LittleEndian.AppendUint32(append(to, name...), uint32(len(body)))
	to = append(to, body...)
	if len(body)%2 == 1 {
		to = append(to, 0)
	}
	return to
}

// rgbaOfVideo converts from the values that ITU-R BT.601 leaves to video, with the
// alpha of transparent, if there is one.
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

func putUint24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }
