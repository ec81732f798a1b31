package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/ports"
)

// Miscounted returns the counters and buckets that differ from a recount of the index rows.
func (db *DB) Miscounted(ctx context.Context) (wrong []string, err error) {
	undo := errors.New("undo")
	err = db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		s := stores.Entries.(entryStore) //nolint:errcheck,forcetypeassert // Stores returns an entryStore
		kept, err := s.counters(ctx)
		if err != nil {
			return err
		}
		for _, text := range append([]string{"DELETE FROM entry_counters", "DELETE FROM entry_buckets"}, Recounts("1 = 1")...) {
			if _, err := s.Exec(ctx, text); err != nil {
				return err
			}
		}
		counted, err := s.counters(ctx)
		if err != nil {
			return err
		}
		for key, n := range kept {
			if n != counted[key] {
				wrong = append(wrong, fmt.Sprintf("%v: %d, want %d", key, n, counted[key]))
			}
		}
		for key := range counted {
			if _, ok := kept[key]; !ok {
				wrong = append(wrong, fmt.Sprintf("%v is missing", key))
			}
		}
		return undo
	})
	if errors.Is(err, undo) {
		err = nil
	}
	return wrong, err
}

// counters returns the counts of counters and buckets by key.
func (s entryStore) counters(ctx context.Context) (map[[5]int64]int64, error) {
	type row struct {
		key     [5]int64
		entries int64
	}
	rows, err := sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (r row, err error) {
		err = rows.Scan(&r.key[0], &r.key[1], &r.key[2], &r.key[3], &r.key[4], &r.entries)
		return r, err
	}, "SELECT collection_id, state, -1, -1, serves, entries FROM entry_counters"+
		" UNION ALL SELECT scope, place, bucket, 0, serves, entries FROM entry_buckets")
	all := map[[5]int64]int64{}
	for _, r := range rows {
		all[r.key] += r.entries
	}
	return all, err
}

// ArchivedColumns returns "table.column type" of all columns of archives.
func ArchivedColumns() (columns []string) {
	for _, t := range archivedTables {
		for i, column := range t.Columns {
			columns = append(columns, t.Name+"."+column+" "+t.Types[i])
		}
	}
	return columns
}

// LeftOut returns the tables and the columns "table.column" that archives do not have.
func LeftOut() []string {
	return append(slices.Sorted(maps.Keys(leftOut)), slices.Sorted(maps.Keys(leftOutColumns))...)
}
