package account

import (
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

// IdentityProvider is a connection of a Tenant to an OpenID provider, which can say who a person is.
type IdentityProvider struct {
	ID       int64
	TenantID int64
	Name     string
	Issuer   string // identifier of the provider: an https URL
	ClientID string // of this installation at the provider
	Secret   []byte // of ClientID, encrypted
	// Domains of addresses for which the provider speaks, as address.Domain writes them. Only those with a
	// DomainClaim count.
	Domains     []string
	Scopes      []string // asked for beside openid
	GroupsClaim string   // the claim with the groups of a person; empty: none
	CreateUsers bool     // whether a person without an account gets one
	Passwords   PasswordRule
	// PasswordUserID is the account of the Tenant that keeps its password and its passkeys if Passwords forbids them; 0: none.
	PasswordUserID int64
	SecondFactor   FactorRule
	Mappings       []GroupMapping
	State          ProviderState
	TriedBy        int64     // the user whose sign-in tried it last, since its last change; 0: none
	TriedAt        time.Time // zero: never
	CreatedBy      int64     // a user; 0: an operator command
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// GroupMapping gives a role to the members of a group of an IdentityProvider.
type GroupMapping struct {
	Group string
	// Grant has the role without UserID, and the id of its place only. It is zero for a core.CustomRole.
	Grant      core.Grant
	CustomRole int64 // id; 0: Grant
}

// ProviderState is the state of an IdentityProvider. Only one that is on signs people in.
type ProviderState string

// The states of identity providers.
const (
	ProviderDraft  ProviderState = "draft"
	ProviderTested ProviderState = "tested"
	ProviderOn     ProviderState = "on"
	ProviderOff    ProviderState = "off"
)

// ProviderStates returns all states, in the order of their declaration.
func ProviderStates() []ProviderState {
	return []ProviderState{ProviderDraft, ProviderTested, ProviderOn, ProviderOff}
}

// Known reports whether s is one of the states.
func (s ProviderState) Known() bool { return slices.Contains(ProviderStates(), s) }

// PasswordRule says whether users with an address in a domain of an IdentityProvider may sign in with a
// password.
type PasswordRule string

// The rules.
const (
	PasswordsAllowed   PasswordRule = "allowed"
	PasswordsForbidden PasswordRule = "forbidden"
)

// PasswordRules returns all rules.
func PasswordRules() []PasswordRule { return []PasswordRule{PasswordsAllowed, PasswordsForbidden} }

// FactorRule says who asks for the second factor after a sign-in by an IdentityProvider.
type FactorRule string

// The rules.
const (
	FactorTheirs FactorRule = "theirs" // the provider does
	FactorOurs   FactorRule = "ours"   // as after a password
)

// FactorRules returns all rules.
func FactorRules() []FactorRule { return []FactorRule{FactorTheirs, FactorOurs} }

// DomainClaim states that the addresses of a domain belong to the Tenant of an IdentityProvider. A domain has
// at most one.
type DomainClaim struct {
	Domain     string // as address.Domain writes it
	TenantID   int64
	ProviderID int64
	Means      ClaimMeans
	ClaimedBy  int64 // a user
	ClaimedAt  time.Time
	CheckedAt  time.Time // when the record was last asked for again; zero: not yet
	// MissingSince is when the record was first missing. Zero: it was there at CheckedAt, or could not be read since.
	MissingSince time.Time
}

// LastCheck returns the last time at which the record was asked for.
func (c DomainClaim) LastCheck() time.Time {
	if c.CheckedAt.IsZero() {
		return c.ClaimedAt
	}
	return c.CheckedAt
}

// ClaimMeans is how the claim of a domain was shown to be right.
type ClaimMeans string

// The means.
const (
	ClaimByRecord ClaimMeans = "record" // the domain has the TXT record of the claim
	ClaimByAdmin  ClaimMeans = "admin"  // a super admin says so
)

// ClaimMeansAll returns all means.
func ClaimMeansAll() []ClaimMeans { return []ClaimMeans{ClaimByRecord, ClaimByAdmin} }

// UserIdentity links an account to a person at an identity provider. A person has one account, and an account one person
// of a provider.
type UserIdentity struct {
	ProviderID int64
	Subject    string // identifies the person at the provider, for ever
	TenantID   int64  // of the provider
	UserID     int64
	LinkedAt   time.Time
	Given      []GroupRole // the roles of the account that groups of the person have given
}

// GroupRole is a role that an account has because the person is in a group.
type GroupRole struct {
	// Grant has the role without UserID, and the id of its place only. It is zero for a core.CustomRole.
	Grant      core.Grant
	CustomRole int64     // id; 0: Grant
	Over       core.Role // the lower role that was given by hand in the place, which comes back; empty: none
	Kept       bool      // the person is no longer in the group, but the last admin of the Tenant
}

// at reports whether r is the role in the place of g, or the custom role.
func (r GroupRole) at(g core.Grant, customRole int64) bool {
	if r.CustomRole != 0 || customRole != 0 {
		return r.CustomRole == customRole
	}
	own := PlaceOnly(r.Grant)
	return own == PlaceOnly(g)
}

// PlaceOnly returns g with the id of its place only, without role and user.
func PlaceOnly(g core.Grant) core.Grant {
	switch {
	case g.ProjectID != 0:
		return core.Grant{ProjectID: g.ProjectID}
	case g.DepartmentID != 0:
		return core.Grant{DepartmentID: g.DepartmentID}
	default:
		return core.Grant{TenantID: g.TenantID}
	}
}

// GivenAt returns the index in Given of the role in the place of g, or of the custom role; -1: none.
func (i UserIdentity) GivenAt(g core.Grant, customRole int64) int {
	return slices.IndexFunc(i.Given, func(r GroupRole) bool { return r.at(g, customRole) })
}

// GrantSource says where a role of a user comes from.
type GrantSource string

// The sources.
const (
	SourceManual GrantSource = "manual" // another user or an invitation has given it
	SourceGroup  GrantSource = "group"  // a group at an identity provider
)

// GrantSources returns all sources.
func GrantSources() []GrantSource { return []GrantSource{SourceManual, SourceGroup} }

// SourceOf returns where the role g of a user, or the custom role, comes from. identities has those of the user, and may
// have those of others.
func SourceOf(identities []UserIdentity, g core.Grant, customRole int64) GrantSource {
	for _, i := range identities {
		if at := i.GivenAt(g, customRole); i.UserID == g.UserID && at >= 0 && i.Given[at].Grant.Role == g.Role {
			return SourceGroup
		}
	}
	return SourceManual
}

// Event returns an event about the account of i.
func (i UserIdentity) Event(t event.Type) event.Event {
	return event.Event{Type: t, TenantID: i.TenantID, SubjectID: i.UserID}
}

// IdentityProviderEvent returns an event about an identity provider of a Tenant.
func IdentityProviderEvent(t event.Type, tenantID, id int64) event.Event {
	return event.Event{Type: t, TenantID: tenantID, SubjectID: id}
}

// ProviderLogout is what an identity provider says about a person that has signed out there.
type ProviderLogout struct {
	Subject  string // empty: only the session SID has ended
	SID      string // of the session there; empty: not said
	ID       string // of the token: jti
	IssuedAt time.Time
}

// ProviderClaims are what an identity provider says about a person.
type ProviderClaims struct {
	Subject       string // identifies the person at the provider, for ever
	Email         string
	EmailVerified *bool // the provider's word; nil: it says nothing
	Name          string
	AuthTime      time.Time // when the person signed in there; zero: not said
	Methods       []string  // amr: how
	Context       string    // acr: how well
	SID           string    // of the session there; empty: not said
	All           map[string]any
}
