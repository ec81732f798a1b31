package contract

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Publications checks a ports.PublicationStore. Its cases run in turn, for what is
// due is due for everybody.
func Publications(t *testing.T, open Factory) {
	runInTurn(t, open, cases{
		"keeps a publication whole, one per entry": keepsPublications,
		"gives out what is due, earliest first":    givesDue,
		"reports the time until the next one":      tellsWait,
		"tries again later":                        triesAgain,
		"lists publications of projects":           listsPublications,
		"goes with its entry":                      goesWithEntry,
		"gives each due publication to one taker":  givesOnce,
		"goes by a clock of its own":               goesByOwnClock,
	})
}

// schedule has the entry published at a time; the Project, and that with it, goes when
// the case is over.
func (w *world) schedule(t *testing.T, entryID int64, due time.Time) core.Publication {
	t.Helper()
	project := w.project.ID
	t.Cleanup(func() { _ = w.Projects.Delete(context.WithoutCancel(t.Context()), project) })
	p := core.Publication{
		ProjectID: w.project.ID, EntryID: entryID, CollectionID: 5, DueAt: due, RetryAt: due,
		ScheduledBy: core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 4},
	}
	succeed(t, w.Publications.Schedule(t.Context(), p))
	return p
}

func (w *world) due(t reporter, limit int) (due []core.Publication) {
	t.Helper()
	succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
		due, err = s.Publications.Due(ctx, limit)
		return err
	}))
	return due
}

func (w *world) now(t reporter) time.Time {
	t.Helper()
	return value(w.Publications.Now(t.Context()))(t)
}

func keepsPublications(t *testing.T, w *world) {
	refused(t, failure(w.Publications.Scheduled(t.Context(), w.project.ID, 1)), core.ErrNotFound)
	first := w.schedule(t, 1, at(1))
	same(t, value(w.Publications.Scheduled(t.Context(), w.project.ID, 1))(t), first)
	succeed(t, w.Publications.Failed(t.Context(), w.project.ID, 1, "taken", time.Hour))
	second := first
	second.DueAt, second.RetryAt, second.RequestID, second.CollectionID, second.ScheduledBy.Name = at(5), at(5), 7, 6, "Edda"
	stored := second
	stored.Attempts, stored.LastFault, stored.RetryAt = 8, "ignored", at(99)
	succeed(t, w.Publications.Schedule(t.Context(), stored))
	same(t, value(w.Publications.Scheduled(t.Context(), w.project.ID, 1))(t), second)
	other := w.beside(t)
	elsewhere := other.schedule(t, 1, at(2))
	succeed(t, w.Publications.Cancel(t.Context(), w.project.ID, 1))
	succeed(t, w.Publications.Cancel(t.Context(), w.project.ID, 1))
	refused(t, failure(w.Publications.Scheduled(t.Context(), w.project.ID, 1)), core.ErrNotFound)
	same(t, value(w.Publications.Scheduled(t.Context(), other.project.ID, 1))(t), elsewhere)
	refused(t, w.Publications.Schedule(t.Context(), core.Publication{ProjectID: unknown, EntryID: 1, DueAt: at(1)}), core.ErrNotFound)
}

func givesDue(t *testing.T, w *world) {
	now := w.now(t)
	third, first, second := w.schedule(t, 1, now), w.schedule(t, 2, now.Add(-time.Hour)), w.beside(t).schedule(t, 1, now.Add(-time.Minute))
	w.schedule(t, 3, now.Add(time.Hour))
	same(t, w.due(t, 9), []core.Publication{first, second, third})
	same(t, w.due(t, 2), []core.Publication{first, second})
	succeed(t, w.Projects.Delete(t.Context(), second.ProjectID))
	same(t, w.due(t, 9), []core.Publication{first, third})
}

