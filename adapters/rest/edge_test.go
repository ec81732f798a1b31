package rest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
	"imprimatur/core/account"
)

func TestCredentials(t *testing.T) {
	t.Parallel()
	w := setup(t)
	read := w.public("/collections")
	secret := w.secrets["read"]
	for name, test := range map[string]struct {
		target string
		change []with
		status int
	}{
		"token":                    {read, []with{w.bearer("read")}, 200},
		"scheme in any case":       {read, []with{header("Authorization", "bEARER  "+secret)}, 200},
		"no credential":            {read, nil, 401},
		"empty":                    {read, []with{header("Authorization", "Bearer ")}, 401},
		"other scheme":             {read, []with{header("Authorization", "Basic "+secret)}, 401},
		"unknown":                  {read, []with{header("Authorization", "Bearer imp_x")}, 401},
		"very long":                {read, []with{header("Authorization", "Bearer "+strings.Repeat("x", 5000))}, 401},
		"two headers":              {read, []with{w.bearer("read"), w.bearer("read")}, 401},
		"two in one header":        {read, []with{header("Authorization", "Bearer "+secret+", Bearer "+secret)}, 401},
		"in the query":             {read + "?access_token=" + secret, nil, 401},
		"expired":                  {read, []with{w.bearer("expired")}, 401},
		"revoked":                  {read, []with{w.bearer("revoked")}, 401},
		"cookie on a token route":  {read, []with{w.as("super")}, 401},
		"cookie":                   {"/api/me/settings", []with{w.as("editor")}, 200},
		"no cookie":                {"/api/me/settings", nil, 401},
		"two cookies":              {"/api/me/settings", []with{w.as("editor"), w.as("editor")}, 401},
		"unknown cookie":           {"/api/me/settings", []with{header("Cookie", "imprimatur_session=x")}, 401},
		"bearer on a session path": {"/api/me/settings", []with{w.bearer("full")}, 401},
		"bearer beside a cookie":   {"/api/me/settings", []with{w.bearer("full"), w.as("editor")}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := w.send("GET", test.target, "", test.change...)
			assert.Equal(t, test.status, res.StatusCode, string(res.body))
			assert.Equal(t, test.status == 401, res.Header.Get("WWW-Authenticate") != "")
			assert.NotContains(t, string(res.body), secret)
		})
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := setup(t)
	read := w.public("/collections")
	first := w.send("GET", read, "", w.bearer("read"))
	assert.Equal(t, `"default";q=600;w=60`, first.Header.Get("RateLimit-Policy"))
	assert.Equal(t, `"default";r=599;t=60`, first.Header.Get("RateLimit"))
	for range 2 {
		require.Equal(t, 200, w.send("GET", read, "", w.bearer("few")).StatusCode)
	}
	// All requests of the token share one budget, including the failing ones.
	for _, target := range []string{read, w.public("/collections/none"), "/public/v2/projects/x/collections"} {
		over := w.send("GET", target, "", w.bearer("few"))
		assert.Equal(t, 429, over.StatusCode)
		assert.Equal(t, "rate_limited", over.json(t)["code"])
		assert.Equal(t, `"default";q=2;w=60`, over.Header.Get("RateLimit-Policy"))
		assert.Contains(t, over.Header.Get("RateLimit"), `"default";r=0;t=`)
		assert.Regexp(t, `^[1-9][0-9]?$`, over.Header.Get("Retry-After"))
	}
	for name, free := range map[string]answer{"without a limit": w.send("GET", read, "", w.bearer("measure")), "without a token": w.send("GET", read, "")} {
		assert.Empty(t, free.Header.Values("RateLimit-Policy"), name)
		assert.Empty(t, free.Header.Values("RateLimit"), name)
	}
}

