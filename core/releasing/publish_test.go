package releasing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/publishing"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

func (w *world) publish(t *testing.T, r release.Release) release.Release {
	t.Helper()
	r, err := w.releases.Publish(t.Context(), w.editor, w.ref(r), releasing.Publication{})
	require.NoError(t, err)
	return r
}

// titleOf returns the published title of an entry; empty: not published.
func (w *world) titleOf(t *testing.T, m *reading.Managed) string {
	t.Helper()
	return string(w.Entry(t, m.ID).Published.Value("title"))
}

// Without a workflow a release is published at once, all members at one time, and can be taken back.
func TestUngovernedReleasesArePublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fresh, changed, leaving := w.Create(t, w.articles, `{"title":"A"}`), w.Create(t, w.articles, `{"title":"B"}`, contenttest.Published(true)), w.Create(t, w.articles, `{"title":"C"}`, contenttest.Published(true))
	keep := func(wr *core.EntryWrite) { wr.KeepPublished = true }
	w.Update(t, changed, `{"title":"B2"}`, keep)
	r := w.release(t, "Spring")
	w.put(t, r, draft(fresh), draft(changed), unpublish(leaving))
	w.Clock.Time = contenttest.Day.Add(time.Hour)
	w.Committed.Take()
	r = w.publish(t, r)
	require.Equal(t, []any{release.Published, w.Clock.Time, 1, int64(0)}, []any{r.State, r.PublishedAt, r.Rounds, r.RequestID})
	require.Equal(t, []string{`"A"`, `"B2"`, ""}, []string{w.titleOf(t, fresh), w.titleOf(t, changed), w.titleOf(t, leaving)})
	made := w.Committed.Take()
	require.Equal(t, event.ReleasePublished, made[len(made)-1])
	require.Len(t, made, 4)
	_, err := w.releases.Publish(t.Context(), w.editor, w.ref(r), releasing.Publication{})
	require.ErrorIs(t, err, core.ErrConflict)

	back, err := w.releases.Revert(t.Context(), w.editor, w.Project, r.ID, false)
	require.NoError(t, err)
	require.Equal(t, []any{"Revert: Spring", release.Open, r.ID, release.Counts{Members: 3, Publish: 2, Unpublish: 1}}, []any{back.Name, back.State, back.RevertOf, back.Counts})
	drafts := w.Draft(t, changed.ID)
	w.Clock.Time = contenttest.Day.Add(2 * time.Hour)
	taken, err := w.releases.Release(t.Context(), w.editor, w.Project, r.ID)
	require.NoError(t, err)
	require.Zero(t, taken.RevertedBy)
	w.publish(t, back)
	taken, err = w.releases.Release(t.Context(), w.editor, w.Project, r.ID)
	require.NoError(t, err)
	require.Equal(t, back.ID, taken.RevertedBy)
	require.Equal(t, []string{"", `"B"`, `"C"`}, []string{w.titleOf(t, fresh), w.titleOf(t, changed), w.titleOf(t, leaving)})
	require.Equal(t, drafts, w.Draft(t, changed.ID))
	_, err = w.releases.Revert(t.Context(), w.editor, w.Project, r.ID, false)
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "changed_since", fault.Code)
	require.Len(t, fault.Fields, 3)
	_, err = w.releases.Revert(t.Context(), w.editor, w.Project, r.ID, true)
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "nothing_to_revert", fault.Code)
}

// A release that waits for its time publishes what was sealed, unless a member has changed for readers since.
func TestUngovernedReleasesWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, own := w.Create(t, w.articles, `{"title":"A"}`), w.Create(t, w.articles, `{"title":"Own"}`)
	r := w.release(t, "Spring")
	w.put(t, r, draft(m), draft(own))
	due := contenttest.Day.Add(time.Hour)
	w.Update(t, own, `{}`, contenttest.Published(true), contenttest.At(due))
	schedule := func() release.Release {
		t.Helper()
		r, err := w.releases.Publish(t.Context(), w.editor, w.ref(r), releasing.Publication{PublishAt: core.Some(due)})
		require.NoError(t, err)
		require.Equal(t, []any{release.Approved, due}, []any{r.State, r.PublishAt})
		return r
	}
	schedule()
	require.NotContains(t, w.Scheduled(t), own.ID, "the release replaces its schedule")
	require.Equal(t, release.Approved, w.publish(t, r).State, "nothing changes")
	open, err := w.releases.Unschedule(t.Context(), w.editor, w.ref(r))
	require.NoError(t, err)
	require.Equal(t, release.Open, open.State)
	_, err = w.releases.Unschedule(t.Context(), w.editor, w.ref(r))
	require.ErrorIs(t, err, core.ErrConflict)

	schedule()
	w.Update(t, m, `{"title":"Later"}`)
	w.Clock.Time = due
	publishDue := func() release.Release {
		t.Helper()
		require.NoError(t, w.Store.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			return w.releases.PublishDue(ctx, stores, w.Project, r.ID)
		}))
		r, err := w.releases.Release(t.Context(), w.editor, w.Project, r.ID)
		require.NoError(t, err)
		return r
	}
	require.Equal(t, release.Published, publishDue().State)
	require.Equal(t, `"A"`, w.titleOf(t, m))
	require.Equal(t, release.Published, publishDue().State)

	r = w.release(t, "Summer")
	w.put(t, r, draft(m))
	due = due.Add(time.Hour)
	schedule()
	_, err = w.Writer.Trash(t.Context(), w.Actor, w.Ref(m), nil, "")
	require.ErrorContains(t, err, "in the submitted release")
	_, err = w.Writer.Unpublish(t.Context(), w.Actor, w.Ref(m), nil, "")
	require.ErrorContains(t, err, "in the submitted release")
	_, err = w.Writer.WithdrawingReleases().Trash(t.Context(), w.Actor, w.Ref(m), nil, "")
	require.NoError(t, err)
	opened, err := w.releases.Release(t.Context(), w.editor, w.Project, r.ID)
	require.NoError(t, err)
	require.Equal(t, []any{release.Open, ""}, []any{opened.State, opened.Fault})
	w.Clock.Time = due
	require.Equal(t, release.Open, publishDue().State)
}

