package metadata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/exiftool"
)

// The test files have Exif and XMP that say where they were taken; avifenc, heif-enc and ExifTool wrote them.
func heifFile(t testing.TB, extension string) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/zurich." + extension)
	require.NoError(t, err)
	return file
}

func TestHEIFMetadataBecomesZeros(t *testing.T) {
	t.Parallel()
	for _, extension := range []string{"avif", "heic"} {
		file := heifFile(t, extension)
		cleaned := clean(t, file, "image/"+extension)
		require.Len(t, cleaned, len(file))
		require.Equal(t, cleaned, clean(t, cleaned, "image/"+extension))
		require.Contains(t, fmt.Sprint(exiftool.Read(t, file)), "GPSLatitude")
		read := exiftool.Read(t, cleaned)[0]
		require.EqualValues(t, "48 32", fmt.Sprint(read["QuickTime:ImageSpatialExtent"]), "%v", read)
		for _, place := range []string{"GPS", "City", "Zurichplace"} {
			require.NotContains(t, fmt.Sprint(read), place)
		}
		// A file that is cut off after the list of its items is cleaned, too.
		require.Equal(t, cleaned[:len(file)-100], clean(t, file[:len(file)-100], "image/"+extension))
	}
}

// heifBox returns a box.
func heifBox(name string, content ...string) string {
	whole := strings.Join(content, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(whole)+8))) + name + whole
}

// heifList returns a box meta with one item Exif at the location.
func heifList(location string, more ...string) string {
	return heifBox("meta", append([]string{"\x00\x00\x00\x00",
		heifBox("iinf", "\x00\x00\x00\x00\x00\x01", heifBox("infe", "\x02\x00\x00\x00\x00\x01\x00\x00Exif\x00")),
		heifBox("iloc", location)}, more...)...)
}

func TestHEIFInOtherForms(t *testing.T) {
	t.Parallel()
	const kind, secret = "\x00\x00\x00\x10ftypavif\x00\x00\x00\x00", "47.3769 8.5417"
	inBox := heifList("\x01\x00\x00\x00\x44\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x0e", heifBox("idat", "ab", secret, "c"))
	for name, c := range map[string]struct{ file, want string }{
		"an item in the list":    {kind + inBox + heifBox("mdat", "pixels"), kind + strings.Replace(inBox, secret, strings.Repeat("\x00", 14), 1) + heifBox("mdat", "pixels")},
		"a box of another maker": {kind + inBox + heifBox("mpvd", secret), kind + strings.Replace(inBox, secret, strings.Repeat("\x00", 14), 1) + heifBox("free", strings.Repeat("\x00", 14))},
		"tracks with a place":    {kind + heifBox("moov", heifBox("mvhd", "x"), heifBox("udta", secret), heifBox("trak", heifBox("tkhd", "y"), heifBox("meta", secret))), kind + heifBox("moov", heifBox("mvhd", "x"), heifBox("free", strings.Repeat("\x00", 14)), heifBox("trak", heifBox("tkhd", "y"), heifBox("free", strings.Repeat("\x00", 14))))},
		"bytes behind the boxes": {kind + inBox + heifBox("mdat", "x") + "\x00\x00", kind + strings.Replace(inBox, secret, strings.Repeat("\x00", 14), 1) + heifBox("mdat", "x")},
	} {
		require.Equal(t, []byte(c.want), clean(t, []byte(c.file), "image/avif"), name)
	}
	for name, file := range map[string]string{
		"the list after the bytes": kind + heifBox("mdat", secret) + inBox,
		"an item in another file":  kind + heifList("\x00\x00\x00\x00\x44\x00\x00\x01\x00\x01\x00\x01\x00\x01\x00\x00\x00\x40\x00\x00\x00\x0e"),
		"an item to the end":       kind + heifList("\x00\x00\x00\x00\x44\x00\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x40\x00\x00\x00\x00"),
		"an item before the list":  kind + heifList("\x00\x00\x00\x00\x44\x00\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00\x02"),
		"a list that is cut off":   kind + heifList("\x00\x00\x00\x00\x44\x00\x00\x09\x00\x01"),
	} {
		_, err := io.Copy(io.Discard, NewReader(strings.NewReader(file), "image/avif"))
		require.ErrorIs(t, err, ErrUnremovable, name)
	}
	_, err := io.Copy(io.Discard, NewReader(bytes.NewReader(slices.Concat([]byte(kind), []byte("\x00\x00\x00\x04meta"))), "image/avif"))
	require.ErrorIs(t, err, ErrInvalid)
}
