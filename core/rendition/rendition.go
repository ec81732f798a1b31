package rendition

import (
	"fmt"
	"strings"
)

// Rendition describes an image that is made of an original on demand. Two renditions are equal if
// their images are.
type Rendition struct {
	// Width and Height are the box in pixels. With Height 0 only the width is limited, and Fit is
	// FitInside.
	Width, Height int
	Fit           Fit
	// FocalX and FocalY are the point of the original that a cropped picture shows in its middle, or
	// as near to it as possible, in tenths of its width and height. They are 0 unless Fit is FitCover.
	FocalX, FocalY int
	Format         Format
	Quality        int // of 100; 0 for PNG, which is exact
}

// Fit says how a picture fills the box of a Rendition. A picture is never enlarged: of a small
// original, FitCover and FitContain have the shape of the box and not its size.
type Fit string

// The kinds of Fit.
const (
	FitInside  Fit = "inside"  // as large as the box allows
	FitContain Fit = "contain" // the same, with margins up to the box
	FitCover   Fit = "cover"   // fills the box; what does not fit is cut off
)

// Format is the file format of a Rendition.
type Format string

// The formats of renditions.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	WebP Format = "webp"
)

// Extension returns the extension of the files of f.
func (f Format) Extension() string {
	if f == JPEG {
		return ".jpg"
	}
	return "." + string(f)
}

// File is a rendition as it is stored. It has no metadata.
type File struct {
	Format Format
	Bytes  []byte
}

// renditionVersion is part of the names of stored renditions. Increase it when the same original
// gives another picture: stored ones are then made again.
const renditionVersion = 1

// Key returns a name that is different for each rendition, of letters, digits, dots and hyphens, with
// the extension of its format.
func (r Rendition) Key() string {
	var key strings.Builder
	fmt.Fprintf(&key, "%d-%dx%d-%s", renditionVersion, r.Width, r.Height, r.Fit)
	if r.Fit == FitCover {
		fmt.Fprintf(&key, "-%d-%d", r.FocalX, r.FocalY)
	}
	fmt.Fprintf(&key, "-q%d%s", r.Quality, r.Format.Extension())
	return key.String()
}
