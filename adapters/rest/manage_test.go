package rest_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
)

func TestTokenLifecycle(t *testing.T) {
	t.Parallel()
	w := setup(t)
	all := "/api/projects/" + itoa(w.project.ID) + "/tokens"
	made := w.send("POST", all, `{"name":"Website","abilities":["read"],"rateLimit":5,"expiresAt":"2999-01-01T00:00:00Z"}`, w.as("projectAdmin"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	body := made.json(t)
	secret := body["secret"].(string)
	own := all + "/" + itoa(int64(body["id"].(float64)))
	open := func() int {
		return w.send("GET", w.public("/collections"), "", header("Authorization", "Bearer "+secret)).StatusCode
	}
	assert.Equal(t, 200, open())

	for _, target := range []string{own, all} {
		read := w.send("GET", target, "", w.as("projectAdmin"))
		assert.Equal(t, 200, read.StatusCode)
		assert.NotContains(t, string(read.body), secret)
		assert.NotContains(t, string(read.body), `"secret"`)
	}

	changed := w.send("PATCH", own, `{"name":"Web","rateLimit":null,"expiresAt":null}`, w.as("projectAdmin"))
	require.Equal(t, 200, changed.StatusCode, string(changed.body))
	assert.Nil(t, changed.json(t)["rateLimit"])
	assert.Nil(t, changed.json(t)["expiresAt"])
	left := w.send("PATCH", own, `{"rateLimit":7}`, w.as("projectAdmin")).json(t)
	assert.Equal(t, "Web", left["name"], "an omitted member does not change")
	assert.EqualValues(t, 7, left["rateLimit"])
	w.problem(422, "invalid", "PATCH", own, `{"rateLimit":"many"}`, w.as("projectAdmin"))
	w.problem(422, "invalid", "PATCH", own, `{"name":5}`, w.as("projectAdmin"))

	assert.Equal(t, 204, w.send("DELETE", own, "", w.as("projectAdmin")).StatusCode)
	assert.Equal(t, 401, open())
}

func TestPlacesNameTheActionsOfTheCaller(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tenant, department, project := "/api/tenants/"+itoa(w.tenant.ID), "/api/departments/"+itoa(w.department.ID), "/api/projects/"+itoa(w.project.ID)
	for _, test := range []struct {
		path, caller string
		may, mayNot  []any
	}{
		{"/api/session", "super", []any{"tenant.create", "user.create", "user.list"}, nil},
		{"/api/session", "tenantAdmin", []any{"session"}, []any{"tenant.create", "user.create", "user.list"}},
		{tenant, "tenantAdmin", []any{"tenant.update", "user.create", "department.create"}, []any{"tenant.delete"}},
		{tenant, "editor", []any{"tenant.view"}, []any{"tenant.update", "project.create"}},
		{department, "departmentAdmin", []any{"custom_role.manage", "department.workflow.view"}, []any{"department.update", "department.workflow.set"}},
		{project, "projectAdmin", []any{"token.manage", "project.members.manage"}, []any{"project.delete", "project.workflow.set"}},
		{project, "editor", []any{"content.write", "media.delete"}, []any{"content.destroy", "collection.manage"}},
		{project, "viewer", []any{"content.read", "project.view"}, []any{"content.write", "media.write"}},
	} {
		one := w.send("GET", test.path, "", w.as(test.caller)).json(t)["actions"].([]any)
		assert.Subset(t, one, test.may, "%s in %s", test.caller, test.path)
		for _, name := range test.mayNot {
			assert.NotContains(t, one, name, "%s in %s", test.caller, test.path)
		}
		if list := strings.TrimSuffix(test.path, "/1"); list != test.path && list != "/api/departments" {
			listed := w.send("GET", list, "", w.as(test.caller)).json(t)["data"].([]any)[0].(map[string]any)
			assert.Equal(t, one, listed["actions"], "%s in %s", test.caller, list)
		}
	}
	listed := w.send("GET", tenant+"/departments", "", w.as("departmentAdmin")).json(t)["data"].([]any)[0].(map[string]any)
	assert.Contains(t, listed["actions"], "custom_role.manage")
	signedIn := w.send("POST", "/api/session", bodies["signIn"], header("Sec-Fetch-Site", "same-origin")).json(t)
	assert.Equal(t, []any{"session", "session.end", "password.set", "factors.set"}, signedIn["actions"])
}

func TestContentLifecycle(t *testing.T) {
	t.Parallel()
	w := setup(t)
	editor := w.as("editor")
	made := w.send("POST", w.content("/content"), `{"fields":{"title":"Draft"}}`, editor)
	require.Equal(t, 201, made.StatusCode, string(made.body))
	id := itoa(int64(made.json(t)["id"].(float64)))
	own, reader := w.content("/content/"+id), w.public("/collections/articles/entries/"+id)
	public := func() int { return w.send("GET", reader, "", w.bearer("full")).StatusCode }
	step := func(method, path, body string, status int, changes ...with) answer {
		t.Helper()
		res := w.send(method, own+path, body, append(changes, editor)...)
		require.Equal(t, status, res.StatusCode, string(res.body))
		return res
	}

	assert.Equal(t, 404, public())
	published := step("POST", "/publish", "", 200)
	assert.Equal(t, "published", published.json(t)["state"])
	assert.Equal(t, 200, public())
	step("POST", "/unpublish", "{}", 200)
	assert.Equal(t, 404, public())
	step("POST", "/publish", `{"publishAt":"2020-01-01T00:00:00Z"}`, 200)

	tag := step("GET", "", "", 200).Header.Get("ETag")
	step("PATCH", "", `{"fields":{"title":"Changed"}}`, 200, header("If-Match", tag))
	step("PATCH", "", `{"fields":{"title":"Late"}}`, 412, header("If-Match", tag))
	both := step("GET", "/versions", "", 200).json(t)
	assert.Equal(t, "Changed", both["draft"].(map[string]any)["title"])
	assert.Equal(t, "Changed", both["published"].(map[string]any)["title"])
	kept := step("PATCH", "", `{"keepPublished":true,"fields":{"title":"Draft"}}`, 200).json(t)
	assert.Equal(t, true, kept["hasUnpublishedChanges"])
	assert.Equal(t, "changed", kept["status"])
	listed := func(status string) []any {
		return w.send("GET", w.content("/content?locale=*&count=true&status="+status), "", editor).json(t)["data"].([]any)
	}
	if changed := listed("changed"); assert.Len(t, changed, 1) {
		assert.EqualValues(t, id, itoa(int64(changed[0].(map[string]any)["id"].(float64))))
	}
	assert.NotContains(t, fmt.Sprint(listed("published")), "title:Draft")
	assert.Empty(t, listed("in_review"))
	problem := w.problem(400, "invalid_query", "GET", w.content("/content?status=inReview"), "", editor)
	assert.Contains(t, problem["detail"], `unknown status "inReview": one of failed, in_review`)
	both = step("GET", "/versions", "", 200).json(t)
	assert.Equal(t, "Draft", both["draft"].(map[string]any)["title"])
	assert.Equal(t, "Changed", both["published"].(map[string]any)["title"])
	w.problem(422, "invalid", "PATCH", own, `{"keepPublished":true,"published":true}`, editor)

	translated := w.send("POST", w.content("/content"), `{"locale":"fr","translationOf":`+id+`,"fields":{"title":"Modifié"}}`, editor).json(t)
	group := step("GET", "/translations", "", 200).json(t)["data"].([]any)
	require.Len(t, group, 2)
	assert.Equal(t, "fr", group[1].(map[string]any)["locale"])
	assert.Equal(t, translated["id"], group[1].(map[string]any)["id"])

	step("DELETE", "", "", 204)
	assert.Equal(t, 404, public())
	step("GET", "", "", 404)
	trash := w.send("GET", w.content("/trash?limit=1"), "", editor).json(t)
	assert.EqualValues(t, id, itoa(int64(trash["data"].([]any)[0].(map[string]any)["id"].(float64))))
	assert.Equal(t, true, trash["meta"].(map[string]any)["hasMore"])
	step("POST", "/restore", "", 200)
	assert.Equal(t, 200, public(), "no workflow governs the Project, so the entry is public again")
	w.problem(409, "not_trashed", "DELETE", own+"/permanent", "", w.as("projectAdmin"))
	step("DELETE", "", "", 204)
	assert.Equal(t, 204, w.send("DELETE", own+"/permanent", "", w.as("projectAdmin")).StatusCode)
	step("POST", "/restore", "", 404)
}

func TestFieldLifecycle(t *testing.T) {
	t.Parallel()
	w := setup(t)
	admin := w.as("projectAdmin")
	field := func(res answer, name string) map[string]any {
		t.Helper()
		for _, f := range res.json(t)["fields"].([]any) {
			if f := f.(map[string]any); f["name"] == name {
				return f
			}
		}
		return nil
	}
	added := w.send("POST", w.content("/fields"), `{"name":"rating","label":"Rating","type":"number","min":1,"max":5,"default":3}`, admin)
	require.Equal(t, 201, added.StatusCode, string(added.body))
	changed := w.send("PATCH", w.content("/fields/rating"), `{"label":"Stars","min":null}`, admin)
	require.Equal(t, 200, changed.StatusCode, string(changed.body))
	f := field(changed, "rating")
	assert.Equal(t, "Stars", f["label"])
	assert.NotContains(t, f, "min")
	assert.EqualValues(t, 5, f["max"], "an omitted member does not change")
	assert.EqualValues(t, 3, f["default"])
	w.problem(422, "invalid", "PATCH", w.content("/fields/rating"), `{"type":"text"}`, admin)
	w.problem(404, "not_found", "PATCH", w.content("/fields/nothing"), `{"label":"x"}`, admin)
	removed := w.send("DELETE", w.content("/fields/rating"), "", admin)
	require.Equal(t, 204, removed.StatusCode)
	assert.Nil(t, field(w.send("GET", w.content(""), "", admin), "rating"))
}

func TestConcurrentFieldChangesAreAllApplied(t *testing.T) {
	t.Parallel()
	w := setup(t)
	admin := w.as("projectAdmin")
	path := w.content("/fields/size")
	require.Equal(t, 201, w.send("POST", w.content("/fields"), `{"name":"size","type":"number"}`, admin).StatusCode)
	for round := range 20 {
		changes := []string{`{"hidden":true}`, `{"required":true}`, fmt.Sprintf(`{"label":"Size %d"}`, round), fmt.Sprintf(`{"max":%d}`, round)}
		status := make([]int, len(changes))
		var group sync.WaitGroup
		for i, change := range changes {
			group.Go(func() { status[i] = w.send("PATCH", path, change, admin).StatusCode })
		}
		group.Wait()
		require.Equal(t, []int{200, 200, 200, 200}, status)
		fields := w.send("GET", w.content(""), "", admin).json(t)["fields"].([]any)
		size := fields[len(fields)-1].(map[string]any)
		require.Equal(t, []any{true, true, fmt.Sprint("Size ", round), float64(round)}, []any{size["hidden"], size["required"], size["label"], size["max"]})
		require.Equal(t, 200, w.send("PATCH", path, `{"hidden":false,"required":false}`, admin).StatusCode)
	}
}

func TestMySessions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	signedIn := w.send("POST", "/api/session", bodies["signIn"], header("User-Agent", "Lynx/2.9"))
	in := header("Cookie", signedIn.Cookies()[0].Name+"="+signedIn.Cookies()[0].Value)
	list := func() []any { return w.send("GET", "/api/me/sessions", "", in).json(t)["data"].([]any) }
	sessions := list()
	require.Len(t, sessions, 2)
	newest, older := sessions[0].(map[string]any), sessions[1].(map[string]any)
	assert.Equal(t, true, newest["current"])
	assert.Equal(t, "Lynx/2.9", newest["userAgent"])
	assert.Equal(t, "192.0.2.1", newest["address"])
	assert.Equal(t, false, older["current"])
	path := func(id float64) string { return "/api/me/sessions/" + itoa(int64(id)) }
	w.problem(404, "not_found", "DELETE", path(newest["id"].(float64)), "", w.as("viewer"))
	w.problem(403, "cross_origin", "DELETE", path(older["id"].(float64)), "", in)
	ours := header("Sec-Fetch-Site", "same-origin")
	require.Equal(t, 204, w.send("DELETE", path(older["id"].(float64)), "", in, ours).StatusCode)
	assert.Equal(t, 401, w.send("GET", "/api/me/settings", "", w.as("editor")).StatusCode)
	w.send("POST", "/api/session", bodies["signIn"])
	require.Len(t, list(), 2)
	require.Equal(t, 204, w.send("DELETE", "/api/me/sessions", "", in, ours).StatusCode)
	require.Len(t, list(), 1)
}

func TestMySettings(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const path = "/api/me/settings"
	read := func() string { return string(w.send("GET", path, "", w.as("viewer")).body) }
	const byDefault = `"reach":"own","notices":{"your_turn":"now","rejected":"now","revision_requested":"now","approved":"never","published":"never","withdrawn":"never",` +
		`"publication_failed":"now","webhook_off":"now","account":"now","unpublished":"now","unreachable":"now","release_failed":"now","comment":"never","mention":"now","resolved":"never","delegation":"now","overdue":"now"}}`
	assert.JSONEq(t, `{"language":null,"timeZone":null,"theme":"system",`+byDefault, read())
	changed := w.send("PATCH", path, `{"language":"de","timeZone":"America/Argentina/Ushuaia","theme":"dark"}`, w.as("viewer"))
	require.Equal(t, 200, changed.StatusCode, string(changed.body))
	assert.Equal(t, string(changed.body), read())
	assert.JSONEq(t, `{"language":"de","timeZone":"America/Argentina/Ushuaia","theme":"dark",`+byDefault, read())
	for body, location := range map[string]string{
		`{"language":"fr"}`: "language", `{"timeZone":"Mars/Olympus"}`: "timeZone", `{"theme":"pink"}`: "theme", `{"theme":null}`: "theme", `{"colour":"red"}`: "colour",
		`{"notices":{"approved":"daily"}}`: "notices.approved", `{"notices":{"likes":"now"}}`: "notices.likes", `{"reach":"all"}`: "reach",
	} {
		w.wantFault(location, w.send("PATCH", path, body, w.as("viewer")))
	}
	w.send("PATCH", path, `{"language":null,"timeZone":null,"theme":"light","reach":"above","notices":{"approved":"now","account":"never","rejected":"now"}}`, w.as("viewer"))
	changes := strings.NewReplacer(`"own"`, `"above"`, `"approved":"never"`, `"approved":"now"`, `"account":"now"`, `"account":"never"`)
	assert.JSONEq(t, `{"language":null,"timeZone":null,"theme":"light",`+changes.Replace(byDefault), read())
	assert.JSONEq(t, `{"language":null,"timeZone":null,"theme":"system",`+byDefault, string(w.send("GET", path, "", w.as("editor")).body))
}

func TestMyNotices(t *testing.T) {
	t.Parallel()
	w := setup(t)
	notice := notice.Notice{
		UserID: w.users["editor"].ID, Key: "a", Kind: notice.Rejected, Event: event.RequestRejected, ProjectID: w.project.ID, ApprovalID: 4, CollectionID: 5, EntryID: 6,
		Title: "Ceasefire", ReleaseNumber: "CR-2026-0001", Actor: core.ActorRef{Kind: "user", ID: 7, Name: "Ada"}, Comment: "no",
	}
	require.NoError(t, w.stores.Notices.Insert(t.Context(), &notice))
	const path = "/api/me/notices"
	get := func(path, user string) string { return string(w.send("GET", path, "", w.as(user)).body) }
	want := fmt.Sprintf(`{"id":%d,"kind":"rejected","event":"request.rejected","at":%q,"projectId":%d,"projectName":%q,"title":"Ceasefire","releaseNumber":"CR-2026-0001","releaseId":null,`+
		`"actor":{"kind":"user","id":7,"name":"Ada"},"comment":"no","link":"/dashboard/review/%d/5/6","readAt":null}`,
		notice.ID, core.FormatTime(notice.At), w.project.ID, w.project.Name, w.project.ID)
	assert.JSONEq(t, `{"data":[`+want+`],"meta":{"page":1,"perPage":25,"total":1,"hasMore":false}}`, get(path, "editor"))
	assert.JSONEq(t, `{"unread":1}`, get(path+"/summary", "editor"))
	assert.JSONEq(t, `{"unread":0}`, get(path+"/summary", "viewer"))
	id := itoa(notice.ID)
	for body, status := range map[string]int{`{}`: 422, `{"ids":[]}`: 422, `{"ids":[` + id + `],"before":"2026-01-02T15:04:05Z"}`: 422, `{"ids":["x"]}`: 422} {
		require.Equal(t, status, w.send("POST", path+"/read", body, w.as("editor")).StatusCode, body)
	}
	require.Equal(t, 204, w.send("POST", path+"/read", `{"ids":[`+id+`]}`, w.as("viewer")).StatusCode)
	assert.JSONEq(t, `{"unread":1}`, get(path+"/summary", "editor"))
	require.Equal(t, 204, w.send("POST", path+"/read", `{"ids":[`+id+`]}`, w.as("editor")).StatusCode)
	assert.JSONEq(t, `{"unread":0}`, get(path+"/summary", "editor"))
	assert.Contains(t, get(path+"?unread=true", "editor"), `"data":[]`)
	assert.Contains(t, get(path, "editor"), `"total":1`)
}

func TestPasswordChangeEndsSessions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	own := "/api/users/" + itoa(w.users["editor"].ID)
	wrong := w.send("PUT", own+"/password", `{"current":"wrong","new":"a longer and better one"}`, w.as("editor"))
	assert.GreaterOrEqual(t, wrong.StatusCode, http.StatusBadRequest)
	assert.NotContains(t, string(wrong.body), "better one")
	assert.Equal(t, 200, w.send("GET", "/api/session", "", w.as("editor")).StatusCode)
	done := w.send("PUT", own+"/password", `{"current":"`+userPassword+`","new":"a longer and better one"}`, w.as("editor"))
	require.Equal(t, 204, done.StatusCode, string(done.body))
	assert.Equal(t, 401, w.send("GET", "/api/me/settings", "", w.as("editor")).StatusCode)
}

