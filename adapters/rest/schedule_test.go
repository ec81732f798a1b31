package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSchedulesAreShownAndCancelled creates, lists, cancels and replaces a scheduled publication
// without a workflow.
func TestSchedulesAreShownAndCancelled(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const when = "2999-03-03T06:00:00.000Z"
	made := w.must(w.send(http.MethodPost, w.content("/content"), `{"published":true,"publishAt":"`+when+`","fields":{"title":"To come"}}`, w.as("editor")))
	assert.Equal(t, when, made["scheduledPublishAt"])
	assert.Nil(t, made["scheduledPublishFault"])
	assert.Equal(t, "draft", made["state"])
	own := w.content("/content/" + itoa(int64(made["id"].(float64))))
	list := func(query, user string) []any {
		t.Helper()
		a := w.send(http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/schedules"+query, "", w.as(user))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route("listSchedules"), a)
		return a.json(t)["data"].([]any)
	}
	require.Len(t, list("", "viewer"), 1)
	listed := list("?mine=true&collection="+itoa(w.articles.ID), "editor")[0].(map[string]any)
	assert.Equal(t, made["id"], listed["entryId"])
	assert.Equal(t, when, listed["dueAt"])
	assert.Empty(t, list("?mine=true", "viewer"))
	assert.Empty(t, list("?failed=true", "editor"))
	assert.Empty(t, list("?offset=1&limit=1", "editor"))
	w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/schedules?collection=0", "", w.as("viewer"))
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/schedules", "", w.as("outsider"))

	w.problem(http.StatusForbidden, "forbidden", http.MethodDelete, own+"/schedule", "", w.as("viewer"))
	cancelled := w.send(http.MethodDelete, own+"/schedule", "", w.as("editor"))
	require.Equal(t, http.StatusOK, cancelled.StatusCode, string(cancelled.body))
	conforms(t, w.route("unscheduleContent"), cancelled)
	assert.Nil(t, cancelled.json(t)["scheduledPublishAt"])
	assert.Empty(t, list("", "editor"))
	w.must(w.send(http.MethodDelete, own+"/schedule", "", w.as("editor"))) // a repeated request changes nothing

	w.must(w.send(http.MethodPost, own+"/publish", `{"publishAt":"`+when+`"}`, w.as("editor")))
	taken := w.must(w.send(http.MethodPatch, own, `{"published":false}`, w.as("editor")))
	assert.Nil(t, taken["scheduledPublishAt"])
	w.problem(http.StatusUnprocessableEntity, "invalid", http.MethodPost, own+"/publish", `{"publishAt":"9999-12-31T23:59:59-05:00"}`, w.as("editor"))
	w.must(w.send(http.MethodPost, own+"/publish", "", w.as("editor")))
	w.problem(http.StatusConflict, "nothing_to_publish", http.MethodPost, own+"/publish", `{"publishAt":"`+when+`"}`, w.as("editor"))
}