func tellsWait(t *testing.T, w *world) {
	if _, ok, err := w.Publications.NextDue(t.Context()); ok || err != nil {
		t.Errorf("nothing is scheduled: %v, %v", ok, err)
	}
	now := w.now(t)
	w.schedule(t, 1, now.Add(time.Hour))
	wait, ok, err := w.Publications.NextDue(t.Context())
	if err != nil || !ok || wait > time.Hour || wait < time.Hour-time.Minute {
		t.Errorf("due in an hour: %v, %v, %v", wait, ok, err)
	}
	w.schedule(t, 2, now)
	if wait, ok, err := w.Publications.NextDue(t.Context()); err != nil || !ok || wait > 0 {
		t.Errorf("due now: %v, %v, %v", wait, ok, err)
	}
}

func triesAgain(t *testing.T, w *world) {
	p := w.schedule(t, 1, at(1))
	refused(t, w.Publications.Failed(t.Context(), w.project.ID, 2, "x", 0), core.ErrNotFound)
	same(t, value(w.Publications.CountFailed(t.Context()))(t), int64(0))
	succeed(t, w.Publications.Failed(t.Context(), w.project.ID, 1, "slug is taken", 0))
	again := w.due(t, 9)
	if len(again) != 1 || again[0].Attempts != 1 || again[0].LastFault != "slug is taken" || !again[0].DueAt.Equal(p.DueAt) || !again[0].RetryAt.After(p.DueAt) {
		t.Fatalf("after a failure: %+v", again)
	}
	succeed(t, w.Publications.Failed(t.Context(), w.project.ID, 1, "slug is still taken", time.Hour))
	same(t, w.due(t, 9), []core.Publication{})
	got := value(w.Publications.Scheduled(t.Context(), w.project.ID, 1))(t)
	if wait := got.RetryAt.Sub(w.now(t)); got.Attempts != 2 || wait > time.Hour || wait < time.Hour-time.Minute {
		t.Errorf("after the second failure: %+v", got)
	}
	same(t, value(w.Publications.CountFailed(t.Context()))(t), int64(1))
	succeed(t, w.Publications.Cancel(t.Context(), w.project.ID, 1))
	same(t, value(w.Publications.CountFailed(t.Context()))(t), int64(0))
}

func listsPublications(t *testing.T, w *world) {
	beside, elsewhere := w.beside(t), w.beside(t)
	second, first := w.schedule(t, 1, at(5)), beside.schedule(t, 1, at(4))
	elsewhere.schedule(t, 1, at(1))
	both := []int64{w.project.ID, beside.project.ID}
	ask := func(q core.PublicationQuery) []core.Publication {
		return value(w.Publications.Publications(t.Context(), q))(t)
	}
	list := func(projects []int64, failed bool, limit int64) []core.Publication {
		return ask(core.PublicationQuery{ProjectIDs: projects, Failed: failed, Limit: limit})
	}
	same(t, list(both, false, 9), []core.Publication{first, second})
	same(t, list(both, false, 1), []core.Publication{first})
	same(t, list(both[:1], false, 9), []core.Publication{second})
	same(t, list(nil, false, 9), []core.Publication{})
	same(t, ask(core.PublicationQuery{ProjectIDs: both, Offset: 1, Limit: 1}), []core.Publication{second})
	same(t, ask(core.PublicationQuery{ProjectIDs: both, Offset: 2, Limit: 1}), []core.Publication{})
	same(t, ask(core.PublicationQuery{ProjectIDs: both, UserID: 3, Limit: 9}), []core.Publication{}) // a token did
	third := second
	third.EntryID, third.CollectionID, third.ScheduledBy.Kind = 2, 6, "user"
	succeed(t, w.Publications.Schedule(t.Context(), third))
	same(t, ask(core.PublicationQuery{ProjectIDs: both, UserID: 3, Limit: 9}), []core.Publication{third})
	same(t, ask(core.PublicationQuery{ProjectIDs: both, CollectionID: 6, Limit: 9}), []core.Publication{third})
	same(t, value(w.Publications.ScheduledOf(t.Context(), w.project.ID, []int64{2, 7}))(t), []core.Publication{third})
	same(t, value(w.Publications.ScheduledOf(t.Context(), w.project.ID, nil))(t), []core.Publication{})
	succeed(t, w.Publications.Cancel(t.Context(), w.project.ID, 2))
	same(t, list(both, true, 9), []core.Publication{})
	succeed(t, w.Publications.Failed(t.Context(), w.project.ID, 1, "taken", time.Hour))
	same(t, ids(list(both, true, 9), func(p core.Publication) int64 { return p.ProjectID }), []int64{w.project.ID})
}

