package web

import (
	"errors"
	"net/http"
	"time"
)

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	conn   *conn     // nil: any other
	body   *longBody // of the request; nil: a short one
	status int
	bytes  int64
}

// WriteHeader passes the status on.
func (rec *recorder) WriteHeader(status int) {
	if status >= http.StatusOK {
		rec.begin(status)
	}
	rec.ResponseWriter.WriteHeader(status)
}

// begin keeps the status of the answer, whose header is about to go out.
func (rec *recorder) begin(status int) {
	if rec.status == 0 {
		rec.status = status
		rec.body.answer()
	}
}

// Write writes on for as long as the caller keeps taking it.
func (rec *recorder) Write(b []byte) (n int, err error) {
	rec.begin(http.StatusOK)
	for len(b) > unbuffered && err == nil {
		var taken int
		taken, err = rec.send(b[:min(len(b), takenBytes)])
		b, n = b[taken:], n+taken
	}
	if len(b) > 0 && err == nil {
		var taken int
		taken, err = rec.ResponseWriter.Write(b)
		n += taken
	}
	rec.bytes += int64(n)
	return n, err
}

// unbuffered is what net/http keeps, with a header, until there is more or the answer
// ends.
const unbuffered = 2 << 10

// send writes what net/http does not keep, with the header before it in one piece.
func (rec *recorder) send(b []byte) (n int, err error) {
	control := http.NewResponseController(rec.ResponseWriter)
	// A connection without deadlines needs none.
	_ = control.SetWriteDeadline(time.Now().Add(patience))
	rec.conn.holdUntil(b)
	n, err = rec.ResponseWriter.Write(b)
	if err == nil && rec.conn.holds() { // net/http has kept the end
		err = control.Flush()
	}
	return n, errors.Join(err, rec.conn.release())
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }
