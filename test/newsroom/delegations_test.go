package newsroom_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/delegation"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// people adds active users with a role in the Project.
func people(w *newsroom.Fixture, n int, role core.Role) (names []string) {
	w.Helper()
	now := w.Clock.Now()
	for i := range n {
		name := fmt.Sprintf("%s %d", role, i)
		user := core.User{Email: uuid.NewString() + "@example.org", Name: name, TenantID: w.Tenant.ID, Active: true, PasswordHash: "x", CreatedAt: now, UpdatedAt: now}
		w.OK(w.Stores.Users.Insert(w.Context(), &user))
		w.IDs[name] = user.ID
		w.Grant(name, role)
		names = append(names, name)
	}
	return names
}

// No user lends to more than 20, or decides for more than 20, also if all delegations are made at the same moment.
func TestDelegationsAtOnce(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		names := people(w, 24, core.RoleViewer)
		until := w.Clock.Now().Add(time.Hour)
		for _, row := range []struct{ give func(name string) error }{
			{func(name string) error {
				_, err := w.Delegations.Give(t.Context(), w.Actor("admin"), delegation.Input{To: w.IDs[name], Until: until})
				return err
			}},
			{func(name string) error {
				_, err := w.Delegations.Give(t.Context(), w.Actor(name), delegation.Input{To: w.IDs["viewer"], Until: until})
				return err
			}},
		} {
			var all sync.WaitGroup
			faults := make([]error, len(names))
			for i, name := range names {
				all.Go(func() { faults[i] = row.give(name) })
			}
			all.Wait()
			made := 0
			for _, err := range faults {
				if err == nil {
					made++
				} else if core.KindOf(err) != core.KindConflict {
					t.Error(err)
				}
			}
			if made != review.MaxDelegations {
				t.Errorf("%d delegations were made", made)
			}
		}
	})
}

// A delegation that ends beside a decision on behalf: either the decision is made while it holds, or it is refused.
func TestDelegationsEndBesideDecisions(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		w.SetWorkflow(newsroom.DelegableStep(1, core.RoleAdmin))
		for i := range 12 {
			id := w.Create(newsroom.Article(fmt.Sprint("A", i), newsroom.Published(true))).ID
			d := w.Lend("admin", "viewer")
			seen := w.Actor("viewer")
			var both sync.WaitGroup
			var decided, ended error
			both.Go(func() { _, decided = w.Reviews.Approve(t.Context(), seen, w.Ref(id), approval.Decision{}) })
			both.Go(func() { ended = w.Delegations.End(t.Context(), w.Actor("admin"), d.ID) })
			both.Wait()
			w.OK(ended)
			v := w.Request(id)
			after, err := w.Stores.Delegations.Delegation(t.Context(), d.ID)
			w.OK(err)
			switch {
			case decided == nil:
				if last := v.Actions[len(v.Actions)-2]; last.Type != review.ActionApprove || last.OnBehalfOf.ID != w.IDs["admin"] || last.CreatedAt.After(after.EndedAt) {
					t.Errorf("decided at %v on behalf of %q, and ended at %v", last.CreatedAt, last.OnBehalfOf.Name, after.EndedAt)
				}
			case core.KindOf(decided) != core.KindForbidden || v.Request.Status != review.RequestPending:
				t.Errorf("%v; the request is %s", decided, v.Request.Status)
			}
			audit, err := w.Reviews.Audit(t.Context(), w.Actor("admin"), w.Ref(id))
			w.OK(err)
			if len(audit.Faults) > 0 {
				t.Errorf("the record has faults: %v", audit.Faults)
			}
		}
	})
}

// Lists follow the standing of each user on both engines.
func TestInboxesOfDelegates(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, w *newsroom.Fixture) {
		legal := newsroom.CustomRoleStep(1, w.Legal)
		legal.Delegable = true
		w.SetWorkflow(newsroom.DelegableStep(1, core.RoleDepartmentAdmin), legal)
		w.Grant("brand", core.RoleViewer)
		w.Lend("department", "viewer")
		w.Lend("legal", "brand", w.Project.ID)
		w.Lend("legal", "outsider")
		id := w.Create(newsroom.Article("A", newsroom.Published(true))).ID
		check := func(at string, want map[string]bool) {
			t.Helper()
			for person, waits := range want {
				page, err := w.Inbox.List(t.Context(), w.Actor(person), approval.InboxFilter{})
				w.OK(err)
				if (page.Total == 1) != waits || waits && !page.Items[0].CanAct {
					t.Errorf("%s: the request waits for %s: %d", at, person, page.Total)
				}
			}
		}
		check("submitted", map[string]bool{"viewer": true, "brand": true, "outsider": false, "department": true, "legal": true, "admin": false})
		w.OK(w.Approve("brand", id))
		check("approved for legal", map[string]bool{"viewer": true, "brand": false, "legal": false, "department": true})
		w.OK(w.Approve("viewer", id))
		if title := w.Public(id); title != "A" {
			t.Errorf("%q is public", title)
		}
	})
}
