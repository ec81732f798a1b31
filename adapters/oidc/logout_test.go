package oidc_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"imprimatur/core/account"
)

const loggedOut = "http://schemas.openid.net/event/backchannel-logout"

// logoutToken returns a logout token without an expiry, with the changes of claims.
func (l *liar) logoutToken(t *testing.T) string {
	t.Helper()
	changes := map[string]any{"nonce": nil, "exp": nil, "email": nil, "email_verified": nil, "name": nil, "jti": "a token", "events": map[string]any{loggedOut: map[string]any{}}}
	maps.Copy(changes, l.claims)
	l.claims = changes
	return l.idToken(t)
}

// TestLogoutTokens has what a provider may say of a person that has signed out, and what not.
func TestLogoutTokens(t *testing.T) {
	t.Parallel()
	claim := func(name string, value any) func(*liar) { return func(l *liar) { l.claims[name] = value } }
	for name, row := range map[string]struct {
		lie  func(*liar)
		code string // "": accepted
	}{
		"nothing":                 {},
		"an expiry":               {lie: claim("exp", now.Add(2*time.Minute).Unix())},
		"a subject and a session": {lie: claim("sid", "a session")},
		"a moment ago":            {lie: claim("iat", now.Add(-5*time.Minute).Unix())},
		"another issuer":          {lie: claim("iss", "https://other.example"), code: "provider_refused"},
		"the issuer with a slash": {lie: func(l *liar) { l.claims["iss"] = l.URL + "/" }, code: "provider_refused"},
		"another audience":        {lie: claim("aud", "other"), code: "provider_refused"},
		"no audience":             {lie: claim("aud", nil), code: "provider_refused"},
		"several audiences":       {lie: claim("aud", []string{clientID, "other"}), code: "provider_refused"},
		"expired":                 {lie: claim("exp", now.Add(-61*time.Second).Unix()), code: "provider_refused"},
		"issued long ago":         {lie: claim("iat", now.Add(-361*time.Second).Unix()), code: "provider_refused"},
		"long ago, but not expired": {lie: func(l *liar) {
			l.claims["iat"], l.claims["exp"] = now.Add(-time.Hour).Unix(), now.Add(time.Hour).Unix()
		}, code: "provider_refused"},
		"issued later":               {lie: claim("iat", now.Add(61*time.Second).Unix()), code: "provider_refused"},
		"no time of issue":           {lie: claim("iat", nil), code: "provider_refused"},
		"a nonce":                    {lie: claim("nonce", nonce), code: "provider_refused"},
		"an empty nonce":             {lie: claim("nonce", ""), code: "provider_refused"},
		"no events":                  {lie: claim("events", nil), code: "provider_refused"},
		"another event":              {lie: claim("events", map[string]any{"http://schemas.openid.net/event/other": map[string]any{}}), code: "provider_refused"},
		"an event that is no object": {lie: claim("events", map[string]any{loggedOut: true}), code: "provider_refused"},
		"an event that is null":      {lie: claim("events", map[string]any{loggedOut: nil}), code: "provider_refused"},
		"events in a list":           {lie: claim("events", []string{loggedOut}), code: "provider_refused"},
		"another event beside":       {lie: claim("events", map[string]any{loggedOut: map[string]any{}, "other": 7})},
		"no id":                      {lie: claim("jti", nil), code: "provider_refused"},
		"a huge id":                  {lie: claim("jti", strings.Repeat("a", 256)), code: "provider_refused"},
		"only a session":             {lie: func(l *liar) { l.claims["sub"], l.claims["sid"] = nil, "a session" }},
		"neither":                    {lie: claim("sub", nil), code: "provider_refused"},
		"an empty session":           {lie: func(l *liar) { l.claims["sub"], l.claims["sid"] = nil, "" }, code: "provider_refused"},
		"a session that is a number": {lie: func(l *liar) { l.claims["sub"], l.claims["sid"] = nil, 7 }, code: "provider_refused"},
		"a huge session":             {lie: func(l *liar) { l.claims["sub"], l.claims["sid"] = nil, strings.Repeat("a", 256) }, code: "provider_refused"},
		"a huge subject":             {lie: claim("sub", strings.Repeat("a", 256)), code: "provider_refused"},
		"another key":                {lie: func(l *liar) { l.key = otherKey }, code: "provider_refused"},
		"a code of the secret":       {lie: func(l *liar) { l.key, l.method = []byte(strings.Repeat("hush", 16)), jose.HS256 }, code: "provider_refused"},
		"no signature": {lie: func(l *liar) {
			l.sign = func(payload []byte) string { return encoded(`{"alg":"none"}`) + "." + encoded(string(payload)) + "." }
		}, code: "provider_refused"},
		"cut short":        {lie: func(l *liar) { l.sign = func([]byte) string { return "a.b" } }, code: "provider_refused"},
		"no keys":          {lie: func(l *liar) { l.document["jwks_uri"] = l.URL + "/none" }, code: "provider_unavailable"},
		"a document apart": {lie: func(l *liar) { l.document["issuer"] = "https://other.example" }, code: "provider_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := lie(t)
			if row.lie != nil {
				row.lie(l)
			}
			issued, _ := l.claims["iat"].(int64)
			if issued == 0 {
				issued = now.Unix()
			}
			out, err := client(t, atNow).LoggedOut(t.Context(), l.of(), l.logoutToken(t))
			if row.code == "" {
				require.NoError(t, err)
				want := account.ProviderLogout{Subject: "ann", ID: "a token", IssuedAt: time.Unix(issued, 0).UTC()}
				if name == "only a session" {
					want.Subject = ""
				}
				want.SID, _ = l.claims["sid"].(string)
				require.Equal(t, want, out)
				return
			}
			require.Equal(t, account.ProviderLogout{}, out)
			require.ErrorContains(t, err, row.code)
		})
	}
}

// TestTokensAreOfOneKind takes no ID token for a logout token, and no logout token for an ID token.
func TestTokensAreOfOneKind(t *testing.T) {
	t.Parallel()
	l := lie(t)
	c := client(t, atNow)
	_, err := c.LoggedOut(t.Context(), l.of(), l.idToken(t))
	require.ErrorContains(t, err, "provider_refused")
	token := must(json.Marshal(map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": l.logoutToken(t)}))
	l.token = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(token)
	}
	_, err = c.Redeem(t.Context(), l.of(), right)
	require.ErrorContains(t, err, "provider_refused")
}

// TestSignOutAddress is the page of the provider, with what it needs to send the browser back.
func TestSignOutAddress(t *testing.T) {
	t.Parallel()
	const back = "https://cms.example/dashboard/sign-in"
	for name, row := range map[string]struct {
		page any
		want string // "": an error
	}{
		"a page":       {page: "https://login.example.org/logout?a=b", want: "https://login.example.org/logout?a=b&client_id=imprimatur&post_logout_redirect_uri=https%3A%2F%2Fcms.example%2Fdashboard%2Fsign-in"},
		"a script":     {page: "javascript:alert(1)"},
		"another host": {page: "http://10.0.0.1/logout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := lie(t)
			l.document["end_session_endpoint"] = row.page
			address, err := client(t, atNow).SignOutAddress(t.Context(), l.of(), back)
			require.Equal(t, row.want, address)
			require.Equal(t, row.want == "", err != nil)
		})
	}
	l := lie(t)
	require.Empty(t, must(client(t, atNow).SignOutAddress(t.Context(), l.of(), back)))
	l.document["issuer"] = "https://other.example"
	_, err := client(t, atNow).SignOutAddress(t.Context(), l.of(), back)
	require.ErrorContains(t, err, "provider_unavailable")
}
