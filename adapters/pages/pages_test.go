package pages_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/pages"
)

// serve serves the pages for an installation without identity providers.
func serve(t *testing.T, api http.HandlerFunc) func(method, target string, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return serveAll(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/session/ways" {
			_, _ = io.WriteString(w, `{"providers":false,"provider":null}`)
			return
		}
		api(w, r)
	})
}

func serveAll(t *testing.T, api http.HandlerFunc) func(method, target string, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	p := pages.New(api, httpx.NewCookies(&url.URL{Scheme: "https", Host: "cms.example"}), "/dashboard/", "/styles.css", true)
	p.Register(mux)
	mux.HandleFunc("GET /dashboard/", p.SignedIn(func(http.ResponseWriter, *http.Request) {}))
	return func(method, target, body string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
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
		"next by backslash":    {"/\\evil.example/dashboard/", 200, 303, "/dashboard/", ""},
		"next with a line":     {"/dashboard/\nSet-Cookie: x=1", 200, 303, "/dashboard/", ""},
		"next above":           {"/dashboard/../evil", 200, 303, "/dashboard/", ""},
		"next above, encoded":  {"/dashboard/.%2e/%2fevil.example", 200, 303, "/dashboard/", ""},
		"next not a path":      {"/dashboard/%zz", 200, 303, "/dashboard/", ""},
		"next below":           {"/dashboard/inbox/../calendar?x=..%2f#top", 200, 303, "/dashboard/calendar?x=..%2f#top", ""},
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
	wrong := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })("POST", "/dashboard/sign-in", form, "Content-Type: application/x-www-form-urlencoded", "Accept-Language: de")
	assert.Contains(t, wrong.Body.String(), "E-Mail oder Passwort ist falsch.")
	assert.NotContains(t, german.Body.String(), "<script>")
	assert.Contains(t, german.Body.String(), `<link rel="stylesheet" href="/styles.css">`)
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

const (
	isForm    = "Content-Type: application/x-www-form-urlencoded"
	hasTicket = "Cookie: __Host-imprimatur_ticket=1"
)

// A sign-in that needs a second step goes on at its page, with the cookies of the API.
func TestFirstStep(t *testing.T) {
	t.Parallel()
	send := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "ticket=1")
		w.WriteHeader(202)
		_, _ = io.WriteString(w, `{"next":["totp","recovery"]}`)
	})
	w := send("POST", "/dashboard/sign-in", "email=emil%40meridian.example&password=p&next=%2Fdashboard%2Finbox", isForm)
	assert.Equal(t, 303, w.Code)
	assert.Equal(t, "/dashboard/second-step?next=%2Fdashboard%2Finbox&ways=totp%2Crecovery", w.Header().Get("Location"))
	assert.Equal(t, "ticket=1", w.Header().Get("Set-Cookie"))
	assert.Equal(t, "/dashboard/sign-in?next=%2Fdashboard%2Finbox", send("GET", w.Header().Get("Location"), "").Header().Get("Location"), "without the first step")
	both := send("GET", w.Header().Get("Location"), "", hasTicket).Body.String()
	assert.Contains(t, both, `name="totp"`)
	assert.Contains(t, both, "<details>")
	assert.Contains(t, both, `value="/dashboard/inbox"`)
	one := send("GET", "/dashboard/second-step?ways=recovery&next=%2F%2Fevil.example", "", "Accept-Language: de", hasTicket).Body.String()
	assert.NotContains(t, one, `name="totp"`)
	assert.Contains(t, one, "<details open>")
	assert.Contains(t, one, "Zweiter Schritt")
	assert.NotContains(t, one, "evil")
	assert.NotContains(t, send("GET", "/dashboard/second-step?ways=%22%3E%3Cscript%3E,totp", "", hasTicket).Body.String(), "<script")
	assert.NotContains(t, send("GET", "/dashboard/second-step?ways=totp,passkey", "", hasTicket).Body.String(), `name="recovery"`, "the person has no codes")
	unknown := send("GET", "/dashboard/second-step", "", hasTicket).Body.String()
	assert.Contains(t, unknown, `name="recovery"`)
	assert.Contains(t, unknown, `name="totp"`)
}

func TestSecondStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form     string
		sent     string
		answer   int // of the API
		body     string
		status   int
		location string
		text     string
	}{
		"a code":                  {"totp=123456", `{"totp":"123456"}`, 200, "{}", 303, "/dashboard/inbox", ""},
		"a recovery code":         {"recovery=abcd-efgh", `{"recovery":"abcd-efgh"}`, 200, "{}", 303, "/dashboard/inbox", ""},
		"a wrong code":            {"totp=000000", `{"totp":"000000"}`, 401, `{"code":"wrong_second_factor"}`, 401, "", "That code is wrong"},
		"nothing":                 {"totp=", `{"totp":""}`, 422, `{"code":"invalid"}`, 422, "", "That code is wrong"},
		"too late":                {"totp=123456", `{"totp":"123456"}`, 401, `{"code":"sign_in_again"}`, 401, "", "more than ten minutes"},
		"too often":               {"totp=123456", `{"totp":"123456"}`, 429, `{}`, 429, "", "Too many failed attempts"},
		"the API does not answer": {"totp=123456", `{"totp":"123456"}`, 503, `{}`, 503, "", "Something went wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			send := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				assert.Equal(t, "POST /api/session/second", r.Method+" "+r.URL.RequestURI())
				assert.JSONEq(t, c.sent, string(body))
				w.Header().Set("Set-Cookie", "session=1")
				w.WriteHeader(c.answer)
				_, _ = io.WriteString(w, c.body)
			})
			w := send("POST", "/dashboard/second-step", c.form+"&ways=totp,recovery&next=%2Fdashboard%2Finbox", isForm)
			assert.Equal(t, c.status, w.Code)
			assert.Equal(t, c.location, w.Header().Get("Location"))
			assert.Equal(t, c.status == 303, w.Header().Get("Set-Cookie") != "")
			assert.Contains(t, w.Body.String(), c.text)
			assert.NotContains(t, w.Body.String(), "123456")
		})
	}
}

// Users that need a second factor come to its page from everywhere, set up an app and get their codes.
func TestFactorPage(t *testing.T) {
	t.Parallel()
	confirmed := `{"recoveryCodes":["aaaa-bbbb","cccc-dddd"]}`
	api := func(status int, body string) func(string, string, string, ...string) *httptest.ResponseRecorder {
		return serve(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Empty(t, r.Header.Get("Accept-Encoding"), "the pages cannot read a compressed answer")
			switch r.Method + " " + r.URL.RequestURI() {
			case "GET /api/session":
				_, _ = io.WriteString(w, `{"id":7,"mustAddFactor":true}`)
			default:
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}
		})
	}
	send := api(201, `{"secret":"ABCD","qr":"<svg></svg>"}`)
	assert.Equal(t, "/dashboard/second-factor?next=%2Fdashboard%2Finbox", send("GET", "/dashboard/inbox", "").Header().Get("Location"))
	required := send("GET", "/dashboard/second-factor?next=%2Fdashboard%2Finbox", "").Body.String()
	assert.Contains(t, required, `value="start"`)
	assert.Contains(t, required, "Your organisation asks for a second step.")
	assert.NotContains(t, serve(t, withSession(signedIn))("GET", "/dashboard/second-factor", "").Body.String(), "Your organisation")
	send("GET", "/dashboard/inbox", "", "Accept-Encoding: gzip, br")
	shown := send("POST", "/dashboard/second-factor", "step=start&next=%2Fdashboard%2Finbox", isForm).Body.String()
	assert.Contains(t, shown, "<svg></svg>")
	assert.Contains(t, shown, "<code>ABCD</code>")
	const confirm = "step=confirm&code=123456&next=%2Fdashboard%2Finbox"
	wrong := api(422, `{"code":"invalid"}`)("POST", "/dashboard/second-factor", confirm, isForm)
	assert.Equal(t, 422, wrong.Code)
	assert.Contains(t, wrong.Body.String(), "not the code of the app")
	assert.Contains(t, wrong.Body.String(), `value="start"`)
	assert.NotContains(t, wrong.Body.String(), "{")
	done := api(200, confirmed)("POST", "/dashboard/second-factor", confirm, isForm)
	assert.Equal(t, 200, done.Code)
	assert.Equal(t, "no-store", done.Header().Get("Cache-Control"))
	assert.Contains(t, done.Body.String(), "<li><code>cccc-dddd</code></li>")
	assert.Contains(t, done.Body.String(), `<input type="checkbox" name="kept" required>`)
	assert.Equal(t, "/dashboard/inbox", api(200, confirmed)("POST", "/dashboard/second-factor", "step=done&kept=on&next=%2Fdashboard%2Finbox", isForm).Header().Get("Location"))
	assert.Equal(t, "/dashboard/", api(200, confirmed)("POST", "/dashboard/second-factor", "step=done&kept=on&next=%2F%2Fevil.example", isForm).Header().Get("Location"))
	assert.Equal(t, "/dashboard/inbox", api(409, `{"code":"factor_exists"}`)("POST", "/dashboard/second-factor", "step=start&next=%2Fdashboard%2Finbox", isForm).Header().Get("Location"))
	assert.Equal(t, "/dashboard/sign-in?next=%2Fdashboard%2Finbox", api(403, `{"code":"verify_first"}`)("POST", "/dashboard/second-factor", "step=start&next=%2Fdashboard%2Finbox", isForm).Header().Get("Location"))
	assert.Contains(t, api(409, `{"code":"no_pending_factor"}`)("POST", "/dashboard/second-factor", confirm, isForm).Body.String(), `value="codes"`, "the form was sent twice")
	assert.Contains(t, api(200, confirmed)("POST", "/dashboard/second-factor", "step=codes&next=%2Fdashboard%2Finbox", isForm).Body.String(), "<li><code>aaaa-bbbb</code></li>")
	assert.Contains(t, api(409, `{"code":"no_factor"}`)("POST", "/dashboard/second-factor", "step=codes", isForm).Body.String(), `value="start"`)
	assert.Contains(t, api(503, `{}`)("POST", "/dashboard/second-factor", confirm, isForm).Body.String(), "Something went wrong")
	assert.Equal(t, "/dashboard/sign-in?next=%2Fdashboard%2F", serve(t, withSession("null"))("GET", "/dashboard/second-factor", "").Header().Get("Location"))
}

