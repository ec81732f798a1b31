package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"imprimatur/core"
)

// Stream is a request's body that is read as it comes in, of any length. It takes as
// long as bytes keep coming: the time limit of whole requests gives way to one on
// silence.
type Stream struct {
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	waited  time.Duration // for the bytes that are fresh
	fresh   int           // bytes since waited was 0
	until   time.Time     // when all of it must have come; zero: never
	err     error
}

const (
	// patience is how long freshBytes may take to come, or takenBytes to go: who sends or
	// takes less is cut off.
	patience   = 10 * time.Second
	freshBytes = 1 << 10
	takenBytes = 64 << 10
	// bodyTime is how long a body that is read as a whole may take in all.
	bodyTime = 60 * time.Second
	// answerTime is how long after the last byte the answer may take.
	answerTime = 60 * time.Second
)

// NewStream returns the body of r.
func NewStream(w http.ResponseWriter, r *http.Request) *Stream {
	return &Stream{w: w, r: r, control: http.NewResponseController(w)}
}

// Read reads on. A body that breaks off or comes too slowly is KindBadRequest, from
// then on.
func (s *Stream) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	before := time.Now()
	s.allow(s.deadline(before), before.Add(answerTime))
	n, err := s.r.Body.Read(p)
	s.waited += time.Since(before)
	if s.fresh += n; s.fresh >= freshBytes {
		s.fresh, s.waited = 0, 0
	}
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		s.err = io.EOF
		s.allow(time.Time{}, before.Add(answerTime)) // net/http listens on for a caller that hangs up
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.err = core.BadRequest("body_timeout", "the body did not arrive in time")
	default:
		s.err = core.BadRequest("body_broken", "the body ended too early")
	}
	return n, s.err
}

func (s *Stream) deadline(now time.Time) time.Time {
	deadline := now.Add(patience - s.waited)
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

func (s *Stream) allow(read, write time.Time) {
	// Not every connection has deadlines; then there is nothing to move.
	_ = s.control.SetReadDeadline(read)
	_ = s.control.SetWriteDeadline(write)
}
