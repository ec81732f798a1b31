package approval_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/event"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// until returns the change of a write that sets the end of the publication.
func until(end time.Time) func(*core.EntryWrite) { return newsroom.Until(&end) }

// end returns the scheduled end of the current publication; zero: none.
func (r *fixture) end(id int64) time.Time {
	r.t.Helper()
	scheduled, err := r.Stores.Schedules.ScheduledOf(r.Context(), r.Project.ID, []int64{id})
	require.NoError(r.t, err)
	for _, s := range scheduled {
		if s.Action == schedule.Unpublish {
			return s.DueAt
		}
	}
	return time.Time{}
}

// at runs the worker at a time and checks how many schedules it applied.
func (r *fixture) at(now time.Time, applied int) {
	r.t.Helper()
	r.clock.now = now
	r.due(applied, 0)
}

func (r *fixture) publish(id int64, at *time.Time, end core.Optional[time.Time]) string {
	r.t.Helper()
	_, err := r.Writer.Publish(r.Context(), r.Actor("editor"), r.Ref(id), writing.Publication{At: at, Until: end}, nil)
	return outcome(err)
}

func (r *fixture) reschedule(id int64, times schedule.Times) string {
	r.t.Helper()
	_, err := r.Reviews.Reschedule(r.Context(), r.Actor("admin"), r.Ref(id), times)
	return outcome(err)
}

// unpublished returns how many entry.unpublished events the Project has.
func (r *fixture) unpublished() (n int) {
	r.t.Helper()
	events, err := r.Stores.Events.Events(r.Context(), ports.EventQuery{ProjectID: r.Project.ID, Limit: 1 << 20})
	require.NoError(r.t, err)
	for _, e := range events {
		if e.Type == event.EntryUnpublished {
			n++
		}
	}
	return n
}

var (
	one, two, three = noon.Add(time.Hour), noon.Add(2 * time.Hour), noon.Add(3 * time.Hour)
	noEnd           = core.Null[time.Time]()
	anyEnd          core.Optional[time.Time]
)

// An approved publication ends once, at its scheduled time and never early.
func TestApprovedPublicationsEnd(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	m := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(one), until(two)))
	require.Nil(t, m.ScheduledUnpublishAt, "not approved")
	v := r.Request(m.ID)
	require.Equal(t, two, v.Request.UnpublishAt)
	require.Equal(t, two, v.Actions[0].UnpublishAt)
	shown := wire.ApprovalRequestOf(*v)
	require.Equal(t, core.FormatTime(two), *shown.ScheduledUnpublishAt)
	require.Equal(t, core.FormatTime(two), shown.Actions[0].ScheduledUnpublishAt)
	r.approveAll(m.ID, "admin")
	require.Equal(t, two, *r.Update(m.ID, newsroom.Article("B")).ScheduledUnpublishAt)
	require.Zero(t, r.end(m.ID), "the entry is not public")
	r.at(one, 1)
	require.Equal(t, "A", r.Public(m.ID))
	require.Equal(t, two, r.end(m.ID))
	r.at(two.Add(-time.Millisecond), 0)
	wait, err := r.Worker.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, time.Millisecond, wait)
	version := r.Entry(m.ID).Version

	r.at(two, 1)
	e := r.Entry(m.ID)
	require.Nil(t, e.Published)
	require.Zero(t, e.PublishedAt)
	require.Equal(t, version+1, e.Version)
	require.Contains(t, string(e.Draft), `"B"`)
	require.Equal(t, review.RequestPublished, r.Request(m.ID).Request.Status)
	require.Equal(t, 1, r.unpublished())
	r.at(three, 0)
	require.Equal(t, 1, r.unpublished())
	a, err := r.Reviews.Audit(t.Context(), r.Actor("viewer"), r.Ref(m.ID))
	require.NoError(t, err)
	require.True(t, a.Valid(), a.Faults)
	require.Equal(t, core.FormatTime(two), a.Request.Outcome().ScheduledUnpublishAt)
}

// The end of a publication does not affect a request for the draft.
func TestAnEndWithdrawsNothing(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.Create(newsroom.Article("A", newsroom.Published(true), until(one))).ID
	r.approveAll(id, "admin")
	r.Update(id, newsroom.Article("B", newsroom.Published(true), newsroom.At(two)))
	require.Zero(t, r.Request(id).Request.UnpublishAt, "the present end comes before the publication")
	r.approveAll(id, "admin")
	r.at(one, 1)
	require.Empty(t, r.Public(id))
	require.Equal(t, review.RequestApproved, r.Request(id).Request.Status)
	r.at(two, 1)
	require.Equal(t, "B", r.Public(id))
	require.Zero(t, r.end(id))
}

