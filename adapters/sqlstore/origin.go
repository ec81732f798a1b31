package sqlstore

import (
	"context"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// originStore implements ports.OriginStore.
type originStore struct{ conn }

type originRow struct {
	bun.BaseModel `bun:"table:translation_origins,alias:o"`

	ProjectID    int64  `bun:",pk"`
	Reference    string `bun:",pk"`
	CollectionID int64
	GroupID      int64
}

func (r originRow) core() core.Origin {
	return core.Origin{ProjectID: r.ProjectID, Reference: r.Reference, CollectionID: r.CollectionID, Group: r.GroupID}
}

func (s originStore) Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error) {
	if len(references) == 0 {
		return nil, nil
	}
	return all[originRow](ctx, s.conn, "origin", where("project_id = ? AND reference IN (?)"+kept("o"), projectID, bun.List(references)))
}

func (s originStore) OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	return all[originRow](ctx, s.conn, "origin", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("project_id = ? AND group_id IN (?)"+kept("o"), projectID, bun.List(groups)).Order("group_id", "reference")
	})
}

func (s originStore) Save(ctx context.Context, origins []core.Origin) error {
	if len(origins) == 0 {
		return nil
	}
	rows := mapped(origins, func(o core.Origin) originRow {
		return originRow{ProjectID: o.ProjectID, Reference: o.Reference, CollectionID: o.CollectionID, GroupID: o.Group}
	})
	for _, o := range origins {
		if _, err := (collectionStore{s.conn}).Collection(ctx, o.ProjectID, o.CollectionID); err != nil {
			return err
		}
	}
	_, err := s.write.NewInsert().Model(&rows).On("CONFLICT (project_id, reference) DO UPDATE").
		Set("collection_id = EXCLUDED.collection_id").Set("group_id = EXCLUDED.group_id").Exec(ctx)
	return s.written(err, "origin")
}
