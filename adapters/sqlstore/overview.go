package sqlstore

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/overview"
)

// overviewStore implements ports.OverviewStore.
type overviewStore struct{ sqldb.Conn }

const (
	// selectPublished counts each day separately: a range of the index, without sorting.
	selectPublished = "WITH RECURSIVE days (day) AS (SELECT CAST(@since AS bigint) UNION ALL SELECT day + 86400000 FROM days" +
		" WHERE day < CAST(@since AS bigint) + 31536000000 AND day + 86400000 <= (SELECT max(published_at) FROM publications WHERE project_id = @project))" +
		" SELECT day, published FROM (SELECT day, (SELECT count(*) FROM publications p" +
		" WHERE p.project_id = @project AND p.published_at >= day AND p.published_at < day + 86400000) AS published FROM days) AS counted WHERE published > 0 ORDER BY day"

	// latest selects the waiting times of the last 1,000 requests that passed a step w, so that
	// the cost of a median is bounded.
	latest = "SELECT p.passed_at - p.since AS took FROM approval_waits p" +
		" WHERE p.project_id = @project AND p.label = w.label AND p.step_order = w.step_order AND p.passed_at >= ? ORDER BY p.passed_at DESC LIMIT 1000"
	median = "SELECT took FROM (SELECT took, row_number() OVER (ORDER BY took) AS place, count(*) OVER () AS places FROM (" + latest + ") AS latest) AS ranked" +
		" WHERE place = (places + 1) / 2"
	selectWaiting = "SELECT w.label, w.step_order, w.waiting, w.oldest, coalesce((" + median + "), -1) FROM" +
		" (SELECT label, step_order, count(*) AS waiting, min(since) AS oldest FROM approval_waits WHERE project_id = @project AND passed_at IS NULL GROUP BY label, step_order) AS w" +
		" ORDER BY w.step_order, w.label"

	selectScheduled = "SELECT count(*), min(due_at), count(*) FILTER (WHERE attempts > 0) FROM schedules s WHERE s.project_id = @project" +
		" AND (s.action = 'publish' OR NOT EXISTS (SELECT 1 FROM entries e WHERE e.project_id = @project AND e.id = s.entry_id AND e.trashed_at IS NOT NULL))"

	selectCounts = "SELECT c.id, c.name," +
		" (SELECT coalesce(sum(n.entries), 0) FROM entry_counters n WHERE n.project_id = @project AND n.collection_id = c.id AND n.state = 0)," +
		" (SELECT coalesce(sum(n.entries), 0) FROM entry_counters n WHERE n.project_id = @project AND n.collection_id = c.id AND n.state = 1)," +
		" (SELECT count(*) FROM entries e WHERE e.project_id = @project AND e.collection_id = c.id AND e.trashed_at IS NOT NULL)" +
		" FROM collections c WHERE c.project_id = @project ORDER BY c.slug"

	selectReads = "SELECT t.id, t.name, coalesce(u.reads, 0) FROM tokens t" +
		" LEFT JOIN (SELECT token_id, sum(reads) AS reads FROM token_usage WHERE project_id = @project AND day >= ? GROUP BY token_id) AS u ON u.token_id = t.id" +
		" WHERE t.project_id = @project AND (t.revoked_at IS NULL OR u.reads > 0) ORDER BY 3 DESC, t.id"
)

func (s overviewStore) Overview(ctx context.Context, projectID int64, from time.Time) (o overview.Overview, err error) {
	since := from.UnixMilli()
	if o.Published, err = sqldb.Collect(ctx, s.Conn, sqldb.Into(func(d *overview.DayCount) []any {
		return []any{(*sqldb.Instant)(&d.Day), &d.Count}
	}), selectPublished, since, projectID); err != nil {
		return o, err
	}
	if o.Waiting, err = sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (w overview.WaitingStep, err error) {
		var took int64
		err = rows.Scan(&w.Label, &w.Order, &w.Count, (*sqldb.Instant)(&w.OldestSince), &took)
		w.Median = max(time.Duration(took)*time.Millisecond, -1)
		return w, err
	}, selectWaiting, projectID, since); err != nil {
		return o, err
	}
	if err = s.Each(ctx, func(rows sqldb.Rows) error {
		return rows.Scan(&o.Scheduled, (*sqldb.Instant)(&o.NextDue), &o.Failed)
	}, selectScheduled, projectID); err != nil {
		return o, err
	}
	if o.Collections, err = sqldb.Collect(ctx, s.Conn, sqldb.Into(func(c *overview.CollectionCount) []any {
		return []any{&c.CollectionID, &c.Name, &c.Published, &c.Drafts, &c.Trashed}
	}), selectCounts, projectID); err != nil {
		return o, err
	}
	o.Tokens, err = sqldb.Collect(ctx, s.Conn, sqldb.Into(func(t *overview.TokenReads) []any {
		return []any{&t.ID, &t.Name, &t.Reads}
	}), selectReads, projectID, since)
	return o, err
}
