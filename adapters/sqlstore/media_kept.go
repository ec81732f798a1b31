package sqlstore

import (
	"context"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

func (s mediaStore) Keep(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewUpdate().Model((*mediaRow)(nil)).Set("removed_at = "+s.db.dialect.Now()).
			Where(inLibrary+" AND project_id = ? AND id = ?", projectID, id).Exec(ctx)
		if err != nil {
			return c.db.fault(err, "media item")
		}
		return c.affected(result, "media item", mediaEvent(core.EventMediaDeleted, projectID, id))
	})
}

func (s mediaStore) PastMedia(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return all[mediaRow](ctx, s.conn, "media item", where("project_id = ? AND id IN (?)", projectID, bun.List(ids)))
}

func (s mediaStore) Unnamed(ctx context.Context, limit int) ([]core.MediaItem, error) {
	return all[mediaRow](ctx, s.conn, "media item", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("removed_at IS NOT NULL").
			Where("NOT EXISTS (SELECT 1 FROM publication_media p WHERE p.project_id = m.project_id AND p.media_id = m.id)").Limit(int64(limit))
	})
}

func (s mediaStore) DeleteKept(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewDelete().Model((*mediaRow)(nil)).
			Where("removed_at IS NOT NULL AND project_id = ? AND id = ?", projectID, id).Exec(ctx)
		if err != nil {
			return c.db.fault(err, "media item")
		}
		return c.found(result, "media item")
	})
}