// A changed limit holds for all requests of the last minute.
func TestChangedRateLimitCountsEarlierRequests(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const tokens = "/api/projects/1/tokens"
	made := w.send("POST", tokens, `{"name":"Website","abilities":["read"]}`, w.as("super")).json(t)
	bearer := header("Authorization", "Bearer "+made["secret"].(string))
	read := func() int { return w.send("GET", w.public("/collections"), "", bearer).StatusCode }
	require.Equal(t, 200, read())
	require.Equal(t, 200, w.send("PATCH", fmt.Sprint(tokens, "/", made["id"]), `{"rateLimit":2}`, w.as("super")).StatusCode)
	assert.Equal(t, []int{200, 429}, []int{read(), read()})
	require.Equal(t, 200, w.send("PATCH", fmt.Sprint(tokens, "/", made["id"]), `{"rateLimit":3}`, w.as("super")).StatusCode)
	assert.Equal(t, []int{200, 429}, []int{read(), read()})
}

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change []with
		status int
	}{
		"own origin":               {[]with{header("Origin", origin)}, 204},
		"fetch metadata":           {[]with{header("Sec-Fetch-Site", "same-origin")}, 204},
		"typed by the user":        {[]with{header("Sec-Fetch-Site", "none")}, 204},
		"both":                     {[]with{header("Origin", origin), header("Sec-Fetch-Site", "same-origin")}, 204},
		"neither":                  {nil, 403},
		"null origin":              {[]with{header("Origin", "null")}, 403},
		"other origin":             {[]with{header("Origin", "http://evil.test")}, 403},
		"other port":               {[]with{header("Origin", origin+":81")}, 403},
		"prefix of our origin":     {[]with{header("Origin", origin+".evil.test")}, 403},
		"cross site":               {[]with{header("Sec-Fetch-Site", "cross-site")}, 403},
		"sibling":                  {[]with{header("Sec-Fetch-Site", "same-site"), header("Origin", origin)}, 403},
		"metadata against origin":  {[]with{header("Sec-Fetch-Site", "same-origin"), header("Origin", "http://evil.test")}, 403},
		"forged host":              {[]with{header("Origin", "http://evil.test"), func(r *http.Request) { r.Host = "evil.test" }}, 403},
		"forged forwarded headers": {[]with{header("Origin", "http://evil.test"), header("X-Forwarded-Host", "evil.test")}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			cookie := header("Cookie", "imprimatur_session="+w.cookies["editor"])
			res := w.send("DELETE", "/api/session", "", append(test.change, cookie)...)
			assert.Equal(t, test.status, res.StatusCode, string(res.body))
			still := w.send("GET", "/api/me/settings", "", cookie)
			if test.status == 403 {
				assert.Equal(t, "cross_origin", res.json(t)["code"])
				assert.Equal(t, 200, still.StatusCode)
			} else {
				assert.Equal(t, 401, still.StatusCode)
			}
		})
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	w := setup(t)
	wantNoSession := func(res answer) {
		t.Helper()
		assert.Equal(t, 200, res.StatusCode)
		assert.Equal(t, "null", strings.TrimSpace(string(res.body)))
		assert.Empty(t, res.Header.Get("WWW-Authenticate"))
	}
	for _, change := range [][]with{nil, {header("Cookie", "imprimatur_session=x")}, {w.as("editor"), w.as("editor")}, {w.bearer("full")}} {
		wantNoSession(w.send("GET", "/api/session", "", change...))
	}
	const body = `{"email":"Editor@Meridian.Example","password":"` + userPassword + `"}`
	res := w.send("POST", "/api/session", body)
	require.Equal(t, 200, res.StatusCode, string(res.body))
	me := res.json(t)
	assert.Equal(t, "editor@meridian.example", me["email"])
	require.Len(t, me["roles"], 1)
	assert.Equal(t, "editor", me["roles"].([]any)[0].(map[string]any)["role"])
	cookies := res.Cookies()
	require.Len(t, cookies, 2)
	assert.Equal(t, "imprimatur_session", cookies[0].Name)
	assert.Equal(t, "imprimatur_device", cookies[1].Name)
	assert.Equal(t, 365*24*3600, cookies[1].MaxAge)
	for _, cookie := range cookies {
		assert.True(t, cookie.HttpOnly)
		assert.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
		assert.Equal(t, "/", cookie.Path)
	}

	in := header("Cookie", cookies[0].Name+"="+cookies[0].Value)
	again := w.send("GET", "/api/session", "", in)
	assert.Equal(t, string(res.body), string(again.body))

	// A previous session ends when its user signs in again.
	next := w.send("POST", "/api/session", body, in, header("Origin", origin))
	require.Equal(t, 200, next.StatusCode)
	assert.NotEqual(t, cookies[0].Value, next.Cookies()[0].Value)
	wantNoSession(w.send("GET", "/api/session", "", in))

	in = header("Cookie", cookies[0].Name+"="+next.Cookies()[0].Value)
	out := w.send("DELETE", "/api/session", "", in, header("Origin", origin))
	require.Equal(t, 204, out.StatusCode)
	assert.Negative(t, out.Cookies()[0].MaxAge)
	wantNoSession(w.send("GET", "/api/session", "", in))

	for _, wrong := range []string{
		`{"email":"editor@meridian.example","password":"wrong"}`, `{"email":"unknown@meridian.example","password":"wrong"}`,
	} {
		p := w.problem(401, "wrong_credentials", "POST", "/api/session", wrong)
		assert.NotContains(t, p["detail"], "meridian")
	}
	for given, missing := range map[string]string{
		`{}`: "email, password", `{"email":"editor@meridian.example"}`: "password", `{"email":"","password":"x"}`: "email",
	} {
		var places []string
		for _, fault := range w.problem(422, "invalid", "POST", "/api/session", given)["errors"].([]any) {
			places = append(places, fault.(map[string]any)["location"].(string))
		}
		assert.Equal(t, missing, strings.Join(places, ", "), given)
	}
	w.problem(403, "cross_origin", "POST", "/api/session", body, header("Origin", "http://evil.test"))
	w.problem(403, "cross_origin", "POST", "/api/session", body, header("Sec-Fetch-Site", "cross-site"))
}

