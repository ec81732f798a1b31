package rest_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cookiesOf returns the header with the cookies that a response sets.
func cookiesOf(t *testing.T, cookies []*http.Cookie) with {
	t.Helper()
	var pairs []string
	for _, c := range cookies {
		require.True(t, c.HttpOnly)
		require.Equal(t, http.SameSiteLaxMode, c.SameSite)
		if c.MaxAge > 0 {
			pairs = append(pairs, c.Name+"="+c.Value)
		}
	}
	return header("Cookie", strings.Join(pairs, "; "))
}

// TestSignOn takes people to an identity provider and back: an admin tries it and switches it on, an editor links the
// account and signs in.
func TestSignOn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	here, afar := header("Sec-Fetch-Site", "same-origin"), header("Sec-Fetch-Site", "cross-site")
	one := "/api/tenants/" + itoa(w.tenant.ID) + "/identity-providers/" + itoa(w.providerID)
	// back comes back from what a response has begun; the provider sends the browser from its own site.
	back := func(begun answer, code string) answer {
		t.Helper()
		require.Equal(t, 200, begun.StatusCode, string(begun.body))
		to, err := url.Parse(begun.json(t)["url"].(string))
		require.NoError(t, err)
		require.Equal(t, "login.example.org", to.Host)
		body := `{"providerId":` + itoa(w.providerID) + `,"state":"` + to.Query().Get("state") + `","code":"` + code + `"}`
		return w.send("POST", "/api/session/provider/finish", body, cookiesOf(t, begun.Cookies()), afar)
	}
	begin := func(with ...with) answer {
		return w.send("POST", "/api/session/provider", `{"providerId":`+itoa(w.providerID)+`,"next":"/dashboard/inbox"}`, with...)
	}
	ways := func(email string) map[string]any {
		return w.send("POST", "/api/session/ways", `{"email":"`+email+`"}`, here).json(t)
	}
	require.Equal(t, map[string]any{"providers": false, "provider": nil, "passwords": true}, ways("editor@meridian.example"))
	require.Equal(t, 404, begin(here).StatusCode)

	// The trial.
	tried := back(w.send("POST", one+"/try", "", w.as("tenantAdmin")), "admin")
	require.Equal(t, 200, tried.StatusCode, string(tried.body))
	require.Equal(t, "tried", tried.json(t)["outcome"])
	require.Equal(t, map[string]any{
		"providerId": float64(w.providerID), "tenantId": float64(w.tenant.ID), "name": "Staff", "state": "tested", "authTime": false, "would": "not_linked", "account": nil,
		"claims": []any{map[string]any{"name": "sub", "value": `"admin"`}}, "roles": []any{},
	}, tried.json(t)["trial"])
	w.problem(409, "not_tested", "PATCH", one, `{"state":"on"}`, w.as("super"))
	require.Equal(t, "on", w.send("PATCH", one, `{"state":"on"}`, w.as("tenantAdmin")).json(t)["state"])
	require.Equal(t, float64(w.users["tenantAdmin"].ID), w.send("GET", one, "", w.as("super")).json(t)["triedBy"])
	require.Equal(t, 200, w.send("POST", one+"/domains", `{"domain":"meridian.example","means":"admin"}`, w.as("super")).StatusCode)
	for _, email := range []string{"editor@meridian.example", "nobody@meridian.example"} {
		require.Equal(t, map[string]any{"providers": true, "provider": map[string]any{"id": float64(w.providerID), "name": "Staff"}, "passwords": true}, ways(email))
	}
	require.Equal(t, map[string]any{"providers": true, "provider": nil, "passwords": true}, ways("editor@elsewhere.example"))

	// A stranger, another browser, another site.
	w.problem(403, "cross_origin", "POST", "/api/session/provider", `{"providerId":`+itoa(w.providerID)+`}`, afar)
	refused := back(begin(here), "somebody")
	require.Equal(t, 403, refused.StatusCode)
	require.Equal(t, "not_linked", refused.json(t)["code"])
	require.Empty(t, refused.Cookies())
	w.problem(401, "sign_in_again", "POST", "/api/session/provider/finish", `{"providerId":`+itoa(w.providerID)+`,"state":"x","code":"somebody"}`)

	// The link of an account, which ends its sessions, and a sign-in.
	own := "/api/me/identity-providers"
	w.problem(403, "verify_first", "POST", own+"/"+itoa(w.providerID), "", w.as("editor"))
	verified := w.send("POST", "/api/session/verify", `{"password":"`+userPassword+`"}`, w.as("editor"))
	require.Equal(t, 200, verified.StatusCode)
	linked := back(w.send("POST", own+"/"+itoa(w.providerID), "", w.as("editor")), "edda")
	require.Equal(t, 200, linked.StatusCode, string(linked.body))
	require.Equal(t, map[string]any{"outcome": "signed_in", "next": []any{}, "page": "/dashboard/account", "trial": nil}, linked.json(t))
	require.Equal(t, 401, w.send("GET", own, "", w.as("editor")).StatusCode)
	shown := w.send("GET", own, "", cookiesOf(t, linked.Cookies()), here).json(t)["data"].([]any)[0].(map[string]any)
	require.Equal(t, "Staff", shown["name"])
	require.NotNil(t, shown["linkedAt"])
	entered := back(begin(here), "edda")
	require.Equal(t, []any{"signed_in", "/dashboard/inbox"}, []any{entered.json(t)["outcome"], entered.json(t)["page"]})
	session := cookiesOf(t, entered.Cookies())
	require.Equal(t, w.users["editor"].Email, w.send("GET", "/api/session", "", session).json(t)["email"])

	// Groups become roles, and say so.
	members := "/api/projects/" + itoa(w.project.ID) + "/members"
	source := func(path, id string) any {
		t.Helper()
		for _, m := range w.send("GET", path, "", w.as("super")).json(t)["data"].([]any) {
			if m := m.(map[string]any); m[id] == float64(w.users["editor"].ID) {
				return m["source"]
			}
		}
		return nil
	}
	holders := "/api/departments/" + itoa(w.department.ID) + "/custom-roles/" + itoa(w.role.ID) + "/holders"
	require.Equal(t, 200, w.send("PATCH", one, `{"groupsClaim":"groups","mappings":[{"group":"chiefs","role":"admin","projectId":`+itoa(w.project.ID)+`},{"group":"law","customRoleId":`+itoa(w.role.ID)+`}]}`, w.as("tenantAdmin")).StatusCode)
	require.Equal(t, []any{"manual", "manual"}, []any{source(members, "userId"), source(holders, "id")})
	require.Equal(t, 204, w.send("DELETE", holders+"/"+itoa(w.users["editor"].ID), "", w.as("super")).StatusCode)
	require.Equal(t, 200, back(begin(here), "edda:chiefs,law").StatusCode)
	require.Equal(t, []any{"group", "group"}, []any{source(members, "userId"), source(holders, "id")})
	account := w.send("GET", "/api/users/"+itoa(w.users["editor"].ID), "", w.as("super")).json(t)
	require.Equal(t, []any{"admin", "group"}, []any{account["roles"].([]any)[0].(map[string]any)["role"], account["roles"].([]any)[0].(map[string]any)["source"]})
	require.Equal(t, 200, w.send("PUT", members+"/"+itoa(w.users["editor"].ID), `{"role":"editor"}`, w.as("super")).StatusCode)
	require.Equal(t, "manual", source(members, "userId"))
	tooMany := back(begin(here), "edda:"+strings.Repeat("x,", 500)+"law")
	require.Equal(t, []any{403, "too_many_groups"}, []any{tooMany.StatusCode, tooMany.json(t)["code"]})
	tried = back(w.send("POST", one+"/try", "", w.as("tenantAdmin")), "edda:chiefs")
	require.Equal(t, "World Desk", tried.json(t)["trial"].(map[string]any)["roles"].([]any)[0].(map[string]any)["place"])
	require.Equal(t, 200, back(begin(here), "edda").StatusCode)
	require.Equal(t, []any{"manual", nil}, []any{source(members, "userId"), source(holders, "id")})

	// Passwords are forbidden: the account that the provider names, and super admins, keep theirs.
	signIn := func(user string) answer {
		return w.send("POST", "/api/session", `{"email":"`+w.users[user].Email+`","password":"`+userPassword+`"}`, here)
	}
	w.problem(409, "last_way_in", "PATCH", one, `{"passwords":"forbidden"}`, w.as("super"))
	require.Contains(t, string(w.send("PATCH", one, `{"passwordUserId":999999}`, w.as("super")).body), "passwordUserId")
	forbidden := w.send("PATCH", one, `{"passwords":"forbidden","passwordUserId":`+itoa(w.users["tenantAdmin"].ID)+`}`, w.as("super"))
	require.Equal(t, []any{"forbidden", float64(w.users["tenantAdmin"].ID)}, []any{forbidden.json(t)["passwords"], forbidden.json(t)["passwordUserId"]})
	require.Equal(t, []any{403, "provider_required"}, []any{signIn("editor").StatusCode, signIn("editor").json(t)["code"]})
	require.Equal(t, []int{200, 200}, []int{signIn("tenantAdmin").StatusCode, signIn("super").StatusCode})
	require.Equal(t, false, ways("x@meridian.example")["passwords"])
	w.problem(409, "last_way_in", "PATCH", "/api/users/"+itoa(w.users["tenantAdmin"].ID), `{"active":false}`, w.as("super"))
	w.problem(409, "last_way_in", "PATCH", one, `{"passwordUserId":null}`, w.as("super"))
	entered = back(begin(here), "edda")
	session = cookiesOf(t, entered.Cookies())

	// The provider proves again who the person is. The password does not.
	w.problem(403, "provider_required", "POST", "/api/session/verify", `{"password":"`+userPassword+`"}`, session, here)
	shown = w.send("GET", own, "", session).json(t)["data"].([]any)[0].(map[string]any)
	require.Equal(t, []any{true, false}, []any{shown["proves"], shown["passwords"]})
	prove := func(code string) answer {
		return back(w.send("POST", own+"/"+itoa(w.providerID)+"/verify", "", session, here), code)
	}
	for code, want := range map[string]string{"edda": "not_proven", "somebody!": "wrong_subject"} {
		refused := prove(code)
		require.Equal(t, []any{403, want}, []any{refused.StatusCode, refused.json(t)["code"]})
		require.Nil(t, w.send("GET", "/api/session", "", session).json(t)["verifiedUntil"])
	}
	proven := prove("edda!")
	require.Equal(t, []any{200, "verified", nil}, []any{proven.StatusCode, proven.json(t)["outcome"], proven.json(t)["trial"]})
	require.NotNil(t, w.send("GET", "/api/session", "", session).json(t)["verifiedUntil"])
	require.Equal(t, 200, w.send("PATCH", one, `{"passwords":"allowed","passwordUserId":null}`, w.as("super")).StatusCode)

	// The provider says that the person has signed out there.
	logout := "/api/oidc/" + itoa(w.providerID) + "/logout"
	form := func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	}
	require.Equal(t, 200, w.send("POST", logout, "logout_token=somebody", form, afar).StatusCode)
	require.Equal(t, w.users["editor"].Email, w.send("GET", "/api/session", "", session).json(t)["email"])
	out := w.send("POST", logout, "logout_token=edda%3A1&state=x&state=y", form, afar)
	require.Equal(t, []any{200, "no-store", ""}, []any{out.StatusCode, out.Header.Get("Cache-Control"), string(out.body)})
	require.Equal(t, "null", string(w.send("GET", "/api/session", "", session).body))
	again := w.problem(400, "invalid_request", "POST", logout, "logout_token=edda%3A1", form)
	require.Equal(t, again["detail"], w.problem(400, "invalid_request", "POST", logout, "logout_token=forged", form)["detail"])
	w.problem(400, "malformed_form", "POST", logout, "logout_token=edda%3A2&logout_token=edda%3A2", form)
	w.problem(400, "malformed_form", "POST", logout, "logout_token=%zz", form)
	w.problem(400, "invalid_request", "POST", logout, "token=edda%3A2", form)
	w.problem(415, "unsupported_media_type", "POST", logout, "edda:2", func(r *http.Request) { r.Header.Set("Content-Type", "application/jwt") })
	w.problem(404, "not_found", "POST", "/api/oidc/999/logout", "logout_token=edda%3A2", form)
	require.Equal(t, 200, w.send("POST", logout, `{"logout_token":"edda:2"}`).StatusCode)
	session = cookiesOf(t, back(begin(here), "edda").Cookies())

	// A sign-out here offers the one there, on the sign-in page.
	ended := w.send("DELETE", "/api/session", "", session, here)
	require.Equal(t, 204, ended.StatusCode)
	at := slices.IndexFunc(ended.Cookies(), func(c *http.Cookie) bool { return c.Path == "/dashboard/sign-in" })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, []any{itoa(w.providerID), 120, true}, []any{ended.Cookies()[at].Value, ended.Cookies()[at].MaxAge, ended.Cookies()[at].HttpOnly})
	page := w.send("POST", "/api/session/provider/sign-out", `{"providerId":`+itoa(w.providerID)+`}`, here)
	require.Equal(t, map[string]any{"name": "Staff", "url": "https://login.example.org/logout?back=https://cms.example.org/dashboard/sign-in"}, page.json(t))
	require.Len(t, w.send("DELETE", "/api/session", "", w.as("viewer")).Cookies(), 1)
	session = cookiesOf(t, back(begin(here), "edda").Cookies())

	// A role elsewhere is refused until the account is unlinked.
	w.problem(409, "linked", "PUT", "/api/tenants/"+itoa(w.otherTenant.ID)+"/members/"+itoa(w.users["editor"].ID), `{"role":"tenant_admin"}`, w.as("super"))
	w.problem(403, "verify_first", "DELETE", own+"/"+itoa(w.providerID), "", session, here)
	require.Equal(t, 200, w.send("POST", "/api/session/verify", `{"password":"`+userPassword+`"}`, session, here).StatusCode)
	require.Equal(t, 204, w.send("DELETE", own+"/"+itoa(w.providerID), "", session, here).StatusCode)
	require.Equal(t, "not_linked", back(begin(here), "edda").json(t)["code"])
}
