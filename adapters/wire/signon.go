package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

// SignInWays says how the holder of an address can sign in.
type SignInWays struct {
	Providers bool                   `json:"providers" doc:"Whether any identity provider of the installation is on." example:"true"`
	Provider  OrNull[SignInProvider] `json:"provider" doc:"That of the domain of the address; null: none."`
	Passwords bool                   `json:"passwords" doc:"false: the provider forbids passwords and passkeys to most accounts of the domain." example:"true"`
}

// SignInProvider is an identity provider for those who sign in.
type SignInProvider struct {
	ID   int64  `json:"id" example:"1"`
	Name string `json:"name" example:"Meridian staff"`
}

// SignInWaysOf returns w for a response.
func SignInWaysOf(w identity.SignOnWays) SignInWays {
	shown := SignInWays{Providers: w.Any, Passwords: true}
	if w.Provider != nil {
		shown.Passwords = w.Provider.Passwords != account.PasswordsForbidden
		shown.Provider.Value = &SignInProvider{w.Provider.ID, w.Provider.Name}
	}
	return shown
}

// ProviderSignIn begins a sign-in by an identity provider.
type ProviderSignIn struct {
	ProviderID int64  `json:"providerId" example:"1"`
	Email      string `json:"email,omitempty" doc:"An address that the provider may fill in." example:"ann@meridian.example"`
	Next       string `json:"next,omitempty" doc:"The page to show afterwards, which the response to the end has again." example:"/dashboard/inbox"`
	Invitation string `json:"invitation,omitempty" doc:"The secret of the link of an invitation, to accept it." example:"A7QXK2J5M3ZP6RWTB4YCDEFGHI"`
	Link       string `json:"link,omitempty" doc:"The secret of a mailed link that connects an account." example:"A7QXK2J5M3ZP6RWTB4YCDEFGHI"`
}

// ProviderAddress is where the browser goes.
type ProviderAddress struct {
	URL string `json:"url" doc:"The page of the identity provider where the person signs in." example:"https://login.example.org/authorize?client_id=imprimatur"`
}

// ProviderReturn has the parameters with which an identity provider sends the browser back.
type ProviderReturn struct {
	ProviderID int64  `json:"providerId" doc:"That of the path of the callback." example:"1"`
	State      string `json:"state" example:"A7QXK2J5M3ZP6RWTB4YCDEFGHI"`
	Code       string `json:"code,omitempty" example:"SplxlOBeZQQYbYS6WxSbIA"`
	Iss        string `json:"iss,omitempty" doc:"The issuer, if the provider names itself (RFC 9207)." example:"https://login.example.org/realms/meridian"`
	Error      string `json:"error,omitempty" doc:"Why the provider has not signed in the person." example:"access_denied"`
}

// ProviderToSignOut names an identity provider.
type ProviderToSignOut struct {
	ProviderID int64 `json:"providerId" example:"1"`
}

// ProviderSignOut is where a person signs out at an identity provider.
type ProviderSignOut struct {
	Name string `json:"name" doc:"The name of the identity provider." example:"Meridian staff"`
	URL  string `json:"url" doc:"Its page that signs the person out there and sends the browser to the sign-in page." example:"https://login.example.org/logout?client_id=imprimatur"`
}

// ProviderLogout is the word of an identity provider that a person has signed out there.
type ProviderLogout struct {
	Token string `json:"logout_token" doc:"The logout token, in its compact form." example:"eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl"`
}

// ProviderArrival is what comes of a sign-in by an identity provider.
type ProviderArrival struct {
	Outcome string                `json:"outcome" enum:"signed_in,second_step,tried,verified" example:"signed_in"`
	Next    []core.Way            `json:"next" nullable:"false" enum:"totp,passkey,recovery" doc:"The ways of which one finishes the sign-in, for second_step." example:"[]"`
	Page    string                `json:"page" doc:"The page to show; empty: the first one." example:"/dashboard/inbox"`
	Trial   OrNull[ProviderTrial] `json:"trial" doc:"For tried."`
}

