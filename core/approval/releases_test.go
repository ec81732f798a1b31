package approval_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/event"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// releasing is a governed newsroom with a submitted release that publishes one article and takes another offline.
type releasing struct {
	*fixture
	ref           review.ReleaseRef
	shown, hidden int64
	locale        string // that the submission names for the shown entry; "": its own
}

// submitRelease returns a newsroom with a release that is due at the time at; zero: on approval.
func submitRelease(t *testing.T, at time.Time) *releasing {
	t.Helper()
	r := &releasing{fixture: setup(t)}
	r.hidden, r.shown = r.submit("hidden"), r.Create(newsroom.Article("shown")).ID
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	release := release.Release{CreatedAt: r.clock.now, UpdatedAt: r.clock.now, ProjectID: r.Project.ID, Name: "Launch",
		State: release.Open, Version: 1, CreatedBy: r.Actor("editor").Ref()}
	require.NoError(t, r.Stores.Releases.Insert(r.Context(), &release))
	r.ref = review.ReleaseRef{Project: r.Project, ID: release.ID}
	r.again(t, at)
	return r
}

// again submits the open release.
func (r *releasing) again(t *testing.T, at time.Time) *review.Request {
	t.Helper()
	var submitted *review.Request
	require.NoError(t, r.Tx.Do(r.Context(), r.Actor("editor"), func(ctx context.Context, stores ports.Stores) (err error) {
		release, err := stores.Releases.Lock(ctx, r.Project.ID, r.ref.ID)
		require.NoError(t, err)
		e := r.Entry(r.shown)
		shown := review.RequestItem{EntryID: e.ID, CollectionID: e.CollectionID, Collection: r.Articles.Slug, Locale: cmp.Or(r.locale, e.Locale), Action: schedule.Publish}
		shown.Snapshot, shown.ContentHash, shown.Withheld = r.Articles.Snapshot(e.Locale, e.Draft, nil)
		gone := review.RequestItem{EntryID: r.hidden, CollectionID: e.CollectionID, Collection: r.Articles.Slug, Locale: e.Locale, Action: schedule.Unpublish}
		submitted, err = r.Requests.SubmitRelease(ctx, stores, r.Actor("editor"), r.Project, &release, []review.RequestItem{shown, gone},
			[]core.ActorRef{r.Actor("editor").Ref()}, schedule.Period{From: at}, "please", nil)
		return err
	}))
	return submitted
}

func (r *releasing) state() release.Release {
	release, err := r.Stores.Releases.Release(r.Context(), r.Project.ID, r.ref.ID)
	require.NoError(r.t, err)
	return release
}

func (r *releasing) approve(name string) (*approval.View, error) {
	return r.Reviews.Approve(r.Context(), r.Actor(name), r.ref, approval.Decision{})
}

// published requires that both members changed at the same time.
func (r *releasing) published() {
	r.t.Helper()
	require.Equal(r.t, []string{"shown", ""}, []string{r.Public(r.shown), r.Public(r.hidden)})
	began, err := r.Stores.Publications.Publications(r.Context(), r.Project.ID, r.Articles.ID, r.shown, 0, 9)
	require.NoError(r.t, err)
	ended, err := r.Stores.Publications.Publications(r.Context(), r.Project.ID, r.Articles.ID, r.hidden, 0, 9)
	require.NoError(r.t, err)
	require.Len(r.t, began, 1)
	require.Equal(r.t, began[0].PublishedAt, ended[0].UnpublishedAt)
	rel := r.state()
	require.Equal(r.t, core.Move{ReleaseID: rel.ID, RequestID: rel.RequestID}, ended[0].Ended)
	require.Equal(r.t, []any{release.Published, began[0].PublishedAt, rel.RequestID}, []any{rel.State, rel.PublishedAt, began[0].RequestID})
	events, err := r.Stores.Events.Events(r.Context(), ports.EventQuery{ProjectID: r.Project.ID, Newest: true, Limit: 5})
	require.NoError(r.t, err)
	var types []event.Type
	for _, e := range events {
		types = append(types, e.Type)
		require.Equal(r.t, rel.ID, e.ReleaseID, e.Type)
	}
	last := slices.Index(types, event.ReleasePublished)
	require.Positive(r.t, last, types)
	require.ElementsMatch(r.t, []event.Type{event.EntryPublished, event.EntryUnpublished}, types[last+1:last+3])
	audit, err := r.Reviews.Audit(r.Context(), r.Actor("viewer"), r.ref)
	require.NoError(r.t, err)
	require.Empty(r.t, audit.Faults)
}

