package approval_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// Each action records the hash of the draft at its time.
func TestActionsRecordTheDraftHash(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.submit("A")
	draft := func() string {
		e := r.Entry(id)
		_, hash, _ := r.Articles.Snapshot(e.Locale, e.Draft, nil)
		return hash
	}
	submitted := draft()
	r.approveAll(id, "admin")
	r.Update(id, newsroom.Article("B"))
	edited := draft()
	r.approveAll(id, "legal")
	r.Update(id, newsroom.Article("C", newsroom.Published(false)))
	withdrawn := draft()
	var hashes []string
	for _, a := range r.Request(id).Actions {
		require.Equal(t, submitted, a.ContentHash)
		hashes = append(hashes, a.DraftHash)
	}
	require.Equal(t, []string{submitted, submitted, edited, withdrawn}, hashes)
}

func TestGuards(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(10, core.RoleAdmin), newsroom.Step(20, core.RoleTenantAdmin))
	id := r.submit("A")
	hash := r.Request(id).Request.ContentHash()
	for _, row := range []struct {
		decide decide
		person string
		in     approval.Decision
		want   string
	}{
		{approve, "tenant", approval.Decision{StepOrder: ptr(20)}, "stale_step"},
		{approve, "tenant", approval.Decision{ContentHash: ptr("other")}, "stale_content"},
		{approve, "tenant", approval.Decision{IfMatch: ptr(int64(2))}, "precondition_failed"},
		{reject, "tenant", approval.Decision{StepOrder: ptr(1)}, "stale_step"},
		{revise, "tenant", approval.Decision{}, "invalid comment"},
		{revise, "viewer", approval.Decision{}, "forbidden"},
		{publishNow, "tenant", approval.Decision{}, "not_approved"},
		{publishNow, "viewer", approval.Decision{}, "forbidden"},
		{publishNow, "outsider", approval.Decision{}, "not_found"},
		{approve, "tenant", approval.Decision{StepOrder: ptr(10), ContentHash: &hash, IfMatch: ptr(int64(1))}, "ok"},
		{approve, "tenant", approval.Decision{StepOrder: ptr(10)}, "stale_step"},
		{approve, "admin", approval.Decision{StepOrder: ptr(10)}, "stale_step"},
		{approve, "admin", approval.Decision{}, "forbidden"},
		{approve, "tenant", approval.Decision{Comment: strings.Repeat("x", 4001)}, "invalid comment"},
		{approve, "tenant", approval.Decision{Comment: "fine"}, "ok"},
		{approve, "tenant", approval.Decision{}, "not_pending"},
		{reject, "admin", approval.Decision{}, "not_pending"},
		{revise, "viewer", approval.Decision{}, "forbidden"},
		{publishNow, "tenant", approval.Decision{}, "not_approved"},
	} {
		_, err := row.decide(r.Reviews, r, row.person, id, row.in)
		require.Equal(t, row.want, outcome(err), "%s %+v", row.person, row.in)
		var state *approval.StateError
		if errors.Is(err, core.ErrConflict) {
			require.True(t, errors.As(err, &state))
			require.Equal(t, r.Request(id).Request, state.View.Request, "the error contains the current request")
		}
	}
	for collection, entry := range map[int64]int64{r.Articles.ID: id + 99, r.Articles.ID + 99: id} {
		_, err := r.Reviews.Current(t.Context(), r.Actor("super"), review.EntryRef{Project: r.Project, CollectionID: collection, ID: entry})
		require.Equal(t, "not_found", outcome(err))
	}
}

// One of many concurrent decisions succeeds; the others get a conflict.
func TestConcurrentDecisions(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin))
	for range 20 {
		id := r.submit("A")
		decisions := []decide{approve, approve, reject, revise}
		errs := make([]error, 2*len(decisions))
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				_, errs[i] = decisions[i%len(decisions)](r.Reviews, r, "admin", id, approval.Decision{Comment: "c", StepOrder: ptr(1)})
			})
		}
		all.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			require.ErrorIs(t, err, core.ErrConflict)
		}
		require.Equal(t, 1, won)
		require.Len(t, r.Request(id).Actions, 2)
		require.Empty(t, r.Public(id))
	}
}

// rivalTx runs rival before its first transaction.
type rivalTx struct {
	ports.Tx
	rival func()
}

func (tx *rivalTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	if rival := tx.rival; rival != nil {
		tx.rival = nil
		rival()
	}
	return tx.Tx.Do(ctx, actor, do)
}

