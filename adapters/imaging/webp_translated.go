package imaging

import (
	"bytes"
	"fmt"
	"image"

	"github.com/gen2brain/webp"
)

// encodeTranslated encodes by libwebp as translated to Go.
func encodeTranslated(planes []plane) ([]byte, error) {
	luma, blue, red := planes[0], planes[1], planes[2]
	if len(planes) == 3 {
		planes = append(planes[:3:3], filledPlane(luma.width, luma.height, 255))
	}
	var out bytes.Buffer
	err := webp.Encode(&out, &image.NYCbCrA{
		YCbCr: image.YCbCr{
			Y: luma.pix, Cb: blue.pix, Cr: red.pix, YStride: luma.stride, CStride: blue.stride,
			SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, luma.width, luma.height),
		},
		A: planes[3].pix, AStride: planes[3].stride,
	}, webp.Options{Quality: quality, Method: translatedEffort})
	if err != nil {
		return nil, fmt.Errorf("imaging: %w", err)
	}
	return out.Bytes(), nil
}
