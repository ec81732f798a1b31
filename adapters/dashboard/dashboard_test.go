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
	"imprimatur/adapters/httpx"
)

func serve(t *testing.T, api http.HandlerFunc) func(method, target string, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	h, err := dashboard.New(api, httpx.NewCookies(&url.URL{Scheme: "https", Host: "cms.example"}), "https://media.example.com", true)
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

func TestSignInPageHasItsStyles(t *testing.T) {
	t.Parallel()
	send := serve(t, withSession("null"))
	page := send("GET", "/dashboard/sign-in", "").Body.String()
	styles := regexp.MustCompile(`stylesheet" href="([^"]+)"`).FindStringSubmatch(page)
	require.Len(t, styles, 2)
	assert.Equal(t, 200, send("GET", styles[1], "").Code)
}

// The page that frames sites allows those of its Project, and only pages of the dashboard to frame it.
func TestFramePage(t *testing.T) {
	t.Parallel()
	origins := `["https://www.example.com","http://localhost:4321"]`
	send := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.RequestURI() {
		case "GET /api/session":
			_, _ = io.WriteString(w, signedIn)
		case "GET /api/projects/7":
			_, _ = io.WriteString(w, `{"id":7,"previewOrigins":`+origins+`}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	w := send("GET", "/dashboard/frame/7", "")
	require.Equal(t, 200, w.Code)
	assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	assert.Equal(t, "default-src 'none'; script-src 'self'; frame-src https://www.example.com http://localhost:4321; form-action 'none'; base-uri 'none'; "+
		"frame-ancestors 'self'; require-trusted-types-for 'script'", w.Header().Get("Content-Security-Policy"))
	script := regexp.MustCompile(`src="(/dashboard/[^"]+)"`).FindStringSubmatch(w.Body.String())
	require.Len(t, script, 2)
	assert.Equal(t, 200, send("GET", script[1], "").Code)
	assert.Contains(t, send("GET", "/dashboard/inbox", "").Header().Get("Content-Security-Policy"), "frame-src 'self';")

	origins = `[]`
	assert.Contains(t, send("GET", "/dashboard/frame/7", "").Header().Get("Content-Security-Policy"), "frame-src 'none';")
	for _, path := range []string{"/dashboard/frame/8", "/dashboard/frame/07", "/dashboard/frame/a", "/dashboard/frame/7%2f..%2f7"} {
		assert.Equal(t, 404, send("GET", path, "").Code, path)
	}
	stranger := serve(t, withSession("null"))("GET", "/dashboard/frame/7", "")
	assert.Equal(t, 303, stranger.Code)
	assert.Equal(t, "/dashboard/sign-in?next=%2Fdashboard%2Fframe%2F7", stranger.Header().Get("Location"))
}
