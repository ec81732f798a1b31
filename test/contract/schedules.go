package contract

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Schedules checks a ports.ScheduleStore. Its cases run sequentially, because due
// publications are shared by all projects.
func Schedules(t *testing.T, open Factory) {
	runSequentially(t, open, cases{
		"stores all members, one publication per entry": keepsPublications,
		"stores ends beside publications":               keepsEnds,
		"stores schedules of releases":                  keepsReleaseSchedules,
		"returns due publications, earliest first":      returnsDue,
		"reports the time until the next one":           reportsWait,
		"retries later":                                 retries,
		"lists publications of projects":                listsPublications,
		"lists what happens in a range":                 listsRange,
		"is deleted with its entry":                     deletedWithEntry,
		"does not list ends of entries in the trash":    hidesTrashed,
		"gives each due publication to one worker":      givesOnce,
		"lists what took place, latest first":           listsDone,
		"uses its own clock":                            usesOwnClock,
	})
}

// schedule schedules the entry. The project, and the publication with it, is deleted when
// the case ends.
func (w *fixture) schedule(t *testing.T, entryID int64, due time.Time) schedule.Schedule {
	t.Helper()
	project := w.project.ID
	t.Cleanup(func() { _ = w.Projects.Delete(context.WithoutCancel(t.Context()), project) })
	p := schedule.Schedule{
		ProjectID: w.project.ID, EntryID: entryID, Action: schedule.Publish, CollectionID: 5, DueAt: due, RetryAt: due,
		ScheduledBy: core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 4},
	}
	requireNoError(t, w.Schedules.Schedule(t.Context(), p))
	return p
}

func (w *fixture) due(t reporter, limit int, without ...int64) (due []schedule.Schedule) {
	t.Helper()
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
		due, err = s.Schedules.Due(ctx, limit, without...)
		return err
	}))
	return due
}

func (w *fixture) now(t reporter) time.Time {
	t.Helper()
	return result(w.Clock.Now(t.Context()))(t)
}

func keepsPublications(t *testing.T, w *fixture) {
	requireError(t, errorOf(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, schedule.Publish)), core.ErrNotFound)
	first := w.schedule(t, 1, at(1))
	assertEqual(t, result(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, schedule.Publish))(t), first)
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 1, Action: schedule.Publish}, "taken", time.Hour))
	second := first
	second.DueAt, second.RetryAt, second.RequestID, second.CollectionID, second.ScheduledBy.Name = at(5), at(5), 7, 6, "Edda"
	stored := second
	stored.Attempts, stored.LastFault, stored.RetryAt = 8, "ignored", at(99)
	requireNoError(t, w.Schedules.Schedule(t.Context(), stored))
	assertEqual(t, result(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, schedule.Publish))(t), second)
	other := w.otherProject(t)
	elsewhere := other.schedule(t, 1, at(2))
	requireNoError(t, w.Schedules.Cancel(t.Context(), w.project.ID, 1, schedule.Publish))
	requireNoError(t, w.Schedules.Cancel(t.Context(), w.project.ID, 1, schedule.Publish))
	requireError(t, errorOf(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, schedule.Publish)), core.ErrNotFound)
	assertEqual(t, result(w.Schedules.Scheduled(t.Context(), other.project.ID, 1, schedule.Publish))(t), elsewhere)
	requireError(t, w.Schedules.Schedule(t.Context(), schedule.Schedule{ProjectID: unknown, EntryID: 1, DueAt: at(1)}), core.ErrNotFound)
}

