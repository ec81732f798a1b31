package signing_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/installation"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
	"imprimatur/ports"
)

// clock is a clock that a test sets.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

type fixture struct {
	*testing.T
	*signing.Keys
	store *memory.Store
	clock *clock
}

func setup(t *testing.T) *fixture {
	t.Helper()
	c := &clock{time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)}
	store := memory.NewAt(c)
	return &fixture{t, signing.NewKeys(store.Stores().SigningKeys, store.Stores().Clock, store, secret.New()), store, c}
}

// sign signs now and returns the fingerprint of the key.
func (f *fixture) sign() string {
	f.Helper()
	var used installation.SigningKey
	signature, err := f.Sign(f.Context(), func(key installation.SigningKey, at time.Time) []byte {
		require.True(f, key.Signs(at))
		require.Equal(f, f.clock.now, at)
		used = key
		return []byte("message")
	})
	require.NoError(f, err)
	require.True(f, ed25519.Verify(used.Public, []byte("message"), signature))
	return used.Fingerprint
}

func (f *fixture) document() signing.KeyDocument {
	f.Helper()
	d, err := f.Document(f.Context())
	require.NoError(f, err)
	return d
}

func TestFirstUseMakesAKey(t *testing.T) {
	t.Parallel()
	f := setup(t)
	require.NoError(t, f.Check(t.Context()))
	d := f.document()
	require.Len(t, d.Keys, 1)
	require.Equal(t, d.Keys[0].ID, f.sign())
	require.NoError(t, f.Check(t.Context()))
	require.Equal(t, d, f.document())
	require.Equal(t, "2026-03-03T12:00:00.000Z", d.Keys[0].From)
	require.Nil(t, d.Keys[0].Until)
	require.Nil(t, d.Keys[0].RevokedAt)
	stored, err := f.store.Stores().SigningKeys.SigningKeys(t.Context())
	require.NoError(t, err)
	public, err := base64.StdEncoding.DecodeString(d.Keys[0].PublicKey)
	require.NoError(t, err)
	require.Equal(t, stored[0].Public, public)
}

func TestRotate(t *testing.T) {
	t.Parallel()
	f := setup(t)
	old := f.sign()
	made, err := f.Rotate(t.Context())
	require.NoError(t, err)
	require.Equal(t, f.clock.now.Add(signing.Handover), made.From)
	require.Equal(t, old, f.sign(), "before the handover")
	f.clock.now = made.From.Add(-time.Millisecond)
	require.Equal(t, old, f.sign())
	f.clock.now = made.From
	require.Equal(t, made.Fingerprint, f.sign())
	d := f.document()
	require.Equal(t, d.Keys[1].From, *d.Keys[0].Until)

	second, err := f.Rotate(t.Context()) // two rotations within the handover
	require.NoError(t, err)
	third, err := f.Rotate(t.Context())
	require.NoError(t, err)
	require.True(t, third.From.After(second.From))
	keys, err := f.Keys.Keys(t.Context())
	require.NoError(t, err)
	for at := f.clock.now; at.Before(third.From.Add(time.Second)); at = at.Add(time.Millisecond) {
		signs := 0
		for i := range keys {
			if keys[i].Signs(at) {
				signs++
			}
			require.Equal(t, keys[0].Installation, keys[i].Installation)
		}
		require.Equal(t, 1, signs, at)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	f := setup(t)
	old := f.sign()
	_, err := f.Revoke(t.Context(), "unknown")
	require.ErrorIs(t, err, core.ErrNotFound)
	revoked, err := f.Revoke(t.Context(), old)
	require.NoError(t, err)
	require.Equal(t, f.clock.now, revoked.RevokedAt)
	require.Empty(t, revoked.Private)
	replaced := f.sign()
	require.NotEqual(t, old, replaced)
	f.clock.now = f.clock.now.Add(time.Hour)
	again, err := f.Revoke(t.Context(), old)
	require.NoError(t, err)
	require.Equal(t, revoked, again)
	require.Equal(t, replaced, f.sign())

	// The old and the new key of a rotation are revoked before the handover.
	made, err := f.Rotate(t.Context())
	require.NoError(t, err)
	for _, id := range []string{made.Fingerprint, replaced} {
		_, err = f.Revoke(t.Context(), id)
		require.NoError(t, err)
	}
	last := f.sign()
	require.NotContains(t, []string{old, replaced, made.Fingerprint}, last)
	f.clock.now = f.clock.now.Add(time.Hour)
	require.Equal(t, last, f.sign())
}

// Another secret key opens nothing. A rotation replaces what it cannot open.
func TestOtherSecret(t *testing.T) {
	t.Parallel()
	f := setup(t)
	old := f.sign()
	f.Keys = signing.NewKeys(f.store.Stores().SigningKeys, f.store.Stores().Clock, f.store, secret.New())
	require.ErrorIs(t, f.Check(t.Context()), signing.ErrSecret)
	_, err := f.Sign(t.Context(), func(installation.SigningKey, time.Time) []byte { return nil })
	require.ErrorIs(t, err, signing.ErrSecret)
	_, err = f.Rotate(t.Context())
	require.ErrorIs(t, err, signing.ErrSecret)
	require.ErrorIs(t, f.Check(t.Context()), signing.ErrSecret, "a rotation does not change the secret key")
	made, err := f.Replace(t.Context())
	require.NoError(t, err)
	f.clock.now = made.From
	require.NoError(t, f.Check(t.Context()))
	require.Equal(t, made.Fingerprint, f.sign())
	require.Equal(t, old, f.document().Keys[0].ID)
	require.Nil(t, f.document().Keys[0].RevokedAt)
}

func TestChangesAreEvents(t *testing.T) {
	t.Parallel()
	f := setup(t)
	old := f.sign()
	_, err := f.Rotate(t.Context())
	require.NoError(t, err)
	_, err = f.Revoke(t.Context(), old)
	require.NoError(t, err)
	events, err := f.store.Stores().Events.Events(t.Context(), ports.EventQuery{Limit: 100})
	require.NoError(t, err)
	var types []event.Type
	for _, e := range events {
		types = append(types, e.Type)
		require.Equal(t, core.SystemActor.Ref(), e.Actor)
		require.NotZero(t, e.SubjectID)
	}
	require.Equal(t, []event.Type{
		event.KeyCreated, event.KeyEnded, event.KeyCreated, event.KeyRevoked, event.KeyCreated,
	}, types)
}
