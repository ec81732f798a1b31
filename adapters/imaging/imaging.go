// Package imaging makes the variants of pictures: reads JPEG, PNG, GIF and WebP, and
// writes a thumbnail and smaller pictures for the web, upright, in sRGB, without any
// metadata.
//
// A picture is first surveyed: its structure is read from end to end without
// decoding it, which gives its size, how it lies, its colours, what memory it will
// take at most, and whether it is cut off. One that needs more memory than all
// pictures together may have is refused. Then it waits for its turn, is decoded to
// planes, scaled, brought to sRGB, and encoded: with loss, or without where a drawing
// is smaller so. All of it is memory-safe Go, and the
// same picture gives the same bytes on every machine.
package imaging

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Limits of what is decoded.
const (
	MaxPixels = 100_000_000
	MaxFrames = 10_000
)

// Longest sides of the variants, pixels. A picture is never made larger.
const (
	ThumbSide = 320
	FullSide  = 2560
)

// Options bound the work. Zero members take their default.
type Options struct {
	Concurrent int           // pictures in work at once; the number of processors
	Memory     int64         // bytes for all pictures in work together; 256 MiB. One that needs more is refused
	Wait       time.Duration // for a turn; 30 s
}

// Imager is the ports.Imager.
type Imager struct{ budget *budget }

var _ ports.Imager = (*Imager)(nil)

// New returns an Imager.
func New(options Options) *Imager {
	return &Imager{newBudget(
		defaulted(options.Concurrent, runtime.GOMAXPROCS(0)),
		defaulted(options.Memory, 256<<20),
		defaulted(options.Wait, 30*time.Second),
	)}
}

func defaulted[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// formats are the types that are decoded, by the names that sniffing gives them.
var formats = map[string]format{
	"image/jpeg":             jpegFormat{},
	"image/png":              pngFormat{},
	"image/apng":             pngFormat{},
	"image/vnd.mozilla.apng": pngFormat{},
	"image/gif":              gifFormat{},
	"image/webp":             webpFormat{},
}

// format is one way to keep a picture in a file.
type format interface {
	// survey reads the structure of the file; what is wrong with it is a fault.
	survey(source io.ReadSeeker) (survey, error)
	// decode makes planes of a file that was surveyed.
	decode(source io.ReadSeeker, s survey, w way) (decoded, error)
}

// survey is what the structure of a file tells.
type survey struct {
	width, height int // as stored
	frames        int
	orientation   orientation
	profile       *profile        // nil: sRGB
	gray          bool            // without colours, though alpha may make it come as RGBA
	planar        bool            // comes as planes of luma and chroma, or luma alone
	lossless      bool            // the file kept every pixel as it was drawn
	ways          []way           // to decode it, the best first
	parts         []part          // what the decoder needs of the file, where that is not all
	frame         image.Rectangle // WebP: of the parts, on the canvas
}

// way is a way to decode a picture.
type way struct {
	memory int64 // bytes that it allocates at most, what becomes garbage on the way included
	fast   bool  // JPEG: by the decoder that is faster and forgives more
	drawn  bool  // see as well whether the variants are smaller without loss
}

// part is a range of bytes of a file; the name is that of the chunk, if it is one.
type part struct {
	name           string
	offset, length int64
}

// Decodes is described at ports.Imager.
func (*Imager) Decodes(mimeType string) bool { return formats[mimeType] != nil }

// Variants is described at ports.Imager.
func (m *Imager) Variants(ctx context.Context, source io.ReadSeeker, mimeType string) (ports.Picture, error) {
	format := formats[mimeType]
	if format == nil {
		return ports.Picture{}, fmt.Errorf("imaging: %q is not decoded", mimeType)
	}
	reader := &watchedReader{ReadSeeker: source, ctx: ctx}
	picture, err := m.variants(ctx, reader, format)
	if reader.err != nil { // whatever a decoder made of it
		return ports.Picture{}, fmt.Errorf("imaging: read: %w", reader.err)
	}
	var f fault
	if errors.As(err, &f) {
		refusal := core.Invalid(core.FieldError{Location: "file", Message: string(f)})
		refusal.Err = err
		return ports.Picture{}, refusal
	}
	return picture, err
}

func (m *Imager) variants(ctx context.Context, source io.ReadSeeker, format format) (ports.Picture, error) {
	s, err := surveyed(source, format)
	if err != nil {
		return ports.Picture{}, err
	}
	way, err := s.within(m.budget.capacity)
	if err != nil {
		return ports.Picture{}, err
	}
	leave, err := m.budget.enter(ctx, way.memory+s.variantsMemory())
	if err != nil {
		return ports.Picture{}, err
	}
	defer leave()
	picture, err := opened(source, format, s, way)
	if err != nil {
		return ports.Picture{}, err
	}
	if err := ctx.Err(); err != nil {
		return ports.Picture{}, err
	}
	return picture.variants(ctx)
}

// surveyed reads the structure of a file and refuses what is over a limit.
func surveyed(source io.ReadSeeker, format format) (s survey, err error) {
	defer recoverAs(&err)
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return s, err
	}
	if s, err = format.survey(source); err != nil {
		return s, err
	}
	switch {
	case s.width < 1 || s.height < 1:
		return s, fault("the picture has no pixels")
	case int64(s.width)*int64(s.height) > MaxPixels:
		return s, faultf("the picture has %d × %d pixels; at most 100 megapixels are accepted", s.width, s.height)
	case s.frames > MaxFrames:
		return s, fault("the picture has more than 10,000 frames")
	}
	return s, nil
}