func TestUserPages(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tenant := "?tenantId=" + itoa(w.tenant.ID)
	first := w.send("GET", "/api/users"+tenant+"&limit=2", "", w.as("tenantAdmin")).json(t)
	assert.Len(t, first["data"], 2)
	assert.Equal(t, map[string]any{"offset": 0.0, "limit": 2.0, "hasMore": true}, first["meta"])
	rest := w.send("GET", "/api/users"+tenant+"&offset=2&limit=500", "", w.as("tenantAdmin")).json(t)
	assert.Len(t, rest["data"], 5)
	assert.Len(t, w.send("GET", "/api/users", "", w.as("super")).json(t)["data"], len(w.users)+1) // and both
	w.problem(403, "forbidden", "GET", "/api/users", "", w.as("tenantAdmin"))
	w.problem(404, "not_found", "GET", "/api/users?tenantId="+itoa(w.otherTenant.ID), "", w.as("tenantAdmin"))
	w.problem(404, "not_found", "GET", "/api/users?tenantId=0", "", w.as("super"))
	for _, query := range []string{"&limit=0", "&limit=501", "&offset=-1", "&offset=x", "&page=1", "&limit=1&limit=2"} {
		w.problem(400, "bad_parameter", "GET", "/api/users"+tenant+query, "", w.as("tenantAdmin"))
	}
}

