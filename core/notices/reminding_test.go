package notices_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/notices"
	"imprimatur/core/review"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// remindingStep returns a step that reminds after some hours.
func remindingStep(order int, role core.Role, hours int) approval.StepInput {
	step := newsroom.Step(order, role)
	step.RemindAfter = &hours
	return step
}

// after passes time, makes all due reminders and returns what has been told.
func (w *world) after(passed time.Duration) []string {
	w.t.Helper()
	w.clock.now = w.clock.now.Add(passed)
	w.remind()
	return w.told()
}

// remind makes all due reminders.
func (w *world) remind() {
	w.t.Helper()
	require.NoError(w.t, notices.NewReminding(w.Stores, w.Tx, notices.NewNotifier(false)).Remind(w.t.Context()))
}

func TestStepsRemindOnce(t *testing.T) {
	t.Parallel()
	w := setup(t, remindingStep(1, core.RoleAdmin, 2), newsroom.Step(2, core.RoleAdmin), remindingStep(3, core.RoleDepartmentAdmin, 720))
	id := w.submit("Ceasefire")
	w.told()
	require.Empty(t, w.after(119*time.Minute))
	require.Equal(t, []string{"your_turn: admin"}, w.after(2*time.Minute))
	page, err := w.notices.List(t.Context(), w.Actor("admin"), notices.Filter{})
	require.NoError(t, err)
	again, first := page.Items[0].Notice, page.Items[1].Notice
	require.Equal(t, []bool{true, false}, []bool{again.Reminder, first.Reminder})
	again.ID, again.Key, again.At, again.ReadAt, again.Reminder = first.ID, first.Key, first.At, first.ReadAt, false
	require.Equal(t, first, again)
	require.Empty(t, w.after(800*time.Hour))

	require.NoError(t, w.Approve("admin", id))
	w.told()
	require.Empty(t, w.after(800*time.Hour), "the second step does not remind")
	require.NoError(t, w.Approve("admin", id))
	w.told()
	require.Empty(t, w.after(719*time.Hour))
	require.Equal(t, []string{"your_turn: department"}, w.after(2*time.Hour))
	require.Empty(t, w.after(800*time.Hour))
	audit, err := w.Reviews.Audit(t.Context(), w.Actor("admin"), w.Ref(id))
	require.NoError(t, err)
	require.True(t, audit.Valid())
}

func TestNobodyIsRemindedOfWhatIsOver(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, id int64) error{
		"approved": func(w *world, id int64) error { return w.Approve("department", id) },
		"rejected": func(w *world, id int64) error {
			_, err := w.Reviews.Reject(w.t.Context(), w.Actor("admin"), w.Ref(id), approval.Decision{})
			return err
		},
		"sent back": func(w *world, id int64) error {
			_, err := w.Reviews.RequestRevision(w.t.Context(), w.Actor("admin"), w.Ref(id), approval.Decision{Comment: "no"})
			return err
		},
		"withdrawn": func(w *world, id int64) error {
			_, err := w.Writer.Unpublish(w.t.Context(), w.Actor("editor"), w.Ref(id), nil, "")
			return err
		},
		"without reviewers": func(w *world, _ int64) error {
			w.Revoke("admin", core.RoleAdmin)
			return nil
		},
		"of inactive reviewers": func(w *world, _ int64) error {
			w.SetActive("admin", false)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, remindingStep(1, core.RoleAdmin, 1), newsroom.Step(2, core.RoleDepartmentAdmin))
			id := w.submit("Ceasefire")
			w.told()
			require.NoError(t, end(w, id))
			w.told()
			require.Empty(t, w.after(2*time.Hour))
		})
	}
}

func TestRemindersAreOfTheSubmittedWorkflow(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin))
	w.submit("Before")
	w.SetWorkflow(remindingStep(1, core.RoleAdmin, 1))
	w.submit("Between")
	w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	w.submit("After")
	w.told()
	require.Equal(t, []string{"your_turn: admin"}, w.after(2*time.Hour))
	page, err := w.notices.List(t.Context(), w.Actor("admin"), notices.Filter{})
	require.NoError(t, err)
	require.Equal(t, "Between", page.Items[0].Title)
}