// keepsEnds stores both schedules of an entry: each is replaced, fails and is canceled alone.
func keepsEnds(t *testing.T, w *fixture) {
	publication := w.schedule(t, 1, at(1))
	publication.UnpublishAt = at(9)
	requireNoError(t, w.Schedules.Schedule(t.Context(), publication))
	end := publication
	end.Action, end.RequestID, end.DueAt, end.RetryAt, end.UnpublishAt = schedule.Unpublish, 7, at(1), at(1), time.Time{}
	requireNoError(t, w.Schedules.Schedule(t.Context(), end))
	stored := func(action schedule.Action) schedule.Schedule {
		return result(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, action))(t)
	}
	assertEqual(t, stored(schedule.Publish), publication)
	assertEqual(t, stored(schedule.Unpublish), end)
	list := result(w.Schedules.Schedules(t.Context(), schedule.Query{ProjectIDs: []int64{w.project.ID}, Limit: 9}))(t)
	assertEqual(t, list, []schedule.Schedule{publication, end})
	assertEqual(t, len(result(w.Schedules.ScheduledOf(t.Context(), w.project.ID, []int64{1}))(t)), 2)
	assertEqual(t, w.due(t, 9), []schedule.Schedule{publication, end})

	requireNoError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 1, Action: schedule.Unpublish}, "locked", time.Hour))
	assertEqual(t, stored(schedule.Publish), publication)
	assertEqual(t, stored(schedule.Unpublish).LastFault, "locked")
	assertEqual(t, w.due(t, 9), []schedule.Schedule{publication})
	requireNoError(t, w.Schedules.Cancel(t.Context(), w.project.ID, 1, schedule.Publish))
	requireError(t, errorOf(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, schedule.Publish)), core.ErrNotFound)
	assertEqual(t, stored(schedule.Unpublish).Attempts, 1)
	requireNoError(t, w.Schedules.Cancel(t.Context(), w.project.ID, 1, schedule.Unpublish))
	requireError(t, errorOf(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, schedule.Unpublish)), core.ErrNotFound)
}

func returnsDue(t *testing.T, w *fixture) {
	now := w.now(t)
	third, first, second := w.schedule(t, 1, now), w.schedule(t, 2, now.Add(-time.Hour)), w.otherProject(t).schedule(t, 1, now.Add(-time.Minute))
	w.schedule(t, 3, now.Add(time.Hour))
	assertEqual(t, w.due(t, 9), []schedule.Schedule{first, second, third})
	assertEqual(t, w.due(t, 2), []schedule.Schedule{first, second})
	assertEqual(t, w.due(t, 9, first.ProjectID), []schedule.Schedule{second})
	assertEqual(t, w.due(t, 9, second.ProjectID, unknown), []schedule.Schedule{first, third})
	assertEqual(t, w.due(t, 9, first.ProjectID, second.ProjectID), []schedule.Schedule{})
	requireNoError(t, w.Projects.Delete(t.Context(), second.ProjectID))
	assertEqual(t, w.due(t, 9), []schedule.Schedule{first, third})
}

func reportsWait(t *testing.T, w *fixture) {
	if _, ok, err := w.Schedules.NextDue(t.Context()); ok || err != nil {
		t.Errorf("without publications: %v, %v", ok, err)
	}
	now := w.now(t)
	w.schedule(t, 1, now.Add(time.Hour))
	wait, ok, err := w.Schedules.NextDue(t.Context())
	if err != nil || !ok || wait > time.Hour || wait < time.Hour-time.Minute {
		t.Errorf("due in an hour: %v, %v, %v", wait, ok, err)
	}
	w.schedule(t, 2, now)
	if wait, ok, err := w.Schedules.NextDue(t.Context()); err != nil || !ok || wait > 0 {
		t.Errorf("due now: %v, %v, %v", wait, ok, err)
	}
}

func retries(t *testing.T, w *fixture) {
	p := w.schedule(t, 1, at(1))
	requireError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 2, Action: schedule.Publish}, "x", 0), core.ErrNotFound)
	assertEqual(t, result(w.Schedules.CountFailed(t.Context()))(t), int64(0))
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 1, Action: schedule.Publish}, "slug is taken", 0))
	again := w.due(t, 9)
	if len(again) != 1 || again[0].Attempts != 1 || again[0].LastFault != "slug is taken" || !again[0].DueAt.Equal(p.DueAt) || !again[0].RetryAt.After(p.DueAt) {
		t.Fatalf("after a failure: %+v", again)
	}
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 1, Action: schedule.Publish}, "slug is still taken", time.Hour))
	assertEqual(t, w.due(t, 9), []schedule.Schedule{})
	got := result(w.Schedules.Scheduled(t.Context(), w.project.ID, 1, schedule.Publish))(t)
	if wait := got.RetryAt.Sub(w.now(t)); got.Attempts != 2 || wait > time.Hour || wait < time.Hour-time.Minute {
		t.Errorf("after the second failure: %+v", got)
	}
	assertEqual(t, result(w.Schedules.CountFailed(t.Context()))(t), int64(1))
	requireNoError(t, w.Schedules.Cancel(t.Context(), w.project.ID, 1, schedule.Publish))
	assertEqual(t, result(w.Schedules.CountFailed(t.Context()))(t), int64(0))
}