// TestRolesOfUsers reads the roles and the last sign-in of accounts. A tenant admin does not see
// roles in other tenants; users see all of their own.
func TestRolesOfUsers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	account := func(id int64, caller string) map[string]any {
		return w.send("GET", "/api/users/"+itoa(id), "", w.as(caller)).json(t)
	}
	editor := w.users["editor"].ID
	place := map[string]any{"tenantId": float64(w.tenant.ID), "departmentId": float64(w.department.ID), "source": "manual"}
	with := func(more map[string]any) any {
		role := maps.Clone(place)
		maps.Copy(role, more)
		return role
	}
	assert.Equal(t, []any{
		with(map[string]any{"role": "editor", "customRoleId": nil, "customRole": nil, "place": w.project.Name, "projectId": float64(w.project.ID)}),
		with(map[string]any{"role": nil, "customRoleId": float64(w.role.ID), "customRole": "Legal", "place": w.department.Name, "projectId": nil}),
	}, account(editor, "tenantAdmin")["roles"])
	listed := w.send("GET", "/api/users?limit=500&tenantId="+itoa(w.tenant.ID), "", w.as("tenantAdmin")).json(t)["data"]
	assert.Contains(t, listed, any(account(editor, "tenantAdmin")))

	require.NoError(t, w.stores.Grants.Set(t.Context(), core.Grant{UserID: editor, TenantID: w.otherTenant.ID, Role: core.RoleTenantAdmin}))
	for caller, roles := range map[string]int{"tenantAdmin": 2, "super": 3, "editor": 3} {
		assert.Len(t, account(editor, caller)["roles"], roles, caller)
	}

	added := w.send("POST", "/api/users", `{"tenantId":`+itoa(w.tenant.ID)+`,"email":"new@meridian.example","name":"New","password":"`+userPassword+`"}`, w.as("tenantAdmin")).json(t)
	id := int64(added["id"].(float64))
	assert.Nil(t, account(id, "tenantAdmin")["lastSignInAt"])
	assert.Empty(t, account(id, "tenantAdmin")["roles"])
	w.send("POST", "/api/session", `{"email":"new@meridian.example","password":"`+userPassword+`"}`)
	assert.NotNil(t, account(id, "tenantAdmin")["lastSignInAt"])
}

