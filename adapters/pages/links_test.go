package pages_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/pages"
)

const (
	linkSecret = "BZQ3K5T7N2MXW4RVJ6PCYD5HGE"
	followed   = "Cookie: __Secure-imprimatur_link=" + linkSecret
)

// linkAPI answers as the API does about a link that works once, and records what it was sent.
type linkAPI struct {
	used    bool
	session string // answer to GET /api/session
	half    bool   // the account has a second factor
	sent    []string
}

func (a *linkAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	route := r.Method + " " + r.URL.RequestURI()
	if route == "GET /api/session" {
		_, _ = io.WriteString(w, a.session)
		return
	}
	a.sent = append(a.sent, strings.TrimSpace(route+" "+string(body)))
	switch {
	case route == "POST /api/password-reset":
		w.WriteHeader(http.StatusAccepted)
	case route == "POST /api/session" && a.half:
		w.Header().Set("Set-Cookie", "ticket=1")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"next":["totp"]}`)
	case route == "POST /api/session":
		w.Header().Set("Set-Cookie", "session=1")
	case a.used || !strings.Contains(string(body), linkSecret):
		w.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(w, `{"code":"link_invalid"}`)
	case strings.Contains(string(body), `"password":"short"`):
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"errors":[{"location":"password","message":"must have at least 10 characters"}]}`)
	default:
		a.used = !strings.HasSuffix(r.URL.Path, "/look")
		if route == "POST /api/invitations/accept" {
			w.Header().Set("Set-Cookie", "session=1")
		}
		_, _ = io.WriteString(w, `{"email":"ida@meridian.example","name":"Ida","inviter":"Tessa","hasAccount":false,"roles":[{"role":"editor","place":"World Desk"}]}`)
	}
}

// linkPages has the pages of links: what their form is sent with, and the calls that it makes.
var linkPages = map[string]struct {
	form string
	call string
	then string // the address afterwards; "": the page itself
}{
	"invitation": {"name=Ida&password=a+long+enough+one", `POST /api/invitations/accept {"name":"Ida","password":"a long enough one","secret":"` + linkSecret + `"}`, "/dashboard/"},
	"reset":      {"new=a+long+enough+one", `POST /api/password-reset/finish {"password":"a long enough one","secret":"` + linkSecret + `"}`, "/dashboard/"},
	"address":    {"", `POST /api/me/email/confirm {"secret":"` + linkSecret + `"}`, ""},
}

// discreet fails unless the answer is one that nothing stores, lists or tells other sites about.
func discreet(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	for name, value := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"} {
		assert.Equal(t, []string{value}, w.Header()[name])
	}
}

// A link leads to a page whose address does not have its secret, with a form that needs no script. It
// works once.
func TestLinks(t *testing.T) {
	t.Parallel()
	for path, page := range linkPages {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			api := &linkAPI{session: "null"}
			send := serve(t, api.ServeHTTP)
			address := "/dashboard/" + path

			w := send("GET", linkTo[path]+linkSecret+"?next=//evil.example", "")
			discreet(t, w)
			assert.Equal(t, 303, w.Code)
			assert.Equal(t, address, w.Header().Get("Location"))
			assert.NotContains(t, w.Body.String(), linkSecret)
			cookie := w.Result().Cookies()[0]
			assert.Equal(t, "__Secure-imprimatur_link", cookie.Name)
			assert.Equal(t, linkSecret, cookie.Value)
			assert.Equal(t, address, cookie.Path)
			assert.True(t, cookie.Secure && cookie.HttpOnly && cookie.SameSite == http.SameSiteLaxMode && cookie.MaxAge > 0, cookie)

			shown := send("GET", address+"?next=//evil.example", "", followed)
			discreet(t, shown)
			assert.Equal(t, 200, shown.Code)
			assert.Contains(t, shown.Body.String(), `<form method="post" action="`+address+`">`)
			assert.Contains(t, shown.Body.String(), `name="secret" value="`+linkSecret+`"`)
			assert.Contains(t, shown.Body.String(), `<meta name="referrer" content="same-origin">`, "the form has the origin of the page")
			assert.NotContains(t, shown.Body.String(), "<script")
			assert.NotContains(t, shown.Body.String(), "evil")

			form := "secret=" + linkSecret + "&next=%2F%2Fevil.example&" + page.form
			api.sent = nil
			done := send("POST", address, form, isForm)
			discreet(t, done)
			assert.Equal(t, page.call, api.sent[0])
			assert.Equal(t, page.then, done.Header().Get("Location"))
			forgotten := done.Result().Cookies()[0]
			cookie.Value, cookie.MaxAge = "", -1
			cookie.Raw, forgotten.Raw = "", ""
			assert.Equal(t, cookie, forgotten, "the cookie is deleted with the attributes that it was set with")
			if page.then != "" {
				assert.Equal(t, 303, done.Code)
				assert.Contains(t, done.Header()["Set-Cookie"], "session=1")
			}

			for name, again := range map[string]*httptest.ResponseRecorder{
				"the page": send("GET", address, "", followed), "the form": send("POST", address, form, isForm), "without a link": send("GET", address, ""),
				"two cookies": send("GET", address, "", followed+"; __Secure-imprimatur_link=other"),
			} {
				discreet(t, again)
				assert.Equal(t, 410, again.Code, name)
				assert.NotContains(t, again.Body.String(), "<form", name)
				assert.Contains(t, again.Body.String(), `href="/dashboard/sign-in"`, name)
			}
			discreet(t, send("POST", address, strings.Repeat("x", 20<<10), isForm))
		})
	}
}

