package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Cached reads and uploads succeed while all slots of the limiters are in use.
func TestCachedReadsAndUploadsTakeNoSlot(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := w.public("/collections/articles/entries?limit=3")
	require.Equal(t, 200, w.send("GET", path, "", w.bearer("read")).StatusCode)
	releaseRead, err := w.limiters.Reads.Acquire(t.Context())
	require.NoError(t, err)
	defer releaseRead()
	releaseWrite, err := w.limiters.Writes.Acquire(t.Context())
	require.NoError(t, err)
	defer releaseWrite()

	assert.Equal(t, 200, w.send("GET", path, "", w.bearer("read")).StatusCode)
	uploaded := w.send("POST", w.public("/media/upload"), newForm().file("x.txt", "text").String(), isForm, w.bearer("create"))
	assert.Equal(t, 201, uploaded.StatusCode, string(uploaded.body))
}

// writeHook calls hook before each write to a response.
type writeHook struct {
	http.ResponseWriter

	hook func()
}

func (w writeHook) WriteHeader(status int) {
	w.hook()
	w.ResponseWriter.WriteHeader(status)
}

func (w writeHook) Write(b []byte) (int, error) {
	w.hook()
	return w.ResponseWriter.Write(b)
}

// Slots are released before the first byte of the response: for a cacheable read, other reads, a
// write and rejected requests.
func TestSlotsAreReleasedBeforeTheResponse(t *testing.T) {
	t.Parallel()
	w := setup(t)
	entries := w.public("/collections/articles/entries")
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", entries, "", 200},
		{"GET", w.public("/media"), "", 200},
		{"GET", w.public("/collections/nothing"), "", 404},
		{"POST", entries, `{"fields":{"title":"new"}}`, 201},
		{"POST", entries, `{"fields":{"titel":"new"}}`, 422},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("Authorization", "Bearer "+w.secrets["full"])
		r.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		w.handler.ServeHTTP(writeHook{recorder, func() {
			assert.Zero(t, w.limiters.Reads.InFlight()+w.limiters.Writes.InFlight(), "%s %s", c.method, c.path)
		}}, r)
		assert.Equal(t, c.status, recorder.Code, recorder.Body.String())
	}
	assert.Zero(t, w.limiters.Reads.InFlight()+w.limiters.Writes.InFlight())
}