// Readers never see a version after its end, also when no worker ran in its period.
func TestPublicationAndEndOverdue(t *testing.T) {
	t.Parallel()
	for name, governed := range map[string]bool{"governed": true, "ungoverned": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			if governed {
				r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(one), until(two))).ID
			if governed {
				r.approveAll(id, "admin")
			}
			r.at(three, 1)
			require.Empty(t, r.Public(id))
			require.Equal(t, 1, r.unpublished())
			r.at(three, 0)
			require.Zero(t, r.end(id))
		})
	}
}

// A request whose end has passed is not approved until its schedule changes.
func TestAnEndThatPassedBeforeTheApproval(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin))
	id := r.Create(newsroom.Article("A", newsroom.Published(true), until(one))).ID
	r.clock.now = one
	require.NoError(t, r.Approve("admin", id))
	require.Equal(t, "invalid unpublishAt", outcome(r.Approve("admin", id)))
	require.Empty(t, r.Public(id))
	require.Equal(t, "invalid unpublishAt", r.reschedule(id, schedule.Times{UnpublishAt: core.Some(one)}))
	require.Equal(t, "ok", r.reschedule(id, schedule.Times{UnpublishAt: core.Some(two)}))
	require.NoError(t, r.Approve("admin", id))
	require.Equal(t, two, r.end(id))
}

// A new version without an end of its own keeps the scheduled end.
func TestEndsAreKeptReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	for name, governed := range map[string]bool{"governed": true, "ungoverned": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			if governed {
				r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			approve := func(id int64) {
				if governed {
					r.approveAll(id, "admin")
				}
			}
			id := r.Create(newsroom.Article("A", newsroom.Published(true), until(two))).ID
			approve(id)
			require.Equal(t, two, r.end(id))
			m := r.Update(id, newsroom.Article("typo", newsroom.Published(true)))
			require.Equal(t, two, *m.ScheduledUnpublishAt)
			approve(id)
			require.Equal(t, "typo", r.Public(id))
			require.Equal(t, two, r.end(id), "kept")

			r.Update(id, core.EntryWrite{Published: ptr(true), UnpublishAt: core.Some(three)})
			approve(id)
			require.Equal(t, three, r.end(id), "replaced, without a new version")
			r.Update(id, newsroom.Article("C", newsroom.Published(true), newsroom.At(one)))
			approve(id)
			r.at(one, 1)
			require.Equal(t, "C", r.Public(id))
			require.Equal(t, three, r.end(id), "kept by a scheduled version")

			require.Equal(t, "ok", r.publish(id, nil, noEnd))
			approve(id)
			require.Zero(t, r.end(id), "removed")
			require.Equal(t, "ok", r.publish(id, nil, noEnd))
			if governed {
				require.Equal(t, review.RequestPublished, r.Request(id).Request.Status, "nothing to review")
			}
			require.Equal(t, "C", r.Public(id))
			r.at(three, 0)
		})
	}
}

// In a governed Project reviewers approve a new end; until then the current end stays.
func TestEndsAreGated(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true), until(one))).ID
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	for _, end := range []core.Optional[time.Time]{noEnd, core.Some(three)} {
		require.Equal(t, "ok", r.publish(id, nil, end))
		require.Equal(t, review.RequestPending, r.Request(id).Request.Status)
		require.Equal(t, one, r.end(id))
		r.Update(id, core.EntryWrite{Published: ptr(false)})
		require.Equal(t, review.RequestWithdrawn, r.Request(id).Request.Status)
		require.Equal(t, one, r.end(id), "withdrawn with its request")
	}
	_, err := r.Writer.Unschedule(t.Context(), r.Actor("editor"), r.Ref(id), nil)
	require.Equal(t, "governed", outcome(err))
	require.Equal(t, "ok", r.publish(id, nil, anyEnd))
	require.Equal(t, review.RequestWithdrawn, r.Request(id).Request.Status, "nothing changes, so there is nothing to review")
	_, err = r.Writer.Unpublish(t.Context(), r.Actor("editor"), r.Ref(id), nil, "")
	require.NoError(t, err, "unpublishing is never gated")
	require.Zero(t, r.end(id))
}

// Unpublishing an entry, by whatever operation, also removes its scheduled end.
func TestEndsEndWithTheirPublication(t *testing.T) {
	t.Parallel()
	for name, takeBack := range map[string]func(r *fixture, id int64) error{
		"unpublished": func(r *fixture, id int64) error {
			_, err := r.Writer.Unpublish(r.Context(), r.Actor("editor"), r.Ref(id), nil, "")
			return err
		},
		"unchecked": func(r *fixture, id int64) error {
			r.Update(id, core.EntryWrite{Published: ptr(false)})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			public := r.Create(newsroom.Article("A", newsroom.Published(true), until(two))).ID
			scheduled := r.Create(newsroom.Article("B", newsroom.Published(true), newsroom.At(one), until(two))).ID
			require.NoError(t, takeBack(r, public))
			require.NoError(t, takeBack(r, scheduled))
			require.Zero(t, r.end(public))
			events := r.unpublished()
			r.at(three, 0)
			require.Equal(t, events, r.unpublished())
		})
	}
}

