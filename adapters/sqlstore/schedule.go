package sqlstore

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/schedule"
)

// scheduleStore implements ports.ScheduleStore.
type scheduleStore struct{ conn }

type scheduleRow struct {
	bun.BaseModel `bun:"table:schedules,alias:s"`

	ProjectID     int64           `bun:",pk"`
	EntryID       int64           `bun:",pk"`
	ReleaseID     int64           `bun:",pk"`
	Action        schedule.Action `bun:",pk"`
	CollectionID  int64
	RequestID     int64 `bun:",nullzero"`
	DueAt         instant
	UnpublishAt   instant
	RetryAt       instant
	Attempts      int
	LastFault     string
	SchedulerKind string
	SchedulerID   int64
	SchedulerName string
	// SchedulerMaker is the id of the user who created the token that scheduled.
	SchedulerMaker int64
}

func (r scheduleRow) core() schedule.Schedule {
	return schedule.Schedule{
		ProjectID: r.ProjectID, EntryID: r.EntryID, ReleaseID: r.ReleaseID, Action: r.Action, CollectionID: r.CollectionID, RequestID: r.RequestID,
		DueAt: time.Time(r.DueAt), UnpublishAt: time.Time(r.UnpublishAt), RetryAt: time.Time(r.RetryAt), Attempts: r.Attempts, LastFault: r.LastFault,
		ScheduledBy: core.ActorRef{Kind: r.SchedulerKind, ID: r.SchedulerID, Name: r.SchedulerName, MadeBy: r.SchedulerMaker},
	}
}

func (s scheduleStore) Schedule(ctx context.Context, p schedule.Schedule) error {
	row := &scheduleRow{
		ProjectID: p.ProjectID, EntryID: p.EntryID, ReleaseID: p.ReleaseID, Action: p.Action, CollectionID: p.CollectionID, RequestID: p.RequestID,
		DueAt: instant(p.DueAt), UnpublishAt: instant(p.UnpublishAt), RetryAt: instant(p.DueAt),
		SchedulerKind: p.ScheduledBy.Kind, SchedulerID: p.ScheduledBy.ID, SchedulerName: p.ScheduledBy.Name, SchedulerMaker: p.ScheduledBy.MadeBy,
	}
	q := s.write.NewInsert().Model(row).On("CONFLICT (project_id, entry_id, release_id, action) DO UPDATE")
	for _, column := range []string{
		"collection_id", "request_id", "due_at", "unpublish_at", "retry_at", "attempts", "last_fault", "scheduler_kind", "scheduler_id", "scheduler_name", "scheduler_maker",
	} {
		q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
	}
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if _, err := q.Conn(c.write).Exec(ctx); err != nil {
			return c.written(err, "schedule")
		}
		return scheduleStore{c}.record(ctx, event.PublicationScheduled, row)
	})
}

// record records an event about a schedule. A schedule of a request or a release has no events except
// failures: the events of the request or the release report the rest.
func (s scheduleStore) record(ctx context.Context, kind event.Type, row *scheduleRow) error {
	switch {
	case (row.RequestID != 0 || row.ReleaseID != 0) && kind != event.PublicationFailed:
		return nil
	case row.ReleaseID != 0:
		s.conn.record(event.Event{Type: event.ReleaseFailed, ProjectID: row.ProjectID, SubjectID: row.ReleaseID, ReleaseID: row.ReleaseID})
		return nil
	}
	collection, err := collectionStore(s).Collection(ctx, row.ProjectID, row.CollectionID)
	if errors.Is(err, core.ErrNotFound) {
		collection, err = &core.Collection{}, nil // the collection is being deleted
	}
	if err == nil {
		s.conn.record(event.Event{Type: kind, ProjectID: row.ProjectID, Collection: collection.Slug, EntryID: row.EntryID})
	}
	return err
}

