package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/publishing"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

var by = core.ActorRef{Kind: "user", ID: 7, Name: "Ada"}

// requestFor returns a request with the drafts of the entries as its items.
func requestFor(t *testing.T, d *contenttest.Fixture, c *core.Collection, entries ...*reading.Managed) *review.Request {
	t.Helper()
	r := &review.Request{SubmittedAt: contenttest.Day, ID: 9, ProjectID: d.Project.ID, Status: review.RequestPending}
	for _, m := range entries {
		e := d.Entry(t, m.ID)
		item := review.RequestItem{EntryID: e.ID, CollectionID: c.ID, Locale: e.Locale, Action: schedule.Publish}
		item.Snapshot, item.ContentHash, item.Withheld = c.Snapshot(e.Locale, e.Draft, nil)
		r.Items = append(r.Items, item)
	}
	return r
}

// locked runs do with the set of the entries, in a transaction that commits unless do fails.
func locked(t *testing.T, d *contenttest.Fixture, ids []int64, do func(ctx context.Context, s *publishing.Set) error) error {
	t.Helper()
	return d.Store.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		s, err := d.Publisher.Lock(ctx, stores, d.Project, ids...)
		if err != nil {
			return err
		}
		return do(ctx, s)
	})
}

func follow(t *testing.T, d *contenttest.Fixture, r *review.Request, status review.RequestStatus) (at time.Time, err error) {
	t.Helper()
	r.Status = status
	err = locked(t, d, r.EntryIDs(), func(ctx context.Context, s *publishing.Set) error {
		at, err = s.Follow(ctx, r, by)
		return err
	})
	return at, err
}

// The items of a request are scheduled, published and given up together.
func TestASetFollowsItsRequest(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	one, two := d.Create(t, c, `{"title":"One"}`), d.Create(t, c, `{"title":"Two"}`)
	r := requestFor(t, d, c, one, two)
	tomorrow := contenttest.Day.Add(24 * time.Hour)
	r.ScheduledAt, r.UnpublishAt = tomorrow, tomorrow.Add(time.Hour)
	before := d.Entry(t, one.ID)

	at, err := follow(t, d, r, review.RequestPending)
	require.NoError(t, err)
	require.Zero(t, at)
	require.Empty(t, d.Scheduled(t))

	at, err = follow(t, d, r, review.RequestApproved)
	require.NoError(t, err)
	require.Zero(t, at)
	require.Equal(t, map[int64]time.Time{one.ID: tomorrow, two.ID: tomorrow}, d.Scheduled(t))
	require.Equal(t, before, d.Entry(t, one.ID))

	_, err = follow(t, d, r, review.RequestWithdrawn)
	require.NoError(t, err)
	require.Empty(t, d.Scheduled(t))
	require.Equal(t, before, d.Entry(t, one.ID))

	_, err = follow(t, d, r, review.RequestApproved)
	require.NoError(t, err)
	d.Update(t, one, `{"title":"Later"}`)
	d.Clock.Time = tomorrow
	at, err = follow(t, d, r, review.RequestPublished)
	require.NoError(t, err)
	require.Equal(t, tomorrow, at)
	require.Empty(t, d.Scheduled(t))
	for title, id := range map[string]int64{"One": one.ID, "Two": two.ID} {
		e := d.Entry(t, id)
		require.Equal(t, `"`+title+`"`, string(e.Published.Value("title")), "the snapshot, not the draft")
		require.Equal(t, at, e.ReleasedAt)
		end, err := publishing.Scheduled(t.Context(), d.Stores.Schedules, d.Project.ID, id, schedule.Unpublish)
		require.NoError(t, err)
		require.Equal(t, r.UnpublishAt, end.DueAt)
		require.Equal(t, by, end.ScheduledBy)
		publication, err := d.Stores.Publications.Publication(t.Context(), d.Project.ID, c.ID, id, 1)
		require.NoError(t, err)
		require.Equal(t, by, publication.By)
		require.Equal(t, r.ID, publication.RequestID)
		require.Equal(t, r.ItemOf(id).ContentHash, publication.ContentHash)
	}

	d.Clock.Time = tomorrow.Add(time.Minute)
	published := d.Entry(t, two.ID)
	at, err = follow(t, d, r, review.RequestPublished)
	require.NoError(t, err)
	require.Equal(t, d.Clock.Time, at, "readers see the items already")
	require.Equal(t, published, d.Entry(t, two.ID))
}

