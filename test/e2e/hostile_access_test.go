package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// graph is the shortest GraphQL query, as a GET.
const graph = "/public/v2/graphql?query=%7B__typename%7D"

// attackCredentials sends malformed and misplaced credentials to every group of routes.
func attackCredentials(t *testing.T, s *site) {
	secret := s.tokens["read"]
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"nothing":          {nil, 401},
		"scheme any case":  {[]string{"Authorization: bEaReR " + secret}, 200},
		"two":              {[]string{"Authorization: Bearer " + secret, "Authorization: Bearer " + secret}, 401},
		"one and nothing":  {[]string{"Authorization: Bearer " + secret, "Authorization: "}, 401},
		"two in one":       {[]string{"Authorization: Bearer " + secret + ", Bearer " + secret}, 401},
		"other scheme":     {[]string{"Authorization: Basic " + secret}, 401},
		"no scheme":        {[]string{"Authorization: " + secret}, 401},
		"tab":              {[]string{"Authorization: Bearer\t" + secret}, 401},
		"cut short":        {[]string{"Authorization: Bearer " + secret[:len(secret)-1]}, 401},
		"one more":         {[]string{"Authorization: Bearer " + secret + "0"}, 401},
		"other case":       {[]string{"Authorization: Bearer " + strings.ToUpper(secret)}, 401},
		"very long":        {[]string{"Authorization: Bearer " + strings.Repeat("x", 9000)}, 401},
		"other header":     {[]string{"X-Authorization: Bearer " + secret, "X-Api-Key: " + secret, "Token: " + secret}, 401},
		"cookie":           {[]string{s.session[0]}, 401},
		"token as cookie":  {[]string{"Cookie: imprimatur_session=" + secret}, 401},
		"cookie and token": {[]string{s.session[0], "Authorization: Bearer " + secret}, 200},
	} {
		for path, form := range map[string]string{"{pages}": "application/problem+json", "{P}/collections": "application/problem+json", graph: "application/json"} {
			for _, method := range []string{"GET", "HEAD"} {
				a := s.send(t, "", method, path, "", c.header...)
				if a.status != c.status || strings.Contains(string(a.body), secret) {
					t.Errorf("%s: %s %s answered %d, want %d: %s", name, method, path, a.status, c.status, a.body)
				}
				if (a.header.Get("WWW-Authenticate") != "") != (c.status == 401) || c.status == 401 && !strings.HasPrefix(a.header.Get("Content-Type"), form) {
					t.Errorf("%s: %s %s: WWW-Authenticate %q, Content-Type %q", name, method, path, a.header.Get("WWW-Authenticate"), a.header.Get("Content-Type"))
				}
			}
		}
		r := readReply(t, call(t, "POST", s.base+"/public/v2/graphql", `{"query":"{__typename}"}`, c.header...))
		if c.status == 401 && (r.code() != "UNAUTHENTICATED" || strings.Contains(string(r.body), `"data"`)) {
			t.Errorf("%s: GraphQL answered %s", name, r.body)
		}
	}
	for _, name := range []string{"token", "access_token", "apikey", "Authorization", "bearer"} {
		wantProblem(t, s.send(t, "", "GET", "{pages}?"+param(name, secret), ""), 401)
		wantProblem(t, s.send(t, "", "GET", "{pages}?"+param(name, "Bearer "+secret), ""), 401)
		if a := s.send(t, "", "GET", graph+"&"+param(name, secret), ""); a.status != 401 {
			t.Errorf("GraphQL with %s in the query answered %d", name, a.status)
		}
	}
	for _, path := range []string{"/api/me/settings", "/api/projects", "/api/tenants", "/api/users", "{project}", "{content}"} {
		for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "DELETE"} {
			if a := s.send(t, "full", method, path, "{}"); a.status != 401 && a.status != 405 {
				t.Errorf("a token on %s %s answered %d", method, path, a.status)
			}
		}
	}
}

