package sqlstore

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/schedule"
)

// scheduleStore implements ports.ScheduleStore.
type scheduleStore struct{ sqldb.Conn }

var schedules = sqldb.NewTableOf("schedules", "schedule", func(p *schedule.Schedule) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &p.ProjectID, Fixed: true},
		{Name: "entry_id", Kind: "bigint", Of: &p.EntryID, Fixed: true},
		{Name: "release_id", Kind: "bigint", Of: &p.ReleaseID, Fixed: true},
		{Name: "action", Kind: "text", Of: &p.Action, Fixed: true},
		{Name: "collection_id", Kind: "bigint", Of: &p.CollectionID},
		{Name: "request_id", Kind: "bigint", Of: sqldb.NullIfZero(&p.RequestID)},
		{Name: "due_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.DueAt)},
		{Name: "unpublish_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.UnpublishAt)},
		{Name: "retry_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.RetryAt)},
		{Name: "attempts", Kind: "integer", Of: &p.Attempts},
		{Name: "last_fault", Kind: "text", Of: &p.LastFault},
		{Name: "scheduler_kind", Kind: "text", Of: &p.ScheduledBy.Kind},
		{Name: "scheduler_id", Kind: "bigint", Of: &p.ScheduledBy.ID},
		{Name: "scheduler_name", Kind: "text", Of: &p.ScheduledBy.Name},
		{Name: "scheduler_maker", Kind: "bigint", Of: &p.ScheduledBy.MadeBy}, // the id of the user who created the token that scheduled
	}
})

func (s scheduleStore) Schedule(ctx context.Context, p schedule.Schedule) error {
	p.RetryAt, p.Attempts, p.LastFault = p.DueAt, 0, ""
	text, args := schedules.Insert(&p)
	columns, _ := schedules.Set(&p).Split()
	text += " ON CONFLICT (project_id, entry_id, release_id, action) DO UPDATE SET " +
		strings.Join(sqldb.Mapped(columns, func(column string) string { return column + " = EXCLUDED." + column }), ", ")
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if _, err := c.Do(ctx, schedules.Thing, text, args...); err != nil {
			return err
		}
		return scheduleStore{c}.record(ctx, event.PublicationScheduled, p)
	})
}

// record records an event about a schedule. A schedule of a request or a release has no events except
// failures: the events of the request or the release report the rest.
func (s scheduleStore) record(ctx context.Context, kind event.Type, p schedule.Schedule) error {
	switch {
	case (p.RequestID != 0 || p.ReleaseID != 0) && kind != event.PublicationFailed:
		return nil
	case p.ReleaseID != 0:
		s.Conn.Record(event.Event{Type: event.ReleaseFailed, ProjectID: p.ProjectID, SubjectID: p.ReleaseID, ReleaseID: p.ReleaseID})
		return nil
	}
	collection, err := collectionStore(s).Collection(ctx, p.ProjectID, p.CollectionID)
	if errors.Is(err, core.ErrNotFound) {
		collection, err = &core.Collection{}, nil // the collection is being deleted
	}
	if err == nil {
		s.Conn.Record(event.Event{Type: kind, ProjectID: p.ProjectID, Collection: collection.Slug, EntryID: p.EntryID})
	}
	return err
}

func (s scheduleStore) Cancel(ctx context.Context, projectID, entryID int64, action schedule.Action) error {
	return s.cancel(ctx, ofEntrySchedule, projectID, entryID, action)
}

func (s scheduleStore) CancelAll(ctx context.Context, projectID int64, entryIDs []int64, action schedule.Action) error {
	if len(entryIDs) == 0 {
		return nil
	}
	return s.cancel(ctx, "project_id = @project AND entry_id ? AND release_id = 0 AND action = ?", projectID, sqldb.AmongIDs(entryIDs), action)
}

func (s scheduleStore) CancelRelease(ctx context.Context, projectID, releaseID int64) error {
	return s.cancel(ctx, ofReleaseSchedule, projectID, releaseID)
}

// The conditions of the schedules of an entry and of a release.
const (
	ofEntrySchedule   = "project_id = @project AND entry_id = ? AND release_id = 0 AND action = ?"
	ofReleaseSchedule = "project_id = @project AND entry_id = 0 AND release_id = ? AND action = 'publish'"
)

func (s scheduleStore) cancel(ctx context.Context, condition string, args ...any) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		canceled, err := schedules.Changed(ctx, c, "DELETE FROM schedules WHERE "+condition, args...)
		for i := 0; i < len(canceled) && err == nil; i++ {
			err = scheduleStore{c}.record(ctx, event.PublicationUnscheduled, canceled[i])
		}
		return err
	})
}

func (s scheduleStore) Scheduled(ctx context.Context, projectID, entryID int64, action schedule.Action) (schedule.Schedule, error) {
	return schedules.One(ctx, s.Conn, " WHERE "+ofEntrySchedule, projectID, entryID, action)
}

func (s scheduleStore) ScheduledRelease(ctx context.Context, projectID, releaseID int64) (schedule.Schedule, error) {
	return schedules.One(ctx, s.Conn, " WHERE "+ofReleaseSchedule, projectID, releaseID)
}

func (s scheduleStore) ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]schedule.Schedule, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	return schedules.All(ctx, s.Conn, " WHERE project_id = @project AND entry_id ?", projectID, sqldb.AmongIDs(entryIDs))
}

// earliest is the order of schedules, and their number.
const earliest = " ORDER BY retry_at, project_id, entry_id, release_id, action LIMIT @limit"

func (s scheduleStore) Due(ctx context.Context, limit int, without ...int64) ([]schedule.Schedule, error) {
	end, lock, args := " WHERE release_id = 0 AND retry_at <= "+s.DB.Dialect.Now(), s.ForUpdate(), []any{sqldb.As("limit", limit)}
	if len(without) > 0 {
		end, args = end+" AND NOT project_id ?", append(args, sqldb.AmongIDs(without))
	}
	if lock != "" {
		lock += " SKIP LOCKED"
	}
	return schedules.All(ctx, s.Conn, end+earliest+lock, args...)
}

func (s scheduleStore) DueReleases(ctx context.Context, limit int) ([]schedule.Schedule, error) {
	return schedules.All(ctx, s.Conn, " WHERE release_id <> 0 AND retry_at <= "+s.DB.Dialect.Now()+earliest, limit)
}

func (s scheduleStore) NextDue(ctx context.Context) (wait time.Duration, ok bool, err error) {
	waits, err := sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[int64], "SELECT retry_at - "+s.DB.Dialect.Now()+" FROM schedules ORDER BY retry_at LIMIT 1")
	if err != nil || len(waits) == 0 {
		return 0, false, err
	}
	return time.Duration(waits[0]) * time.Millisecond, true, nil
}

func (s scheduleStore) RecordFailure(ctx context.Context, p schedule.Schedule, fault string, again time.Duration) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		failed, err := schedules.Changed(ctx, c, "UPDATE schedules SET attempts = attempts + 1, last_fault = ?, retry_at = "+c.DB.Dialect.Now()+" + ?"+
			" WHERE project_id = @project AND entry_id = ? AND release_id = ? AND action = ?", fault, again.Milliseconds(), p.ProjectID, p.EntryID, p.ReleaseID, p.Action)
		if err == nil && len(failed) == 0 {
			err = core.NotFound(schedules.Thing)
		}
		if err != nil {
			return err
		}
		return scheduleStore{c}.record(ctx, event.PublicationFailed, failed[0])
	})
}

func (s scheduleStore) Schedules(ctx context.Context, q schedule.Query) ([]schedule.Schedule, error) {
	if len(q.ProjectIDs) == 0 {
		return nil, nil
	}
	condition, args := selectedSchedules(q)
	return sqldb.CollectByValues(ctx, s.Conn, schedules.Scan, schedules.Selected+condition+earliest+" OFFSET ?", append(args, sqldb.As("limit", q.Limit), q.Offset)...)
}

