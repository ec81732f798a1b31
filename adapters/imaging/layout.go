package imaging

import (
	"image"
	"math"

	"imprimatur/adapters/imaging/webp"
	"imprimatur/core/rendition"
)

// layout is the geometry of a rendition of an upright picture.
type layout struct {
	crop          image.Rectangle // the part of the original that is shown
	width, height int             // to which the part is scaled, at most its own size
	canvas        image.Point     // the size of the result
	offset        image.Point     // of the picture on the canvas
}

// newLayout returns the layout of r for an upright original of the given size.
func newLayout(width, height int, r rendition.Rendition) layout {
	boxWidth, boxHeight := r.Width, r.Height
	if boxHeight == 0 {
		boxHeight = webp.MaxSide
	}
	l := layout{crop: image.Rect(0, 0, width, height)}
	if r.Fit == rendition.FitCover {
		l.crop = cropped(width, height, boxWidth, boxHeight, r.FocalX, r.FocalY)
		l.width, l.height = min(boxWidth, l.crop.Dx()), min(boxHeight, l.crop.Dy())
		l.canvas = image.Pt(l.width, l.height)
		return l
	}
	l.width, l.height = inside(width, height, boxWidth, boxHeight)
	l.canvas = image.Pt(l.width, l.height)
	if r.Fit == rendition.FitContain {
		l.canvas = surround(l.width, l.height, boxWidth, boxHeight)
		// Even offsets keep the pairs of pixels that share a sample of chroma.
		l.offset = image.Pt((l.canvas.X-l.width)/4*2, (l.canvas.Y-l.height)/4*2)
	}
	return l
}

// padded reports whether the picture does not fill the canvas.
func (l layout) padded() bool { return l.canvas != image.Pt(l.width, l.height) }

// inside returns the largest size of the shape of a picture that fits into the box, at most that of
// the picture.
func inside(width, height, boxWidth, boxHeight int) (int, int) {
	factor := min(1, float64(boxWidth)/float64(width), float64(boxHeight)/float64(height))
	return rounded(float64(width)*factor, boxWidth), rounded(float64(height)*factor, boxHeight)
}

// surround returns the size of a canvas of the shape of the box around a picture: that of the box,
// or the smallest one if the picture is smaller than the box in both directions.
func surround(width, height, boxWidth, boxHeight int) image.Point {
	factor := max(float64(width)/float64(boxWidth), float64(height)/float64(boxHeight))
	return image.Pt(max(width, rounded(float64(boxWidth)*factor, boxWidth)), max(height, rounded(float64(boxHeight)*factor, boxHeight)))
}

// cropped returns the largest part of a picture that has the shape of the box. Its middle is the
// focal point, given in tenths, or as near to it as the edges of the picture allow.
func cropped(width, height, boxWidth, boxHeight, focalX, focalY int) image.Rectangle {
	factor := min(float64(width)/float64(boxWidth), float64(height)/float64(boxHeight))
	w, h := rounded(float64(boxWidth)*factor, width), rounded(float64(boxHeight)*factor, height)
	start := func(side, part, focal int) int {
		middle := float64(side) * float64(focal) / 10
		return max(0, min(int(math.Round(middle-float64(part)/2)), side-part))
	}
	return image.Rect(0, 0, w, h).Add(image.Pt(start(width, w, focalX), start(height, h, focalY)))
}

// rounded returns the nearest number from 1 to most.
func rounded(v float64, most int) int { return max(1, min(int(math.Round(v)), most)) }

// stored returns the rectangle of a picture as it is stored that becomes the upright rectangle r.
// width and height are those of the stored picture.
func (o orientation) stored(r image.Rectangle, width, height int) image.Rectangle {
	if o.transpose {
		r = image.Rect(r.Min.Y, r.Min.X, r.Max.Y, r.Max.X)
	}
	if o.mirrorX {
		r.Min.X, r.Max.X = width-r.Max.X, width-r.Min.X
	}
	if o.mirrorY {
		r.Min.Y, r.Max.Y = height-r.Max.Y, height-r.Min.Y
	}
	return r
}