// When a workflow begins to govern, a release that waits is open again.
func TestWaitingReleasesAreOpenedByAWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.Create(t, w.articles, `{"title":"A"}`, contenttest.Published(true))
	r := w.release(t, "Spring")
	w.put(t, r, draft(m))
	_, err := w.releases.Publish(t.Context(), w.editor, w.ref(r), releasing.Publication{PublishAt: core.Some(contenttest.Day.Add(time.Hour))})
	require.NoError(t, err)
	w.Update(t, m, `{"title":"B"}`)
	w.Update(t, m, `{}`, contenttest.Published(true))
	require.Equal(t, `"A"`, w.titleOf(t, m), "only the release publishes")
	w.Govern(t, true)
	require.NoError(t, w.Store.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		return publishing.Seal(ctx, stores, w.Project.ID)
	}))
	r, err = w.releases.Release(t.Context(), w.editor, w.Project, r.ID)
	require.NoError(t, err)
	require.Equal(t, release.Open, r.State)
	require.Contains(t, r.Fault, "a workflow governs")
}

// A governed release opens a request with the sealed items and the contributors of all.
func TestGovernedReleasesAreSubmitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Govern(t, true)
	m, past := w.Create(t, w.articles, `{"title":"A","tags":["x"]}`), w.Create(t, w.articles, `{"title":"B"}`)
	r := w.release(t, "Spring")
	other := w.editor
	other.User = &core.User{ID: 8, Name: "Ida"}
	_, err := w.releases.PutMembers(t.Context(), other, w.ref(r), []releasing.MemberInput{draft(m), draft(past)})
	require.NoError(t, err)
	r = w.publish(t, r)
	require.Equal(t, []any{release.Pending, 1}, []any{r.State, r.Rounds})
	request, err := w.Stores.Requests.Request(t.Context(), w.Project.ID, r.RequestID)
	require.NoError(t, err)
	require.Len(t, request.Contributors, 2)
	items, err := w.Stores.Requests.Items(t.Context(), w.Project.ID, r.RequestID)
	require.NoError(t, err)
	require.Equal(t, []any{2, "A", "articles"}, []any{len(items), items[0].Title, items[0].Collection})
	w.Update(t, m, `{"title":"Later"}`)
	page, err := w.releases.Members(t.Context(), w.editor, w.Project, r.ID, releasing.MemberFilter{Changed: "title"})
	require.NoError(t, err)
	require.Equal(t, []any{2, "A", true, false}, []any{len(page.Items), page.Items[0].Title, page.Items[0].ContentChanged, page.Items[1].ContentChanged})
	require.Equal(t, `"A"`, contenttest.Values(t, w.member(t, r, m).Snapshot.Fields, "title")["title"])
	revision, err := core.DecodeRevision(w.Entry(t, past.ID).Revision)
	require.NoError(t, err)
	require.True(t, revision.Closed && revision.Kept && revision.Submitted == revision.Number)

	_, err = w.UpdateField(t, w.articles.ID, "tags", definition.FieldInput{Type: core.TypeText, Multiple: true, Hidden: true})
	require.NoError(t, err)
	page, err = w.releases.Members(t.Context(), w.editor, w.Project, r.ID, releasing.MemberFilter{})
	require.NoError(t, err)
	require.NotContains(t, page.Items[0].Changed, "tags", "a field that is hidden by now")
	require.NotContains(t, page.Paths, releasing.PathCount{Path: "tags", Count: 1})

	before := request.ID
	mark := func(hash string) error {
		return w.releases.Mark(t.Context(), w.editor, w.Project, r.ID, []release.Mark{{EntryID: m.ID, ContentHash: hash}})
	}
	require.ErrorIs(t, mark("aa"), core.ErrConflict)
	require.Equal(t, map[string]string{"members[0].entryId": "is required", "members[1].entryId": "is no member of the release"},
		contenttest.FaultsOf(t, w.releases.Mark(t.Context(), w.editor, w.Project, r.ID, []release.Mark{{}, {EntryID: 999}})))
	require.NoError(t, mark(page.Items[0].ContentHash))
	page, err = w.releases.Members(t.Context(), w.editor, w.Project, r.ID, releasing.MemberFilter{Seen: new(true)})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	_, err = w.releases.PutMembers(t.Context(), w.editor, w.ref(r), []releasing.MemberInput{draft(m)})
	require.ErrorIs(t, err, core.ErrConflict)
	_, err = w.Writer.WithdrawingReleases().Unpublish(t.Context(), w.Actor, w.Ref(m), nil, "")
	require.NoError(t, err)
	r = w.publish(t, r)
	compared, err := w.releases.Member(t.Context(), w.editor, w.Project, r.ID, m.ID, before)
	require.NoError(t, err)
	require.JSONEq(t, `[{"op":"replace","path":"/title","value":"Later"}]`, string(compared.FromPatch))
	require.Equal(t, []any{1, `"A"`}, []any{len(compared.Changes), string(compared.Changes[0].Fields[0].Before)})
	for _, unknown := range []struct{ entry, request int64 }{{m.ID, 999}, {999, before}} {
		_, err = w.releases.Member(t.Context(), w.editor, w.Project, r.ID, unknown.entry, unknown.request)
		require.ErrorIs(t, err, core.ErrNotFound)
	}
}
