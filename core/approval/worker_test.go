package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// due runs the worker once and checks the numbers of published and failed entries.
func (r *fixture) due(published, failed int) {
	r.t.Helper()
	gotPublished, gotFailed, err := r.Worker.PublishDue(r.Context())
	require.NoError(r.t, err)
	require.Equal(r.t, [2]int{published, failed}, [2]int{gotPublished, gotFailed})
}

func TestDueRequestsArePublishedOnceAndNeverEarly(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	at := noon.Add(time.Hour)
	var seen []time.Duration
	r.Worker.Observe = func(_ schedule.Schedule, late time.Duration, fault error) {
		require.NoError(t, fault)
		seen = append(seen, late)
	}
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at))).ID
	r.approveAll(id, "admin")
	r.Update(id, newsroom.Article("after the last approval"))
	r.due(0, 0)
	r.clock.now = at.Add(-time.Millisecond)
	r.due(0, 0)
	wait, err := r.Worker.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, time.Millisecond, wait)
	require.Empty(t, r.Public(id))

	r.clock.now = at
	wait, err = r.Worker.Wait(t.Context())
	require.NoError(t, err)
	require.Zero(t, wait)
	r.due(1, 0)
	require.Equal(t, "A", r.Public(id))
	v := r.Request(id)
	require.Equal(t, review.RequestPublished, v.Request.Status)
	require.Equal(t, at, v.Request.PublishedAt)
	last := v.Actions[len(v.Actions)-1]
	require.Equal(t, review.ActionPublish, last.Type)
	require.Equal(t, "system", last.Actor.Kind)
	r.due(0, 0)
	require.Equal(t, []time.Duration{0}, seen)
	wait, err = r.Worker.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, 500*time.Millisecond, wait)
}

// Without a workflow the draft of the due time is published.
func TestUngovernedSchedules(t *testing.T) {
	t.Parallel()
	at := noon.Add(time.Hour)
	schedule := func(r *fixture) int64 {
		return r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at))).ID
	}
	t.Run("the draft of the due time", func(t *testing.T) {
		t.Parallel()
		r := setup(t)
		id := schedule(r)
		require.Empty(t, r.Public(id))
		r.Update(id, newsroom.Article("B"))
		r.clock.now = at
		r.due(1, 0)
		require.Equal(t, "B", r.Public(id))
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		r := setup(t)
		id := schedule(r)
		_, err := r.Writer.Unpublish(t.Context(), r.Actor("editor"), r.Ref(id), nil, "")
		require.NoError(t, err)
		r.clock.now = at
		r.due(0, 0)
	})
	t.Run("published before", func(t *testing.T) {
		t.Parallel()
		r := setup(t)
		id := schedule(r)
		r.Update(id, newsroom.Article("A", newsroom.Published(true)))
		require.Equal(t, "A", r.Public(id))
		r.clock.now = at
		r.due(0, 0)
	})
	t.Run("the next version of a published entry", func(t *testing.T) {
		t.Parallel()
		r := setup(t)
		id := r.Create(newsroom.Article("A", newsroom.Published(true))).ID
		r.Update(id, newsroom.Article("B", newsroom.Published(true), newsroom.At(at)))
		r.Update(id, newsroom.Article("C"))
		require.Equal(t, "A", r.Public(id), "a scheduled version is not public before its time")
		r.Update(id, core.EntryWrite{Published: ptr(false)})
		require.Equal(t, "A", r.Public(id), "cancelled, and the published version stays")
		r.Update(id, newsroom.Article("C", newsroom.Published(true), newsroom.At(at)))
		r.clock.now = at
		r.due(1, 0)
		require.Equal(t, "C", r.Public(id))
		r.Update(id, newsroom.Article("D"))
		require.Equal(t, "D", r.Public(id))
	})
	t.Run("with a workflow when due", func(t *testing.T) {
		t.Parallel()
		r := setup(t)
		id := schedule(r)
		r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		r.clock.now = at
		r.due(1, 0)
		require.Empty(t, r.Public(id))
		v := r.Request(id)
		require.Equal(t, review.RequestPending, v.Request.Status)
		require.Equal(t, "editor", v.Request.SubmittedBy.Name)
		r.approveAll(id, "admin")
		require.Equal(t, "A", r.Public(id))
	})
	t.Run("incomplete with a workflow when due", func(t *testing.T) {
		t.Parallel()
		r := setup(t)
		id := schedule(r)
		r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		fields := map[string]json.RawMessage{"title": json.RawMessage("null")}
		r.Update(id, core.EntryWrite{Fields: core.WrittenFields{Raw: fields}, AllowIncomplete: true, KeepPublished: true})
		r.clock.now = at
		r.due(0, 1)
		_, err := r.Reviews.Current(t.Context(), r.Actor("super"), r.Ref(id))
		require.ErrorIs(t, err, core.ErrNotFound, "an incomplete draft is not submitted")
	})
	t.Run("submitted before due", func(t *testing.T) {
		t.Parallel()
		r := setup(t)
		id := schedule(r)
		r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		r.Update(id, newsroom.Article("B", newsroom.Published(true)))
		r.clock.now = at
		r.due(0, 0)
		require.Contains(t, string(r.Request(id).Shown), `"B"`)
	})
}