func (s scheduleStore) Count(ctx context.Context, q schedule.Query) (int64, error) {
	if len(q.ProjectIDs) == 0 {
		return 0, nil
	}
	condition, args := selectedSchedules(q)
	return sqldb.CountByValues(ctx, s.Conn, "schedules"+condition, args...)
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
	args := []any{sqldb.As("projects", sqldb.AmongIDs(q.ProjectIDs)), sqldb.As("from", q.From.UnixMilli()), sqldb.As("to", q.To.UnixMilli()), sqldb.As("limit", q.Offset+q.Limit)}
	narrow := ""
	if q.CollectionID != 0 {
		args = append(args, sqldb.As("collection", q.CollectionID))
		narrow = " AND p.collection_id = @collection"
	}
	text := selectBegun + narrow
	if q.UserID != 0 {
		args = append(args, q.UserID)
		text += " AND p.by_kind = 'user' AND p.by_id = ?"
	} else {
		text += " UNION ALL " + selectEnded + narrow
	}
	return sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (d schedule.Done, err error) {
		by := &d.ScheduledBy
		err = rows.Scan((*sqldb.Instant)(&d.DueAt), &d.ProjectID, &d.EntryID, &d.CollectionID, &d.Action, &d.RequestID, &by.Kind, &by.ID, &by.Name, &by.MadeBy)
		d.RetryAt = d.DueAt
		return d, err
	}, "SELECT * FROM ("+text+") AS x ORDER BY at DESC, project_id, entry_id, action LIMIT @limit", args...)
}

// doneReleases returns all releases that were published in the time of q.
func (s scheduleStore) doneReleases(ctx context.Context, q schedule.Query) ([]schedule.Done, error) {
	found, err := sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (d schedule.Done, err error) {
		var by sqldb.Encoded[core.ActorRef]
		err = rows.Scan((*sqldb.Instant)(&d.DueAt), &d.ProjectID, &d.ReleaseID, &d.ReleaseName, &d.RequestID, &by)
		d.RetryAt, d.Action, d.ScheduledBy = d.DueAt, schedule.Publish, by.V
		return d, err
	}, selectReleased, sqldb.AmongIDs(q.ProjectIDs), q.From.UnixMilli(), q.To.UnixMilli())
	if q.UserID != 0 {
		found = slices.DeleteFunc(found, func(d schedule.Done) bool { return d.ScheduledBy.Kind != "user" || d.ScheduledBy.ID != q.UserID })
	}
	return found, err
}

// selectedSchedules returns the condition of the schedules s that q selects, with its arguments. In the trash only ends stay scheduled. The
// condition names the Projects twice, so that Postgres reads only their partitions.
func selectedSchedules(q schedule.Query) (condition string, args []any) {
	condition, args = " s WHERE project_id @projects AND (s.action = 'publish' OR NOT EXISTS (SELECT 1 FROM entries e"+
		" WHERE e.project_id @projects AND e.project_id = s.project_id AND e.id = s.entry_id AND e.trashed_at IS NOT NULL))", []any{sqldb.As("projects", sqldb.AmongIDs(q.ProjectIDs))}
	if q.Failed {
		condition += " AND attempts > 0"
	}
	if q.CollectionID != 0 {
		condition, args = condition+" AND collection_id = ?", append(args, q.CollectionID)
	}
	if q.UserID != 0 {
		condition, args = condition+" AND scheduler_kind = 'user' AND scheduler_id = ?", append(args, q.UserID)
	}
	if !q.From.IsZero() || !q.To.IsZero() {
		to := int64(math.MaxInt64)
		if !q.To.IsZero() {
			to = q.To.UnixMilli()
		}
		condition += " AND (due_at >= @from AND due_at < @to OR unpublish_at >= @from AND unpublish_at < @to)"
		args = append(args, sqldb.As("from", q.From.UnixMilli()), sqldb.As("to", to))
	}
	return condition, args
}

func (s scheduleStore) CountFailed(ctx context.Context) (int64, error) {
	return sqldb.Value[int64](ctx, s.Conn, "SELECT count(*) FROM schedules WHERE attempts > 0")
}
