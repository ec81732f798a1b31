package metadata

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// growth is the number of bytes by which a result may exceed its source: an empty picture may name
// the same bytes of an Exif block many times.
const growth = maxExif + 1000

// FuzzReader checks that the result of any file is clean, about as short as the file, and the same
// for every size of reads.
func FuzzReader(f *testing.F) {
	types := []string{"image/jpeg", "image/png", "image/webp", "image/gif"}
	all := samples(f)
	for i, mimeType := range types {
		f.Add(all[mimeType], uint8(i))
	}
	f.Fuzz(func(t *testing.T, file []byte, kind uint8) {
		mimeType := types[int(kind)%len(types)]
		got, err := io.ReadAll(NewReader(bytes.NewReader(file), mimeType))
		slow, slowErr := io.ReadAll(NewReader(iotest.OneByteReader(bytes.NewReader(file)), mimeType))
		require.Equal(t, err, slowErr)
		require.Equal(t, got, slow)
		if err != nil {
			require.ErrorIs(t, err, ErrInvalid)
			return
		}
		require.LessOrEqual(t, len(got), 7*len(file)+growth) // escapes of XML are up to 6 times as long
		require.Equal(t, got, clean(t, got, mimeType))
	})
}

func FuzzExif(f *testing.F) {
	f.Add(exif(binary.LittleEndian))
	f.Add(exif(binary.BigEndian))
	f.Fuzz(func(t *testing.T, block []byte) {
		got := cleanExif(block)
		require.LessOrEqual(t, len(got), growth)
		require.Equal(t, got, cleanExif(got))
	})
}

func FuzzXMP(f *testing.F) {
	f.Add(xmp())
	f.Add(cleanXMP(xmp()))
	f.Fuzz(func(t *testing.T, packet []byte) {
		got := cleanXMP(packet)
		require.Equal(t, got, cleanXMP(got))
	})
}

func FuzzPhotoshop(f *testing.F) {
	f.Add(photoshop())
	f.Fuzz(func(t *testing.T, body []byte) {
		got := cleanPhotoshop(body)
		require.LessOrEqual(t, len(got), len(body)+2)
		require.Equal(t, got, cleanPhotoshop(got))
	})
}