// A failed publication is retried with backoff, is listed, and does not delay others.
func TestFailuresAreRetriedAndVisible(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	at := noon.Add(time.Hour)
	stuck := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at), newsroom.Field("code", "one"))).ID
	r.approveAll(stuck, "admin")
	r.Update(stuck, newsroom.Article("A", newsroom.Field("code", "two")))
	taker := r.Create(newsroom.Article("B", newsroom.Field("code", "one"))).ID
	fine := r.Create(newsroom.Article("C", newsroom.Published(true), newsroom.At(at.Add(time.Millisecond)))).ID
	r.approveAll(fine, "admin")

	r.clock.now = at.Add(time.Second)
	r.due(1, 1)
	require.Equal(t, "C", r.Public(fine))
	require.Equal(t, review.RequestApproved, r.Request(stuck).Request.Status)
	for _, person := range []string{"super", "tenant", "department", "admin"} {
		failed, err := r.failed(person)
		require.NoError(t, err)
		require.Len(t, failed, 1, person)
		require.Equal(t, 1, failed[0].Attempts)
		require.Contains(t, failed[0].LastFault, "fields.code is taken by another entry")
	}
	for project, total := range map[int64]int64{r.Project.ID: 1, r.Project.ID + 1000: 0} {
		page, err := r.Inbox.Failed(t.Context(), r.Actor("admin"), approval.FailedFilter{ProjectID: project, Window: query.Window{PerPage: 1}})
		require.NoError(t, err)
		require.Equal(t, total, page.Total)
		require.False(t, page.HasMore)
	}
	past, err := r.Inbox.Failed(t.Context(), r.Actor("admin"), approval.FailedFilter{Window: query.Window{Page: 2, PerPage: 1}})
	require.NoError(t, err)
	require.Empty(t, past.Items)
	require.EqualValues(t, 1, past.Total)
	_, err = r.Inbox.Failed(t.Context(), r.Actor("admin"), approval.FailedFilter{Window: query.Window{PerPage: 101}})
	require.ErrorContains(t, err, "perPage")
	for _, person := range []string{"editor", "viewer", "legal", "outsider"} {
		failed, err := r.failed(person)
		require.NoError(t, err)
		require.Empty(t, failed, person)
	}

	r.due(0, 0)
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600} {
		r.clock.pass(wait*time.Second - time.Millisecond)
		r.due(0, 0)
		r.clock.pass(time.Millisecond)
		r.due(0, 1)
	}
	r.Update(taker, newsroom.Article("B", newsroom.Field("code", "three")))
	r.clock.pass(10 * time.Minute)
	r.due(1, 0)
	require.Equal(t, "A", r.Public(stuck))
	count, err := r.Stores.Schedules.CountFailed(t.Context())
	require.NoError(t, err)
	require.Zero(t, count)
}

// Publications that fail do not delay the others of their transaction. Each attempt is observed
// once.
func TestFailuresDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	at := noon.Add(time.Hour)
	want, seen := map[int64]bool{}, map[int64]int{}
	for n := range 25 {
		code := fmt.Sprint("code ", n)
		id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at), newsroom.Field("code", code))).ID
		r.approveAll(id, "admin")
		if want[id] = n%7 != 3; !want[id] {
			r.Update(id, newsroom.Article("A", newsroom.Field("code", "another for "+code)))
			r.Create(newsroom.Article("B", newsroom.Field("code", code)))
		}
	}
	r.Worker.Observe = func(p schedule.Schedule, _ time.Duration, fault error) {
		require.Equal(t, want[p.EntryID], fault == nil, fault)
		seen[p.EntryID]++
	}
	r.clock.now = at
	r.due(21, 4)
	for id, public := range want {
		require.Equal(t, public, r.Public(id) != "")
		require.Equal(t, 1, seen[id])
	}
	r.due(0, 0)
}

// unreachableTx is a database that becomes unreachable.
type unreachableTx struct {
	ports.Tx
	fault error
}

func (tx *unreachableTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	if tx.fault != nil {
		return tx.fault
	}
	return tx.Tx.Do(ctx, actor, do)
}

