package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
)

type schedules struct{ conn }

// entryKey is an entry of a Project.
type entryKey struct{ projectID, entryID int64 }

// scheduleKey identifies a schedule.
type scheduleKey struct {
	projectID, entryID, releaseID int64
	action                        schedule.Action
}

func keyOf(p schedule.Schedule) scheduleKey {
	return scheduleKey{p.ProjectID, p.EntryID, p.ReleaseID, p.Action}
}

func (s schedules) Schedule(ctx context.Context, p schedule.Schedule) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.project(p.ProjectID); err != nil {
			return err
		}
		p.Attempts, p.LastFault, p.RetryAt = 0, "", p.DueAt
		st.schedules.put(keyOf(p), p)
		st.recordSchedule(event.PublicationScheduled, p)
		return nil
	})
}

func (s schedules) Cancel(ctx context.Context, projectID, entryID int64, action schedule.Action) error {
	return s.CancelAll(ctx, projectID, []int64{entryID}, action)
}

func (s schedules) CancelAll(ctx context.Context, projectID int64, entryIDs []int64, action schedule.Action) error {
	return s.apply(ctx, func(st *state) {
		for _, id := range entryIDs {
			st.cancel(scheduleKey{projectID, id, 0, action})
		}
	})
}

func (s schedules) CancelRelease(ctx context.Context, projectID, releaseID int64) error {
	return s.apply(ctx, func(st *state) { st.cancel(scheduleKey{projectID, 0, releaseID, schedule.Publish}) })
}

func (st *state) cancel(key scheduleKey) {
	if p, ok := st.schedules.get(key); ok {
		st.schedules.remove(key)
		st.recordSchedule(event.PublicationUnscheduled, p)
	}
}

// recordSchedule records an event of a schedule without a request. The events of a
// request already describe its schedule, except for failures, and those of a release describe its own.
func (st *state) recordSchedule(kind event.Type, p schedule.Schedule) {
	switch {
	case p.ReleaseID != 0 && kind == event.PublicationFailed:
		st.record(event.Event{Type: event.ReleaseFailed, ProjectID: p.ProjectID, SubjectID: p.ReleaseID, ReleaseID: p.ReleaseID})
		return
	case p.ReleaseID != 0 || p.RequestID != 0 && kind != event.PublicationFailed:
		return
	}
	event := event.Event{Type: kind, ProjectID: p.ProjectID, EntryID: p.EntryID}
	if c, ok := st.collections.get(p.CollectionID); ok {
		event.Collection = c.Slug
	}
	st.record(event)
}

func (s schedules) Scheduled(ctx context.Context, projectID, entryID int64, action schedule.Action) (schedule.Schedule, error) {
	return view(ctx, s.conn, func(st *state) (schedule.Schedule, error) {
		p, ok := st.schedules.get(scheduleKey{projectID, entryID, 0, action})
		return found(p, ok, "schedule")
	})
}

func (s schedules) ScheduledRelease(ctx context.Context, projectID, releaseID int64) (schedule.Schedule, error) {
	return view(ctx, s.conn, func(st *state) (schedule.Schedule, error) {
		p, ok := st.schedules.get(scheduleKey{projectID, 0, releaseID, schedule.Publish})
		return found(p, ok, "schedule")
	})
}

func (s schedules) ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]schedule.Schedule, error) {
	return view(ctx, s.conn, func(st *state) ([]schedule.Schedule, error) {
		return st.schedules.all(func(p schedule.Schedule) bool {
			return p.ProjectID == projectID && slices.Contains(entryIDs, p.EntryID)
		}), nil
	})
}

// Due needs no locks: transactions run one after another.
func (s schedules) Due(ctx context.Context, limit int, without ...int64) ([]schedule.Schedule, error) {
	now := s.now()
	return s.list(ctx, limit, func(_ *state, p schedule.Schedule) bool {
		return p.ReleaseID == 0 && !p.RetryAt.After(now) && !slices.Contains(without, p.ProjectID)
	})
}

func (s schedules) DueReleases(ctx context.Context, limit int) ([]schedule.Schedule, error) {
	now := s.now()
	return s.list(ctx, limit, func(_ *state, p schedule.Schedule) bool { return p.ReleaseID != 0 && !p.RetryAt.After(now) })
}

func (s schedules) NextDue(ctx context.Context) (wait time.Duration, ok bool, err error) {
	rows, err := s.list(ctx, 1, func(*state, schedule.Schedule) bool { return true })
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	return rows[0].RetryAt.Sub(s.now()), true, nil
}

func (s schedules) RecordFailure(ctx context.Context, failed schedule.Schedule, fault string, again time.Duration) error {
	return s.change(ctx, func(st *state) error {
		key := keyOf(failed)
		p, ok := st.schedules.get(key)
		if !ok {
			return core.NotFound("schedule")
		}
		p.Attempts++
		p.LastFault, p.RetryAt = fault, s.now().Add(again)
		st.schedules.put(key, p)
		st.recordSchedule(event.PublicationFailed, p)
		return nil
	})
}

