package pages_test

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counterAPI answers as the API does about identity providers, and records what it was sent.
type counterAPI struct {
	finish string // the answer of POST /api/session/provider/finish
	status int
	sent   []string
}

func (a *counterAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	route := r.Method + " " + r.URL.RequestURI()
	if route != "POST /api/session/ways" && route != "GET /api/session" {
		a.sent = append(a.sent, strings.TrimSpace(route+" "+string(body)))
	}
	switch route {
	case "POST /api/session/ways":
		provider := "null"
		if strings.Contains(string(body), "@meridian.example") {
			provider = `{"id":7,"name":"Staff & <b>Co</b>"}`
		}
		_, _ = io.WriteString(w, `{"providers":true,"provider":`+provider+`}`)
	case "GET /api/session":
		_, _ = io.WriteString(w, "null")
	case "POST /api/session":
		w.WriteHeader(http.StatusUnauthorized)
	case "POST /api/session/provider":
		if strings.Contains(string(body), `"providerId":7`) {
			w.Header().Set("Set-Cookie", "flow=1")
			_, _ = io.WriteString(w, `{"url":"https://login.example.org/authorize?a=b"}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"code":"not_found"}`)
	case "POST /api/session/provider/finish":
		w.Header().Set("Set-Cookie", "session=1")
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.finish)
	case "POST /api/session/provider/sign-out":
		if strings.Contains(string(body), `"providerId":7}`) {
			_, _ = io.WriteString(w, `{"name":"Staff & Co","url":"https://login.example.org/logout?a=b&c=d"}`)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	case "POST /api/session/provider/link":
		w.WriteHeader(http.StatusAccepted)
	default:
		_, _ = io.WriteString(w, `{"email":"ida@meridian.example","name":"Ida","inviter":"Tessa","hasAccount":false,"roles":[{"role":"editor","place":"World Desk"}]}`)
	}
}

// TestAddressFirst asks for the address, then shows what there is for it.
func TestAddressFirst(t *testing.T) {
	t.Parallel()
	api := &counterAPI{}
	send := serveAll(t, api.ServeHTTP)
	first := send("GET", "/dashboard/sign-in?next=/dashboard/inbox", "").Body.String()
	assert.Contains(t, first, `name="email"`)
	assert.NotContains(t, first, `type="password"`)
	assert.NotContains(t, first, "Staff")
	button := `href="/dashboard/sign-in/provider?` + html.EscapeString(url.Values{"email": {"ed@meridian.example"}, "next": {"/dashboard/inbox"}, "provider": {"7"}}.Encode()) + `"`
	second := send("POST", "/dashboard/sign-in", "email=ed%40meridian.example&next=%2Fdashboard%2Finbox", isForm).Body.String()
	assert.Contains(t, second, button)
	assert.Contains(t, second, "Continue with Staff &amp; &lt;b&gt;Co&lt;/b&gt;")
	assert.Contains(t, second, `value="ed@meridian.example"`)
	assert.Contains(t, second, `type="password"`)
	other := send("POST", "/dashboard/sign-in", "email=ed%40elsewhere.example&next=", isForm).Body.String()
	assert.NotContains(t, other, "Staff")
	assert.Contains(t, other, `type="password"`)
	assert.Empty(t, api.sent, "nothing is signed in yet")
	wrong := send("POST", "/dashboard/sign-in", "email=ed%40meridian.example&password=x&next=%2Fdashboard%2Finbox", isForm)
	assert.Equal(t, 401, wrong.Code)
	assert.Contains(t, wrong.Body.String(), button)
}

// TestToAProvider sends browsers to the provider by links.
func TestToAProvider(t *testing.T) {
	t.Parallel()
	api := &counterAPI{}
	send := serveAll(t, api.ServeHTTP)
	for name, row := range map[string]struct {
		path, cookie, call string
	}{
		"a sign-in":     {"/dashboard/sign-in/provider?provider=7&email=a%40b.example&next=/dashboard/inbox", "", `{"email":"a@b.example","next":"/dashboard/inbox","providerId":7}`},
		"elsewhere":     {"/dashboard/sign-in/provider?provider=7&next=//evil.example", "", `{"email":"","next":"/dashboard/","providerId":7}`},
		"an invitation": {"/dashboard/invitation/provider?provider=7", followed, `{"invitation":"` + linkSecret + `","next":"/dashboard/","providerId":7}`},
		"a link":        {"/dashboard/connect/provider", "Cookie: __Secure-imprimatur_link=7." + linkSecret, `{"link":"` + linkSecret + `","next":"/dashboard/","providerId":7}`},
	} {
		api.sent = nil
		w := send("GET", row.path, "", row.cookie)
		assert.Equal(t, []string{"POST /api/session/provider " + row.call}, api.sent, name)
		assert.Equal(t, []any{303, "https://login.example.org/authorize?a=b", []string{"flow=1"}}, []any{w.Code, w.Header().Get("Location"), w.Header()["Set-Cookie"]}, name)
		discreet(t, w)
	}
	for _, path := range []string{"/dashboard/sign-in/provider?provider=8", "/dashboard/sign-in/provider?provider=x", "/dashboard/connect/provider"} {
		w := send("GET", path, "")
		assert.Equal(t, 404, w.Code)
		assert.Contains(t, w.Body.String(), "This identity provider is not in use.")
		assert.Empty(t, w.Header()["Set-Cookie"])
	}
	invitation := send("GET", "/dashboard/invitation", "", followed).Body.String()
	assert.Contains(t, invitation, `href="/dashboard/invitation/provider?provider=7"`)

	// The link in a mail.
	w := send("GET", "/dashboard/connect/7/"+linkSecret, "")
	discreet(t, w)
	assert.Equal(t, []any{303, "/dashboard/connect"}, []any{w.Code, w.Header().Get("Location")})
	assert.Equal(t, []string{"7." + linkSecret, "/dashboard/connect"}, []string{w.Result().Cookies()[0].Value, w.Result().Cookies()[0].Path})
	assert.Contains(t, send("GET", "/dashboard/connect", "").Body.String(), `href="/dashboard/connect/provider"`)
	api.sent = nil
	sent := send("POST", "/dashboard/connect/request", "provider=7&email=a%40b.example", isForm)
	assert.Equal(t, []string{`POST /api/session/provider/link {"email":"a@b.example","providerId":7}`}, api.sent)
	assert.Contains(t, sent.Body.String(), "a link is on its way")
}

// TestSignOutThere offers the sign-out at the provider after one here.
func TestSignOutThere(t *testing.T) {
	t.Parallel()
	api := &counterAPI{}
	send := serveAll(t, api.ServeHTTP)
	const left = "Cookie: __Secure-imprimatur_link=7"
	for language, text := range map[string]string{"en": "Also sign out at Staff &amp; Co", "de": "Auch bei Staff &amp; Co abmelden"} {
		shown := send("GET", "/dashboard/sign-in", "", left, "Accept-Language: "+language).Body.String()
		assert.Contains(t, shown, `<a href="https://login.example.org/logout?a=b&amp;c=d">`)
		assert.Contains(t, shown, text)
	}
	api.sent = nil
	for _, cookie := range []string{"", "Cookie: __Secure-imprimatur_link=8", "Cookie: __Secure-imprimatur_link=7x"} {
		w := send("GET", "/dashboard/sign-in", "", cookie)
		assert.Equal(t, 200, w.Code)
		assert.NotContains(t, w.Body.String(), "sign out")
	}
	assert.Equal(t, []string{`POST /api/session/provider/sign-out {"providerId":8}`}, api.sent)
}

// TestArrivals has what comes of a sign-in at a provider, in both languages.
func TestArrivals(t *testing.T) {
	t.Parallel()
	arrive := func(status int, finish, language string) (*httptest.ResponseRecorder, *counterAPI) {
		api := &counterAPI{finish: finish, status: status}
		w := serveAll(t, api.ServeHTTP)("GET", "/sso/7/callback?state=s&code=c&iss=https%3A%2F%2Flogin.example.org", "", "Accept-Language: "+language, "Sec-Fetch-Site: cross-site")
		discreet(t, w)
		return w, api
	}
	w, api := arrive(200, `{"outcome":"signed_in","next":[],"page":"/dashboard/inbox","trial":null}`, "en")
	require.Equal(t, []string{`POST /api/session/provider/finish {"code":"c","error":"","iss":"https://login.example.org","providerId":7,"state":"s"}`}, api.sent)
	assert.Equal(t, []any{303, "/dashboard/inbox"}, []any{w.Code, w.Header().Get("Location")})
	assert.Contains(t, w.Header()["Set-Cookie"], "session=1")
	w, _ = arrive(200, `{"outcome":"signed_in","next":[],"page":"//evil.example","trial":null}`, "en")
	assert.Equal(t, "/dashboard/", w.Header().Get("Location"))
	w, _ = arrive(200, `{"outcome":"second_step","next":["totp"],"page":"/dashboard/inbox","trial":null}`, "en")
	assert.Equal(t, "/dashboard/second-step?next=%2Fdashboard%2Finbox&ways=totp", w.Header().Get("Location"))

	tried := `{"outcome":"tried","next":[],"page":"","trial":{"name":"Staff","claims":[{"name":"<i>","value":"\"<script>\""}],"authTime":false,"would":"sign_in","account":"a@b.example"}}`
	proven, _ := arrive(200, `{"outcome":"verified","next":[],"page":"","trial":null}`, "de")
	assert.Equal(t, []any{200, []string{"session=1"}}, []any{proven.Code, proven.Header()["Set-Cookie"]})
	assert.Contains(t, proven.Body.String(), "Sie haben gezeigt, dass Sie es sind")
	w, _ = arrive(200, tried, "en")
	for _, text := range []string{"What the identity provider says", "&lt;i&gt;", "&#34;&lt;script&gt;&#34;", "A sign-in would open the account a@b.example.", "does not say when"} {
		assert.Contains(t, w.Body.String(), text)
	}
	w, _ = arrive(200, tried, "de")
	assert.Contains(t, w.Body.String(), "Eine Anmeldung würde das Konto a@b.example öffnen.")

	for code, texts := range map[string][2]string{
		"sign_in_again": {"Start again.", "Beginnen Sie von vorn."}, "provider_refused": {"did not sign you in", "hat Sie nicht angemeldet"},
		"provider_unavailable": {"does not answer", "antwortet zurzeit nicht"}, "not_linked": {"No account is linked to you", "kein Konto verbunden"},
		"not_of_tenant": {"another organisation", "anderen Organisation"}, "account_off": {"not active", "nicht aktiv"},
		"person_linked": {"Another account", "ein anderes Konto"}, "account_linked": {"another person", "einer anderen Person"},
		"provider_not_offered": {"cannot accept", "nicht annehmen"}, "link_invalid": {"This link is not valid", "Dieser Link gilt nicht"}, "": {"Something went wrong", "nicht geklappt"},
	} {
		for i, language := range []string{"en", "de"} {
			w, _ := arrive(403, `{"code":"`+code+`"}`, language)
			assert.Equal(t, 403, w.Code)
			assert.Contains(t, w.Body.String(), texts[i], code)
			assert.Empty(t, w.Header()["Set-Cookie"])
			assert.Equal(t, code == "not_linked", strings.Contains(w.Body.String(), `action="/dashboard/connect/request"`))
		}
	}
}