// An item that cannot be published keeps the others from it.
func TestASetIsPublishedAsAWhole(t *testing.T) {
	t.Parallel()
	for code, spoil := range map[string]func(t *testing.T, d *contenttest.Fixture, r *review.Request, m *reading.Managed){
		"snapshot_damaged": func(_ *testing.T, _ *contenttest.Fixture, r *review.Request, _ *reading.Managed) {
			r.Items[1].Snapshot = []byte(`{}`)
		},
		"entry_gone": func(t *testing.T, d *contenttest.Fixture, _ *review.Request, m *reading.Managed) {
			_, err := d.Writer.Trash(t.Context(), d.Actor, d.Ref(m), nil, "")
			require.NoError(t, err)
		},
		"invalid": func(t *testing.T, d *contenttest.Fixture, _ *review.Request, m *reading.Managed) {
			d.Update(t, m, `{"code":"free"}`)
			_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, m.CollectionID, contenttest.WriteOf(t, `{"title":"C","code":"taken"}`))
			require.NoError(t, err)
		},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			d := contenttest.New(t)
			c := d.Articles(t)
			one, two := d.Create(t, c, `{"title":"One"}`), d.Create(t, c, `{"title":"Two","code":"taken"}`)
			r := requestFor(t, d, c, one, two)
			spoil(t, d, r, two)
			before := d.Entry(t, one.ID)
			_, err := follow(t, d, r, review.RequestPublished)
			var fault *core.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, code, fault.Code)
			require.Equal(t, before, d.Entry(t, one.ID))
		})
	}
}

// Items of a request whose entry was deleted have no schedules and no draft.
func TestASetWithoutAnEntry(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	r := requestFor(t, d, c, d.Create(t, c, `{"title":"A"}`))
	r.Items[0].EntryID += 99
	require.NoError(t, locked(t, d, r.EntryIDs(), func(_ context.Context, s *publishing.Set) error {
		require.Nil(t, s.Entry(r.Items[0].EntryID))
		return nil
	}))
	for _, status := range []review.RequestStatus{review.RequestApproved, review.RequestWithdrawn} {
		_, err := follow(t, d, r, status)
		require.NoError(t, err)
		require.Empty(t, d.Scheduled(t))
	}
	_, err := follow(t, d, r, review.RequestPublished)
	require.ErrorIs(t, err, core.ErrConflict)
}

