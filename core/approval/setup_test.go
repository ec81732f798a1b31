package approval_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/schedule"
	"imprimatur/test/newsroom"
)

var noon = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// stoppedClock returns the time that a test sets.
type stoppedClock struct{ now time.Time }

func (c *stoppedClock) Now() time.Time       { return c.now }
func (c *stoppedClock) pass(d time.Duration) { c.now = c.now.Add(d) }

// fixture is a newsroom on the memory stores with a manual clock.
type fixture struct {
	*newsroom.Fixture
	t     testing.TB
	clock *stoppedClock
}

func setup(t testing.TB) *fixture {
	t.Helper()
	clock := &stoppedClock{now: noon}
	store := memory.NewAt(clock)
	return &fixture{Fixture: newsroom.New(t, store.Stores(), store, clock), t: t, clock: clock}
}

// gated returns a fixture whose project has a workflow.
func gated(t testing.TB) *fixture {
	t.Helper()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.CustomRoleStep(2, r.Legal), newsroom.Step(3, core.RoleDepartmentAdmin))
	return r
}

// submit creates an article and submits it.
func (r *fixture) submit(title string) int64 {
	r.t.Helper()
	return r.Create(newsroom.Article(title, newsroom.Published(true))).ID
}

// failed returns the failed publications that a person sees.
func (r *fixture) failed(person string) ([]schedule.Schedule, error) {
	page, err := r.Inbox.Failed(r.t.Context(), r.Actor(person), approval.FailedFilter{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// approveAll approves each step as the named user.
func (r *fixture) approveAll(id int64, names ...string) {
	r.t.Helper()
	for _, name := range names {
		require.NoError(r.t, r.Approve(name, id), name)
	}
}

// decide is a decision method of Reviews.
type decide func(d *approval.Reviews, r *fixture, name string, id int64, in approval.Decision) (*approval.View, error)

var (
	approve decide = func(d *approval.Reviews, r *fixture, name string, id int64, in approval.Decision) (*approval.View, error) {
		return d.Approve(r.Context(), r.Actor(name), r.Ref(id), in)
	}
	reject decide = func(d *approval.Reviews, r *fixture, name string, id int64, in approval.Decision) (*approval.View, error) {
		return d.Reject(r.Context(), r.Actor(name), r.Ref(id), in)
	}
	revise decide = func(d *approval.Reviews, r *fixture, name string, id int64, in approval.Decision) (*approval.View, error) {
		return d.RequestRevision(r.Context(), r.Actor(name), r.Ref(id), in)
	}
	publishNow decide = func(d *approval.Reviews, r *fixture, name string, id int64, in approval.Decision) (*approval.View, error) {
		return d.PublishNow(r.Context(), r.Actor(name), r.Ref(id), in)
	}
)

// outcome formats the result of a call: "ok", or the code of its error, with the locations
// of an invalid input.
func outcome(err error) string {
	var fault *core.Error
	switch {
	case err == nil:
		return "ok"
	case !errors.As(err, &fault):
		return err.Error()
	case len(fault.Fields) > 0:
		return fault.Code + " " + fault.Fields[0].Location
	default:
		return fault.Code
	}
}

func ptr[T any](value T) *T { return &value }
