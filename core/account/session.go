package account

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"imprimatur/core"
)

// HeldRole is a role of a user with the name of its place: a Grant or, with core.CustomRole, a custom role
// of the Department of Grant, whose Role is empty.
type HeldRole struct {
	core.Grant

	CustomRole core.CustomRole // only ID and Name; zero: none
	Place      string          // name of the Tenant, Department or Project
	Source     GrantSource     // empty: not looked up
}

// Session is one sign-in. Only the hash of its id is stored.
type Session struct {
	ID        int64
	Hash      [32]byte // SHA-256 of the cookie's value
	UserID    int64
	Address   string    // of the client that signed in: an IP address without port
	UserAgent string    // of that client, as in the header User-Agent, at most 200 bytes
	CreatedAt time.Time // of the database
	ExpiresAt time.Time
	// LastUsedAt is the time of the last request, which may be some minutes more than stored. Zero: none
	// is stored.
	LastUsedAt time.Time
	Proof      core.Proof // the latest one
	Origin     SessionOrigin
	Challenge  SignatureChallenge
}

// SessionOrigin is the identity provider that has opened a session, and what it has said. It is zero for a sign-in without one.
type SessionOrigin struct {
	ProviderID int64
	SID        string // its claim sid, which names the session there; empty: none
	Methods    string // its claim amr: how the person has signed in there, separated by spaces; empty: not said
	Context    string // its claim acr: how well; empty: not said
}

// Said returns Methods and Context for records; empty: none.
func (o SessionOrigin) Said() string {
	var said []string
	for _, claim := range [][2]string{{"amr", o.Methods}, {"acr", o.Context}} {
		if claim[1] != "" {
			said = append(said, claim[0]+": "+claim[1])
		}
	}
	return strings.Join(said, "; ")
}

// SessionUse is the last use of a session.
type SessionUse struct {
	SessionID int64
	UsedAt    time.Time
}

// Exempt says which users may make a request that others may not make yet.
type Exempt struct {
	PasswordChange bool // those that must change their password first
	SecondFactor   bool // those that need a second factor and have none
}

// FailedSignIns is the count of failed sign-ins of one key: an account or a network address.
type FailedSignIns struct {
	Key    string
	Count  int
	EndsAt time.Time // end of the counting window
}

// SignatureChallenge asks the user of a session to sign a decision. A session has one at most.
type SignatureChallenge struct {
	Payload   string    `json:"payload"` // review.SignaturePayload.Text; empty: none
	Version   int64     `json:"version"` // of the request, which must not have changed
	ExpiresAt time.Time `json:"expiresAt"`
}

// Sum returns the SHA-256 of the payload, which passkeys sign.
func (c *SignatureChallenge) Sum() []byte {
	sum := sha256.Sum256([]byte(c.Payload))
	return sum[:]
}

// Name returns Sum in base64url, as clients send it.
func (c *SignatureChallenge) Name() string { return base64.RawURLEncoding.EncodeToString(c.Sum()) }
