package rest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
	"imprimatur/core/content"
)

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, "get"}

// FuzzEntriesOf holds the reads that are found without the mux against the mux: the same
// operation, the same values.
func FuzzEntriesOf(f *testing.F) {
	const project = "/public/v2/projects/5b6b1a0e-3a6c-4a43-8d2a-0a6f7f0f9c11"
	for _, sent := range []string{
		project + "/collections/articles/entries", project + "/collections/articles/entries/7",
		project + "/collections/articles/entries/", project + "/collections/articles/entries/7/", project + "/collections/articles/entries/7/8",
		project + "/collections/articles/entriesX", project + "/collections/articles/entries7", project + "/collections/articles",
		project + "/collections/entries", project + "/collections/entries/entries/entries", project + "/collections//entries",
		project + "/media/7", project + "/collections/a%20b/entries/%C3%A9", project + "/collections/a%2Fb/entries", project + "/collections/%61/entries",
		"/public/v2/projects//collections/articles/entries", "/public/v2/projects/collections/articles/entries", "/public/v2/projects", "/", "*",
		"/PUBLIC/v2/projects/x/collections/articles/entries", "/public/v2/projects/./collections/articles/entries", project + "/collections/../entries",
	} {
		for method := range methods {
			f.Add(method, sent)
		}
	}
	api := New(Deps{})
	f.Fuzz(func(t *testing.T, method int, sent string) {
		address, err := url.ParseRequestURI(sent)
		if err != nil || method < 0 || method >= len(methods) || path.Clean(address.Path) != address.Path || path.Clean(address.EscapedPath()) != address.EscapedPath() {
			return // Wrap refuses it, or the mux leads elsewhere
		}
		byHand := &http.Request{Method: methods[method], URL: address, Host: "cms.test"}
		values, found := entriesOf(byHand)
		_, route := api.mux.Handler(byHand)
		isEntries := route == api.entries.route || route == api.entry.route
		if address.RawPath == "" {
			assert.Equal(t, isEntries, found, "%s %s", methods[method], sent)
		}
		if !found {
			return
		}
		require.True(t, isEntries, "%s %s", methods[method], sent)
		assert.Equal(t, route == api.entry.route, values.entry != "")
		whole := projectsBase + "/" + values.projectUUID + "/collections/" + values.slug + "/entries"
		if values.entry != "" {
			whole += "/" + values.entry
		}
		assert.Equal(t, address.Path, whole)
	})
}

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
	answer := newFound(`{"data":[`, []byte(`{"id":1}`), []byte(`]}`), `"tag"`)
	answer.page = &content.Page{}
	recorder, written := httptest.NewRecorder(), false
	c := &call{status: http.StatusOK, r: httptest.NewRequest(http.MethodGet, "/", nil), w: watched{recorder, func() {
		written = true
		assert.Nil(t, answer.page)
	}}}
	c.writeFound(answer, httpx.Identity)
	assert.True(t, written)
	assert.Equal(t, `{"data":[{"id":1}]}`, recorder.Body.String())
}
