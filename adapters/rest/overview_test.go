package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTokenUsage counts the requests of a token by day.
func TestTokenUsage(t *testing.T) {
	t.Parallel()
	w := setup(t)
	entries := "/public/v2/projects/" + w.project.UUID + "/collections/" + w.articles.Slug + "/entries"
	for range 3 {
		w.must(w.send(http.MethodGet, entries, "", w.bearer("read")))
	}
	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, entries, `{"fields":{"title":"New"}}`, w.bearer("read"))
	require.NoError(t, w.usage.Flush(t.Context()))
	path := "/api/projects/" + itoa(w.project.ID) + "/tokens/" + itoa(w.tokenID) + "/usage"
	a := w.send(http.MethodGet, path+"?days=7", "", w.as("projectAdmin"))
	require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
	conforms(t, w.route("getTokenUsage"), a)
	days := a.json(t)["data"].([]any)
	require.Len(t, days, 7)
	today := days[6].(map[string]any)
	assert.Equal(t, []any{3.0, 1.0}, []any{today["reads"], today["writes"]})
	assert.Equal(t, 0.0, days[0].(map[string]any)["reads"])
	assert.Len(t, w.must(w.send(http.MethodGet, path, "", w.as("projectAdmin")))["data"], 30)
	for _, days := range []string{"0", "91", "x"} {
		w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, path+"?days="+days, "", w.as("projectAdmin"))
	}
}

// TestOverview counts published, waiting, scheduled and trashed entries of a Project.
func TestOverview(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	entry := w.submit("Waits for Legal", "editor")
	w.submit("Waits for an admin", "editor")
	w.must(w.send(http.MethodPost, w.content("/content/"+itoa(entry)+"/approval/approve"), "{}", w.as("projectAdmin")))
	path := "/api/projects/" + itoa(w.project.ID) + "/overview"
	read := func(query, user string) map[string]any {
		t.Helper()
		a := w.send(http.MethodGet, path+query, "", w.as(user))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route("getOverview"), a)
		return a.json(t)
	}
	o := read("?days=7", "projectAdmin")
	require.Len(t, o["published"], 7)
	waiting := o["waiting"].([]any)
	require.Len(t, waiting, 2)
	first, second := waiting[0].(map[string]any), waiting[1].(map[string]any)
	assert.Equal(t, []any{"", 1.0, 1.0}, []any{first["label"], first["stepOrder"], first["count"]})
	assert.NotNil(t, first["medianSeconds"])
	assert.Equal(t, []any{"Legal", 2.0, 1.0, nil}, []any{second["label"], second["stepOrder"], second["count"], second["medianSeconds"]})
	assert.Equal(t, map[string]any{"count": 0.0, "nextDueAt": nil}, o["scheduled"])
	assert.Equal(t, 0.0, o["failed"])
	entries := o["entries"].([]any)[0].(map[string]any)
	assert.Equal(t, 1.0, entries["trashed"])
	assert.NotEmpty(t, o["tokens"])

	assert.Nil(t, read("", "viewer")["tokens"], "a viewer may not manage tokens")
	assert.Len(t, read("", "viewer")["published"], 30)
	for _, days := range []string{"6", "366", "many"} {
		w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, path+"?days="+days, "", w.as("viewer"))
	}
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, path, "", w.as("outsider"))
}

// TestUnreachableRequests counts and lists the requests with a step that no user can approve, and says
// before a user leaves how many there will be.
func TestUnreachableRequests(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	require.NoError(t, w.stores.CustomRoles.Unassign(t.Context(), w.role.ID, w.users["editor"].ID))
	entry := w.submit("Waits for Legal", "editor")
	project, holder := "/api/projects/"+itoa(w.project.ID), "/api/users/"+itoa(w.users["holder"].ID)
	read := func(id, path, user string) map[string]any {
		t.Helper()
		a := w.send(http.MethodGet, path, "", w.as(user))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route(id), a)
		return a.json(t)
	}
	count := func(n float64) map[string]any { return map[string]any{"count": n, "complete": true} }
	list := func(user string) []any {
		t.Helper()
		return read("listUnreachableApprovals", "/api/approvals/unreachable?project="+itoa(w.project.ID), user)["data"].([]any)
	}
	assert.Equal(t, count(0), read("getOverview", project+"/overview", "viewer")["unreachable"])
	assert.Empty(t, list("viewer"))
	assert.Equal(t, count(1), read("previewDeactivation", holder+"/deactivation", "super")["unreachable"])
	assert.Equal(t, count(0), read("previewDeactivation", "/api/users/"+itoa(w.users["editor"].ID)+"/deactivation", "super")["unreachable"])
	for noun, path := range map[string]string{
		"Project": project, "Department": "/api/departments/" + itoa(w.department.ID), "Tenant": "/api/tenants/" + itoa(w.tenant.ID),
	} {
		assert.Equal(t, count(0), read("preview"+noun+"MemberRemoval", path+"/members/"+itoa(w.users["projectAdmin"].ID)+"/removal", "tenantAdmin")["unreachable"])
	}
	roles := "/api/departments/" + itoa(w.department.ID) + "/custom-roles/"
	held := roles + itoa(w.role.ID) + "/holders/" + itoa(w.users["holder"].ID) + "/removal"
	assert.Equal(t, count(1), read("previewCustomRoleRemoval", held, "departmentAdmin")["unreachable"])
	assert.Equal(t, count(0), read("previewCustomRoleRemoval", roles+itoa(w.role.ID)+"/holders/"+itoa(w.users["editor"].ID)+"/removal", "departmentAdmin")["unreachable"])
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, roles+"999/holders/"+itoa(w.users["holder"].ID)+"/removal", "", w.as("departmentAdmin"))
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, holder+"/deactivation", "", w.as("viewer"))

	w.must(w.send(http.MethodPatch, holder, `{"active":false}`, w.as("super")))
	assert.Equal(t, count(1), read("getOverview", project+"/overview", "viewer")["unreachable"])
	require.Len(t, list("viewer"), 1)
	assert.InDelta(t, entry, list("viewer")[0].(map[string]any)["entryId"], 0)
	assert.Empty(t, list("outsider"))
	w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, "/api/approvals/unreachable?perPage=101", "", w.as("viewer"))
}
