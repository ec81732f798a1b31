package ports

import (
	"context"
	"time"

	"imprimatur/core/installation"
)

// SigningKeyStore stores the signing keys of the installation and the check of the secret key under
// which they are encrypted. Keys are never removed.
type SigningKeyStore interface {
	// SigningKeys returns all keys, ordered by From, then by id.
	SigningKeys(ctx context.Context) ([]installation.SigningKey, error)
	// Lock locks all keys until the transaction ends: another Lock waits. A transaction that
	// changes keys calls Lock before it reads them. Reads do not wait.
	Lock(ctx context.Context) error
	// Insert adds k and sets its ID. It returns core.ErrConflict when there is a key with that
	// fingerprint.
	Insert(ctx context.Context, k *installation.SigningKey) error
	Update(ctx context.Context, k installation.SigningKey) error // Private, Until and RevokedAt only

	// SecretCheck returns the value of the last SetSecretCheck, nil before the first. It recognises
	// the secret key under which values of the database are encrypted.
	SecretCheck(ctx context.Context) ([]byte, error)
	SetSecretCheck(ctx context.Context, value []byte) error
}

// Signer signs with the present signing key of the installation.
type Signer interface {
	// Sign calls message with the present key and the time of the database's clock, and returns
	// the Ed25519 signature of what message returns. The first call makes the first key. The
	// error is core.KindInternal when the secret key does not open the private key.
	Sign(ctx context.Context, message func(key installation.SigningKey, at time.Time) []byte) (signature []byte, err error)
}
