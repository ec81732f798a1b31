package sqlstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// CheckTotals runs one statement for each kind of total. A statement reads all its tables in
// one snapshot, so that CheckTotals needs no locks.
func (s indexChecker) CheckTotals(ctx context.Context, projectID int64, report func(core.Difference)) error {
	if err := s.checkCounters(ctx, projectID, report); err != nil {
		return err
	}
	return s.checkBuckets(ctx, projectID, report)
}

func (s indexChecker) RepairTotals(ctx context.Context, projectID int64) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error { return s.recount(ctx, projectID) })
}

// stateNames are the names of the states in reports.
var stateNames = map[core.State]string{core.StatePublished: "published", core.StateOnlyDraft: "only draft", core.StateWithDraft: "with draft"}

// checkCounters compares entry_counters with the rows of entry_index.
func (s indexChecker) checkCounters(ctx context.Context, projectID int64, report func(core.Difference)) error {
	var expected []string
	for _, state := range entryindex.States {
		expected = append(expected, selectCounters(state, "project_id = @project"+kept("entry_index")))
	}
	return s.Each(ctx, func(rows sqldb.Rows) error {
		var d core.Difference
		var state core.State
		var serves, expected, found int64
		if err := rows.Scan(&d.CollectionID, &state, &serves, &expected, &found); err != nil {
			return err
		}
		d.What = fmt.Sprintf("counter (%s, serves %d)", stateNames[state], serves)
		d.Expected, d.Found = fmt.Sprint(expected), fmt.Sprint(found)
		report(d)
		return nil
	}, differingTotals("entry_counters", "collection_id, state, serves", strings.Join(expected, " UNION ALL "), kept("entry_counters")), projectID)
}

// checkBuckets compares entry_buckets with the rows of entry_index.
func (s indexChecker) checkBuckets(ctx context.Context, projectID int64, report func(core.Difference)) error {
	return s.Each(ctx, func(rows sqldb.Rows) error {
		var scope, place, bucket, serves, expected, found int64
		if err := rows.Scan(&scope, &place, &bucket, &serves, &expected, &found); err != nil {
			return err
		}
		report(core.Difference{
			CollectionID: scope / entryindex.ScopesPerCollection,
			What:         fmt.Sprintf("bucket %d of %s (serves %d)", bucket, entryindex.BucketPlaces[place], serves),
			Expected:     fmt.Sprint(expected), Found: fmt.Sprint(found),
		})
		return nil
	}, differingTotals("entry_buckets", "scope, place, bucket, serves", entryindex.BucketRows("project_id = @project"+kept("entry_index")),
		" AND NOT EXISTS (SELECT 1 FROM deletions x WHERE x.project_id = @project AND x.collection_id = scope / "+strconv.Itoa(entryindex.ScopesPerCollection)+")"), projectID)
}

// differingTotals selects the keys whose number of entries in a table differs from the expected
// rows, with both numbers. condition restricts the rows of the table.
func differingTotals(table, key, expected, condition string) string {
	return "SELECT " + key + ", CAST(sum(expected) AS bigint), CAST(sum(found) AS bigint) FROM (" +
		"SELECT " + key + ", entries AS expected, 0 AS found FROM (" + expected + ") AS i" +
		" UNION ALL SELECT " + key + ", 0, entries FROM " + table + " WHERE project_id = @project" + condition + ") AS b" +
		" GROUP BY " + key + " HAVING sum(expected) <> sum(found) ORDER BY " + key
}
