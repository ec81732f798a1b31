package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A review and the revisions compare versions by the keys of items.
func TestChangesByKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	w.must(w.send(http.MethodPost, w.content("/fields"), `{"name":"body","type":"blocks","components":["hero"]}`, w.as("projectAdmin")))
	made := w.must(w.send(http.MethodPost, w.content("/content"), `{"published":true,"fields":{"title":"A","body":[{"_type":"hero","_key":"k1","title":"One"},{"_type":"hero","_key":"k2","title":"Two"}]}}`, w.as("editor")))
	entry := w.content("/content/" + itoa(int64(made["id"].(float64))))
	first := w.must(w.send(http.MethodGet, entry+"/approval", "", w.as("viewer")))["id"].(float64)
	w.must(w.send(http.MethodPost, entry+"/approval/request-revision", `{"comment":"Turn it."}`, w.as("projectAdmin")))
	w.must(w.send(http.MethodPatch, entry, `{"published":true,"fields":{"body":[{"_type":"hero","_key":"k2","title":"Zwei"},{"_type":"hero","_key":"k1","title":"One"},{"_type":"hero","_key":"k3"}]}}`, w.as("editor")))
	get := func(id, path string) string {
		a := w.send(http.MethodGet, entry+path, "", w.as("viewer"))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route(id), a)
		return string(a.body)
	}
	const changed = `[{"path":"body","key":"k2","type":"hero","change":"moved","from":1,"to":0,"fields":[{"path":"body[k2].title","before":"Two","after":"Zwei"}]},` +
		`{"path":"body","key":"k3","type":"hero","change":"added","to":2,"fields":[]}]`
	assert.JSONEq(t, changed, get("listApprovalChanges", "/approval/changes?from="+itoa(int64(first))))
	assert.JSONEq(t, changed, get("listRevisionChanges", "/revisions/1/changes?to=2"))
	assert.JSONEq(t, `[]`, get("listRevisionChanges", "/revisions/2/changes?to=draft"))
	assert.JSONEq(t, `[]`, get("listApprovalChanges", "/approval/changes?to=draft"))
	whole := get("listApprovalChanges", "/approval/changes?to=snapshot")
	assert.Contains(t, whole, `{"path":"title","change":"changed","fields":[{"path":"title","before":null,"after":"A"}]}`)
	assert.Contains(t, whole, `{"path":"body","key":"k2","type":"hero","change":"added","to":0,"fields":[{"path":"body[k2].title","before":null,"after":"Zwei"}]}`)
	assert.Contains(t, get("getApprovalDiff", "/approval/diff"), `"components":[{"id":`+itoa(w.hero.ID))
	for _, query := range []string{"?from=0", "?from=x", "?to=published", "?to=", "?until=draft"} {
		w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, entry+"/approval/changes"+query, "", w.as("viewer"))
	}
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, entry+"/approval/changes?from=99999", "", w.as("viewer"))
	w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, entry+"/revisions/1/changes", "", w.as("viewer"))
}