func (s scheduleStore) Cancel(ctx context.Context, projectID, entryID int64, action schedule.Action) error {
	return s.cancel(ctx, "project_id = ? AND entry_id = ? AND release_id = 0 AND action = ?", projectID, entryID, action)
}

func (s scheduleStore) CancelAll(ctx context.Context, projectID int64, entryIDs []int64, action schedule.Action) error {
	if len(entryIDs) == 0 {
		return nil
	}
	return s.cancel(ctx, "project_id = ? AND entry_id IN (?) AND release_id = 0 AND action = ?", projectID, bun.List(entryIDs), action)
}

func (s scheduleStore) CancelRelease(ctx context.Context, projectID, releaseID int64) error {
	return s.cancel(ctx, ofReleaseSchedule, projectID, releaseID)
}

// ofReleaseSchedule is the condition of the schedule of a release.
const ofReleaseSchedule = "project_id = ? AND entry_id = 0 AND release_id = ? AND action = 'publish'"

func (s scheduleStore) cancel(ctx context.Context, condition string, args ...any) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		var canceled []scheduleRow
		if _, err := c.write.NewDelete().Model((*scheduleRow)(nil)).Where(condition, args...).Returning("*").Exec(ctx, &canceled); err != nil {
			return c.db.fault(err, "schedule")
		}
		for i := range canceled {
			if err := (scheduleStore{c}).record(ctx, event.PublicationUnscheduled, &canceled[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s scheduleStore) Scheduled(ctx context.Context, projectID, entryID int64, action schedule.Action) (schedule.Schedule, error) {
	return one[scheduleRow](ctx, s.conn, "schedule", where("project_id = ? AND entry_id = ? AND release_id = 0 AND action = ?", projectID, entryID, action))
}

func (s scheduleStore) ScheduledRelease(ctx context.Context, projectID, releaseID int64) (schedule.Schedule, error) {
	return one[scheduleRow](ctx, s.conn, "schedule", where(ofReleaseSchedule, projectID, releaseID))
}

func (s scheduleStore) ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]schedule.Schedule, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	return all[scheduleRow](ctx, s.conn, "schedule", where("project_id = ? AND entry_id IN (?)", projectID, bun.List(entryIDs)))
}

func (s scheduleStore) Due(ctx context.Context, limit int, without ...int64) ([]schedule.Schedule, error) {
	return s.earliest(ctx, limit, func(q *bun.SelectQuery) *bun.SelectQuery {
		if s.locks() {
			q = q.For("UPDATE SKIP LOCKED")
		}
		if len(without) > 0 {
			q = q.Where("project_id NOT IN (?)", bun.List(without))
		}
		return q.Where("release_id = 0 AND retry_at <= " + s.db.dialect.Now())
	})
}

func (s scheduleStore) DueReleases(ctx context.Context, limit int) ([]schedule.Schedule, error) {
	return s.earliest(ctx, limit, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("release_id <> 0 AND retry_at <= " + s.db.dialect.Now())
	})
}

func (s scheduleStore) NextDue(ctx context.Context) (wait time.Duration, ok bool, err error) {
	waits, err := collect(ctx, s.conn, scanValue[int64], "SELECT retry_at - "+s.db.dialect.Now()+" FROM schedules ORDER BY retry_at LIMIT 1")
	if err != nil || len(waits) == 0 {
		return 0, false, err
	}
	return time.Duration(waits[0]) * time.Millisecond, true, nil
}

func (s scheduleStore) RecordFailure(ctx context.Context, p schedule.Schedule, fault string, again time.Duration) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		var failed []scheduleRow
		if _, err := c.write.NewUpdate().Model((*scheduleRow)(nil)).
			Set("attempts = attempts + 1").Set("last_fault = ?", fault).Set("retry_at = "+c.db.dialect.Now()+" + ?", again.Milliseconds()).
			Where("project_id = ? AND entry_id = ? AND release_id = ? AND action = ?", p.ProjectID, p.EntryID, p.ReleaseID, p.Action).Returning("*").Exec(ctx, &failed); err != nil {
			return c.db.fault(err, "schedule")
		}
		if len(failed) == 0 {
			return core.NotFound("schedule")
		}
		return scheduleStore{c}.record(ctx, event.PublicationFailed, &failed[0])
	})
}

