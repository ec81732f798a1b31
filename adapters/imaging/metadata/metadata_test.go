package metadata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// place is in all metadata that must go, kept in all that must stay.
const (
	place = "Hammerfest"
	kept  = "(c) Ada Lovelace"
)

func painting() image.Image {
	img := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.Black, color.NRGBA{200, 30, 60, 255}})
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i % 3)
	}
	return img
}

func encodedBy(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, encode(&b, painting()))
	return b.Bytes()
}

func plainJPEG(t testing.TB) []byte {
	return encodedBy(t, func(w io.Writer, img image.Image) error { return jpeg.Encode(w, img, nil) })
}
func plainPNG(t testing.TB) []byte { return encodedBy(t, png.Encode) }
func plainGIF(t testing.TB) []byte {
	return encodedBy(t, func(w io.Writer, img image.Image) error { return gif.Encode(w, img, nil) })
}

// plainWebP returns a lossless WebP of one pixel in the extended format.
func plainWebP(chunks ...[]byte) []byte {
	body := slices.Concat([]byte("WEBP"), riffChunk("VP8X", "\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		riffChunk("VP8L", "\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07"), slices.Concat(chunks...))
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(name, body string) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
	return append(b, make([]byte, len(body)&1)...)
}

func segment(marker byte, body string) []byte {
	return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
}

// exif returns an Exif block with orientation 6, a copyright, and places in many tags.
func exif(order byteOrder) []byte {
	ascii := func(tag exifTag, text string) exifEntry {
		return exifEntry{tag: tag, kind: 2, count: uint32(len(text) + 1), value: []byte(text + "\x00")}
	}
	short := func(tag exifTag, n uint16) exifEntry {
		return exifEntry{tag: tag, kind: 3, count: 1, value: order.AppendUint16(nil, n)}
	}
	magic := map[byteOrder]string{binary.LittleEndian: "II*\x00", binary.BigEndian: "MM\x00*"}[order]
	w := exifWriter{out: order.AppendUint32([]byte(magic), 8), order: order}
	w.directory([]exifEntry{
		ascii(0x010d, place), short(0x0112, 6), ascii(0x8298, kept),
		{tag: tagExif, kind: 4, count: 1, directory: []exifEntry{
			short(0xa001, 0xffff), ascii(0x927c, place), ascii(0x9286, place), ascii(0xa430, place),
			{tag: tagInterop, kind: 4, count: 1, directory: []exifEntry{ascii(1, "R03"), ascii(3, place)}},
		}},
		{tag: 0x8825, kind: 4, count: 1, directory: []exifEntry{ascii(29, place)}},
	})
	return append(w.out, place...)
}

func xmp() []byte {
	return []byte(`<?xpacket begin="` + "\ufeff" + `" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
 xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:cc="http://creativecommons.org/ns#" xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
 photoshop:City="` + place + `" photoshop:Credit="Agency" exif:GPSLatitude="70,39.8N">
<d:rights><rdf:Alt><rdf:li xml:lang="x-default">` + kept + `</rdf:li><rdf:li xml:lang="de">` + kept + ` &amp; Söhne</rdf:li></rdf:Alt></d:rights>
<d:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li rdf:parseType="Resource"><photoshop:City>` + place + `</photoshop:City></rdf:li></rdf:Seq></d:creator>
<cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>
<e:LocationCreated><rdf:Bag><rdf:li rdf:parseType="Resource"><e:City>` + place + `</e:City></rdf:li></rdf:Bag></e:LocationCreated>
<d:title><rdf:Description photoshop:Headline="x"><exif:GPSMapDatum>` + place + `</exif:GPSMapDatum></rdf:Description></d:title>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`)
}

func photoshop() []byte {
	record := func(record, set byte, text string) []byte {
		return append([]byte{0x1c, record, set, byte(len(text) >> 8), byte(len(text))}, text...)
	}
	records := slices.Concat(record(1, 90, "\x1b%G"), record(2, 90, place), record(2, 101, place), record(2, 116, kept), record(2, 27, place))
	resource := func(id uint16, name string, body []byte) []byte {
		b := append(binary.BigEndian.AppendUint16([]byte("8BIM"), id), byte(len(name)))
		b = append(append(b, name...), make([]byte, (len(name)+1)&1)...)
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(body))), body...)
		return append(b, make([]byte, len(body)&1)...)
	}
	return slices.Concat(resource(0x03ed, "", make([]byte, 16)), resource(0x0404, "ab", records), resource(0x040c, "", []byte(place)), resource(0x0424, "", []byte(place)))
}

