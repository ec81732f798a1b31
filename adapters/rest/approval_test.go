package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
	"imprimatur/core"
	"imprimatur/core/review"
)

// govern sets a workflow of the department and of the first Project. Its three steps need a
// Project admin, the custom role and a department admin.
func (w *world) govern() {
	w.t.Helper()
	governing := review.Workflow{
		ProjectID: w.project.ID, AllowSelfApproval: true, UpdatedAt: time.Now().UTC().Truncate(time.Millisecond),
		Steps: []review.Step{
			{Order: 1, RoleKind: core.RoleAdmin, AllowRevision: true, AllowRejection: true},
			{Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: w.role.ID, Label: "Legal", AllowRevision: true, AllowRejection: true},
			{Order: 3, RoleKind: core.RoleDepartmentAdmin},
		},
	}
	require.NoError(w.t, w.stores.Workflows.Put(context.Background(), governing))
	governing.ProjectID, governing.DepartmentID = 0, w.department.ID
	require.NoError(w.t, w.stores.Workflows.Put(context.Background(), governing))
}

// submit creates an entry with published true as the user, and returns its id.
func (w *world) submit(title, user string) int64 {
	w.t.Helper()
	made := w.must(w.send(http.MethodPost, w.content("/content"), `{"published":true,"fields":{"title":"`+title+`"}}`, w.as(user)))
	return int64(made["id"].(float64))
}

// decide sends a decision of the user on the request of the entry.
func (w *world) decide(entry int64, action, body, user string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, w.content("/content/"+itoa(entry)+"/approval/"+action), body, w.as(user))
}

// must checks that the request succeeded and returns the decoded body.
func (w *world) must(a answer) map[string]any {
	w.t.Helper()
	require.Less(w.t, a.StatusCode, 300, string(a.body))
	return a.json(w.t)
}

func (w *world) route(id string) rest.Route {
	for _, r := range w.routes {
		if r.ID == id {
			return r
		}
	}
	require.Fail(w.t, "no route "+id)
	return rest.Route{}
}

// TestFromDraftToPublished creates, submits, approves and publishes an article.
func TestFromDraftToPublished(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	made := w.must(w.send(http.MethodPost, w.content("/content"), `{"fields":{"title":"Ceasefire"}}`, w.as("editor")))
	assert.Nil(t, made["approval"])
	entry := int64(made["id"].(float64))

	published := w.send(http.MethodPost, w.content("/content/"+itoa(entry)+"/publish"), "", w.as("editor"))
	require.Equal(t, http.StatusAccepted, published.StatusCode, string(published.body))
	conforms(t, w.route("publishContent"), published)
	request := published.json(t)
	assert.Equal(t, "pending", request["status"])
	assert.Regexp(t, `^CR-\d{4}-0001$`, request["releaseNumber"])
	assert.EqualValues(t, 1, request["currentStep"].(map[string]any)["stepOrder"])
	assert.Equal(t, map[string]any{"collection": "articles", "locale": "en", "fields": map[string]any{"title": "Ceasefire", "tags": []any{}}}, request["snapshot"])
	again := w.send(http.MethodPost, w.content("/content/"+itoa(entry)+"/publish"), "", w.as("editor"))
	assert.Equal(t, http.StatusAccepted, again.StatusCode)
	assert.Equal(t, request["id"], again.json(t)["id"])

	managed := w.must(w.send(http.MethodPatch, w.content("/content/"+itoa(entry)), `{"fields":{"title":"Edited meanwhile"}}`, w.as("editor")))
	assert.Equal(t, map[string]any{"id": request["id"], "status": "pending", "releaseNumber": request["releaseNumber"]}, managed["approval"])
	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, w.content("/content/"+itoa(entry)+"/approval/approve"), "", w.as("editor"))

	for step, approver := range []string{"projectAdmin", "holder", "departmentAdmin"} {
		inbox := w.must(w.send(http.MethodGet, "/api/approvals/pending", "", w.as(approver)))
		require.Len(t, inbox["data"], 1, approver)
		listed := inbox["data"].([]any)[0].(map[string]any)
		assert.Nil(t, listed["snapshot"])
		assert.Equal(t, true, listed["canAct"])
		a := w.decide(entry, "approve", `{"stepOrder":`+itoa(int64(step+1))+`,"comment":"Fine by `+approver+`"}`, approver)
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route("approve"), a)
	}
	final := w.must(w.send(http.MethodGet, w.content("/content/"+itoa(entry)+"/approval"), "", w.as("viewer")))
	assert.Equal(t, "published", final["status"])
	assert.Nil(t, final["currentStep"])
	assert.Equal(t, true, final["contentChanged"])
	public := w.send(http.MethodGet, w.public("/collections/articles/entries/"+itoa(entry)), "", w.bearer("read"))
	assert.Contains(t, string(public.body), `"title":"Ceasefire"`)

	for id, path := range map[string]string{"getApprovalDiff": "/diff", "listApprovalChanges": "/changes", "auditApproval": "/audit", "listApprovalHistory": "/history"} {
		a := w.send(http.MethodGet, w.content("/content/"+itoa(entry)+"/approval"+path), "", w.as("holder"))
		require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
		conforms(t, w.route(id), a)
	}
	audit := w.must(w.send(http.MethodGet, w.content("/content/"+itoa(entry)+"/approval/audit"), "", w.as("viewer")))
	assert.Equal(t, true, audit["valid"])
	assert.Equal(t, true, audit["snapshotValid"])
	diff := w.must(w.send(http.MethodGet, w.content("/content/"+itoa(entry)+"/approval/diff"), "", w.as("viewer")))
	assert.Equal(t, []any{}, diff["publishedToSnapshot"])
	assert.Equal(t, []any{map[string]any{"op": "replace", "path": "/title", "value": "Edited meanwhile"}}, diff["snapshotToDraft"])
	title := func(version string) any { return diff[version].(map[string]any)["fields"].(map[string]any)["title"] }
	assert.Equal(t, "Ceasefire", title("published"))
	assert.Equal(t, "Edited meanwhile", title("draft"))
}

