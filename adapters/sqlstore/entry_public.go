package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// PublicPlaces implements ports.PublicEntries. It reads at most limit rows of the index in each collection.
func (s entryStore) PublicPlaces(
	ctx context.Context, project *core.Project, collections []int64, locale string, after core.PublicPlace, limit int,
) ([]core.PublicPlace, error) {
	first, last := 0, len(project.Locales)-1
	if locale != "" {
		first = slices.Index(project.Locales, locale)
		last = first
	}
	if first < 0 || len(collections) == 0 {
		return nil, nil
	}
	args := []any{sqldb.As("project", project.ID), sqldb.As("limit", limit)}
	from := entryindex.Scope(after.CollectionID, entryindex.Published, after.Locale)
	parts := make([]string, len(collections))
	for n, id := range collections {
		// A part begins with its own scope: Postgres reads all rows from the position on.
		scope, entry := entryindex.Scope(id, entryindex.Published, first), int64(0)
		if from >= scope {
			scope, entry = from, after.ID
		}
		args = append(args, scope, entry, entryindex.Scope(id, entryindex.Published, last))
		parts[n] = fmt.Sprintf("SELECT scope, entry_id FROM (SELECT scope, entry_id FROM entry_index WHERE project_id = @project"+
			" AND (scope, entry_id) > (?, ?) AND scope <= ? ORDER BY scope, entry_id LIMIT @limit) AS c%d", n)
	}
	return sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (place core.PublicPlace, err error) {
		var scope int64
		err = rows.Scan(&scope, &place.ID)
		place.CollectionID, place.Locale = scope/entryindex.ScopesPerCollection, int(scope%entryindex.ScopesPerShelf)
		return place, err
	}, "SELECT scope, entry_id FROM ("+strings.Join(parts, " UNION ALL ")+") AS p ORDER BY scope, entry_id LIMIT @limit", args...)
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
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(v *core.PublicVersion) []any {
		targets := []any{
			&v.ID, &v.CollectionID, &v.Group, &v.Locale, (*sqldb.Instant)(&v.PublishedAt), (*sqldb.Instant)(&v.CreatedAt), (*sqldb.Instant)(&v.UpdatedAt), &v.ContentHash, &v.Size,
		}
		if documents {
			targets = append(targets, (*[]byte)(&v.Document), (*[]byte)(&v.Media))
		}
		return targets
	}), "SELECT "+columns+" FROM entries WHERE project_id = @project AND published IS NOT NULL AND trashed_at IS NULL AND id ?"+keptEntries, projectID, sqldb.AmongIDs(ids))
}
