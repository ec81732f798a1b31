package signing

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/installation"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Handover is the time from a rotation to the first signature of the new key. The rotation must be
// committed before: until then, other processes sign with the old key.
const Handover = time.Second

// Keys are the signing keys of the installation. It implements ports.Signer.
type Keys struct {
	stored ports.SigningKeyStore
	clock  ports.DatabaseClock
	tx     ports.Tx
	secret secret.Key
}

var _ ports.Signer = (*Keys)(nil)

// NewKeys returns the stored keys, whose private parts are encrypted under key.
func NewKeys(stored ports.SigningKeyStore, clock ports.DatabaseClock, tx ports.Tx, key secret.Key) *Keys {
	return &Keys{stored, clock, tx, key}
}

// ErrSecret means that values of the database are encrypted under another secret key.
var ErrSecret = errors.New("not the secret key of the database")

// ring has all keys at a time of the database's clock.
type ring struct {
	now  time.Time
	keys []installation.SigningKey
}

// readRing reads the time before the keys. A rotation that is not committed then has a later time.
func readRing(ctx context.Context, stored ports.SigningKeyStore, clock ports.DatabaseClock) (r ring, err error) {
	if r.now, err = clock.Now(ctx); err == nil {
		r.keys, err = stored.SigningKeys(ctx)
	}
	return r, err
}

// present returns the key that signs now, nil for none.
func (r ring) present() *installation.SigningKey {
	for i := len(r.keys) - 1; i >= 0; i-- {
		if r.keys[i].Signs(r.now) {
			return &r.keys[i]
		}
	}
	return nil
}

// Check returns ErrSecret if the database works with another secret key. The first call binds the
// database to the key.
func (ks *Keys) Check(ctx context.Context) error {
	bound, err := ks.stored.SecretCheck(ctx)
	if err != nil || bound != nil {
		return cmp.Or(err, ks.matches(bound))
	}
	return ks.change(ctx, func(ctx context.Context, stored ports.SigningKeyStore, _ ring) error { return ks.bind(ctx, stored) })
}

// bind is Check in a transaction that excludes other changes of keys.
func (ks *Keys) bind(ctx context.Context, stored ports.SigningKeyStore) error {
	bound, err := stored.SecretCheck(ctx)
	if err != nil || bound != nil {
		return cmp.Or(err, ks.matches(bound))
	}
	return stored.SetSecretCheck(ctx, ks.check())
}

// check returns what the database keeps of the secret key. It does not allow to compute the key.
func (ks *Keys) check() []byte {
	sum := ks.secret.MAC(secret.Check)
	return sum[:]
}

func (ks *Keys) matches(bound []byte) error {
	if !bytes.Equal(bound, ks.check()) {
		return ErrSecret
	}
	return nil
}

// Sign implements ports.Signer.
func (ks *Keys) Sign(ctx context.Context, message func(key installation.SigningKey, at time.Time) []byte) ([]byte, error) {
	r, err := ks.ensured(ctx)
	if err != nil {
		return nil, err
	}
	private, err := ks.open(r.present())
	if err != nil {
		return nil, err
	}
	return ed25519.Sign(private, message(*r.present(), r.now)), nil
}

// Keys returns all keys, ordered by From. The first call makes the first key.
func (ks *Keys) Keys(ctx context.Context) ([]installation.SigningKey, error) {
	r, err := ks.ensured(ctx)
	return r.keys, err
}

// ensured returns the keys, of which one is present. It makes one if necessary.
func (ks *Keys) ensured(ctx context.Context) (ring, error) {
	r, err := readRing(ctx, ks.stored, ks.clock)
	if err != nil || r.present() != nil {
		return r, err
	}
	err = ks.change(ctx, func(ctx context.Context, stored ports.SigningKeyStore, locked ring) error {
		if r = locked; r.present() != nil {
			return nil
		}
		if err := ks.bind(ctx, stored); err != nil {
			return err
		}
		made, err := ks.begin(ctx, stored, r, r.now)
		r.keys = append(r.keys, made)
		return err
	})
	return r, err
}