func TestAReleaseIsPublishedByItsApproval(t *testing.T) {
	r := submitRelease(t, time.Time{})
	require.Equal(t, []any{release.Pending, 1}, []any{r.state().State, r.state().Rounds})
	v, err := r.approve("admin")
	require.NoError(t, err)
	require.Equal(t, review.RequestPublished, v.Request.Status)
	r.published()
	_, err = r.approve("admin")
	require.Equal(t, "not_pending", outcome(err))
}

func TestAScheduledReleaseIsPublishedByTheWorker(t *testing.T) {
	r := submitRelease(t, noon.Add(time.Hour))
	_, err := r.approve("admin")
	require.NoError(t, err)
	require.Equal(t, release.Approved, r.state().State)
	published, failed, err := r.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{0, 0}, []int{published, failed})
	r.clock.pass(time.Hour)
	published, failed, err = r.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, []int{published, failed})
	r.published()
}

// TestAChangedMemberEndsTheRelease takes a member offline in a way that the release does not see before its time.
func TestAChangedMemberEndsTheRelease(t *testing.T) {
	r := submitRelease(t, noon.Add(time.Hour))
	_, err := r.approve("admin")
	require.NoError(t, err)
	require.NoError(t, r.Tx.Do(r.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		set, err := r.Publisher.Lock(ctx, stores, r.Project, r.shown)
		require.NoError(t, err)
		return set.PublishDrafts(ctx, r.Actor("admin").Ref(), time.Time{})
	}))
	_, err = r.Reviews.PublishNow(r.Context(), r.Actor("admin"), r.ref, approval.Decision{})
	require.Equal(t, "base_changed "+release.MemberLocation(r.shown, ""), outcome(err))
	require.Equal(t, "hidden", r.Public(r.hidden))
	r.clock.pass(time.Hour)
	_, failed, err := r.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, failed)
	v, err := r.Reviews.Current(r.Context(), r.Actor("viewer"), r.ref)
	require.NoError(t, err)
	last := v.Actions[len(v.Actions)-1]
	require.Equal(t, []any{review.RequestWithdrawn, review.ActionWithdraw, "system"}, []any{v.Request.Status, last.Type, last.Actor.Kind})
	require.Equal(t, []any{release.Open, last.Comment}, []any{r.state().State, r.state().Fault})
	require.Contains(t, last.Comment, release.MemberLocation(r.shown, ""))
	require.Equal(t, "hidden", r.Public(r.hidden))
	require.Equal(t, int64(1), r.again(t, time.Time{}).ItemOf(r.shown).BaseNumber)
	require.Equal(t, []any{2, ""}, []any{r.state().Rounds, r.state().Fault})
	_, err = r.approve("admin")
	require.NoError(t, err)
}

// A member that has another locale than at the submission is not what was reviewed.
func TestAMemberInAnotherLocaleEndsTheRelease(t *testing.T) {
	r := submitRelease(t, time.Time{})
	_, err := r.Reviews.Withdraw(r.Context(), r.Actor("editor"), r.ref, "")
	require.NoError(t, err)
	r.locale = "de"
	r.again(t, time.Time{})
	_, err = r.approve("admin")
	require.Equal(t, "base_changed "+release.MemberLocation(r.shown, ""), outcome(err))
	require.Equal(t, []any{release.Pending, "", "hidden"}, []any{r.state().State, r.Public(r.shown), r.Public(r.hidden)})
	_, err = r.Reviews.Reschedule(r.Context(), r.Actor("admin"), r.ref, schedule.Times{PublishAt: core.Some(noon.Add(time.Hour))})
	require.NoError(t, err)
	_, err = r.approve("admin")
	require.NoError(t, err)
	r.clock.pass(time.Hour)
	_, failed, err := r.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, failed)
	require.Equal(t, []any{release.Open, "", "hidden"}, []any{r.state().State, r.Public(r.shown), r.Public(r.hidden)})
	require.Contains(t, r.state().Fault, "has another locale")
}

