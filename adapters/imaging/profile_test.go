package imaging

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// icc returns a profile of a class and spaces, with elements in order.
func icc(class, space, connection string, elements ...[2]string) []byte {
	out := make([]byte, 132+12*len(elements))
	copy(out[8:], "\x02\x40\x00\x00")
	copy(out[12:], class+space+connection)
	copy(out[36:], "acsp")
	for i, v := range whiteXYZ {
		binary.BigEndian.PutUint32(out[68+4*i:], fixed32(v))
	}
	binary.BigEndian.PutUint32(out[128:], uint32(len(elements)))
	for i, e := range elements {
		entry := out[132+12*i:]
		copy(entry, e[0])
		binary.BigEndian.PutUint32(entry[4:], uint32(len(out)))
		binary.BigEndian.PutUint32(entry[8:], uint32(len(e[1])))
		out = append(out, e[1]...)
		out = append(out, make([]byte, -len(out)&3)...)
	}
	binary.BigEndian.PutUint32(out, uint32(len(out)))
	return out
}

func fixed32(v float64) uint32 { return uint32(int32(math.Round(v * 65536))) }

func fixeds(head string, values ...float64) string {
	out := []byte(head)
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, fixed32(v))
	}
	return string(out)
}

func xyzElement(x, y, z float64) string { return fixeds("XYZ \x00\x00\x00\x00", x, y, z) }

// gammaElement returns a power curve.
func gammaElement(power float64) string {
	return "curv\x00\x00\x00\x00\x00\x00\x00\x01" + string(binary.BigEndian.AppendUint16(nil, uint16(math.Round(power*256))))
}

// srgbCurve is the parametric curve of sRGB.
var srgbCurve = fixeds("para\x00\x00\x00\x00\x00\x03\x00\x00", 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)

func screenProfile(curve string, r, g, b [3]float64) []byte {
	elements := [][2]string{{"wtpt", xyzElement(0.9642, 1, 0.8249)}}
	for i, primary := range [][3]float64{r, g, b} {
		name := string("rgb"[i])
		elements = append(elements, [2]string{name + "XYZ", xyzElement(primary[0], primary[1], primary[2])}, [2]string{name + "TRC", curve})
	}
	return icc("mntr", "RGB ", "XYZ ", elements...)
}

var (
	srgb      = screenProfile(srgbCurve, [3]float64{0.4361, 0.2225, 0.0139}, [3]float64{0.3851, 0.7169, 0.0971}, [3]float64{0.1431, 0.0606, 0.7141})
	displayP3 = screenProfile(srgbCurve, [3]float64{0.5151, 0.2412, -0.0011}, [3]float64{0.2920, 0.6922, 0.0419}, [3]float64{0.1571, 0.0666, 0.7841})
	adobeRGB  = screenProfile(gammaElement(563.0/256), [3]float64{0.6097, 0.3111, 0.0195}, [3]float64{0.2053, 0.6257, 0.0609}, [3]float64{0.1492, 0.0632, 0.7446})
	gray18    = icc("mntr", "GRAY", "XYZ ", [2]string{"kTRC", gammaElement(1.8)}, [2]string{"wtpt", xyzElement(0.9642, 1, 0.8249)})
	grayLab   = icc("mntr", "GRAY", "Lab ", [2]string{"kTRC", gammaElement(1.8)}, [2]string{"wtpt", xyzElement(0.9642, 1, 0.8249)})
	press     = icc("prtr", "CMYK", "Lab ", [2]string{"A2B0", pressTable()}, [2]string{"wtpt", xyzElement(0.9642, 1, 0.8249)})
)

// pressTable returns the table of a fictitious press with sixteen solid overprints: ink
// absorbs light, and each ink has its own colour.
func pressTable() string {
	out := []byte("mft2\x00\x00\x00\x00\x04\x03\x02\x00")
	for i := range 9 {
		out = binary.BigEndian.AppendUint32(out, fixed32([]float64{1, 0, 0, 0}[i%4]))
	}
	out = binary.BigEndian.AppendUint16(out, 2)
	out = binary.BigEndian.AppendUint16(out, 2)
	ends := []byte{0, 0, 0xff, 0xff}
	out = append(out, bytes.Repeat(ends, 4)...)
	for corner := range 16 {
		c, m, y, k := float64(corner>>3&1), float64(corner>>2&1), float64(corner>>1&1), float64(corner&1)
		light := (100 - 30*c - 35*m - 8*y) * (1 - 0.8*k)
		a, b := (-35*c+70*m-4*y)*(1-k), (-45*c-3*m+85*y)*(1-k)
		for _, v := range []float64{light / 100 * 65280, (a + 128) * 256, (b + 128) * 256} {
			out = binary.BigEndian.AppendUint16(out, uint16(v))
		}
	}
	return string(append(out, bytes.Repeat(ends, 3)...))
}

func withPNGProfile(file, profile []byte) []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(profile)
	_ = w.Close()
	return withChunks(file, pngChunk("iCCP", "a profile\x00\x00"+packed.String()))
}

