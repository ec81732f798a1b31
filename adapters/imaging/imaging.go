package imaging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime"
	"time"

	"imprimatur/adapters/imaging/metadata"
	"imprimatur/core"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

// Limits of pictures that are decoded.
const (
	MaxPixels = 100_000_000
	MaxFrames = 10_000
)

// Longest sides of the renditions in pixels. A picture is never enlarged.
const (
	ThumbSide = 320
	FullSide  = 2560
)

// Options limit CPU and memory use. A zero member uses the default that is stated after
// the semicolon.
type Options struct {
	Concurrent int           // pictures processed at once; the number of processors
	Memory     int64         // bytes for all concurrent pictures; 256 MiB. A picture that needs more is rejected
	Wait       time.Duration // longest wait for the budget; 30 s
}

// Imager is a ports.Imager. It is safe for concurrent use.
type Imager struct{ budget *budget }

var _ ports.Imager = (*Imager)(nil)

// New returns an Imager.
func New(options Options) *Imager {
	return &Imager{newBudget(
		cmp.Or(options.Concurrent, runtime.GOMAXPROCS(0)),
		cmp.Or(options.Memory, 256<<20),
		cmp.Or(options.Wait, 30*time.Second),
	)}
}

// formats are the formats by MIME type.
var formats = map[string]format{
	"image/jpeg": jpegFormat,
	"image/png":  pngFormat,
	"image/gif":  {"GIF", surveyGIF, decodeGIF},
	"image/webp": {"WebP", surveyWebP, decodeWebP},
	"image/avif": {"AVIF", surveyHEIF, nil},
	"image/heic": {"HEIC", surveyHEIF, nil},
}

var (
	jpegFormat = format{"JPEG", surveyJPEG, decodeJPEG}
	pngFormat  = format{"PNG", surveyPNG, decodePNG}
)

// format is a file format. An error of its functions that is not a fault means that the
// file is invalid.
type format struct {
	name   string
	survey func(in *offsetReader) (survey, error)                            // reads the structure; after an error up to there
	decode func(source io.ReadSeeker, s survey, w strategy) (decoded, error) // decodes a surveyed file; nil: pictures are only measured
}

var errInvalid = errors.New("invalid file")

// fault converts an error to a fault.
func (f format) fault(err error) error {
	if errors.Is(err, metadata.ErrUnremovable) {
		return faultf("the %s has metadata that cannot be removed: save the picture without it, or set keepLocation of the project", f.name)
	}
	if _, known := errors.AsType[fault](err); err == nil || known {
		return err
	}
	return faultf("the %s is invalid or truncated", f.name)
}

// survey is the result of reading the structure of a file.
type survey struct {
	width, height int  // as stored
	begun         bool // the picture has begun: a file that is damaged after that has a size
	damaged       bool // the structure of the file is invalid after that
	open          bool // JPEG: without an end marker
	lenient       bool // JPEG: only the fast decoder supports it
	frames        int
	orientation   orientation
	profile       *profile        // nil means sRGB
	gray          bool            // without colours; with alpha it may still be decoded as RGBA
	planar        bool            // decoded as planes of luma and chroma, or luma only
	lossless      bool            // the file is lossless
	strategies    []strategy      // possible ways to decode it, the best first
	parts         []part          // parts of the file that the decoder needs; nil means all
	shrink        int             // pixels per axis that become one when a palette is unpacked; 0: no palette
	reduce        int             // JPEG: the fast decoder may shrink both axes by it, for a rendition; 0: not
	frame         image.Rectangle // WebP: position of the parts on the canvas
}

// strategy is one possible way to decode a picture.
type strategy struct {
	memory   int64 // peak allocation in bytes, including garbage
	fast     bool  // JPEG: use the faster and more lenient decoder
	lossless bool  // also try lossless renditions
}

// part is a range of bytes of a file. name is the name of its chunk, if any.
type part struct {
	name           string
	offset, length int64
	data           []byte // in place of bytes of the file, with that length
}