// A scheduled publication that moves, or that comes early, keeps its end.
func TestEndsFollowTheirScheduledPublication(t *testing.T) {
	t.Parallel()
	half := noon.Add(30 * time.Minute)
	for name, test := range map[string]struct {
		present, scheduled time.Time // ends; zero: none
		at                 *time.Time
		end                core.Optional[time.Time]
		want               time.Time
	}{
		"moved":                     {scheduled: two, at: &half, want: two},
		"early":                     {scheduled: two, want: two},
		"moved, with a present end": {present: three, scheduled: two, at: &half, want: two},
		"early, with a present end": {present: three, scheduled: two, want: two},
		"moved and removed":         {present: three, scheduled: two, at: &half, end: noEnd},
		"early and removed":         {present: three, scheduled: two, end: noEnd},
		"moved after a removal":     {present: three, at: &half},
		"early after a removal":     {present: three},
		"moved before the present":  {present: noon.Add(45 * time.Minute), at: &half, want: noon.Add(45 * time.Minute)},
	} {
		for how, governed := range map[string]bool{"ungoverned": false, "governed meanwhile": true} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				r := setup(t)
				id := r.Create(newsroom.Article("A")).ID
				if !test.present.IsZero() {
					r.Update(id, core.EntryWrite{Published: ptr(true), UnpublishAt: core.Some(test.present)})
				}
				r.Update(id, newsroom.Article("B", newsroom.Published(true), newsroom.At(one), newsroom.Until(core.NullIfZero(test.scheduled))))
				if governed {
					r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
				}
				require.Equal(t, "ok", r.publish(id, test.at, test.end))
				if governed {
					require.Equal(t, test.want, r.Request(id).Request.UnpublishAt)
					r.approveAll(id, "admin")
				}
				if test.at != nil {
					r.at(half, 1)
				}
				require.Equal(t, "B", r.Public(id))
				require.Equal(t, test.want, r.end(id))
				r.at(one, map[bool]int{true: 1}[test.want.Before(one) && !test.want.IsZero()])
			})
		}
	}
}

// A scheduled publication does not move behind its end.
func TestPublicationsDoNotMoveBehindTheirEnd(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(one), until(two))).ID
	require.Equal(t, "invalid unpublishAt", r.publish(id, &three, anyEnd))
	require.Equal(t, "invalid unpublishAt", r.publish(id, &two, anyEnd))
	require.Equal(t, "ok", r.publish(id, &three, noEnd))
}

// An entry in the trash keeps the end of its publication.
func TestEndsInTheTrash(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ungoverned bool
		restored   time.Time
		applied    int // schedules before the restoring
		public     string
		end        time.Time
	}{
		"restored before":              {ungoverned: true, restored: one, public: "A", end: two},
		"restored before, governed":    {restored: one},
		"restored after":               {ungoverned: true, restored: three, applied: 1},
		"restored before a worker ran": {ungoverned: true, restored: two},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			id := r.Create(newsroom.Article("A", newsroom.Published(true), until(two))).ID
			if !test.ungoverned {
				r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			m, err := r.Writer.Trash(r.Context(), r.Actor("editor"), r.Ref(id), nil, "")
			require.NoError(t, err)
			require.Equal(t, two, *r.Show(m).ScheduledUnpublishAt)
			if r.clock.now = test.restored; test.applied > 0 {
				r.due(test.applied, 0)
			}
			_, err = r.Writer.Restore(r.Context(), r.Actor("editor"), r.Ref(id), nil)
			require.NoError(t, err)
			require.Equal(t, []any{test.public, test.end}, []any{r.Public(id), r.end(id)})
			r.at(three, map[bool]int{true: 1}[!test.end.IsZero()])
			require.Empty(t, r.Public(id))
		})
	}
}

func TestUnscheduleRemovesBoth(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true), until(three))).ID
	m := r.Update(id, newsroom.Article("B", newsroom.Published(true), newsroom.At(one), until(two)))
	require.Equal(t, []time.Time{one, two}, []time.Time{*m.ScheduledPublishAt, *m.ScheduledUnpublishAt})
	require.Equal(t, three, r.end(id), "until the new version is public")
	unscheduled, err := r.Writer.Unschedule(t.Context(), r.Actor("editor"), r.Ref(id), nil)
	require.NoError(t, err)
	m = r.Show(unscheduled)
	require.Nil(t, m.ScheduledPublishAt)
	require.Nil(t, m.ScheduledUnpublishAt)
	r.at(three, 0)
	require.Equal(t, "A", r.Public(id))
}

