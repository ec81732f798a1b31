package newsroom_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/review"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// lateTx is a ports.Tx whose transactions read a clock that is behind that of the database, so that what they open has
// been open for that time.
type lateTx struct {
	ports.Tx
	behind *time.Duration
}

func (tx lateTx) Do(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores ports.Stores) error) error {
	behind := *tx.behind
	return tx.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Clock = lateClock{stores.Clock, behind}
		return do(ctx, stores)
	})
}

type lateClock struct {
	ports.DatabaseClock
	behind time.Duration
}

func (c lateClock) Now(ctx context.Context) (time.Time, error) {
	now, err := c.DatabaseClock.Now(ctx)
	return now.Add(-c.behind), err
}

// forEachEngineLate is forEachEngine with a function that creates an article and submits it, as it were some time ago.
func forEachEngineLate(t *testing.T, test func(t *testing.T, w *newsroom.Fixture, submit func(title string, before time.Duration) int64)) {
	t.Helper()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			var behind time.Duration
			w := newsroom.New(t, stores, lateTx{tx, &behind}, systemclock.New())
			test(t, w, func(title string, before time.Duration) int64 {
				behind = before
				defer func() { behind = 0 }()
				return w.Create(newsroom.Article(title, newsroom.Published(true))).ID
			})
		})
	}
}

// attempt is a decision that is made beside others.
type attempt struct {
	name, behalf string
	decide       func(ctx context.Context, actor core.Actor, ref review.Subject, in approval.Decision) (*approval.View, error)
	err          error
}

// Approvals in the name of their person, on behalf of a user whose delegation ends, by the escalation of the step, and of
// a user that is deactivated, and a rejection, all at the same moment: the request has one end, every decision that
// succeeded is on the record once and no other is, and no person fills two seats.
func TestDecisionsAtOnce(t *testing.T) {
	t.Parallel()
	forEachEngineLate(t, func(t *testing.T, w *newsroom.Fixture, submit func(title string, before time.Duration) int64) {
		step := newsroom.DelegableStep(1, core.RoleDepartmentAdmin)
		step.Approvals, step.Escalate = new(2), &approval.EscalationInput{After: 48, RequiredRoleKind: string(core.RoleAdmin)}
		w.SetWorkflow(step)
		people(w, 2, core.RoleViewer)
		for round := range 16 {
			id := submit(fmt.Sprint("A", round), 72*time.Hour)
			lent := w.Lend("tenant", "viewer")
			w.SetActive("department", true)
			attempts := []*attempt{
				{name: "department", decide: w.Reviews.Approve}, {name: "viewer", behalf: "tenant", decide: w.Reviews.Approve},
				{name: "tenant", decide: w.Reviews.Approve}, {name: "admin", decide: w.Reviews.Approve}, {name: "admin", decide: w.Reviews.Approve},
				{name: "super", decide: w.Reviews.Reject},
			}
			if round%2 == 0 {
				attempts = attempts[:5]
			}
			var all sync.WaitGroup
			for _, a := range attempts {
				actor := w.Actor(a.name)
				all.Go(func() { _, a.err = a.decide(t.Context(), actor, w.Ref(id), approval.Decision{}) })
			}
			all.Go(func() { w.OK(w.Delegations.End(t.Context(), w.Actor("tenant"), lent.ID)) })
			all.Go(func() { w.SetActive("department", false) })
			all.Wait()

			v := w.Request(id)
			want := review.RequestPublished
			made := map[string]int{}
			for _, a := range attempts {
				var refused *core.Error
				switch {
				case a.err == nil:
					made[fmt.Sprint(w.IDs[a.name], " for ", w.IDs[a.behalf])]++
					if a.name == "super" {
						want = review.RequestRejected
					}
				case !errors.As(a.err, &refused):
					t.Errorf("%s: %v", a.name, a.err)
				}
			}
			require.Equal(t, want, v.Request.Status)
			recorded := map[string]int{}
			for _, action := range v.Actions {
				if action.Type.Decision() {
					recorded[fmt.Sprint(action.Actor.ID, " for ", action.OnBehalfOf.ID)]++
				}
				if action.Type == review.ActionApprove {
					require.Equal(t, action.Actor.ID == w.IDs["admin"], action.Escalated)
				}
			}
			require.Equal(t, made, recorded)
			seats := map[int64]bool{}
			for _, given := range v.Request.Approvals {
				for _, person := range []int64{given.Person, given.For} {
					require.False(t, person != 0 && seats[person], "a person fills two seats: %v", v.Request.Approvals)
					seats[person] = true
				}
			}
			audit, err := w.Reviews.Audit(t.Context(), w.Actor("admin"), w.Ref(id))
			require.NoError(t, err)
			require.Empty(t, audit.Faults)
		}
	})
}

// Of many approvals at once by five persons, three count: none fails because another came first.
func TestApprovalsOfAQuorumAtOnce(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		step := newsroom.Step(1, core.RoleAdmin)
		step.Approvals = new(3)
		w.SetWorkflow(step)
		names := people(w, 5, core.RoleAdmin)
		for round := range 6 {
			id := w.Create(newsroom.Article(fmt.Sprint("A", round), newsroom.Published(true))).ID
			var all sync.WaitGroup
			faults := make([]error, 20)
			for i := range faults {
				actor := w.Actor(names[i%len(names)])
				all.Go(func() { _, faults[i] = w.Reviews.Approve(t.Context(), actor, w.Ref(id), approval.Decision{}) })
			}
			all.Wait()
			codes := map[string]int{}
			for _, err := range faults {
				var refused *core.Error
				if errors.As(err, &refused) {
					codes[refused.Code]++
				} else {
					require.NoError(t, err)
					codes[""]++
				}
			}
			require.Equal(t, 3, codes[""], codes)
			require.Equal(t, 17, codes["already_approved"]+codes["not_pending"]+codes["changed_meanwhile"], codes) // the last two after the end
			require.Len(t, w.Request(id).Request.Approvals, 3)
		}
	})
}