// withJPEGProfile splits the profile into segments, in reverse order.
func withJPEGProfile(file, profile []byte, pieces int) []byte {
	var segments [][]byte
	for i := range pieces {
		piece := profile[len(profile)*i/pieces : len(profile)*(i+1)/pieces]
		segments = append(segments, segment(0xe2, "ICC_PROFILE\x00"+string([]byte{byte(i + 1), byte(pieces)})+string(piece)))
	}
	slices.Reverse(segments)
	return withSegments(file, segments...)
}

func TestColoursAreConvertedToSRGB(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	given := color.NRGBA{180, 110, 70, 255}
	half := color.NRGBA{180, 110, 70, 128}
	grey := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range grey.Pix {
		grey.Pix[i] = 110
	}
	// Results of Little CMS for the same files.
	for name, c := range map[string]struct {
		mimeType string
		file     []byte
		want     color.NRGBA
	}{
		"none":                 {"image/png", asPNG(t, filled(64, 48, given)), given},
		"sRGB":                 {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), srgb), given},
		"P3, PNG":              {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), displayP3), color.NRGBA{191, 106, 61, 255}},
		"P3, alpha":            {"image/png", withPNGProfile(asPNG(t, filled(64, 48, half)), displayP3), color.NRGBA{191, 106, 61, 128}},
		"P3, JPEG":             {"image/jpeg", withJPEGProfile(asJPEG(t, filled(64, 48, given)), displayP3, 3), color.NRGBA{190, 106, 59, 255}},
		"P3, WebP":             {"image/webp", extendedWebP(asWebP(t, filled(64, 48, given)), 64, 48, appendChunk(nil, "ICCP", displayP3), nil), color.NRGBA{193, 106, 60, 255}},
		"Adobe RGB":            {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), adobeRGB), color.NRGBA{201, 111, 66, 255}},
		"Adobe RGB, RGB":       {"image/jpeg", withJPEGProfile(flatJPEG([]byte{180, 110, 70}, 64, 48, 0, false), adobeRGB, 1), color.NRGBA{201, 111, 66, 255}},
		"grey":                 {"image/png", withPNGProfile(asPNG(t, grey), gray18), color.NRGBA{129, 129, 129, 255}},
		"grey, JPEG":           {"image/jpeg", withJPEGProfile(asJPEG(t, grey), gray18, 1), color.NRGBA{129, 129, 129, 255}},
		"grey through Lab":     {"image/png", withPNGProfile(asPNG(t, grey), grayLab), color.NRGBA{53, 53, 53, 255}},
		"CMYK, black":          {"image/jpeg", withJPEGProfile(flatJPEG([]byte{0, 255, 255, 0}, 64, 48, 0, false), press, 1), color.NRGBA{28, 28, 28, 255}},
		"CMYK, red":            {"image/jpeg", withJPEGProfile(flatJPEG([]byte{255, 0, 0, 255}, 64, 48, 0, false), press, 1), color.NRGBA{246, 67, 0, 255}},
		"grey, not applicable": {"image/png", withPNGProfile(asPNG(t, filled(64, 48, given)), gray18), given},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(c.file, c.mimeType)
			require.NoError(t, err)
			requireColor(t, c.want, readWebP(t, p.FullWebP.Bytes).NRGBAAt(30, 20), "full WebP")
			if c.want.A == 255 {
				requireColor(t, c.want, decodeThumb(t, p.Thumb).NRGBAAt(30, 20), "thumb")
			} else {
				requireColor(t, c.want, readPNG(t, p.Thumb.Bytes).NRGBAAt(30, 20), "thumb")
			}
		})
	}
}

// Both formats of the tables have the same meaning.
func TestTablesOfBothForms(t *testing.T) {
	t.Parallel()
	old := parseProfile(press)
	require.NotNil(t, old)
	identity := fixeds("para\x00\x00\x00\x00\x00\x00\x00\x00", 1)
	table := []byte(pressTable())
	grid := table[52+4*4 : 52+4*4+16*6]
	const bAt, aAt = 32, 32 + 3*16
	gridAt := aAt + 4*16
	modern := []byte("mAB \x00\x00\x00\x00\x04\x03\x00\x00")
	for _, offset := range []int{bAt, 0, 0, gridAt, aAt} {
		modern = binary.BigEndian.AppendUint32(modern, uint32(offset))
	}
	for range 7 {
		modern = append(modern, identity...)
	}
	modern = append(modern, "\x02\x02\x02\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00"...)
	for i := 0; i < len(grid); i += 2 { // white is FFFF in this format, not FF00
		modern = binary.BigEndian.AppendUint16(modern, uint16(float64(binary.BigEndian.Uint16(grid[i:]))*65535/65280))
	}
	later := parseProfile(icc("prtr", "CMYK", "Lab ", [2]string{"A2B0", string(modern)}))
	require.NotNil(t, later)
	for i := range 81 {
		device := [4]float64{float64(i%3) / 2, float64(i/3%3) / 2, float64(i/9%3) / 2, float64(i/27) / 2}
		want, got := old.xyz(device), later.xyz(device)
		require.InDeltaSlice(t, want[:], got[:], 0.001, "%v", device)
	}
}

