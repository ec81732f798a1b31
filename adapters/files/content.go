package files

import (
	"net/http"
	"strconv"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// normalizeRange returns r with a Range header that http.ServeContent handles as RFC
// 9110, section 14, requires: units other than bytes are ignored, and the last 0 bytes of
// a file are not satisfiable.
func normalizeRange(r *http.Request, size int64) *http.Request {
	value := r.Header.Get("Range")
	if value == "" {
		return r
	}
	normalized := r.Clone(r.Context())
	unit, list, _ := strings.Cut(value, "=")
	if !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		normalized.Header.Del("Range")
		return normalized
	}
	ranges := strings.Split(list, ",")
	for i, one := range ranges {
		if last, ok := strings.CutPrefix(strings.TrimSpace(one), "-"); ok && last != "" && strings.Trim(last, "0") == "" {
			ranges[i] = strconv.FormatInt(size, 10) + "-"
		}
	}
	normalized.Header.Set("Range", "bytes="+strings.Join(ranges, ","))
	return normalized
}

// problemWriter replaces the error responses of http.ServeContent with problems that are
// not cached.
type problemWriter struct {
	http.ResponseWriter
	r       *http.Request
	refused bool
}

func (w *problemWriter) WriteHeader(status int) {
	if status < http.StatusBadRequest {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	h := w.Header()
	h.Del("Content-Disposition")
	h.Del("Accept-Ranges")
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		httpx.WriteRangeNotSatisfiable(w.ResponseWriter, w.r)
	case http.StatusPreconditionFailed:
		httpx.WriteProblem(w.ResponseWriter, w.r, &core.Error{
			Kind: core.KindPreconditionFailed, Code: "precondition_failed", Message: "If-Match does not match the ETag of this file",
		})
	default:
		httpx.WriteProblem(w.ResponseWriter, w.r, &core.Error{Kind: core.KindInternal})
	}
}

func (w *problemWriter) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *problemWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
