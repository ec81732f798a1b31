package media

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
)

const svgType = "image/svg+xml"

var svgRoot = xml.Name{Space: "http://www.w3.org/2000/svg", Local: "svg"}

// maxSVGSide is the maximum width and height of an SVG in pixels.
const maxSVGSide = 1 << 20

// xmlRoot returns the root element of an XML document. It returns false if the root element is not
// within head.
func xmlRoot(head []byte) (xml.StartElement, bool) {
	decoder := xml.NewDecoder(bytes.NewReader(inUTF8(head)))
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for {
		token, err := decoder.Token()
		if err != nil {
			return xml.StartElement{}, false
		}
		if root, ok := token.(xml.StartElement); ok {
			return root, true
		}
	}
}

// isSVG reports whether head is the start of an SVG. Package mimetype does not recognise one that
// begins with a byte order mark, a comment or a document type.
func isSVG(head []byte) bool {
	if !bytes.HasPrefix(bytes.TrimSpace(inUTF8(head)), []byte("<")) {
		return false
	}
	root, found := xmlRoot(head)
	return found && root.Name == svgRoot
}

// svgSize returns the size of an SVG in pixels: the width and height of the root element, and the
// viewBox for a side that these do not give. It returns zeros if the picture has no size of its own.
func svgSize(head []byte) (width, height int) {
	root, _ := xmlRoot(head)
	var w, h float64
	var box [4]float64
	for _, a := range root.Attr {
		switch {
		case a.Name.Space != "":
		case a.Name.Local == "width":
			w = svgLength(a.Value)
		case a.Name.Local == "height":
			h = svgLength(a.Value)
		case a.Name.Local == "viewBox":
			box = viewBox(a.Value)
		}
	}
	ratio := box[2] / box[3] // NaN or infinite without a box
	switch {
	case w == 0 && h == 0:
		w, h = box[2], box[3]
	case h == 0:
		h = w / ratio
	case w == 0:
		w = h * ratio
	}
	w, h = math.Round(w), math.Round(h)
	if !(w >= 1 && w <= maxSVGSide && h >= 1 && h <= maxSVGSide) {
		return 0, 0
	}
	return int(w), int(h)
}

// svgUnits has the lengths of units in pixels (CSS Values and Units, section 6.2). The lengths of
// other units depend on the page that shows the picture.
var svgUnits = map[string]float64{"": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "pt": 96.0 / 72, "pc": 16}

// svgLength returns a length in pixels, or zero.
func svgLength(text string) float64 {
	text = strings.TrimSpace(text)
	digits := strings.TrimRightFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '%' })
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(value > 0) {
		return 0
	}
	return value * svgUnits[strings.ToLower(text[len(digits):])]
}

// viewBox returns the four numbers of a viewBox, or zeros if it is not valid.
func viewBox(text string) (box [4]float64) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
	if len(fields) != len(box) {
		return box
	}
	for i, field := range fields {
		value, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return [4]float64{}
		}
		box[i] = value
	}
	return box
}
