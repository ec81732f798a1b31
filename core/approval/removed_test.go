package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/test/newsroom"
)

// A value of a field that was removed before the submission is not in the snapshot, so that
// no reviewer sees it. It must not become public when the field is added again.
func TestReleaseLeavesOutValuesOfRemovedFields(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	lead := content.FieldInput{Name: "lead", Type: core.TypeText}
	add := func() {
		_, err := r.Collections.AddField(t.Context(), r.Actor("admin"), r.Project, r.Articles.ID, lead)
		require.NoError(t, err)
	}
	add()
	id := r.Create(newsroom.Article("A", newsroom.Field("lead", "unseen"))).ID
	_, err := r.Collections.RemoveField(t.Context(), r.Actor("admin"), r.Project, r.Articles.ID, "lead")
	require.NoError(t, err)
	r.Update(id, content.Write{Published: ptr(true)})
	require.NotContains(t, string(r.Request(id).Shown), "unseen")
	r.approveAll(id, "admin")
	add()
	require.Equal(t, `{"tags":[],"title":"A"}`, string(r.Entry(id).Published))
}
