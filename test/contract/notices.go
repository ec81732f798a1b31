package contract

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Notices checks a ports.NoticeStore.
func Notices(t *testing.T, open Factory) {
	runSequentially(t, open, cases{ // a case takes the events of others
		"keeps notices":                         keepsNotices,
		"shows what the user may see":           showsNotices,
		"marks notices as read":                 readsNotices,
		"puts events that notify in the outbox": notifies,
		"takes due reminders":                   takesReminders,
		"takes each reminder once":              takesRemindersOnce,
		"takes what is due of escalations":      takesOtherReminders,
	})
}

func (w *fixture) newNotice(t reporter, user core.User, key string, change func(*notice.Notice)) *notice.Notice {
	t.Helper()
	n := &notice.Notice{
		UserID: user.ID, Key: key, Kind: notice.YourTurn, Event: event.RequestSubmitted, ProjectID: w.project.ID, ApprovalID: 3, CollectionID: 4, EntryID: 5,
		Title: "Ceasefire \u2028 é", ReleaseNumber: "CR-2026-0001", Actor: core.ActorRef{Kind: "user", ID: 8, Name: "Edda"}, Comment: "<b> 'é'", Role: "editor", Place: "Vær",
	}
	if change != nil {
		change(n)
	}
	requireNoError(t, w.Notices.Insert(t.Context(), n))
	return n
}

// seenNotices returns the keys of the notices that the user sees with grants and custom roles, and checks
// that the count agrees.
func (w *fixture) seenNotices(t reporter, q ports.NoticeQuery) (keys []string) {
	t.Helper()
	q.Limit = 100
	found := result(w.Notices.Notices(t.Context(), q))(t)
	for _, n := range found {
		keys = append(keys, n.Key)
	}
	assertEqual(t, result(w.Notices.Count(t.Context(), q))(t), int64(len(found)))
	return keys
}

func keepsNotices(t *testing.T, w *fixture) {
	ada, other := w.newUser(t), w.newUser(t)
	n := w.newNotice(t, ada, "a", nil)
	if n.ID == 0 || n.At.IsZero() {
		t.Errorf("inserted %+v", n)
	}
	again := *n
	again.ID, again.Title = 0, "Other"
	next := *n
	next.ID, next.Key, next.Kind, next.ReleaseNumber, next.Actor = 0, "b", notice.Account, "", core.ActorRef{}
	theirs := *n
	theirs.ID, theirs.UserID = 0, other.ID
	requireNoError(t, w.Notices.Insert(t.Context(), &again, &next, &theirs))
	assertEqual(t, again.ID, int64(0))
	if theirs.ID == 0 || next.ID == 0 {
		t.Error("a notice has no id")
	}
	reach := review.Reach{UserID: ada.ID, Grants: []core.Grant{w.grant(core.RoleViewer)}}
	assertEqual(t, result(w.Notices.Notices(t.Context(), ports.NoticeQuery{Reach: reach, Limit: 9}))(t), []notice.Notice{next, *n})
	assertEqual(t, result(w.Notices.Notices(t.Context(), ports.NoticeQuery{Reach: reach, Offset: 1, Limit: 1}))(t), []notice.Notice{*n})
	assertEqual(t, result(w.Notices.Notices(t.Context(), ports.NoticeQuery{Reach: reach, Limit: 1}))(t), []notice.Notice{next})

	unknown := next
	unknown.UserID = 1 << 40
	requireError(t, w.Notices.Insert(t.Context(), &unknown), core.ErrNotFound)
	requireNoError(t, w.Notices.Insert(t.Context()))
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, w.seenNotices(t, ports.NoticeQuery{Reach: review.Reach{UserID: ada.ID, SuperAdmin: true}}), []string(nil))
}

func showsNotices(t *testing.T, w *fixture) {
	ada := w.newUser(t)
	role, elsewhere := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.newDepartment(t, w.tenant.ID).ID, "Legal")
	request := w.waiting(t, 1, "", role.ID)
	w.newNotice(t, ada, "account", func(n *notice.Notice) { n.ProjectID = 0 })
	w.newNotice(t, ada, "request", func(n *notice.Notice) { n.ApprovalID = request.ID })
	w.newNotice(t, ada, "failed", func(n *notice.Notice) { n.ApprovalID = 0 })
	w.newNotice(t, ada, "webhook", func(n *notice.Notice) { n.ForAdmins, n.ApprovalID = true, request.ID })
	w.otherProject(t).newNotice(t, ada, "other", nil)
	for name, c := range map[string]struct {
		reach review.Reach
		want  []string
	}{
		"no role":              {review.Reach{}, []string{"account"}},
		"editor":               {review.Reach{Grants: []core.Grant{w.grant(core.RoleEditor)}}, []string{"failed", "request", "account"}},
		"admin":                {review.Reach{Grants: []core.Grant{w.grant(core.RoleAdmin)}}, []string{"webhook", "failed", "request", "account"}},
		"department admin":     {review.Reach{Grants: []core.Grant{w.grant(core.RoleDepartmentAdmin)}}, []string{"other", "webhook", "failed", "request", "account"}},
		"custom role":          {review.Reach{CustomRoles: []int64{role.ID}}, []string{"request", "account"}},
		"other custom role":    {review.Reach{CustomRoles: []int64{elsewhere.ID}}, []string{"account"}},
		"super admin":          {review.Reach{SuperAdmin: true}, []string{"other", "webhook", "failed", "request", "account"}},
		"admin of another one": {review.Reach{Grants: []core.Grant{w.otherProject(t).grant(core.RoleAdmin)}}, []string{"account"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.reach.UserID = ada.ID
			assertEqual(t, w.seenNotices(t, ports.NoticeQuery{Reach: c.reach}), c.want)
		})
	}
}

