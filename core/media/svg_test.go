package media_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

func TestSizeOfSVG(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for attributes, want := range map[string][2]int{
		`width="120" height="80"`:                         {120, 80},
		`width="120px" height="79.6px" viewBox="0 0 1 1"`: {120, 80},
		`viewBox="0 0 300 150"`:                           {300, 150},
		`viewBox="-10,-10 , 30.4 15"`:                     {30, 15},
		`width="100%" height="100%" viewBox="0 0 24 24"`:  {24, 24},
		`width="600" viewBox="0 0 300 150"`:               {600, 300},
		`height="1in" viewBox="0 0 300 150"`:              {192, 96},
		`width="2.54cm" height="72pt"`:                    {96, 96},
		``:                                                {},
		`width="10"`:                                      {},
		`width="-5" height="5"`:                           {},
		`width="1e300" height="5"`:                        {},
		`width="NaN" height="Inf"`:                        {},
		`viewBox="0 0 0 0"`:                               {},
		`viewBox="0 0 10"`:                                {},
		`width="3em" height="2em"`:                        {},
		`xmlns:x="urn:x" x:width="9" x:height="9" viewBox="0 0 12 7"`: {12, 7},
	} {
		for _, before := range []string{"", "\ufeff", "\ufeff<?xml version=\"1.0\"?>\n<!-- a -->", "\r\n <!-- <svg> -->", "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]>", `<?xml version="1.0" encoding="ISO-8859-1"?><!-- a --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">` + "\n"} {
			item := d.upload(t, "a.svg", before+`<svg xmlns="http://www.w3.org/2000/svg" `+attributes+`><rect width="7" height="7"/></svg>`)
			require.Equal(t, want, [2]int{item.Width, item.Height}, attributes)
		}
	}
	item := d.upload(t, "a.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="5" height=`)
	require.Zero(t, item.Width)
}

func TestTypesOfHEIF(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for brands, want := range map[string]string{
		"avif....mif1avif": "image/avif", "avis....avif": "image/avif", "mif1....avifmiaf": "image/avif",
		"heic....mif1heic": "image/heic", "mif1....heic": "image/heic", "msf1....hevc": "image/heic", "heix....": "image/heic",
		"isom....iso2mp41": "video/mp4",
	} {
		item := d.upload(t, "a.heif", string([]byte{0, 0, 0, byte(len(brands) + 8)})+"ftyp"+brands+"\x00\x00\x00\x08mdat")
		require.Equal(t, want, item.MimeType, brands)
	}
}

// An SVG is told by its root element, also in UTF-16.
func TestTypesOfSVG(t *testing.T) {
	t.Parallel()
	d := setup(t)
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="5" height="6"/>`
	for _, content := range []string{
		`<?xml version="1.0"?><!-- ` + svg + ` --><rss/>`, `<?xml version="1.0"?><a>` + svg + `</a>`, `<a><svg xmlns="urn:other"/></a>`,
	} {
		_, err := d.tryUpload(t.Context(), "a.svg", content)
		require.Equal(t, core.KindUnsupportedMedia, core.KindOf(err), content)
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var text []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + `<?xml version="1.0" encoding="UTF-16"?>` + svg)) {
			text = order.AppendUint16(text, unit)
		}
		item := d.upload(t, "a.svg", string(text))
		require.Equal(t, "image/svg+xml", item.MimeType)
		require.Equal(t, [2]int{5, 6}, [2]int{item.Width, item.Height})
	}
}
