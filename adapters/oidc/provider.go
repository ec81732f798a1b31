package oidc

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// Limits of what providers answer.
const (
	maxBody       = 64 << 10 // bytes
	skew          = time.Minute
	discoveryKept = 10 * time.Minute
	keysRefetched = time.Minute // at most so often for an unknown key
	maxProviders  = 100         // whose documents are kept
	logoutAge     = 5 * time.Minute
)

// algorithms are the accepted ones: signatures by a private key of the provider. A message code (HS256) would be made
// with the secret, and none is no signature.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// document is what a provider says about itself.
type document struct {
	Issuer         string   `json:"issuer"`
	Authorization  string   `json:"authorization_endpoint"`
	Token          string   `json:"token_endpoint"`
	Keys           string   `json:"jwks_uri"`
	SignOut        string   `json:"end_session_endpoint"`
	Algorithms     []string `json:"id_token_signing_alg_values_supported"`
	ResponseIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	fetchedAt      time.Time
	keys           *keySet
}

// accepted returns the algorithms of the provider that are accepted. One that names none signs with RS256.
func (d *document) accepted() []string {
	if len(d.Algorithms) == 0 {
		return []string{oidc.RS256}
	}
	return slices.DeleteFunc(slices.Clone(d.Algorithms), func(a string) bool { return !slices.Contains(algorithms, a) })
}

// documents keeps the documents of providers for some minutes.
type documents struct {
	mu   sync.Mutex
	kept map[string]*document
}

func (d *documents) get(issuer string, now time.Time) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	if found := d.kept[issuer]; found != nil && now.Before(found.fetchedAt.Add(discoveryKept)) {
		return found
	}
	return nil
}

func (d *documents) put(issuer string, found *document) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old := d.kept[issuer]; old != nil && old.Keys == found.Keys {
		found.keys = old.keys // keep what it has fetched, and when
	}
	if len(d.kept) >= maxProviders {
		clear(d.kept)
	}
	d.kept[issuer] = found
	return found
}

// discover returns the document of an issuer.
func (c *Client) discover(ctx context.Context, issuer string) (*document, error) {
	if found := c.documents.get(issuer, c.now()); found != nil {
		return found, nil
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, c.http()), issuer) // checks the issuer of the document
	if err != nil {
		return nil, unavailable(err)
	}
	found := &document{fetchedAt: c.now()}
	if err := provider.Claims(found); err != nil {
		return nil, unavailable(err)
	}
	for _, address := range []string{found.Authorization, found.Token, found.Keys} {
		if _, err := c.outside.Check(address); err != nil {
			return nil, unavailable(fmt.Errorf("%q: %w", address, err))
		}
	}
	if len(found.accepted()) == 0 {
		return nil, unavailable(errors.New("no accepted algorithm"))
	}
	found.keys = &keySet{client: c, address: found.Keys}
	return c.documents.put(issuer, found), nil
}

// SignInAddress implements ports.IdentityProviders.
func (c *Client) SignInAddress(ctx context.Context, p ports.ProviderClient, r ports.ProviderRequest) (string, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, err := c.discover(limited, p.Issuer)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier)}
	if r.LoginHint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", r.LoginHint))
	}
	if r.Fresh {
		options = append(options, oauth2.SetAuthURLParam("max_age", "0"), oauth2.SetAuthURLParam("prompt", "login"))
	}
	return c.config(p, found).AuthCodeURL(r.State, options...), nil
}

func (c *Client) config(p ports.ProviderClient, found *document) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.Secret, RedirectURL: p.Redirect, Scopes: append([]string{oidc.ScopeOpenID}, p.Scopes...),
		Endpoint: oauth2.Endpoint{AuthURL: found.Authorization, TokenURL: found.Token},
	}
}