func listsPublications(t *testing.T, w *fixture) {
	sibling, elsewhere := w.otherProject(t), w.otherProject(t)
	second, first := w.schedule(t, 1, at(5)), sibling.schedule(t, 1, at(4))
	elsewhere.schedule(t, 1, at(1))
	both := []int64{w.project.ID, sibling.project.ID}
	query := func(q schedule.Query) []schedule.Schedule {
		whole := q
		whole.Offset, whole.Limit = 0, 9
		all := result(w.Schedules.Schedules(t.Context(), whole))(t)
		assertEqual(t, result(w.Schedules.Count(t.Context(), q))(t), int64(len(all)))
		return result(w.Schedules.Schedules(t.Context(), q))(t)
	}
	list := func(projects []int64, failed bool, limit int64) []schedule.Schedule {
		return query(schedule.Query{ProjectIDs: projects, Failed: failed, Limit: limit})
	}
	assertEqual(t, list(both, false, 9), []schedule.Schedule{first, second})
	assertEqual(t, list(both, false, 1), []schedule.Schedule{first})
	assertEqual(t, list(both[:1], false, 9), []schedule.Schedule{second})
	assertEqual(t, list(nil, false, 9), []schedule.Schedule{})
	assertEqual(t, query(schedule.Query{ProjectIDs: both, Offset: 1, Limit: 1}), []schedule.Schedule{second})
	assertEqual(t, query(schedule.Query{ProjectIDs: both, Offset: 2, Limit: 1}), []schedule.Schedule{})
	assertEqual(t, query(schedule.Query{ProjectIDs: both, UserID: 3, Limit: 9}), []schedule.Schedule{}) // scheduled by a token
	third := second
	third.EntryID, third.CollectionID, third.ScheduledBy.Kind = 2, 6, "user"
	requireNoError(t, w.Schedules.Schedule(t.Context(), third))
	assertEqual(t, query(schedule.Query{ProjectIDs: both, UserID: 3, Limit: 9}), []schedule.Schedule{third})
	assertEqual(t, query(schedule.Query{ProjectIDs: both, CollectionID: 6, Limit: 9}), []schedule.Schedule{third})
	assertEqual(t, result(w.Schedules.ScheduledOf(t.Context(), w.project.ID, []int64{2, 7}))(t), []schedule.Schedule{third})
	assertEqual(t, result(w.Schedules.ScheduledOf(t.Context(), w.project.ID, nil))(t), []schedule.Schedule{})
	requireNoError(t, w.Schedules.Cancel(t.Context(), w.project.ID, 2, schedule.Publish))
	assertEqual(t, list(both, true, 9), []schedule.Schedule{})
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 1, Action: schedule.Publish}, "taken", time.Hour))
	assertEqual(t, ids(list(both, true, 9), func(p schedule.Schedule) int64 { return p.ProjectID }), []int64{w.project.ID})
}

func listsRange(t *testing.T, w *fixture) {
	for entry, ends := range map[int64]int{1: 30, 2: 0, 3: 0} {
		p := w.schedule(t, entry, at(int(entry)*10))
		if ends != 0 {
			p.UnpublishAt = at(ends)
		}
		requireNoError(t, w.Schedules.Schedule(t.Context(), p))
	}
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 3, Action: schedule.Publish}, "taken", time.Hour))
	for _, c := range []struct {
		from, to time.Time
		want     []int64
	}{
		{time.Time{}, time.Time{}, []int64{1, 2, 3}},
		{at(10), at(20), []int64{1}},
		{at(20), time.Time{}, []int64{1, 2, 3}}, // the publication of entry 1 ends in the range
		{at(20), at(30), []int64{2}},
		{at(11), at(31), []int64{1, 2, 3}}, // a failed schedule is found by the time when it was due
		{time.Time{}, at(20), []int64{1}},
		{at(31), time.Time{}, nil},
	} {
		found := result(w.Schedules.Schedules(t.Context(), schedule.Query{ProjectIDs: []int64{w.project.ID}, From: c.from, To: c.to, Limit: 9}))(t)
		assertEqual(t, ids(found, func(p schedule.Schedule) int64 { return p.EntryID }), c.want)
	}
}

