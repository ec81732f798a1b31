package imaging

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/rendition"
	"imprimatur/ports"
	"imprimatur/test/chromium"
)

// damagedFile is a picture that browsers show although it is damaged or unusual.
type damagedFile struct {
	bytes      []byte
	mimeType   string
	renditions bool
}

func damagedFiles(t testing.TB) map[string]damagedFile {
	t.Helper()
	photo, drawn := asJPEG(t, noisy(64, 48)), asPNG(t, noisy(64, 48))
	moving := asGIF(t, 64, 48, toPaletted(quarters(64, 48)), toPaletted(quarters(64, 48)))
	badSum := func(name, body string) []byte {
		chunk := pngChunk(name, body)
		chunk[len(chunk)-1] ^= 1
		return withChunks(drawn, chunk)
	}
	beyond := slices.Clone(asGIF(t, 64, 48, toPaletted(quarters(64, 48))))
	binary.LittleEndian.PutUint16(beyond[6:], 40)
	still := asGIF(t, 64, 48, toPaletted(quarters(64, 48)))
	noColors := slices.Concat(still[:13], still[13+colorTable(still[10]):])
	noColors[10] = 0
	frame := 13 + bytes.IndexByte(noColors[13:], ',')
	noColors = slices.Concat(noColors[:frame+9], []byte{0}, noColors[frame+10+int(colorTable(noColors[frame+9])):])
	avif, err := os.ReadFile("metadata/testdata/zurich.avif")
	require.NoError(t, err)
	return map[string]damagedFile{
		"JPEG without end marker":         {photo[:len(photo)-2], "image/jpeg", true},
		"JPEG with half an end marker":    {photo[:len(photo)-1], "image/jpeg", true},
		"JPEG cut at 80 %":                {photo[:len(photo)*8/10], "image/jpeg", false},
		"JPEG, 2x2,1x1,1x2":               {sampledJPEG(64, 48, 0x22, 0x11, 0x12), "image/jpeg", true},
		"JPEG, 1x1,2x2,1x1":               {sampledJPEG(64, 48, 0x11, 0x22, 0x11), "image/jpeg", true},
		"JPEG, 2x1,1x2,1x1":               {sampledJPEG(64, 48, 0x21, 0x12, 0x11), "image/jpeg", true},
		"JPEG, CMYK without Adobe marker": {flatJPEG([]byte{255, 128, 64, 255}, 64, 48, -1, false), "image/jpeg", true},
		"PNG, wrong sum of tIME":          {badSum("tIME", "\x07\xea\x01\x01\x00\x00\x00"), "image/png", true},
		"PNG, wrong sum of gAMA":          {badSum("gAMA", "\x00\x00\xb1\x8f"), "image/png", true},
		"PNG, wrong sum of tEXt":          {badSum("tEXt", "Title\x00x"), "image/png", true},
		"PNG without IEND":                {drawn[:len(drawn)-12], "image/png", false},
		"PNG cut at 80 %":                 {drawn[:len(drawn)*8/10], "image/png", false},
		"GIF without trailer":             {moving[:len(moving)-1], "image/gif", false},
		"GIF, frame beyond the canvas":    {beyond, "image/gif", false},
		"GIF without colour table":        {noColors, "image/gif", false},
		"AVIF":                            {avif, "image/avif", false},
		"GIF cut at 80 %":                 {moving[:len(moving)*8/10], "image/gif", false},
	}
}

// sampledJPEG returns a grey JPEG whose components have the samplings. Both sides must be multiples of 16.
func sampledJPEG(width, height int, samplings ...byte) []byte {
	file := flatJPEG([]byte{100, 128, 128}, width, height, -1, false)
	frame := bytes.Index(file, []byte{0xff, 0xc0}) + 10
	var blocks []byte // of one unit
	for i, sampling := range samplings {
		file[frame+3*i+1] = sampling
		blocks = append(blocks, bytes.Repeat([]byte{byte(i)}, int(sampling>>4)*int(sampling&15))...)
	}
	scan := bytes.Index(file, []byte{0xff, 0xda}) + 2
	scan += int(file[scan])<<8 | int(file[scan+1])
	across, down := 1, 1
	for _, sampling := range samplings {
		across, down = max(across, int(sampling>>4)), max(down, int(sampling&15))
	}
	units := width / (8 * across) * (height / (8 * down))
	return slices.Concat(file[:scan], flatScan([]byte{100, 128, 128}, blocks, units), []byte{0xff, 0xd9})
}

// TestDamagedPicturesAreKept checks pictures that Chromium shows: those that can be decoded have renditions,
// and the others a size and a warning.
func TestDamagedPicturesAreKept(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	files, pages := damagedFiles(t), map[string][]byte{}
	var names []string
	for name, file := range files {
		p, err := m.Renditions(t.Context(), bytes.NewReader(file.bytes), file.mimeType)
		require.NoError(t, err, name)
		require.Positive(t, p.Width*p.Height, name)
		require.Equal(t, file.renditions, p.Warning == "" && len(p.Thumb.Bytes) > 0, "%s: %s", name, p.Warning)
		if file.renditions {
			require.Equal(t, [2]int{64, 48}, [2]int{p.Width, p.Height}, name)
		}
		names = append(names, name)
		pages[strings.ReplaceAll(name, " %", "")] = file.bytes
	}
	var seen []int
	chromium.Ask(t, `return Promise.all(given.map((name) => new Promise((done) => {
		const image = new Image();
		image.onload = () => done(image.naturalWidth);
		image.onerror = () => done(0);
		image.src = encodeURIComponent(name.replace(' %', ''));
	})));`, names, &seen, pages)
	heic, err := os.ReadFile("metadata/testdata/zurich.heic")
	require.NoError(t, err)
	for mimeType, file := range map[string][]byte{"image/avif": files["AVIF"].bytes, "image/heic": heic} {
		p, err := m.Renditions(t.Context(), bytes.NewReader(file), mimeType)
		require.NoError(t, err)
		require.Equal(t, ports.Renditions{Width: 48, Height: 32, Warning: "variants of " + strings.ToUpper(mimeType[6:]) +
			" pictures are not made: the file is kept as it is, without variants"}, p)
		_, err = m.Render(t.Context(), bytes.NewReader(file), mimeType, rendition.Rendition{Width: 10})
		requireRefused(t, err)
	}
	for i, width := range seen {
		require.Positive(t, width, "Chromium does not show %s", names[i])
	}
}
