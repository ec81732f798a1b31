package pages_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/pages"
)

// The button is hidden until the script shows it, and the policy allows the script of the site alone.
func TestPasskeyButton(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	pages.New(http.NotFoundHandler(), httpx.NewCookies(&url.URL{Scheme: "http", Host: "cms.example"}), "/dashboard/", "/style.css", true).Register(mux)
	read := func(target string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.AddCookie(&http.Cookie{Name: "imprimatur_ticket", Value: "1"})
		mux.ServeHTTP(rec, r)
		assert.Equal(t, http.StatusOK, rec.Code, target)
		return rec
	}
	page := read("/dashboard/sign-in?next=//evil.example")
	assert.Contains(t, page.Header().Get("Content-Security-Policy"), "script-src 'self';")
	assert.Contains(t, page.Body.String(), `<p class="passkey" hidden data-finish="/api/session" data-next="/dashboard/"`)
	assert.Contains(t, page.Body.String(), `<script src="/dashboard/passkey.js" defer></script>`)
	assert.Contains(t, read("/dashboard/second-step?ways=passkey,recovery").Body.String(), `data-finish="/api/session/second"`)
	assert.NotContains(t, read("/dashboard/second-step?ways=totp,recovery").Body.String(), "passkey.js")
	setUp := read("/dashboard/second-factor?next=%2Fdashboard%2Finbox").Body.String()
	assert.Contains(t, setUp, `<div class="passkey" hidden data-sign-in="/dashboard/sign-in?next=%2Fdashboard%2Finbox"`)
	assert.Contains(t, setUp, `<input type="hidden" name="step" value="codes">`, "the codes follow")
	assert.Contains(t, setUp, `<script src="/dashboard/passkey.js" defer></script>`)
	script := read("/dashboard/passkey.js")
	assert.Equal(t, "text/javascript; charset=utf-8", script.Header().Get("Content-Type"))
	assert.Contains(t, script.Body.String(), "navigator.credentials.get")
	assert.Contains(t, script.Body.String(), "navigator.credentials.create")
}