func (s schedules) Schedules(ctx context.Context, q schedule.Query) ([]schedule.Schedule, error) {
	rows, err := s.list(ctx, int(q.Offset+q.Limit), func(st *state, p schedule.Schedule) bool { return st.selects(q, p) })
	return rows[min(q.Offset, int64(len(rows))):], err
}

func (s schedules) Count(ctx context.Context, q schedule.Query) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) {
		return int64(len(st.schedules.all(func(p schedule.Schedule) bool { return st.selects(q, p) }))), nil
	})
}

func (st *state) selects(q schedule.Query, p schedule.Schedule) bool {
	return !st.trashed(p) && slices.Contains(q.ProjectIDs, p.ProjectID) && (!q.Failed || p.Attempts > 0) &&
		(q.CollectionID == 0 || p.CollectionID == q.CollectionID) &&
		p.Within(q.From, q.To) && (q.UserID == 0 || p.ScheduledBy.Kind == "user" && p.ScheduledBy.ID == q.UserID)
}

// Done implements ports.ScheduleLister.
func (s schedules) Done(ctx context.Context, q schedule.Query) ([]schedule.Done, error) {
	return view(ctx, s.conn, func(st *state) ([]schedule.Done, error) {
		var done []schedule.Done
		for key, kept := range st.publications.rows {
			if !slices.Contains(q.ProjectIDs, key.projectID) || q.CollectionID != 0 && kept[0].CollectionID != q.CollectionID {
				continue
			}
			for i, p := range kept {
				at := schedule.Schedule{ProjectID: p.ProjectID, CollectionID: p.CollectionID, EntryID: p.EntryID}
				if p.By.Kind != core.SystemActor.Ref().Kind && !st.throughRelease(p) {
					at.Action, at.DueAt, at.RequestID, at.ScheduledBy = schedule.Publish, p.PublishedAt, p.RequestID, p.By
					done = append(done, schedule.Done{Schedule: at})
				}
				replaced := i+1 < len(kept) && kept[i+1].PublishedAt.Equal(p.UnpublishedAt)
				if !p.UnpublishedAt.IsZero() && p.Ended.ReleaseID == 0 && !replaced {
					at.Action, at.DueAt, at.RequestID, at.ScheduledBy = schedule.Unpublish, p.UnpublishedAt, 0, core.ActorRef{}
					done = append(done, schedule.Done{Schedule: at})
				}
			}
		}
		for _, r := range st.releases.rows {
			if r.State == release.Published && slices.Contains(q.ProjectIDs, r.ProjectID) && q.CollectionID == 0 {
				at := schedule.Schedule{ProjectID: r.ProjectID, ReleaseID: r.ID, RequestID: r.RequestID, Action: schedule.Publish, DueAt: r.PublishedAt, ScheduledBy: r.CreatedBy}
				done = append(done, schedule.Done{Schedule: at, ReleaseName: r.Name})
			}
		}
		done = slices.DeleteFunc(done, func(d schedule.Done) bool {
			return !d.Within(q.From, q.To) || q.UserID != 0 && (d.ScheduledBy.Kind != "user" || d.ScheduledBy.ID != q.UserID)
		})
		for i := range done {
			done[i].RetryAt = done[i].DueAt
		}
		slices.SortFunc(done, schedule.Done.Compare)
		done = done[min(q.Offset, int64(len(done))):]
		return done[:min(q.Limit, int64(len(done)))], nil
	})
}

// throughRelease reports whether a release published p.
func (st *state) throughRelease(p core.Publication) bool {
	for id, r := range st.releases.rows {
		if r.ProjectID == p.ProjectID && r.State == release.Published && r.PublishedAt.Equal(p.PublishedAt) {
			members, _ := st.members.get(id)
			if slices.ContainsFunc(members, func(m release.Member) bool { return m.EntryID == p.EntryID }) {
				return true
			}
		}
	}
	return false
}

// trashed reports whether the entry of p is in the trash, where only its end stays scheduled.
func (st *state) trashed(p schedule.Schedule) bool {
	e, _ := st.entries.get(p.EntryID)
	return p.Action == schedule.Unpublish && !e.TrashedAt.IsZero()
}

func (s schedules) CountFailed(ctx context.Context) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) {
		return int64(len(st.schedules.all(func(p schedule.Schedule) bool { return p.Attempts > 0 }))), nil
	})
}

// list returns the matching schedules, the earliest first.
func (s schedules) list(ctx context.Context, limit int, match func(*state, schedule.Schedule) bool) ([]schedule.Schedule, error) {
	return view(ctx, s.conn, func(st *state) ([]schedule.Schedule, error) {
		rows := st.schedules.sorted(func(p schedule.Schedule) bool { return match(st, p) }, func(a, b schedule.Schedule) int {
			return cmp.Or(a.RetryAt.Compare(b.RetryAt), cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.EntryID, b.EntryID),
				cmp.Compare(a.ReleaseID, b.ReleaseID), cmp.Compare(a.Action, b.Action))
		}, unshared)
		return rows[:min(limit, len(rows))], nil
	})
}
