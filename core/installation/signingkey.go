package installation

import (
	"time"

	"imprimatur/core/event"
)

// SigningKey is an Ed25519 key pair with which the installation signs proofs.
type SigningKey struct {
	ID           int64
	Fingerprint  string    // hex SHA-256 of Public
	Installation string    // a UUID, the same for all keys of an installation
	Public       []byte    // 32 bytes
	Private      []byte    // the seed, encrypted under the secret key; nil after revocation
	From         time.Time // the first time of signatures
	Until        time.Time // the end of signatures, exclusive; zero: none yet
	RevokedAt    time.Time // zero: not revoked
}

// Signs reports whether the key makes signatures at that time.
func (k *SigningKey) Signs(at time.Time) bool {
	return k.RevokedAt.IsZero() && !at.Before(k.From) && (k.Until.IsZero() || at.Before(k.Until))
}

// SigningKeyEvent returns the event of an update of a signing key. k is the key after the update.
func SigningKeyEvent(k SigningKey) event.Event {
	e := event.Event{Type: event.KeyEnded, SubjectID: k.ID}
	if !k.RevokedAt.IsZero() {
		e.Type = event.KeyRevoked
	}
	return e
}