// samples returns pictures with places, by their MIME type.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	j, p, g := plainJPEG(t), plainPNG(t), plainGIF(t)
	const header = 33 // of a PNG: magic and IHDR
	return map[string][]byte{
		"image/jpeg": slices.Concat(j[:2],
			segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x01\x01"+place), segment(0xe0, "JFXX\x00"+place),
			segment(0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian))), segment(0xe1, xmpPrefix+string(xmp())),
			segment(0xe1, "http://ns.adobe.com/xmp/extension/\x00"+place), segment(0xe2, "ICC_PROFILE\x00\x01\x01"+kept), segment(0xe2, "MPF\x00"+place),
			segment(0xed, photoshopPrefix+string(photoshop())), segment(0xeb, "JP"+place), segment(0xef, place), segment(0xfe, place), []byte(place), []byte{0xff, 0xd0},
			j[2:], []byte(place), j),
		"image/png": slices.Concat(p[:header],
			pngChunk("eXIf", exif(binary.BigEndian)), pngChunk("iTXt", append([]byte(pngXMP+"\x00\x00\x00\x00\x00"), xmp()...)),
			pngChunk("tEXt", []byte("Raw profile type exif\x00"+place)), pngChunk("tEXt", []byte("Comment\x00"+place)), pngChunk("tEXt", []byte("Copyright\x00"+kept)),
			pngChunk("zTXt", []byte("Location\x00\x00"+place)), pngChunk("caBX", []byte(place)), pngChunk("tEXt", []byte(place)), pngChunk("tEXt", nil),
			pngChunk("iTXt", []byte(pngXMP)), p[header:], []byte(place)),
		"image/webp": append(plainWebP(riffChunk("EXIF", string(exif(binary.LittleEndian))), riffChunk("XMP ", string(xmp())), riffChunk("ABCD", place)), place...),
		"image/gif": slices.Concat(g[:len(g)-1], []byte("!\xff\x0bXMP DataXMP\x0a"+place+"\x00!\xfe\x0a"+place+"\x00!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"),
			[]byte(";"+place)),
	}
}

func clean(t testing.TB, file []byte, mimeType string) []byte {
	t.Helper()
	b, err := io.ReadAll(NewReader(bytes.NewReader(file), mimeType))
	require.NoError(t, err)
	return b
}

// TestReader checks what goes and what stays, at every size of reads.
func TestReader(t *testing.T) {
	t.Parallel()
	for mimeType, file := range samples(t) {
		t.Run(mimeType, func(t *testing.T) {
			t.Parallel()
			got := clean(t, file, mimeType)
			require.NotContains(t, string(got), place)
			require.Equal(t, got, clean(t, got, mimeType), "the result is clean")
			for _, source := range []io.Reader{iotest.OneByteReader(bytes.NewReader(file)), iotest.DataErrReader(bytes.NewReader(file))} {
				b, err := io.ReadAll(iotest.OneByteReader(NewReader(source, mimeType)))
				require.NoError(t, err)
				require.Equal(t, got, b)
			}
			if mimeType != "image/gif" {
				require.Contains(t, string(got), kept)
				require.Contains(t, string(got), "Agency")
				require.Contains(t, string(got), kept+" &amp; Söhne")
				require.Contains(t, string(got), `rdf:resource="https://creativecommons.org/licenses/by/4.0/"`)
			}
			if mimeType == "image/webp" {
				require.Equal(t, len(file)-len(place), len(got))
				return
			}
			before, _, err := image.Decode(bytes.NewReader(file))
			require.NoError(t, err)
			after, _, err := image.Decode(bytes.NewReader(got))
			require.NoError(t, err)
			require.Equal(t, before, after)
		})
	}
}

// TestPlainFiles checks that a picture without metadata keeps its bytes.
func TestPlainFiles(t *testing.T) {
	t.Parallel()
	for mimeType, file := range map[string][]byte{
		"image/jpeg": plainJPEG(t), "image/png": plainPNG(t), "image/gif": plainGIF(t), "image/webp": plainWebP(),
	} {
		require.Equal(t, file, clean(t, file, mimeType), mimeType)
	}
}

// TestEnds checks truncated files, and sources that fail or are longer than the picture.
func TestEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for mimeType, file := range samples(t) {
		end := map[string]int{"image/jpeg": bytes.Index(file, []byte("\xff\xd9"+place)), "image/gif": len(file) - len(place) - 1}[mimeType]
		if end == 0 {
			end = len(file) - len(place) - 1
		}
		for n := range end {
			var cut bytes.Buffer
			r := NewReader(bytes.NewReader(file[:n]), mimeType)
			if _, err := io.Copy(&cut, r); err == nil { // the picture has begun
				require.Equal(t, cut.Bytes(), clean(t, cut.Bytes(), mimeType), "%s %d", mimeType, n)
				require.NotContains(t, cut.String(), place)
				continue
			}
			require.ErrorIs(t, r.(*reader).err, ErrInvalid, "%s %d", mimeType, n)
			require.False(t, r.(*reader).walker.begun())
		}
		for _, n := range []int{0, 1, 20, end, len(file)} {
			_, err := io.Copy(io.Discard, NewReader(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken)), mimeType))
			require.ErrorIs(t, err, broken, "%s %d", mimeType, n)
		}
	}
}

