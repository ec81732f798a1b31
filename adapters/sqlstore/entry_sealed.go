package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"imprimatur/core"
)

// Unsealed finds media in entry_values, which has no rows of entries in the trash.
func (s entryStore) Unsealed(ctx context.Context, projectID int64) ([]int64, error) {
	collections, err := collectionStore(s).Collections(ctx, projectID)
	if err != nil {
		return nil, err
	}
	fields := mediaFields(collections, func(f *core.Field) bool { return !f.Secret() })
	if fields == "" {
		return nil, nil
	}
	return collect(ctx, s.conn, scanValue[int64], fields+" SELECT DISTINCT e.id FROM f"+
		" CROSS JOIN entry_values v JOIN entries e ON e.project_id = v.project_id AND e.id = v.entry_id"+
		" WHERE v.project_id = $1 AND v.collection_id = f.collection_id AND v.field_id = f.field_id AND v.ref IS NOT NULL AND (v.versions & 1) <> 0"+
		" AND e.published IS NOT NULL AND e.published_media IS NULL ORDER BY e.id", projectID)
}

// mediaFields returns the common table expression f (collection_id, field_id) of the media
// fields that match, or "" when the collections have none.
func mediaFields(collections []*core.Collection, match func(*core.Field) bool) string {
	var fields []string
	for _, c := range collections {
		for _, f := range c.Fields {
			if f.Type == core.TypeMedia && match(f) {
				fields = append(fields, fmt.Sprintf("(%d, %d)", c.ID, f.ID))
			}
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return "WITH f (collection_id, field_id) AS (VALUES " + strings.Join(fields, ", ") + ")"
}

func (s entryStore) Seal(ctx context.Context, projectID int64, entries []core.Entry) error {
	rows := mapped(entries, func(e core.Entry) []any { return []any{e.ID, e.PublishedHash, nullable(e.PublishedMedia)} })
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		clear(s.journal.locked)
		_, err := s.run(ctx, s.changed(sealedEntry, &core.Project{ID: projectID}, 1, rows))
		return err
	})
}

var sealedEntry = newTable("entries", "id bigint", "published_hash text", "published_media text")

func (s entryStore) Unseal(ctx context.Context, projectID int64) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		clear(s.journal.locked)
		_, err := s.exec(ctx, "UPDATE entries SET published_media = NULL WHERE project_id = $1 AND published_media IS NOT NULL", projectID)
		return err
	})
}