func readsNotices(t *testing.T, w *fixture) {
	ada, other := w.newUser(t), w.newUser(t)
	var made []*notice.Notice
	for _, key := range []string{"a", "b", "c"} {
		made = append(made, w.newNotice(t, ada, key, nil))
		time.Sleep(2 * time.Millisecond) // the clock has a resolution of 1 ms
	}
	w.newNotice(t, other, "a", nil)
	reach := review.Reach{UserID: ada.ID, Grants: []core.Grant{w.grant(core.RoleViewer)}}
	unread := func() []string { return w.seenNotices(t, ports.NoticeQuery{Reach: reach, Unread: true}) }
	requireNoError(t, w.Notices.MarkRead(t.Context(), ada.ID, nil, time.Time{}))
	assertEqual(t, unread(), []string{"c", "b", "a"})
	requireNoError(t, w.Notices.MarkRead(t.Context(), ada.ID, []int64{made[1].ID, 1 << 40}, time.Time{}))
	assertEqual(t, unread(), []string{"c", "a"})
	read := result(w.Notices.Notices(t.Context(), ports.NoticeQuery{Reach: reach, Limit: 9}))(t)[1]
	requireNoError(t, w.Notices.MarkRead(t.Context(), ada.ID, nil, made[1].At))
	assertEqual(t, unread(), []string{"c"})
	assertEqual(t, result(w.Notices.Notices(t.Context(), ports.NoticeQuery{Reach: reach, Limit: 9}))(t)[1], read) // is not read again
	requireNoError(t, w.Notices.MarkRead(t.Context(), other.ID, []int64{made[2].ID}, time.Time{}))
	assertEqual(t, unread(), []string{"c"})

	var left []notice.Notice
	requireError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		_, err := s.Aging.Delete(ctx, ports.AgedNotices, made[2].At, 1_000_000)
		if err == nil {
			left, err = s.Notices.Notices(ctx, ports.NoticeQuery{Reach: reach, Limit: 9})
		}
		return errors.Join(err, core.NotFound("anything")) // other cases have older ones
	}), core.ErrNotFound)
	assertEqual(t, len(left), 1)
	assertEqual(t, left[0].ID, made[2].ID)
}

func notifies(t *testing.T, w *fixture) {
	w.record(t, event.PublicationFailed, event.MediaCreated, event.WebhookOff)
	var taken []event.Type
	requireError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		taken = nil
		events, err := s.Outbox.Take(ctx, 10_000)
		for _, e := range events {
			if e.ProjectID == w.project.ID {
				taken = append(taken, e.Type)
			}
		}
		if err != nil {
			return err
		}
		return core.NotFound("anything") // other cases take theirs
	}), core.ErrNotFound)
	assertEqual(t, taken, []event.Type{event.PublicationFailed, event.WebhookOff})
}

// submitReminding submits a request whose first of two steps reminds after 2 hours, since a time.
func (w *fixture) submitReminding(t reporter, entryID int64, since time.Time) review.Request {
	t.Helper()
	r := w.newRequest(entryID)
	r.Steps = twoSteps(review.Workflow{}).Steps
	r.Steps[0].RemindAfter, r.Steps[1].RemindAfter, r.SubmittedAt = 2, 720, since
	w.submitAt(t, &r, since)
	return r
}

func (w *fixture) submitAt(t reporter, r *review.Request, at time.Time) {
	t.Helper()
	action := actionOf(r, review.ActionSubmit)
	action.CreatedAt = at
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		if err := s.Requests.Insert(t.Context(), r); err != nil {
			return err
		}
		return s.Requests.Seal(t.Context(), r, action)
	})))
}

// dueReminders takes all due reminders of the project.
func (w *fixture) dueReminders(t reporter) (taken []review.Reminder) {
	t.Helper()
	for {
		some := result(w.Reminders.TakeDue(t.Context(), 1))(t)
		if len(some) == 0 {
			assertEqual(t, result(w.Reminders.AnyDue(t.Context()))(t), false)
			return taken
		}
		for _, r := range some {
			if r.ProjectID == w.project.ID {
				taken = append(taken, r)
			}
		}
	}
}

