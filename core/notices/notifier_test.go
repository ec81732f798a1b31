package notices_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/notice"
	"imprimatur/core/notices"
	"imprimatur/core/query"
	"imprimatur/core/schedule"
	"imprimatur/core/webhook"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// clock moves on with each look.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time {
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

// world is a newsroom whose events become notices.
type world struct {
	*newsroom.Fixture
	t       *testing.T
	clock   *clock
	notices *notices.Notices
}

func setup(t *testing.T, steps ...approval.StepInput) *world {
	t.Helper()
	c := &clock{time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)}
	store := memory.NewAt(c)
	w := &world{newsroom.New(t, store.Stores(), store, c), t, c, notices.New(store.Stores(), store)}
	if len(steps) > 0 {
		w.SetWorkflow(steps...)
	}
	w.told() // of the accounts
	return w
}

// told returns what has been told since the last call: the kind and the names of its receivers, in
// the order of the events.
func (w *world) told() (all []string) {
	w.t.Helper()
	require.NoError(w.t, w.Tx.Do(w.t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
		events, err := s.Outbox.Take(ctx, 1000)
		if err != nil {
			return err
		}
		return notices.NewNotifier(false).Notify(ctx, s, events)
	}))
	names := map[notice.Kind][]string{}
	var kinds []notice.Kind
	for name := range newsroom.Users {
		page, err := w.notices.List(w.t.Context(), w.Actor(name), notices.Filter{Unread: true, Window: query.Window{PerPage: 100}})
		require.NoError(w.t, err)
		for _, n := range page.Items {
			names[n.Kind] = append(names[n.Kind], name)
		}
		require.NoError(w.t, w.notices.Read(w.t.Context(), w.Actor(name), nil, w.Clock.Now()))
	}
	for kind := range names {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		slices.Sort(names[kind])
		all = append(all, string(kind)+": "+strings.Join(names[kind], " "))
	}
	return all
}

func (w *world) submit(title string) int64 {
	w.t.Helper()
	return w.Create(newsroom.Article(title, newsroom.Published(true))).ID
}

func TestEachStepTellsItsOwnPeople(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.CustomRoleStep(2, w.Legal), newsroom.Step(3, core.RoleDepartmentAdmin))
	w.told()
	id := w.submit("Ceasefire")
	require.Equal(t, []string{"your_turn: admin"}, w.told())
	require.NoError(t, w.Approve("admin", id))
	require.Equal(t, []string{"approved: editor", "your_turn: legal"}, w.told())
	require.NoError(t, w.Approve("legal", id))
	require.Equal(t, []string{"approved: admin editor", "your_turn: department"}, w.told())
	require.NoError(t, w.Approve("department", id))
	require.Equal(t, []string{"approved: admin editor legal", "published: admin editor legal"}, w.told())
	require.Empty(t, w.told())
}

func TestEndsAreToldToThoseInvolved(t *testing.T) {
	t.Parallel()
	for kind, end := range map[string]func(w *world, id int64) error{
		"rejected": func(w *world, id int64) error {
			_, err := w.Reviews.Reject(w.t.Context(), w.Actor("department"), w.Ref(id), approval.Decision{Comment: "no"})
			return err
		},
		"revision_requested": func(w *world, id int64) error {
			_, err := w.Reviews.RequestRevision(w.t.Context(), w.Actor("department"), w.Ref(id), approval.Decision{Comment: "no"})
			return err
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := setup(t, newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin))
			id := w.submit("Ceasefire")
			require.NoError(t, w.Approve("admin", id))
			w.told()
			require.NoError(t, end(w, id))
			require.Equal(t, []string{kind + ": admin editor"}, w.told())
			page, err := w.notices.List(t.Context(), w.Actor("editor"), notices.Filter{Window: query.Window{PerPage: 1}})
			require.NoError(t, err)
			n := page.Items[0]
			require.Equal(t, []any{"Ceasefire", "no", "department", "World Desk", true}, []any{n.Title, n.Comment, n.Actor.Name, n.ProjectName, n.ReleaseNumber != ""})
		})
	}
}

func TestHigherRolesAreToldIfTheyAsk(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin))
	tenant := *w.Actor("tenant").User
	tenant.Settings.ReachAbove = true
	require.NoError(t, w.Stores.Users.Update(t.Context(), tenant))
	w.told()
	w.submit("Ceasefire")
	require.Equal(t, []string{"your_turn: admin tenant"}, w.told())
}

func TestNobodyIsToldOfWhatIsOver(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin))
	id := w.submit("Ceasefire")
	require.NoError(t, w.Approve("admin", id)) // before the first notice
	require.Equal(t, []string{"approved: editor", "your_turn: department"}, w.told())
}

