package contract

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/ports"
)

// Previews checks a ports.PreviewStore.
func Previews(t *testing.T, open Factory) {
	newHash := func() [32]byte { return sha256.Sum256([]byte(uuid.NewString())) }
	made := func(session [32]byte, minute int) core.Preview {
		return core.Preview{
			Hash: newHash(), Session: session, ProjectID: 1, CollectionID: 2, EntryID: 3, Of: core.PreviewPublication, Number: 4, Drafts: true,
			CreatedAt: at(minute), ExpiresAt: at(minute).Add(core.PreviewLifetime),
		}
	}
	run(t, open, cases{
		"returns what was inserted": func(t *testing.T, w *fixture) {
			p := made(newHash(), 1)
			requireNoError(t, w.Previews.Insert(t.Context(), p))
			assertEqual(t, result(w.Previews.Preview(t.Context(), p.Hash))(t), p)
			_, err := w.Previews.Preview(t.Context(), newHash())
			requireError(t, err, core.ErrNotFound)
		},
		"keeps the latest of a session": func(t *testing.T, w *fixture) {
			session, other := newHash(), made(newHash(), 0)
			requireNoError(t, w.Previews.Insert(t.Context(), other))
			var all []core.Preview
			for i := range core.MaxPreviews + 2 {
				all = append(all, made(session, i))
				requireNoError(t, w.Previews.Insert(t.Context(), all[i]))
			}
			for i, p := range append(all, other) {
				_, err := w.Previews.Preview(t.Context(), p.Hash)
				if i < 2 {
					requireError(t, err, core.ErrNotFound)
				} else {
					requireNoError(t, err)
				}
			}
		},
		"deletes those of an entry": func(t *testing.T, w *fixture) {
			p := made(newHash(), 1)
			others := []core.Preview{made(newHash(), 1), made(newHash(), 1), made(newHash(), 1)}
			p.EntryID, others[0].EntryID, others[1].EntryID, others[2].CollectionID = 77, 7, 770, 77
			for _, one := range append(others, p) {
				requireNoError(t, w.Previews.Insert(t.Context(), one))
			}
			requireNoError(t, w.Previews.DeleteOf(t.Context(), p.EntryID))
			_, err := w.Previews.Preview(t.Context(), p.Hash)
			requireError(t, err, core.ErrNotFound)
			for _, other := range others {
				assertEqual(t, result(w.Previews.Preview(t.Context(), other.Hash))(t), other)
			}
		},
		"removes what has expired": func(t *testing.T, w *fixture) {
			expired, alive := made(newHash(), -1000), made(newHash(), -999)
			requireNoError(t, w.Previews.Insert(t.Context(), expired))
			requireNoError(t, w.Previews.Insert(t.Context(), alive))
			result(w.Aging.Delete(t.Context(), ports.AgedPreviews, alive.ExpiresAt.Add(-time.Millisecond), 1000))(t)
			_, err := w.Previews.Preview(t.Context(), expired.Hash)
			requireError(t, err, core.ErrNotFound)
			assertEqual(t, result(w.Previews.Preview(t.Context(), alive.Hash))(t), alive)
		},
	})
}
