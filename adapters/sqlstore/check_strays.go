package sqlstore

import (
	"context"
	"fmt"

	"imprimatur/core"
)

// entryTables are the tables with rows of entries. The value is the condition that a row r
// matches its entry e, beyond the ids.
var entryTables = map[string]string{
	"entry_index":  "e.collection_id = r.collection_id AND e.group_id = r.group_id",
	"entry_values": "e.collection_id = r.collection_id",
	"entry_texts":  "e.collection_id = r.collection_id",
	"entry_claims": "e.collection_id = r.collection_id AND e.locale = r.locale",
}

// noEntry returns the condition that a row r has no matching entry.
func noEntry(match string) string {
	return "NOT EXISTS (SELECT 1 FROM entries e WHERE e.project_id = r.project_id AND e.id = r.entry_id AND " + match + ")"
}

func (s indexChecker) CheckStrays(ctx context.Context, projectID int64, report func(core.Difference)) error {
	for table, match := range entryTables {
		if err := s.each(ctx, func(rows Rows) error {
			d := core.Difference{What: "rows of " + table + " without a matching entry", Expected: noRow}
			var n int64
			err := rows.Scan(&d.CollectionID, &d.Entry, &n)
			d.Found = fmt.Sprint(n)
			report(d)
			return err
		}, "SELECT r.collection_id, r.entry_id, count(*) FROM "+table+" r WHERE r.project_id = $1 AND "+noEntry(match)+
			" GROUP BY r.collection_id, r.entry_id ORDER BY r.collection_id, r.entry_id", projectID); err != nil {
			return err
		}
	}
	return nil
}

func (s indexChecker) RepairStrays(ctx context.Context, projectID int64) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		for table, match := range entryTables {
			if _, err := s.exec(ctx, "DELETE FROM "+table+" AS r WHERE r.project_id = $1 AND "+noEntry(match), projectID); err != nil {
				return err
			}
		}
		return nil
	})
}