// takesOtherReminders checks the notices of escalations, and of requests that are not approved at their time.
func takesOtherReminders(t *testing.T, w *fixture) {
	w.dueReminders(t) // of other cases
	now := result(w.Clock.Now(t.Context()))(t)
	entry := int64(0)
	add := func(after int, openSince time.Duration, submitted, publish time.Duration) review.Request {
		entry++
		r := w.newRequest(entry)
		r.Steps = []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}
		if after > 0 {
			r.Steps[0].Escalate = &review.Escalation{After: after, RoleKind: core.RoleTenantAdmin}
		}
		if publish != 0 {
			r.ScheduledAt = now.Add(publish)
		}
		r.OpenSince, r.SubmittedAt = now.Add(-openSince), now.Add(-submitted)
		w.submitAt(t, &r, r.SubmittedAt)
		return r
	}
	of := func(kind review.ReminderKind, r review.Request) review.Reminder {
		step := 1
		if kind == review.RemindOverdue {
			step = 0
		}
		return review.Reminder{Kind: kind, ProjectID: w.project.ID, RequestID: r.ID, StepID: step}
	}
	escalated, _ := add(2, 3*time.Hour, 3*time.Hour, 0), add(4, 3*time.Hour, 3*time.Hour, 0)
	late := add(0, 0, 2*time.Hour, -time.Hour)
	add(0, 0, 2*time.Hour, time.Hour)  // not yet
	add(0, 0, time.Hour, -2*time.Hour) // its time was past when it was submitted
	ended := add(2, 3*time.Hour, 3*time.Hour, -time.Hour)
	w.decide(t, &ended, review.RequestRejected)
	due := w.dueReminders(t)
	slices.SortFunc(due, func(a, b review.Reminder) int { return cmp.Compare(a.Kind, b.Kind) })
	assertEqual(t, due, []review.Reminder{of(review.RemindEscalated, escalated), of(review.RemindOverdue, late)})
	assertEqual(t, w.dueReminders(t), []review.Reminder(nil))
	late.ScheduledAt = now.Add(-time.Minute)
	late.Version++
	requireNoError(t, w.Requests.Update(t.Context(), &late, []*review.Action{actionOf(&late, review.ActionReschedule)}))
	assertEqual(t, w.dueReminders(t), []review.Reminder{of(review.RemindOverdue, late)})
}

func takesReminders(t *testing.T, w *fixture) {
	w.dueReminders(t) // of other cases
	now := result(w.Clock.Now(t.Context()))(t)
	hour := func(n time.Duration) time.Time { return now.Add(n * time.Hour) }
	never := w.newRequest(1)
	w.submitAt(t, &never, hour(-9))
	later, earlier := w.submitReminding(t, 2, hour(-3)), w.submitReminding(t, 3, hour(-4))
	w.submitReminding(t, 4, hour(-1)) // not due
	rejected, moved := w.submitReminding(t, 5, hour(-3)), w.submitReminding(t, 6, hour(-3))
	w.decide(t, &rejected, review.RequestRejected)
	moved.Current = 1
	w.decide(t, &moved, review.RequestPending) // its second step waits since at(3), long ago
	assertEqual(t, result(w.Reminders.AnyDue(t.Context()))(t), true)
	requireError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		assertEqual(t, len(result(s.Reminders.TakeDue(ctx, 2))(t)), 2)
		return core.NotFound("anything")
	}), core.ErrNotFound)
	of := func(r review.Request) review.Reminder {
		return review.Reminder{ProjectID: w.project.ID, RequestID: r.ID, StepID: r.Current + 1}
	}
	assertEqual(t, w.dueReminders(t), []review.Reminder{of(moved), of(earlier), of(later)})
	assertEqual(t, w.dueReminders(t), []review.Reminder(nil))

	late := w.submitReminding(t, 7, hour(-3))
	assertEqual(t, result(w.Reminders.AnyDue(t.Context(), late.ID))(t), false)
	assertEqual(t, result(w.Reminders.TakeDue(t.Context(), 9, late.ID))(t), []review.Reminder(nil))
	late.Version++ // a change that is no step
	requireNoError(t, w.Requests.Update(t.Context(), &late, []*review.Action{actionOf(&late, review.ActionReschedule)}))
	assertEqual(t, w.dueReminders(t), []review.Reminder{of(late)})
	w.submitReminding(t, 8, hour(-3))
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, w.dueReminders(t), []review.Reminder(nil))
}

func takesRemindersOnce(t *testing.T, w *fixture) {
	const many = 60
	for entry := range int64(many) {
		w.submitReminding(t, entry, at(1))
	}
	var mu sync.Mutex
	seen := map[review.Reminder]int{}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for taken := []review.Reminder{{}}; len(taken) > 0; {
				if err := w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) (err error) {
					taken, err = s.Reminders.TakeDue(ctx, 7)
					return err
				}); err != nil {
					t.Errorf("take: %v", err)
					return
				}
				mu.Lock()
				for _, r := range taken {
					if seen[r]++; seen[r] > 1 {
						t.Errorf("took %+v twice", r)
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if left := w.dueReminders(t); len(left) > 0 || len(seen) < many {
		t.Errorf("took %d reminders, left %d", len(seen), len(left))
	}
}
