package sqlstore

import (
	"context"
	"slices"

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
}

func (r blobRow) core() ports.HeldBlob { return ports.HeldBlob{ProjectID: r.ProjectID, Name: r.Name} }

func (s blobLedger) Hold(ctx context.Context, projectID int64, names []string) error {
	return s.count(ctx, projectID, names, 1, "holders = b.holders + 1")
}

func (s blobLedger) Release(ctx context.Context, projectID int64, names []string) error {
	return s.count(ctx, projectID, names, 0, "holders = CASE WHEN b.holders > 0 THEN b.holders - 1 ELSE 0 END")
}

// count writes the rows in the order of their names in every transaction, which prevents
// deadlocks.
func (s blobLedger) count(ctx context.Context, projectID int64, names []string, initial int64, update string) error {
	if len(names) == 0 {
		return nil
	}
	var rows []blobRow
	for _, name := range slices.Sorted(slices.Values(names)) {
		rows = append(rows, blobRow{ProjectID: projectID, Name: name, Holders: initial})
	}
	_, err := s.write.NewInsert().Model(&rows).On("CONFLICT (project_id, name) DO UPDATE").Set(update).Exec(ctx)
	return s.db.fault(err, "file")
}

func (s blobLedger) Unheld(ctx context.Context, limit int) ([]ports.HeldBlob, error) {
	return all[blobRow](ctx, s.conn, "file", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("holders = 0").Limit(int64(limit))
	})
}

func (s blobLedger) Forget(ctx context.Context, projectID int64, name string) (bool, error) {
	result, err := s.write.NewDelete().Model((*blobRow)(nil)).Where("project_id = ? AND name = ? AND holders = 0", projectID, name).Exec(ctx)
	if err != nil {
		return false, s.db.fault(err, "file")
	}
	n, err := result.RowsAffected()
	return n > 0, s.db.fault(err, "file")
}

func (s blobLedger) Known(ctx context.Context, projectID int64, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	rows, err := all[blobRow](ctx, s.conn, "file", where("project_id = ? AND name IN (?)", projectID, bun.List(names)))
	var known []string
	for _, row := range rows {
		known = append(known, row.Name)
	}
	return known, err
}

// releaseAll releases all names of a Project.
func (s blobLedger) releaseAll(ctx context.Context, projectID int64) error {
	_, err := s.write.NewUpdate().Model((*blobRow)(nil)).Set("holders = 0").Where("project_id = ?", projectID).Exec(ctx)
	return s.db.fault(err, "file")
}
