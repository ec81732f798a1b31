package contract

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
)

// Renditions checks a ports.RenditionStore, and the lock of originals.
func Renditions(t *testing.T, open Factory) {
	run(t, open, cases{
		"records uses":                       recordsUses,
		"counts by original":                 countsRenditions,
		"removes what is not used":           removesUnused,
		"removes those of an original":       removesRenditions,
		"survives its project":               keepsRenditionsOfProject,
		"locks the name of an original":      locksOriginals,
		"counts exactly under the lock":      countsUnderLock,
		"keeps renditions of projects apart": separatesRenditions,
	})
}

// put adds the record of a rendition that was used n seconds after the start.
func (w *fixture) putRendition(t *testing.T, original, name string, n int) {
	t.Helper()
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		return s.Renditions.Put(ctx, ports.StoredRendition{ProjectID: w.project.ID, Name: name, Original: original, Used: at(n)})
	}))
}

// recordedRenditions returns the sorted names that have a record.
func (w *fixture) recordedRenditions(t *testing.T, names ...string) []string {
	t.Helper()
	return slices.Sorted(slices.Values(result(w.Renditions.Recorded(t.Context(), w.project.ID, names))(t)))
}

// unusedRenditions returns the sorted names of this project's renditions that are not used since.
func (w *fixture) unusedRenditions(t *testing.T, n int) (names []string) {
	t.Helper()
	for _, r := range result(w.Renditions.Unused(t.Context(), at(n), 10_000))(t) {
		if r.ProjectID == w.project.ID {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	return names
}

func recordsUses(t *testing.T, w *fixture) {
	w.putRendition(t, "p/a.jpg", "p/a/1.webp", 10)
	assertEqual(t, w.unusedRenditions(t, 10), []string{})
	assertEqual(t, w.unusedRenditions(t, 11), []string{"p/a/1.webp"})
	requireNoError(t, w.Renditions.Touch(t.Context(), w.project.ID, "p/a/1.webp", at(10), at(50)))
	assertEqual(t, w.unusedRenditions(t, 11), []string{"p/a/1.webp"})
	requireNoError(t, w.Renditions.Touch(t.Context(), w.project.ID, "p/a/1.webp", at(11), at(50)))
	assertEqual(t, w.unusedRenditions(t, 50), []string{})
	assertEqual(t, w.unusedRenditions(t, 51), []string{"p/a/1.webp"})
	requireError(t, w.Renditions.Touch(t.Context(), w.project.ID, "p/a/2.webp", at(11), at(50)), core.ErrNotFound)
	w.putRendition(t, "p/a.jpg", "p/a/1.webp", 90)
	assertEqual(t, w.unusedRenditions(t, 90), []string{})
	assertEqual(t, w.recordedRenditions(t, "p/a/1.webp", "p/a/2.webp"), []string{"p/a/1.webp"})
	assertEqual(t, w.recordedRenditions(t), []string{})
	first := result(w.Renditions.Unused(t.Context(), at(1_000_000), 1))(t)
	assertEqual(t, len(first), 1)
}

func countsRenditions(t *testing.T, w *fixture) {
	for n := range 5 {
		w.putRendition(t, "p/a.jpg", fmt.Sprintf("p/a/%d.webp", n), n)
	}
	w.putRendition(t, "p/b.jpg", "p/b/1.webp", 9)
	for since, want := range map[int]int64{-1: 5, 0: 4, 2: 2, 4: 0} {
		assertEqual(t, result(w.Renditions.CountUsed(t.Context(), w.project.ID, "p/a.jpg", at(since)))(t), want)
	}
	assertEqual(t, result(w.Renditions.CountUsed(t.Context(), w.project.ID, "p/c.jpg", at(-1)))(t), int64(0))
}

func removesUnused(t *testing.T, w *fixture) {
	w.putRendition(t, "p/a.jpg", "p/a/1.webp", 10)
	remove := func(name string, before int) (removed bool) {
		requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
			removed, err = s.Renditions.RemoveUnused(ctx, w.project.ID, name, at(before))
			return err
		}))
		return removed
	}
	assertEqual(t, remove("p/a/1.webp", 10), false)
	assertEqual(t, remove("p/a/2.webp", 99), false)
	assertEqual(t, remove("p/a/1.webp", 11), true)
	assertEqual(t, remove("p/a/1.webp", 11), false)
	assertEqual(t, w.recordedRenditions(t, "p/a/1.webp"), []string{})
}