// A decision that another change overtakes changes nothing, and its error says what the caller did not see.
func TestOvertakenDecisions(t *testing.T) {
	t.Parallel()
	approves := func(t *testing.T, r *fixture, id int64) { require.NoError(t, r.Approve("admin", id)) }
	rejects := func(t *testing.T, r *fixture, id int64) {
		_, err := reject(r.Reviews, r, "admin", id, approval.Decision{})
		require.NoError(t, err)
	}
	trashes := func(t *testing.T, r *fixture, id int64) {
		_, err := r.Writer.Trash(t.Context(), r.Actor("editor"), r.Ref(id), nil, "")
		require.NoError(t, err)
	}
	resubmits := func(t *testing.T, r *fixture, id int64) {
		rejects(t, r, id)
		r.Update(id, newsroom.Article("B", newsroom.Published(true)))
	}
	for name, row := range map[string]struct {
		steps int
		rival func(t *testing.T, r *fixture, id int64)
		in    func(v *approval.View) approval.Decision
		want  string
	}{
		"nothing named":          {2, approves, func(*approval.View) approval.Decision { return approval.Decision{} }, "changed_meanwhile"},
		"the step":               {2, approves, func(*approval.View) approval.Decision { return approval.Decision{StepOrder: ptr(1)} }, "stale_step"},
		"the version":            {2, approves, func(*approval.View) approval.Decision { return approval.Decision{IfMatch: ptr(int64(1))} }, "precondition_failed"},
		"the last step, done":    {1, approves, func(*approval.View) approval.Decision { return approval.Decision{StepOrder: ptr(1)} }, "changed_meanwhile"},
		"the last step, refused": {1, rejects, func(*approval.View) approval.Decision { return approval.Decision{} }, "changed_meanwhile"},
		"the entry, trashed":     {1, trashes, func(*approval.View) approval.Decision { return approval.Decision{} }, "changed_meanwhile"},
		"the content": {1, resubmits, func(v *approval.View) approval.Decision {
			return approval.Decision{ContentHash: ptr(v.Request.ContentHash())}
		}, "stale_content"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			r.SetWorkflow([]approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin)}[:row.steps]...)
			id := r.submit("A")
			in := row.in(r.Request(id))
			var after review.Request
			tx := &rivalTx{r.Tx, func() {
				row.rival(t, r, id)
				after = r.Request(id).Request
			}}
			_, err := approve(reviewsOn(r, tx), r, "tenant", id, in)
			require.Equal(t, row.want, outcome(err))
			require.Equal(t, after, r.Request(id).Request)
			var state *approval.StateError
			if errors.As(err, &state) {
				require.Equal(t, after, state.View.Request, "the error contains the current request")
			} else {
				require.Equal(t, "precondition_failed", row.want)
			}
		})
	}
}

func reviewsOn(r *fixture, tx ports.Tx) *approval.Reviews {
	return approval.NewReviews(r.Stores, tx, r.Publisher)
}

// The submitted snapshot is published, even if the draft changes during the review.
func TestTheSnapshotIsPublished(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin))
	id := r.Create(newsroom.Article("reviewed", newsroom.Published(true), newsroom.Field("note", "secret"))).ID
	r.Update(id, newsroom.Article("after submission"))
	r.approveAll(id, "admin")
	r.Update(id, newsroom.Article("between the steps"))
	r.approveAll(id, "admin")
	require.Equal(t, `{"note":"secret","tags":[],"title":"reviewed"}`, string(r.Entry(id).Published))
	require.Contains(t, string(r.Entry(id).Draft), "between the steps")
	v := r.Request(id)
	require.Equal(t, review.RequestPublished, v.Request.Status)
	require.True(t, v.ContentChanged)
	require.NotContains(t, string(v.Shown), "secret")
	require.Equal(t, []review.ActionType{review.ActionSubmit, review.ActionApprove, review.ActionApprove, review.ActionPublish}, types(v.Actions))
}

func types(actions []review.Action) []review.ActionType {
	all := make([]review.ActionType, len(actions))
	for i, a := range actions {
		all[i] = a.Type
	}
	return all
}

func hide(in definition.FieldInput) definition.FieldInput {
	in.Hidden = true
	return in
}

// A field that became secret after the submission is not shown.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.Field("code", "palimpsest"))).ID
	_, err := r.Collections.ReviseField(t.Context(), definition.Change{Actor: core.Actor{System: true}, Project: r.Project, CollectionID: r.Articles.ID}, "code", hide)
	require.NoError(t, err)
	require.NotContains(t, string(r.Request(id).Shown), "palimpsest")
	d, err := r.Reviews.Diff(t.Context(), r.Actor("viewer"), r.Ref(id), 0)
	require.NoError(t, err)
	require.NotContains(t, string(d.PublishedToSnapshot), "palimpsest")
	require.NotContains(t, string(d.Draft.Fields), "palimpsest")
	require.Nil(t, d.Published)
	require.NotEmpty(t, d.Fields)
	for _, f := range d.Fields {
		require.NotEqual(t, "code", f.Name)
	}
	var lines strings.Builder
	_, err = r.Exporter.Export(t.Context(), r.Project, wire.WriteApprovals(&lines), nil)
	require.NoError(t, err)
	require.NotContains(t, lines.String(), "palimpsest")
}

