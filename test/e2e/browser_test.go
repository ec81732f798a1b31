package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"imprimatur/test/program"
)

const website = "https://www.example.com"

// TestPagesOfOtherOrigins sends preflights and cross-origin requests to every part of the
// content API: the project's allowed origins can read the responses.
func TestPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	project := facts.BaseURL + "/public/v2/projects/" + facts.Projects.WorldDesk.UUID
	entries, graphql, media := project+"/collections/countries/entries", facts.BaseURL+"/public/v2/graphql", project+"/media"
	full := "Authorization: Bearer " + facts.Tokens.WorldDesk.Full

	preflight := func(t *testing.T, url, method, origin string) response {
		t.Helper()
		a := call(t, http.MethodOptions, url, "", "Origin: "+origin, "Access-Control-Request-Method: "+method,
			"Access-Control-Request-Headers: authorization,content-type,if-match")
		if a.status != http.StatusNoContent {
			t.Errorf("%s: the preflight answered %d: %s", url, a.status, a.body)
		}
		return a
	}
	allows := func(t *testing.T, what string, a response, origin string) {
		t.Helper()
		if got := a.header.Get("Access-Control-Allow-Origin"); got != origin {
			t.Errorf("%s (%d) allows %q, want %q", what, a.status, got, origin)
		}
		if a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s allows credentials", what)
		}
	}
	for url, methods := range map[string]string{entries: "PATCH", graphql: "POST", media: "GET", media + "/upload": "POST", project + "/nothing": "GET"} {
		a := preflight(t, url, methods, website)
		allows(t, url, a, "*")
		for name, want := range map[string]string{
			"Access-Control-Allow-Methods": methods, "Access-Control-Allow-Headers": "authorization,content-type,if-match", "Access-Control-Max-Age": "86400",
		} {
			if !strings.Contains(a.header.Get(name), want) {
				t.Errorf("%s: %s is %q, want %q", url, name, a.header.Get(name), want)
			}
		}
	}

	// Pages can read the response of every status.
	large := `{"fields":{"name":"` + strings.Repeat("x", 5<<20) + `"}}`
	outcomes := map[int]response{
		200: call(t, "GET", entries+"?limit=1", "", full, "Origin: "+website),
		400: call(t, "GET", entries+"?limit=x", "", full, "Origin: "+website),
		401: call(t, "GET", entries, "", "Origin: "+website),
		403: call(t, "POST", entries, `{}`, "Authorization: Bearer "+facts.Tokens.WorldDesk.ReadOnly, "Origin: "+website),
		404: call(t, "GET", entries+"/0", "", full, "Origin: "+website),
		405: call(t, "PUT", entries, "", full, "Origin: "+website),
		413: call(t, "POST", entries, large, full, "Origin: "+website),
	}
	outcomes[304] = call(t, "GET", entries+"?limit=1", "", full, "Origin: "+website, "If-None-Match: "+outcomes[200].header.Get("ETag"))
	blog := facts.BaseURL + "/public/v2/projects/" + facts.Projects.Blog.UUID + "/collections/posts/entries"
	for range 700 {
		if a := call(t, "GET", blog, "", "Authorization: Bearer "+facts.Tokens.Blog.ReadOnly, "Origin: "+website); a.status != 200 {
			outcomes[429] = a
			break
		}
	}
	for status, a := range outcomes {
		if a.status != status {
			t.Errorf("answered %d, want %d: %.200s", a.status, status, a.body)
		}
		allows(t, fmt.Sprint(status), a, "*")
		for _, name := range []string{"ETag", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"} {
			if !strings.Contains(a.header.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%d: %s cannot be read", status, name)
			}
		}
		if !strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin") {
			t.Errorf("%d: Vary is %q", status, a.header.Values("Vary"))
		}
	}
	const query = `{"query":"{ collections { slug } }"}`
	allows(t, "GraphQL", call(t, "POST", graphql, query, full, "Origin: "+website), "*")
	allows(t, "GraphQL without a token", call(t, "POST", graphql, query, "Origin: "+website), "*")
	allows(t, "media", call(t, "GET", media, "", full, "Origin: "+website), "*")
	if a := call(t, "GET", entries+"?limit=1", "", full); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a response to a request without Origin has CORS headers")
	}

	// The dashboard API takes no cross-origin requests.
	if a := call(t, http.MethodOptions, facts.BaseURL+"/api/session", "", "Origin: "+website, "Access-Control-Request-Method: POST"); a.status != 405 {
		t.Errorf("a preflight of /api answered %d", a.status)
	} else {
		allows(t, "/api", a, "")
	}
	allows(t, "/api", call(t, "GET", facts.BaseURL+"/api/session", "", "Origin: "+website), "")

	// A project with allowedOrigins allows only these.
	admin := facts.Users["projectAdmin"]
	cookie := signIn(t, facts.BaseURL, admin.Email, admin.Password)
	settings := fmt.Sprintf("%s/api/projects/%d", facts.BaseURL, facts.Projects.WorldDesk.ID)
	change := func(body string) response {
		t.Helper()
		return call(t, "PATCH", settings, body, cookie, "Origin: "+facts.BaseURL)
	}
	for _, origin := range []string{"www.example.com", "https://www.example.com/", "https://WWW.example.com", "https://*.example.com", "https://www.example.com:443", "null", "", "https://a b"} {
		if a := change(fmt.Sprintf(`{"allowedOrigins":[%q]}`, origin)); a.status != 422 || !strings.Contains(string(a.body), "allowedOrigins[0]") {
			t.Errorf("%q: %d, %s", origin, a.status, a.body)
		}
	}
	changed := change(fmt.Sprintf(`{"allowedOrigins":[%q,"http://localhost:3000"]}`, website))
	if changed.status != 200 || !strings.Contains(string(changed.body), `"allowedOrigins":["`+website+`","http://localhost:3000"]`) {
		t.Fatalf("%d: %s", changed.status, changed.body)
	}
	for origin, allowed := range map[string]string{website: website, "http://localhost:3000": "http://localhost:3000", "https://evil.example": "", "null": ""} {
		allows(t, "a preflight of "+origin, preflight(t, entries, "GET", origin), allowed)
		for what, a := range map[string]response{
			"REST":     call(t, "GET", entries+"?limit=1", "", full, "Origin: "+origin),
			"REST 401": call(t, "GET", entries+"?limit=1", "", "Origin: "+origin),
			"media":    call(t, "GET", media, "", full, "Origin: "+origin),
			"GraphQL":  call(t, "POST", graphql, query, full, "Origin: "+origin),
		} {
			allows(t, what+" for "+origin, a, allowed)
		}
	}
}
