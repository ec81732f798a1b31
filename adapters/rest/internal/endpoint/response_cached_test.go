package endpoint

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"imprimatur/adapters/httpx"
	"imprimatur/core/reading"
)

// observedWriter calls writing before it writes a body.
type observedWriter struct {
	http.ResponseWriter
	writing func()
}

func (w observedWriter) Write(b []byte) (int, error) {
	w.writing()
	return w.ResponseWriter.Write(b)
}

// TestPageIsReleasedBeforeTheResponseIsWritten checks that a slow client does not hold the
// memory of a page, and that its response is complete.
func TestPageIsReleasedBeforeTheResponseIsWritten(t *testing.T) {
	t.Parallel()
	answer := NewAnswer(`{"data":[`, []byte(`{"id":1}`), []byte(`]}`), `"tag"`)
	answer.Page = &reading.Page{}
	recorder, written := httptest.NewRecorder(), false
	c := &Call{Status: http.StatusOK, Request: httptest.NewRequest(http.MethodGet, "/", nil), Writer: observedWriter{recorder, func() {
		written = true
		assert.Nil(t, answer.Page)
	}}}
	c.writeFound(answer, httpx.Identity)
	assert.True(t, written)
	assert.Equal(t, `{"data":[{"id":1}]}`, recorder.Body.String())
}
