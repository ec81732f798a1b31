package newsroom_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/comments"
	"imprimatur/test/newsroom"
)

// TestMustAndDecisionAtOnce sets a comment that keeps a step and approves the step at the same time: one comes first.
func TestMustAndDecisionAtOnce(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		w.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleTenantAdmin))
		for i := range 12 {
			ref := w.Ref(w.Create(newsroom.Article(fmt.Sprint("Rain ", i), newsroom.Published(true))).ID)
			var said, approved error
			var both sync.WaitGroup
			both.Go(func() {
				_, said = w.Reviews.AddComment(t.Context(), w.Actor("super"), ref, comments.Input{Text: "No", Must: 1})
			})
			both.Go(func() { approved = w.Approve("admin", ref.ID) })
			both.Wait()
			actions := w.Request(ref.ID).Actions
			if said == nil {
				var refused *core.Error
				require.True(t, errors.As(approved, &refused), approved)
				require.Equal(t, "must_open", refused.Code)
				require.Len(t, actions, 1)
				continue
			}
			require.NoError(t, approved)
			require.ErrorIs(t, said, core.ErrInvalid)
			require.Equal(t, []any{2, ""}, []any{len(actions), actions[1].CommentsHash}, "the decision does not know of the comment")
		}
		// The hash of a decision covers the comments that were made before it, whatever happens meanwhile.
		ref := w.Ref(w.Create(newsroom.Article("Snow", newsroom.Published(true))).ID)
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				_, _ = w.Reviews.AddComment(t.Context(), w.Actor("viewer"), ref, comments.Input{Text: "Hm"}) // perhaps after the end
			})
		}
		all.Go(func() {
			_, err := w.Reviews.Reject(t.Context(), w.Actor("admin"), ref, approval.Decision{})
			w.OK(err)
		})
		all.Wait()
		audit, err := w.Reviews.Audit(t.Context(), w.Actor("admin"), ref)
		require.NoError(t, err)
		require.Empty(t, audit.Faults)
	})
}