func TestUnmatched(t *testing.T) {
	t.Parallel()
	w := setup(t)
	entries := w.public("/collections/articles/entries")
	for _, target := range []string{
		"/", "/nothing", "/api", "/api/", "/api/sessions", "/API/session", "/api/session/", "/api//session", "//api/session",
		"/api/./session", "/api/x/../session", "/api/%2e/session", "/api%2Fsession", "/api/%2e%2e/session", entries + "/", "/public/v2//projects",
		strings.ToUpper(entries), "/docs/", "/docs/index.html", "/openapi",
	} {
		for _, user := range []string{"super", ""} {
			var changes []with
			if user != "" {
				changes = append(changes, w.as(user), w.bearer("full"))
			}
			w.problem(404, "not_found", "GET", target, "", changes...)
		}
	}
	for method, targets := range map[string]map[string]string{
		"PUT":     {"/api/session": "GET, HEAD, POST, DELETE", entries: "GET, HEAD, POST"},
		"POST":    {entries + "/1": "GET, HEAD, PATCH, DELETE", "/docs": "GET, HEAD"},
		"OPTIONS": {"/api/projects": "GET, HEAD"},
		"TRACE":   {"/api/projects": "GET, HEAD"},
	} {
		for target, allow := range targets {
			res := w.send(method, target, "", w.as("super"))
			assert.Equal(t, 405, res.StatusCode, target)
			assert.Equal(t, allow, res.Header.Get("Allow"))
			assert.Equal(t, "method_not_allowed", res.json(t)["code"])
		}
	}
	override := w.send("POST", w.content("/content"), `{"fields":{"title":"x"}}`, w.as("viewer"), header("X-HTTP-Method-Override", "GET"))
	assert.Equal(t, 403, override.StatusCode)
}

