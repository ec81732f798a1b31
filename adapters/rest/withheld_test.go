package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client that read an entry while its definition withheld a part, and writes it back after the part has come back,
// is told so by its ETag: the version is the same.
func TestETagsTellWhatIsWithheld(t *testing.T) {
	t.Parallel()
	w := setup(t)
	admin := w.as("projectAdmin")
	project := "/api/projects/" + itoa(w.project.ID)
	made := func(path, body string) string {
		a := w.send(http.MethodPost, project+path, body, admin)
		require.Equal(t, http.StatusCreated, a.StatusCode, string(a.body))
		return fmt.Sprintf("%.0f", a.json(t)["id"])
	}
	done := func(method, path, body string) {
		a := w.send(method, project+path, body, admin)
		require.Less(t, a.StatusCode, 300, string(a.body))
	}
	teaser := made("/components", `{"slug":"teaser","name":"Teaser","fields":[{"name":"t","type":"text"},{"name":"x","type":"text"}]}`)
	made("/components", `{"slug":"quote","name":"Quote","fields":[{"name":"t","type":"text"}]}`)
	pages := "/collections/" + made("/collections", `{"slug":"sites","name":"Sites","fields":[{"name":"body","type":"blocks","components":["teaser","quote"]}]}`)
	entry := project + pages + "/content/" + made(pages+"/content", `{"fields":{"body":[{"_type":"teaser","_key":"a","t":"1","x":"2"},{"_type":"quote","_key":"b","t":"3"}]}}`)

	whole := w.send(http.MethodGet, entry, "", admin)
	assert.Equal(t, `"1"`, whole.Header.Get("ETag"))
	assert.NotContains(t, whole.json(t), "etag")
	narrow := map[string]func() func(){
		"component": func() func() {
			done(http.MethodPatch, pages+"/fields/body", `{"components":["teaser"]}`)
			return func() { done(http.MethodPatch, pages+"/fields/body", `{"components":["teaser","quote"]}`) }
		},
		"field of a component": func() func() {
			done(http.MethodDelete, "/components/"+teaser+"/fields/x", "")
			return func() { done(http.MethodPost, "/components/"+teaser+"/fields", `{"name":"x","type":"text"}`) }
		},
	}
	for name, hide := range narrow {
		widen := hide()
		read := w.send(http.MethodGet, entry, "", admin)
		tag := read.Header.Get("ETag")
		assert.Regexp(t, `^"1-[0-9a-f]{12}"$`, tag, name)
		assert.Equal(t, tag, `"`+read.json(t)["etag"].(string)+`"`, name)
		body, err := json.Marshal(map[string]any{"fields": read.json(t)["fields"]})
		require.NoError(t, err)
		widen()
		for _, target := range []string{entry, w.public("/collections/sites/entries" + entry[len(project+pages+"/content"):])} {
			caller := admin
			if target != entry {
				caller = w.bearer("full")
			}
			p := w.problem(http.StatusPreconditionFailed, "precondition_failed", http.MethodPatch, target, string(body), caller, header("If-Match", tag))
			if target == entry {
				assert.Equal(t, whole.json(t)["fields"], p["current"].(map[string]any)["fields"], name)
			}
		}
		assert.JSONEq(t, string(whole.body), string(w.send(http.MethodGet, entry, "", admin).body), name)
	}

	// While it is withheld, the tag is right, and what is withheld stays.
	widen := narrow["component"]()
	tag := w.send(http.MethodGet, entry, "", admin).Header.Get("ETag")
	written := w.send(http.MethodPatch, entry, `{"fields":{"body":[{"_type":"teaser","_key":"a","t":"new","x":"2"}]}}`, admin, header("If-Match", tag))
	require.Equal(t, http.StatusOK, written.StatusCode, string(written.body))
	assert.Regexp(t, `^"2-[0-9a-f]{12}"$`, written.Header.Get("ETag"))
	widen()
	assert.Len(t, w.send(http.MethodGet, entry, "", admin).json(t)["fields"].(map[string]any)["body"], 2)
}
