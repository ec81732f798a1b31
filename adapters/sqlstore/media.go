package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// mediaStore implements ports.MediaStore.
type mediaStore struct{ conn }

type mediaRow struct {
	bun.BaseModel `bun:"table:media,alias:m"`

	ID        int64 `bun:",pk,autoincrement"`
	ProjectID int64
	FileName  string
	Caption   string
	Tags      encoded[[]string]
	MimeType  string
	Hash      string
	Size      int64
	Width     int
	Height    int
	Kind      string
	FullBlob  string
	ThumbBlob string
	ThumbWebP string `bun:"thumb_webp_blob"`
	FullWebP  string `bun:"full_webp_blob"`
	CreatedAt instant
	UpdatedAt instant
}

func newMediaRow(m core.MediaItem) *mediaRow {
	return &mediaRow{
		ID: m.ID, ProjectID: m.ProjectID, FileName: m.FileName, Caption: m.Caption, Tags: encoded[[]string]{m.Tags},
		MimeType: m.MimeType, Hash: m.Hash, Size: m.Size, Width: m.Width, Height: m.Height,
		Kind: string(m.Kind), FullBlob: m.Full, ThumbBlob: m.Thumb, ThumbWebP: m.ThumbWebP, FullWebP: m.FullWebP,
		CreatedAt: instant(m.CreatedAt), UpdatedAt: instant(m.UpdatedAt),
	}
}

func (r mediaRow) core() core.MediaItem {
	return core.MediaItem{
		ID: r.ID, ProjectID: r.ProjectID, FileName: r.FileName, Caption: r.Caption, Tags: r.Tags.v,
		MimeType: r.MimeType, Hash: r.Hash, Size: r.Size, Width: r.Width, Height: r.Height,
		Kind: core.MediaKind(r.Kind), Full: r.FullBlob, Thumb: r.ThumbBlob, ThumbWebP: r.ThumbWebP, FullWebP: r.FullWebP,
		CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

func (s mediaStore) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return all[mediaRow](ctx, s.conn, "media item", where("project_id = ? AND id IN (?)", projectID, bun.List(ids)))
}

func (s mediaStore) Insert(ctx context.Context, item *core.MediaItem) error {
	r := newMediaRow(*item)
	r.ID = 0
	err := s.insert(ctx, r, "media item")
	item.ID = r.ID
	return err
}
