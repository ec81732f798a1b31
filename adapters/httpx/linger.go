package httpx

import (
	"io"
	"net/http"
	"time"
)

const (
	// shortBody is the longest request body that net/http reads by itself when the
	// response is written first.
	shortBody = 256 << 10
	// lingerTime is the time limit for reading a request body after the response.
	lingerTime = 5 * time.Second
)

// longBody is a request body of more than shortBody bytes. When the response is written
// before the end of the body, the rest of the body is read and discarded for up to
// lingerTime before the connection closes. Otherwise a client that sends the whole body
// before it reads would see a connection reset instead of the response.
type longBody struct {
	io.ReadCloser

	w       http.ResponseWriter
	waiting bool // the client waits for 100 Continue
	ended   bool // at io.EOF or an error
	early   bool // the response was written first
}

// longBodyOf replaces the body of r with a longBody and returns it. It returns nil when
// the body is short.
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

// beforeHeader must be called before the header of the response is written.
func (b *longBody) beforeHeader() {
	if b == nil || b.ended || b.waiting || http.NewResponseController(b.w).EnableFullDuplex() != nil {
		return
	}
	b.early = true
	b.w.Header().Set("Connection", "close")
}

// linger must be called after the response is written.
func (b *longBody) linger() {
	if b == nil || !b.early || b.ended {
		return
	}
	control := http.NewResponseController(b.w)
	_ = control.SetReadDeadline(time.Now().Add(lingerTime))
	if control.Flush() == nil {
		_, _ = io.Copy(io.Discard, b) // until EOF, the deadline or a disconnect
	}
}
