package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// Unsealed finds media in entry_values, which has no rows of entries in the trash.
func (s entryStore) Unsealed(ctx context.Context, projectID int64) ([]int64, error) {
	collections, err := collectionStore(s).Collections(ctx, projectID)
	if err != nil {
		return nil, err
	}
	ids, names := fieldRows(collections, func(f *core.Field) (ids, names int) {
		if f.Secret() || !f.CanShowMedia() {
			return 0, 0
		}
		if f.RefersInside() {
			names = entryindex.Inner(f)
		}
		return f.ID, names
	})
	if ids == "" {
		return nil, nil
	}
	found := "SELECT v.entry_id" + valuesOfFields(ids) + " AND v.ref IS NOT NULL AND (v.versions & 1) <> 0"
	if names != "" {
		found += " UNION ALL SELECT v.entry_id" + valuesOfFields(names) + " AND v.text IS NOT NULL AND (v.versions & 1) <> 0"
	}
	return sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[int64], "SELECT DISTINCT e.id FROM ("+found+") v JOIN entries e ON e.project_id = @project AND e.id = v.entry_id"+
		" WHERE e.published IS NOT NULL AND e.published_media IS NULL ORDER BY e.id", projectID)
}