func TestListsOfWhatAUserEdited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.send("POST", w.content("/content"), `{"fields":{"title":"By the editor"}}`, w.as("editor")).json(t)["id"]
	ids := func(user string) (found []any) {
		for _, entry := range w.send("GET", w.content("/content?locale=*&editedBy="+itoa(w.users[user].ID)), "", w.as("viewer")).json(t)["data"].([]any) {
			found = append(found, entry.(map[string]any)["id"])
		}
		return found
	}
	assert.Equal(t, []any{id}, ids("editor"))
	assert.Empty(t, ids("projectAdmin"))
	require.Equal(t, 200, w.send("PATCH", w.content("/content/")+itoa(int64(id.(float64))), `{"fields":{"title":"By the admin"}}`, w.as("projectAdmin")).StatusCode)
	assert.Empty(t, ids("editor"))
	assert.Equal(t, []any{id}, ids("projectAdmin"))
	for _, bad := range []string{"0", "-1", "x", ""} {
		assert.Equal(t, 400, w.send("GET", w.content("/content?editedBy="+bad), "", w.as("viewer")).StatusCode, bad)
	}
	assert.Equal(t, 400, w.send("GET", w.public("/collections/articles/entries?editedBy=1"), "", w.bearer("read")).StatusCode)
}

// TestCreatedAt checks who may say when an entry was created.
func TestCreatedAt(t *testing.T) {
	t.Parallel()
	w := setup(t)
	content, entries := w.dashboard("/collections/"+itoa(w.articles.ID)+"/content"), w.public("/collections/articles/entries")
	const body = `{"createdAt":"2019-05-04T09:00:00Z","fields":{"title":"Moved"}}`
	w.problem(403, "forbidden", "POST", content, body, w.as("editor"))
	w.problem(403, "forbidden", "POST", entries, body, w.bearer("full"))
	w.problem(422, "invalid", "POST", content, `{"createdAt":null,"fields":{"title":"Moved"}}`, w.as("projectAdmin"))
	w.problem(422, "invalid", "POST", content, `{"createdAt":"2019","fields":{"title":"Moved"}}`, w.as("projectAdmin"))
	w.problem(422, "invalid", "POST", content, `{"createdAt":"2999-01-01T00:00:00Z","fields":{"title":"Moved"}}`, w.as("projectAdmin"))
	w.problem(422, "invalid", "POST", content, `{"updatedAt":"2019-05-04T09:00:00Z","fields":{"title":"Moved"}}`, w.as("projectAdmin"))
	made := w.send("POST", content, body, w.as("projectAdmin"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	require.Equal(t, "2019-05-04T09:00:00.000Z", made.json(t)["createdAt"])
	one := content + "/" + itoa(int64(made.json(t)["id"].(float64)))
	changed := w.send("PATCH", one, `{"createdAt":"2018-05-04T09:00:00Z"}`, w.as("super"))
	require.Equal(t, "2018-05-04T09:00:00.000Z", changed.json(t)["createdAt"], string(changed.body))
	found := w.send("GET", content+"?where[createdAt][lt]=2019-01-01T00:00:00Z&sort=createdAt", "", w.as("viewer"))
	require.Len(t, found.json(t)["data"], 1, string(found.body))
}
