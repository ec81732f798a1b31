package oidc

import (
	"context"
	"encoding/json"
	"net/url"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// logoutEvent is the event of which a logout token is the word.
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

// logoutClaims are the claims that make a token a logout token.
type logoutClaims struct {
	ID     string                     `json:"jti"`
	Events map[string]json.RawMessage `json:"events"`
	Nonce  json.RawMessage            `json:"nonce"`
	SID    any                        `json:"sid"`
}

// sidOf returns the claim sid, which is a text. Another value, and one that is too long to keep, names no session.
func sidOf(claim any) string {
	sid, _ := claim.(string)
	if len(sid) > 255 || !core.ValidText(sid) {
		return ""
	}
	return sid
}

// SignOutAddress implements ports.IdentityProviders. The provider gets no ID token, which is not kept: it may ask the person
// whether to sign out.
func (c *Client) SignOutAddress(ctx context.Context, p ports.ProviderClient, back string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, err := c.discover(limited, p.Issuer)
	if err != nil || found.SignOut == "" {
		return "", err
	}
	to, err := c.outside.Check(found.SignOut)
	if err != nil {
		return "", unavailable(err)
	}
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}
	to.RawQuery += "client_id=" + url.QueryEscape(p.ClientID) + "&post_logout_redirect_uri=" + url.QueryEscape(back)
	return to.String(), nil
}

// LoggedOut implements ports.IdentityProviders (OpenID Connect Back-Channel Logout 1.0, 2.6). A token need not expire, so
// that its age is bounded, too: for as long it must be remembered.
func (c *Client) LoggedOut(ctx context.Context, p ports.ProviderClient, raw string) (out account.ProviderLogout, err error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, err := c.discover(limited, p.Issuer)
	if err != nil {
		return out, err
	}
	token, err := c.signed(limited, p, found, raw, false)
	if err != nil {
		return out, err
	}
	var claims logoutClaims
	if err := token.Claims(&claims); err != nil {
		return out, refusedBy(err)
	}
	event, before := claims.Events[logoutEvent], c.now().Add(-skew)
	logout := len(event) > 0 && event[0] == '{' && claims.Nonce == nil // an ID token has one
	tooOld := !token.Expiry.IsZero() && token.Expiry.Before(before) || token.IssuedAt.Before(before.Add(-logoutAge))
	if !logout || tooOld || claims.ID == "" || len(claims.ID) > 255 {
		return out, refused("the token is no logout token, too old, or has no id")
	}
	sid := sidOf(claims.SID)
	if token.Subject == "" && sid == "" {
		return out, refused("the token names neither a person nor a session")
	}
	return account.ProviderLogout{Subject: token.Subject, SID: sid, ID: claims.ID, IssuedAt: token.IssuedAt.UTC()}, nil
}