func TestDuePublicationsSurviveADatabaseOutage(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(noon.Add(time.Hour)))).ID
	r.clock.pass(2 * time.Hour)
	tx := &unreachableTx{Tx: r.Tx, fault: &core.Error{Kind: core.KindUnavailable, Code: "unavailable"}}
	worker := approval.NewWorker(r.Stores.Schedules, tx, r.Publisher, r.Clock)
	_, _, err := worker.PublishDue(t.Context())
	require.ErrorIs(t, err, core.ErrUnavailable)
	tx.fault = nil
	published, failed, err := worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, []int{published, failed})
	require.Equal(t, "A", r.Public(id))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = worker.PublishDue(ended)
	require.True(t, errors.Is(err, context.Canceled))
}

// damaged is a request store that modifies snapshots.
type damaged struct{ ports.RequestStore }

func (d damaged) Request(ctx context.Context, projectID, id int64) (review.Request, error) {
	r, err := d.RequestStore.Request(ctx, projectID, id)
	r.Item().Snapshot = []byte(`{"collection":"articles","fields":{"title":"forged"},"locale":"en"}`)
	return r, err
}

// damagedTx provides the damaged store.
type damagedTx struct{ ports.Tx }

func (tx damagedTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return tx.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Requests = damaged{stores.Requests}
		return do(ctx, stores)
	})
}

func TestAForgedSnapshotIsNotPublished(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(noon.Add(time.Hour)))).ID
	r.approveAll(id, "admin")
	r.clock.pass(2 * time.Hour)
	_, failed, err := approval.NewWorker(r.Stores.Schedules, damagedTx{r.Tx}, r.Publisher, r.Clock).PublishDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, failed)
	require.Empty(t, r.Public(id))
}

// Projects that cannot be held, or whose entries are locked, delay no other Project.
func TestLockedProjectsDelayNoOther(t *testing.T) {
	t.Parallel()
	at := noon.Add(time.Hour)
	r := setup(t)
	ids := map[*fixture][]int64{}
	locks := &lockedStores{Tx: r.Tx, projects: map[int64]bool{}, entries: map[int64]bool{}}
	for n := range 3 {
		other := &fixture{Fixture: newsroom.New(t, r.Stores, r.Tx, r.clock), t: t, clock: r.clock}
		for range 25 {
			ids[other] = append(ids[other], other.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at))).ID)
		}
		if n < 2 {
			locks.projects[other.Project.ID] = true
			continue
		}
		for _, id := range ids[other] {
			locks.entries[id] = true
		}
	}
	for range 25 {
		ids[r] = append(ids[r], r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at.Add(time.Second)))).ID)
	}
	r.clock.now = at.Add(time.Minute)
	r.Worker = approval.NewWorker(r.Stores.Schedules, locks, r.Publisher, r.clock)
	r.due(25, 0)
	require.Equal(t, 4*locks.transactions, locks.reads, "each transaction, the last one too, finds that the other rows are locked")
	for owner, of := range ids {
		for _, id := range of {
			require.Equal(t, owner == r, owner.Public(id) == "A")
		}
	}
	clear(locks.projects)
	clear(locks.entries)
	r.due(75, 0)
}

// lockedStores is a ports.Tx whose transactions find some Projects and entries locked. reads is
// the number of reads of due schedules.
type lockedStores struct {
	ports.Tx
	projects, entries   map[int64]bool
	transactions, reads int
}

func (l *lockedStores) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	l.transactions++
	return l.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Projects = lockedProjects{stores.Projects, l.projects}
		stores.Entries = lockedEntries{stores.Entries, l.entries}
		stores.Schedules = countedSchedules{stores.Schedules, &l.reads}
		return do(ctx, stores)
	})
}

type lockedProjects struct {
	ports.ProjectStore
	locked map[int64]bool
}

func (s lockedProjects) TryHold(ctx context.Context, id int64) (*core.Project, bool, error) {
	if s.locked[id] {
		return nil, false, nil
	}
	return s.ProjectStore.TryHold(ctx, id)
}

type lockedEntries struct {
	ports.EntryStore
	locked map[int64]bool
}

func (s lockedEntries) TryLock(ctx context.Context, projectID, id int64) (core.Entry, bool, error) {
	if s.locked[id] {
		return core.Entry{}, false, nil
	}
	return s.EntryStore.TryLock(ctx, projectID, id)
}

type countedSchedules struct {
	ports.ScheduleStore
	reads *int
}

func (s countedSchedules) Due(ctx context.Context, limit int, without ...int64) ([]schedule.Schedule, error) {
	*s.reads++
	return s.ScheduleStore.Due(ctx, limit, without...)
}