// The page of the set-up has the key as a picture, as a link for the app on the same device, and to type. It
// has them again after a wrong code, and has no key of an address that is none of an app.
func TestFactorPageKeepsTheKey(t *testing.T) {
	t.Parallel()
	const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	const uri = "otpauth://totp/Imprimatur:emil@meridian.example?algorithm=SHA1&digits=6&issuer=Imprimatur&period=30&secret=" + key
	post := func(status int, body, form string) *httptest.ResponseRecorder {
		return serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})("POST", "/dashboard/second-factor", form, isForm)
	}
	wrong := func(uri string) *httptest.ResponseRecorder {
		return post(422, `{"code":"invalid"}`, "step=confirm&code=000000&next=%2Fdashboard%2Finbox&uri="+url.QueryEscape(uri))
	}
	shown := post(201, `{"secret":"`+key+`","uri":"`+uri+`","qr":"<svg></svg>"}`, "step=start&next=%2Fdashboard%2Finbox")
	again := wrong(uri)
	assert.Equal(t, 422, again.Code)
	for name, page := range map[string]*httptest.ResponseRecorder{"first": shown, "after a wrong code": again} {
		body := page.Body.String()
		escaped := strings.ReplaceAll(uri, "&", "&amp;")
		assert.Contains(t, body, "<svg", name)
		assert.Contains(t, body, `<a href="`+escaped+`">Open in an authenticator app on this device</a>`, name)
		assert.Contains(t, body, `name="uri" value="`+escaped+`"`, name)
		assert.Contains(t, body, "<code>JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP</code>", name)
		assert.Contains(t, body, `value="confirm"`, name)
		assert.Equal(t, "no-store", page.Header().Get("Cache-Control"), name)
	}
	assert.Contains(t, again.Body.String(), "not the code of the app")
	for _, other := range []string{
		"", "javascript:alert(1)//?secret=" + key, "https://totp/?secret=" + key, "otpauth://totp/%zz?secret=" + key, "otpauth://hotp/x?secret=" + key,
		"otpauth://totp/x?secret=<svg>", "otpauth://totp/" + strings.Repeat("x", 1200) + "?secret=" + key,
	} {
		body := wrong(other).Body.String()
		assert.NotContains(t, body, `class="qr"`, other)
		assert.NotContains(t, body, "Open in an authenticator app", other)
		assert.NotContains(t, body, "secret=", other)
		assert.Contains(t, body, `value="start"`, other)
	}
}