// change runs do in a transaction that excludes other changes of keys.
func (ks *Keys) change(ctx context.Context, do func(ctx context.Context, stored ports.SigningKeyStore, r ring) error) error {
	return ks.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.SigningKeys.Lock(ctx); err != nil {
			return err
		}
		r, err := readRing(ctx, stores.SigningKeys, stores.Clock)
		if err != nil {
			return err
		}
		return do(ctx, stores.SigningKeys, r)
	})
}

// begin makes a key that signs from a time on.
func (ks *Keys) begin(ctx context.Context, stored ports.SigningKeyStore, r ring, from time.Time) (installation.SigningKey, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return installation.SigningKey{}, err
	}
	key := installation.SigningKey{
		Fingerprint: canonical.Hash(public), Public: public, Private: ks.secret.Seal(secret.SigningKeys, private.Seed(), public), From: from,
	}
	if len(r.keys) > 0 {
		key.Installation = r.keys[0].Installation
	} else {
		key.Installation = uuid.NewString()
	}
	return key, stored.Insert(ctx, &key)
}

// open returns the private part of a key.
func (ks *Keys) open(k *installation.SigningKey) (ed25519.PrivateKey, error) {
	seed, err := ks.secret.Open(secret.SigningKeys, k.Private, k.Public)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%w: it does not open the signing key %s", ErrSecret, k.Fingerprint)
	}
	private := ed25519.NewKeyFromSeed(seed)
	if !bytes.Equal(private.Public().(ed25519.PublicKey), k.Public) {
		return nil, fmt.Errorf("%w: it does not open the signing key %s", ErrSecret, k.Fingerprint)
	}
	return private, nil
}

// Rotate ends the present key and returns the new one, which signs from Handover later on. It returns
// ErrSecret if the database works with another secret key than the present one.
func (ks *Keys) Rotate(ctx context.Context) (installation.SigningKey, error) {
	return ks.rotate(ctx, ks.bind)
}

// Replace is Rotate for a present secret key that takes the place of the one of the database, which may
// be lost.
func (ks *Keys) Replace(ctx context.Context) (installation.SigningKey, error) {
	return ks.rotate(ctx, func(ctx context.Context, stored ports.SigningKeyStore) error {
		return stored.SetSecretCheck(ctx, ks.check())
	})
}

// rotate is Rotate after bind, which fails or binds the database to the present secret key.
func (ks *Keys) rotate(ctx context.Context, bind func(context.Context, ports.SigningKeyStore) error) (made installation.SigningKey, err error) {
	err = ks.change(ctx, func(ctx context.Context, stored ports.SigningKeyStore, r ring) error {
		if err := bind(ctx, stored); err != nil {
			return err
		}
		from := r.now
		if r.present() != nil {
			from = from.Add(Handover)
		}
		for _, k := range r.keys { // a key that begins with an earlier rotation signs at least once
			if k.RevokedAt.IsZero() && !from.After(k.From) {
				from = k.From.Add(time.Millisecond)
			}
		}
		for _, k := range r.keys {
			if k.Until.IsZero() {
				k.Until = from
				if err := stored.Update(ctx, k); err != nil {
					return err
				}
			}
		}
		made, err = ks.begin(ctx, stored, r, from)
		return err
	})
	return made, err
}

// Revoke revokes the key with a fingerprint and destroys its private part. If it was the present
// key, another one is made. Revoke returns the key as it is now; a key that was revoked before does
// not change. The error is core.ErrNotFound for an unknown fingerprint.
func (ks *Keys) Revoke(ctx context.Context, fingerprint string) (revoked installation.SigningKey, err error) {
	err = ks.change(ctx, func(ctx context.Context, stored ports.SigningKeyStore, r ring) error {
		if err := ks.bind(ctx, stored); err != nil {
			return err
		}
		for i := range r.keys {
			k := &r.keys[i]
			if k.Fingerprint != fingerprint {
				continue
			}
			if revoked = *k; !k.RevokedAt.IsZero() {
				return nil
			}
			k.RevokedAt, k.Private = r.now, nil
			if k.Until.IsZero() || k.Until.After(r.now) {
				k.Until = r.now
			}
			revoked = *k
			if err := stored.Update(ctx, *k); err != nil || r.present() != nil {
				return err
			}
			_, err := ks.begin(ctx, stored, r, r.now)
			return err
		}
		return core.NotFound("signing key")
	})
	return revoked, err
}