// gridProfile returns a profile of a lutAToBType that contains only a grid, with identical
// curves before and after, to XYZ. The last side varies fastest.
func gridProfile(sides [3]byte, width byte, samples []byte) []byte {
	const curvesAt, gridAt = 32, 32 + 3*16
	table := []byte("mAB \x00\x00\x00\x00\x03\x03\x00\x00")
	for _, offset := range []uint32{curvesAt, 0, 0, gridAt, 0} {
		table = binary.BigEndian.AppendUint32(table, offset)
	}
	for range 3 {
		table = append(table, fixeds("para\x00\x00\x00\x00\x00\x00\x00\x00", 1)...)
	}
	head := [20]byte{0: sides[0], 1: sides[1], 2: sides[2], 16: width}
	return icc("mntr", "RGB ", "XYZ ", [2]string{"A2B0", string(append(append(table, head[:]...), samples...))})
}

// Each side of a grid has its own number of points.
func TestGridWithDifferentSides(t *testing.T) {
	t.Parallel()
	for _, sides := range [][3]byte{{5, 9, 17}, {17, 9, 5}, {2, 3, 2}} {
		var samples []byte
		for i := range int(sides[0]) * int(sides[1]) * int(sides[2]) {
			rest := i / int(sides[2])
			for c, at := range []int{rest / int(sides[1]), rest % int(sides[1]), i % int(sides[2])} {
				samples = binary.BigEndian.AppendUint16(samples, uint16(math.Round(float64(at)/float64(sides[c]-1)*32768)))
			}
		}
		p := parseProfile(gridProfile(sides, 2, samples))
		require.NotNil(t, p)
		for i := range 11 * 11 * 11 {
			device := [4]float64{float64(i%11) / 10, float64(i/11%11) / 10, float64(i/121) / 10}
			got := p.xyz(device)
			require.InDeltaSlice(t, device[:3], got[:], 0.0001, "%v of %v", device, sides)
		}
	}
}

// The counts in a profile are checked against its size before memory is allocated. The test
// does not run in parallel, because it counts all allocations.
func TestProfilesWithLargeCountsAllocateLittle(t *testing.T) {
	tags := icc("mntr", "RGB ", "XYZ ")
	binary.BigEndian.PutUint32(tags[128:], math.MaxUint32)
	for name, data := range map[string][]byte{
		"tags":   tags,
		"points": screenProfile("curv\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00", [3]float64{0.5}, [3]float64{0.3}, [3]float64{0.2}),
		"grid":   gridProfile([3]byte{255, 255, 255}, 0, nil),
	} {
		p, size := allocated(func() (*profile, error) { return parseProfile(data), nil })
		require.Nil(t, p, name)
		require.Less(t, size, int64(1<<20), name)
	}
}

// BenchmarkLongCurves parses curves whose inversion would search all points for most
// values. Compressed in a PNG, they take less than one hundredth of their size.
func BenchmarkLongCurves(b *testing.B) {
	const points = 64_000
	curve := "curv\x00\x00\x00\x00" + string(binary.BigEndian.AppendUint32(nil, points)) + "\x68\x00" + strings.Repeat("\x60\x00", points-1)
	data := screenProfile(curve, [3]float64{0.5, 0.2, 0}, [3]float64{0.3, 0.7, 0}, [3]float64{0.2, 0.1, 0.8})
	b.ReportAllocs()
	for b.Loop() {
		require.NotNil(b, parseProfile(data))
	}
}

// A broken profile may be ignored, but the picture is always converted.
func TestBrokenProfilesAreIgnored(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	for name, profile := range map[string][]byte{"screen": displayP3, "grey": gray18, "press": press} {
		for cut := 0; cut < len(profile); cut += 7 {
			parseProfile(profile[:cut])
		}
		for at := 16; at < len(profile); at += 3 {
			damaged := slices.Clone(profile)
			damaged[at] ^= 0xff
			if at%21 == 0 {
				_, err := renditions(withJPEGProfile(flatJPEG([]byte{9, 9, 9, 9}[:map[string]int{"screen": 3, "grey": 1, "press": 4}[name]], 8, 8, -1, false), damaged, 1), "image/jpeg")
				require.NoError(t, err, "%s at %d", name, at)
			}
			parseProfile(damaged)
		}
	}
}

// The numbers of the pieces are bytes, so that the last of 255 has no successor.
func TestProfileOfAllPieces(t *testing.T) {
	t.Parallel()
	var segments [][]byte
	for number := range 256 {
		segments = append(segments, segment(0xe2, "ICC_PROFILE\x00"+string([]byte{byte(number), 255, 0})))
	}
	_, err := setup(t)(withSegments(asJPEG(t, quarters(48, 40)), segments...), "image/jpeg")
	require.NoError(t, err)
}