func TestHead(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, target := range []string{w.public("/collections/articles/entries"), w.public("/collections")} {
		get, head := w.send("GET", target, "", w.bearer("read")), w.send("HEAD", target, "", w.bearer("read"))
		assert.Equal(t, get.StatusCode, head.StatusCode)
		assert.Equal(t, get.Header.Get("ETag"), head.Header.Get("ETag"))
		assert.Equal(t, get.Header.Get("Content-Length"), head.Header.Get("Content-Length"))
		assert.Equal(t, 403, w.send("HEAD", target, "", w.bearer("create")).StatusCode)
		assert.Equal(t, 401, w.send("HEAD", target, "").StatusCode)
	}
}

func TestMalformedIDs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, id := range []string{"0", "-1", "01", "+1", "1.0", "x", "1%20", "99999999999999999999", "%31x", "9007199254740993"} {
		for _, target := range []string{
			"/api/tenants/" + id, "/api/departments/" + id, "/api/projects/" + id, "/api/users/" + id,
			"/api/projects/" + itoa(w.project.ID) + "/tokens/" + id, w.content("/content/" + id),
			"/api/projects/" + itoa(w.project.ID) + "/collections/" + id,
		} {
			w.problem(404, "not_found", "GET", target, "", w.as("super"))
		}
		w.problem(404, "not_found", "GET", w.public("/collections/articles/entries/"+id), "", w.bearer("read"))
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	w := setup(t)
	all := w.content("/content")
	for name, test := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"empty":              {"", 400, "malformed_json"},
		"not an object":      {"[]", 422, "invalid"},
		"null":               {"null", 422, "invalid"},
		"broken":             {`{"fields":`, 400, "malformed_json"},
		"two documents":      {`{"fields":{"title":"x"}}{}`, 400, "malformed_json"},
		"trailing text":      {`{"fields":{"title":"x"}} x`, 400, "malformed_json"},
		"duplicate":          {`{"published":false,"published":true}`, 400, "malformed_json"},
		"escaped duplicate":  {`{"published":false,"publ\u0069shed":true}`, 400, "malformed_json"},
		"deep duplicate":     {`{"fields":{"title":"x","title":"y"}}`, 400, "malformed_json"},
		"other case":         {`{"Published":true,"fields":{"title":"x"}}`, 400, "malformed_json"},
		"unknown member":     {`{"fields":{"title":"x"},"projectId":2}`, 422, "invalid"},
		"read-only member":   {`{"fields":{"title":"x"},"createdBy":2,"publishedAt":"2020-01-01T00:00:00Z","status":"published"}`, 422, "invalid"},
		"wrong type":         {`{"published":"yes"}`, 422, "invalid"},
		"NUL":                {`{"fields":{"title":"a\u0000b"}}`, 422, "invalid"},
		"lone surrogate":     {`{"fields":{"title":"a\ud800b"}}`, 422, "invalid"},
		"swapped surrogates": {`{"fields":{"title":"\udc00\ud800"}}`, 422, "invalid"},
		"not UTF-8":          {"{\"fields\":{\"title\":\"\xff\"}}", 400, "malformed_json"},
		"deep":               {`{"fields":{"title":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`, 400, "malformed_json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w.on(t).problem(test.status, test.code, "POST", all, test.body, w.as("editor"))
		})
	}
	w.problem(415, "unsupported_media_type", "POST", all, `{"fields":{"title":"x"}}`, w.as("editor"), func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	w.problem(413, "body_too_large", "POST", all, `{"fields":{"title":"`+strings.Repeat("x", 4<<20)+`"}}`, w.as("editor"))
	w.problem(413, "body_too_large", "POST", all, `{"fields":{"title":"`+strings.Repeat("x", 4<<20)+`"}}`, w.as("editor"), func(r *http.Request) { r.ContentLength = -1 })
	w.problem(422, "invalid", "POST", w.content("/content/"+itoa(w.entry.ID)+"/unpublish"), `{"published":true}`, w.as("editor"))
	w.problem(400, "bad_parameter", "POST", all+"?published=true", `{"fields":{"title":"x"}}`, w.as("editor"))
	pair := w.send("POST", all, `{"fields":{"title":"\ud83d\ude00"}}`, w.as("editor"))
	assert.Equal(t, 201, pair.StatusCode, string(pair.body))
	assert.Contains(t, string(pair.body), "😀")
}

