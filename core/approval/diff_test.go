package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/approval"
	"imprimatur/core/media"
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
		d, err := r.Reviews.Diff(t.Context(), r.Actor(person), r.Ref(id))
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
