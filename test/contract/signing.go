package contract

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/installation"
	"imprimatur/ports"
)

// SigningKeys checks a ports.SigningKeyStore.
func SigningKeys(t *testing.T, open Factory) {
	runSequentially(t, open, cases{
		"keeps keys":                      keepsSigningKeys,
		"locks for the changes":           locksSigningKeys,
		"keeps a check of the secret key": keepsSecretCheck,
	})
}

func newSigningKey(n int) *installation.SigningKey {
	return &installation.SigningKey{
		Fingerprint: uuid.NewString(), Installation: uuid.NewString(), Public: []byte{1, 0, byte(n)}, Private: []byte{2, 0, byte(n)}, From: at(n),
	}
}

func keepsSigningKeys(t *testing.T, w *fixture) {
	before, err := w.SigningKeys.SigningKeys(t.Context())
	requireNoError(t, err)
	late, early, same := newSigningKey(9), newSigningKey(8), newSigningKey(9)
	for _, k := range []*installation.SigningKey{late, early, same} {
		requireNoError(t, w.SigningKeys.Insert(t.Context(), k))
	}
	again := *newSigningKey(7)
	again.Fingerprint = late.Fingerprint
	requireError(t, w.SigningKeys.Insert(t.Context(), &again), core.ErrConflict)
	early.Until, early.RevokedAt, early.Private = at(10), at(11), nil
	changed := *early
	changed.Fingerprint, changed.Installation, changed.Public, changed.From = "x", "x", []byte{9}, at(1)
	requireNoError(t, w.SigningKeys.Update(t.Context(), changed))
	changed.ID = 1 << 40
	requireError(t, w.SigningKeys.Update(t.Context(), changed), core.ErrNotFound)
	kept, err := w.SigningKeys.SigningKeys(t.Context())
	requireNoError(t, err)
	assertEqual(t, kept[len(before):], []installation.SigningKey{*early, *late, *same})
}

// locksSigningKeys counts the transactions between Lock and their end.
func locksSigningKeys(t *testing.T, w *fixture) {
	var inside, most atomic.Int64
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			err := w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				if err := stores.SigningKeys.Lock(ctx); err != nil {
					return err
				}
				if inside.Add(1) > 1 {
					most.Store(inside.Load())
				}
				defer inside.Add(-1)
				_, err := stores.SigningKeys.SigningKeys(ctx)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if most.Load() > 0 {
		t.Errorf("%d transactions were in the lock", most.Load())
	}
}

func keepsSecretCheck(t *testing.T, w *fixture) {
	for _, value := range [][]byte{{1, 0, 2}, {3}} {
		requireNoError(t, w.SigningKeys.SetSecretCheck(t.Context(), value))
		kept, err := w.SigningKeys.SecretCheck(t.Context())
		requireNoError(t, err)
		assertEqual(t, kept, value)
	}
}
