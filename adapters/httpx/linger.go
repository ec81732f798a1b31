package httpx

import (
	"io"
	"net/http"
	"time"
)

const (
	// shortBody is what net/http takes of a body by itself when the answer comes first.
	shortBody = 256 << 10
	// lingerTime is for how long what is sent is still taken after the answer.
	lingerTime = 5 * time.Second
)

// longBody is a body of more than shortBody. When the answer comes before its end, what
// still comes is thrown away for a moment longer before the connection closes: who sends
// it all before reading would else find the connection broken instead of the answer.
type longBody struct {
	io.ReadCloser

	w       http.ResponseWriter
	waiting bool // the caller sends nothing before it is asked for
	ended   bool // or broken
	early   bool // the answer came first
}

// longBodyOf returns the body of r, in whose place it stands from now on; nil when it is
// short.
func longBodyOf(w http.ResponseWriter, r *http.Request) *longBody {
	if r.ContentLength >= 0 && r.ContentLength <= shortBody {
		return nil
	}
	b := &longBody{ReadCloser: r.Body, w: w, waiting: r.Header.Get("Expect") != ""}
	r.Body = b
	return b
}

func (b *longBody) Read(p []byte) (int, error) {
	b.waiting = false
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err != nil
	return n, err
}

// answer is called before the header of an answer goes out.
func (b *longBody) answer() {
	if b == nil || b.ended || b.waiting || http.NewResponseController(b.w).EnableFullDuplex() != nil {
		return
	}
	b.early = true
	b.w.Header().Set("Connection", "close")
}

// linger is called when the answer is written.
func (b *longBody) linger() {
	if b == nil || !b.early || b.ended {
		return
	}
	control := http.NewResponseController(b.w)
	_ = control.SetReadDeadline(time.Now().Add(lingerTime))
	if control.Flush() == nil {
		_, _ = io.Copy(io.Discard, b) // until its end, the deadline, or a hang-up
	}
}