// attackAbilities uses tokens without the required ability, revoked and expired ones.
func attackAbilities(t *testing.T, s *site) {
	project := fmt.Sprintf("%s/api/projects/%d/tokens", s.base, s.project)
	revoked, expiring := s.revokedToken(t, project), time.Now().Add(1200*time.Millisecond)
	s2 := *s
	s2.tokens = map[string]string{
		"read": s.tokens["read"], "create": s.tokens["create"], "revoked": revoked,
		"expired": s.token(t, s.project, `"abilities":["read","create","update","delete"],"expiresAt":"`+expiring.UTC().Format(time.RFC3339Nano)+`"`),
	}
	time.Sleep(time.Until(expiring.Add(100 * time.Millisecond))) // the token expires by the real clock
	for _, c := range []struct{ token, method, path, body string }{
		{"read", "POST", "{values}", `{"fields":{}}`},
		{"read", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"stolen"}}`},
		{"read", "DELETE", "{pages}/{alpha}", ""},
		{"read", "POST", "{values}", `not even JSON`},
		{"create", "GET", "{pages}", ""},
		{"create", "HEAD", "{pages}", ""},
		{"create", "GET", "{pages}/{alpha}", ""},
		{"create", "GET", "{pages}/999999", ""},
		{"create", "GET", "{P}/collections", ""},
		{"create", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"stolen"}}`},
		{"create", "DELETE", "{pages}/{alpha}", ""},
		{"create", "GET", graph, ""},
		{"create", "POST", "/public/v2/graphql", `{"query":"{"}`},
		{"create", "POST", "/public/v2/graphql", `{"query":"{__schema{types{name}}}"}`},
		{"revoked", "GET", "{pages}", ""},
		{"revoked", "POST", "{values}", `{"fields":{}}`},
		{"revoked", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"stolen"}}`},
		{"revoked", "DELETE", "{pages}/{alpha}", ""},
		{"revoked", "GET", graph, ""},
		{"expired", "GET", "{pages}", ""},
		{"expired", "POST", "{values}", `{"fields":{}}`},
		{"expired", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"stolen"}}`},
		{"expired", "DELETE", "{pages}/{alpha}", ""},
		{"expired", "GET", graph, ""},
	} {
		want := 403
		if c.token == "revoked" || c.token == "expired" {
			want = 401
		}
		a := s2.send(t, c.token, c.method, c.path, c.body)
		if a.status != want {
			t.Errorf("%s: %s %s answered %d, want %d: %s", c.token, c.method, c.path, a.status, want, a.body)
		}
		if strings.Contains(c.path, "graphql") {
			if r := readReply(t, a); r.code() != map[int]string{401: "UNAUTHENTICATED", 403: "FORBIDDEN"}[want] || strings.Contains(string(a.body), `"data"`) {
				t.Errorf("%s: GraphQL answered %s", c.token, a.body)
			}
		}
	}
	if a := s.send(t, "read", "GET", "{pages}/{alpha}", ""); !strings.Contains(string(a.body), `"Alpha"`) {
		t.Errorf("alpha was changed: %s", a.body)
	}
}

// revokedToken creates a token with all abilities, revokes it and returns its secret.
func (s *site) revokedToken(t *testing.T, tokens string) string {
	t.Helper()
	made := decode[struct {
		ID     int
		Secret string
	}](t, call(t, "POST", tokens, `{"name":"Lost","abilities":["read","create","update","delete"],"allowDrafts":true}`, s.session...))
	before := call(t, "GET", s.base+s.fill("{pages}"), "", "Authorization: Bearer "+made.Secret)
	gone := call(t, "DELETE", fmt.Sprint(tokens, "/", made.ID), "", s.session...)
	if before.status != 200 || gone.status != 204 {
		t.Fatalf("reading answered %d, revoking %d", before.status, gone.status)
	}
	return made.Secret
}

var (
	policyForm    = regexp.MustCompile(`^"[a-z]+";q=3;w=60$`)
	remainingForm = regexp.MustCompile(`^"[a-z]+";r=([0-9]+);t=[0-9]+$`)
)

