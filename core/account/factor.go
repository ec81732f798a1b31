package account

import "time"

// TOTP is an authenticator app of a user, which shows codes after RFC 6238: six digits, SHA-1,
// 30 seconds each.
type TOTP struct {
	UserID int64
	Secret []byte // encrypted
	// Confirmed reports that the user has entered a code of the app: only then it counts.
	Confirmed bool
	// LastStep is the step of the latest accepted code: the number of its 30 seconds since 1970.
	LastStep  int64
	CreatedAt time.Time
}

// MaxPasskeys is the number of passkeys that a user can have.
const MaxPasskeys = 20

// Passkey is a public key of a user (WebAuthn). The private key stays in a device or a password
// manager of the user.
type Passkey struct {
	ID           int64
	UserID       int64
	CredentialID []byte   // chosen by the authenticator, unique
	PublicKey    []byte   // COSE key
	SignCount    int64    // the authenticator's counter of signatures; 0: it has none
	Transports   []string // how browsers reach the authenticator: usb, internal, hybrid and others
	Syncable     bool     // can be copied to other devices of the user
	Synced       bool     // was copied, or backed up
	AAGUID       [16]byte // model of the authenticator; may be zero
	Name         string
	CreatedAt    time.Time
	LastUsedAt   time.Time // zero: never
}

// Precedes reports whether used can be p after a use: its counter has grown, or both have none. The counter
// of a passkey that is or was synced says nothing, because each of the user's devices counts for itself.
func (p *Passkey) Precedes(used Passkey) bool {
	return p.Synced || used.Synced || p.SignCount < used.SignCount || p.SignCount == 0 && used.SignCount == 0
}
