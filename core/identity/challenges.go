package identity

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"imprimatur/core/secret"
	"imprimatur/ports"
)

// ChallengeLifetime is the time in which a browser must answer a challenge.
const ChallengeLifetime = 5 * time.Minute

// What a challenge is for.
const (
	toCreate = "create" // a passkey of a user
	toAssert = "assert" // with a passkey of any user
)

// challenges makes and reads the challenges of passkeys. A challenge is encrypted, random and says for
// what, for whom and when it was made, so that none has to be stored.
type challenges struct {
	key   secret.Key
	clock ports.Clock
}

// issue returns a challenge for the user; 0: for any user.
func (c challenges) issue(purpose string, userID int64) []byte {
	var plain [16]byte
	binary.BigEndian.PutUint64(plain[:8], uint64(userID))
	binary.BigEndian.PutUint64(plain[8:], uint64(c.clock.Now().UnixMilli()))
	return c.key.Seal(secret.Challenges, plain[:], []byte(purpose))
}

// open returns what identifies a challenge of issue, and when it expires. It returns false for another
// one, and for one that has expired.
func (c challenges) open(challenge []byte, purpose string, userID int64) (hash [32]byte, expiresAt time.Time, valid bool) {
	plain, err := c.key.Open(secret.Challenges, challenge, []byte(purpose))
	if err != nil || len(plain) != 16 || int64(binary.BigEndian.Uint64(plain[:8])) != userID {
		return hash, expiresAt, false
	}
	expiresAt = time.UnixMilli(int64(binary.BigEndian.Uint64(plain[8:]))).Add(ChallengeLifetime)
	return sha256.Sum256(challenge), expiresAt, c.clock.Now().Before(expiresAt)
}