// attackBudgets tries to exceed the rate limit of a token.
func attackBudgets(t *testing.T, s *site) {
	left := []string{"2", "1", "0"}
	for i, path := range []string{"{pages}", graph, "{P}/collections/nothing"} { // errors count as well
		a := s.send(t, "few", "GET", path, "", fmt.Sprintf("X-Forwarded-For: 10.0.0.%d", i))
		found := remainingForm.FindStringSubmatch(a.header.Get("RateLimit"))
		if a.status == 429 || !policyForm.MatchString(a.header.Get("RateLimit-Policy")) || found == nil || found[1] != left[i] {
			t.Errorf("request %d answered %d: RateLimit-Policy %q, RateLimit %q", i, a.status, a.header.Get("RateLimit-Policy"), a.header.Get("RateLimit"))
		}
	}
	for i, scheme := range []string{"Bearer ", "bearer ", "BEARER  ", "bEARER   "} {
		header := []string{"Authorization: " + scheme + s.tokens["few"], fmt.Sprintf("X-Forwarded-For: 10.1.0.%d", i), fmt.Sprintf("X-Real-IP: 10.1.0.%d", i), fmt.Sprintf("Forwarded: for=10.1.0.%d", i)}
		for _, path := range []string{"{pages}", "{O}/collections", "{pages}?limit=0", graph} {
			a := s.send(t, "", "GET", path, "", header...)
			wait := a.header.Get("Retry-After")
			if a.status != 429 || !policyForm.MatchString(a.header.Get("RateLimit-Policy")) || !regexp.MustCompile(`^([1-9]|[1-5][0-9]|60)$`).MatchString(wait) {
				t.Errorf("%s over the limit answered %d, Retry-After %q: %s", path, a.status, wait, a.body)
				continue
			}
			if path != graph {
				wantProblem(t, a, 429)
			} else if r := readReply(t, a); r.code() != "RATE_LIMITED" || strings.Contains(string(a.body), `"data"`) {
				t.Errorf("GraphQL over the limit answered %s", a.body)
			}
		}
	}
	if a := s.send(t, "read", "GET", "{pages}", ""); a.status != 200 || a.header.Get("RateLimit") != "" {
		t.Errorf("a token without limit answered %d, RateLimit %q", a.status, a.header.Get("RateLimit"))
	}
}

// attackOtherProjects addresses another project and its ids everywhere: the response must
// equal that for ids that do not exist.
func attackOtherProjects(t *testing.T, s *site) {
	unknown := regexp.MustCompile(s.away + `|00000000-0000-4000-8000-000000000000|"requestId":"[A-Z0-9]+"`)
	for _, path := range []string{
		"", "/", "/collections", "/collections/pages", "/collections/nothing", "/collections/pages/entries", "/collections/pages/entries?where[nothing]=1",
		"/collections/pages/entries?limit=0", "/collections/pages/entries/{foreign}", "/collections/pages/entries/{alpha}", "/collections/pages/entries/x", "/media",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"} {
			body := map[string]string{"POST": `{"fields":{}}`, "PATCH": `{"fields":{"title":"stolen"}}`}[method]
			foreign := s.send(t, "full", method, "{O}"+path, body)
			nowhere := s.send(t, "full", method, "/public/v2/projects/00000000-0000-4000-8000-000000000000"+path, body)
			if foreign.status != nowhere.status || foreign.status != 404 && foreign.status != 405 || unknown.ReplaceAllString(string(foreign.body), "") != unknown.ReplaceAllString(string(nowhere.body), "") {
				t.Errorf("%s %s: a foreign project answers %d %s, a missing one %d %s", method, path, foreign.status, foreign.body, nowhere.status, nowhere.body)
			}
			if fmt.Sprint(stableHeaders(foreign.header)) != fmt.Sprint(stableHeaders(nowhere.header)) {
				t.Errorf("%s %s: headers differ: %v, %v", method, path, foreign.header, nowhere.header)
			}
		}
	}
	// Foreign and missing ids under the caller's own project.
	for _, id := range []string{"{foreign}", "999999"} {
		wantProblem(t, s.send(t, "full", "GET", "{pages}/"+id, ""), 404)
		wantProblem(t, s.send(t, "full", "PATCH", "{pages}/"+id, `{"fields":{"title":"stolen"}}`), 404)
		wantProblem(t, s.send(t, "full", "DELETE", "{pages}/"+id, ""), 404)
		for _, path := range []string{"{content}/" + id, "{content}/" + id + "/versions"} {
			wantProblem(t, s.send(t, "", "GET", path, "", s.session...), 404)
		}
		for _, path := range []string{"/publish", "/unpublish", "/restore"} {
			wantProblem(t, s.send(t, "", "POST", "{content}/"+id+path, "", s.session...), 404)
		}
		r := s.query(t, "full", s.fill(`{entry(collection:"pages",id:`+id+`){id} media(id:`+id+`){id}}`), nil)
		if string(r.body) != `{"data":{"entry":null,"media":null}}` {
			t.Errorf("GraphQL found %s: %s", id, r.body)
		}
	}
	for _, path := range []string{fmt.Sprintf("/api/projects/%d/collections/%d", s.other, s.pages), fmt.Sprintf("/api/projects/%d/collections/%d/content", s.other, s.pages), fmt.Sprintf("/api/projects/%d/tokens/1", s.other)} {
		wantProblem(t, s.send(t, "", "GET", path, "", s.session...), 404)
	}
	if a := s.send(t, "other", "GET", "{theirs}/{foreign}", ""); a.status != 200 || !strings.Contains(string(a.body), "canary foreign") {
		t.Errorf("the foreign entry was changed: %s", a.body)
	}
}

