package rest_test

import (
	"encoding/json"
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

// The members of a release are compared as entries are, by the request of the release.
func TestChangesOfMembers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	create := func(title string) int64 {
		return int64(w.must(w.send(http.MethodPost, w.content("/content"), `{"published":true,"fields":{"title":"`+title+`"}}`, w.as("editor")))["id"].(float64))
	}
	changed, ends, other := create("Before"), create("Ends"), create("Other")
	w.govern()
	w.must(w.send(http.MethodPatch, w.content("/content/"+itoa(changed)), `{"fields":{"title":"After"}}`, w.as("editor")))
	releases := "/api/projects/" + itoa(w.project.ID) + "/releases"
	release := releases + "/" + itoa(int64(w.must(w.send(http.MethodPost, releases, `{"name":"Spring"}`, w.as("editor")))["id"].(float64)))
	w.must(w.send(http.MethodPost, release+"/members", `{"members":[{"entryId":`+itoa(changed)+`},{"entryId":`+itoa(ends)+`,"action":"unpublish"}]}`, w.as("editor")))
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, release+"/approval/diff?entryId="+itoa(changed), "", w.as("viewer"))
	get := func(id, path, as string, into any) {
		t.Helper()
		a := w.send(http.MethodGet, release+"/approval"+path, "", w.as(as))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route(id), a)
		require.NoError(t, json.Unmarshal(a.body, into))
	}
	submit := func() int64 {
		w.must(w.send(http.MethodPost, release+"/publish", "{}", w.as("editor")))
		return int64(w.must(w.send(http.MethodGet, release+"/approval", "", w.as("viewer")))["id"].(float64))
	}
	first := submit()

	var diff map[string]any
	get("getApprovalDiffRelease", "/diff?entryId="+itoa(changed), "viewer", &diff)
	assert.Equal(t, []any{map[string]any{"op": "replace", "path": "/title", "value": "After"}}, diff["publishedToSnapshot"])
	assert.Equal(t, []any{}, diff["snapshotToDraft"])
	var seen map[string]any
	get("getApprovalDiffRelease", "/diff?entryId="+itoa(changed), "holder", &seen)
	assert.Nil(t, seen["draft"], "a custom role alone reads no draft")
	assert.Equal(t, diff["publishedToSnapshot"], seen["publishedToSnapshot"])
	get("getApprovalDiffRelease", "/diff?entryId="+itoa(ends), "viewer", &diff)
	assert.Contains(t, diff["publishedToSnapshot"], map[string]any{"op": "remove", "path": "/title"})
	var changes []map[string]any
	get("listApprovalChangesRelease", "/changes?entryId="+itoa(ends), "viewer", &changes)
	require.NotEmpty(t, changes)
	assert.Equal(t, []any{map[string]any{"path": "title", "before": "Ends", "after": nil}}, changes[0]["fields"])
	w.problem(http.StatusForbidden, "forbidden", http.MethodGet, release+"/approval/changes?to=draft&entryId="+itoa(changed), "", w.as("holder"))

	w.must(w.send(http.MethodPost, release+"/approval/request-revision", `{"comment":"Once more."}`, w.as("projectAdmin")))
	w.must(w.send(http.MethodPatch, w.content("/content/"+itoa(changed)), `{"fields":{"title":"Later"}}`, w.as("editor")))
	submit()
	get("listApprovalChangesRelease", "/changes?entryId="+itoa(changed)+"&from="+itoa(first), "viewer", &changes)
	assert.Equal(t, []any{map[string]any{"path": "title", "before": "After", "after": "Later"}}, changes[0]["fields"])

	for _, path := range []string{"/diff", "/changes", "/diff?entryId=0", "/changes?entryId=x"} {
		w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, release+"/approval"+path, "", w.as("viewer"))
	}
	for _, path := range []string{"/diff?entryId=" + itoa(other), "/changes?entryId=99999", "/diff?from=99999&entryId=" + itoa(changed)} {
		w.problem(http.StatusNotFound, "not_found", http.MethodGet, release+"/approval"+path, "", w.as("viewer"))
	}
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, w.content("/content/"+itoa(changed)+"/approval/diff?from="+itoa(first)), "", w.as("viewer"))
}