func goesWithEntry(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	destroyed, shelved := shelf.add(t, draftOf("en", fields{})), shelf.add(t, draftOf("en", fields{}))
	for _, e := range []core.Entry{destroyed, shelved} {
		p := w.schedule(t, e.ID, at(1))
		p.CollectionID = e.CollectionID
		succeed(t, w.Publications.Schedule(t.Context(), p))
	}
	w.schedule(t, unknown, at(1))
	succeed(t, w.Entries.Destroy(t.Context(), shelf.schema, destroyed.ID))
	refused(t, failure(w.Publications.Scheduled(t.Context(), w.project.ID, destroyed.ID)), core.ErrNotFound)
	value(w.Publications.Scheduled(t.Context(), w.project.ID, shelved.ID))(t)
	succeed(t, w.Collections.Delete(t.Context(), w.project.ID, shelved.CollectionID))
	refused(t, failure(w.Publications.Scheduled(t.Context(), w.project.ID, shelved.ID)), core.ErrNotFound)
	value(w.Publications.Scheduled(t.Context(), w.project.ID, unknown))(t)
	succeed(t, w.Projects.Delete(t.Context(), w.project.ID))
	refused(t, failure(w.Publications.Scheduled(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
}

// givesOnce has several workers take what is due; some return it.
func givesOnce(t *testing.T, w *world) {
	const due, takers = 40, 4
	for n := range int64(due) {
		w.schedule(t, n+1, at(int(n)))
	}
	var mu sync.Mutex
	var taken []int64
	won := race(takers, func(taker int) error {
		for attempt := 0; ; attempt++ {
			var mine []core.Publication
			err := w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
				if mine, err = s.Publications.Due(ctx, 3); err != nil {
					return err
				}
				time.Sleep(2 * time.Millisecond) // in which others ask for the same
				for _, p := range mine {
					if err := s.Publications.Cancel(ctx, p.ProjectID, p.EntryID); err != nil {
						return err
					}
				}
				if attempt%3 == taker%3 && len(mine) > 0 {
					return core.Conflict("given_back", "given back")
				}
				return nil
			})
			if core.KindOf(err) == core.KindConflict && err != nil {
				continue
			}
			if err != nil {
				return err
			}
			mu.Lock()
			for _, p := range mine {
				taken = append(taken, p.EntryID)
			}
			done := len(taken) >= due
			mu.Unlock()
			if done {
				return nil
			}
		}
	})
	for _, err := range won.failures {
		t.Error(err)
	}
	var want []int64
	for n := range int64(due) {
		want = append(want, n+1)
	}
	same(t, slices.Sorted(slices.Values(taken)), want)
}

func goesByOwnClock(t *testing.T, w *world) {
	before := w.now(t)
	p := w.schedule(t, 1, before)
	if p.DueAt.Nanosecond()%int(time.Millisecond) != 0 || p.DueAt.Location() != time.UTC {
		t.Errorf("the clock says %v", p.DueAt)
	}
	if now := w.now(t); now.Before(before) {
		t.Errorf("the clock went from %v back to %v", before, now)
	}
	for _, found := range w.due(t, 9) {
		if now := w.now(t); found.RetryAt.After(now) {
			t.Errorf("due at %v, at %v", found.RetryAt, now)
		}
	}
}