// stableHeaders returns h without the headers that differ between responses.
func stableHeaders(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"X-Request-Id", "Date"} {
		h.Del(name)
	}
	return h
}

// attackPaths sends alternative spellings of paths, which must not be found.
func attackPaths(t *testing.T, s *site) {
	for _, path := range []string{
		"{P}/collections/", "{pages}/", "{pages}/{alpha}/", "{P}//collections", "/{P}/collections", "{P}/./collections", "{P}/%2e/collections", "{P}/x/../collections", "{P}/x/%2e%2e/collections",
		"{P}/x/%2E%2E/collections", "{P}%2Fcollections", "{P}/collections%2Fpages", "{P}/collections/pages%2Fentries", "{P}/COLLECTIONS", "{P}/collections/PAGES", "{P}/collections/pages%00", "{P}/collections/%ff",
		"{P}/collections/..%2f..", "{P}/collections/..%5c..", "{pages}/01", "{pages}/+1", "{pages}/-1", "{pages}/0", "{pages}/1.0", "{pages}/1%20", "{pages}/1;x", "{pages}/99999999999999999999", "{pages}/9223372036854775808",
		"{P}/collections/" + strings.Repeat("x", 5000), "/PUBLIC/v2/graphql", "/public/v2/graphql/", "/public/v2//graphql", "/public/v2/graphql%2f", "//public/v2/graphql", "/public/v2/projects/" + fmt.Sprint(s.project) + "/collections",
		"/public/v2/projects/" + strings.ToUpper(s.uuid) + "/collections", "/public/v2/projects/" + strings.ReplaceAll(s.uuid, "-", "") + "/collections", "/public/v2/projects/%7B" + s.uuid + "%7D/collections",
		"/api/", "/api/session/", "/API/session", "/api//session", "/api/../api/session", "/api/%2e%2e/api/session", "/api%2fsession", "/metrics", "/livez", "/debug/pprof/", "/%2e%2e/%2e%2e/etc/passwd", "/docs/..%2f..%2fgo.mod", "/.git/config",
	} {
		wantProblem(t, s.send(t, "full", "GET", path, "", s.session[0]), 404)
		if t.Failed() {
			t.Fatalf("after %.100s", path)
		}
	}
}

