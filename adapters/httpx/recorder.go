package httpx

import "net/http"

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
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

// Write writes b, for as long as the caller keeps pace.
func (rec *recorder) Write(b []byte) (n int, err error) {
	rec.begin(http.StatusOK)
	n, err = rec.ResponseWriter.Write(b)
	rec.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }
