package contract

import (
	"context"
	"errors"
	"sync"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
)

// Tx checks a ports.Tx.
func Tx(t *testing.T, open Factory) {
	errGivenUp := errors.New("given up")
	run(t, open, cases{
		"commits everything": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", titleField())
			e := draftOf("en", fields{"title": "a"})
			e.ProjectID, e.CollectionID = w.project.ID, shelf.schema.Collection.ID
			succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				if err := s.Entries.Insert(ctx, shelf.schema, &e); err != nil {
					return err
				}
				w.department.Name = "together"
				return s.Departments.Update(ctx, w.department)
			}))
			same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
			same(t, value(w.Departments.Department(t.Context(), w.department.ID))(t), w.department)
		},
		"sees its own writes": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", titleField())
			succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				e := publicOf("en", fields{"title": "a"})
				e.ProjectID, e.CollectionID = w.project.ID, shelf.schema.Collection.ID
				if err := s.Entries.Insert(ctx, shelf.schema, &e); err != nil {
					return err
				}
				rows, err := s.Entries.List(ctx, shelf.all(is(shelf, "title", text("a"))))
				same(t, ids(rows, func(r core.Row) int64 { return r.ID }), []int64{e.ID})
				return err
			}))
		},
		"leaves no trace when it fails": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", uniqueTitle())
			before := shelf.add(t, publicOf("en", fields{"title": "before"}))
			goner := shelf.add(t, publicOf("en", fields{"title": "goner"}))
			trashed := shelf.add(t, publicOf("en", fields{"title": "trashed"}))
			err := w.do(t, func(ctx context.Context, s ports.Stores) error {
				e := publicOf("en", fields{"title": "new"})
				e.ProjectID, e.CollectionID = w.project.ID, shelf.schema.Collection.ID
				changed, binned := before, trashed
				changed.Draft, changed.Version = doc(fields{"title": "changed"}), 2
				binned.TrashedAt, binned.Version = at(9), 2
				tenant := core.Tenant{Name: "ghost", CreatedAt: at(1), UpdatedAt: at(1)}
				return errors.Join(
					s.Entries.Insert(ctx, shelf.schema, &e), s.Entries.Update(ctx, shelf.schema, &changed),
					s.Entries.Update(ctx, shelf.schema, &binned), s.Entries.Destroy(ctx, shelf.schema, goner.ID),
					s.Tenants.Insert(ctx, &tenant), errGivenUp)
			})
			if !errors.Is(err, errGivenUp) || err.Error() != errors.Join(errGivenUp).Error() {
				t.Fatalf("got %v, want only %v", err, errGivenUp)
			}
			same(t, shelf.list(t, shelf.all()), []int64{before.ID, goner.ID, trashed.ID})
			same(t, value(w.Entries.Entry(t.Context(), w.project.ID, before.ID))(t), before)
			same(t, shelf.list(t, shelf.all(is(shelf, "title", text("changed")))), []int64{})
			// The claims are as they were, too.
			shelf.add(t, publicOf("en", fields{"title": "new"}))
			shelf.add(t, publicOf("en", fields{"title": "changed"}))
			again := publicOf("en", fields{"title": "goner"})
			refused(t, shelf.insert(t, &again), core.ErrInvalid)
		},
		"leaves no trace when it panics": func(t *testing.T, w *world) {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic was swallowed")
					}
				}()
				_ = w.do(t, func(ctx context.Context, s ports.Stores) error {
					w.department.Name = "ghost"
					succeed(t, s.Departments.Update(ctx, w.department))
					panic("lost")
				})
			}()
			same(t, value(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "Newsroom")
			succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) error { return s.Departments.Update(ctx, w.department) }))
		},
		"does nothing once its context has ended": func(t *testing.T, w *world) {
			ctx, cancel := context.WithCancel(t.Context())
			err := w.tx.Do(ctx, core.SystemActor, func(ctx context.Context, s ports.Stores) error {
				w.department.Name = "ghost"
				if err := s.Departments.Update(ctx, w.department); err != nil {
					return err
				}
				cancel()
				return ctx.Err()
			})
			if err == nil {
				t.Error("committed after its context had ended")
			}
			same(t, value(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "Newsroom")
		},
		"lets one of two racing writes of a version win": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", titleField())
			e := shelf.add(t, publicOf("en", fields{"title": "v1"}))
			for range 4 {
				won := race(4, func(int) error {
					mine := e
					return shelf.update(t, &mine)
				})
				for _, err := range won.failures {
					refused(t, err, core.ErrConflict)
				}
				if won.successes != 1 {
					t.Fatalf("%d of 4 writes of the same version succeeded", won.successes)
				}
				e.Version++
			}
			same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t).Version, e.Version)
		},
		"has writers of a locked entry wait": func(t *testing.T, w *world) {
			racesUnderLock(t, w, func(ctx context.Context, s ports.Stores, id int64) (core.Entry, bool, error) {
				e, err := s.Entries.Lock(ctx, w.project.ID, id)
				return e, err == nil, err
			})
		},
		"reports a locked entry without waiting": func(t *testing.T, w *world) {
			racesUnderLock(t, w, func(ctx context.Context, s ports.Stores, id int64) (core.Entry, bool, error) {
				return s.Entries.TryLock(ctx, w.project.ID, id)
			})
		},
		"lets one of two racing claims of a value win": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", uniqueTitle())
			won := race(4, func(int) error {
				e := draftOf("en", fields{"title": "mine"})
				return shelf.insert(t, &e)
			})
			for _, err := range won.failures {
				refused(t, err, core.ErrInvalid)
			}
			if won.successes != 1 {
				t.Fatalf("%d of 4 entries claimed the same value", won.successes)
			}
		},
		"lets one of two racing translations win": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", titleField())
			first := shelf.add(t, publicOf("en", fields{"title": "v1"}))
			won := race(4, func(int) error {
				e := in(first.Group, draftOf("fr", fields{"title": "mine"}))
				return shelf.insert(t, &e)
			})
			for _, err := range won.failures {
				refused(t, err, core.ErrConflict)
			}
			if won.successes != 1 {
				t.Fatalf("%d of 4 translations into one locale were added", won.successes)
			}
		},
		"keeps what a group serves right under racing writes": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", titleField())
			first := shelf.add(t, publicOf("en", fields{"title": "en"}))
			locales := w.project.Locales[1:]
			for _, err := range race(len(locales), func(n int) error {
				e := in(first.Group, publicOf(locales[n], fields{"title": locales[n]}))
				return shelf.insert(t, &e)
			}).failures {
				t.Errorf("adding a translation: %v", err)
			}
			for _, row := range value(w.Entries.List(t.Context(), shelf.all()))(t) {
				same(t, row.Serves, uint64(1)<<w.project.LocaleNumber(row.Locale))
			}
		},
		"counts right under racing writes": func(t *testing.T, w *world) {
			shelf := newShelf(t, w, "articles", titleField())
			for _, err := range race(6, func(n int) error {
				for round := range 3 {
					e := publicOf("en", fields{"title": "a"})
					if err := shelf.insert(t, &e); err != nil {
						return err
					}
					if (n+round)%2 == 0 {
						e.TrashedAt = at(9)
						if err := shelf.update(t, &e); err != nil {
							return err
						}
					}
				}
				return nil
			}).failures {
				t.Errorf("writing beside others: %v", err)
			}
			same(t, len(shelf.list(t, shelf.all())), 9)
		},
	})
}

