package memory

import (
	"context"
	"slices"

	"imprimatur/core"
)

type media struct{ conn }

func (s media) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	return view(ctx, s.conn, func(st *state) ([]core.MediaItem, error) {
		rows := st.media.all(func(m core.MediaItem) bool {
			return m.ProjectID == projectID && slices.Contains(ids, m.ID)
		})
		for i, m := range rows {
			rows[i].Tags = slices.Clone(m.Tags)
		}
		return rows, nil
	})
}

func (s media) Insert(ctx context.Context, item *core.MediaItem) error {
	return s.change(ctx, func(st *state) error {
		item.ID = st.media.next()
		kept := *item
		kept.Tags = slices.Clone(item.Tags)
		st.media.put(item.ID, kept)
		return nil
	})
}
