package contract

import (
	"context"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// newReleaseRequest returns a request of a release with an item for each entry, which is not stored.
func (w *fixture) newReleaseRequest(releaseID int64, entryIDs ...int64) review.Request {
	r := w.newRequest(0)
	r.Release, r.RecordFormat, r.Items = &review.RequestRelease{ID: releaseID, Name: "Launch \u2028 é"}, 3, nil
	for _, id := range entryIDs {
		item := newItem(id)
		item.Collection = "articles"
		r.Items = append(r.Items, item)
	}
	return r
}

// submitRelease stores r, and gives it the hash of its members.
func (w *fixture) submitRelease(t reporter, r *review.Request) error {
	return w.do(t, inTx(func(s ports.Stores) error { return sealRelease(t, s, r) }))
}

func sealRelease(t reporter, s ports.Stores, r *review.Request) error {
	action := actionOf(r, review.ActionSubmit)
	if err := s.Requests.Insert(t.Context(), r); err != nil {
		return err
	}
	r.Release.ContentHash = review.ReleaseHash(r.Release.ID, r.Release.Name, review.MembersOf(r.Items))
	action.ContentHash, action.PreviousHash, action.Hash = r.Release.ContentHash, "terms", "sealed"
	r.ChainHash = action.Hash
	return s.Requests.Seal(t.Context(), r, action)
}

// keepsReleaseRequests checks that the request of a release is read without its items, that these are kept whole, and
// that it is none of the own requests of their entries.
func keepsReleaseRequests(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	public, draft := coll.add(t, publicOf("en", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "b"}))
	own := w.newRequest(draft.ID)
	w.submit(t, &own)
	w.decide(t, &own, review.RequestRejected)

	r := w.newReleaseRequest(7, public.ID, draft.ID)
	gone, shown := &r.Items[0], &r.Items[1]
	gone.CollectionID, gone.Action, gone.Snapshot, gone.ContentHash, gone.Title, gone.TitleFieldID = public.CollectionID, schedule.Unpublish, nil, "", "", 0
	shown.CollectionID, shown.Withheld, shown.Changed = draft.CollectionID, doc(fields{"secret": 1}), []string{"title", "é"}
	requireNoError(t, w.submitRelease(t, &r))
	number := result(w.Publications.Publication(t.Context(), w.project.ID, public.CollectionID, public.ID, 1))(t)
	assertEqual(t, []any{gone.BaseNumber, gone.BaseHash, shown.BaseNumber, shown.BaseHash}, []any{int64(1), number.ContentHash, int64(0), ""})

	read := r
	read.Items = nil
	find := func(read review.Request, listed int) {
		t.Helper()
		assertEqual(t, result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t), read)
		assertEqual(t, result(w.Requests.ReleaseRequests(t.Context(), w.project.ID, 7, 0, 9))(t), []review.Request{read})
		assertEqual(t, result(w.Requests.ByIDs(t.Context(), w.project.ID, []int64{r.ID}))(t), []review.Request{read})
		assertEqual(t, result(w.Requests.Walk(t.Context(), w.project.ID, own.ID, 9))(t), []review.Request{read})
		for _, id := range []int64{0, public.CollectionID} {
			assertEqual(t, len(result(w.Requests.Open(t.Context(), w.project.ID, id, 0, 9))(t)), listed)
		}
		assertEqual(t, len(result(w.Requests.Pending(t.Context(), []int64{w.project.ID}, 9))(t)), listed)
	}
	find(read, 1)
	assertEqual(t, result(w.Requests.Version(t.Context(), w.project.ID, r.ID))(t), int64(1))

	whole, members := append([]review.RequestItem{}, r.Items...), append([]review.RequestItem{}, r.Items...)
	for i := range r.Items {
		whole[i].Changed, members[i].Snapshot, members[i].Withheld = nil, nil, nil
	}
	assertEqual(t, result(w.Requests.Items(t.Context(), w.project.ID, r.ID))(t), whole)
	assertEqual(t, result(w.Requests.Members(t.Context(), w.project.ID, r.ID))(t), members)
	assertEqual(t, len(result(w.Requests.Members(t.Context(), w.otherProject(t).project.ID, r.ID))(t)), 0)

	open := review.OpenRequest{ApprovalSummary: r.Summary(), Release: r.Release}
	ids := []int64{public.ID, draft.ID, unknown}
	assertEqual(t, result(w.Requests.OpenOf(t.Context(), w.project.ID, ids))(t), map[int64]review.OpenRequest{public.ID: open, draft.ID: open})
	assertEqual(t, result(w.Requests.Summaries(t.Context(), w.project.ID, ids))(t), map[int64]review.ApprovalSummary{draft.ID: own.Summary()})
	assertEqual(t, result(w.Requests.EntryRequests(t.Context(), w.project.ID, draft.ID, 9))(t), []review.Request{own})
	q := review.HistoryQuery{ProjectID: w.project.ID, CollectionID: 5, EntryID: draft.ID, Limit: 9}
	assertEqual(t, result(w.Requests.History(t.Context(), q))(t), []review.Request{own})

	again, other := w.newRequest(draft.ID), w.newReleaseRequest(8, draft.ID, unknown)
	requireError(t, w.submitAlone(t, &again), core.ErrConflict)
	requireError(t, w.submitRelease(t, &other), core.ErrConflict)

	w.decide(t, &r, review.RequestWithdrawn)
	read.Status, read.Version = r.Status, r.Version
	find(read, 0)
	assertEqual(t, result(w.Requests.OpenOf(t.Context(), w.project.ID, ids))(t), map[int64]review.OpenRequest{})
	requireNoError(t, w.submitRelease(t, &other))
	next := w.newReleaseRequest(7, public.ID)
	requireNoError(t, w.submitRelease(t, &next))
	rounds := result(w.Requests.ReleaseRequests(t.Context(), w.project.ID, 7, 0, 1))(t)
	assertEqual(t, []any{len(rounds), rounds[0].ID}, []any{1, next.ID})
	assertEqual(t, result(w.Requests.ReleaseRequests(t.Context(), w.project.ID, 7, 1, 9))(t), []review.Request{read})
}

