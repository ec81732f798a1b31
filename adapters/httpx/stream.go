package httpx

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"imprimatur/core"
)

// Stream is a request's body that is read as it comes in, of any length. It takes as
// long as bytes keep coming, at least 1 KiB in 10 s on average and with no pause over a
// minute: the time limit of whole requests gives way to that.
type Stream struct {
	r       *http.Request
	control *http.ResponseController
	pace    pace
	until   time.Time // when all of it must have come; zero: never
	err     error
}

// bodyTime is how long a body that is read as a whole may take in all.
const bodyTime = 60 * time.Second

// NewStream returns the body of r.
func NewStream(w http.ResponseWriter, r *http.Request) *Stream {
	return &Stream{r: r, control: http.NewResponseController(w), pace: newPace(freshBytes, patience, longestSilence)}
}

// Read reads on. A body that breaks off or comes too slowly is KindBadRequest, from
// then on.
func (s *Stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	before := time.Now()
	s.allow(s.deadline(before))
	n, err := s.r.Body.Read(p)
	s.pace.moved(n, time.Since(before))
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		s.err = io.EOF
		s.allow(time.Time{}) // net/http listens on for a caller that hangs up
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.err = core.BadRequest("body_timeout", "the body did not arrive in time")
	default:
		s.err = core.BadRequest("body_broken", "the body ended too early")
	}
	return n, s.err
}

func (s *Stream) deadline(now time.Time) time.Time {
	deadline := now.Add(s.pace.left)
	if !s.until.IsZero() && s.until.Before(deadline) {
		return s.until
	}
	return deadline
}

// Err returns what broke the body; nil when it is whole so far.
func (s *Stream) Err() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// allow moves the read deadline. Not every connection has one; then there is nothing to
// move.
func (s *Stream) allow(until time.Time) { _ = s.control.SetReadDeadline(until) }
