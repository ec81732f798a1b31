package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIdentityProviders sends an identity provider through its routes.
func TestIdentityProviders(t *testing.T) {
	t.Parallel()
	w := setup(t)
	all := "/api/tenants/" + itoa(w.tenant.ID) + "/identity-providers"
	one := all + "/" + itoa(w.providerID)
	admin, super := w.as("tenantAdmin"), w.as("super")
	made := w.send("POST", all, `{"name":"Partners","issuer":"https://id.example.org","clientId":"a","clientSecret":"canary","domains":["news.example"],"groupsClaim":"groups","createUsers":true,
		"passwords":"forbidden","secondFactor":"theirs","scopes":["groups"],"mappings":[{"group":"staff","role":"editor","projectId":`+itoa(w.project.ID)+`},{"group":"law","customRoleId":`+itoa(w.role.ID)+`}]}`, admin)
	require.Equal(t, http.StatusCreated, made.StatusCode, string(made.body))
	shown := made.json(t)
	claims := shown["claims"].([]any)
	record := claims[0].(map[string]any)["record"]
	for member, want := range map[string]any{
		"name": "Partners", "issuer": "https://id.example.org", "clientId": "a", "state": "draft", "groupsClaim": "groups", "createUsers": true, "passwords": "forbidden", "secondFactor": "theirs",
		"tenantId": float64(w.tenant.ID), "createdBy": float64(w.users["tenantAdmin"].ID), "domains": []any{"news.example"}, "scopes": []any{"groups"},
		"claims": []any{map[string]any{"domain": "news.example", "record": record, "claimed": false, "means": nil, "claimedAt": nil, "missingSince": nil}},
		"mappings": []any{
			map[string]any{"group": "staff", "role": "editor", "projectId": float64(w.project.ID)}, map[string]any{"group": "law", "customRoleId": float64(w.role.ID)},
		},
	} {
		require.Equal(t, want, shown[member], member)
	}
	added := all + "/" + itoa(int64(shown["id"].(float64)))
	for _, target := range []string{all, one, added} {
		a := w.send("GET", target, "", admin)
		require.Equal(t, http.StatusOK, a.StatusCode)
		require.NotContains(t, strings.ToLower(string(a.body)), "canary", "the secret is never shown")
		require.NotContains(t, strings.ToLower(string(a.body)), "secret")
	}

	// Domains.
	w.problem(409, "record_missing", "POST", added+"/domains", `{"domain":"news.example"}`, admin)
	w.problem(403, "forbidden", "POST", added+"/domains", `{"domain":"news.example","means":"admin"}`, admin)
	claimed := w.send("POST", added+"/domains", `{"domain":"News.Example","means":"admin"}`, super)
	require.Equal(t, http.StatusOK, claimed.StatusCode, string(claimed.body))
	require.Equal(t, "admin", claimed.json(t)["claims"].([]any)[0].(map[string]any)["means"])
	require.Equal(t, 200, w.send("PATCH", one, `{"domains":["news.example"]}`, admin).StatusCode)
	w.problem(409, "domain_taken", "POST", one+"/domains", `{"domain":"news.example","means":"admin"}`, super)
	w.problem(422, "invalid", "POST", added+"/domains", `{"domain":"meridian.example","means":"admin"}`, super)

	// Nothing is on that was not tried.
	w.problem(409, "not_tested", "PATCH", added, `{"state":"on"}`, admin)
	w.problem(422, "invalid", "PATCH", added, `{"issuer":"https://login.microsoftonline.com/common/v2.0","clientSecret":"a"}`, admin)
	off := w.send("PATCH", added, `{"state":"off","groupsClaim":null,"mappings":[]}`, admin).json(t)
	require.Equal(t, []any{"off", nil, []any{}}, []any{off["state"], off["groupsClaim"], off["mappings"]})

	// Another tenant does not see it, whoever asks.
	beside := "/api/tenants/" + itoa(w.otherTenant.ID) + "/identity-providers/" + itoa(w.providerID)
	for _, user := range []string{"super", "otherAdmin"} {
		w.problem(404, "not_found", "GET", beside, "", w.as(user))
		w.problem(404, "not_found", "PATCH", beside, `{"name":"Mine"}`, w.as(user))
		w.problem(404, "not_found", "DELETE", beside, "", w.as(user))
		w.problem(404, "not_found", "POST", beside+"/domains", `{"domain":"meridian.example"}`, w.as(user))
	}
	require.Equal(t, http.StatusNoContent, w.send("DELETE", added, "", admin).StatusCode)
	w.problem(404, "not_found", "GET", added, "", admin)
	require.Equal(t, 200, w.send("POST", one+"/domains", `{"domain":"news.example","means":"admin"}`, super).StatusCode, "the domain is free again")
}
