package httpx

import (
	"net/http"
	"sync"
)

// Static is a response body that only changes with the program. It is created at the
// first request, and each coding of it at the first request for that coding. It is safe
// for concurrent use.
type Static struct {
	contentType string
	tag         func() string
	forms       map[Coding]func() []byte
	offered     []Coding // of forms, Identity aside
}

// NewStatic returns a Static with the body that read returns. It calls read at most once.
func NewStatic(contentType string, read func() []byte) *Static {
	read = sync.OnceValue(read)
	s := &Static{contentType: contentType, tag: tagOf(read), forms: map[Coding]func() []byte{Identity: read}, offered: codings}
	for _, coding := range codings {
		s.forms[coding] = sync.OnceValue(func() []byte { return coding.encode(read()) })
	}
	return s
}

// NewZippedStatic returns a Static with a gzipped body that read returns. It is sent
// gzipped or unzipped.
func NewZippedStatic(contentType string, read func() []byte) *Static {
	read = sync.OnceValue(read)
	return &Static{contentType: contentType, tag: tagOf(read), offered: []Coding{Gzip}, forms: map[Coding]func() []byte{
		Identity: sync.OnceValue(func() []byte { return Unzip(read()) }),
		Gzip:     read,
	}}
}

func tagOf(read func() []byte) func() string {
	return sync.OnceValue(func() string { return ContentETag(read()) })
}

// Write writes a response with the body, or 304 when the client has it. Browsers must
// revalidate it before each use.
func (s *Static) Write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	tag := s.tag()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache")
	varyByCoding(h)
	if NotModified(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", s.contentType)
	coding := AcceptedCoding(r, s.offered...)
	WriteEncoded(w, http.StatusOK, coding, s.forms[coding]())
}