// attackMethods sends methods that a path does not support, also by override headers.
func attackMethods(t *testing.T, s *site) {
	for _, method := range []string{"PUT", "TRACE", "OPTIONS", "PROPFIND", "get", "QUERY"} {
		a := s.send(t, "full", method, "{pages}", "")
		wantProblem(t, a, 405)
		if a.header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("%s: Allow is %q", method, a.header.Get("Allow"))
		}
		if a := s.send(t, "full", method, "/public/v2/graphql", ""); a.status != 405 || a.header.Get("Allow") == "" {
			t.Errorf("GraphQL by %s answered %d", method, a.status)
		}
	}
	for _, header := range []string{"X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"} {
		wantProblem(t, s.send(t, "read", "POST", "{values}", `{"fields":{}}`, header+": GET"), 403)
		if a := s.send(t, "full", "GET", "{pages}/{alpha}", "", header+": DELETE"); a.status != 200 {
			t.Errorf("GET with %s answered %d", header, a.status)
		}
	}
	wantProblem(t, s.send(t, "full", "POST", "{values}?_method=DELETE", `{"fields":{}}`), 400)
	for _, path := range []string{"{pages}", "{pages}/{alpha}", "{P}/collections", graph} {
		get, head := s.send(t, "read", "GET", path, ""), s.send(t, "read", "HEAD", path, "")
		if head.status != 200 || len(head.body) > 0 || head.header.Get("ETag") != get.header.Get("ETag") || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) {
			t.Errorf("HEAD %s answered %d %v", path, head.status, head.header)
		}
	}
	if a := s.send(t, "read", "GET", "{pages}/{alpha}", ""); a.status != 200 {
		t.Errorf("alpha is gone: %d", a.status)
	}
}

// attackOrigins sends a session cookie from other origins.
func attackOrigins(t *testing.T, s *site) {
	const evil = "http://evil.example"
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"own origin":        {[]string{"Origin: " + s.base}, 200},
		"same origin":       {[]string{"Sec-Fetch-Site: same-origin"}, 200},
		"typed":             {[]string{"Sec-Fetch-Site: none"}, 200},
		"nothing":           {nil, 403},
		"null":              {[]string{"Origin: null"}, 403},
		"other":             {[]string{"Origin: " + evil}, 403},
		"other scheme":      {[]string{"Origin: https" + strings.TrimPrefix(s.base, "http")}, 403},
		"longer":            {[]string{"Origin: " + s.base + ".evil.example"}, 403},
		"two origins":       {[]string{"Origin: " + s.base, "Origin: " + evil}, 403},
		"cross-site":        {[]string{"Sec-Fetch-Site: cross-site"}, 403},
		"cross-site, ours":  {[]string{"Sec-Fetch-Site: cross-site", "Origin: " + s.base}, 403},
		"same-site":         {[]string{"Sec-Fetch-Site: same-site"}, 403},
		"unknown site":      {[]string{"Sec-Fetch-Site: whatever", "Origin: " + s.base}, 403},
		"ours, other":       {[]string{"Sec-Fetch-Site: same-origin", "Origin: " + evil}, 403},
		"referer alone":     {[]string{"Referer: " + s.base + "/"}, 403},
		"forged forwarding": {[]string{"Origin: " + evil, "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"}, 403},
	} {
		a := s.send(t, "", "PATCH", "{tenant}", `{"name":"Acme"}`, append(c.header, s.session[0])...)
		if a.status != c.status {
			t.Errorf("%s answered %d, want %d: %s", name, a.status, c.status, a.body)
		} else if c.status == 403 && wantProblem(t, a, 403).Code != "cross_origin" {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	for _, path := range []string{"/api/session?_method=DELETE", "{tenant}?name=x"} {
		wantProblem(t, s.send(t, "", "GET", path, "", s.session...), 400)
	}
	if a := s.send(t, "", "GET", "/api/session", "", s.session[0], "Origin: "+evil); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another origin may read with the user's cookie")
	}
}

// user creates a user of the tenant and signs it in.
func (s *site) user(t *testing.T, name string) (id int, cookie []string) {
	t.Helper()
	id = s.create(t, "/users", fmt.Sprintf(`{"tenantId":%d,"email":"%s@x.example","name":"%s","password":"%s"}`, s.tenant, name, name, firstPassword))
	return id, []string{signInFirst(t, s.base, id, strings.ToUpper(name)+"@X.example"), "Origin: " + s.base}
}