// listsDone begins and ends publications of entries, alone and by a release.
func listsDone(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	by := core.ActorRef{Kind: "user", ID: 8, Name: "Edda"}
	publish := func(e *core.Entry, title string, when int, by core.ActorRef) {
		coll.release(t, e, fields{"title": title}, at(when), by)
	}
	end := func(e *core.Entry, when int, releaseID int64) {
		coll.change(t, e, func(e *core.Entry) {
			hideEntry(e)
			e.Publishing = nil
			e.Move = core.Move{At: at(when), ReleaseID: releaseID}
		})
	}
	alone, member, system := coll.add(t, draftOf("en", fields{})), coll.add(t, draftOf("en", fields{})), coll.add(t, draftOf("en", fields{}))
	publish(&alone, "a", 10, by)
	publish(&alone, "b", 12, by)
	end(&alone, 20, 0)
	publish(&system, "s", 11, core.SystemActor.Ref())
	publish(&member, "m", 15, by)
	rel := w.newRelease(t, "Together")
	w.put(t, rel, memberOf(member.ID))
	rel.PublishedAt = at(15)
	w.setState(t, rel, release.Published)
	end(&member, 16, rel.ID)
	w.newRelease(t, "Open")

	entry := func(e core.Entry, action schedule.Action, when int, by core.ActorRef) schedule.Done {
		return schedule.Done{Schedule: schedule.Schedule{
			ProjectID: e.ProjectID, EntryID: e.ID, CollectionID: e.CollectionID, Action: action, DueAt: at(when), RetryAt: at(when), ScheduledBy: by,
		}}
	}
	first, second, ended := entry(alone, schedule.Publish, 10, by), entry(alone, schedule.Publish, 12, by), entry(alone, schedule.Unpublish, 20, core.ActorRef{})
	together := schedule.Done{ReleaseName: "Together", Schedule: schedule.Schedule{
		ProjectID: w.project.ID, ReleaseID: rel.ID, Action: schedule.Publish, DueAt: at(15), RetryAt: at(15), ScheduledBy: ada,
	}}
	list := func(q schedule.Query) []schedule.Done {
		t.Helper()
		if q.From.IsZero() {
			q.From, q.To = at(0), at(50)
		}
		if q.Limit == 0 {
			q.Limit = 9
		}
		if q.ProjectIDs == nil {
			q.ProjectIDs = []int64{w.project.ID}
		}
		return result(w.Schedules.Done(t.Context(), q))(t)
	}
	assertEqual(t, list(schedule.Query{}), []schedule.Done{ended, together, second, first})
	assertEqual(t, list(schedule.Query{ProjectIDs: []int64{w.project.ID, w.otherProject(t).project.ID}}), []schedule.Done{ended, together, second, first})
	assertEqual(t, list(schedule.Query{From: at(12), To: at(20)}), []schedule.Done{together, second})
	assertEqual(t, list(schedule.Query{Offset: 1, Limit: 2}), []schedule.Done{together, second})
	assertEqual(t, list(schedule.Query{Offset: 9}), []schedule.Done{})
	assertEqual(t, list(schedule.Query{CollectionID: alone.CollectionID}), []schedule.Done{ended, second, first})
	assertEqual(t, list(schedule.Query{CollectionID: unknown}), []schedule.Done{})
	assertEqual(t, list(schedule.Query{UserID: by.ID}), []schedule.Done{second, first})
	assertEqual(t, list(schedule.Query{UserID: ada.ID}), []schedule.Done{together})
	assertEqual(t, list(schedule.Query{ProjectIDs: []int64{}}), []schedule.Done{})
}

