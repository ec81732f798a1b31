package account

import (
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

// Invitation offers roles to the holder of an e-mail address. Only the hash of its secret is stored.
type Invitation struct {
	ID       int64
	Hash     [32]byte // SHA-256 of the secret in the link
	Email    string   // in lower case
	Name     string   // the name that the inviter gave; may be empty
	Language string   // "en" or "de"; empty: English
	TenantID int64    // of the first role: its admins manage the account that acceptance makes
	// Grants has the offered roles, without UserID. Each has the id of its place only: ProjectID,
	// else DepartmentID, else TenantID.
	Grants      []core.Grant
	CustomRoles []int64 // ids, ascending
	InvitedBy   int64   // user id
	CreatedAt   time.Time
	ExpiresAt   time.Time
	AcceptedAt  time.Time // zero: not accepted
	AcceptedBy  int64     // user id; 0: not accepted
	RevokedAt   time.Time // zero: not revoked
}

// InvitationState is the state of an Invitation.
type InvitationState string

// The states of invitations.
const (
	InvitationOpen     InvitationState = "open"
	InvitationAccepted InvitationState = "accepted"
	InvitationRevoked  InvitationState = "revoked"
	InvitationExpired  InvitationState = "expired"
)

// InvitationStates returns all states, in the order of their declaration.
func InvitationStates() []InvitationState {
	return []InvitationState{InvitationOpen, InvitationAccepted, InvitationRevoked, InvitationExpired}
}

// Known reports whether s is one of the states.
func (s InvitationState) Known() bool { return slices.Contains(InvitationStates(), s) }

// State returns the state of i at a time.
func (i *Invitation) State(now time.Time) InvitationState {
	switch {
	case !i.AcceptedAt.IsZero():
		return InvitationAccepted
	case !i.RevokedAt.IsZero():
		return InvitationRevoked
	case !now.Before(i.ExpiresAt):
		return InvitationExpired
	default:
		return InvitationOpen
	}
}

// MailLink is a link in an e-mail that is used once. Only the hash of its secret is stored.
type MailLink struct {
	Hash      [32]byte // SHA-256 of the secret in the link
	Kind      MailLinkKind
	Email     string // in lower case: the address that asks for a new password, or the new address
	UserID    int64  // whose address changes; 0 for the others
	CreatedAt time.Time
	ExpiresAt time.Time
}

// MailLinkKind is what a MailLink is for.
type MailLinkKind string

// The kinds of links.
const (
	LinkReset   MailLinkKind = "reset"   // sets a new password
	LinkAddress MailLinkKind = "address" // confirms a new address
	// LinkProvider connects an account to a person at an identity provider.
	LinkProvider MailLinkKind = "provider"
)

// Change returns the type of the event of the last change of i.
func (i *Invitation) Change() event.Type {
	switch {
	case !i.AcceptedAt.IsZero():
		return event.InvitationAccepted
	case !i.RevokedAt.IsZero():
		return event.InvitationRevoked
	default:
		return event.InvitationResent
	}
}