// A decision that expects another step or content gets 409 with the current request.
func TestStaleDecisions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	entry := w.submit("Late", "editor")
	w.must(w.decide(entry, "approve", `{"stepOrder":1}`, "projectAdmin"))
	other := strings.Repeat("0", 64)
	for _, c := range []struct{ action, body, user, code, status string }{
		{"approve", `{"stepOrder":1}`, "holder", "stale_step", "pending"},
		{"reject", `{"stepOrder":3}`, "holder", "stale_step", "pending"},
		{"approve", `{"contentHash":"` + other + `"}`, "holder", "stale_content", "pending"},
	} {
		a := w.decide(entry, c.action, c.body, c.user)
		require.Equal(t, http.StatusConflict, a.StatusCode, "%+v: %s", c, a.body)
		conforms(t, w.route("approve"), a)
		shown := a.json(t)
		assert.Equal(t, c.code, shown["code"])
		assert.Equal(t, c.status, shown["request"].(map[string]any)["status"])
	}
	w.must(w.decide(entry, "reject", `{}`, "holder"))
	for _, action := range []string{"approve", "reject", "request-revision", "publish-now"} {
		a := w.decide(entry, action, `{"comment":"x"}`, "projectAdmin")
		require.Equal(t, http.StatusConflict, a.StatusCode, "%s: %s", action, a.body)
		assert.Equal(t, "rejected", a.json(t)["request"].(map[string]any)["status"], action)
	}
}

// A decision with If-Match succeeds only on this version of the request.
func TestDecisionsWithIfMatch(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	entry := w.submit("Versioned", "editor")
	path := w.content("/content/" + itoa(entry) + "/approval")
	read := w.send(http.MethodGet, path, "", w.as("projectAdmin"))
	tag := read.Header.Get("Etag")
	require.Equal(t, `"1"`, tag)
	for given, status := range map[string]int{`"0"`: 412, `"2"`: 412, `W/"1"`: 412, `1`: 400} {
		a := w.send(http.MethodPost, path+"/approve", "", w.as("projectAdmin"), header("If-Match", given))
		assert.Equal(t, status, a.StatusCode, "%s: %s", given, a.body)
		conforms(t, w.route("approve"), a)
	}
	approved := w.send(http.MethodPost, path+"/approve", "", w.as("projectAdmin"), header("If-Match", tag))
	require.Equal(t, http.StatusOK, approved.StatusCode, string(approved.body))
	assert.Equal(t, `"2"`, approved.Header.Get("Etag"))
	assert.Equal(t, http.StatusPreconditionFailed, w.send(http.MethodPost, path+"/approve", "", w.as("holder"), header("If-Match", tag)).StatusCode)
}

