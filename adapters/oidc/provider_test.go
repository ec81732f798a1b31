package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/egress"
	"imprimatur/adapters/oidc"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// liar is an OpenID provider that answers as a test wants.
type liar struct {
	*httptest.Server
	key      any // signs
	keyID    string
	method   jose.SignatureAlgorithm
	shown    []jose.JSONWebKey // the public keys
	document map[string]any    // changes of the discovery document; nil removes a member
	claims   map[string]any    // changes of the ID token; nil removes one
	sign     func(payload []byte) string
	keyReads atomic.Int64
	token    http.HandlerFunc // in place of the token endpoint
	keys     http.HandlerFunc
	discover http.HandlerFunc
	form     url.Values // of the last request of a token
}

var rsaKey, otherKey = must(rsa.GenerateKey(rand.Reader, 2048)), must(rsa.GenerateKey(rand.Reader, 2048))

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const (
	clientID = "imprimatur"
	nonce    = "a nonce"
)

var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

func lie(t *testing.T) *liar {
	t.Helper()
	l := &liar{key: rsaKey, keyID: "one", method: jose.RS256, document: map[string]any{}, claims: map[string]any{}}
	l.shown = []jose.JSONWebKey{{Key: rsaKey.Public(), KeyID: "one", Use: "sig"}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		if l.discover != nil {
			l.discover(w, r)
			return
		}
		answer(w, changed(map[string]any{
			"issuer": l.URL, "authorization_endpoint": l.URL + "/authorize", "token_endpoint": l.URL + "/token", "jwks_uri": l.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256", "ES256", "HS256", "none"},
		}, l.document))
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		l.keyReads.Add(1)
		if l.keys != nil {
			l.keys(w, r)
			return
		}
		answer(w, jose.JSONWebKeySet{Keys: l.shown})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		l.form = r.PostForm
		if l.token != nil {
			l.token(w, r)
			return
		}
		answer(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": l.idToken(t)})
	})
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	return l
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func changed(of, by map[string]any) map[string]any {
	maps.Copy(of, by)
	maps.DeleteFunc(of, func(_ string, v any) bool { return v == nil })
	return of
}

func (l *liar) idToken(t *testing.T) string {
	t.Helper()
	payload, err := json.Marshal(changed(map[string]any{
		"iss": l.URL, "aud": clientID, "sub": "ann", "nonce": nonce, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "email": "ann@meridian.example", "email_verified": true, "name": "Ann",
	}, l.claims))
	require.NoError(t, err)
	if l.sign != nil {
		return l.sign(payload)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: l.method, Key: jose.JSONWebKey{Key: l.key, KeyID: l.keyID}}, nil)
	require.NoError(t, err)
	signed, err := signer.Sign(payload)
	require.NoError(t, err)
	return must(signed.CompactSerialize())
}

// client returns a client that reaches the machine, at the time of clock.
func client(t *testing.T, clock func() time.Time) *oidc.Client {
	t.Helper()
	allowed, err := egress.ParseAllowed([]string{"127.0.0.0/8"})
	require.NoError(t, err)
	return oidc.New(egress.New(allowed), zone{}, clock)
}

func atNow() time.Time { return now }

func (l *liar) of() ports.ProviderClient {
	return ports.ProviderClient{Issuer: l.URL, ClientID: clientID, Secret: "hush", Redirect: "https://cms.example/sso/1/callback", Scopes: []string{"email"}}
}

var right = ports.ProviderAnswer{Code: "code", Nonce: nonce, Verifier: "verifier"}

func TestSignInAddress(t *testing.T) {
	t.Parallel()
	l := lie(t)
	address, err := client(t, atNow).SignInAddress(t.Context(), l.of(), ports.ProviderRequest{
		State: "s", Nonce: "n", Verifier: "a verifier of at least forty-three characters", LoginHint: "a@b.example",
	})
	require.NoError(t, err)
	u := must(url.Parse(address))
	require.Equal(t, l.URL+"/authorize", strings.Split(address, "?")[0])
	q := u.Query()
	for name, want := range map[string]string{
		"response_type": "code", "client_id": clientID, "redirect_uri": "https://cms.example/sso/1/callback", "scope": "openid email", "state": "s", "nonce": "n",
		"code_challenge_method": "S256", "login_hint": "a@b.example", "max_age": "",
	} {
		require.Equal(t, want, q.Get(name), name)
	}
	require.Len(t, q.Get("code_challenge"), 43)
	fresh := must(client(t, atNow).SignInAddress(t.Context(), l.of(), ports.ProviderRequest{Fresh: true}))
	require.Equal(t, "0", must(url.Parse(fresh)).Query().Get("max_age"))
}

