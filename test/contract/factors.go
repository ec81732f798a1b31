package contract

import (
	"crypto/sha256"
	"testing"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// TOTP checks a ports.TOTPStore.
func TOTP(t *testing.T, open Factory) {
	app := func(userID int64) account.TOTP {
		return account.TOTP{UserID: userID, Secret: []byte("sealed"), LastStep: 3, CreatedAt: at(1)}
	}
	has := func(t *testing.T, w *fixture, userID int64) bool {
		t.Helper()
		return result(w.Users.User(t.Context(), userID))(t).TOTP
	}
	run(t, open, cases{
		"counts only a confirmed app": func(t *testing.T, w *fixture) {
			u, other := w.newUser(t), w.newUser(t)
			_, err := w.TOTP.TOTP(t.Context(), u.ID)
			requireError(t, err, core.ErrNotFound)
			requireError(t, w.TOTP.Confirm(t.Context(), u.ID, 4), core.ErrNotFound)
			requireNoError(t, w.TOTP.Set(t.Context(), app(u.ID)))
			assertEqual(t, result(w.TOTP.TOTP(t.Context(), u.ID))(t), app(u.ID))
			assertEqual(t, result(w.TOTP.Use(t.Context(), u.ID, 9))(t), false)
			assertEqual(t, has(t, w, u.ID), false)
			requireNoError(t, w.TOTP.Confirm(t.Context(), u.ID, 4))
			requireError(t, w.TOTP.Confirm(t.Context(), u.ID, 5), core.ErrNotFound)
			want := app(u.ID)
			want.Confirmed, want.LastStep = true, 4
			assertEqual(t, result(w.TOTP.TOTP(t.Context(), u.ID))(t), want)
			assertEqual(t, has(t, w, u.ID), true)
			assertEqual(t, has(t, w, other.ID), false)
		},
		"replaces an app that is not confirmed, and no other": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			first, second := app(u.ID), app(u.ID)
			second.Secret, second.CreatedAt = []byte("another"), at(2)
			requireNoError(t, w.TOTP.Set(t.Context(), first))
			requireNoError(t, w.TOTP.Set(t.Context(), second))
			assertEqual(t, result(w.TOTP.TOTP(t.Context(), u.ID))(t), second)
			requireNoError(t, w.TOTP.Confirm(t.Context(), u.ID, 4))
			requireNoError(t, w.TOTP.Set(t.Context(), first))
			assertEqual(t, string(result(w.TOTP.TOTP(t.Context(), u.ID))(t).Secret), "another")
		},
		"accepts each step once, in order": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			requireNoError(t, w.TOTP.Set(t.Context(), app(u.ID)))
			requireNoError(t, w.TOTP.Confirm(t.Context(), u.ID, 4))
			for _, use := range []struct {
				step int64
				want bool
			}{{4, false}, {6, true}, {6, false}, {5, false}, {7, true}} {
				assertEqual(t, result(w.TOTP.Use(t.Context(), u.ID, use.step))(t), use.want)
			}
		},
		"one of several uses is the first": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			requireNoError(t, w.TOTP.Set(t.Context(), app(u.ID)))
			requireNoError(t, w.TOTP.Confirm(t.Context(), u.ID, 4))
			onlyOne(t, w, func(s ports.Stores) (bool, error) { return s.TOTP.Use(t.Context(), u.ID, 5) })
		},
		"removes": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			requireNoError(t, w.TOTP.Delete(t.Context(), u.ID))
			requireNoError(t, w.TOTP.Set(t.Context(), app(u.ID)))
			requireNoError(t, w.TOTP.Confirm(t.Context(), u.ID, 4))
			requireNoError(t, w.TOTP.Delete(t.Context(), u.ID))
			assertEqual(t, has(t, w, u.ID), false)
			_, err := w.TOTP.TOTP(t.Context(), u.ID)
			requireError(t, err, core.ErrNotFound)
		},
		"an update of the account keeps it": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			requireNoError(t, w.TOTP.Set(t.Context(), app(u.ID)))
			requireNoError(t, w.TOTP.Confirm(t.Context(), u.ID, 4))
			u.Name = "Ada"
			requireNoError(t, w.Users.Update(t.Context(), u))
			assertEqual(t, has(t, w, u.ID), true)
		},
	})
}

// RecoveryCodes checks a ports.RecoveryCodeStore.
func RecoveryCodes(t *testing.T, open Factory) {
	one, two, three := sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two")), sha256.Sum256([]byte("three"))
	run(t, open, cases{
		"each code counts once, for its user": func(t *testing.T, w *fixture) {
			u, other := w.newUser(t), w.newUser(t)
			requireNoError(t, w.Recovery.Replace(t.Context(), u.ID, [][32]byte{one, two}))
			requireNoError(t, w.Recovery.Replace(t.Context(), other.ID, [][32]byte{one}))
			assertEqual(t, result(w.Recovery.Use(t.Context(), u.ID, three))(t), false)
			assertEqual(t, result(w.Recovery.Has(t.Context(), u.ID, one))(t), true)
			assertEqual(t, result(w.Recovery.Has(t.Context(), u.ID, three))(t), false)
			assertEqual(t, result(w.Recovery.Use(t.Context(), u.ID, one))(t), true)
			assertEqual(t, result(w.Recovery.Has(t.Context(), u.ID, one))(t), false)
			assertEqual(t, result(w.Recovery.Use(t.Context(), u.ID, one))(t), false)
			assertEqual(t, result(w.Recovery.Count(t.Context(), u.ID))(t), 1)
			assertEqual(t, result(w.Recovery.Use(t.Context(), other.ID, one))(t), true)
		},
		"replaces all": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			requireNoError(t, w.Recovery.Replace(t.Context(), u.ID, [][32]byte{one, two}))
			requireNoError(t, w.Recovery.Replace(t.Context(), u.ID, [][32]byte{two, three}))
			assertEqual(t, result(w.Recovery.Use(t.Context(), u.ID, one))(t), false)
			assertEqual(t, result(w.Recovery.Use(t.Context(), u.ID, two))(t), true)
			requireNoError(t, w.Recovery.Replace(t.Context(), u.ID, nil))
			assertEqual(t, result(w.Recovery.Count(t.Context(), u.ID))(t), 0)
		},
		"one of several uses is the first": func(t *testing.T, w *fixture) {
			u := w.newUser(t)
			requireNoError(t, w.Recovery.Replace(t.Context(), u.ID, [][32]byte{one, two}))
			onlyOne(t, w, func(s ports.Stores) (bool, error) { return s.Recovery.Use(t.Context(), u.ID, one) })
		},
	})
}