// TestLargeMetadata checks metadata over the limit, and chunks that are longer than the memory.
func TestLargeMetadata(t *testing.T) {
	t.Parallel()
	large := strings.Repeat(place, maxMetadata/5)
	p := plainPNG(t)
	file := slices.Concat(p[:33], pngChunk("iTXt", []byte(pngXMP+"\x00\x00\x00\x00\x00"+large)), pngChunk("eXIf", []byte(large)), pngChunk("abCd", []byte(large)), p[33:])
	require.Equal(t, p, clean(t, file, "image/png"))
	got := clean(t, plainWebP(riffChunk("EXIF", large), riffChunk("ABCD", large)), "image/webp")
	require.NotContains(t, string(got), place)
	require.Equal(t, len(plainWebP())+16+2*len(large), len(got))
}

// TestAnimatedWebP checks the chunks in frames.
func TestAnimatedWebP(t *testing.T) {
	t.Parallel()
	bitstream := string(riffChunk("VP8L", "\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07"))
	frame := func(more string) []byte { return riffChunk("ANMF", strings.Repeat("\x00", 16)+bitstream+more) }
	file := plainWebP(riffChunk("ANIM", "\x00\x00\x00\x00\x00\x00"), frame(""), frame(string(riffChunk("EXIF", place))), frame("abc"), frame("ABCD\xff\xff\x00\x00"+place), riffChunk("ANMF", place))
	got := string(clean(t, file, "image/webp"))
	require.NotContains(t, got, place)
	require.NotContains(t, got, "abc")
	require.Equal(t, len(file), len(got))
	require.Equal(t, 5, strings.Count(got, bitstream))
	require.Equal(t, got, string(clean(t, []byte(got), "image/webp")))
}

// TestJPEGScans checks that entropy-coded data with stuffed bytes, restarts and fill bytes passes,
// and that a marker between fill bytes cannot smuggle a segment.
func TestJPEGScans(t *testing.T) {
	t.Parallel()
	head := "\xff\xd8" + string(segment(0xda, "abc"))
	for scan, want := range map[string]string{
		"a\xff\x00b\xff\xd0c\xff\xff\xd1d":           "a\xff\x00b\xff\xd0c\xff\xff\xd1d",
		"a\xff\xff\x01\xe1\x00\x03" + place:          "a\xe1\x00\x03" + place,
		"a\xff\xe1\x00\x0c" + place + "b":            "ab",
		"a\xff\xc4\x00\x03xb":                        "a\xff\xc4\x00\x03xb",
		"a\xff\x30\x00\x0c" + place + "b":            "ab",
		strings.Repeat("x", 64<<10-10) + "\xff\xd0y": strings.Repeat("x", 64<<10-10) + "\xff\xd0y",
	} {
		got := string(clean(t, []byte(head+scan+"\xff\xff\xd9"), "image/jpeg"))
		require.Equal(t, head+want+"\xff\xd9", got)
	}
}

// TestExif checks values at the limits, and blocks that repeat themselves.
func TestExif(t *testing.T) {
	t.Parallel()
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		got := cleanExif(append([]byte("Exif\x00\x00"), exif(order)...))
		require.NotContains(t, string(got), place)
		require.Contains(t, string(got), kept)
		require.Contains(t, string(got), "R03")
		require.Equal(t, got, cleanExif(got))
	}
	// All entries name the same directory, which is the one that they are in.
	loop := []byte("II*\x00\x08\x00\x00\x00\xff\xff")
	for i := range 65535 {
		loop = binary.LittleEndian.AppendUint16(loop, []uint16{uint16(tagExif), uint16(tagInterop), 0x8298}[i%3])
		loop = append(loop, "\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00"...)
	}
	require.LessOrEqual(t, len(cleanExif(loop)), maxExif)
	for _, block := range []string{"", "II*\x00", "II*\x00\xff\xff\xff\xff", "MM\x00*\x00\x00\x00\x08", "XX*\x00\x08\x00\x00\x00\x00\x00"} {
		require.Empty(t, cleanExif([]byte(block)))
	}
}

// TestXMP checks packets that are left out.
func TestXMP(t *testing.T) {
	t.Parallel()
	for _, packet := range []string{
		"", "   ", "<", "<a>", "<a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><rdf:RDF>&b;</rdf:RDF>", string(xmp()[:900]), strings.Repeat("<a>", 300_000),
		`<?xml version="1.0" encoding="UTF-16"?><a/>`,
	} {
		require.Empty(t, cleanXMP([]byte(packet)), "%.80s", packet)
	}
	got := string(cleanXMP(xmp()))
	require.NotContains(t, got, "GPS")
	require.NotContains(t, got, "title")
	require.Contains(t, got, "<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>")
}

// TestPhotoshop checks resources that are left out.
func TestPhotoshop(t *testing.T) {
	t.Parallel()
	got := cleanPhotoshop(photoshop())
	require.NotContains(t, string(got), place)
	require.Contains(t, string(got), kept)
	require.Equal(t, got, cleanPhotoshop(got))
	for _, body := range []string{"", "8BIM", "8BIM\x03\xed\x00\x00\xff\xff\xff\xff", "8BIM\x03\xed\xff\x00", "8BIM\x04\x04\x00\x00\x00\x00\x00\x06\x1c\x02\x74\x00\xffa"} {
		require.Empty(t, cleanPhotoshop([]byte(body)), fmt.Sprintf("%q", body))
	}
}
