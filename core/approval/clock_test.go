package approval_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/test/newsroom"
)

// The times of publications and of the records of requests are the database's, whatever the clock of
// the process says.
func TestClocksOfProcesses(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := &stoppedClock{now: noon}
			store := memory.NewAt(database)
			w := newsroom.New(t, store.Stores(), store, &stoppedClock{now: noon.Add(wrong)})
			direct := w.Create(newsroom.Article("A", newsroom.Published(true)))
			require.Equal(t, noon, *direct.PublishedAt)
			w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))

			database.pass(time.Minute)
			reviewed := w.Create(newsroom.Article("B", newsroom.Published(true))).ID
			database.pass(time.Minute)
			require.NoError(t, w.Approve("admin", reviewed))
			at := noon.Add(2 * time.Minute)
			r := w.Request(reviewed)
			require.Equal(t, at, r.Request.PublishedAt)
			var times []time.Time
			for _, a := range r.Actions {
				times = append(times, a.CreatedAt)
			}
			require.Equal(t, []time.Time{noon.Add(time.Minute), at, at}, times)
			e := w.Entry(reviewed)
			require.Equal(t, []time.Time{at, at}, []time.Time{e.PublishedAt, e.ReleasedAt})
			p, err := w.Stores.Publications.PublicAt(t.Context(), w.Project.ID, reviewed, at)
			require.NoError(t, err)
			require.Equal(t, r.Request.ID, p.RequestID)
		})
	}
}
