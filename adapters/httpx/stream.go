package httpx

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"imprimatur/core"
)

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
