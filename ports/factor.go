package ports

import (
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
)

// TOTPStore stores the authenticator apps of users: at most one for each. It keeps core.User.TOTP up
// to date.
type TOTPStore interface {
	// TOTP returns the app of the user.
	TOTP(ctx context.Context, userID int64) (account.TOTP, error)
	// Set replaces the app of the user, which must not be confirmed, by t.
	Set(ctx context.Context, t account.TOTP) error
	// Confirm confirms the app of the user and sets its LastStep. It returns core.ErrNotFound when
	// the user has no app that is not confirmed.
	Confirm(ctx context.Context, userID, step int64) error
	// Use sets LastStep of the user's confirmed app and reports whether it was before step: else it
	// changes nothing. Of several concurrent calls with a step, one returns true.
	Use(ctx context.Context, userID, step int64) (fresh bool, err error)
	// Delete removes the app of the user. It returns no error when the user has none.
	Delete(ctx context.Context, userID int64) error
}

// RecoveryCodeStore stores the hashes of recovery codes.
type RecoveryCodeStore interface {
	// Count returns the number of codes that the user has.
	Count(ctx context.Context, userID int64) (int, error)
	// Has reports whether the user has the code.
	Has(ctx context.Context, userID int64, hash [32]byte) (bool, error)
	// Replace replaces the codes of the user.
	Replace(ctx context.Context, userID int64, hashes [][32]byte) error
	// Use removes a code of the user and reports whether the user had it. Of several concurrent
	// calls with a hash, one returns true.
	Use(ctx context.Context, userID int64, hash [32]byte) (had bool, err error)
}

// PasskeyStore stores the passkeys of users. It keeps core.User.Passkeys up to date.
type PasskeyStore interface {
	// Passkeys returns the passkeys of the user, ordered by id.
	Passkeys(ctx context.Context, userID int64) ([]account.Passkey, error)
	// ByCredential returns the passkey of any user with that credential id.
	ByCredential(ctx context.Context, credentialID []byte) (account.Passkey, error)
	// Insert sets ID. It returns core.ErrConflict when a passkey has the credential id.
	Insert(ctx context.Context, p *account.Passkey) error
	// Rename sets the name of a passkey of the user.
	Rename(ctx context.Context, userID, id int64, name string) error
	// Use sets SignCount, Synced and LastUsedAt of the passkey p.ID to those of p. It changes nothing
	// and returns false unless the stored passkey precedes p (account.Passkey.Precedes). Of several
	// concurrent calls with a SignCount above 0, one returns true if the passkey is not synced.
	Use(ctx context.Context, p account.Passkey) (forward bool, err error)
	// Delete removes a passkey of the user, DeleteByUser all. DeleteByUser returns no error when the
	// user has none.
	Delete(ctx context.Context, userID, id int64) error
	DeleteByUser(ctx context.Context, userID int64) error
}

// PasskeyReader reads what browsers send about passkeys. It changes nothing, and does not know which
// challenges were given out: callers check the challenge, that it is used once, and the counter.
type PasskeyReader interface {
	// RelyingParty is the host name that passkeys belong to. It is "" when browsers refuse passkeys at
	// the address of the service: an IP address, or plain HTTP on a host other than localhost.
	RelyingParty() string
	// Created returns the passkey of a credential that a browser has created, without ID, UserID, Name
	// and times, and the challenge that it was created for. It returns an error for anything else: also
	// for a credential of another origin, and one that was created without verification of the user.
	Created(credential []byte) (p account.Passkey, challenge []byte, err error)
	// Asserted returns an assertion, which is not verified yet.
	Asserted(assertion []byte) (PasskeyAssertion, error)
}

// PasskeyAssertion states that the holder of a passkey was present.
type PasskeyAssertion struct {
	CredentialID []byte
	UserHandle   []byte // of the user that the passkey was created for; empty: not given
	Challenge    []byte
	SignCount    int64
	Synced       bool
	// Verify returns an error unless the assertion was made with the passkey, on a page of this service,
	// and the authenticator has verified the user.
	Verify func(account.Passkey) error
	// Origin, AuthenticatorData, ClientData and Signature are what the authenticator has signed, and its signature. Key
	// returns the public key of a passkey as SubjectPublicKeyInfo (RFC 5280). With these anyone can verify it later.
	Origin                                   string
	AuthenticatorData, ClientData, Signature []byte
	Key                                      func(account.Passkey) ([]byte, error)
}

// Signed is a signature of a decision whose evidence was checked.
type Signed struct {
	review.Signature

	Challenge account.SignatureChallenge
	// Spend makes that neither the challenge nor the evidence counts again, in the transaction of the decision. It
	// returns core.KindGone or core.KindInvalid if they do not count any more.
	Spend func(ctx context.Context, stores Stores) error
}

// SecondFactorFrom returns core.Actor.SecondFactorFrom of a user with these roles: the earliest time
// that a tenant sets which manages the account or in which the user has a role. Only the tenant that
// manages the account binds a super admin. It reads nothing for a user with a second factor.
func SecondFactorFrom(ctx context.Context, tenants TenantStore, user *core.User, grants []core.Grant, roles []core.CustomRole) (from time.Time, err error) {
	if user.HasFactor() {
		return time.Time{}, nil
	}
	ids := []int64{user.TenantID}
	if !user.SuperAdmin {
		for _, g := range grants {
			ids = append(ids, g.TenantID)
		}
		for _, r := range roles {
			ids = append(ids, r.TenantID)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if id == 0 {
			continue
		}
		tenant, err := tenants.Tenant(ctx, id)
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return time.Time{}, err
		}
		if t := tenant.SecondFactorFrom; !t.IsZero() && (from.IsZero() || t.Before(from)) {
			from = t
		}
	}
	return from, nil
}
