package approval_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/event"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// steps records what a transaction does to entries and events.
type steps struct {
	ports.Tx
	done *[]string
}

func (s steps) DoAlone(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return s.Tx.DoAlone(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		*s.done = nil
		stores.Entries, stores.Events = entrySteps{stores.Entries, s.done}, eventSteps{stores.Events, s.done}
		return do(ctx, stores)
	})
}

type entrySteps struct {
	ports.EntryStore
	done *[]string
}

func (s entrySteps) Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	*s.done = append(*s.done, "read")
	return s.EntryStore.Entries(ctx, projectID, ids)
}

func (s entrySteps) Save(ctx context.Context, schema core.Schema, added, changed []*core.Entry) error {
	*s.done = append(*s.done, "save")
	return s.EntryStore.Save(ctx, schema, added, changed)
}

type eventSteps struct {
	ports.EventStore
	done *[]string
}

func (s eventSteps) Record(ctx context.Context, e event.Event) error {
	*s.done = append(*s.done, "event")
	return s.EventStore.Record(ctx, e)
}

// TestSealedVersionsAreSavedLast checks that a publication which a new workflow makes does not wait
// for other work of its transaction: readers see it only after the commit, and it has the time of its save.
func TestSealedVersionsAreSavedLast(t *testing.T) {
	t.Parallel()
	var done []string
	clock := &stoppedClock{now: noon}
	store := memory.NewAt(clock)
	r := &fixture{Fixture: newsroom.New(t, store.Stores(), steps{store, &done}, clock), t: t, clock: clock}
	cover := newsroom.Cover(r.Picture("Harbour"))
	for _, title := range []string{"A", "B"} {
		r.Create(newsroom.Article(title, newsroom.Published(true), cover))
	}
	_, err := r.Workflows.SetDepartment(t.Context(), core.SystemActor, r.Newsroom, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}})
	require.NoError(t, err)
	require.Equal(t, []string{"event", "read", "save"}, done)
}