func TestRedeem(t *testing.T) {
	t.Parallel()
	l := lie(t)
	l.claims["auth_time"], l.claims["amr"], l.claims["acr"], l.claims["sid"], l.claims["groups"] = now.Unix(), []string{"pwd", "mfa"}, "2", "a session", []string{"a"}
	claims, err := client(t, atNow).Redeem(t.Context(), l.of(), right)
	require.NoError(t, err)
	require.Equal(t, []any{"code", "verifier", "authorization_code"}, []any{l.form.Get("code"), l.form.Get("code_verifier"), l.form.Get("grant_type")})
	require.Equal(t, []any{"a"}, claims.All["groups"])
	claims.All = nil
	require.Equal(t, account.ProviderClaims{
		Subject: "ann", Email: "ann@meridian.example", EmailVerified: new(true), Name: "Ann", AuthTime: now, Methods: []string{"pwd", "mfa"}, Context: "2", SID: "a session",
	}, claims)
}

// TestLies has what a provider may not say.
func TestLies(t *testing.T) {
	t.Parallel()
	const unavailable, refused = "provider_unavailable", "provider_refused"
	drip := func(w http.ResponseWriter, r *http.Request) {
		for i := 0; r.Context().Err() == nil && i < 1e6; i++ {
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	huge := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("a", 100<<10) + `"}`))
	}
	away := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}
	}
	ec := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	claim := func(name string, value any) func(*liar) { return func(l *liar) { l.claims[name] = value } }
	for name, row := range map[string]struct {
		lie  func(*liar)
		with func(*ports.ProviderAnswer)
		code string // "": accepted
	}{
		"nothing":                       {},
		"another issuer":                {lie: claim("iss", "https://other.example"), code: refused},
		"the issuer with a slash":       {lie: func(l *liar) { l.claims["iss"] = l.URL + "/" }, code: refused},
		"no issuer":                     {lie: claim("iss", nil), code: refused},
		"another audience":              {lie: claim("aud", "other"), code: refused},
		"no audience":                   {lie: claim("aud", nil), code: refused},
		"several audiences":             {lie: claim("aud", []string{clientID, "other"}), code: refused},
		"several, and we are the party": {lie: func(l *liar) { l.claims["aud"], l.claims["azp"] = []string{"other", clientID}, clientID }},
		"another party":                 {lie: claim("azp", "other"), code: refused},
		"no subject":                    {lie: claim("sub", nil), code: refused},
		"a huge subject":                {lie: claim("sub", strings.Repeat("a", 256)), code: refused},
		"a subject that is no text":     {lie: claim("sub", 7), code: refused},
		"another nonce":                 {lie: claim("nonce", "other"), code: refused},
		"no nonce":                      {lie: claim("nonce", nil), code: refused},
		"expired":                       {lie: claim("exp", now.Add(-61*time.Second).Unix()), code: refused},
		"expired a moment ago":          {lie: claim("exp", now.Add(-59*time.Second).Unix())},
		"no expiry":                     {lie: claim("exp", nil), code: refused},
		"issued later":                  {lie: claim("iat", now.Add(61*time.Second).Unix()), code: refused},
		"issued in a moment":            {lie: claim("iat", now.Add(59*time.Second).Unix())},
		"no time of issue":              {lie: claim("iat", nil), code: refused},
		"not valid yet":                 {lie: claim("nbf", now.Add(61*time.Second).Unix()), code: refused},
		"an access token of another":    {lie: claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), code: refused},
		"another key":                   {lie: func(l *liar) { l.key = otherKey }, code: refused},
		"an unknown key":                {lie: func(l *liar) { l.key, l.keyID = otherKey, "two" }, code: refused},
		"a key of another kind": {lie: func(l *liar) {
			l.key, l.method, l.keyID = ec, jose.ES256, "ec"
			l.shown = append(l.shown, jose.JSONWebKey{Key: ec.Public(), KeyID: "ec", Use: "sig"})
		}},
		"no signature": {lie: func(l *liar) {
			l.sign = func(payload []byte) string { return encoded(`{"alg":"none"}`) + "." + encoded(string(payload)) + "." }
		}, code: refused},
		"a code of the secret": {lie: func(l *liar) { l.key, l.method = []byte(strings.Repeat("hush", 16)), jose.HS256 }, code: refused},
		"a code of the public key": {lie: func(l *liar) {
			l.key, l.method = must(json.Marshal(l.shown[0])), jose.HS256
			l.document["id_token_signing_alg_values_supported"] = []string{"HS256"}
		}, code: unavailable},
		"a token cut short":         {lie: func(l *liar) { l.sign = func([]byte) string { return "a.b" } }, code: refused},
		"two signatures":            {lie: func(l *liar) { l.sign = func(p []byte) string { return string(p) } }, code: refused},
		"no token":                  {lie: func(l *liar) { l.token = status(200, `{"access_token":"a","token_type":"Bearer"}`) }, code: refused},
		"a refused code":            {lie: func(l *liar) { l.token = status(400, `{"error":"invalid_grant"}`) }, code: refused},
		"broken":                    {lie: func(l *liar) { l.token = status(500, `{}`) }, code: unavailable},
		"no JSON":                   {lie: func(l *liar) { l.token = status(200, `<html>`) }, code: unavailable},
		"a huge answer":             {lie: func(l *liar) { l.token = huge }, code: unavailable},
		"a redirected code":         {lie: func(l *liar) { l.token = away }, code: unavailable},
		"an answer that drips":      {lie: func(l *liar) { l.token = drip }, code: unavailable},
		"an answer that never ends": {lie: func(l *liar) { l.token = never }, code: unavailable},
		"huge keys":                 {lie: func(l *liar) { l.keys = huge }, code: unavailable},
		"keys that never come":      {lie: func(l *liar) { l.keys = never }, code: unavailable},
		"redirected keys":           {lie: func(l *liar) { l.keys = away }, code: unavailable},
		"a document of another":     {lie: func(l *liar) { l.document["issuer"] = "https://other.example" }, code: unavailable},
		"a huge document":           {lie: func(l *liar) { l.discover = huge }, code: unavailable},
		"a document that drips":     {lie: func(l *liar) { l.discover = drip }, code: unavailable},
		"a redirected document":     {lie: func(l *liar) { l.discover = away }, code: unavailable},
		"no document":               {lie: func(l *liar) { l.discover = status(404, "") }, code: unavailable},
		"keys inside":               {lie: func(l *liar) { l.document["jwks_uri"] = "http://10.0.0.1/keys" }, code: unavailable},
		"tokens inside":             {lie: func(l *liar) { l.document["token_endpoint"] = "http://169.254.169.254/latest" }, code: unavailable},
		"a script":                  {lie: func(l *liar) { l.document["authorization_endpoint"] = "javascript:alert(1)" }, code: unavailable},
		"no token endpoint":         {lie: func(l *liar) { l.document["token_endpoint"] = nil }, code: unavailable},
		"the answer of another":     {with: func(a *ports.ProviderAnswer) { a.Issuer = "https://other.example" }, code: refused},
		"a nameless answer":         {lie: func(l *liar) { l.document["authorization_response_iss_parameter_supported"] = true }, code: refused},
		"an unverified address":     {lie: claim("email_verified", false)},
		"claims of other kinds":     {lie: claim("email", 7), code: refused},
		"groups elsewhere": {lie: func(l *liar) {
			l.claims["_claim_names"], l.claims["_claim_sources"] = map[string]string{"groups": "src"}, map[string]any{"src": map[string]string{"endpoint": "http://10.0.0.1/groups"}}
		}},
		"a verified address as text": {lie: claim("email_verified", "true")},
		"two tokens in one answer": {lie: func(l *liar) {
			l.token = status(200, `{"access_token":"a","token_type":"Bearer","id_token":["a","b"]}`)
		}, code: refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := lie(t)
			if row.lie != nil {
				row.lie(l)
			}
			a := right
			if row.with != nil {
				row.with(&a)
			}
			claims, err := client(t, atNow).Redeem(t.Context(), l.of(), a)
			if row.code == "" {
				require.NoError(t, err)
				require.Equal(t, "ann", claims.Subject)
				return
			}
			require.Equal(t, account.ProviderClaims{}, claims)
			require.ErrorContains(t, err, row.code)
		})
	}
}

func encoded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// TestRotatedKeys reads the keys again for a key that is not known, at most once a minute.
func TestRotatedKeys(t *testing.T) {
	t.Parallel()
	l := lie(t)
	at := now
	c := client(t, func() time.Time { return at })
	sign := func() error {
		_, err := c.Redeem(t.Context(), l.of(), right)
		return err
	}
	for range 3 {
		require.NoError(t, sign())
	}
	require.EqualValues(t, 1, l.keyReads.Load())
	l.key, l.keyID = otherKey, "two"
	l.shown = append(l.shown, jose.JSONWebKey{Key: otherKey.Public(), KeyID: "two", Use: "sig"})
	require.ErrorContains(t, sign(), "provider_refused")
	require.EqualValues(t, 1, l.keyReads.Load())
	at = at.Add(time.Minute)
	require.NoError(t, sign())
	require.EqualValues(t, 2, l.keyReads.Load())
	l.keyID = "three"
	for range 20 {
		require.ErrorContains(t, sign(), "provider_refused")
	}
	require.EqualValues(t, 2, l.keyReads.Load())
}
