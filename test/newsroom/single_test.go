package newsroom_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/test/newsroom"
)

func TestConcurrentCreationsLeaveASingletonOneEntry(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		countries, editor := w.Countries(), w.Actor("editor")
		_, err := w.Collections.Update(t.Context(), definition.Change{Actor: core.SystemActor, Project: w.Project, CollectionID: countries.ID},
			func(in *definition.CollectionInput) { in.Singleton = true }, nil)
		w.OK(err)
		const writers = 8
		var all sync.WaitGroup
		var created atomic.Int32
		for n := range writers {
			all.Go(func() {
				_, err := w.Writer.Create(t.Context(), editor, w.Project, countries.ID, newsroom.Country(n))
				switch {
				case err == nil:
					created.Add(1)
				case !errors.Is(err, &core.Error{Kind: core.KindConflict, Code: "singleton", Message: "any"}):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if created.Load() != 1 {
			t.Errorf("%d of %d creations succeeded, want 1", created.Load(), writers)
		}
		w.Check()
	})
}
