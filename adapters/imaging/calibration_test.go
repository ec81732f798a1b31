package imaging

import (
	"encoding/binary"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
)

func gammaChunk(gamma uint32) []byte {
	return pngChunk("gAMA", string(binary.BigEndian.AppendUint32(nil, gamma)))
}

func chromaticityChunk(values [8]float64) []byte {
	var body []byte
	for _, v := range values {
		body = binary.BigEndian.AppendUint32(body, uint32(v*100_000+0.5))
	}
	return pngChunk("cHRM", string(body))
}

// TestCalibratedPNGs checks the conversion to sRGB by the published matrices of both colour
// spaces.
func TestCalibratedPNGs(t *testing.T) {
	t.Parallel()
	renditions := setup(t)
	displayP3 := [8]float64{0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}
	half, p3 := color.NRGBA{128, 128, 128, 255}, color.NRGBA{200, 100, 50, 255}
	for name, c := range map[string]struct {
		pixel  color.NRGBA
		chunks [][]byte
		want   color.NRGBA
	}{
		"linear":                      {half, [][]byte{gammaChunk(100_000)}, color.NRGBA{188, 188, 188, 255}},
		"gamma of sRGB":               {half, [][]byte{gammaChunk(srgbGamma)}, half},
		"linear, marked as sRGB":      {half, [][]byte{pngChunk("sRGB", "\x00"), gammaChunk(100_000)}, half},
		"colours of sRGB":             {p3, [][]byte{gammaChunk(srgbGamma), chromaticityChunk(srgbChromaticities)}, p3},
		"colours of Display P3":       {p3, [][]byte{gammaChunk(srgbGamma), chromaticityChunk(displayP3)}, color.NRGBA{215, 93, 31, 255}},
		"impossible colours":          {p3, [][]byte{chromaticityChunk([8]float64{0.3, 0.3})}, p3},
		"colours in one line":         {p3, [][]byte{chromaticityChunk([8]float64{0.3, 0.3, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3})}, p3},
		"white as bright as darkness": {p3, [][]byte{chromaticityChunk([8]float64{0.3, 0, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06})}, p3},
		"no gamma":                    {half, [][]byte{gammaChunk(0)}, half},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := renditions(withChunks(asPNG(t, filled(40, 30, c.pixel)), c.chunks...), "image/png")
			require.NoError(t, err)
			requireColor(t, c.want, readWebP(t, p.FullWebP.Bytes).NRGBAAt(20, 15), "full WebP")
			requireColor(t, c.want, decodeThumb(t, p.Thumb).NRGBAAt(20, 15), "thumb")
		})
	}
	gray := grayOf(filled(40, 30, half))
	p, err := renditions(withChunks(asPNG(t, gray), gammaChunk(100_000)), "image/png")
	require.NoError(t, err)
	requireColor(t, color.NRGBA{188, 188, 188, 255}, readWebP(t, p.FullWebP.Bytes).NRGBAAt(20, 15), "grey")
}