// linkTo has what precedes the secret in the links of the pages.
var linkTo = map[string]string{"invitation": "/invite/", "reset": "/reset/", "address": "/dashboard/address/"}

// The cookie of a link is for encrypted connections exactly if the service has an https address: what a
// request says about its connection does not count.
func TestLinkCookieIsSecure(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		mux := http.NewServeMux()
		pages.New(http.NotFoundHandler(), httpx.NewCookies(&url.URL{Scheme: scheme, Host: "cms.example"}), "/dashboard/", "/style.css", true).Register(mux)
		for _, forwarded := range []string{"", "http", "https"} {
			r := httptest.NewRequest(http.MethodGet, "/reset/"+linkSecret, nil)
			r.Header.Set("X-Forwarded-Proto", forwarded)
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, r)
			assert.Equal(t, scheme == "https", w.Result().Cookies()[0].Secure, "%s, forwarded %q", scheme, forwarded)
		}
	}
}

// A wrong password leaves the link as it is. The page has the form again, and does not repeat the password.
func TestLinksAfterAFault(t *testing.T) {
	t.Parallel()
	for path, field := range map[string]string{"invitation": "name=Ida&password", "reset": "new"} {
		send := serve(t, (&linkAPI{session: "null"}).ServeHTTP)
		w := send("POST", "/dashboard/"+path, "secret="+linkSecret+"&"+field+"=short", isForm)
		discreet(t, w)
		assert.Equal(t, 422, w.Code)
		assert.Contains(t, w.Body.String(), "must have at least 10 characters")
		assert.Contains(t, w.Body.String(), `name="secret" value="`+linkSecret+`"`)
		assert.NotContains(t, w.Body.String(), `"short"`)
		assert.Empty(t, w.Result().Cookies())
	}
}

// A new password is the first step: a person with a second factor goes on to the second.
func TestResetAsksForTheSecondStep(t *testing.T) {
	t.Parallel()
	send := serve(t, (&linkAPI{session: "null", half: true}).ServeHTTP)
	w := send("POST", "/dashboard/reset", "secret="+linkSecret+"&new=a+long+enough+one&next=%2F%5Cevil.example", isForm)
	discreet(t, w)
	require.Equal(t, 303, w.Code)
	assert.Equal(t, "/dashboard/second-step?next=%2Fdashboard%2F&ways=totp", w.Header().Get("Location"))
	assert.Contains(t, w.Header()["Set-Cookie"], "ticket=1")
}

// An invitation that was forwarded to another person who is signed in has no form.
func TestInvitationOfAnother(t *testing.T) {
	t.Parallel()
	api := &linkAPI{session: signedIn}
	send := serve(t, api.ServeHTTP)
	other := send("GET", "/dashboard/invitation", "", followed)
	discreet(t, other)
	assert.Contains(t, other.Body.String(), "emil@meridian.example")
	assert.Equal(t, 1, strings.Count(other.Body.String(), "<form"))
	assert.Contains(t, other.Body.String(), `name="leave"`)
	left := send("POST", "/dashboard/invitation", "leave=yes", followed, isForm)
	assert.Equal(t, "/dashboard/invitation", left.Header().Get("Location"))
	assert.Contains(t, api.sent[len(api.sent)-1], "DELETE /api/session")
	own := serve(t, (&linkAPI{session: `{"id":8,"email":"ida@meridian.example"}`}).ServeHTTP)("GET", "/dashboard/invitation", "", followed)
	assert.Contains(t, own.Body.String(), "<form")
	assert.NotContains(t, own.Body.String(), `name="password"`)
}

// The page of forgotten passwords answers the same for every address.
func TestForgotten(t *testing.T) {
	t.Parallel()
	api := &linkAPI{session: "null"}
	send := serve(t, api.ServeHTTP)
	form := send("GET", "/dashboard/forgot", "")
	assert.Contains(t, form.Body.String(), `<form method="post" action="/dashboard/forgot">`)
	assert.NotContains(t, form.Body.String(), "<script")
	var answers []string
	for _, email := range []string{"emil%40meridian.example", "nobody%40meridian.example", "%22%3E%3Cscript%3E", ""} {
		w := send("POST", "/dashboard/forgot", "email="+email, isForm)
		assert.Equal(t, 200, w.Code)
		answers = append(answers, w.Body.String())
	}
	assert.Equal(t, `POST /api/password-reset {"email":"emil@meridian.example"}`, api.sent[0])
	for _, answer := range answers {
		assert.Equal(t, answers[0], answer)
	}
	mux := http.NewServeMux()
	pages.New(http.NotFoundHandler(), httpx.NewCookies(&url.URL{Scheme: "https", Host: "cms.example"}), "/dashboard/", "/style.css", false).Register(mux)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/dashboard/forgot", nil))
	assert.NotContains(t, w.Body.String(), "<form", "without e-mails")
}
