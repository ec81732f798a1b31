package contract

import (
	"testing"

	"imprimatur/core"
)

// Assistants checks a ports.AssistantStore.
func Assistants(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of an assistant": keepsAssistants,
		"revokes an assistant once":          revokesAssistants,
	})
}

// newAssistant returns an assistant of a new user, which is not stored.
func (w *fixture) newAssistant(t reporter, hash byte) core.Assistant {
	t.Helper()
	return core.Assistant{
		UserID: w.newUser(t).ID, TenantID: w.tenant.ID, Name: "Claude é", Hash: [32]byte{hash, 1}, Hint: "Xy12", ProjectIDs: []int64{w.project.ID, 1 << 40}, Drafts: hash%2 == 0,
		CreatedAt: at(1), ExpiresAt: at(9),
	}
}

func keepsAssistants(t *testing.T, w *fixture) {
	first, second := w.newAssistant(t, 2), w.newAssistant(t, 3)
	second.UserID = first.UserID
	other := w.newAssistant(t, 4)
	for _, a := range []*core.Assistant{&first, &second, &other} {
		requireNoError(t, w.Stores.Assistants.Insert(t.Context(), a))
		assertEqual(t, result(w.Stores.Assistants.Assistant(t.Context(), a.ID))(t), *a)
		assertEqual(t, result(w.Stores.Assistants.AssistantByHash(t.Context(), a.Hash))(t), *a)
	}
	assertEqual(t, result(w.Stores.Assistants.AssistantsOf(t.Context(), first.UserID))(t), []core.Assistant{first, second})
	requireError(t, errorOf(w.Stores.Assistants.Assistant(t.Context(), unknown)), core.ErrNotFound)
	requireError(t, errorOf(w.Stores.Assistants.AssistantByHash(t.Context(), [32]byte{9})), core.ErrNotFound)
	lost := w.newAssistant(t, 5)
	lost.UserID = unknown
	requireError(t, w.Stores.Assistants.Insert(t.Context(), &lost), core.ErrNotFound)
}

func revokesAssistants(t *testing.T, w *fixture) {
	a := w.newAssistant(t, 6)
	requireNoError(t, w.Stores.Assistants.Insert(t.Context(), &a))
	a.RevokedAt = at(3)
	requireNoError(t, w.Stores.Assistants.Revoke(t.Context(), &a))
	assertEqual(t, result(w.Stores.Assistants.Assistant(t.Context(), a.ID))(t), a)
	requireError(t, w.Stores.Assistants.Revoke(t.Context(), &a), core.ErrNotFound)
	lost := a
	lost.ID = unknown
	requireError(t, w.Stores.Assistants.Revoke(t.Context(), &lost), core.ErrNotFound)
}
