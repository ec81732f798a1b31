package dashboard_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/dashboard"
)

func serve(t *testing.T, api http.HandlerFunc) func(method, target string, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	h, err := dashboard.New(api, "https://media.example.com")
	require.NoError(t, err)
	return func(method, target, body string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
}

// withSession is an API with that response of GET /api/session.
func withSession(response string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method+" "+r.URL.RequestURI() != "GET /api/session" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, response)
	}
}

const signedIn = `{"id":7,"email":"emil@meridian.example","mustChangePassword":false}`

func TestPages(t *testing.T) {
	t.Parallel()
	send := serve(t, withSession(signedIn))
	for _, path := range []string{"/dashboard/", "/dashboard/inbox", "/dashboard/projects/1/collections/2"} {
		w := send("GET", path, "")
		require.Equal(t, 200, w.Code)
		assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
		assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
		policy := w.Header().Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'; script-src 'self'; ", "img-src 'self' data: blob: https://media.example.com;", "connect-src 'self';", "require-trusted-types-for 'script'"} {
			assert.Contains(t, policy, part)
		}
		for _, file := range regexp.MustCompile(`(?:src|href)="(/dashboard/[^"]*)"`).FindAllStringSubmatch(w.Body.String(), -1) {
			asset := send("GET", file[1], "", "Accept-Encoding: br")
			assert.Equal(t, 200, asset.Code, file[1])
			assert.Equal(t, "public, max-age=31536000, immutable", asset.Header().Get("Cache-Control"))
			plain := send("GET", file[1], "")
			assert.Empty(t, plain.Header().Get("Content-Encoding"))
			if !strings.HasSuffix(file[1], ".woff2") { // already compressed
				assert.Greater(t, plain.Body.Len(), asset.Body.Len())
			}
			assert.NotContains(t, plain.Header().Get("Content-Type"), "octet-stream")
		}
	}
	assert.Equal(t, 404, send("GET", "/dashboard/assets/missing.js", "").Code)
	assert.Equal(t, 405, send("POST", "/dashboard/inbox", "").Code)
	assert.Equal(t, "/dashboard/", send("GET", "/dashboard", "").Header().Get("Location"))
	browser := send("GET", "/", "", "Accept: text/html,*/*;q=0.8")
	assert.Equal(t, 302, browser.Code)
	assert.Equal(t, "/dashboard/", browser.Header().Get("Location"))
	assert.Equal(t, 404, send("GET", "/", "").Code)
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	const form = "email=emil%40meridian.example&password=p%26w&next="
	for name, c := range map[string]struct {
		next     string
		answer   int // of the API
		status   int
		location string
		text     string
	}{
		"signed in":            {"/dashboard/inbox?tab=failed", 200, 303, "/dashboard/inbox?tab=failed", ""},
		"without next":         {"", 200, 303, "/dashboard/", ""},
		"next elsewhere":       {"https://evil.example/dashboard/", 200, 303, "/dashboard/", ""},
		"next of another host": {"//evil.example/dashboard/", 200, 303, "/dashboard/", ""},
		"wrong password":       {"", 401, 401, "", "The e-mail or the password is wrong."},
		"too many attempts":    {"", 429, 429, "", "Too many failed attempts."},
		"API unavailable":      {"", 503, 503, "", "Something went wrong."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			send := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				assert.Equal(t, "POST /api/session", r.Method+" "+r.URL.RequestURI())
				assert.JSONEq(t, `{"email":"emil@meridian.example","password":"p&w"}`, string(body))
				assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
				assert.Equal(t, "same-origin", r.Header.Get("Sec-Fetch-Site"), "the API checks where the request comes from")
				if c.answer == 200 {
					w.Header().Set("Set-Cookie", "session=1")
				}
				w.WriteHeader(c.answer)
			})
			w := send("POST", "/dashboard/sign-in", form+url.QueryEscape(c.next), "Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin")
			assert.Equal(t, c.status, w.Code)
			assert.Equal(t, c.location, w.Header().Get("Location"))
			assert.Equal(t, c.answer == 200, w.Header().Get("Set-Cookie") != "")
			assert.Contains(t, w.Body.String(), c.text)
			assert.NotContains(t, w.Body.String(), "p&amp;w", "the page does not repeat the password")
		})
	}
	send := serve(t, withSession("null"))
	german := send("GET", "/dashboard/sign-in?next=%22%3E%3Cscript%3E", "", "Accept-Language: de-AT,en;q=0.5")
	assert.Contains(t, german.Body.String(), `<html lang="de">`)
	assert.NotContains(t, german.Body.String(), "<script")
	assert.Equal(t, 200, send("GET", regexp.MustCompile(`stylesheet" href="([^"]+)"`).FindStringSubmatch(german.Body.String())[1], "").Code)
}