// Invalid decisions, and decisions that the step does not allow, are rejected.
func TestDecisionsAreChecked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	entry := w.submit("Checked", "editor")
	for _, c := range []struct {
		action, body, location string
	}{
		{"request-revision", "", "comment"},
		{"request-revision", `{"comment":" \n "}`, "comment"},
		{"approve", `{"comment":"` + strings.Repeat("x", 4001) + `"}`, "comment"},
		{"approve", `{"status":"published"}`, "status"},
		{"approve", `{"stepOrder":"1"}`, "stepOrder"},
		{"comments", `{"text":"x","entryId":0}`, "entryId"},
		{"comments", `{"text":"x","parent":0}`, "parent"},
		{"comments", `{"text":"x","field":""}`, "field"},
		{"comments", `{"text":"x","field":"title","key":""}`, "key"},
		{"comments", `{"text":"x","must":0}`, "must"},
		{"comments", `{"text":"@[0] look"}`, "text"},
		{"comments", `{"text":"@[99999999999999999999999] look"}`, "text"},
		{"approve", `{"comments":[{"text":"x"},{"text":"x","parent":0}]}`, "comments[1].parent"},
	} {
		w.on(t).wantFault(c.location, w.decide(entry, c.action, c.body, "projectAdmin"))
	}
	schedule := w.content("/content/" + itoa(entry) + "/approval/schedule")
	w.wantFault("publishAt", w.send(http.MethodPut, schedule, `{}`, w.as("editor")))
	w.wantFault("publishAt", w.send(http.MethodPut, schedule, `{"publishAt":"soon"}`, w.as("editor")))
	w.must(w.decide(entry, "approve", "", "projectAdmin"))
	w.must(w.decide(entry, "approve", "", "holder"))
	for _, action := range []string{"reject", "request-revision"} {
		a := w.decide(entry, action, `{"comment":"no"}`, "departmentAdmin")
		assert.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, "%s at a step that does not allow it: %s", action, a.body)
	}
}

// doorRows say who may decide the only step of a request of the editor, written from the contract: the status of the
// approval of each caller. A user who may is told so before, and one who may not is told why, if the user sees the request.
var doorRows = []struct {
	name string
	step review.Step
	self bool
	want map[string]int
}{
	{"an admin step", review.Step{RoleKind: core.RoleAdmin}, false, map[string]int{
		"editor": 403, "viewer": 403, "projectAdmin": 200, "departmentAdmin": 200, "tenantAdmin": 200, "super": 200, "holder": 404, "outsider": 404, "otherAdmin": 404,
	}},
	{"a step of a department admin", review.Step{RoleKind: core.RoleDepartmentAdmin}, true, map[string]int{
		"editor": 403, "viewer": 403, "projectAdmin": 403, "departmentAdmin": 200, "tenantAdmin": 200, "super": 200, "holder": 404, "outsider": 404, "otherAdmin": 404,
	}},
	{"a step of a custom role", review.Step{RoleKind: core.RoleAdmin, CustomRoleID: 1}, true, map[string]int{
		"editor": 200, "viewer": 403, "projectAdmin": 403, "departmentAdmin": 403, "tenantAdmin": 403, "super": 403, "holder": 200, "outsider": 404, "otherAdmin": 404,
	}},
	{"a step that is escalated later", review.Step{RoleKind: core.RoleTenantAdmin, Escalate: &review.Escalation{After: 1, RoleKind: core.RoleAdmin}}, true, map[string]int{
		"editor": 403, "viewer": 403, "projectAdmin": 403, "departmentAdmin": 403, "tenantAdmin": 200, "super": 200, "holder": 404, "outsider": 404, "otherAdmin": 404,
	}},
}

