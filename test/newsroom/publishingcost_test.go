package newsroom_test

import (
	"context"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

// TestStatementsOfPublishing limits the statements of what makes an entry public, or takes it back.
func TestStatementsOfPublishing(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		count := func(do func(ctx context.Context) error) int64 {
			ctx, statements := sqldb.WithStatementCount(context.WithoutCancel(t.Context()))
			require.NoError(t, do(ctx))
			return statements.Load()
		}
		create := func(change ...func(*core.EntryWrite)) int64 { return w.Create(newsroom.Article("A", change...)).ID }
		publish := func(id int64) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := w.Writer.Publish(ctx, w.Actor("editor"), w.Ref(id), writing.Publication{}, nil)
				return err
			}
		}
		unpublish := func(id int64) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := w.Writer.Unpublish(ctx, w.Actor("editor"), w.Ref(id), nil, "")
				return err
			}
		}
		approve := func(id int64) func(context.Context) error {
			return func(ctx context.Context) error {
				_, err := w.Reviews.Approve(ctx, w.Actor("admin"), w.Ref(id), approval.Decision{})
				return err
			}
		}
		due := func(id int64, action schedule.Action) func(context.Context) error {
			p, err := w.Stores.Schedules.Scheduled(t.Context(), w.Project.ID, id, action)
			require.NoError(t, err)
			p.DueAt = time.Now().Add(-time.Second).UTC().Truncate(time.Millisecond)
			require.NoError(t, w.Stores.Schedules.Schedule(t.Context(), p))
			return func(ctx context.Context) error {
				published, failed, err := w.Worker.PublishDue(ctx)
				require.Equal(t, []int{1, 0}, []int{published, failed})
				return err
			}
		}
		tomorrow := newsroom.At(time.Now().Add(24 * time.Hour))
		got := map[string]int64{}
		id := create()
		got["publish"] = count(publish(id))
		got["unpublish"] = count(unpublish(id))
		got["scheduled draft"] = count(due(create(newsroom.Published(true), tomorrow), schedule.Publish))
		w.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin))
		got["submit"] = count(publish(id))
		got["first step"] = count(approve(id))
		got["last step"] = count(approve(id))
		id = create(newsroom.Published(true))
		got["withdraw"] = count(unpublish(id))
		id = create(newsroom.Published(true), tomorrow)
		w.OK(w.Approve("admin", id))
		got["last step, scheduled"] = count(approve(id))
		got["scheduled request"] = count(due(id, schedule.Publish))
		for what, most := range map[string]int64{
			"publish": 25, "unpublish": 24, "scheduled draft": 29, "submit": 21, "withdraw": 15,
			"first step": 17, "last step": 36, "last step, scheduled": 17, "scheduled request": 32,
		} {
			assert.LessOrEqual(t, got[what], most, what)
		}
	})
}