// attackSessions uses planted and ended sessions.
func attackSessions(t *testing.T, s *site) {
	sessionStatus := func(cookie string) int { return s.send(t, "", "GET", "/api/me/settings", "", cookie).status }
	id, cookie := s.user(t, "victim")
	account := fmt.Sprint("/api/users/", id)

	credentials, err := json.Marshal(map[string]string{"email": "victim@x.example", "password": password})
	if err != nil {
		t.Fatal(err)
	}
	planted := "Cookie: imprimatur_session=AAAAAAAAAAAAAAAAAAAAAAAAAA"
	a := s.send(t, "", "POST", "/api/session", string(credentials), planted, "Origin: "+s.base)
	set := a.header.Get("Set-Cookie")
	fresh := "Cookie: " + strings.Split(set, ";")[0]
	if a.status != 200 || fresh == planted || fresh == cookie[0] || !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Lax") || sessionStatus(planted) != 401 || sessionStatus(fresh) != 200 {
		t.Errorf("signing in over a planted session answered %d with %q", a.status, set)
	}
	wantProblem(t, s.send(t, "", "POST", "/api/session", string(credentials), "Origin: http://evil.example"), 403)
	wantProblem(t, s.send(t, "", "POST", "/api/session", string(credentials), "Sec-Fetch-Site: cross-site"), 403)
	wantProblem(t, s.send(t, "", "GET", "/api/me/settings", "", fresh, planted), 401)
	wantProblem(t, s.send(t, "", "GET", "/api/me/settings", "", fresh+"; "+strings.TrimPrefix(planted, "Cookie: ")), 401)

	if a := s.send(t, "", "DELETE", "/api/session", "", fresh, "Origin: "+s.base); a.status != 204 || sessionStatus(fresh) != 401 || sessionStatus(cookie[0]) != 200 {
		t.Errorf("signing out answered %d; the session then %d, the other %d", a.status, sessionStatus(fresh), sessionStatus(cookie[0]))
	}
	wantProblem(t, s.send(t, "", "PUT", account+"/password", `{"new":"`+password+` indeed"}`, cookie...), 422)
	wantProblem(t, s.send(t, "", "PUT", account+"/password", `{"current":"wrong","new":"`+password+` indeed"}`, cookie...), 422)
	if a := s.send(t, "", "PUT", account+"/password", `{"current":"`+password+`","new":"`+password+` indeed"}`, cookie...); a.status != 204 || sessionStatus(cookie[0]) != 401 {
		t.Errorf("a new password answered %d; the session then %d", a.status, sessionStatus(cookie[0]))
	}
	again := signIn(t, s.base, "victim@x.example", password+" indeed")
	for _, active := range []string{"false", "true"} {
		if a := s.send(t, "", "PATCH", account, `{"active":`+active+`}`, s.session...); a.status != 200 || sessionStatus(again) != 401 {
			t.Errorf("active %s answered %d; the session then %d", active, a.status, sessionStatus(again))
		}
	}
	wantProblem(t, s.send(t, "", "PATCH", account, `{"passwordHash":"x"}`, s.session...), 422)
	wantProblem(t, s.send(t, "", "PATCH", "/api/users/1", `{"active":false}`, s.session...), 409)
}

