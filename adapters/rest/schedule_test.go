package rest_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

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
	assert.Equal(t, []any{"To come", "en", nil}, []any{listed["title"], listed["locale"], listed["releaseNumber"]})
	assert.Empty(t, list("?mine=true", "viewer"))
	assert.Empty(t, list("?failed=true", "editor"))
	assert.Empty(t, list("?offset=1&limit=1", "editor"))
	w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/schedules?collection=0", "", w.as("viewer"))
	w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/schedules?to=0001-01-01T00:00:00Z", "", w.as("viewer"))
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

// TestCalendar lists schedules of all Projects of a user by time, with what they publish.
func TestCalendar(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const when, end = "2999-03-03T06:00:00.000Z", "2999-04-01T06:00:00.000Z"
	w.must(w.send(http.MethodPost, w.content("/content"), `{"published":true,"publishAt":"`+when+`","unpublishAt":"`+end+`","fields":{"title":"To come"}}`, w.as("editor")))
	w.govern()
	sent := w.must(w.send(http.MethodPost, w.content("/content"), `{"published":true,"publishAt":"`+when+`","fields":{"title":"Reviewed"}}`, w.as("editor")))
	own := w.content("/content/" + itoa(int64(sent["id"].(float64))))
	for _, reviewer := range []string{"projectAdmin", "holder", "departmentAdmin"} {
		w.must(w.send(http.MethodPost, own+"/approval/approve", "{}", w.as(reviewer)))
	}
	w.must(w.send(http.MethodPatch, own, `{"fields":{"title":"Edited since"}}`, w.as("editor")))

	list := func(query, user string) (titles []string) {
		t.Helper()
		a := w.send(http.MethodGet, "/api/schedules"+query, "", w.as(user))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route("listCalendar"), a)
		for _, item := range a.json(t)["data"].([]any) {
			titles = append(titles, item.(map[string]any)["title"].(string))
		}
		return titles
	}
	for query, want := range map[string][]string{
		"":                                  {"To come", "Reviewed"},
		"?from=2999-03-01T00:00:00%2B02:00": {"To come", "Reviewed"},
		"?from=2999-03-04T00:00:00Z":        {"To come"}, // its end
		"?from=2999-03-03T06:00:00Z&to=2999-03-03T06:00:01Z": {"To come", "Reviewed"},
		"?to=2999-03-03T06:00:00Z":                           nil,
		"?project=" + itoa(w.project.ID):                     {"To come", "Reviewed"},
		"?project=" + itoa(w.other.ID):                       nil,
		"?offset=1&limit=1&mine=false":                       {"Reviewed"},
		"?failed=true":                                       nil,
	} {
		assert.Equal(t, want, list(query, "viewer"), query)
	}
	assert.Empty(t, list("", "outsider"))
	assert.Empty(t, list("", "holder"), "a custom role alone does not show a Project's content")
	listed := w.must(w.send(http.MethodGet, "/api/schedules?limit=2", "", w.as("super")))["data"].([]any)[1].(map[string]any)
	assert.Equal(t, "en", listed["locale"])
	assert.Regexp(t, `^CR-\d{4}-0001$`, listed["releaseNumber"])

	w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, "/api/schedules?from=yesterday", "", w.as("viewer"))
	w.problem(http.StatusBadRequest, "invalid_query", http.MethodGet, "/api/schedules?from="+when+"&to="+when, "", w.as("viewer"))
	w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, "/api/schedules?project=0", "", w.as("viewer"))
}

// TestCalendarOfThePast publishes two entries, one of them by a release, and lists both and an end.
func TestCalendarOfThePast(t *testing.T) {
	t.Parallel()
	w := setup(t)
	made := func(title string, published bool) int64 {
		t.Helper()
		answer := w.must(w.send(http.MethodPost, w.content("/content"), `{"published":`+strconv.FormatBool(published)+`,"fields":{"title":"`+title+`"}}`, w.as("editor")))
		return int64(answer["id"].(float64))
	}
	alone, member := made("Alone", true), made("Member", false)
	releases := "/api/projects/" + itoa(w.project.ID) + "/releases"
	release := int64(w.must(w.send(http.MethodPost, releases, `{"name":"Together"}`, w.as("editor")))["id"].(float64))
	w.must(w.send(http.MethodPost, releases+"/"+itoa(release)+"/members", `{"members":[{"entryId":`+itoa(member)+`}]}`, w.as("editor")))
	w.must(w.send(http.MethodPost, releases+"/"+itoa(release)+"/publish", "{}", w.as("editor")))
	w.must(w.send(http.MethodPatch, w.content("/content/"+itoa(alone)), `{"published":false}`, w.as("editor")))

	at := func(days int) string {
		return url.QueryEscape(time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339))
	}
	list := func(query, user string) (found [][]any) {
		t.Helper()
		a := w.send(http.MethodGet, "/api/schedules?done=true&from="+at(-1)+"&to="+at(1)+query, "", w.as(user))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route("listCalendar"), a)
		for _, item := range a.json(t)["data"].([]any) {
			one := item.(map[string]any)
			assert.Equal(t, true, one["done"])
			assert.Equal(t, one["dueAt"], one["retryAt"])
			found = append(found, []any{one["kind"], one["title"], one["action"], one["scheduledBy"] != nil})
		}
		return found
	}
	ended, together, out := []any{"entry", "Alone", "unpublish", false}, []any{"release", "Together", "publish", true}, []any{"entry", "Alone", "publish", true}
	assert.ElementsMatch(t, [][]any{ended, together, out}, list("", "viewer"))
	assert.ElementsMatch(t, [][]any{together, out}, list("&mine=true", "editor"))
	assert.Empty(t, list("&mine=true", "viewer"))
	assert.Empty(t, list("&failed=true", "viewer"))
	assert.Empty(t, list("", "outsider"))
	assert.Len(t, list("&limit=1", "viewer"), 1)
	for _, query := range []string{"", "&from=" + at(-1), "&to=" + at(1), "&from=" + at(-32) + "&to=" + at(31)} {
		w.problem(http.StatusBadRequest, "invalid_query", http.MethodGet, "/api/schedules?done=true"+query, "", w.as("viewer"))
	}
}