// Redeem implements ports.IdentityProviders.
func (c *Client) Redeem(ctx context.Context, p ports.ProviderClient, a ports.ProviderAnswer) (account.ProviderClaims, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, err := c.discover(limited, p.Issuer)
	if err != nil {
		return account.ProviderClaims{}, err
	}
	// RFC 9207: an answer that names another provider was mixed up. One that says that it names itself must do so.
	if a.Issuer != "" && a.Issuer != p.Issuer || a.Issuer == "" && found.ResponseIssuer {
		return account.ProviderClaims{}, refused("the answer is of another provider")
	}
	token, err := c.config(p, found).Exchange(context.WithValue(limited, oauth2.HTTPClient, c.http()), a.Code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		if failure, ok := errors.AsType[*oauth2.RetrieveError](err); ok && failure.Response != nil && failure.Response.StatusCode/100 == 4 {
			return account.ProviderClaims{}, refused("the provider refuses the code: " + core.Clip(failure.ErrorCode))
		}
		return account.ProviderClaims{}, unavailable(err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return account.ProviderClaims{}, refused("the provider sends no ID token")
	}
	return c.verify(limited, p, found, raw, token.AccessToken, a.Nonce)
}

// signed returns a token that the provider has signed for p and that is valid now. An ID token expires; a logout
// token need not.
func (c *Client) signed(ctx context.Context, p ports.ProviderClient, found *document, raw string, expires bool) (*oidc.IDToken, error) {
	now := c.now()
	keys := &attempt{keys: found.keys}
	verifier := oidc.NewVerifier(p.Issuer, keys, &oidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: found.accepted(), SkipExpiryCheck: !expires, Now: func() time.Time { return now.Add(-skew) },
	})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		if keys.missing != nil {
			return nil, unavailable(keys.missing)
		}
		return nil, refusedBy(err)
	}
	var claims validity
	if err := token.Claims(&claims); err != nil {
		return nil, refusedBy(err)
	}
	var fault string
	switch {
	case token.Issuer != p.Issuer: // the library accepts another form of one provider
		fault = "the token is of another issuer"
	case claims.AuthorizedParty != "" && claims.AuthorizedParty != p.ClientID, claims.AuthorizedParty == "" && len(token.Audience) > 1:
		fault = "the token is for another client"
	case len(token.Subject) > 255 || !core.ValidText(token.Subject):
		fault = "the token has a wrong subject"
	case token.IssuedAt.IsZero() || token.IssuedAt.After(now.Add(skew)) || time.Unix(int64(claims.NotBefore), 0).After(now.Add(skew)):
		fault = "the token is not valid yet"
	default:
		return token, nil
	}
	return nil, refused(fault)
}

// validity has claims of any token that the library does not check.
type validity struct {
	AuthorizedParty string  `json:"azp"`
	NotBefore       float64 `json:"nbf"`
}