// When the publication fails, the approval is rolled back.
func TestRefusedReleaseChangesNothing(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.Field("code", "one"))).ID
	r.Update(id, newsroom.Article("A", newsroom.Field("code", "two"))) // releases "one"
	r.Create(newsroom.Article("B", newsroom.Field("code", "one")))
	before := r.Request(id)
	require.Equal(t, "invalid fields.code", outcome(r.Approve("admin", id)))
	require.Equal(t, before, r.Request(id))
	require.Empty(t, r.Public(id))
}

func TestDiff(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.submit("A")
	diff := func() [2]string {
		d, err := r.Reviews.Diff(t.Context(), r.Actor("viewer"), r.Ref(id), 0)
		require.NoError(t, err)
		return [2]string{string(d.PublishedToSnapshot), string(d.SnapshotToDraft)}
	}
	require.Equal(t, [2]string{`[{"value":[],"op":"add","path":"/tags"},{"value":"A","op":"add","path":"/title"}]`, `[]`}, diff())
	r.approveAll(id, "admin")
	r.Update(id, newsroom.Article("B", newsroom.Published(true)))
	r.Update(id, newsroom.Article("B", newsroom.Field("note", "psst"), newsroom.Field("code", "c")))
	require.Equal(t, [2]string{`[{"value":"B","op":"replace","path":"/title"}]`, `[{"value":"c","op":"add","path":"/code"}]`}, diff())
	_, err := r.Writer.Trash(t.Context(), r.Actor("admin"), r.Ref(id), nil, "")
	require.NoError(t, err)
	require.NoError(t, r.Writer.Destroy(t.Context(), r.Actor("admin"), r.Ref(id), nil, ""))
	require.Equal(t, [2]string{
		`[{"value":[],"op":"add","path":"/tags"},{"value":"B","op":"add","path":"/title"}]`,
		`[{"op":"remove","path":"/tags"},{"op":"remove","path":"/title"}]`,
	}, diff(), "a request outlives its entry")
}

func TestHistoryAndAudit(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.Create(newsroom.Article("A")).ID
	history := func(person string) ([]approval.View, error) {
		page, err := r.Reviews.History(t.Context(), r.Actor(person), r.Ref(id), query.Window{})
		if err != nil {
			return nil, err
		}
		return page.Items, nil
	}
	none, err := history("viewer")
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = history("legal")
	require.Equal(t, "not_found", outcome(err), "a custom role opens requests, not content")
	r.Update(id, newsroom.Article("A", newsroom.Published(true)))
	mine, err := history("legal")
	require.NoError(t, err)
	require.Len(t, mine, 1)
	_, err = history("outsider")
	require.Equal(t, "not_found", outcome(err))

	r.approveAll(id, "admin", "legal", "department")
	a, err := r.Reviews.Audit(t.Context(), r.Actor("viewer"), r.Ref(id))
	require.NoError(t, err)
	require.True(t, a.Valid() && a.SnapshotValid)
	require.Len(t, a.Actions, 5)
	require.Equal(t, a.Actions[3].Hash, a.Actions[4].PreviousHash)
	require.Equal(t, a.Request.ChainHash, a.Actions[4].Hash)
	for _, action := range a.Actions {
		require.Equal(t, a.Request.ContentHash(), action.ContentHash)
	}
	_, err = r.Reviews.Audit(t.Context(), r.Actor("outsider"), r.Ref(id))
	require.Equal(t, "not_found", outcome(err))
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.CustomRoleStep(2, r.Legal))
	at := noon.Add(time.Hour)
	scheduled := func() int64 {
		id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at))).ID
		r.approveAll(id, "admin", "legal")
		return id
	}
	reschedule := func(person string, id int64, at *time.Time) string {
		_, err := r.Reviews.Reschedule(t.Context(), r.Actor(person), r.Ref(id), schedule.Times{PublishAt: core.Optional[time.Time]{Given: true, Value: at}})
		return outcome(err)
	}

	id := scheduled()
	require.Equal(t, review.RequestApproved, r.Request(id).Request.Status)
	require.Empty(t, r.Public(id))
	require.Equal(t, "not_pending", outcome(r.Approve("legal", id)))
	require.Equal(t, "forbidden", reschedule("editor", id, ptr(at)))
	require.Equal(t, "forbidden", outcome(second(publishNow(r.Reviews, r, "editor", id, approval.Decision{}))))
	require.Equal(t, "forbidden", reschedule("admin", id, ptr(at)), "an admin without the last step")
	require.Equal(t, "invalid publishAt", reschedule("legal", id, nil))
	require.Equal(t, "ok", reschedule("legal", id, ptr(at.Add(time.Hour))), "a reviewer of the last step")
	require.Equal(t, at.Add(time.Hour), r.Request(id).Request.ScheduledAt)
	r.Update(id, newsroom.Article("B"))
	v, err := publishNow(r.Reviews, r, "admin", id, approval.Decision{Comment: "breaking"})
	require.NoError(t, err)
	require.Equal(t, review.RequestPublished, v.Request.Status)
	require.Equal(t, "A", r.Public(id))
	require.Equal(t, []review.ActionType{
		review.ActionSubmit, review.ActionApprove, review.ActionApprove, review.ActionReschedule, review.ActionPublishNow, review.ActionPublish,
	}, types(v.Actions))
	require.Equal(t, "not_open", reschedule("legal", id, ptr(at)))

	id = scheduled()
	require.Equal(t, "ok", reschedule("legal", id, ptr(noon.Add(-time.Second))), "a past time publishes at once")
	require.Equal(t, "A", r.Public(id))

	id = r.submit("A")
	require.Equal(t, "ok", reschedule("editor", id, ptr(at)), "the submitter while pending")
	require.Equal(t, "forbidden", reschedule("viewer", id, nil))
	require.Equal(t, "ok", reschedule("editor", id, nil))
	r.approveAll(id, "admin", "legal")
	require.Equal(t, "A", r.Public(id))

	id = r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(at))).ID
	r.clock.pass(2 * time.Hour)
	r.approveAll(id, "admin", "legal")
	require.Equal(t, "A", r.Public(id), "a past time publishes at once")
}

