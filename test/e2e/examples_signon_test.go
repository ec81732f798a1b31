package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"imprimatur/test/openid"
)

// domain is that of the addresses for which the identity provider of the scene speaks.
func (s *scene) domain() string { return fmt.Sprintf("s%d.example.org", s.number) }

// tryable makes an identity provider of the tenant that answers.
func (s *scene) tryable() {
	s.t.Helper()
	p := openid.Start(s.t)
	s.provider = p
	p.SignIn(map[string]any{"sub": "ann", "email": "ann@" + s.domain(), "email_verified": true, "name": "Ann"})
	body := s.real(s.example("createIdentityProvider", nil))
	maps.Copy(body, map[string]any{"issuer": p.URL, "clientId": openid.ClientID, "clientSecret": openid.Secret, "domains": []string{s.domain()}, "mappings": []any{}, "passwordUserId": nil, "createUsers": true})
	s.ids["providerId"] = s.make("/api/tenants/{tenantId}/identity-providers", body)
}

// providerOn makes an identity provider of the tenant that is on, which makes an account for Ann.
func (s *scene) providerOn() {
	s.t.Helper()
	s.tryable()
	const one = "/api/tenants/{tenantId}/identity-providers/{providerId}"
	s.do("POST", one+"/domains", map[string]any{"domain": s.domain(), "means": "admin"})
	header, body := s.header, s.body
	s.body = map[string]any{}
	s.arrives(s.begun(one+"/try", nil))
	s.do("POST", "/api/session/provider/finish", s.body, s.header...)
	s.header, s.body = header, body
	s.do("PATCH", one, map[string]any{"state": "on"})
}

// linked makes an identity provider to which the account of the scene is linked, in a session by it.
func (s *scene) linked() {
	s.t.Helper()
	s.providerOn()
	s.do("POST", "/api/session/verify", map[string]any{"password": s.password}, s.header...)
	to, flow := s.begun("/api/me/identity-providers/{providerId}", nil, s.header...)
	s.arrives(to, flow)
	a := s.do("POST", "/api/session/provider/finish", s.body, s.header...)
	s.header, s.body = []string{cookiesIn(a), "Origin: " + publicBase}, map[string]any{}
}

// linkedEdda is linked, for requests by the operator.
func (s *scene) linkedEdda() {
	s.t.Helper()
	header := s.header
	s.header = s.edda()
	s.linked()
	s.header = header
}

// cookiesIn returns the header with the cookies that a response sets.
func cookiesIn(a response) string {
	var cookies []string
	for _, cookie := range a.header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(cookie, ";")
		cookies = append(cookies, pair)
	}
	return "Cookie: " + strings.Join(cookies, "; ")
}

// begun begins a sign-in at an identity provider. It returns the address there, and the header with what the browser keeps.
func (s *scene) begun(path string, body any, header ...string) (to, kept string) {
	s.t.Helper()
	a := s.do("POST", path, body, header...)
	return fmt.Sprint(decodeNumbers(s.t, a)["url"]), cookiesIn(a)
}

// arrives signs in at the identity provider, and makes the request of the scene that with which the browser comes back.
func (s *scene) arrives(to, kept string) {
	s.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Get(to)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = a.Body.Close()
	back, err := url.Parse(a.Header.Get("Location"))
	if err != nil || back.Query().Get("code") == "" {
		s.t.Fatalf("the provider answered %d, to %s", a.StatusCode, back)
	}
	maps.Copy(s.body, map[string]any{
		"providerId": json.Number(s.id("providerId")), "state": back.Query().Get("state"), "code": back.Query().Get("code"), "iss": back.Query().Get("iss"),
	})
	s.header = []string{kept, "Origin: " + publicBase}
}
