// Package files serves the bytes of media, to everybody who has their address.
package files

import (
	"errors"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// Patterns are where a Handler belongs on a mux, which would else lead from the first
// to the second.
var Patterns = []string{"/files", "/files/"}

// Handler answers GET and HEAD of the addresses that core.FileURL makes:
//
//	/files/<project uuid>/<hash>/<file name>.<extension>
//
// What is there never changes, so it is kept for a year; it answers ranges and
// If-None-Match. Bytes can hold anything, so none of them may act as a page of ours:
// only types that cannot are shown inline, browsers may not guess another type, and
// what is opened by itself is in a sandbox. All other paths are the same 404.
type Handler struct{ blobs ports.BlobStore }

// New returns a Handler of the bytes in blobs.
func New(blobs ports.BlobStore) *Handler { return &Handler{blobs} }

// ServeHTTP answers r, whose path is whole. Pages of every origin may read the answer:
// the address is the permission.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	httpx.WriteAnyOrigin(w.Header())
	if httpx.IsPreflight(r) {
		httpx.WritePreflight(w, r, "GET, HEAD")
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		httpx.WriteMethodNotAllowed(w, r, "GET, HEAD")
		return
	}
	if err := h.serve(w, r); err != nil {
		httpx.WriteProblem(w, r, err)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	name, ok := parse(r.URL.Path)
	if !ok {
		return core.NotFound("file")
	}
	fileType, ok := media.TypeOf(name.blob)
	if !ok {
		return core.NotFound("file")
	}
	blob, err := h.blobs.Open(r.Context(), name.blob)
	switch {
	case errors.Is(err, core.ErrNotFound):
		return core.NotFound("file")
	case err != nil:
		return err
	}
	defer blob.Close()
	name.writeHeaders(w.Header(), fileType)
	out := &problemWriter{ResponseWriter: w, r: r}
	http.ServeContent(out, withPlainRange(r, blob.Size()), "", time.Time{}, blob)
	return nil
}

// address is what a path of ours names.
type address struct {
	blob     string // <project uuid>/<hash>.<extension>
	hash     string
	fileName string // for those who save the file
}

var shape = regexp.MustCompile(`^/files/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9a-f]{64})/([^/\\]+)$`)

func parse(urlPath string) (address, bool) {
	match := shape.FindStringSubmatch(urlPath)
	if match == nil || strings.ContainsFunc(match[3], unicode.IsControl) {
		return address{}, false
	}
	return address{blob: match[1] + "/" + match[2] + path.Ext(match[3]), hash: match[2], fileName: match[3]}, true
}

// sandbox is the policy of what is opened by itself. A browser that plays a file
// makes a page of its own for it, which has to load the file and to look somehow.
const sandbox = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

func (a address) writeHeaders(h http.Header, t media.FileType) {
	contentType, disposition := t.MIME, "attachment"
	if strings.HasPrefix(contentType, "text/") {
		contentType += "; charset=utf-8"
	}
	if t.Inline {
		disposition = "inline"
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": a.fileName}))
	httpx.WritePagePolicy(h, sandbox)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+a.hash+`"`)
}
