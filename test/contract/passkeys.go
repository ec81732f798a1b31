package contract

import (
	"testing"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/account"
)

func newPasskey(userID int64) account.Passkey {
	return account.Passkey{
		UserID: userID, CredentialID: []byte(uuid.NewString()), PublicKey: []byte("key"), SignCount: 3, Transports: []string{"internal", "hybrid"},
		Syncable: true, Synced: true, AAGUID: uuid.New(), Name: "Phone", CreatedAt: at(1),
	}
}

func (w *fixture) insertPasskey(t reporter, userID int64) account.Passkey {
	t.Helper()
	p := newPasskey(userID)
	requireNoError(t, w.Passkeys.Insert(t.Context(), &p))
	return p
}

// Passkeys checks a ports.PasskeyStore.
func Passkeys(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members": func(t *testing.T, w *fixture) {
			u, other := w.newUser(t), w.newUser(t)
			first, second := w.insertPasskey(t, u.ID), w.insertPasskey(t, u.ID)
			bare := account.Passkey{UserID: other.ID, CredentialID: []byte(uuid.NewString()), PublicKey: []byte("key"), Transports: []string{}, CreatedAt: at(1), LastUsedAt: at(2)}
			requireNoError(t, w.Passkeys.Insert(t.Context(), &bare))
			assertEqual(t, result(w.Passkeys.Passkeys(t.Context(), u.ID))(t), []account.Passkey{first, second})
			assertEqual(t, result(w.Passkeys.Passkeys(t.Context(), other.ID))(t), []account.Passkey{bare})
			assertEqual(t, result(w.Passkeys.ByCredential(t.Context(), second.CredentialID))(t), second)
			_, err := w.Passkeys.ByCredential(t.Context(), []byte("unknown"))
			requireError(t, err, core.ErrNotFound)
		},
		"keeps credential ids unique": func(t *testing.T, w *fixture) {
			p := w.insertPasskey(t, w.newUser(t).ID)
			other := newPasskey(w.newUser(t).ID)
			other.CredentialID = p.CredentialID
			requireError(t, w.Passkeys.Insert(t.Context(), &other), core.ErrConflict)
			assertEqual(t, result(w.Users.User(t.Context(), other.UserID))(t).Passkeys, 0)
		},
		"counts in the user": func(t *testing.T, w *fixture) {
			u, other := w.newUser(t), w.newUser(t)
			count := func() int { return result(w.Users.User(t.Context(), u.ID))(t).Passkeys }
			p := w.insertPasskey(t, u.ID)
			w.insertPasskey(t, u.ID)
			w.insertPasskey(t, other.ID)
			assertEqual(t, count(), 2)
			u.Name = "changed"
			requireNoError(t, w.Users.Update(t.Context(), u))
			assertEqual(t, count(), 2)
			requireNoError(t, w.Passkeys.Delete(t.Context(), u.ID, p.ID))
			assertEqual(t, count(), 1)
			for range 2 {
				requireNoError(t, w.Passkeys.DeleteByUser(t.Context(), u.ID))
				assertEqual(t, count(), 0)
			}
			assertEqual(t, result(w.Users.User(t.Context(), other.ID))(t).Passkeys, 1)
		},
		"changes only the user's own": func(t *testing.T, w *fixture) {
			p, other := w.insertPasskey(t, w.newUser(t).ID), w.newUser(t)
			requireError(t, w.Passkeys.Rename(t.Context(), other.ID, p.ID, "stolen"), core.ErrNotFound)
			requireError(t, w.Passkeys.Delete(t.Context(), other.ID, p.ID), core.ErrNotFound)
			requireNoError(t, w.Passkeys.Rename(t.Context(), p.UserID, p.ID, "Key"))
			p.Name = "Key"
			assertEqual(t, result(w.Passkeys.ByCredential(t.Context(), p.CredentialID))(t), p)
		},
		"a counter only goes forward unless the passkey is synced": func(t *testing.T, w *fixture) {
			stored := newPasskey(w.newUser(t).ID)
			stored.Synced = false
			requireNoError(t, w.Passkeys.Insert(t.Context(), &stored))
			for _, use := range []struct {
				count        int64
				synced, want bool
			}{
				{3, false, false}, {2, false, false}, {0, false, false}, {5, false, true}, {5, false, false}, {6, false, true},
				{2, true, true}, {2, true, true}, {0, true, true}, {7, true, true}, {4, false, true}, {4, false, false}, {3, false, false},
			} {
				used := stored
				used.SignCount, used.Synced, used.LastUsedAt = use.count, use.synced, at(int(use.count))
				assertEqual(t, result(w.Passkeys.Use(t.Context(), used))(t), use.want)
				if use.want {
					stored = used
				}
				assertEqual(t, result(w.Passkeys.ByCredential(t.Context(), stored.CredentialID))(t), stored)
			}
		},
		"an authenticator may have no counter": func(t *testing.T, w *fixture) {
			p := newPasskey(w.newUser(t).ID)
			p.SignCount = 0
			requireNoError(t, w.Passkeys.Insert(t.Context(), &p))
			for range 2 {
				assertEqual(t, result(w.Passkeys.Use(t.Context(), p))(t), true)
			}
			p.ID = unknown
			assertEqual(t, result(w.Passkeys.Use(t.Context(), p))(t), false)
		},
	})
}