// racesUnderLock has many write translations of one group, each after it locked one of
// them: no write finds that another came between.
func racesUnderLock(t *testing.T, w *world, lock func(ctx context.Context, s ports.Stores, id int64) (core.Entry, bool, error)) {
	shelf := newShelf(t, w, "articles", titleField())
	first := shelf.add(t, publicOf("en", fields{"title": "v1"}))
	second := shelf.add(t, in(first.Group, publicOf("fr", fields{"title": "v1"})))
	const sides, rounds = 4, 5
	for _, err := range race(sides, func(n int) error {
		for written := 0; written < rounds; {
			id := []int64{first.ID, second.ID}[(n+written)%2]
			var locked bool
			if err := w.do(t, func(ctx context.Context, s ports.Stores) error {
				e, ok, err := lock(ctx, s, id)
				if locked = ok; err != nil || !ok {
					return err
				}
				e.Version++
				return s.Entries.Update(ctx, shelf.schema, &e)
			}); err != nil {
				return err
			}
			if locked {
				written++
			}
		}
		return nil
	}).failures {
		t.Errorf("writing under a lock: %v", err)
	}
	versions := value(w.Entries.Entry(t.Context(), w.project.ID, first.ID))(t).Version +
		value(w.Entries.Entry(t.Context(), w.project.ID, second.ID))(t).Version
	same(t, versions, int64(2+sides*rounds))
	_, _, err := lock(t.Context(), w.Stores, unknown)
	refused(t, err, core.ErrNotFound)
}

// outcome is how the sides of a race ended.
type outcome struct {
	successes int
	failures  []error
}

// race runs n sides at once.
func race(n int, side func(n int) error) outcome {
	var (
		start = make(chan struct{})
		done  sync.WaitGroup
		mu    sync.Mutex
		o     outcome
	)
	for i := range n {
		done.Go(func() {
			<-start
			err := side(i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				o.failures = append(o.failures, err)
				return
			}
			o.successes++
		})
	}
	close(start)
	done.Wait()
	return o
}