func TestNobodyIsToldOfWhatTheyMayNotSee(t *testing.T) {
	t.Parallel()
	w := setup(t, newsroom.Step(1, core.RoleAdmin))
	id := w.submit("Ceasefire")
	w.SetActive("admin", false)
	w.Revoke("editor", core.RoleEditor)
	require.Equal(t, []string{"account: editor"}, w.told())
	require.NoError(t, w.Approve("department", id))
	require.Empty(t, w.told())
	w.Grant("editor", core.RoleViewer)
	require.Equal(t, []string{"account: editor"}, w.told())
}

func TestNoticesAboutRolesSayWhichWhereAndByWhom(t *testing.T) {
	t.Parallel()
	w := setup(t)
	editor := w.Actor("editor")
	give := func(role core.Role) {
		require.NoError(t, w.Tx.Do(t.Context(), w.Actor("admin"), func(ctx context.Context, s ports.Stores) error {
			return s.Grants.Set(ctx, core.Grant{UserID: editor.UserID(), Role: role, ProjectID: w.Project.ID})
		}))
	}
	give(core.RoleViewer)
	give(core.RoleAdmin)
	require.NoError(t, w.Tx.Do(t.Context(), w.Actor("admin"), func(ctx context.Context, s ports.Stores) error {
		return s.Grants.Remove(ctx, core.Grant{UserID: editor.UserID(), ProjectID: w.Project.ID})
	}))
	w.told()
	page, err := w.notices.List(t.Context(), editor, notices.Filter{})
	require.NoError(t, err)
	var said [][]string
	for _, n := range page.Items[:3] {
		said = append(said, []string{string(n.Event), n.Role, n.Place, n.Actor.Name})
	}
	require.Equal(t, [][]string{
		{"member.removed", "admin", w.Project.Name, "admin"},
		{"member.updated", "admin", w.Project.Name, "admin"},
		{"member.updated", "viewer", w.Project.Name, "admin"},
	}, said)
}

func TestSwitchedOffWebhooksAreToldToAdmins(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := webhook.Webhook{ProjectID: w.Project.ID, Name: "Site", Secrets: []byte("sealed"), OffReason: webhook.OffGone, CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()}
	require.NoError(t, w.Stores.Webhooks.Insert(t.Context(), &hook))
	require.NoError(t, w.Stores.Webhooks.Update(t.Context(), hook))
	require.Equal(t, []string{"webhook_off: admin"}, w.told())
	require.NoError(t, w.Tx.Do(t.Context(), w.Actor("admin"), func(ctx context.Context, s ports.Stores) error {
		require.NoError(t, s.Webhooks.Lock(ctx, w.Project.ID, hook.ID))
		return s.Webhooks.Update(ctx, hook) // of its name
	}))
	require.Empty(t, w.told())
}

func TestFailedPublicationsAreToldOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	entry := w.Create(newsroom.Article("Ceasefire"))
	due := w.Clock.Now().Add(-time.Hour)
	require.NoError(t, w.Stores.Schedules.Schedule(t.Context(), schedule.Schedule{
		ProjectID: w.Project.ID, EntryID: entry.ID, CollectionID: w.Articles.ID, Action: schedule.Publish, DueAt: due, ScheduledBy: w.Actor("editor").Ref(),
	}))
	for range 2 {
		require.NoError(t, w.Tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
			return s.Schedules.RecordFailure(ctx, schedule.Schedule{ProjectID: w.Project.ID, EntryID: entry.ID, Action: schedule.Publish}, "title is required", time.Second)
		}))
	}
	require.Equal(t, []string{"publication_failed: admin editor"}, w.told())
	page, err := w.notices.List(t.Context(), w.Actor("editor"), notices.Filter{})
	require.NoError(t, err)
	require.Equal(t, []any{"Ceasefire", "title is required", core.ActorRef{}}, []any{page.Items[0].Title, page.Items[0].Comment, page.Items[0].Actor})
}

func TestReadTakesOneSelection(t *testing.T) {
	t.Parallel()
	w := setup(t)
	require.ErrorIs(t, w.notices.Read(t.Context(), w.Actor("editor"), nil, time.Time{}), core.ErrInvalid)
	require.ErrorIs(t, w.notices.Read(t.Context(), w.Actor("editor"), []int64{1}, w.Clock.Now()), core.ErrInvalid)
	require.ErrorIs(t, w.notices.Read(t.Context(), w.Actor("editor"), make([]int64, 1001), time.Time{}), core.ErrInvalid)
}