func (w *fixture) removeRenditionsOf(t *testing.T, original string) (names []string) {
	t.Helper()
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
		names, err = s.Renditions.RemoveOf(ctx, w.project.ID, original)
		return err
	}))
	slices.Sort(names)
	return names
}

func removesRenditions(t *testing.T, w *fixture) {
	for _, name := range []string{"p/a/1.webp", "p/a/2.jpg"} {
		w.putRendition(t, "p/a.jpg", name, 1)
	}
	w.putRendition(t, "p/b.jpg", "p/b/1.webp", 1)
	assertEqual(t, w.removeRenditionsOf(t, "p/a.jpg"), []string{"p/a/1.webp", "p/a/2.jpg"})
	assertEqual(t, w.removeRenditionsOf(t, "p/a.jpg"), []string{})
	assertEqual(t, w.recordedRenditions(t, "p/a/1.webp", "p/a/2.jpg", "p/b/1.webp"), []string{"p/b/1.webp"})
}

func keepsRenditionsOfProject(t *testing.T, w *fixture) {
	w.putRendition(t, "p/a.jpg", "p/a/1.webp", 1)
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, w.removeRenditionsOf(t, "p/a.jpg"), []string{"p/a/1.webp"})
}

func separatesRenditions(t *testing.T, w *fixture) {
	other := w.otherProject(t)
	w.putRendition(t, "p/a.jpg", "p/a/1.webp", 1)
	other.putRendition(t, "p/a.jpg", "p/a/1.webp", 5)
	assertEqual(t, result(w.Renditions.CountUsed(t.Context(), w.project.ID, "p/a.jpg", at(3)))(t), int64(0))
	requireNoError(t, w.Renditions.Touch(t.Context(), w.project.ID, "p/a/1.webp", at(9), at(20)))
	assertEqual(t, other.unusedRenditions(t, 6), []string{"p/a/1.webp"})
	assertEqual(t, other.removeRenditionsOf(t, "p/a.jpg"), []string{"p/a/1.webp"})
	assertEqual(t, w.recordedRenditions(t, "p/a/1.webp"), []string{"p/a/1.webp"})
	requireError(t, w.Renditions.Touch(t.Context(), other.project.ID, "p/a/1.webp", at(9), at(20)), core.ErrNotFound)
}

func locksOriginals(t *testing.T, w *fixture) {
	l := ledger{t, w}
	lock := func() (held bool) {
		l.do(func(ctx context.Context, b ports.BlobLedger) (err error) {
			held, err = b.Lock(ctx, w.project.ID, "p/a.jpg")
			return err
		})
		return held
	}
	assertEqual(t, lock(), false)
	l.hold("p/a.jpg")
	assertEqual(t, lock(), true)
	l.release("p/a.jpg")
	assertEqual(t, lock(), false)
	assertEqual(t, l.known("p/a.jpg"), []string{"p/a.jpg"})
	l.hold("p/a.jpg")
	l.release("p/a.jpg")
	assertEqual(t, l.forget("p/a.jpg"), true)
}

// countsUnderLock adds renditions up to a limit from several transactions at once.
func countsUnderLock(t *testing.T, w *fixture) {
	l := ledger{t, w}
	l.hold("p/a.jpg")
	const writers, limit = 8, 3
	full := core.Conflict("full", "full")
	won := race(writers, func(n int) error {
		return w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
			if _, err := s.Blobs.Lock(ctx, w.project.ID, "p/a.jpg"); err != nil {
				return err
			}
			count, err := s.Renditions.CountUsed(ctx, w.project.ID, "p/a.jpg", at(0))
			if err != nil {
				return err
			}
			if count >= limit {
				return full
			}
			return s.Renditions.Put(ctx, ports.StoredRendition{
				ProjectID: w.project.ID, Name: fmt.Sprintf("p/a/%d.webp", n), Original: "p/a.jpg", Used: at(1),
			})
		})
	})
	assertEqual(t, len(won.failures), writers-limit)
	for _, err := range won.failures {
		requireError(t, err, full)
	}
	assertEqual(t, result(w.Renditions.CountUsed(t.Context(), w.project.ID, "p/a.jpg", at(0)))(t), int64(limit))
}
