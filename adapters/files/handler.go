package files

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// Patterns are the mux patterns of a Handler. "/files" is listed because the mux would
// otherwise redirect it to "/files/".
var Patterns = []string{"/files", "/files/"}

// Handler answers GET and HEAD requests for the URLs that fileurl.URL returns:
//
//	/files/<project uuid>/<hash>/<file name>.<extension>
//
// The content of a URL never changes: responses are cacheable for a year and support
// ranges and If-None-Match. A file can contain anything, so a browser must not run it as
// a page of this service: only safe types are shown inline, browsers must not guess
// another type, and a file that is opened directly is in a sandbox. All other paths
// return the same 404.
//
// When the location was removed from a stored picture, its old URL redirects to the new one.
//
// With one of the query parameters of a rendition, the response is a picture that is made of the file;
// see parseRendition. Other query parameters are ignored.
type Handler struct {
	blobs      ports.BlobStore
	renditions *media.Renditions
	moved      Moved
}

// Moved returns the item of a Project whose file had that hash before its location was removed, or
// core.ErrNotFound.
type Moved func(ctx context.Context, projectUUID, hash string) (core.MediaItem, error)

// New returns a Handler of the files in blobs and of pictures that are made of them. It calls moved for
// URLs of other files.
func New(blobs ports.BlobStore, renditions *media.Renditions, moved Moved) *Handler {
	return &Handler{blobs, renditions, moved}
}

// ServeHTTP implements http.Handler. The path of r includes "/files". Pages of every
// origin may read the response.
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
	// Rich text is searched for the prefix as it is written here, so no other spelling may serve a file.
	file, ok := fileurl.Parse(r.URL.Path)
	if !ok || !strings.HasPrefix(r.URL.EscapedPath(), fileurl.Prefix) {
		return core.NotFound("file")
	}
	fileType, ok := media.TypeOf(file.Blob)
	if !ok {
		return core.NotFound("file")
	}
	asked, wanted, err := parseRendition(r.URL.RawQuery, fileType, h.renditions.Renders(fileType))
	if err != nil {
		return err
	}
	var blob ports.Blob
	if wanted {
		rendition := asked.of(fileType, r.Header)
		blob, err = h.renditions.Open(r.Context(), file.Project, file.Blob, fileType, rendition)
		file, fileType = renamed(file, rendition)
	} else {
		blob, err = h.blobs.Open(r.Context(), file.Blob)
	}
	switch {
	case errors.Is(err, core.ErrNotFound):
		return h.redirect(w, r)
	case err != nil:
		return err
	}
	defer blob.Close()
	charset, err := charsetOf(blob, fileType)
	if err != nil {
		return err
	}
	if wanted && asked.auto {
		w.Header().Add("Vary", "Accept")
	}
	writeHeaders(w.Header(), file, fileType, charset)
	out := &problemWriter{ResponseWriter: w, r: r}
	http.ServeContent(out, normalizeRange(r, blob.Size()), "", time.Time{}, blob)
	return nil
}

// redirect sends the client to the present URL of a file, with the same query.
func (h *Handler) redirect(w http.ResponseWriter, r *http.Request) error {
	old, _ := fileurl.Parse(r.URL.Path)
	item, err := h.moved(r.Context(), old.Project, old.Hash)
	if err != nil {
		return err
	}
	if path.Ext(item.Full) != path.Ext(old.Blob) {
		return core.NotFound("file")
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	location := ".." + strings.TrimPrefix(fileurl.URL("", item.Full, old.Name), fileurl.Prefix+old.Project)
	if r.URL.RawQuery != "" {
		location += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusMovedPermanently)
	return nil
}

// charsetOf returns the encoding of a text, or "" if the file is no text or its encoding is not
// certain. It leaves blob at its start.
func charsetOf(blob ports.Blob, t media.FileType) (string, error) {
	if !strings.HasPrefix(t.MIME, "text/") {
		return "", nil
	}
	head := make([]byte, min(blob.Size(), media.Sniffed))
	if _, err := io.ReadFull(blob, head); err != nil {
		return "", err
	}
	_, err := blob.Seek(0, io.SeekStart)
	return media.Charset(head, blob.Size() > media.Sniffed), err
}

// sandbox is the content security policy of a file that is opened directly. A browser
// shows a media file in a page of its own, which must load the file and use inline
// styles.
const sandbox = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

func writeHeaders(h http.Header, f fileurl.File, t media.FileType, charset string) {
	contentType, disposition := t.MIME, "attachment"
	if charset != "" {
		contentType += "; charset=" + charset
	}
	if t.Inline {
		disposition = "inline"
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": f.Name}))
	httpx.WritePagePolicy(h, sandbox)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+f.Hash+`"`)
}
