package sqlstore

import (
	"context"

	"imprimatur/core"
)

// previewStore implements ports.PreviewStore.
type previewStore struct{ conn }

var previews = rowsOf("previews", "preview", func(p *core.Preview) []member {
	return []member{
		{name: "hash", of: octets{p.Hash[:]}},
		{name: "session_hash", of: octets{p.Session[:]}},
		{name: "shows", of: asJSON[previewShows]{
			func() previewShows {
				return previewShows{p.ProjectID, p.CollectionID, p.EntryID, p.Of, p.Number, p.Drafts}
			},
			func(s previewShows) {
				p.ProjectID, p.CollectionID, p.EntryID, p.Of, p.Number, p.Drafts = s.ProjectID, s.CollectionID, s.EntryID, s.Of, s.Number, s.Drafts
			},
		}},
		{name: "created_at", of: (*instant)(&p.CreatedAt)},
		{name: "expires_at", of: (*instant)(&p.ExpiresAt)},
	}
})

// previewShows is what a preview shows. No query needs its members.
type previewShows struct {
	ProjectID    int64          `json:"projectId"`
	CollectionID int64          `json:"collectionId"`
	EntryID      int64          `json:"entryId"`
	Of           core.PreviewOf `json:"of"`
	Number       int64          `json:"number"`
	Drafts       bool           `json:"drafts"`
}

func (s previewStore) Preview(ctx context.Context, hash [32]byte) (core.Preview, error) {
	return previews.one(ctx, s.conn, " WHERE hash = ?", hash[:])
}

func (s previewStore) Insert(ctx context.Context, p core.Preview) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		text, args := previews.insert(&p)
		if _, err := c.exec(ctx, text, args...); err != nil {
			return c.db.fault(err, previews.thing)
		}
		_, err := c.do(ctx, previews.thing, "DELETE FROM previews WHERE session_hash = @session AND hash NOT IN"+
			" (SELECT hash FROM previews WHERE session_hash = @session ORDER BY created_at DESC, hash DESC LIMIT ?)", p.Session[:], core.MaxPreviews)
		return err
	})
}
