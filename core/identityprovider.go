package core

import (
	"slices"
	"time"
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
	Domains      []string
	Scopes       []string // asked for beside openid
	GroupsClaim  string   // the claim with the groups of a person; empty: none
	CreateUsers  bool     // whether a person without an account gets one
	Passwords    PasswordRule
	SecondFactor FactorRule
	Mappings     []GroupMapping
	State        ProviderState
	CreatedBy    int64 // a user; 0: an operator command
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// GroupMapping gives a role to the members of a group of an IdentityProvider.
type GroupMapping struct {
	Group string
	// Grant has the role without UserID, and the id of its place only. It is zero for a CustomRole.
	Grant      Grant
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

// IdentityProviderEvent returns an event about an identity provider of a Tenant.
func IdentityProviderEvent(t EventType, tenantID, id int64) Event {
	return Event{Type: t, TenantID: tenantID, SubjectID: id}
}
