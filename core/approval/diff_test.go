package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/media"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

// The holder of a custom role without a role in the Project sees nothing of the draft.
func TestDiffOfCustomRoles(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.CustomRoleStep(1, r.Legal))
	picture, draftOnly := r.Picture("Harbour"), r.Picture("Secret harbour")
	id := r.create(r.Actor("editor"), newsroom.Article("Submitted", newsroom.Cover(picture), newsroom.Published(true)))
	r.write(r.Actor("editor"), id, newsroom.Article("Not yet", newsroom.Cover(draftOnly)))
	_, err := r.Library.Change(t.Context(), r.Actor("editor"), r.Project, picture, media.Change{Caption: ptr("Not yet")})
	require.NoError(t, err)
	diff := func(person string) *approval.Diff {
		d, err := r.Reviews.Diff(t.Context(), r.Actor(person), r.Ref(id), 0)
		require.NoError(t, err)
		return d
	}
	d := diff("legal")
	require.Nil(t, d.Draft)
	require.Nil(t, d.SnapshotToDraft)
	require.Contains(t, string(d.PublishedToSnapshot), "Submitted")
	require.Len(t, d.Library, 1)
	require.Equal(t, "Harbour", d.Library[0].Caption)
	d = diff("viewer")
	require.Contains(t, string(d.SnapshotToDraft), "Not yet")
	require.Contains(t, string(d.Draft.Fields), "Not yet")
	require.Len(t, d.Library, 2)
	require.NoError(t, r.Approve("legal", id))
	r.write(r.Actor("editor"), id, newsroom.Article("Still not", newsroom.Published(true)))
	d = diff("legal")
	require.Contains(t, string(d.Published.Fields), "Submitted")
	require.Nil(t, d.Draft)
	v, err := r.Reviews.Current(t.Context(), r.Actor("legal"), r.Ref(id))
	require.NoError(t, err)
	require.Equal(t, "Still not", v.Title, "the title of the snapshot")
}

// After a resubmission, a reviewer sees what has changed since an earlier request.
func TestDiffFromAnEarlierRequest(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id, other := r.submit("First"), r.submit("Other")
	first, foreign := r.Request(id).Request.ID, r.Request(other).Request.ID
	_, err := r.Reviews.RequestRevision(t.Context(), r.Actor("admin"), r.Ref(id), approval.Decision{Comment: "Which one?"})
	require.NoError(t, err)
	r.Update(id, newsroom.Article("Second", newsroom.Published(true)))
	diff := func(person string, from int64) (*approval.Diff, error) {
		return r.Reviews.Diff(t.Context(), r.Actor(person), r.Ref(id), from)
	}
	d, err := diff("viewer", first)
	require.NoError(t, err)
	require.JSONEq(t, `[{"op":"replace","path":"/title","value":"Second"}]`, string(d.FromToSnapshot))
	require.Contains(t, string(d.From.Fields), "First")
	d, err = diff("viewer", 0)
	require.NoError(t, err)
	require.Nil(t, d.From)
	require.Nil(t, d.FromToSnapshot)
	for _, unknown := range []int64{foreign, first + 1000} {
		_, err = diff("viewer", unknown)
		require.ErrorIs(t, err, core.ErrNotFound)
	}
	// A role that only the later request names does not show the earlier one.
	_, err = r.Writer.Update(t.Context(), r.Actor("editor"), r.Ref(id), nil, core.EntryWrite{Published: ptr(false), Comment: "Not yet"})
	require.NoError(t, err)
	require.Equal(t, "Not yet", last(r.Request(id).Actions).Comment)
	r.SetWorkflow(newsroom.CustomRoleStep(1, r.Legal))
	r.Update(id, newsroom.Article("Third", newsroom.Published(true)))
	_, err = diff("legal", 0)
	require.NoError(t, err)
	_, err = diff("legal", first)
	require.ErrorIs(t, err, core.ErrNotFound)
}

// The words of the submitter reach the reviewers, and are part of the record.
func TestCommentOfTheSubmitter(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.Create(newsroom.Article("A")).ID
	_, err := r.Writer.Publish(t.Context(), r.Actor("editor"), r.Ref(id), writing.Publication{Comment: strings.Repeat("x", 4001)}, nil)
	require.Equal(t, "invalid comment", outcome(err))
	_, err = r.Writer.Publish(t.Context(), r.Actor("editor"), r.Ref(id), writing.Publication{Comment: "Figures of March"}, nil)
	require.NoError(t, err)
	require.Equal(t, "Figures of March", r.Request(id).Actions[0].Comment)
	audit, err := r.Reviews.Audit(t.Context(), r.Actor("viewer"), r.Ref(id))
	require.NoError(t, err)
	require.True(t, audit.Valid())
}

func last[T any](list []T) T { return list[len(list)-1] }