func TestDraftsAreCompleteBeforeTheyArePublished(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	whole := d.Create(t, c, `{"title":"A"}`)
	w, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"code":"b"}`, func(w *core.EntryWrite) { w.AllowIncomplete = true }))
	require.NoError(t, err)
	gone := d.Create(t, c, `{"title":"C"}`)
	_, err = d.Writer.Trash(t.Context(), d.Actor, d.Ref(gone), nil, "")
	require.NoError(t, err)
	publish := func(until time.Time, ids ...int64) error {
		return locked(t, d, ids, func(ctx context.Context, s *publishing.Set) error { return s.PublishDrafts(ctx, by, until) })
	}
	require.Contains(t, contenttest.FaultsOf(t, publish(time.Time{}, whole.ID, w.Entry.ID)), "fields.title")
	require.ErrorIs(t, publish(time.Time{}, whole.ID, gone.ID), core.ErrNotFound)
	require.ErrorIs(t, publish(time.Time{}, whole.ID, gone.ID+99), core.ErrNotFound)
	require.Nil(t, d.Entry(t, whole.ID).Published)

	until := contenttest.Day.Add(time.Hour)
	require.NoError(t, publish(until, whole.ID))
	require.NotNil(t, d.Entry(t, whole.ID).Published)
	end, err := publishing.Scheduled(t.Context(), d.Stores.Schedules, d.Project.ID, whole.ID, schedule.Unpublish)
	require.NoError(t, err)
	require.Equal(t, until, end.DueAt)

	submit := func(id int64) error {
		return locked(t, d, []int64{id}, func(ctx context.Context, s *publishing.Set) error { return s.SubmitDrafts(ctx) })
	}
	require.Contains(t, contenttest.FaultsOf(t, submit(w.Entry.ID)), "fields.title")
	require.ErrorIs(t, submit(gone.ID+99), core.ErrNotFound)
	d.Update(t, whole, `{"title":"B"}`, func(w *core.EntryWrite) { w.KeepPublished = true })
	require.NoError(t, submit(whole.ID))
	revision, err := core.DecodeRevision(d.Entry(t, whole.ID).Revision)
	require.NoError(t, err)
	require.True(t, revision.Closed && revision.Kept)
	require.Equal(t, revision.Number, revision.Submitted)
}

func TestUnpublishLeavesWhatIsNotPublished(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	public, draft := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true)), d.Create(t, c, `{"title":"B"}`)
	before := d.Entry(t, draft.ID)
	require.NoError(t, locked(t, d, []int64{draft.ID, public.ID, public.ID + 99}, func(ctx context.Context, s *publishing.Set) error { return s.Unpublish(ctx) }))
	require.Nil(t, d.Entry(t, public.ID).Published)
	require.Equal(t, before, d.Entry(t, draft.ID))
}

// The worker of the process learns of each stored schedule, and not of a cancelled one.
func TestSchedulesWakeTheWorker(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, d.Articles(t), `{"title":"A"}`, contenttest.Published(true))
	woken := 0
	p := publishing.New(d.Clock, func() { woken++ })
	s := schedule.Schedule{ProjectID: d.Project.ID, EntryID: m.ID, CollectionID: m.CollectionID, Action: schedule.Publish, DueAt: contenttest.Day.Add(time.Hour)}
	require.NoError(t, p.Schedule(t.Context(), d.Stores.Schedules, s))
	require.NoError(t, p.End(t.Context(), d.Stores.Schedules, s))
	require.Equal(t, 2, woken)
	s.DueAt = time.Time{}
	require.NoError(t, p.End(t.Context(), d.Stores.Schedules, s))
	require.Equal(t, 2, woken)
	end, err := publishing.Scheduled(t.Context(), d.Stores.Schedules, d.Project.ID, m.ID, schedule.Unpublish)
	require.NoError(t, err)
	require.Zero(t, end)
	require.Contains(t, d.Scheduled(t), m.ID)
}

// An entry is governed by a workflow of its Project, or by its open request.
func TestGoverns(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	governs := func(id int64) bool {
		governed, err := publishing.Governs(t.Context(), d.Stores, d.Project.ID, c.Slug, id)
		require.NoError(t, err)
		return governed
	}
	m := d.Create(t, c, `{"title":"A"}`)
	require.False(t, governs(0) || governs(m.ID))
	d.Govern(t, true)
	require.True(t, governs(0) && governs(m.ID))
	d.Update(t, m, `{}`, contenttest.Published(true))
	d.Govern(t, false)
	require.False(t, governs(0))
	require.True(t, governs(m.ID))
	d.Update(t, m, `{}`, contenttest.Published(false))
	require.False(t, governs(m.ID))
}

// A change that readers see is refused where a workflow governs published entries, until it is acknowledged.
func TestRedefine(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	less := *c
	less.Fields = c.Fields[1:]
	before, after := core.Schema{Project: d.Project, Collection: c}, core.Schema{Project: d.Project, Collection: &less}
	redefine := func(acknowledged bool) error {
		return d.Store.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			return publishing.Redefine(ctx, stores, before, after, acknowledged)
		})
	}
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
	require.NoError(t, redefine(false))
	d.Govern(t, true)
	var fault *core.Error
	require.ErrorAs(t, redefine(false), &fault)
	require.Equal(t, "governed", fault.Code)
	require.NotEmpty(t, fault.Fields)
	d.Committed.Take()
	require.NoError(t, redefine(true))
	require.Equal(t, []event.Type{event.CollectionAcknowledged}, d.Committed.Take())
	_, err := d.Writer.Unpublish(t.Context(), d.Actor, d.Ref(m), nil, "")
	require.NoError(t, err)
	require.NoError(t, redefine(false), "no entry is published")
}