// Without a session no page of the application is shown, so that it makes no request that fails.
func TestPagesNeedASession(t *testing.T) {
	t.Parallel()
	for session, want := range map[string]string{
		"null": "/dashboard/sign-in?next=",
		`{"id":7,"email":"emil@meridian.example","mustChangePassword":true}`: "/dashboard/password?next=",
	} {
		send := serve(t, withSession(session))
		for _, path := range []string{"/dashboard/", "/dashboard/inbox?tab=failed&page=2", "/dashboard/projects/1/collections/2", "/dashboard/projects/1/tokens"} {
			w := send("GET", path, "")
			assert.Equal(t, 303, w.Code)
			assert.Equal(t, want+url.QueryEscape(path), w.Header().Get("Location"))
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			assert.Empty(t, w.Header().Get("Link"))
		}
		assert.Equal(t, 404, send("GET", "/dashboard/assets/missing.js", "").Code)
	}
	unavailable := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	assert.Equal(t, 200, unavailable("GET", "/dashboard/inbox", "").Code, "the application says what is wrong")
}

func TestPassword(t *testing.T) {
	t.Parallel()
	const form = "current=the+first+one&new=p%26w&next=%2Fdashboard%2Finbox"
	fault := func(location, message string) string {
		return `{"errors":[{"location":"` + location + `","message":"` + message + `"}]}`
	}
	for name, c := range map[string]struct {
		answer int // of the API
		body   string
		status int
		text   string
	}{
		"changed":         {204, "", 303, ""},
		"wrong":           {422, fault("current", "is not the current password"), 422, "The current password is wrong."},
		"short":           {422, fault("new", "must have at least 10 characters"), 422, "The new password must have at least 10 characters."},
		"common":          {422, fault("new", "is a common password; choose another one"), 422, "The new password is a common one. Choose another."},
		"the same":        {422, fault("new", "must differ from the current password"), 422, "The new password must differ from the current one."},
		"other fault":     {422, fault("new", "must be text"), 422, "Something went wrong."},
		"too many":        {429, "{}", 429, "Too many failed attempts."},
		"unavailable":     {503, "{}", 503, "Something went wrong."},
		"from a stranger": {403, "{}", 403, "Something went wrong."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls []string
			send := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				calls = append(calls, r.Method+" "+r.URL.RequestURI()+" "+string(body))
				switch r.Method {
				case "GET":
					_, _ = io.WriteString(w, signedIn)
				case "PUT":
					w.WriteHeader(c.answer)
					_, _ = io.WriteString(w, c.body)
				default:
					w.Header().Set("Set-Cookie", "session=2")
				}
			})
			w := send("POST", "/dashboard/password", form, "Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin")
			assert.Equal(t, c.status, w.Code)
			assert.Contains(t, w.Body.String(), c.text)
			assert.NotContains(t, w.Body.String(), "p&amp;w", "the page does not repeat the password")
			want := []string{"GET /api/session ", `PUT /api/users/7/password {"current":"the first one","new":"p\u0026w"}`}
			if c.answer == 204 {
				want = append(want, `POST /api/session {"email":"emil@meridian.example","password":"p\u0026w"}`)
				assert.Equal(t, "/dashboard/inbox", w.Header().Get("Location"))
				assert.Equal(t, "session=2", w.Header().Get("Set-Cookie"))
			}
			assert.Equal(t, want, calls)
		})
	}
	send := serve(t, withSession("null"))
	assert.Equal(t, "/dashboard/sign-in?next=%2Fdashboard%2F", send("GET", "/dashboard/password", "").Header().Get("Location"))
	assert.Equal(t, "/dashboard/sign-in?next=%2Fdashboard%2Finbox", send("POST", "/dashboard/password", form, "Content-Type: application/x-www-form-urlencoded").Header().Get("Location"))
	german := serve(t, withSession(signedIn))("GET", "/dashboard/password?next=%22%3E%3Cscript%3E", "", "Accept-Language: de")
	assert.Contains(t, german.Body.String(), "Eigenes Passwort wählen")
	assert.NotContains(t, german.Body.String(), "<script")
}
