package httpx

import (
	"net/http"
	"sync"
)

// Static is a response body that does not change while the program runs. It is created at the first
// request, and each encoded form at the first request for that coding. It is safe for concurrent
// use.
type Static struct {
	contentType string
	tag         func() string
	forms       map[Coding]func() []byte
	offered     []Coding // codings of forms except Identity
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

// NewBrotliStatic returns a Static with a body that read returns compressed with Brotli.
func NewBrotliStatic(contentType string, read func() []byte) *Static {
	read = sync.OnceValue(read)
	plain := sync.OnceValue(func() []byte { return Unbrotli(read()) })
	return &Static{contentType: contentType, tag: tagOf(read), offered: []Coding{Brotli, Gzip}, forms: map[Coding]func() []byte{
		Identity: plain,
		Brotli:   read,
		Gzip:     sync.OnceValue(func() []byte { return Gzip.encode(plain()) }),
	}}
}

func tagOf(read func() []byte) func() string {
	return sync.OnceValue(func() string { return ContentETag(read()) })
}

// Write writes a response with the body, or 304 when the client has it. Browsers must
// revalidate it before each use.
func (s *Static) Write(w http.ResponseWriter, r *http.Request) { s.write(w, r, "no-cache") }

// WriteImmutable is Write for a body that never changes at its URL: browsers keep it for a year.
func (s *Static) WriteImmutable(w http.ResponseWriter, r *http.Request) {
	s.write(w, r, "public, max-age=31536000, immutable")
}

// WriteUnstored is Write for a body that browsers must not store.
func (s *Static) WriteUnstored(w http.ResponseWriter, r *http.Request) { s.write(w, r, "no-store") }

func (s *Static) write(w http.ResponseWriter, r *http.Request, caching string) {
	h := w.Header()
	tag := s.tag()
	h.Set("ETag", tag)
	h.Set("Cache-Control", caching)
	varyByCoding(h)
	if NotModified(r, tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", s.contentType)
	coding := AcceptedCoding(r, s.offered...)
	WriteEncoded(w, http.StatusOK, coding, s.forms[coding]())
}