func TestAMemberIsDecidedWithItsRelease(t *testing.T) {
	r := submitRelease(t, time.Time{})
	_, err := r.Reviews.Approve(r.Context(), r.Actor("admin"), r.Ref(r.shown), approval.Decision{})
	require.Equal(t, "in_release", outcome(err))
	require.Equal(t, "not_found", outcome(r.Approve("admin", r.Create(newsroom.Article("other")).ID)))
	written, err := r.Writer.Update(r.Context(), r.Actor("editor"), r.Ref(r.shown), nil, newsroom.Article("edited", newsroom.Published(true)))
	require.NoError(t, err)
	require.True(t, written.Submitted)
	v, err := r.Reviews.Awaited(r.Context(), r.Actor("editor"), r.Ref(r.shown))
	require.NoError(t, err)
	require.Equal(t, r.ref.ID, v.Request.Release.ID)

	_, err = r.Writer.Unpublish(r.Context(), r.Actor("editor"), r.Ref(r.hidden), nil, "")
	require.Equal(t, "in_release", outcome(err))
	_, err = r.Writer.Trash(r.Context(), r.Actor("editor"), r.Ref(r.shown), nil, "")
	require.Equal(t, "in_release", outcome(err))
	_, err = r.Writer.Update(r.Context(), r.Actor("editor"), r.Ref(r.shown), nil, newsroom.Article("edited", newsroom.Published(false)))
	require.Equal(t, "in_release", outcome(err))
	require.Equal(t, release.Pending, r.state().State)
	_, err = r.Writer.WithdrawingReleases().Unpublish(r.Context(), r.Actor("editor"), r.Ref(r.hidden), nil, "")
	require.NoError(t, err)
	require.Equal(t, release.Open, r.state().State)
	require.Empty(t, r.Public(r.hidden))
	rounds, err := r.Reviews.History(r.Context(), r.Actor("editor"), r.ref, query.Window{})
	require.NoError(t, err)
	last := rounds.Items[0].Actions[len(rounds.Items[0].Actions)-1]
	require.Equal(t, []any{review.ActionWithdraw, fmt.Sprintf("entry %d was unpublished, moved to the trash or withdrawn, and the release with it", r.hidden)}, []any{last.Type, last.Comment})
}

func TestAReleaseIsOpenAgainAfterItsReview(t *testing.T) {
	r := submitRelease(t, time.Time{})
	_, err := r.Reviews.RequestRevision(r.Context(), r.Actor("admin"), r.ref, approval.Decision{Comment: "no"})
	require.NoError(t, err)
	require.Equal(t, release.Open, r.state().State)
	r.again(t, time.Time{})
	_, err = r.Reviews.Withdraw(r.Context(), r.Actor("viewer"), r.ref, "")
	require.Equal(t, "forbidden", outcome(err))
	_, err = r.Reviews.Withdraw(r.Context(), r.Actor("editor"), r.ref, "later")
	require.NoError(t, err)
	r.again(t, time.Time{})
	rounds, err := r.Reviews.History(r.Context(), r.Actor("viewer"), r.ref, query.Window{})
	require.NoError(t, err)
	require.Equal(t, int64(3), rounds.Total)
	times := schedule.Times{UnpublishAt: core.Some(noon.Add(time.Hour))}
	_, err = r.Reviews.Reschedule(r.Context(), r.Actor("editor"), r.ref, times)
	require.Equal(t, "invalid unpublishAt", outcome(err))
}

// TestWhoMovesAReleaseContributesToIt checks that a reviewer who has changed the time of a release is known to its next
// round.
func TestWhoMovesAReleaseContributesToIt(t *testing.T) {
	r := submitRelease(t, time.Time{})
	require.Empty(t, r.state().Contributors)
	_, err := r.Reviews.Reschedule(r.Context(), r.Actor("admin"), r.ref, schedule.Times{PublishAt: core.Some(noon.Add(time.Hour))})
	require.NoError(t, err)
	require.Equal(t, []core.ActorRef{r.Actor("admin").Ref()}, r.state().Contributors)
}
