package identity

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// TicketLifetime is the time in which the second step of a sign-in must follow the first.
const TicketLifetime = 10 * time.Minute

// ticket states that a person has taken the first step of signing in. Browsers keep it, encrypted: a
// sign-in that is not finished leaves nothing in the database.
type ticket struct {
	UserID     int64
	At         int64 // milliseconds since 1970
	ID         [digestSize]byte
	Generation int64            // of the user: the end of all sessions ends the ticket
	Browser    [digestSize]byte // digest of the browser's id: it counts in no other browser
}

// digestSize is the length of a shortened SHA-256 in bytes.
const digestSize = 16

func digest(text string) [digestSize]byte {
	sum := sha256.Sum256([]byte(text))
	return [digestSize]byte(sum[:])
}

// tickets makes and reads tickets.
type tickets struct{ key secret.Key }

// issue returns a ticket for the user in that browser, with what an identity provider has said in the first step.
func (t tickets) issue(user *core.User, browser string, origin account.SessionOrigin, now time.Time) string {
	made := ticket{UserID: user.ID, At: now.UnixMilli(), Generation: user.Generation, Browser: digest(browser)}
	_, _ = rand.Read(made.ID[:]) // never fails
	var plain bytes.Buffer
	_ = binary.Write(&plain, binary.BigEndian, made) // a buffer takes all
	if origin != (account.SessionOrigin{}) {
		_ = json.NewEncoder(&plain).Encode(origin) // it is text
	}
	return base64.RawURLEncoding.EncodeToString(t.key.Seal(secret.Tickets, plain.Bytes(), nil))
}

// read returns the ticket that text is in that browser. It returns false for any other text, and for a
// ticket that has expired.
func (t tickets) read(text, browser string, now time.Time) (made ticket, origin account.SessionOrigin, valid bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return ticket{}, origin, false
	}
	opened, err := t.key.Open(secret.Tickets, sealed, nil)
	plain := bytes.NewReader(opened)
	if err != nil || binary.Read(plain, binary.BigEndian, &made) != nil || plain.Len() > 0 && json.NewDecoder(plain).Decode(&origin) != nil {
		return ticket{}, origin, false
	}
	age := now.Sub(time.UnixMilli(made.At))
	return made, origin, made.Browser == digest(browser) && browser != "" && age < TicketLifetime
}

// with returns the evidence of the second step, whose use also ends the ticket: a ticket that has finished
// a sign-in is core.KindUnauthenticated with code "sign_in_again".
func (t ticket) with(proof evidence) evidence {
	ended := proof
	ended.use = func(ctx context.Context, stores ports.Stores) (bool, error) {
		fresh, err := stores.Spent.Spend(ctx, sha256.Sum256(t.ID[:]), time.UnixMilli(t.At).Add(TicketLifetime))
		if err != nil || !fresh {
			return false, orElse(err, signInAgain())
		}
		return proof.spend(ctx, stores)
	}
	return ended
}

// belongsTo reports whether the ticket is for that state of the account.
func (t ticket) belongsTo(user *core.User) bool {
	return user.Active && t.UserID == user.ID && t.Generation == user.Generation
}
