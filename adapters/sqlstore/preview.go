package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// previewStore implements ports.PreviewStore.
type previewStore struct{ conn }

type previewRow struct {
	bun.BaseModel `bun:"table:previews"`

	Hash        []byte `bun:",pk"`
	SessionHash []byte
	Shows       encoded[previewShows]
	CreatedAt   instant
	ExpiresAt   instant
}

// previewShows is what a preview shows. No query needs its members.
type previewShows struct {
	ProjectID    int64          `json:"projectId"`
	CollectionID int64          `json:"collectionId"`
	EntryID      int64          `json:"entryId"`
	Of           core.PreviewOf `json:"of"`
	Number       int64          `json:"number"`
	Drafts       bool           `json:"drafts"`
}

func (r previewRow) core() core.Preview {
	shows := r.Shows.v
	return core.Preview{
		Hash: [32]byte(r.Hash), Session: [32]byte(r.SessionHash), ProjectID: shows.ProjectID, CollectionID: shows.CollectionID, EntryID: shows.EntryID,
		Of: shows.Of, Number: shows.Number, Drafts: shows.Drafts, CreatedAt: time.Time(r.CreatedAt), ExpiresAt: time.Time(r.ExpiresAt),
	}
}

func (s previewStore) Preview(ctx context.Context, hash [32]byte) (core.Preview, error) {
	return one[previewRow](ctx, s.conn, "preview", where("hash = ?", hash[:]))
}

func (s previewStore) Insert(ctx context.Context, p core.Preview) error {
	row := &previewRow{
		Hash: p.Hash[:], SessionHash: p.Session[:], Shows: encoded[previewShows]{previewShows{p.ProjectID, p.CollectionID, p.EntryID, p.Of, p.Number, p.Drafts}},
		CreatedAt: instant(p.CreatedAt), ExpiresAt: instant(p.ExpiresAt),
	}
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if _, err := c.write.NewInsert().Model(row).Exec(ctx); err != nil {
			return c.db.fault(err, "preview")
		}
		_, err := c.write.NewRaw("DELETE FROM previews WHERE session_hash = ? AND hash NOT IN"+
			" (SELECT hash FROM previews WHERE session_hash = ? ORDER BY created_at DESC, hash DESC LIMIT ?)", row.SessionHash, row.SessionHash, core.MaxPreviews).Exec(ctx)
		return c.db.fault(err, "preview")
	})
}