// inserted returns a part of bytes that are not in the file.
func inserted(data string) part { return part{length: int64(len(data)), data: []byte(data)} }

// Decodes implements ports.Imager.
func (*Imager) Decodes(mimeType string) bool { return formats[mimeType].decode != nil }

// Measures implements ports.Imager.
func (*Imager) Measures(mimeType string) bool { return formats[mimeType].survey != nil }

// Renditions implements ports.Imager.
func (m *Imager) Renditions(ctx context.Context, source io.ReadSeeker, mimeType string) (made ports.Renditions, err error) {
	err = watched(ctx, source, mimeType, func(source io.ReadSeeker, format format) error {
		made, err = m.renditions(ctx, source, format)
		return err
	})
	return made, err
}

// Render implements ports.Imager.
func (m *Imager) Render(ctx context.Context, source io.ReadSeeker, mimeType string, r rendition.Rendition) (picture []byte, err error) {
	err = watched(ctx, source, mimeType, func(source io.ReadSeeker, format format) error {
		if format.decode == nil {
			return faultf("renditions of %s pictures are not made", format.name)
		}
		picture, err = m.render(ctx, source, format, r)
		return err
	})
	return picture, err
}

// watched calls do with the format of the type and returns its error, as one for clients if it is a
// fault of the picture, or that of reading source.
func watched(ctx context.Context, source io.ReadSeeker, mimeType string, do func(io.ReadSeeker, format) error) error {
	format := formats[mimeType]
	if format.survey == nil {
		return fmt.Errorf("imaging: %q is not decoded", mimeType)
	}
	reader := &watchedReader{ReadSeeker: source, ctx: ctx}
	err := do(reader, format)
	if reader.err != nil { // a decoder may have replaced it by another error
		return fmt.Errorf("imaging: read: %w", reader.err)
	}
	return refusal(err)
}

// refusal converts a fault to an error for clients.
func refusal(err error) error {
	f, ok := errors.AsType[fault](err)
	if !ok {
		return err
	}
	refusal := core.Invalid(core.FieldError{Location: "file", Message: string(f)})
	refusal.Err = err
	return refusal
}

// Clean implements ports.Imager.
func (*Imager) Clean(source io.Reader, mimeType string) io.Reader {
	return cleanReader{metadata.NewReader(source, mimeType), formats[mimeType]}
}

// cleanReader converts the errors of package metadata.
type cleanReader struct {
	io.Reader
	format format
}

func (r cleanReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, metadata.ErrInvalid) || errors.Is(err, metadata.ErrUnremovable) {
		err = refusal(r.format.fault(err))
	}
	return n, err
}

func (m *Imager) renditions(ctx context.Context, source io.ReadSeeker, format format) (ports.Renditions, error) {
	s, err := surveyFile(source, format)
	switch {
	case err != nil:
		return ports.Renditions{}, err
	case format.decode == nil:
		return s.original(faultf("variants of %s pictures are not made", format.name)), nil
	case s.damaged:
		return s.original(format.fault(errInvalid)), nil
	}
	way, err := s.choose(m.budget.capacity)
	if err != nil {
		return ports.Renditions{}, err
	}
	leave, err := m.budget.enter(ctx, way.memory+s.renditionsMemory())
	if err != nil {
		return ports.Renditions{}, err
	}
	defer leave()
	picture, err := decodeFile(source, format, s, way)
	if _, undecodable := errors.AsType[fault](err); undecodable {
		return s.original(err), ctx.Err()
	}
	if err != nil {
		return ports.Renditions{}, err
	}
	if err := ctx.Err(); err != nil {
		return ports.Renditions{}, err
	}
	return picture.renditions(ctx, s)
}

// original returns the size of a picture without renditions, and why it has none. Browsers can show such
// files, or as much as they can read of them.
func (s survey) original(reason error) ports.Renditions {
	width, height := s.orientation.upright(s.width, s.height)
	return ports.Renditions{Width: width, Height: height, Warning: reason.Error() + ": the file is kept as it is, without variants"}
}