// ProviderTrial is what an identity provider says about the admin that has tried it.
type ProviderTrial struct {
	ProviderID int64                 `json:"providerId" example:"1"`
	TenantID   int64                 `json:"tenantId" example:"1"`
	Name       string                `json:"name" example:"Meridian staff"`
	State      account.ProviderState `json:"state" doc:"The state of the identity provider." example:"tested"`
	Claims     []ProviderClaim       `json:"claims" nullable:"false" doc:"All claims of the ID token, by name."`
	AuthTime   bool                  `json:"authTime" doc:"Whether the provider says when the person has signed in there." example:"true"`
	Would      identity.Would        `json:"would" doc:"What a sign-in would do." example:"sign_in"`
	Account    *string               `json:"account" doc:"The address of the account that is or would be made; null: none." example:"ann@meridian.example"`
	Roles      []HeldRole            `json:"roles" nullable:"false" doc:"Those that the groups of the person would give."`
}

// TransformSchema implements huma.SchemaTransformer.
func (ProviderTrial) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(enumerate(s, "state", account.ProviderStates()), "would", identity.Woulds())
}

// ProviderClaim is a claim of an ID token.
type ProviderClaim struct {
	Name  string `json:"name" example:"email"`
	Value string `json:"value" doc:"JSON." example:"\"ann@meridian.example\""`
}

// ProviderArrivalOf returns a for a response.
func ProviderArrivalOf(a identity.Arrival) ProviderArrival {
	shown := ProviderArrival{Outcome: "signed_in", Next: []core.Way{}, Page: a.Page}
	switch t := a.Trial; {
	case t != nil:
		shown.Outcome = "tried"
		shown.Trial.Value = &ProviderTrial{
			ProviderID: t.Provider.ID, TenantID: t.Provider.TenantID, Name: t.Provider.Name, State: t.Provider.State, AuthTime: t.AuthTime, Would: t.Would,
			Claims: Each(t.Claims, func(c identity.Claimed) ProviderClaim { return ProviderClaim(c) }),
			Roles:  Each(t.Roles, heldRoleOf),
		}
		if t.Account != "" {
			shown.Trial.Value.Account = &t.Account
		}
	case a.Proof.Way != "":
		shown.Outcome = "verified"
	case a.Session == "":
		shown.Outcome, shown.Next = "second_step", a.Next
	}
	return shown
}

// ProviderLinkRequest asks for a link that connects an account.
type ProviderLinkRequest struct {
	ProviderID int64  `json:"providerId" example:"1"`
	Email      string `json:"email" format:"email" doc:"The address of the account." example:"editor@meridian.example"`
}

// ProviderLink is an identity provider to which the account is or can be linked.
type ProviderLink struct {
	ID       int64   `json:"id" doc:"The identity provider's id." example:"1"`
	Name     string  `json:"name" example:"Meridian staff"`
	LinkedAt *string `json:"linkedAt" format:"date-time" doc:"null: the account is not linked." example:"2026-01-02T15:04:05.000Z"`
	Proves   bool    `json:"proves" doc:"Whether a sign-in there proves again who the caller is." example:"true"`
	// Passwords is about the account, not about the provider.
	Passwords bool `json:"passwords" doc:"Whether the password of the account does, too: no identity provider forbids it." example:"true"`
}

// ProviderLinkOf returns l for a response.
func ProviderLinkOf(l identity.Link) ProviderLink {
	return ProviderLink{ID: l.Provider.ID, Name: l.Provider.Name, LinkedAt: TimeOrNull(l.LinkedAt), Proves: l.Proves, Passwords: l.Passwords}
}

// UserLink is an identity provider to which an account is linked.
type UserLink struct {
	ID       int64  `json:"id" doc:"The identity provider's id." example:"1"`
	TenantID int64  `json:"tenantId" doc:"The tenant of the identity provider." example:"1"`
	Name     string `json:"name" example:"Meridian staff"`
	LinkedAt string `json:"linkedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// UserLinkOf returns l for a response.
func UserLinkOf(l identity.Link) UserLink {
	return UserLink{l.Provider.ID, l.Provider.TenantID, l.Provider.Name, core.FormatTime(l.LinkedAt)}
}