func TestWhoDecidesAtTheDoor(t *testing.T) {
	t.Parallel()
	for _, row := range doorRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			step := row.step
			if step.Order = 1; step.CustomRoleID != 0 {
				step.CustomRoleID = w.role.ID
			}
			require.NoError(t, w.stores.Workflows.Put(t.Context(), review.Workflow{ProjectID: w.project.ID, AllowSelfApproval: row.self, Steps: []review.Step{step}}))
			for caller, want := range row.want {
				entry := w.submit("For "+caller, "editor")
				seen := w.send(http.MethodGet, w.content("/content/"+itoa(entry)+"/approval"), "", w.as(caller))
				if want == http.StatusNotFound {
					require.Equal(t, want, seen.StatusCode, caller)
				} else {
					shown := w.must(seen)
					require.Equal(t, want == http.StatusOK, shown["canAct"], caller)
					require.Equal(t, want != http.StatusOK, shown["reason"] != nil, caller)
				}
				require.Equal(t, want, w.decide(entry, "approve", "", caller).StatusCode, caller)
				if want == http.StatusOK {
					require.Equal(t, http.StatusConflict, w.decide(entry, "approve", "", caller).StatusCode, "%s, after the end", caller)
				}
			}
			entry := w.submit("For tokens", "editor")
			for token := range w.secrets {
				a := w.send(http.MethodPost, w.content("/content/"+itoa(entry)+"/approval/approve"), "", w.bearer(token), header("Sec-Fetch-Site", "same-origin"))
				require.Contains(t, []int{401, 403, 404}, a.StatusCode, token)
			}
			a := w.send(http.MethodPost, w.content("/content/"+itoa(entry)+"/approval/approve"), "", header("Sec-Fetch-Site", "same-origin"))
			require.Equal(t, http.StatusUnauthorized, a.StatusCode)
		})
	}
}

// wantFault checks that the response is a 422 problem with a fault at location.
func (w *world) wantFault(location string, a answer) {
	w.t.Helper()
	require.Equal(w.t, http.StatusUnprocessableEntity, a.StatusCode, string(a.body))
	assert.Contains(w.t, string(a.body), `"location":"`+location+`"`)
}

