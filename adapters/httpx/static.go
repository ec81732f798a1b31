package httpx

import (
	"net/http"
	"sync"
)

// Static is a body that only changes with the program. It is made when it is first asked
// for, and in each coding when that is; all callers share it.
type Static struct {
	contentType string
	tag         func() string
	forms       map[Coding]func() []byte
	offered     []Coding // of forms, Identity aside
}

// NewStatic returns a Static of what read returns.
func NewStatic(contentType string, read func() []byte) *Static {
	read = sync.OnceValue(read)
	s := &Static{contentType: contentType, tag: tagOf(read), forms: map[Coding]func() []byte{Identity: read}, offered: codings}
	for _, coding := range codings {
		s.forms[coding] = sync.OnceValue(func() []byte { return coding.encode(read()) })
	}
	return s
}

// NewZippedStatic returns a Static of a body that is embedded gzipped, as which read
// returns it. It is sent so, or unzipped.
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

// Write answers with the body, or with 304 when the caller has it. Browsers ask each time
// whether it is the same.
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