// A publication is compared with others, also after the entry was destroyed, and with the draft's versions.
func TestChangesOfPublications(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, field := range []string{
		`{"name":"body","type":"blocks","components":["hero"]}`, `{"name":"memo","type":"text","hidden":true}`, `{"name":"gone","type":"text"}`, `{"name":"also","type":"relation","collection":"articles"}`,
	} {
		w.must(w.send(http.MethodPost, w.content("/fields"), field, w.as("projectAdmin")))
	}
	create := func(body string) string {
		return w.content("/content/" + itoa(int64(w.must(w.send(http.MethodPost, w.content("/content"), body, w.as("editor")))["id"].(float64))))
	}
	target := create(`{"published":true,"fields":{"title":"Target"}}`)
	also := target[len(w.content("/content/")):]
	entry := create(`{"published":true,"fields":{"title":"A","memo":"x","gone":"x","also":` + also + `,"body":[{"_type":"hero","_key":"k1","title":"One"},{"_type":"hero","_key":"k2","title":"Two"}]}}`)
	w.must(w.send(http.MethodPatch, entry, `{"published":true,"fields":{"memo":"y","gone":"y","body":[{"_type":"hero","_key":"k2","title":"Zwei"},{"_type":"hero","_key":"k1","title":"One"}]}}`, w.as("editor")))
	w.must(w.send(http.MethodPatch, entry, `{"published":false,"fields":{"also":null}}`, w.as("editor")))
	w.must(w.send(http.MethodPatch, w.content("/fields/gone"), `{"hidden":true}`, w.as("projectAdmin")))
	get := func(path string) string {
		t.Helper()
		a := w.send(http.MethodGet, entry+path, "", w.as("viewer"))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		if path[:2] == "/p" {
			conforms(t, w.route("listPublicationChanges"), a)
		}
		return string(a.body)
	}
	const turned = `{"path":"body","key":"k2","type":"hero","change":"moved","from":1,"to":0,"fields":[{"path":"body[k2].title","before":"Two","after":"Zwei"}]}`
	cut := `{"path":"also","change":"changed","fields":[{"path":"also","before":` + also + `,"after":null}]}`
	for path, want := range map[string]string{
		"/publications/1/changes?to=2":          "[" + turned + "]",
		"/publications/2/changes?to=2":          `[]`,
		"/publications/2/changes?to=draft":      "[" + cut + "]",
		"/publications/1/changes?to=revision:3": "[" + turned + "," + cut + "]",
		"/revisions/3/changes?to=publication:2": `[{"path":"also","change":"changed","fields":[{"path":"also","before":null,"after":` + also + `}]}]`,
		"/revisions/3/diff?to=publication:2":    `[{"op":"add","path":"/also","value":` + also + `}]`,
	} {
		assert.JSONEq(t, want, get(path), path)
	}
	assert.Contains(t, get("/publications/2/changes?to=published"), `{"path":"title","before":"A","after":null}`)
	bad := func(status int, code, path string) {
		t.Helper()
		w.problem(status, code, http.MethodGet, path, "", w.as("viewer"))
	}
	for _, query := range []string{"", "?to=", "?to=0", "?to=01", "?to=x", "?to=entry:1", "?to=revision:", "?to=publication:-1", "?to=2&from=1"} {
		bad(http.StatusBadRequest, "bad_parameter", entry+"/publications/1/changes"+query)
	}
	for _, path := range []string{"/publications/3/changes?to=1", "/publications/1/changes?to=3", "/publications/1/changes?to=revision:9", "/revisions/1/changes?to=publication:3"} {
		bad(http.StatusNotFound, "not_found", entry+path)
	}
	never := create(`{"fields":{"title":"Never"}}`)
	bad(http.StatusNotFound, "not_found", never+"/publications/1/changes?to=1")
	bad(http.StatusNotFound, "not_found", w.content("/content/99999/publications/1/changes?to=1"))

	bad(http.StatusNotFound, "not_found", w.content("/content/99999/publications/1/changes?to=1"))
	remove := func(path string) {
		t.Helper()
		require.Less(t, w.send(http.MethodDelete, path, "", w.as("projectAdmin")).StatusCode, 300)
	}
	remove(entry)
	bad(http.StatusNotFound, "not_found", entry+"/publications/1/changes?to=revision:1")
	remove(entry + "/permanent")
	remove(target)
	remove(target + "/permanent")
	assert.JSONEq(t, "["+turned+"]", get("/publications/1/changes?to=2"))
}
