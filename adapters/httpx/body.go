package httpx

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
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
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return nil, tooLarge(limit)
	}
	return body, err
}

// RequireJSON returns KindUnsupportedMedia unless the body is uncompressed JSON in UTF-8.
// A request without Content-Type counts as JSON.
func RequireJSON(r *http.Request) error {
	encoding, given := r.Header.Get("Content-Encoding"), r.Header.Get("Content-Type")
	if (encoding == "" || strings.EqualFold(encoding, "identity")) && (given == "" || isJSON(given)) {
		return nil
	}
	return NotJSON()
}

// NotJSON returns the error of a body that is not JSON.
func NotJSON() *core.Error {
	return &core.Error{
		Kind: core.KindUnsupportedMedia, Code: "unsupported_media_type",
		Message: "body must be application/json in UTF-8, not compressed",
	}
}

// isJSON reports whether a Content-Type is JSON in UTF-8.
func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

func tooLarge(limit int64) *core.Error {
	e := core.BadRequest("body_too_large", "body must be at most %d bytes", limit)
	e.Kind = core.KindTooLarge
	return e
}

// Stream reads a request body of any length as it arrives. The client must send at least
// 1 KiB in 10 s on average without a pause of more than a minute. This replaces the read
// deadline of the request.
type Stream struct {
	r       *http.Request
	control *http.ResponseController
	pace    pace
	until   time.Time // deadline for the whole body; zero means none
	err     error
}

// bodyTime is the time limit for a body that is read as a whole.
const bodyTime = 60 * time.Second

// NewStream returns a Stream of the body of r.
func NewStream(w http.ResponseWriter, r *http.Request) *Stream {
	return &Stream{r: r, control: http.NewResponseController(w), pace: newPace(minSent, pacePeriod, maxSendPause)}
}

// Read implements io.Reader. It returns KindBadRequest when the body is incomplete or
// arrives too slowly, and the same error for all further calls.
func (s *Stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	before := time.Now()
	s.allow(s.deadline(before))
	n, err := s.r.Body.Read(p)
	s.pace.record(n, time.Since(before))
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		s.err = io.EOF
		s.allow(time.Time{}) // net/http keeps reading to notice a disconnect
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.err = core.BadRequest("body_timeout", "body was sent too slowly")
	default:
		s.err = core.BadRequest("body_broken", "body ended too early")
	}
	return n, s.err
}

func (s *Stream) deadline(now time.Time) time.Time {
	deadline := now.Add(s.pace.credit)
	if !s.until.IsZero() && s.until.Before(deadline) {
		return s.until
	}
	return deadline
}

// allow sets the read deadline. Connections without deadlines return an error, which is
// ignored.
func (s *Stream) allow(until time.Time) { _ = s.control.SetReadDeadline(until) }
