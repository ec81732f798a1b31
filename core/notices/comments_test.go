package notices_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/comments"
	"imprimatur/core/discussion"
	"imprimatur/core/notice"
	"imprimatur/core/notices"
	"imprimatur/core/query"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

func (w *world) say(name string, id int64, in comments.Input) int64 {
	w.t.Helper()
	c, err := w.Reviews.AddComment(w.t.Context(), w.Actor(name), w.Ref(id), in)
	require.NoError(w.t, err)
	return c.ID
}

func TestCommentsAreTold(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin))
	id := w.submit("Ceasefire")
	w.told()
	root := w.say("viewer", id, comments.Input{Text: "canary-text", Field: "title", Quote: &discussion.Quote{Text: "Cease", Occurrence: 1}, Replace: new("canary-replacement")})
	require.Equal(t, []string{"comment: editor"}, w.told())
	w.say("admin", id, comments.Input{Text: fmt.Sprintf("Ask @[%d] and @[%d]", w.IDs["department"], w.IDs["viewer"]), Parent: root})
	require.Equal(t, []string{"comment: editor", "mention: department viewer"}, w.told())
	mine := w.say("editor", id, comments.Input{Text: "Hm"})
	require.Equal(t, []string{"comment: admin viewer"}, w.told())
	_, err := w.Reviews.EditComment(t.Context(), w.Actor("editor"), w.Ref(id), mine, fmt.Sprintf("Hm, @[%d]", w.IDs["super"]))
	require.NoError(t, err)
	require.Equal(t, []string{"mention: super"}, w.told())
	_, err = w.Reviews.ResolveComment(t.Context(), w.Actor("department"), w.Ref(id), root, "")
	require.NoError(t, err)
	require.Equal(t, []string{"resolved: admin viewer"}, w.told())

	texts := func() (all []string) {
		page, err := w.notices.List(t.Context(), w.Actor("editor"), notices.Filter{Window: query.Window{PerPage: 100}})
		require.NoError(t, err)
		for _, n := range page.Items {
			if n.Kind == notice.Comment {
				all = append(all, n.Comment)
				require.Equal(t, []any{"Ceasefire", true}, []any{n.Title, n.ReleaseNumber != ""})
			}
		}
		return all
	}
	require.Equal(t, []string{"Ask @department and @viewer", "canary-text"}, texts())
	require.NoError(t, w.Reviews.DeleteComment(t.Context(), w.Actor("viewer"), w.Ref(id), root))
	require.Equal(t, "", texts()[1])
	require.Empty(t, w.told())
}

// TestMailsOfComments checks that comments make one mail about a request in 10 minutes, and mentions each.
func TestMailsOfComments(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin))
	editor := *w.Actor("editor").User
	notice.SetMails(&editor.Settings, notice.Comment, true)
	require.NoError(t, w.Stores.Users.Update(t.Context(), editor))
	id := w.submit("Ceasefire")
	w.told()
	mails := func() (n int) {
		t.Helper()
		require.NoError(t, w.Tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
			events, err := s.Outbox.Take(ctx, 1000)
			if err != nil {
				return err
			}
			return notices.NewNotifier(true).Notify(ctx, s, events)
		}))
		for {
			claimed, err := w.Stores.Mails.Claim(t.Context(), 10, time.Hour)
			require.NoError(t, err)
			if len(claimed) == 0 {
				return n
			}
			n += len(claimed)
		}
	}
	require.Zero(t, mails())
	w.say("viewer", id, comments.Input{Text: "One"})
	w.say("viewer", id, comments.Input{Text: "Two"})
	require.Equal(t, 1, mails())
	w.say("viewer", id, comments.Input{Text: "Three"})
	require.Zero(t, mails())
	w.say("viewer", id, comments.Input{Text: fmt.Sprintf("@[%d]", w.IDs["editor"])})
	require.Equal(t, 1, mails())
	w.clock.now = w.clock.now.Add(10 * time.Minute)
	w.say("viewer", id, comments.Input{Text: "Four"})
	require.Equal(t, 1, mails())
	w.clock.now = w.clock.now.Add(10 * time.Minute)
	_, err := w.Reviews.Approve(t.Context(), w.Actor("admin"), w.Ref(id), approval.Decision{Comments: []comments.Input{{Text: "Five"}, {Text: "Six"}}})
	require.NoError(t, err)
	require.Equal(t, 1, mails())
}

// TestCommentsOfADecisionAreOneNotice checks that each user gets one notice of all comments that a decision brings.
func TestCommentsOfADecisionAreOneNotice(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin))
	id := w.submit("Ceasefire")
	w.told()
	many := make([]comments.Input, 100)
	for i := range many {
		many[i] = comments.Input{Text: fmt.Sprintf("%d @[%d] @[%d]", i, w.IDs["viewer"], w.IDs["super"])}
	}
	many[0].Text = "For the editor"
	_, err := w.Reviews.Approve(t.Context(), w.Actor("department"), w.Ref(id), approval.Decision{Comments: many})
	require.NoError(t, err)
	told := w.told()
	require.Contains(t, told, "comment: editor")
	require.Contains(t, told, "mention: super viewer")
}
