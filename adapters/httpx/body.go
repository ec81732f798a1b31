package httpx

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"imprimatur/core"
)

// ReadBody returns the whole body of the request. It returns KindTooLarge when the body
// has more than limit bytes, and KindBadRequest when the body is incomplete or arrives
// too slowly.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	stream := NewStream(w, r)
	stream.until = time.Now().Add(bodyTime)
	body, err := io.ReadAll(http.MaxBytesReader(w, io.NopCloser(stream), limit))
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return nil, tooLarge(limit)
	}
	return body, err
}

// RequireJSON returns KindUnsupportedMedia unless the body is uncompressed JSON in UTF-8.
// A request without Content-Type counts as JSON.
func RequireJSON(r *http.Request) error {
	encoding, given := r.Header.Get("Content-Encoding"), r.Header.Get("Content-Type")
	if (encoding == "" || strings.EqualFold(encoding, "identity")) && (given == "" || IsJSON(given)) {
		return nil
	}
	return &core.Error{
		Kind: core.KindUnsupportedMedia, Code: "unsupported_media_type",
		Message: "body must be application/json in UTF-8, not compressed",
	}
}

// IsJSON reports whether a Content-Type is JSON in UTF-8.
func IsJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

func tooLarge(limit int64) *core.Error {
	e := core.BadRequest("body_too_large", "body must be at most %d bytes", limit)
	e.Kind = core.KindTooLarge
	return e
}
