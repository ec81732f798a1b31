package contract

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/ports"
)

// Spent checks a ports.SpentStore.
func Spent(t *testing.T, open Factory) {
	newHash := func() [32]byte { return sha256.Sum256([]byte(uuid.NewString())) }
	run(t, open, cases{
		"spends a hash once": func(t *testing.T, w *fixture) {
			hash := newHash()
			assertEqual(t, result(w.Spent.Spend(t.Context(), hash, at(10)))(t), true)
			assertEqual(t, result(w.Spent.Spend(t.Context(), hash, at(20)))(t), false)
			assertEqual(t, result(w.Spent.Spend(t.Context(), newHash(), at(10)))(t), true)
		},
		"a rollback spends nothing": func(t *testing.T, w *fixture) {
			hash, errAborted := newHash(), core.Conflict("aborted", "aborted")
			requireError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				_, err := s.Spent.Spend(ctx, hash, at(10))
				return errors.Join(err, errAborted)
			}), errAborted)
			assertEqual(t, result(w.Spent.Spend(t.Context(), hash, at(10)))(t), true)
		},
		"removes what has expired": func(t *testing.T, w *fixture) {
			expired, alive := newHash(), newHash()
			result(w.Spent.Spend(t.Context(), expired, at(-11)))(t)
			result(w.Spent.Spend(t.Context(), alive, at(-10)))(t)
			removesTheOldestFirst(t, w)
			result(w.Aging.Delete(t.Context(), ports.AgedSpent, at(-10), 1000))(t)
			assertEqual(t, result(w.Spent.Spend(t.Context(), expired, at(10)))(t), true)
			assertEqual(t, result(w.Spent.Spend(t.Context(), alive, at(10)))(t), false)
		},
		"one of several is the first": func(t *testing.T, w *fixture) {
			hash := newHash()
			onlyOne(t, w, func(s ports.Stores) (bool, error) { return s.Spent.Spend(t.Context(), hash, at(10)) })
		},
	})
}

// removesTheOldestFirst deletes some of the hashes that expired long ago.
func removesTheOldestFirst(t *testing.T, w *fixture) {
	t.Helper()
	oldest := []time.Time{time.UnixMilli(3), time.UnixMilli(1), time.UnixMilli(2)} // nothing else is older
	var hashes [][32]byte
	for _, expiresAt := range oldest {
		hashes = append(hashes, sha256.Sum256([]byte(uuid.NewString())))
		result(w.Spent.Spend(t.Context(), hashes[len(hashes)-1], expiresAt))(t)
	}
	spent := func(hash [32]byte) bool {
		fresh := false
		requireError(t, w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
			fresh, err = s.Spent.Spend(ctx, hash, at(10))
			return errors.Join(err, core.NotFound("anything")) // only looks
		}), core.ErrNotFound)
		return !fresh
	}
	assertEqual(t, result(w.Aging.Delete(t.Context(), ports.AgedSpent, time.UnixMilli(4), 2))(t), 2)
	assertEqual(t, []bool{spent(hashes[0]), spent(hashes[1]), spent(hashes[2])}, []bool{true, false, false})
	assertEqual(t, result(w.Aging.Delete(t.Context(), ports.AgedSpent, time.UnixMilli(3), 2))(t), 0)
	assertEqual(t, result(w.Aging.Delete(t.Context(), ports.AgedSpent, time.UnixMilli(4), 2))(t), 1)
}

// onlyOne requires that one of several concurrent transactions succeeds in use.
func onlyOne(t *testing.T, w *fixture, use func(ports.Stores) (bool, error)) {
	t.Helper()
	const many = 8
	errSpent := core.Conflict("spent", "spent")
	won := race(many, func(int) error {
		return w.do(t, func(_ context.Context, s ports.Stores) error {
			fresh, err := use(s)
			if err == nil && !fresh {
				err = errSpent
			}
			return err
		})
	})
	assertEqual(t, len(won.failures), many-1)
	for _, err := range won.failures {
		requireError(t, err, errSpent)
	}
}