// verify returns the claims of an ID token (OpenID Connect Core 1.0, 3.1.3.7).
func (c *Client) verify(ctx context.Context, p ports.ProviderClient, found *document, raw, access, nonce string) (account.ProviderClaims, error) {
	token, err := c.signed(ctx, p, found, raw, true)
	if err != nil {
		return account.ProviderClaims{}, err
	}
	if token.Subject == "" {
		return account.ProviderClaims{}, refused("the token has no subject")
	}
	var claims tokenClaims
	var all map[string]any
	if err := errors.Join(token.Claims(&claims), token.Claims(&all)); err != nil {
		return account.ProviderClaims{}, refusedBy(err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1 {
		return account.ProviderClaims{}, refused("the token is for another sign-in")
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(access); err != nil {
			return account.ProviderClaims{}, refusedBy(err)
		}
	}
	return account.ProviderClaims{
		Subject: token.Subject, Email: claims.Email, EmailVerified: claims.EmailVerified.value(), Name: claims.Name,
		AuthTime: unixTime(claims.AuthTime), Methods: claims.Methods, Context: claims.Context, SID: sidOf(claims.SID), All: all,
	}, nil
}

// tokenClaims are the claims of an ID token that the library does not read.
type tokenClaims struct {
	Email         string   `json:"email"`
	EmailVerified word     `json:"email_verified"`
	Name          string   `json:"name"`
	AuthTime      float64  `json:"auth_time"`
	Methods       []string `json:"amr"`
	SID           any      `json:"sid"`
	Context       string   `json:"acr"`
}

// word is a boolean that some providers write as text.
type word json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(b []byte) error { *w = word(bytes.Clone(b)); return nil }

// value returns nil if the provider says nothing. Anything but true is false.
func (w word) value() *bool {
	if len(w) == 0 || string(w) == "null" {
		return nil
	}
	is := string(w) == "true" || string(w) == `"true"`
	return &is
}

func unixTime(seconds float64) time.Time {
	if seconds <= 0 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// attempt verifies one token, and keeps why the keys cannot be read: the library drops the kind of the error.
type attempt struct {
	keys    *keySet
	missing error
}

// VerifySignature implements oidc.KeySet.
func (a *attempt) VerifySignature(ctx context.Context, raw string) ([]byte, error) {
	payload, missing, err := a.keys.verify(ctx, raw)
	a.missing = missing
	return payload, errors.Join(missing, err)
}

// keySet has the keys of a provider. It implements oidc.KeySet.
type keySet struct {
	client  *Client
	address string

	mu        sync.Mutex
	keys      []jose.JSONWebKey
	fetchedAt time.Time
}

// verify returns the payload of a token. An unknown key has the keys fetched again, at most once a minute. missing is why
// they cannot be read, err why the token is wrong.
func (k *keySet) verify(ctx context.Context, raw string) (payload []byte, missing, err error) {
	signatures := make([]jose.SignatureAlgorithm, len(algorithms))
	for i, a := range algorithms {
		signatures[i] = jose.SignatureAlgorithm(a)
	}
	signed, err := jose.ParseSigned(raw, signatures)
	if err != nil || len(signed.Signatures) != 1 {
		return nil, nil, errors.New("not one signature")
	}
	id := signed.Signatures[0].Header.KeyID
	if payload := verifiedBy(signed, k.known(), id); payload != nil {
		return payload, nil, nil
	}
	keys, err := k.fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("the keys of the provider: %w", err), nil
	}
	if payload := verifiedBy(signed, keys, id); payload != nil {
		return payload, nil, nil
	}
	return nil, nil, errors.New("no key of the provider has made the signature")
}

func (k *keySet) known() []jose.JSONWebKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys
}

// fetch returns the keys, which it reads again if they are older than a minute.
func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.client.now()
	if !k.fetchedAt.IsZero() && now.Before(k.fetchedAt.Add(keysRefetched)) {
		return k.keys, nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.address, nil)
	if err != nil {
		return nil, err
	}
	response, err := k.client.http().Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // nothing more is read
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, errors.Join(err, fmt.Errorf("status %d", response.StatusCode))
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, err
	}
	k.keys, k.fetchedAt = slices.DeleteFunc(set.Keys, func(key jose.JSONWebKey) bool { return !key.IsPublic() || !key.Valid() || key.Use == "enc" }), now
	return k.keys, nil
}

// verifiedBy returns the payload of a token that one of the keys has signed, or nil.
func verifiedBy(signed *jose.JSONWebSignature, keys []jose.JSONWebKey, id string) []byte {
	for i := range keys {
		if id != "" && keys[i].KeyID != id {
			continue
		}
		if payload, err := signed.Verify(&keys[i]); err == nil {
			return payload
		}
	}
	return nil
}

// http returns a client of requests to providers.
func (c *Client) http() *http.Client {
	return &http.Client{Transport: guarded{c}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// guarded sends requests by egress.Client, and bounds the bytes of responses.
type guarded struct{ client *Client }

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := g.client.outside.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 == 3 {
		_ = response.Body.Close()
		return nil, errors.New("a redirect")
	}
	response.Body = &bounded{response.Body, maxBody}
	return response, nil
}

// bounded is a body whose reads fail after some bytes.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the answer is too long")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// unavailable is the error of a provider that does not answer as it should.
func unavailable(err error) error {
	return &core.Error{Kind: core.KindUnavailable, Code: "provider_unavailable", Message: "the identity provider cannot be reached at present", Err: err}
}

// refused is the error of an answer that does not say who a person is. why is for the log only.
func refused(why string) error { return refusedBy(errors.New(why)) }

func refusedBy(err error) error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "provider_refused", Message: "the identity provider did not sign you in", Err: err}
}
