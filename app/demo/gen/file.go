package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
)

// jpegFile returns img as a JPEG file.
func jpegFile(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 84})
	return b.Bytes(), err
}

// turnedFile returns img as a JPEG file of a camera in portrait position: the stored
// picture is rotated, with the orientation in EXIF.
func turnedFile(img image.Image) ([]byte, error) {
	bounds := img.Bounds()
	side := image.NewRGBA(image.Rect(0, 0, bounds.Dy(), bounds.Dx()))
	for x := range bounds.Dx() {
		for y := range bounds.Dy() {
			side.Set(y, bounds.Dx()-1-x, img.At(x, y))
		}
	}
	file, err := jpegFile(side)
	if err != nil {
		return nil, err
	}
	// After the first marker: a TIFF directory of one entry, orientation 6.
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	return append(append([]byte("\xff\xd8"), exif...), file[2:]...), nil
}

// pngFile returns img as a PNG file.
func pngFile(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// gifFile returns frames of 0.1 s each as an endless GIF.
func gifFile(frames []image.Image) ([]byte, error) {
	film := gif.GIF{}
	colours := append(color.Palette{color.RGBA{}}, palette.WebSafe...)
	for _, frame := range frames {
		flat := image.NewPaletted(frame.Bounds(), colours)
		draw.Draw(flat, flat.Bounds(), frame, image.Point{}, draw.Src)
		film.Image, film.Delay, film.Disposal = append(film.Image, flat), append(film.Delay, 10), append(film.Disposal, gif.DisposalBackground)
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &film)
	return b.Bytes(), err
}

// chime returns a WAV file of bells with the given frequencies in hertz, 0.5 s apart.
func chime(frequencies ...float64) []byte {
	const rate = 8000
	samples := make([]byte, (len(frequencies)+3)*rate/2)
	for i := range samples {
		sum := 0.0
		for bell, frequency := range frequencies {
			if t := float64(i)/rate - float64(bell)/2; t > 0 {
				sum += math.Exp(-3*t) * (math.Sin(2*math.Pi*frequency*t) + 0.4*math.Sin(2*math.Pi*2.76*frequency*t))
			}
		}
		samples[i] = byte(128 + 32*sum)
	}
	size := uint32(len(samples))
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 36+size)...)
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...) // PCM, one channel
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = append(b, "\x01\x00\x08\x00data"...) // 8 bits
	b = binary.LittleEndian.AppendUint32(b, size)
	return append(b, samples...)
}

// pdf returns a page with a title and lines of ASCII text.
func pdf(title string, lines ...string) []byte {
	escape := strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace
	text := fmt.Sprintf("BT /F1 22 Tf 72 760 Td (%s) Tj /F1 12 Tf 0 -36 Td 18 TL\n", escape(title))
	for _, line := range lines {
		text += "(" + escape(line) + ") Tj T*\n"
	}
	text += "ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return b.Bytes()
}
