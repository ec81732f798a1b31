package sqlstore

import (
	"context"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// PublicIDs implements ports.PublicEntries. It reads at most limit rows of the index in each locale.
func (s entryStore) PublicIDs(ctx context.Context, schema core.Schema, locale string, after int64, limit int) ([]int64, error) {
	args := []any{schema.Project.ID, after, limit}
	var parts []string
	for n, tag := range schema.Project.Locales {
		if locale != "" && tag != locale {
			continue
		}
		args = append(args, entryindex.Scope(schema.Collection.ID, entryindex.Published, n))
		name := strconv.Itoa(len(args))
		parts = append(parts, "SELECT entry_id FROM (SELECT entry_id FROM entry_index WHERE project_id = $1 AND scope = $"+name+
			" AND entry_id > $2 ORDER BY entry_id LIMIT $3) AS l"+name)
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return collect(ctx, s.conn, scanValue[int64], "SELECT entry_id FROM ("+strings.Join(parts, " UNION ALL ")+") AS p ORDER BY entry_id LIMIT $3", args...)
}

// PublicVersions implements ports.PublicEntries.
func (s entryStore) PublicVersions(ctx context.Context, projectID int64, ids []int64, documents bool) ([]core.PublicVersion, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	columns := "id, collection_id, group_id, locale, published_at, created_at, released_at, published_hash," +
		" octet_length(published) + coalesce(octet_length(published_media), 0)"
	if documents {
		columns += ", published, published_media"
	}
	among, args := s.among(ids, projectID)
	return collect(ctx, s.conn, into(func(v *core.PublicVersion) []any {
		targets := []any{
			&v.ID, &v.CollectionID, &v.Group, &v.Locale, (*instant)(&v.PublishedAt), (*instant)(&v.CreatedAt), (*instant)(&v.UpdatedAt), &v.ContentHash, &v.Size,
		}
		if documents {
			targets = append(targets, (*[]byte)(&v.Document), (*[]byte)(&v.Media))
		}
		return targets
	}), "SELECT "+columns+" FROM entries WHERE project_id = $1 AND published IS NOT NULL AND trashed_at IS NULL AND id "+among, args...)
}