func TestCommonHeaders(t *testing.T) {
	t.Parallel()
	w := setup(t)
	res := w.send("GET", "/api/session", "", header("Cookie", "imprimatur_session="+w.cookies["editor"]))
	for name, value := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		assert.Equal(t, value, res.Header.Get(name))
	}
	assert.Regexp(t, `^[A-Z2-7]{26}$`, res.Header.Get("X-Request-Id"))
}

func TestDocumentation(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for target, contentType := range map[string]string{
		"/docs": "text/html; charset=utf-8", "/openapi.json": "application/json", "/openapi.yaml": "application/yaml",
		"/docs/web-components.min.js": "text/javascript; charset=utf-8", "/docs/styles.min.css": "text/css; charset=utf-8",
	} {
		res := w.send("GET", target, "")
		assert.Equal(t, 200, res.StatusCode)
		assert.Equal(t, contentType, res.Header.Get("Content-Type"))
		assert.Equal(t, "no-referrer", res.Header.Get("Referrer-Policy"))
		assert.Equal(t, "same-origin", res.Header.Get("Cross-Origin-Opener-Policy"))
		assert.Equal(t, 304, w.send("GET", target, "", header("If-None-Match", res.Header.Get("ETag"))).StatusCode)
	}
	for _, target := range []string{"/docs/web-components.min.js", "/docs/styles.min.css"} {
		plain, zipped := w.send("GET", target, ""), w.send("GET", target, "", header("Accept-Encoding", "gzip"))
		assert.Empty(t, plain.Header.Get("Content-Encoding"))
		assert.Equal(t, "gzip", zipped.Header.Get("Content-Encoding"))
		assert.Equal(t, plain.Header.Get("ETag"), zipped.Header.Get("ETag"))
		assert.Equal(t, plain.body, httpx.Unzip(zipped.body))
	}
	page := w.send("GET", "/docs", "")
	assert.NotContains(t, string(page.body), "//", "the page loads nothing from other hosts")
}

// TestExamplesArePacked checks that the examples that are embedded are those of the file.
func TestExamplesArePacked(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("examples.json")
	require.NoError(t, err)
	packed, err := os.ReadFile("examples.json.gz")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, httpx.Unzip(packed)), "gzip -9nkf adapters/rest/examples.json")
}

// A caller without a credential cannot send a large body.
func TestAnonymousBodiesAreSmall(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for name, c := range map[string]struct{ length, status int }{"short": {10 << 10, 401}, "long": {20 << 10, 413}} {
		body := `{"email":"` + strings.Repeat("x", c.length) + `@example.com","password":"p"}`
		res := w.send(http.MethodPost, "/api/session", body)
		assert.Equal(t, c.status, res.StatusCode, "%s: %s", name, res.body)
	}
}

// Half a sign-in opens nothing: until the second step, every route answers as to a stranger.
func TestHalfASignIn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.addApp("editor")
	half := w.send("POST", "/api/session", bodies["signIn"], header("Sec-Fetch-Site", "same-origin"))
	require.Equal(t, 202, half.StatusCode, string(half.body))
	assert.JSONEq(t, `{"next":["totp"]}`, string(half.body), "the person has no recovery codes")
	var cookies []string
	for _, cookie := range half.Cookies() {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
		assert.True(t, cookie.HttpOnly && cookie.SameSite == http.SameSiteLaxMode && cookie.Path == "/", cookie)
	}
	require.Len(t, cookies, 2)
	with := []with{header("Cookie", strings.Join(cookies, "; ")), header("Sec-Fetch-Site", "same-origin")}
	for _, route := range w.routes {
		if strings.HasPrefix(route.Path, "/public/") || openToAll[route.ID] {
			continue
		}
		res := w.send(route.Method, w.target(route), bodies[route.ID], with...)
		conforms(t, route, res)
		assert.Equal(t, 401, res.StatusCode, route.ID)
	}
	assert.Equal(t, "null", string(w.send("GET", "/api/session", "", with...).body))
}

