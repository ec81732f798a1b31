package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"imprimatur/core"
)

// ReadBody returns the request's whole body of at most limit bytes, or
// KindTooLarge as soon as it is longer, KindBadRequest when it breaks off.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, core.BadRequest("body_timeout", "the body did not arrive in time")
	case err != nil:
		return nil, core.BadRequest("body_broken", "the body ended too early")
	}
	return body, nil
}

// RequireJSON refuses a body that says to be something else than plain JSON in UTF-8.
func RequireJSON(r *http.Request) error {
	if plainJSON(r.Header) {
		return nil
	}
	return &core.Error{
		Kind: core.KindUnsupportedMedia, Code: "unsupported_media_type",
		Message: "the body must be application/json in UTF-8, not compressed",
	}
}

func plainJSON(h http.Header) bool {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false
	}
	given := h.Get("Content-Type")
	if given == "" {
		return true
	}
	kind, params, err := mime.ParseMediaType(given)
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

func tooLarge(limit int64) *core.Error {
	e := core.BadRequest("body_too_large", "the body is over %d bytes", limit)
	e.Kind = core.KindTooLarge
	return e
}
