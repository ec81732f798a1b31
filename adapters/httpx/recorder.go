package httpx

import "net/http"

// recorder is a response writer that records the status and the number of bytes written.
type recorder struct {
	http.ResponseWriter
	body   *longBody // of the request; nil if it is short
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (rec *recorder) WriteHeader(status int) {
	if status >= http.StatusOK {
		rec.begin(status)
	}
	rec.ResponseWriter.WriteHeader(status)
}

// begin records the status of the response before its header is written.
func (rec *recorder) begin(status int) {
	if rec.status == 0 {
		rec.status = status
		rec.body.beforeHeader()
	}
}

// Write implements http.ResponseWriter.
func (rec *recorder) Write(b []byte) (n int, err error) {
	rec.begin(http.StatusOK)
	n, err = rec.ResponseWriter.Write(b)
	rec.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }
