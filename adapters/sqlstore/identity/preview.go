package identity

import (
	"context"
	"strconv"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// previewStore implements ports.PreviewStore.
type previewStore struct{ sqldb.Conn }

var previews = sqldb.NewTableOf("previews", "preview", func(p *core.Preview) []sqldb.Column {
	return []sqldb.Column{
		{Name: "hash", Of: sqldb.Octets(p.Hash[:])},
		{Name: "session_hash", Of: sqldb.Octets(p.Session[:])},
		{Name: "shows", Of: sqldb.AsJSON(
			func() previewShows {
				return previewShows{p.ProjectID, p.CollectionID, p.EntryID, p.Of, p.Number, p.Drafts}
			},
			func(s previewShows) {
				p.ProjectID, p.CollectionID, p.EntryID, p.Of, p.Number, p.Drafts = s.ProjectID, s.CollectionID, s.EntryID, s.Of, s.Number, s.Drafts
			},
		)},
		{Name: "created_at", Of: (*sqldb.Instant)(&p.CreatedAt)},
		{Name: "expires_at", Of: (*sqldb.Instant)(&p.ExpiresAt)},
	}
})

// previewShows is what a preview shows. DeleteOf finds entryId in its JSON.
type previewShows struct {
	ProjectID    int64          `json:"projectId"`
	CollectionID int64          `json:"collectionId"`
	EntryID      int64          `json:"entryId"`
	Of           core.PreviewOf `json:"of"`
	Number       int64          `json:"number"`
	Drafts       bool           `json:"drafts"`
}

func (s previewStore) Preview(ctx context.Context, hash [32]byte) (core.Preview, error) {
	return previews.One(ctx, s.Conn, " WHERE hash = ?", hash[:])
}

func (s previewStore) Insert(ctx context.Context, p core.Preview) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		text, args := previews.Insert(&p)
		if _, err := c.Exec(ctx, text, args...); err != nil {
			return c.DB.Fault(err, previews.Thing)
		}
		_, err := c.Do(ctx, previews.Thing, "DELETE FROM previews WHERE session_hash = @session AND hash NOT IN"+
			" (SELECT hash FROM previews WHERE session_hash = @session ORDER BY created_at DESC, hash DESC LIMIT ?)", p.Session[:], core.MaxPreviews)
		return err
	})
}

// DeleteOf reads the whole table, which has the previews of minutes.
func (s previewStore) DeleteOf(ctx context.Context, entryID int64) error {
	_, err := s.Do(ctx, previews.Thing, "DELETE FROM previews WHERE shows LIKE ?", `%"entryId":`+strconv.FormatInt(entryID, 10)+`,"of":%`)
	return err
}
