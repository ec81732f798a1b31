package contract

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
)

// Tx checks a ports.Tx.
func Tx(t *testing.T, open Factory) {
	errAborted := errors.New("aborted")
	run(t, open, cases{
		"commits everything": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", titleField())
			e := draftOf("en", fields{"title": "a"})
			e.ProjectID, e.CollectionID = w.project.ID, coll.schema.Collection.ID
			requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				if err := s.Entries.Insert(ctx, coll.schema, &e); err != nil {
					return err
				}
				w.department.Name = "together"
				return s.Departments.Update(ctx, w.department)
			}))
			assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
			assertEqual(t, result(w.Departments.Department(t.Context(), w.department.ID))(t), w.department)
		},
		"reads its own writes": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", titleField())
			requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
				e := publicOf("en", fields{"title": "a"})
				e.ProjectID, e.CollectionID = w.project.ID, coll.schema.Collection.ID
				if err := s.Entries.Insert(ctx, coll.schema, &e); err != nil {
					return err
				}
				rows, _, err := s.Entries.List(ctx, coll.all(equals(coll, "title", text("a"))), false)
				assertEqual(t, ids(rows, func(r core.Row) int64 { return r.ID }), []int64{e.ID})
				return err
			}))
		},
		"rolls back when it fails": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", uniqueTitle())
			before := coll.add(t, publicOf("en", fields{"title": "before"}))
			deleted := coll.add(t, publicOf("en", fields{"title": "deleted"}))
			trashed := coll.add(t, publicOf("en", fields{"title": "trashed"}))
			err := w.do(t, func(ctx context.Context, s ports.Stores) error {
				e := publicOf("en", fields{"title": "new"})
				e.ProjectID, e.CollectionID = w.project.ID, coll.schema.Collection.ID
				changed, binned := before, trashed
				changed.Draft, changed.Version = doc(fields{"title": "changed"}), 2
				binned.TrashedAt, binned.Version = at(9), 2
				tenant := core.Tenant{Name: "ghost", CreatedAt: at(1), UpdatedAt: at(1)}
				return errors.Join(
					s.Entries.Insert(ctx, coll.schema, &e), s.Entries.Update(ctx, coll.schema, &changed),
					s.Entries.Update(ctx, coll.schema, &binned), s.Entries.Destroy(ctx, coll.schema, deleted.ID, ""),
					s.Tenants.Insert(ctx, &tenant), errAborted)
			})
			if !errors.Is(err, errAborted) || err.Error() != errors.Join(errAborted).Error() {
				t.Fatalf("got %v, want only %v", err, errAborted)
			}
			assertEqual(t, coll.list(t, coll.all()), []int64{before.ID, deleted.ID, trashed.ID})
			assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, before.ID))(t), before)
			assertEqual(t, coll.list(t, coll.all(equals(coll, "title", text("changed")))), []int64{})
			// Unique values are rolled back, too.
			coll.add(t, publicOf("en", fields{"title": "new"}))
			coll.add(t, publicOf("en", fields{"title": "changed"}))
			again := publicOf("en", fields{"title": "deleted"})
			requireError(t, coll.insert(t, &again), core.ErrInvalid)
		},
		"rolls back when it panics": func(t *testing.T, w *fixture) {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic was swallowed")
					}
				}()
				_ = w.do(t, func(ctx context.Context, s ports.Stores) error {
					w.department.Name = "ghost"
					requireNoError(t, s.Departments.Update(ctx, w.department))
					panic("lost")
				})
			}()
			assertEqual(t, result(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "Newsroom")
			requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error { return s.Departments.Update(ctx, w.department) }))
		},
		"rolls back when its context is cancelled": func(t *testing.T, w *fixture) {
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
				t.Error("committed after its context was cancelled")
			}
			assertEqual(t, result(w.Departments.Department(t.Context(), w.department.ID))(t).Name, "Newsroom")
		},
		"accepts one of concurrent writes of a version": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", titleField())
			e := coll.add(t, publicOf("en", fields{"title": "v1"}))
			for range 4 {
				won := race(4, func(int) error {
					mine := e
					return coll.update(t, &mine)
				})
				for _, err := range won.failures {
					requireError(t, err, core.ErrConflict)
				}
				if won.successes != 1 {
					t.Fatalf("%d of 4 writes of the same version succeeded", won.successes)
				}
				e.Version++
			}
			assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t).Version, e.Version)
		},
		"makes writers of a locked entry wait": func(t *testing.T, w *fixture) {
			racesUnderLock(t, w, func(ctx context.Context, s ports.Stores, id int64) (core.Entry, bool, error) {
				e, err := s.Entries.Lock(ctx, w.project.ID, id)
				return e, err == nil, err
			})
		},
		"makes writers of entries in locked groups wait": func(t *testing.T, w *fixture) {
			other := newTestCollection(t, w, "notes", titleField()).add(t, publicOf("en", fields{"title": "v1"}))
			racesUnderLock(t, w, func(ctx context.Context, s ports.Stores, id int64) (core.Entry, bool, error) {
				e, err := s.Entries.Entry(ctx, w.project.ID, id)
				if err != nil {
					return e, false, err
				}
				locked, err := s.Entries.LockGroups(ctx, w.project.ID, e.Group, other.Group, unknown)
				if err != nil {
					return e, false, err
				}
				if len(locked) != 3 || locked[0].ID != other.ID || locked[1].ID != e.Group {
					t.Errorf("locked %v", locked)
				}
				return locked[slices.IndexFunc(locked, func(e core.Entry) bool { return e.ID == id })], true, nil
			})
		},
		"reports a locked entry without waiting": func(t *testing.T, w *fixture) {
			racesUnderLock(t, w, func(ctx context.Context, s ports.Stores, id int64) (core.Entry, bool, error) {
				return s.Entries.TryLock(ctx, w.project.ID, id)
			})
		},
		"accepts one of concurrent entries with a unique value": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", uniqueTitle())
			won := race(4, func(int) error {
				e := draftOf("en", fields{"title": "mine"})
				return coll.insert(t, &e)
			})
			for _, err := range won.failures {
				requireError(t, err, core.ErrInvalid)
			}
			if won.successes != 1 {
				t.Fatalf("%d of 4 entries got the same unique value", won.successes)
			}
		},
		"accepts one of concurrent translations": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", titleField())
			first := coll.add(t, publicOf("en", fields{"title": "v1"}))
			won := race(4, func(int) error {
				e := inGroup(first.Group, draftOf("fr", fields{"title": "mine"}))
				return coll.insert(t, &e)
			})
			for _, err := range won.failures {
				requireError(t, err, core.ErrConflict)
			}
			if won.successes != 1 {
				t.Fatalf("%d of 4 translations into one locale were added", won.successes)
			}
		},
		"maintains served locales under concurrent writes": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", titleField())
			first := coll.add(t, publicOf("en", fields{"title": "en"}))
			locales := w.project.Locales[1:]
			for _, err := range race(len(locales), func(n int) error {
				e := inGroup(first.Group, publicOf(locales[n], fields{"title": locales[n]}))
				return coll.insert(t, &e)
			}).failures {
				t.Errorf("adding a translation: %v", err)
			}
			for _, row := range listed(t, w.Entries, coll.all()) {
				assertEqual(t, row.Serves, uint64(1)<<w.project.LocaleNumber(row.Locale))
			}
		},
		"counts correctly under concurrent writes": func(t *testing.T, w *fixture) {
			coll := newTestCollection(t, w, "articles", titleField())
			for _, err := range race(6, func(n int) error {
				for round := range 3 {
					e := publicOf("en", fields{"title": "a"})
					if err := coll.insert(t, &e); err != nil {
						return err
					}
					if (n+round)%2 == 0 {
						e.TrashedAt = at(9)
						if err := coll.update(t, &e); err != nil {
							return err
						}
					}
				}
				return nil
			}).failures {
				t.Errorf("concurrent write: %v", err)
			}
			assertEqual(t, len(coll.list(t, coll.all())), 9)
		},
	})
}

// racesUnderLock writes two translations of one group concurrently, each write after
// locking one of them: no write may fail with a conflict.
func racesUnderLock(t *testing.T, w *fixture, lock func(ctx context.Context, s ports.Stores, id int64) (core.Entry, bool, error)) {
	coll := newTestCollection(t, w, "articles", titleField())
	first := coll.add(t, publicOf("en", fields{"title": "v1"}))
	second := coll.add(t, inGroup(first.Group, publicOf("fr", fields{"title": "v1"})))
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
				return s.Entries.Update(ctx, coll.schema, &e)
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
	versions := result(w.Entries.Entry(t.Context(), w.project.ID, first.ID))(t).Version +
		result(w.Entries.Entry(t.Context(), w.project.ID, second.ID))(t).Version
	assertEqual(t, versions, int64(2+sides*rounds))
	_, _, err := lock(t.Context(), w.Stores, unknown)
	requireError(t, err, core.ErrNotFound)
}

// outcome counts the results of the goroutines of a race.
type outcome struct {
	successes int
	failures  []error
}

// race runs n goroutines that start together.
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
