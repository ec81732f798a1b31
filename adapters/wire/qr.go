package wire

import (
	"image/color"
	"strconv"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// qrMargin is the white border that readers need, in modules.
const qrMargin = 4

// QRCode returns text as a QR code: an SVG document of black squares on white, which scales to any size.
// The error says that the text is too long.
func QRCode(text string) (string, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", err
	}
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := range size {
			if code.At(x, y) == color.Black {
				path.WriteString("M" + strconv.Itoa(x+qrMargin) + " " + strconv.Itoa(y+qrMargin) + "h1v1h-1z")
			}
		}
	}
	side := strconv.Itoa(size + 2*qrMargin)
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ` + side + " " + side + `" shape-rendering="crispEdges">` +
		`<rect width="` + side + `" height="` + side + `" fill="#fff"/><path d="` + path.String() + `"/></svg>`, nil
}
