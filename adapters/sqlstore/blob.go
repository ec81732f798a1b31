package sqlstore

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"imprimatur/ports"
)

// blobLedger implements ports.BlobLedger.
type blobLedger struct{ conn }

type blobRow struct {
	bun.BaseModel `bun:"table:media_blobs,alias:b"`

	ProjectID int64  `bun:",pk"`
	Name      string `bun:",pk"`
	Holders   int64
	Mark      int64
}

func (r blobRow) core() ports.HeldBlob { return ports.HeldBlob{ProjectID: r.ProjectID, Name: r.Name} }

func (s blobLedger) Hold(ctx context.Context, projectID int64, names []string) error {
	return s.count(ctx, projectID, names, 1, "holders = b.holders + 1")
}

func (s blobLedger) Release(ctx context.Context, projectID int64, names []string) error {
	return s.count(ctx, projectID, names, 0, "holders = CASE WHEN b.holders > 0 THEN b.holders - 1 ELSE 0 END")
}

// count inserts the missing rows with initial holders and applies update to the existing ones, in
// the order of names, which prevents deadlocks.
func (s blobLedger) count(ctx context.Context, projectID int64, names []string, initial int64, update string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := s.add(projectID, names, initial, rand.Int64()).Set(update).Exec(ctx)
	return s.db.fault(err, "file")
}

// add inserts the missing rows and updates the existing ones.
func (s blobLedger) add(projectID int64, names []string, initial, mark int64) *bun.InsertQuery {
	rows := mapped(slices.Sorted(slices.Values(names)), func(name string) blobRow {
		return blobRow{ProjectID: projectID, Name: name, Holders: initial, Mark: mark}
	})
	return s.write.NewInsert().Model(&rows).On("CONFLICT (project_id, name) DO UPDATE")
}

func (s blobLedger) Reserve(ctx context.Context, projectID int64, names []string, mark int64) (map[string]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if _, err := s.add(projectID, names, 0, mark).Set("holders = b.holders").Exec(ctx); err != nil {
		return nil, s.db.fault(err, "file")
	}
	return s.Marks(ctx, projectID, names)
}

func (s blobLedger) Unheld(ctx context.Context, limit int) ([]ports.HeldBlob, error) {
	return all[blobRow](ctx, s.conn, "file", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("holders = 0").Limit(int64(limit))
	})
}

func (s blobLedger) Forget(ctx context.Context, projectID int64, name string) (bool, error) {
	n, err := s.discard(ctx, (*blobRow)(nil), "file", "project_id = ? AND name = ? AND holders = 0", projectID, name)
	return n > 0, err
}

func (s blobLedger) Lock(ctx context.Context, projectID int64, name string) (held bool, err error) {
	rows, err := all[blobRow](ctx, s.conn, "file", func(q *bun.SelectQuery) *bun.SelectQuery {
		if s.locks() {
			q = q.For("UPDATE")
		}
		return q.Where("project_id = ? AND name = ? AND holders > 0", projectID, name)
	})
	return len(rows) > 0, err
}

func (s blobLedger) Marks(ctx context.Context, projectID int64, names []string) (map[string]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var rows []blobRow
	err := s.read.NewSelect().Model(&rows).Where("project_id = ? AND name IN (?)", projectID, bun.List(names)).Scan(ctx)
	marks := make(map[string]int64, len(rows))
	for _, r := range rows {
		marks[r.Name] = r.Mark
	}
	return marks, s.db.fault(err, "file")
}

// blobChecker implements ports.BlobChecker.
type blobChecker struct{ blobLedger }

// blobColumns are the columns of the table media that contain blob names.
var blobColumns = []string{"full_blob", "thumb_blob", "thumb_webp_blob", "full_webp_blob"}

func (s blobChecker) CheckHolders(ctx context.Context, projectID int64, report func(name string, needed, held int64)) error {
	names := mapped(blobColumns, func(column string) string {
		return "SELECT id, " + column + " AS name FROM media WHERE project_id = @project AND " + column + " <> ''"
	})
	return s.each(ctx, func(rows Rows) error {
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
	if err := s.count(ctx, projectID, []string{name}, 0, "holders = b.holders"); err != nil {
		return err
	}
	needed, args := make([]string, len(blobColumns)), []any{projectID}
	for i, column := range blobColumns {
		needed[i], args = column+" = ?", append(args, name)
	}
	_, err := s.write.NewUpdate().Model((*blobRow)(nil)).
		Set("holders = (SELECT count(*) FROM media WHERE project_id = ? AND ("+strings.Join(needed, " OR ")+"))", args...).
		Where("project_id = ? AND name = ?", projectID, name).Exec(ctx)
	return s.db.fault(err, "file")
}

func (s blobChecker) Held(ctx context.Context, projectID int64, after string, limit int) ([]string, error) {
	rows, err := all[blobRow](ctx, s.conn, "file", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("project_id = ? AND name > ? AND holders > 0", projectID, after).Order("name").Limit(int64(limit))
	})
	return mapped(rows, func(b ports.HeldBlob) string { return b.Name }), err
}