func hidesTrashed(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, publicOf("en", fields{"title": "a"}))
	end := w.schedule(t, e.ID, at(5))
	requireNoError(t, w.Schedules.Cancel(t.Context(), w.project.ID, e.ID, schedule.Publish))
	end.Action = schedule.Unpublish
	requireNoError(t, w.Schedules.Schedule(t.Context(), end))
	for _, listed := range []int64{1, 0, 1} {
		q := schedule.Query{ProjectIDs: []int64{w.project.ID}, Limit: 9}
		assertEqual(t, int64(len(result(w.Schedules.Schedules(t.Context(), q))(t))), listed)
		assertEqual(t, result(w.Schedules.Count(t.Context(), q))(t), listed)
		assertEqual(t, result(w.Overviews.Overview(t.Context(), w.project.ID, at(1)))(t).Scheduled, listed)
		assertEqual(t, result(w.Schedules.Scheduled(t.Context(), w.project.ID, e.ID, schedule.Unpublish))(t), end)
		assertEqual(t, w.due(t, 9), []schedule.Schedule{end})
		trashedAt := map[int64]time.Time{1: at(9)}[listed]
		coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = trashedAt })
	}
}

func deletedWithEntry(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	destroyed, deleted := coll.add(t, draftOf("en", fields{})), coll.add(t, draftOf("en", fields{}))
	for _, e := range []core.Entry{destroyed, deleted} {
		p := w.schedule(t, e.ID, at(1))
		p.CollectionID = e.CollectionID
		requireNoError(t, w.Schedules.Schedule(t.Context(), p))
		p.Action = schedule.Unpublish
		requireNoError(t, w.Schedules.Schedule(t.Context(), p))
	}
	w.schedule(t, unknown, at(1))
	requireNoError(t, w.Entries.Destroy(t.Context(), coll.schema, destroyed.ID, ""))
	assertEqual(t, result(w.Schedules.ScheduledOf(t.Context(), w.project.ID, []int64{destroyed.ID}))(t), []schedule.Schedule{})
	result(w.Schedules.Scheduled(t.Context(), w.project.ID, deleted.ID, schedule.Publish))(t)
	requireNoError(t, w.Collections.Delete(t.Context(), w.project.ID, deleted.CollectionID))
	assertEqual(t, result(w.Schedules.ScheduledOf(t.Context(), w.project.ID, []int64{deleted.ID}))(t), []schedule.Schedule{})
	result(w.Schedules.Scheduled(t.Context(), w.project.ID, unknown, schedule.Publish))(t)
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	requireError(t, errorOf(w.Schedules.Scheduled(t.Context(), w.project.ID, unknown, schedule.Publish)), core.ErrNotFound)
}

// givesOnce runs several workers that take due publications; some roll back.
func givesOnce(t *testing.T, w *fixture) {
	const due, workers = 40, 4
	for n := range int64(due) {
		w.schedule(t, n+1, at(int(n)))
	}
	var mu sync.Mutex
	var taken []int64
	won := race(workers, func(worker int) error {
		for attempt := 0; ; attempt++ {
			var mine []schedule.Schedule
			err := w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
				if mine, err = s.Schedules.Due(ctx, 3); err != nil {
					return err
				}
				time.Sleep(2 * time.Millisecond) // lets other workers query the same rows
				for _, p := range mine {
					if err := s.Schedules.Cancel(ctx, p.ProjectID, p.EntryID, schedule.Publish); err != nil {
						return err
					}
				}
				if attempt%3 == worker%3 && len(mine) > 0 {
					return core.Conflict("returned", "returned")
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
	assertEqual(t, slices.Sorted(slices.Values(taken)), want)
}

func usesOwnClock(t *testing.T, w *fixture) {
	before := w.now(t)
	p := w.schedule(t, 1, before)
	if p.DueAt.Nanosecond()%int(time.Millisecond) != 0 || p.DueAt.Location() != time.UTC {
		t.Errorf("the clock returned %v", p.DueAt)
	}
	if now := w.now(t); now.Before(before) {
		t.Errorf("the clock went back from %v to %v", before, now)
	}
	for _, found := range w.due(t, 9) {
		if now := w.now(t); found.RetryAt.After(now) {
			t.Errorf("returned a publication due at %v at %v", found.RetryAt, now)
		}
	}
}
