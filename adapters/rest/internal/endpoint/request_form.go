package endpoint

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"imprimatur/core"
)

// filePart is the name of the form part with the file.
const filePart = "file"

// TextPart describes a form part with a text.
type TextPart struct {
	Name, About string
	Example     any
	Many        bool // may be repeated
}

// Limits of a form.
const (
	maxParts = 200
	// maxOverhead is the largest number of bytes in a form without the file: texts, part
	// headers and unexpected parts.
	maxOverhead = 64 << 10
)

// formReader reads a multipart form part by part as it arrives. It collects the errors of
// all parts and reports them together.
type formReader struct {
	op     *Operation
	body   *formBody
	parts  *multipart.Reader
	seen   map[string]bool
	Texts  map[string][]string
	faults core.Faults
}

// Form returns a reader of the multipart form in the request body. limit is the largest size of
// the file in bytes.
func (c *Call) Form(limit int64) (*formReader, error) {
	boundary, err := formBoundary(c.Request.Header)
	if err != nil {
		return nil, err
	}
	if c.Request.ContentLength > limit+maxOverhead {
		return nil, &core.Error{
			Kind: core.KindTooLarge, Code: "too_large", Message: fmt.Sprintf("the file exceeds the project's limit of %d bytes", limit),
		}
	}
	body := &formBody{source: c.stream, overhead: maxOverhead}
	return &formReader{
		op: c.op, body: body, parts: multipart.NewReader(body, boundary),
		seen: map[string]bool{}, Texts: map[string][]string{},
	}, nil
}

// formBoundary returns the boundary of the form.
func formBoundary(h http.Header) (string, error) {
	encoding := h.Get("Content-Encoding")
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case kind != "multipart/form-data" || encoding != "" && !strings.EqualFold(encoding, "identity"):
		return "", &core.Error{
			Kind: core.KindUnsupportedMedia, Code: "unsupported_media_type",
			Message: "the body must be multipart/form-data, not compressed",
		}
	case err != nil || params["boundary"] == "":
		return "", malformedForm("the Content-Type has no boundary")
	}
	return params["boundary"], nil
}

func malformedForm(message string) error { return core.BadRequest("malformed_form", "%s", message) }

// Read reads the form to its end. It calls receive with the file when it arrives, unless an
// earlier part was invalid. It stops at an error of receive and returns it.
func (f *formReader) Read(receive func(fileName string, file io.Reader) error) error {
	for n := 0; ; n++ {
		part, err := f.parts.NextRawPart()
		switch {
		case err == io.EOF: //nolint:errorlint // only a plain EOF is the end of the form; a wrapped one is a broken body
			return f.finish()
		case err != nil:
			return f.broken(err)
		case n == maxParts:
			return malformedForm("the form has too many parts")
		}
		if err := f.part(part, receive); err != nil {
			return err
		}
	}
}

func (f *formReader) part(part *multipart.Part, receive func(string, io.Reader) error) error {
	name := part.FormName()
	text := slices.IndexFunc(f.op.Form, func(t TextPart) bool { return t.Name == name })
	seen := f.seen[name]
	f.seen[name] = true
	switch {
	case name != filePart && text < 0:
		f.fault(name, "is not a known part")
	case seen && (name == filePart || !f.op.Form[text].Many):
		f.fault(name, "must not be repeated")
	case name != filePart:
		return f.text(name, part)
	case len(f.faults.List) == 0:
		return f.file(part, receive)
	}
	return nil
}

func (f *formReader) text(name string, part *multipart.Part) error {
	value, err := io.ReadAll(part) // bounded by maxOverhead
	if err != nil {
		return f.broken(err)
	}
	if !core.ValidText(string(value)) {
		f.fault(name, "must be text in UTF-8 without U+0000")
		return nil
	}
	f.Texts[name] = append(f.Texts[name], string(value))
	return nil
}

func (f *formReader) file(part *multipart.Part, receive func(string, io.Reader) error) error {
	f.body.inFile = true
	defer func() { f.body.inFile = false }()
	source := &errorRecorder{source: part}
	err := receive(fileName(part), source)
	if source.err != nil {
		return f.broken(source.err)
	}
	return err
}

// finish reads the rest of the body, to detect truncation, and returns the collected faults as
// one error.
func (f *formReader) finish() error {
	if _, err := io.Copy(io.Discard, f.body); err != nil {
		return f.broken(err)
	}
	if !f.seen[filePart] {
		f.fault(filePart, "is required")
	}
	return f.faults.Err()
}

func (f *formReader) fault(name, message string) {
	if name == "" {
		name = "body"
	}
	f.faults.Add(core.Clip(strings.ToValidUTF8(name, "\uFFFD")), nil, message)
}

// broken returns the error for a form that could not be read.
func (f *formReader) broken(err error) error {
	var known *core.Error
	switch {
	case f.body.overhead < 0 && len(f.faults.List) > 0: // the excess is in unexpected parts
		return f.faults.Err()
	case errors.As(err, &known):
		return known
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return core.BadRequest("body_broken", "body ended too early")
	default:
		return malformedForm("the body is not a well-formed multipart form")
	}
}

// errorRecorder is a reader that records the error of its source.
type errorRecorder struct {
	source io.Reader
	err    error
}

// Read implements io.Reader.
func (r *errorRecorder) Read(p []byte) (int, error) {
	n, err := r.source.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// fileName returns the file name of a part, with the escape %22 of browsers decoded. The client
// chooses it, and it can contain a path.
func fileName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(params["filename"], "%22", `"`)
}

// formBody is the request body with a form. It limits the bytes outside the file.
type formBody struct {
	source   io.Reader
	inFile   bool
	overhead int64 // remaining bytes outside the file
}

// Read implements io.Reader.
func (b *formBody) Read(p []byte) (int, error) {
	n, err := b.source.Read(p)
	if !b.inFile {
		b.overhead -= int64(n)
	}
	if b.overhead < 0 {
		return 0, &core.Error{
			Kind: core.KindTooLarge, Code: "body_too_large",
			Message: "the form has too much data outside its file",
		}
	}
	return n, err
}