func (s scheduleStore) Schedules(ctx context.Context, q schedule.Query) ([]schedule.Schedule, error) {
	if len(q.ProjectIDs) == 0 {
		return nil, nil
	}
	return s.earliest(ctx, int(q.Limit), func(rows *bun.SelectQuery) *bun.SelectQuery { return selected(rows, q).Offset(q.Offset) })
}

func (s scheduleStore) Count(ctx context.Context, q schedule.Query) (int64, error) {
	if len(q.ProjectIDs) == 0 {
		return 0, nil
	}
	n, err := selected(s.read.NewSelect().Model((*scheduleRow)(nil)), q).Count(ctx)
	return n, s.db.fault(err, "schedule")
}

// The statements of Done, with the condition of their Projects as the argument. A release publishes its members at one
// time, its own. Each table names the Projects, so that Postgres reads only their partitions.
const (
	selectBegun = "SELECT p.published_at AS at, p.project_id, p.entry_id, p.collection_id, 'publish' AS action, coalesce(p.request_id, 0) AS request_id," +
		" p.by_kind, p.by_id, p.by_name, p.by_maker FROM publications p WHERE p.project_id @projects AND p.published_at >= @from AND p.published_at < @to AND p.by_kind <> 'system'" +
		" AND NOT EXISTS (SELECT 1 FROM release_members m JOIN releases r ON r.project_id = m.project_id AND r.id = m.release_id WHERE m.project_id @projects AND r.project_id @projects" +
		" AND m.project_id = p.project_id AND m.entry_id = p.entry_id AND r.state = 'published' AND r.published_at = p.published_at)"
	selectEnded = "SELECT p.unpublished_at AS at, p.project_id, p.entry_id, p.collection_id, 'unpublish' AS action, 0 AS request_id, '' AS by_kind, 0 AS by_id, '' AS by_name," +
		" 0 AS by_maker FROM publications p WHERE p.project_id @projects AND p.unpublished_at >= @from AND p.unpublished_at < @to AND p.ended_release IS NULL" +
		" AND NOT EXISTS (SELECT 1 FROM publications n WHERE n.project_id @projects AND n.project_id = p.project_id AND n.entry_id = p.entry_id" +
		" AND n.number = p.number + 1 AND n.published_at = p.unpublished_at)"
	selectReleased = "SELECT r.published_at, r.project_id, r.id, r.name, coalesce(r.request_id, 0), r.created_by FROM releases r" +
		" WHERE r.project_id @projects AND r.published_at >= @from AND r.published_at < @to AND r.state = 'published'"
)