// A scheduled publication whose Project is governed when it is due is submitted with its end.
func TestEndsOfSubmittedSchedules(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(one), until(two))).ID
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	r.at(one, 1)
	require.Equal(t, two, r.Request(id).Request.UnpublishAt)
	r.approveAll(id, "admin")
	r.at(two, 1)
	require.Empty(t, r.Public(id))
}

func TestInvalidEndsAreRefused(t *testing.T) {
	t.Parallel()
	for name, governed := range map[string]bool{"governed": true, "ungoverned": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			if governed {
				r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			id := r.Create(newsroom.Article("A")).ID
			before := r.Entry(id)
			for _, refused := range []struct {
				at  *time.Time
				end time.Time
			}{{nil, noon}, {nil, noon.Add(-time.Hour)}, {nil, time.Time{}}, {&two, one}, {&one, one}, {nil, time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("", -5*3600))}} {
				require.Equal(t, "invalid unpublishAt", r.publish(id, refused.at, core.Some(refused.end)))
			}
			for _, wr := range []core.EntryWrite{
				{UnpublishAt: core.Some(one)}, {UnpublishAt: noEnd}, {Published: ptr(false), UnpublishAt: core.Some(one)},
			} {
				_, err := r.Writer.Update(t.Context(), r.Actor("editor"), r.Ref(id), nil, wr)
				require.Equal(t, "invalid unpublishAt", outcome(err))
			}
			require.Equal(t, before, r.Entry(id))
			require.Equal(t, "ok", r.publish(id, ptr(noon.Add(-time.Hour)), core.Some(one)), "a past publishAt is at once")
		})
	}
}

// brokenTx provides entries that cannot be unpublished while broken is true.
type brokenTx struct {
	ports.Tx
	broken bool
}

func (tx *brokenTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return tx.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Entries = brokenEntries{stores.Entries, tx}
		return do(ctx, stores)
	})
}

type brokenEntries struct {
	ports.EntryStore
	tx *brokenTx
}

func (s brokenEntries) Save(ctx context.Context, schema core.Schema, inserted, updated []*core.Entry) error {
	if s.tx.broken && updated[0].Published == nil {
		return core.Forbidden("the entry is locked")
	}
	return s.EntryStore.Save(ctx, schema, inserted, updated)
}

// An end that fails is retried with backoff, is listed, and does not delay publications.
func TestFailedEndsAreRetried(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true), until(one))).ID
	other := r.Create(newsroom.Article("B", newsroom.Published(true), newsroom.At(one))).ID
	tx := &brokenTx{r.Tx, true}
	r.Worker = approval.NewWorker(r.Stores.Schedules, tx, r.Publisher, r.Clock)
	r.clock.now = one
	r.due(1, 1)
	require.Equal(t, []string{"A", "B"}, []string{r.Public(id), r.Public(other)})
	failed, err := r.failed("admin")
	require.NoError(t, err)
	require.Len(t, failed, 1)
	require.Equal(t, schedule.Unpublish, failed[0].Action)
	require.Equal(t, "the entry is locked", failed[0].LastFault)
	tx.broken = false
	r.due(0, 0)
	r.clock.pass(time.Second)
	r.due(1, 0)
	require.Empty(t, r.Public(id))
	require.Equal(t, 1, r.unpublished())
}

func TestRescheduledEnds(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(one), until(two))).ID
	r.approveAll(id, "admin")
	require.Equal(t, "invalid unpublishAt", r.reschedule(id, schedule.Times{PublishAt: core.Some(two)}))
	require.Equal(t, "ok", r.reschedule(id, schedule.Times{UnpublishAt: core.Some(three)}))
	require.Equal(t, one, r.Request(id).Request.ScheduledAt, "an absent member stays")
	require.Equal(t, "ok", r.reschedule(id, schedule.Times{PublishAt: core.Some(two)}))
	require.Equal(t, three, r.Request(id).Request.UnpublishAt)
	require.Equal(t, "ok", r.reschedule(id, schedule.Times{UnpublishAt: noEnd}))
	require.Zero(t, r.Request(id).Request.UnpublishAt)
	require.Equal(t, "ok", r.reschedule(id, schedule.Times{UnpublishAt: core.Some(three)}))
	r.at(two, 1)
	require.Equal(t, three, r.end(id))
	r.at(three, 1)
	require.Empty(t, r.Public(id))
	v := r.Request(id)
	last := v.Actions[len(v.Actions)-2]
	require.Equal(t, []time.Time{two, three}, []time.Time{last.ScheduledAt, last.UnpublishAt})
}