// within returns the best way to decode the picture that its variants can be made with
// in so much memory.
func (s survey) within(memory int64) (way, error) {
	for _, w := range s.ways {
		if more := s.losslessCost(); s.lossless && w.memory+s.variantsMemory()+more <= memory {
			return way{memory: w.memory + more, fast: w.fast, drawn: true}, nil
		}
		if w.memory+s.variantsMemory() <= memory {
			return w, nil
		}
	}
	needed := s.ways[len(s.ways)-1].memory + s.variantsMemory()
	return way{}, faultf("the picture has %d × %d pixels; to scale one of its kind takes %d MB of memory, and at most %d MB are allowed",
		s.width, s.height, (needed+1<<20-1)>>20, memory>>20)
}

// opened decodes a picture, scales it to its full variant, and brings it to sRGB.
// What was decoded is garbage when it returns.
func opened(source io.ReadSeeker, format format, s survey, w way) (r raster, err error) {
	defer recoverAs(&err)
	size, err := source.Seek(0, io.SeekEnd)
	if err != nil {
		return r, err
	}
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return r, err
	}
	d, err := format.decode(source, s, w)
	if err != nil {
		return r, err
	}
	if d.width != s.width || d.height != s.height {
		return r, fault("the picture contradicts itself about its size")
	}
	profile := s.profile
	if profile != nil && profile.space == "GRAY" && !s.gray {
		profile = nil
	}
	r = d.render(s.orientation, profile, w.drawn)
	r.originalSize, r.drawn, r.still = int(size), w.drawn, d.still
	r.originalWidth, r.originalHeight = s.orientation.upright(s.width, s.height)
	return r, nil
}

// fault is what is wrong with a picture, in words for who sent it.
type fault string

func (f fault) Error() string { return string(f) }

func faultf(format string, args ...any) fault { return fault(fmt.Sprintf(format, args...)) }

// broken is the fault of a file that its format's rules do not allow.
func broken(format string) fault { return faultf("the %s is broken or cut off", format) }

// recoverAs turns a panic, which only a codec's surprise at a picture can be, into a
// fault.
func recoverAs(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w (%v)", fault("the picture cannot be made smaller"), r)
	}
}

// watchedReader ends when the context does, and remembers what went wrong with the
// source itself, which is no fault of the picture.
type watchedReader struct {
	io.ReadSeeker
	ctx context.Context
	err error
}

func (r *watchedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		r.err = err
		return 0, err
	}
	n, err := r.ReadSeeker.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func (r *watchedReader) Seek(offset int64, whence int) (int64, error) {
	n, err := r.ReadSeeker.Seek(offset, whence)
	if err != nil {
		r.err = err
	}
	return n, err
}