func (s scheduleStore) Done(ctx context.Context, q schedule.Query) ([]schedule.Done, error) {
	if len(q.ProjectIDs) == 0 {
		return nil, nil
	}
	done, err := s.doneEntries(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.CollectionID == 0 {
		released, err := s.doneReleases(ctx, q)
		if err != nil {
			return nil, err
		}
		done = append(done, released...)
	}
	slices.SortFunc(done, schedule.Done.Compare)
	done = done[min(q.Offset, int64(len(done))):]
	return done[:min(q.Limit, int64(len(done)))], nil
}

// doneEntries returns the first q.Offset + q.Limit of what took place with entries.
func (s scheduleStore) doneEntries(ctx context.Context, q schedule.Query) ([]schedule.Done, error) {
	args := []any{as{"projects", amongIDs(q.ProjectIDs)}, as{"from", q.From.UnixMilli()}, as{"to", q.To.UnixMilli()}, as{"limit", q.Offset + q.Limit}}
	narrow := ""
	if q.CollectionID != 0 {
		args = append(args, as{"collection", q.CollectionID})
		narrow = " AND p.collection_id = @collection"
	}
	text := selectBegun + narrow
	if q.UserID != 0 {
		args = append(args, q.UserID)
		text += " AND p.by_kind = 'user' AND p.by_id = ?"
	} else {
		text += " UNION ALL " + selectEnded + narrow
	}
	return collect(ctx, s.conn, func(rows Rows) (d schedule.Done, err error) {
		by := &d.ScheduledBy
		err = rows.Scan((*instant)(&d.DueAt), &d.ProjectID, &d.EntryID, &d.CollectionID, &d.Action, &d.RequestID, &by.Kind, &by.ID, &by.Name, &by.MadeBy)
		d.RetryAt = d.DueAt
		return d, err
	}, "SELECT * FROM ("+text+") AS x ORDER BY at DESC, project_id, entry_id, action LIMIT @limit", args...)
}

// doneReleases returns all releases that were published in the time of q.
func (s scheduleStore) doneReleases(ctx context.Context, q schedule.Query) ([]schedule.Done, error) {
	found, err := collect(ctx, s.conn, func(rows Rows) (d schedule.Done, err error) {
		var by encoded[core.ActorRef]
		err = rows.Scan((*instant)(&d.DueAt), &d.ProjectID, &d.ReleaseID, &d.ReleaseName, &d.RequestID, &by)
		d.RetryAt, d.Action, d.ScheduledBy = d.DueAt, schedule.Publish, by.v
		return d, err
	}, selectReleased, amongIDs(q.ProjectIDs), q.From.UnixMilli(), q.To.UnixMilli())
	if q.UserID != 0 {
		found = slices.DeleteFunc(found, func(d schedule.Done) bool { return d.ScheduledBy.Kind != "user" || d.ScheduledBy.ID != q.UserID })
	}
	return found, err
}

// selected restricts rows to those that q selects.
func selected(rows *bun.SelectQuery, q schedule.Query) *bun.SelectQuery {
	if q.Failed {
		rows = rows.Where("attempts > 0")
	}
	if q.CollectionID != 0 {
		rows = rows.Where("collection_id = ?", q.CollectionID)
	}
	if q.UserID != 0 {
		rows = rows.Where("scheduler_kind = 'user' AND scheduler_id = ?", q.UserID)
	}
	if !q.From.IsZero() || !q.To.IsZero() {
		from, to := q.From.UnixMilli(), int64(math.MaxInt64)
		if !q.To.IsZero() {
			to = q.To.UnixMilli()
		}
		rows = rows.Where("(due_at >= ? AND due_at < ? OR unpublish_at >= ? AND unpublish_at < ?)", from, to, from, to)
	}
	// In the trash only ends stay scheduled. The condition names the Projects twice, so that Postgres
	// reads only their partitions.
	return rows.Where("project_id IN (?)", bun.List(q.ProjectIDs)).
		Where("(s.action = 'publish' OR NOT EXISTS (SELECT 1 FROM entries e WHERE e.project_id IN (?) AND e.project_id = s.project_id AND e.id = s.entry_id AND e.trashed_at IS NOT NULL))", bun.List(q.ProjectIDs))
}

func (s scheduleStore) earliest(ctx context.Context, limit int, narrow func(*bun.SelectQuery) *bun.SelectQuery) ([]schedule.Schedule, error) {
	return all[scheduleRow](ctx, s.conn, "schedule", func(q *bun.SelectQuery) *bun.SelectQuery {
		return narrow(q).Order("retry_at", "project_id", "entry_id", "release_id", "action").Limit(int64(limit))
	})
}

func (s scheduleStore) CountFailed(ctx context.Context) (int64, error) {
	n, err := s.read.NewSelect().Model((*scheduleRow)(nil)).Where("attempts > 0").Count(ctx)
	return n, s.db.fault(err, "schedule")
}
