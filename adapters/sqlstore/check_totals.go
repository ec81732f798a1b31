package sqlstore

import (
	"context"
	"fmt"

	"imprimatur/core"
)

// CheckTotals runs one statement for each kind of total: what a statement reads is as of
// one moment, so that no entry has to be locked.
func (s indexChecker) CheckTotals(ctx context.Context, projectID int64, tell func(core.Difference)) error {
	if err := s.checkCounters(ctx, projectID, tell); err != nil {
		return err
	}
	return s.checkTallies(ctx, projectID, tell)
}

func (s indexChecker) MendTotals(ctx context.Context, projectID int64) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error { return s.recount(ctx, projectID) })
}

func (s indexChecker) RecordRepair(_ context.Context, projectID int64) error {
	s.record(core.Event{Type: core.EventProjectRepaired, ProjectID: projectID})
	return nil
}

// checkCounters compares entry_counters with what they count.
func (s indexChecker) checkCounters(ctx context.Context, projectID int64, tell func(core.Difference)) error {
	return s.each(ctx, func(rows Rows) error {
		var d core.Difference
		var state core.State
		var serves, expected, found int64
		err := rows.Scan(&d.CollectionID, &state, &serves, &expected, &found)
		d.What = fmt.Sprintf("counter (%s, serves %d)", stateNames[state], serves)
		d.Expected, d.Found = fmt.Sprint(expected), fmt.Sprint(found)
		tell(d)
		return err
	}, "SELECT collection_id, state, serves, CAST(sum(expected) AS bigint), CAST(sum(found) AS bigint) FROM ("+
		"SELECT collection_id, state, serves, entries AS expected, 0 AS found FROM ("+selectCounters("project_id = $1")+") AS i"+
		" UNION ALL SELECT collection_id, state, serves, 0, entries FROM entry_counters WHERE project_id = $1) AS c"+
		" GROUP BY collection_id, state, serves HAVING sum(expected) <> sum(found) ORDER BY collection_id, state, serves", projectID)
}

// checkTallies compares entry_tallies with what they count, one place after the other. A
// tally may leave out which value it is of, but not name another.
func (s indexChecker) checkTallies(ctx context.Context, projectID int64, tell func(core.Difference)) error {
	for place, column := range valuedColumns {
		if err := s.each(ctx, func(rows Rows) error {
			var scope, bucket, serves, expected, found int64
			err := rows.Scan(&scope, &bucket, &serves, &expected, &found)
			tell(core.Difference{
				CollectionID: scope / scopesPerCollection,
				What:         fmt.Sprintf("tally of %s (bucket %d, serves %d)", column, bucket, serves),
				Expected:     fmt.Sprint(expected), Found: foundTally(expected, found),
			})
			return err
		}, "SELECT scope, bucket, serves, CAST(sum(expected) AS bigint), CAST(sum(found) AS bigint) FROM ("+
			"SELECT scope, bucket, serves, entries AS expected, 0 AS found, text, num, CAST(NULL AS text) AS named, CAST(NULL AS double precision) AS numbered"+
			" FROM ("+selectTallies(place, "project_id = $1")+") AS i"+
			" UNION ALL SELECT scope, bucket, serves, 0, entries, NULL, NULL, text, num FROM entry_tallies WHERE project_id = $1 AND place = "+number(int64(place))+") AS c"+
			" GROUP BY scope, bucket, serves HAVING sum(expected) <> sum(found) OR sum(found) > 0 AND"+
			" (max(named) IS NOT NULL AND (max(text) IS NULL OR max(text) <> max(named))"+
			" OR max(numbered) IS NOT NULL AND (max(num) IS NULL OR max(num) <> max(numbered)))"+
			" ORDER BY scope, bucket, serves", projectID); err != nil {
			return err
		}
	}
	return nil
}

func foundTally(expected, found int64) string {
	if expected == found {
		return fmt.Sprint(found, " of another value")
	}
	return fmt.Sprint(found)
}

// each runs a read and calls see with each row.
func (c conn) each(ctx context.Context, see func(Rows) error, text string, args ...any) error {
	_, err := collect(ctx, c, func(rows Rows) (struct{}, error) { return struct{}{}, see(rows) }, text, args...)
	return err
}
