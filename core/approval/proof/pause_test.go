package proof_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/installation"
	"imprimatur/core/review"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
	"imprimatur/test/newsroom"
)

// TestSkippedTimes restores an installation with a request that is approved by then. While the
// installation is paused, an approval whose time has passed publishes nothing. When due times are
// skipped, requests stay approved, and their publication has a proof.
func TestSkippedTimes(t *testing.T) {
	t.Parallel()
	c := &clock{time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)}
	store := memory.NewAt(c)
	keys := signing.NewKeys(store.Stores().SigningKeys, store.Stores().Clock, store, secret.New())
	f := &fixture{newsroom.New(t, store.Stores(), store, c), proof.NewPublications(store.Stores(), keys), keys, c}
	_, err := f.Workflows.SetProject(t.Context(), core.Actor{System: true}, f.Project, approval.WorkflowInput{
		Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}, AllowSelfApproval: new(bool),
	})
	require.NoError(t, err)
	at := c.now.Add(time.Hour)
	before := f.Create(newsroom.Article("Approved before", newsroom.Published(true), newsroom.At(at))).ID
	require.NoError(t, f.Approve("admin", before))
	after := f.Create(newsroom.Article("Approved after", newsroom.Published(true), newsroom.At(at))).ID

	require.NoError(t, store.SetInstallation(t.Context(), installation.Installation{Epoch: "2", PausedAt: time.Now()}))
	c.now = at.Add(time.Hour)
	require.NoError(t, f.Approve("admin", after))
	for _, id := range []int64{before, after} {
		require.Equal(t, review.RequestApproved, f.Request(id).Request.Status)
		require.Empty(t, f.Public(id))
	}
	skipped, err := f.Worker.SkipDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, skipped)
	require.NoError(t, store.SetInstallation(t.Context(), installation.Installation{Epoch: "2"}))
	published, failed, err := f.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Zero(t, published+failed)

	for _, id := range []int64{before, after} {
		r := f.Request(id).Request
		require.Equal(t, review.RequestApproved, r.Status)
		require.True(t, r.ScheduledAt.IsZero() && r.UnpublishAt.IsZero())
		_, err := f.Reviews.PublishNow(t.Context(), f.Actor("admin"), f.Ref(id), approval.Decision{})
		require.NoError(t, err)
		text := f.proof(t, id, 1)
		_, err = proof.Verify(text, nil)
		require.NoError(t, err)
	}
}