// movesTogether checks that writes of several entries have one time that is later than all of their publications, and
// that an ended publication says what ended it.
func movesTogether(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	late, gone, draft := coll.add(t, publicOf("en", fields{"title": "a"})), coll.add(t, publicOf("en", fields{"title": "b"})), coll.add(t, draftOf("en", fields{"title": "c"}))
	future := w.now(t).Add(time.Hour)
	coll.release(t, &late, fields{"title": "d"}, future, publisher)
	coll.change(t, &gone, func(e *core.Entry) { hideEntry(e); e.Move = core.Move{OnTime: true} })
	assertEqual(t, coll.publications(t, gone)[0].Ended, core.Move{OnTime: true})
	coll.release(t, &gone, fields{"title": "e"}, at(20), publisher)

	ids := []int64{late.ID, gone.ID, draft.ID}
	var moment time.Time
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		locked, err := s.Entries.LockAll(ctx, w.project.ID, append(ids, unknown))
		requireNoError(t, err)
		assertEqual(t, len(locked), 3)
		moment = result(s.Entries.Moment(ctx, w.project.ID, ids))(t)
		changed := make([]*core.Entry, len(locked))
		for i := range locked {
			e := &locked[i]
			e.Version++
			e.Move = core.Move{At: moment, ReleaseID: 7, RequestID: 3}
			if e.ID == gone.ID {
				hideEntry(e)
			} else {
				e.Published, e.ReleasedAt = doc(fields{"title": "new"}), time.Time{}
				e.Publishing = &core.Publishing{By: publisher, Content: doc(fields{})}
			}
			changed[i] = e
		}
		return s.Entries.Save(ctx, coll.schema, nil, changed)
	}))
	assertEqual(t, moment, future.Truncate(time.Millisecond).Add(time.Millisecond))
	before, after := coll.publications(t, late)[1], coll.publications(t, late)[0]
	assertEqual(t, []any{before.UnpublishedAt, before.Ended, after.PublishedAt}, []any{moment, core.Move{}, moment})
	ended := coll.publications(t, gone)[0]
	assertEqual(t, []any{ended.UnpublishedAt, ended.Ended}, []any{moment, core.Move{ReleaseID: 7, RequestID: 3}})
	assertEqual(t, coll.publications(t, draft)[0].PublishedAt, moment)
	for _, id := range ids {
		requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
			assertEqual(t, result(s.Entries.Lock(ctx, w.project.ID, id))(t).Move, core.Move{})
			return nil
		}))
	}
	events := result(w.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.project.ID, Newest: true, Limit: 3}))(t)
	for _, e := range events {
		assertEqual(t, e.ReleaseID, int64(7))
	}
}

// keepsReleaseSchedules checks that the schedules of releases and of entries do not meet.
func keepsReleaseSchedules(t *testing.T, w *fixture) {
	entry := w.schedule(t, 1, at(1))
	release := schedule.Schedule{ProjectID: w.project.ID, ReleaseID: 1, RequestID: 9, Action: schedule.Publish, DueAt: at(2), RetryAt: at(2), ScheduledBy: publisher}
	second := release
	second.ReleaseID = 2
	requireNoError(t, w.Schedules.Schedule(t.Context(), second))
	requireNoError(t, w.Schedules.Schedule(t.Context(), release))
	requireNoError(t, w.Schedules.Schedule(t.Context(), release))
	assertEqual(t, result(w.Schedules.ScheduledRelease(t.Context(), w.project.ID, 1))(t), release)
	requireError(t, errorOf(w.Schedules.ScheduledRelease(t.Context(), w.project.ID, 3)), core.ErrNotFound)
	assertEqual(t, w.due(t, 9), []schedule.Schedule{entry})
	assertEqual(t, result(w.Schedules.DueReleases(t.Context(), 9))(t), []schedule.Schedule{release, second})
	assertEqual(t, result(w.Schedules.DueReleases(t.Context(), 1))(t), []schedule.Schedule{release})
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), release, "taken", time.Hour))
	assertEqual(t, result(w.Schedules.DueReleases(t.Context(), 9))(t), []schedule.Schedule{second})
	failed := result(w.Schedules.ScheduledRelease(t.Context(), w.project.ID, 1))(t)
	assertEqual(t, []any{failed.Attempts, failed.LastFault}, []any{1, "taken"})
	requireNoError(t, w.Schedules.CancelAll(t.Context(), w.project.ID, []int64{0, 1, 2}, schedule.Publish))
	assertEqual(t, w.due(t, 9), []schedule.Schedule{})
	requireNoError(t, w.Schedules.CancelRelease(t.Context(), w.project.ID, 1))
	requireNoError(t, w.Schedules.CancelRelease(t.Context(), w.project.ID, 1))
	assertEqual(t, result(w.Schedules.DueReleases(t.Context(), 9))(t), []schedule.Schedule{second})
}