// An invalid workflow is rejected with all its faults.
func TestWorkflowsAreChecked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	now := time.Now()
	other := core.Department{TenantID: w.tenant.ID, Name: "Elsewhere", CreatedAt: now, UpdatedAt: now}
	require.NoError(t, w.stores.Departments.Insert(t.Context(), &other))
	foreign := core.CustomRole{TenantID: w.tenant.ID, DepartmentID: other.ID, Name: "Elsewhere", CreatedAt: now}
	require.NoError(t, w.stores.CustomRoles.Insert(context.Background(), &foreign))
	department := "/api/departments/" + itoa(w.department.ID) + "/approval-workflow"
	for name, c := range map[string]struct {
		body      string
		locations []string
	}{
		"no steps":    {`{"steps":[]}`, []string{"steps"}},
		"absent":      {`{}`, []string{"steps"}},
		"null":        {`{"steps":null}`, []string{"steps"}},
		"all at once": {`{"steps":[{"stepOrder":0,"requiredRoleKind":"editor"},{"stepOrder":2,"requiredRoleKind":"admin","requiredCustomRoleId":999},{"stepOrder":2,"requiredRoleKind":"admin","stepLabel":"` + strings.Repeat("x", 201) + `"}]}`, []string{"steps[0].stepOrder", "steps[0].requiredRoleKind", "steps[1].requiredCustomRoleId", "steps[2].stepLabel"}},
		"other role":  {`{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","requiredCustomRoleId":` + itoa(foreign.ID) + `}]}`, []string{"steps[0].requiredCustomRoleId"}},
		"unknown":     {`{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","x":1}],"scope":"project"}`, []string{"steps[0].x", "scope"}},
		"types":       {`{"steps":[{"stepOrder":1.5,"requiredRoleKind":1,"allowRevision":"yes","remindAfter":"1"}]}`, []string{"steps[0].stepOrder", "steps[0].requiredRoleKind", "steps[0].allowRevision", "steps[0].remindAfter"}},
		"reminders":   {`{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","remindAfter":0},{"stepOrder":2,"requiredRoleKind":"admin","remindAfter":721}]}`, []string{"steps[0].remindAfter", "steps[1].remindAfter"}},
		"approvals":   {`{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","approvals":0},{"stepOrder":1,"requiredRoleKind":"admin","approvals":21}]}`, []string{"steps[0].approvals", "steps[1].approvals"}},
		"minutes":     {`{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","remindAfter":0.5}]}`, []string{"steps[0].remindAfter"}},
		"too many":    {`{"steps":[` + strings.TrimSuffix(strings.Repeat(`{"stepOrder":1,"requiredRoleKind":"admin"},`, 21), ",") + `]}`, []string{"steps"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{department, "/api/projects/" + itoa(w.project.ID) + "/approval-workflow"} {
				a := w.send(http.MethodPut, path, c.body, w.as("tenantAdmin"))
				require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, string(a.body))
				for _, location := range c.locations {
					assert.Contains(t, string(a.body), `"location":"`+location+`"`)
				}
			}
		})
	}
	w.problem(http.StatusNotFound, "not_found", http.MethodGet, department, "", w.as("departmentAdmin"))
	set := w.must(w.send(http.MethodPut, department, `{"steps":[{"stepOrder":20,"requiredRoleKind":"tenant_admin","remindAfter":null},{"stepOrder":10,"requiredRoleKind":"admin","requiredCustomRoleId":`+itoa(w.role.ID)+`,"allowRejection":false,"remindAfter":720}]}`, w.as("tenantAdmin")))
	assert.Equal(t, "department", set["scope"])
	assert.Equal(t, true, set["allowSelfApproval"])
	assert.EqualValues(t, w.department.ID, set["departmentId"])
	assert.NotContains(t, set, "projectId")
	step := set["steps"].([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{
		"stepId": 1.0, "approvals": 1.0, "stepOrder": 10.0, "requiredRoleKind": "admin", "requiredCustomRoleId": float64(w.role.ID), "stepLabel": nil, "allowRevision": true, "allowRejection": false, "remindAfter": 720.0,
	}, step)
	assert.NotContains(t, set["steps"].([]any)[1], "remindAfter")
	effective := func() map[string]any {
		return w.must(w.send(http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/approval-workflow/effective", "", w.as("viewer")))
	}
	assert.Equal(t, "department", effective()["source"])
	tried := w.problem(http.StatusUnprocessableEntity, "invalid", http.MethodPost, "/api/projects/"+itoa(w.project.ID)+"/approval-workflow/try", "{}", w.as("viewer"))
	assert.Equal(t, []any{map[string]any{"location": "entryId", "message": "is required"}}, tried["errors"])
	w.must(w.send(http.MethodPut, "/api/projects/"+itoa(w.project.ID)+"/approval-workflow", workflowBody, w.as("tenantAdmin")))
	assert.Equal(t, "project", effective()["source"])
	for _, path := range []string{"/api/projects/" + itoa(w.project.ID) + "/approval-workflow", department} {
		require.Equal(t, http.StatusNoContent, w.send(http.MethodDelete, path, "", w.as("tenantAdmin")).StatusCode)
		w.problem(http.StatusNotFound, "not_found", http.MethodDelete, path, "", w.as("tenantAdmin"))
	}
	none := effective()
	assert.Equal(t, "none", none["source"])
	assert.Nil(t, none["workflow"])
	assert.NotEmpty(t, none["reason"])
}

// Only super admins may read and change the workflow of a Project without Department. Its steps
// cannot name department admins or custom roles.
func TestWorkflowWithoutDepartment(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := "/api/projects/" + itoa(w.other.ID) + "/approval-workflow"
	for _, p := range []string{path, path + "/effective"} {
		w.problem(http.StatusForbidden, "forbidden", http.MethodGet, p, "", w.as("otherAdmin"))
		w.problem(http.StatusNotFound, "not_found", http.MethodGet, p, "", w.as("tenantAdmin"))
	}
	w.problem(http.StatusForbidden, "forbidden", http.MethodPut, path, workflowBody, w.as("otherAdmin"))
	w.problem(http.StatusForbidden, "forbidden", http.MethodDelete, path, "", w.as("otherAdmin"))
	w.wantFault("steps[0].requiredRoleKind", w.send(http.MethodPut, path, `{"steps":[{"stepOrder":1,"requiredRoleKind":"department_admin"}]}`, w.as("super")))
	w.wantFault("steps[0].requiredCustomRoleId", w.send(http.MethodPut, path, `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin","requiredCustomRoleId":`+itoa(w.role.ID)+`}]}`, w.as("super")))
	w.must(w.send(http.MethodPut, path, workflowBody, w.as("super")))
	w.must(w.send(http.MethodGet, path+"/effective", "", w.as("super")))
}

func TestInboxParameters(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	for _, title := range []string{"A", "B", "C"} {
		w.submit(title, "editor")
	}
	for query, want := range map[string]int{
		"": 3, "?perPage=2": 2, "?page=2&perPage=2": 1, "?page=3&perPage=2": 0, "?project=" + itoa(w.project.ID): 3, "?project=999": 0, "?sort=submittedAt:desc": 3, "?sort=submittedAt": 3,
	} {
		a := w.must(w.send(http.MethodGet, "/api/approvals/pending"+query, "", w.as("projectAdmin")))
		assert.Len(t, a["data"], want, query)
	}
	for _, query := range []string{"?page=0", "?page=x", "?perPage=101", "?perPage=0", "?project=0", "?project=x", "?sort=id", "?sort=submittedAt:", "?sort=", "?sort=submittedAt:ASC", "?where[x]=1", "?page=1&page=2"} {
		w.problem(http.StatusBadRequest, w.codeOf("/api/approvals/pending"+query), http.MethodGet, "/api/approvals/pending"+query, "", w.as("projectAdmin"))
	}
	summary := w.must(w.send(http.MethodGet, "/api/approvals/summary", "", w.as("projectAdmin")))
	assert.EqualValues(t, 3, summary["pending"])
	assert.Equal(t, []any{map[string]any{"projectId": float64(w.project.ID), "name": "World Desk", "pending": 3.0}}, summary["byProject"])
	mine := w.must(w.send(http.MethodGet, "/api/approvals/summary", "", w.as("editor")))
	assert.EqualValues(t, 3, mine["submittedByMe"])
}

func TestInboxLists(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	first, second := w.submit("A", "editor"), w.submit("B", "editor")
	w.must(w.decide(first, "reject", `{"comment":"We have it."}`, "projectAdmin"))
	w.must(w.decide(second, "approve", "", "departmentAdmin"))
	list := func(path, user string) (titles []any) {
		for _, item := range w.must(w.send(http.MethodGet, "/api/approvals/"+path, "", w.as(user)))["data"].([]any) {
			titles = append(titles, item.(map[string]any)["title"])
		}
		return titles
	}
	assert.Equal(t, []any{"B", "A"}, list("submitted", "editor"))
	assert.Equal(t, []any{"A", "B"}, list("submitted?sort=submittedAt", "editor"))
	assert.Equal(t, []any{"A"}, list("submitted?perPage=1&page=2", "editor"))
	assert.Empty(t, list("submitted?project=999", "editor"))
	assert.Equal(t, []any{"A"}, list("decided", "projectAdmin"))
	assert.Equal(t, []any{"B"}, list("decided", "departmentAdmin"))
	assert.Empty(t, list("scheduled", "viewer"))
	w.must(w.decide(second, "approve", "", "holder"))
	w.must(w.send(http.MethodPut, w.content("/content/"+itoa(second)+"/approval/schedule"), `{"publishAt":"2100-01-02T15:04:05Z"}`, w.as("departmentAdmin")))
	w.must(w.decide(second, "approve", "", "departmentAdmin"))
	assert.Equal(t, []any{"B"}, list("scheduled", "viewer"))
	assert.Equal(t, []any{"B"}, list("scheduled", "holder"))
	assert.Equal(t, []any{"B"}, list("decided", "holder"))
	assert.Empty(t, list("scheduled", "outsider"))
	for _, path := range []string{"submitted?sort=decidedAt", "decided?sort=", "scheduled?sort=submittedAt", "scheduled?perPage=101"} {
		w.problem(http.StatusBadRequest, w.codeOf("/api/approvals/"+path), http.MethodGet, "/api/approvals/"+path, "", w.as("viewer"))
	}
}

// codeOf returns the error code of a GET request.
func (w *world) codeOf(target string) string {
	code, _ := w.send(http.MethodGet, target, "", w.as("projectAdmin")).json(w.t)["code"].(string)
	return code
}