// surveyFile reads the structure of a file and rejects a picture over a limit.
func surveyFile(source io.ReadSeeker, format format) (s survey, err error) {
	defer recoverAs(&err)
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return s, err
	}
	if s, err = format.survey(newOffsetReader(source)); err != nil {
		if _, refused := errors.AsType[fault](err); refused || !s.begun {
			return s, format.fault(err)
		}
		s.damaged = true
	}
	switch {
	case s.width < 1 || s.height < 1:
		return s, fault("the picture has no pixels")
	case format.decode != nil && int64(s.width)*int64(s.height) > MaxPixels:
		return s, faultf("the picture has %d × %d pixels; at most 100 megapixels are accepted", s.width, s.height)
	case s.frames > MaxFrames:
		return s, fault("the picture has more than 10,000 frames")
	}
	return s, nil
}

// choose returns the best way to make the renditions with at most memory bytes.
func (s survey) choose(memory int64) (strategy, error) {
	return s.chooseFor(memory, s.renditionsMemory(), s.losslessCost())
}

// chooseFor returns the best way to process the picture with at most memory bytes. following and
// lossless are the bytes for what follows the decoder, and in addition for lossless encoding.
func (s survey) chooseFor(memory, following, lossless int64) (strategy, error) {
	for _, w := range s.strategies {
		if s.lossless && w.memory+following+lossless <= memory {
			return strategy{memory: w.memory + lossless, fast: w.fast, lossless: true}, nil
		}
		if w.memory+following <= memory {
			return w, nil
		}
	}
	needed := s.strategies[len(s.strategies)-1].memory + following
	return strategy{}, faultf("the picture has %d × %d pixels and needs %d MB of memory to be scaled; at most %d MB are allowed",
		s.width, s.height, (needed+1<<20-1)>>20, memory>>20)
}

// decodeFile decodes a picture, scales it to its full rendition and converts it to sRGB. The
// decoded planes are garbage when it returns.
func decodeFile(source io.ReadSeeker, format format, s survey, w strategy) (r raster, err error) {
	defer recoverAs(&err)
	size, err := source.Seek(0, io.SeekEnd)
	if err != nil {
		return r, err
	}
	d, err := format.decodeSurveyed(source, s, w)
	if err != nil {
		return r, err
	}
	r = fullRendering(s).scaled(d, w.lossless)
	if r.width*r.height == s.width*s.height {
		r.limit, r.original = int(size), d.webp
	}
	return r, nil
}

// fullRendering makes the largest fixed rendition, of which all are encoded.
func fullRendering(s survey) rendering {
	r := rendering{Rendition: rendition.Rendition{Format: rendition.WebP}, survey: s, part: image.Rect(0, 0, s.width, s.height)}
	r.width, r.height = within(s.width, s.height, FullSide)
	r.layout.width, r.layout.height = s.orientation.upright(r.width, r.height)
	r.canvas = image.Pt(r.layout.width, r.layout.height)
	return r
}

// decodeSurveyed decodes the file from its start.
func (f format) decodeSurveyed(source io.ReadSeeker, s survey, w strategy) (d decoded, err error) {
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return d, err
	}
	if d, err = f.decode(source, s, w); err != nil {
		return d, f.fault(err)
	}
	if d.width != s.width || d.height != s.height {
		return d, fault("the picture has contradictory sizes")
	}
	return d, nil
}

// usedProfile returns the profile, unless it is one for another kind of picture.
func (s survey) usedProfile() *profile {
	if s.profile != nil && s.profile.space == "GRAY" && !s.gray {
		return nil
	}
	return s.profile
}

// fault is an error of the picture, as a message for the client.
type fault string

func (f fault) Error() string { return string(f) }

func faultf(format string, args ...any) fault { return fault(fmt.Sprintf(format, args...)) }

// recoverAs converts a panic of a codec to a fault.
func recoverAs(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w (%v)", fault("the picture cannot be scaled"), r)
	}
}

// watchedReader stops when the context is done, and records errors of the source, which
// are no fault of the picture.
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
