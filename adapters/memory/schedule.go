package memory

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
)

type schedules struct{ store }

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
	return s.apply(ctx, func(st *state) {
		p.Attempts, p.LastFault, p.RetryAt = 0, "", p.DueAt
		st.schedules.put(keyOf(p), p)
		st.recordSchedule(event.PublicationScheduled, p)
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
	return get[schedule.Schedule](ctx, s.store, scheduleKey{projectID, entryID, 0, action})
}

func (s schedules) ScheduledRelease(ctx context.Context, projectID, releaseID int64) (schedule.Schedule, error) {
	return get[schedule.Schedule](ctx, s.store, scheduleKey{projectID, 0, releaseID, schedule.Publish})
}

func (s schedules) ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]schedule.Schedule, error) {
	return where(ctx, s.store, func(p schedule.Schedule) bool {
		return p.ProjectID == projectID && slices.Contains(entryIDs, p.EntryID)
	})
}

func (s schedules) Due(ctx context.Context, limit int, without ...int64) ([]schedule.Schedule, error) {
	now := s.now()
	rows, err := where(ctx, s.store, func(p schedule.Schedule) bool {
		return p.ReleaseID == 0 && !p.RetryAt.After(now) && !slices.Contains(without, p.ProjectID)
	})
	return first(rows, limit), err
}

func (s schedules) DueReleases(ctx context.Context, limit int) ([]schedule.Schedule, error) {
	now := s.now()
	rows, err := where(ctx, s.store, func(p schedule.Schedule) bool { return p.ReleaseID != 0 && !p.RetryAt.After(now) })
	return first(rows, limit), err
}

func (s schedules) NextDue(ctx context.Context) (wait time.Duration, ok bool, err error) {
	rows, err := where(ctx, s.store, func(schedule.Schedule) bool { return true })
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	return rows[0].RetryAt.Sub(s.now()), true, nil
}

func (s schedules) RecordFailure(ctx context.Context, failed schedule.Schedule, fault string, again time.Duration) error {
	return edit(ctx, s.store, keyOf(failed), func(st *state, p *schedule.Schedule) error {
		p.Attempts++
		p.LastFault, p.RetryAt = fault, s.now().Add(again)
		st.recordSchedule(event.PublicationFailed, *p)
		return nil
	})
}

func (s schedules) Schedules(ctx context.Context, q schedule.Query) ([]schedule.Schedule, error) {
	return view(ctx, s.conn, func(st *state) ([]schedule.Schedule, error) { return page(st.schedulesOf(q), q.Offset, q.Limit), nil })
}

func (s schedules) Count(ctx context.Context, q schedule.Query) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) { return int64(len(st.schedulesOf(q))), nil })
}

func (st *state) schedulesOf(q schedule.Query) []schedule.Schedule {
	return st.schedules.where(func(p schedule.Schedule) bool {
		return !st.trashed(p) && slices.Contains(q.ProjectIDs, p.ProjectID) && (!q.Failed || p.Attempts > 0) &&
			(q.CollectionID == 0 || p.CollectionID == q.CollectionID) &&
			p.Within(q.From, q.To) && (q.UserID == 0 || p.ScheduledBy.Kind == "user" && p.ScheduledBy.ID == q.UserID)
	})
}

// Done implements ports.ScheduleLister.
func (s schedules) Done(ctx context.Context, q schedule.Query) ([]schedule.Done, error) {
	return view(ctx, s.conn, func(st *state) ([]schedule.Done, error) {
		var done []schedule.Done
		for key, kept := range st.publications.each {
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
		for _, r := range st.releases.each {
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
		sort(done, schedule.Done.Compare)
		return page(done, q.Offset, q.Limit), nil
	})
}

// throughRelease reports whether a release published p.
func (st *state) throughRelease(p core.Publication) bool {
	for id, r := range st.releases.each {
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
	return count(ctx, s.store, func(p schedule.Schedule) bool { return p.Attempts > 0 })
}
