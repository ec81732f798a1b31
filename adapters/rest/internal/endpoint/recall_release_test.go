package endpoint

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"imprimatur/adapters/httpx"
	"imprimatur/core/content"
)

// watched tells when the body of an answer is written.
type watched struct {
	http.ResponseWriter
	writing func()
}

func (w watched) Write(b []byte) (int, error) {
	w.writing()
	return w.ResponseWriter.Write(b)
}

// TestAPageIsReleasedBeforeItsAnswerIsTaken holds that a slow caller keeps no more than the
// answer, and that the answer is whole all the same.
func TestAPageIsReleasedBeforeItsAnswerIsTaken(t *testing.T) {
	t.Parallel()
	answer := NewAnswer(`{"data":[`, []byte(`{"id":1}`), []byte(`]}`), `"tag"`)
	answer.Page = &content.Page{}
	recorder, written := httptest.NewRecorder(), false
	c := &Call{Status: http.StatusOK, Request: httptest.NewRequest(http.MethodGet, "/", nil), Writer: watched{recorder, func() {
		written = true
		assert.Nil(t, answer.Page)
	}}}
	c.writeFound(answer, httpx.Identity)
	assert.True(t, written)
	assert.Equal(t, `{"data":[{"id":1}]}`, recorder.Body.String())
}
