// Package letter has the e-mails that are not about a notice: they go to an address, which may have no
// account, and most have a link with a secret. Until they are sent, they are stored encrypted.
package letter

import (
	"encoding/json"
	"time"

	"imprimatur/core"
	"imprimatur/core/secret"
)

// Kind is the kind of a Letter.
type Kind string

// The kinds of letters.
const (
	Invitation     Kind = "invitation"
	Reminder       Kind = "invitation_again" // an Invitation with a new link
	Reset          Kind = "reset"            // sets a new password
	Address        Kind = "address"          // confirms the address
	Connect        Kind = "connect"          // connects the account to a person at an identity provider, Actor
	AddressChanged Kind = "address_changed"  // tells the former address
)

// Letter is an e-mail to an address.
type Letter struct {
	Kind     Kind
	Address  string
	Name     string // of the receiver; may be empty
	Language string // "en" or "de"; empty: English
	// Path is the page of the link, with its secret at the end.
	Path      string
	Hash      [32]byte  // of the secret; zero: none
	Actor     string    // the name of the inviter
	Roles     []Role    // of an invitation; none: the Tenant wants neutral mails
	Email     string    // the new address of the account
	ExpiresAt time.Time // of the link; zero: none
}

// Role is a role in an invitation.
type Role struct {
	Role   core.Role // empty: a custom role
	Custom string    // the name of the custom role
	Place  string    // the name of the Tenant, Department or Project
}

// Seal encrypts l. Open decrypts it.
func (l Letter) Seal(key secret.Key) []byte {
	plain, err := json.Marshal(l)
	if err != nil {
		panic("letter: " + err.Error()) // its members always encode
	}
	return key.Seal(secret.Letters, plain, nil)
}

// Open returns the Letter that Seal encrypted. The error is secret.ErrOther for another key.
func Open(key secret.Key, sealed []byte) (l Letter, err error) {
	plain, err := key.Open(secret.Letters, sealed, nil)
	if err != nil {
		return Letter{}, err
	}
	return l, json.Unmarshal(plain, &l)
}

// Moved returns the letter to the former address of an account.
func Moved(before, after core.User) Letter {
	return Letter{Kind: AddressChanged, Address: before.Email, Name: before.Name, Language: before.Settings.Language, Email: after.Email}
}
