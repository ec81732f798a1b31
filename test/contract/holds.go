package contract

import (
	"testing"
	"time"
)

// Holds checks a ports.HoldStore.
func Holds(t *testing.T, open Factory) {
	run(t, open, cases{
		"a hold lasts until it ends": func(t *testing.T, w *fixture) {
			held := func(want bool) {
				t.Helper()
				assertEqual(t, result(w.Holds.Held(t.Context()))(t), want)
			}
			held(false)
			requireNoError(t, w.Holds.Keep(t.Context(), "a", -time.Second))
			held(false)
			requireNoError(t, w.Holds.Keep(t.Context(), "a", time.Hour))
			requireNoError(t, w.Holds.Keep(t.Context(), "b", time.Hour))
			requireNoError(t, w.Holds.Keep(t.Context(), "b", 2*time.Hour))
			held(true)
			requireNoError(t, w.Holds.End(t.Context(), "a"))
			requireNoError(t, w.Holds.End(t.Context(), "unknown"))
			held(true)
			requireNoError(t, w.Holds.End(t.Context(), "b"))
			held(false)
		},
	})
}
