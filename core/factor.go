package core

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

// HasFactor reports whether the user has a second factor. Recovery codes are none.
func (u *User) HasFactor() bool { return u.TOTP || u.Passkeys > 0 }
