// Package openid has an OpenID provider for tests, at which the person that the test names is signed in without a page.
package openid

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The client of a Provider.
const (
	ClientID = "imprimatur"
	Secret   = "hush hush"
)

// Provider is an OpenID provider with one client. Allow requests to 127.0.0.1 to reach it.
type Provider struct {
	URL string // the issuer

	key   *rsa.PrivateKey
	mu    sync.Mutex
	says  map[string]any
	codes map[string]url.Values // the requests that codes are for
}

// Start starts a provider that ends with the test.
func Start(t testing.TB) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "end_session_endpoint": p.URL + "/logout",
			"id_token_signing_alg_values_supported": []string{"RS256"}, "authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "one", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// SignIn makes claims those of the person that signs in. They must have sub.
func (p *Provider) SignIn(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.says = claims
}

// authorize sends the browser back with a code for the person that is signed in.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Get("client_id") != ClientID || query.Get("response_type") != "code" || query.Get("code_challenge_method") != "S256" {
		http.Error(w, "a wrong request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = query
	p.mu.Unlock()
	back := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {p.URL}}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token gives the ID token for a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	begun, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	claims := maps.Clone(p.says)
	p.mu.Unlock()
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if unescaped, err := url.QueryUnescape(secret); err == nil {
		secret = unescaped
	}
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	proves := base64.RawURLEncoding.EncodeToString(challenge[:]) == begun.Get("code_challenge")
	if !known || !proves || id != ClientID || secret != Secret || r.PostFormValue("redirect_uri") != begun.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	now := time.Now()
	maps.Copy(claims, map[string]any{"iss": p.URL, "aud": ClientID, "nonce": begun.Get("nonce"), "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "auth_time": now.Unix()})
	token, err := p.sign(claims)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "id_token": token})
}

// LogoutToken returns a token that says that the person with a subject has signed out.
func (p *Provider) LogoutToken(t testing.TB, subject string) string {
	t.Helper()
	now := time.Now()
	token, err := p.sign(map[string]any{
		"iss": p.URL, "aud": ClientID, "sub": subject, "iat": now.Unix(), "exp": now.Add(2 * time.Minute).Unix(), "jti": rand.Text(),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (p *Provider) sign(claims map[string]any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: p.key, KeyID: "one"}}, nil)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that has gone is none of ours
}