func TestRemindersSurviveJumpsOfTheClock(t *testing.T) {
	t.Parallel()
	w := setup(t, remindingStep(1, core.RoleAdmin, 1))
	w.submit("Ceasefire")
	w.told()
	require.Empty(t, w.after(-48*time.Hour))
	require.Equal(t, []string{"your_turn: admin"}, w.after(50*time.Hour))
	require.Empty(t, w.after(-50*time.Hour))
	require.Empty(t, w.after(50*time.Hour))
}

func TestManyRemindersAreDueAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t, remindingStep(1, core.RoleAdmin, 1))
	const many = 250 // more than two transactions take
	for i := range many {
		w.submit(fmt.Sprint("Ceasefire ", i))
	}
	w.told()
	w.clock.now = w.clock.now.Add(2 * time.Hour)
	w.remind()
	unread, err := w.notices.Unread(t.Context(), w.Actor("admin"))
	require.NoError(t, err)
	require.EqualValues(t, many, unread)
}

// brokenRequests fails to read one request.
type brokenRequests struct {
	ports.RequestStore
	id int64
}

func (b brokenRequests) Request(ctx context.Context, projectID, id int64) (review.Request, error) {
	if id == b.id {
		return review.Request{}, errors.New("broken")
	}
	return b.RequestStore.Request(ctx, projectID, id)
}

// brokenTx is a Tx with brokenRequests.
type brokenTx struct {
	ports.Tx
	id int64
}

func (b brokenTx) DoAlone(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return b.Tx.DoAlone(ctx, actor, func(ctx context.Context, s ports.Stores) error {
		s.Requests = brokenRequests{s.Requests, b.id}
		return do(ctx, s)
	})
}

func TestAReminderThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := setup(t, remindingStep(1, core.RoleAdmin, 1))
	var ids []int64
	for i := range 4 {
		ids = append(ids, w.Request(w.submit(fmt.Sprint("Ceasefire ", i))).Request.ID)
	}
	w.told()
	w.clock.now = w.clock.now.Add(2 * time.Hour)
	reminding := notices.NewReminding(w.Stores, brokenTx{w.Tx, ids[1]}, notices.NewNotifier(false))
	require.ErrorContains(t, reminding.Remind(t.Context()), "broken")
	require.NoError(t, reminding.Remind(t.Context()), "tried again")
	unread, err := w.notices.Unread(t.Context(), w.Actor("admin"))
	require.NoError(t, err)
	require.EqualValues(t, 3, unread)
	w.remind()
	require.Equal(t, []string{"your_turn: admin admin admin admin"}, w.told())
}

func TestEscalationsAreTold(t *testing.T) {
	t.Parallel()
	step := newsroom.Step(1, core.RoleAdmin)
	step.Escalate = &approval.EscalationInput{After: 3, RequiredRoleKind: string(core.RoleDepartmentAdmin)}
	w := setup(t, step, newsroom.Step(2, core.RoleAdmin))
	w.submit("Ceasefire")
	decided := w.submit("Other")
	w.told()
	require.NoError(t, w.Approve("admin", decided))
	w.told()
	require.Empty(t, w.after(179*time.Minute))
	// Department admins may decide a step for admins anyway; they are told because they need not have asked for it.
	require.Equal(t, []string{"your_turn: department"}, w.after(2*time.Minute))
	require.Empty(t, w.after(800*time.Hour))
}

func TestUnapprovedAtTheirTime(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin))
	at := w.clock.now.Add(time.Hour)
	scheduled := func(title string) int64 {
		return w.Create(newsroom.Article(title, newsroom.Published(true), func(a *core.EntryWrite) { a.PublishAt = &at })).ID
	}
	id, approved := scheduled("Ceasefire"), scheduled("Other")
	require.NoError(t, w.Approve("admin", approved))
	require.NoError(t, w.Approve("department", approved))
	w.told()
	require.Empty(t, w.after(59*time.Minute))
	require.Equal(t, []string{"overdue: admin editor"}, w.after(2*time.Minute))
	require.Empty(t, w.after(100*time.Hour))
	require.True(t, w.Request(id).Request.Overdue())
}