// What a wrong password and a request for a new one are answered says nothing about the account, nor do
// the headers.
func TestAnswersDoNotTellAccounts(t *testing.T) {
	t.Parallel()
	w := setup(t)
	inactive := w.users["viewer"]
	inactive.Active = false
	require.NoError(t, w.stores.Users.Update(t.Context(), inactive))
	w.addApp("projectAdmin")
	type seen struct {
		status int
		header http.Header
		body   map[string]any
	}
	read := func(path, body string) seen {
		res := w.send("POST", path, body, header("Sec-Fetch-Site", "same-origin"))
		res.Header.Del("X-Request-Id")
		found := seen{res.StatusCode, res.Header, res.json(t)}
		delete(found.body, "requestId")
		return found
	}
	for path, body := range map[string]string{"/api/password-reset": `{"email":%q}`, "/api/session": `{"email":%q,"password":"wrong"}`} {
		want := read(path, fmt.Sprintf(body, "nobody@example.org"))
		assert.Equal(t, map[string]int{"/api/password-reset": 202, "/api/session": 401}[path], want.status)
		for _, email := range []string{w.users["editor"].Email, inactive.Email, w.users["projectAdmin"].Email, strings.ToUpper(w.users["editor"].Email), "no address", "a\nb@example.org"} {
			assert.Equal(t, want, read(path, fmt.Sprintf(body, email)), email)
		}
	}
}

// An empty member is not a missing one: the answer names it, and nothing counts as a failed sign-in.
func TestEmptyProofs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.addApp("editor")
	half := w.send("POST", "/api/session", bodies["signIn"], header("Sec-Fetch-Site", "same-origin"))
	var cookies []string
	for _, cookie := range half.Cookies() {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	second := []with{header("Cookie", strings.Join(cookies, "; ")), header("Sec-Fetch-Site", "same-origin")}
	for body, fault := range map[string]string{
		`{"totp":""}`: "totp", `{"recovery":""}`: "recovery", `{"totp":"123456","recovery":""}`: "recovery", `{"passkey":null}`: "passkey", `{"passkey":""}`: "passkey", `{"passkey":{}}`: "passkey",
		`{}`: "", `{"totp":"123456","recovery":"mfrg"}`: "",
	} {
		for range 12 { // more often than a sign-in may fail
			res := w.send("POST", "/api/session/second", body, second...)
			require.Equal(t, 422, res.StatusCode, string(res.body))
			assert.Equal(t, fault, res.json(t)["errors"].([]any)[0].(map[string]any)["location"], body)
		}
	}
	for body, fault := range map[string]string{`{"password":""}`: "password", `{"totp":""}`: "totp", `{"totp":"","password":"x"}`: "totp", `{"passkey":null}`: "passkey"} {
		res := w.send("POST", "/api/session/verify", body, w.as("viewer"))
		require.Equal(t, 422, res.StatusCode, string(res.body))
		assert.Equal(t, fault, res.json(t)["errors"].([]any)[0].(map[string]any)["location"], body)
	}
	assert.Equal(t, 401, w.send("POST", "/api/session/second", `{"recovery":"mfrg"}`, second...).StatusCode)
}