func second[T any](_ T, err error) error { return err }

// runningClock advances with every call.
type runningClock struct{ now atomic.Int64 }

func (c *runningClock) Now() time.Time {
	return noon.Add(time.Duration(c.now.Add(1)) * time.Millisecond)
}

// The request and the entry have the same publication time.
func TestRequestAndEntryArePublishedAtTheSameTime(t *testing.T) {
	t.Parallel()
	clock := &runningClock{}
	store := memory.NewAt(clock)
	world := newsroom.New(t, store.Stores(), store, clock)
	world.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := world.Create(newsroom.Article("A", newsroom.Published(true))).ID
	require.NoError(t, world.Approve("admin", id))
	require.Equal(t, world.Request(id).Request.PublishedAt, world.Entry(id).PublishedAt)
}

// The history of an entry has as many pages as needed.
func TestHistoryInPages(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.submit("A")
	const submissions = 103
	for n := range submissions - 1 {
		if n == submissions-4 {
			r.SetWorkflow(newsroom.CustomRoleStep(1, r.Legal)) // the last three
		}
		_, err := reject(r.Reviews, r, map[bool]string{true: "legal", false: "admin"}[n > submissions-4], id, approval.Decision{})
		require.NoError(t, err)
		r.Update(id, newsroom.Article("A", newsroom.Published(true)))
	}
	for _, row := range []struct {
		person string
		window query.Window
		first  string // release number; none when empty
		length int
		total  int64
		more   bool
	}{
		{"viewer", query.Window{}, "CR-2026-0103", 25, submissions, true},
		{"viewer", query.Window{PerPage: 100}, "CR-2026-0103", 100, submissions, true},
		{"viewer", query.Window{Page: 2, PerPage: 100}, "CR-2026-0003", 3, submissions, false},
		{"viewer", query.Window{Page: 3, PerPage: 100}, "", 0, submissions, false},
		{"legal", query.Window{PerPage: 2}, "CR-2026-0103", 2, 3, true},
		{"legal", query.Window{Page: 2, PerPage: 2}, "CR-2026-0101", 1, 3, false},
	} {
		page, err := r.Reviews.History(t.Context(), r.Actor(row.person), r.Ref(id), row.window)
		require.NoError(t, err)
		require.Len(t, page.Items, row.length)
		require.Equal(t, row.total, page.Total)
		require.Equal(t, row.more, page.HasMore)
		if row.first != "" {
			require.Equal(t, row.first, page.Items[0].Request.ReleaseNumber())
			require.NotEmpty(t, page.Items[0].Actions)
			require.NotEmpty(t, page.Items[0].Shown)
		}
	}
	for _, window := range []query.Window{{Page: -1}, {PerPage: 101}, {PerPage: -1}} {
		_, err := r.Reviews.History(t.Context(), r.Actor("viewer"), r.Ref(id), window)
		require.Equal(t, core.KindBadRequest, core.KindOf(err))
	}
}
