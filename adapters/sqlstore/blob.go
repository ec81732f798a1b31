package sqlstore

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/ports"
)

// blobLedger implements ports.BlobLedger.
type blobLedger struct{ sqldb.Conn }

// blobs has the columns of a new row of media_blobs.
var blobs = sqldb.NewTable("media_blobs", "project_id bigint", "name text", "holders bigint", "mark bigint")

func (s blobLedger) Hold(ctx context.Context, projectID int64, names []string) error {
	return s.count(ctx, projectID, names, 1, "holders = media_blobs.holders + 1")
}

func (s blobLedger) Release(ctx context.Context, projectID int64, names []string) error {
	return s.count(ctx, projectID, names, 0, "holders = CASE WHEN media_blobs.holders > 0 THEN media_blobs.holders - 1 ELSE 0 END")
}

// count inserts the missing rows with initial holders and applies update to the existing ones, in
// the order of names, which prevents deadlocks.
func (s blobLedger) count(ctx context.Context, projectID int64, names []string, initial int64, update string) error {
	if len(names) == 0 {
		return nil
	}
	return s.add(ctx, projectID, names, initial, rand.Int64(), update)
}

// add inserts the missing rows and applies update to the existing ones.
func (s blobLedger) add(ctx context.Context, projectID int64, names []string, initial, mark int64, update string) error {
	rows := sqldb.Mapped(slices.Sorted(slices.Values(names)), func(name string) []any { return []any{projectID, name, initial, mark} })
	_, err := s.Exec(ctx, "INSERT INTO media_blobs (project_id, name, holders, mark) SELECT v.* FROM (?) AS v"+
		" WHERE true ON CONFLICT (project_id, name) DO UPDATE SET "+update, sqldb.RowList{Types: blobs.Types, Rows: rows}) // SQLite needs a WHERE before ON CONFLICT
	return s.DB.Fault(err, "file")
}

func (s blobLedger) Reserve(ctx context.Context, projectID int64, names []string, mark int64) (map[string]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if err := s.add(ctx, projectID, names, 0, mark, "holders = media_blobs.holders"); err != nil {
		return nil, err
	}
	return s.Marks(ctx, projectID, names)
}

func (s blobLedger) Unheld(ctx context.Context, limit int) ([]ports.HeldBlob, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(b *ports.HeldBlob) []any { return []any{&b.ProjectID, &b.Name} }),
		"SELECT project_id, name FROM media_blobs WHERE holders = 0 LIMIT ?", limit)
}

func (s blobLedger) Forget(ctx context.Context, projectID int64, name string) (bool, error) {
	n, err := s.Do(ctx, "file", "DELETE FROM media_blobs WHERE project_id = @project AND name = ? AND holders = 0", projectID, name)
	return n > 0, err
}

func (s blobLedger) Lock(ctx context.Context, projectID int64, name string) (held bool, err error) {
	rows, err := sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[int64],
		"SELECT holders FROM media_blobs WHERE project_id = @project AND name = ? AND holders > 0"+s.ForUpdate(), projectID, name)
	return len(rows) > 0, err
}

func (s blobLedger) Marks(ctx context.Context, projectID int64, names []string) (map[string]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	marks := make(map[string]int64, len(names))
	return marks, s.Each(ctx, func(rows sqldb.Rows) error {
		var name string
		var mark int64
		err := rows.Scan(&name, &mark)
		marks[name] = mark
		return err
	}, "SELECT name, mark FROM media_blobs WHERE project_id = @project AND name ?", projectID, sqldb.AmongTexts(names))
}

// blobChecker implements ports.BlobChecker.
type blobChecker struct{ blobLedger }

// blobColumns are the columns of the table media that contain blob names.
var blobColumns = []string{"full_blob", "thumb_blob", "thumb_webp_blob", "full_webp_blob"}

func (s blobChecker) CheckHolders(ctx context.Context, projectID int64, report func(name string, needed, held int64)) error {
	names := sqldb.Mapped(blobColumns, func(column string) string {
		return "SELECT id, " + column + " AS name FROM media WHERE project_id = @project AND " + column + " <> ''"
	})
	return s.Each(ctx, func(rows sqldb.Rows) error {
		var name string
		var needed, held int64
		if err := rows.Scan(&name, &needed, &held); err != nil {
			return err
		}
		report(name, needed, held)
		return nil
	}, "SELECT name, CAST(sum(needed) AS bigint), CAST(sum(held) AS bigint) FROM ("+
		"SELECT name, 1 AS needed, 0 AS held FROM ("+strings.Join(names, " UNION ")+") AS m"+ // an item counts once per name
		" UNION ALL SELECT name, 0, holders FROM media_blobs WHERE project_id = @project) AS b"+
		" GROUP BY name HAVING sum(needed) <> sum(held) ORDER BY name", projectID)
}

// RepairHolders first locks the row of the name, then counts: concurrent changes of the number
// wait, and apply to the corrected number.
func (s blobChecker) RepairHolders(ctx context.Context, projectID int64, name string) error {
	if err := s.count(ctx, projectID, []string{name}, 0, "holders = media_blobs.holders"); err != nil {
		return err
	}
	needed := sqldb.Mapped(blobColumns, func(column string) string { return column + " = @name" })
	_, err := s.Exec(ctx, "UPDATE media_blobs SET holders = (SELECT count(*) FROM media WHERE project_id = @project AND ("+strings.Join(needed, " OR ")+"))"+
		" WHERE project_id = @project AND name = @name", sqldb.As("project", projectID), sqldb.As("name", name))
	return s.DB.Fault(err, "file")
}

func (s blobChecker) Held(ctx context.Context, projectID int64, after string, limit int) ([]string, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[string],
		"SELECT name FROM media_blobs WHERE project_id = @project AND name > ? AND holders > 0 ORDER BY name LIMIT ?", projectID, after, limit)
}

// heldNames selects the Project, the item and the name of each blob that items have, each once. condition
// begins with AND or is empty.
func heldNames(condition string) string {
	return strings.Join(sqldb.Mapped(blobColumns, func(column string) string {
		return "SELECT project_id, id, " + column + " AS name FROM media WHERE " + column + " <> ''" + condition
	}), " UNION ")
}