// attackRoles has users request what their role does not permit.
func attackRoles(t *testing.T, s *site) {
	editor, cookie := s.user(t, "edith")
	_, outside := s.user(t, "olaf")
	member := fmt.Sprintf("{project}/members/%d", editor)
	if a := s.send(t, "", "PUT", member, `{"role":"editor"}`, s.session...); a.status != 200 {
		t.Fatalf("giving a role answered %d: %s", a.status, a.body)
	}
	self := fmt.Sprint("/api/users/", editor)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"PATCH", self, `{"superAdmin":true}`, 403},
		{"PATCH", self, `{"tenantId":1}`, 422},
		{"PUT", member, `{"role":"admin"}`, 403},
		{"PUT", fmt.Sprintf("{tenant}/members/%d", editor), `{"role":"tenant_admin"}`, 403},
		{"POST", "{project}/tokens", `{"name":"x","abilities":["read"]}`, 403},
		{"GET", "{project}/tokens", "", 403},
		{"GET", "/api/users", "", 403},
		{"GET", "/api/users/1", "", 404},
		{"GET", fmt.Sprint("/api/projects/", s.other), "", 404},
		{"GET", fmt.Sprintf("/api/projects/%d/collections", s.other), "", 404},
		{"PATCH", "{project}", `{"name":"stolen"}`, 403},
		{"GET", "{content}?where[secret]=x", "", 400},
		{"GET", "{content}?sort=pass", "", 400},
		{"GET", "{content}?or[0][next.secret]=x&count=true", "", 400},
		{"GET", "{content}", "", 200},
	} {
		a := s.send(t, "", c.method, c.path, c.body, cookie...)
		shown := c.path == "{content}" // an editor sees hidden fields
		if a.status != c.status || strings.Contains(string(a.body), "canary secret") != shown || strings.Contains(string(a.body), "canary pass") {
			t.Errorf("an editor's %s %s answered %d, want %d: %s", c.method, c.path, a.status, c.status, a.body)
		}
	}
	for _, path := range []string{"{project}", "{tenant}", "{content}", "{content}/{alpha}", "{project}/members", "{project}/tokens", "{project}/collections"} {
		hidden := s.send(t, "", "GET", path, "", outside...)
		wantProblem(t, hidden, 404)
		if strings.Contains(string(hidden.body), "Acme") || strings.Contains(string(hidden.body), "Site") {
			t.Errorf("GET %s reveals to an outsider: %s", path, hidden.body)
		}
	}
	wantProblem(t, s.send(t, "", "DELETE", member, "", outside...), 404)
	wantProblem(t, s.send(t, "", "POST", "{content}", `{"fields":{}}`, outside...), 404)
	// A revoked role is refused at the next request.
	if a := s.send(t, "", "DELETE", member, "", s.session...); a.status != 204 {
		t.Errorf("revoking a role answered %d: %s", a.status, a.body)
	}
	wantProblem(t, s.send(t, "", "GET", "{content}", "", cookie...), 404)
	wantProblem(t, s.send(t, "", "POST", "{content}", `{"fields":{}}`, cookie...), 404)
}

// attackSignIn guesses passwords until the account is locked out.
func attackSignIn(t *testing.T, s *site) {
	guess := func(email, password, from string) response {
		body, err := json.Marshal(map[string]string{"email": email, "password": password})
		if err != nil {
			t.Fatal(err)
		}
		return s.send(t, "", "POST", "/api/session", string(body), "X-Forwarded-For: "+from)
	}
	known, unknown := guess("root@example.com", "wrong", "10.0.0.1"), guess("unknown@example.com", "wrong", "10.0.0.2")
	one, other := wantProblem(t, known, 401), wantProblem(t, unknown, 401)
	if one.Detail != other.Detail || one.Code != other.Code {
		t.Errorf("the response reveals whether the account exists: %s, %s", known.body, unknown.body)
	}
	for _, body := range []string{`{}`, `{"email":"root@example.com"}`, `{"email":["root@example.com"],"password":{"$ne":""}}`, `{"email":"root@example.com","password":"x","admin":true}`} {
		if a := s.send(t, "", "POST", "/api/session", body); a.status != 422 && a.status != 401 {
			t.Errorf("%s answered %d", body, a.status)
		}
	}
	var last response
	for i := 0; i < 11 && last.status != 429; i++ {
		last = guess("guessed@example.com", "wrong", fmt.Sprintf("10.0.1.%d", i))
	}
	wantProblem(t, last, 429)
	if last.header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	if other := guess("root@example.com", password, "10.0.2.1"); other.status != 200 {
		t.Errorf("another account is locked out too: %d", other.status)
	}
	if a := s.send(t, "", "GET", "/api/me/settings", "", s.session[0]); a.status != 200 {
		t.Errorf("an existing session is locked out too: %d", a.status)
	}
}
