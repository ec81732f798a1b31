package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
)

type publications struct{ conn }

// entryKey is an entry of a Project.
type entryKey struct{ projectID, entryID int64 }

func (s publications) Schedule(ctx context.Context, p core.Publication) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.project(p.ProjectID); err != nil {
			return err
		}
		p.Attempts, p.LastFault, p.RetryAt = 0, "", p.DueAt
		st.publications.put(entryKey{p.ProjectID, p.EntryID}, p)
		st.recordPublication(core.EventPublicationScheduled, p)
		return nil
	})
}

func (s publications) Cancel(ctx context.Context, projectID, entryID int64) error {
	return s.change(ctx, func(st *state) error {
		key := entryKey{projectID, entryID}
		if p, ok := st.publications.get(key); ok {
			st.publications.remove(key)
			st.recordPublication(core.EventPublicationUnscheduled, p)
		}
		return nil
	})
}

// recordPublication records an event of a publication without a request. The events of a
// request already describe its schedule, except for failures.
func (st *state) recordPublication(kind core.EventType, p core.Publication) {
	if p.RequestID != 0 && kind != core.EventPublicationFailed {
		return
	}
	event := core.Event{Type: kind, ProjectID: p.ProjectID, EntryID: p.EntryID}
	if c, ok := st.collections.get(p.CollectionID); ok {
		event.Collection = c.Slug
	}
	st.record(event)
}

func (s publications) Scheduled(ctx context.Context, projectID, entryID int64) (core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (core.Publication, error) {
		p, ok := st.publications.get(entryKey{projectID, entryID})
		return found(p, ok, "publication")
	})
}

func (s publications) ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Publication, error) {
		return st.publications.all(func(p core.Publication) bool {
			return p.ProjectID == projectID && slices.Contains(entryIDs, p.EntryID)
		}), nil
	})
}

// Due needs no locks: transactions run one after another.
func (s publications) Due(ctx context.Context, limit int) ([]core.Publication, error) {
	now := s.now()
	return s.list(ctx, limit, func(p core.Publication) bool { return !p.RetryAt.After(now) })
}

func (s publications) NextDue(ctx context.Context) (wait time.Duration, ok bool, err error) {
	rows, err := s.list(ctx, 1, func(core.Publication) bool { return true })
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	return rows[0].RetryAt.Sub(s.now()), true, nil
}

func (s publications) RecordFailure(ctx context.Context, projectID, entryID int64, fault string, again time.Duration) error {
	return s.change(ctx, func(st *state) error {
		key := entryKey{projectID, entryID}
		p, ok := st.publications.get(key)
		if !ok {
			return core.NotFound("publication")
		}
		p.Attempts++
		p.LastFault, p.RetryAt = fault, s.now().Add(again)
		st.publications.put(key, p)
		st.recordPublication(core.EventPublicationFailed, p)
		return nil
	})
}

func (s publications) Publications(ctx context.Context, q core.PublicationQuery) ([]core.Publication, error) {
	rows, err := s.list(ctx, int(q.Offset+q.Limit), func(p core.Publication) bool {
		return slices.Contains(q.ProjectIDs, p.ProjectID) && (!q.Failed || p.Attempts > 0) &&
			(q.CollectionID == 0 || p.CollectionID == q.CollectionID) &&
			(q.UserID == 0 || p.ScheduledBy.Kind == "user" && p.ScheduledBy.ID == q.UserID)
	})
	return rows[min(q.Offset, int64(len(rows))):], err
}

func (s publications) CountFailed(ctx context.Context) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) {
		return int64(len(st.publications.all(func(p core.Publication) bool { return p.Attempts > 0 }))), nil
	})
}

func (s publications) Now(ctx context.Context) (time.Time, error) { return s.now(), ctx.Err() }

// list returns the matching publications, the earliest first.
func (s publications) list(ctx context.Context, limit int, match func(core.Publication) bool) ([]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Publication, error) {
		rows := st.publications.all(match)
		slices.SortFunc(rows, func(a, b core.Publication) int {
			return cmp.Or(a.RetryAt.Compare(b.RetryAt), cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.EntryID, b.EntryID))
		})
		return rows[:min(limit, len(rows))], nil
	})
}
