package ports

import (
	"context"
	"time"

	"imprimatur/core/account"
)

// InvitationStore stores invitations. They are deleted with their Tenant.
type InvitationStore interface {
	InvitationReader
	// Lock locks the invitation until the transaction ends, as UserStore.Lock locks an account.
	Lock(ctx context.Context, id int64) error
	Insert(ctx context.Context, i *account.Invitation) error // sets ID; core.ErrNotFound without its Tenant or inviter
	// Update replaces InvitedBy, Hash, ExpiresAt, AcceptedAt, AcceptedBy and RevokedAt. Its event says that
	// the invitation was accepted or revoked if it has such a time, else that it was sent again.
	Update(ctx context.Context, i account.Invitation) error
}

// InvitationReader finds invitations.
type InvitationReader interface {
	// Invitations returns up to Limit invitations that the query selects, the newest first.
	Invitations(ctx context.Context, q InvitationQuery) ([]account.Invitation, error)
	Invitation(ctx context.Context, id int64) (account.Invitation, error)
	InvitationByHash(ctx context.Context, hash [32]byte) (account.Invitation, error)
	// Open returns the number of invitations of the user that are open at the given time.
	Open(ctx context.Context, invitedBy int64, now time.Time) (int64, error)
	// OpenTo returns the invitations to the address that are open at the given time, ordered by id.
	OpenTo(ctx context.Context, email string, now time.Time) ([]account.Invitation, error)
}

// InvitationQuery selects invitations: all, or those of an inviter together with those of Tenants.
type InvitationQuery struct {
	All       bool
	InvitedBy int64
	TenantIDs []int64
	BeforeID  int64 // selects only lower ids; 0: all
	Limit     int64
}

// LinkStore stores the links in e-mails. It records no events.
type LinkStore interface {
	Link(ctx context.Context, hash [32]byte) (account.MailLink, error)
	// Take removes the link and returns it. It returns core.ErrNotFound if there is none: of
	// several calls, one gets the link.
	Take(ctx context.Context, hash [32]byte) (account.MailLink, error)
	Insert(ctx context.Context, l account.MailLink) error
	// Forget removes the links of a kind that have the address or, unless it is 0, the user.
	Forget(ctx context.Context, kind account.MailLinkKind, email string, userID int64) error
}