// Users that need a second factor can only set one up, change the password, sign out and read their
// session.
func TestSecondFactorMustBeAdded(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tenant := w.tenant
	tenant.SecondFactorFrom = time.Now().Add(-time.Hour)
	require.NoError(t, w.stores.Tenants.Update(t.Context(), tenant))
	exempt := map[string]bool{"signOut": true, "setPassword": true, "listMyFactors": true, "verifySession": true, "setUpApp": true, "confirmApp": true, "removeApp": true, "renewRecoveryCodes": true,
		"listMyPasskeys": true, "beginPasskey": true, "finishPasskey": true, "renamePasskey": true, "removePasskey": true, "verifyAtProvider": true}
	for _, route := range w.routes {
		if strings.HasPrefix(route.Path, "/public/") || openToAll[route.ID] {
			continue
		}
		assert.Equal(t, exempt[route.ID], route.Action.Exempt.SecondFactor, route.ID)
		if exempt[route.ID] {
			continue
		}
		res := w.send(route.Method, w.target(route), bodies[route.ID], w.as("tenantAdmin"))
		conforms(t, route, res)
		assert.Equal(t, 403, res.StatusCode, route.ID)
		assert.Equal(t, "second_factor_required", res.json(t)["code"], route.ID)
	}
	assert.Equal(t, true, w.send("GET", "/api/session", "", w.as("tenantAdmin")).json(t)["mustAddFactor"])
	w.addApp("tenantAdmin")
	assert.Equal(t, 200, w.send("GET", "/api/me/settings", "", w.as("tenantAdmin")).StatusCode)
	session := w.send("GET", "/api/session", "", w.as("tenantAdmin")).json(t)
	assert.Equal(t, false, session["mustAddFactor"])
	assert.Equal(t, []any{"totp"}, session["factors"])
}

// addApp gives the user an authenticator app.
func (w *world) addApp(name string) {
	w.t.Helper()
	id := w.users[name].ID
	require.NoError(w.t, w.stores.TOTP.Set(w.t.Context(), account.TOTP{UserID: id, Secret: []byte("sealed"), CreatedAt: time.Now()}))
	require.NoError(w.t, w.stores.TOTP.Confirm(w.t.Context(), id, 1))
}

// Users that must change their password can only do that, sign out and read their session. The
// gate comes before everything that the route itself checks.
func TestFirstPasswordMustBeChanged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	super := w.users["super"]
	super.MustChangePassword = true
	require.NoError(t, w.stores.Users.Update(t.Context(), super))
	for _, route := range w.routes {
		if strings.HasPrefix(route.Path, "/public/") || openToAll[route.ID] || route.ID == "signOut" || route.ID == "setPassword" {
			continue
		}
		res := w.send(route.Method, w.target(route), "", w.as("super"))
		conforms(t, route, res)
		assert.Equal(t, 403, res.StatusCode, route.ID)
		assert.Equal(t, "password_change_required", res.json(t)["code"], route.ID)
	}
	assert.Equal(t, true, w.send("GET", "/api/session", "", w.as("super")).json(t)["mustChangePassword"])
	other := w.send("PUT", "/api/users/"+itoa(w.users["editor"].ID)+"/password", `{"new":"a longer and better one"}`, w.as("super"))
	assert.Equal(t, "password_change_required", other.json(t)["code"])
	own := "/api/users/" + itoa(super.ID) + "/password"
	res := w.send("PUT", own, `{"current":"`+userPassword+`","new":"a longer and better one"}`, w.as("super"))
	require.Equal(t, 204, res.StatusCode, string(res.body))
	in := w.send("POST", "/api/session", `{"email":"`+super.Email+`","password":"a longer and better one"}`, header("Sec-Fetch-Site", "same-origin"))
	assert.Equal(t, false, in.json(t)["mustChangePassword"])
	cookie := header("Cookie", in.Cookies()[0].Name+"="+in.Cookies()[0].Value)
	require.Equal(t, 201, w.send("POST", "/api/users", bodies["createUser"], cookie, header("Sec-Fetch-Site", "same-origin")).StatusCode)
	first := w.send("POST", "/api/session", `{"email":"new@meridian.example","password":"a long enough one"}`, header("Sec-Fetch-Site", "same-origin"))
	assert.Equal(t, true, first.json(t)["mustChangePassword"])
}
